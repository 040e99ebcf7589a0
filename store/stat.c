/* Counts the rows and sizes of a store. */
#include <string.h>

#include "store/log.h"
#include "store/meta.h"
#include "store/note.h"
#include "store/redact.h"
#include "store/session.h"
#include "store/lmdb/tables.h"
#include "xylem/inspect.h"

static int count_session(void *context, const struct xylem_session *session)
{
    struct xylem_stat *stat = context;
    stat->session_count += session->state != XYLEM_SESSION_FREED;
    stat->freed_session_count += session->state == XYLEM_SESSION_FREED;
    stat->live_count += session->state == XYLEM_SESSION_LIVE;
    stat->deleted_count += session->state == XYLEM_SESSION_DELETED;
    stat->importing_count += session->state == XYLEM_SESSION_IMPORTING;
    return XYLEM_OK;
}

static int count_entry(void *context, const struct xylem_entry *entry)
{
    struct xylem_stat *stat = context;
    stat->entry_count++;
    stat->payload_bytes += entry->payload_bytes;
    stat->line_bytes += entry->flags & XYLEM_ENTRY_REDACTED ? 0 : entry->line_bytes;
    stat->links_bytes += entry->unverified.links_bytes;
    return XYLEM_OK;
}

int xylem_stat_read(struct xylem_stat *stat, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_stat read;
    struct xylem_store__freed freed;
    struct xylem_store__redacting redacting = {.id = 0};
    memset(&read, 0, sizeof read);
    int code;
    if ((code = xylem_store__meta_stat(&read, txn, err)) < 0 || (code = xylem_lmdb__env_stat(&read, txn, err)) < 0) {
        return code;
    }
    for (unsigned table = 0; table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        struct xylem_lmdb__table_size size;
        if ((code = xylem_lmdb__table_size(&size, txn, table, err)) < 0) {
            return code;
        }
        read.tables[table].name = xylem_format__table_name(table);
        read.tables[table].rows = size.rows;
        read.tables[table].bytes = size.bytes;
        read.tables[table].depth = size.depth;
    }
    read.branch_count = read.tables[XYLEM_FORMAT__BRANCHES].rows;
    read.kind_count = read.tables[XYLEM_FORMAT__KINDS].rows / 2; /* each kind has a row by name and a row by number */
    if ((code = xylem_store__freed_read(&freed, txn, err)) < 0 ||
        (code = xylem_store__redacting_read(&redacting, txn, err)) < 0 ||
        (code = xylem_store__each_session(txn, count_session, &read, err)) < 0 ||
        (code = xylem_store__each_entry(txn, count_entry, &read, err)) < 0) {
        return code;
    }
    read.freed_entry_count = freed.entry_count;
    if ((code = xylem_store__note_count(&read.note_count, txn, err)) < 0) {
        return code;
    }
    read.redacting_count = redacting.targets.bytes / XYLEM_STORE__TARGET_BYTES;
    *stat = read;
    return XYLEM_OK;
}
