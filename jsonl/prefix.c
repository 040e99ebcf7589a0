#include "jsonl/prefix.h"

#include "base/error.h"

void xylem_jsonl__prefix_restart(struct xylem_jsonl__prefix *prefix)
{
    xylem_format__hasher_free(prefix->hasher);
    prefix->hasher = NULL;
    prefix->bytes = 0;
}

int xylem_jsonl__prefix_to(struct xylem_jsonl__prefix *prefix, const struct xylem_jsonl__file *file, uint64_t offset,
                           struct xylem_error *err)
{
    if (prefix->hasher && prefix->bytes > offset) {
        xylem_jsonl__prefix_restart(prefix);
    }
    if (!prefix->hasher) {
        prefix->hasher = xylem_format__hasher_new();
        if (!prefix->hasher) {
            return xylem_base__fail_memory(err);
        }
    }
    while (prefix->bytes < offset) {
        struct xylem_view seen;
        int code = xylem_jsonl__window_see(&seen, &prefix->window, file, prefix->bytes, 1, err);
        if (code < 0) {
            return code;
        }
        uint64_t left = offset - prefix->bytes;
        seen.bytes = seen.bytes < left ? seen.bytes : (size_t)left;
        xylem_format__hasher_add(prefix->hasher, seen);
        prefix->bytes += seen.bytes;
    }
    return XYLEM_OK;
}

void xylem_jsonl__prefix_release(struct xylem_jsonl__prefix *prefix)
{
    xylem_jsonl__prefix_restart(prefix);
    xylem_jsonl__window_release(&prefix->window);
}
