/*
 * Loads a table from the entries of a path, newest to oldest. The newest word on a file counts:
 *
 *     newest   files: b          gone: a      b is noted, a is not
 *              files: a, b       gone:        both are decided
 *              files: c          whole        c is noted, and the walk ends
 *     oldest   ...                            not read
 *
 * In an entry the last file was used last. The table ends with the first file that no longer fits.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/numbers.h"
#include "base/value.h"
#include "replay/reads/shape.h"
#include "replay/reads/table.h"
#include "replay/visit.h"
#include "store/format/hash.h"

static const char *const kinds[] = {"custom:file-reads", NULL};

struct loading {
    struct xylem_reads *reads;
    struct xylem_base__numbers gone; /* hashes of the keys that newer entries forgot, sorted */
    unsigned entry_count;            /* read */
    unsigned valid_count;
    bool full;  /* a file did not fit */
    bool whole; /* an entry with the whole table was read */
};

/* --- The files ---------------------------------------------------------------------------------------------------- */

/*
 * Adds each file, unless a newer word on the file is known. The children of a list are linked forward alone, and the
 * last file comes first.
 */
static int add_files(struct loading *loading, const struct xylem_value *files)
{
    struct xylem_reads *reads = loading->reads;
    size_t at = 0;
    int code = 0;
    const struct xylem_value **list = calloc(xylem_value_count(files) + 1, sizeof *list);
    if (!list) {
        return XYLEM_E_MEMORY;
    }
    for (const struct xylem_value *one = xylem_value_first(files); one; one = xylem_value_next(files, one)) {
        list[at++] = one;
    }
    while (code == 0 && at > 0 && !loading->full) {
        struct xylem_fingerprint fingerprint = {.bytes = 0};
        struct xylem_read_file file;
        const char *problem = xylem_reads__read_file(&file, list[--at]);
        assert(!problem);
        (void)problem;
        if (xylem_reads__find(reads, file.key) < reads->file_count ||
            xylem_base__numbers_have(&loading->gone, xylem_format__hash(file.key))) {
            continue;
        }
        memcpy(fingerprint.hash, file.hash.data, file.hash.bytes);
        fingerprint.bytes = file.bytes;
        loading->full = !xylem_reads__fits(reads, file.key, fingerprint.hash);
        code = loading->full ? 0 : xylem_reads__add_last(reads, file.key, &fingerprint, file.by, file.at_ms);
    }
    free(list);
    return code;
}

static int visit(void *context, struct xylem_visit *visit)
{
    struct loading *loading = context;
    bool last = ++loading->entry_count == XYLEM_READS_ENTRIES_MAX;
    const char *problem = xylem_reads__entry_problem(visit);
    if (problem) {
        return last ? XYLEM_VISIT_DONE : xylem_replay__skip(visit, problem);
    }
    const struct xylem_value *gone = xylem_base__value_get(visit->data, XYLEM_BASE__LITERAL("gone"));
    for (const struct xylem_value *one = xylem_value_first(gone); one; one = xylem_value_next(gone, one)) {
        if (xylem_base__numbers_add(&loading->gone, xylem_format__hash(xylem_value_string(one)), NULL) < 0) {
            return XYLEM_E_MEMORY;
        }
    }
    xylem_base__numbers_sort(&loading->gone);
    int code = add_files(loading, xylem_base__value_get(visit->data, XYLEM_BASE__LITERAL("files")));
    if (code < 0) {
        return code;
    }
    loading->valid_count++;
    loading->whole = xylem_value_bool(xylem_base__value_get(visit->data, XYLEM_BASE__LITERAL("whole")));
    return last || loading->whole || loading->full ? XYLEM_VISIT_DONE : XYLEM_VISIT_GO_ON;
}

/*
 * The table of the path: of a store from an entry on, or of a host with `from` NULL. An entry with the whole table is
 * due if the entries of the path say more than the table: a file did not fit, an entry was skipped, or older entries
 * were not read.
 */
static int load(struct xylem_reads *reads, struct xylem_txn *txn, const struct xylem_position *from,
                int (*next)(void *context, struct xylem_held_entry *entry), void *context,
                struct xylem_reduction *reduction, struct xylem_error *err)
{
    struct loading loading = {.reads = reads};
    const struct xylem_reducer reducer = {"file-reads", kinds, visit, &loading};
    struct xylem_reduction own = {0};
    if (!reads) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "reads: a table is needed");
    }
    xylem_reads__clear(reads);
    reduction = reduction ? reduction : &own;
    int code = from ? xylem_reduce(reduction, txn, *from, &reducer, 1, NULL, err)
                    : xylem_reduce_from(reduction, next, context, &reducer, 1, err);
    if (code < 0) {
        xylem_reads__clear(reads);
    }
    bool cut = loading.entry_count == XYLEM_READS_ENTRIES_MAX && !loading.whole;
    reads->news = false;
    reads->since_whole = loading.valid_count - loading.whole;
    reads->whole_due = code < 0 || loading.full || cut || reduction->skipped_count > 0;
    free(loading.gone.list);
    xylem_reduction_release(&own);
    return code;
}

int xylem_reads_load(struct xylem_reads *reads, struct xylem_txn *txn, struct xylem_position from,
                     struct xylem_reduction *reduction, struct xylem_error *err)
{
    return load(reads, txn, &from, NULL, NULL, reduction, err);
}

int xylem_reads_load_from(struct xylem_reads *reads, int (*next)(void *context, struct xylem_held_entry *entry),
                          void *context, struct xylem_reduction *reduction, struct xylem_error *err)
{
    return load(reads, NULL, NULL, next, context, reduction, err);
}
