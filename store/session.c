/* Reads and writes rows of sessions, and checks sessions before a change. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/utf8.h"
#include "store/format/keys.h"
#include "store/meta.h"
#include "store/session.h"
#include "store/lmdb/tables.h"

struct xylem_sessions {
    struct xylem_txn *txn;
    struct xylem_lmdb__rows *rows; /* of `sessions`; with `by_id` of `session_ids` */
    bool by_id;                    /* the sessions of a namespace, whose keys begin with `beginning` */
    struct xylem_view name_space;
    struct xylem_format__key beginning;
    bool stands; /* the cursor stands at a row that was given */
    bool ended;
};

/*
 * A session has a row in the table sessions and a row in session_ids; a freed session has no id, and no row in
 * session_ids. So the counts of both tables show the loss of a row that was taken out whole. Nothing else does.
 */
static int check_counts(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_lmdb__table_size sessions;
    struct xylem_lmdb__table_size ids;
    struct xylem_store__freed freed = {0, 0};
    int code;
    if ((code = xylem_lmdb__table_size(&sessions, txn, XYLEM_FORMAT__SESSIONS, err)) < 0 ||
        (code = xylem_lmdb__table_size(&ids, txn, XYLEM_FORMAT__SESSION_IDS, err)) < 0 ||
        (sessions.rows != ids.rows && (code = xylem_store__freed_read(&freed, txn, err)) < 0)) {
        return code;
    }
    return sessions.rows == ids.rows + freed.session_count
               ? XYLEM_OK
               : xylem_base__fail(err, XYLEM_E_CORRUPT,
                                  "%s: the table sessions has %" PRIu64 " rows, %" PRIu64
                                  " of freed sessions; the table session_ids has %" PRIu64,
                                  xylem_lmdb__path(txn), sessions.rows, freed.session_count, ids.rows);
}

int xylem_store__session_decode(struct xylem_session *session, uint64_t number, struct xylem_view row,
                                struct xylem_error *err)
{
    static const struct xylem_view none = {NULL, 0};
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    memset(session, 0, sizeof *session);
    session->number = number;
    unsigned state = xylem_base__read_u8(&cursor);
    unsigned has = xylem_base__read_u8(&cursor);
    session->base = xylem_base__read_varint_position(&cursor);
    session->leaf = xylem_base__read_varint_position(&cursor);
    session->imported_leaf = xylem_base__read_varint_position(&cursor);
    session->tree = xylem_base__read_varint(&cursor);
    session->last_lsn = xylem_base__read_varint(&cursor);
    session->move_count = xylem_base__read_varint(&cursor);
    session->newest_branch = xylem_base__read_varint(&cursor);
    session->own_entry_count = xylem_base__read_varint(&cursor);
    session->history.count = xylem_base__read_varint(&cursor);
    session->history.row = xylem_base__read_varint(&cursor);
    session->history.chain = xylem_base__read_u64(&cursor);
    session->created_ms = xylem_base__read_i64(&cursor);
    session->id = xylem_base__read_varsized(&cursor);
    struct xylem_view cwd = xylem_base__read_varsized(&cursor);
    struct xylem_view parent = xylem_base__read_varsized(&cursor);
    session->header = xylem_base__read_varsized(&cursor);
    if (has & XYLEM_FORMAT__SESSION_HAS_EPOCH) {
        struct xylem_view owner = xylem_base__read_varsized(&cursor);
        session->owner = owner.bytes > 0 ? owner : none;
        session->epoch = xylem_base__read_varint(&cursor);
    }
    if (has & XYLEM_FORMAT__SESSION_HAS_NAMESPACE) {
        session->name_space = xylem_base__read_varsized(&cursor);
    }
    bool named = (session->name_space.bytes > 0) == ((has & XYLEM_FORMAT__SESSION_HAS_NAMESPACE) != 0) &&
                 session->name_space.bytes <= XYLEM_NAMESPACE_BYTES_MAX;
    session->cwd = has & XYLEM_FORMAT__SESSION_HAS_CWD ? cwd : none;
    session->parent = has & XYLEM_FORMAT__SESSION_HAS_PARENT ? parent : none;
    session->state = (enum xylem_session_state)state;
    session->import_unfinished = (has & XYLEM_FORMAT__SESSION_IMPORT_UNFINISHED) != 0;
    bool agrees = named && has <= 31 && (state == XYLEM_SESSION_FREED) == (session->id.bytes == 0) &&
                  (state != XYLEM_SESSION_FREED || session->name_space.bytes == 0) &&
                  (state == XYLEM_SESSION_DELETED || !session->import_unfinished) &&
                  session->id.bytes <= XYLEM_SESSION_ID_BYTES_MAX && session->owner.bytes <= XYLEM_OWNER_BYTES_MAX;
    if (!xylem_base__cursor_ended(&cursor) || state > XYLEM_SESSION_FREED || !agrees) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "the row of session %" PRIu64 " has invalid fields", number);
    }
    return XYLEM_OK;
}

