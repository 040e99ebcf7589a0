/*
 * What a fork costs, by the size of the session that is forked and by the number of forks behind it, and how much it
 * adds to the file. Beside xylem: one row
 * that LMDB itself puts and commits in a copy of the same store; the row that SQLite would insert if it shared entries
 * between sessions as xylem does; and what hosts do today, a copy of the session file, which nobody syncs.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/bench/bare.h"
#include "tests/bench/bench.h"
#include "tests/bench/data.h"
#include "tests/bench/sql.h"
#include "xylem/inspect.h"

enum {
    FORKS_A_SAMPLE = 32,
    FORKS_COUNTED = 1000,
    ROW_BYTES = 200,
    SIZES = 4,
    CHAINS = 4,
    DEEPEST = 10000,
    CHAIN_BASE = 1000, /* entries of the session before all forks */
    CHAIN_STEP = 2     /* and of each fork */
};

static const char bare_name[] = "bare mdb_put and commit, one row";
static const char clone_name[] = "xylem_clone and commit";
static const char fork_name[] = "xylem_fork in the middle, commit";
static const char root_name[] = "xylem_fork at the root, commit";

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
    struct xylem_side clone_synced;
    struct xylem_side fork_synced;
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
        bench_fork(side->store, side->session, side->at);
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
static void make_bare(struct bench *bench, struct bare_side *side, const char *store_path, const char *name,
                      unsigned flags)
{
    const char *path = bench_format(bench, "%s.%s", store_path, name);
    bench_must(mkdir(path, 0700) == 0, path, "cannot be made");
    bench_copy_file(bench_format(bench, "%s/data.mdb", store_path), bench_format(bench, "%s/data.mdb", path),
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
    struct xylem_store *full = open_full(subject->path);
    subject->clone_synced = (struct xylem_side){full, session, {0, 0}};
    subject->fork_synced = (struct xylem_side){full, session, middle};
    make_sql(&subject->sql, bench_format(bench, "%s.sqlite", stem), "NORMAL", size, false);
    bench_sql_append(subject->sql.database, 1, 0, 1, 0, 1, size, 0);
    make_sql(&subject->sql_synced, bench_format(bench, "%s.sqlite", stem), "FULL", size, true);
    make_bare(bench, &subject->bare, subject->path, "bare", MDB_NOSYNC);
    make_bare(bench, &subject->bare_synced, subject->path, "synced", 0);
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
    bench_xylem(xylem_close(subject->clone_synced.store, NULL), "close", NULL);
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

static double bytes_of_each(struct xylem_side *side)
{
    double before = used_bytes(side->store);
    run_xylem(side, FORKS_COUNTED);
    return (used_bytes(side->store) - before) / FORKS_COUNTED;
}

static void count_bytes(struct bench *bench, struct subject *subject)
{
    struct stat file;
    unsigned long long size = subject->size;
    bench_must(stat(subject->file.from, &file) == 0, subject->file.from, "is not there");
    bench_figure(bench, bench_format(bench, "added to the store by each clone of a session of %llu entries", size),
                 bytes_of_each(&subject->clone), "bytes");
    bench_figure(
        bench, bench_format(bench, "added to the store by each fork in the middle of a session of %llu entries", size),
        bytes_of_each(&subject->fork), "bytes");
    bench_figure(bench, bench_format(bench, "added by each copy of the file of a session of %llu entries", size),
                 (double)file.st_size, "bytes");
}

/*
 * LMDB takes the pages of a commit from those that are free, and writes their list: where earlier appends left many, a
 * commit dirties pages that were clean, and costs more, whatever it holds.
 */
static void count_free(struct bench *bench, const struct subject *subject)
{
    struct xylem_stat stat = stat_of(subject->clone.store);
    bench_figure(bench,
                 bench_format(bench, "free pages in the store with a session of %llu entries",
                              (unsigned long long)subject->size),
                 (double)(stat.free_bytes / stat.page_bytes), "pages");
}

static const char *table_of(struct bench *bench, const struct subject *subject, const char *how)
{
    return bench_format(bench, "fork, %s, a session of %llu entries", how, (unsigned long long)subject->size);
}

static void print_flatness(struct bench *bench, const struct subject *subjects, size_t count, const char *how)
{
    const char *from = table_of(bench, &subjects[0], how);
    const char *to = table_of(bench, &subjects[count - 1], how);
    bench_flat(bench, clone_name, from, to);
    bench_flat(bench, fork_name, from, to);
}

static void measure_unsynced(struct bench *bench, struct subject *subjects, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct subject *subject = &subjects[i];
        const char *table = table_of(bench, subject, "no sync");
        add(bench, table, bare_name, BENCH_UNSYNCED, run_bare, &subject->bare);
        add(bench, table, clone_name, BENCH_UNSYNCED, run_xylem, &subject->clone);
        add(bench, table, fork_name, BENCH_UNSYNCED, run_xylem, &subject->fork);
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
    print_flatness(bench, subjects, count, "no sync");
}

static void measure_synced(struct bench *bench, struct subject *subjects, size_t count)
{
    sync(); /* the copies are not: a sync here would write them too */
    for (size_t i = 0; i < count; i++) {
        struct subject *subject = &subjects[i];
        const char *table = table_of(bench, subject, "synced");
        add(bench, table, bare_name, BENCH_NOTHING, run_bare, &subject->bare_synced);
        add(bench, table, clone_name, BENCH_NOTHING, run_xylem, &subject->clone_synced);
        add(bench, table, fork_name, BENCH_NOTHING, run_xylem, &subject->fork_synced);
        add(bench, table, "SQLite, one row, WAL FULL", BENCH_NOTHING, run_sql, &subject->sql_synced);
    }
    bench_run(bench, 10);
    print_flatness(bench, subjects, count, "synced");
}

/* A session behind so many forks of forks. */
struct chain {
    uint64_t depth;
    struct xylem_side clone;
    struct xylem_side middle;
    struct xylem_side root;
};

/* The middle of a path is the leaf of the fork in the middle. */
static void make_chains(struct chain *chains, size_t count, struct xylem_store *store)
{
    static struct xylem_position leaves[DEEPEST + 1];
    uint64_t session = bench_session(store);
    uint64_t forks = 0;
    bench_append(store, session, 1, CHAIN_BASE, 0);
    leaves[0] = bench_leaf(store, session);
    for (size_t i = 0; i < count; i++) {
        for (; forks < chains[i].depth; forks++) {
            session = bench_fork(store, session, (struct xylem_position){0, 0});
            bench_append(store, session, leaves[forks].depth + 1, CHAIN_STEP, 0);
            leaves[forks + 1] = bench_leaf(store, session);
        }
        chains[i].clone = (struct xylem_side){store, session, {0, 0}};
        chains[i].middle = (struct xylem_side){store, session, leaves[forks / 2]};
        chains[i].root = (struct xylem_side){store, session, {leaves[0].branch, 1}};
    }
}

static const char *chain_table(struct bench *bench, const struct chain *chain)
{
    return bench_format(bench, "fork, no sync, a session behind %llu %s", (unsigned long long)chain->depth,
                        chain->depth == 1 ? "fork" : "forks of forks");
}

static void measure_chains(struct bench *bench)
{
    static struct chain chains[CHAINS] = {{.depth = 1}, {.depth = 100}, {.depth = 1000}, {.depth = DEEPEST}};
    static const char *const names[] = {clone_name, fork_name, root_name};
    struct bare_side bare = {.next = 0};
    size_t count = bench_quick(bench) ? 2 : CHAINS;
    const char *path = bench_format(bench, "%s/chain.xylem", bench_directory(bench));
    struct xylem_store *store = bench_store(path);
    make_chains(chains, count, store);
    make_bare(bench, &bare, path, "bare", MDB_NOSYNC);
    sync();
    for (size_t i = 0; i < count; i++) {
        const char *table = chain_table(bench, &chains[i]);
        add(bench, table, bare_name, BENCH_UNSYNCED, run_bare, &bare);
        add(bench, table, clone_name, BENCH_UNSYNCED, run_xylem, &chains[i].clone);
        add(bench, table, fork_name, BENCH_UNSYNCED, run_xylem, &chains[i].middle);
        add(bench, table, root_name, BENCH_UNSYNCED, run_xylem, &chains[i].root);
    }
    bench_run(bench, 8);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bench_flat(bench, names[i], chain_table(bench, &chains[0]), chain_table(bench, &chains[count - 1]));
    }
    mdb_env_close(bare.env);
    bench_xylem(xylem_close(store, NULL), "close", NULL);
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
    measure_chains(bench);
}

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "fork", measure);
}
