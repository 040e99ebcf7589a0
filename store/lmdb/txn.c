/*
 * Begins, commits and aborts transactions. The steps of a write transaction:
 *
 *     take_turn()      waits for the writer lock (xylem.lock), with the time limit of the handle
 *     enter_env()      counts the transaction as open; mends the environment if it is the only one
 *     lock_writing()   takes the byte of writers, in case that both mutexes were overwritten
 *     begin_mdb()      begins LMDB's transaction on the last commit, the snapshot
 *     check_writable() fails if data.mdb is no longer in place, or if a page that every commit changes is damaged
 *     become_writer()  applies the durability of this handle
 *     xylem_commit()   fails if the free list names a page that the transaction relies on; then LMDB commits,
 *                      leave_env(), end_turn()
 *
 * A read transaction runs look_at_locks(), enter_env() and begin_mdb() only. A failed commit leaves the store as it was,
 * unless LMDB's last write failed: then the outcome is unknown until the store is opened again.
 */
#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/os.h"
#include "store/lmdb/environment.h"
#include "store/lmdb/lease_locks.h"
#include "store/pages/check.h"
#include "store/pages/file.h"

#define WRITING_MS_MIN 300 /* most processes that were killed are gone by then */

/*
 * Counts the transaction, so that nobody mends or closes the environment. `waited`: the handle has counted it before.
 */
static int enter_env(struct xylem_store *store, bool waited, struct xylem_error *err)
{
    struct xylem_lmdb__env *env = store->env;
    int code = XYLEM_OK;
    pthread_mutex_lock(&env->lock);
    if (env->txn_count == 0) {
        code = xylem_lmdb__env_mend(env, err);
    } else if (!env->mdb || env->fatal) {
        code = xylem_base__fail(err, XYLEM_E_BUSY,
                                "%s must be opened again after a failed write: end the open transactions first",
                                env->path);
    }
    env->txn_count += code == XYLEM_OK;
    store->txn_count += code == XYLEM_OK && !waited;
    store->txn_count -= code < 0 && waited;
    pthread_mutex_unlock(&env->lock);
    return code;
}

/* The file does not shrink: the next transaction need not ask for its length again. */
static void remember_length(const struct xylem_txn *txn)
{
    if (txn->snapshot.page_count > txn->env->page_count) {
        txn->env->page_count = txn->snapshot.page_count;
    }
}

/*
 * Without the mutex of xylem.lock another thread may have become the writer already: LMDB gave its lock away with the
 * commit. Its env->writing is left set.
 */
static void leave_env(struct xylem_store *store, bool was_writing)
{
    struct xylem_lmdb__env *env = store->env;
    pthread_mutex_lock(&env->lock);
    assert(env->txn_count > 0 && store->txn_count > 0);
    env->txn_count--;
    store->txn_count--;
    if (was_writing && pthread_equal(env->writer, pthread_self())) {
        env->writing = false;
    }
    pthread_mutex_unlock(&env->lock);
}

/*
 * Waits until no other thread or process writes. Other threads may open the environment again meanwhile. The handle
 * counts the transaction from here on, so that nobody closes the handle.
 */
static int take_turn(struct xylem_txn *txn, struct xylem_lmdb__waiting *waiting, struct xylem_error *err)
{
    struct xylem_lmdb__env *env = txn->env;
    pthread_mutex_lock(&env->lock);
    bool own = env->writing && pthread_equal(env->writer, pthread_self());
    txn->store->txn_count += !own;
    pthread_mutex_unlock(&env->lock);
    if (own) {
        return xylem_base__fail(err, XYLEM_E_BUSY, "this thread has a write transaction of %s open already", env->path);
    }
    /* The files come first: a mutex in a truncated file is a SIGBUS. */
    int taken = xylem_lmdb__check_locks(env, err);
    taken = taken < 0 ? taken : xylem_lmdb__writer_lock_take(&env->writer_lock, waiting, env->path, err);
    txn->locked = taken == 1;
    if (taken >= 0 && env->lock_table && (txn->locked || waiting->limited)) {
        taken = xylem_lmdb__lock_table_wait(env->lock_table, XYLEM_LMDB__WRITERS, waiting, env->path, err);
    }
    if (taken < 0) {
        pthread_mutex_lock(&env->lock);
        txn->store->txn_count--;
        pthread_mutex_unlock(&env->lock);
        return taken;
    }
    return XYLEM_OK;
}

