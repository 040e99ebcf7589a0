/*
 * What it costs to append a message of 300 bytes: one in a commit, and a hundred in one, in each durability mode, with
 * ids that xylem makes and ids that the host gives (8 hex digits, in no order). Beside it a bare mdb_put of records as
 * long as those that xylem writes, which ratios are taken against; the same bytes appended to a file, without a sync
 * and with one; and SQLite with what it would need for the same questions.
 */
#include "tests/bench/stores.h"
#include "xylem/append.h"

enum { MADE, GIVEN, IDS };

enum {
    MANY = 100, /* entries of a commit, also while the stores are filled: they grow, as stores of hosts do */
    MODES = 3,
    SIZES = 3,
    MIDDLE = 1 /* of the sizes: there are the peers */
};

/* What is measured just now. */
static enum xylem_durability mode;
static size_t batch; /* entries of a commit */

/* The stores of one size. */
static struct shelf {
    size_t entry_count;
    const char *size; /* in words */
    const char *paths[IDS];
    struct xylem_store *stores[IDS][MODES];
    uint64_t sessions[IDS];
    struct bench_bare bare; /* one table without a name, with as many records */
} shelves[SIZES] = {{.entry_count = 1000, .size = "1,000"},
                    {.entry_count = 100000, .size = "100,000"},
                    {.entry_count = 1000000, .size = "1,000,000"}};

static size_t record_bytes; /* of the log's last record */

/* --- Stores in LMDB ----------------------------------------------------------------------------------------------- */

static struct xylem_new_entry entries[MANY]; /* of the next commit */
static char ids[MANY][BENCH_ENTRY_ID_BYTES + 1];

static void prepare_entries(struct bench_call call)
{
    static uint32_t next_id;
    entries[0] = bench_message();
    for (size_t i = 0; i < batch; i++) {
        bench_entry_id(ids[i], next_id++);
        entries[i] = entries[0];
        entries[i].id = xylem_view_of(call.how == GIVEN ? ids[i] : NULL);
    }
}

static void run_xylem(struct bench_call call)
{
    const struct shelf *shelf = call.subject;
    struct xylem_txn *txn = bench_begin(shelf->stores[call.how][mode], XYLEM_WRITE);
    bench_xylem(xylem_append(NULL, txn, shelf->sessions[call.how], entries, batch, NULL, &bench_err));
    bench_commit(txn);
}

static void run_bare(struct bench_call call)
{
    bench_bare_put(&((struct shelf *)call.subject)->bare, batch, record_bytes);
}

/*
 * Writes the closed environment's file anew, page by page. A kernel that keeps large writes as large units (ext4 since
 * Linux 6.16) takes longer for each page that is then written into one, so that a store filled by large commits would
 * cost more than one that grew by small ones: here all are as if they had grown.
 */
static void settle(const char *path)
{
    const char *from = bench_text("%s/data.mdb", path);
    const char *to = bench_text("%s/settled", path);
    bench_copy_file(from, to, 4096);
    bench_must(rename(to, from) == 0, from, "cannot be replaced");
}

static void fill(struct shelf *shelf, void (*run)(struct bench_call call), int how)
{
    for (size_t left = shelf->entry_count; left > 0; left -= batch) {
        batch = left < MANY ? left : MANY;
        prepare_entries((struct bench_call){shelf, how});
        run((struct bench_call){shelf, how});
    }
}

static void fill_store(struct shelf *shelf, int how)
{
    const char *path = shelf->paths[how] = bench_path("%zu-%d", shelf->entry_count, how);
    mode = XYLEM_DURABILITY_NONE;
    shelf->stores[how][mode] = bench_open(path, mode);
    shelf->sessions[how] = bench_session(shelf->stores[how][mode]);
    fill(shelf, run_xylem, how);
    bench_close(shelf->stores[how][mode]);
    settle(path);
    for (unsigned each = 0; each < MODES; each++) {
        shelf->stores[how][each] = bench_open(path, each);
    }
}

