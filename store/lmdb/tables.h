/* Reads and writes rows of tables, without LMDB's types. All other rooms use these calls. */
#ifndef XYLEM_LMDB_TABLES_H
#define XYLEM_LMDB_TABLES_H

#include "store/format/format.h"

struct xylem_stat;

/* The path of the transaction's store, for error texts. */
const char *xylem_lmdb__path(const struct xylem_txn *txn);

/* Fails if the transaction cannot write: READ_ONLY, or the code of an earlier failed write. */
int xylem_lmdb__writable(struct xylem_txn *txn, struct xylem_error *err);

/* 1 and the value, or 0 if there is no such row. The value is not verified. */
int xylem_lmdb__get(struct xylem_view *value, struct xylem_txn *txn, enum xylem_format__table table,
                    struct xylem_view key, struct xylem_error *err);

/*
 * Writes a row. `replace` false: a row with this key is CORRUPT, as the caller's counters gave a new key. After a
 * failure the transaction cannot be committed.
 */
int xylem_lmdb__put(struct xylem_txn *txn, enum xylem_format__table table, struct xylem_view key,
                    struct xylem_view value, bool replace, struct xylem_error *err);

/* Removes a row. A missing row is no error. */
int xylem_lmdb__remove(struct xylem_txn *txn, enum xylem_format__table table, struct xylem_view key,
                       struct xylem_error *err);

/* The same: 1, or 0 if the row is missing. */
int xylem_lmdb__remove_there(struct xylem_txn *txn, enum xylem_format__table table, struct xylem_view key,
                             struct xylem_error *err);

/* Marks the transaction after a half-done change: the transaction cannot be committed. */
void xylem_lmdb__write_failed(struct xylem_txn *txn, int code);

/*
 * Get and put for tables with sums: a value ends in a sum over table, key and value. get verifies and cuts off the sum,
 * put adds the sum. get proves a result of 0, too: see xylem_lmdb__check_absence(). put releases the value in any case;
 * `made` is false if there was no memory to make the value.
 *
 *     value  | fields | sum, 4 or 8 bytes |
 */
int xylem_lmdb__get_summed(struct xylem_view *value, struct xylem_txn *txn, enum xylem_format__table table,
                           struct xylem_view key, struct xylem_error *err);
int xylem_lmdb__put_summed(struct xylem_txn *txn, enum xylem_format__table table, struct xylem_view key,
                           struct xylem_buffer *value, bool made, bool replace, struct xylem_error *err);
/* Verifies and cuts off the sum of a row from a cursor. */
int xylem_lmdb__check_summed(struct xylem_view *value, struct xylem_txn *txn, enum xylem_format__table table,
                             struct xylem_view key, struct xylem_error *err);

enum xylem_lmdb__step {
    XYLEM_LMDB__FIRST,
    XYLEM_LMDB__LAST,
    XYLEM_LMDB__NEXT,       /* the first row, if the cursor stands nowhere */
    XYLEM_LMDB__PREVIOUS,   /* the last row, if the cursor stands nowhere */
    XYLEM_LMDB__AT,         /* exactly `key` */
    XYLEM_LMDB__AT_OR_AFTER /* `key`, or the next greater key */
};

/*
 * A cursor in a table. A step gives 1 and the row, or 0 without a row. Keys out of order, and more rows than the
 * table's count, are CORRUPT: so every loop over rows ends.
 */
struct xylem_lmdb__rows;
int xylem_lmdb__rows_new(struct xylem_lmdb__rows **rows, struct xylem_txn *txn, enum xylem_format__table table,
                         struct xylem_error *err);
int xylem_lmdb__rows_step(struct xylem_view *key, struct xylem_view *value, struct xylem_lmdb__rows *rows,
                          enum xylem_lmdb__step step, struct xylem_error *err);
/*
 * The same in a table with sums: verifies and cuts off the sum of the row. AT_OR_AFTER verifies the row before, too.
 * The pages of the path are proven whole, so that no row is hidden between two steps, or behind the last row.
 */
int xylem_lmdb__rows_step_summed(struct xylem_view *key, struct xylem_view *value, struct xylem_lmdb__rows *rows,
                                 enum xylem_lmdb__step step, struct xylem_error *err);
/* Gives the rows whose keys begin with a number, the first row at the first call: 1, or 0 at the end. */
int xylem_lmdb__rows_next_of(struct xylem_view *key, struct xylem_view *value, struct xylem_lmdb__rows *rows,
                             uint64_t number, struct xylem_error *err);
void xylem_lmdb__rows_free(struct xylem_lmdb__rows *rows);
/* Calls `visit` with each row of a table with sums, in the order of the keys, as long as `visit` returns OK. */
int xylem_lmdb__each_row(struct xylem_txn *txn, enum xylem_format__table table,
                         int (*visit)(void *context, struct xylem_view key, struct xylem_view value), void *context,
                         struct xylem_error *err);

