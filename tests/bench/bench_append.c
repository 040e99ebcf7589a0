/*
 * What it costs to append a message of 300 bytes: one in a commit, and a hundred in one, in each durability mode, with
 * ids that xylem makes and ids that the host gives (8 hex digits, in no order). Beside it a bare mdb_put of the records
 * that xylem writes, which ratios are taken against; the same bytes appended to a file, without a sync and with one;
 * and SQLite with what it would need for the same questions.
 */
#include <fcntl.h>
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/bare.h"
#include "tests/bench/bench.h"
#include "tests/bench/data.h"
#include "tests/bench/generate.h"
#include "tests/bench/sql_copy.h"
#include "xylem/append.h"

enum {
    MANY = 100,   /* entries of a commit */
    FILL = 10000, /* entries of a commit while the stores are filled */
    PAYLOAD_BYTES = 300,
    KEY_BYTES = 16,
    MODES = 3,
    SIZES = 3,
    SYNCS = 200,
    NO_SYNC_NS = 10000 /* no disk is as fast */
};

#define BENCH_DAMAGED "unsynced; may be damaged" /* not just lost: without a sync pages may be written in any order */

/*
 * Writes the closed environment's file anew, page by page. A kernel that keeps large writes as large units (ext4 since
 * Linux 6.16) takes longer for each page that is then written into one, so that a store filled by large commits would
 * cost more than one that grew by small ones: here all are as if they had grown.
 */
static void settle(struct bench *bench, const char *path)
{
    const char *from = bench_format(bench, "%s/data.mdb", path);
    const char *to = bench_format(bench, "%s/settled", path);
    bench_copy_file(from, to, BENCH_PAGE_BYTES);
    int file = open(to, O_WRONLY | O_CLOEXEC);
    bench_must(file >= 0 && fsync(file) == 0 && close(file) == 0, to, "cannot be synced");
    bench_must(rename(to, from) == 0, from, "cannot be replaced");
}

/* What is measured just now. */
struct setting {
    enum xylem_durability mode;
    size_t entry_count; /* of a commit */
};

struct xylem_side {
    const struct setting *setting;
    struct xylem_store *stores[MODES];
    const char *path;
    uint64_t session;
    bool ids_given;
    uint32_t next_id;
    struct xylem_new_entry entries[FILL];
    char ids[FILL][BENCH_ENTRY_ID_BYTES + 1u];
};

/* One table without a name, filled with the records of a store of xylem. */
struct bare_side {
    const struct setting *setting;
    MDB_env *env;
    MDB_dbi table;
    unsigned char key[KEY_BYTES]; /* of the last record */
    void *record;
    size_t record_bytes;
};

struct file_side {
    const struct setting *setting;
    int file;
    bool syncs;
    char *bytes;
    size_t record_bytes;
};

struct sqlite_side {
    const struct setting *setting;
    sqlite3 *database;
    sqlite3_stmt *begin;
    sqlite3_stmt *insert;
    sqlite3_stmt *set_leaf;
    sqlite3_stmt *commit;
    struct bench_sql_row row; /* the last entry */
    uint64_t session;
    uint32_t next_id;
    struct xylem_view ids[MANY];
    char id_bytes[MANY][BENCH_SQL_ID_BYTES_MAX];
};

/* What stands beside the stores of the middle size. */
struct peers {
    struct file_side written;
    struct file_side synced;
    struct sqlite_side sqlite;        /* in the mode that comes closest to that of the stores */
    struct sqlite_side sqlite_normal; /* as SQLite's users mostly run it, where that is another one */
};

/* The stores of one size. */
struct shelf {
    size_t entry_count;
    const char *size; /* in words */
    struct xylem_side minted;
    struct xylem_side given;
    struct bare_side bare;
};

static const char *payload(void)
{
    static char text[PAYLOAD_BYTES + 1];
    static const char begin[] = "{\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"";
    static const char end[] = "\"}],\"timestamp\":1795195877838}}";
    if (text[0] == '\0') {
        memcpy(text, begin, sizeof begin - 1);
        for (size_t i = sizeof begin - 1; i < PAYLOAD_BYTES - sizeof end + 1; i++) {
            text[i] = i % 7 == 0 ? ' ' : (char)('a' + i % 26);
        }
        memcpy(text + PAYLOAD_BYTES - sizeof end + 1, end, sizeof end);
    }
    return text;
}

