/*
 * Opens, mends and closes an LMDB environment. LMDB's traps, and where each is avoided:
 *
 *     LMDB makes lock.mdb under the umask                 prepare_lock_file() makes the file before, with mode 0600
 *     a full disk under the map of lock.mdb is a SIGBUS   reserve_lock_file() reserves all blocks
 *     LMDB divides by the page size of a meta page        check_page_size()
 *     LMDB opens files by path                            check_identity() and check_lock_file() compare afterwards
 *     LMDB trusts the bytes of lock.mdb                   xylem_lmdb__check_locks(), xylem_lmdb__lock_table_wait()
 *     LMDB 0.9.26 shares a file that was just closed      open_mdb_with_mutexes() comes again
 *     LMDB faults on a truncated or damaged file          xylem_lmdb__env_check_pages()
 *     LMDB prints and aborts at a failed assertion        fail_assertion() aborts without printing
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/holders.h"
#include "base/os.h"
#include "base/space.h"
#include "store/lmdb/environment.h"
#include "store/pages/check.h"
#include "store/pages/page.h"
#include "store/pages/reach.h"
#include "store/pages/file.h"

#define MAP_BYTES_DEFAULT (UINT64_C(1) << 40)
#define MAP_BYTES_LEAST (UINT64_C(1) << 20)

#define LMDB_LOCK_BYTES (XYLEM_LMDB__LOCK_HEAD_BYTES + XYLEM_LMDB__LOCK_READER_BYTES * (off_t)XYLEM_READER_SLOTS)
#define STAT_BLOCK_BYTES 512

uint64_t xylem_lmdb__map_bytes(const struct xylem_open_options *options)
{
    uint64_t bytes = options->map_bytes ? options->map_bytes : MAP_BYTES_DEFAULT;
    return bytes < MAP_BYTES_LEAST ? MAP_BYTES_LEAST : bytes;
}

/* LMDB does not name the file that may not be opened. Most often this is lock.mdb, to which every reader writes. */
static int fail_permission(struct xylem_error *err, const struct xylem_lmdb__env *env, const char *lock_path)
{
    bool lock_is_there = faccessat(AT_FDCWD, lock_path, F_OK, AT_EACCESS) == 0;
    const char *needed = lock_is_there ? lock_path : env->path;
    int mode = lock_is_there ? R_OK | W_OK : W_OK | X_OK;
    if (env->no_lock || faccessat(AT_FDCWD, needed, mode, AT_EACCESS) == 0) {
        return xylem_lmdb__mdb_fail(err, EACCES, "cannot open the LMDB environment in", env);
    }
    return xylem_base__fail(err, XYLEM_E_IO,
                            "no permission to write to %s, where readers of the store register for writers; get the "
                            "permission, or, while nobody writes to the store, open the store without locks "
                            "(no_lock, --no-lock)",
                            needed);
}

static const char *data_name(const struct xylem_lmdb__env *env)
{
    return env->file ? strrchr(env->file, '/') + 1 : XYLEM_PAGES__DATA_NAME;
}

/*
 * LMDB divides by the page size of meta page 0, and finds meta page 1 with this page size. So both must state one
 * possible size. A file without meta pages passes: LMDB refuses such a file itself.
 */
static int check_page_size(const struct xylem_lmdb__env *env, struct xylem_error *err)
{
    struct xylem_pages__meta meta;
    uint64_t page_bytes = 0;
    int fd = -1;
    int found = xylem_pages__file_open(&fd, &env->directory, data_name(env), O_RDONLY, err);
    int code = found < 0 ? found : XYLEM_OK;
    for (unsigned number = 0; fd >= 0 && code == XYLEM_OK && number < XYLEM_PAGES__META_PAGES; number++) {
        if (!xylem_pages__meta_read(&meta, fd, number, (size_t)page_bytes) || meta.magic != XYLEM_PAGES__META_MAGIC) {
            break;
        }
        uint64_t stated = meta.page_bytes;
        bool possible = xylem_pages__is_page_size(stated) && (number == 0 || stated == page_bytes);
        page_bytes = stated;
        if (!possible) {
            code = xylem_base__fail(err, XYLEM_E_CORRUPT,
                                    "%s/data.mdb: meta page %u says that a page has %" PRIu64 " bytes", env->path,
                                    number, stated);
        }
    }
    xylem_base__file_close(&fd);
    return code;
}

