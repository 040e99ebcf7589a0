/* Rows of tables, without LMDB's types: the rest of the store is written against this. */
#ifndef XYLEM_LMDB_TABLES_H
#define XYLEM_LMDB_TABLES_H

#include "format/format.h"
#include "xylem.h"

/* The path of the transaction's store, for error texts. */
const char *xylem_lmdb__path(const struct xylem_txn *txn);

/* Fails if the transaction cannot write: READ_ONLY, or the code of the write that failed before. */
int xylem_lmdb__writable(struct xylem_txn *txn, struct xylem_error *err);

/* 1 and the value, or 0 if there is no such row. The value is not verified. */
int xylem_lmdb__get(struct xylem_view *value, struct xylem_txn *txn, enum xylem_format__table table,
                    struct xylem_view key, struct xylem_error *err);

/*
 * Writes a row. `replace` false: there must be none of that key, else CORRUPT, as the counters say that there cannot be
 * one. A failure ends what the transaction can do: it cannot be committed any more.
 */
int xylem_lmdb__put(struct xylem_txn *txn, enum xylem_format__table table, struct xylem_view key,
                    struct xylem_view value, bool replace, struct xylem_error *err);

/* Removes a row; it is no error if there is none. */
int xylem_lmdb__remove(struct xylem_txn *txn, enum xylem_format__table table, struct xylem_view key,
                       struct xylem_error *err);

/* The same: 1, or 0 if there is none. */
int xylem_lmdb__remove_there(struct xylem_txn *txn, enum xylem_format__table table, struct xylem_view key,
                             struct xylem_error *err);

/* After a write that is only half done: the transaction cannot be committed any more. */
void xylem_lmdb__write_failed(struct xylem_txn *txn, int code);

/*
 * The same for values that end in the sum of table, key and value: the sum is verified and cut off, or added. 0 is proven
 * too: see xylem_lmdb__check_absence().
 */
int xylem_lmdb__get_summed(struct xylem_view *value, struct xylem_txn *txn, enum xylem_format__table table,
                           struct xylem_view key, struct xylem_error *err);
int xylem_lmdb__put_summed(struct xylem_txn *txn, enum xylem_format__table table, struct xylem_view key,
                           struct xylem_buffer *value, bool replace, struct xylem_error *err);
/* Verifies and cuts off the sum of a row that a cursor gave. */
int xylem_lmdb__check_summed(struct xylem_view *value, struct xylem_txn *txn, enum xylem_format__table table,
                             struct xylem_view key, struct xylem_error *err);

enum xylem_lmdb__step {
    XYLEM_LMDB__FIRST,
    XYLEM_LMDB__LAST,
    XYLEM_LMDB__NEXT,
    XYLEM_LMDB__PREVIOUS,
    XYLEM_LMDB__AT,         /* to exactly `key` */
    XYLEM_LMDB__AT_OR_AFTER /* to `key` or the next greater one */
};

/*
 * A cursor in a table. A step gives 1 and the row, or 0 if there is none there. Keys that do not ascend are CORRUPT, and so
 * are more rows than the table is said to have: no loop over rows is without an end.
 */
struct xylem_lmdb__rows;
int xylem_lmdb__rows_new(struct xylem_lmdb__rows **rows, struct xylem_txn *txn, enum xylem_format__table table,
                         struct xylem_error *err);
int xylem_lmdb__rows_step(struct xylem_view *key, struct xylem_view *value, struct xylem_lmdb__rows *rows,
                          enum xylem_lmdb__step step, struct xylem_error *err);
/*
 * The same in a table with sums: that of the row is verified and cut off, and at AT_OR_AFTER that of the row before is
 * verified too. The pages of the path are proven whole, so that no row is hidden between two steps or behind the last.
 */
int xylem_lmdb__rows_step_summed(struct xylem_view *key, struct xylem_view *value, struct xylem_lmdb__rows *rows,
                                 enum xylem_lmdb__step step, struct xylem_error *err);
void xylem_lmdb__rows_free(struct xylem_lmdb__rows *rows);
/* Calls `visit` with each row of a table with sums, in the order of the keys, as long as `visit` returns OK. */
int xylem_lmdb__each_row(struct xylem_txn *txn, enum xylem_format__table table,
                         int (*visit)(void *context, struct xylem_view key, struct xylem_view value), void *context,
                         struct xylem_error *err);

