/*
 * A fork's file begins with the path of its source. It is compared with the source line by line; the first line that is
 * not the next entry of a path there ends it. The last one before is the base of the new session, and nothing is stored
 * for them. As they stand in the file before all others, the order of lsns stays the order of lines.
 */
#include "jsonl/share.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "jsonl/candidate.h"
#include "jsonl/parent_session.h"

/* Is there a session of that id? Files may be read between two questions, so no transaction stays open meanwhile. */
static int knows(void *context, struct xylem_view id, struct xylem_error *err)
{
    const struct xylem_jsonl__import *import = context;
    struct xylem_session session;
    struct xylem_txn *txn;
    int code = xylem_jsonl__look_begin(&txn, import, err);
    if (code < 0) {
        return code;
    }
    code = xylem_store__session_find_any(&session, txn, id, err);
    xylem_jsonl__look_end(txn, import);
    return code == XYLEM_E_NOT_FOUND ? 0 : code < 0 ? code : 1;
}

int xylem_jsonl__find_source(struct xylem_jsonl__import *import, struct xylem_error *err)
{
    struct xylem_import_report *report = import->report;
    struct xylem_buffer *id = &import->source_id;
    if (import->header.parent_session.bytes == 0) {
        return XYLEM_OK;
    }
    if (import->options.share_nothing) {
        report->source = XYLEM_IMPORT_SOURCE_UNUSED;
        return XYLEM_OK;
    }
    int found = xylem_jsonl__parent_session(id, import->header.parent_session, import->file.path, knows, import, err);
    report->source = XYLEM_IMPORT_SOURCE_MISSING;
    if (found >= 0 && id->bytes > 0) {
        memcpy(report->source_id, id->data, id->bytes); /* what is asked for has the length of an id */
        report->source_id[id->bytes] = '\0';
    }
    if (found == 0) {
        xylem_base__buffer_clear(id);
    }
    return found < 0 ? found : XYLEM_OK;
}

/* Notes that the row is the entry of the source that follows the base. */
static int take(struct xylem_session *session, struct xylem_jsonl__import *import,
                const struct xylem_jsonl__candidate *candidate, const struct xylem_entry *entry,
                struct xylem_error *err)
{
    uint64_t line = xylem_jsonl__line_number(candidate->row);
    session->base = entry->position;
    import->report->shared_count++;
    import->report->shared_bytes += xylem_store__record_bytes(entry);
    import->progress.cursor = candidate->row + 1;
    import->progress.last_row = candidate->row;
    xylem_jsonl__candidate_placed(import, candidate, entry->position);
    int code = XYLEM_OK;
    if (candidate->orphan) {
        uint64_t offset = xylem_jsonl__row_offset(xylem_jsonl__index_row(&import->index, candidate->row));
        code = xylem_jsonl__report_problem(import->report, XYLEM_IMPORT_ORPHAN, false, line, offset,
                                           candidate->entry.id, err);
    }
    /* A native one has no place in the order of lines by itself. */
    bool native = (entry->flags & XYLEM_ENTRY_IMPORTED) == 0;
    return code < 0 ? code : xylem_jsonl__note_lsn(import, entry->lsn, line, native, err);
}

/* Shares the row at the cursor, if the source has it below the base: 1, or 0. */
static int share_row(struct xylem_session *session, struct xylem_jsonl__import *import, uint64_t source,
                     struct xylem_error *err)
{
    uint32_t row = import->progress.cursor;
    if (xylem_jsonl__index_row(&import->index, row)->state & XYLEM_JSONL__PROBLEM_MASK) {
        return 0;
    }
    struct xylem_jsonl__candidate candidate;
    int code = xylem_jsonl__candidate_read(&candidate, import, row, false, err);
    if (code < 0) {
        return code;
    }
    if (candidate.parent_row != (row == 0 ? XYLEM_JSONL__NO_ROW : row - 1)) {
        return 0;
    }
    struct xylem_position position;
    struct xylem_entry entry;
    code = xylem_find(&position, import->txn, source, candidate.entry.id, err);
    if (code < 0) {
        return code == XYLEM_E_NOT_FOUND ? 0 : code;
    }
    int same = xylem_jsonl__same_as_stored(&entry, import, position, session->base, candidate.text, err);
    if (same <= 0) {
        return same;
    }
    code = take(session, import, &candidate, &entry, err);
    /* What was redacted in the source is shared as it is: stored for the fork, it would be back. */
    code = code < 0 ? code : xylem_jsonl__report_redacted(import, &candidate, &entry, err);
    return code < 0 ? code : 1;
}

int xylem_jsonl__share(struct xylem_session *session, struct xylem_jsonl__import *import, struct xylem_error *err)
{
    struct xylem_session source;
    if (import->source_id.bytes == 0) {
        return XYLEM_OK;
    }
    int code = xylem_store__session_find_any(&source, import->txn, xylem_base__buffer_view(&import->source_id), err);
    if (code < 0) {
        return code;
    }
    if (source.state != XYLEM_SESSION_LIVE) {
        bool deleted = source.state == XYLEM_SESSION_DELETED;
        import->report->source = deleted ? XYLEM_IMPORT_SOURCE_DELETED : XYLEM_IMPORT_SOURCE_MISSING;
        return XYLEM_OK;
    }
    uint64_t tree = source.tree;
    int shared = 1;
    while (shared == 1 && import->progress.cursor < import->index.row_count) {
        shared = share_row(session, import, source.number, err);
        xylem_jsonl__candidate_trim(import);
    }
    bool any = !xylem_format__position_none(session->base);
    session->tree = any ? tree : 0;
    import->report->source = any ? XYLEM_IMPORT_SOURCE_SHARED : XYLEM_IMPORT_SOURCE_DIFFERS;
    return shared < 0 ? shared : XYLEM_OK;
}
