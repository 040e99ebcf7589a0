/*
 * Decides how much of the file is new. The store remembers these in the bookmark: the number of consumed bytes, their
 * hash, and the torn line after them.
 *
 *     session in the store   file against the bookmark                        result
 *     no                     -                                                NEW
 *     deleted                -                                                SKIPPED_DELETED
 *     yes, importing         no bookmark, or the consumed bytes differ        CHANGED
 *     yes                    consumed bytes and torn line are the same        UNCHANGED
 *     yes                    the consumed bytes are the same, the rest not    GREW
 *     importing              the consumed bytes are the same                  GREW
 */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/numbers.h"
#include "travel/jsonl/import.h"
#include "xylem/branch.h"

int xylem_jsonl__look_begin(struct xylem_jsonl__import *import, struct xylem_error *err)
{
    const struct xylem_jsonl__shared *shared = import->call->shared;
    assert(!import->placing.batch.txn);
    if (shared && shared->txn) {
        import->placing.batch.txn = shared->txn;
        return XYLEM_OK;
    }
    return xylem_begin(&import->placing.batch.txn, import->call->store, XYLEM_READ, err);
}

void xylem_jsonl__look_end(struct xylem_jsonl__import *import)
{
    const struct xylem_jsonl__shared *shared = import->call->shared;
    if (!shared || import->placing.batch.txn != shared->txn) {
        xylem_abort(import->placing.batch.txn);
    }
    import->placing.batch.txn = NULL;
}

struct xylem_jsonl__bookmark xylem_jsonl__bookmark_of(const struct xylem_store__source *source)
{
    return (struct xylem_jsonl__bookmark){.known = true,
                                          .order = source->order,
                                          .bytes = source->bytes,
                                          .lines = source->lines,
                                          .hash = source->hash,
                                          .unterminated = source->unterminated,
                                          .tail_bytes = source->tail_bytes,
                                          .growth = source->growth};
}

/* Reads the rows of the session and of the file: 1, or 0 if the store does not have the session. */
static int read_store(struct xylem_session *session, struct xylem_jsonl__import *import, struct xylem_error *err)
{
    struct xylem_jsonl__placing *placing = &import->placing;
    struct xylem_txn *txn = placing->batch.txn;
    struct xylem_store__source source;
    int code = xylem_store__session_find_any(session, txn, import->reader.header.id, err);
    if (code < 0) {
        placing->gives_order = true;
        return code == XYLEM_E_NOT_FOUND ? 0 : code;
    }
    code = xylem_store__source_read(&source, txn, session->number, xylem_view_of(import->reader.file.path), err);
    if (code == 0) {
        code = xylem_store__source_first(&source, txn, session->number, err);
        placing->gives_order = code == 0;
        return code < 0 ? code : 1;
    }
    if (code < 0) {
        return code;
    }
    placing->gives_order = source.order == 1;
    import->bookmark = xylem_jsonl__bookmark_of(&source);
    /* The notes of the last import: displaced lines, and entries without a line. */
    size_t count = source.displaced_count;
    for (size_t i = 0; i < count; i++) {
        code = xylem_jsonl__note_lsn(placing, source.displaced[i].lsn, source.displaced[i].line, true, err);
        if (code < 0) {
            return code;
        }
    }
    if (count > 0) {
        if (!(import->before.items = calloc(count, sizeof *import->before.items))) {
            return xylem_base__fail_memory(err);
        }
        memcpy(import->before.items, source.displaced, count * sizeof *import->before.items);
        import->before.count = count;
    }
    return xylem_buffer_add(&import->tail, source.tail.data, source.tail.bytes) < 0 ? xylem_base__fail_memory(err) : 1;
}

void xylem_jsonl__match_all(struct xylem_jsonl__import *import)
{
    import->placing.mode = XYLEM_JSONL__MODE_CHANGED;
    import->placing.displaced.count = 0;
    xylem_jsonl__prefix_restart(&import->prefix);
}

