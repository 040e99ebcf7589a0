/*
 * Imports a session file, in these steps:
 *
 *     open, header     the session's id, the format version
 *     catch up         NEW, GREW or CHANGED; nothing to do: the import ends here
 *     first pass       an index of all lines
 *     resume           GREW: mark the rows of earlier imports
 *     find source      NEW: the session from which this session was forked
 *     batch            create or check the session, place rows, write ids and bookmark, commit
 *     batch            ...
 *     last batch       the same; then the session becomes visible and its leaf moves
 *
 * A failed batch leaves nothing in the store. The batches before it stay, and the next import goes on from the
 * bookmark. A batch that finds another import's work in the store fails with CONFLICT, and the whole import begins
 * again.
 */
#include "jsonl/import.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "jsonl/share.h"

#define BATCH_BYTES_DEFAULT (32u * 1048576u)
/* A repeated attempt means that another import committed something, so each attempt has less to do. */
#define ATTEMPTS_MAX 64

static int fail_conflict(struct xylem_jsonl__import *import, struct xylem_error *err)
{
    import->overtaken = true;
    return xylem_base__fail(err, XYLEM_E_CONFLICT, "%s: another import of session %.*s changed the session",
                            import->file.path, xylem_base__shown_bytes(import->header.id),
                            xylem_base__shown(import->header.id));
}

/* Creates the session. Readers do not see the session before the last batch. */
static int create_session(struct xylem_jsonl__import *import, struct xylem_error *err)
{
    struct xylem_session session;
    int code = xylem_store__session_find_any(&session, import->txn, import->header.id, err);
    if (code != XYLEM_E_NOT_FOUND) {
        return code < 0 ? code : fail_conflict(import, err);
    }
    session = (struct xylem_session){.id = import->header.id,
                                     .cwd = import->header.cwd,
                                     .parent = import->header.parent_session,
                                     .header = xylem_jsonl__header_kept(&import->header),
                                     .created_ms = import->header.created_ms,
                                     .state = XYLEM_SESSION_IMPORTING};
    if ((code = xylem_jsonl__share(&session, import, err)) < 0 ||
        (code = xylem_store__session_add(import->txn, &session, err)) < 0) {
        return code;
    }
    import->progress.session = session.number;
    return XYLEM_OK;
}

/* Makes sure that the session is as this import left it, or as the first batch of this import expects it. */
static int check_session(struct xylem_jsonl__import *import, bool first_batch, struct xylem_error *err)
{
    struct xylem_session session;
    int code = xylem_session_read(&session, import->txn, import->progress.session, err);
    bool gone = code == XYLEM_E_NOT_FOUND ||
                (code == XYLEM_OK && (session.state == XYLEM_SESSION_FREED || session.state == XYLEM_SESSION_DELETED));
    if (gone) {
        return xylem_base__fail(err, XYLEM_E_DELETED, "%s: session %.*s was deleted during the import",
                                import->file.path, xylem_base__shown_bytes(import->header.id),
                                xylem_base__shown(import->header.id));
    }
    if (code < 0 || (code = xylem_store__lease_check(import->txn, &session, err)) < 0) {
        return code;
    }
    if (!first_batch && session.last_lsn == import->progress.last_lsn) {
        return XYLEM_OK; /* nobody appended; overwriting the bookmark of another import loses nothing */
    }
    if (import->mode == XYLEM_JSONL__MODE_NEW) {
        return fail_conflict(import, err); /* the import of a new session does not look for ids in the session */
    }
    struct xylem_store__source source;
    code = xylem_store__source_read(&source, import->txn, session.number, xylem_view_of(import->file.path), err);
    if (code < 0) {
        return code;
    }
    bool same = (code == 1) == import->bookmark.known;
    if (same && code == 1) {
        same = source.bytes == import->bookmark.bytes && source.hash == import->bookmark.hash;
    }
    return same ? XYLEM_OK : fail_conflict(import, err);
}

