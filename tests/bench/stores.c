#include "tests/bench/stores.h"

#include <inttypes.h>
#include <xxhash.h>

#include "base/value.h"
#include "store/format/keys.h"
#include "xylem/append.h"
#include "xylem/branch.h"
#include "xylem/files.h"

enum { ENTRIES_A_CALL = 4096, TEXT_BYTES = 320, RECORD_BYTES_MAX = 1024 };
#define MAP_BYTES (UINT64_C(1) << 36) /* a bench has a hundred stores: with the usual map they do not fit */

int bench_other_kinds = 9;

/* --- xylem -------------------------------------------------------------------------------------------------------- */

struct xylem_store *bench_open(const char *path, enum xylem_durability durability)
{
    struct xylem_store *store = NULL;
    struct xylem_open_options options = {.create = true, .durability = durability, .map_bytes = MAP_BYTES};
    bench_xylem(xylem_open(&store, path, &options, &bench_err));
    return store;
}

void bench_close(struct xylem_store *store)
{
    bench_xylem(xylem_close(store, &bench_err));
}

struct xylem_txn *bench_begin(struct xylem_store *store, enum xylem_txn_mode mode)
{
    struct xylem_txn *txn = NULL;
    bench_xylem(xylem_begin(&txn, store, mode, &bench_err));
    return txn;
}

void bench_commit(struct xylem_txn *txn)
{
    bench_xylem(xylem_commit(txn, &bench_err));
}

uint64_t bench_session(struct xylem_store *store)
{
    struct xylem_session session;
    struct xylem_txn *txn = bench_begin(store, XYLEM_WRITE);
    bench_xylem(xylem_session_create(&session, txn, NULL, &bench_err));
    bench_commit(txn);
    return session.number;
}

uint64_t bench_fork(struct xylem_store *store, uint64_t session, struct xylem_position at)
{
    struct xylem_session fork;
    struct xylem_txn *txn = bench_begin(store, XYLEM_WRITE);
    if (at.depth > 0) {
        bench_xylem(xylem_fork(&fork, txn, session, at, XYLEM_FORK_AT, NULL, &bench_err));
    } else {
        bench_xylem(xylem_clone(&fork, txn, session, NULL, &bench_err));
    }
    bench_commit(txn);
    return fork.number;
}

struct xylem_position bench_leaf(struct xylem_store *store, uint64_t session)
{
    struct xylem_session row;
    struct xylem_txn *txn = bench_begin(store, XYLEM_READ);
    bench_xylem(xylem_session_read(&row, txn, session, &bench_err));
    xylem_abort(txn);
    return row.leaf;
}

static int write_piece(void *file, const void *data, size_t bytes)
{
    return fwrite(data, 1, bytes, file) != bytes;
}

void bench_export(struct xylem_store *store, uint64_t session, const char *path)
{
    struct xylem_export_options options = {.with_quarantine = true};
    struct xylem_txn *txn = bench_begin(store, XYLEM_READ);
    FILE *file = fopen(path, "w");
    bench_must(file != NULL, path, "cannot be written");
    bench_xylem(xylem_export(txn, session, &options, write_piece, file, &bench_err));
    bench_must(fclose(file) == 0, path, "cannot be written");
    xylem_abort(txn);
}

uint64_t bench_newest(struct xylem_txn *txn, struct xylem_position leaf, uint64_t most, bool payloads)
{
    struct xylem_walk *walk = NULL;
    struct xylem_entry entry;
    struct xylem_view payload;
    uint64_t seen = 0;
    bench_xylem(xylem_walk_new(&walk, txn, leaf, &bench_err));
    for (; seen < most && xylem_walk_next(&entry, walk, &bench_err) == 1; seen++) {
        if (payloads) {
            bench_xylem(xylem_entry_payload(&payload, &entry, &bench_err));
            bench_use((unsigned char)payload.data[0]);
        }
    }
    xylem_walk_free(walk);
    return seen;
}

/* --- Entries ------------------------------------------------------------------------------------------------------ */

static const struct wanted {
    const char *kind;
    const char *text;
} wanted[BENCH_WANTED] = {
    {"readonly", "{\"enabled\":true}"},
    {"readonly-nudge", "{\"direction\":\"on\",\"delivered\":true}"},
    {"sequence", "{\"version\":1,\"sequenceId\":\"deploy\",\"steps\":[\"build\",\"test\",\"ship\"],"
                 "\"updatedAt\":1767225600000}"},
};

