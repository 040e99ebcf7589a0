/* Reading and writing numbers as bytes. Every decoder reads through the checked cursor. */
#ifndef XYLEM_BASE_BYTES_H
#define XYLEM_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xylem.h"

/*
 * A cursor over borrowed bytes. A read that does not fit gives 0 (or an empty view), sets `failed`, and every later
 * read fails too: so a decoder may read all its fields and look at `failed` once.
 */
struct xylem_base__cursor {
    const unsigned char *at;
    size_t left;
    bool failed;
};

struct xylem_base__cursor xylem_base__cursor_of(const void *data, size_t bytes);

uint8_t xylem_base__read_u8(struct xylem_base__cursor *cursor);
uint16_t xylem_base__read_u16(struct xylem_base__cursor *cursor); /* little-endian, as are the others */
uint32_t xylem_base__read_u32(struct xylem_base__cursor *cursor);
uint64_t xylem_base__read_u64(struct xylem_base__cursor *cursor);
int64_t xylem_base__read_i64(struct xylem_base__cursor *cursor);
uint64_t xylem_base__read_u64_be(struct xylem_base__cursor *cursor);
/* LEB128, 1 to 10 bytes, in its shortest form: any other spelling of a number fails. */
uint64_t xylem_base__read_varint(struct xylem_base__cursor *cursor);
struct xylem_view xylem_base__read_bytes(struct xylem_base__cursor *cursor, size_t bytes);
/* A u32 length, and that many bytes. */
struct xylem_view xylem_base__read_sized(struct xylem_base__cursor *cursor);
/* True if nothing failed and nothing is left. */
bool xylem_base__cursor_ended(const struct xylem_base__cursor *cursor);

/* Append to a buffer; 0 or XYLEM_E_MEMORY. */
int xylem_base__add_u8(struct xylem_buffer *buffer, uint8_t number);
int xylem_base__add_u16(struct xylem_buffer *buffer, uint16_t number);
int xylem_base__add_u32(struct xylem_buffer *buffer, uint32_t number);
int xylem_base__add_u64(struct xylem_buffer *buffer, uint64_t number);
int xylem_base__add_i64(struct xylem_buffer *buffer, int64_t number);
int xylem_base__add_varint(struct xylem_buffer *buffer, uint64_t number);
int xylem_base__add_sized(struct xylem_buffer *buffer, struct xylem_view bytes);

/* Into bytes that the caller has. */
void xylem_base__put_u64_be(unsigned char out[8], uint64_t number);
void xylem_base__put_u64(unsigned char out[8], uint64_t number);

#endif
