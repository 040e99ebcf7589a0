/*
 * What it costs to bring three kinds of state back (readonly, its nudge, which was delivered, and a sequence), warm:
 * by the length of the path and where on it the three entries lie, by the number of forks behind the leaf, by the
 * number of kinds on the path, and from a random leaf of a thousand. Every contestant finds the same three entries and
 * reads their data. xylem alone also verifies and decodes what it reads, and looks for each kind under two names.
 *
 * SQLite keeps an entry's branch and depth, so that the newest entry of a kind is one search in the index (branch,
 * kind, seq) for each branch that the path crosses; where a branch starts is a row of a table of branches. That is
 * what makes appending and forking as cheap as they are in xylem: a table of all ancestors would have to be copied
 * with each fork.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/bare.h"
#include "tests/bench/bench.h"
#include "tests/bench/data.h"
#include "tests/bench/sql.h"
#include "xylem/state.h"

enum { WANTED = 3, CHAIN_BASE = 1000, CHAIN_STEP = 2, KINDS_ENTRIES = 20000, LEAVES = 1000, LEAF_ENTRIES = 300 };

/* The same entries, once for each contestant. */
struct world {
    struct xylem_store *store;
    struct xylem_txn *txn;
    sqlite3 *database;
    sqlite3_stmt *newest;
    sqlite3_stmt *parent;
    sqlite3_stmt *recursive;
    uint64_t lsn; /* of SQLite's last row */
    MDB_env *env;
    MDB_dbi table;
    MDB_txn *bare_txn;
};

/* Where the state is asked for. */
struct place {
    struct xylem_position at;
    uint64_t branch; /* in SQLite */
    uint64_t seq;
    uint64_t lsn;
    uint64_t bare_branch;
    uint64_t bare_depths[WANTED];
};

struct subject {
    struct world *world;
    struct place *places;
    size_t place_count;
    uint64_t turn;
};

/* The depths at which the three were found, 0 for absent. The nudge's is not in a state: whether it is due is. */
struct answer {
    uint64_t readonly;
    uint64_t sequence;
    bool due;
};

typedef void ask_function(struct answer *answer, struct world *world, const struct place *place);

struct asked {
    struct subject *subject;
    ask_function *ask;
};

static void answer_from_state(struct answer *answer, struct xylem_state *state)
{
    answer->readonly = state->readonly.position.depth;
    answer->sequence = state->sequence.position.depth;
    answer->due = state->nudge.due;
    xylem_state_release(state);
}

/* The pieces that the peers ask for, too. Without the limit, xylem would also look for the todo list. */
#define PIECES (XYLEM_PIECE_READONLY | XYLEM_PIECE_NUDGE | XYLEM_PIECE_SEQUENCE)
static const struct xylem_reduce_options by_kind = {.pieces = PIECES};
static const struct xylem_reduce_options by_walk = {.pieces = PIECES, .scan = true};

static void ask_xylem(struct answer *answer, struct world *world, const struct place *place)
{
    struct xylem_state state;
    struct xylem_error err;
    bench_xylem(xylem_rehydrate(&state, world->txn, place->at, NULL, &by_kind, &err), "xylem_rehydrate", &err);
    answer_from_state(answer, &state);
}

static void ask_xylem_begin(struct answer *answer, struct world *world, const struct place *place)
{
    struct xylem_state state;
    struct xylem_txn *txn = NULL;
    struct xylem_error err;
    bench_xylem(xylem_begin(&txn, world->store, XYLEM_READ, &err), "xylem_begin", &err);
    bench_xylem(xylem_rehydrate(&state, txn, place->at, NULL, &by_kind, &err), "xylem_rehydrate", &err);
    answer_from_state(answer, &state);
    xylem_abort(txn);
}

