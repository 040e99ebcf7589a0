/*
 * SQLite as hosts set it: one database, a write-ahead log, a limit for waiting, an entry a transaction. A host that
 * appends asks the database for the newest entry, in the same transaction. A fork copies the rows, as hosts do.
 */
#include <sqlite3.h>

#include "tests/bench/faults/driver.h"

static sqlite3 *open_plain(const char *directory)
{
    char path[FAULTS_PATH + 20];
    sqlite3 *database = NULL;
    snprintf(path, sizeof path, "%s/sessions.db", directory);
    if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK) {
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

static void *open_database(int mode, const char *directory)
{
    char text[700];
    sqlite3 *database = open_plain(directory);
    snprintf(text, sizeof text,
             "PRAGMA journal_mode=WAL; PRAGMA synchronous=%d; PRAGMA wal_autocheckpoint=%d; BEGIN IMMEDIATE;"
             "CREATE TABLE IF NOT EXISTS entries(seq INTEGER PRIMARY KEY, session INTEGER NOT NULL,"
             " id TEXT NOT NULL, parent TEXT, payload TEXT NOT NULL);"
             "CREATE UNIQUE INDEX IF NOT EXISTS by_id ON entries(session, id);"
             "CREATE INDEX IF NOT EXISTS by_session ON entries(session, seq); COMMIT",
             faults_preparing ? 0 : mode, faults_checkpoints ? 16 : 1000);
    /* Two that make a database at once: SQLite does not wait for the other to turn the log on. */
    int code = -1;
    for (int i = 0; database && code < 0 && (i == 0 || sqlite3_errcode(database) == SQLITE_BUSY) && i < 1000; i++) {
        code = run(database, text);
        sqlite3_sleep(code < 0 ? 2 : 0);
    }
    if (code < 0) {
        sqlite3_close(database);
        database = NULL;
    }
    return database;
}

static void close_database(void *handle)
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

static int append(void *handle, int session, const char *role, const char *text)
{
    char id[FAULTS_ID_BYTES];
    char payload[FAULTS_TEXT_BYTES + 100];
    faults_id(id, text);
    faults_payload(payload, role, text);
    return change(handle,
                  "INSERT INTO entries(session, id, parent, payload) VALUES(?1, ?3,"
                  " (SELECT id FROM entries WHERE session = ?2 ORDER BY seq DESC LIMIT 1), ?4)",
                  session, session, id, payload);
}

static int fork_session(void *handle, int from, int to)
{
    return change(handle,
                  "INSERT INTO entries(session, id, parent, payload) SELECT ?2, id, parent, payload FROM entries"
                  " WHERE session = ?1 AND NOT EXISTS (SELECT 1 FROM entries WHERE session = ?2) ORDER BY seq",
                  from, to, NULL, NULL);
}

/* Every session by its index. A database without the table has no session. */
static int read_sessions(const char *directory, faults_sink *sink, void *context)
{
    sqlite3_stmt *statement = NULL;
    sqlite3 *database = open_plain(directory);
    const char *query = "SELECT id, parent, payload FROM entries WHERE session = ?1 ORDER BY seq";
    int code = database ? sqlite3_prepare_v2(database, query, -1, &statement, NULL) : SQLITE_CORRUPT;
    code = database && strstr(sqlite3_errmsg(database), "no such table") ? SQLITE_OK : code;
    int worst = code == SQLITE_OK ? 0 : -1;
    for (int i = 0; statement && i < FAULTS_SESSIONS; i++) {
        sqlite3_bind_int(statement, 1, i);
        while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
            char text[FAULTS_TEXT_BYTES];
            const char *id = (const char *)sqlite3_column_text(statement, 0);
            const char *payload = (const char *)sqlite3_column_text(statement, 2);
            size_t bytes = (size_t)sqlite3_column_bytes(statement, 2);
            struct faults_read entry = {i, id ? id : "", (const char *)sqlite3_column_text(statement, 1),
                                        faults_payload_text(text, payload ? payload : "", bytes)};
            sink(context, &entry);
        }
        worst = code == SQLITE_DONE ? worst : -1;
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return worst;
}

static int is_ok(void *right, int count, char **values, char **names)
{
    (void)names;
    *(bool *)right = count == 1 && values[0] && strcmp(values[0], "ok") == 0;
    return 0;
}

static int check(const char *directory)
{
    bool right = false;
    sqlite3 *database = open_plain(directory);
    bool ran = database && sqlite3_exec(database, "PRAGMA integrity_check", is_ok, &right, NULL) == SQLITE_OK;
    sqlite3_close(database);
    return ran && right ? 0 : -1;
}

/* .recover where the sqlite3 program has it (Debian's has not), else what .dump can still read. */
static int repair(const char *directory, const char *to)
{
    char command[6 * FAULTS_PATH];
    snprintf(command, sizeof command,
             "cd '%s' && { sqlite3 sessions.db .recover >'%s/sql' 2>/dev/null && grep -q INSERT '%s/sql'; } ||"
             " sqlite3 sessions.db .dump 2>/dev/null | sed 's/^ROLLBACK;.*/COMMIT;/' >'%s/sql';"
             " sqlite3 '%s/sessions.db' <'%s/sql' >/dev/null 2>&1; rm '%s/sql'",
             directory, to, to, to, to, to, to);
    return system(command) == 0 ? 0 : -1;
}

const struct faults_calls faults_sqlite = {.open = open_database,
                                           .append = append,
                                           .fork = fork_session,
                                           .close = close_database,
                                           .read = read_sessions,
                                           .check = check,
                                           .repair = repair};
