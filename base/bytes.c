#include "base/bytes.h"

struct xylem_base__long_varint xylem_base__read_long_varint(struct xylem_base__cursor cursor)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint64_t byte = xylem_base__read_u8(&cursor);
        bool overflows = shift == 63 && byte > 1;
        bool padded = shift > 0 && byte == 0;
        if (cursor.failed || overflows || padded) {
            break;
        }
        number |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
            return (struct xylem_base__long_varint){number, cursor};
        }
    }
    cursor.failed = true;
    return (struct xylem_base__long_varint){0, cursor};
}

uint64_t xylem_base__read_ordered_long(struct xylem_base__cursor *cursor, unsigned first)
{
    uint64_t number = 0;
    for (unsigned i = XYLEM_BASE__ORDERED_MORE - 1; i < first; i++) {
        number = number << 8 | xylem_base__read_u8(cursor);
    }
    size_t bytes = first - (XYLEM_BASE__ORDERED_MORE - 1);
    bool padded = bytes > 1 && bytes <= 8 && number >> (8 * (bytes - 1)) == 0;
    cursor->failed = cursor->failed || padded || number < XYLEM_BASE__ORDERED_LONG;
    return cursor->failed ? 0 : number;
}

struct xylem_view xylem_base__read_sized(struct xylem_base__cursor *cursor)
{
    uint32_t bytes = xylem_base__read_u32(cursor);
    return xylem_base__read_bytes(cursor, bytes);
}

static int add_little(struct xylem_buffer *buffer, uint64_t number, size_t bytes)
{
    unsigned char out[8];
    xylem_base__put_u64(out, number);
    return xylem_buffer_add(buffer, out, bytes);
}

int xylem_base__add_u8(struct xylem_buffer *buffer, uint8_t number)
{
    return add_little(buffer, number, 1);
}

int xylem_base__add_u32(struct xylem_buffer *buffer, uint32_t number)
{
    return add_little(buffer, number, 4);
}

int xylem_base__add_u64(struct xylem_buffer *buffer, uint64_t number)
{
    return add_little(buffer, number, 8);
}

int xylem_base__add_u64s(struct xylem_buffer *buffer, const uint64_t *numbers, size_t count)
{
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < count; i++) {
        code = xylem_base__add_u64(buffer, numbers[i]);
    }
    return code;
}

int xylem_base__add_i64(struct xylem_buffer *buffer, int64_t number)
{
    return add_little(buffer, (uint64_t)number, 8);
}

int xylem_base__add_varint(struct xylem_buffer *buffer, uint64_t number)
{
    unsigned char out[10];
    return xylem_buffer_add(buffer, out, xylem_base__put_varint(out, number));
}

int xylem_base__add_position(struct xylem_buffer *buffer, struct xylem_position position)
{
    int code = xylem_base__add_u64(buffer, position.branch);
    return code < 0 ? code : xylem_base__add_u64(buffer, position.depth);
}

int xylem_base__add_sized(struct xylem_buffer *buffer, struct xylem_view bytes)
{
    if (bytes.bytes > UINT32_MAX) {
        return XYLEM_E_LIMIT;
    }
    int code = xylem_base__add_u32(buffer, (uint32_t)bytes.bytes);
    return code < 0 ? code : xylem_buffer_add(buffer, bytes.data, bytes.bytes);
}