/* --- xylem ------------------------------------------------------------------------------------------------------ */

static void xylem_prepare(struct xylem_side *side, size_t entry_count)
{
    for (size_t i = 0; i < entry_count; i++) {
        side->entries[i] = (struct xylem_new_entry){.kind = {XYLEM_CLASS_HOST, xylem_view_of("message")},
                                                    .format = XYLEM_FORMAT_JSON,
                                                    .payload = {payload(), PAYLOAD_BYTES}};
        if (side->ids_given) {
            bench_entry_id(side->ids[i], side->next_id++);
            side->entries[i].id = (struct xylem_view){side->ids[i], BENCH_ENTRY_ID_BYTES};
        }
    }
}

static void xylem_append_entries(struct xylem_side *side, struct xylem_store *store, size_t entry_count)
{
    struct xylem_error err;
    struct xylem_txn *txn = NULL;
    bench_xylem(xylem_begin(&txn, store, XYLEM_WRITE, &err), "a transaction", &err);
    bench_xylem(xylem_append(NULL, txn, side->session, side->entries, entry_count, NULL, &err), "an append", &err);
    bench_xylem(xylem_commit(txn, &err), "a commit", &err);
}

static void prepare_xylem(void *context, uint64_t count)
{
    struct xylem_side *side = context;
    bench_must(count == 1, "an append", "the entries of one sample are prepared");
    xylem_prepare(side, side->setting->entry_count);
}

static void run_xylem(void *context, uint64_t count)
{
    struct xylem_side *side = context;
    (void)count;
    xylem_append_entries(side, side->stores[side->setting->mode], side->setting->entry_count);
}

static void open_store(struct xylem_side *side, enum xylem_durability mode)
{
    struct xylem_error err;
    struct xylem_open_options options = {.create = true, .durability = mode};
    bench_xylem(xylem_open(&side->stores[mode], side->path, &options, &err), side->path, &err);
}

static void close_store(struct xylem_side *side, enum xylem_durability mode)
{
    struct xylem_error err;
    bench_xylem(xylem_close(side->stores[mode], &err), "close", &err);
    side->stores[mode] = NULL;
}

static void fill_store(struct xylem_side *side, size_t entry_count)
{
    struct xylem_error err;
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    open_store(side, XYLEM_DURABILITY_NONE);
    struct xylem_store *store = side->stores[XYLEM_DURABILITY_NONE];
    bench_xylem(xylem_begin(&txn, store, XYLEM_WRITE, &err), "a transaction", &err);
    bench_xylem(xylem_session_create(&session, txn, NULL, &err), "a session", &err);
    side->session = session.number;
    bench_xylem(xylem_commit(txn, &err), "a commit", &err);
    for (size_t done = 0; done < entry_count;) {
        size_t piece = entry_count - done < FILL ? entry_count - done : FILL;
        xylem_prepare(side, piece);
        xylem_append_entries(side, store, piece);
        done += piece;
    }
    close_store(side, XYLEM_DURABILITY_NONE);
}

/* --- A bare mdb_put --------------------------------------------------------------------------------------------- */

static void next_key(unsigned char *key)
{
    for (size_t i = KEY_BYTES; i > 0 && ++key[i - 1] == 0; i--) {
    }
}

static void run_bare(void *context, uint64_t count)
{
    struct bare_side *bare = context;
    MDB_txn *txn = NULL;
    (void)count;
    bench_bare(mdb_txn_begin(bare->env, NULL, 0, &txn), "mdb_txn_begin");
    for (size_t i = 0; i < bare->setting->entry_count; i++) {
        MDB_val key = {sizeof bare->key, bare->key};
        MDB_val record = {bare->record_bytes, bare->record};
        next_key(bare->key);
        bench_bare(mdb_put(txn, bare->table, &key, &record, MDB_NOOVERWRITE), "mdb_put");
    }
    bench_bare(mdb_txn_commit(txn), "mdb_txn_commit");
}

