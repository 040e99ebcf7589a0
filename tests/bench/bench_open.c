/*
 * What it costs to open a store, read the newest 50 entries of a session, and close it again: what a command does
 * before it shows anything. The payloads are touched by all, and verified by xylem alone, which also looks for a lost
 * end of the file and for readers that died. LMDB by itself reads the same file; the database of SQLite holds the same
 * entries.
 */
#include "tests/bench/stores.h"

enum { NEWEST = 50 };

struct subject {
    struct bench_made made;
    const char *database;
};

static void run_bare(struct bench_call call)
{
    const struct subject *subject = call.subject;
    struct bench_bare log = {.env = NULL};
    bench_bare_read(&log, subject->made.path, MDB_RDONLY);
    bench_must(bench_bare_newest(&log, NEWEST, false) == NEWEST, "the newest records", "they are not there");
    bench_bare_close(&log);
}

static void run_xylem(struct bench_call call)
{
    const struct subject *subject = call.subject;
    struct xylem_open_options options = {.read_only = true};
    struct xylem_store *store = NULL;
    struct xylem_session session;
    bench_xylem(xylem_open(&store, subject->made.path, &options, &bench_err));
    struct xylem_txn *txn = bench_begin(store, XYLEM_READ);
    bench_xylem(xylem_session_read(&session, txn, subject->made.session, &bench_err));
    bench_must(bench_newest(txn, session.leaf, NEWEST, true) == NEWEST, "the newest entries", "they are not there");
    xylem_abort(txn);
    bench_close(store);
}

static void run_sql(struct bench_call call)
{
    const struct subject *subject = call.subject;
    sqlite3 *database = NULL;
    int seen = 0;
    bench_sql(database, sqlite3_open_v2(subject->database, &database, SQLITE_OPEN_READONLY, NULL), "a database");
    sqlite3_stmt *newest = bench_sql_prepare(
        database, "SELECT seq, kind, payload FROM entries WHERE branch = 1 ORDER BY seq DESC LIMIT 50");
    for (; sqlite3_step(newest) == SQLITE_ROW; seen++) {
        bench_use(*(const unsigned char *)sqlite3_column_blob(newest, 2));
    }
    bench_must(seen == NEWEST, "the newest rows", "they are not there");
    sqlite3_finalize(newest);
    sqlite3_close(database);
}

static const struct bench_row rows[] = {
    {"bare LMDB, reverse cursor", BENCH_READS, .run = run_bare},
    {"xylem", BENCH_READS, .run = run_xylem},
    {"SQLite", BENCH_READS, .run = run_sql},
};

BENCH("open")
{
    static const size_t sizes[] = {1000, 10000, 100000, 1000000};
    static struct subject subjects[4];
    size_t table = 0;
    for (size_t i = 0; i < (bench_quick ? 2 : 4); i++) {
        const char *database = bench_path("%zu.sqlite", i);
        struct bench_made made = bench_make(bench_path("%zu", i), sizes[i], 0);
        sqlite3_close(bench_sql_copy(database, made.store, made.path));
        bench_close(made.store);
        subjects[i] = (struct subject){made, database};
        table = bench_table(bench_text("open, newest %d entries, close: a session of %zu entries", NEWEST, sizes[i]),
                            &subjects[i], BENCH_ROWS(rows));
    }
    bench_run(12);
    bench_flat(1, 0, table);
}
