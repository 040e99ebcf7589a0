/* An LMDB environment: opened, closed and mended with LMDB's traps in mind. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/holders.h"
#include "base/os.h"
#include "base/space.h"
#include "lmdb/environment.h"
#include "pages/check.h"
#include "pages/page.h"
#include "pages/reach.h"
#include "pages/file.h"

#define MAP_BYTES_DEFAULT (UINT64_C(1) << 40)
#define MAP_BYTES_LEAST (UINT64_C(1) << 20)

/* LMDB's lock file: a cache line for each reader, and two for all of them. */
#define LMDB_LOCK_BYTES ((off_t)64 * (XYLEM_READER_SLOTS + 2))
#define STAT_BLOCK_BYTES 512

uint64_t xylem_lmdb__map_bytes(const struct xylem_open_options *options)
{
    uint64_t bytes = options->map_bytes ? options->map_bytes : MAP_BYTES_DEFAULT;
    return bytes < MAP_BYTES_LEAST ? MAP_BYTES_LEAST : bytes;
}

/* LMDB says that it may not open a file, but not which one: most often it is the one that every reader writes to. */
static int fail_permission(struct xylem_error *err, const struct xylem_lmdb__env *env, const char *lock_path)
{
    bool lock_is_there = faccessat(AT_FDCWD, lock_path, F_OK, AT_EACCESS) == 0;
    const char *needed = lock_is_there ? lock_path : env->path;
    int mode = lock_is_there ? R_OK | W_OK : W_OK | X_OK;
    if (env->no_lock || faccessat(AT_FDCWD, needed, mode, AT_EACCESS) == 0) {
        return xylem_lmdb__mdb_fail(err, EACCES, "cannot open the LMDB environment in", env);
    }
    return xylem_base__fail(err, XYLEM_E_IO,
                            "no permission to write to %s, where readers of the store tell writers what they still "
                            "read; get it, or, where nobody writes to the store meanwhile, open it without locks "
                            "(no_lock, --no-lock)",
                            needed);
}

static const char *data_name(const struct xylem_lmdb__env *env)
{
    return env->file ? strrchr(env->file, '/') + 1 : XYLEM_PAGES__DATA_NAME;
}

/*
 * LMDB divides by what its meta pages say that the size of a page is, and looks for the second one by it. A file without
 * meta pages is for LMDB to judge.
 */
static int check_page_size(const struct xylem_lmdb__env *env, struct xylem_error *err)
{
    struct xylem_pages__meta meta;
    uint64_t page_bytes = 0;
    int fd = -1;
    int code = xylem_pages__file_open(&fd, &env->directory, data_name(env), O_RDONLY, err);
    code = code < 0 ? code : XYLEM_OK;
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
    if (fd >= 0) {
        close(fd);
    }
    return code;
}

/* LMDB says that the file is none of its own, also of a store whose meta pages are damaged: that is another thing. */
static int fail_invalid(struct xylem_error *err, const struct xylem_lmdb__env *env, const char *data_path)
{
    struct xylem_pages__page_file_signs signs = xylem_pages__page_file_look(&env->directory, data_name(env));
    if (signs.meta_sane[0] != signs.meta_sane[1]) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "%s: meta page %d is damaged: it does not begin as LMDB's meta pages do, and the other "
                                "one does",
                                data_path, signs.meta_sane[0] ? 1 : 0);
    }
    if (!signs.meta_sane[0] && signs.numbered_pages > 0) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "%s: both meta pages are damaged: they do not begin as LMDB's meta pages do (%" PRIu64
                                " of the other pages looked at have their number)",
                                data_path, signs.numbered_pages);
    }
    return xylem_base__fail(err, XYLEM_E_NOT_A_STORE, "%s is no store: expected an LMDB file, and this is none",
                            data_path);
}

/* LMDB prints an assertion that failed, and the library never prints. The signal is for the host to judge. */
static void fail_assertion(MDB_env *mdb, const char *text)
{
    (void)mdb;
    (void)text;
    abort();
}