/* LMDB has one result for a foreign file and for damaged meta pages. The signs of a store tell them apart. */
static int fail_invalid(struct xylem_error *err, const struct xylem_lmdb__env *env, const char *data_path)
{
    struct xylem_pages__page_file_signs signs = xylem_pages__page_file_look(&env->directory, data_name(env));
    if (signs.meta_sane[0] != signs.meta_sane[1]) {
        return xylem_base__fail(
            err, XYLEM_E_CORRUPT,
            "%s: meta page %d is damaged: expected the beginning of an LMDB meta page, as the other "
            "meta page has",
            data_path, signs.meta_sane[0] ? 1 : 0);
    }
    if (!signs.meta_sane[0] && signs.numbered_pages > 0) {
        return xylem_base__fail(
            err, XYLEM_E_CORRUPT,
            "%s: both meta pages are damaged, but the file has other pages of a store (found %" PRIu64 ")", data_path,
            signs.numbered_pages);
    }
    if (signs.meta_sane[0] && signs.meta_sane[1] && !env->no_lock) { /* data.mdb is sound, so lock.mdb is meant */
        return xylem_base__fail(err, XYLEM_E_BUSY, XYLEM_LMDB__OVERWRITTEN, env->path, XYLEM_PAGES__LMDB_LOCK_NAME);
    }
    return xylem_base__fail(err, XYLEM_E_NOT_A_STORE, "%s is not a store: expected an LMDB file", data_path);
}

/* Called by LMDB at a failed assertion. LMDB would print; the library never prints. The host sees SIGABRT. */
static void fail_assertion(MDB_env *mdb, const char *text)
{
    (void)mdb;
    (void)text;
    abort();
}

/* True if the system refuses the address space. Under valgrind the result is EINVAL. */
static bool map_is_refused(int result)
{
    return result == ENOMEM || result == EINVAL;
}

/* Opens data.mdb. Halves the map as long as the system refuses the address space. */
static int open_mdb(struct xylem_lmdb__env *env, const char *data_path, const char *lock_path, struct xylem_error *err)
{
    unsigned flags = MDB_NOTLS | MDB_NORDAHEAD | (env->read_only ? MDB_RDONLY : 0u) | (env->no_lock ? MDB_NOLOCK : 0u);
    flags |= env->file ? MDB_NOSUBDIR : 0u;
    int result = ENOMEM;
    for (uint64_t bytes = env->map_bytes; map_is_refused(result) && bytes >= MAP_BYTES_LEAST; bytes /= 2) {
        result = mdb_env_create(&env->mdb);
        if (result != 0) {
            env->mdb = NULL;
            break;
        }
        mdb_env_set_assert(env->mdb, fail_assertion);
        mdb_env_set_maxreaders(env->mdb, XYLEM_READER_SLOTS);
        mdb_env_set_maxdbs(env->mdb, XYLEM_FORMAT__TABLE_COUNT);
        result = mdb_env_set_mapsize(env->mdb, (size_t)bytes);
        if (result == 0) {
            result = mdb_env_open(env->mdb, env->file ? env->file : env->path, flags, 0600);
        }
        if (result != 0) {
            mdb_env_close(env->mdb);
            env->mdb = NULL;
        }
    }
    if (result == EACCES) {
        return fail_permission(err, env, lock_path);
    }
    if (result == MDB_INVALID || result == MDB_VERSION_MISMATCH) {
        return fail_invalid(err, env, data_path);
    }
    return result == 0 ? XYLEM_OK : xylem_lmdb__write_fail(err, result, "cannot open the LMDB environment in", env);
}

/* Fails if LMDB opened another file: the path may lead elsewhere by now. */
static int check_identity(struct xylem_lmdb__env *env, struct xylem_error *err)
{
    int fd = -1;
    struct stat file;
    mdb_env_get_fd(env->mdb, &fd);
    if (fstat(fd, &file) != 0) {
        return xylem_base__fail_errno(err, errno, "cannot look at the open file in", env->path);
    }
    if (file.st_dev != env->device || file.st_ino != env->inode) {
        return xylem_base__fail(err, XYLEM_E_BUSY, "%s/data.mdb was replaced by another store while it was opened",
                                env->path);
    }
    return XYLEM_OK;
}

