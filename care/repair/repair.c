/* xylem_repair() saves a damaged store into a new directory beside the old one. */
#include "care/repair/repair.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/os.h"

/* The new store's directory has this suffix until the store is verified. */
#define PARTIAL_SUFFIX ".partial-XXXXXX"

/* --- The directory ---------------------------------------------------------------------------------------------- */

/* A repair never overwrites anything: `to` is free, or an empty directory. */
static int refuse_existing(const char *to, struct xylem_error *err)
{
    struct stat status;
    if (lstat(to, &status) != 0) {
        return errno == ENOENT ? XYLEM_OK : xylem_base__fail_errno(err, errno, "cannot make", to);
    }
    DIR *directory = opendir(to);
    bool empty = directory != NULL;
    for (struct dirent *entry; empty && (entry = readdir(directory)) != NULL;) {
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    }
    if (directory) {
        closedir(directory);
    }
    return empty ? XYLEM_OK /* rename() replaces an empty directory */
                 : xylem_base__fail(err, XYLEM_E_EXISTS,
                                    "%s exists already: the new store needs a directory of its own", to);
}

/* The damaged store's directory gets no new file. */
static int refuse_inside(const char *from, const char *to, struct xylem_error *err)
{
    char *path = strdup(to);
    if (!path) {
        return xylem_base__fail_memory(err);
    }
    char *resolved = realpath(dirname(path), NULL);
    char *damaged = realpath(from, NULL);
    size_t bytes = damaged ? strlen(damaged) : 0;
    bool inside = resolved && damaged && strncmp(resolved, damaged, bytes) == 0 &&
                  (resolved[bytes] == '/' || resolved[bytes] == '\0');
    free(path);
    free(resolved);
    free(damaged);
    return inside ? xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                     "%s lies in the damaged store %s: the new store needs a directory outside of it",
                                     to, from)
                  : XYLEM_OK;
}

/*
 * Gives the new store its name. If the name cannot be synced, the new store gets its old name back, and the caller
 * removes the store: a failed repair leaves nothing.
 */
static int put_in_place(const char *partial, const char *to, struct xylem_error *err)
{
    char *path = strdup(to);
    if (!path) {
        return xylem_base__fail_memory(err);
    }
    int code = xylem_base__directory_sync(partial, partial, err);
    if (code == XYLEM_OK && rename(partial, to) != 0) {
        code =
            errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR
                ? xylem_base__fail(err, XYLEM_E_EXISTS, "%s exists now: another process made it during the repair", to)
                : xylem_base__fail_errno(err, errno, "cannot make", to);
    }
    if (code == XYLEM_OK && (code = xylem_base__directory_sync(dirname(path), to, err)) < 0) {
        rename(to, partial);
    }
    free(path);
    return code;
}

/* Keeps the text of the first problem. */
static int keep_first(void *context, const struct xylem_problem *problem)
{
    struct xylem_error *first = context;
    if (first->code == 0) {
        xylem_base__fail(first, XYLEM_E_CORRUPT, "%s: %s", problem->table ? problem->table : "store", problem->text);
    }
    return 0;
}

/* Copies everything into the new store, then verifies the new store. */
static int build(struct xylem_repair__plan *plan, const char *partial)
{
    /* No sync for each commit: nobody uses the new store before the sync of all of it. */
    struct xylem_open_options options = {.create = true, .durability = XYLEM_DURABILITY_NONE, .allow_network_fs = true};
    struct xylem_repair__copying copying = {.repair = plan->repair, .plan = plan, .lost_session = XYLEM_REPAIR__NONE};
    struct xylem_txn *txn;
    struct xylem_verify_report report;
    struct xylem_error first = {0, ""};
    struct xylem_error ignored;
    struct xylem_error *err = plan->repair->err;
    int code = xylem_open(&copying.store, partial, &options, err);
    if (code < 0) {
        return code;
    }
    if ((code = xylem_begin(&copying.txn, copying.store, XYLEM_WRITE, err)) < 0 ||
        (code = xylem_repair__copy(&copying)) < 0 || (code = xylem_repair__finish(&copying)) < 0) {
        xylem_abort(copying.txn);
        goto out;
    }
    if ((code = xylem_commit(copying.txn, err)) < 0 || (code = xylem_sync(copying.store, err)) < 0 ||
        (code = xylem_begin(&txn, copying.store, XYLEM_READ, err)) < 0) {
        goto out;
    }
    code = xylem_verify(&report, txn, NULL, keep_first, &first, err);
    xylem_abort(txn);
    plan->repair->report->branch_count = report.branch_count;
    if (code == XYLEM_OK && report.problem_count > 0) {
        code = xylem_base__fail(err, XYLEM_E_CORRUPT, "the new store does not verify: %s", first.text);
    }
    code = code < 0 ? code : xylem_repair__salvage_unchanged(plan->repair->salvage, err);
out:
    xylem_base__tree_release(&copying.tree);
    int closed = xylem_close(copying.store, code < 0 ? &ignored : err);
    return code < 0 ? code : closed;
}

