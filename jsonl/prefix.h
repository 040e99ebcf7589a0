/* The hash of a file's beginning, which goes on as the import goes on. */
#ifndef XYLEM_JSONL_PREFIX_H
#define XYLEM_JSONL_PREFIX_H

#include "jsonl/lines.h"
#include "store/store.h"

/* Start with a zeroed struct; with `bytes` set before the first call, the hash is that of the file from there on. */
struct xylem_jsonl__prefix {
    struct xylem_format__hasher *hasher;
    struct xylem_jsonl__window window;
    uint64_t bytes; /* where the hash has come to */
};

/* Hashes the file up to `offset`, from its beginning if the hash is farther already. */
int xylem_jsonl__prefix_to(struct xylem_jsonl__prefix *prefix, const struct xylem_jsonl__file *file, uint64_t offset,
                           struct xylem_error *err);
void xylem_jsonl__prefix_restart(struct xylem_jsonl__prefix *prefix);
void xylem_jsonl__prefix_release(struct xylem_jsonl__prefix *prefix);

#endif
