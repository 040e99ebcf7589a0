/*
 * xylem_backup() makes a consistent copy of a store while other handles write to the store.
 *
 *      compacted                                     with `keep_pages`
 *   1. the store's snapshot is verified              -
 *   2. DIRECTORY.unfinished-XXXXXX gets the copy,    the same; each page is proven, and written at its place
 *      in data.mdb, with the mark of a copy
 *      (store/incarnation.c)
 *   3. the copy is verified                          the same: this proves the rows
 *   4. the directory is synced
 *   5. the directory gets its name; a directory of that name is never replaced
 *
 * After a failure the unfinished directory is removed; after a crash it stays.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/os.h"
#include "store/lmdb/copy.h"
#include "care/copy_check.h"
#include "store/pages/store_files.h"
#include "store/lmdb/handle.h"
#include "xylem/care.h"

/* The directory has this suffix until the copy is verified. */
#define UNFINISHED_SUFFIX ".unfinished-XXXXXX"

/* Attempts to copy while other processes enlarge the map. */
#define COPY_ATTEMPTS_MAX 3

struct backup {
    struct xylem_store *store;
    bool keep_pages;
    char *to;         /* without slashes at the end; NULL after the directory got this name */
    char *parent;     /* the directory of `to` */
    char *unfinished; /* the present name of the new directory, removed at the end; NULL: none to remove */
    char *data;       /* data.mdb in `unfinished` */
    struct xylem_backup_report report;
    struct xylem_error *err;
};

static int exists(const struct backup *backup)
{
    return xylem_base__fail(backup->err, XYLEM_E_EXISTS, "%s exists already: the backup needs a directory of its own",
                            backup->to);
}

static int find_paths(struct backup *backup, const char *to)
{
    const char *store = xylem_lmdb__handle_path(backup->store);
    size_t store_bytes = strlen(store);
    struct stat file;
    size_t bytes = strlen(to);
    while (bytes > 1 && to[bytes - 1] == '/') {
        bytes--;
    }
    backup->to = strndup(to, bytes);
    if (!backup->to) {
        return xylem_base__fail_memory(backup->err);
    }
    if (lstat(backup->to, &file) == 0) {
        return exists(backup);
    }
    const char *slash = strrchr(backup->to, '/');
    backup->parent = !slash ? strdup(".") : strndup(backup->to, slash == backup->to ? 1 : (size_t)(slash - backup->to));
    if (!backup->parent) {
        return xylem_base__fail_memory(backup->err);
    }
    char *parent = realpath(backup->parent, NULL);
    if (!parent) {
        return errno == ENOENT ? xylem_base__fail(backup->err, XYLEM_E_NOT_FOUND,
                                                  "there is no directory %s: make the directory first", backup->parent)
                               : xylem_base__fail_errno(backup->err, errno, "cannot open", backup->parent);
    }
    /* A backup inside of the store's directory would be lost with the store. */
    bool inside =
        strncmp(parent, store, store_bytes) == 0 && (parent[store_bytes] == '\0' || parent[store_bytes] == '/');
    free(parent);
    return inside ? xylem_base__fail(backup->err, XYLEM_E_ARGUMENT,
                                     "%s lies in the store's own directory: the backup needs a directory outside of it",
                                     backup->to)
                  : XYLEM_OK;
}

static int make_unfinished(struct backup *backup)
{
    struct xylem_buffer name = {0};
    if (xylem_base__buffer_add_format(&name, "%s" UNFINISHED_SUFFIX, backup->to) < 0) {
        return xylem_base__fail_memory(backup->err);
    }
    int code = xylem_base__directory_make_unique(name.data, backup->err);
    if (code < 0) {
        xylem_buffer_release(&name);
        return code;
    }
    backup->unfinished = name.data;
    backup->data = xylem_base__path_join(name.data, XYLEM_PAGES__DATA_NAME);
    return backup->data ? XYLEM_OK : xylem_base__fail_memory(backup->err);
}

/* Gives the directory its name. A failed sync of the parent removes the directory under its new name. */
static int finish(struct backup *backup)
{
    char *data = xylem_base__path_join(backup->to, XYLEM_PAGES__DATA_NAME);
    if (!data) {
        return xylem_base__fail_memory(backup->err);
    }
    if (xylem_base__rename_to_new(backup->unfinished, backup->to) != 0) {
        int errnum = errno;
        free(data);
        return errnum == EEXIST || errnum == ENOTEMPTY
                   ? exists(backup)
                   : xylem_base__fail_errno(backup->err, errnum, "cannot rename the copy to", backup->to);
    }
    free(backup->unfinished);
    free(backup->data);
    backup->unfinished = backup->to;
    backup->data = data;
    backup->to = NULL;
    int code = xylem_base__directory_sync(backup->parent, backup->unfinished, backup->err);
    if (code == XYLEM_OK) {
        free(backup->unfinished);
        backup->unfinished = NULL;
    }
    return code;
}

