/* xylem: the one owner of a session. The rules of xylem.h hold for every call. */
#ifndef XYLEM_LEASE_H
#define XYLEM_LEASE_H

#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- One writer of a session ------------------------------------------------------------------------------------ */

/*
 * A lease makes a handle the owner of a session. Only the owner may change the session. The lease ends by its release,
 * by a break, or by the end of the process. Every other handle gets CONFLICT with the name of the owner from calls that
 * change the session: append, navigate, delete, undelete, labels of a fork, import. Reading and forking stay free to
 * all. Every handle may change a session without an owner. Leases do not block store-wide maintenance: xylem_gc() frees
 * a session that its owner deleted, and xylem_redact() takes an entry out of every session.
 *
 * A lock on a byte of `xylem.lock` shows a living owner; the kernel ends the lock with the process, and a child of
 * fork(2) does not keep the lock. Each lease has a token, a number that no other lease of the store ever had. Every
 * change checks the token in its own transaction: an owner that was stopped during a break gets CONFLICT, and changes
 * nothing.
 */
struct xylem_lease;

struct xylem_lease_owner {
    int64_t pid; /* in the pid namespace of the owner */
    int64_t since_ms;
    uint64_t token;
    bool alive; /* false: the owner ended without a release, so the session is free */
    char host[XYLEM_HOST_BYTES_MAX + 1u];
};

/*
 * Takes the lease of a live session for the handle, in a write transaction of the call: the calling thread must have
 * none open. The lease of a dead owner is taken over. The lease ends with xylem_lease_release(), before the handle is
 * closed; any thread may use the lease.
 *
 * Errors:
 * - CONFLICT: another handle has the lease, in any process; the text says who, and since when
 * - BUSY: the handle took the lease before and did not release it, maybe after a break; or the thread has a write
 *   transaction open; or another writer, after `wait_ms`
 * - NOT_FOUND, DELETED, FREED: of the session
 * - STOPPED: the `waiting` of the handle ended the wait
 * - READ_ONLY, MAP_FULL, NO_SPACE, IO, CORRUPT, MEMORY
 */
XYLEM_API int xylem_lease_take(struct xylem_lease **lease, struct xylem_store *store, uint64_t session,
                               struct xylem_error *err);

/*
 * Ends a lease, even a broken lease, in a write transaction of the call, and frees the lease. NULL is allowed. Where
 * xylem_store_wanted() gives BUSY, the handle cannot write: the lease ends, and the row of the owner stays, like the row
 * of a dead owner.
 *
 * Errors:
 * - BUSY: the thread has a write transaction open, or another writer, after `wait_ms`; the lease is unchanged
 * - FORKED: the lease is unchanged
 * - STOPPED, READ_ONLY, MAP_FULL, NO_SPACE, IO, CORRUPT, MEMORY: the lease has ended, but the row of the owner stays,
 *   like the row of a dead owner
 */
XYLEM_API int xylem_lease_release(struct xylem_lease *lease, struct xylem_error *err);

/*
 * 1 and the owner of a session, dead or alive; 0 without an owner.
 *
 * Errors:
 * - CORRUPT, IO
 */
XYLEM_API int xylem_lease_read(struct xylem_lease_owner *owner, struct xylem_txn *txn, uint64_t session,
                               struct xylem_error *err);

/*
 * Ends the lease of a session, of any owner in any state, in a write transaction of the call. 1 and the former owner
 * (`broken` may be NULL), or 0 without an owner. The owner gets CONFLICT at its next change. An owner that was stopped
 * within a write transaction blocks every writer of the store, this call too: end the process of the owner.
 *
 * Errors:
 * - NOT_FOUND: of the session
 * - the errors of xylem_lease_take(), without CONFLICT
 */
XYLEM_API int xylem_lease_break(struct xylem_lease_owner *broken, struct xylem_store *store, uint64_t session,
                                struct xylem_error *err);

#ifdef __cplusplus
}
#endif

#endif