static void ask_xylem_scan(struct answer *answer, struct world *world, const struct place *place)
{
    struct xylem_state state;
    struct xylem_error err;
    bench_xylem(xylem_rehydrate(&state, world->txn, place->at, NULL, &by_walk, &err), "xylem_rehydrate", &err);
    answer_from_state(answer, &state);
}

/* The floor gives no answer: it reads three records whose keys it was told. */
static void ask_bare(struct answer *answer, struct world *world, const struct place *place)
{
    unsigned char bytes[16];
    *answer = (struct answer){0};
    for (int i = 0; i < WANTED; i++) {
        MDB_val record;
        MDB_val key = bench_bare_key(bytes, place->bare_branch, place->bare_depths[i]);
        bench_bare(mdb_get(world->bare_txn, world->table, &key, &record), "a get");
        answer->readonly += *(const unsigned char *)record.mv_data;
    }
}

/* Touches the data of a row as a reader would, and takes its place over. */
static void take_row(struct answer *answer, bool *found, uint64_t kind, sqlite3_stmt *row, int seq, int payload)
{
    const unsigned char *data = sqlite3_column_blob(row, payload);
    uint64_t depth = (uint64_t)sqlite3_column_int64(row, seq);
    bench_use(data[0]);
    found[kind] = true;
    if (kind == BENCH_READONLY) {
        answer->readonly = depth;
    } else if (kind == BENCH_SEQUENCE) {
        answer->sequence = depth;
    }
}

static void ask_sql_index(struct answer *answer, struct world *world, const struct place *place)
{
    bool found[WANTED] = {false, false, false};
    uint64_t branch = place->branch;
    uint64_t seq = place->seq;
    *answer = (struct answer){0};
    while (branch != 0 && !(found[0] && found[1] && found[2])) {
        for (int kind = 0; kind < WANTED; kind++) {
            if (found[kind]) {
                continue;
            }
            sqlite3_bind_int64(world->newest, 1, (sqlite3_int64)branch);
            sqlite3_bind_int(world->newest, 2, kind);
            sqlite3_bind_int64(world->newest, 3, (sqlite3_int64)seq);
            if (sqlite3_step(world->newest) == SQLITE_ROW) {
                take_row(answer, found, (uint64_t)kind, world->newest, 0, 1);
            }
            sqlite3_reset(world->newest);
        }
        sqlite3_bind_int64(world->parent, 1, (sqlite3_int64)branch);
        bench_must(sqlite3_step(world->parent) == SQLITE_ROW, "a branch", "it is not there");
        branch = (uint64_t)sqlite3_column_int64(world->parent, 0);
        seq = (uint64_t)sqlite3_column_int64(world->parent, 1);
        sqlite3_reset(world->parent);
    }
}

static void ask_sql_recursive(struct answer *answer, struct world *world, const struct place *place)
{
    bool found[WANTED] = {false, false, false};
    *answer = (struct answer){0};
    sqlite3_bind_int64(world->recursive, 1, (sqlite3_int64)place->lsn);
    while (!(found[0] && found[1] && found[2]) && sqlite3_step(world->recursive) == SQLITE_ROW) {
        uint64_t kind = (uint64_t)sqlite3_column_int64(world->recursive, 0);
        if (!found[kind]) {
            take_row(answer, found, kind, world->recursive, 1, 2);
        }
    }
    sqlite3_reset(world->recursive);
}

static struct place *next_place(struct subject *subject)
{
    subject->turn = subject->turn * 6364136223846793005u + 1442695040888963407u;
    return &subject->places[subject->place_count == 1 ? 0 : (subject->turn >> 33) % subject->place_count];
}

static void run(void *context, uint64_t count)
{
    struct asked *asked = context;
    struct answer answer;
    for (uint64_t i = 0; i < count; i++) {
        asked->ask(&answer, asked->subject->world, next_place(asked->subject));
        bench_use(answer.readonly);
    }
}

