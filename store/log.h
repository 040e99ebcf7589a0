/* Decodes records of the table `log` as entries. */
#ifndef XYLEM_STORE_LOG_H
#define XYLEM_STORE_LOG_H

#include "store/store.h"

/* Decodes a record, and reads the name of its kind. */
int xylem_store__entry_decode(struct xylem_entry *entry, struct xylem_txn *txn, struct xylem_position position,
                              struct xylem_view record, struct xylem_error *err);

/* Calls `visit` with each entry of the store, by branch and depth, until `visit` returns an error. */
int xylem_store__each_entry(struct xylem_txn *txn, int (*visit)(void *context, const struct xylem_entry *entry),
                            void *context, struct xylem_error *err);

/*
 * Proves that no entry is at `position`: 1 and the row of the log before the position, or 0 without such a row.
 * CORRUPT: an entry may be there, hidden by damage. A damaged key leads a search astray, and the search ends beside
 * that key, so the rows on both sides are verified. A damaged row in its right place hides no other entry.
 */
int xylem_store__log_before(struct xylem_position *before, struct xylem_view *record, struct xylem_txn *txn,
                            struct xylem_position position, struct xylem_error *err);

#endif
