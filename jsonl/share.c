/*
 * A fork's file begins with entries of its source. They are looked up there line by line, and compared byte by byte; the
 * first line that is not one of them ends it. All lines before that are known to be entries of the source, so a line's
 * parent is shared if it stands further up. The session's base becomes the deepest of them.
 */
#include "jsonl/share.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "jsonl/candidate.h"
#include "jsonl/parent_session.h"

/* Looks at a session that may be the source: only a live one is. */
static int knows(void *context, struct xylem_view id, struct xylem_error *err)
{
    struct xylem_jsonl__import *import = context;
    struct xylem_session session;
    int code = xylem_store__session_find_any(&session, import->txn, id, err);
    if (code < 0) {
        return code == XYLEM_E_NOT_FOUND ? 0 : code;
    }
    if (session.state == XYLEM_SESSION_DELETED) {
        import->report->source = XYLEM_IMPORT_SOURCE_DELETED;
    }
    return session.state == XYLEM_SESSION_LIVE;
}

/* The source, if the header names one that is in the store: 1 or 0. */
static int find_source(struct xylem_session *source, struct xylem_jsonl__import *import, struct xylem_error *err)
{
    struct xylem_import_report *report = import->report;
    struct xylem_buffer id = {NULL, 0, 0};
    report->source = XYLEM_IMPORT_SOURCE_MISSING;
    int code = xylem_jsonl__parent_session(&id, import->header.parent_session, import->file.path, knows, import, err);
    if (code >= 0 && id.bytes > 0) {
        memcpy(report->source_id, id.data, id.bytes); /* a session's id fits */
        report->source_id[id.bytes] = '\0';
    }
    if (code == 1) {
        code = xylem_store__session_find_any(source, import->txn, xylem_base__buffer_view(&id), err);
        code = code < 0 ? code : 1;
    }
    xylem_buffer_release(&id);
    return code;
}

/* Where the source has the parent of the candidate, whose line is shared; none for a root. */
static int find_parent(struct xylem_position *parent, const struct xylem_jsonl__candidate *candidate,
                       struct xylem_jsonl__import *import, uint64_t source, struct xylem_error *err)
{
    *parent = (struct xylem_position){0, 0};
    if (candidate->parent_row == XYLEM_JSONL__NO_ROW) {
        return XYLEM_OK;
    }
    if (candidate->parent_row == import->progress.placed_row) {
        *parent = import->progress.placed;
        return XYLEM_OK;
    }
    return xylem_find(parent, import->txn, source, candidate->entry.parent_id, err);
}

/* Is the row an entry of the source? All rows before it are: 1 and its position, or 0. */
static int is_shared(struct xylem_position *position, struct xylem_jsonl__import *import, uint32_t row, uint64_t source,
                     struct xylem_error *err)
{
    if (xylem_jsonl__index_row(&import->index, row)->state & XYLEM_JSONL__PROBLEM_MASK) {
        return 0;
    }
    struct xylem_jsonl__candidate candidate;
    int code = xylem_jsonl__candidate_read(&candidate, import, row, false, err);
    if (code < 0) {
        return code;
    }
    if (candidate.parent_row != XYLEM_JSONL__NO_ROW && candidate.parent_row >= row) {
        return 0;
    }
    struct xylem_position parent;
    struct xylem_entry entry;
    code = xylem_find(position, import->txn, source, candidate.entry.id, err);
    if (code < 0) {
        return code == XYLEM_E_NOT_FOUND ? 0 : code;
    }
    code = find_parent(&parent, &candidate, import, source, err);
    code = code < 0 ? code : xylem_entry_read(&entry, import->txn, *position, err);
    if (code < 0) {
        return code;
    }
    if (entry.flags & XYLEM_ENTRY_REDACTED) {
        return 0; /* the file has what was taken out there */
    }
    int same = xylem_jsonl__same_as_stored(&entry, import, *position, parent, candidate.text, err);
    if (same == 1) {
        xylem_jsonl__candidate_placed(import, &candidate, *position);
    }
    return same;
}

int xylem_jsonl__share(struct xylem_session *session, struct xylem_jsonl__import *import, struct xylem_error *err)
{
    import->shared_rows = 0;
    if (import->header.parent_session.bytes == 0) {
        return XYLEM_OK;
    }
    if (import->options.share_nothing) {
        import->report->source = XYLEM_IMPORT_SOURCE_UNUSED;
        return XYLEM_OK;
    }
    struct xylem_session source;
    int found = find_source(&source, import, err);
    if (found <= 0) {
        return found;
    }
    int shared = 1;
    for (uint32_t row = 0; shared == 1 && row < import->index.row_count; row++) {
        struct xylem_position position;
        shared = is_shared(&position, import, row, source.number, err);
        if (shared == 1 && position.depth > session->base.depth) {
            session->base = position;
            import->shared_rows = row + 1;
        }
        xylem_jsonl__candidate_trim(import);
    }
    import->progress.placed_row = XYLEM_JSONL__NO_ROW; /* nothing is placed yet */
    bool any = import->shared_rows > 0;
    session->tree = any ? source.tree : session->tree;
    import->report->source = any ? XYLEM_IMPORT_SOURCE_SHARED : XYLEM_IMPORT_SOURCE_DIFFERS;
    return shared < 0 ? shared : XYLEM_OK;
}

int xylem_jsonl__share_again(struct xylem_jsonl__import *import, const struct xylem_session *session,
                             struct xylem_error *err)
{
    struct xylem_entry base;
    uint32_t row;
    if (xylem_store__position_none(session->base)) {
        return XYLEM_OK;
    }
    int code = xylem_entry_read(&base, import->txn, session->base, err);
    code = code < 0 ? code : xylem_jsonl__index_find(&row, &import->index, base.id, err);
    if (code == 1) {
        import->shared_rows = row + 1;
    }
    return code < 0 ? code : XYLEM_OK;
}