static void fill_bare(struct shelf *shelf)
{
    const char *path = bench_path("%zu-bare", shelf->entry_count);
    struct bench_bare log = {.env = NULL};
    MDB_val key;
    MDB_val record;
    bench_bare_read(&log, shelf->paths[MADE], BENCH_BARE_LOOK);
    bench_bare(mdb_cursor_get(log.cursor, &key, &record, MDB_LAST));
    record_bytes = record.mv_size;
    bench_bare_close(&log);
    bench_bare_open(&shelf->bare, path, NULL, MDB_NOSYNC);
    fill(shelf, run_bare, MADE);
    bench_bare_close(&shelf->bare);
    settle(path);
    bench_bare_open(&shelf->bare, path, NULL, MDB_NOSYNC);
}

/* --- A file, and SQLite ------------------------------------------------------------------------------------------- */

static int files[2]; /* the second is synced */

static void run_file(struct bench_call call)
{
    static char bytes[MANY * 1024];
    ssize_t count = (ssize_t)(record_bytes * batch);
    bench_must(write(files[call.how], bytes, (size_t)count) == count, "write", "failed");
    bench_must(!call.how || fdatasync(files[call.how]) == 0, "fdatasync", "failed");
}

static struct {
    sqlite3 *database;
    sqlite3_stmt *begin;
    sqlite3_stmt *insert;
    sqlite3_stmt *set_leaf;
    sqlite3_stmt *commit;
    struct bench_sql_row row; /* the last entry */
} sql;

static void run_sqlite(struct bench_call call)
{
    const struct shelf *shelf = call.subject;
    bench_sql_run(sql.begin);
    for (size_t i = 0; i < batch; i++) {
        sql.row.lsn++;
        sql.row.position.depth++;
        sql.row.time_ms++;
        sql.row.id = entries[i].id;
        sql.row.payload = entries[i].payload;
        bench_sql_put(sql.insert, &sql.row);
    }
    BENCH_SQL_BIND(sql.set_leaf, shelf->sessions[call.how], sql.row.position.branch, sql.row.position.depth);
    bench_sql_run(sql.set_leaf);
    bench_sql_run(sql.commit);
}

