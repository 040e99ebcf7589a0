/*
 * What it costs to bring three kinds of state back (readonly, its nudge, which was delivered, and a sequence), warm:
 * by the length of the path and where on it the three entries lie, by the number of forks behind the leaf, and by the
 * number of kinds on the path. Each row finds the same three entries and reads their data. xylem alone also verifies
 * and decodes what it reads, and looks for each kind under two names.
 *
 * SQLite keeps an entry's branch and depth, so that the newest entry of a kind is one search in the index (branch,
 * kind, seq) for each branch that the path crosses; where a branch starts is a row of a table of branches. That is
 * what makes appending and forking as cheap as they are in xylem: a table of all ancestors would have to be copied
 * with each fork.
 */
#include <endian.h>

#include "tests/bench/stores.h"
#include "xylem/state.h"

enum { PLACES = 4, CHAIN_BASE = 1000, CHAIN_STEP = 2, KINDS_ENTRIES = 20000, RECORD_BYTES = 380 };

/* The same entries in each store, which read in transactions that stay open. */
struct world {
    struct xylem_txn *txn;
    sqlite3_stmt *newest;
    sqlite3_stmt *parent;
    struct bench_bare bare; /* as many records as the longest path has */
};

/* Where the state is asked for. */
struct place {
    struct world *world;
    struct xylem_position at;
    uint64_t wanted; /* the depth of the first of the three entries; the others stand behind it */
};

/* The floor gives no answer: it reads three records whose keys it was told. */
static void run_bare(struct bench_call call)
{
    const struct place *place = call.subject;
    for (uint64_t i = 0; i < BENCH_WANTED; i++) {
        uint64_t numbers[2] = {0, htobe64(place->wanted + i)};
        MDB_val key = {sizeof numbers, numbers};
        MDB_val record;
        bench_bare(mdb_get(place->world->bare.txn, place->world->bare.table, &key, &record));
        bench_use(*(const unsigned char *)record.mv_data);
    }
}

/* The depths of readonly and of the sequence; 0: absent. The nudge is not in a state, only whether it is due. */
static struct found {
    uint64_t readonly;
    uint64_t sequence;
} found;

/* The pieces that SQLite looks for, too: without the limit, xylem would also look for the todo list. */
static void run_xylem(struct bench_call call)
{
    static const struct xylem_reduce_options options = {.pieces = XYLEM_PIECE_READONLY | XYLEM_PIECE_NUDGE |
                                                                  XYLEM_PIECE_SEQUENCE};
    const struct place *place = call.subject;
    struct xylem_state state;
    bench_xylem(xylem_rehydrate(&state, place->world->txn, place->at, NULL, &options, &bench_err));
    bench_must(!state.nudge.due, "the nudge", "it was delivered");
    found = (struct found){state.readonly.position.depth, state.sequence.position.depth};
    xylem_state_release(&state);
}

static void run_sql(struct bench_call call)
{
    const struct place *place = call.subject;
    const struct world *world = place->world;
    uint64_t depths[BENCH_WANTED] = {0, 0, 0};
    uint64_t branch = place->at.branch;
    uint64_t seq = place->at.depth;
    while (branch != 0 && !(depths[0] && depths[1] && depths[2])) {
        for (uint64_t kind = 0; kind < BENCH_WANTED; kind++) {
            if (depths[kind]) {
                continue;
            }
            BENCH_SQL_BIND(world->newest, branch, kind, seq);
            if (sqlite3_step(world->newest) == SQLITE_ROW) {
                depths[kind] = (uint64_t)sqlite3_column_int64(world->newest, 0);
                bench_use(*(const unsigned char *)sqlite3_column_blob(world->newest, 1));
            }
            sqlite3_reset(world->newest);
        }
        BENCH_SQL_BIND(world->parent, branch);
        bench_must(sqlite3_step(world->parent) == SQLITE_ROW, "a branch", "it is not there");
        branch = (uint64_t)sqlite3_column_int64(world->parent, 0);
        seq = (uint64_t)sqlite3_column_int64(world->parent, 1);
        sqlite3_reset(world->parent);
    }
    found = (struct found){depths[0], depths[2]};
}

static const struct bench_row rows[] = {
    {"three bare mdb_get, keys known", BENCH_READS, .run = run_bare},
    {"xylem_rehydrate", BENCH_READS, .run = run_xylem},
    {"SQLite, index (branch, kind, seq)", BENCH_READS, .run = run_sql},
};

/* Adds the table of the place, where both must find the same. */
static size_t add_table(struct place *place, const char *name)
{
    run_xylem((struct bench_call){place, 0});
    struct found by_xylem = found;
    run_sql((struct bench_call){place, 0});
    bench_must(by_xylem.readonly == found.readonly && by_xylem.sequence == found.sequence, name,
               "SQLite finds other entries than xylem");
    return bench_table(name, place, BENCH_ROWS(rows));
}

