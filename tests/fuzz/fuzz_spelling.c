/*
 * Any bytes as the pieces of a line are refused, or make a line of the stated length. Any line comes back from its own
 * pieces, which are hardly longer. The input: the bytes of id, payload and pieces (or line) behind their lengths.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "store/format/spelling.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(data, size);
    struct xylem_format__spelt entry = {{NULL, 0}, 0, {NULL, 0}};
    struct xylem_buffer line = {NULL, 0, 0};
    struct xylem_buffer pieces = {NULL, 0, 0};
    entry.time_ms = xylem_base__read_i64(&cursor);
    entry.id = xylem_base__read_bytes(&cursor, xylem_base__read_u8(&cursor) % (XYLEM_ENTRY_ID_BYTES_MAX + 1));
    entry.payload = xylem_base__read_bytes(&cursor, xylem_base__read_u16(&cursor));
    if (cursor.failed || cursor.left == 0) {
        return 0;
    }
    struct xylem_view rest = {(const char *)cursor.at, cursor.left};
    uint64_t stated = xylem_base__read_varint(&cursor);
    int code = xylem_format__spelling_decode(&line, &entry, rest);
    check(code == XYLEM_OK ? line.bytes == stated / 4 && line.bytes <= XYLEM_LINE_BYTES_MAX
                           : line.bytes == 0 && line.capacity == 0);
    xylem_base__buffer_clear(&line);
    check(xylem_format__spelling_encode(&pieces, &entry, rest) == XYLEM_OK &&
          pieces.bytes <= rest.bytes + XYLEM_FORMAT__SPELLING_BYTES &&
          xylem_format__spelling_decode(&line, &entry, xylem_base__buffer_view(&pieces)) == XYLEM_OK &&
          line.bytes == rest.bytes && memcmp(line.data, rest.data, rest.bytes) == 0);
    xylem_buffer_release(&line);
    xylem_buffer_release(&pieces);
    return 0;
}
