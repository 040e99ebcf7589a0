/*
 * Imports many session files. A sync takes longer than the import of a small file. So consecutive small files share one
 * transaction, and one sync. The caller hears of a file after its commit.
 *
 *     file 1..40   look, begin, place, place, ...      one commit, then the caller hears of 40 files
 *     file 41      larger than the rest of the room    transactions of its own, then the caller hears of it
 *     file 42..    look, begin, place, ...
 *
 * A failure before the first write of a file leaves the transaction sound: the caller hears of the failure in its
 * turn. After a later failure, or a failed commit, the transaction is lost. The files of a lost transaction are
 * imported again, each in transactions of its own, so no file suffers from another file.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "travel/jsonl/import.h"

#define SHARED_FILES_MAX 256u
#define SHARED_BYTES_MAX (4u * 1048576u) /* other writers wait while the files are read, parsed and placed */

/* A file before its commit. */
struct pending {
    size_t index;
    int code;
    struct xylem_import_report report;
    struct xylem_error err;
};

struct importer {
    struct xylem_store *store;
    const char *const *paths;
    struct xylem_import_options options; /* of the caller */
    struct xylem_import_options
        file_options; /* for each file: the same, with the index of the file added to progress */
    int (*imported)(void *context, const struct xylem_imported *file);
    struct xylem_jsonl__shared shared;
    struct xylem_store__piece piece; /* of the shared transaction */
    struct pending *pending;
    size_t pending_count;
    size_t index;     /* of the current file */
    size_t begun;     /* the caller was told that this file begins */
    size_t alone_end; /* files before this index do not share */
    int growths;
    bool stopped;
};

/* An import at the end of its file ignores the answer, so the importer remembers a stop. */
static int progressed(void *context, const struct xylem_import_progress *progress)
{
    struct importer *importer = context;
    struct xylem_import_progress shown = *progress;
    shown.file_index = importer->index;
    if (importer->options.progress && importer->options.progress(importer->options.context, &shown) != 0) {
        importer->stopped = true;
    }
    return importer->stopped;
}

/* Tells the caller of a file, and releases its report. */
static void tell(struct importer *importer, struct pending *file)
{
    file->report.outcome = file->code < 0 ? XYLEM_IMPORT_FAILED : file->report.outcome;
    const struct xylem_imported told = {.index = file->index,
                                        .path = importer->paths[file->index],
                                        .code = file->code,
                                        .report = &file->report,
                                        .err = &file->err};
    if (importer->imported(importer->options.context, &told) != 0) {
        importer->stopped = true;
    }
    xylem_import_report_release(&file->report);
}

static void share_anew(struct importer *importer)
{
    uint64_t batch_bytes = importer->options.batch_bytes;
    bool smaller = batch_bytes > 0 && batch_bytes < SHARED_BYTES_MAX;
    importer->shared = (struct xylem_jsonl__shared){.bytes_left = smaller ? batch_bytes : SHARED_BYTES_MAX};
}

/* Imports a file in transactions of its own. Gives the index of the next file. */
static size_t import_alone(struct importer *importer, size_t index)
{
    struct pending file = {.index = index};
    file.code = xylem_import(&file.report, importer->store, importer->paths[index], &importer->file_options, &file.err);
    tell(importer, &file);
    return index + 1;
}

/*
 * Aborts the transaction after the failure of the file `failed`, or of the commit behind that file. Gives the index of
 * the next file: the first file of the transaction. After a full map, the files share a transaction again.
 */
static size_t start_over(struct importer *importer, size_t failed, int code)
{
    size_t first = importer->pending_count > 0 ? importer->pending[0].index : failed;
    xylem_abort(importer->shared.txn);
    share_anew(importer);
    for (size_t i = 0; i < importer->pending_count; i++) {
        xylem_import_report_release(&importer->pending[i].report);
    }
    importer->pending_count = 0;
    if (code != XYLEM_E_MAP_FULL || ++importer->growths > XYLEM_STORE__MAP_GROWTHS_MAX) {
        importer->alone_end = failed + 1;
    }
    return first;
}