int xylem_lmdb__env_check_pages(struct xylem_lmdb__env *env, struct xylem_error *err)
{
    MDB_txn *txn = NULL;
    int result = mdb_txn_begin(env->mdb, NULL, MDB_RDONLY, &txn);
    if (result == MDB_MAP_RESIZED) {
        return XYLEM_OK; /* another process grew the map: the file was not truncated */
    }
    if (result != 0) {
        return xylem_lmdb__mdb_fail(err, result, "cannot read", env);
    }
    MDB_envinfo info;
    mdb_env_info(env->mdb, &info);
    MDB_stat stat;
    mdb_env_stat(env->mdb, &stat);
    int fd = -1;
    mdb_env_get_fd(env->mdb, &fd);
    struct xylem_pages__pages pages = {
        .fd = fd, .page_bytes = stat.ms_psize, .last_page = info.me_last_pgno, .txn_id = mdb_txn_id(txn)};
    bool lies_ahead = !env->no_lock && mdb_txn_id(txn) > info.me_last_txnid;
    int code = lies_ahead ? xylem_lmdb__fail_number(env, mdb_txn_id(txn), err)
                          : xylem_pages__pages_check(&pages, env->path, err);
    if (code == XYLEM_OK) {
        code = xylem_pages__pages_check_list(&pages, env->path, err);
    }
    mdb_txn_abort(txn);
    return code;
}

/*
 * Syncs the names of the file and of the directories above. A commit survives a power loss only if the names survive.
 * The process that created the store may have died before the sync, so every opener syncs until the first commit of a
 * host.
 */
static int sync_names(const struct xylem_lmdb__env *env, struct xylem_error *err)
{
    MDB_envinfo info;
    mdb_env_info(env->mdb, &info);
    if (env->read_only || info.me_last_txnid > XYLEM_LMDB__CREATING_TXN) {
        return XYLEM_OK;
    }
    char *path = strdup(env->path);
    if (!path) {
        return xylem_base__fail_memory(err);
    }
    int code = xylem_base__directory_sync(path, env->path, err);
    char *slash;
    while (code == XYLEM_OK && (slash = strrchr(path, '/')) && slash[1] != '\0') {
        slash[slash == path ? 1 : 0] = '\0'; /* keep the slash of the root directory */
        struct stat directory;
        if (stat(path, &directory) == 0 && directory.st_dev != env->device) {
            break; /* a mount point: its name lies on another file system */
        }
        code = xylem_base__directory_sync(path, env->path, err);
    }
    free(path);
    return code;
}

/*
 * Reserves all blocks of lock.mdb. LMDB writes to the file through a map: a write without a block on a full disk is a
 * SIGBUS. A file with content keeps its length: another process may have the file mapped, and finds the table of
 * readers by the length. A file system without fallocate() is no error.
 */
static int reserve_lock_file(int fd, off_t bytes, const struct xylem_lmdb__env *env, struct xylem_error *err)
{
    off_t wanted = bytes > LMDB_LOCK_BYTES ? bytes : LMDB_LOCK_BYTES;
    int result;
    do {
        result = fallocate(fd, bytes > 0 ? FALLOC_FL_KEEP_SIZE : 0, 0, wanted);
    } while (result != 0 && errno == EINTR);
    return result == 0 ? XYLEM_OK
                       : xylem_base__space_fail(err, errno, "cannot reserve the blocks of lock.mdb in", env->path, fd);
}

/*
 * Prepares lock.mdb for LMDB, and maps its first page: 1, or 0 without the file. The cases:
 *
 *     the file exists                     reserve the blocks that the file lacks
 *     no file                             make an empty file with mode 0600, which LMDB treats like a missing file:
 *                                         another user could open LMDB's own file, which has its mode from the umask
 *     no file in a read-only directory    0: LMDB reads a read-only file system without a lock file, or fails
 *     the process may have the file open  nothing: to close any descriptor would drop LMDB's locks of the process
 */
