/*
 * Finds the entries that a fork shares with its source. The file of a fork begins with a path of the source. Each line
 * is compared with the next entry of the path:
 *
 *     source's entries    a <- b <- c <- d
 *     the fork's file     a    b    c    x    y
 *                                   ^ the base: the new session shares a, b and c, and stores x and y only
 *
 * Sharing ends before the first line that is one of:
 * - a line with a problem
 * - a line whose parent is not the line before
 * - a line whose id the source does not have
 * - a line that differs from the source's entry in bytes or parent
 *
 * The shared lines are the first lines of the file, and the shared entries are older than the stored entries. So lsns
 * still ascend with the lines.
 */
#include <assert.h>
#include <string.h>

#include "base/buffer.h"
#include "store/format/record.h"
#include "travel/jsonl/import.h"
#include "travel/jsonl/parent_session.h"
#include "xylem/branch.h"

/*
 * 1 if the store has a session of that id, else 0. The caller reads files between two calls: no transaction stays
 * open.
 */
static int has_session(void *context, struct xylem_view id, struct xylem_error *err)
{
    struct xylem_jsonl__import *import = context;
    struct xylem_session session;
    int code = xylem_jsonl__look_begin(import, err);
    if (code < 0) {
        return code;
    }
    code = xylem_store__session_find_any(&session, import->placing.batch.txn, id, err);
    xylem_jsonl__look_end(import);
    return code == XYLEM_OK ? 1 : code == XYLEM_E_NOT_FOUND ? 0 : code;
}

int xylem_jsonl__find_source(struct xylem_jsonl__import *import, struct xylem_error *err)
{
    struct xylem_import_report *report = import->call->report;
    struct xylem_view parent = import->reader.header.parent_session;
    const struct xylem_jsonl__file *file = &import->reader.file;
    struct xylem_buffer *id = &import->source_id;
    if (parent.bytes == 0) {
        return XYLEM_OK;
    }
    if (import->call->options.share_nothing) {
        report->source = XYLEM_IMPORT_SOURCE_UNUSED;
        return XYLEM_OK;
    }
    int found = xylem_jsonl__parent_session(id, parent, file->held ? NULL : file->path, has_session, import, err);
    report->source = XYLEM_IMPORT_SOURCE_MISSING;
    if (found >= 0 && id->bytes > 0) {
        assert(id->bytes < sizeof report->source_id);
        memcpy(report->source_id, id->data, id->bytes);
        report->source_id[id->bytes] = '\0';
    }
    if (found == 0) {
        xylem_base__buffer_clear(id);
    }
    return found < 0 ? found : XYLEM_OK;
}

/* Shares the row at the cursor, if the source has the entry below the base, which becomes the base: 1, or 0. */
static int share_row(struct xylem_session *session, struct xylem_jsonl__placing *placing, uint64_t source,
                     struct xylem_error *err)
{
    struct xylem_jsonl__candidate candidate;
    struct xylem_position position;
    struct xylem_entry entry;
    uint32_t row = placing->progress.cursor;
    int code;
    if (xylem_jsonl__index_row(&placing->reader->index, row)->state & XYLEM_JSONL__PROBLEM_MASK) {
        return 0;
    }
    if ((code = xylem_jsonl__candidate_read(&candidate, placing->reader, row, false, err)) < 0) {
        return code;
    }
    if (candidate.parent_row != (row == 0 ? XYLEM_JSONL__NO_ROW : row - 1)) {
        return 0;
    }
    if ((code = xylem_find(&position, placing->batch.txn, source, candidate.entry.id, err)) < 0) {
        return code == XYLEM_E_NOT_FOUND ? 0 : code;
    }
    code = xylem_jsonl__same_as_stored(&entry, placing, position, session->base, candidate.text, err);
    if (code != 1) {
        return code;
    }
    session->base = entry.position;
    placing->report->shared_count++;
    placing->progress.placed_count++;
    placing->report->shared_bytes += xylem_format__record_bytes(&entry);
    placing->progress.cursor = row + 1;
    placing->progress.last_row = row;
    placing->progress.placed_row = row;
    placing->progress.placed = entry.position;
    /* A redacted entry is shared too: stored anew for the fork, the redacted bytes would be back. */
    bool redacted = (entry.flags & XYLEM_ENTRY_REDACTED) != 0;
    bool native = (entry.flags & XYLEM_ENTRY_IMPORTED) == 0; /* the lsn of a native entry does not tell the line */
    uint64_t line = placing->reader->index.first_line + row;
    if ((candidate.orphan &&
         (code = xylem_jsonl__report_candidate(placing, &candidate, XYLEM_IMPORT_ORPHAN, err)) < 0) ||
        (redacted && (code = xylem_jsonl__report_candidate(placing, &candidate, XYLEM_IMPORT_REDACTED, err)) < 0) ||
        (code = xylem_jsonl__note_lsn(placing, entry.lsn, line, native, err)) < 0) {
        return code;
    }
    return 1;
}

int xylem_jsonl__share(struct xylem_session *session, struct xylem_jsonl__import *import, struct xylem_error *err)
{
    struct xylem_jsonl__placing *placing = &import->placing;
    struct xylem_view source_id = xylem_base__buffer_view(&import->source_id);
    struct xylem_session source;
    assert(placing->mode == XYLEM_JSONL__MODE_NEW);
    if (source_id.bytes == 0) {
        return XYLEM_OK;
    }
    int code = xylem_store__session_find_any(&source, placing->batch.txn, source_id, err);
    if (code < 0) {
        return code;
    }
    if (source.state != XYLEM_SESSION_LIVE) {
        bool deleted = source.state == XYLEM_SESSION_DELETED;
        placing->report->source = deleted ? XYLEM_IMPORT_SOURCE_DELETED : XYLEM_IMPORT_SOURCE_MISSING;
        return XYLEM_OK;
    }
    int shared = 1;
    while (shared == 1 && placing->progress.cursor < placing->reader->index.row_count) {
        shared = share_row(session, placing, source.number, err);
        xylem_jsonl__placing_trim(placing);
    }
    bool any = !xylem_format__position_none(session->base);
    session->tree = any ? source.tree : 0;
    placing->report->source = any ? XYLEM_IMPORT_SOURCE_SHARED : XYLEM_IMPORT_SOURCE_DIFFERS;
    return shared < 0 ? shared : XYLEM_OK;
}
