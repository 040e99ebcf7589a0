/* Reads and writes rows of the table `kinds`. */
#ifndef XYLEM_STORE_KIND_H
#define XYLEM_STORE_KIND_H

#include <stdint.h>

#include "xylem/entry.h"

/*
 * The number of a kind; a new kind gets a number and two rows. The kind of a number; its name lives as long as the
 * transaction.
 */
int xylem_store__kind_intern(uint32_t *number, struct xylem_txn *txn, struct xylem_kind kind, struct xylem_error *err);
int xylem_store__kind_read(struct xylem_kind *kind, struct xylem_txn *txn, uint32_t number, struct xylem_error *err);

#endif
