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
#include "travel/jsonl/import.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "xylem/branch.h"

/* A repeated attempt means that another import committed something, so each attempt has less to do. */
#define ATTEMPTS_MAX 64

static int fail_conflict(struct xylem_jsonl__import *import, struct xylem_error *err)
{
    import->call->overtaken = true;
    return xylem_base__fail(err, XYLEM_E_CONFLICT, "%s: another import of session %.*s changed the session",
                            import->reader.file.path, XYLEM_BASE__SHOWN(import->reader.header.id));
}

int xylem_jsonl__create_session(struct xylem_jsonl__import *import, enum xylem_session_state state,
                                struct xylem_error *err)
{
    const struct xylem_jsonl__header *header = &import->reader.header;
    struct xylem_txn *txn = import->placing.batch.txn;
    struct xylem_session session;
    int code = xylem_store__session_find_any(&session, txn, header->id, err);
    if (code != XYLEM_E_NOT_FOUND) {
        return code < 0 ? code : fail_conflict(import, err);
    }
    session = (struct xylem_session){.id = header->id,
                                     .cwd = header->cwd,
                                     .parent = header->parent_session,
                                     .header = header->kept,
                                     .created_ms = header->created_ms,
                                     .state = state};
    if ((code = xylem_jsonl__share(&session, import, err)) < 0) {
        return code;
    }
    session.leaf = session.base;
    session.imported_leaf = session.base;
    if ((code = xylem_store__session_add(txn, &session, err)) < 0) {
        return code;
    }
    import->placing.progress.session = session.number;
    return XYLEM_OK;
}

/* Makes sure that the session is as this import left it, or as the first batch of this import expects it. */
static int check_session(struct xylem_jsonl__import *import, bool first_batch, struct xylem_error *err)
{
    const struct xylem_jsonl__placing *placing = &import->placing;
    const struct xylem_jsonl__bookmark *bookmark = &import->bookmark;
    const char *path = import->reader.file.path;
    struct xylem_txn *txn = placing->batch.txn;
    struct xylem_session session;
    int code = xylem_session_read(&session, txn, placing->progress.session, err);
    if (code == XYLEM_E_NOT_FOUND ||
        (code == XYLEM_OK && (session.state == XYLEM_SESSION_FREED || session.state == XYLEM_SESSION_DELETED))) {
        return xylem_base__fail(err, XYLEM_E_DELETED, "%s: session %.*s was deleted during the import", path,
                                XYLEM_BASE__SHOWN(import->reader.header.id));
    }
    if (code < 0 || (code = xylem_store__lease_check(txn, &session, err)) < 0) {
        return code;
    }
    if (!first_batch && session.last_lsn == placing->progress.last_lsn) {
        return XYLEM_OK; /* nobody appended; overwriting the bookmark of another import loses nothing */
    }
    if (placing->mode == XYLEM_JSONL__MODE_NEW) {
        return fail_conflict(import, err); /* the import of a new session does not look for ids in the session */
    }
    struct xylem_store__source source;
    if ((code = xylem_store__source_read(&source, txn, session.number, xylem_view_of(path), err)) < 0) {
        return code;
    }
    bool same = code == 1 ? bookmark->known && source.bytes == bookmark->bytes && source.hash == bookmark->hash
                          : !bookmark->known;
    return same ? XYLEM_OK : fail_conflict(import, err);
}

/* True if all lines are dealt with. */
static bool at_end(const struct xylem_jsonl__import *import)
{
    return import->placing.progress.cursor == import->reader.index.row_count;
}

