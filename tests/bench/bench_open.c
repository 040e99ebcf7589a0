/*
 * What it costs to open a store, read the newest 50 entries of a session, and close it again: what a command does
 * before it shows anything. The payloads are touched by all, and verified by xylem alone, which also looks for a lost
 * end of the file and for readers that died. The bare LMDB environment and the database of SQLite hold the same
 * entries.
 */
#include <stdlib.h>

#include "tests/bench/bare.h"
#include "tests/bench/bench.h"
#include "tests/bench/data.h"
#include "tests/bench/sql.h"
#include "xylem/branch.h"

enum { NEWEST = 50 };

struct subject {
    const char *store;
    const char *database;
    const char *bare;
    uint64_t session;
};

static void run_xylem(void *context, uint64_t count)
{
    const struct subject *subject = context;
    struct xylem_open_options options = {.read_only = true};
    for (uint64_t i = 0; i < count; i++) {
        struct xylem_store *store = NULL;
        struct xylem_txn *txn = NULL;
        struct xylem_walk *walk = NULL;
        struct xylem_session session;
        struct xylem_entry entry;
        struct xylem_view payload;
        struct xylem_error err;
        bench_xylem(xylem_open(&store, subject->store, &options, &err), "xylem_open", &err);
        bench_xylem(xylem_begin(&txn, store, XYLEM_READ, &err), "xylem_begin", &err);
        bench_xylem(xylem_session_read(&session, txn, subject->session, &err), "a session", &err);
        bench_xylem(xylem_walk_new(&walk, txn, session.leaf, &err), "a walk", &err);
        for (int k = 0; k < NEWEST; k++) {
            bench_xylem(xylem_walk_next(&entry, walk, &err), "a walk", &err);
            bench_xylem(xylem_entry_payload(&payload, &entry, &err), "a payload", &err);
            bench_use((unsigned char)payload.data[0]);
        }
        xylem_walk_free(walk);
        xylem_abort(txn);
        bench_xylem(xylem_close(store, &err), "xylem_close", &err);
    }
}

static void run_xylem_open(void *context, uint64_t count)
{
    const struct subject *subject = context;
    struct xylem_open_options options = {.read_only = true};
    for (uint64_t i = 0; i < count; i++) {
        struct xylem_store *store = NULL;
        struct xylem_error err;
        bench_xylem(xylem_open(&store, subject->store, &options, &err), "xylem_open", &err);
        bench_xylem(xylem_close(store, &err), "xylem_close", &err);
    }
}

static void run_bare(void *context, uint64_t count)
{
    const struct subject *subject = context;
    for (uint64_t i = 0; i < count; i++) {
        MDB_dbi table;
        MDB_env *env = bench_bare_open(&table, subject->bare, MDB_RDONLY);
        MDB_txn *txn = NULL;
        MDB_cursor *cursor = NULL;
        MDB_val key;
        MDB_val record;
        bench_bare(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn), "a transaction");
        bench_bare(mdb_cursor_open(txn, table, &cursor), "a cursor");
        for (int k = 0; k < NEWEST; k++) {
            bench_bare(mdb_cursor_get(cursor, &key, &record, k == 0 ? MDB_LAST : MDB_PREV), "a step");
            bench_use(*(const unsigned char *)record.mv_data);
        }
        mdb_cursor_close(cursor);
        mdb_txn_abort(txn);
        mdb_env_close(env);
    }
}

static void run_sql(void *context, uint64_t count)
{
    const struct subject *subject = context;
    for (uint64_t i = 0; i < count; i++) {
        sqlite3 *database = NULL;
        bench_sql(database, sqlite3_open_v2(subject->database, &database, SQLITE_OPEN_READONLY, NULL), "a database");
        sqlite3_stmt *newest = bench_sql_prepare(
            database, "SELECT seq, kind, payload FROM entries WHERE branch = 1 ORDER BY seq DESC LIMIT 50");
        int rows = 0;
        while (sqlite3_step(newest) == SQLITE_ROW) {
            bench_use(*(const unsigned char *)sqlite3_column_blob(newest, 2));
            rows++;
        }
        bench_must(rows == NEWEST, "the newest rows", "they are not there");
        sqlite3_finalize(newest);
        sqlite3_close(database);
    }
}

static void make(struct bench *bench, struct subject *subject, uint64_t size)
{
    MDB_dbi table;
    subject->store = bench_format(bench, "%s/%llu.xylem", bench_directory(bench), (unsigned long long)size);
    subject->database = bench_format(bench, "%s/%llu.sqlite", bench_directory(bench), (unsigned long long)size);
    subject->bare = bench_format(bench, "%s/%llu.bare", bench_directory(bench), (unsigned long long)size);
    struct xylem_store *store = bench_store(subject->store);
    subject->session = bench_session(store);
    bench_append(store, subject->session, 1, size, 0);
    bench_xylem(xylem_close(store, NULL), "close", NULL);
    sqlite3 *database = bench_sql_open(subject->database, "OFF");
    bench_sql_append(database, 1, 0, 1, 0, 1, size, 0);
    sqlite3_close(database);
    MDB_env *env = bench_bare_open(&table, subject->bare, MDB_NOSYNC);
    bench_bare_fill(env, table, 1, size, 0, 88);
    mdb_env_close(env);
}

static void measure(struct bench *bench)
{
    static const uint64_t sizes[] = {1000, 10000, 100000, 1000000};
    static struct subject subjects[4];
    const char *tables[4];
    size_t count = bench_quick(bench) ? 2 : 4;
    for (size_t i = 0; i < count; i++) {
        struct subject *subject = &subjects[i];
        make(bench, subject, sizes[i]);
        tables[i] = bench_format(bench, "open, newest %d entries, close: a session of %llu entries", NEWEST,
                                 (unsigned long long)sizes[i]);
        bench_add_read(bench, tables[i], "bare LMDB, reverse cursor", run_bare, subject);
        bench_add_read(bench, tables[i], "xylem", run_xylem, subject);
        bench_add_read(bench, tables[i], "xylem_open, xylem_close alone", run_xylem_open, subject);
        bench_add_read(bench, tables[i], "SQLite", run_sql, subject);
    }
    bench_run(bench, 12);
    bench_flat(bench, "xylem", tables[0], tables[count - 1]);
}

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "open", measure);
}