/* The system refuses so much address space. valgrind answers as for a wrong argument. */
static bool map_is_refused(int result)
{
    return result == ENOMEM || result == EINVAL;
}

/* Opens data.mdb, with a map of half the size as often as the system refuses the address space. */
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

/* The path may lead to another file by now; the environment must be that of the file that it was opened for. */
static int check_identity(struct xylem_lmdb__env *env, struct xylem_error *err)
{
    int fd = -1;
    struct stat file;
    mdb_env_get_fd(env->mdb, &fd);
    if (fstat(fd, &file) != 0) {
        return xylem_base__fail_errno(err, errno, "cannot find out what file was opened in", env->path);
    }
    if (file.st_dev != env->device || file.st_ino != env->inode) {
        return xylem_base__fail(err, XYLEM_E_BUSY, "the store in %s was replaced by another one", env->path);
    }
    return XYLEM_OK;
}

int xylem_lmdb__env_check_pages(struct xylem_lmdb__env *env, struct xylem_error *err)
{
    MDB_txn *txn = NULL;
    int result = mdb_txn_begin(env->mdb, NULL, MDB_RDONLY, &txn);
    if (result == MDB_MAP_RESIZED) {
        return XYLEM_OK; /* another process made it longer */
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
    int code = xylem_pages__pages_check(&pages, env->path, err);
    code = code < 0 ? code : xylem_pages__pages_check_list(&pages, env->path, err);
    mdb_txn_abort(txn);
    return code;
}

/*
 * The file's name, and those of the directories that lead to it, must survive a power loss before a commit to the file
 * may claim to. Whoever created the store may have died before it did this: so all do who could be the next to commit.
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
        slash[slash == path ? 1 : 0] = '\0'; /* the root's own name is a slash */
        struct stat directory;
        if (stat(path, &directory) == 0 && directory.st_dev != env->device) {
            break; /* the name of a mount point lies elsewhere */
        }
        code = xylem_base__directory_sync(path, env->path, err);
    }
    free(path);
    return code;
}

static int prepare_env(struct xylem_lmdb__env *env, bool create, struct xylem_error *err)
{
    int dead = 0;
    int result = mdb_reader_check(env->mdb, &dead);
    if (result != 0) {
        return xylem_lmdb__mdb_fail(err, result, "cannot look for stale readers of", env);
    }
    int code;
    if ((code = xylem_lmdb__env_check_pages(env, err)) < 0 || (code = sync_names(env, err)) < 0) {
        return code;
    }
    return xylem_lmdb__meta_open(env, create, err);
}

/*
 * LMDB maps lock.mdb, and writes through the map: where the disk has no block for a page of the map, the write is a SIGBUS.
 * So all blocks are there before LMDB maps the file. The length of a file with content stays: another process may have it
 * mapped, and finds the table of readers by that length. File systems without this call go on without blocks.
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
 * The same for a file that is there, but lacks blocks: an empty one, or one that LMDB made alone. Closing any descriptor of
 * lock.mdb drops the locks that LMDB has on it in this process, so the file is left alone where there may be such locks.
 */
static int reserve_old_lock_file(const struct stat *lock, const struct xylem_lmdb__env *env, struct xylem_error *err)
{
    struct xylem_error ignored;
    int fd = -1;
    if ((lock->st_blocks * STAT_BLOCK_BYTES >= lock->st_size && lock->st_size >= LMDB_LOCK_BYTES) ||
        access("/proc/self/fd", R_OK | X_OK) != 0 || xylem_base__held_here(lock)) {
        return XYLEM_OK;
    }
    /* LMDB says why a file cannot be opened. */
    if (xylem_pages__file_open(&fd, &env->directory, XYLEM_PAGES__LMDB_LOCK_NAME, O_RDWR, &ignored) != 1) {
        return XYLEM_OK;
    }
    int code = reserve_lock_file(fd, lock->st_size, env, err);
    close(fd);
    return code;
}

/*
 * LMDB would make lock.mdb under the umask, and another user could open the file before its mode is mended. LMDB treats an
 * empty lock.mdb like a missing file. In a directory that cannot be written to nothing is made: LMDB's error, or its way to
 * read a read-only file system, is the answer. Gives 1 if the file is there, else 0.
 */
