/*
 * Any bytes are refused as a record, or read as one whose parts lie inside of them. The first 16 bytes are the
 * position; they are read as they are, and once more with the right sum, so that what lies behind it is reached.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "store/format/hash.h"
#include "store/heads.h"
#include "store/format/keys.h"
#include "store/format/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* Inside of `whole`, or empty. */
static void check_inside(const void *part, size_t bytes, struct xylem_view whole)
{
    const char *at = part;
    check(bytes == 0 || (at >= whole.data && at + bytes <= whole.data + whole.bytes));
}

/* Puts the sum that the bytes should have where it belongs, if they are long enough to have one. */
static void make_sum_right(struct xylem_buffer *bytes, struct xylem_position position)
{
    struct xylem_entry entry;
    size_t covered = xylem_format__record_head(&entry, xylem_base__buffer_view(bytes));
    if (covered > 0) {
        struct xylem_view behind = {bytes->data + XYLEM_FORMAT__SUM_BYTES, covered - XYLEM_FORMAT__SUM_BYTES};
        uint64_t seed = position.branch * XYLEM_FORMAT__RECORD_SEED + position.depth;
        xylem_base__put_u32((unsigned char *)bytes->data, (uint32_t)xylem_format__hash_seeded(behind, seed));
    }
}

/* Every link leads to an entry that comes before this one. */
static void read_links(const struct xylem_entry *entry)
{
    struct xylem_position marked;
    struct xylem_base__cursor links;
    struct xylem_error err = {0};
    struct xylem_store__heads heads = {0};
    if (xylem_format__links_marked(&marked, &links, entry, &err) == XYLEM_OK) {
        check(xylem_format__position_none(marked) ||
              (marked.branch <= entry->position.branch && marked.depth < entry->position.depth));
    }
    if (xylem_store__heads_start(&heads, entry, &err) == XYLEM_OK) {
        check(heads.count <= XYLEM_HEADS_MAX);
        for (size_t i = 0; i < heads.count; i++) {
            check(i == 0 || heads.list[i - 1].kind_number < heads.list[i].kind_number);
            check(heads.list[i].position.depth > 0 && heads.list[i].position.depth <= entry->position.depth);
        }
    }
    xylem_store__heads_release(&heads);
}

static void read_record(struct xylem_position position, struct xylem_view bytes)
{
    struct xylem_entry entry;
    struct xylem_error err = {0};
    struct xylem_view part;
    if (xylem_format__record_decode(&entry, position, bytes, &err) < 0) {
        check(err.code == XYLEM_E_CORRUPT && err.text[0] != '\0');
        return;
    }
    check_inside(entry.id.data, entry.id.bytes, bytes);
    check_inside(entry.unverified.links, entry.unverified.links_bytes, bytes);
    check(entry.parent.branch <= position.branch && entry.parent.depth == position.depth - 1);
    if (xylem_entry_payload(&part, &entry, &err) == XYLEM_OK) {
        check_inside(part.data, part.bytes, bytes);
    }
    struct xylem_buffer line = {0};
    if (xylem_entry_imported_line(&line, &entry, &err) == XYLEM_OK) {
        check((line.bytes == 0) == (entry.line_bytes == 0 || (entry.flags & XYLEM_ENTRY_REDACTED)));
    }
    xylem_buffer_release(&line);
    read_links(&entry);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(data, size);
    struct xylem_position position = {0, 0};
    struct xylem_buffer bytes = {0};
    position.branch = xylem_base__read_u64_be(&cursor);
    position.depth = xylem_base__read_u64_be(&cursor);
    if (cursor.failed || xylem_buffer_add(&bytes, cursor.at, cursor.left) < 0) {
        return 0;
    }
    read_record(position, xylem_base__buffer_view(&bytes));
    make_sum_right(&bytes, position);
    read_record(position, xylem_base__buffer_view(&bytes));
    xylem_buffer_release(&bytes);
    return 0;
}
