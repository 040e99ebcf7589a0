/* Leases of sessions, as far as the rest of the store has to do with them. xylem_store__lease_check() is in store.h. */
#ifndef XYLEM_STORE_LEASE_H
#define XYLEM_STORE_LEASE_H

#include "store/store.h"
#include "store/tables.h"

/* Is it the key of an owner's row in `meta`? */
bool xylem_store__lease_key_is(struct xylem_view key);
/* Reads such a row without its sum: false if key or row is not what one is. `alive` is not looked at. */
bool xylem_store__lease_row_read(uint64_t *session, struct xylem_lease_owner *owner, struct xylem_view key,
                                 struct xylem_view row);

/* How many sessions have an owner's row: what the store says, and what it has. */
int xylem_store__lease_counts(uint64_t *stated, uint64_t *found, struct xylem_txn *txn, struct xylem_error *err);

/* Removes the owner's row of a session that goes itself; it is no error if there is none. */
int xylem_store__lease_forget(struct xylem_txn *txn, uint64_t session, struct xylem_error *err);

/*
 * A child of fork(2) must not keep the locks of its parent's leases alive: its descriptors of them are closed at once.
 * The first call holds the list of them over the fork.
 */
void xylem_store__leases_before_fork(void);
void xylem_store__leases_after_fork(bool in_child);

/* Ends what a handle has of leases, without writing: it is closed, or was its parent's. */
void xylem_store__leases_close(struct xylem_store *store);

#endif
