/* xylem, in its three durabilities. */

#include "tests/bench/faults/driver.h"
#include "xylem/append.h"
#include "xylem/branch.h"
#include "xylem/inspect.h"

#define WAIT_MS 10000u

static void *open_store(int mode, const char *directory)
{
    struct xylem_store *store = NULL;
    struct xylem_open_options options = {.create = true,
                                         .durability =
                                             faults_preparing ? XYLEM_DURABILITY_NONE : (enum xylem_durability)mode,
                                         .wait_ms = WAIT_MS};
    return xylem_open(&store, directory, &options, NULL) == XYLEM_OK ? store : NULL;
}

static void close_store(void *handle)
{
    xylem_close(handle, NULL);
}

static int find(struct xylem_session *session, struct xylem_txn *txn, int number, bool make)
{
    char id[8];
    snprintf(id, sizeof id, "s%d", number);
    struct xylem_session_options options = {.id = xylem_view_of(id)};
    int code = xylem_session_find(session, txn, options.id, NULL);
    return code == XYLEM_E_NOT_FOUND && make ? xylem_session_create(session, txn, &options, NULL) : code;
}

static int end(struct xylem_txn *txn, int code)
{
    if (code < 0) {
        xylem_abort(txn);
        return -1;
    }
    return xylem_commit(txn, NULL) < 0 ? -1 : 0;
}

static int append(void *handle, int number, const char *role, const char *text)
{
    char id[FAULTS_ID_BYTES];
    char payload[FAULTS_TEXT_BYTES + 100];
    struct xylem_session session;
    struct xylem_txn *txn = NULL;
    faults_id(id, text);
    faults_payload(payload, role, text);
    struct xylem_new_entry entry = {.id = xylem_view_of(id),
                                    .kind = {XYLEM_CLASS_HOST, xylem_view_of("message")},
                                    .format = XYLEM_FORMAT_JSON,
                                    .payload = xylem_view_of(payload)};
    if (xylem_begin(&txn, handle, XYLEM_WRITE, NULL) < 0) {
        return -1;
    }
    int code = find(&session, txn, number, true);
    return end(txn, code < 0 ? code : xylem_append(NULL, txn, session.number, &entry, 1, NULL, NULL));
}

static int fork_session(void *handle, int from, int to)
{
    char id[8];
    struct xylem_session source;
    struct xylem_session session;
    struct xylem_txn *txn = NULL;
    if (xylem_begin(&txn, handle, XYLEM_WRITE, NULL) < 0) {
        return -1;
    }
    snprintf(id, sizeof id, "s%d", to);
    struct xylem_session_options options = {.id = xylem_view_of(id)};
    int code = find(&source, txn, from, false);
    code = code < 0 ? code : xylem_clone(&session, txn, source.number, &options, NULL);
    return end(txn, code == XYLEM_E_EXISTS ? 0 : code);
}

/* --- Reading --- */

/* A mark in the place of lost entries, and an entry whose payload a repair could not save, have no text. */
static int give(struct xylem_txn *txn, const struct xylem_entry *entry, int session, faults_sink *sink, void *context)
{
    char id[FAULTS_ID_BYTES];
    char parent[FAULTS_ID_BYTES];
    char text[FAULTS_TEXT_BYTES];
    struct xylem_view parent_id = {NULL, 0};
    struct xylem_view payload = {NULL, 0};
    int has_parent = xylem_entry_parent_id(&parent_id, txn, entry, NULL);
    bool is_mark = entry->kind.name.bytes != strlen("message"); /* `xylem_lost` */
    int code = !is_mark ? xylem_entry_payload(&payload, entry, NULL) : XYLEM_E_REDACTED;
    if (has_parent < 0 || (code < 0 && code != XYLEM_E_REDACTED)) {
        return -1;
    }
    snprintf(id, sizeof id, "%.*s", (int)entry->id.bytes, entry->id.data);
    snprintf(parent, sizeof parent, "%.*s", (int)parent_id.bytes, parent_id.data);
    const char *found = payload.data ? faults_payload_text(text, payload.data, payload.bytes) : NULL;
    struct faults_read read = {session, id, has_parent ? parent : NULL, found};
    sink(context, &read);
    return 0;
}

static int read_session(struct xylem_txn *txn, const struct xylem_session *session, int number, faults_sink *sink,
                        void *context)
{
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    int worst = 0;
    int code = xylem_scan_new(&scan, txn, session->number, NULL);
    while (code >= 0 && (code = xylem_scan_next(&entry, scan, NULL)) == 1) {
        worst = give(txn, &entry, number, sink, context) < 0 ? -1 : worst;
    }
    xylem_scan_free(scan);
    return code < 0 ? -1 : worst;
}

static int read_all(struct xylem_txn *txn, faults_sink *sink, void *context)
{
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    int unnamed = FAULTS_SESSIONS;
    int worst = 0;
    int code = xylem_sessions_new(&sessions, txn, NULL);
    while (code >= 0 && (code = xylem_sessions_next(&session, sessions, NULL)) == 1) {
        bool named = session.id.bytes == 2 && session.id.data[0] == 's';
        int number = named ? session.id.data[1] - '0' : unnamed++;
        worst = read_session(txn, &session, number, sink, context) < 0 ? -1 : worst;
    }
    xylem_sessions_free(sessions);
    return code < 0 ? -1 : worst;
}

static int verify(struct xylem_txn *txn)
{
    struct xylem_verify_report report;
    int code = xylem_verify(&report, txn, NULL, NULL, NULL, NULL);
    return code < 0 || report.problem_count > 0 ? -1 : 0;
}

/* Opens for reading, as a host that looks first. A directory without a store has no session. Without a sink: verifies. */
static int read_sessions(const char *directory, faults_sink *sink, void *context)
{
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_open_options options = {.wait_ms = WAIT_MS};
    int code = xylem_open(&store, directory, &options, NULL);
    bool is_none = code == XYLEM_E_NOT_FOUND;
    code = code < 0 ? code : xylem_begin(&txn, store, XYLEM_READ, NULL);
    if (code >= 0) {
        code = sink ? read_all(txn, sink, context) : verify(txn);
    }
    xylem_abort(txn);
    xylem_close(store, NULL);
    return code < 0 && !is_none ? -1 : 0;
}

static int check(const char *directory)
{
    return read_sessions(directory, NULL, NULL);
}

static int repair(const char *directory, const char *to)
{
    return xylem_repair(NULL, directory, to, NULL, NULL, NULL, NULL) < 0 ? -1 : 0;
}

const struct faults_calls faults_xylem = {.open = open_store,
                                          .append = append,
                                          .fork = fork_session,
                                          .close = close_store,
                                          .read = read_sessions,
                                          .check = check,
                                          .repair = repair};
