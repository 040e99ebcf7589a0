/*
 * xylem_compact() replaces data.mdb by a copy without free pages, while no other handle has the store open.
 *
 *   1. hold xylem.lock, a byte of data.mdb and the first byte of lock.mdb; wait for other holders if asked to
 *   2. remove data.mdb.compact-* of earlier compactions
 *   3. verify the store; copy the store to data.mdb.compact-XXXXXX; verify the copy, and compare the counts
 *   4. with `overwrite_old`: link the old file to another data.mdb.compact-XXXXXX
 *   5. rename the copy over data.mdb
 *   6. with `overwrite_old`: overwrite and unlink the old file
 *
 * rename() is the only change of data.mdb, so data.mdb is a whole store at every moment. A crash leaves
 * at most files data.mdb.compact-*, and step 2 of the next compaction overwrites and removes the files.
 */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/holders.h"
#include "base/os.h"
#include "store/lmdb/copy.h"
#include "care/copy_check.h"
#include "store/pages/store_files.h"
#include "store/lmdb/handle.h"
#include "store/lmdb/writer_lock.h"
#include "xylem/care.h"

/* `data.mdb.compact-` and six letters or digits: a copy, or the old file before its overwriting. */
#define LEFT_PREFIX XYLEM_PAGES__DATA_NAME ".compact-"
#define LEFT_LETTERS 6u
#define LEFT_BYTES (sizeof LEFT_PREFIX - 1 + LEFT_LETTERS)

#define OVERWRITE_BYTES ((size_t)1 << 20)
#define WAIT_PAUSE_MS 10

struct compaction {
    const struct xylem_compact_options *options;
    struct xylem_pages__directory held; /* `directory` */
    char *directory;
    char *data;
    char *lmdb_lock; /* lock.mdb */
    char *copy;      /* data.mdb.compact-XXXXXX */
    char *old;       /* the old file's other name; NULL: none */
    int lock_fd;
    int wanted_fd; /* holds the lock that asks others to close the store; -1: no request */
    int lmdb_lock_fd;
    uint64_t number; /* of the copy's newest commit; 0: that of the old file */
    int old_fd;      /* the old data.mdb */
    struct stat old_file;
    struct xylem_store *store; /* the old data.mdb, without its lock files */
    struct xylem_txn *txn;
    struct xylem_verify_report found;
    struct xylem_compact_report report;
    struct xylem_error *err;
};

/* --- Alone ------------------------------------------------------------------------------------------------------ */

static int busy(const struct compaction *compaction, const struct stat *file, int except)
{
    char holders[XYLEM_BASE__HOLDERS_BYTES];
    xylem_base__holders(holders, file, except);
    return xylem_base__fail(compaction->err, XYLEM_E_BUSY,
                            "%s is in use by %s: close the store there before compacting", compaction->directory,
                            holders);
}

static void stop_waiting(struct compaction *compaction)
{
    if (compaction->wanted_fd >= 0) {
        xylem_base__byte_unlock(compaction->wanted_fd, XYLEM_LMDB__WANTED_BYTE);
        xylem_base__file_close(&compaction->wanted_fd);
    }
}

/*
 * Asks the other holders to close the store, and tries again until all are gone or the time is over. The wanted byte
 * stays locked until the compaction ends, so that no holder comes back before. A handle of this process cannot close
 * the store during the wait: BUSY at once.
 */
static int wait_for_others(struct compaction *compaction, struct xylem_error *err)
{
    static const struct timespec pause = {.tv_nsec = WAIT_PAUSE_MS * 1000000L};
    struct stat file;
    if (compaction->options->wait_ms == 0 || stat(compaction->data, &file) != 0 || xylem_lmdb__is_open(&file)) {
        return XYLEM_E_BUSY;
    }
    int code = xylem_pages__lock_file_again(&compaction->wanted_fd, &compaction->held, compaction->lock_fd, err);
    if (code >= 0) {
        code = xylem_base__byte_lock(compaction->wanted_fd, XYLEM_LMDB__WANTED_BYTE, compaction->directory, err);
    }
    if (code < 0) {
        goto out;
    }
    for (uint32_t waited_ms = 0; waited_ms < compaction->options->wait_ms; waited_ms += WAIT_PAUSE_MS) {
        if (flock(compaction->lock_fd, LOCK_EX | LOCK_NB) == 0) {
            return XYLEM_OK;
        }
        nanosleep(&pause, NULL);
    }
    code = XYLEM_E_BUSY;
out:
    stop_waiting(compaction);
    return code;
}