/* Gives the torn line at the end of the file to the bookmark, unless the line is too long or a redacted entry. */
static int keep_tail(struct xylem_store__source *source, struct xylem_jsonl__import *import, struct xylem_error *err)
{
    if (source->tail_bytes == 0 || source->tail_bytes > XYLEM_LINE_BYTES_MAX) {
        return XYLEM_OK;
    }
    int code = xylem_jsonl__window_see(&source->tail, &import->far, &import->file, source->bytes,
                                       (size_t)source->tail_bytes, err);
    if (code < 0) {
        return code;
    }
    source->tail.bytes = (size_t)source->tail_bytes;
    code = xylem_jsonl__redacted_line(import, source->tail, err);
    source->tail.bytes = code == 0 ? source->tail.bytes : 0;
    return code < 0 ? code : XYLEM_OK;
}

/* Writes how much of the file is consumed: up to the cursor, or (`last`) up to the end of the index. */
static int write_bookmark(struct xylem_jsonl__bookmark *written, struct xylem_jsonl__import *import, bool last,
                          struct xylem_error *err)
{
    const struct xylem_jsonl__index *index = &import->index;
    uint32_t cursor = import->progress.cursor;
    assert(last || cursor < index->row_count);
    struct xylem_store__source source = {.name = xylem_view_of(import->file.path), .order = import->bookmark.order};
    source.bytes = last ? index->end_offset : xylem_jsonl__row_offset(xylem_jsonl__index_row(index, cursor));
    source.lines = (uint64_t)cursor + 1;
    int code = xylem_jsonl__prefix_to(&import->prefix, &import->file, source.bytes, err);
    if (code < 0) {
        return code;
    }
    source.hash = xylem_format__hasher_sum(import->prefix.hasher);
    if (last) {
        source.unterminated = index->unterminated;
        source.tail_bytes = import->file.bytes - index->end_offset;
    }
    xylem_jsonl__sort_lsns(&import->displaced);
    source.displaced = import->displaced.items;
    source.displaced_count = import->displaced.count;
    if ((code = keep_tail(&source, import, err)) == XYLEM_OK) {
        code = xylem_store__source_write(import->txn, import->progress.session, &source, err);
    }
    xylem_jsonl__window_trim(&import->far);
    *written = xylem_jsonl__bookmark_of(&source);
    return code;
}

/* The position of the entry of the file's last line with an entry: 1, or 0 if no line has an entry. */
static int last_entry(struct xylem_position *position, struct xylem_jsonl__import *import, struct xylem_error *err)
{
    const unsigned no_entry = XYLEM_JSONL__PROBLEM_MASK | XYLEM_JSONL__REFUSED;
    uint32_t row = import->progress.last_row;
    if (row == XYLEM_JSONL__NO_ROW && import->mode == XYLEM_JSONL__MODE_GREW) {
        row = import->index.row_count; /* an earlier import may have placed the line: look from the end */
        do {
            row = row > 0 ? row - 1 : XYLEM_JSONL__NO_ROW;
        } while (row != XYLEM_JSONL__NO_ROW && (xylem_jsonl__index_row(&import->index, row)->state & no_entry) != 0);
    }
    if (row == XYLEM_JSONL__NO_ROW) {
        return 0;
    }
    struct xylem_jsonl__id id;
    int code;
    if ((code = xylem_jsonl__index_id(&id, &import->index, row, err)) < 0 ||
        (code = xylem_find(position, import->txn, import->progress.session, xylem_jsonl__id_view(&id), err)) < 0) {
        return code;
    }
    return 1;
}

/* 1 if this import may move the leaf, else 0. An import that added nothing, maybe of an old copy, may not. */
static int may_move_leaf(const struct xylem_session *session, struct xylem_position last,
                         const struct xylem_jsonl__import *import, struct xylem_error *err)
{
    if (import->report->added_count > 0 || session->state == XYLEM_SESSION_IMPORTING) {
        return 1;
    }
    if (import->mode == XYLEM_JSONL__MODE_CHANGED || xylem_format__position_none(session->imported_leaf)) {
        return import->bookmark.known;
    }
    /* An entry newer than the imported leaf came from an import that was broken off, or from the host. */
    struct xylem_entry entry;
    struct xylem_entry before;
    int code;
    if ((code = xylem_entry_read(&entry, import->txn, last, err)) < 0 ||
        (code = xylem_entry_read(&before, import->txn, session->imported_leaf, err)) < 0) {
        return code;
    }
    return entry.lsn > before.lsn;
}

