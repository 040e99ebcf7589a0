/* A store of xylem, or entries like those in it, as rows of the database that tests/bench/sql.h makes. */
#ifndef XYLEM_BENCH_SQL_COPY_H
#define XYLEM_BENCH_SQL_COPY_H

#include "tests/bench/sql.h"

struct bench_sql_row {
    uint64_t lsn;
    uint64_t parent; /* its lsn, 0: none */
    struct xylem_position position;
    struct xylem_view id; /* of bench_sql_id() */
    uint32_t kind;
    int64_t time_ms;
    struct xylem_view payload;
};

#define BENCH_SQL_ID_BYTES_MAX (4u + XYLEM_ENTRY_ID_BYTES_MAX)

/* What is unique in the table of an entry's id: it, behind the number of the session that owns the entry. */
struct xylem_view bench_sql_id(char id[BENCH_SQL_ID_BYTES_MAX], uint64_t session, struct xylem_view entry_id);

/* Runs what bench_sql_inserter() gives. */
void bench_sql_put(sqlite3 *database, sqlite3_stmt *inserter, const struct bench_sql_row *row);

/*
 * Writes every session and every entry of the store in one transaction, and empties the write-ahead log. A line that
 * was kept stands behind the payload.
 */
void bench_sql_copy(sqlite3 *database, struct xylem_store *store);

#endif