static const struct row {
    const char *name;
    ask_function *ask;
    uint64_t longest; /* path that it is asked for: beyond, one sample would take seconds */
    bool answers;
    bool slow; /* it takes longer on a long path, or behind many forks */
} rows[] = {
    {"three bare mdb_get, keys known", ask_bare, UINT64_MAX, false, false},
    {"xylem_rehydrate", ask_xylem, UINT64_MAX, true, false},
    {"xylem begin, rehydrate, abort", ask_xylem_begin, UINT64_MAX, true, false},
    {"SQLite, index (branch, kind, seq)", ask_sql_index, UINT64_MAX, true, true},
    {"SQLite, recursive query", ask_sql_recursive, 100000, true, true},
    {"xylem_rehydrate, plain walk", ask_xylem_scan, UINT64_MAX, true, true},
};

enum { ROWS = sizeof rows / sizeof *rows, SUBJECTS_MAX = 32 };

/* Every subject that is measured at once, for the check. */
struct subjects {
    struct subject *list[SUBJECTS_MAX];
    size_t count;
    size_t turn;
};

static bool is_asked(const struct row *row, const struct place *place)
{
    return place->seq - WANTED <= row->longest;
}

/* Asks all contestants about one place; those that read a whole path, once in a while if it is long. */
static void check(void *context)
{
    struct subjects *subjects = context;
    struct subject *subject = subjects->list[subjects->turn % subjects->count];
    const struct place *place = next_place(subject);
    bool all = place->seq < 2000 || subjects->turn / subjects->count % 128 == 0;
    struct answer first;
    subjects->turn++;
    ask_xylem(&first, subject->world, place);
    for (size_t i = 0; i < ROWS; i++) {
        struct answer answer;
        if (!rows[i].answers || !is_asked(&rows[i], place) || (rows[i].slow && !all)) {
            continue;
        }
        rows[i].ask(&answer, subject->world, place);
        bench_must(answer.readonly == first.readonly && answer.sequence == first.sequence && answer.due == first.due,
                   rows[i].name, "it gives another answer than xylem_rehydrate");
    }
}

static void add_subject(struct bench *bench, struct subjects *subjects, struct subject *subject, const char *table)
{
    bench_must(subjects->count < SUBJECTS_MAX, table, "too many subjects");
    subjects->list[subjects->count++] = subject;
    for (size_t i = 0; i < ROWS; i++) {
        if (!is_asked(&rows[i], &subject->places[0])) {
            continue;
        }
        struct asked *asked = calloc(1, sizeof *asked);
        bench_must(asked != NULL, table, "out of memory");
        *asked = (struct asked){subject, rows[i].ask};
        bench_add_read(bench, table, rows[i].name, run, asked);
    }
}

static struct world *world_new(struct bench *bench, const char *name)
{
    struct world *world = calloc(1, sizeof *world);
    bench_must(world != NULL, name, "out of memory");
    world->store = bench_store(bench_path(bench, bench_format(bench, "%s.xylem", name)));
    world->database = bench_sql_open(bench_path(bench, bench_format(bench, "%s.sqlite", name)), "OFF");
    world->env = bench_bare_open(&world->table, bench_path(bench, bench_format(bench, "%s.bare", name)), MDB_NOSYNC);
    return world;
}

/* From now on every contestant reads in a transaction that stays open. */
static void world_read(struct world *world)
{
    struct xylem_error err;
    bench_xylem(xylem_begin(&world->txn, world->store, XYLEM_READ, &err), "a transaction", &err);
    bench_bare(mdb_txn_begin(world->env, NULL, MDB_RDONLY, &world->bare_txn), "a transaction");
    bench_sql_exec(world->database, "PRAGMA wal_checkpoint(TRUNCATE)");
    bench_sql_exec(world->database, "BEGIN");
    world->newest =
        bench_sql_prepare(world->database, "SELECT seq, payload FROM entries WHERE branch = ?1 AND kind = ?2"
                                           " AND seq <= ?3 ORDER BY seq DESC LIMIT 1");
    world->parent =
        bench_sql_prepare(world->database, "SELECT parent_branch, parent_seq FROM branches WHERE branch = ?1");
    world->recursive = bench_sql_prepare(
        world->database, "WITH RECURSIVE path(lsn, parent, kind, seq) AS"
                         " (SELECT lsn, parent, kind, seq FROM entries WHERE lsn = ?1 UNION ALL"
                         " SELECT e.lsn, e.parent, e.kind, e.seq FROM path JOIN entries e ON e.lsn = path.parent)"
                         " SELECT kind, seq, (SELECT payload FROM entries WHERE lsn = path.lsn) FROM path"
                         " WHERE kind < 3");
}