/* Makes the session visible, and moves its leaf if nobody moved it since the last import. */
static int finish_session(struct xylem_jsonl__import *import, struct xylem_error *err)
{
    struct xylem_position last;
    struct xylem_session session;
    int code;
    int moves = last_entry(&last, import, err);
    if (moves < 0) {
        return moves;
    }
    if ((code = xylem_session_read(&session, import->txn, import->progress.session, err)) < 0) {
        return code;
    }
    if (moves == 1 && (moves = may_move_leaf(&session, last, import, err)) < 0) {
        return moves;
    }
    if (moves == 1) {
        bool added = import->report->added_count > 0;
        bool untouched = session.state == XYLEM_SESSION_IMPORTING ||
                         xylem_format__position_equal(session.leaf, session.imported_leaf);
        import->report->leaf_stayed = added && !untouched && !xylem_format__position_equal(session.leaf, last);
        session.leaf = untouched ? last : session.leaf;
        session.imported_leaf = last;
    }
    session.state = XYLEM_SESSION_LIVE;
    return xylem_store__session_write(import->txn, &session, err);
}

/* One batch in an open transaction. Sets `last` if the batch came to the end of the file. */
static int fill_batch(struct xylem_jsonl__bookmark *written, bool *last, struct xylem_jsonl__import *import,
                      bool first_batch, struct xylem_error *err)
{
    bool changed = import->mode == XYLEM_JSONL__MODE_CHANGED;
    struct xylem_view path = xylem_view_of(import->file.path);
    int code = import->progress.session == 0 ? create_session(import, err) : check_session(import, first_batch, err);
    if (code < 0) {
        return code;
    }
    if (first_batch && changed &&
        ((code = xylem_store__quarantine_retire(import->txn, import->progress.session, path, err)) < 0 ||
         (code = xylem_jsonl__match_header(import, err)) < 0)) {
        return code;
    }
    xylem_jsonl__batch_begin(import); /* after create_session(): the cursor is behind the shared lines */
    if ((code = xylem_jsonl__place_batch(import, err)) < 0 || (code = xylem_jsonl__batch_write_ids(import, err)) < 0) {
        return code;
    }
    *last = import->progress.cursor == import->index.row_count;
    *written = import->bookmark;
    if (*last && changed && (code = xylem_jsonl__find_lineless(import, err)) < 0) {
        return code;
    }
    /* A changed file is matched from its first line again until all batches are done: no bookmark before. */
    if ((*last || !changed) && (code = write_bookmark(written, import, *last, err)) < 0) {
        return code;
    }
    struct xylem_session session;
    if ((code = xylem_session_read(&session, import->txn, import->progress.session, err)) < 0) {
        return code;
    }
    import->progress.last_lsn = session.last_lsn;
    return *last ? finish_session(import, err) : XYLEM_OK;
}

/* Takes back the traces in memory of a batch that was not committed. */
static void undo_batch(struct xylem_jsonl__import *import, const struct xylem_jsonl__progress *progress,
                       const struct xylem_import_report *report)
{
    struct xylem_import_report now = *import->report;
    import->progress = *progress;
    *import->report = *report;
    import->report->problems = now.problems;
    import->report->storage = now.storage;
    for (size_t i = 0; i < import->ahead.count; i++) {
        xylem_jsonl__index_row(&import->index, import->ahead.rows[i])->state &= (uint16_t)~XYLEM_JSONL__AHEAD;
    }
    xylem_jsonl__forget_lsns(import);
    xylem_jsonl__run_clear(&import->run);
}

/* Commits one batch. After a full map the batch is repeated with a larger map. */
static int run_batch(bool *last, struct xylem_jsonl__import *import, bool first_batch, struct xylem_error *err)
{
    struct xylem_jsonl__progress progress = import->progress;
    struct xylem_import_report report = *import->report;
    struct xylem_jsonl__bookmark written;
    progress.batch_bytes = 0;
    for (int growths = 0;; growths++) {
        import->progress.batch_bytes = 0;
        import->ahead.count = 0;
        int code = xylem_begin(&import->txn, import->store, XYLEM_WRITE, err);
        if (code < 0) {
            return code;
        }
        code = fill_batch(&written, last, import, first_batch, err);
        if (code < 0) {
            xylem_abort(import->txn);
        } else {
            code = xylem_commit(import->txn, err);
        }
        import->txn = NULL;
        if (code == XYLEM_OK) {
            import->bookmark = written;
            return XYLEM_OK;
        }
        undo_batch(import, &progress, &report);
        if (code != XYLEM_E_MAP_FULL || growths == XYLEM_STORE__MAP_GROWTHS_MAX) {
            return code;
        }
    }
}

