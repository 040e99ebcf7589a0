/* Reads and writes quarantined lines: lines of session files that an import could not place. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "store/feed.h"
#include "store/format/keys.h"
#include "store/source.h"
#include "store/lmdb/tables.h"

struct xylem_quarantine {
    struct xylem_lmdb__rows *rows;
    uint64_t session;
};

int xylem_store__quarantine_decode(struct xylem_quarantined *quarantined, struct xylem_view key, struct xylem_view row,
                                   struct xylem_error *err)
{
    struct xylem_base__cursor names = xylem_base__cursor_of(key.data, key.bytes);
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    struct xylem_format__key named;
    uint64_t session = xylem_base__read_ordered(&names);
    quarantined->line = xylem_base__read_ordered(&names);
    quarantined->source = xylem_base__read_sized(&cursor);
    quarantined->offset = xylem_base__read_u64(&cursor);
    uint32_t reason = xylem_base__read_u32(&cursor);
    quarantined->raw_bytes = xylem_base__read_u64(&cursor);
    quarantined->raw = xylem_base__read_sized(&cursor);
    quarantined->hash = xylem_base__read_u64(&cursor);
    quarantined->reason = (enum xylem_import_problem_type)reason;
    xylem_format__key_quarantine(&named, session, quarantined->line, quarantined->hash, quarantined->source);
    bool whole = quarantined->raw.bytes == 0 || quarantined->raw.bytes == quarantined->raw_bytes;
    bool hashed = quarantined->raw.bytes == 0 || xylem_format__hash(quarantined->raw) == quarantined->hash;
    if (!xylem_base__view_equal(named.view, key) || !xylem_base__cursor_ended(&cursor) || !whole || !hashed ||
        reason >= XYLEM_IMPORT_PROBLEM_COUNT) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "the row of line %" PRIu64 " in quarantine has invalid fields",
                                quarantined->line);
    }
    return XYLEM_OK;
}

int xylem_store__quarantine_put(struct xylem_txn *txn, uint64_t session, const struct xylem_quarantined *row,
                                struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_buffer value = {NULL, 0, 0};
    xylem_format__key_quarantine(&key, session, row->line, row->hash, row->source);
    bool made = xylem_base__add_sized(&value, row->source) == XYLEM_OK &&
                xylem_base__add_u64(&value, row->offset) == XYLEM_OK &&
                xylem_base__add_u32(&value, (uint32_t)row->reason) == XYLEM_OK &&
                xylem_base__add_u64(&value, row->raw_bytes) == XYLEM_OK &&
                xylem_base__add_sized(&value, row->raw) == XYLEM_OK &&
                xylem_base__add_u64(&value, row->hash) == XYLEM_OK;
    return xylem_lmdb__put_summed(txn, XYLEM_FORMAT__QUARANTINE, key.view, &value, made, true, err);
}

static int write_row(struct xylem_txn *txn, uint64_t session, const struct xylem_quarantined *row,
                     struct xylem_error *err)
{
    int code = xylem_store__quarantine_put(txn, session, row, err);
    return code < 0 ? code : xylem_store__feed_document(txn, session, err);
}

void xylem_store__quarantine_empty(struct xylem_quarantined *row)
{
    unsigned char stood[16];
    /* The key needs a hash. The hash of the bytes would confirm a guess of the bytes. */
    xylem_base__put_u64(stood, row->offset);
    xylem_base__put_u64(stood + 8, row->raw_bytes);
    row->hash = xylem_format__hash((struct xylem_view){(const char *)stood, sizeof stood});
    row->raw = (struct xylem_view){NULL, 0};
    row->reason = XYLEM_IMPORT_REDACTED;
}

/*
 * Replaces the row under `key` by the row without its bytes or, if the line `retires`, without its number. What stays is
 * copied first, because a write makes views invalid.
 */
