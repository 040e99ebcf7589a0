/*
 * Hashes the beginning of a file. The hash grows with the import: no byte is hashed twice.
 *
 * The hash of the consumed bytes is a chain of blocks of 16 KiB, so that a later import goes on from the last block:
 *
 *     chain of block 1    XXH3-64(bytes of block 1)
 *     chain of block n    XXH3-64(chain of block n - 1 as u64, bytes of block n)
 *     the hash            the chain of the last block, which may be shorter
 */
#ifndef XYLEM_JSONL_PREFIX_H
#define XYLEM_JSONL_PREFIX_H

#include "store/store.h"
#include "travel/jsonl/lines.h"

#define XYLEM_JSONL__BLOCK_BYTES 16384u

/* Start with a zeroed struct. */
struct xylem_jsonl__prefix {
    struct xylem_format__hasher *hasher;
    struct xylem_jsonl__window window;
    uint64_t bytes; /* the hash covers the file up to this offset */
    uint64_t block; /* the offset of the last block */
    uint64_t chain; /* of the block before the last block */
    bool plain;     /* one XXH3-64 from the offset `bytes` on, as the caller set `bytes`: no blocks */
};

/* Hashes the file up to `offset`. A hash that is farther already begins again at the start of the file. */
int xylem_jsonl__prefix_to(struct xylem_jsonl__prefix *prefix, const struct xylem_jsonl__file *file, uint64_t offset,
                           struct xylem_error *err);
/* Hashes the last block of the first `bytes` bytes only: `chain` stands for the blocks before. */
int xylem_jsonl__prefix_resume(struct xylem_jsonl__prefix *prefix, const struct xylem_jsonl__file *file, uint64_t bytes,
                               uint64_t chain, struct xylem_error *err);
void xylem_jsonl__prefix_restart(struct xylem_jsonl__prefix *prefix);
void xylem_jsonl__prefix_release(struct xylem_jsonl__prefix *prefix);
/* The XXH3-64 of a part of the file. */
int xylem_jsonl__hash_part(uint64_t *hash, const struct xylem_jsonl__file *file, uint64_t offset, uint64_t bytes,
                           struct xylem_error *err);

#endif
