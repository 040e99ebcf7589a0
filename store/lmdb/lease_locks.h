/*
 * Locks a byte for each lease. A lease has a token, and its handle keeps the byte of xylem.lock at the offset of the
 * token locked. The kernel ends the lock with the process: a lease without a lock belongs to a dead owner.
 *
 *     xylem.lock  | 0: writer | 1, 2, 3 ... tokens of leases ... | INT64_MAX - 1: wanted |
 */
#ifndef XYLEM_LMDB_LEASE_LOCKS_H
#define XYLEM_LMDB_LEASE_LOCKS_H

#include <stdbool.h>

#include "xylem/lease.h"

/* A token is an offset in a file. The last offsets are no tokens: see XYLEM_LMDB__WANTED_BYTE. */
#define XYLEM_LMDB__LEASE_TRIES_MAX 1024u
#define XYLEM_LMDB__LEASE_TOKEN_MAX (INT64_MAX - INT64_C(2) * XYLEM_LMDB__LEASE_TRIES_MAX)

struct xylem_lease {
    struct xylem_lease *next;
    struct xylem_store *store;
    uint64_t session;
    uint64_t token;    /* 0: the byte is not locked */
    uint64_t released; /* the token before the release */
};

/*
 * A child of fork(2) must not keep the locks of the parent's leases alive, so the child closes the descriptors at once.
 * The first call locks the list of handles over the fork.
 */
void xylem_lmdb__leases_before_fork(void);
void xylem_lmdb__leases_after_fork(bool in_child);

/* Frees the leases of a handle without writing: the handle is closed, or belongs to the parent. */
void xylem_lmdb__leases_close(struct xylem_store *store);

/*
 * Opens xylem.lock for the leases of the handle, if not yet open: a description of the handle's own, so that two
 * handles of one process exclude each other. A read-only handle, and a handle from before a fork, gets no description.
 */
int xylem_lmdb__leases_open(struct xylem_store *store, struct xylem_error *err);

/*
 * Locks the byte of the next free token. A byte may be locked for a lease that only a lost, later state of the store
 * has: then the next token is tried. On some file systems the shared lock of every handle on the whole file locks every
 * byte, so the tries have an end.
 */
int xylem_lmdb__lease_lock_next(uint64_t *token, const struct xylem_store *store, uint64_t last,
                                struct xylem_error *err);
/* 1 if the byte of a token is locked, else 0. Asks through `lock_fd`, on which no lease lies. */
int xylem_lmdb__lease_locked(const struct xylem_store *store, uint64_t token, struct xylem_error *err);

/*
 * Adds the lease, whose byte is locked, to the handle. The transaction is the first transaction of the lease: unless
 * the commit succeeds, the lease is unlinked before another transaction can write.
 */
void xylem_lmdb__lease_link(struct xylem_lease *lease, struct xylem_txn *txn);
/* Removes the lease from the handle and unlocks the byte, if the byte is locked. */
void xylem_lmdb__lease_unlink(struct xylem_lease *lease);
/* The token of this handle's lease for the session; 0: no lease. */
uint64_t xylem_lmdb__lease_token(struct xylem_store *store, uint64_t session);

#endif