/*
 * Proves that a key has no row, after a search without a result: a damaged page can lead a search astray, or hide rows.
 * The result is 0 if
 *
 *   1. the rows on both sides enclose the key, and have correct sums: a damaged key would end a search beside its row;
 *   2. every page from the root to both leaves is whole, and has keys that belong on the page: no node is hidden;
 *   3. the free list names none of these pages: a free page holds rows from before.
 *
 * A write transaction checks 3 at its commit. Errors: CORRUPT, and the errors of reading.
 */
int xylem_lmdb__check_absence(struct xylem_txn *txn, enum xylem_format__table table, struct xylem_view key,
                              struct xylem_error *err);
/* Only 2 and 3, for the pages at a cursor: for callers that check the rows on both sides themselves. */
int xylem_lmdb__rows_prove(struct xylem_lmdb__rows *rows, struct xylem_error *err);

/* The number of a new row in a table whose keys are one u64: above the last key, and above `floor`. */
int xylem_lmdb__next_u64(uint64_t *number, struct xylem_txn *txn, enum xylem_format__table table, uint64_t floor,
                         struct xylem_error *err);

/* From now on this transaction refuses exactly the tables in `tables` (1 << table) as CORRUPT. */
void xylem_lmdb__tables_shut(struct xylem_txn *txn, uint32_t tables);
bool xylem_lmdb__table_is_shut(const struct xylem_txn *txn, enum xylem_format__table table);
/* Notes that all pages of the snapshot were checked, except pages of shut tables. */
void xylem_lmdb__pages_were_checked(struct xylem_txn *txn);
/* True if a call failed only because of a shut table, since the last call of this function. */
bool xylem_lmdb__refused_as_shut(struct xylem_txn *txn);

/* Fills the arguments of a check of the pages of the transaction's snapshot. In a write transaction `txn_id` is 0. */
struct xylem_pages__pages;
void xylem_lmdb__pages_of(struct xylem_pages__pages *pages, struct xylem_txn *txn);
/*
 * Notes damaged pages. More pages may be damaged, also in the free list, from which a writer takes pages. So this
 * environment refuses writers from now on, and a write transaction cannot be committed.
 */
void xylem_lmdb__env_damaged(struct xylem_txn *txn);
/* The handle of the transaction. */
struct xylem_store *xylem_lmdb__handle(const struct xylem_txn *txn);
/* True, and the number of the snapshot, for a read transaction: equal numbers mean the same state of the store. */
bool xylem_lmdb__snapshot_number(uint64_t *number, const struct xylem_txn *txn);

/* Counts a record that was read and verified, and the verified bytes. */
void xylem_lmdb__count_record(struct xylem_txn *txn, uint64_t bytes);

/* The size of a table: rows, bytes of all pages, depth of the tree. */
struct xylem_lmdb__table_size {
    uint64_t rows;
    uint64_t bytes;
    uint64_t depth;
};
int xylem_lmdb__table_size(struct xylem_lmdb__table_size *size, struct xylem_txn *txn, enum xylem_format__table table,
                           struct xylem_error *err);
/* Fills the members of `stat` about the environment: file_bytes, map_bytes, page_bytes, free_bytes, and readers. */
int xylem_lmdb__env_stat(struct xylem_stat *stat, struct xylem_txn *txn, struct xylem_error *err);

/* The counters go on above these numbers. Only a garbage collection raises the floors. */
struct xylem_lmdb__floors {
    uint64_t session;
    uint64_t branch;
    uint64_t lsn;
    uint64_t kind;
};

/* Rows of `meta` that a transaction keeps after the first read: nobody else changes the rows during the transaction. */
struct xylem_lmdb__seen {
    bool floors_read;
    bool features_read; /* and `change_count` */
    bool lease_count_read;
    struct xylem_lmdb__floors floors;
    uint64_t features;
    uint64_t change_count;  /* lsns without an entry, but freed lsns */
    uint64_t changed;       /* the session of the last change of this transaction; 0: none yet */
    uint64_t lease_count;   /* sessions that have an owner */
    uint64_t lease_checked; /* the last session without a lease of another handle; 0: none checked */
};
struct xylem_lmdb__seen *xylem_lmdb__seen(struct xylem_txn *txn);

/* True and the kind, if the kind is in memory. */
bool xylem_lmdb__kind_known(struct xylem_kind *kind, const struct xylem_txn *txn, uint32_t number);
/* Keeps a kind after a read or an intern, and gives a copy that lives as long as the transaction. */
int xylem_lmdb__kind_remember(struct xylem_kind *kept, struct xylem_txn *txn, uint32_t number, struct xylem_kind kind,
                              struct xylem_error *err);

/* Memory of the transaction for displaced lines. A new call frees the memory of the last call. NULL: no memory. */
void *xylem_lmdb__displaced_room(struct xylem_txn *txn, size_t bytes);

#endif