/* Notes what the next import needs to read only the growth of the file. The hash covers the consumed bytes. */
static int note_growth(struct xylem_store__growth *growth, struct xylem_jsonl__import *import, struct xylem_error *err)
{
    const struct xylem_jsonl__file *file = &import->reader.file;
    const struct xylem_jsonl__index *index = &import->reader.index;
    const struct xylem_jsonl__progress *progress = &import->placing.progress;
    struct xylem_session session;
    uint64_t line = 0; /* the header */
    int code;
    if (index->row_count > 0) {
        line = xylem_jsonl__index_offset(index, index->row_count - 1);
    } else if (import->only_tail) {
        line = import->bookmark.bytes - import->bookmark.growth.line_bytes;
    }
    *growth = (struct xylem_store__growth){.known = true,
                                           .device = file->device,
                                           .inode = file->inode,
                                           .modified_ns = file->modified_ns,
                                           .changed_ns = file->changed_ns,
                                           .chain = import->prefix.chain,
                                           .line_bytes = index->end_offset - line,
                                           .placed_count = progress->placed_count,
                                           .lsn_max = progress->lsn_max};
    if ((code = xylem_jsonl__hash_part(&growth->line_hash, file, line, growth->line_bytes, err)) < 0 ||
        (code = xylem_session_read(&session, import->placing.batch.txn, progress->session, err)) < 0 ||
        (code = xylem_jsonl__last_entry(&growth->last, import, err)) < 0) {
        return code;
    }
    growth->last_lsn = session.last_lsn;
    if (!xylem_format__position_none(session.base)) { /* the entries may all be shared: `last_lsn` is 0 */
        struct xylem_entry base;
        if ((code = xylem_entry_read(&base, import->placing.batch.txn, session.base, err)) < 0) {
            return code;
        }
        growth->last_lsn = base.lsn > growth->last_lsn ? base.lsn : growth->last_lsn;
    }
    return XYLEM_OK;
}

/* Writes how much of the file is consumed: up to the cursor, or up to the end of the index. */
static int write_bookmark(struct xylem_jsonl__bookmark *written, struct xylem_jsonl__import *import,
                          struct xylem_error *err)
{
    struct xylem_jsonl__reader *reader = &import->reader;
    struct xylem_jsonl__placing *placing = &import->placing;
    struct xylem_store__source source = {.name = xylem_view_of(reader->file.path), .order = import->bookmark.order};
    source.lines = reader->index.first_line - 1 + placing->progress.cursor;
    if (at_end(import)) {
        source.bytes = reader->index.end_offset;
        source.unterminated = reader->index.unterminated;
        source.tail_bytes = reader->file.bytes - source.bytes;
    } else {
        source.bytes = xylem_jsonl__index_offset(&reader->index, placing->progress.cursor);
    }
    int code = xylem_jsonl__prefix_to(&import->prefix, &reader->file, source.bytes, err);
    if (code < 0) {
        return code;
    }
    source.hash = xylem_format__hasher_sum(import->prefix.hasher);
    if (at_end(import) && reader->header.version == 3 && (code = note_growth(&source.growth, import, err)) < 0) {
        return code;
    }
    xylem_jsonl__sort_lsns(&placing->displaced);
    source.displaced = placing->displaced.items;
    source.displaced_count = placing->displaced.count;
    /* The bookmark keeps the torn line, unless the line is too long or a redacted entry. */
    if (source.tail_bytes > 0 && source.tail_bytes <= XYLEM_LINE_BYTES_MAX) {
        struct xylem_view tail;
        code =
            xylem_jsonl__window_see(&tail, &reader->far, &reader->file, source.bytes, (size_t)source.tail_bytes, err);
        tail.bytes = (size_t)source.tail_bytes;
        if (code < 0 || (code = xylem_jsonl__redacted_line(placing, tail, err)) < 0) {
            return code;
        }
        source.tail = code == 0 ? tail : source.tail;
    }
    code = xylem_store__source_write(placing->batch.txn, placing->progress.session, &source, err);
    xylem_jsonl__window_trim(&reader->far);
    *written = xylem_jsonl__bookmark_of(&source);
    if (!at_end(import)) {
        written->growth.last = import->bookmark.growth.last; /* the batches behind may have no entry */
    }
    return code;
}