static int replace(struct xylem_txn *txn, uint64_t session, struct xylem_view key, bool retires,
                   struct xylem_error *err)
{
    struct xylem_buffer source = {NULL, 0, 0};
    struct xylem_buffer raw = {NULL, 0, 0};
    struct xylem_view value = {NULL, 0};
    struct xylem_quarantined row;
    int code;
    if ((code = xylem_lmdb__get_summed(&value, txn, XYLEM_FORMAT__QUARANTINE, key, err)) < 0 ||
        (code = xylem_store__quarantine_decode(&row, key, value, err)) < 0) {
        return code;
    }
    if (retires) {
        row.line = 0;
    } else {
        xylem_store__quarantine_empty(&row);
    }
    if (xylem_buffer_add(&source, row.source.data, row.source.bytes) < 0 ||
        xylem_buffer_add(&raw, row.raw.data, row.raw.bytes) < 0) {
        code = xylem_base__fail_memory(err);
        goto out;
    }
    row.source = xylem_base__buffer_view(&source);
    row.raw = xylem_base__buffer_view(&raw);
    if ((code = xylem_lmdb__remove(txn, XYLEM_FORMAT__QUARANTINE, key, err)) == XYLEM_OK) {
        code = write_row(txn, session, &row, err);
    }
out:
    xylem_buffer_release(&source);
    xylem_buffer_release(&raw);
    return code;
}

int xylem_store__quarantine_redact(struct xylem_txn *txn, struct xylem_view key, struct xylem_error *err)
{
    return replace(txn, xylem_format__key_first(key), key, false, err);
}

int xylem_store__quarantine_add(struct xylem_txn *txn, uint64_t session, const struct xylem_quarantined *row,
                                struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_view known = {NULL, 0};
    xylem_format__key_quarantine(&key, session, row->line, row->hash, row->source);
    int found = xylem_lmdb__get_summed(&known, txn, XYLEM_FORMAT__QUARANTINE, key.view, err);
    if (found != 0) {
        return found < 0 ? found : 0;
    }
    struct xylem_format__key retired;
    xylem_format__key_quarantine(&retired, session, 0, row->hash, row->source);
    int code;
    if ((code = xylem_lmdb__remove(txn, XYLEM_FORMAT__QUARANTINE, retired.view, err)) < 0 ||
        (code = write_row(txn, session, row, err)) < 0) {
        return code;
    }
    return 1;
}

int xylem_store__quarantine_retire(struct xylem_txn *txn, uint64_t session, struct xylem_view source,
                                   struct xylem_error *err)
{
    struct xylem_buffer keys = {NULL, 0, 0}; /* of the numbered lines: the rows move while the lines are retired */
    struct xylem_quarantine *quarantine;
    struct xylem_quarantined row;
    int code = xylem_quarantine_new(&quarantine, txn, session, err);
    if (code < 0) {
        return code;
    }
    while ((code = xylem_quarantine_next(&row, quarantine, err)) == 1) {
        struct xylem_format__key key;
        xylem_format__key_quarantine(&key, session, row.line, row.hash, row.source);
        bool wanted = row.line != 0 && xylem_base__view_equal(row.source, source);
        if (wanted && xylem_base__add_sized(&keys, key.view) < 0) {
            code = xylem_base__fail_memory(err);
            break;
        }
    }
    xylem_quarantine_free(quarantine);
    struct xylem_base__cursor cursor = xylem_base__cursor_of(keys.data, keys.bytes);
    while (code == XYLEM_OK && cursor.left > 0) {
        code = replace(txn, session, xylem_base__read_sized(&cursor), true, err);
    }
    xylem_buffer_release(&keys);
    return code;
}

int xylem_quarantine_new(struct xylem_quarantine **quarantine, struct xylem_txn *txn, uint64_t session,
                         struct xylem_error *err)
{
    struct xylem_session row;
    int code = xylem_session_read(&row, txn, session, err);
    if (code < 0) {
        return code;
    }
    struct xylem_quarantine *made = calloc(1, sizeof *made);
    code = made ? xylem_lmdb__rows_new(&made->rows, txn, XYLEM_FORMAT__QUARANTINE, err) : xylem_base__fail_memory(err);
    if (code < 0) {
        free(made);
        return code;
    }
    made->session = session;
    *quarantine = made;
    return XYLEM_OK;
}

int xylem_quarantine_next(struct xylem_quarantined *row, struct xylem_quarantine *quarantine, struct xylem_error *err)
{
    struct xylem_view key = {NULL, 0};
    struct xylem_view value = {NULL, 0};
    struct xylem_quarantined read;
    int found = xylem_lmdb__rows_next_of(&key, &value, quarantine->rows, quarantine->session, err);
    if (found <= 0) {
        return found;
    }
    int code = xylem_store__quarantine_decode(&read, key, value, err);
    if (code < 0) {
        return code;
    }
    *row = read;
    return 1;
}

void xylem_quarantine_free(struct xylem_quarantine *quarantine)
{
    if (quarantine) {
        xylem_lmdb__rows_free(quarantine->rows);
        free(quarantine);
    }
}