static int write_row(struct xylem_txn *txn, const struct xylem_session *session, bool replace, struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_buffer row = {NULL, 0, 0};
    bool has_epoch = session->owner.data || session->epoch > 0;
    unsigned has = (session->cwd.data ? XYLEM_FORMAT__SESSION_HAS_CWD : 0u) |
                   (session->parent.data ? XYLEM_FORMAT__SESSION_HAS_PARENT : 0u) |
                   (session->import_unfinished ? XYLEM_FORMAT__SESSION_IMPORT_UNFINISHED : 0u) |
                   (has_epoch ? XYLEM_FORMAT__SESSION_HAS_EPOCH : 0u) |
                   (session->name_space.bytes > 0 ? XYLEM_FORMAT__SESSION_HAS_NAMESPACE : 0u);
    const uint64_t numbers[] = {session->state,
                                has,
                                session->base.branch,
                                session->base.depth,
                                session->leaf.branch,
                                session->leaf.depth,
                                session->imported_leaf.branch,
                                session->imported_leaf.depth,
                                session->tree,
                                session->last_lsn,
                                session->move_count,
                                session->newest_branch,
                                session->own_entry_count,
                                session->history.count,
                                session->history.row};
    int code;
    if ((code = xylem_base__add_varints(&row, numbers, sizeof numbers / sizeof *numbers)) < 0 ||
        (code = xylem_base__add_u64(&row, session->history.chain)) < 0 ||
        (code = xylem_base__add_i64(&row, session->created_ms)) < 0 ||
        (code = xylem_base__add_varsized(&row, session->id)) < 0 ||
        (code = xylem_base__add_varsized(&row, session->cwd)) < 0 ||
        (code = xylem_base__add_varsized(&row, session->parent)) < 0 ||
        (code = xylem_base__add_varsized(&row, session->header)) < 0 ||
        (has_epoch && ((code = xylem_base__add_varsized(&row, session->owner)) < 0 ||
                       (code = xylem_base__add_varint(&row, session->epoch)) < 0)) ||
        (session->name_space.bytes > 0 && (code = xylem_base__add_varsized(&row, session->name_space)) < 0)) {
        xylem_buffer_release(&row);
        return xylem_base__fail(err, code, "the row of a session cannot be made: %s", xylem_code_text(code));
    }
    xylem_format__key_u64(&key, session->number);
    return xylem_lmdb__put_summed(txn, XYLEM_FORMAT__SESSIONS, key.view, &row, true, replace, err);
}

int xylem_store__session_write(struct xylem_txn *txn, const struct xylem_session *session, struct xylem_error *err)
{
    return write_row(txn, session, true, err);
}

/* Copies a view behind the bytes of the buffer. */
static struct xylem_view copy_view(struct xylem_buffer *copies, struct xylem_view view)
{
    struct xylem_view copy = {NULL, 0};
    if (view.data) {
        copy.data = copies->data + copies->bytes;
        copy.bytes = view.bytes;
        xylem_buffer_add(copies, view.data, view.bytes); /* cannot fail: xylem_store__session_own() made room */
    }
    return copy;
}

