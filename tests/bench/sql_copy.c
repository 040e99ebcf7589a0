#include "tests/bench/sql_copy.h"

#include <string.h>

#include "tests/bench/bench.h"
#include "xylem/branch.h"

struct copy {
    sqlite3 *database;
    struct xylem_txn *txn;
    sqlite3_stmt *inserter;
    sqlite3_stmt *session_inserter;
    struct xylem_buffer payload;
};

struct xylem_view bench_sql_id(char id[BENCH_SQL_ID_BYTES_MAX], uint64_t session, struct xylem_view entry_id)
{
    for (unsigned i = 0; i < 4; i++) {
        id[i] = (char)(session >> (24 - 8 * i));
    }
    memcpy(id + 4, entry_id.data, entry_id.bytes);
    return (struct xylem_view){id, 4 + entry_id.bytes};
}

void bench_sql_put(sqlite3 *database, sqlite3_stmt *inserter, const struct bench_sql_row *row)
{
    sqlite3_bind_int64(inserter, 1, (sqlite3_int64)row->lsn);
    sqlite3_bind_blob(inserter, 2, row->id.data, (int)row->id.bytes, SQLITE_STATIC);
    sqlite3_bind_int64(inserter, 3, (sqlite3_int64)row->position.branch);
    sqlite3_bind_int64(inserter, 4, (sqlite3_int64)row->position.depth);
    sqlite3_bind_int64(inserter, 5, (sqlite3_int64)row->parent);
    sqlite3_bind_int64(inserter, 6, row->kind);
    sqlite3_bind_int64(inserter, 7, row->time_ms);
    sqlite3_bind_blob(inserter, 8, row->payload.data, (int)row->payload.bytes, SQLITE_STATIC);
    bench_sql_run(database, inserter);
}

static uint64_t lsn_at(struct xylem_txn *txn, struct xylem_position position)
{
    struct xylem_error err;
    struct xylem_entry entry;
    if (position.depth == 0) {
        return 0;
    }
    bench_xylem(xylem_entry_read(&entry, txn, position, &err), "an entry", &err);
    return entry.lsn;
}

static void copy_entry(struct copy *copy, const struct xylem_session *session, const struct xylem_entry *entry)
{
    struct xylem_error err;
    struct xylem_view payload;
    struct xylem_view line;
    char id[BENCH_SQL_ID_BYTES_MAX];
    bench_xylem(xylem_entry_payload(&payload, entry, &err), "a payload", &err);
    bench_xylem(xylem_entry_imported_line(&line, entry, &err), "a line", &err);
    copy->payload.bytes = 0;
    bench_xylem(xylem_buffer_add(&copy->payload, payload.data, payload.bytes), "a payload", NULL);
    bench_xylem(xylem_buffer_add(&copy->payload, line.data, line.bytes), "a line", NULL);
    bench_sql_put(copy->database, copy->inserter,
                  &(struct bench_sql_row){.lsn = entry->lsn,
                                          .parent = lsn_at(copy->txn, entry->parent),
                                          .position = entry->position,
                                          .id = bench_sql_id(id, session->number, entry->id),
                                          .kind = entry->unverified.kind_number,
                                          .time_ms = entry->time_ms,
                                          .payload = {copy->payload.data, copy->payload.bytes}});
}

static void copy_session_row(struct copy *copy, const struct xylem_session *session)
{
    sqlite3_stmt *inserter = copy->session_inserter;
    sqlite3_bind_int64(inserter, 1, (sqlite3_int64)session->number);
    sqlite3_bind_blob(inserter, 2, session->id.data, (int)session->id.bytes, SQLITE_STATIC);
    sqlite3_bind_int64(inserter, 3, (sqlite3_int64)session->leaf.branch);
    sqlite3_bind_int64(inserter, 4, (sqlite3_int64)session->leaf.depth);
    sqlite3_bind_int64(inserter, 5, session->created_ms);
    bench_sql_run(copy->database, inserter);
}

/* Its own entries: those of its base are its source's. */
static void copy_session(struct copy *copy, const struct xylem_session *session)
{
    struct xylem_error err;
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    uint64_t owner = 0;
    int more = 0;
    copy_session_row(copy, session);
    bench_xylem(xylem_scan_new(&scan, copy->txn, session->number, &err), "a scan", &err);
    while ((more = xylem_scan_next(&entry, scan, &err)) == 1) {
        bench_xylem(xylem_owner(&owner, copy->txn, entry.position, &err), "an owner", &err);
        if (owner == session->number) {
            copy_entry(copy, session, &entry);
        }
    }
    bench_xylem(more, "a scan", &err);
    xylem_scan_free(scan);
}

void bench_sql_copy(sqlite3 *database, struct xylem_store *store)
{
    struct xylem_error err;
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    struct copy copy = {.database = database,
                        .inserter = bench_sql_inserter(database),
                        .session_inserter = bench_sql_prepare(
                            database, "INSERT INTO sessions(session, id, branch, seq, created) VALUES(?, ?, ?, ?, ?)")};
    bench_xylem(xylem_begin(&copy.txn, store, XYLEM_READ, &err), "a transaction", &err);
    bench_xylem(xylem_sessions_new(&sessions, copy.txn, &err), "the sessions", &err);
    bench_sql_exec(database, "BEGIN");
    while (xylem_sessions_next(&session, sessions, &err) == 1) {
        copy_session(&copy, &session);
    }
    bench_sql_exec(database, "COMMIT");
    bench_sql_exec(database, "PRAGMA wal_checkpoint(TRUNCATE)");
    xylem_sessions_free(sessions);
    xylem_abort(copy.txn);
    xylem_buffer_release(&copy.payload);
    sqlite3_finalize(copy.inserter);
    sqlite3_finalize(copy.session_inserter);
}