/* Words that differ from entry to entry. */
static void fill_words(char *text, size_t bytes, uint64_t number)
{
    uint64_t state = (number + 1) * 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < bytes; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        text[i] = state % 6 == 0 ? ' ' : (char)('a' + (state >> 32) % 26);
    }
    text[bytes] = '\0';
}

static struct xylem_new_entry new_entry(enum xylem_class kind_class, const char *kind, const char *text)
{
    return (struct xylem_new_entry){
        .kind = {kind_class, xylem_view_of(kind)}, .format = XYLEM_FORMAT_JSON, .payload = xylem_view_of(text)};
}

/* Entry number `number` of a session, its bytes in `kind` and `text`. The same number gives the same entry. */
static struct xylem_new_entry make_entry(char kind[24], char text[TEXT_BYTES], uint64_t number, uint64_t wanted_at)
{
    char words[251];
    if (wanted_at > 0 && number >= wanted_at && number < wanted_at + BENCH_WANTED) {
        const struct wanted *one = &wanted[number - wanted_at];
        return new_entry(XYLEM_CLASS_CUSTOM, one->kind, one->text);
    }
    if (bench_other_kinds > 0 && number % 10 == 5) {
        fill_words(words, 40, number);
        snprintf(kind, 24, "extension-%d", (int)(number / 10 % (uint64_t)bench_other_kinds));
        snprintf(text, TEXT_BYTES, "{\"note\":\"%s\",\"done\":false}", words);
        return new_entry(XYLEM_CLASS_CUSTOM, kind, text);
    }
    fill_words(words, 250, number);
    snprintf(text, TEXT_BYTES, "{\"message\":{\"role\":\"assistant\",\"content\":\"%s\"}}", words);
    return new_entry(XYLEM_CLASS_HOST, "message", text);
}

void bench_append(struct xylem_store *store, uint64_t session, uint64_t count, uint64_t wanted_at)
{
    static struct xylem_new_entry entries[ENTRIES_A_CALL];
    static char kinds[ENTRIES_A_CALL][24];
    static char texts[ENTRIES_A_CALL][TEXT_BYTES];
    for (uint64_t number = bench_leaf(store, session).depth + 1; count > 0;) {
        size_t now = count < ENTRIES_A_CALL ? (size_t)count : ENTRIES_A_CALL;
        for (size_t i = 0; i < now; i++) {
            entries[i] = make_entry(kinds[i], texts[i], number++, wanted_at);
        }
        struct xylem_txn *txn = bench_begin(store, XYLEM_WRITE);
        bench_xylem(xylem_append(NULL, txn, session, entries, now, NULL, &bench_err));
        bench_commit(txn);
        count -= now;
    }
}

struct xylem_new_entry bench_message(void)
{
    static char text[TEXT_BYTES];
    char words[210]; /* with all around them 300 bytes */
    fill_words(words, sizeof words - 1, 0);
    snprintf(text, sizeof text,
             "{\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"%s\"}],"
             "\"timestamp\":1795195877838}}",
             words);
    return new_entry(XYLEM_CLASS_HOST, "message", text);
}

void bench_entry_id(char id[BENCH_ENTRY_ID_BYTES + 1], uint32_t number)
{
    /* Each step can be undone, so that no two numbers meet. */
    uint32_t mixed = number + 1u; /* 0 would become 0 */
    mixed ^= mixed >> 16;
    mixed *= 0x85ebca6bu;
    mixed ^= mixed >> 13;
    mixed *= 0xc2b2ae35u;
    mixed ^= mixed >> 16;
    snprintf(id, BENCH_ENTRY_ID_BYTES + 1, "%08" PRIx32, mixed);
}

struct bench_made bench_make(const char *path, uint64_t entry_count, uint64_t wanted_at)
{
    struct bench_made made = {.path = path, .store = bench_open(path, XYLEM_DURABILITY_NONE)};
    made.session = bench_session(made.store);
    bench_append(made.store, made.session, entry_count, wanted_at);
    made.leaf = bench_leaf(made.store, made.session);
    return made;
}

/* --- LMDB --------------------------------------------------------------------------------------------------------- */

void bench_bare_code(int result, const char *what)
{
    bench_must(result == 0, what, mdb_strerror(result));
}

