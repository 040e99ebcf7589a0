/* Takes, releases and breaks leases, each in its own write transaction. */
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/os.h"
#include "store/lease.h"
#include "store/lmdb/lease_locks.h"
#include "store/meta.h"
#include "store/store.h"

/*
 * 0 if the session has no owner, 1 if the owner is dead. Errors: CONFLICT (a live owner), BUSY (a lease of this
 * handle).
 */
static int check_free(const struct xylem_lease *lease, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_session session;
    struct xylem_lease_owner owner;
    int code = xylem_store__session_for_fork(&session, txn, lease->session, err);
    if (code < 0) {
        return code;
    }
    if (xylem_lmdb__lease_token(xylem_lmdb__handle(txn), lease->session) != 0) {
        return xylem_base__fail(err, XYLEM_E_BUSY,
                                "this handle has a lease of the session %.*s already; release the lease first",
                                XYLEM_BASE__SHOWN(session.id));
    }
    if ((code = xylem_store__owner_read(&owner, txn, lease->session, err)) <= 0 ||
        (code = xylem_store__owner_look(&owner, txn, err)) < 0) {
        return code;
    }
    return owner.alive ? xylem_store__fail_leased(err, &session, "the session", &owner) : 1;
}

int xylem_store__lease_take(struct xylem_txn *txn, struct xylem_lease *lease, uint64_t session, struct xylem_error *err)
{
    struct xylem_lease_owner owner = {.pid = getpid(), .since_ms = xylem_base__now_ms()};
    struct xylem_store__lease_tally tally;
    lease->session = session;
    int had_owner = check_free(lease, txn, err);
    if (had_owner < 0) {
        return had_owner;
    }
    int code;
    if ((code = xylem_store__lease_tally_read(&tally, txn, err)) < 0 ||
        (code = xylem_store__feature_add(txn, XYLEM_FORMAT__FEATURE_LEASES, err)) < 0 ||
        (code = xylem_lmdb__lease_lock_next(&owner.token, lease->store, tally.last_token, err)) < 0) {
        return code;
    }
    lease->token = owner.token;
    xylem_lmdb__lease_link(lease, txn); /* before the commit: other threads never see the row without the lease */
    xylem_base__host_name(owner.host, sizeof owner.host);
    tally.last_token = owner.token;
    tally.owner_count += had_owner == 0;
    code = xylem_store__lease_tally_write(txn, &tally, err);
    return code < 0 ? code : xylem_store__owner_write(txn, lease->session, &owner, err);
}

int xylem_store__lease_new(struct xylem_lease **lease, struct xylem_store *store, struct xylem_error *err)
{
    int code = xylem_lmdb__leases_open(store, err);
    struct xylem_lease *made = code == XYLEM_OK ? calloc(1, sizeof *made) : NULL;
    if (!made) {
        return code < 0 ? code : xylem_base__fail_memory(err);
    }
    made->store = store;
    *lease = made;
    return XYLEM_OK;
}

static int take(struct xylem_txn *txn, void *context, struct xylem_error *err)
{
    struct xylem_lease *lease = context;
    return xylem_store__lease_take(txn, lease, lease->session, err);
}

int xylem_lease_take(struct xylem_lease **lease, struct xylem_store *store, uint64_t session, struct xylem_error *err)
{
    if (!lease || !store) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_lease_take: the lease or the store is NULL");
    }
    struct xylem_lease *made = NULL;
    int code = xylem_store__lease_new(&made, store, err);
    if (code == XYLEM_OK) {
        made->session = session;
        code = xylem_store__in_transaction(store, take, made, err);
    }
    if (code < 0) {
        free(made);
        return code;
    }
    *lease = made;
    return XYLEM_OK;
}

static int release(struct xylem_txn *txn, void *context, struct xylem_error *err)
{
    struct xylem_lease *lease = context;
    struct xylem_lease_owner owner;
    uint64_t token = lease->token;
    int found = xylem_store__owner_read(&owner, txn, lease->session, err);
    if (token != 0) {
        xylem_lmdb__lease_unlink(
            lease); /* before the commit, so that other threads never see the lease without the row */
        lease->released = token;
    }
    return found <= 0 || owner.token != lease->released ? found : xylem_store__owner_remove(txn, lease->session, err);
}

int xylem_lease_release(struct xylem_lease *lease, struct xylem_error *err)
{
    if (!lease) {
        return XYLEM_OK;
    }
    int code = xylem_store__in_transaction(lease->store, release, lease, err);
    /* Where a file of the store was removed or replaced, the handle never writes again, and must be closed. */
    bool never = code == XYLEM_E_BUSY && xylem_store_wanted(lease->store, NULL) == XYLEM_E_BUSY;
    if (code == XYLEM_E_FORKED || (code == XYLEM_E_BUSY && !never)) {
        return code;
    }
    xylem_lmdb__lease_unlink(lease);
    free(lease); /* a row that is left is the row of a dead owner from here on */
    return code < 0 && !never ? code : XYLEM_OK;
}

struct breaking {
    uint64_t session;
    int found;
    struct xylem_lease_owner owner;
};

static int break_one(struct xylem_txn *txn, void *context, struct xylem_error *err)
{
    struct breaking *breaking = context;
    struct xylem_session session;
    int code = xylem_session_read(&session, txn, breaking->session, err);
    if (code < 0) {
        return code;
    }
    breaking->found = xylem_store__owner_read(&breaking->owner, txn, breaking->session, err);
    if (breaking->found <= 0) {
        return breaking->found;
    }
    code = xylem_store__owner_look(&breaking->owner, txn, err);
    return code < 0 ? code : xylem_store__owner_remove(txn, breaking->session, err);
}

int xylem_lease_break(struct xylem_lease_owner *broken, struct xylem_store *store, uint64_t session,
                      struct xylem_error *err)
{
    if (!store) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_lease_break: the store is NULL");
    }
    struct breaking breaking = {.session = session};
    int code = xylem_store__in_transaction(store, break_one, &breaking, err);
    if (code == XYLEM_OK && breaking.found == 1 && broken) {
        *broken = breaking.owner;
    }
    return code < 0 ? code : breaking.found;
}