/* Takes xylem.lock exclusively. A holder of the lock is named. */
static int hold_store(struct compaction *compaction)
{
    struct stat file;
    struct xylem_error own;
    int code = xylem_pages__lock_file_open(&compaction->lock_fd, &compaction->held, false, &own);
    if (code >= 0) {
        code = xylem_base__lock_exclusive(compaction->lock_fd, compaction->directory, &own);
    }
    if (code == XYLEM_E_BUSY && compaction->lock_fd >= 0) {
        code = wait_for_others(compaction, &own);
    }
    if (code == XYLEM_E_BUSY && compaction->lock_fd >= 0 && fstat(compaction->lock_fd, &file) == 0) {
        return busy(compaction, &file, compaction->lock_fd);
    }
    return code < 0 ? xylem_base__fail(compaction->err, code, "%s", own.text) : XYLEM_OK;
}

static int look_at_data(const struct compaction *compaction, struct stat *file)
{
    int found = xylem_pages__file_look(file, &compaction->held, XYLEM_PAGES__DATA_NAME, compaction->err);
    return found != 0 ? found
                      : xylem_base__fail(compaction->err, XYLEM_E_NOT_FOUND, "there is no store at %s: it has no %s",
                                         compaction->directory, XYLEM_PAGES__DATA_NAME);
}

/*
 * Takes the byte of data.mdb that every user has locked, also a user whose xylem.lock was removed or replaced since.
 * Such a user may be another compaction, which replaces data.mdb up to the moment in which the byte is taken.
 */
static int hold_data(struct compaction *compaction)
{
    struct stat now;
    int code = look_at_data(compaction, &compaction->old_file);
    if (code >= 0) {
        code = xylem_base__open_same(&compaction->old_fd, compaction->data, O_RDWR, &compaction->old_file,
                                     compaction->err);
    }
    if (code >= 0) {
        code = xylem_base__byte_lock(compaction->old_fd, XYLEM_LMDB__USED_BYTE, compaction->data, compaction->err);
        code = code == 0 ? busy(compaction, &compaction->old_file, compaction->old_fd) : code;
    }
    if (code < 0 || (code = look_at_data(compaction, &now)) < 0) {
        return code;
    }
    return now.st_dev == compaction->old_file.st_dev && now.st_ino == compaction->old_file.st_ino
               ? XYLEM_OK
               : xylem_base__fail(compaction->err, XYLEM_E_BUSY,
                                  "%s was replaced by another file while the compaction began: try again",
                                  compaction->data);
}

/*
 * Takes the first byte of lock.mdb exclusively. LMDB itself holds a shared lock on the byte while an environment is
 * open, so programs that use LMDB without xylem.lock wait from now on. Such a program trusts what lock.mdb says when it
 * went on: the number of the newest commit. So lock.mdb stays as found, and the copy gets the number of the old file.
 *
 * If this process has lock.mdb open, nothing is touched: to close a second descriptor would drop the process's locks.
 */
