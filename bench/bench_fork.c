/*
 * What a fork costs, by the size of the session that is forked, and how much it adds to the file. Beside xylem: one row
 * that LMDB itself puts and commits in a copy of the same store; the row that SQLite would insert if it shared entries
 * between sessions as xylem does; and what hosts do today, a copy of the session file, which nobody syncs.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/bare.h"
#include "bench/bench.h"
#include "bench/data.h"
#include "bench/sql.h"
#include "xylem.h"

enum { FORKS_A_SAMPLE = 32, FORKS_COUNTED = 1000, ROW_BYTES = 200, SIZES = 4 };

/* One commit is one fork, in each of them. */
struct xylem_side {
    struct xylem_store *store;
    uint64_t session;
    struct xylem_position at; /* none: a clone */
};

struct sql_side {
    sqlite3 *database;
    sqlite3_stmt *insert;
    uint64_t next;
};

struct bare_side {
    MDB_env *env;
    MDB_dbi table;
    uint64_t next;
};

struct file_side {
    const char *from;
    const char *to;
};

struct subject {
    uint64_t size;
    const char *path;
    struct xylem_side clone;
    struct xylem_side fork;
    struct xylem_side synced;
    struct sql_side sql;
    struct sql_side sql_synced;
    struct bare_side bare;
    struct bare_side bare_synced;
    struct file_side file;
};

static void run_xylem(void *context, uint64_t count)
{
    const struct xylem_side *side = context;
    for (uint64_t i = 0; i < count; i++) {
        struct xylem_txn *txn = NULL;
        struct xylem_session fork;
        struct xylem_error err;
        bench_xylem(xylem_begin(&txn, side->store, XYLEM_WRITE, &err), "xylem_begin", &err);
        if (side->at.depth > 0) {
            bench_xylem(xylem_fork(&fork, txn, side->session, side->at, XYLEM_FORK_AT, NULL, &err), "xylem_fork", &err);
        } else {
            bench_xylem(xylem_clone(&fork, txn, side->session, NULL, &err), "xylem_clone", &err);
        }
        bench_xylem(xylem_commit(txn, &err), "xylem_commit", &err);
    }
}

static void run_sql(void *context, uint64_t count)
{
    struct sql_side *side = context;
    for (uint64_t i = 0; i < count; i++) {
        unsigned char id[16];
        bench_bare_key(id, side->next, 0);
        sqlite3_bind_int64(side->insert, 1, (sqlite3_int64)side->next++);
        sqlite3_bind_blob(side->insert, 2, id, sizeof id, SQLITE_STATIC);
        bench_sql_run(side->database, side->insert);
    }
}

static void run_bare(void *context, uint64_t count)
{
    struct bare_side *side = context;
    for (uint64_t i = 0; i < count; i++) {
        unsigned char bytes[16];
        char row[ROW_BYTES] = {0};
        MDB_txn *txn = NULL;
        MDB_val key = bench_bare_key(bytes, UINT64_MAX, side->next++);
        MDB_val value = {sizeof row, row};
        bench_bare(mdb_txn_begin(side->env, NULL, 0, &txn), "a transaction");
        bench_bare(mdb_put(txn, side->table, &key, &value, 0), "a put");
        bench_bare(mdb_txn_commit(txn), "a commit");
    }
}

static void run_copy(void *context, uint64_t count)
{
    const struct file_side *side = context;
    for (uint64_t i = 0; i < count; i++) {
        bench_copy_file(side->from, side->to, BENCH_PIECE_BYTES);
    }
}

static void remove_copy(void *context)
{
    const struct file_side *side = context;
    unlink(side->to);
}

static void make_sql(struct sql_side *side, const char *path, const char *how, uint64_t size, bool synced)
{
    char text[200];
    side->database = bench_sql_open(path, how);
    snprintf(text, sizeof text, "INSERT INTO sessions VALUES(?1, ?2, 1, %llu, 0)", (unsigned long long)size);
    side->insert = bench_sql_prepare(side->database, text);
    side->next = synced ? UINT64_C(1) << 40 : 1; /* two connections insert in turns */
}

