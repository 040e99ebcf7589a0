#include "store/format/record.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/format/hash.h"
#include "store/format/spelling.h"

/*
 * A check covers, with the parent's check as the seed of the hash:
 *
 *     | class u8 | name bytes u16 | name | time_ms i64 | format u8 | id bytes u16 | id | payload hash u64 |
 *
 * CHECKED_BYTES is this length without name and id.
 */
#define CHECKED_BYTES (1u + 2u + 8u + 1u + 2u + 8u)

#define HEADER_BYTES_MAX (XYLEM_FORMAT__RECORD_FIXED_BYTES + 8u + 8u + 4u * 4u)

/*
 * The sum of a record: the low 4 bytes of the XXH3-64 of the bytes behind the sum up to the payload, with the position
 * as the seed: a record under a wrong key does not match.
 */
static uint32_t sum_of(struct xylem_position position, const char *record, size_t covered_bytes)
{
    struct xylem_view covered = {record + XYLEM_FORMAT__SUM_BYTES, covered_bytes - XYLEM_FORMAT__SUM_BYTES};
    return (uint32_t)xylem_format__hash_seeded(covered, position.branch * XYLEM_FORMAT__RECORD_SEED + position.depth);
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

/* Times before 1970 are few: 0, -1, 1, -2 become 0, 1, 2, 3. */
static uint64_t zigzag(int64_t number)
{
    return (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0);
}

static int64_t zagzig(uint64_t number)
{
    return (int64_t)(number >> 1 ^ (0 - (number & 1)));
}

/*
 * The numbers of a header stand behind their widths, in little-endian. The widths are a u16:
 *
 *     bit  0 to 2    3 to 5     6 and 7   8 and 9   10 and 11   12 and 13
 *          lsn       time_ms    kind      links     payload     line
 *          1 to 8 bytes         1 to 4 bytes        0, 1, 2 or 4 bytes
 *
 * A decoder loads eight bytes and masks them: a third of the instructions of varints, for a byte more.
 */
static const uint64_t masks[] = {
    0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff, UINT64_MAX};
static const unsigned char length_widths[] = {0, 1, 2, 4};

/* The bytes that a number needs, at least 1. */
static unsigned width_of(uint64_t number)
{
    return (unsigned)(71 - __builtin_clzll(number | 1)) / 8;
}

/* The place of the width of a length in `length_widths`. */
static unsigned length_code(uint64_t length)
{
    return length == 0 ? 0 : length <= 0xff ? 1 : length <= 0xffff ? 2 : 3;
}

/* Writes the header of a record with room for the sum, and gives its length. */
static size_t put_header(unsigned char out[HEADER_BYTES_MAX], const struct xylem_format__record *record,
                         size_t line_bytes)
{
    unsigned lsn = width_of(record->lsn);
    unsigned time = width_of(zigzag(record->time_ms));
    unsigned kind = width_of(record->kind_number);
    unsigned links = width_of(record->links.bytes);
    unsigned payload = length_code(record->payload.bytes);
    unsigned line = length_code(line_bytes);
    unsigned widths = (lsn - 1) | (time - 1) << 3 | (kind - 1) << 6 | (links - 1) << 8 | payload << 10 | line << 12;
    unsigned char *at = put(out, 0, XYLEM_FORMAT__SUM_BYTES);
    at = put(at, record->check, 8);
    at = put(at, record->payload_hash, 8);
    at = put(at, record->flags, 1);
    at = put(at, (uint64_t)record->format, 1);
    at = put(at, record->id.bytes, 1);
    at = put(at, widths, 2);
    at = put(at, record->lsn, lsn);
    at = put(at, zigzag(record->time_ms), time);
    at = put(at, record->kind_number, kind);
    at = put(at, record->links.bytes, links);
    at = put(at, record->payload.bytes, length_widths[payload]);
    return (size_t)(put(at, line_bytes, length_widths[line]) - out);
}

int xylem_format__record_encode(struct xylem_buffer *buffer, struct xylem_position position,
                                const struct xylem_format__record *record, struct xylem_error *err)
{
    const struct xylem_format__spelt spelt = {record->id, record->time_ms, record->payload};
    struct xylem_buffer pieces = {NULL, 0, 0};
    struct xylem_view line = record->line;
    if (line.bytes > 0 && !(record->flags & XYLEM_ENTRY_REDACTED) && record->format != XYLEM_FORMAT_LINE) {
        if (xylem_format__spelling_encode(&pieces, &spelt, line) < 0) {
            xylem_buffer_release(&pieces);
            return xylem_base__fail_memory(err);
        }
        line = xylem_base__buffer_view(&pieces);
    }
    unsigned char header[HEADER_BYTES_MAX];
    size_t line_bytes = line.bytes ? line.bytes + XYLEM_FORMAT__HASH_BYTES : 0;
    size_t header_bytes = put_header(header, record, line_bytes);
    size_t covered_bytes = header_bytes + record->id.bytes + record->links.bytes;
    size_t bytes = covered_bytes + record->payload.bytes + line_bytes;
    assert(record->id.bytes <= UINT8_MAX && record->payload.bytes <= UINT32_MAX && line_bytes <= UINT32_MAX);
    if (xylem_base__buffer_reserve(buffer, bytes) < 0) {
        xylem_buffer_release(&pieces);
        return xylem_base__fail_memory(err);
    }
    unsigned char *start = (unsigned char *)buffer->data + buffer->bytes;
    unsigned char *at = put_view(start, (struct xylem_view){(const char *)header, header_bytes});
    at = put_view(at, record->id);
    at = put_view(at, record->links);
    xylem_base__put_u32(start, sum_of(position, (const char *)start, covered_bytes));
    at = put_view(at, record->payload);
    if (line_bytes > 0) {
        at = put(at, xylem_format__hash(line), 8);
        at = put_view(at, line);
    }
    *at = '\0';
    buffer->bytes += bytes;
    xylem_buffer_release(&pieces);
    return XYLEM_OK;
}

static int corrupt(struct xylem_error *err, struct xylem_position position, const char *what)
{
    return xylem_base__fail(err, XYLEM_E_CORRUPT, "the record at " XYLEM_FORMAT__AT_FORMAT " %s",
                            XYLEM_FORMAT__AT_ARGUMENTS(position), what);
}

/* Takes a number of up to eight bytes. Eight bytes are there, whatever the width. */
static inline uint64_t take(const unsigned char **at, unsigned width)
{
    uint64_t number;
    memcpy(&number, *at, sizeof number);
    *at += width;
    return le64toh(number) & masks[width];
}

size_t xylem_format__record_head(struct xylem_entry *entry, struct xylem_view bytes)
{
    unsigned char padded[HEADER_BYTES_MAX + 8] = {0};
    const unsigned char *start = (const unsigned char *)bytes.data;
    if (bytes.bytes < HEADER_BYTES_MAX + 8) { /* a copy, so that each load may take eight bytes */
        memcpy(padded, bytes.data ? bytes.data : "", bytes.bytes);
        start = padded;
    }
    struct xylem_base__cursor fixed = xylem_base__cursor_of(start, XYLEM_FORMAT__RECORD_FIXED_BYTES);
    xylem_base__read_u32(&fixed);
    entry->check = xylem_base__read_u64(&fixed);
    entry->unverified.payload_hash = xylem_base__read_u64(&fixed);
    entry->flags = xylem_base__read_u8(&fixed);
    entry->format = (enum xylem_format)xylem_base__read_u8(&fixed);
    entry->id.bytes = xylem_base__read_u8(&fixed);
    unsigned widths = xylem_base__read_u16(&fixed);
    const unsigned char *at = start + XYLEM_FORMAT__RECORD_FIXED_BYTES;
    entry->lsn = take(&at, (widths & 7) + 1);
    entry->time_ms = zagzig(take(&at, (widths >> 3 & 7) + 1));
    entry->unverified.kind_number = (uint32_t)take(&at, (widths >> 6 & 3) + 1);
    entry->unverified.links_bytes = (uint32_t)take(&at, (widths >> 8 & 3) + 1);
    entry->payload_bytes = (uint32_t)take(&at, length_widths[widths >> 10 & 3]);
    entry->line_bytes = (uint32_t)take(&at, length_widths[widths >> 12 & 3]);
    size_t header_bytes = (size_t)(at - start);
    uint64_t covered = (uint64_t)header_bytes + entry->id.bytes + entry->unverified.links_bytes;
    if (bytes.bytes < covered || widths >> 14 != 0) {
        return 0;
    }
    entry->id.data = bytes.data + header_bytes;
    entry->unverified.links = bytes.data + header_bytes + entry->id.bytes;
    return (size_t)covered;
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
    entry->position = position;
    size_t covered = xylem_format__record_head(entry, bytes);
    if (covered == 0 || (uint64_t)entry->payload_bytes + entry->line_bytes != bytes.bytes - covered) {
        return corrupt(err, position, "does not have the length that its fields add up to");
    }
    struct xylem_base__cursor sum = xylem_base__cursor_of(bytes.data, XYLEM_FORMAT__SUM_BYTES);
    if (xylem_base__read_u32(&sum) != sum_of(position, bytes.data, covered)) {
        return corrupt(err, position, "does not match its sum");
    }
    bool dropped = (entry->flags & XYLEM_ENTRY_HASH_DROPPED) != 0;
    if (entry->flags & ~XYLEM_FORMAT__ENTRY_FLAGS_KNOWN || entry->format > XYLEM_FORMAT_LINE || position.depth == 0 ||
        entry->id.bytes > XYLEM_ENTRY_ID_BYTES_MAX || (dropped && !(entry->flags & XYLEM_ENTRY_REDACTED)) ||
        (entry->line_bytes > 0 && entry->line_bytes < XYLEM_FORMAT__HASH_BYTES)) {
        return corrupt(err, position, "has invalid fields");
    }
    entry->unverified.payload = bytes.data + covered;
    entry->unverified.line = bytes.data + covered + entry->payload_bytes;
    if (entry->line_bytes > 0) {
        entry->line_bytes -= XYLEM_FORMAT__HASH_BYTES;
    }
    return read_parent(entry, err);
}

uint64_t xylem_format__record_bytes(const struct xylem_entry *entry)
{
    unsigned char header[HEADER_BYTES_MAX];
    size_t line_bytes = entry->line_bytes > 0 ? entry->line_bytes + (size_t)XYLEM_FORMAT__HASH_BYTES : 0;
    struct xylem_format__record record = {.lsn = entry->lsn,
                                          .time_ms = entry->time_ms,
                                          .kind_number = entry->unverified.kind_number,
                                          .id = entry->id,
                                          .links = {entry->unverified.links, entry->unverified.links_bytes},
                                          .payload = {entry->unverified.payload, entry->payload_bytes}};
    return put_header(header, &record, line_bytes) + record.id.bytes + record.links.bytes + record.payload.bytes +
           line_bytes;
}

void xylem_format__record_recheck(struct xylem_buffer *record, struct xylem_position position, uint64_t check)
{
    struct xylem_entry entry;
    unsigned char *start = (unsigned char *)record->data;
    put(start + XYLEM_FORMAT__SUM_BYTES, check, 8);
    size_t covered = xylem_format__record_head(&entry, (struct xylem_view){record->data, record->bytes});
    xylem_base__put_u32(start, sum_of(position, record->data, covered));
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