static int hold_lmdb(struct compaction *compaction)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    struct stat file;
    int found = xylem_pages__file_look(&file, &compaction->held, XYLEM_PAGES__LMDB_LOCK_NAME, compaction->err);
    if (found <= 0) {
        return found;
    }
    if (xylem_base__held_here(&file)) {
        return busy(compaction, &file, -1);
    }
    int code = xylem_base__open_same(&compaction->lmdb_lock_fd, compaction->lmdb_lock, O_RDWR, &file, compaction->err);
    if (code < 0) {
        return code;
    }
    if (fcntl(compaction->lmdb_lock_fd, F_OFD_SETLK, &whole) != 0) {
        return errno == EAGAIN || errno == EACCES
                   ? busy(compaction, &file, compaction->lmdb_lock_fd)
                   : xylem_base__fail_errno(compaction->err, errno, "cannot lock", compaction->lmdb_lock);
    }
    return XYLEM_OK;
}

/* --- Files of earlier compactions ------------------------------------------------------------------------------- */

/* Overwrites a file with random bytes, and syncs the file. */
static int overwrite(int fd, uint64_t bytes, const char *path, struct xylem_error *err)
{
    unsigned char *noise = malloc(OVERWRITE_BYTES);
    int code = noise ? xylem_base__random(noise, OVERWRITE_BYTES, err) : xylem_base__fail_memory(err);
    for (uint64_t done = 0; code == XYLEM_OK && done < bytes;) {
        uint64_t left = bytes - done;
        ssize_t wrote = pwrite(fd, noise, left < OVERWRITE_BYTES ? (size_t)left : OVERWRITE_BYTES, (off_t)done);
        if (wrote > 0) {
            done += (uint64_t)wrote;
        } else if (wrote == 0 || errno != EINTR) {
            code = xylem_base__fail_errno(err, wrote == 0 ? EIO : errno, "cannot overwrite", path);
        }
    }
    if (code == XYLEM_OK && fsync(fd) != 0) {
        code = xylem_base__fail_errno(err, errno, "cannot sync", path);
    }
    free(noise);
    return code;
}

static bool is_left_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    return strlen(name) == LEFT_BYTES && strncmp(name, LEFT_PREFIX, sizeof LEFT_PREFIX - 1) == 0 &&
           strspn(name + sizeof LEFT_PREFIX - 1, letters) == LEFT_LETTERS;
}

/*
 * Overwrites and removes a file of an earlier compaction. A file that no compaction of this user can have made stays.
 */
static int remove_left(const struct compaction *compaction, const char *name, const struct stat *data)
{
    struct stat file;
    char *path = xylem_base__path_join(compaction->directory, name);
    int code = path ? XYLEM_OK : xylem_base__fail_memory(compaction->err);
    if (path && lstat(path, &file) == 0 && S_ISREG(file.st_mode) && file.st_uid == geteuid() &&
        (file.st_mode & 07777) == 0600) {
        bool is_data = file.st_dev == data->st_dev && file.st_ino == data->st_ino;
        int fd = -1;
        if (!is_data && file.st_nlink == 1 && xylem_base__open_same(&fd, path, O_RDWR, &file, NULL) == XYLEM_OK) {
            code = overwrite(fd, (uint64_t)file.st_size, path, compaction->err);
            close(fd);
        }
        if (code == XYLEM_OK && unlink(path) != 0) {
            code = xylem_base__fail_errno(compaction->err, errno, "cannot remove", path);
        }
    }
    free(path);
    return code;
}

static int remove_all_left(struct compaction *compaction)
{
    struct stat data;
    DIR *directory = opendir(compaction->directory);
    if (!directory || stat(compaction->data, &data) != 0) {
        int errnum = errno;
        if (directory) {
            closedir(directory);
        }
        return xylem_base__fail_errno(compaction->err, errnum, "cannot read", compaction->directory);
    }
    int code = XYLEM_OK;
    for (struct dirent *entry; code == XYLEM_OK && (entry = readdir(directory));) {
        code = is_left_name(entry->d_name) ? remove_left(compaction, entry->d_name, &data) : XYLEM_OK;
    }
    closedir(directory);
    return code;
}

/* --- The copy --------------------------------------------------------------------------------------------------- */

