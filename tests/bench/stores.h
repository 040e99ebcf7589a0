/*
 * The stores that benches compare: one of xylem, and made of it an environment of LMDB and a database of SQLite with
 * the same entries. One entry of ten is custom, the others are messages of about 300 bytes.
 */
#ifndef XYLEM_BENCH_STORES_H
#define XYLEM_BENCH_STORES_H

#include <lmdb.h>
#include <sqlite3.h>

#include "tests/bench/bench.h"
#include "xylem/entry.h"

/* --- xylem -------------------------------------------------------------------------------------------------------- */

/* Opens the store, or makes it. */
struct xylem_store *bench_open(const char *path, enum xylem_durability durability);
void bench_close(struct xylem_store *store);
struct xylem_txn *bench_begin(struct xylem_store *store, enum xylem_txn_mode mode);
void bench_commit(struct xylem_txn *txn);

/* A new session, and a fork of one, at the entry, or a clone if it is none. Each in a commit. Gives the number. */
uint64_t bench_session(struct xylem_store *store);
uint64_t bench_fork(struct xylem_store *store, uint64_t session, struct xylem_position at);
/* The session's leaf, read in a transaction of its own. */
struct xylem_position bench_leaf(struct xylem_store *store, uint64_t session);
/* Writes the session file. */
void bench_export(struct xylem_store *store, uint64_t session, const char *path);
/* Reads the newest entries on the path of the leaf, at most so many, and their payloads. Gives their number. */
uint64_t bench_newest(struct xylem_txn *txn, struct xylem_position leaf, uint64_t most, bool payloads);

enum { BENCH_WANTED = 3, BENCH_ENTRY_ID_BYTES = 8, BENCH_PIECE_BYTES = 131072 };

/* How many custom kinds that nobody asks for there are among the entries that are made from now on. 0: none. */
extern int bench_other_kinds;
/*
 * Appends so many entries to the session's leaf, many a commit. At depth `wanted_at` and behind lie the three entries
 * that benches look for: readonly on, its nudge delivered, a sequence of three steps. 0: nowhere.
 */
void bench_append(struct xylem_store *store, uint64_t session, uint64_t count, uint64_t wanted_at);
/* A message of 300 bytes. */
struct xylem_new_entry bench_message(void);
/* The n-th id as pi writes ids: 8 hex digits in no order, no two alike. Ends in NUL. */
void bench_entry_id(char id[BENCH_ENTRY_ID_BYTES + 1], uint32_t number);

/* A store with one session, whose commits are not synced. */
struct bench_made {
    const char *path;
    struct xylem_store *store;
    uint64_t session;
    struct xylem_position leaf;
};
struct bench_made bench_make(const char *path, uint64_t entry_count, uint64_t wanted_at);

/* --- LMDB by itself: the floor of what a store in LMDB can do ----------------------------------------------------- */

#define bench_bare(call) bench_bare_code((call), #call)
void bench_bare_code(int result, const char *what);

struct bench_bare {
    MDB_env *env;
    MDB_dbi table;
    MDB_txn *txn; /* of bench_bare_read() */
    MDB_cursor *cursor;
    unsigned char key[16]; /* of the last record of bench_bare_put() */
};
/*
 * Opens the environment in a directory, which is made where it is missing, with its table of that name, or the main one.
 * BENCH_BARE_LOOK looks into a store of xylem that is open. Twice in a process is against LMDB's rules for the sake of
 * its locks: this takes none, and nothing must be written meanwhile.
 */
#define BENCH_BARE_LOOK (MDB_RDONLY | MDB_NOLOCK)
void bench_bare_open(struct bench_bare *bare, const char *path, const char *name, unsigned flags);
/* Opens the table `log` of a store, and begins to read it. */
void bench_bare_read(struct bench_bare *bare, const char *path, unsigned flags);
void bench_bare_close(struct bench_bare *bare);
/* Puts so many records of a length under ascending keys, in one commit. */
void bench_bare_put(struct bench_bare *bare, size_t count, size_t record_bytes);
/* Touches the newest records of what is read, at most so many, or hashes them. Gives their number. */
uint64_t bench_bare_newest(const struct bench_bare *bare, uint64_t most, bool hashes);
/* Writes the file anew, or over what is there, so many bytes at once; it is not synced. */
void bench_copy_file(const char *from_path, const char *to_path, size_t piece_bytes);

/* --- SQLite ------------------------------------------------------------------------------------------------------- */

void bench_sql(sqlite3 *database, int result, const char *what);
void bench_sql_exec(sqlite3 *database, const char *text);
sqlite3_stmt *bench_sql_prepare(sqlite3 *database, const char *text);
/* Binds the parameters ?1, ?2, ... to numbers. */
#define BENCH_SQL_BIND(statement, ...) \
    bench_sql_bind(statement, (uint64_t[]){__VA_ARGS__}, sizeof(uint64_t[]){__VA_ARGS__} / sizeof(uint64_t))
void bench_sql_bind(sqlite3_stmt *statement, const uint64_t *numbers, size_t count);
/* A statement that gives no row. */
void bench_sql_run(sqlite3_stmt *statement);

struct bench_sql_row {
    uint64_t lsn;
    struct xylem_position position;
    uint64_t kind; /* 0 to 2: the three that benches look for */
    uint64_t time_ms;
    struct xylem_view id;
    struct xylem_view payload;
};
#define BENCH_SQL_INSERT "INSERT INTO entries VALUES(?, ?, ?, ?, ?, ?, ?)"
void bench_sql_put(sqlite3_stmt *inserter, const struct bench_sql_row *row);

/*
 * A database with a write-ahead log, which is mapped and has a cache of 64 MB, and in it a table of entries by lsn,
 * with indexes on (branch, id), on (branch, seq), and on (branch, kind, seq), and a table of branches: all that the
 * store at `path` has. A table of sessions is empty, as is the write-ahead log. Nothing is synced.
 */
sqlite3 *bench_sql_copy(const char *database_path, struct xylem_store *store, const char *path);

#endif
