/* What the parts of xylem_gc() share: gc.c decides what is freed, gc_rows.c frees it. */
#ifndef XYLEM_STORE_GC_H
#define XYLEM_STORE_GC_H

#include "format/format.h"
#include "store/store.h"

struct xylem_store__gc {
    struct xylem_txn *txn;
    struct xylem_error *err;
    bool dry_run;
    struct xylem_freed freed; /* of the session that is dealt with */
    struct xylem_store__freed_entry {
        uint64_t id_hash;
        uint64_t depth;
        uint64_t lsn;
        bool minted; /* it has no row in `ids` */
    } * chunk;       /* room for some entries: as many as are freed at a time */
};

/* Frees the entries of a branch from one depth to another, where it ends. They are counted in `freed`. */
int xylem_store__gc_entries(struct xylem_store__gc *gc, uint64_t tree, uint64_t branch, uint64_t first_depth,
                            uint64_t last_depth);
/* Frees one row, which must be there. */
int xylem_store__gc_row(struct xylem_store__gc *gc, enum xylem_format__table table, struct xylem_view key);
/* Frees all rows whose key begins with the number of the session that is dealt with. */
int xylem_store__gc_rows_of(struct xylem_store__gc *gc, enum xylem_format__table table);
void xylem_store__gc_release(struct xylem_store__gc *gc);

#endif