static void open_peers(const struct shelf *shelf)
{
    for (int synced = 0; synced < 2; synced++) {
        files[synced] = open(bench_path("written-%d", synced), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
        bench_must(files[synced] >= 0, "a file", "cannot be made");
    }
    struct xylem_store *store = shelf->stores[GIVEN][XYLEM_DURABILITY_NONE];
    sql.database = bench_sql_copy(bench_path("sqlite.db"), store, shelf->paths[GIVEN]);
    sql.row = (struct bench_sql_row){.lsn = shelf->entry_count * 2, /* higher than those that the store has */
                                     .position = bench_leaf(store, shelf->sessions[GIVEN]),
                                     .kind = BENCH_WANTED};
    bench_sql_exec(sql.database,
                   bench_text("INSERT INTO sessions VALUES(%d, 0, 0, 0, 'one')", (int)shelf->sessions[GIVEN]));
    sql.begin = bench_sql_prepare(sql.database, "BEGIN IMMEDIATE");
    sql.insert = bench_sql_prepare(sql.database, BENCH_SQL_INSERT);
    sql.set_leaf = bench_sql_prepare(sql.database, "UPDATE sessions SET branch = ?2, seq = ?3 WHERE session = ?1");
    sql.commit = bench_sql_prepare(sql.database, "COMMIT");
}

/* --- What is measured --------------------------------------------------------------------------------------------- */

/* One commit is one sample, so that p99 is that of a commit. The first three rows stand in the tables of all sizes. */
enum { ROWS = 6, ROWS_WITHOUT_PEERS = 3 };

#define ROWS_OF(lmdb, loses, sqlite, sqlite_loses)                                          \
    {                                                                                       \
        {lmdb, loses, run_bare, 0, 1, NULL, NULL},                                          \
            {"xylem, ids that it makes", loses, run_xylem, MADE, 1, prepare_entries, NULL}, \
            {"xylem, ids of the host", loses, run_xylem, GIVEN, 1, prepare_entries, NULL},  \
            {"write", BENCH_UNSYNCED, run_file, 0, 1, NULL, NULL},                          \
            {"write, fdatasync", BENCH_NOTHING, run_file, 1, 1, NULL, NULL},                \
            {sqlite, sqlite_loses, run_sqlite, GIVEN, 1, prepare_entries, NULL},            \
    }

static const struct bench_row rows[MODES][ROWS] = {
    ROWS_OF("mdb_put", BENCH_NOTHING, "SQLite WAL, synchronous FULL", BENCH_NOTHING),
    ROWS_OF("mdb_put, MDB_NOMETASYNC", BENCH_LAST_COMMIT, "SQLite WAL, synchronous NORMAL", "since last checkpoint"),
    ROWS_OF("mdb_put, MDB_NOSYNC", BENCH_DAMAGED, "SQLite WAL, synchronous OFF", BENCH_DAMAGED),
};

/* One at once is measured at all sizes but in the middle mode, a hundred at once at the middle size. */
static void measure_mode(void)
{
    static const char *const names[MODES] = {"full", "nometa", "none"};
    static const char *const levels[MODES] = {"FULL", "NORMAL", "OFF"};
    size_t tables[SIZES];
    bench_sql_exec(sql.database, bench_text("PRAGMA synchronous = %s", levels[mode]));
    for (size_t i = 0; i < SIZES; i++) {
        bench_bare(mdb_env_set_flags(shelves[i].bare.env, MDB_NOSYNC, mode == XYLEM_DURABILITY_NONE));
        bench_bare(mdb_env_set_flags(shelves[i].bare.env, MDB_NOMETASYNC, mode == XYLEM_DURABILITY_NOMETA));
    }
    for (batch = 1; batch <= MANY; batch += MANY - 1) {
        bool all_sizes = batch == 1 && mode != XYLEM_DURABILITY_NOMETA;
        for (size_t i = all_sizes ? 0 : MIDDLE; i < (all_sizes ? SIZES : MIDDLE + 1); i++) {
            const char *name = bench_text("append %s to %s entries, %s", batch == 1 ? "one" : "a hundred at once",
                                          shelves[i].size, names[mode]);
            tables[i] = bench_table(name, &shelves[i], rows[mode], i == MIDDLE ? ROWS : ROWS_WITHOUT_PEERS);
        }
        bench_run(all_sizes ? 6 : 4);
        for (size_t row = 1; all_sizes && row < ROWS_WITHOUT_PEERS; row++) {
            bench_flat(row, tables[0], tables[SIZES - 1]);
        }
    }
}

BENCH("append")
{
    if (bench_quick) {
        shelves[MIDDLE] = (struct shelf){.entry_count = 3000, .size = "3,000"};
        shelves[SIZES - 1] = (struct shelf){.entry_count = 10000, .size = "10,000"};
    }
    for (size_t i = 0; i < SIZES; i++) {
        fill_store(&shelves[i], MADE);
        fill_store(&shelves[i], GIVEN);
        fill_bare(&shelves[i]);
    }
    open_peers(&shelves[MIDDLE]);
    sync(); /* what was stored up to here is no part of what is measured */
    bench_note("SQLite: a row for each entry under its lsn, unique indexes on its id and on (branch, seq), one on "
               "(branch, kind, seq); the leaf is set in the same transaction; checkpoints as by default.");
    bench_note("A crash of the process loses nothing of what was committed, whatever the row. Where fdatasync adds "
               "nothing to write, this is not a disk, and full and nometa say nothing.");
    for (unsigned each = 0; each < MODES; each++) {
        mode = each;
        measure_mode();
    }
}
