/* XXH3-64. The only file that includes xxhash.h is hash.c. */
#ifndef XYLEM_STORE_HASH_H
#define XYLEM_STORE_HASH_H

#include "store/format.h"
#include "store/store.h"

/* Of two runs of bytes, as if they were one. */
uint64_t xylem_store__hash_pair(struct xylem_view first, struct xylem_view second);

/* Of a pair of numbers as it stands in a key, and of bytes. */
uint64_t xylem_store__hash_keyed(const unsigned char key[XYLEM_STORE__PAIR_KEY_BYTES], struct xylem_view bytes);

/* With a seed. */
uint64_t xylem_store__hash_seeded(struct xylem_view bytes, uint64_t seed);

#endif