int xylem_store__session_own(struct xylem_buffer *copies, struct xylem_session *session)
{
    assert(copies->bytes == 0);
    size_t bytes = session->id.bytes + session->name_space.bytes + session->cwd.bytes + session->parent.bytes +
                   session->header.bytes + session->owner.bytes;
    if (xylem_base__buffer_reserve(copies, bytes) < 0) {
        return XYLEM_E_MEMORY;
    }
    session->id = copy_view(copies, session->id);
    session->name_space = copy_view(copies, session->name_space);
    session->cwd = copy_view(copies, session->cwd);
    session->parent = copy_view(copies, session->parent);
    session->header = copy_view(copies, session->header);
    session->owner = copy_view(copies, session->owner);
    return XYLEM_OK;
}

int xylem_store__name_check(struct xylem_view name, size_t bytes_max, const char *what, struct xylem_error *err)
{
    if (name.bytes == 0 || name.bytes > bytes_max) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "%s has %zu bytes; it must have 1 to %zu", what, name.bytes,
                                bytes_max);
    }
    return xylem_base__wtf8_valid(name.data, name.bytes) && !memchr(name.data, '\0', name.bytes)
               ? XYLEM_OK
               : xylem_base__fail(err, XYLEM_E_MALFORMED, "%s is not UTF-8, or holds a NUL byte", what);
}

/* 1 and the number of a session in its row of session_ids. */
static int read_number(uint64_t *number, struct xylem_txn *txn, struct xylem_view row, struct xylem_error *err)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    *number = xylem_base__read_u64(&cursor);
    return xylem_base__cursor_ended(&cursor)
               ? 1
               : xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: a row of the table session_ids has %zu bytes",
                                  xylem_lmdb__path(txn), row.bytes);
}

/* 1 and the number of the session with the key, or 0. */
static int find_number(uint64_t *number, struct xylem_txn *txn, struct xylem_view key, struct xylem_error *err)
{
    struct xylem_view row;
    int found = xylem_lmdb__get_summed(&row, txn, XYLEM_FORMAT__SESSION_IDS, key, err);
    return found <= 0 ? found : read_number(number, txn, row, err);
}

/* Checks the id and the namespace of a new session. Errors: LIMIT, MALFORMED, EXISTS. */
static int check_new_id(struct xylem_txn *txn, struct xylem_view name_space, struct xylem_view id,
                        struct xylem_error *err)
{
    struct xylem_format__key key;
    uint64_t taken = 0;
    int code = xylem_store__name_check(id, XYLEM_SESSION_ID_BYTES_MAX, "a session id", err);
    if (code == XYLEM_OK && name_space.bytes > XYLEM_NAMESPACE_BYTES_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "a namespace has %zu bytes; it must have at most %u",
                                name_space.bytes, XYLEM_NAMESPACE_BYTES_MAX);
    }
    if (code == XYLEM_OK && !xylem_base__wtf8_valid(name_space.data, name_space.bytes)) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "a namespace is not UTF-8");
    }
    if (code == XYLEM_OK) {
        xylem_format__key_session_id(&key, name_space, id);
        code = find_number(&taken, txn, key.view, err);
    }
    return code <= 0 ? code
                     : xylem_base__fail(err, XYLEM_E_EXISTS, "there is a session %.*s already", XYLEM_BASE__SHOWN(id));
}

static int add_id_row(struct xylem_txn *txn, const struct xylem_session *session, struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_buffer row = {NULL, 0, 0};
    bool made = xylem_base__add_u64(&row, session->number) == XYLEM_OK;
    xylem_format__key_session_id(&key, session->name_space, session->id);
    return xylem_lmdb__put_summed(txn, XYLEM_FORMAT__SESSION_IDS, key.view, &row, made, false, err);
}