/* Opens and verifies the old file before any change. A copy leaves out damaged rows, so the old file must be sound. */
static int open_old(struct compaction *compaction)
{
    struct xylem_error own;
    int code;
    if (fstat(compaction->old_fd, &compaction->old_file) != 0) { /* an earlier compaction may have left another name */
        return xylem_base__fail_errno(compaction->err, errno, "cannot look at", compaction->data);
    }
    if (compaction->options->overwrite_old && compaction->old_file.st_nlink > 1) {
        return xylem_base__fail(compaction->err, XYLEM_E_CONFLICT,
                                "%s has %" PRIu64
                                " names (hard links), and overwriting would change the file under all of them: "
                                "remove the other names first",
                                compaction->data, (uint64_t)compaction->old_file.st_nlink);
    }
    if ((code = xylem_lmdb__open_alone(&compaction->store, compaction->directory, XYLEM_PAGES__DATA_NAME, &own)) < 0 ||
        (code = xylem_begin(&compaction->txn, compaction->store, XYLEM_READ, &own)) < 0 ||
        (code = xylem_care__check_sound(&compaction->found, compaction->txn, &own)) < 0) {
        return xylem_base__fail(compaction->err, code, "%s%s", own.text,
                                code == XYLEM_E_CORRUPT ? "; nothing was changed" : "");
    }
    return XYLEM_OK;
}

/* Makes a random name data.mdb.compact-XXXXXX in the store's directory. */
static int make_name(char **name, const struct compaction *compaction)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
    unsigned char noise[LEFT_LETTERS];
    char left[LEFT_BYTES + 1] = LEFT_PREFIX;
    int code = xylem_base__random(noise, sizeof noise, compaction->err);
    for (size_t i = 0; i < LEFT_LETTERS; i++) {
        left[sizeof LEFT_PREFIX - 1 + i] = letters[noise[i] % (sizeof letters - 1)];
    }
    *name = code < 0 ? NULL : xylem_base__path_join(compaction->directory, left);
    return code < 0 || *name ? code : xylem_base__fail_memory(compaction->err);
}

static int make_copy(struct compaction *compaction)
{
    struct xylem_verify_report copied;
    struct stat file;
    uint64_t bytes = 0;
    /* A copy of rows has no redacted bytes; a copy of pages may have redacted bytes between the nodes of a page. */
    enum xylem_lmdb__copy_by by = compaction->options->overwrite_old ? XYLEM_LMDB__COPY_ROWS : XYLEM_LMDB__COPY_PAGES;
    struct xylem_error *err = compaction->err;
    int code;
    if ((code = xylem_lmdb__copy_sizes(&compaction->report.bytes_before, &bytes, compaction->txn, err)) < 0 ||
        (code = xylem_base__room_check(compaction->directory, bytes, "a compacted copy", err)) < 0 ||
        (code = make_name(&compaction->copy, compaction)) < 0 ||
        (code = xylem_lmdb__copy(NULL, compaction->txn, compaction->copy, by, err)) < 0) {
        free(compaction->copy);
        compaction->copy = NULL; /* no file has this name */
        return code;
    }
    if ((code = xylem_lmdb__copy_number(&compaction->number, compaction->copy, compaction->txn, err)) < 0) {
        return code;
    }
    /* The copy gets the owner of the old file: root may compact the store of another user. */
    if (geteuid() == 0 && lchown(compaction->copy, compaction->old_file.st_uid, compaction->old_file.st_gid) != 0) {
        return xylem_base__fail_errno(err, errno, "cannot set the owner of", compaction->copy);
    }
    const char *name = strrchr(compaction->copy, '/') + 1;
    if ((code = xylem_care__copy_check(&copied, compaction->directory, name, err)) < 0) {
        return code;
    }
    const struct xylem_verify_report *found = &compaction->found;
    if (copied.session_count != found->session_count || copied.branch_count != found->branch_count ||
        copied.entry_count != found->entry_count || copied.row_count != found->row_count) {
        return xylem_base__fail(err, XYLEM_E_IO,
                                "the copy of %s was removed: expected %" PRIu64 " rows, found %" PRIu64,
                                compaction->data, found->row_count, copied.row_count);
    }
    if (stat(compaction->copy, &file) != 0) {
        return xylem_base__fail_errno(err, errno, "cannot read the length of", compaction->copy);
    }
    compaction->report.bytes_after = (uint64_t)file.st_size;
    return XYLEM_OK;
}

