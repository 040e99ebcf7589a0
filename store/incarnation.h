/* Draws a new incarnation of a store; xylem/feed.h has the meaning. */
#ifndef XYLEM_STORE_INCARNATION_H
#define XYLEM_STORE_INCARNATION_H

#include "store/store.h"

/* Begins a life behind a change: the next change is the first of it. Takes the mark of a copy away. */
int xylem_store__incarnation_draw(struct xylem_txn *txn, uint64_t lsn, uint64_t chain, struct xylem_error *err);

#endif