int xylem_store__session_rename(struct xylem_txn *txn, struct xylem_session *session, struct xylem_view id,
                                struct xylem_error *err)
{
    struct xylem_format__key key;
    int code = check_new_id(txn, session->name_space, id, err);
    if (code < 0) {
        return code;
    }
    xylem_format__key_session_id(&key, session->name_space, session->id);
    code = xylem_lmdb__remove(txn, XYLEM_FORMAT__SESSION_IDS, key.view, err);
    session->parent = session->id;
    session->id = id;
    if (code < 0 || (code = add_id_row(txn, session, err)) < 0) {
        xylem_lmdb__write_failed(txn, code);
    }
    return code;
}

int xylem_store__session_put(struct xylem_txn *txn, const struct xylem_session *session, struct xylem_error *err)
{
    int code;
    if ((code = add_id_row(txn, session, err)) < 0 || (code = write_row(txn, session, false, err)) < 0) {
        xylem_lmdb__write_failed(txn, code);
    }
    return code;
}

int xylem_store__session_begin(struct xylem_buffer *copies, struct xylem_session *session, struct xylem_txn *txn,
                               struct xylem_error *err)
{
    struct xylem_lmdb__floors floors;
    int code;
    if ((code = xylem_lmdb__writable(txn, err)) < 0 ||
        (code = check_new_id(txn, session->name_space, session->id, err)) < 0 ||
        (code = xylem_store__floors_read(&floors, txn, err)) < 0 ||
        (code = xylem_lmdb__next_u64(&session->number, txn, XYLEM_FORMAT__SESSIONS, floors.session, err)) < 0) {
        return code;
    }
    session->tree = session->tree ? session->tree : session->number;
    session->own_entry_count = 0;
    session->history = (struct xylem_history){0, 0, 0};
    return xylem_store__session_own(copies, session) < 0 ? xylem_base__fail_memory(err) : XYLEM_OK;
}

int xylem_session_read(struct xylem_session *session, struct xylem_txn *txn, uint64_t number, struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_view row;
    xylem_format__key_u64(&key, number);
    int found = xylem_lmdb__get_summed(&row, txn, XYLEM_FORMAT__SESSIONS, key.view, err);
    if (found <= 0) {
        int code = found < 0 ? found : check_counts(txn, err);
        return code < 0 ? code
                        : xylem_base__fail(err, XYLEM_E_NOT_FOUND, "there is no session number %" PRIu64, number);
    }
    struct xylem_session read;
    int code = xylem_store__session_decode(&read, number, row, err);
    if (code == XYLEM_OK) {
        *session = read;
    }
    return code;
}

/* Reads the session to which the row of `key` leads. */
static int read_with_key(struct xylem_session *session, struct xylem_txn *txn, uint64_t number, struct xylem_view key,
                         struct xylem_error *err)
{
    struct xylem_format__key own;
    int code = xylem_session_read(session, txn, number, err);
    if (code == XYLEM_E_NOT_FOUND) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "the table session_ids leads to session number %" PRIu64 ", which does not exist",
                                number);
    }
    if (code < 0) {
        return code;
    }
    xylem_format__key_session_id(&own, session->name_space, session->id);
    if (!xylem_base__view_equal(own.view, key)) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "the table session_ids leads to session number %" PRIu64 ", which has another id",
                                number);
    }
    return XYLEM_OK;
}

int xylem_store__session_with_key(struct xylem_session *session, struct xylem_txn *txn, struct xylem_view key,
                                  struct xylem_error *err)
{
    uint64_t number = 0;
    int found = find_number(&number, txn, key, err);
    int code = found > 0 ? read_with_key(session, txn, number, key, err) : found;
    return code < 0 ? code : found;
}