/* Makes the other stores of the one of xylem: from now on all of them are read. */
static struct world *read_world(const struct bench_made *made, size_t longest)
{
    struct world *world = calloc(1, sizeof *world);
    sqlite3 *database = bench_sql_copy(bench_text("%s.sqlite", made->path), made->store, made->path);
    bench_must(world != NULL, made->path, "out of memory");
    bench_bare_open(&world->bare, bench_text("%s.bare", made->path), NULL, MDB_NOSYNC);
    bench_bare_put(&world->bare, longest, RECORD_BYTES);
    bench_bare(mdb_txn_begin(world->bare.env, NULL, MDB_RDONLY, &world->bare.txn));
    bench_sql_exec(database, "BEGIN");
    world->newest = bench_sql_prepare(database, "SELECT seq, payload FROM entries WHERE branch = ?1 AND kind = ?2"
                                                " AND seq <= ?3 ORDER BY seq DESC LIMIT 1");
    world->parent = bench_sql_prepare(database, "SELECT parent_branch, parent_seq FROM branches WHERE branch = ?1");
    world->txn = bench_begin(made->store, XYLEM_READ);
    return world;
}

/* The path of one session up to the tip, in the middle, at the root, and a path that has none of the three. */
static void make_places(struct place *places, size_t size)
{
    uint64_t half = size / 2;
    struct bench_made made = bench_make(bench_path("size-%zu", size), size + BENCH_WANTED, size + 1);
    uint64_t branch = made.leaf.branch;
    uint64_t fork = bench_fork(made.store, made.session, (struct xylem_position){branch, half});
    bench_append(made.store, fork, size - half, half + 1);
    struct xylem_position middle = bench_leaf(made.store, fork);
    uint64_t other = bench_session(made.store);
    bench_append(made.store, other, size, 1);
    struct xylem_position root = bench_leaf(made.store, other);
    struct world *world = read_world(&made, size + BENCH_WANTED);
    places[0] = (struct place){world, made.leaf, size + 1};
    places[1] = (struct place){world, middle, half + 1};
    places[2] = (struct place){world, root, 1};
    places[3] = (struct place){world, {branch, size}, half};
}

static void measure_sizes(void)
{
    static const size_t sizes[] = {1000, 10000, 100000, 1000000};
    static const char *const where[PLACES] = {"at the tip", "in the middle", "at the root", "absent"};
    static struct place places[4][PLACES];
    size_t tables[4][PLACES];
    size_t last = bench_quick ? 1 : 3;
    for (size_t i = 0; i <= last; i++) {
        make_places(places[i], sizes[i]);
        for (size_t k = 0; k < PLACES; k++) {
            const char *name = bench_text("three kinds %s, path of %zu entries", where[k], sizes[i]);
            tables[i][k] = add_table(&places[i][k], name);
        }
    }
    bench_run(20);
    for (size_t k = 0; k < PLACES; k++) {
        bench_flat(1, tables[0][k], tables[last][k]);
    }
}

/* A chain of forks of forks, two entries on each; the three kinds lie in the middle of the session before them. */
static void measure_chain(void)
{
    static const size_t depths[] = {1, 10, 100, 1000, 10000};
    static struct place places[5];
    struct bench_made made = bench_make(bench_path("chain"), CHAIN_BASE, CHAIN_BASE / 2);
    uint64_t session = made.session;
    size_t count = bench_quick ? 3 : 5;
    size_t table = 0;
    for (size_t i = 0, forks = 0; i < count; i++) {
        for (; forks < depths[i]; forks++) {
            session = bench_fork(made.store, session, (struct xylem_position){0, 0});
            bench_append(made.store, session, CHAIN_STEP, 0);
        }
        places[i] = (struct place){NULL, bench_leaf(made.store, session), CHAIN_BASE / 2};
    }
    struct world *world = read_world(&made, CHAIN_BASE + CHAIN_STEP * depths[count - 1]);
    for (size_t i = 0; i < count; i++) {
        places[i].world = world;
        size_t length = CHAIN_BASE + CHAIN_STEP * depths[i];
        const char *forks = depths[i] == 1 ? "fork" : "forks of forks";
        table = add_table(&places[i],
                          bench_text("three kinds on a path of %zu entries, behind %zu %s", length, depths[i], forks));
    }
    bench_run(10);
    bench_flat(1, 0, table);
}

/* The three lie in the middle, and each of the other kinds, of which messages are one, before and after them. */
static void measure_kinds(void)
{
    static const int kinds[] = {4, 12, 100, 1000};
    static struct place places[4];
    for (size_t i = 0; i < (bench_quick ? 2 : 4); i++) {
        bench_other_kinds = kinds[i] - BENCH_WANTED - 1;
        struct bench_made made = bench_make(bench_path("kinds-%d", kinds[i]), KINDS_ENTRIES, KINDS_ENTRIES / 2);
        places[i] = (struct place){read_world(&made, KINDS_ENTRIES), made.leaf, KINDS_ENTRIES / 2};
        add_table(&places[i], bench_text("three of %d kinds on a path of %d entries", kinds[i], KINDS_ENTRIES));
    }
    bench_run(8);
}

BENCH("rehydrate")
{
    measure_sizes();
    measure_chain();
    measure_kinds();
    bench_note("xylem's sums are verified and its data decoded; SQLite's rows are neither. SQLite: statements prepared "
               "once, in one read transaction, the database mapped (mmap_size 2 GB), a cache of 64 MB, the write-ahead "
               "log emptied; one search for each kind that is not found yet, and one for the parent, on each branch "
               "that the path crosses.");
}
