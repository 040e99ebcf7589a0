#include "travel/jsonl/prefix.h"

#include "base/bytes.h"
#include "base/error.h"

void xylem_jsonl__prefix_restart(struct xylem_jsonl__prefix *prefix)
{
    xylem_format__hasher_free(prefix->hasher);
    prefix->hasher = NULL;
    prefix->bytes = 0;
    prefix->block = 0;
    prefix->chain = 0;
}

/* Begins the hash of the block at `bytes`. */
static int begin_block(struct xylem_jsonl__prefix *prefix, struct xylem_error *err)
{
    unsigned char chain[8];
    xylem_format__hasher_free(prefix->hasher);
    if (!(prefix->hasher = xylem_format__hasher_new())) {
        return xylem_base__fail_memory(err);
    }
    prefix->block = prefix->bytes;
    if (prefix->block > 0 && !prefix->plain) {
        xylem_base__put_u64(chain, prefix->chain);
        xylem_format__hasher_add(prefix->hasher, (struct xylem_view){(const char *)chain, sizeof chain});
    }
    return XYLEM_OK;
}

int xylem_jsonl__prefix_to(struct xylem_jsonl__prefix *prefix, const struct xylem_jsonl__file *file, uint64_t offset,
                           struct xylem_error *err)
{
    int code = XYLEM_OK;
    if (prefix->hasher && prefix->bytes > offset) {
        xylem_jsonl__prefix_restart(prefix);
    }
    if (!prefix->hasher && (code = begin_block(prefix, err)) < 0) {
        return code;
    }
    while (prefix->bytes < offset) {
        struct xylem_view seen;
        if (!prefix->plain && prefix->bytes == prefix->block + XYLEM_JSONL__BLOCK_BYTES) {
            prefix->chain = xylem_format__hasher_sum(prefix->hasher);
            if ((code = begin_block(prefix, err)) < 0) {
                return code;
            }
        }
        if ((code = xylem_jsonl__window_see(&seen, &prefix->window, file, prefix->bytes, 1, err)) < 0) {
            return code;
        }
        uint64_t end = prefix->plain ? offset : prefix->block + XYLEM_JSONL__BLOCK_BYTES;
        uint64_t left = (end < offset ? end : offset) - prefix->bytes;
        seen.bytes = seen.bytes < left ? seen.bytes : (size_t)left;
        xylem_format__hasher_add(prefix->hasher, seen);
        prefix->bytes += seen.bytes;
    }
    return XYLEM_OK;
}

int xylem_jsonl__prefix_resume(struct xylem_jsonl__prefix *prefix, const struct xylem_jsonl__file *file, uint64_t bytes,
                               uint64_t chain, struct xylem_error *err)
{
    xylem_jsonl__prefix_restart(prefix);
    prefix->bytes = bytes > 0 ? (bytes - 1) / XYLEM_JSONL__BLOCK_BYTES * XYLEM_JSONL__BLOCK_BYTES : 0;
    prefix->chain = chain;
    int code = begin_block(prefix, err);
    return code < 0 ? code : xylem_jsonl__prefix_to(prefix, file, bytes, err);
}

void xylem_jsonl__prefix_release(struct xylem_jsonl__prefix *prefix)
{
    xylem_jsonl__prefix_restart(prefix);
    xylem_jsonl__window_release(&prefix->window);
}

int xylem_jsonl__hash_part(uint64_t *hash, const struct xylem_jsonl__file *file, uint64_t offset, uint64_t bytes,
                           struct xylem_error *err)
{
    struct xylem_jsonl__prefix part = {.bytes = offset, .plain = true};
    part.window.step_bytes = bytes < XYLEM_JSONL__BLOCK_BYTES ? (size_t)bytes : 0;
    int code = xylem_jsonl__prefix_to(&part, file, offset + bytes, err);
    *hash = code < 0 ? 0 : xylem_format__hasher_sum(part.hasher);
    xylem_jsonl__prefix_release(&part);
    return code;
}
