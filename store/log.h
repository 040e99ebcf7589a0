/* The log's records as entries. */
#ifndef XYLEM_STORE_LOG_H
#define XYLEM_STORE_LOG_H

#include "store/store.h"

/* Decodes a record with its kind's name. */
int xylem_store__entry_decode(struct xylem_entry *entry, struct xylem_txn *txn, struct xylem_position position,
                              struct xylem_view record, struct xylem_error *err);

/* Calls `visit` with each entry of the store, by branch and depth, as long as `visit` returns OK. */
int xylem_store__each_entry(struct xylem_txn *txn, int (*visit)(void *context, const struct xylem_entry *entry),
                            void *context, struct xylem_error *err);

/*
 * 1, and the row of the log before `position`, at which a search found none; 0 if there is none before either. CORRUPT
 * where it cannot be known what lies there: a damaged key leads a search astray, which then ends beside it. So the rows on
 * both sides are looked at. A damaged one that stands where its key belongs, and is not the missing one, hides nothing.
 */
int xylem_store__log_before(struct xylem_position *before, struct xylem_view *record, struct xylem_txn *txn,
                            struct xylem_position position, struct xylem_error *err);

#endif
