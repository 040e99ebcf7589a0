/* Hashes the beginning of a file. The hash grows with the import: no byte is hashed twice. */
#ifndef XYLEM_JSONL_PREFIX_H
#define XYLEM_JSONL_PREFIX_H

#include "jsonl/lines.h"
#include "store/store.h"

/* Start with a zeroed struct. With `bytes` set before the first call, the hash begins at that offset. */
struct xylem_jsonl__prefix {
    struct xylem_format__hasher *hasher;
    struct xylem_jsonl__window window;
    uint64_t bytes; /* the hash covers the file up to this offset */
};

/* Hashes the file up to `offset`. A hash that is farther already begins again at the start of the file. */
int xylem_jsonl__prefix_to(struct xylem_jsonl__prefix *prefix, const struct xylem_jsonl__file *file, uint64_t offset,
                           struct xylem_error *err);
void xylem_jsonl__prefix_restart(struct xylem_jsonl__prefix *prefix);
void xylem_jsonl__prefix_release(struct xylem_jsonl__prefix *prefix);

#endif
