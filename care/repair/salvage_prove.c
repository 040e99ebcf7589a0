#include "care/repair/salvage_prove.h"

#include "base/bytes.h"
#include "store/branch.h"
#include "store/format/hash.h"
#include "store/format/keys.h"
#include "store/lease.h"
#include "store/note.h"
#include "store/format/record.h"
#include "store/session.h"
#include "store/side.h"
#include "store/source.h"
#include "xylem/branch.h"

/* --- Records ---------------------------------------------------------------------------------------------------- */

/*
 * Decoding reads the bytes under the sum, header, id and links, and the length of the value, not the payload. So the
 * stated length decodes a record with a payload that the end of the file cuts.
 */
bool xylem_repair__salvage_record(struct xylem_entry *entry, struct xylem_position position, struct xylem_view value,
                                  uint64_t value_bytes)
{
    struct xylem_view whole = {value.data, (size_t)value_bytes};
    return position.branch > 0 && position.depth > 0 && xylem_format__record_head(entry, value) > 0 &&
           xylem_format__record_decode(entry, position, whole, NULL) == XYLEM_OK;
}

static bool prove_record(struct xylem_repair__salvaged *row, struct xylem_view key, struct xylem_view value,
                         uint64_t value_bytes)
{
    struct xylem_position position;
    struct xylem_entry entry;
    struct xylem_view part;
    if (!xylem_format__key_read_pair(&position.branch, &position.depth, key) ||
        !xylem_repair__salvage_record(&entry, position, value, value_bytes) || entry.lsn == 0) {
        return false;
    }
    bool redacted = (entry.flags & XYLEM_ENTRY_REDACTED) != 0;
    uint64_t line_bytes = entry.line_bytes > 0 ? (uint64_t)entry.line_bytes + XYLEM_FORMAT__HASH_BYTES : 0;
    bool payload_there = (uint64_t)value.bytes >= value_bytes - line_bytes;
    bool line_there = line_bytes == 0 || (uint64_t)value.bytes == value_bytes; /* the line is the end of the value */
    row->newness = entry.lsn;
    row->detail = entry.check;
    row->entry = xylem_format__hash(entry.id) ^ (uint64_t)entry.time_ms; /* a redaction changes neither */
    row->flags |= redacted ? XYLEM_REPAIR__ROW_REDACTED : 0u;
    row->flags |= entry.flags & XYLEM_ENTRY_HASH_DROPPED ? XYLEM_REPAIR__ROW_HASH_DROPPED : 0u;
    if (!redacted && (!payload_there || xylem_entry_payload(&part, &entry, NULL) < 0)) {
        row->flags |= XYLEM_REPAIR__ROW_PAYLOAD_LOST;
    }
    if (!line_there || !xylem_store__line_whole(&entry)) {
        row->flags |= XYLEM_REPAIR__ROW_LINE_LOST;
    }
    return true;
}

/* --- Rows that end in a sum ------------------------------------------------------------------------------------- */

static bool is_session(struct xylem_repair__salvaged *row, struct xylem_view key, struct xylem_view content)
{
    struct xylem_session session;
    uint64_t number;
    if (!xylem_format__key_read_u64(&number, key) || number == 0 ||
        xylem_store__session_decode(&session, number, content, NULL) < 0) {
        return false;
    }
    /* A freed session stays freed, and every later row of the session has a smaller last lsn or the same. */
    row->newness = session.state == XYLEM_SESSION_FREED ? UINT64_MAX - session.last_lsn : session.last_lsn;
    row->detail = session.move_count * 2 + (session.state == XYLEM_SESSION_DELETED);
    return true;
}

