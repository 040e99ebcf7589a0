/* Reads and writes rows of the table `branches`. */
#ifndef XYLEM_STORE_BRANCH_H
#define XYLEM_STORE_BRANCH_H

#include "store/store.h"

/* The number that a new branch gets. */
int xylem_store__branch_next(uint64_t *number, struct xylem_txn *txn, struct xylem_error *err);
/* Sets the skip of a new branch from its other fields. `parent`: the row of the parent branch; NULL at a root. */
int xylem_store__branch_lay_skip(struct xylem_store__branch *branch, const struct xylem_store__branch *parent,
                                 struct xylem_txn *txn, struct xylem_error *err);
/* Writes the row of a new branch, or with `replace` overwrites a row. */
int xylem_store__branch_write(struct xylem_txn *txn, const struct xylem_store__branch *branch, bool replace,
                              struct xylem_error *err);
/*
 * 1 if the entry at a position without an entry was freed: the branch ends before the position, or the branch is
 * freed.
 */
int xylem_store__branch_freed(struct xylem_txn *txn, struct xylem_position position, struct xylem_error *err);
/* Decodes a row without its sum. */
int xylem_store__branch_decode(struct xylem_store__branch *branch, uint64_t number, struct xylem_view row,
                               struct xylem_error *err);

/* 1 if the position of an existing entry belongs to the session. */
int xylem_store__belongs(struct xylem_txn *txn, const struct xylem_session *session, struct xylem_position position,
                         struct xylem_error *err);

#endif