static void end_turn(struct xylem_txn *txn)
{
    if (txn->holds_writing) {
        txn->holds_writing = false;
        xylem_base__byte_unlock(txn->env->writer_lock.data_fd, XYLEM_LMDB__WRITING_BYTE);
    }
    if (txn->locked) {
        txn->locked = false;
        xylem_lmdb__writer_lock_give(&txn->env->writer_lock);
    }
}

/* Waits for the lock on the byte of writers: 1, or BUSY, STOPPED, IO. */
static int wait_writing(struct xylem_lmdb__env *env, struct xylem_lmdb__waiting *waiting, struct xylem_error *err)
{
    int64_t begun_ms = xylem_base__steady_ms();
    int64_t before_ms = waiting->begun_ms > 0 ? begun_ms - waiting->begun_ms : 0;
    for (unsigned tries = 1;; tries++) {
        int locked = xylem_base__byte_lock(env->writer_lock.data_fd, XYLEM_LMDB__WRITING_BYTE, env->path, err);
        int code = locked == 0 ? waiting->look(env, err) : locked;
        if (code != XYLEM_OK) {
            return code;
        }
        int64_t waited_ms = xylem_base__steady_ms() - begun_ms;
        bool over = waiting->limited && (uint64_t)(before_ms + waited_ms) >= waiting->limit_ms;
        if (over && waited_ms >= WRITING_MS_MIN) {
            return xylem_base__fail(err, XYLEM_E_BUSY,
                                    "%s: another process writes, and " XYLEM_PAGES__LMDB_LOCK_NAME
                                    " and " XYLEM_PAGES__LOCK_NAME " do not say so: waited %lld ms; if no process was "
                                    "killed just now, the files were overwritten: close the store in all programs, "
                                    "and then open the store again",
                                    env->path, (long long)(before_ms + waited_ms));
        }
        if (tries % 100 == 0 && waiting->tell &&
            waiting->tell(waiting->context, (uint64_t)(before_ms + waited_ms), NULL) != 0) {
            return xylem_base__fail(err, XYLEM_E_STOPPED, "waiting to write to %s was stopped by the caller",
                                    env->path);
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

/*
 * Makes sure that nobody else writes: somebody may have overwritten both mutexes during another transaction. Another
 * thread of this process has the same lock, and says so in the environment. The kernel gives the mutexes of a dead
 * process away before the process loses this lock: a process with much memory takes a while to go.
 */
static int lock_writing(struct xylem_txn *txn, struct xylem_lmdb__waiting *waiting, struct xylem_error *err)
{
    struct xylem_lmdb__env *env = txn->env;
    if (!txn->locked || env->writer_lock.data_fd < 0) {
        return XYLEM_OK;
    }
    pthread_mutex_lock(&env->lock);
    txn->holds_writing = !env->writing;
    env->writing = true;
    env->writer = txn->holds_writing ? pthread_self() : env->writer;
    pthread_mutex_unlock(&env->lock);
    if (!txn->holds_writing) {
        return xylem_base__fail(err, XYLEM_E_BUSY, XYLEM_LMDB__OVERWRITTEN, env->path,
                                XYLEM_PAGES__LMDB_LOCK_NAME " and " XYLEM_PAGES__LOCK_NAME);
    }
    int locked = xylem_base__byte_lock(env->writer_lock.data_fd, XYLEM_LMDB__WRITING_BYTE, env->path, err);
    return locked != 0 ? locked : wait_writing(env, waiting, err);
}

/* Takes a reader that an earlier transaction left, and begins the reader again, without memory and without a lock. */
static bool renew_reader(MDB_txn **mdb, struct xylem_lmdb__env *env)
{
    for (size_t i = 0; i < XYLEM_LMDB__IDLE_READERS; i++) {
        *mdb = xylem_lmdb__take_idle_reader(env, i);
        if (*mdb) {
            return true;
        }
    }
    return false;
}

/* Keeps the reader without its snapshot. Its slot in lock.mdb stays taken, until the environment is closed. */
static void end_reader(struct xylem_txn *txn)
{
    mdb_txn_reset(txn->mdb);
    for (size_t i = 0; i < XYLEM_LMDB__IDLE_READERS; i++) {
        MDB_txn *none = NULL;
        if (!txn->env->idle_readers[i] && atomic_compare_exchange_strong(&txn->env->idle_readers[i], &none, txn->mdb)) {
            return;
        }
    }
    mdb_txn_abort(txn->mdb);
}

static int begin_mdb(MDB_txn **mdb, void *context, struct xylem_error *err)
{
    const struct xylem_txn *txn = context;
    struct xylem_lmdb__env *env = txn->env;
    unsigned flags = txn->write ? 0u : MDB_RDONLY;
    int result = !txn->write && renew_reader(mdb, env) ? 0 : mdb_txn_begin(env->mdb, NULL, flags, mdb);
    if (result == MDB_MAP_RESIZED) {
        /* LMDB takes the size from a meta page, and trusts the page: it may have been overwritten since the opening. */
        struct xylem_pages__page_file_signs signs =
            xylem_pages__page_file_look(&env->directory, XYLEM_PAGES__DATA_NAME);
        if (!signs.opened) { /* for example, too many open files: no damage */
            return xylem_base__fail(err, XYLEM_E_IO, "%s/data.mdb cannot be opened to see how it grew", env->path);
        }
        if (!signs.meta_sane[0] || !signs.meta_sane[1]) {
            return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s/data.mdb: meta page %d is damaged", env->path,
                                    signs.meta_sane[0] ? 1 : 0);
        }
        pthread_mutex_lock(&env->lock); /* the new size comes only while no other transaction is open here */
        result = env->txn_count == 1 ? xylem_lmdb__map_resize(env, 0) : MDB_MAP_RESIZED;
        pthread_mutex_unlock(&env->lock);
        result = result == 0 ? mdb_txn_begin(env->mdb, NULL, flags, mdb) : result;
    } else if (result == MDB_READERS_FULL) {
        int dead = 0;
        mdb_reader_check(env->mdb, &dead);
        result = dead > 0 ? mdb_txn_begin(env->mdb, NULL, flags, mdb) : result;
    }
    if (result == MDB_PANIC) {
        pthread_mutex_lock(&env->lock);
        env->fatal = true;
        pthread_mutex_unlock(&env->lock);
    }
    return result == 0 ? XYLEM_OK : xylem_lmdb__mdb_fail(err, result, "cannot begin a transaction of", env);
}

/*
 * Refuses writes that could do harm. Before the first write of an environment the whole free list is checked: a writer
 * that takes a page from a damaged free list may overwrite a page in use. LMDB's writer lock is held, so the list stays
 * the same.
 */
static int check_writable(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_lmdb__env *env = txn->env;
    int code = xylem_lmdb__check_in_place(env, err);
    if (code < 0) {
        return code;
    }
    pthread_mutex_lock(&env->lock);
    bool damaged = env->damaged;
    bool checked = env->free_checked;
    pthread_mutex_unlock(&env->lock);
    if (damaged) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "%s is damaged: this process found damage before, and writes nothing more to it",
                                env->path);
    }
    if (!checked) {
        struct xylem_pages__pages pages;
        xylem_lmdb__pages_of(&pages, txn);
        pages.txn_id = mdb_txn_id(txn->mdb) - 1; /* the last commit */
        code = xylem_pages__pages_check_free(&pages, env->path, err);
        pthread_mutex_lock(&env->lock);
        env->free_checked = code == XYLEM_OK;
        env->damaged = env->damaged || code == XYLEM_E_CORRUPT;
        pthread_mutex_unlock(&env->lock);
    }
    return code < 0 ? code : xylem_lmdb__prover_begin(txn, err);
}

