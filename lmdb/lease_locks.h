/*
 * The bytes of xylem.lock that a handle keeps locked for its leases. The kernel ends these locks with the process, so a
 * lease whose byte is not locked is what a dead owner left behind.
 */
#ifndef XYLEM_LMDB_LEASE_LOCKS_H
#define XYLEM_LMDB_LEASE_LOCKS_H

#include <stdbool.h>

#include "xylem.h"

/* A token is an offset in a file. The last offsets are no tokens: see XYLEM_LMDB__WANTED_BYTE. */
#define XYLEM_LMDB__LEASE_TRIES_MAX 1024u
#define XYLEM_LMDB__LEASE_TOKEN_MAX (INT64_MAX - INT64_C(2) * XYLEM_LMDB__LEASE_TRIES_MAX)

struct xylem_lease {
    struct xylem_lease *next;
    struct xylem_store *store;
    uint64_t session;
    uint64_t token;    /* 0: its byte is not locked */
    uint64_t released; /* the token that it had */
};

/*
 * A child of fork(2) must not keep the locks of its parent's leases alive: its descriptors of them are closed at once.
 * The first call holds the list of them over the fork.
 */
void xylem_lmdb__leases_before_fork(void);
void xylem_lmdb__leases_after_fork(bool in_child);

/* Ends what a handle has of leases, without writing: it is closed, or was its parent's. */
void xylem_lmdb__leases_close(struct xylem_store *store);

/*
 * Makes sure of the description that the handle's leases lie on: its own, so that two handles of one process exclude each
 * other. A handle that cannot write, as it is read-only or from before a fork, gets none.
 */
int xylem_lmdb__leases_open(struct xylem_store *store, struct xylem_error *err);

/*
 * Locks the byte of the next token. A byte may be locked for a lease that only a later state of the store knew: then the
 * token after it is tried. Some file systems turn the lock that every handle holds on the whole file into a lock on all its
 * bytes, so the tries have an end.
 */
int xylem_lmdb__lease_lock_next(uint64_t *token, const struct xylem_store *store, uint64_t last,
                                struct xylem_error *err);
/* 1 if the byte of a token is locked, else 0: asked through the description on which no lease lies. */
int xylem_lmdb__lease_locked(const struct xylem_store *store, uint64_t token, struct xylem_error *err);

/* The handle finds the lease from here on. Unlinking gives the byte back, too. */
void xylem_lmdb__lease_link(struct xylem_lease *lease);
void xylem_lmdb__lease_unlink(struct xylem_lease *lease);
/* The token of this handle's lease for the session, 0 if it has none. */
uint64_t xylem_lmdb__lease_token(struct xylem_store *store, uint64_t session);

#endif