/* Puts the file into the shared transaction, as one batch. */
static int run_shared(bool *last, struct xylem_jsonl__import *import, struct xylem_error *err)
{
    struct xylem_jsonl__shared *shared = import->shared;
    struct xylem_jsonl__bookmark written;
    shared->wrote = true;
    import->txn = shared->txn;
    int code = fill_batch(&written, last, import, true, err);
    import->txn = NULL;
    if (code < 0) {
        return code;
    }
    return *last ? XYLEM_OK : XYLEM_JSONL__WANTS_ROOM;
}

static int run_batches(struct xylem_jsonl__import *import, struct xylem_error *err)
{
    bool last = false;
    for (bool first = true; !last; first = false) {
        int code = import->shared ? run_shared(&last, import, err) : run_batch(&last, import, first, err);
        if (code != XYLEM_OK) {
            return code;
        }
        import->report->session = import->progress.session;
        if (!import->options.progress) {
            continue;
        }
        struct xylem_import_progress progress = {.path = import->file.path, .bytes_total = import->file.bytes};
        progress.bytes_done =
            last ? import->file.bytes
                 : xylem_jsonl__row_offset(xylem_jsonl__index_row(&import->index, import->progress.cursor));
        if (import->options.progress(import->options.context, &progress) != 0 && !last) {
            return xylem_base__fail(err, XYLEM_E_STOPPED, "%s: the import was stopped after %" PRIu64 " bytes",
                                    import->file.path, progress.bytes_done);
        }
    }
    return XYLEM_OK;
}

/* Reports the end of the file: consumed lines end at `offset`, and `line` is the number of the line there. */
static int report_end(struct xylem_import_report *report, uint64_t line, uint64_t offset, struct xylem_error *err)
{
    report->unconsumed_bytes = report->file_bytes - offset;
    report->line_count = line - 1;
    if (report->unconsumed_bytes == 0) {
        return XYLEM_OK;
    }
    struct xylem_view none = {NULL, 0};
    report->line_count = line;
    return xylem_jsonl__report_problem(report, XYLEM_IMPORT_TORN, false, line, offset, none, err);
}

/* Reads the lines of the file, and places all lines that the session does not have. */
static int read_and_place(struct xylem_jsonl__import *import, struct xylem_error *err)
{
    struct xylem_jsonl__index *index = &import->index;
    index->file = &import->file;
    index->version = import->header.version;
    import->parser.whole_trees = import->header.version < 3; /* a migration needs all members of a line */
    index->session_id = import->header.id;
    index->hash = xylem_format__hash;
    index->first_offset = import->header.line_bytes;
    index->unterminated = !import->header.terminated;
    int code = xylem_jsonl__index_build(index, err);
    if (code == XYLEM_OK && import->mode == XYLEM_JSONL__MODE_GREW) {
        code = xylem_jsonl__resume(import, err);
        if (code == 0) {
            xylem_jsonl__match_all(import);
        }
    } else if (code == XYLEM_OK && import->mode == XYLEM_JSONL__MODE_NEW) {
        code = xylem_jsonl__find_source(import, err);
    }
    if (code < 0 || (code = report_end(import->report, (uint64_t)index->row_count + 2, index->end_offset, err)) < 0) {
        return code;
    }
    bool fresh = import->mode == XYLEM_JSONL__MODE_NEW || import->importing;
    bool grew = import->mode == XYLEM_JSONL__MODE_GREW;
    import->report->outcome = fresh ? XYLEM_IMPORT_NEW : grew ? XYLEM_IMPORT_GREW : XYLEM_IMPORT_CHANGED;
    return run_batches(import, err);
}