/* A row of `meta`. Numbers that only grow make a row newer: freed entries, removals, version and features. */
static bool is_meta(struct xylem_repair__salvaged *row, struct xylem_view key, struct xylem_view content)
{
    struct xylem_view name;
    struct xylem_base__cursor cursor = xylem_base__cursor_of(content.data, content.bytes);
    if (xylem_base__view_is(key, XYLEM_FORMAT__META_FREED)) {
        row->newness = xylem_base__read_u64(&cursor);
        xylem_base__read_u64(&cursor); /* the count of freed sessions with rows: the new store has no such session */
        return xylem_base__cursor_ended(&cursor);
    }
    if (xylem_base__view_is(key, XYLEM_FORMAT__META_REMOVED)) {
        row->newness = xylem_base__read_u64(&cursor);
        row->detail = xylem_base__read_u64(&cursor);
        row->entry = xylem_base__read_u64(&cursor);
        return xylem_base__cursor_ended(&cursor);
    }
    if (xylem_base__view_is(key, XYLEM_FORMAT__META_FORMAT)) {
        bool newer = xylem_base__read_u32(&cursor) > XYLEM_FORMAT__FORMAT_VERSION;
        row->newness = newer ? UINT64_MAX : xylem_format__format_change_count(content); /* the count only grows */
        row->detail = xylem_base__read_u64(&cursor);
        return !cursor.failed;
    }
    return xylem_store__note_name(&name, key, content) || xylem_base__view_is(key, XYLEM_FORMAT__META_NOTES) ||
           xylem_store__lease_key_is(key) || xylem_base__view_is(key, XYLEM_FORMAT__META_LEASES) ||
           xylem_base__view_is(key, XYLEM_FORMAT__META_UUID) ||
           xylem_base__view_is(key, XYLEM_FORMAT__META_INCARNATION) ||
           xylem_base__view_is(key, XYLEM_FORMAT__META_FLOORS);
}

static bool is_session_id(struct xylem_repair__salvaged *row, struct xylem_view key, struct xylem_view content)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(content.data, content.bytes);
    struct xylem_view id;
    uint64_t hash;
    row->entry = xylem_base__read_u64(&cursor);
    return xylem_base__cursor_ended(&cursor) && xylem_format__key_read_session_id(&hash, &id, key);
}

static bool is_branch(struct xylem_repair__salvaged *row, struct xylem_view key, struct xylem_view content)
{
    struct xylem_store__branch branch;
    uint64_t number;
    if (!xylem_format__key_read_u64(&number, key) || number == 0 ||
        xylem_store__branch_decode(&branch, number, content, NULL) < 0) {
        return false;
    }
    row->newness = branch.end_depth > 0 ? UINT64_MAX - branch.end_depth : 0; /* a later row has a smaller end */
    return true;
}

static bool is_kind(struct xylem_repair__salvaged *row, struct xylem_view key, struct xylem_view content)
{
    (void)row;
    if (key.bytes == 0) {
        return false;
    }
    unsigned tag = (unsigned char)key.data[0];
    if (tag == XYLEM_FORMAT__KIND_NUMBER_TAG) {
        return key.bytes == XYLEM_FORMAT__KIND_NUMBER_KEY_BYTES && content.bytes > 0 &&
               (unsigned char)content.data[0] <= XYLEM_CLASS_CUSTOM && content.bytes <= XYLEM_KIND_NAME_BYTES_MAX + 1;
    }
    return tag <= XYLEM_CLASS_CUSTOM && content.bytes == 4;
}

static bool is_move(struct xylem_repair__salvaged *row, struct xylem_view key, struct xylem_view content)
{
    struct xylem_move move;
    uint64_t session;
    uint64_t number;
    (void)row;
    return xylem_format__key_read_pair(&session, &number, key) &&
           xylem_store__move_decode(&move, 1, content, NULL) == XYLEM_OK;
}

static bool is_source(struct xylem_repair__salvaged *row, struct xylem_view key, struct xylem_view content)
{
    struct xylem_store__source source;
    struct xylem_format__key named;
    struct xylem_base__cursor cursor = xylem_base__cursor_of(content.data, content.bytes);
    if (!xylem_store__source_fields(&source, &cursor)) {
        return false;
    }
    xylem_format__key_source(&named, row->first, source.name);
    row->newness = source.lines;
    row->detail = source.tail_bytes > source.tail.bytes; /* 1: the torn line was redacted, and must not come back */
    return xylem_base__view_equal(named.view, key);
}