/*
 * 1 if the file is the file of the bookmark, and at most grew, else 0: by device, inode, size, times, the last block and
 * the last consumed line. The hash then stands behind the consumed bytes.
 */
static int is_same_file(struct xylem_jsonl__import *import, struct xylem_error *err)
{
    const struct xylem_jsonl__file *file = &import->reader.file;
    const struct xylem_jsonl__bookmark *bookmark = &import->bookmark;
    const struct xylem_store__growth *known = &bookmark->growth;
    uint64_t known_bytes = bookmark->bytes + bookmark->tail_bytes;
    bool times = file->bytes > known_bytes
                     ? file->changed_ns >= known->changed_ns
                     : file->changed_ns == known->changed_ns && file->modified_ns == known->modified_ns;
    uint64_t hash;
    int code;
    if (!bookmark->known || !known->known || import->call->options.whole || import->importing ||
        import->reader.header.version != 3 || file->device != known->device || file->inode != known->inode ||
        file->bytes < known_bytes || !times) {
        return 0;
    }
    import->prefix.window.step_bytes = 4096; /* no need to read far ahead */
    if ((code = xylem_jsonl__prefix_resume(&import->prefix, file, bookmark->bytes, known->chain, err)) < 0 ||
        (code = xylem_jsonl__hash_part(&hash, file, bookmark->bytes - known->line_bytes, known->line_bytes, err)) < 0) {
        return code;
    }
    import->prefix.window.step_bytes = 0;
    return xylem_format__hasher_sum(import->prefix.hasher) == bookmark->hash && hash == known->line_hash;
}

/* Finds the mode of a known session: 1, or 0 if the file is unchanged. */
static int compare_file(struct xylem_jsonl__import *import, struct xylem_error *err)
{
    const struct xylem_jsonl__file *file = &import->reader.file;
    const struct xylem_jsonl__bookmark *bookmark = &import->bookmark;
    struct xylem_jsonl__prefix *prefix = &import->prefix;
    struct xylem_view tail = xylem_base__buffer_view(&import->tail);
    struct xylem_view seen;
    uint64_t left = file->bytes - bookmark->bytes;
    int code;
    if ((code = is_same_file(import, err)) < 0) {
        return code;
    }
    import->only_tail = code == 1;
    bool same = import->only_tail || (bookmark->known && bookmark->bytes <= file->bytes);
    if (same && !import->only_tail) {
        xylem_jsonl__prefix_restart(prefix);
        if ((code = xylem_jsonl__prefix_to(prefix, file, bookmark->bytes, err)) < 0) {
            return code;
        }
        same = xylem_format__hasher_sum(prefix->hasher) == bookmark->hash;
    }
    if (same && bookmark->unterminated && left > 0) {
        if ((code = xylem_jsonl__window_see(&seen, &prefix->window, file, bookmark->bytes, 1, err)) < 0) {
            return code;
        }
        same = seen.data[0] == '\n'; /* any other byte changes the last line */
    }
    if (!same) {
        import->only_tail = false;
        xylem_jsonl__match_all(import);
        return 1;
    }
    import->placing.mode = XYLEM_JSONL__MODE_GREW;
    if (import->importing || left != bookmark->tail_bytes) {
        return 1;
    }
    if (left > 0 && left == tail.bytes) { /* else no line is torn, or the torn line is too long for the bookmark */
        code = xylem_jsonl__window_see(&seen, &prefix->window, file, bookmark->bytes, tail.bytes, err);
        if (code < 0 || memcmp(seen.data, tail.data, tail.bytes) != 0) {
            return code < 0 ? code : 1;
        }
    }
    import->call->report->outcome = XYLEM_IMPORT_UNCHANGED;
    return 0;
}