static int import_file(struct xylem_jsonl__import *import, const char *path, struct xylem_error *err)
{
    struct xylem_jsonl__shared *shared = import->shared;
    int code = xylem_jsonl__file_open(&import->file, path, err);
    if (code == XYLEM_OK && shared && import->file.bytes > shared->bytes_left) {
        return XYLEM_JSONL__WANTS_ROOM;
    }
    if (code < 0 || (code = xylem_jsonl__header_read(&import->header, &import->file, err)) < 0) {
        return code;
    }
    import->report->version = import->header.version;
    import->report->file_bytes = import->file.bytes;
    memcpy(import->report->session_id, import->header.id.data, import->header.id.bytes);
    code = xylem_jsonl__catch_up(import, err);
    if (code == 1 && shared && !shared->txn) {
        return XYLEM_JSONL__WANTS_TXN;
    }
    if (code == 1) {
        code = read_and_place(import, err);
    } else if (code == 0 && import->report->outcome == XYLEM_IMPORT_UNCHANGED) {
        code = report_end(import->report, import->bookmark.lines + 1, import->bookmark.bytes, err);
    }
    xylem_jsonl__report_sort(import->report);
    if (shared && shared->txn) {
        uint64_t lines = import->progress.batch_bytes; /* short lines count for more than their bytes */
        uint64_t taken = lines > import->file.bytes ? lines : import->file.bytes;
        shared->bytes_left -= taken < shared->bytes_left ? taken : shared->bytes_left;
    }
    return code;
}

static void import_free(struct xylem_jsonl__import *import)
{
    xylem_jsonl__file_close(&import->file);
    xylem_jsonl__header_release(&import->header);
    xylem_jsonl__index_release(&import->index);
    xylem_buffer_release(&import->source_id);
    xylem_buffer_release(&import->tail);
    xylem_jsonl__prefix_release(&import->prefix);
    free(import->displaced.items);
    free(import->before.items);
    free(import->ahead.rows);
    xylem_jsonl__run_release(&import->run);
    free(import->ids.list);
    xylem_jsonl__redacted_forget(&import->redacted);
    free(import->batch.positions);
    xylem_jsonl__parser_release(&import->parser);
    xylem_jsonl__window_release(&import->near);
    xylem_jsonl__window_release(&import->far);
    xylem_buffer_release(&import->migrated);
    xylem_buffer_release(&import->stored);
    free(import);
}

static int attempt(bool *overtaken, struct xylem_import_report *report, struct xylem_store *store, const char *path,
                   const struct xylem_import_options *options, struct xylem_jsonl__shared *shared,
                   struct xylem_error *err)
{
    struct xylem_jsonl__import *import = calloc(1, sizeof *import);
    if (!import) {
        return xylem_base__fail_memory(err);
    }
    import->store = store;
    import->shared = shared;
    import->report = report;
    import->file.fd = -1;
    if (options) {
        import->options = *options;
    }
    if (import->options.batch_bytes == 0) {
        import->options.batch_bytes = BATCH_BYTES_DEFAULT;
    }
    import->far.step_bytes = 4096; /* far lines lie apart: a longer read would bring nothing of use */
    import->progress.last_row = XYLEM_JSONL__NO_ROW;
    import->progress.placed_row = XYLEM_JSONL__NO_ROW;
    int code = import_file(import, path, err);
    *overtaken = import->overtaken;
    import_free(import);
    return code;
}

int xylem_jsonl__import_shared(struct xylem_import_report *report, struct xylem_store *store, const char *path,
                               const struct xylem_import_options *options, struct xylem_jsonl__shared *shared,
                               struct xylem_error *err)
{
    bool overtaken = false;
    int code = attempt(&overtaken, report, store, path, options, shared, err);
    assert(!overtaken); /* the shared transaction is the only writer */
    return code;
}

int xylem_import(struct xylem_import_report *report, struct xylem_store *store, const char *path,
                 const struct xylem_import_options *options, struct xylem_error *err)
{
    memset(report, 0, sizeof *report);
    if (!store || !path) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "an import needs a store and a path");
    }
    bool overtaken = false;
    int code = attempt(&overtaken, report, store, path, options, NULL, err);
    for (int attempts = 1; overtaken && attempts < ATTEMPTS_MAX; attempts++) {
        struct xylem_import_report earlier = *report;
        xylem_jsonl__report_again(report);
        overtaken = false;
        code = attempt(&overtaken, report, store, path, options, NULL, err);
        xylem_jsonl__report_join(report, &earlier);
    }
    return code;
}
