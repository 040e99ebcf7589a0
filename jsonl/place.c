/*
 * Finds the place of every line in the tree (the second pass). Rows are handled in the order of the file, but each row
 * after its parent.
 *
 * The row at the cursor is one of:
 * - a row that was placed before its turn: passed over
 * - a row with a problem from the first pass: goes to quarantine
 * - a row whose parent is placed, or a root: placed
 * - a row whose parent stands further down: the parents are placed first, from the topmost parent down
 *
 *     line  2: {id c, parent b}    link_parents(line 2) returns line 7, and links
 *     line  5: {id b, parent a}        line 7  --link-->  line 5  --link-->  line 2
 *     line  7: {id a}              placed in this order; lines 7 and 5 are AHEAD of their turn, so displaced:
 *                                  their numbers are noted, and an export puts them back
 *
 * - a row whose parents lead back to the row: the first row of the cycle in the file becomes a root
 *
 * To place a row means one of:
 * - the session has no entry with the id: the line becomes a new entry
 * - the session has the entry, with the same bytes and the same parent: matched, nothing is stored
 * - the same, but an earlier line was already placed with the id (REPEATS): quarantine, as a duplicate
 * - the session has another entry with the id: quarantine, as a conflict
 *
 * The parent of a new entry is one of:
 * - the row placed last: the entry extends the run
 * - any other row: the run is appended, and the parent's position found (batch.c); a new run begins there
 * - an id of no line and no entry: the entry becomes a root, reported as an orphan
 */
#include <assert.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "jsonl/candidate.h"

#define COUNTED_BYTES_MIN 96u /* a short line counts for so many bytes of a batch: the row of the store is longer */

/* Appends the run, and notes the lines of its entries. */
static int flush(struct xylem_jsonl__import *import, struct xylem_error *err)
{
    struct xylem_jsonl__run *run = &import->run;
    if (run->count == 0) {
        return XYLEM_OK;
    }
    struct xylem_position first;
    struct xylem_entry entry;
    int code;
    if ((code = xylem_jsonl__run_append(&first, run, import->txn, import->progress.session, err)) < 0 ||
        (code = xylem_entry_read(&entry, import->txn, first, err)) < 0 ||
        (code = xylem_jsonl__batch_note(import, first, err)) < 0) {
        return code;
    }
    for (size_t i = 0; i < run->count; i++) {
        code = xylem_jsonl__note_lsn(import, entry.lsn + i, xylem_jsonl__line_number(run->entries[i].row),
                                     run->entries[i].ahead, err);
        if (code < 0) {
            return code;
        }
    }
    import->progress.placed = (struct xylem_position){first.branch, first.depth + run->count - 1};
    xylem_jsonl__run_clear(run);
    return XYLEM_OK;
}

/* The position of the candidate's parent; none if the candidate becomes a root. Flush the run first. */
static int parent_position(struct xylem_position *position, struct xylem_jsonl__candidate *candidate,
                           struct xylem_jsonl__import *import, struct xylem_error *err)
{
    assert(import->run.count == 0);
    *position = (struct xylem_position){0, 0};
    if (candidate->parent_row == XYLEM_JSONL__NO_ROW) {
        return XYLEM_OK;
    }
    if (candidate->parent_row == import->progress.placed_row) {
        *position = import->progress.placed;
        return XYLEM_OK;
    }
    int code = xylem_jsonl__batch_find(position, import, candidate->parent_row, candidate->entry.parent_id, err);
    if (code == XYLEM_E_NOT_FOUND) {
        *position = (struct xylem_position){0, 0};
        candidate->parent_row = XYLEM_JSONL__NO_ROW;
        candidate->orphan = true;
        return XYLEM_OK;
    }
    return code;
}

static int quarantine_row(struct xylem_jsonl__import *import, uint32_t row, enum xylem_import_problem_type type,
                          struct xylem_view entry_id, struct xylem_error *err)
{
    uint64_t offset = xylem_jsonl__row_offset(xylem_jsonl__index_row(&import->index, row));
    uint64_t bytes = xylem_jsonl__index_line_end(&import->index, row) - offset;
    import->progress.batch_bytes += strlen(import->file.path); /* each row of the quarantine holds the path */
    return xylem_jsonl__quarantine(import, type, xylem_jsonl__line_number(row), offset, bytes, entry_id, err);
}

