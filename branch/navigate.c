/* Moves the leaf of a session, and writes a row for the move. */
#include <inttypes.h>

#include "base/clock.h"
#include "base/error.h"
#include "branch/branch.h"
#include "xylem/branch.h"

int xylem_branch__entry_of(struct xylem_entry *entry, struct xylem_txn *txn, const struct xylem_session *session,
                           struct xylem_position position, struct xylem_error *err)
{
    int code = xylem_entry_read(entry, txn, position, err);
    if (code == XYLEM_OK) {
        code = xylem_belongs(txn, session->number, position, err);
    }
    if (code == 0) {
        return xylem_base__fail(err, XYLEM_E_NOT_FOUND,
                                "session %.*s has no entry on branch %" PRIu64 " at depth %" PRIu64,
                                XYLEM_BASE__SHOWN(session->id), position.branch, position.depth);
    }
    return code < 0 ? code : XYLEM_OK;
}

int xylem_navigate(struct xylem_txn *txn, uint64_t session, struct xylem_position to, struct xylem_view reason,
                   struct xylem_error *err)
{
    struct xylem_session row;
    struct xylem_entry entry;
    int code = xylem_store__session_for_write(&row, txn, session, err);
    if (code == XYLEM_OK && reason.bytes > XYLEM_REASON_BYTES_MAX) {
        code = xylem_base__fail(err, XYLEM_E_LIMIT, "the reason of a navigation has %zu bytes; at most %u are allowed",
                                reason.bytes, XYLEM_REASON_BYTES_MAX);
    }
    if (code == XYLEM_OK && !xylem_format__position_none(to)) {
        code = xylem_branch__entry_of(&entry, txn, &row, to, err);
    }
    if (code < 0) {
        return code;
    }
    row.move_count++;
    struct xylem_move move = {
        .number = row.move_count, .time_ms = xylem_base__now_ms(), .from = row.leaf, .to = to, .reason = reason};
    row.leaf = to;
    return xylem_store__move_add(txn, &row, &move, err);
}
