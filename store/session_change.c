/* Makes, deletes and undeletes sessions: writes the rows, and tells the change in the feed. */
#include "base/clock.h"
#include "base/error.h"
#include "store/feed.h"
#include "store/meta.h"
#include "store/session.h"
#include "store/lmdb/tables.h"
#include "xylem/branch.h"
#include "xylem/feed.h"
#include "xylem/segment.h"

static int add(struct xylem_txn *txn, struct xylem_session *session, bool told, struct xylem_error *err)
{
    static const struct xylem_position none = {0, 0};
    struct xylem_buffer copies = {NULL, 0, 0};
    struct xylem_session own = *session;
    int code = xylem_store__session_begin(&copies, &own, txn, err);
    bool has_base = !xylem_format__position_none(own.base);
    const struct xylem_change made = {.type = has_base ? XYLEM_CHANGE_FORKED : XYLEM_CHANGE_CREATED,
                                      .session = own.number};
    if (code == XYLEM_OK && (!told || (code = xylem_store__feed_change(txn, &own, &made, none, 0, err)) == XYLEM_OK)) {
        code = xylem_store__session_put(txn, &own, err);
    }
    session->number = own.number;
    session->tree = own.tree;
    session->own_entry_count = own.own_entry_count;
    session->history = own.history;
    xylem_buffer_release(&copies);
    return code;
}

int xylem_store__session_add(struct xylem_txn *txn, struct xylem_session *session, struct xylem_error *err)
{
    return add(txn, session, true, err);
}

int xylem_store__session_add_rows(struct xylem_txn *txn, struct xylem_session *session, struct xylem_error *err)
{
    return add(txn, session, false, err);
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
    struct xylem_session row = {.name_space = options->name_space, .cwd = options->cwd, .parent = options->parent};
    return xylem_store__session_make(session, txn, &row, options, err);
}

int xylem_store__session_change_state(struct xylem_txn *txn, struct xylem_session *session, unsigned type,
                                      struct xylem_error *err)
{
    static const struct xylem_position none = {0, 0};
    const struct xylem_change change = {.type = (enum xylem_change_type)type, .session = session->number};
    struct xylem_buffer copies = {NULL, 0, 0};
    int code = xylem_store__session_own(&copies, session) < 0 ? xylem_base__fail_memory(err) : XYLEM_OK;
    if (code == XYLEM_OK && type == XYLEM_CHANGE_DELETED) {
        code = xylem_store__removal_note(txn, XYLEM_STORE__DELETION, err);
    }
    if (code == XYLEM_OK && (code = xylem_store__feed_change(txn, session, &change, none, 0, err)) == XYLEM_OK &&
        (code = xylem_store__session_write(txn, session, err)) < 0) {
        xylem_lmdb__write_failed(txn, code);
    }
    xylem_buffer_release(&copies);
    return code;
}

int xylem_session_delete(struct xylem_txn *txn, uint64_t session, struct xylem_error *err)
{
    struct xylem_session row;
    int code;
    if ((code = xylem_lmdb__writable(txn, err)) < 0 || (code = xylem_session_read(&row, txn, session, err)) < 0 ||
        (row.state != XYLEM_SESSION_IMPORTING && (code = xylem_store__session_check_live(&row, err)) < 0) ||
        (code = xylem_store__lease_holder_check(txn, &row, err)) < 0) {
        return code;
    }
    row.import_unfinished = row.state == XYLEM_SESSION_IMPORTING;
    row.state = XYLEM_SESSION_DELETED;
    return xylem_store__session_change_state(txn, &row, XYLEM_CHANGE_DELETED, err);
}

int xylem_session_undelete(struct xylem_txn *txn, uint64_t session, struct xylem_error *err)
{
    struct xylem_session row;
    int code;
    if ((code = xylem_lmdb__writable(txn, err)) < 0 || (code = xylem_session_read(&row, txn, session, err)) < 0) {
        return code;
    }
    if (row.state == XYLEM_SESSION_FREED) {
        return xylem_store__session_check_live(&row, err);
    }
    if (row.state != XYLEM_SESSION_DELETED) {
        return xylem_base__fail(err, XYLEM_E_EXISTS, "the session %.*s is not deleted", XYLEM_BASE__SHOWN(row.id));
    }
    code = xylem_store__lease_holder_check(txn, &row, err);
    if (code < 0) {
        return code;
    }
    row.owner = (struct xylem_view){NULL, 0};
    row.state = row.import_unfinished ? XYLEM_SESSION_IMPORTING : XYLEM_SESSION_LIVE;
    row.import_unfinished = false;
    return xylem_store__session_change_state(txn, &row, XYLEM_CHANGE_UNDELETED, err);
}

int xylem_session_diverge(struct xylem_session *session, struct xylem_txn *txn, uint64_t number, struct xylem_view id,
                          struct xylem_view reason, struct xylem_error *err)
{
    char minted[XYLEM_BASE__UUID_TEXT_BYTES];
    struct xylem_session row;
    struct xylem_buffer copies = {NULL, 0, 0};
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
    if (xylem_store__session_own(&copies, &row) < 0) {
        return xylem_base__fail_memory(err);
    }
    row.header = row.owner = (struct xylem_view){NULL, 0}; /* the header has the old id */
    code = xylem_store__session_rename(txn, &row, id, err);
    row.move_count++;
    const struct xylem_move note = {.number = row.move_count, /* the reason, as a navigation that goes nowhere */
                                    .time_ms = xylem_base__now_ms(),
                                    .from = row.leaf,
                                    .to = row.leaf,
                                    .reason = reason};
    if (code == XYLEM_OK && (code = xylem_store__move_add(txn, &row, &note, err)) < 0) {
        xylem_lmdb__write_failed(txn, code); /* the session has lost its id already */
    }
    xylem_buffer_release(&copies);
    return code < 0 ? code : xylem_session_read(session, txn, number, err);
}