static bool is_quarantined(struct xylem_repair__salvaged *row, struct xylem_view key, struct xylem_view content)
{
    struct xylem_quarantined line;
    (void)row;
    return xylem_store__quarantine_decode(&line, key, content, NULL) == XYLEM_OK;
}

static bool is_side(struct xylem_repair__salvaged *row, struct xylem_view key, struct xylem_view content)
{
    struct xylem_side side;
    uint64_t session;
    uint64_t lsn;
    if (!xylem_format__key_read_pair(&session, &lsn, key) || lsn == UINT64_MAX ||
        xylem_store__side_decode(&side, content) < 0) {
        return false;
    }
    row->newness = side.redacted; /* a redacted row was written behind the same row with its text */
    row->detail = side.type;
    return true;
}

/* The check of key and content for each table whose rows are read. */
static bool (*const checks[XYLEM_FORMAT__TABLE_COUNT])(struct xylem_repair__salvaged *row, struct xylem_view key,
                                                       struct xylem_view content) = {
    [XYLEM_FORMAT__META] = is_meta,       [XYLEM_FORMAT__SESSIONS] = is_session,
    [XYLEM_FORMAT__BRANCHES] = is_branch, [XYLEM_FORMAT__SESSION_IDS] = is_session_id,
    [XYLEM_FORMAT__KINDS] = is_kind,      [XYLEM_FORMAT__MOVES] = is_move,
    [XYLEM_FORMAT__SOURCES] = is_source,  [XYLEM_FORMAT__QUARANTINE] = is_quarantined,
    [XYLEM_FORMAT__SIDES] = is_side,
};

/*
 * True if the row has its sum. Gives the content before the sum, and the table: the sum of a row of table N is N more
 * than the sum of the same row of table 0.
 */
static bool has_sum(struct xylem_view *content, enum xylem_format__table *table, struct xylem_view key,
                    struct xylem_view value, uint64_t value_bytes)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(value.data, value.bytes);
    if (value.bytes != value_bytes) {
        return false;
    }
    *content = value;
    *table = XYLEM_FORMAT__META;
    if (xylem_format__row_unseal(content, *table, key)) {
        return true;
    }
    if (value.bytes < XYLEM_FORMAT__SUM_BYTES) {
        return false;
    }
    *content = xylem_base__read_bytes(&cursor, value.bytes - XYLEM_FORMAT__SUM_BYTES);
    uint32_t number =
        xylem_base__read_u32(&cursor) - (uint32_t)xylem_format__row_sum(XYLEM_FORMAT__META, key, *content);
    *table = (enum xylem_format__table)number;
    return number > XYLEM_FORMAT__META && number < XYLEM_FORMAT__TABLE_COUNT;
}

bool xylem_repair__salvage_prove(struct xylem_repair__salvaged *row, struct xylem_view key, struct xylem_view value,
                                 uint64_t value_bytes)
{
    struct xylem_view content;
    enum xylem_format__table table;
    bool any = row->table == XYLEM_FORMAT__TABLE_COUNT;
    bool proven = false;
    struct xylem_base__cursor cursor = xylem_base__cursor_of(key.data, key.bytes);
    row->first = xylem_base__read_ordered(&cursor);
    row->second = xylem_base__read_ordered(&cursor);
    row->key_hash = xylem_format__hash(key);
    if ((any || row->table == XYLEM_FORMAT__LOG) && prove_record(row, key, value, value_bytes)) {
        row->table = XYLEM_FORMAT__LOG;
        proven = true;
    } else if (has_sum(&content, &table, key, value, value_bytes) && (any || row->table == table)) {
        row->table = table;
        proven = checks[table] && checks[table](row, key, content);
    }
    row->flags |= proven ? XYLEM_REPAIR__ROW_PROVEN : 0u;
    return proven;
}