/* --- Taking the place ------------------------------------------------------------------------------------------- */

/* Renames the copy over data.mdb. lock.mdb gets the number of the copy just before. */
static int replace(struct compaction *compaction)
{
    assert(compaction->copy && !compaction->store && compaction->lock_fd >= 0);
    bool numbers = compaction->number > 0 && compaction->lmdb_lock_fd >= 0;
    uint64_t before = 0;
    int code = compaction->options->overwrite_old ? make_name(&compaction->old, compaction) : XYLEM_OK;
    /*
     * By another name of the old file the next compaction can finish an interrupted overwriting. A file system without
     * hard links goes without the other name.
     */
    if (compaction->old && link(compaction->data, compaction->old) != 0) {
        free(compaction->old);
        compaction->old = NULL;
    }
    if (code == XYLEM_OK &&
        ((numbers && !xylem_lmdb__lock_number(&before, compaction->lmdb_lock_fd, compaction->number)) ||
         rename(compaction->copy, compaction->data) != 0)) {
        code = xylem_base__fail_errno(compaction->err, errno, "cannot replace", compaction->data);
        if (before > 0) {
            (void)xylem_lmdb__lock_number(&before, compaction->lmdb_lock_fd, before);
        }
    }
    if (code < 0) {
        if (compaction->old) {
            unlink(compaction->old);
        }
        return code;
    }
    free(compaction->copy);
    compaction->copy = NULL;
    compaction->report.replaced = true;
    return xylem_base__directory_sync(compaction->directory, compaction->directory, compaction->err);
}

static int overwrite_old(struct compaction *compaction)
{
    struct xylem_error own;
    if (!compaction->options->overwrite_old) {
        return XYLEM_OK;
    }
    assert(compaction->report.replaced && compaction->old_fd >= 0);
    uint64_t bytes = (uint64_t)compaction->old_file.st_size;
    int code = overwrite(compaction->old_fd, bytes, compaction->old ? compaction->old : "the old file", &own);
    if (code == XYLEM_OK && compaction->old && unlink(compaction->old) != 0) {
        code = xylem_base__fail_errno(&own, errno, "cannot remove", compaction->old);
    }
    if (code < 0) {
        return xylem_base__fail(compaction->err, code, "%s was compacted, but its old file is not overwritten: %s",
                                compaction->directory, own.text);
    }
    compaction->report.overwritten_bytes = bytes;
    return xylem_base__directory_sync(compaction->directory, compaction->directory, compaction->err);
}

static int run(struct compaction *compaction)
{
    int code;
    if ((code = hold_store(compaction)) < 0 || (code = hold_data(compaction)) < 0 ||
        (code = hold_lmdb(compaction)) < 0 || (code = remove_all_left(compaction)) < 0) {
        return code;
    }
    if ((code = open_old(compaction)) == XYLEM_OK) {
        code = make_copy(compaction);
    }
    xylem_abort(compaction->txn);
    compaction->txn = NULL;
    xylem_close(compaction->store, NULL);
    compaction->store = NULL;
    if (code < 0 || (code = replace(compaction)) < 0) {
        return code;
    }
    return overwrite_old(compaction);
}

/* --- The call --------------------------------------------------------------------------------------------------- */

/* The report of a dry run. Other users of the store stay. */
static int estimate(struct compaction *compaction)
{
    struct xylem_open_options options = {.read_only = true, .allow_network_fs = compaction->options->allow_network_fs};
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_compact_report *report = &compaction->report;
    int code;
    if ((code = xylem_open(&store, compaction->directory, &options, compaction->err)) == XYLEM_OK &&
        (code = xylem_begin(&txn, store, XYLEM_READ, compaction->err)) == XYLEM_OK) {
        code = xylem_lmdb__copy_sizes(&report->bytes_before, &report->bytes_after, txn, compaction->err);
    }
    xylem_abort(txn);
    xylem_close(store, NULL);
    return code;
}