int xylem_store__session_find_any_in(struct xylem_session *session, struct xylem_txn *txn, struct xylem_view name_space,
                                     struct xylem_view id, struct xylem_error *err)
{
    struct xylem_format__key key;
    int found = 0;
    if (id.bytes > 0 && id.bytes <= XYLEM_SESSION_ID_BYTES_MAX) {
        xylem_format__key_session_id(&key, name_space, id);
        found = xylem_store__session_with_key(session, txn, key.view, err);
    }
    if (found < 0) {
        return found;
    }
    if (!found || !xylem_base__view_equal(session->name_space, name_space)) { /* or another one has the same hash */
        int counted = check_counts(txn, err);
        return counted < 0
                   ? counted
                   : xylem_base__fail(err, XYLEM_E_NOT_FOUND, "there is no session %.*s", XYLEM_BASE__SHOWN(id));
    }
    return XYLEM_OK;
}

int xylem_store__session_find_any(struct xylem_session *session, struct xylem_txn *txn, struct xylem_view id,
                                  struct xylem_error *err)
{
    return xylem_store__session_find_any_in(session, txn, (struct xylem_view){NULL, 0}, id, err);
}

int xylem_store__session_check_live(const struct xylem_session *session, struct xylem_error *err)
{
    switch (session->state) {
    case XYLEM_SESSION_DELETED:
        return xylem_base__fail(err, XYLEM_E_DELETED, "the session %.*s is deleted", XYLEM_BASE__SHOWN(session->id));
    case XYLEM_SESSION_IMPORTING:
        return xylem_base__fail(err, XYLEM_E_NOT_FOUND, "the import of the session %.*s has not finished",
                                XYLEM_BASE__SHOWN(session->id));
    case XYLEM_SESSION_FREED:
        return xylem_base__fail(err, XYLEM_E_FREED, "the session number %" PRIu64 " was freed", session->number);
    case XYLEM_SESSION_LIVE:
    default:
        return XYLEM_OK;
    }
}

int xylem_session_find(struct xylem_session *session, struct xylem_txn *txn, struct xylem_view id,
                       struct xylem_error *err)
{
    return xylem_session_find_in(session, txn, (struct xylem_view){NULL, 0}, id, err);
}

int xylem_session_find_in(struct xylem_session *session, struct xylem_txn *txn, struct xylem_view name_space,
                          struct xylem_view id, struct xylem_error *err)
{
    struct xylem_session found;
    int code;
    if ((code = xylem_store__session_find_any_in(&found, txn, name_space, id, err)) < 0 ||
        (code = xylem_store__session_check_live(&found, err)) < 0) {
        return code;
    }
    *session = found;
    return XYLEM_OK;
}

int xylem_store__session_for_fork(struct xylem_session *session, struct xylem_txn *txn, uint64_t number,
                                  struct xylem_error *err)
{
    int code;
    if ((code = xylem_lmdb__writable(txn, err)) < 0 || (code = xylem_session_read(session, txn, number, err)) < 0) {
        return code;
    }
    return xylem_store__session_check_live(session, err);
}

int xylem_store__session_for_write(struct xylem_session *session, struct xylem_txn *txn, uint64_t number,
                                   struct xylem_error *err)
{
    int code = xylem_store__session_for_fork(session, txn, number, err);
    return code < 0 ? code : xylem_store__lease_check(txn, session, err);
}

static int new_iteration(struct xylem_sessions **sessions, struct xylem_txn *txn, enum xylem_format__table table,
                         struct xylem_error *err)
{
    struct xylem_sessions *made = calloc(1, sizeof *made);
    int code = made ? xylem_lmdb__rows_new(&made->rows, txn, table, err) : xylem_base__fail_memory(err);
    if (code < 0) {
        free(made);
        return code;
    }
    made->txn = txn;
    made->by_id = table == XYLEM_FORMAT__SESSION_IDS;
    *sessions = made;
    return XYLEM_OK;
}

int xylem_sessions_new(struct xylem_sessions **sessions, struct xylem_txn *txn, struct xylem_error *err)
{
    return new_iteration(sessions, txn, XYLEM_FORMAT__SESSIONS, err);
}

