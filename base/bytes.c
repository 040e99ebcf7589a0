#include "base/bytes.h"

#include <string.h>

struct xylem_base__cursor xylem_base__cursor_of(const void *data, size_t bytes)
{
    struct xylem_base__cursor cursor = {data, bytes, false};
    return cursor;
}

struct xylem_view xylem_base__read_bytes(struct xylem_base__cursor *cursor, size_t bytes)
{
    struct xylem_view view = {NULL, 0};
    if (cursor->failed || cursor->left < bytes) {
        cursor->failed = true;
        return view;
    }
    view.data = (const char *)cursor->at;
    view.bytes = bytes;
    if (bytes > 0) {
        cursor->at += bytes;
        cursor->left -= bytes;
    }
    return view;
}

/* Written out, so that the compiler makes one load of it: a record's header has ten numbers. */
static uint32_t combine_4(const char *data)
{
    const unsigned char *at = (const unsigned char *)data;
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

uint8_t xylem_base__read_u8(struct xylem_base__cursor *cursor)
{
    struct xylem_view view = xylem_base__read_bytes(cursor, 1);
    return view.bytes == 0 ? 0 : (uint8_t)view.data[0];
}

uint16_t xylem_base__read_u16(struct xylem_base__cursor *cursor)
{
    struct xylem_view view = xylem_base__read_bytes(cursor, 2);
    return view.bytes == 0 ? 0 : (uint16_t)((unsigned char)view.data[0] | (unsigned char)view.data[1] << 8);
}

uint32_t xylem_base__read_u32(struct xylem_base__cursor *cursor)
{
    struct xylem_view view = xylem_base__read_bytes(cursor, 4);
    return view.bytes == 0 ? 0 : combine_4(view.data);
}

uint64_t xylem_base__read_u64(struct xylem_base__cursor *cursor)
{
    struct xylem_view view = xylem_base__read_bytes(cursor, 8);
    return view.bytes == 0 ? 0 : combine_4(view.data) | (uint64_t)combine_4(view.data + 4) << 32;
}

int64_t xylem_base__read_i64(struct xylem_base__cursor *cursor)
{
    uint64_t number = xylem_base__read_u64(cursor);
    int64_t result;
    memcpy(&result, &number, sizeof result);
    return result;
}

uint64_t xylem_base__read_u64_be(struct xylem_base__cursor *cursor)
{
    struct xylem_view view = xylem_base__read_bytes(cursor, 8);
    uint64_t number = 0;
    for (size_t i = 0; i < view.bytes; i++) {
        number = number << 8 | (unsigned char)view.data[i];
    }
    return number;
}

uint64_t xylem_base__read_varint(struct xylem_base__cursor *cursor)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint64_t byte = xylem_base__read_u8(cursor);
        bool overflows = shift == 63 && byte > 1;
        bool padded = shift > 0 && byte == 0;
        if (cursor->failed || overflows || padded) {
            break;
        }
        number |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
            return number;
        }
    }
    cursor->failed = true;
    return 0;
}

struct xylem_view xylem_base__read_sized(struct xylem_base__cursor *cursor)
{
    uint32_t bytes = xylem_base__read_u32(cursor);
    return xylem_base__read_bytes(cursor, bytes);
}

bool xylem_base__cursor_ended(const struct xylem_base__cursor *cursor)
{
    return !cursor->failed && cursor->left == 0;
}

static int add_little(struct xylem_buffer *buffer, uint64_t number, size_t bytes)
{
    unsigned char out[8];
    for (size_t i = 0; i < bytes; i++) {
        out[i] = (unsigned char)(number >> (8 * i));
    }
    return xylem_buffer_add(buffer, out, bytes);
}

int xylem_base__add_u8(struct xylem_buffer *buffer, uint8_t number)
{
    return add_little(buffer, number, 1);
}

int xylem_base__add_u16(struct xylem_buffer *buffer, uint16_t number)
{
    return add_little(buffer, number, 2);
}

int xylem_base__add_u32(struct xylem_buffer *buffer, uint32_t number)
{
    return add_little(buffer, number, 4);
}

int xylem_base__add_u64(struct xylem_buffer *buffer, uint64_t number)
{
    return add_little(buffer, number, 8);
}

int xylem_base__add_i64(struct xylem_buffer *buffer, int64_t number)
{
    return add_little(buffer, (uint64_t)number, 8);
}

int xylem_base__add_varint(struct xylem_buffer *buffer, uint64_t number)
{
    unsigned char out[10];
    size_t bytes = 0;
    while (number >= 0x80) {
        out[bytes++] = (unsigned char)(number | 0x80);
        number >>= 7;
    }
    out[bytes++] = (unsigned char)number;
    return xylem_buffer_add(buffer, out, bytes);
}

int xylem_base__add_sized(struct xylem_buffer *buffer, struct xylem_view bytes)
{
    if (bytes.bytes > UINT32_MAX) {
        return XYLEM_E_LIMIT;
    }
    int code = xylem_base__add_u32(buffer, (uint32_t)bytes.bytes);
    return code < 0 ? code : xylem_buffer_add(buffer, bytes.data, bytes.bytes);
}

void xylem_base__put_u64_be(unsigned char out[8], uint64_t number)
{
    for (size_t i = 0; i < 8; i++) {
        out[i] = (unsigned char)(number >> (56 - 8 * i));
    }
}

void xylem_base__put_u64(unsigned char out[8], uint64_t number)
{
    for (size_t i = 0; i < 8; i++) {
        out[i] = (unsigned char)(number >> (8 * i));
    }
}
