/* Reads and writes numbers as bytes. Every decoder reads through the checked cursor. */
#ifndef XYLEM_BASE_BYTES_H
#define XYLEM_BASE_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "xylem/session.h"

/*
 * A cursor over borrowed bytes. A read beyond the end gives 0 (or an empty view) and sets `failed`. Every later read
 * fails, too: so a decoder reads all fields, and looks at `failed` once.
 */
struct xylem_base__cursor {
    const unsigned char *at;
    size_t left;
    bool failed;
};

/*
 * The reads are inline, because a record's header has twelve fields: compiled into the decoder, a read is a comparison
 * and a load.
 */
static inline struct xylem_base__cursor xylem_base__cursor_of(const void *data, size_t bytes)
{
    return (struct xylem_base__cursor){(const unsigned char *)data, bytes, false};
}

static inline struct xylem_view xylem_base__read_bytes(struct xylem_base__cursor *cursor, size_t bytes)
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

/* Reads a little-endian number of 1, 2, 4 or 8 bytes. */
static inline uint64_t xylem_base__read_little(struct xylem_base__cursor *cursor, size_t bytes)
{
    uint64_t number = 0;
    struct xylem_view view = xylem_base__read_bytes(cursor, bytes);
    if (view.bytes > 0) {
        memcpy(&number, view.data, bytes);
    }
    return le64toh(number);
}

/* Little-endian, like all reads without `_be`. */
static inline uint8_t xylem_base__read_u8(struct xylem_base__cursor *cursor)
{
    return (uint8_t)xylem_base__read_little(cursor, 1);
}

static inline uint16_t xylem_base__read_u16(struct xylem_base__cursor *cursor)
{
    return (uint16_t)xylem_base__read_little(cursor, 2);
}

static inline uint32_t xylem_base__read_u32(struct xylem_base__cursor *cursor)
{
    return (uint32_t)xylem_base__read_little(cursor, 4);
}

static inline uint64_t xylem_base__read_u64(struct xylem_base__cursor *cursor)
{
    return xylem_base__read_little(cursor, 8);
}

static inline int64_t xylem_base__read_i64(struct xylem_base__cursor *cursor)
{
    return (int64_t)xylem_base__read_u64(cursor);
}

static inline struct xylem_position xylem_base__read_position(struct xylem_base__cursor *cursor)
{
    uint64_t branch = xylem_base__read_u64(cursor);
    return (struct xylem_position){branch, xylem_base__read_u64(cursor)};
}

/* Big-endian. */
static inline uint64_t xylem_base__read_u64_be(struct xylem_base__cursor *cursor)
{
    return be64toh(htole64(xylem_base__read_u64(cursor)));
}

/*
 * A number in a key: 1 to 9 bytes, whose order as bytes is the order of the numbers. Any spelling but the shortest fails.
 *
 *     first byte    then        number
 *     00 to df      nothing     the byte                                      0 to 223
 *     e0 to f7      1 byte      224 + (first byte - e0) * 256 + the byte      224 to 6367
 *     f9 to ff      2 to 8      big-endian, first byte - f7 bytes             6368 and more
 */
#define XYLEM_BASE__ORDERED_BYTES_MAX 9u
#define XYLEM_BASE__ORDERED_TWO 0xe0u
#define XYLEM_BASE__ORDERED_MORE 0xf8u
#define XYLEM_BASE__ORDERED_LONG \
    (XYLEM_BASE__ORDERED_TWO + (XYLEM_BASE__ORDERED_MORE - XYLEM_BASE__ORDERED_TWO) * 256u) /* the first long number */
uint64_t xylem_base__read_ordered_long(struct xylem_base__cursor *cursor, unsigned first);
static inline uint64_t xylem_base__read_ordered(struct xylem_base__cursor *cursor)
{
    unsigned first = xylem_base__read_u8(cursor);
    if (first < XYLEM_BASE__ORDERED_TWO) {
        return first;
    }
    if (first < XYLEM_BASE__ORDERED_MORE) {
        uint64_t second = xylem_base__read_u8(cursor);
        return XYLEM_BASE__ORDERED_TWO + (uint64_t)(first - XYLEM_BASE__ORDERED_TWO) * 256u + second;
    }
    return xylem_base__read_ordered_long(cursor, first);
}

/*
 * LEB128, 1 to 10 bytes, in the shortest form: any other spelling of a number fails. A number of several bytes is read
 * by a function that does not see the cursor, so that the decoder's own cursor can stay in registers.
 */
