/* Tells a change that appends no entry: writes the row of the feed, and moves the history of the session on. */
#include "base/error.h"
#include "store/feed.h"
#include "store/history.h"
#include "store/session.h"
#include "store/lmdb/tables.h"
#include "xylem/feed.h"

int xylem_store__feed_change(struct xylem_txn *txn, struct xylem_session *session, const struct xylem_change *change,
                             struct xylem_position about, int64_t time_ms, struct xylem_error *err)
{
    struct xylem_store__feed row = {.tag = XYLEM_FORMAT__FEED_CHANGE,
                                    .position = change->position,
                                    .type = change->type,
                                    .session = change->session,
                                    .move_number = change->move_number,
                                    .side_lsn = change->side_lsn,
                                    .freed_id = change->freed_id,
                                    .freed_name_space = change->freed_name_space};
    struct xylem_store__feed_end end;
    struct xylem_entry entry;
    bool of_entry = !xylem_format__position_none(about);
    int code = xylem_store__feed_end(&end, txn, NULL, err);
    code = code < 0 || !of_entry ? code : xylem_entry_read(&entry, txn, about, err);
    if (code == XYLEM_OK) {
        struct xylem_format__link link = {.lsn = end.next_lsn,
                                          .session = change->session,
                                          .type = change->type,
                                          .time_ms = time_ms,
                                          .id = of_entry ? entry.id : change->freed_id};
        row.first_lsn = row.last_lsn = end.next_lsn;
        row.side_lsn = change->type == XYLEM_CHANGE_SIDE && change->side_lsn == 0 ? end.next_lsn : change->side_lsn;
        row.chain = xylem_format__store_chain(end.chain, &link);
        if (change->type != XYLEM_CHANGE_FREED) {
            xylem_store__history_begin(&row, &session->history);
            xylem_store__history_add(&session->history, &link);
        }
        code = xylem_store__feed_write_change(txn, &row, err);
    }
    if (code < 0) {
        xylem_lmdb__write_failed(txn, code); /* no change without its row */
        return code;
    }
    xylem_lmdb__seen(txn)->changed = change->session;
    return XYLEM_OK;
}

int xylem_store__feed_add(struct xylem_txn *txn, const struct xylem_change *change, struct xylem_error *err)
{
    struct xylem_session session = {.number = change->session};
    struct xylem_buffer copies = {NULL, 0, 0};
    bool freed = change->type == XYLEM_CHANGE_FREED; /* the session has no row any more, or one without an id */
    int code = freed ? XYLEM_OK : xylem_session_read(&session, txn, change->session, err);
    if (code == XYLEM_OK && xylem_store__session_own(&copies, &session) < 0) {
        code = xylem_base__fail_memory(err);
    }
    code = code < 0 ? code : xylem_store__feed_change(txn, &session, change, change->position, 0, err);
    code = code < 0 || freed ? code : xylem_store__session_write(txn, &session, err);
    if (code < 0) {
        xylem_lmdb__write_failed(txn, code); /* the caller has written the change */
    }
    xylem_buffer_release(&copies);
    return code;
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