static void world_free(struct world *world)
{
    xylem_abort(world->txn);
    bench_xylem(xylem_close(world->store, NULL), "close", NULL);
    sqlite3_finalize(world->newest);
    sqlite3_finalize(world->parent);
    sqlite3_finalize(world->recursive);
    bench_sql_exec(world->database, "COMMIT");
    sqlite3_close(world->database);
    mdb_txn_abort(world->bare_txn);
    mdb_env_close(world->env);
    free(world);
}

/* A branch of SQLite with `count` entries after `seq` of `parent_branch`, of which `parent_lsn` is the entry. */
static void sql_branch(struct world *world, uint64_t branch, uint64_t parent_branch, uint64_t seq, uint64_t parent_lsn,
                       uint64_t count, uint64_t wanted_at)
{
    char text[160];
    snprintf(text, sizeof text, "INSERT INTO branches VALUES(%llu, %llu, %llu)", (unsigned long long)branch,
             (unsigned long long)parent_branch, (unsigned long long)seq);
    bench_sql_exec(world->database, text);
    bench_sql_append(world->database, branch, seq, world->lsn + 1, parent_lsn, seq + 1, count, wanted_at);
    world->lsn += count;
}

/* A fork of the session at `at` with `count` entries of its own. Gives its number. */
static uint64_t fork_with(struct xylem_store *store, uint64_t source, struct xylem_position at, uint64_t count,
                          uint64_t wanted_at)
{
    uint64_t number = bench_fork(store, source, at);
    bench_append(store, number, at.depth + 1, count, wanted_at);
    return number;
}

/* The path of one session up to the tip, in the middle, at the root, and a path that has none of the three. */
static const char *const where[] = {"at the tip", "in the middle", "at the root", "absent"};

static void make_size(struct world *world, struct place *places, uint64_t size)
{
    struct xylem_store *store = world->store;
    uint64_t half = size / 2;
    uint64_t plain = bench_session(store);
    bench_append(store, plain, 1, size + WANTED, size + 1);
    struct xylem_position tip = bench_leaf(store, plain);
    uint64_t middle = fork_with(store, plain, (struct xylem_position){tip.branch, half}, size - half, half + 1);
    uint64_t root = bench_session(store);
    bench_append(store, root, 1, size, 1);
    sql_branch(world, 1, 0, 0, 0, size + WANTED, size + 1);
    sql_branch(world, 2, 1, half, half, size - half, half + 1);
    uint64_t middle_lsn = world->lsn;
    sql_branch(world, 3, 0, 0, 0, size, 1);
    bench_bare_fill(world->env, world->table, 1, size, 0, 88);
    uint64_t quarter = size / 4;
    places[0] = (struct place){tip, 1, size + WANTED, size + WANTED, 1, {size - 2, size - 1, size}};
    places[1] = (struct place){bench_leaf(store, middle), 2, size, middle_lsn, 1, {half + 1, half + 2, half + 3}};
    places[2] = (struct place){bench_leaf(store, root), 3, size, world->lsn, 1, {1, 2, 3}};
    places[3] = (struct place){{tip.branch, size}, 1, size, size, 1, {quarter, quarter * 2, quarter * 3}};
    world_read(world);
}

static const uint64_t sizes[] = {1000, 10000, 100000, 1000000};

