/* xylem: the one owner of a session. The rules of xylem.h hold for every call. */
#ifndef XYLEM_LEASE_H
#define XYLEM_LEASE_H

#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- One writer of a session ------------------------------------------------------------------------------------ */

/*
 * A lease makes a handle the owner of a session: it alone may change it, until it releases the lease, or its process
 * ends in whatever way, or somebody breaks the lease. Everybody else gets CONFLICT, with the owner's name, from every
 * call that changes the session: append, navigate, delete, undelete, labels of a fork, import. Reading it stays free to
 * all, and so does forking it. A session without an owner may be changed by every handle. What is done to the store as a
 * whole no lease is in the way of: xylem_gc() frees a session that its owner deleted, and xylem_redact() takes an entry
 * out of every session that has it; what an owner has read of it before is its own to forget.
 *
 * That the owner lives is a lock on one byte of `xylem.lock`, of an open file description, which the kernel ends with the
 * process. A child of fork(2) does not keep it. Each lease has a token, a number that no other lease of the store ever
 * had, and every change is checked against it within its own transaction: so an owner that was stopped while its lease
 * was broken gets CONFLICT when it goes on, and changes nothing.
 */
struct xylem_lease;

struct xylem_lease_owner {
    int64_t pid; /* as the owner's own pid namespace counts */
    int64_t since_ms;
    uint64_t token;
    bool alive; /* false: it ended without releasing the lease, so the session is free */
    char host[XYLEM_HOST_BYTES_MAX + 1u];
};

/*
 * Takes the lease of a live session for this handle, in a write transaction of its own: the calling thread must not have
 * one open. A dead owner's is taken over. The lease ends with xylem_lease_release(), and must end before the handle is
 * closed; it may be used by any thread.
 * Errors: CONFLICT (another handle, of this process or another, has it: who, and since when), BUSY (this handle has taken
 * it already and did not release it, even if it was broken since; this thread has a write transaction open), NOT_FOUND,
 * DELETED, FREED, READ_ONLY, FORKED, MEMORY, IO, NO_SPACE, MAP_FULL, CORRUPT.
 */
XYLEM_API int xylem_lease_take(struct xylem_lease **lease, struct xylem_store *store, uint64_t session,
                               struct xylem_error *err);

/*
 * Ends the lease, in a write transaction of its own, and frees it; one that was broken too. After FORKED, and after BUSY
 * (this thread has a write transaction open), it is as it was; any other error says that the owner's row stays, as that
 * of a dead owner, and the lease has ended all the same. NULL is allowed.
 */
XYLEM_API int xylem_lease_release(struct xylem_lease *lease, struct xylem_error *err);

/* 1 and the owner of a session, dead or alive; 0 if it has none. Errors: CORRUPT, IO. */
XYLEM_API int xylem_lease_read(struct xylem_lease_owner *owner, struct xylem_txn *txn, uint64_t session,
                               struct xylem_error *err);

/*
 * Ends the lease of a session, whoever has it and in whatever state the owner is, in a write transaction of its own. 1 and
 * who the owner was (`broken` may be NULL), or 0 if there was none. The owner finds out at its next change. One that was
 * stopped within a write transaction holds up every writer of the store, this call too: end that process.
 * Errors: NOT_FOUND, and as xylem_lease_take() but for CONFLICT.
 */
XYLEM_API int xylem_lease_break(struct xylem_lease_owner *broken, struct xylem_store *store, uint64_t session,
                                struct xylem_error *err);

#ifdef __cplusplus
}
#endif

#endif
