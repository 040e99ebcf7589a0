/* Makes, moves, deletes and undeletes sessions: changes that the feed tells. */
#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/utf8.h"
#include "store/feed.h"
#include "store/format/keys.h"
#include "store/meta.h"
#include "store/session.h"
#include "store/lmdb/tables.h"
#include "xylem/branch.h"
#include "xylem/feed.h"
#include "xylem/segment.h"

static int check_id(struct xylem_view id, struct xylem_error *err)
{
    if (id.bytes == 0 || id.bytes > XYLEM_SESSION_ID_BYTES_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "a session id has %zu bytes; it must have 1 to %u", id.bytes,
                                XYLEM_SESSION_ID_BYTES_MAX);
    }
    if (!xylem_base__wtf8_valid(id.data, id.bytes) || memchr(id.data, '\0', id.bytes)) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "a session id is not UTF-8, or holds a NUL byte");
    }
    return XYLEM_OK;
}

static int add_id_row(struct xylem_txn *txn, const struct xylem_session *session, struct xylem_error *err)
{
    struct xylem_buffer row = {NULL, 0, 0};
    bool made = xylem_base__add_u64(&row, session->number) == XYLEM_OK;
    return xylem_lmdb__put_summed(txn, XYLEM_FORMAT__SESSION_IDS, session->id, &row, made, false, err);
}

/* Writes both rows of a new session. After an error neither row can be committed. */
static int add_rows(struct xylem_txn *txn, const struct xylem_session *session, struct xylem_error *err)
{
    struct xylem_buffer copies = {NULL, 0, 0};
    struct xylem_session own = *session;
    int code = xylem_store__session_own(&copies, &own) < 0 ? xylem_base__fail_memory(err) : XYLEM_OK;
    if (code < 0 || (code = add_id_row(txn, &own, err)) < 0 ||
        (code = xylem_store__session_put(txn, &own, false, err)) < 0) {
        xylem_lmdb__write_failed(txn, code);
    }
    xylem_buffer_release(&copies);
    return code;
}

int xylem_store__session_add_rows(struct xylem_txn *txn, struct xylem_session *session, struct xylem_error *err)
{
    struct xylem_lmdb__floors floors;
    uint64_t taken = 0;
    int code;
    if ((code = xylem_lmdb__writable(txn, err)) < 0 || (code = check_id(session->id, err)) < 0 ||
        (code = xylem_store__session_number(&taken, txn, session->id, err)) < 0) {
        return code;
    }
    if (code > 0) {
        return xylem_base__fail(err, XYLEM_E_EXISTS, "there is a session %.*s already", XYLEM_BASE__SHOWN(session->id));
    }
    if ((code = xylem_store__floors_read(&floors, txn, err)) < 0 ||
        (code = xylem_lmdb__next_u64(&session->number, txn, XYLEM_FORMAT__SESSIONS, floors.session, err)) < 0) {
        return code;
    }
    session->tree = session->tree ? session->tree : session->number;
    session->own_entry_count = 0;
    session->history = (struct xylem_history){0, 0, 0};
    return add_rows(txn, session, err);
}

int xylem_store__session_tell(struct xylem_txn *txn, uint64_t session, bool has_base, struct xylem_error *err)
{
    return xylem_store__feed_tell(txn, session, has_base ? XYLEM_CHANGE_FORKED : XYLEM_CHANGE_CREATED, err);
}

int xylem_store__session_add(struct xylem_txn *txn, struct xylem_session *session, struct xylem_error *err)
{
    int code = xylem_store__session_add_rows(txn, session, err);
    return code < 0 ? code
                    : xylem_store__session_tell(txn, session->number, !xylem_format__position_none(session->base), err);
}

int xylem_store__session_make(struct xylem_session *session, struct xylem_txn *txn, struct xylem_session *row,
                              const struct xylem_session_options *options, struct xylem_error *err)
{
    char minted[XYLEM_BASE__UUID_TEXT_BYTES];
    int code;
    row->id = options->id;
    row->created_ms = options->created_ms ? *options->created_ms : xylem_base__now_ms();
    if (row->id.bytes == 0) {
        if ((code = xylem_base__uuid_v7(minted, err)) < 0) {
            return code;
        }
        row->id = (struct xylem_view){minted, sizeof minted};
    }
    code = xylem_store__session_add(txn, row, err);
    return code < 0 ? code : xylem_session_read(session, txn, row->number, err);
}

int xylem_session_create(struct xylem_session *session, struct xylem_txn *txn,
                         const struct xylem_session_options *options, struct xylem_error *err)
{
    static const struct xylem_session_options defaults;
    options = options ? options : &defaults;
    struct xylem_session row = {.cwd = options->cwd, .parent = options->parent};
    return xylem_store__session_make(session, txn, &row, options, err);
}

int xylem_session_delete(struct xylem_txn *txn, uint64_t session, struct xylem_error *err)
{
    struct xylem_session row;
    int code;
    if ((code = xylem_lmdb__writable(txn, err)) < 0 || (code = xylem_session_read(&row, txn, session, err)) < 0 ||
        (row.state != XYLEM_SESSION_IMPORTING && (code = xylem_store__session_live(&row, err)) < 0) ||
        (code = xylem_store__lease_holder_check(txn, &row, err)) < 0) {
        return code;
    }
    struct xylem_buffer copies = {NULL, 0, 0};
    row.import_unfinished = row.state == XYLEM_SESSION_IMPORTING;
    row.state = XYLEM_SESSION_DELETED;
    row.owner = (struct xylem_view){NULL, 0}; /* a deletion is a change: the session follows nobody any more */
    if (xylem_store__session_own(&copies, &row) < 0) {
        code = xylem_base__fail_memory(err);
        goto out;
    }
    if ((code = xylem_store__removal_note(txn, XYLEM_STORE__DELETION, err)) < 0) {
        goto out;
    }
    code = xylem_store__session_write(txn, &row, err);
    code = code < 0 ? code : xylem_store__feed_tell(txn, session, XYLEM_CHANGE_DELETED, err);
    if (code < 0) {
        xylem_lmdb__write_failed(txn, code); /* the deletion is noted already */
    }
out:
    xylem_buffer_release(&copies);
    return code;
}

