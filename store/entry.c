/* Reads an entry at a position, and verifies its payload and its line, which an import kept. */
#include <inttypes.h>

#include "base/error.h"
#include "store/branch.h"
#include "store/format/keys.h"
#include "store/format/spelling.h"
#include "store/log.h"
#include "store/lmdb/tables.h"

int xylem_store__entry_read(struct xylem_entry *entry, struct xylem_txn *txn, struct xylem_position position,
                            struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_view record;
    xylem_format__key_pair(&key, position.branch, position.depth);
    int found = xylem_lmdb__get(&record, txn, XYLEM_FORMAT__LOG, key.view, err);
    if (found != 0) {
        return found < 0 ? found : xylem_store__entry_decode(entry, txn, position, record, err);
    }
    struct xylem_position before;
    int code = xylem_store__log_before(&before, &record, txn, position, err);
    int freed = code < 0 ? code : xylem_store__branch_freed(txn, position, err);
    if (freed < 0) {
        return freed;
    }
    return freed ? xylem_base__fail(err, XYLEM_E_FREED, "the entry at " XYLEM_FORMAT__AT_FORMAT " was freed",
                                    XYLEM_FORMAT__AT_ARGUMENTS(position))
                 : xylem_base__fail(err, XYLEM_E_NOT_FOUND, "there is no entry at " XYLEM_FORMAT__AT_FORMAT,
                                    XYLEM_FORMAT__AT_ARGUMENTS(position));
}

int xylem_entry_read(struct xylem_entry *entry, struct xylem_txn *txn, struct xylem_position position,
                     struct xylem_error *err)
{
    struct xylem_entry read;
    int code = xylem_store__entry_read(&read, txn, position, err);
    if (code == XYLEM_OK) {
        *entry = read;
    }
    return code;
}

int xylem_entry_parent_id(struct xylem_view *id, struct xylem_txn *txn, const struct xylem_entry *entry,
                          struct xylem_error *err)
{
    struct xylem_entry parent;
    if (xylem_format__position_none(entry->parent)) {
        return 0;
    }
    int code = xylem_store__entry_read(&parent, txn, entry->parent, err);
    if (xylem_store__no_entry(code)) {
        code = xylem_base__fail(err, XYLEM_E_CORRUPT, "the entry at " XYLEM_FORMAT__AT_FORMAT " is missing",
                                XYLEM_FORMAT__AT_ARGUMENTS(entry->parent));
    }
    if (code < 0) {
        return code;
    }
    *id = parent.id;
    return 1;
}

static int part_is_damaged(const struct xylem_entry *entry, const char *part, struct xylem_error *err)
{
    return xylem_base__fail(err, XYLEM_E_CORRUPT,
                            "the %s of entry %.*s at " XYLEM_FORMAT__AT_FORMAT " does not match its hash", part,
                            XYLEM_BASE__SHOWN(entry->id), XYLEM_FORMAT__AT_ARGUMENTS(entry->position));
}

int xylem_entry_payload(struct xylem_view *payload, const struct xylem_entry *entry, struct xylem_error *err)
{
    if (entry->flags & XYLEM_ENTRY_REDACTED) {
        return xylem_base__fail(err, XYLEM_E_REDACTED, "the payload of entry %.*s was redacted",
                                XYLEM_BASE__SHOWN(entry->id));
    }
    struct xylem_view bytes = {entry->unverified.payload, entry->payload_bytes};
    if (xylem_format__hash(bytes) != entry->unverified.payload_hash) {
        return part_is_damaged(entry, "payload", err);
    }
    *payload = bytes;
    return XYLEM_OK;
}

/* Reads the bytes behind the payload: the pieces of an imported line, or the reason of a redaction. */
static int read_behind(struct xylem_view *behind, const struct xylem_entry *entry)
{
    struct xylem_view bytes = {NULL, 0};
    if (entry->line_bytes > 0) {
        struct xylem_base__cursor cursor =
            xylem_base__cursor_of(entry->unverified.line, entry->line_bytes + (size_t)XYLEM_FORMAT__HASH_BYTES);
        uint64_t hash = xylem_base__read_u64(&cursor);
        bytes = xylem_base__read_bytes(&cursor, entry->line_bytes);
        if (xylem_format__hash(bytes) != hash) {
            return XYLEM_E_CORRUPT;
        }
    }
    *behind = bytes;
    return XYLEM_OK;
}

bool xylem_store__line_whole(const struct xylem_entry *entry)
{
    struct xylem_view behind;
    return read_behind(&behind, entry) == XYLEM_OK;
}

int xylem_store__line_values(struct xylem_view *values, const struct xylem_entry *entry, struct xylem_error *err)
{
    *values = (struct xylem_view){NULL, 0};
    bool none = entry->line_bytes == 0 || (entry->flags & XYLEM_ENTRY_REDACTED);
    return none || read_behind(values, entry) == XYLEM_OK ? XYLEM_OK : part_is_damaged(entry, "values", err);
}

int xylem_store__line_part(struct xylem_buffer *part, const struct xylem_entry *entry, struct xylem_error *err)
{
    struct xylem_view pieces;
    struct xylem_format__spelt spelt = {.id = entry->id, .time_ms = entry->time_ms};
    if (entry->line_bytes == 0 || (entry->flags & XYLEM_ENTRY_REDACTED)) {
        return XYLEM_OK;
    }
    if (entry->format == XYLEM_FORMAT_LINE) {
        int code = xylem_store__line_values(&pieces, entry, err);
        return code < 0                                                ? code
               : xylem_buffer_add(part, pieces.data, pieces.bytes) < 0 ? xylem_base__fail_memory(err)
                                                                       : XYLEM_OK;
    }
    if (read_behind(&pieces, entry) < 0) {
        return part_is_damaged(entry, "line", err);
    }
    int code = xylem_entry_payload(&spelt.payload, entry, err);
    if (code < 0 || (code = xylem_format__spelling_decode(part, &spelt, pieces)) == XYLEM_OK) {
        return code;
    }
    return code == XYLEM_E_MEMORY
               ? xylem_base__fail_memory(err)
               : xylem_base__fail(err, code,
                                  "the line of entry %.*s at " XYLEM_FORMAT__AT_FORMAT " cannot be made of its pieces",
                                  XYLEM_BASE__SHOWN(entry->id), XYLEM_FORMAT__AT_ARGUMENTS(entry->position));
}

int xylem_entry_imported_line(struct xylem_buffer *line, const struct xylem_entry *entry, struct xylem_error *err)
{
    return entry->format == XYLEM_FORMAT_LINE ? XYLEM_OK : xylem_store__line_part(line, entry, err);
}

int xylem_entry_redaction(struct xylem_view *reason, const struct xylem_entry *entry, struct xylem_error *err)
{
    if (!(entry->flags & XYLEM_ENTRY_REDACTED)) {
        return 0;
    }
    return read_behind(reason, entry) < 0 ? part_is_damaged(entry, "reason of the redaction", err) : 1;
}