static int find_paths(struct compaction *compaction, const char *path)
{
    struct stat data;
    compaction->directory = realpath(path, NULL);
    if (!compaction->directory) {
        return errno == ENOENT ? xylem_base__fail(compaction->err, XYLEM_E_NOT_FOUND, "there is no store at %s", path)
                               : xylem_base__fail_errno(compaction->err, errno, "cannot open", path);
    }
    compaction->data = xylem_base__path_join(compaction->directory, XYLEM_PAGES__DATA_NAME);
    compaction->lmdb_lock = xylem_base__path_join(compaction->directory, XYLEM_PAGES__LMDB_LOCK_NAME);
    if (!compaction->data || !compaction->lmdb_lock) {
        return xylem_base__fail_memory(compaction->err);
    }
    int code;
    if ((code = xylem_pages__directory_open(&compaction->held, compaction->directory, compaction->err)) < 0 ||
        (code = look_at_data(compaction, &data)) < 0 ||
        (!compaction->options->dry_run &&
         (code = xylem_pages__directory_check_maker(&compaction->held, compaction->err)) < 0)) {
        return code;
    }
    int network =
        compaction->options->allow_network_fs ? 0 : xylem_base__network_fs(compaction->directory, compaction->err);
    return network <= 0 ? network
                        : xylem_base__fail(compaction->err, XYLEM_E_IO,
                                           "%s lies on a network file system, where locks are not reliable; an option "
                                           "permits this (allow_network_fs, --allow-network-fs)",
                                           compaction->directory);
}

static void release(struct compaction *compaction)
{
    if (compaction->copy) {
        unlink(compaction->copy);
    }
    /*
     * xylem.lock is unlocked last: a process that waits for xylem.lock must find the others free. All locks are
     * unlocked before the close: a child that another thread forked meanwhile shares the open files, and would keep the
     * locks.
     */
    if (compaction->lmdb_lock_fd >= 0) {
        xylem_base__byte_unlock(compaction->lmdb_lock_fd, 0);
    }
    if (compaction->old_fd >= 0) {
        xylem_base__byte_unlock(compaction->old_fd, XYLEM_LMDB__USED_BYTE);
    }
    if (compaction->lock_fd >= 0) {
        flock(compaction->lock_fd, LOCK_UN);
    }
    xylem_base__file_close(&compaction->old_fd);
    xylem_base__file_close(&compaction->lmdb_lock_fd);
    xylem_base__file_close(&compaction->lock_fd);
    stop_waiting(compaction);
    free(compaction->directory);
    free(compaction->data);
    xylem_pages__directory_close(&compaction->held);
    free(compaction->lmdb_lock);
    free(compaction->copy);
    free(compaction->old);
}

int xylem_compact_abi(uint32_t abi, struct xylem_compact_report *report, const char *path,
                      const struct xylem_compact_options *options, struct xylem_error *err)
{
    static const struct xylem_compact_options defaults;
    struct compaction compaction = {.options = options ? options : &defaults,
                                    .held.fd = -1,
                                    .lock_fd = -1,
                                    .wanted_fd = -1,
                                    .lmdb_lock_fd = -1,
                                    .old_fd = -1,
                                    .err = err};
    int code = xylem_base__check_abi(abi, err);
    if (code < 0) {
        return code;
    }
    if (!path || !*path) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_compact: a path is needed");
    }
    code = find_paths(&compaction, path);
    if (code == XYLEM_OK) {
        code = compaction.options->dry_run ? estimate(&compaction) : run(&compaction);
    }
    release(&compaction);
    if (report && (code == XYLEM_OK || compaction.report.replaced)) {
        *report = compaction.report;
    }
    return code;
}
