/* Rewrites the records of redacted entries. */
#include "base/buffer.h"
#include "base/error.h"
#include "format/keys.h"
#include "format/record.h"
#include "store/redact.h"

static int put_record(struct xylem_store__redaction *redaction, struct xylem_position position)
{
    struct xylem_format__key key;
    xylem_format__key_pair(&key, position.branch, position.depth);
    return xylem_lmdb__put(redaction->txn, XYLEM_FORMAT__LOG, key.view, xylem_base__buffer_view(&redaction->record),
                           true, redaction->err);
}

int xylem_store__redact_record(struct xylem_store__redaction *redaction, const struct xylem_entry *entry,
                               uint64_t payload_hash, uint64_t check)
{
    struct xylem_view reason = redaction->options.reason;
    int code = xylem_entry_redaction(&reason, entry, redaction->err); /* the first reason stays */
    if (code < 0) {
        return code;
    }
    bool dropped = payload_hash != entry->unverified.payload_hash;
    struct xylem_format__record record = {.check = check,
                                          .payload_hash = payload_hash,
                                          .lsn = entry->lsn,
                                          .time_ms = entry->time_ms,
                                          .kind_number = entry->unverified.kind_number,
                                          .flags = entry->flags | XYLEM_ENTRY_REDACTED,
                                          .format = entry->format,
                                          .id = entry->id,
                                          .links = {entry->unverified.links, entry->unverified.links_bytes},
                                          .line = reason};
    record.flags |= dropped ? XYLEM_ENTRY_HASH_DROPPED : 0;
    xylem_base__buffer_clear(&redaction->record);
    code = xylem_format__record_encode(&redaction->record, entry->position, &record, redaction->err);
    return code < 0 ? code : put_record(redaction, entry->position);
}

int xylem_store__redact_recheck(struct xylem_store__redaction *redaction, const struct xylem_entry *entry,
                                uint64_t check)
{
    struct xylem_format__key key;
    struct xylem_view bytes = {NULL, 0};
    xylem_format__key_pair(&key, entry->position.branch, entry->position.depth);
    int code = xylem_lmdb__get(&bytes, redaction->txn, XYLEM_FORMAT__LOG, key.view, redaction->err);
    xylem_base__buffer_clear(&redaction->record);
    if (code >= 0 && xylem_buffer_add(&redaction->record, bytes.data, bytes.bytes) < 0) {
        code = xylem_base__fail_memory(redaction->err);
    }
    if (code < 0) {
        return code;
    }
    xylem_format__record_recheck(&redaction->record, entry, check);
    return put_record(redaction, entry->position);
}

size_t xylem_store__redact_seek(const struct xylem_store__redaction *redaction, struct xylem_position position)
{
    size_t from = 0;
    size_t to = redaction->target_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        struct xylem_position at = redaction->targets[middle];
        bool before = at.branch < position.branch || (at.branch == position.branch && at.depth < position.depth);
        from = before ? middle + 1 : from;
        to = before ? to : middle;
    }
    return from;
}

bool xylem_store__redact_wanted(const struct xylem_store__redaction *redaction, struct xylem_position position)
{
    size_t at = xylem_store__redact_seek(redaction, position);
    return at < redaction->target_count && xylem_format__position_equal(redaction->targets[at], position);
}
