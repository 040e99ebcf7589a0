/* Reads and writes the rows of owners in `meta`. xylem_store__lease_check() is in store.h. */
#ifndef XYLEM_STORE_LEASE_H
#define XYLEM_STORE_LEASE_H

#include "store/store.h"
#include "store/lmdb/tables.h"
#include "xylem/lease.h"

/* True if the key is the key of an owner in `meta`. */
bool xylem_store__lease_key_is(struct xylem_view key);
/* Decodes the row of an owner without its sum; false if the fields contradict each other. Leaves `alive` false. */
bool xylem_store__lease_row_read(uint64_t *session, struct xylem_lease_owner *owner, struct xylem_view key,
                                 struct xylem_view row);

/* The stated number of owners, and the number of their rows. */
int xylem_store__lease_counts(uint64_t *stated, uint64_t *found, struct xylem_txn *txn, struct xylem_error *err);

/* Removes the owner of a freed session, if any. */
int xylem_store__lease_forget(struct xylem_txn *txn, uint64_t session, struct xylem_error *err);

/* The row `leases` of `meta`: the last token, and the number of owners. */
struct xylem_store__lease_tally {
    uint64_t last_token;
    uint64_t owner_count;
};
int xylem_store__lease_tally_read(struct xylem_store__lease_tally *tally, struct xylem_txn *txn,
                                  struct xylem_error *err);
int xylem_store__lease_tally_write(struct xylem_txn *txn, const struct xylem_store__lease_tally *tally,
                                   struct xylem_error *err);

/* 1 and the owner of the session, dead or alive; or 0. Leaves `alive` false. */
int xylem_store__owner_read(struct xylem_lease_owner *owner, struct xylem_txn *txn, uint64_t session,
                            struct xylem_error *err);
int xylem_store__owner_write(struct xylem_txn *txn, uint64_t session, const struct xylem_lease_owner *owner,
                             struct xylem_error *err);
/* Removes the row of an owner, and counts one owner less. The owner must exist. */
int xylem_store__owner_remove(struct xylem_txn *txn, uint64_t session, struct xylem_error *err);
/* Sets `alive`. */
int xylem_store__owner_look(struct xylem_lease_owner *owner, const struct xylem_txn *txn, struct xylem_error *err);

/*
 * xylem_lease_take() in steps, for a caller that changes more in the same write transaction. After an error of the take
 * the transaction can only be aborted. A lease whose transaction failed may be taken again, or ends in free(). A
 * committed lease ends in xylem_lease_release().
 */
int xylem_store__lease_new(struct xylem_lease **lease, struct xylem_store *store, struct xylem_error *err);
int xylem_store__lease_take(struct xylem_txn *txn, struct xylem_lease *lease, uint64_t session,
                            struct xylem_error *err);

/* The sessions that have an owner, dead or alive, one after the other: 1 and the session of the smallest number greater
 * than `after`, or 0 at the end. */
int xylem_store__owned_after(uint64_t *session, struct xylem_txn *txn, uint64_t after, struct xylem_error *err);

/* CONFLICT with a text that names the owner of the session. `what` begins the text. */
int xylem_store__fail_leased(struct xylem_error *err, const struct xylem_session *session, const char *what,
                             const struct xylem_lease_owner *owner);

#endif