void bench_bare_open(struct bench_bare *bare, const char *path, const char *name, unsigned flags)
{
    MDB_txn *txn = NULL;
    mkdir(path, 0700);
    bench_bare(mdb_env_create(&bare->env));
    bench_bare(mdb_env_set_mapsize(bare->env, MAP_BYTES));
    bench_bare(mdb_env_set_maxdbs(bare->env, name ? XYLEM_TABLE_COUNT + 1 : 0));
    bench_bare(mdb_env_open(bare->env, path, flags | MDB_NOTLS | MDB_NORDAHEAD, 0600));
    bench_bare(mdb_txn_begin(bare->env, NULL, flags & MDB_RDONLY, &txn));
    bench_bare(mdb_dbi_open(txn, name, name && !(flags & MDB_RDONLY) ? MDB_CREATE : 0, &bare->table));
    bench_bare(mdb_txn_commit(txn));
}

void bench_bare_read(struct bench_bare *bare, const char *path, unsigned flags)
{
    bench_bare_open(bare, path, "log", flags);
    bench_bare(mdb_txn_begin(bare->env, NULL, MDB_RDONLY, &bare->txn));
    bench_bare(mdb_cursor_open(bare->txn, bare->table, &bare->cursor));
}

void bench_bare_close(struct bench_bare *bare)
{
    if (bare->txn) {
        mdb_cursor_close(bare->cursor);
        mdb_txn_abort(bare->txn);
    }
    mdb_env_close(bare->env);
}

void bench_bare_put(struct bench_bare *bare, size_t count, size_t record_bytes)
{
    static char record[RECORD_BYTES_MAX];
    MDB_txn *txn = NULL;
    bench_must(record_bytes <= sizeof record, "a record", "it is too long");
    bench_bare(mdb_txn_begin(bare->env, NULL, 0, &txn));
    for (size_t i = 0; i < count; i++) {
        MDB_val key = {sizeof bare->key, bare->key};
        MDB_val value = {record_bytes, record};
        for (size_t at = sizeof bare->key; at > 0 && ++bare->key[at - 1] == 0; at--) {
        }
        bench_bare(mdb_put(txn, bare->table, &key, &value, MDB_NOOVERWRITE));
    }
    bench_bare(mdb_txn_commit(txn));
}

uint64_t bench_bare_newest(const struct bench_bare *bare, uint64_t most, bool hashes)
{
    MDB_val key;
    MDB_val record;
    uint64_t seen = 0;
    for (; seen < most && mdb_cursor_get(bare->cursor, &key, &record, seen ? MDB_PREV : MDB_LAST) == 0; seen++) {
        bench_use(hashes ? XXH3_64bits(record.mv_data, record.mv_size) : *(const unsigned char *)record.mv_data);
    }
    return seen;
}

void bench_copy_file(const char *from_path, const char *to_path, size_t piece_bytes)
{
    static char piece[BENCH_PIECE_BYTES];
    int from = open(from_path, O_RDONLY | O_CLOEXEC);
    int to = open(to_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ssize_t got = 0;
    bench_must(from >= 0 && to >= 0 && piece_bytes <= sizeof piece, from_path, "cannot be copied");
    while ((got = read(from, piece, piece_bytes)) > 0) {
        bench_must(write(to, piece, (size_t)got) == got, to_path, "cannot be written");
    }
    bench_must(got == 0, from_path, "cannot be read");
    close(from);
    close(to);
}

/* --- SQLite ------------------------------------------------------------------------------------------------------- */

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

void bench_sql_bind(sqlite3_stmt *statement, const uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sqlite3_bind_int64(statement, (int)i + 1, (sqlite3_int64)numbers[i]);
    }
}

void bench_sql_run(sqlite3_stmt *statement)
{
    bench_sql(sqlite3_db_handle(statement), sqlite3_step(statement), sqlite3_sql(statement));
    bench_sql(sqlite3_db_handle(statement), sqlite3_reset(statement), sqlite3_sql(statement));
}

/* What is unique of an id: it, behind the number of its branch. */
void bench_sql_put(sqlite3_stmt *inserter, const struct bench_sql_row *row)
{
    char id[4 + XYLEM_ENTRY_ID_BYTES_MAX];
    for (int i = 0; i < 4; i++) {
        id[i] = (char)(row->position.branch >> (24 - 8 * i));
    }
    memcpy(id + 4, row->id.data, row->id.bytes);
    BENCH_SQL_BIND(inserter, row->lsn, row->position.branch, row->position.depth, row->kind, row->time_ms);
    sqlite3_bind_blob(inserter, 6, id, 4 + (int)row->id.bytes, SQLITE_STATIC);
    sqlite3_bind_blob(inserter, 7, row->payload.data, (int)row->payload.bytes, SQLITE_STATIC);
    bench_sql_run(inserter);
}