static int prepare_lock_file(struct stat *lock, struct xylem_lmdb__env *env, struct xylem_error *err)
{
    int fd = -1;
    int found = xylem_pages__file_look(lock, &env->directory, XYLEM_PAGES__LMDB_LOCK_NAME, err);
    if (found == 0) {
        int made = xylem_pages__file_make(&fd, &env->directory, XYLEM_PAGES__LMDB_LOCK_NAME, err);
        if (made < 0) {
            return faccessat(env->directory.fd, ".", W_OK | X_OK, AT_EACCESS) != 0 ? 0 : made;
        }
        found = fd >= 0 ? 1 : xylem_pages__file_look(lock, &env->directory, XYLEM_PAGES__LMDB_LOCK_NAME, err);
    }
    if (found == 1 && fd < 0 && access("/proc/self/fd", R_OK | X_OK) == 0 && !xylem_base__held_here(lock)) {
        /* A file that cannot be opened is LMDB's error to report. */
        (void)xylem_pages__file_open(&fd, &env->directory, XYLEM_PAGES__LMDB_LOCK_NAME, O_RDWR, NULL);
    }
    if (fd < 0) {
        return found;
    }
    /* The open file, not the file of the look: somebody may have put another into its place. */
    int code = fstat(fd, lock) == 0
                   ? XYLEM_OK
                   : xylem_base__fail_errno(err, errno, "cannot look at the files of the store in", env->path);
    if (code == XYLEM_OK && (lock->st_blocks * STAT_BLOCK_BYTES < lock->st_size || lock->st_size < LMDB_LOCK_BYTES)) {
        code = reserve_lock_file(fd, lock->st_size, env, err);
    }
    xylem_lmdb__lock_table_map(env, fd);
    close(fd);
    return code < 0 ? code : found;
}

/* LMDB opens lock.mdb by path: fails if the file is not the file from before, and looks at the file again. */
static int check_lock_file(struct stat *lock, bool was_there, const struct xylem_lmdb__env *env,
                           struct xylem_error *err)
{
    struct stat before = *lock;
    int found = xylem_pages__file_look(lock, &env->directory, XYLEM_PAGES__LMDB_LOCK_NAME, err);
    if (found < 0 || (found == 0 && !was_there) ||
        (found == 1 && was_there && lock->st_dev == before.st_dev && lock->st_ino == before.st_ino)) {
        return found < 0 ? found : XYLEM_OK; /* the length is LMDB's by now */
    }
    return xylem_base__fail(err, XYLEM_E_BUSY, "%s/%s was replaced by another file while it was opened", env->path,
                            XYLEM_PAGES__LMDB_LOCK_NAME);
}

/* For an environment that had no transaction: no thread's list of mutexes leads into the map of lock.mdb. */
static void close_unused(struct xylem_lmdb__env *env)
{
    mdb_env_close(env->mdb);
    env->mdb = NULL;
}

/*
 * A process that closes lock.mdb as the last may take the mutexes apart after this process has found the file in use:
 *
 *     the other process:   alone ----- takes apart -- closes
 *     this process:                 waits ----------------- shares the file, without mutexes
 *
 * Then this process closes the file too, and comes again. Several such processes come at different times.
 */
static int open_mdb_with_mutexes(struct xylem_lmdb__env *env, const char *data_path, const char *lock_path,
                                 struct xylem_error *err)
{
    int code = open_mdb(env, data_path, lock_path, err);
    for (int tries = 0; tries < 1000 && code == XYLEM_OK && env->lock_table && !env->no_lock &&
                        xylem_lmdb__lock_table_is_left(env->lock_table);
         tries++) {
        close_unused(env);
        nanosleep(&(struct timespec){.tv_nsec = 1000000 + getpid() % 1000 * 1000}, NULL);
        code = open_mdb(env, data_path, lock_path, err);
    }
    return code;
}

