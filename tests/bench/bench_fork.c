/*
 * What a fork costs, by the size of the session that is forked and by the number of forks behind it, and how much it
 * adds to the file. Beside xylem: one row that LMDB itself puts and commits in a copy of the same store; the row that
 * SQLite would insert if it shared entries between sessions as xylem does; and what hosts do today, a copy of the
 * session file, which nobody syncs.
 */
#include "tests/bench/stores.h"
#include "xylem/inspect.h"

enum { CLONE, MIDDLE, ROOT, PLACES };

enum {
    FORKS_A_SAMPLE = 32,
    FORKS_COUNTED = 1000,
    ROW_BYTES = 200,
    DEEPEST = 10000,
    CHAIN_BASE = 1000, /* entries of the session before all forks */
    CHAIN_STEP = 2     /* and of each fork */
};

/* One commit is one fork, in each of them. */
struct subject {
    struct xylem_store *stores[2]; /* unsynced and synced */
    uint64_t session;
    struct xylem_position at[PLACES]; /* none: a clone */
    struct bench_bare *bare;
    sqlite3 *database;
    sqlite3_stmt *insert;
    const char *file;
    const char *copy;
};

static int synced; /* which of both is measured */

static void run_bare(struct bench_call call)
{
    bench_bare_put(((const struct subject *)call.subject)->bare, 1, ROW_BYTES);
}

static void run_xylem(struct bench_call call)
{
    const struct subject *subject = call.subject;
    bench_fork(subject->stores[synced], subject->session, subject->at[call.how]);
}

static void run_sql(struct bench_call call)
{
    static uint64_t next = 1;
    const struct subject *subject = call.subject;
    char id[32];
    int bytes = snprintf(id, sizeof id, "%016llx", (unsigned long long)next);
    BENCH_SQL_BIND(subject->insert, next++, subject->at[MIDDLE].depth * 2);
    sqlite3_bind_blob(subject->insert, 3, id, bytes, SQLITE_STATIC);
    bench_sql_run(subject->insert);
}

static void run_copy(struct bench_call call)
{
    const struct subject *subject = call.subject;
    bench_copy_file(subject->file, subject->copy, BENCH_PIECE_BYTES);
}

static void remove_copy(struct bench_call call)
{
    unlink(((const struct subject *)call.subject)->copy);
}

/* Unsynced and synced; of the latter without the copy. The first four stand in the tables of chains: without peers. */
enum { ROWS_OF_CHAINS = 4, ROWS_SYNCED, ROWS };

#define ROWS_OF(loses, sqlite, sqlite_loses)                                                            \
    {                                                                                                   \
        {"bare mdb_put and commit, one row", loses, run_bare, 0, FORKS_A_SAMPLE, NULL, NULL},           \
            {"xylem_clone and commit", loses, run_xylem, CLONE, FORKS_A_SAMPLE, NULL, NULL},            \
            {"xylem_fork in the middle, commit", loses, run_xylem, MIDDLE, FORKS_A_SAMPLE, NULL, NULL}, \
            {"xylem_fork at the root, commit", loses, run_xylem, ROOT, FORKS_A_SAMPLE, NULL, NULL},     \
            {sqlite, sqlite_loses, run_sql, 0, FORKS_A_SAMPLE, NULL, NULL},                             \
            {"copy of the session file", BENCH_UNSYNCED, run_copy, 0, 1, NULL, remove_copy},            \
    }

static const struct bench_row rows[2][ROWS] = {
    ROWS_OF(BENCH_UNSYNCED, "SQLite, one row, WAL NORMAL", BENCH_LAST_COMMIT),
    ROWS_OF(BENCH_NOTHING, "SQLite, one row, WAL FULL", BENCH_NOTHING),
};

/* A copy of the store: what its appends left free is part of what a commit costs. */
static struct bench_bare *open_bare(const char *store_path)
{
    struct bench_bare *bare = calloc(1, sizeof *bare);
    const char *path = bench_text("%s.bare", store_path);
    bench_must(bare && mkdir(path, 0700) == 0, path, "cannot be made");
    bench_copy_file(bench_text("%s/data.mdb", store_path), bench_text("%s/data.mdb", path), BENCH_PIECE_BYTES);
    bench_bare_open(bare, path, "rows", MDB_NOSYNC);
    return bare;
}