static void make_file(struct subject *subject)
{
    struct bench_entry entry;
    FILE *file = fopen(subject->file.from, "w");
    bench_must(file != NULL, subject->file.from, "cannot be written");
    for (uint64_t i = 1; i <= subject->size; i++) {
        bench_entry_make(&entry, i);
        fprintf(file,
                "{\"type\":\"%s\",\"id\":\"%08llx\",\"parentId\":\"%08llx\","
                "\"timestamp\":\"2026-01-01T00:00:00.000Z\",%s\n",
                entry.kind_name, (unsigned long long)i, (unsigned long long)i - 1, entry.text + 1);
    }
    bench_must(fclose(file) == 0, subject->file.from, "cannot be written");
}

/* A copy of the store: what its appends left free is part of what a commit costs. */
static void make_bare(struct bench *bench, struct bare_side *side, const struct subject *subject, const char *name,
                      unsigned flags)
{
    const char *path = bench_format(bench, "%s.%s", subject->path, name);
    bench_must(mkdir(path, 0700) == 0, path, "cannot be made");
    bench_copy_file(bench_format(bench, "%s/data.mdb", subject->path), bench_format(bench, "%s/data.mdb", path),
                    BENCH_PIECE_BYTES);
    side->env = bench_bare_open_named(&side->table, path, "rows", flags);
}

static struct xylem_store *open_full(const char *path)
{
    struct xylem_store *store = NULL;
    struct xylem_error err;
    bench_xylem(xylem_open(&store, path, NULL, &err), path, &err);
    return store;
}

static void make(struct bench *bench, struct subject *subject, uint64_t size)
{
    const char *stem = bench_format(bench, "%s/%llu", bench_directory(bench), (unsigned long long)size);
    subject->size = size;
    subject->path = bench_format(bench, "%s.xylem", stem);
    struct xylem_store *store = bench_store(subject->path);
    uint64_t session = bench_session(store);
    bench_append(store, session, 1, size, 0);
    struct xylem_position middle = {bench_leaf(store, session).branch, size / 2};
    subject->clone = (struct xylem_side){store, session, {0, 0}};
    subject->fork = (struct xylem_side){store, session, middle};
    subject->synced = (struct xylem_side){open_full(subject->path), session, {0, 0}};
    make_sql(&subject->sql, bench_format(bench, "%s.sqlite", stem), "NORMAL", size, false);
    bench_sql_append(subject->sql.database, 1, 0, 1, 0, 1, size, 0);
    make_sql(&subject->sql_synced, bench_format(bench, "%s.sqlite", stem), "FULL", size, true);
    make_bare(bench, &subject->bare, subject, "bare", MDB_NOSYNC);
    make_bare(bench, &subject->bare_synced, subject, "synced", 0);
    subject->file = (struct file_side){bench_format(bench, "%s.jsonl", stem), bench_format(bench, "%s.copy", stem)};
    make_file(subject);
    sync();
}

static void subject_free(struct subject *subject)
{
    sqlite3_finalize(subject->sql.insert);
    sqlite3_finalize(subject->sql_synced.insert);
    sqlite3_close(subject->sql.database);
    sqlite3_close(subject->sql_synced.database);
    mdb_env_close(subject->bare.env);
    mdb_env_close(subject->bare_synced.env);
    bench_xylem(xylem_close(subject->synced.store, NULL), "close", NULL);
    bench_xylem(xylem_close(subject->clone.store, NULL), "close", NULL);
}

static void add(struct bench *bench, const char *table, const char *name, const char *loses,
                void (*run)(void *context, uint64_t count), void *context)
{
    bench_add(
        bench,
        &(struct bench_contestant){
            .table = table, .name = name, .loses = loses, .run = run, .context = context, .count_max = FORKS_A_SAMPLE});
}

static struct xylem_stat stat_of(struct xylem_store *store)
{
    struct xylem_txn *txn = NULL;
    struct xylem_stat stat;
    struct xylem_error err;
    bench_xylem(xylem_begin(&txn, store, XYLEM_READ, &err), "a transaction", &err);
    bench_xylem(xylem_stat_read(&stat, txn, &err), "xylem_stat_read", &err);
    xylem_abort(txn);
    return stat;
}

