/* Figures of the store. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "store/log.h"
#include "store/keys.h"
#include "store/meta.h"
#include "store/tables.h"

static int count_sessions(struct xylem_stat *stat, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_sessions *sessions;
    struct xylem_session session;
    int code = xylem_sessions_new(&sessions, txn, err);
    if (code < 0) {
        return code;
    }
    while ((code = xylem_sessions_next(&session, sessions, err)) > 0) {
        stat->session_count += session.state != XYLEM_SESSION_FREED;
        stat->freed_session_count += session.state == XYLEM_SESSION_FREED;
        stat->live_count += session.state == XYLEM_SESSION_LIVE;
        stat->deleted_count += session.state == XYLEM_SESSION_DELETED;
        stat->importing_count += session.state == XYLEM_SESSION_IMPORTING;
    }
    xylem_sessions_free(sessions);
    return code;
}

static int count_entries(struct xylem_stat *stat, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_store__rows *rows;
    int code = xylem_store__rows_new(&rows, txn, XYLEM_STORE__LOG, err);
    if (code < 0) {
        return code;
    }
    struct xylem_view key = {NULL, 0};
    struct xylem_view record = {NULL, 0};
    int found = xylem_store__rows_step(&key, &record, rows, XYLEM_STORE__FIRST, err);
    while (found > 0) {
        struct xylem_entry entry;
        struct xylem_position position = {0, 0};
        xylem_store__key_read_pair(&position.branch, &position.depth, key); /* a wrong key breaks the record's sum */
        code = xylem_store__entry_decode(&entry, txn, position, record, err);
        if (code < 0) {
            found = code;
            break;
        }
        stat->entry_count++;
        stat->payload_bytes += entry.payload_bytes;
        stat->line_bytes += entry.flags & XYLEM_ENTRY_REDACTED ? 0 : entry.line_bytes;
        stat->links_bytes += entry.unverified.links_bytes;
        found = xylem_store__rows_step(&key, &record, rows, XYLEM_STORE__NEXT, err);
    }
    xylem_store__rows_free(rows);
    uint64_t rows_stated = stat->tables[XYLEM_STORE__LOG].rows;
    if (found == 0 && stat->entry_count != rows_stated) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "%s: the table log has %" PRIu64 " rows, of which %" PRIu64 " are found",
                                xylem_store__path(txn), rows_stated, stat->entry_count);
    }
    return found;
}

int xylem_stat_read(struct xylem_stat *stat, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_stat read;
    struct xylem_store__freed freed = {0, 0};
    memset(&read, 0, sizeof read);
    int code = xylem_store__meta_stat(&read, txn, err);
    code = code < 0 ? code : xylem_store__env_stat(&read, txn, err);
    for (unsigned table = 0; code == XYLEM_OK && table < XYLEM_STORE__TABLE_COUNT; table++) {
        struct xylem_store__table_size size = {0, 0, 0};
        code = xylem_store__table_size(&size, txn, table, err);
        read.tables[table].name = xylem_store__table_name(table);
        read.tables[table].rows = size.rows;
        read.tables[table].bytes = size.bytes;
        read.tables[table].depth = size.depth;
    }
    read.branch_count = read.tables[XYLEM_STORE__BRANCHES].rows;
    read.kind_count = read.tables[XYLEM_STORE__KINDS].rows / 2; /* a row by name and one by number */
    code = code < 0 ? code : xylem_store__freed_read(&freed, txn, err);
    read.freed_entry_count = freed.entry_count;
    code = code < 0 ? code : count_sessions(&read, txn, err);
    code = code < 0 ? code : count_entries(&read, txn, err);
    if (code == XYLEM_OK) {
        *stat = read;
    }
    return code;
}
