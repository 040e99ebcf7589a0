/*
 * Proves pages of the snapshot before LMDB or a caller relies on them: the only face of the prover, with eight calls. A
 * build with UNPROVEN=1 has prover_none.c in the place of prover.c, and proves nothing: what the proofs cost, and that
 * nothing else in the room proves pages.
 *
 *     begin     the pages that every commit changes
 *     pages     before each change: the records of the free list from which LMDB may take pages
 *     path      before a caller relies on the absence of a row, and before LMDB searches a changed table
 *     knows     whether an earlier proof covers the path to a key
 *     change    before LMDB changes the page of a key for the first time
 *     append    before LMDB puts rows behind the last row for the first time, and for the second
 *     commit    the free list names no proven page; then the commit's paths are noted for the next transaction
 *     end
 */
#ifndef XYLEM_LMDB_PROVER_H
#define XYLEM_LMDB_PROVER_H

#include "store/format/format.h"
#include "store/pages/tree_cursor.h"

struct xylem_txn;

#define XYLEM_LMDB__LONG_VALUE_PART 4u /* of a page: a longer value may lie on pages of its own */

/*
 * Paths of the newest snapshot whose pages LMDB made of proven pages, in this environment. A table has two at most: to
 * the last row (`end`), which needs no proof, and to the row of the last written key, whose branches count as whole.
 */
#define XYLEM_LMDB__DERIVED_KEY_BYTES 32u
struct xylem_lmdb__derived {
    bool end;
    uint8_t key_bytes; /* 0: no path, or a key longer than `key` */
    unsigned char key[XYLEM_LMDB__DERIVED_KEY_BYTES];
};

/* A range of keys of a table whose path is proven. */
struct xylem_lmdb__proven {
    enum xylem_format__table table;
    struct xylem_pages__range range;
};

/* The prover's part of a transaction. Starts zeroed. */
struct xylem_lmdb__prover {
    struct xylem_lmdb__derived derived[XYLEM_FORMAT__TABLE_COUNT]; /* of the snapshot after the commit */
    uint32_t ordered;                  /* 1 << table: the keys of the derived branches ascend */
    uint32_t passed;                   /* 1 << table: a leaf was proven */
    uint32_t appended;                 /* 1 << table: a row was put behind the last row */
    uint32_t appended_twice;           /* 1 << table: the whole path to the last row was proven */
    bool has_free_record;              /* `free_list` of the transaction stands at a record that is not proven */
    bool wants_neighbours;             /* a value lies on several pages */
    uint64_t free_pages;               /* of proven records */
    uint64_t free_run;                 /* the most neighbours in one of them */
    uint64_t wanted_pages;             /* that the transaction takes so far, at most */
    struct xylem_lmdb__proven *proven; /* by table and `low` */
    size_t proven_count;
    size_t proven_capacity;
    struct xylem_pages__page_set whole; /* proven pages of the snapshot */
};

/* Of a write transaction. */
int xylem_lmdb__prover_begin(struct xylem_txn *txn, struct xylem_error *err);
/* Comes before each change. `value_bytes` of a new value, or 0. */
int xylem_lmdb__prover_pages(struct xylem_txn *txn, size_t value_bytes, struct xylem_error *err);
/* Proves the path of a cursor in the snapshot. */
int xylem_lmdb__prover_path(struct xylem_txn *txn, enum xylem_format__table table,
                            struct xylem_pages__tree_cursor *cursor, struct xylem_error *err);
/*
 * True if the whole path to a key is proven in this write transaction, so that LMDB may read there, and may add a row.
 * Many rows of one transaction then need no way down the tree of the snapshot each.
 */
bool xylem_lmdb__prover_knows(const struct xylem_txn *txn, enum xylem_format__table table, struct xylem_view key);
/*
 * Proves the pages that LMDB changes when the row of the key comes, gets a value of `value_bytes`, or goes (`removes`).
 * Moves the cursor.
 */
int xylem_lmdb__prover_change(struct xylem_txn *txn, enum xylem_format__table table,
                              struct xylem_pages__tree_cursor *cursor, struct xylem_view key, size_t value_bytes,
                              bool removes, struct xylem_error *err);
/* 1, and the path to the last row is proven; 0: the key does not lie behind the last row. Moves the cursor. */
int xylem_lmdb__prover_append(struct xylem_txn *txn, enum xylem_format__table table,
                              struct xylem_pages__tree_cursor *cursor, struct xylem_view key, size_t value_bytes,
                              struct xylem_error *err);
/* Comes directly before the commit of LMDB. If that commit fails, the caller sets the environment's `derived_txn` to 0. */
int xylem_lmdb__prover_commit(struct xylem_txn *txn, struct xylem_error *err);
void xylem_lmdb__prover_end(struct xylem_txn *txn);

#endif