/* Sets the flags of the environment to the durability of this handle, until the transaction ends. */
static void become_writer(struct xylem_txn *txn)
{
    struct xylem_lmdb__env *env = txn->env;
    static const unsigned flags[] = {[XYLEM_DURABILITY_FULL] = 0,
                                     [XYLEM_DURABILITY_NOMETA] = MDB_NOMETASYNC,
                                     [XYLEM_DURABILITY_NONE] = MDB_NOSYNC | MDB_NOMETASYNC};
    unsigned wanted = flags[txn->store->durability];
    pthread_mutex_lock(&env->lock);
    env->writing = true;
    env->writer = pthread_self();
    mdb_env_set_flags(env->mdb, (MDB_NOSYNC | MDB_NOMETASYNC) & ~wanted, 0);
    mdb_env_set_flags(env->mdb, wanted, 1);
    pthread_mutex_unlock(&env->lock);
}

static int look_at_locks(struct xylem_lmdb__env *env, struct xylem_lmdb__waiting *waiting, struct xylem_error *err)
{
    int code = xylem_lmdb__check_locks_at_times(env, err);
    return code < 0 || !env->lock_table
               ? code
               : xylem_lmdb__lock_table_wait(env->lock_table, XYLEM_LMDB__READERS, waiting, env->path, err);
}