/* What the file holds: free pages are taken before it grows. */
static double used_bytes(struct xylem_store *store)
{
    struct xylem_stat stat = stat_of(store);
    return (double)stat.file_bytes - (double)stat.free_bytes;
}

static void count_bytes(struct bench *bench, struct subject *subject)
{
    struct stat file;
    unsigned long long size = subject->size;
    double before = used_bytes(subject->clone.store);
    run_xylem(&subject->clone, FORKS_COUNTED);
    double each = (used_bytes(subject->clone.store) - before) / FORKS_COUNTED;
    bench_must(stat(subject->file.from, &file) == 0, subject->file.from, "is not there");
    bench_figure(bench, bench_format(bench, "added to the store by each clone of a session of %llu", size), each,
                 "bytes");
    bench_figure(bench, bench_format(bench, "by each copy of the file of a session of %llu", size),
                 (double)file.st_size, "bytes");
}

/*
 * LMDB takes the pages of a commit from those that are free, and writes their list: where earlier appends left many, a
 * commit dirties pages that were clean, and costs more, whatever it holds.
 */
static void count_free(struct bench *bench, const struct subject *subject)
{
    struct xylem_stat stat = stat_of(subject->clone.store);
    bench_figure(
        bench, bench_format(bench, "free pages in the store with a session of %llu", (unsigned long long)subject->size),
        (double)(stat.free_bytes / stat.page_bytes), "pages");
}

static const char *table_of(struct bench *bench, const struct subject *subject, const char *how)
{
    return bench_format(bench, "fork, %s, a session of %llu entries", how, (unsigned long long)subject->size);
}

static void measure_unsynced(struct bench *bench, struct subject *subjects, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct subject *subject = &subjects[i];
        const char *table = table_of(bench, subject, "no sync");
        add(bench, table, "bare mdb_put and commit, one row", BENCH_UNSYNCED, run_bare, &subject->bare);
        add(bench, table, "xylem_clone and commit", BENCH_UNSYNCED, run_xylem, &subject->clone);
        add(bench, table, "xylem_fork in the middle, commit", BENCH_UNSYNCED, run_xylem, &subject->fork);
        add(bench, table, "SQLite, one row, WAL NORMAL", BENCH_LAST_COMMIT, run_sql, &subject->sql);
        bench_add(bench, &(struct bench_contestant){.table = table,
                                                    .name = "copy of the session file",
                                                    .loses = BENCH_UNSYNCED,
                                                    .run = run_copy,
                                                    .context = &subject->file,
                                                    .finish = remove_copy,
                                                    .count_max = 1});
    }
    bench_run(bench, 12);
    bench_flat(bench, "xylem_clone and commit", table_of(bench, &subjects[0], "no sync"),
               table_of(bench, &subjects[count - 1], "no sync"));
}

static void measure_synced(struct bench *bench, struct subject *subjects, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct subject *subject = &subjects[i];
        const char *table = table_of(bench, subject, "synced");
        add(bench, table, "bare mdb_put and commit, one row", BENCH_NOTHING, run_bare, &subject->bare_synced);
        add(bench, table, "xylem_clone and commit", BENCH_NOTHING, run_xylem, &subject->synced);
        add(bench, table, "SQLite, one row, WAL FULL", BENCH_NOTHING, run_sql, &subject->sql_synced);
    }
    bench_run(bench, 10);
}

static void measure(struct bench *bench)
{
    static const uint64_t sizes[SIZES] = {1000, 10000, 100000, 1000000};
    static struct subject subjects[SIZES];
    size_t count = bench_quick(bench) ? 2 : SIZES;
    for (size_t i = 0; i < count; i++) {
        make(bench, &subjects[i], sizes[i]);
    }
    for (size_t i = 0; i < count; i++) {
        count_free(bench, &subjects[i]);
    }
    measure_unsynced(bench, subjects, count);
    for (size_t i = 0; i < count; i++) {
        count_bytes(bench, &subjects[i]);
    }
    measure_synced(bench, subjects, count);
    for (size_t i = 0; i < count; i++) {
        subject_free(&subjects[i]);
    }
}

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "fork", measure);
}
