#include "store/format/hash.h"

#include <stdio.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* for a state on the stack */
#include <xxhash.h>

#include "base/bytes.h"

/* Most rows and headers of records are shorter: a joined copy is hashed in one pass. */
#define JOINED_BYTES 1024u

uint64_t xylem_format__hash(struct xylem_view bytes)
{
    return XXH3_64bits(bytes.data, bytes.bytes);
}

uint64_t xylem_format__hash_seeded(struct xylem_view bytes, uint64_t seed)
{
    return XXH3_64bits_withSeed(bytes.data, bytes.bytes, seed);
}

static uint64_t hash_pair_streamed(struct xylem_view first, struct xylem_view second)
{
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, first.data, first.bytes);
    XXH3_64bits_update(&state, second.data, second.bytes);
    return XXH3_64bits_digest(&state);
}

uint64_t xylem_format__hash_pair(struct xylem_view first, struct xylem_view second)
{
    if (first.bytes > JOINED_BYTES || second.bytes > JOINED_BYTES - first.bytes) {
        return hash_pair_streamed(first, second);
    }
    unsigned char joined[JOINED_BYTES];
    if (first.bytes > 0) {
        memcpy(joined, first.data, first.bytes);
    }
    if (second.bytes > 0) {
        memcpy(joined + first.bytes, second.data, second.bytes);
    }
    return XXH3_64bits(joined, first.bytes + second.bytes);
}

uint64_t xylem_format__row_sum(enum xylem_format__table table, struct xylem_view key, struct xylem_view content)
{
    return xylem_format__hash_pair(key, content) + (uint64_t)table;
}

size_t xylem_format__row_put_sum(unsigned char *at, enum xylem_format__table table, struct xylem_view key,
                                 struct xylem_view content)
{
    unsigned char sum[8];
    size_t bytes = xylem_format__row_sum_bytes(table);
    xylem_base__put_u64(sum, xylem_format__row_sum(table, key, content));
    memcpy(at, sum, bytes);
    return bytes;
}

int xylem_format__row_add_sum(struct xylem_buffer *row, enum xylem_format__table table, struct xylem_view key)
{
    unsigned char sum[8];
    size_t bytes = xylem_format__row_put_sum(sum, table, key, (struct xylem_view){row->data, row->bytes});
    return xylem_buffer_add(row, sum, bytes);
}

bool xylem_format__row_unseal(struct xylem_view *value, enum xylem_format__table table, struct xylem_view key)
{
    unsigned char sum[8];
    size_t bytes = xylem_format__row_sum_bytes(table);
    if (value->bytes < bytes) {
        return false;
    }
    value->bytes -= bytes;
    xylem_base__put_u64(sum, xylem_format__row_sum(table, key, *value));
    return memcmp(value->data + value->bytes, sum, bytes) == 0;
}

struct xylem_format__hasher *xylem_format__hasher_new(void)
{
    XXH3_state_t *state = XXH3_createState();
    if (state) {
        XXH3_64bits_reset(state);
    }
    return (struct xylem_format__hasher *)state;
}

void xylem_format__hasher_add(struct xylem_format__hasher *hasher, struct xylem_view bytes)
{
    if (bytes.bytes > 0) {
        XXH3_64bits_update((XXH3_state_t *)hasher, bytes.data, bytes.bytes);
    }
}

uint64_t xylem_format__hasher_sum(const struct xylem_format__hasher *hasher)
{
    return XXH3_64bits_digest((const XXH3_state_t *)hasher);
}

void xylem_format__hasher_free(struct xylem_format__hasher *hasher)
{
    XXH3_freeState((XXH3_state_t *)hasher);
}

struct xylem_format__wide_hasher *xylem_format__wide_hasher_new(void)
{
    XXH3_state_t *state = XXH3_createState();
    if (state) {
        XXH3_128bits_reset(state);
    }
    return (struct xylem_format__wide_hasher *)state;
}

void xylem_format__wide_hasher_add(struct xylem_format__wide_hasher *hasher, struct xylem_view bytes)
{
    if (bytes.bytes > 0) {
        XXH3_128bits_update((XXH3_state_t *)hasher, bytes.data, bytes.bytes);
    }
}

void xylem_format__wide_hasher_text(char text[XYLEM_FORMAT__WIDE_TEXT_BYTES],
                                    const struct xylem_format__wide_hasher *hasher)
{
    XXH128_canonical_t bytes;
    XXH128_canonicalFromHash(&bytes, XXH3_128bits_digest((const XXH3_state_t *)hasher));
    for (size_t i = 0; i < sizeof bytes.digest; i++) {
        snprintf(text + 2 * i, 3, "%02x", bytes.digest[i]);
    }
}

void xylem_format__wide_hasher_free(struct xylem_format__wide_hasher *hasher)
{
    XXH3_freeState((XXH3_state_t *)hasher);
}