static void set_bare_mode(struct bare_side *bare, enum xylem_durability mode)
{
    bench_bare(mdb_env_set_flags(bare->env, MDB_NOSYNC, mode == XYLEM_DURABILITY_NONE), "mdb_env_set_flags");
    bench_bare(mdb_env_set_flags(bare->env, MDB_NOMETASYNC, mode == XYLEM_DURABILITY_NOMETA), "mdb_env_set_flags");
}

/* The rows of the log, in commits as large as those that filled it. Keeps the last one. */
static void copy_log(struct bare_side *bare, MDB_cursor *rows)
{
    MDB_val key;
    MDB_val record = {0, NULL};
    MDB_txn *txn = NULL;
    size_t done = 0;
    for (; mdb_cursor_get(rows, &key, &record, MDB_NEXT) == 0; done++) {
        if (done % FILL == 0) {
            bench_bare(txn ? mdb_txn_commit(txn) : 0, "mdb_txn_commit");
            bench_bare(mdb_txn_begin(bare->env, NULL, 0, &txn), "mdb_txn_begin");
        }
        bench_must(key.mv_size == KEY_BYTES, "the log", "its keys have another length");
        bench_bare(mdb_put(txn, bare->table, &key, &record, MDB_NOOVERWRITE), "mdb_put");
        memcpy(bare->key, key.mv_data, KEY_BYTES);
        bare->record_bytes = record.mv_size;
        bare->record = realloc(bare->record, record.mv_size);
        bench_must(bare->record != NULL, "a record", "out of memory");
        memcpy(bare->record, record.mv_data, record.mv_size);
    }
    bench_must(txn != NULL, "the log", "it is empty");
    bench_bare(mdb_txn_commit(txn), "mdb_txn_commit");
}

/* The environment of a store that is closed: any program may read the file. */
static MDB_env *open_closed_store(const char *path)
{
    MDB_env *env = NULL;
    bench_bare(mdb_env_create(&env), "mdb_env_create");
    bench_bare(mdb_env_set_maxdbs(env, XYLEM_TABLE_COUNT), "mdb_env_set_maxdbs");
    bench_bare(mdb_env_open(env, path, MDB_RDONLY | MDB_NOLOCK | MDB_NORDAHEAD, 0600), path);
    return env;
}

static void fill_bare(struct bench *bench, struct bare_side *bare, const char *path, const char *store_path)
{
    MDB_env *store = open_closed_store(store_path);
    MDB_txn *reading = NULL;
    MDB_cursor *rows = NULL;
    MDB_dbi log = 0;
    bare->env = bench_bare_open(&bare->table, path, MDB_NOSYNC);
    bench_bare(mdb_txn_begin(store, NULL, MDB_RDONLY, &reading), "mdb_txn_begin");
    bench_bare(mdb_dbi_open(reading, "log", 0, &log), "the table log");
    bench_bare(mdb_cursor_open(reading, log, &rows), "mdb_cursor_open");
    copy_log(bare, rows);
    mdb_cursor_close(rows);
    mdb_txn_abort(reading);
    mdb_env_close(store);
    mdb_env_close(bare->env);
    settle(bench, path);
    bare->env = bench_bare_open(&bare->table, path, MDB_NOSYNC);
}

/* --- A file, and SQLite ----------------------------------------------------------------------------------------- */

static void run_file(void *context, uint64_t count)
{
    struct file_side *side = context;
    size_t bytes = side->record_bytes * side->setting->entry_count;
    (void)count;
    bench_must(write(side->file, side->bytes, bytes) == (ssize_t)bytes, "write", NULL);
    bench_must(!side->syncs || fdatasync(side->file) == 0, "fdatasync", NULL);
}

static void open_file(struct file_side *side, const char *path, const struct bare_side *bare, bool syncs)
{
    side->setting = bare->setting;
    side->syncs = syncs;
    side->file = open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
    side->record_bytes = bare->record_bytes;
    side->bytes = calloc(MANY, side->record_bytes);
    bench_must(side->file >= 0 && side->bytes != NULL, path, "cannot be made");
    for (size_t i = 0; i < MANY; i++) {
        memcpy(side->bytes + i * side->record_bytes, bare->record, side->record_bytes);
    }
}

static void prepare_sqlite(void *context, uint64_t count)
{
    struct sqlite_side *side = context;
    (void)count;
    for (size_t i = 0; i < side->setting->entry_count; i++) {
        char id[BENCH_ENTRY_ID_BYTES + 1u];
        bench_entry_id(id, side->next_id++);
        side->ids[i] = bench_sql_id(side->id_bytes[i], side->session, xylem_view_of(id));
    }
}

