/*
 * Resumes the import of a file that grew. The rows of consumed lines get marks, so that the second pass sees the file
 * as earlier imports left it.
 *
 *     line   1        2      3      4      5       6      7       8      9
 *            header   a      b      bad    d       c      e       d      f
 *                                                  ^ cursor: 5 lines are consumed
 *
 *     the line                                                 row            mark
 *     2, 3, 5  placed at their turn                            0, 1, 3        none
 *     4        in quarantine                                   2              REFUSED
 *     6        placed before its turn, as the parent of `d`    4              AHEAD
 *     8        after the cursor,  with the id of line 5        6              REPEATS
 *     7, 9     new                                             5, 7           none
 *
 * The hash in the bookmark covers the lines before the cursor only. So line 6 is compared with the stored entry. If
 * line 6 changed, the marks go, and the whole file is matched as a changed file.
 */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "store/find.h"
#include "travel/jsonl/import.h"
#include "xylem/branch.h"

/* True if the row may be an entry. A DUPLICATE may: the later line with the same id is new. */
static bool may_be_placed(const struct xylem_jsonl__row *row)
{
    unsigned problem = row->state & XYLEM_JSONL__PROBLEM_MASK;
    return !(row->state & XYLEM_JSONL__REFUSED) && (problem == 0 || problem == XYLEM_IMPORT_DUPLICATE + 1);
}

/* Marks the lines of rows in quarantine, if the file still has the same lines there. */
static int mark_refused(struct xylem_jsonl__placing *placing, struct xylem_error *err)
{
    struct xylem_jsonl__reader *reader = placing->reader;
    struct xylem_quarantine *quarantine;
    struct xylem_quarantined quarantined;
    int code = xylem_quarantine_new(&quarantine, placing->batch.txn, placing->progress.session, err);
    if (code < 0) {
        return code;
    }
    while (code == XYLEM_OK && (code = xylem_quarantine_next(&quarantined, quarantine, err)) == 1) {
        uint64_t number = quarantined.line - 2; /* wraps for the header, and no row has such a number */
        code = XYLEM_OK;
        if (number >= placing->progress.cursor || !xylem_base__view_is(quarantined.source, reader->file.path)) {
            continue;
        }
        struct xylem_jsonl__row *row = xylem_jsonl__index_row(&reader->index, (uint32_t)number);
        struct xylem_view known = quarantined.raw;
        uint64_t bytes = xylem_jsonl__index_bytes(&reader->index, (uint32_t)number);
        uint64_t known_bytes = quarantined.reason == XYLEM_IMPORT_REDACTED ? quarantined.raw_bytes : known.bytes;
        if (!may_be_placed(row) || bytes < known_bytes || bytes > known_bytes + 1) {
            continue; /* one byte more: the line may have got a newline since */
        }
        struct xylem_view text;
        code = xylem_jsonl__index_text(&text, &reader->index, &reader->far, (uint32_t)number, err);
        /* A redacted line is known by length alone; the hash of the bookmark covers the bytes. */
        if (code == XYLEM_OK && (known.bytes == 0 || memcmp(text.data, known.data, known.bytes) == 0)) {
            row->state |= XYLEM_JSONL__REFUSED;
        }
        xylem_jsonl__window_trim(&reader->far);
    }
    xylem_quarantine_free(quarantine);
    return code;
}

/*
 * Counts the placed rows. Marks a new line with the id of a placed line: the new line can only repeat the entry, or
 * contradict the entry.
 */
static int mark_repeating(struct xylem_jsonl__placing *placing, struct xylem_error *err)
{
    struct xylem_jsonl__index *index = &placing->reader->index;
    for (uint32_t number = 0; number < index->row_count; number++) {
        const struct xylem_jsonl__row *row = xylem_jsonl__index_row(index, number);
        struct xylem_jsonl__id id;
        uint32_t last;
        if (!xylem_jsonl__is_dealt_with(placing, number) || !may_be_placed(row)) {
            continue;
        }
        placing->report->matched_count++;
        placing->progress.placed_count++;
        if (!(row->state & XYLEM_JSONL__PROBLEM_MASK)) {
            continue;
        }
        int code = xylem_jsonl__index_id(&id, index, number, err);
        if (code == XYLEM_OK) {
            code = xylem_jsonl__index_find(&last, index, xylem_jsonl__id_view(&id), err);
        }
        xylem_jsonl__index_trim(index);
        if (code < 0) {
            return code;
        }
        if (code == 1 && !xylem_jsonl__is_dealt_with(placing, last)) {
            xylem_jsonl__index_row(index, last)->state |= XYLEM_JSONL__REPEATS;
        }
    }
    return XYLEM_OK;
}

/*
 * Finds the greatest lsn of the entries with lines in the order of lsns. The entry of the last such line has this lsn.
 * Displaced lines (AHEAD, on both sides of the cursor) and refused lines do not count.
 */
static int find_lsn_max(struct xylem_jsonl__placing *placing, struct xylem_error *err)
{
    uint32_t number = placing->progress.cursor;
    const struct xylem_jsonl__row *row = NULL;
    do {
        if (number == 0) {
            return XYLEM_OK;
        }
        row = xylem_jsonl__index_row(&placing->reader->index, --number);
    } while ((row->state & XYLEM_JSONL__AHEAD) != 0 || !may_be_placed(row));
    struct xylem_jsonl__id id;
    struct xylem_position position;
    struct xylem_entry entry;
    int code = xylem_jsonl__index_id(&id, &placing->reader->index, number, err);
    xylem_jsonl__index_trim(&placing->reader->index);
    if (code < 0 ||
        (code = xylem_find(&position, placing->batch.txn, placing->progress.session, xylem_jsonl__id_view(&id), err)) <
            0 ||
        (code = xylem_entry_read(&entry, placing->batch.txn, position, err)) < 0) {
        return code;
    }
    placing->progress.lsn_max = entry.lsn;
    return XYLEM_OK;
}