int xylem_sessions_beginning(struct xylem_sessions **sessions, struct xylem_txn *txn, struct xylem_view beginning,
                             struct xylem_error *err)
{
    return beginning.bytes == 0
               ? xylem_base__fail(err, XYLEM_E_ARGUMENT, "the beginning of a session's id needs a byte")
               : xylem_sessions_in(sessions, txn, (struct xylem_view){NULL, 0}, beginning, err);
}

int xylem_sessions_in(struct xylem_sessions **sessions, struct xylem_txn *txn, struct xylem_view name_space,
                      struct xylem_view beginning, struct xylem_error *err)
{
    int code = new_iteration(sessions, txn, XYLEM_FORMAT__SESSION_IDS, err);
    if (code == XYLEM_OK) {
        (*sessions)->name_space = name_space;
        xylem_format__key_session_id(&(*sessions)->beginning, name_space, beginning);
    }
    return code;
}

/* The next row of session_ids in the namespace. A row of another namespace with the same hash is stepped over. */
static int next_by_id(struct xylem_session *session, struct xylem_sessions *sessions, struct xylem_error *err)
{
    struct xylem_view beginning = sessions->beginning.view;
    uint64_t number;
    do {
        struct xylem_view key = beginning;
        struct xylem_view row = {NULL, 0};
        enum xylem_lmdb__step step =
            sessions->stands || beginning.bytes == 0 ? XYLEM_LMDB__NEXT : XYLEM_LMDB__AT_OR_AFTER;
        int found = sessions->ended ? 0 : xylem_lmdb__rows_step_summed(&key, &row, sessions->rows, step, err);
        sessions->stands = true;
        if (found < 0) {
            return found;
        }
        bool other = key.bytes > 0 && (unsigned char)key.data[0] == XYLEM_FORMAT__NAMESPACE_TAG;
        sessions->ended =
            found == 0 || !xylem_base__view_begins(key, beginning) || (sessions->name_space.bytes == 0 && other);
        if (sessions->ended) {
            return check_counts(sessions->txn, err);
        }
        found = read_number(&number, sessions->txn, row, err);
        int code = found < 0 ? found : read_with_key(session, sessions->txn, number, key, err);
        if (code < 0) {
            return code;
        }
    } while (!xylem_base__view_equal(session->name_space, sessions->name_space));
    return 1;
}

int xylem_sessions_next(struct xylem_session *session, struct xylem_sessions *sessions, struct xylem_error *err)
{
    struct xylem_view key = {NULL, 0};
    struct xylem_view row = {NULL, 0};
    uint64_t number;
    if (sessions->by_id) {
        return next_by_id(session, sessions, err);
    }
    int found = xylem_lmdb__rows_step_summed(&key, &row, sessions->rows, XYLEM_LMDB__NEXT, err);
    if (found <= 0) {
        return found < 0 ? found : check_counts(sessions->txn, err);
    }
    if (!xylem_format__key_read_u64(&number, key)) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: a key of the table sessions has %zu bytes",
                                xylem_lmdb__path(sessions->txn), key.bytes);
    }
    struct xylem_session read;
    int code = xylem_store__session_decode(&read, number, row, err);
    if (code < 0) {
        return code;
    }
    *session = read;
    return 1;
}

void xylem_sessions_free(struct xylem_sessions *sessions)
{
    if (sessions) {
        xylem_lmdb__rows_free(sessions->rows);
        free(sessions);
    }
}

int xylem_store__each_session(struct xylem_txn *txn, int (*visit)(void *context, const struct xylem_session *session),
                              void *context, struct xylem_error *err)
{
    struct xylem_sessions *sessions;
    struct xylem_session session;
    int code = xylem_sessions_new(&sessions, txn, err);
    if (code < 0) {
        return code;
    }
    while ((code = xylem_sessions_next(&session, sessions, err)) > 0 && (code = visit(context, &session)) >= 0) {
    }
    xylem_sessions_free(sessions);
    return code;
}
