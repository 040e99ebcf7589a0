/* Tells the feed of changes that append no entry: writes their rows, and the history of their sessions. */
#include "base/error.h"
#include "store/history.h"
#include "store/meta.h"
#include "store/session.h"
#include "store/lmdb/tables.h"
#include "xylem/feed.h"

/* Gives lsns without an entry to a row. */
static int add_row(struct xylem_txn *txn, const struct xylem_store__feed *row, struct xylem_error *err)
{
    int code = xylem_store__feed_write(txn, row, false, err);
    code = code < 0 ? code : xylem_store__changes_add(txn, row->last_lsn - row->first_lsn + 1, err);
    if (code < 0) {
        xylem_lmdb__write_failed(txn, code);
    }
    return code;
}

/* Writes the row of a change, and the row of its session with the new history. The session has no row any more if freed. */
static int tell(struct xylem_txn *txn, struct xylem_store__feed *row, struct xylem_position about, int64_t time_ms,
                struct xylem_error *err)
{
    struct xylem_store__feed_end end;
    struct xylem_session session = {.number = row->session};
    struct xylem_entry entry;
    struct xylem_buffer copies = {NULL, 0, 0};
    bool freed = row->type == XYLEM_CHANGE_FREED;
    bool of_entry = !xylem_format__position_none(about);
    int code;
    if ((code = xylem_store__feed_end(&end, txn, NULL, err)) < 0 ||
        (!freed && (code = xylem_session_read(&session, txn, row->session, err)) < 0) ||
        (of_entry && (code = xylem_entry_read(&entry, txn, about, err)) < 0)) {
        return code;
    }
    if (xylem_store__session_own(&copies, &session) < 0) {
        return xylem_base__fail_memory(err);
    }
    struct xylem_format__link link = {.lsn = end.next_lsn,
                                      .session = row->session,
                                      .type = row->type,
                                      .time_ms = time_ms,
                                      .id = of_entry ? entry.id : row->freed_id};
    row->first_lsn = row->last_lsn = end.next_lsn;
    row->chain = xylem_format__store_chain(end.chain, &link);
    if (!freed) {
        xylem_store__history_begin(row, &session.history);
        xylem_store__history_add(&session.history, &link);
    }
    code = add_row(txn, row, err);
    code = code < 0 || freed ? code : xylem_store__session_write(txn, &session, err);
    xylem_buffer_release(&copies);
    return code;
}

int xylem_store__feed_move(struct xylem_txn *txn, const struct xylem_change *change, struct xylem_position to,
                           int64_t time_ms, struct xylem_error *err)
{
    struct xylem_store__feed row = {.tag = XYLEM_FORMAT__FEED_CHANGE,
                                    .position = change->position,
                                    .type = change->type,
                                    .session = change->session,
                                    .move_number = change->move_number,
                                    .freed_id = change->freed_id};
    int code = tell(txn, &row, to, time_ms, err);
    if (code < 0) {
        xylem_lmdb__write_failed(txn, code); /* the caller has written the change */
        return code;
    }
    xylem_lmdb__seen(txn)->changed = change->session;
    return XYLEM_OK;
}

int xylem_store__feed_add(struct xylem_txn *txn, const struct xylem_change *change, struct xylem_error *err)
{
    return xylem_store__feed_move(txn, change, change->position, 0, err);
}

int xylem_store__feed_tell(struct xylem_txn *txn, uint64_t session, unsigned type, struct xylem_error *err)
{
    const struct xylem_change change = {.type = (enum xylem_change_type)type, .session = session};
    return xylem_store__feed_add(txn, &change, err);
}

int xylem_store__feed_document(struct xylem_txn *txn, uint64_t session, struct xylem_error *err)
{
    return xylem_lmdb__seen(txn)->changed == session ? XYLEM_OK
                                                     : xylem_store__feed_tell(txn, session, XYLEM_CHANGE_DOCUMENT, err);
}

int xylem_store__feed_skip(struct xylem_txn *txn, uint64_t lsn, struct xylem_error *err)
{
    struct xylem_store__feed_end end = {0, 0};
    int code = xylem_store__feed_end(&end, txn, NULL, err);
    const struct xylem_store__feed row = {
        .tag = XYLEM_FORMAT__FEED_SKIPPED, .first_lsn = end.next_lsn, .last_lsn = lsn, .chain = end.chain};
    return code < 0 || row.first_lsn > lsn ? code : add_row(txn, &row, err);
}
