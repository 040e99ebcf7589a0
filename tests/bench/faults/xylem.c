/* xylem, in its three durabilities. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/bench/faults/driver.h"
#include "xylem/append.h"
#include "xylem/branch.h"
#include "xylem/inspect.h"

#define WAIT_MS 10000u

static void store_path(char path[FAULTS_PATH + 20], const char *directory)
{
    snprintf(path, FAULTS_PATH + 20, "%s/store", directory);
}

void *faults_xylem_open(const struct faults_peer *peer, const char *directory)
{
    char path[FAULTS_PATH + 20];
    struct xylem_store *store = NULL;
    struct xylem_open_options options = {.create = true,
                                         .durability = faults_preparing ? XYLEM_DURABILITY_NONE
                                                                        : (enum xylem_durability)peer->mode,
                                         .wait_ms = WAIT_MS};
    store_path(path, directory);
    return xylem_open(&store, path, &options, NULL) == XYLEM_OK ? store : NULL;
}

void faults_xylem_close(void *handle)
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

int faults_xylem_append(void *handle, int number, const char *role, const char *text)
{
    char id[FAULTS_ID_BYTES];
    char payload[FAULTS_TEXT_BYTES + 100];
    struct xylem_session session;
    struct xylem_txn *txn = NULL;
    faults_id(id, text);
    faults_payload(payload, sizeof payload, role, text);
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

int faults_xylem_fork(void *handle, int from, int to)
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

static int read_sessions(struct xylem_txn *txn, faults_sink *sink, void *context)
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

/* Opens for reading, as a host that looks first. 1: there is no store yet. */
static int begin(struct xylem_store **store, struct xylem_txn **txn, const char *directory)
{
    char path[FAULTS_PATH + 20];
    struct xylem_open_options options = {.wait_ms = WAIT_MS};
    store_path(path, directory);
    int code = xylem_open(store, path, &options, NULL);
    if (code == XYLEM_E_NOT_FOUND) {
        return 1;
    }
    code = code < 0 ? code : xylem_begin(txn, *store, XYLEM_READ, NULL);
    return code < 0 ? -1 : 0;
}

int faults_xylem_read(const struct faults_peer *peer, const char *directory, faults_sink *sink, void *context)
{
    (void)peer;
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    int code = begin(&store, &txn, directory);
    if (code == 0) {
        code = read_sessions(txn, sink, context);
    }
    xylem_abort(txn);
    xylem_close(store, NULL);
    return code < 0 ? -1 : 0;
}

int faults_xylem_check(const struct faults_peer *peer, const char *directory)
{
    (void)peer;
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_verify_report report = {.problem_count = 0};
    int code = begin(&store, &txn, directory);
    if (code == 0) {
        code = xylem_verify(&report, txn, NULL, NULL, NULL, NULL);
    }
    xylem_abort(txn);
    xylem_close(store, NULL);
    return code < 0 || report.problem_count > 0 ? -1 : 0;
}

int faults_xylem_repair(const char *directory, const char *to)
{
    char from_path[FAULTS_PATH + 20];
    char to_path[FAULTS_PATH + 20];
    store_path(from_path, directory);
    store_path(to_path, to);
    return xylem_repair(NULL, from_path, to_path, NULL, NULL, NULL, NULL) < 0 ? -1 : 0;
}
