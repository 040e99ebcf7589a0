#include "store/format/record.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/format/hash.h"
#include "store/format/keys.h"

/*
 * A check covers, with the parent's check as the seed of the hash:
 *
 *     | class u8 | name bytes u16 | name | time_ms i64 | format u8 | id bytes u16 | id | payload hash u64 |
 *
 * CHECKED_BYTES is this length without name and id.
 */
#define CHECKED_BYTES (1u + 2u + 8u + 1u + 2u + 8u)

/* XXH3-64 of the record's key and of the record from behind the sum up to the payload. */
static uint64_t sum_of(struct xylem_position position, const char *record, size_t bytes)
{
    unsigned char key[XYLEM_FORMAT__PAIR_KEY_BYTES];
    struct xylem_view covered = {record + XYLEM_FORMAT__RECORD_SUM_BYTES, bytes - XYLEM_FORMAT__RECORD_SUM_BYTES};
    xylem_base__put_u64_be(key, position.branch);
    xylem_base__put_u64_be(key + 8, position.depth);
    return xylem_format__hash_keyed(key, covered);
}

/* Writes a number, and returns the place after it. The caller has room. */
static unsigned char *put(unsigned char *at, uint64_t number, size_t bytes)
{
    unsigned char out[8];
    xylem_base__put_u64(out, number);
    memcpy(at, out, bytes);
    return at + bytes;
}

static unsigned char *put_view(unsigned char *at, struct xylem_view view)
{
    if (view.bytes > 0) {
        memcpy(at, view.data, view.bytes);
    }
    return at + view.bytes;
}

/* Writes the header of a record, with 0 as the sum. */
static unsigned char *put_header(unsigned char *at, const struct xylem_format__record *record, size_t line_bytes)
{
    at = put(at, 0, 8);
    at = put(at, record->check, 8);
    at = put(at, record->payload_hash, 8);
    at = put(at, record->lsn, 8);
    at = put(at, (uint64_t)record->time_ms, 8);
    at = put(at, record->payload.bytes, 4);
    at = put(at, line_bytes, 4);
    at = put(at, record->kind_number, 4);
    at = put(at, record->links.bytes, 4);
    at = put(at, record->id.bytes, 2);
    at = put(at, record->flags, 1);
    return put(at, (uint64_t)record->format, 1);
}

int xylem_format__record_encode(struct xylem_buffer *buffer, struct xylem_position position,
                                const struct xylem_format__record *record, struct xylem_error *err)
{
    size_t line_bytes = record->line.bytes ? record->line.bytes + XYLEM_FORMAT__SUM_BYTES : 0;
    size_t covered_bytes = XYLEM_FORMAT__RECORD_HEADER_BYTES + record->id.bytes + record->links.bytes;
    size_t bytes = covered_bytes + record->payload.bytes + line_bytes;
    assert(record->id.bytes <= UINT16_MAX && record->payload.bytes <= UINT32_MAX && line_bytes <= UINT32_MAX);
    if (xylem_base__buffer_reserve(buffer, bytes) < 0) {
        return xylem_base__fail_memory(err);
    }
    unsigned char *start = (unsigned char *)buffer->data + buffer->bytes;
    unsigned char *at = put_header(start, record, line_bytes);
    at = put_view(at, record->id);
    at = put_view(at, record->links);
    xylem_base__put_u64(start, sum_of(position, (const char *)start, covered_bytes));
    at = put_view(at, record->payload);
    if (line_bytes > 0) {
        at = put(at, xylem_format__hash(record->line), 8);
        at = put_view(at, record->line);
    }
    *at = '\0';
    buffer->bytes += bytes;
    return XYLEM_OK;
}

static int corrupt(struct xylem_error *err, struct xylem_position position, const char *what)
{
    return xylem_base__fail(err, XYLEM_E_CORRUPT, "the record at " XYLEM_FORMAT__AT_FORMAT " %s",
                            XYLEM_FORMAT__AT_ARGUMENTS(position), what);
}

/* The fields of a record's header that an entry does not have. */
struct header {
    uint64_t sum;
    uint16_t id_bytes;
    uint8_t flags;
    uint8_t format;
};

/* Reads a whole header: with a constant length the compiler drops the check of each field. */
static void read_header(struct header *header, struct xylem_entry *entry, const char *bytes)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(bytes, XYLEM_FORMAT__RECORD_HEADER_BYTES);
    header->sum = xylem_base__read_u64(&cursor);
    entry->check = xylem_base__read_u64(&cursor);
    entry->unverified.payload_hash = xylem_base__read_u64(&cursor);
    entry->lsn = xylem_base__read_u64(&cursor);
    entry->time_ms = xylem_base__read_i64(&cursor);
    entry->payload_bytes = xylem_base__read_u32(&cursor);
    entry->line_bytes = xylem_base__read_u32(&cursor);
    entry->unverified.kind_number = xylem_base__read_u32(&cursor);
    entry->unverified.links_bytes = xylem_base__read_u32(&cursor);
    header->id_bytes = xylem_base__read_u16(&cursor);
    header->flags = xylem_base__read_u8(&cursor);
    header->format = xylem_base__read_u8(&cursor);
    entry->flags = header->flags;
    entry->format = (enum xylem_format)header->format;
}

/*
 * Finds the parent, always one depth less:
 *
 *     a root                       no parent
 *     the first entry of a branch  on the branch that the links begin with
 *     any other entry              on the same branch
 */