int xylem_jsonl__last_entry(struct xylem_position *position, struct xylem_jsonl__import *import,
                            struct xylem_error *err)
{
    const unsigned no_entry = XYLEM_JSONL__PROBLEM_MASK | XYLEM_JSONL__REFUSED;
    const struct xylem_jsonl__placing *placing = &import->placing;
    struct xylem_jsonl__index *index = &import->reader.index;
    uint32_t row = placing->progress.last_row;
    if (row == XYLEM_JSONL__NO_ROW && import->only_tail) {
        *position = import->bookmark.growth.last;
        return !xylem_format__position_none(*position);
    }
    if (row != XYLEM_JSONL__NO_ROW && row == placing->progress.placed_row) {
        *position = placing->progress.placed;
        return 1;
    }
    if (row == XYLEM_JSONL__NO_ROW && placing->mode == XYLEM_JSONL__MODE_GREW) {
        row = index->row_count; /* an earlier import may have placed the line: look from the end */
        do {
            row = row > 0 ? row - 1 : XYLEM_JSONL__NO_ROW;
        } while (row != XYLEM_JSONL__NO_ROW && (xylem_jsonl__index_row(index, row)->state & no_entry) != 0);
    }
    if (row == XYLEM_JSONL__NO_ROW) {
        return 0;
    }
    struct xylem_jsonl__id id;
    int code = xylem_jsonl__index_id(&id, index, row, err);
    if (code == XYLEM_OK) {
        code = xylem_find(position, placing->batch.txn, placing->progress.session, xylem_jsonl__id_view(&id), err);
    }
    return code < 0 ? code : 1;
}

/* 1 if this import may move the leaf, else 0. An import that added nothing, maybe of an old copy, may not. */
static int may_move_leaf(const struct xylem_session *session, struct xylem_position last,
                         const struct xylem_jsonl__import *import, struct xylem_error *err)
{
    struct xylem_txn *txn = import->placing.batch.txn;
    if (import->call->report->added_count > 0 || session->state == XYLEM_SESSION_IMPORTING) {
        return 1;
    }
    if (import->placing.mode == XYLEM_JSONL__MODE_CHANGED || xylem_format__position_none(session->imported_leaf)) {
        return import->bookmark.known;
    }
    /* An entry newer than the imported leaf came from an import that was broken off, or from the host. */
    struct xylem_entry entry;
    struct xylem_entry before;
    int code;
    if ((code = xylem_entry_read(&entry, txn, last, err)) < 0 ||
        (code = xylem_entry_read(&before, txn, session->imported_leaf, err)) < 0) {
        return code;
    }
    return entry.lsn > before.lsn;
}

/*
 * Makes the session visible, and moves its leaf if nobody moved it since the last import. The row of the source, written
 * before, is the change of the session that the feed tells.
 */
static int finish_session(struct xylem_session *session, struct xylem_jsonl__import *import, struct xylem_error *err)
{
    struct xylem_position last;
    struct xylem_position before = session->leaf;
    int moves = xylem_jsonl__last_entry(&last, import, err);
    if (moves < 0 || (moves == 1 && (moves = may_move_leaf(session, last, import, err)) < 0)) {
        return moves;
    }
    if (moves == 1) {
        bool added = import->call->report->added_count > 0;
        bool untouched = session->state == XYLEM_SESSION_IMPORTING ||
                         xylem_format__position_equal(session->leaf, session->imported_leaf);
        import->call->report->leaf_stayed = added && !untouched && !xylem_format__position_equal(session->leaf, last);
        session->leaf = untouched ? last : session->leaf;
        session->imported_leaf = last;
    }
    session->state = XYLEM_SESSION_LIVE;
    int code = xylem_store__session_write(import->placing.batch.txn, session, err);
    return code < 0 || xylem_format__position_equal(session->leaf, before)
               ? code
               : xylem_store__outline_notice(import->placing.batch.txn, session->number, err);
}