static int begin(struct xylem_txn *txn, struct xylem_lmdb__waiting *waiting, struct xylem_error *err)
{
    int code = txn->write ? take_turn(txn, waiting, err) : look_at_locks(txn->env, waiting, err);
    if (code < 0 || (code = enter_env(txn->store, txn->write, err)) < 0) {
        end_turn(txn);
        return code;
    }
    if ((txn->write && (code = lock_writing(txn, waiting, err)) < 0) ||
        (code = xylem_lmdb__snapshot_begin(&txn->snapshot, txn->env, &txn->mdb, txn->write, begin_mdb, txn, err)) < 0) {
        goto out;
    }
    xylem_pages__tree_cursor_init(&txn->list_of_tables, &txn->snapshot, &txn->snapshot.main_table);
    if (!txn->write) {
        return XYLEM_OK;
    }
    if ((code = check_writable(txn, err)) == XYLEM_OK) {
        become_writer(txn);
        return XYLEM_OK;
    }
    mdb_txn_abort(txn->mdb);
out:
    xylem_lmdb__prover_end(txn);
    leave_env(txn->store, txn->holds_writing);
    end_turn(txn);
    return code;
}

/* `function` is the called function, for texts. `timeout_ms`: NULL, or another time limit than the handle has. */
static int begin_as(const char *function, struct xylem_txn **txn, struct xylem_store *store, enum xylem_txn_mode mode,
                    const uint64_t *timeout_ms, struct xylem_error *err)
{
    if (!txn || !store || (mode != XYLEM_READ && mode != XYLEM_WRITE)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "%s: a store and a mode are needed", function);
    }
    struct xylem_lmdb__waiting waiting = store->waiting;
    waiting.look = xylem_lmdb__check_locks;
    waiting.env = store->env;
    if (timeout_ms) {
        waiting.limited = true;
        waiting.limit_ms = *timeout_ms;
    }
    int code = xylem_lmdb__check_forked(store, err);
    if (code < 0) {
        return code;
    }
    if (mode == XYLEM_WRITE && store->read_only) {
        return xylem_base__fail(err, XYLEM_E_READ_ONLY, "%s is open for reading only", store->env->path);
    }
    struct xylem_txn *begun = malloc(sizeof *begun);
    if (!begun) {
        return xylem_base__fail_memory(err);
    }
    memset(begun, 0, offsetof(struct xylem_txn, trees));
    begun->store = store;
    begun->env = store->env;
    begun->write = mode == XYLEM_WRITE;
    begun->thread = pthread_self();
    code = begin(begun, &waiting, err);
    if (code < 0) {
        free(begun);
        return code;
    }
    *txn = begun;
    return XYLEM_OK;
}

int xylem_begin(struct xylem_txn **txn, struct xylem_store *store, enum xylem_txn_mode mode, struct xylem_error *err)
{
    return begin_as("xylem_begin", txn, store, mode, NULL, err);
}

int xylem_begin_within(struct xylem_txn **txn, struct xylem_store *store, enum xylem_txn_mode mode, uint64_t timeout_ms,
                       struct xylem_error *err)
{
    return begin_as("xylem_begin_within", txn, store, mode, &timeout_ms, err);
}

/* The transaction failed. The next writer may give the number of a new session once more, and finds no lease of it. */
static void unlink_lease(struct xylem_txn *txn)
{
    if (txn->lease) {
        xylem_lmdb__lease_unlink(txn->lease);
    }
}

static void free_txn(struct xylem_txn *txn)
{
    xylem_lmdb__own_kinds_free(txn);
    xylem_lmdb__prover_end(txn);
    free(txn->displaced);
    free(txn);
}

void xylem_abort(struct xylem_txn *txn)
{
    if (!txn) {
        return;
    }
    if (xylem_lmdb__usable(txn, NULL) == XYLEM_E_ARGUMENT) {
        return; /* another thread's: only that thread can give LMDB's lock back */
    }
    if (txn->env->fork_count == xylem_lmdb__fork_count) {
        xylem_lmdb__spares_close(txn);
        unlink_lease(txn);
        if (txn->write) {
            mdb_txn_abort(txn->mdb);
        } else {
            end_reader(txn);
        }
        remember_length(txn);
        leave_env(txn->store, txn->write);
        end_turn(txn);
    }
    free_txn(txn);
}