static const char *size_table(struct bench *bench, uint64_t size, size_t place)
{
    return bench_format(bench, "three kinds %s, path of %llu entries", where[place], (unsigned long long)size);
}

static void measure_sizes(struct bench *bench)
{
    static struct place places[4][4];
    static struct subject subject[4][4];
    struct world *worlds[4];
    struct subjects all = {.count = 0, .turn = 0};
    size_t count = bench_quick(bench) ? 2 : 4;
    for (size_t i = 0; i < count; i++) {
        worlds[i] = world_new(bench, bench_format(bench, "size-%zu", i));
        make_size(worlds[i], places[i], sizes[i]);
    }
    for (size_t k = 0; k < 4; k++) {
        for (size_t i = 0; i < count; i++) {
            subject[i][k] = (struct subject){.world = worlds[i], .places = &places[i][k], .place_count = 1};
            add_subject(bench, &all, &subject[i][k], size_table(bench, sizes[i], k));
        }
    }
    bench_check(bench, check, &all);
    bench_run(bench, 30);
    for (size_t k = 0; k < 4; k++) {
        bench_flat(bench, "xylem_rehydrate", size_table(bench, sizes[0], k), size_table(bench, sizes[count - 1], k));
    }
    for (size_t i = 0; i < count; i++) {
        world_free(worlds[i]);
    }
}

static const uint64_t depths[] = {1, 10, 100, 1000, 10000};

/* A chain of forks of forks, two entries on each; the three kinds lie in the middle of the session before them. */
static void make_chain(struct world *world, struct place *places, size_t count)
{
    uint64_t session = bench_session(world->store);
    bench_append(world->store, session, 1, CHAIN_BASE, CHAIN_BASE / 2);
    sql_branch(world, 1, 0, 0, 0, CHAIN_BASE, CHAIN_BASE / 2);
    bench_bare_fill(world->env, world->table, 1, CHAIN_BASE + CHAIN_STEP * depths[count - 1], CHAIN_BASE / 2, 88);
    size_t next = 0;
    for (uint64_t fork = 1; next < count; fork++) {
        struct xylem_position leaf = bench_leaf(world->store, session);
        session = fork_with(world->store, session, leaf, CHAIN_STEP, 0);
        sql_branch(world, fork + 1, fork, leaf.depth, world->lsn, CHAIN_STEP, 0);
        if (fork == depths[next]) {
            uint64_t half = CHAIN_BASE / 2;
            places[next++] =
                (struct place){bench_leaf(world->store, session), fork + 1, leaf.depth + CHAIN_STEP, world->lsn, 1,
                               {half, half + 1, half + 2}};
        }
    }
    world_read(world);
}

static const char *chain_table(struct bench *bench, uint64_t depth)
{
    return bench_format(bench, "three kinds on a path of %llu entries, behind %llu %s",
                        (unsigned long long)(CHAIN_BASE + CHAIN_STEP * depth), (unsigned long long)depth,
                        depth == 1 ? "fork" : "forks of forks");
}

static void measure_chain(struct bench *bench)
{
    static struct place places[5];
    static struct subject subject[5];
    struct subjects all = {.count = 0, .turn = 0};
    size_t count = bench_quick(bench) ? 3 : 5;
    struct world *world = world_new(bench, "chain");
    make_chain(world, places, count);
    for (size_t i = 0; i < count; i++) {
        subject[i] = (struct subject){.world = world, .places = &places[i], .place_count = 1};
        add_subject(bench, &all, &subject[i], chain_table(bench, depths[i]));
    }
    bench_check(bench, check, &all);
    bench_run(bench, 10);
    bench_flat(bench, "xylem_rehydrate", chain_table(bench, depths[0]), chain_table(bench, depths[count - 1]));
    world_free(world);
}

/* Those that are asked for, messages, and others. */
static const int kinds[] = {4, 12, 100, 1000};

