#ifndef XYLEM_STORE_FIND_H
#define XYLEM_STORE_FIND_H

#include "store/store.h"

/* 1 and the position of the session's entry of that id, or 0 if it has none, which is proven. */
int xylem_store__find(struct xylem_position *position, struct xylem_txn *txn, const struct xylem_session *session,
                      struct xylem_view id, struct xylem_error *err);

/* Writes the row of an id, given by its hash, of an entry at a position. */
int xylem_store__id_write(struct xylem_txn *txn, uint64_t tree, uint64_t hash, struct xylem_position position,
                          struct xylem_error *err);

/* EXISTS: the session has an entry of that id. */
int xylem_store__fail_id_taken(const struct xylem_session *session, struct xylem_view id, struct xylem_error *err);

#endif
