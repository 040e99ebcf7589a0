/* Reads and writes navigations: rows of the table `moves`. */
#include <inttypes.h>

#include "base/bytes.h"
#include "base/error.h"
#include "store/feed.h"
#include "store/format/keys.h"
#include "store/session.h"
#include "store/lmdb/tables.h"
#include "xylem/branch.h"
#include "xylem/feed.h"

int xylem_store__move_add(struct xylem_txn *txn, struct xylem_session *session, const struct xylem_move *move,
                          struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_buffer row = {NULL, 0, 0};
    struct xylem_buffer copies = {NULL, 0, 0};
    struct xylem_session own = *session;
    const struct xylem_change change = {
        .type = XYLEM_CHANGE_MOVED, .session = own.number, .move_number = own.move_count};
    if (xylem_store__session_own(&copies, &own) < 0) {
        return xylem_base__fail_memory(err);
    }
    xylem_format__key_pair(&key, own.number, own.move_count);
    const uint64_t places[] = {move->from.branch, move->from.depth, move->to.branch, move->to.depth};
    bool made = xylem_base__add_i64(&row, move->time_ms) == XYLEM_OK &&
                xylem_base__add_varints(&row, places, 4) == XYLEM_OK &&
                xylem_base__add_varsized(&row, move->reason) == XYLEM_OK;
    int code;
    if ((code = xylem_lmdb__put_summed(txn, XYLEM_FORMAT__MOVES, key.view, &row, made, false, err)) < 0 ||
        (code = xylem_store__outline_notice(txn, own.number, err)) < 0 ||
        (code = xylem_store__feed_change(txn, &own, &change, move->to, move->time_ms, err)) < 0 ||
        (code = xylem_store__session_write(txn, &own, err)) < 0) {
        xylem_lmdb__write_failed(txn, code);
    }
    session->history = own.history;
    xylem_buffer_release(&copies);
    return code;
}

int xylem_store__move_decode(struct xylem_move *move, uint64_t number, struct xylem_view row, struct xylem_error *err)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    move->number = number;
    move->time_ms = xylem_base__read_i64(&cursor);
    move->from = xylem_base__read_varint_position(&cursor);
    move->to = xylem_base__read_varint_position(&cursor);
    move->reason = xylem_base__read_varsized(&cursor);
    if (!xylem_base__cursor_ended(&cursor)) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "the row of navigation %" PRIu64 " has invalid fields", number);
    }
    return XYLEM_OK;
}

int xylem_move_read(struct xylem_move *move, struct xylem_txn *txn, uint64_t session, uint64_t number,
                    struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_view row = {NULL, 0};
    struct xylem_session owner;
    int code = xylem_session_read(&owner, txn, session, err);
    if (code < 0) {
        return code;
    }
    if (number == 0 || number > owner.move_count) {
        return xylem_base__fail(err, XYLEM_E_NOT_FOUND,
                                "the session %.*s has no navigation %" PRIu64 "; its last navigation is %" PRIu64,
                                XYLEM_BASE__SHOWN(owner.id), number, owner.move_count);
    }
    xylem_format__key_pair(&key, session, number);
    int found = xylem_lmdb__get_summed(&row, txn, XYLEM_FORMAT__MOVES, key.view, err);
    if (found <= 0) {
        return found < 0
                   ? found
                   : xylem_base__fail(err, XYLEM_E_CORRUPT, "navigation %" PRIu64 " of the session %.*s is missing",
                                      number, XYLEM_BASE__SHOWN(owner.id));
    }
    struct xylem_move read;
    code = xylem_store__move_decode(&read, number, row, err);
    if (code == XYLEM_OK) {
        *move = read;
    }
    return code;
}