/* The three lie in the middle, and each of the other kinds before and after them. */
static void make_kinds(struct world *world, struct place *place, int kind_count)
{
    uint64_t half = KINDS_ENTRIES / 2;
    uint64_t session = bench_session(world->store);
    bench_other_kinds(kind_count - WANTED - 1);
    bench_append(world->store, session, 1, KINDS_ENTRIES, half);
    sql_branch(world, 1, 0, 0, 0, KINDS_ENTRIES, half);
    bench_bare_fill(world->env, world->table, 1, KINDS_ENTRIES, half, 88);
    bench_other_kinds(BENCH_OTHER_KINDS);
    *place =
        (struct place){bench_leaf(world->store, session), 1, KINDS_ENTRIES, world->lsn, 1, {half, half + 1, half + 2}};
    world_read(world);
}

static const char *kinds_table(struct bench *bench, int kind_count)
{
    return bench_format(bench, "three of %d kinds on a path of %d entries", kind_count, KINDS_ENTRIES);
}

static void measure_kinds(struct bench *bench)
{
    static struct place places[4];
    static struct subject subject[4];
    struct world *worlds[4];
    struct subjects all = {.count = 0, .turn = 0};
    size_t count = bench_quick(bench) ? 2 : 4;
    for (size_t i = 0; i < count; i++) {
        worlds[i] = world_new(bench, bench_format(bench, "kinds-%d", kinds[i]));
        make_kinds(worlds[i], &places[i], kinds[i]);
        subject[i] = (struct subject){.world = worlds[i], .places = &places[i], .place_count = 1};
        add_subject(bench, &all, &subject[i], kinds_table(bench, kinds[i]));
    }
    bench_check(bench, check, &all);
    bench_run(bench, 8);
    bench_flat(bench, "xylem_rehydrate", kinds_table(bench, kinds[0]), kinds_table(bench, kinds[count - 1]));
    for (size_t i = 0; i < count; i++) {
        world_free(worlds[i]);
    }
}

static void measure_leaves(struct bench *bench)
{
    static struct place places[LEAVES];
    struct subject subject = {.places = places, .place_count = LEAVES};
    struct subjects all = {.count = 0, .turn = 0};
    struct world *world = world_new(bench, "leaves");
    for (uint64_t i = 0; i < LEAVES; i++) {
        uint64_t wanted = 1 + bench_random(bench) % (LEAF_ENTRIES - WANTED);
        uint64_t session = bench_session(world->store);
        bench_append(world->store, session, 1, LEAF_ENTRIES, wanted);
        sql_branch(world, i + 1, 0, 0, 0, LEAF_ENTRIES, wanted);
        bench_bare_fill(world->env, world->table, i + 1, LEAF_ENTRIES, wanted, 88);
        places[i] = (struct place){bench_leaf(world->store, session), i + 1, LEAF_ENTRIES, world->lsn, i + 1,
                                   {wanted, wanted + 1, wanted + 2}};
    }
    world_read(world);
    subject.world = world;
    add_subject(
        bench, &all, &subject,
        bench_format(bench, "three kinds, from a random leaf of %d sessions of %d entries", LEAVES, LEAF_ENTRIES));
    bench_check(bench, check, &all);
    bench_run(bench, 5);
    world_free(world);
}

static void measure(struct bench *bench)
{
    measure_sizes(bench);
    measure_chain(bench);
    measure_kinds(bench);
    measure_leaves(bench);
    bench_note(bench, "xylem's sums are verified and its data decoded; SQLite's rows are neither.");
    bench_note(bench,
               "SQLite: statements prepared once, in one read transaction, the database mapped (mmap_size 2 GB), a "
               "cache of 64 MB, the write-ahead log emptied; one search for each kind that is not found yet, and "
               "one for the parent, on each branch that the path crosses.");
    bench_note(bench, "The recursive query is left out beyond 100,000 entries.");
}

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "rehydrate", measure);
}