static sqlite3 *open_database(const char *path)
{
    sqlite3 *database = NULL;
    bench_sql(database, sqlite3_open(path, &database), path);
    bench_sql_exec(database, "PRAGMA journal_mode=WAL; PRAGMA mmap_size=2147418112; PRAGMA cache_size=-65536;"
                             "PRAGMA synchronous=OFF;"
                             "CREATE TABLE entries(lsn INTEGER PRIMARY KEY, branch INTEGER NOT NULL,"
                             " seq INTEGER NOT NULL, kind INTEGER NOT NULL, time INTEGER NOT NULL, id BLOB NOT NULL,"
                             " payload BLOB);"
                             "CREATE UNIQUE INDEX by_id ON entries(id);"
                             "CREATE UNIQUE INDEX by_place ON entries(branch, seq);"
                             "CREATE INDEX by_kind ON entries(branch, kind, seq);"
                             "CREATE TABLE branches(branch INTEGER PRIMARY KEY, parent_branch INTEGER NOT NULL,"
                             " parent_seq INTEGER NOT NULL);"
                             "CREATE TABLE sessions(session INTEGER PRIMARY KEY, branch INTEGER NOT NULL,"
                             " seq INTEGER NOT NULL, created INTEGER NOT NULL, id BLOB NOT NULL UNIQUE);");
    return database;
}

static uint64_t kind_of(const struct xylem_entry *entry)
{
    uint64_t kind = 0;
    while (kind < BENCH_WANTED && !xylem_base__view_is(entry->kind.name, wanted[kind].kind)) {
        kind++;
    }
    return kind < BENCH_WANTED ? kind : BENCH_WANTED + entry->unverified.kind_number;
}

/* A line that was kept stands behind the payload. */
static void copy_payload(struct xylem_buffer *payload, const struct xylem_entry *entry)
{
    struct xylem_view bytes;
    bench_xylem(xylem_entry_payload(&bytes, entry, &bench_err));
    payload->bytes = 0;
    bench_xylem(xylem_buffer_add(payload, bytes.data, bytes.bytes));
    bench_xylem(xylem_entry_imported_line(payload, entry, &bench_err));
}

/* The entry under a key of the table `log`. */
static struct xylem_entry entry_under(struct xylem_txn *txn, MDB_val key)
{
    struct xylem_entry entry;
    struct xylem_position position;
    struct xylem_view view = {key.mv_data, key.mv_size};
    bench_must(xylem_format__key_read_pair(&position.branch, &position.depth, view), "the log", "its keys are others");
    bench_xylem(xylem_entry_read(&entry, txn, position, &bench_err));
    return entry;
}

sqlite3 *bench_sql_copy(const char *database_path, struct xylem_store *store, const char *path)
{
    struct bench_sql_row row = {.lsn = 0};
    struct bench_bare log = {.env = NULL};
    struct xylem_buffer payload = {0};
    struct xylem_txn *txn = bench_begin(store, XYLEM_READ);
    sqlite3 *database = open_database(database_path);
    sqlite3_stmt *inserter = bench_sql_prepare(database, BENCH_SQL_INSERT);
    sqlite3_stmt *branches = bench_sql_prepare(database, "INSERT INTO branches VALUES(?, ?, ?)");
    MDB_val key;
    bench_sql_exec(database, "BEGIN");
    bench_bare_read(&log, path, BENCH_BARE_LOOK);
    while (mdb_cursor_get(log.cursor, &key, NULL, MDB_NEXT) == 0) {
        struct xylem_entry entry = entry_under(txn, key);
        if (entry.position.branch != row.position.branch) {
            BENCH_SQL_BIND(branches, entry.position.branch, entry.parent.branch, entry.parent.depth);
            bench_sql_run(branches);
        }
        copy_payload(&payload, &entry);
        row = (struct bench_sql_row){.lsn = entry.lsn,
                                     .position = entry.position,
                                     .kind = kind_of(&entry),
                                     .time_ms = (uint64_t)entry.time_ms,
                                     .id = entry.id,
                                     .payload = {payload.data, payload.bytes}};
        bench_sql_put(inserter, &row);
    }
    bench_bare_close(&log);
    xylem_abort(txn);
    xylem_buffer_release(&payload);
    sqlite3_finalize(branches);
    sqlite3_finalize(inserter);
    bench_sql_exec(database, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
    return database;
}