/* Places a line with the id of an entry of the session: the line is that entry, or goes to quarantine. */
static int place_known(struct xylem_jsonl__import *import, struct xylem_jsonl__candidate *candidate,
                       struct xylem_position known, struct xylem_error *err)
{
    struct xylem_position parent;
    struct xylem_entry entry;
    int code = parent_position(&parent, candidate, import, err);
    if (code < 0) {
        return code;
    }
    int same = xylem_jsonl__same_as_stored(&entry, import, known, parent, candidate->text, err);
    if (same < 0) {
        return same;
    }
    struct xylem_jsonl__row *row = xylem_jsonl__index_row(&import->index, candidate->row);
    if (same == 1 && !(row->state & XYLEM_JSONL__REPEATS)) {
        /* The lsn of a native entry, or of an entry without a line until now, does not tell the line. */
        bool unordered = (entry.flags & XYLEM_ENTRY_IMPORTED) == 0 || import->mode == XYLEM_JSONL__MODE_GREW;
        import->report->matched_count++;
        xylem_jsonl__candidate_placed(&import->progress, candidate, known);
        code = xylem_jsonl__note_lsn(import, entry.lsn, xylem_jsonl__line_number(candidate->row),
                                     candidate->ahead || unordered, err);
        if (code < 0 || !(entry.flags & XYLEM_ENTRY_REDACTED)) {
            return code;
        }
        return xylem_jsonl__candidate_report(import, candidate, XYLEM_IMPORT_REDACTED, err);
    }
    enum xylem_import_problem_type type = same == 1 ? XYLEM_IMPORT_DUPLICATE : XYLEM_IMPORT_CONFLICT;
    xylem_jsonl__row_set_problem(row, type);
    struct xylem_jsonl__id id = {.bytes = candidate->entry.id.bytes};
    memcpy(id.data, candidate->entry.id.data, id.bytes);
    xylem_jsonl__candidate_trim(import);
    return quarantine_row(import, candidate->row, type, xylem_jsonl__id_view(&id), err);
}

/* Adds a new entry to the run, or appends the run and begins another run. */
static int place_new(struct xylem_jsonl__import *import, struct xylem_jsonl__candidate *candidate,
                     struct xylem_error *err)
{
    struct xylem_jsonl__run *run = &import->run;
    bool follows = run->count > 0 && candidate->parent_row != XYLEM_JSONL__NO_ROW &&
                   candidate->parent_row == import->progress.placed_row && !xylem_jsonl__run_full(run);
    int code;
    if (!follows &&
        ((code = flush(import, err)) < 0 || (code = parent_position(&run->parent, candidate, import, err)) < 0)) {
        return code;
    }
    code = xylem_jsonl__line_payload(&candidate->entry, &import->parser, err);
    if (code <= 0) {
        return code < 0 ? code : xylem_jsonl__fail_changed(&import->file, err);
    }
    bool is_root = candidate->parent_row == XYLEM_JSONL__NO_ROW;
    bool same = false;
    code = xylem_jsonl__line_check(&same, &candidate->entry, is_root ? NULL : &candidate->entry.parent_id,
                                   &import->parser, candidate->text, err);
    xylem_jsonl__buffer_trim(&import->parser.rendered);
    struct xylem_view kept = same ? (struct xylem_view){NULL, 0} : candidate->text;
    if (code < 0 ||
        (code = xylem_jsonl__run_add(run, &candidate->entry, kept, candidate->row, candidate->ahead, err)) < 0) {
        return code;
    }
    /* The position of the entry is not known yet: flush() sets the position. */
    xylem_jsonl__candidate_placed(&import->progress, candidate, run->parent);
    import->report->added_count++;
    import->report->kept_line_count += same ? 0 : 1;
    if (xylem_jsonl__index_row(&import->index, candidate->row)->state & XYLEM_JSONL__CYCLE) {
        return xylem_jsonl__candidate_report(import, candidate, XYLEM_IMPORT_CYCLE, err);
    }
    return candidate->orphan ? xylem_jsonl__candidate_report(import, candidate, XYLEM_IMPORT_ORPHAN, err) : XYLEM_OK;
}