static int read_parent(struct xylem_entry *entry, struct xylem_error *err)
{
    struct xylem_position own = entry->position;
    entry->parent.branch = own.depth > 1 ? own.branch : 0;
    entry->parent.depth = own.depth - 1;
    if (entry->flags & XYLEM_ENTRY_STARTS_BRANCH) {
        struct xylem_base__cursor links = xylem_base__cursor_of(entry->unverified.links, entry->unverified.links_bytes);
        uint64_t back = xylem_base__read_varint(&links);
        if (links.failed || back == 0 || back >= own.branch || own.depth < 2) {
            return corrupt(err, own, "has an impossible branch of its parent");
        }
        entry->parent.branch = own.branch - back;
    }
    return XYLEM_OK;
}

int xylem_format__record_decode(struct xylem_entry *entry, struct xylem_position position, struct xylem_view bytes,
                                struct xylem_error *err)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(bytes.data, bytes.bytes);
    struct xylem_view head = xylem_base__read_bytes(&cursor, XYLEM_FORMAT__RECORD_HEADER_BYTES);
    if (cursor.failed) {
        return corrupt(err, position, "does not have the length that its fields add up to");
    }
    struct header header;
    entry->position = position;
    read_header(&header, entry, head.data);
    entry->id = xylem_base__read_bytes(&cursor, header.id_bytes);
    struct xylem_view links = xylem_base__read_bytes(&cursor, entry->unverified.links_bytes);
    size_t covered = bytes.bytes - cursor.left;
    struct xylem_view payload = xylem_base__read_bytes(&cursor, entry->payload_bytes);
    struct xylem_view line = xylem_base__read_bytes(&cursor, entry->line_bytes);
    if (!xylem_base__cursor_ended(&cursor)) {
        return corrupt(err, position, "does not have the length that its fields add up to");
    }
    if (header.sum != sum_of(position, bytes.data, covered)) {
        return corrupt(err, position, "does not match its sum");
    }
    bool dropped = (header.flags & XYLEM_ENTRY_HASH_DROPPED) != 0;
    if (header.flags & ~XYLEM_FORMAT__ENTRY_FLAGS_KNOWN || header.format > XYLEM_FORMAT_LINE || position.depth == 0 ||
        header.id_bytes > XYLEM_ENTRY_ID_BYTES_MAX || (dropped && !(header.flags & XYLEM_ENTRY_REDACTED)) ||
        (entry->line_bytes > 0 && entry->line_bytes < XYLEM_FORMAT__SUM_BYTES)) {
        return corrupt(err, position, "has invalid fields");
    }
    entry->unverified.links = links.data;
    entry->unverified.payload = payload.data;
    entry->unverified.line = line.data;
    if (entry->line_bytes > 0) {
        entry->line_bytes -= XYLEM_FORMAT__SUM_BYTES;
    }
    return read_parent(entry, err);
}

void xylem_format__record_recheck(struct xylem_buffer *record, const struct xylem_entry *entry, uint64_t check)
{
    unsigned char *start = (unsigned char *)record->data;
    size_t covered_bytes = XYLEM_FORMAT__RECORD_HEADER_BYTES + entry->id.bytes + entry->unverified.links_bytes;
    put(start + XYLEM_FORMAT__RECORD_SUM_BYTES, check, 8);
    xylem_base__put_u64(start, sum_of(entry->position, record->data, covered_bytes));
}

int xylem_format__record_check(uint64_t *check, uint64_t parent_check, struct xylem_kind kind, int64_t time_ms,
                               enum xylem_format format, struct xylem_view id, uint64_t payload_hash,
                               struct xylem_error *err)
{
    unsigned char small[256]; /* enough for usual names */
    size_t bytes = CHECKED_BYTES + kind.name.bytes + id.bytes;
    unsigned char *covered = bytes <= sizeof small ? small : malloc(bytes);
    if (!covered) {
        return xylem_base__fail_memory(err);
    }
    unsigned char *at = put(covered, (uint64_t)kind.kind_class, 1);
    at = put_view(put(at, kind.name.bytes, 2), kind.name);
    at = put(at, (uint64_t)time_ms, 8);
    at = put(at, (uint64_t)format, 1);
    at = put_view(put(at, id.bytes, 2), id);
    put(at, payload_hash, 8);
    *check = xylem_format__hash_seeded((struct xylem_view){(const char *)covered, bytes}, parent_check);
    if (covered != small) {
        free(covered);
    }
    return XYLEM_OK;
}

int xylem_format__link_add(struct xylem_buffer *links, struct xylem_position own, struct xylem_position to)
{
    bool none = xylem_format__position_none(to);
    int code = xylem_base__add_varint(links, none ? 0 : own.branch - to.branch);
    return code < 0 ? code : xylem_base__add_varint(links, none ? 0 : own.depth - to.depth);
}

int xylem_format__links_marked(struct xylem_position *marked, struct xylem_base__cursor *rest,
                               const struct xylem_entry *entry, struct xylem_error *err)
{
    *rest = xylem_base__cursor_of(entry->unverified.links, entry->unverified.links_bytes);
    if (entry->flags & XYLEM_ENTRY_STARTS_BRANCH) {
        xylem_base__read_varint(rest);
    }
    *marked = xylem_format__link_read(rest, entry->position);
    return rest->failed ? corrupt(err, entry->position, "has invalid links") : XYLEM_OK;
}
