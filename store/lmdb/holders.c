/* Lists the processes that have a store open, and asks them to close the store. */
#include <stdlib.h>

#include "base/error.h"
#include "base/holders.h"
#include "base/os.h"
#include "store/lmdb/environment.h"
#include "xylem/inspect.h"

struct listing {
    struct xylem_txn *txn;
    uint64_t last_txn_id;
    int (*found)(void *context, const struct xylem_holder *holder);
    void *context;
    struct xylem_error *err;
};

static int tell(void *context, const struct xylem_base__holder *holder)
{
    struct listing *listing = context;
    struct xylem_holder told = {.pid = holder->process,
                                .program = xylem_view_of(holder->program),
                                .started_ms = holder->started_ms,
                                .known = holder->seen,
                                .writes = holder->writes};
    struct xylem_lmdb__reader oldest = {.txn_id = UINT64_MAX, .only_pid = holder->process};
    int result = xylem_lmdb__oldest_reader(&oldest, listing->txn->env->mdb);
    if (result != 0) {
        return xylem_lmdb__mdb_fail(listing->err, result, "cannot list the readers of", listing->txn->env);
    }
    told.reads = oldest.pid != 0;
    told.commits_behind = told.reads && oldest.txn_id < listing->last_txn_id ? listing->last_txn_id - oldest.txn_id : 0;
    return listing->found(listing->context, &told) == 0
               ? XYLEM_OK
               : xylem_base__fail(listing->err, XYLEM_E_STOPPED, "the list of processes was stopped by the caller");
}

int xylem_holders(struct xylem_txn *txn, int (*found)(void *context, const struct xylem_holder *holder), void *context,
                  struct xylem_error *err)
{
    static const char *const names[] = {XYLEM_PAGES__DATA_NAME, XYLEM_PAGES__LMDB_LOCK_NAME, XYLEM_PAGES__LOCK_NAME};
    if (!txn || !found) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_holders: a transaction and a function are needed");
    }
    struct stat files[sizeof names / sizeof *names]; /* those that exist; the data file comes first */
    size_t count = 0;
    MDB_envinfo info;
    int code = xylem_lmdb__usable(txn, err);
    if (code < 0) {
        return code;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = xylem_base__path_join(txn->env->path, names[i]);
        if (!path) {
            return xylem_base__fail_memory(err);
        }
        count += stat(path, &files[count]) == 0;
        free(path);
    }
    mdb_env_info(txn->env->mdb, &info);
    struct listing listing = {
        .txn = txn, .last_txn_id = info.me_last_txnid, .found = found, .context = context, .err = err};
    return xylem_base__holders_each(files, count, -1, tell, &listing);
}

int xylem_store_wanted(const struct xylem_store *store, struct xylem_error *err)
{
    if (!store) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_store_wanted: a store is needed");
    }
    int code;
    if ((code = xylem_lmdb__check_forked(store, err)) < 0 || store->lock_fd < 0 ||
        (code = xylem_lmdb__check_in_place(store->env, err)) < 0 ||
        (code = xylem_lmdb__check_locks(store->env, err)) < 0) {
        return code;
    }
    return xylem_base__byte_locked(store->lock_fd, XYLEM_LMDB__WANTED_BYTE, store->env->path, err);
}