static void set_leaf(struct sqlite_side *side)
{
    sqlite3_bind_int64(side->set_leaf, 1, (sqlite3_int64)side->row.position.branch);
    sqlite3_bind_int64(side->set_leaf, 2, (sqlite3_int64)side->row.position.depth);
    sqlite3_bind_int64(side->set_leaf, 3, (sqlite3_int64)side->session);
    bench_sql_run(side->database, side->set_leaf);
}

static void run_sqlite(void *context, uint64_t count)
{
    struct sqlite_side *side = context;
    (void)count;
    bench_sql_run(side->database, side->begin);
    for (size_t i = 0; i < side->setting->entry_count; i++) {
        side->row.parent = side->row.lsn++;
        side->row.position.depth++;
        side->row.time_ms++;
        side->row.id = side->ids[i];
        bench_sql_put(side->database, side->insert, &side->row);
    }
    set_leaf(side);
    bench_sql_run(side->database, side->commit);
}

static void set_sqlite_mode(struct sqlite_side *side, enum xylem_durability mode)
{
    static const char *const pragmas[MODES] = {[XYLEM_DURABILITY_FULL] = "PRAGMA synchronous = FULL",
                                               [XYLEM_DURABILITY_NOMETA] = "PRAGMA synchronous = NORMAL",
                                               [XYLEM_DURABILITY_NONE] = "PRAGMA synchronous = OFF"};
    bench_sql_exec(side->database, pragmas[mode]);
}

static void close_file(struct file_side *side)
{
    close(side->file);
    free(side->bytes);
}

static void open_sqlite(struct sqlite_side *side, const char *path)
{
    side->database = bench_sql_open(path, "OFF");
    side->begin = bench_sql_prepare(side->database, "BEGIN IMMEDIATE");
    side->insert = bench_sql_inserter(side->database);
    side->set_leaf = bench_sql_prepare(side->database, "UPDATE sessions SET branch = ?, seq = ? WHERE session = ?");
    side->commit = bench_sql_prepare(side->database, "COMMIT");
}

static void close_sqlite(struct sqlite_side *side)
{
    sqlite3_finalize(side->begin);
    sqlite3_finalize(side->insert);
    sqlite3_finalize(side->set_leaf);
    sqlite3_finalize(side->commit);
    sqlite3_close(side->database);
}

/* The same entries as in the store, which is open. */
static void fill_sqlite(struct sqlite_side *side, const struct xylem_side *from)
{
    struct xylem_error err;
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    struct xylem_entry leaf;
    struct xylem_store *store = from->stores[XYLEM_DURABILITY_NONE];
    bench_sql_copy(side->database, store);
    bench_xylem(xylem_begin(&txn, store, XYLEM_READ, &err), "a transaction", &err);
    bench_xylem(xylem_session_read(&session, txn, from->session, &err), "the session", &err);
    bench_xylem(xylem_entry_read(&leaf, txn, session.leaf, &err), "the leaf", &err);
    side->setting = from->setting;
    side->session = session.number;
    side->next_id = from->next_id;
    side->row = (struct bench_sql_row){.lsn = leaf.lsn,
                                       .position = leaf.position,
                                       .kind = leaf.unverified.kind_number,
                                       .time_ms = leaf.time_ms,
                                       .payload = {payload(), PAYLOAD_BYTES}};
    xylem_abort(txn);
}

/* --- What is measured ------------------------------------------------------------------------------------------- */

static void fill_side(struct bench *bench, struct xylem_side *side, const struct setting *setting, const char *path,
                      bool ids_given, size_t entry_count)
{
    side->setting = setting;
    side->path = path;
    side->ids_given = ids_given;
    fill_store(side, entry_count);
    settle(bench, path);
}

