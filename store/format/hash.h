/* Wraps XXH3. Only hash.c includes xxhash.h. */
#ifndef XYLEM_FORMAT_HASH_H
#define XYLEM_FORMAT_HASH_H

#include "store/format/format.h"

/* XXH3-64 of the bytes. */
uint64_t xylem_format__hash(struct xylem_view bytes);

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

/* XXH3-64 of a key of two numbers and of bytes, joined. */
uint64_t xylem_format__hash_keyed(const unsigned char key[XYLEM_FORMAT__PAIR_KEY_BYTES], struct xylem_view bytes);

/* XXH3-64 with a seed. */
uint64_t xylem_format__hash_seeded(struct xylem_view bytes, uint64_t seed);

/*
 * The sum of a row covers table, key and content: a page of another table cannot pass. A value ends in the sum, 8
 * bytes, in `ids` 4 bytes. Unseal verifies and cuts off the sum.
 */
size_t xylem_format__row_sum_bytes(enum xylem_format__table table);
uint64_t xylem_format__row_sum(enum xylem_format__table table, struct xylem_view key, struct xylem_view content);
bool xylem_format__row_unseal(struct xylem_view *value, enum xylem_format__table table, struct xylem_view key);

#endif
