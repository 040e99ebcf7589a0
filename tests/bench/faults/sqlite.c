/*
 * SQLite as hosts set it: one database, a write-ahead log, a limit for waiting, an entry a transaction. A host that
 * appends asks the database for the newest entry, in the same transaction. A fork copies the rows, as hosts do.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/faults/driver.h"

static sqlite3 *open_database(const char *directory, int flags)
{
    char path[FAULTS_PATH + 20];
    sqlite3 *database = NULL;
    snprintf(path, sizeof path, "%s/sessions.db", directory);
    if (sqlite3_open_v2(path, &database, flags, NULL) != SQLITE_OK) {
        sqlite3_close(database);
        return NULL;
    }
    sqlite3_busy_timeout(database, 10000);
    return database;
}

static int run(sqlite3 *database, const char *text)
{
    return sqlite3_exec(database, text, NULL, NULL, NULL) == SQLITE_OK ? 0 : -1;
}

static const char schema[] = "BEGIN IMMEDIATE;"
                             "CREATE TABLE IF NOT EXISTS entries(seq INTEGER PRIMARY KEY, session INTEGER NOT NULL,"
                             " id TEXT NOT NULL, parent TEXT, payload TEXT NOT NULL);"
                             "CREATE UNIQUE INDEX IF NOT EXISTS by_id ON entries(session, id);"
                             "CREATE INDEX IF NOT EXISTS by_session ON entries(session, seq);"
                             "COMMIT;";

void *faults_sqlite_open(const struct faults_peer *peer, const char *directory)
{
    char pragmas[200];
    sqlite3 *database = open_database(directory, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    snprintf(pragmas, sizeof pragmas, "PRAGMA journal_mode=WAL; PRAGMA synchronous=%d; PRAGMA wal_autocheckpoint=%d",
             faults_preparing ? 0 : peer->mode, faults_checkpoints ? 16 : 1000);
    if (database && (run(database, pragmas) < 0 || run(database, schema) < 0)) {
        sqlite3_close(database);
        database = NULL;
    }
    return database;
}

void faults_sqlite_close(void *handle)
{
    sqlite3_close(handle);
}

/* Runs one statement with its parameters, in a transaction of its own. */
static int change(sqlite3 *database, const char *text, int first, int second, const char *third, const char *fourth)
{
    sqlite3_stmt *statement = NULL;
    int code = run(database, "BEGIN IMMEDIATE");
    if (code == 0) {
        code = sqlite3_prepare_v2(database, text, -1, &statement, NULL) == SQLITE_OK ? 0 : -1;
        sqlite3_bind_int(statement, 1, first);
        sqlite3_bind_int(statement, 2, second);
        sqlite3_bind_text(statement, 3, third, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 4, fourth, -1, SQLITE_STATIC);
        code = code == 0 && sqlite3_step(statement) == SQLITE_DONE ? 0 : -1;
        sqlite3_finalize(statement);
        code = code == 0 ? run(database, "COMMIT") : -1;
    }
    if (code < 0 && !sqlite3_get_autocommit(database)) {
        run(database, "ROLLBACK");
    }
    return code;
}

int faults_sqlite_append(void *handle, int session, const char *role, const char *text)
{
    char id[FAULTS_ID_BYTES];
    char payload[FAULTS_TEXT_BYTES + 100];
    faults_id(id, text);
    faults_payload(payload, sizeof payload, role, text);
    return change(handle,
                  "INSERT INTO entries(session, id, parent, payload) VALUES(?1, ?3,"
                  " (SELECT id FROM entries WHERE session = ?2 ORDER BY seq DESC LIMIT 1), ?4)",
                  session, session, id, payload);
}

int faults_sqlite_fork(void *handle, int from, int to)
{
    return change(handle,
                  "INSERT INTO entries(session, id, parent, payload) SELECT ?2, id, parent, payload FROM entries"
                  " WHERE session = ?1 AND NOT EXISTS (SELECT 1 FROM entries WHERE session = ?2) ORDER BY seq",
                  from, to, NULL, NULL);
}

static int read_rows(sqlite3_stmt *statement, int session, faults_sink *sink, void *context)
{
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        char text[FAULTS_TEXT_BYTES];
        const char *id = (const char *)sqlite3_column_text(statement, 0);
        const char *payload = (const char *)sqlite3_column_text(statement, 2);
        size_t bytes = (size_t)sqlite3_column_bytes(statement, 2);
        const char *found = payload ? faults_payload_text(text, payload, bytes) : NULL;
        struct faults_read entry = {session, id ? id : "", (const char *)sqlite3_column_text(statement, 1),
                                    found ? found : ""};
        sink(context, &entry);
    }
    return code == SQLITE_DONE ? 0 : -1;
}

/* Every session by its index. A database without the table has no session. */
int faults_sqlite_read(const struct faults_peer *peer, const char *directory, faults_sink *sink, void *context)
{
    (void)peer;
    sqlite3 *database = open_database(directory, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    sqlite3_stmt *statement = NULL;
    int code = database ? 0 : -1;
    for (int i = 0; database && i < FAULTS_SESSIONS; i++) {
        int prepared = sqlite3_prepare_v2(
            database, "SELECT id, parent, payload FROM entries WHERE session = ?1 ORDER BY seq", -1, &statement, NULL);
        if (prepared != SQLITE_OK) {
            code = strstr(sqlite3_errmsg(database), "no such table") ? code : -1;
            break;
        }
        sqlite3_bind_int(statement, 1, i);
        code = read_rows(statement, i, sink, context) < 0 ? -1 : code;
        sqlite3_finalize(statement);
    }
    sqlite3_close(database);
    return code;
}

static int is_ok(void *right, int count, char **values, char **names)
{
    (void)names;
    *(bool *)right = count == 1 && values[0] && strcmp(values[0], "ok") == 0;
    return 0;
}

int faults_sqlite_check(const struct faults_peer *peer, const char *directory)
{
    (void)peer;
    bool right = false;
    sqlite3 *database = open_database(directory, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    bool ran = database && sqlite3_exec(database, "PRAGMA integrity_check", is_ok, &right, NULL) == SQLITE_OK;
    sqlite3_close(database);
    return ran && right ? 0 : -1;
}

/* .recover where the sqlite3 program has it (Debian's has not), else what .dump can still read. */
int faults_sqlite_repair(const char *directory, const char *to)
{
    char command[6 * FAULTS_PATH];
    snprintf(command, sizeof command,
             "cd '%s' && { sqlite3 sessions.db .recover >'%s/sql' 2>/dev/null && grep -q INSERT '%s/sql'; } ||"
             " sqlite3 sessions.db .dump 2>/dev/null | sed 's/^ROLLBACK;.*/COMMIT;/' >'%s/sql';"
             " sqlite3 '%s/sessions.db' <'%s/sql' >/dev/null 2>&1; rm '%s/sql'",
             directory, to, to, to, to, to, to);
    return system(command) == 0 ? 0 : -1;
}
