/*
 * Keeps the outlines of the sessions that are stale at the beginning, in pieces. The last piece moves the head to the
 * beginning: what came between two pieces is stale afterwards.
 */
#include <stdlib.h>

#include "base/buffer.h"
#include "branch/outline.h"

#define ROW_BYTES 600u /* about, of all rows of a session */

struct refreshing {
    struct xylem_store__piece piece;
    struct xylem_base__numbers stale;
    struct xylem_store__outline_head head;
    size_t next;
    size_t done; /* of `next` in the pieces before; a piece may be written again */
    uint64_t count;
    uint64_t counted; /* of `count` in the pieces before */
    struct xylem_buffer texts[3];
};

static int refresh_session(struct refreshing *refreshing, struct xylem_txn *txn, uint64_t number,
                           struct xylem_error *err)
{
    struct xylem_session session;
    struct xylem_buffer *name = &refreshing->texts[0];
    struct xylem_buffer *first = &refreshing->texts[1];
    struct xylem_buffer *last = &refreshing->texts[2];
    int code = xylem_session_read(&session, txn, number, err);
    if (code < 0 || session.state == XYLEM_SESSION_FREED) {
        return xylem_store__no_entry(code) ? XYLEM_OK : code;
    }
    for (size_t i = 0; i < 3; i++) {
        xylem_base__buffer_clear(&refreshing->texts[i]);
    }
    struct xylem_store__outline outline = {.last_lsn = session.last_lsn, .leaf = session.leaf};
    if ((code = xylem_branch__outline_make(&outline.outline, name, txn, &session, err)) == XYLEM_OK) {
        code = xylem_branch__outline_make_words(first, last, txn, &session, err);
    }
    if (code < 0 && code != XYLEM_E_CORRUPT) {
        return code;
    }
    refreshing->piece.written += ROW_BYTES;
    if (code == XYLEM_OK) {
        outline.name = outline.outline.has_name ? xylem_base__buffer_view(name) : outline.name;
        outline.has_first = first->bytes > 0;
        outline.has_last = last->bytes > 0;
        outline.first = xylem_base__buffer_view(first);
        outline.last = xylem_base__buffer_view(last);
        refreshing->count++;
        return xylem_store__outline_write(txn, &session, &outline, err);
    }
    code = xylem_store__outline_drop(txn, &session, err);
    return code < 0 ? code : xylem_store__outline_notice(txn, number, err);
}

static int write_piece(struct xylem_txn *txn, void *context, struct xylem_error *err)
{
    struct refreshing *refreshing = context;
    struct xylem_store__outline_head head;
    int code = XYLEM_OK;
    refreshing->next = refreshing->done;
    refreshing->count = refreshing->counted;
    while (code == XYLEM_OK && refreshing->next < refreshing->stale.count &&
           !xylem_store__piece_full(&refreshing->piece)) {
        code = refresh_session(refreshing, txn, refreshing->stale.list[refreshing->next++], err);
    }
    if (code < 0 || refreshing->next < refreshing->stale.count) {
        return code < 0 ? code : 1;
    }
    /* Another process may have kept newer outlines meanwhile. */
    code = xylem_store__outline_head_read(&head, txn, err);
    return code < 0 || (head.lsn >= refreshing->head.lsn && head.session >= refreshing->head.session)
               ? code
               : xylem_store__outline_head_write(txn, &refreshing->head, err);
}

static int find_stale(struct xylem_txn *txn, void *context, struct xylem_error *err)
{
    struct refreshing *refreshing = context;
    return xylem_store__outline_stale(&refreshing->stale, &refreshing->head, txn, false, err);
}

static int clear(struct xylem_txn *txn, void *context, struct xylem_error *err)
{
    (void)context;
    return xylem_store__outline_clear(txn, err);
}

static int refresh(uint64_t *count, struct xylem_store *store, struct xylem_error *err)
{
    struct refreshing refreshing = {.count = 0};
    int code = xylem_store__reading(store, find_stale, &refreshing, err);
    int more = code == XYLEM_OK && refreshing.stale.count > 0;
    while (more == 1) {
        more = xylem_store__write_piece(&refreshing.piece, store, write_piece, &refreshing, err);
        refreshing.done = refreshing.next;
        refreshing.counted = refreshing.count;
        code = more < 0 ? more : code;
    }
    for (size_t i = 0; i < sizeof refreshing.texts / sizeof *refreshing.texts; i++) {
        xylem_buffer_release(&refreshing.texts[i]);
    }
    free(refreshing.stale.list);
    if (code == XYLEM_OK && count) {
        *count = refreshing.count;
    }
    return code;
}

/* A damaged row would be met by every refresh: without rows all outlines are made anew. */
int xylem_outlines_refresh(uint64_t *count, struct xylem_store *store, struct xylem_error *err)
{
    int code = refresh(count, store, err);
    if (code == XYLEM_E_CORRUPT && (code = xylem_store__in_transaction(store, clear, NULL, err)) == XYLEM_OK) {
        code = refresh(count, store, err);
    }
    return code;
}