/* Counts the bytes of a row for the batch. */
static void count_row(struct xylem_jsonl__progress *progress, const struct xylem_jsonl__index *index, uint32_t row)
{
    uint64_t offset = xylem_jsonl__row_offset(xylem_jsonl__index_row(index, row));
    uint64_t bytes = xylem_jsonl__index_line_end(index, row) - offset;
    progress->batch_bytes += bytes > COUNTED_BYTES_MIN ? bytes : COUNTED_BYTES_MIN;
}

/* Places a row after its parent, or puts the row into quarantine. */
static int place_row(struct xylem_jsonl__import *import, uint32_t row, bool ahead, struct xylem_error *err)
{
    struct xylem_jsonl__candidate candidate;
    int code = xylem_jsonl__candidate_read(&candidate, import, row, ahead, err);
    if (code < 0) {
        return code;
    }
    count_row(&import->progress, &import->index, row);
    struct xylem_position known;
    code = XYLEM_E_NOT_FOUND;
    if (import->mode != XYLEM_JSONL__MODE_NEW) {
        code = xylem_find(&known, import->txn, import->progress.session, candidate.entry.id, err);
    }
    if (code == XYLEM_OK) {
        if ((code = flush(import, err)) == XYLEM_OK) {
            code = place_known(import, &candidate, known, err);
        }
    } else if (code == XYLEM_E_NOT_FOUND) {
        code = place_new(import, &candidate, err);
    }
    xylem_jsonl__candidate_trim(import);
    if (code == XYLEM_OK && import->run.bytes.bytes > XYLEM_JSONL__RUN_BYTES_MAX) {
        code = flush(import, err); /* gives back the memory of a long line before the next line */
    }
    return code;
}

static void leave_chain(const struct xylem_jsonl__index *index, uint32_t row)
{
    xylem_jsonl__index_row(index, row)->state &= (uint16_t)~XYLEM_JSONL__ON_CHAIN;
}

/*
 * Breaks the cycle that `top` closes: the parent of `top` is on the chain already. The first row of the cycle in the
 * file becomes a root, and is the new top; the rows above leave the chain.
 *
 *     the chain, from the top     9 --link--> 4 --link--> 6 --link--> 2      the parent of row 9 is row 6
 *     the cycle                   9, 4 and 6; row 4 becomes the root
 *     after                                   4 --link--> 6 --link--> 2      row 9 waits for its turn
 */
static uint32_t break_cycle(const struct xylem_jsonl__index *index, uint32_t top)
{
    uint32_t end = xylem_jsonl__index_row(index, top)->parent;
    assert(xylem_jsonl__index_row(index, end)->state & XYLEM_JSONL__ON_CHAIN);
    uint32_t first = top;
    for (uint32_t row = top; row != end;) {
        row = xylem_jsonl__index_row(index, row)->link;
        first = row < first ? row : first;
    }
    for (uint32_t row = top; row != first; row = xylem_jsonl__index_row(index, row)->link) {
        leave_chain(index, row);
    }
    struct xylem_jsonl__row *root = xylem_jsonl__index_row(index, first);
    root->parent = XYLEM_JSONL__NO_ROW;
    root->state |= XYLEM_JSONL__CYCLE;
    return first;
}

/* Links each parent that must be placed before `row` to the row that waits for the parent. Gives the topmost parent. */
static uint32_t link_parents(const struct xylem_jsonl__index *index, uint32_t cursor, uint32_t row)
{
    uint32_t top = row;
    xylem_jsonl__index_row(index, row)->state |= XYLEM_JSONL__ON_CHAIN;
    for (;;) {
        uint32_t parent = xylem_jsonl__index_row(index, top)->parent;
        if (parent == XYLEM_JSONL__NO_ROW || xylem_jsonl__is_dealt_with(index, cursor, parent)) {
            return top;
        }
        struct xylem_jsonl__row *above = xylem_jsonl__index_row(index, parent);
        if (above->state & XYLEM_JSONL__REPEATS) {
            return top; /* an earlier line with the id is placed: that entry is the parent */
        }
        if (above->state & XYLEM_JSONL__ON_CHAIN) {
            return break_cycle(index, top);
        }
        above->state |= XYLEM_JSONL__ON_CHAIN;
        above->link = top;
        top = parent;
    }
}

