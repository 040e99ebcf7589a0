/*
 * SQLite as a competent user of it would keep sessions: prepared statements, WAL, a row for each entry, and the indexes
 * that the same questions need: an entry by its id, the newest of a kind on a branch, a branch in order.
 */
#ifndef XYLEM_BENCH_SQL_H
#define XYLEM_BENCH_SQL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/bench/data.h"

/*
 * Opens or makes a database with WAL and `synchronous` = `how` ("FULL": a commit survives a power cut; "NORMAL": a
 * power cut may undo the last commits; "OFF": it may damage the database), and all of it mapped, as far as SQLite
 * maps. Tables:
 *
 *     entries   lsn (rowid), id (16 bytes, unique), branch, seq, parent (an lsn, 0: none), kind, time, payload
 *     branches  branch, parent_branch (0: none), parent_seq
 *     sessions  session, id, branch, seq, created
 */
sqlite3 *bench_sql_open(const char *path, const char *how);
void bench_sql_exec(sqlite3 *database, const char *text);
sqlite3_stmt *bench_sql_prepare(sqlite3 *database, const char *text);
/* Ends the program if `result` is an error. */
void bench_sql(sqlite3 *database, int result, const char *what);
/* One step of a statement that gives no rows, and a reset. */
void bench_sql_run(sqlite3 *database, sqlite3_stmt *statement);

/* The statement that inserts an entry, and its parameters bound and run. `id` has 16 bytes. */
sqlite3_stmt *bench_sql_inserter(sqlite3 *database);
void bench_sql_insert(sqlite3 *database, sqlite3_stmt *inserter, const struct bench_entry *entry, const void *id,
                      uint64_t lsn, uint64_t branch, uint64_t seq, uint64_t parent, int64_t time_ms);
/*
 * As bench_append(), into `branch` after `seq`; the lsns are those from `lsn` on, and the first entry's parent is
 * `parent`. In one transaction.
 */
void bench_sql_append(sqlite3 *database, uint64_t branch, uint64_t seq, uint64_t lsn, uint64_t parent, uint64_t first,
                      uint64_t count, uint64_t wanted_at);

#endif
