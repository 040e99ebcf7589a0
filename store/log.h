/* The log's records as entries. */
#ifndef XYLEM_STORE_LOG_H
#define XYLEM_STORE_LOG_H

#include "store/store.h"

/* Decodes a record with its kind's name. */
int xylem_store__entry_decode(struct xylem_entry *entry, struct xylem_txn *txn, struct xylem_position position,
                              struct xylem_view record, struct xylem_error *err);

#endif