static void fill_shelf(struct bench *bench, struct shelf *shelf, const struct setting *setting)
{
    size_t size = shelf->entry_count;
    fill_side(bench, &shelf->minted, setting, bench_format(bench, "%s/minted-%zu", bench_directory(bench), size), false,
              size);
    fill_side(bench, &shelf->given, setting, bench_format(bench, "%s/given-%zu", bench_directory(bench), size), true,
              size);
    shelf->bare.setting = setting;
    fill_bare(bench, &shelf->bare, bench_format(bench, "%s/bare-%zu", bench_directory(bench), size),
              shelf->minted.path);
    for (unsigned mode = 0; mode < MODES; mode++) {
        open_store(&shelf->minted, mode);
        open_store(&shelf->given, mode);
    }
}

static void empty_shelf(struct shelf *shelf)
{
    for (unsigned mode = 0; mode < MODES; mode++) {
        close_store(&shelf->minted, mode);
        close_store(&shelf->given, mode);
    }
    mdb_env_close(shelf->bare.env);
    free(shelf->bare.record);
}

static const char *const mode_names[MODES] = {"full", "nometa", "none"};
static const char *const lmdb_names[MODES] = {"mdb_put", "mdb_put, MDB_NOMETASYNC", "mdb_put, MDB_NOSYNC"};
static const char *const sqlite_names[MODES] = {"SQLite WAL, synchronous FULL", "SQLite WAL, synchronous NORMAL",
                                                "SQLite WAL, synchronous OFF"};
static const char *const lmdb_loses[MODES] = {BENCH_NOTHING, BENCH_LAST_COMMIT, BENCH_DAMAGED};
static const char *const sqlite_loses[MODES] = {BENCH_NOTHING, "since last checkpoint", BENCH_DAMAGED};

/* One commit is one sample, so that p99 is that of a commit. */
static void add(struct bench *bench, const char *table, const char *name, const char *loses,
                void (*run)(void *context, uint64_t count), void (*prepare)(void *context, uint64_t count),
                void *context, bool floor)
{
    bench_add(bench, &(struct bench_contestant){.table = table,
                                                .name = name,
                                                .loses = loses,
                                                .run = run,
                                                .prepare = prepare,
                                                .context = context,
                                                .count_max = 1,
                                                .floor = floor});
}

static const char *table_of(struct bench *bench, const struct setting *setting, const struct shelf *shelf)
{
    return bench_format(bench, "append %s to %s entries, %s", setting->entry_count == 1 ? "one" : "a hundred at once",
                        shelf->size, mode_names[setting->mode]);
}

static void add_shelf(struct bench *bench, const struct setting *setting, struct shelf *shelf)
{
    const char *table = table_of(bench, setting, shelf);
    const char *loses = lmdb_loses[setting->mode];
    set_bare_mode(&shelf->bare, setting->mode);
    add(bench, table, lmdb_names[setting->mode], loses, run_bare, NULL, &shelf->bare, true);
    add(bench, table, "xylem, ids that it makes", loses, run_xylem, prepare_xylem, &shelf->minted, false);
    add(bench, table, "xylem, ids of the host", loses, run_xylem, prepare_xylem, &shelf->given, false);
}

static void add_sqlite(struct bench *bench, const char *table, struct sqlite_side *side, enum xylem_durability mode)
{
    set_sqlite_mode(side, mode);
    add(bench, table, sqlite_names[mode], sqlite_loses[mode], run_sqlite, prepare_sqlite, side, false);
}

static void add_peers(struct bench *bench, const struct setting *setting, const struct shelf *shelf,
                      struct peers *peers)
{
    const char *table = table_of(bench, setting, shelf);
    add(bench, table, "write", BENCH_UNSYNCED, run_file, NULL, &peers->written, false);
    add(bench, table, "write, fdatasync", BENCH_NOTHING, run_file, NULL, &peers->synced, false);
    add_sqlite(bench, table, &peers->sqlite, setting->mode);
    if (setting->mode == XYLEM_DURABILITY_NONE) {
        add_sqlite(bench, table, &peers->sqlite_normal, XYLEM_DURABILITY_NOMETA);
    }
}