/* Passes an error on. */
static int fail_as(const struct backup *backup, int code, const struct xylem_error *reason)
{
    return code == XYLEM_OK ? code
                            : xylem_base__fail(backup->err, code, "%s%s", reason->text,
                                               code == XYLEM_E_CORRUPT ? "; no backup was made" : "");
}

/* Verifies the newest snapshot of the store. */
static int check_store(const struct backup *backup)
{
    struct xylem_error own;
    struct xylem_txn *txn = NULL;
    int code = xylem_begin(&txn, backup->store, XYLEM_READ, &own);
    code = code < 0 ? code : xylem_care__check_sound(NULL, txn, &own);
    xylem_abort(txn);
    return fail_as(backup, code, &own);
}

static int copy(struct backup *backup)
{
    enum xylem_lmdb__copy_by by = backup->keep_pages ? XYLEM_LMDB__COPY_IN_PLACE : XYLEM_LMDB__COPY_PAGES;
    struct xylem_error own;
    struct xylem_txn *txn = NULL;
    uint64_t bytes = 0;
    int code = xylem_begin(&txn, backup->store, XYLEM_READ, &own);
    code = code < 0 ? code : xylem_lmdb__copy_sizes(&backup->report.store_bytes, &bytes, txn, &own);
    xylem_abort(txn);
    if ((code = fail_as(backup, code, &own)) < 0 ||
        (code = xylem_base__room_check(backup->parent, bytes, "a backup", backup->err)) < 0 ||
        (code = make_unfinished(backup)) < 0) {
        return code;
    }
    code = XYLEM_E_BUSY;
    for (int attempt = 0; code == XYLEM_E_BUSY && attempt < COPY_ATTEMPTS_MAX; attempt++) {
        txn = NULL;
        if ((code = xylem_begin(&txn, backup->store, XYLEM_READ, &own)) == XYLEM_OK &&
            (code = xylem_lmdb__copy(&backup->report.hole_bytes, txn, backup->data, by, &own)) == XYLEM_OK &&
            (backup->keep_pages || (code = xylem_lmdb__copy_mark(backup->data, txn, &own)) == XYLEM_OK)) {
            code = xylem_lmdb__copy_file_bytes(&backup->report.grown_bytes, txn, &own);
            backup->report.grown_bytes -= backup->report.store_bytes;
        }
        xylem_abort(txn);
    }
    return fail_as(backup, code, &own);
}

static int run(struct backup *backup)
{
    struct xylem_verify_report found;
    struct xylem_error own;
    struct stat file;
    /* LMDB copies pages without a check, so a damaged page could make the copy fault: the store is verified first. */
    int code = backup->keep_pages ? XYLEM_OK : check_store(backup);
    if (code < 0 || (code = copy(backup)) < 0) {
        return code;
    }
    code = xylem_care__copy_check(&found, backup->unfinished, XYLEM_PAGES__DATA_NAME, &own);
    /* Either a damaged row of the store came along, or the copy was written wrong. */
    if (code == XYLEM_E_IO && backup->keep_pages && check_store(backup) == XYLEM_E_CORRUPT) {
        return XYLEM_E_CORRUPT;
    }
    if ((code = fail_as(backup, code, &own)) < 0) {
        return code;
    }
    if (stat(backup->data, &file) != 0) {
        return xylem_base__fail_errno(backup->err, errno, "cannot read the length of", backup->data);
    }
    if ((code = xylem_base__directory_sync(backup->unfinished, backup->unfinished, backup->err)) < 0 ||
        (code = finish(backup)) < 0) {
        return code;
    }
    backup->report.bytes = (uint64_t)file.st_size;
    backup->report.session_count = found.session_count;
    backup->report.branch_count = found.branch_count;
    backup->report.entry_count = found.entry_count;
    return XYLEM_OK;
}

int xylem_backup(struct xylem_backup_report *report, struct xylem_store *store, const char *to,
                 const struct xylem_backup_options *options, struct xylem_error *err)
{
    struct backup backup = {.store = store, .keep_pages = options && options->keep_pages, .err = err};
    if (!store || !to || !*to) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_backup: a store and a directory are needed");
    }
    int code = xylem_lmdb__check_forked(store, err);
    if (code < 0) {
        return code;
    }
    /* LMDB would wait for the thread itself, and the copy would lack the writes of the thread. */
    if (xylem_lmdb__writes_here(store)) {
        return xylem_base__fail(err, XYLEM_E_BUSY,
                                "this thread has a write transaction of %s open: end the transaction before a backup",
                                xylem_lmdb__handle_path(store));
    }
    if ((code = find_paths(&backup, to)) == XYLEM_OK) {
        code = run(&backup);
    }
    if (backup.unfinished) {
        if (backup.data) {
            unlink(backup.data);
        }
        rmdir(backup.unfinished);
    }
    free(backup.to);
    free(backup.parent);
    free(backup.unfinished);
    free(backup.data);
    if (code == XYLEM_OK && report) {
        *report = backup.report;
    }
    return code;
}