/* One batch in an open transaction. */
static int fill_batch(struct xylem_jsonl__bookmark *written, struct xylem_jsonl__import *import, bool first_batch,
                      struct xylem_error *err)
{
    struct xylem_jsonl__placing *placing = &import->placing;
    struct xylem_jsonl__progress *progress = &placing->progress;
    struct xylem_txn *txn = placing->batch.txn;
    bool changed = placing->mode == XYLEM_JSONL__MODE_CHANGED;
    struct xylem_view path = xylem_view_of(import->reader.file.path);
    struct xylem_session session;
    int code = progress->session == 0 ? xylem_jsonl__create_session(import, XYLEM_SESSION_IMPORTING, err)
                                      : check_session(import, first_batch, err); /* readers see whole sessions */
    if (code < 0 ||
        (first_batch && changed &&
         ((code = xylem_store__quarantine_retire(txn, progress->session, path, err)) < 0 ||
          (code = xylem_jsonl__match_header(placing, err)) < 0)) ||
        (code = xylem_jsonl__place_batch(placing, err)) < 0) {
        return code;
    }
    bool last = at_end(import);
    *written = import->bookmark;
    /* A changed file is matched from its first line again until all batches are done: no bookmark before. */
    if ((last && changed && (code = xylem_jsonl__find_lineless(import, err)) < 0) ||
        ((last || !changed) && (code = write_bookmark(written, import, err)) < 0) ||
        (code = xylem_session_read(&session, txn, progress->session, err)) < 0) {
        return code;
    }
    progress->last_lsn = session.last_lsn;
    return last ? finish_session(&session, import, err) : XYLEM_OK;
}

/* Takes back the traces in memory of a batch that was not committed. */
static void undo_batch(struct xylem_jsonl__placing *placing, const struct xylem_jsonl__progress *progress,
                       const struct xylem_import_report *report)
{
    struct xylem_import_report now = *placing->report;
    placing->progress = *progress;
    *placing->report = *report;
    placing->report->problems = now.problems;
    placing->report->storage = now.storage;
    for (size_t i = 0; i < placing->batch.ahead_count; i++) {
        xylem_jsonl__index_row(&placing->reader->index, placing->batch.ahead[i])->state &=
            (uint16_t)~XYLEM_JSONL__AHEAD;
    }
    xylem_jsonl__forget_lsns(placing);
    xylem_jsonl__run_clear(&placing->batch.run);
}

/* A batch, and what was before it. */
struct batch {
    struct xylem_jsonl__import *import;
    bool first;
    struct xylem_jsonl__bookmark written;
    struct xylem_jsonl__progress progress;
    struct xylem_import_report report;
};

static int write_batch(struct xylem_txn *txn, void *context, struct xylem_error *err)
{
    struct batch *batch = context;
    struct xylem_jsonl__placing *placing = &batch->import->placing;
    if (placing->piece.again) {
        undo_batch(placing, &batch->progress, &batch->report);
    }
    placing->batch.ahead_count = 0;
    placing->batch.txn = txn;
    int code = fill_batch(&batch->written, batch->import, batch->first, err);
    placing->batch.txn = NULL;
    return code;
}

static int run_batch(struct xylem_jsonl__import *import, bool first, struct xylem_error *err)
{
    struct xylem_jsonl__placing *placing = &import->placing;
    struct batch batch = {.import = import, .first = first, .progress = placing->progress, .report = *placing->report};
    int code = xylem_store__write_piece(&placing->piece, import->call->store, write_batch, &batch, err);
    if (code < 0) {
        undo_batch(placing, &batch.progress, &batch.report);
        return code;
    }
    import->bookmark = batch.written;
    return XYLEM_OK;
}