/* Builds the new store under another name, and renames the store when all is verified. */
static int build_beside(struct xylem_repair__plan *plan, const char *to)
{
    static const char *const names[] = {"data.mdb", "lock.mdb", "xylem.lock"};
    struct xylem_error *err = plan->repair->err;
    struct xylem_buffer partial = {0};
    if (xylem_base__buffer_add_format(&partial, "%s" PARTIAL_SUFFIX, to) < 0) {
        return xylem_base__fail_memory(err);
    }
    int code = xylem_base__directory_make_unique(partial.data, err);
    if (code >= 0 && ((code = build(plan, partial.data)) < 0 || (code = put_in_place(partial.data, to, err)) < 0)) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            char *name = xylem_base__path_join(partial.data, names[i]);
            if (name) {
                unlink(name);
                free(name);
            }
        }
        rmdir(partial.data);
    }
    xylem_buffer_release(&partial);
    return code;
}

static int repair_into(struct xylem_repair__repair *repair, const char *to, const struct xylem_repair_options *options)
{
    struct xylem_repair__plan plan = {.repair = repair};
    size_t bytes = strlen(to);
    while (bytes > 1 && to[bytes - 1] == '/') {
        bytes--;
    }
    char *whole = strndup(to, bytes);
    int code = whole ? XYLEM_OK : xylem_base__fail_memory(repair->err);
    if (code < 0 || (code = refuse_existing(whole, repair->err)) < 0 ||
        (code = refuse_inside(repair->from, whole, repair->err)) < 0 ||
        (code = xylem_repair__salvage_new(&repair->salvage, repair->from, repair->err)) < 0 ||
        (code = xylem_repair__older_begin(repair, options->older)) < 0 || (code = xylem_repair__plan(&plan)) < 0) {
        goto out;
    }
    code = plan.entry_count > 0 || plan.session_count > 0
               ? build_beside(&plan, whole)
               : xylem_base__fail(repair->err, XYLEM_E_CORRUPT,
                                  "nothing can be saved from %s: found no session and no entry with a correct checksum",
                                  repair->from);
out:
    xylem_repair__plan_release(&plan);
    xylem_repair__salvage_free(repair->salvage);
    free(whole);
    return code;
}

int xylem_repair_abi(uint32_t abi, struct xylem_repair_report *report, const char *from, const char *to,
                     const struct xylem_repair_options *options,
                     int (*found)(void *context, const struct xylem_problem *problem), void *context,
                     struct xylem_error *err)
{
    static const struct xylem_repair_options defaults;
    struct xylem_repair_report own;
    struct xylem_error reason = {0, ""};
    int code = xylem_base__check_abi(abi, err);
    if (code < 0) {
        return code;
    }
    if (!from || !*from || !to || !*to) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_repair: the paths of two directories are needed");
    }
    memset(&own, 0, sizeof own);
    struct xylem_repair__repair repair = {
        .from = from, .report = &own, .found = found, .context = context, .err = &reason};
    if ((code = repair_into(&repair, to, options ? options : &defaults)) < 0) {
        return xylem_base__fail(err, code, "%s", reason.text);
    }
    own.complete = !repair.uncertain && own.lost_entry_count == 0 && own.damaged_entry_count == 0 &&
                   own.placeholder_count == 0 && own.changed_entry_count == 0 && own.lost_row_count == 0 &&
                   own.older_count == 0 && own.withheld_count == 0;
    if (report) {
        *report = own;
    }
    return XYLEM_OK;
}