/* Commits the shared transaction, and tells the caller of its files. Gives the index of the next file. */
static size_t commit_shared(struct importer *importer, size_t next)
{
    struct xylem_error err;
    int code = xylem_commit(importer->shared.txn, &err);
    importer->shared.txn = NULL;
    if (code < 0 && code != XYLEM_E_OUTCOME_UNKNOWN && !importer->stopped) {
        size_t count = importer->pending_count;
        return start_over(importer, count > 0 ? importer->pending[count - 1].index : importer->index, code);
    }
    for (size_t i = 0; code < 0 && i < importer->pending_count; i++) {
        importer->pending[i].code = code;
        importer->pending[i].err = err;
    }
    share_anew(importer);
    for (size_t i = 0; i < importer->pending_count; i++) {
        tell(importer, &importer->pending[i]);
    }
    importer->pending_count = 0;
    return next;
}

/* Imports a file, in the shared transaction if there is something to write. Gives the index of the next file. */
static size_t import_shared(struct importer *importer, size_t index)
{
    struct pending *file = &importer->pending[importer->pending_count];
    struct xylem_jsonl__call call = {.report = &file->report,
                                     .store = importer->store,
                                     .path = importer->paths[index],
                                     .options = importer->file_options,
                                     .shared = &importer->shared};
    *file = (struct pending){.index = index};
    importer->shared.wrote = false;
    file->code = xylem_jsonl__attempt(&call, &file->err);
    if (file->code == XYLEM_JSONL__WANTS_TXN) {
        file->code = xylem_begin(&importer->shared.txn, importer->store, XYLEM_WRITE, &file->err);
        if (file->code == XYLEM_OK) {
            xylem_store__piece_begin(&importer->piece);
            xylem_import_report_release(&file->report);
            return index;
        }
    }
    int code = file->code;
    if (code == XYLEM_JSONL__WANTS_ROOM || (code < 0 && importer->shared.wrote)) {
        xylem_import_report_release(&file->report);
        if (importer->shared.wrote) {
            return start_over(importer, index, code < 0 ? code : XYLEM_E_LIMIT);
        }
        return importer->shared.txn ? commit_shared(importer, index) : import_alone(importer, index);
    }
    if (!importer->shared.txn) {
        tell(importer, file);
        return index + 1;
    }
    importer->piece.written = ++importer->pending_count; /* the bytes are counted by `bytes_left` */
    bool full = importer->pending_count == SHARED_FILES_MAX || xylem_store__piece_full(&importer->piece);
    return full ? commit_shared(importer, index + 1) : index + 1;
}

int xylem_import_files(struct xylem_store *store, const char *const *paths, size_t path_count,
                       const struct xylem_import_options *options,
                       int (*imported)(void *context, const struct xylem_imported *file), struct xylem_error *err)
{
    bool complete = store && imported && (paths || path_count == 0);
    for (size_t i = 0; complete && i < path_count; i++) {
        complete = paths[i] != NULL;
    }
    if (!complete) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "an import needs a store, paths, and a callback for each file");
    }
    struct importer importer = {.store = store, .paths = paths, .imported = imported, .begun = SIZE_MAX};
    if (options) {
        importer.options = *options;
    }
    importer.file_options = importer.options;
    importer.file_options.progress = progressed;
    importer.file_options.context = &importer;
    size_t pending_max = path_count < SHARED_FILES_MAX ? path_count : SHARED_FILES_MAX;
    importer.pending = calloc(pending_max > 0 ? pending_max : 1, sizeof *importer.pending);
    if (!importer.pending) {
        return xylem_base__fail_memory(err);
    }
    share_anew(&importer);
    for (size_t next = 0; next < path_count && !importer.stopped;) {
        struct xylem_import_progress begun = {.path = paths[next]};
        bool known = importer.begun == next;
        importer.index = next;
        importer.begun = next;
        if (!known) {
            progressed(&importer, &begun);
        }
        if (!importer.stopped) {
            next = next < importer.alone_end ? import_alone(&importer, next) : import_shared(&importer, next);
        }
        if (importer.shared.txn && (next == path_count || importer.stopped)) {
            next = commit_shared(&importer, next);
        }
    }
    free(importer.pending);
    return importer.stopped ? xylem_base__fail(err, XYLEM_E_STOPPED, "the import was stopped by the caller") : XYLEM_OK;
}