/* Puts the file into the shared transaction, as one batch. */
static int run_shared(struct xylem_jsonl__import *import, struct xylem_error *err)
{
    struct xylem_jsonl__shared *shared = import->call->shared;
    struct xylem_jsonl__bookmark written;
    shared->wrote = true;
    import->placing.batch.txn = shared->txn;
    int code = fill_batch(&written, import, true, err);
    import->placing.batch.txn = NULL;
    return code < 0 || at_end(import) ? code : XYLEM_JSONL__WANTS_ROOM;
}

static int run_batches(struct xylem_jsonl__import *import, struct xylem_error *err)
{
    const struct xylem_jsonl__reader *reader = &import->reader;
    const struct xylem_import_options *options = &import->call->options;
    bool first = true;
    int code = XYLEM_OK;
    /* The first bookmark of a changed file covers the whole file: the bytes are hashed before the lock is taken. */
    if (import->placing.mode == XYLEM_JSONL__MODE_CHANGED &&
        (code = xylem_jsonl__prefix_to(&import->prefix, &reader->file, reader->index.end_offset, err)) < 0) {
        return code;
    }
    do {
        code = import->call->shared ? run_shared(import, err) : run_batch(import, first, err);
        if (code != XYLEM_OK) {
            return code;
        }
        first = false;
        import->call->report->session = import->placing.progress.session;
        if (!options->progress) {
            continue;
        }
        bool last = at_end(import);
        struct xylem_import_progress progress = {.path = reader->file.path, .bytes_total = reader->file.bytes};
        progress.bytes_done =
            last ? reader->file.bytes : xylem_jsonl__index_offset(&reader->index, import->placing.progress.cursor);
        if (options->progress(options->context, &progress) != 0 && !last) {
            return xylem_base__fail(err, XYLEM_E_STOPPED, "%s: the import was stopped after %" PRIu64 " bytes",
                                    reader->file.path, progress.bytes_done);
        }
    } while (!at_end(import));
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
    struct xylem_import_report *report = import->call->report;
    const struct xylem_jsonl__index *index = &import->reader.index;
    uint64_t offset = import->reader.header.line_bytes;
    uint64_t line = 2;
    if (import->only_tail) {
        const struct xylem_jsonl__bookmark *bookmark = &import->bookmark;
        offset = bookmark->bytes + (bookmark->unterminated && bookmark->bytes < report->file_bytes);
        line = bookmark->lines + 1;
    }
    int code = xylem_jsonl__reader_index(&import->reader, offset, line, err);
    if (code == XYLEM_OK && import->only_tail) {
        code = xylem_jsonl__resume_tail(import, err);
        if (code == 0) {
            return XYLEM_JSONL__WANTS_WHOLE;
        }
    } else if (code == XYLEM_OK && import->placing.mode == XYLEM_JSONL__MODE_GREW) {
        code = xylem_jsonl__resume(import, err);
        if (code == 0) {
            xylem_jsonl__match_all(import);
        }
    } else if (code == XYLEM_OK && import->placing.mode == XYLEM_JSONL__MODE_NEW) {
        code = xylem_jsonl__find_source(import, err);
    }
    if (code < 0 || (code = report_end(report, line + index->row_count, index->end_offset, err)) < 0) {
        return code;
    }
    bool fresh = import->placing.mode == XYLEM_JSONL__MODE_NEW || import->importing;
    bool grew = import->placing.mode == XYLEM_JSONL__MODE_GREW;
    report->outcome = fresh ? XYLEM_IMPORT_NEW : grew ? XYLEM_IMPORT_GREW : XYLEM_IMPORT_CHANGED;
    return run_batches(import, err);
}