static int open_files(struct xylem_lmdb__env *env, const char *data_path, const char *lock_path,
                      struct xylem_error *err)
{
    struct stat lock;
    struct stat data = {.st_dev = env->device, .st_ino = env->inode};
    struct xylem_lmdb__waiting no_wait = {.limited = true, .look = xylem_lmdb__check_locks, .env = env};
    int code = xylem_lmdb__check_locks(env, err); /* opened again: through the files from before */
    int found = code < 0 || env->no_lock ? code : prepare_lock_file(&lock, env, err);
    if ((code = found < 0 ? found : check_page_size(env, err)) < 0 ||
        (code = xylem_pages__directory_check(&env->directory, err)) < 0) {
        return code;
    }
    if ((code = open_mdb_with_mutexes(env, data_path, lock_path, err)) < 0) {
        struct xylem_error reason; /* of LMDB's failure, where lock.mdb was overwritten meanwhile */
        bool overwritten = env->writer_lock.page && !env->writer_lock.alone &&
                           xylem_lmdb__writer_lock_check(&env->writer_lock, &env->directory, &data, &reason) < 0;
        return overwritten ? xylem_base__fail(err, XYLEM_E_BUSY, "%s", reason.text) : code;
    }
    if ((code = check_identity(env, err)) < 0 ||
        (!env->no_lock && (code = check_lock_file(&lock, found == 1, env, err)) < 0)) {
        close_unused(env);
        return code;
    }
    if (found == 1) {
        MDB_envinfo info;
        mdb_env_info(env->mdb, &info);
        xylem_lmdb__note_locks(env, &lock);
        xylem_lmdb__writer_lock_settle(&env->writer_lock, &data, &lock, info.me_last_txnid);
        if ((code = xylem_lmdb__check_locks(env, err)) < 0 ||
            (env->lock_table && (code = xylem_lmdb__lock_table_wait(env->lock_table, XYLEM_LMDB__READERS, &no_wait,
                                                                    env->path, err)) < 0)) {
            close_unused(env);
        }
    }
    return code;
}

int xylem_lmdb__env_open(struct xylem_lmdb__env *env, bool create, struct xylem_error *err)
{
    char *lock_path = xylem_base__path_join(env->path, XYLEM_PAGES__LMDB_LOCK_NAME);
    char *data_path = xylem_base__path_join(env->path, data_name(env));
    int code = lock_path && data_path ? open_files(env, data_path, lock_path, err) : xylem_base__fail_memory(err);
    free(lock_path);
    free(data_path);
    if (code < 0) {
        return code;
    }
    env->map = NULL;
    env->fatal = false;
    env->damaged = false;
    env->free_checked = false;
    int dead = 0;
    int result = mdb_reader_check(env->mdb, &dead);
    if (result != 0) {
        code = xylem_lmdb__mdb_fail(err, result, "cannot look for stale readers of", env);
    }
    if (code < 0 || (code = xylem_lmdb__env_check_pages(env, err)) < 0 || (code = sync_names(env, err)) < 0 ||
        (code = xylem_lmdb__meta_open(env, create, err)) < 0) {
        xylem_lmdb__env_close(env);
    }
    return code;
}

void xylem_lmdb__env_close(struct xylem_lmdb__env *env)
{
    if (env->mdb) {
        if (!xylem_lmdb__lock_table_is_overwritten(env)) {
            xylem_lmdb__idle_readers_close(env);
            mdb_env_close(env->mdb);
        }
        for (size_t i = 0; i < XYLEM_LMDB__IDLE_READERS; i++) {
            env->idle_readers[i] = NULL;
        }
        env->mdb = NULL;
        xylem_lmdb__shared_kinds_free(env);
    }
}

int xylem_lmdb__env_mend(struct xylem_lmdb__env *env, struct xylem_error *err)
{
    assert(env->txn_count == 0);
    if (!env->mdb || env->fatal) {
        xylem_lmdb__env_close(env);
        return xylem_lmdb__env_open(env, false, err);
    }
    if (env->grow_wanted) {
        MDB_envinfo info;
        mdb_env_info(env->mdb, &info);
        int result = xylem_lmdb__map_resize(env, info.me_mapsize * 2);
        env->grow_wanted = false;
        if (result != 0) {
            return xylem_lmdb__mdb_fail(err, result, "cannot grow the memory map of", env);
        }
        env->map_bytes = info.me_mapsize * 2;
    }
    return XYLEM_OK;
}
