/*
 * Any bytes are refused as the payload of a line and as its values, or they are a line with holes: then the line, parted
 * again by the places of its holes, gives the same bytes. The first byte is the length of the payload.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/value.h"
#include "store/format/holes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* Parts the line again: the places of the holes lie in the text, and the values come between. */
static void part_again(const struct xylem_format__holes *holes, const struct xylem_view *values, struct xylem_view line,
                       struct xylem_view payload, struct xylem_view id)
{
    struct xylem_hole list[XYLEM_HOLES_MAX];
    struct xylem_buffer again = {NULL, 0, 0};
    struct xylem_buffer beside = {NULL, 0, 0};
    struct xylem_buffer filled = {NULL, 0, 0};
    size_t before = 0; /* bytes of values before the hole */
    for (size_t i = 0; i < holes->count; i++) {
        struct xylem_view value = values[i].data ? values[i] : id;
        check(holes->at[i] <= holes->text.bytes && (i == 0 || holes->at[i] >= holes->at[i - 1]));
        list[i] = (struct xylem_hole){holes->at[i] + before, value.bytes, !values[i].data};
        before += value.bytes;
    }
    const struct xylem_line_form form = {.dialect = holes->dialect, .holes = list, .hole_count = holes->count};
    check(line.bytes == holes->text.bytes + before && xylem_format__form_fits(&form, line));
    check(xylem_format__holes_encode(&again, &beside, line, &form, id) == XYLEM_OK);
    check(xylem_base__view_equal(xylem_base__buffer_view(&again), payload));
    check(xylem_format__holes_fill(&filled, payload, xylem_base__buffer_view(&beside), id) == XYLEM_OK);
    check(xylem_base__view_equal(xylem_base__buffer_view(&filled), line));
    xylem_buffer_release(&again);
    xylem_buffer_release(&beside);
    xylem_buffer_release(&filled);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct xylem_view id = {"an id", 5};
    struct xylem_base__cursor cursor = xylem_base__cursor_of(data, size);
    struct xylem_format__holes holes;
    struct xylem_view list[XYLEM_HOLES_MAX];
    struct xylem_buffer line = {NULL, 0, 0};
    struct xylem_view payload = xylem_base__read_bytes(&cursor, xylem_base__read_u8(&cursor));
    struct xylem_view values = xylem_base__read_bytes(&cursor, cursor.left);
    int code = xylem_format__holes_fill(&line, payload, values, id);
    check(code == XYLEM_OK || code == XYLEM_E_MALFORMED);
    if (code == XYLEM_OK) {
        check(xylem_format__holes_decode(&holes, payload) == XYLEM_OK);
        check(xylem_format__values_decode(list, holes.count, values) == XYLEM_OK);
        part_again(&holes, list, xylem_base__buffer_view(&line), payload, id);
    }
    xylem_buffer_release(&line);
    return 0;
}
