/* XXH3-64. The only file that includes xxhash.h is hash.c. */
#ifndef XYLEM_STORE_HASH_H
#define XYLEM_STORE_HASH_H

#include "store/store.h"

/* Of two runs of bytes, as if they were one. */
uint64_t xylem_store__hash_pair(struct xylem_view first, struct xylem_view second);

/* With a seed. */
uint64_t xylem_store__hash_seeded(struct xylem_view bytes, uint64_t seed);

#endif
