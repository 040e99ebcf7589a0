#include "base/bytes.h"

#include "base/buffer.h"

struct xylem_base__long_varint xylem_base__read_long_varint(const unsigned char *at, size_t left)
{
    uint64_t number = 0;
    size_t end = left < 10 ? left : 10;
    for (size_t i = 0; i < end; i++) {
        uint64_t byte = at[i];
        number |= (byte & 0x7f) << 7 * i;
        if (byte < 0x80) {
            bool overflows = i == 9 && byte > 1;
            bool padded = i > 0 && byte == 0;
            return (struct xylem_base__long_varint){number, overflows || padded ? 0 : i + 1};
        }
    }
    return (struct xylem_base__long_varint){0, 0};
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

int xylem_base__add_varints(struct xylem_buffer *buffer, const uint64_t *numbers, size_t count)
{
    int code = xylem_base__buffer_reserve(buffer, 10 * count);
    size_t bytes = buffer->bytes;
    for (size_t i = 0; code == XYLEM_OK && i < count; i++) {
        bytes += xylem_base__put_varint((unsigned char *)buffer->data + bytes, numbers[i]);
    }
    xylem_base__buffer_cut(buffer, bytes);
    return code;
}

int xylem_base__add_varsized(struct xylem_buffer *buffer, struct xylem_view bytes)
{
    int code = xylem_base__add_varint(buffer, bytes.bytes);
    return code < 0 ? code : xylem_buffer_add(buffer, bytes.data, bytes.bytes);
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
