#include "store/format/holes.h"

#include <assert.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json_writer.h"
#include "base/value.h"

static_assert(XYLEM_HOLES_MAX == 8, "XYLEM_FORMAT__FORM_RULE names the limit");

bool xylem_format__form_fits(const struct xylem_line_form *form, struct xylem_view line)
{
    size_t end = 0;
    bool fits = form && form->dialect <= UINT8_MAX && form->hole_count <= XYLEM_HOLES_MAX;
    for (size_t i = 0; fits && i < form->hole_count; i++) {
        const struct xylem_hole *hole = &form->holes[i];
        fits = hole->offset >= end && hole->offset <= line.bytes && hole->bytes <= line.bytes - hole->offset;
        end = hole->offset + hole->bytes;
    }
    return fits;
}

int xylem_format__holes_decode(struct xylem_format__holes *holes, struct xylem_view payload)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(payload.data, payload.bytes);
    uint64_t at = 0;
    bool right = true;
    holes->dialect = xylem_base__read_u8(&cursor);
    holes->count = xylem_base__read_u8(&cursor);
    for (size_t i = 0; right && i < holes->count; i++) {
        uint64_t distance = xylem_base__read_varint(&cursor);
        right = i < XYLEM_HOLES_MAX && !cursor.failed && distance <= payload.bytes - at;
        at += right ? distance : 0;
        holes->at[right ? i : 0] = (size_t)at;
    }
    holes->text = xylem_base__read_bytes(&cursor, cursor.left);
    return right && !cursor.failed && at <= holes->text.bytes ? XYLEM_OK : XYLEM_E_MALFORMED;
}

/* Adds an id inside of a JSON string. */
static int add_id(struct xylem_buffer *line, struct xylem_view id)
{
    struct xylem_base__writer writer = {line, XYLEM_OK};
    size_t before = line->bytes;
    xylem_base__write_string(&writer, id);
    if (writer.code == XYLEM_OK) {
        memmove(line->data + before, line->data + before + 1, line->bytes - before - 2);
        xylem_base__buffer_cut(line, line->bytes - 2);
    }
    return writer.code;
}

int xylem_format__holes_encode(struct xylem_buffer *payload, struct xylem_buffer *values, struct xylem_view line,
                               const struct xylem_line_form *form, struct xylem_view session_id)
{
    size_t begun = values->bytes;
    size_t end = 0; /* of the hole before, in the line */
    bool empty = true;
    bool made = xylem_base__add_u8(payload, (uint8_t)form->dialect) == XYLEM_OK &&
                xylem_base__add_u8(payload, (uint8_t)form->hole_count) == XYLEM_OK;
    for (size_t i = 0; made && i < form->hole_count; i++) {
        const struct xylem_hole *hole = &form->holes[i];
        struct xylem_view value = {line.data + hole->offset, hole->bytes};
        size_t before = values->bytes;
        made = !hole->is_session_id || add_id(values, session_id) == XYLEM_OK;
        size_t id_bytes = values->bytes - before;
        bool own = hole->is_session_id && made && id_bytes == value.bytes &&
                   (id_bytes == 0 || memcmp(values->data + before, value.data, id_bytes) == 0);
        xylem_base__buffer_cut(values, before);
        assert(hole->offset >= end && hole->offset + hole->bytes <= line.bytes);
        made = made && xylem_base__add_varint(payload, hole->offset - end) == XYLEM_OK &&
               xylem_base__add_varint(values, own ? 0 : value.bytes + 1) == XYLEM_OK &&
               (own || xylem_buffer_add(values, value.data, value.bytes) == XYLEM_OK);
        empty = empty && !own && value.bytes == 0;
        end = hole->offset + hole->bytes;
    }
    end = 0;
    for (size_t i = 0; made && i <= form->hole_count; i++) {
        size_t next = i < form->hole_count ? form->holes[i].offset : line.bytes;
        made = xylem_buffer_add(payload, line.data + end, next - end) == XYLEM_OK;
        end = i < form->hole_count ? next + form->holes[i].bytes : next;
    }
    xylem_base__buffer_cut(values, empty ? begun : values->bytes);
    return made ? XYLEM_OK : XYLEM_E_MEMORY;
}

int xylem_format__values_decode(struct xylem_view values[XYLEM_HOLES_MAX], size_t count, struct xylem_view bytes)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(bytes.data, bytes.bytes);
    for (size_t i = 0; i < count; i++) {
        uint64_t length = bytes.bytes > 0 ? xylem_base__read_varint(&cursor) : 1;
        values[i] = (struct xylem_view){length > 0 ? "" : NULL, 0};
        if (length > 1) {
            values[i] = xylem_base__read_bytes(&cursor, (size_t)(length - 1));
        }
    }
    return xylem_base__cursor_ended(&cursor) ? XYLEM_OK : XYLEM_E_MALFORMED;
}

int xylem_format__holes_fill(struct xylem_buffer *line, struct xylem_view payload, struct xylem_view values,
                             struct xylem_view session_id)
{
    struct xylem_format__holes holes;
    struct xylem_view list[XYLEM_HOLES_MAX];
    size_t from = 0;
    if (xylem_format__holes_decode(&holes, payload) < 0 || xylem_format__values_decode(list, holes.count, values) < 0) {
        return XYLEM_E_MALFORMED;
    }
    bool made = true;
    for (size_t i = 0; made && i <= holes.count; i++) {
        size_t to = i < holes.count ? holes.at[i] : holes.text.bytes;
        struct xylem_view value = i == holes.count ? (struct xylem_view){"", 0} : list[i];
        made = xylem_buffer_add(line, holes.text.data + from, to - from) == XYLEM_OK &&
               (value.data ? xylem_buffer_add(line, value.data, value.bytes) : add_id(line, session_id)) == XYLEM_OK;
        from = to;
    }
    return made ? XYLEM_OK : XYLEM_E_MEMORY;
}