static int prepare_lock_file(struct stat *lock, const struct xylem_lmdb__env *env, struct xylem_error *err)
{
    int fd = -1;
    int found = xylem_pages__file_look(lock, &env->directory, XYLEM_PAGES__LMDB_LOCK_NAME, err);
    if (found != 0) {
        int code = found == 1 ? reserve_old_lock_file(lock, env, err) : found;
        return code < 0 ? code : found;
    }
    int made = xylem_pages__file_make(&fd, &env->directory, XYLEM_PAGES__LMDB_LOCK_NAME, err);
    if (made < 0 && faccessat(env->directory.fd, ".", W_OK | X_OK, AT_EACCESS) != 0) {
        return 0;
    }
    if (fd >= 0) {
        int code = reserve_lock_file(fd, 0, env, err);
        close(fd); /* this process has no locks on a new file */
        made = code < 0 ? code : made;
    }
    return made < 0 ? made : xylem_pages__file_look(lock, &env->directory, XYLEM_PAGES__LMDB_LOCK_NAME, err);
}

/* LMDB opens lock.mdb by its path: the file must be the one that was looked at before. */
static int check_lock_file(const struct stat *before, bool was_there, const struct xylem_lmdb__env *env,
                           struct xylem_error *err)
{
    struct stat lock;
    int found = xylem_pages__file_look(&lock, &env->directory, XYLEM_PAGES__LMDB_LOCK_NAME, err);
    if (found < 0 || (found == 0 && !was_there) ||
        (found == 1 && was_there && lock.st_dev == before->st_dev && lock.st_ino == before->st_ino)) {
        return found < 0 ? found : XYLEM_OK;
    }
    return xylem_base__fail(err, XYLEM_E_BUSY, "%s/%s was replaced by another file while it was opened", env->path,
                            XYLEM_PAGES__LMDB_LOCK_NAME);
}

static int open_files(struct xylem_lmdb__env *env, const char *data_path, const char *lock_path,
                      struct xylem_error *err)
{
    struct stat lock;
    int found = env->no_lock ? 0 : prepare_lock_file(&lock, env, err);
    int code;
    if ((code = found < 0 ? found : check_page_size(env, err)) < 0 ||
        (code = xylem_pages__directory_check(&env->directory, err)) < 0 ||
        (code = open_mdb(env, data_path, lock_path, err)) < 0) {
        return code;
    }
    code = check_identity(env, err);
    code = code < 0 || env->no_lock ? code : check_lock_file(&lock, found == 1, env, err);
    if (code < 0) {
        xylem_lmdb__env_close(env);
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
    if (code == XYLEM_OK) {
        env->map = NULL;
        env->fatal = false;
        env->damaged = false;
        env->free_checked = false;
        code = prepare_env(env, create, err);
        if (code < 0) {
            xylem_lmdb__env_close(env);
        }
    }
    return code;
}

void xylem_lmdb__env_close(struct xylem_lmdb__env *env)
{
    if (env->mdb) {
        mdb_env_close(env->mdb);
        env->mdb = NULL;
        xylem_lmdb__shared_kinds_free(env);
    }
}

int xylem_lmdb__env_mend(struct xylem_lmdb__env *env, struct xylem_error *err)
{
    if (!env->mdb || env->fatal) {
        xylem_lmdb__env_close(env);
        return xylem_lmdb__env_open(env, false, err);
    }
    if (env->grow_wanted) {
        MDB_envinfo info;
        mdb_env_info(env->mdb, &info);
        int result = mdb_env_set_mapsize(env->mdb, info.me_mapsize * 2);
        env->map = NULL;
        env->grow_wanted = false;
        if (result != 0) {
            env->fatal = true; /* LMDB has given up the old map by now */
            return xylem_lmdb__mdb_fail(err, result, "cannot grow the memory map of", env);
        }
        env->map_bytes = info.me_mapsize * 2;
    }
    return XYLEM_OK;
}
