/* Finds entries by their ids, and reads rows of the table `ids`. */
#ifndef XYLEM_STORE_FIND_H
#define XYLEM_STORE_FIND_H

#include "store/store.h"

/* 1 and the position of the entry with the id, or 0 if the session provably has no such entry. */
int xylem_store__find(struct xylem_position *position, struct xylem_txn *txn, const struct xylem_session *session,
                      struct xylem_view id, struct xylem_error *err);

/* Writes the row of the hash of an id, and of the position of its entry on a branch of the session. */
int xylem_store__id_write(struct xylem_txn *txn, const struct xylem_session *session, uint64_t hash,
                          struct xylem_position position, struct xylem_error *err);

/* EXISTS: the session has an entry with the id. */
int xylem_store__fail_id_taken(const struct xylem_session *session, struct xylem_view id, struct xylem_error *err);

#endif
