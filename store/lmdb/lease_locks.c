#include "store/lmdb/lease_locks.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/os.h"
#include "store/lmdb/environment.h"

_Static_assert(XYLEM_LMDB__LEASE_BYTES_FIRST == 1, "the first token is 1");

/* The handles with a `lease_fd`. */
static pthread_mutex_t lessees_lock = PTHREAD_MUTEX_INITIALIZER;
static struct xylem_store *lessees;

void xylem_lmdb__leases_before_fork(void)
{
    pthread_mutex_lock(&lessees_lock);
}

void xylem_lmdb__leases_after_fork(bool in_child)
{
    while (in_child && lessees) {
        struct xylem_store *store = lessees;
        xylem_base__file_close(&store->lease_fd);
        lessees = store->next_lessee;
    }
    pthread_mutex_unlock(&lessees_lock);
}

void xylem_lmdb__leases_close(struct xylem_store *store)
{
    while (store->leases) {
        struct xylem_lease *lease = store->leases;
        store->leases = lease->next;
        free(lease);
    }
    pthread_mutex_lock(&lessees_lock);
    if (store->lease_fd >= 0) {
        struct xylem_store **link = &lessees;
        while (*link != store) {
            link = &(*link)->next_lessee;
        }
        *link = store->next_lessee;
        xylem_base__file_close(&store->lease_fd);
    }
    pthread_mutex_unlock(&lessees_lock);
}

int xylem_lmdb__leases_open(struct xylem_store *store, struct xylem_error *err)
{
    int code = XYLEM_OK;
    if (store->read_only || store->env->fork_count != xylem_lmdb__fork_count) {
        return XYLEM_OK;
    }
    pthread_mutex_lock(
        &lessees_lock); /* held while opening: a child of a fork in between would not close the descriptor */
    if (store->lease_fd < 0) {
        code = xylem_pages__lock_file_again(&store->lease_fd, &store->env->directory, store->lock_fd, err);
        if (code == XYLEM_OK) {
            store->next_lessee = lessees;
            lessees = store;
        }
    }
    pthread_mutex_unlock(&lessees_lock);
    return code;
}

int xylem_lmdb__lease_lock_next(uint64_t *token, const struct xylem_store *store, uint64_t last,
                                struct xylem_error *err)
{
    const char *path = store->env->path;
    int locked = 0;
    *token = last;
    for (unsigned tries = 0; locked == 0 && tries < XYLEM_LMDB__LEASE_TRIES_MAX; tries++) {
        ++*token;
        locked = xylem_base__byte_lock(store->lease_fd, *token, path, err);
    }
    return locked == 0  ? xylem_base__fail(err, XYLEM_E_IO,
                                           "%s: cannot lock one of %u bytes of %s: leases need a file system with "
                                            "locks on single bytes",
                                           path, XYLEM_LMDB__LEASE_TRIES_MAX, XYLEM_PAGES__LOCK_NAME)
           : locked < 0 ? locked
                        : XYLEM_OK;
}

uint64_t xylem_lmdb__lease_token(struct xylem_store *store, uint64_t session)
{
    uint64_t token = 0;
    pthread_mutex_lock(&store->env->lock);
    for (const struct xylem_lease *lease = store->leases; lease && token == 0; lease = lease->next) {
        token = lease->session == session ? lease->token : 0;
    }
    pthread_mutex_unlock(&store->env->lock);
    return token;
}

void xylem_lmdb__lease_link(struct xylem_lease *lease, struct xylem_txn *txn)
{
    assert(lease->token != 0 && !txn->lease);
    txn->lease = lease;
    pthread_mutex_lock(&lease->store->env->lock);
    lease->next = lease->store->leases;
    lease->store->leases = lease;
    pthread_mutex_unlock(&lease->store->env->lock);
}

void xylem_lmdb__lease_unlink(struct xylem_lease *lease)
{
    if (lease->token == 0) {
        return;
    }
    pthread_mutex_lock(&lease->store->env->lock);
    for (struct xylem_lease **link = &lease->store->leases; *link; link = &(*link)->next) {
        if (*link == lease) {
            *link = lease->next;
            break;
        }
    }
    pthread_mutex_unlock(&lease->store->env->lock);
    xylem_base__byte_unlock(lease->store->lease_fd, lease->token);
    lease->token = 0;
}

int xylem_lmdb__lease_locked(const struct xylem_store *store, uint64_t token, struct xylem_error *err)
{
    /* Without a lock file no byte is locked. */
    return store->lock_fd < 0 ? 0 : xylem_base__byte_locked(store->lock_fd, token, store->env->path, err);
}