static void make(struct subject *subject, size_t size)
{
    const char *path = bench_path("%zu", size);
    struct bench_made made = bench_make(path, size, 0);
    uint64_t branch = made.leaf.branch;
    *subject = (struct subject){.stores = {made.store, bench_open(path, XYLEM_DURABILITY_FULL)},
                                .session = made.session,
                                .at = {{0, 0}, {branch, size / 2}, {branch, 1}},
                                .bare = open_bare(path),
                                .database = bench_sql_copy(bench_text("%s.sqlite", path), made.store, path),
                                .file = bench_text("%s.jsonl", path),
                                .copy = bench_text("%s.copy", path)};
    subject->insert = bench_sql_prepare(subject->database, "INSERT INTO sessions VALUES(?1, 1, ?2, 0, ?3)");
    bench_export(made.store, made.session, subject->file);
}

/* Free pages are taken before the file grows. */
static double used_bytes(struct xylem_store *store)
{
    struct xylem_stat stat;
    struct xylem_txn *txn = bench_begin(store, XYLEM_READ);
    bench_xylem(xylem_stat_read(&stat, txn, &bench_err));
    xylem_abort(txn);
    return (double)stat.file_bytes - (double)stat.free_bytes;
}

static void count_bytes(struct subject *subject)
{
    double before = used_bytes(subject->stores[0]);
    for (int i = 0; i < FORKS_COUNTED; i++) {
        run_xylem((struct bench_call){subject, CLONE});
    }
    bench_figure(bench_text("added to the store by each clone of a session of %zu entries",
                            (size_t)subject->at[MIDDLE].depth * 2),
                 (used_bytes(subject->stores[0]) - before) / FORKS_COUNTED, "bytes");
}

static void measure_sizes(void)
{
    static const size_t sizes[] = {1000, 10000, 100000, 1000000};
    static struct subject subjects[4];
    size_t count = bench_quick ? 2 : 4;
    size_t table = 0;
    for (size_t i = 0; i < count; i++) {
        make(&subjects[i], sizes[i]);
        count_bytes(&subjects[i]);
    }
    for (synced = 0; synced < 2; synced++) {
        sync(); /* what was written before is no part of what is measured */
        for (size_t i = 0; i < count; i++) {
            bench_sql_exec(subjects[i].database, synced ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL");
            bench_bare(mdb_env_set_flags(subjects[i].bare->env, MDB_NOSYNC, !synced));
            table =
                bench_table(bench_text("fork, %s, a session of %zu entries", synced ? "synced" : "no sync", sizes[i]),
                            &subjects[i], rows[synced], synced ? ROWS_SYNCED : ROWS);
        }
        bench_run(synced ? 10 : 12);
        bench_flat(1, 0, table);
        bench_flat(2, 0, table);
    }
    synced = 0;
}

/* A session behind so many forks of forks. The middle of a path is the leaf of the fork in the middle. */
static void measure_chains(void)
{
    static const size_t depths[] = {1, 100, 1000, DEEPEST};
    static struct xylem_position leaves[DEEPEST + 1];
    static struct subject chains[4];
    struct bench_made made = bench_make(bench_path("chain"), CHAIN_BASE, 0);
    uint64_t session = made.session;
    size_t table = 0;
    leaves[0] = made.leaf;
    for (size_t i = 0, forks = 0; i < (bench_quick ? 2 : 4); i++) {
        while (forks < depths[i]) {
            session = bench_fork(made.store, session, (struct xylem_position){0, 0});
            bench_append(made.store, session, CHAIN_STEP, 0);
            leaves[++forks] = bench_leaf(made.store, session);
        }
        chains[i] = (struct subject){
            .stores = {made.store}, .session = session, .at = {{0, 0}, leaves[forks / 2], {leaves[0].branch, 1}}};
        table = bench_table(
            bench_text("fork, no sync, a session behind %zu %s", depths[i], depths[i] == 1 ? "fork" : "forks of forks"),
            &chains[i], rows[0], ROWS_OF_CHAINS);
    }
    chains[0].bare = chains[1].bare = chains[2].bare = chains[3].bare = open_bare(made.path);
    sync();
    bench_run(8);
    for (size_t row = 1; row < ROWS_OF_CHAINS; row++) {
        bench_flat(row, 0, table);
    }
}

BENCH("fork")
{
    measure_sizes();
    measure_chains();
}
