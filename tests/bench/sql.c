#include "tests/bench/sql.h"

#include <stdio.h>
#include <string.h>

#include "tests/bench/bench.h"

void bench_sql(sqlite3 *database, int result, const char *what)
{
    bench_must(result == SQLITE_OK || result == SQLITE_ROW || result == SQLITE_DONE, what, sqlite3_errmsg(database));
}

void bench_sql_exec(sqlite3 *database, const char *text)
{
    bench_sql(database, sqlite3_exec(database, text, NULL, NULL, NULL), text);
}

sqlite3_stmt *bench_sql_prepare(sqlite3 *database, const char *text)
{
    sqlite3_stmt *statement = NULL;
    bench_sql(database, sqlite3_prepare_v3(database, text, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL), text);
    return statement;
}

void bench_sql_run(sqlite3 *database, sqlite3_stmt *statement)
{
    bench_sql(database, sqlite3_step(statement), "a statement");
    bench_sql(database, sqlite3_reset(statement), "a statement");
}

sqlite3 *bench_sql_open(const char *path, const char *how)
{
    sqlite3 *database = NULL;
    char text[64];
    bench_sql(database, sqlite3_open(path, &database), path);
    bench_sql_exec(database, "PRAGMA journal_mode=WAL");
    bench_sql_exec(database, "PRAGMA mmap_size=2147418112");
    bench_sql_exec(database, "PRAGMA cache_size=-65536");
    snprintf(text, sizeof text, "PRAGMA synchronous=%s", how);
    bench_sql_exec(database, text);
    bench_sql_exec(database, "CREATE TABLE IF NOT EXISTS entries(lsn INTEGER PRIMARY KEY, id BLOB NOT NULL,"
                             " branch INTEGER NOT NULL, seq INTEGER NOT NULL, parent INTEGER NOT NULL,"
                             " kind INTEGER NOT NULL, time INTEGER NOT NULL, payload BLOB);"
                             "CREATE UNIQUE INDEX IF NOT EXISTS by_id ON entries(id);"
                             "CREATE UNIQUE INDEX IF NOT EXISTS by_place ON entries(branch, seq);"
                             "CREATE INDEX IF NOT EXISTS by_kind ON entries(branch, kind, seq);"
                             "CREATE TABLE IF NOT EXISTS branches(branch INTEGER PRIMARY KEY,"
                             " parent_branch INTEGER NOT NULL, parent_seq INTEGER NOT NULL);"
                             "CREATE TABLE IF NOT EXISTS sessions(session INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE,"
                             " branch INTEGER NOT NULL, seq INTEGER NOT NULL, created INTEGER NOT NULL);");
    return database;
}

sqlite3_stmt *bench_sql_inserter(sqlite3 *database)
{
    return bench_sql_prepare(database, "INSERT INTO entries(lsn, id, branch, seq, parent, kind, time, payload)"
                                       " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
}

void bench_sql_insert(sqlite3 *database, sqlite3_stmt *inserter, const struct bench_entry *entry, const void *id,
                      uint64_t lsn, uint64_t branch, uint64_t seq, uint64_t parent, int64_t time_ms)
{
    sqlite3_bind_int64(inserter, 1, (sqlite3_int64)lsn);
    sqlite3_bind_blob(inserter, 2, id, 16, SQLITE_STATIC);
    sqlite3_bind_int64(inserter, 3, (sqlite3_int64)branch);
    sqlite3_bind_int64(inserter, 4, (sqlite3_int64)seq);
    sqlite3_bind_int64(inserter, 5, (sqlite3_int64)parent);
    sqlite3_bind_int(inserter, 6, entry->kind);
    sqlite3_bind_int64(inserter, 7, time_ms);
    sqlite3_bind_blob(inserter, 8, entry->text, (int)entry->text_bytes, SQLITE_STATIC);
    bench_sql_run(database, inserter);
}

void bench_sql_append(sqlite3 *database, uint64_t branch, uint64_t seq, uint64_t lsn, uint64_t parent, uint64_t first,
                      uint64_t count, uint64_t wanted_at)
{
    sqlite3_stmt *inserter = bench_sql_inserter(database);
    struct bench_entry entry;
    unsigned char id[16] = {0};
    bench_sql_exec(database, "BEGIN");
    for (uint64_t i = 0; i < count; i++) {
        uint64_t number = lsn + i;
        bench_entry_at(&entry, first + i, wanted_at);
        for (int k = 0; k < 8; k++) { /* ascending, as those that xylem makes */
            id[k] = (unsigned char)(number >> (56 - 8 * k));
        }
        bench_sql_insert(database, inserter, &entry, id, number, branch, seq + 1 + i, i == 0 ? parent : number - 1, 0);
    }
    bench_sql_exec(database, "COMMIT");
    sqlite3_finalize(inserter);
}
