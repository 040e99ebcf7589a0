/* Declares the parts of xylem_gc(): gc.c decides the entries and rows to free, gc_rows.c frees them. */
#ifndef XYLEM_STORE_GC_H
#define XYLEM_STORE_GC_H

#include "store/format/format.h"
#include "store/store.h"
#include "xylem/care.h"

struct xylem_store__gc {
    struct xylem_txn *txn;
    struct xylem_error *err;
    bool dry_run;
    struct xylem_store__piece *piece;
    struct xylem_freed freed; /* of the current session */
    struct xylem_store__freed_entry {
        uint64_t id_hash;
        uint64_t depth;
        uint64_t lsn;
        bool minted; /* the id has no row in `ids` */
    } * chunk;       /* the entries of the current chunk; the caller frees it */
};

/*
 * Frees the last entries of a branch down to `first_depth`, until the piece is full, and counts them in `freed`.
 * `last_depth`: of the branch, replaced by the last remaining depth.
 */
int xylem_store__gc_entries(struct xylem_store__gc *gc, uint64_t tree, uint64_t branch, uint64_t first_depth,
                            uint64_t *last_depth);
/* Frees a row. Errors: CORRUPT (the row is missing). */
int xylem_store__gc_row(struct xylem_store__gc *gc, enum xylem_format__table table, struct xylem_view key);
/* Frees all rows of a table with keys that begin with the number of the current session. */
int xylem_store__gc_rows_of(struct xylem_store__gc *gc, enum xylem_format__table table);

#endif
