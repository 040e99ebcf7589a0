/* Leases of sessions, as far as the rest of the store has to do with them. xylem_store__lease_check() is in store.h. */
#ifndef XYLEM_STORE_LEASE_H
#define XYLEM_STORE_LEASE_H

#include "store/store.h"
#include "lmdb/tables.h"

/* Is it the key of an owner's row in `meta`? */
bool xylem_store__lease_key_is(struct xylem_view key);
/* Reads such a row without its sum: false if key or row is not what one is. `alive` is not looked at. */
bool xylem_store__lease_row_read(uint64_t *session, struct xylem_lease_owner *owner, struct xylem_view key,
                                 struct xylem_view row);

/* How many sessions have an owner's row: what the store says, and what it has. */
int xylem_store__lease_counts(uint64_t *stated, uint64_t *found, struct xylem_txn *txn, struct xylem_error *err);

/* Removes the owner's row of a session that goes itself; it is no error if there is none. */
int xylem_store__lease_forget(struct xylem_txn *txn, uint64_t session, struct xylem_error *err);

/* The newest token, and how many owners there are. */
struct xylem_store__lease_tally {
    uint64_t last_token;
    uint64_t owner_count;
};
int xylem_store__lease_tally_read(struct xylem_store__lease_tally *tally, struct xylem_txn *txn,
                                  struct xylem_error *err);
int xylem_store__lease_tally_write(struct xylem_txn *txn, const struct xylem_store__lease_tally *tally,
                                   struct xylem_error *err);

/* 1 and who owns the session, dead or alive; or 0. `alive` is not looked at. */
int xylem_store__owner_read(struct xylem_lease_owner *owner, struct xylem_txn *txn, uint64_t session,
                            struct xylem_error *err);
int xylem_store__owner_write(struct xylem_txn *txn, uint64_t session, const struct xylem_lease_owner *owner,
                             struct xylem_error *err);
/* Removes the row of an owner that was read, and counts one owner less. */
int xylem_store__owner_remove(struct xylem_txn *txn, uint64_t session, struct xylem_error *err);
/* Finds out whether the owner is alive. */
int xylem_store__owner_look(struct xylem_lease_owner *owner, const struct xylem_txn *txn, struct xylem_error *err);

/* CONFLICT with a text that says who has the session; `what` begins the text. */
int xylem_store__fail_leased(struct xylem_error *err, const struct xylem_session *session, const char *what,
                             const struct xylem_lease_owner *owner);

#endif