/* 1 if the row is still the line of the entry with that lsn, placed before its turn; else 0. */
static int is_same_line(struct xylem_jsonl__placing *placing, uint32_t row, uint64_t lsn, struct xylem_error *err)
{
    struct xylem_jsonl__candidate candidate;
    struct xylem_position position;
    struct xylem_entry entry;
    if (!may_be_placed(xylem_jsonl__index_row(&placing->reader->index, row))) {
        return 0;
    }
    int code;
    if ((code = xylem_jsonl__candidate_read(&candidate, placing->reader, row, true, err)) < 0 ||
        (code = xylem_find(&position, placing->batch.txn, placing->progress.session, candidate.entry.id, err)) < 0) {
        return code == XYLEM_E_NOT_FOUND ? 0 : code;
    }
    code = xylem_entry_read(&entry, placing->batch.txn, position, err);
    if (code < 0 || entry.lsn != lsn) {
        return code < 0 ? code : 0;
    }
    return xylem_jsonl__same_as_stored(&entry, placing, position, entry.parent, candidate.text, err);
}

/* Marks the rows that were placed before their turn: 1, or 0 if such a line behind the cursor changed. */
static int mark_displaced(struct xylem_jsonl__placing *placing, struct xylem_error *err)
{
    for (size_t i = 0; i < placing->displaced.count; i++) {
        const struct xylem_store__displaced *item = &placing->displaced.items[i];
        uint64_t row = item->line - 2;
        if (item->line == XYLEM_STORE__NO_LINE) {
            continue;
        }
        int same = row < placing->reader->index.row_count;
        if (same == 1 && row >= placing->progress.cursor) {
            same = is_same_line(placing, (uint32_t)row, item->lsn, err);
            xylem_jsonl__placing_trim(placing);
        }
        if (same <= 0) {
            return same;
        }
        xylem_jsonl__index_row(&placing->reader->index, (uint32_t)row)->state |= XYLEM_JSONL__AHEAD;
    }
    return 1;
}

int xylem_jsonl__resume(struct xylem_jsonl__import *import, struct xylem_error *err)
{
    struct xylem_jsonl__placing *placing = &import->placing;
    if (import->bookmark.lines < 1 || import->bookmark.lines - 1 > import->reader.index.row_count) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "%s: expected the %" PRIu64 " lines of an earlier import, found %" PRIu32,
                                import->reader.file.path, import->bookmark.lines, import->reader.index.row_count + 1);
    }
    int code = xylem_jsonl__look_begin(import, err);
    if (code < 0) {
        return code;
    }
    placing->progress.cursor = (uint32_t)(import->bookmark.lines - 1);
    int same = mark_displaced(placing, err);
    if (same == 0) {
        for (uint32_t row = 0; row < import->reader.index.row_count; row++) {
            xylem_jsonl__index_row(&import->reader.index, row)->state &= (uint16_t)~XYLEM_JSONL__AHEAD;
        }
        placing->progress.cursor = 0;
    } else if (same == 1 && ((code = mark_refused(placing, err)) < 0 || (code = mark_repeating(placing, err)) < 0 ||
                             (placing->gives_order && (code = find_lsn_max(placing, err)) < 0))) {
        same = code;
    }
    xylem_jsonl__look_end(import);
    return same;
}

int xylem_jsonl__resume_tail(struct xylem_jsonl__import *import, struct xylem_error *err)
{
    const struct xylem_store__growth *known = &import->bookmark.growth;
    struct xylem_jsonl__index *index = &import->reader.index;
    struct xylem_jsonl__placing *placing = &import->placing;
    struct xylem_session session;
    bool repeats = false; /* a line has the id of an entry that may have a consumed line */
    int code = xylem_jsonl__look_begin(import, err);
    if (code < 0) {
        return code;
    }
    code = xylem_session_read(&session, placing->batch.txn, placing->progress.session, err);
    for (uint32_t row = 0; code == XYLEM_OK && !repeats && row < index->row_count; row++) {
        struct xylem_jsonl__id id;
        struct xylem_position position;
        struct xylem_entry entry;
        if (!may_be_placed(xylem_jsonl__index_row(index, row))) {
            continue;
        }
        code = xylem_jsonl__index_id(&id, index, row, err);
        xylem_jsonl__index_trim(index);
        if (code == XYLEM_OK &&
            (code = xylem_store__find(&position, placing->batch.txn, &session, xylem_jsonl__id_view(&id), err)) == 1) {
            code = xylem_entry_read(&entry, placing->batch.txn, position, err);
            repeats = code == XYLEM_OK && entry.lsn <= known->last_lsn;
        }
    }
    xylem_jsonl__look_end(import);
    placing->progress.lsn_max = known->lsn_max;
    placing->progress.placed_count = known->placed_count;
    placing->report->matched_count = code == XYLEM_OK && !repeats ? known->placed_count : 0;
    return code < 0 ? code : !repeats;
}