/* What a sync costs here: where it costs nothing, no table with one says anything. */
static void measure_sync(struct bench *bench)
{
    static double times[SYNCS];
    char page[BENCH_PAGE_BYTES] = {0};
    int file = open(bench_path(bench, "synced"), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    bench_must(file >= 0, "a file", "cannot be made");
    for (size_t i = 0; i < SYNCS; i++) {
        bench_must(pwrite(file, page, sizeof page, 0) == (ssize_t)sizeof page, "pwrite", NULL);
        double begin = bench_now_ns();
        bench_must(fdatasync(file) == 0, "fdatasync", NULL);
        times[i] = bench_now_ns() - begin;
    }
    close(file);
    double median_ns = bench_median(times, SYNCS);
    bench_figure(bench, "fdatasync of a page that was written over, median", median_ns / 1000, "us");
    if (median_ns < NO_SYNC_NS) {
        bench_note(bench, "A sync costs nothing here: this is not a disk, so full and nometa say nothing.");
    }
}

static void measure_sizes(struct bench *bench, struct setting *setting, struct shelf *shelves, struct peers *peers,
                          double seconds)
{
    static const char *const names[] = {"xylem, ids that it makes", "xylem, ids of the host"};
    setting->entry_count = 1;
    for (size_t i = 0; i < SIZES; i++) {
        add_shelf(bench, setting, &shelves[i]);
        if (i == 1) {
            add_peers(bench, setting, &shelves[i], peers);
        }
    }
    bench_run(bench, seconds);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bench_flat(bench, names[i], table_of(bench, setting, &shelves[0]), table_of(bench, setting, &shelves[2]));
    }
}

static void measure_one(struct bench *bench, struct setting *setting, size_t entry_count, struct shelf *shelf,
                        struct peers *peers, double seconds)
{
    setting->entry_count = entry_count;
    add_shelf(bench, setting, shelf);
    add_peers(bench, setting, shelf, peers);
    bench_run(bench, seconds);
}

static void measure_modes(struct bench *bench, struct setting *setting, struct shelf *shelves, struct peers *peers)
{
    struct shelf *middle = &shelves[1];
    for (unsigned mode = 0; mode < MODES; mode++) {
        setting->mode = mode;
        if (mode == XYLEM_DURABILITY_NOMETA) {
            measure_one(bench, setting, 1, middle, peers, 3);
        } else {
            measure_sizes(bench, setting, shelves, peers, 6);
        }
        measure_one(bench, setting, MANY, middle, peers, 4);
    }
}

static void open_peers(struct bench *bench, struct peers *peers, const struct shelf *shelf)
{
    open_file(&peers->written, bench_path(bench, "written"), &shelf->bare, false);
    open_file(&peers->synced, bench_path(bench, "written-synced"), &shelf->bare, true);
    open_sqlite(&peers->sqlite, bench_path(bench, "sqlite.db"));
    fill_sqlite(&peers->sqlite, &shelf->given);
    open_sqlite(&peers->sqlite_normal, bench_path(bench, "normal.db"));
    fill_sqlite(&peers->sqlite_normal, &shelf->given);
}

static void close_peers(struct peers *peers)
{
    close_file(&peers->written);
    close_file(&peers->synced);
    close_sqlite(&peers->sqlite);
    close_sqlite(&peers->sqlite_normal);
}

static void measure(struct bench *bench)
{
    static struct shelf shelves[SIZES] = {
        {.entry_count = 1000, .size = "1,000"},
        {.entry_count = 100000, .size = "100,000"},
        {.entry_count = 1000000, .size = "1,000,000"},
    };
    struct setting setting = {.mode = XYLEM_DURABILITY_NONE, .entry_count = 1};
    static struct peers peers;
    if (bench_quick(bench)) {
        shelves[1] = (struct shelf){.entry_count = 3000, .size = "3,000"};
        shelves[2] = (struct shelf){.entry_count = 10000, .size = "10,000"};
    }
    for (size_t i = 0; i < SIZES; i++) {
        fill_shelf(bench, &shelves[i], &setting);
    }
    open_peers(bench, &peers, &shelves[1]);
    sync(); /* what was stored up to here is no part of what is measured */
    bench_note(bench,
               "SQLite: a row for each entry under its lsn, unique indexes on its id and on (branch, seq), one on "
               "(branch, kind, seq); the leaf is set in the same transaction; checkpoints as by default.");
    bench_note(bench, "A crash of the process loses nothing of what was committed, whatever the row.");
    measure_sync(bench);
    measure_modes(bench, &setting, shelves, &peers);
    close_peers(&peers);
    for (size_t i = 0; i < SIZES; i++) {
        empty_shelf(&shelves[i]);
    }
}

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "append", measure);
}