int xylem_session_undelete(struct xylem_txn *txn, uint64_t session, struct xylem_error *err)
{
    struct xylem_session row;
    int code;
    if ((code = xylem_lmdb__writable(txn, err)) < 0 || (code = xylem_session_read(&row, txn, session, err)) < 0) {
        return code;
    }
    if (row.state == XYLEM_SESSION_FREED) {
        return xylem_store__session_live(&row, err);
    }
    if (row.state != XYLEM_SESSION_DELETED) {
        return xylem_base__fail(err, XYLEM_E_EXISTS, "the session %.*s is not deleted", XYLEM_BASE__SHOWN(row.id));
    }
    code = xylem_store__lease_check(txn, &row, err);
    if (code < 0) {
        return code;
    }
    row.state = row.import_unfinished ? XYLEM_SESSION_IMPORTING : XYLEM_SESSION_LIVE;
    row.import_unfinished = false;
    code = xylem_store__session_write(txn, &row, err);
    return code < 0 ? code : xylem_store__feed_tell(txn, session, XYLEM_CHANGE_UNDELETED, err);
}

int xylem_store__move_add(struct xylem_txn *txn, const struct xylem_session *session, const struct xylem_move *move,
                          struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_buffer row = {NULL, 0, 0};
    /* The row of the session is written first, because the first write makes the views of the session invalid. */
    uint64_t number = session->number;
    uint64_t count = session->move_count;
    int written = xylem_store__session_write(txn, session, err);
    if (written < 0) {
        return written;
    }
    xylem_format__key_pair(&key, number, count);
    bool made = xylem_base__add_i64(&row, move->time_ms) == XYLEM_OK &&
                xylem_base__add_position(&row, move->from) == XYLEM_OK &&
                xylem_base__add_position(&row, move->to) == XYLEM_OK &&
                xylem_base__add_sized(&row, move->reason) == XYLEM_OK;
    int code = xylem_lmdb__put_summed(txn, XYLEM_FORMAT__MOVES, key.view, &row, made, false, err);
    code = code < 0 ? code : xylem_store__outline_notice(txn, number, err);
    if (code == XYLEM_OK) {
        const struct xylem_change change = {.type = XYLEM_CHANGE_MOVED, .session = number, .move_number = count};
        code = xylem_store__feed_move(txn, &change, move->to, move->time_ms, err);
    }
    if (code < 0) {
        xylem_lmdb__write_failed(txn, code);
    }
    return code;
}

/* Puts the row of the id `id` in the place of the row of the session's id. */
static int change_id(struct xylem_txn *txn, struct xylem_session *row, struct xylem_view id, struct xylem_error *err)
{
    int code = xylem_lmdb__remove(txn, XYLEM_FORMAT__SESSION_IDS, row->id, err);
    row->parent = row->id;
    row->id = id;
    return code < 0 ? code : add_id_row(txn, row, err);
}

/* Notes the reason of a new id as a navigation that goes nowhere. */
static int note_reason(struct xylem_txn *txn, struct xylem_session *row, struct xylem_view reason,
                       struct xylem_error *err)
{
    row->move_count++;
    const struct xylem_move move = {.number = row->move_count,
                                    .time_ms = xylem_base__now_ms(),
                                    .from = row->leaf,
                                    .to = row->leaf,
                                    .reason = reason};
    return xylem_store__move_add(txn, row, &move, err);
}

int xylem_session_diverge(struct xylem_session *session, struct xylem_txn *txn, uint64_t number, struct xylem_view id,
                          struct xylem_view reason, struct xylem_error *err)
{
    char minted[XYLEM_BASE__UUID_TEXT_BYTES];
    struct xylem_session row;
    struct xylem_buffer copies = {NULL, 0, 0};
    uint64_t taken = 0;
    int code;
    if ((code = xylem_store__session_for_fork(&row, txn, number, err)) < 0 ||
        (code = xylem_store__lease_holder_check(txn, &row, err)) < 0 ||
        (id.bytes == 0 && (code = xylem_base__uuid_v7(minted, err)) < 0)) {
        return code;
    }
    id = id.bytes == 0 ? (struct xylem_view){minted, sizeof minted} : id;
    if (reason.bytes > XYLEM_REASON_BYTES_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "the reason has %zu bytes; at most %u are allowed", reason.bytes,
                                XYLEM_REASON_BYTES_MAX);
    }
    if ((code = check_id(id, err)) < 0 || (code = xylem_store__session_number(&taken, txn, id, err)) != 0) {
        return code < 0
                   ? code
                   : xylem_base__fail(err, XYLEM_E_EXISTS, "there is a session %.*s already", XYLEM_BASE__SHOWN(id));
    }
    if (xylem_store__session_own(&copies, &row) < 0) {
        return xylem_base__fail_memory(err);
    }
    row.header = row.owner = (struct xylem_view){NULL, 0}; /* the header has the old id */
    code = change_id(txn, &row, id, err);
    code = code < 0 ? code : note_reason(txn, &row, reason, err);
    if (code < 0) {
        xylem_lmdb__write_failed(txn, code); /* the session may have lost its id already */
    }
    xylem_buffer_release(&copies);
    return code < 0 ? code : xylem_session_read(session, txn, number, err);
}
