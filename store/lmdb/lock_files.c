/* Notices that a file of an open environment was removed, replaced or overwritten. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "store/lmdb/environment.h"

#define TABLE_BYTES 4096u
/* Readers look at the files in this interval at most: a look costs as much as many reads. */
#define LOOK_MS 100

void xylem_lmdb__lock_table_map(struct xylem_lmdb__env *env, int fd)
{
    if (env->lock_table && env->lmdb_lock.st_ino != 0) {
        return; /* opened again, through the same files */
    }
    xylem_lmdb__lock_table_unmap(env); /* of an opening that failed, maybe of another file */
    void *table = mmap(NULL, TABLE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
    if (table != MAP_FAILED) {
        madvise(table, TABLE_BYTES, MADV_DONTFORK);
        env->lock_table = table;
    }
}

void xylem_lmdb__lock_table_unmap(struct xylem_lmdb__env *env)
{
    if (env->lock_table && env->fork_count == xylem_lmdb__fork_count) {
        munmap((void *)(uintptr_t)env->lock_table, TABLE_BYTES);
    }
    env->lock_table = NULL;
}

/*
 * Looks through the open directory: the path may lead elsewhere by now. `bytes`: the length; -1: the file may grow. A
 * file without a name is lost when the last process closes the file.
 */
static int check_file(const struct xylem_lmdb__env *env, const char *name, dev_t device, ino_t inode, off_t bytes,
                      struct xylem_error *err)
{
    struct stat file;
    const char *what = NULL;
    if (fstatat(env->directory.fd, name, &file, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno != ENOENT) {
            return xylem_base__fail_errno(err, errno, "cannot look at the files of the store in", env->path);
        }
        what = "removed or renamed";
    } else if (file.st_dev != device || file.st_ino != inode) {
        what = "replaced by another file";
    } else {
        return bytes < 0 || file.st_size == bytes
                   ? XYLEM_OK
                   : xylem_base__fail(err, XYLEM_E_BUSY, XYLEM_LMDB__OVERWRITTEN, env->path, name);
    }
    return xylem_base__fail(err, XYLEM_E_BUSY,
                            "%s/%s was %s while the store was open: to go on could lose what others write; close the "
                            "store, and open it again",
                            env->path, name, what);
}

int xylem_lmdb__check_in_place(const struct xylem_lmdb__env *env, struct xylem_error *err)
{
    return check_file(env, XYLEM_PAGES__DATA_NAME, env->device, env->inode, -1, err);
}

static int check_lock(const struct xylem_lmdb__env *env, const char *name, const struct stat *before,
                      struct xylem_error *err)
{
    return before->st_ino == 0 ? XYLEM_OK : check_file(env, name, before->st_dev, before->st_ino, before->st_size, err);
}

bool xylem_lmdb__lock_table_is_overwritten(const struct xylem_lmdb__env *env)
{
    struct xylem_error missing;
    return env->lock_table && !env->no_lock && env->lmdb_lock.st_ino != 0 &&
           check_lock(env, XYLEM_PAGES__LMDB_LOCK_NAME, &env->lmdb_lock, &missing) == XYLEM_OK &&
           !xylem_lmdb__lock_table_is_sound(env->lock_table, env->lmdb_lock.st_size);
}

int xylem_lmdb__check_locks(const struct xylem_lmdb__env *env, struct xylem_error *err)
{
    int code;
    if (env->no_lock || env->lmdb_lock.st_ino == 0) {
        return XYLEM_OK;
    }
    /* A directory that only moved keeps its users together; with another directory in its place there are two stores. */
    if ((code = xylem_pages__directory_check(&env->directory, err)) == XYLEM_E_BUSY ||
        (code = check_lock(env, XYLEM_PAGES__LMDB_LOCK_NAME, &env->lmdb_lock, err)) < 0 ||
        (code = check_lock(env, XYLEM_PAGES__LOCK_NAME, &env->xylem_lock, err)) < 0) {
        return code;
    }
    const char *overwritten =
        xylem_lmdb__writer_page_is_sound(&env->writer_lock, env->device, env->inode) ? NULL : XYLEM_PAGES__LOCK_NAME;
    if (env->lock_table && !xylem_lmdb__lock_table_is_sound(env->lock_table, env->lmdb_lock.st_size) &&
        (env->mdb || !xylem_lmdb__lock_table_is_left(env->lock_table))) {
        overwritten = XYLEM_PAGES__LMDB_LOCK_NAME;
    }
    if (!overwritten && env->overwritten) {
        overwritten = XYLEM_PAGES__DATA_NAME " or " XYLEM_PAGES__LMDB_LOCK_NAME;
    }
    return overwritten ? xylem_base__fail(err, XYLEM_E_BUSY, XYLEM_LMDB__OVERWRITTEN, env->path, overwritten)
                       : XYLEM_OK;
}

int xylem_lmdb__check_reader(const struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_lmdb__env *env = txn->env;
    struct xylem_lmdb__reader reader = {.txn_id = txn->snapshot.txn_id + 1, .only_pid = (int64_t)getpid()};
    int code = xylem_pages__snapshot_is_lost(&txn->snapshot) ? xylem_lmdb__fail_lost(env, err)
                                                             : xylem_lmdb__check_locks(env, err);
    if (code < 0 || txn->write || env->no_lock || env->lmdb_lock.st_ino == 0) {
        return code;
    }
    return xylem_lmdb__oldest_reader(&reader, env->mdb) != 0 || reader.pid != 0
               ? XYLEM_OK
               : xylem_base__fail(err, XYLEM_E_BUSY, XYLEM_LMDB__OVERWRITTEN, env->path, XYLEM_PAGES__LMDB_LOCK_NAME);
}

int xylem_lmdb__check_locks_at_times(struct xylem_lmdb__env *env, struct xylem_error *err)
{
    struct timespec now;
    if (env->lmdb_lock.st_ino == 0) {
        return XYLEM_OK;
    }
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now); /* not a system call */
    int64_t now_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    if (now_ms - env->looked_ms < LOOK_MS) {
        return XYLEM_OK;
    }
    int code = xylem_lmdb__check_locks(env, err);
    env->looked_ms = code < 0 ? 0 : now_ms;
    return code;
}

void xylem_lmdb__note_locks(struct xylem_lmdb__env *env, const struct stat *lmdb_lock)
{
    const struct xylem_lmdb__writer_lock *lock = &env->writer_lock;
    if (env->lmdb_lock.st_ino != 0) {
        return; /* opened again, through the same files */
    }
    env->lmdb_lock = *lmdb_lock;
    if (!lock->page || fstat(lock->fd, &env->xylem_lock) != 0) {
        env->xylem_lock.st_ino = 0;
    }
}