int xylem_jsonl__catch_up(struct xylem_jsonl__import *import, struct xylem_error *err)
{
    struct xylem_session session;
    int code = xylem_jsonl__look_begin(import, err);
    if (code < 0) {
        return code;
    }
    code = read_store(&session, import, err);
    xylem_jsonl__look_end(import);
    if (code <= 0) {
        import->placing.mode = XYLEM_JSONL__MODE_NEW;
        return code < 0 ? code : 1;
    }
    import->placing.progress.session = session.number;
    import->call->report->session = session.number;
    import->importing = session.state == XYLEM_SESSION_IMPORTING;
    if (session.state == XYLEM_SESSION_DELETED) {
        import->call->report->outcome = XYLEM_IMPORT_SKIPPED_DELETED;
        return 0;
    }
    code = compare_file(import, err);
    xylem_jsonl__window_release(&import->prefix.window); /* the window and the tail may hold a long torn line */
    xylem_buffer_release(&import->tail);
    return code;
}

int xylem_jsonl__match_header(struct xylem_jsonl__placing *placing, struct xylem_error *err)
{
    const struct xylem_jsonl__header *header = &placing->reader->header;
    struct xylem_buffer *stored = &placing->stored;
    struct xylem_session session;
    int code = xylem_session_read(&session, placing->batch.txn, placing->progress.session, err);
    if (code < 0) {
        return code;
    }
    xylem_base__buffer_clear(stored);
    if (xylem_jsonl__session_header(stored, &session) < 0) {
        return xylem_base__fail_memory(err);
    }
    if (xylem_base__view_equal(xylem_base__buffer_view(stored), xylem_base__buffer_view(&header->text))) {
        return XYLEM_OK;
    }
    struct xylem_view none = {NULL, 0};
    return xylem_jsonl__quarantine(placing, XYLEM_IMPORT_HEADER, 1, 0, header->line_bytes, none, err);
}

static_assert(offsetof(struct xylem_store__displaced, lsn) == 0, "found by the leading number");

int xylem_jsonl__find_lineless(struct xylem_jsonl__import *import, struct xylem_error *err)
{
    const struct xylem_jsonl__displaced *before = &import->before;
    struct xylem_jsonl__index *index = &import->reader.index;
    struct xylem_jsonl__placing *placing = &import->placing;
    struct xylem_scan *scan;
    struct xylem_entry entry;
    uint64_t source_count;
    int code = xylem_store__source_count(&source_count, placing->batch.txn, placing->progress.session, err);
    bool reports = import->bookmark.known && source_count == 1; /* a vanished entry is a problem */
    if (code < 0 || !(reports || placing->gives_order) ||
        (code = xylem_scan_new(&scan, placing->batch.txn, placing->progress.session, err)) < 0) {
        return code;
    }
    while (code == XYLEM_OK && (code = xylem_scan_next(&entry, scan, err)) == 1) {
        const struct xylem_store__displaced *noted = NULL;
        bool imported = (entry.flags & XYLEM_ENTRY_IMPORTED) != 0;
        uint32_t row;
        code = XYLEM_OK;
        if (before->count > 0) {
            noted = bsearch(&entry.lsn, before->items, before->count, sizeof *noted, xylem_base__compare_numbers);
        }
        /* The entry had a line at the last import. An imported entry without a note had a line. */
        bool had = noted ? noted->line != XYLEM_STORE__NO_LINE : imported;
        if (!had && !imported) {
            continue; /* the host appended the entry */
        }
        int found = xylem_jsonl__index_find(&row, index, entry.id, err);
        /* A line in quarantine with the same id is not the line of the entry. */
        if (found == 1 && (xylem_jsonl__index_row(index, row)->state & XYLEM_JSONL__PROBLEM_MASK) == 0) {
            continue;
        }
        code = found < 0 ? found : xylem_jsonl__note_lsn(placing, entry.lsn, XYLEM_STORE__NO_LINE, true, err);
        if (code == XYLEM_OK && found == 0 && reports && had) {
            code = xylem_jsonl__report_problem(placing->report, XYLEM_IMPORT_VANISHED, false, 0, 0, entry.id, err);
        }
    }
    xylem_scan_free(scan);
    return code;
}