/*
 * No row of the key was found. Is there none? A damaged page leads a search astray, or hides rows. So 0 only if
 *
 *   - the rows on both sides enclose the key, and prove themselves: a damaged key ends a search beside its own row;
 *   - every page from the root to their leaves is whole, and has keys that belong there: no node is hidden;
 *   - the free list names none of these pages: a page that was given back is as it was earlier.
 *
 * In a write transaction the last is looked at before it commits. Errors: CORRUPT, and those of reading.
 */
int xylem_lmdb__check_absence(struct xylem_txn *txn, enum xylem_format__table table, struct xylem_view key,
                              struct xylem_error *err);
/* The same of the pages alone, where a cursor stands: for whoever looks at the rows on both sides. */
int xylem_lmdb__rows_prove(struct xylem_lmdb__rows *rows, struct xylem_error *err);

/* The number that a new row gets in a table whose keys are one u64: above its last key, and above `floor`. */
int xylem_lmdb__next_u64(uint64_t *number, struct xylem_txn *txn, enum xylem_format__table table, uint64_t floor,
                         struct xylem_error *err);

/* From now on exactly the tables with a bit in `tables` (1 << table) are not read in this transaction: CORRUPT. */
void xylem_lmdb__tables_shut(struct xylem_txn *txn, uint32_t tables);
bool xylem_lmdb__table_is_shut(const struct xylem_txn *txn, enum xylem_format__table table);
/* All pages of the snapshot were looked at, apart from those of tables that are shut. */
void xylem_lmdb__pages_were_checked(struct xylem_txn *txn);
/* Did a call fail only because a table is shut, since this was last asked? */
bool xylem_lmdb__refused_as_shut(struct xylem_txn *txn);

/* What a look at the pages of the transaction's snapshot needs; `txn_id` 0: it is a write transaction, and has none. */
struct xylem_pages__pages;
void xylem_lmdb__pages_of(struct xylem_pages__pages *pages, struct xylem_txn *txn);
/*
 * Pages were found damaged: what was met may be only a part, and a writer takes its pages from a list in the same file. So
 * this environment refuses writers from now on, and the transaction cannot be committed if it is one.
 */
void xylem_lmdb__env_damaged(struct xylem_txn *txn);
/* The handle that the transaction was begun with. */
struct xylem_store *xylem_lmdb__handle(const struct xylem_txn *txn);

/* Counts a record that was read and verified, and how many bytes were. */
void xylem_lmdb__count_record(struct xylem_txn *txn, uint64_t bytes);

/* Rows and pages of a table. */
struct xylem_lmdb__table_size {
    uint64_t rows;
    uint64_t bytes;
    uint64_t depth;
};
int xylem_lmdb__table_size(struct xylem_lmdb__table_size *size, struct xylem_txn *txn, enum xylem_format__table table,
                           struct xylem_error *err);
/* The environment's own figures: file_bytes, map_bytes, page_bytes, free_bytes, and those of readers. */
int xylem_lmdb__env_stat(struct xylem_stat *stat, struct xylem_txn *txn, struct xylem_error *err);

/* The least numbers that the counters may go on from; only a garbage collection raises them. */
struct xylem_lmdb__floors {
    uint64_t session;
    uint64_t branch;
    uint64_t lsn;
    uint64_t kind;
};

/* The rows of `meta` that a transaction read, and need not read again: nobody else changes them while it lasts. */
struct xylem_lmdb__seen {
    bool floors_read;
    bool features_read;
    bool lease_count_read;
    struct xylem_lmdb__floors floors;
    uint64_t features;
    uint64_t lease_count;   /* sessions that have an owner */
    uint64_t lease_checked; /* the session that was found to be free or this handle's last, 0 for none */
};
struct xylem_lmdb__seen *xylem_lmdb__seen(struct xylem_txn *txn);

/* True and the kind, if the kind is remembered. */
bool xylem_lmdb__kind_known(struct xylem_kind *kind, const struct xylem_txn *txn, uint32_t number);
/* Remembers a kind that was read, or interned, and gives a copy that lives as long as the transaction. */
int xylem_lmdb__kind_remember(struct xylem_kind *kept, struct xylem_txn *txn, uint32_t number, struct xylem_kind kind,
                              struct xylem_error *err);

/* Memory that the transaction owns, for displaced lines; what it held before is gone. NULL: no memory. */
void *xylem_lmdb__displaced_room(struct xylem_txn *txn, size_t bytes);

#endif
