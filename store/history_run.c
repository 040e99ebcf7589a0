/* Reads what the chains cover, and runs the chains over rows of `feed`. */
#include <assert.h>
#include <inttypes.h>

#include "base/error.h"
#include "store/history.h"
#include "xylem/branch.h"
#include "xylem/feed.h"

int xylem_store__link_read(struct xylem_format__link *link, struct xylem_entry *entry, struct xylem_txn *txn,
                           const struct xylem_store__feed *row, uint64_t index, uint64_t session,
                           struct xylem_error *err)
{
    bool appended = row->tag == XYLEM_FORMAT__FEED_APPENDED;
    bool moved = !appended && row->type == XYLEM_CHANGE_MOVED;
    struct xylem_move move = {.to = {row->position.branch, row->position.depth + index}};
    assert(index <= row->last_lsn - row->first_lsn);
    *link = (struct xylem_format__link){.lsn = row->first_lsn + index,
                                        .session = session,
                                        .ordinal = row->ordinal + index,
                                        .type = appended ? (unsigned)XYLEM_CHANGE_ENTRY : row->type,
                                        .id = row->freed_id};
    int code = XYLEM_OK;
    if (moved) { /* the navigations of a freed session are gone */
        struct xylem_session owner;
        code = xylem_session_read(&owner, txn, row->session, err);
        if (code == XYLEM_E_NOT_FOUND || (code == XYLEM_OK && owner.state == XYLEM_SESSION_FREED)) {
            return xylem_base__fail(err, XYLEM_E_FREED, "session number %" PRIu64 " was freed", row->session);
        }
        code = code < 0 ? code : xylem_move_read(&move, txn, row->session, row->move_number, err);
    }
    link->time_ms = move.time_ms;
    if (code < 0 || xylem_format__position_none(move.to)) {
        return code;
    }
    code = xylem_entry_read(entry, txn, move.to, err);
    link->time_ms = appended ? entry->time_ms : move.time_ms;
    link->id = entry->id;
    return code;
}

int xylem_store__history_run(struct xylem_store__history_run *run, struct xylem_txn *txn,
                             const struct xylem_store__feed *row, uint64_t count, struct xylem_error *err)
{
    assert(count <= row->last_lsn - row->first_lsn + 1);
    uint64_t session = row->tag == XYLEM_FORMAT__FEED_APPENDED ? run->session : row->session;
    int code = XYLEM_OK;
    for (uint64_t i = 0; code == XYLEM_OK && i < count; i++) {
        struct xylem_format__link link;
        struct xylem_entry entry;
        code = xylem_store__link_read(&link, &entry, txn, row, i, session, err);
        if (code == XYLEM_OK) {
            run->store_chain = xylem_format__store_chain(run->store_chain, &link);
            run->session_chain = link.type == XYLEM_CHANGE_FREED
                                     ? run->session_chain
                                     : xylem_format__session_chain(run->session_chain, &link);
        }
    }
    return code;
}