static int note_ahead(struct xylem_jsonl__import *import, uint32_t row, struct xylem_error *err)
{
    uint32_t *rows =
        xylem_base__with_room(import->ahead.rows, &import->ahead.capacity, import->ahead.count, sizeof *rows);
    if (!rows) {
        return xylem_base__fail_memory(err);
    }
    import->ahead.rows = rows;
    import->ahead.rows[import->ahead.count++] = row;
    xylem_jsonl__index_row(&import->index, row)->state |= XYLEM_JSONL__AHEAD;
    return XYLEM_OK;
}

/*
 * Each batch writes the whole list of displaced lines. A batch no smaller than the list bounds the sum of all writes.
 */
static bool batch_full(const struct xylem_jsonl__import *import)
{
    uint64_t listed = import->displaced.count * sizeof *import->displaced.items;
    uint64_t least = import->options.batch_bytes;
    return import->progress.batch_bytes >= (listed > least ? listed : least);
}

/* Places a row after its parents: 1, or 0 if the batch was full before its turn came. */
static int place_with_parents(struct xylem_jsonl__import *import, uint32_t row, struct xylem_error *err)
{
    uint32_t at = link_parents(&import->index, import->progress.cursor, row);
    int code = XYLEM_OK;
    while (at != row && !batch_full(import)) {
        if ((code = place_row(import, at, true, err)) < 0 || (code = note_ahead(import, at, err)) < 0) {
            break;
        }
        leave_chain(&import->index, at);
        at = xylem_jsonl__index_row(&import->index, at)->link;
    }
    bool reached = at == row;
    for (; at != row; at = xylem_jsonl__index_row(&import->index, at)->link) {
        leave_chain(&import->index, at);
    }
    leave_chain(&import->index, row);
    if (code < 0 || !reached) {
        return code;
    }
    code = place_row(import, row, false, err);
    return code < 0 ? code : 1;
}

/* Puts a row with a problem from the first pass into quarantine: 1, or a code. */
static int place_problem(struct xylem_jsonl__import *import, uint32_t row, enum xylem_import_problem_type type,
                         struct xylem_error *err)
{
    struct xylem_jsonl__id id = {.bytes = 0};
    bool has_id = type == XYLEM_IMPORT_DUPLICATE || type == XYLEM_IMPORT_CONFLICT;
    int code = has_id ? xylem_jsonl__index_id(&id, &import->index, row, err) : XYLEM_OK;
    count_row(&import->progress, &import->index, row);
    if (code == XYLEM_OK) {
        code = quarantine_row(import, row, type, xylem_jsonl__id_view(&id), err);
    }
    xylem_jsonl__candidate_trim(import);
    return code < 0 ? code : 1;
}

int xylem_jsonl__place_batch(struct xylem_jsonl__import *import, struct xylem_error *err)
{
    struct xylem_jsonl__progress *progress = &import->progress;
    while (progress->cursor < import->index.row_count && !batch_full(import)) {
        struct xylem_jsonl__row *row = xylem_jsonl__index_row(&import->index, progress->cursor);
        unsigned problem = row->state & XYLEM_JSONL__PROBLEM_MASK;
        int code = 1; /* AHEAD: the row was dealt with before an earlier line */
        if (!(row->state & XYLEM_JSONL__AHEAD)) {
            code = problem != 0
                       ? place_problem(import, progress->cursor, (enum xylem_import_problem_type)(problem - 1), err)
                       : place_with_parents(import, progress->cursor, err);
        }
        if (code <= 0) {
            return code < 0 ? code : flush(import, err);
        }
        if ((row->state & XYLEM_JSONL__PROBLEM_MASK) == 0) {
            progress->last_row = progress->cursor;
        }
        progress->cursor++;
    }
    return flush(import, err);
}