static int probe_env(struct xylem_lmdb__env *env, unsigned flags)
{
    MDB_txn *probe = NULL;
    int result = mdb_txn_begin(env->mdb, NULL, flags, &probe);
    if (result == 0) {
        mdb_txn_abort(probe);
    }
    return result;
}

/*
 * If LMDB's last write failed, the state on disk is unknown. Then LMDB refuses every new transaction. The probe reads;
 * without a free reader slot the probe writes, which needs no slot. MDB_MAP_RESIZED is no refusal: another process grew
 * the map.
 */
static int commit_failed(struct xylem_lmdb__env *env, int result, struct xylem_error *err)
{
    int probed = probe_env(env, MDB_RDONLY);
    probed = probed == MDB_READERS_FULL ? probe_env(env, 0) : probed;
    bool fatal = probed != 0 && probed != MDB_MAP_RESIZED;
    pthread_mutex_lock(&env->lock);
    env->fatal = env->fatal || fatal;
    env->grow_wanted = env->grow_wanted || result == MDB_MAP_FULL;
    pthread_mutex_unlock(&env->lock);
    if (fatal) {
        return xylem_base__fail(err, XYLEM_E_OUTCOME_UNKNOWN,
                                "the last write of a commit of %s failed (%s): whether it took place shows when the "
                                "store is read again",
                                env->path, mdb_strerror(result));
    }
    return xylem_lmdb__write_fail(err, result, "cannot commit to", env);
}

int xylem_commit(struct xylem_txn *txn, struct xylem_error *err)
{
    if (!txn) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_commit: a transaction is needed");
    }
    int code = txn->write ? xylem_lmdb__writable(txn, err) : xylem_lmdb__usable(txn, err);
    if (code == XYLEM_E_ARGUMENT) {
        /* Another thread's: LMDB's lock cannot be given back here, so only that thread can end the transaction. */
        return code;
    }
    if (code == XYLEM_OK && txn->write) {
        code = xylem_lmdb__prover_commit(txn, err);
    }
    if (code == XYLEM_OK && xylem_pages__snapshot_is_lost(&txn->snapshot)) {
        code = xylem_lmdb__fail_lost(txn->env, err);
    }
    if (code < 0 || !txn->write) {
        if (txn->write) {
            txn->env->derived_txn = 0; /* of a commit that will not be */
        }
        xylem_abort(txn);
        return code;
    }
    xylem_lmdb__spares_close(txn);
    uint64_t txn_id = txn->snapshot.txn_id + (txn->changed ? 1u : 0u);
    int result = mdb_txn_commit(txn->mdb);
    if (result != 0) {
        unlink_lease(txn);
        txn->env->derived_txn = 0;
        code = commit_failed(txn->env, result, err);
    } else if (txn->locked) {
        MDB_envinfo info; /* of this commit, or of a later commit of a program without xylem */
        mdb_env_info(txn->env->mdb, &info);
        txn_id = txn_id < info.me_last_txnid ? txn_id : info.me_last_txnid;
        xylem_lmdb__note_commit(&txn->env->writer_lock, txn_id);
        xylem_lmdb__saw_commit(txn->env, txn_id);
    }
    if (code == XYLEM_E_OUTCOME_UNKNOWN) {
        xylem_lmdb__note_unknown_commit(&txn->env->writer_lock, txn_id);
    }
    remember_length(txn);
    leave_env(txn->store, true);
    end_turn(txn);
    free_txn(txn);
    return code;
}

int xylem_sync(struct xylem_store *store, struct xylem_error *err)
{
    struct xylem_lmdb__env *env = store->env;
    int code = xylem_lmdb__check_forked(store, err);
    if (code < 0) {
        return code;
    }
    if (store->read_only) {
        return xylem_base__fail(err, XYLEM_E_READ_ONLY, "%s is open for reading only", env->path);
    }
    code = enter_env(store, false, err);
    if (code < 0) {
        return code;
    }
    int result = mdb_env_sync(env->mdb, 1);
    leave_env(store, false);
    return result == 0 ? XYLEM_OK : xylem_lmdb__write_fail(err, result, "cannot sync", env);
}