struct xylem_base__long_varint {
    uint64_t number;
    size_t bytes; /* 0: failed */
};
struct xylem_base__long_varint xylem_base__read_long_varint(const unsigned char *at, size_t left);
static inline uint64_t xylem_base__read_varint(struct xylem_base__cursor *cursor)
{
    if (!cursor->failed && cursor->left > 0 && *cursor->at < 0x80) {
        cursor->left--;
        return *cursor->at++;
    }
    struct xylem_base__long_varint read = xylem_base__read_long_varint(cursor->at, cursor->failed ? 0 : cursor->left);
    if (read.bytes == 0) {
        cursor->failed = true;
        return 0;
    }
    cursor->at += read.bytes;
    cursor->left -= read.bytes;
    return read.number;
}

static inline struct xylem_position xylem_base__read_varint_position(struct xylem_base__cursor *cursor)
{
    uint64_t branch = xylem_base__read_varint(cursor);
    return (struct xylem_position){branch, xylem_base__read_varint(cursor)};
}

/* A varint length, and as many bytes. */
static inline struct xylem_view xylem_base__read_varsized(struct xylem_base__cursor *cursor)
{
    uint64_t bytes = xylem_base__read_varint(cursor);
    return xylem_base__read_bytes(cursor, bytes);
}

/* A u32 length, and as many bytes. */
struct xylem_view xylem_base__read_sized(struct xylem_base__cursor *cursor);

/* True if nothing failed and nothing is left. */
static inline bool xylem_base__cursor_ended(const struct xylem_base__cursor *cursor)
{
    return !cursor->failed && cursor->left == 0;
}

/* Append to a buffer; 0 or XYLEM_E_MEMORY. */
int xylem_base__add_u8(struct xylem_buffer *buffer, uint8_t number);
int xylem_base__add_u32(struct xylem_buffer *buffer, uint32_t number);
int xylem_base__add_u64(struct xylem_buffer *buffer, uint64_t number);
int xylem_base__add_u64s(struct xylem_buffer *buffer, const uint64_t *numbers, size_t count);
int xylem_base__add_i64(struct xylem_buffer *buffer, int64_t number);
int xylem_base__add_varint(struct xylem_buffer *buffer, uint64_t number);
int xylem_base__add_varints(struct xylem_buffer *buffer, const uint64_t *numbers, size_t count);
int xylem_base__add_varsized(struct xylem_buffer *buffer, struct xylem_view bytes);
int xylem_base__add_position(struct xylem_buffer *buffer, struct xylem_position position);
int xylem_base__add_sized(struct xylem_buffer *buffer, struct xylem_view bytes);

/* Writes into memory of the caller. */
static inline void xylem_base__put_u64_be(unsigned char out[8], uint64_t number)
{
    uint64_t big = htobe64(number);
    memcpy(out, &big, sizeof big);
}

/* A number in a key, up to XYLEM_BASE__ORDERED_BYTES_MAX bytes. Gives the length. */
static inline size_t xylem_base__put_ordered(unsigned char *out, uint64_t number)
{
    if (number < XYLEM_BASE__ORDERED_TWO) {
        *out = (unsigned char)number;
        return 1;
    }
    if (number < XYLEM_BASE__ORDERED_LONG) {
        uint64_t rest = number - XYLEM_BASE__ORDERED_TWO;
        out[0] = (unsigned char)(XYLEM_BASE__ORDERED_TWO + rest / 256u);
        out[1] = (unsigned char)rest;
        return 2;
    }
    size_t bytes = (size_t)(71 - __builtin_clzll(number)) / 8;
    out[0] = (unsigned char)(XYLEM_BASE__ORDERED_MORE - 1 + bytes);
    for (size_t i = 0; i < bytes; i++) {
        out[1 + i] = (unsigned char)(number >> (8 * (bytes - 1 - i)));
    }
    return 1 + bytes;
}

static inline void xylem_base__put_u64(unsigned char out[8], uint64_t number)
{
    uint64_t little = htole64(number);
    memcpy(out, &little, sizeof little);
}

static inline void xylem_base__put_u32(unsigned char out[4], uint32_t number)
{
    uint32_t little = htole32(number);
    memcpy(out, &little, sizeof little);
}

/* LEB128 in the shortest form, 1 to 10 bytes. Gives the length. */
static inline size_t xylem_base__put_varint(unsigned char *out, uint64_t number)
{
    size_t bytes = 0;
    for (; number >= 0x80; number >>= 7) {
        out[bytes++] = (unsigned char)(number | 0x80);
    }
    out[bytes++] = (unsigned char)number;
    return bytes;
}

#endif
