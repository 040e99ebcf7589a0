/* Wraps XXH3. Only hash.c includes xxhash.h. */
#ifndef XYLEM_FORMAT_HASH_H
#define XYLEM_FORMAT_HASH_H

#include "store/format/format.h"

/* XXH3-64 of the bytes. */
uint64_t xylem_format__hash(struct xylem_view bytes);

/* The head of the hash of an entry's id, in keys of ids: its first 4 bytes in big-endian order. */
static inline uint32_t xylem_format__id_hash(struct xylem_view id)
{
    return (uint32_t)(xylem_format__hash(id) >> 32);
}

/* XXH3-64 of bytes in pieces. */
struct xylem_format__hasher;
struct xylem_format__hasher *xylem_format__hasher_new(void); /* NULL: no memory */
void xylem_format__hasher_add(struct xylem_format__hasher *hasher, struct xylem_view bytes);
uint64_t xylem_format__hasher_sum(const struct xylem_format__hasher *hasher);
void xylem_format__hasher_free(struct xylem_format__hasher *hasher);

/* XXH3-128 of bytes in pieces. The text is the hash as xxhsum(1) prints it: hex digits, and a NUL. */
#define XYLEM_FORMAT__WIDE_TEXT_BYTES 33u
struct xylem_format__wide_hasher;
struct xylem_format__wide_hasher *xylem_format__wide_hasher_new(void); /* NULL: no memory */
void xylem_format__wide_hasher_add(struct xylem_format__wide_hasher *hasher, struct xylem_view bytes);
void xylem_format__wide_hasher_text(char text[XYLEM_FORMAT__WIDE_TEXT_BYTES],
                                    const struct xylem_format__wide_hasher *hasher);
void xylem_format__wide_hasher_free(struct xylem_format__wide_hasher *hasher);

/* XXH3-64 of two runs of bytes, joined. */
uint64_t xylem_format__hash_pair(struct xylem_view first, struct xylem_view second);

/* XXH3-64 with a seed. */
uint64_t xylem_format__hash_seeded(struct xylem_view bytes, uint64_t seed);

/*
 * The sum of a row covers table, key and content: a page of another table cannot pass. A value ends in the low 4 bytes
 * of the sum, in `meta` in all 8: every version of xylem can read the row `format`. Put writes them and gives their
 * number; unseal verifies and cuts them off.
 */
static inline size_t xylem_format__row_sum_bytes(enum xylem_format__table table)
{
    return table == XYLEM_FORMAT__META ? XYLEM_FORMAT__HASH_BYTES : XYLEM_FORMAT__SUM_BYTES;
}
uint64_t xylem_format__row_sum(enum xylem_format__table table, struct xylem_view key, struct xylem_view content);
size_t xylem_format__row_put_sum(unsigned char *at, enum xylem_format__table table, struct xylem_view key,
                                 struct xylem_view content);
int xylem_format__row_add_sum(struct xylem_buffer *row, enum xylem_format__table table, struct xylem_view key);
bool xylem_format__row_unseal(struct xylem_view *value, enum xylem_format__table table, struct xylem_view key);

#endif