static int import_file(struct xylem_jsonl__import *import, struct xylem_error *err)
{
    struct xylem_import_report *report = import->call->report;
    struct xylem_jsonl__shared *shared = import->call->shared;
    struct xylem_jsonl__file *file = &import->reader.file;
    struct xylem_jsonl__header *header = &import->reader.header;
    int code = xylem_jsonl__file_open(file, import->call->path, err);
    if (code == XYLEM_OK && shared && file->bytes > shared->bytes_left) {
        return XYLEM_JSONL__WANTS_ROOM;
    }
    if (code < 0 || (code = xylem_jsonl__header_read(header, file, err)) < 0) {
        return code;
    }
    report->version = header->version;
    report->file_bytes = file->bytes;
    memcpy(report->session_id, header->id.data, header->id.bytes);
    code = xylem_jsonl__catch_up(import, err);
    if (code == 1 && shared && !shared->txn) {
        return XYLEM_JSONL__WANTS_TXN;
    }
    if (code == 1) {
        code = read_and_place(import, err);
    } else if (code == 0 && report->outcome == XYLEM_IMPORT_UNCHANGED) {
        code = report_end(report, import->bookmark.lines + 1, import->bookmark.bytes, err);
    }
    xylem_jsonl__report_sort(report);
    if (shared && shared->txn && code != XYLEM_JSONL__WANTS_WHOLE) {
        uint64_t lines = import->placing.piece.written; /* short lines count for more than their bytes */
        uint64_t taken = lines > file->bytes ? lines : file->bytes;
        shared->bytes_left -= taken < shared->bytes_left ? taken : shared->bytes_left;
    }
    return code;
}

struct xylem_jsonl__import *xylem_jsonl__import_new(struct xylem_jsonl__call *call)
{
    struct xylem_jsonl__import *import = malloc(sizeof *import);
    if (!import) {
        return NULL;
    }
    xylem_jsonl__reader_init(&import->reader);
    memset(&import->placing, 0, sizeof *import - offsetof(struct xylem_jsonl__import, placing));
    import->call = call;
    import->placing.reader = &import->reader;
    import->placing.report = call->report;
    import->placing.piece.bytes_max = call->options.batch_bytes;
    import->placing.progress.last_row = XYLEM_JSONL__NO_ROW;
    import->placing.progress.placed_row = XYLEM_JSONL__NO_ROW;
    return import;
}

void xylem_jsonl__import_free(struct xylem_jsonl__import *import)
{
    xylem_jsonl__reader_release(&import->reader);
    xylem_jsonl__placing_release(&import->placing);
    xylem_jsonl__prefix_release(&import->prefix);
    xylem_buffer_release(&import->source_id);
    xylem_buffer_release(&import->tail);
    free(import->before.items);
    free(import);
}

int xylem_jsonl__attempt(struct xylem_jsonl__call *call, struct xylem_error *err)
{
    struct xylem_jsonl__import *import = xylem_jsonl__import_new(call);
    if (!import) {
        return xylem_base__fail_memory(err);
    }
    call->overtaken = false;
    int code = import_file(import, err);
    xylem_jsonl__import_free(import);
    if (code == XYLEM_JSONL__WANTS_WHOLE) {
        call->options.whole = true;
        return xylem_jsonl__attempt(call, err);
    }
    assert(!call->overtaken || !call->shared); /* a shared transaction is the only writer */
    return code;
}

int xylem_import(struct xylem_import_report *report, struct xylem_store *store, const char *path,
                 const struct xylem_import_options *options, struct xylem_error *err)
{
    memset(report, 0, sizeof *report);
    if (!store || !path) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "an import needs a store and a path");
    }
    struct xylem_jsonl__call call = {.report = report, .store = store, .path = path};
    if (options) {
        call.options = *options;
    }
    int code = xylem_jsonl__attempt(&call, err);
    for (int attempts = 1; call.overtaken && attempts < ATTEMPTS_MAX; attempts++) {
        struct xylem_import_report earlier = *report;
        xylem_jsonl__report_again(report);
        code = xylem_jsonl__attempt(&call, err);
        xylem_jsonl__report_join(report, &earlier);
    }
    report->outcome = code < 0 ? XYLEM_IMPORT_FAILED : report->outcome;
    return code;
}
