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
 * - any other row: the run is appended, and the parent's position found; a new run begins there
 * - an id of no line: an entry of the session; a new run begins there
 * - an id of no line and no entry: the entry becomes a root, reported as an orphan
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/find.h"
#include "travel/jsonl/import.h"
#include "xylem/branch.h"

#define COUNTED_BYTES_MIN 96u /* a short line counts for so many bytes of a batch: the row of the store is longer */

/*
 * Notes the position of a row of a new session. The ids of a new session are written at the end of the batch, sorted
 * like the table `ids`. In the order of the file, each id would touch another page of the table. Until then
 * xylem_find() does not find the entries of the batch.
 */
static int note_position(struct xylem_jsonl__batch *batch, uint32_t row, struct xylem_position position,
                         struct xylem_error *err)
{
    assert(row >= batch->first_row);
    size_t at = row - batch->first_row;
    while (batch->position_count <= at) {
        struct xylem_position *positions = xylem_base__with_room(batch->positions, &batch->position_capacity,
                                                                 batch->position_count, sizeof *positions);
        if (!positions) {
            return xylem_base__fail_memory(err);
        }
        batch->positions = positions;
        positions[batch->position_count++] = (struct xylem_position){0, 0};
    }
    batch->positions[at] = position;
    return XYLEM_OK;
}

/* Appends the run, and notes the positions and the lines of its entries. */
static int flush(struct xylem_jsonl__placing *placing, struct xylem_error *err)
{
    struct xylem_jsonl__batch *batch = &placing->batch;
    struct xylem_jsonl__run *run = &batch->run;
    struct xylem_position first;
    struct xylem_entry entry = {.lsn = 0};
    int code;
    if (run->count == 0) {
        return XYLEM_OK;
    }
    if ((code = xylem_jsonl__run_append(&first, run, batch->txn, placing->progress.session, err)) < 0 ||
        (placing->gives_order && (code = xylem_entry_read(&entry, batch->txn, first, err)) < 0)) {
        return code;
    }
    for (size_t i = 0; i < run->count; i++) {
        const struct xylem_jsonl__run_entry *added = &run->entries[i];
        struct xylem_position position = {first.branch, first.depth + i};
        uint64_t line = placing->reader->index.first_line + added->row;
        bool noted = run->ids && !added->ahead; /* a row ahead may lie far behind the batch */
        if ((noted && (code = note_position(batch, added->row, position, err)) < 0) ||
            (code = xylem_jsonl__note_lsn(placing, entry.lsn + i, line, added->ahead, err)) < 0) {
            return code;
        }
    }
    placing->progress.placed = (struct xylem_position){first.branch, first.depth + run->count - 1};
    placing->progress.newest = placing->progress.placed;
    xylem_jsonl__run_clear(run);
    return XYLEM_OK;
}

/*
 * The position of the candidate's parent; none if the candidate becomes a root. Flush the run first. The parent is one
 * of:
 * 1. the row placed last. The usual case
 * 2. another row of the batch, at its turn: found by row, in `positions`
 * 3. a row of an earlier batch, or placed before its turn: found by id, after the collected ids are written
 * 4. an entry of no row: find_stored() found the entry
 */
static int parent_position(struct xylem_position *position, struct xylem_jsonl__candidate *candidate,
                           struct xylem_jsonl__placing *placing, struct xylem_error *err)
{
    struct xylem_jsonl__batch *batch = &placing->batch;
    const struct xylem_jsonl__progress *progress = &placing->progress;
    uint32_t row = candidate->parent_row;
    assert(batch->run.count == 0);
    *position = candidate->stored_parent;
    if (row == XYLEM_JSONL__NO_ROW) {
        return XYLEM_OK;
    }
    if (row == progress->placed_row) {
        *position = progress->placed;
        return XYLEM_OK;
    }
    size_t at = (size_t)row - batch->first_row;
    if (row >= batch->first_row && at < batch->position_count && !xylem_format__position_none(batch->positions[at])) {
        *position = batch->positions[at];
        return XYLEM_OK;
    }
    int code;
    if ((code = xylem_store__new_ids_write(batch->txn, progress->session, &batch->ids, err)) < 0 ||
        (code = xylem_find(position, batch->txn, progress->session, candidate->entry.parent_id, err)) !=
            XYLEM_E_NOT_FOUND) {
        return code;
    }
    *position = (struct xylem_position){0, 0};
    candidate->parent_row = XYLEM_JSONL__NO_ROW;
    candidate->orphan = true;
    return XYLEM_OK;
}

static int quarantine_row(struct xylem_jsonl__placing *placing, uint32_t row, enum xylem_import_problem_type type,
                          const struct xylem_jsonl__id *id, struct xylem_error *err)
{
    const struct xylem_jsonl__index *index = &placing->reader->index;
    placing->piece.written += strlen(placing->reader->file.path); /* each row of the quarantine holds the path */
    return xylem_jsonl__quarantine(placing, type, index->first_line + row, xylem_jsonl__index_offset(index, row),
                                   xylem_jsonl__index_bytes(index, row), xylem_jsonl__id_view(id), err);
}

/* Places a line with the id of an entry of the session: the line is that entry, or goes to quarantine. */
static int place_known(struct xylem_jsonl__placing *placing, struct xylem_jsonl__candidate *candidate,
                       struct xylem_position known, struct xylem_error *err)
{
    struct xylem_position parent;
    struct xylem_entry entry;
    int code;
    if ((code = parent_position(&parent, candidate, placing, err)) < 0 ||
        (code = xylem_jsonl__same_as_stored(&entry, placing, known, parent, candidate->text, err)) < 0) {
        return code;
    }
    bool same = code == 1;
    struct xylem_jsonl__row *row = xylem_jsonl__index_row(&placing->reader->index, candidate->row);
    if (same && !(row->state & XYLEM_JSONL__REPEATS)) {
        /* The lsn of a native entry, or of an entry without a line until now, does not tell the line. */
        bool unordered = (entry.flags & XYLEM_ENTRY_IMPORTED) == 0 || placing->mode == XYLEM_JSONL__MODE_GREW;
        placing->report->matched_count++;
        placing->progress.placed_count++;
        placing->progress.placed_row = candidate->row;
        placing->progress.placed = known;
        code = xylem_jsonl__note_lsn(placing, entry.lsn, placing->reader->index.first_line + candidate->row,
                                     candidate->ahead || unordered, err);
        if (code < 0 || !(entry.flags & XYLEM_ENTRY_REDACTED)) {
            return code;
        }
        return xylem_jsonl__report_candidate(placing, candidate, XYLEM_IMPORT_REDACTED, err);
    }
    enum xylem_import_problem_type type = same ? XYLEM_IMPORT_DUPLICATE : XYLEM_IMPORT_CONFLICT;
    struct xylem_jsonl__id id;
    xylem_jsonl__row_set_problem(row, type);
    xylem_jsonl__id_set(&id, candidate->entry.id);
    xylem_jsonl__placing_trim(placing);
    return quarantine_row(placing, candidate->row, type, &id, err);
}

/* Adds a new entry to the run, or appends the run and begins another run. */
static int place_new(struct xylem_jsonl__placing *placing, struct xylem_jsonl__candidate *candidate,
                     struct xylem_error *err)
{
    struct xylem_jsonl__run *run = &placing->batch.run;
    struct xylem_jsonl__progress *progress = &placing->progress;
    struct xylem_jsonl__parser *parser = &placing->reader->parser;
    bool follows = run->count > 0 && candidate->parent_row != XYLEM_JSONL__NO_ROW &&
                   candidate->parent_row == progress->placed_row && !xylem_jsonl__run_full(run);
    int code;
    if (!follows &&
        ((code = flush(placing, err)) < 0 || (code = parent_position(&run->parent, candidate, placing, err)) < 0)) {
        return code;
    }
    if ((code = xylem_jsonl__line_payload(&candidate->entry, parser, err)) <= 0) {
        return code < 0 ? code : xylem_jsonl__fail_changed(placing->reader, err);
    }
    bool is_root =
        candidate->parent_row == XYLEM_JSONL__NO_ROW && xylem_format__position_none(candidate->stored_parent);
    bool same = false;
    code = xylem_jsonl__line_check(&same, &candidate->entry, is_root ? NULL : &candidate->entry.parent_id, parser,
                                   candidate->text, err);
    xylem_jsonl__buffer_trim(&parser->rendered);
    struct xylem_view kept = same ? (struct xylem_view){NULL, 0} : candidate->text;
    if (code < 0 ||
        (code = xylem_jsonl__run_add(run, &candidate->entry, kept, candidate->row, candidate->ahead, err)) < 0) {
        return code;
    }
    progress->placed_row = candidate->row; /* flush() sets the position */
    placing->report->added_count++;
    progress->placed_count++;
    placing->report->kept_line_count += same ? 0 : 1;
    if (xylem_jsonl__index_row(&placing->reader->index, candidate->row)->state & XYLEM_JSONL__CYCLE) {
        return xylem_jsonl__report_candidate(placing, candidate, XYLEM_IMPORT_CYCLE, err);
    }
    return candidate->orphan ? xylem_jsonl__report_candidate(placing, candidate, XYLEM_IMPORT_ORPHAN, err) : XYLEM_OK;
}

/* Counts the bytes of a row for the batch. */
static void count_row(struct xylem_jsonl__placing *placing, uint32_t row)
{
    uint64_t bytes = xylem_jsonl__index_bytes(&placing->reader->index, row);
    placing->piece.written += bytes > COUNTED_BYTES_MIN ? bytes : COUNTED_BYTES_MIN;
}

/*
 * Finds the entry of the candidate in the session, and the parent of an orphan: 1, or 0 if the candidate is new. Most
 * orphans continue the leaf.
 */
static int find_stored(struct xylem_position *known, struct xylem_jsonl__candidate *candidate,
                       struct xylem_jsonl__placing *placing, struct xylem_error *err)
{
    struct xylem_txn *txn = placing->batch.txn;
    const struct xylem_view parent_id = candidate->entry.parent_id;
    struct xylem_session session;
    struct xylem_entry leaf;
    int code;
    if (placing->mode == XYLEM_JSONL__MODE_NEW) {
        return 0;
    }
    if ((code = xylem_session_read(&session, txn, placing->progress.session, err)) < 0) {
        return code;
    }
    int found = 0;
    if (candidate->orphan && !xylem_format__position_none(session.leaf)) {
        if ((code = xylem_entry_read(&leaf, txn, session.leaf, err)) < 0) {
            return code;
        }
        found = xylem_base__view_equal(leaf.id, parent_id);
        candidate->stored_parent = found ? session.leaf : candidate->stored_parent;
    }
    if (candidate->orphan && !found &&
        (found = xylem_store__find(&candidate->stored_parent, txn, &session, parent_id, err)) < 0) {
        return found;
    }
    candidate->orphan = candidate->orphan && !found;
    return xylem_store__find(known, txn, &session, candidate->entry.id, err);
}

/* Places a row after its parent, or puts the row into quarantine. */
static int place_row(struct xylem_jsonl__placing *placing, uint32_t row, bool ahead, struct xylem_error *err)
{
    struct xylem_jsonl__candidate candidate;
    struct xylem_position known;
    int code;
    if ((code = xylem_jsonl__candidate_read(&candidate, placing->reader, row, ahead, err)) < 0 ||
        (code = find_stored(&known, &candidate, placing, err)) < 0) {
        return code;
    }
    count_row(placing, row);
    if (code == 0) {
        code = place_new(placing, &candidate, err);
    } else if ((code = flush(placing, err)) == XYLEM_OK) {
        code = place_known(placing, &candidate, known, err);
    }
    xylem_jsonl__placing_trim(placing);
    if (code == XYLEM_OK && placing->batch.run.bytes.bytes > XYLEM_JSONL__RUN_BYTES_MAX) {
        code = flush(placing, err); /* gives back the memory of a long line before the next line */
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
static uint32_t link_parents(const struct xylem_jsonl__placing *placing, uint32_t row)
{
    const struct xylem_jsonl__index *index = &placing->reader->index;
    uint32_t top = row;
    xylem_jsonl__index_row(index, row)->state |= XYLEM_JSONL__ON_CHAIN;
    for (;;) {
        uint32_t parent = xylem_jsonl__index_row(index, top)->parent;
        if (parent == XYLEM_JSONL__NO_ROW || xylem_jsonl__is_dealt_with(placing, parent)) {
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

/*
 * Each batch writes the whole list of displaced lines. A batch no smaller than the list bounds the sum of all writes.
 */
static bool batch_full(const struct xylem_jsonl__placing *placing)
{
    uint64_t listed = placing->displaced.count * sizeof *placing->displaced.items;
    uint64_t bytes = placing->piece.written;
    return bytes >= listed && xylem_store__piece_full(&placing->piece);
}

/* Places a row after its parents: 1, or 0 if the batch was full before its turn came. */
static int place_with_parents(struct xylem_jsonl__placing *placing, uint32_t row, struct xylem_error *err)
{
    const struct xylem_jsonl__index *index = &placing->reader->index;
    struct xylem_jsonl__batch *batch = &placing->batch;
    uint32_t at = link_parents(placing, row);
    int code = XYLEM_OK;
    while (at != row && !batch_full(placing) && (code = place_row(placing, at, true, err)) == XYLEM_OK) {
        uint32_t *rows = xylem_base__with_room(batch->ahead, &batch->ahead_capacity, batch->ahead_count, sizeof *rows);
        if (!rows) {
            code = xylem_base__fail_memory(err);
            break;
        }
        batch->ahead = rows;
        rows[batch->ahead_count++] = at;
        xylem_jsonl__index_row(index, at)->state |= XYLEM_JSONL__AHEAD;
        leave_chain(index, at);
        at = xylem_jsonl__index_row(index, at)->link;
    }
    bool reached = at == row;
    for (; at != row; at = xylem_jsonl__index_row(index, at)->link) {
        leave_chain(index, at);
    }
    leave_chain(index, row);
    if (!reached) {
        return code;
    }
    code = place_row(placing, row, false, err);
    return code < 0 ? code : 1;
}

/* Puts a row with a problem from the first pass into quarantine: 1, or a code. */
static int place_problem(struct xylem_jsonl__placing *placing, uint32_t row, enum xylem_import_problem_type type,
                         struct xylem_error *err)
{
    struct xylem_jsonl__id id = {.bytes = 0};
    bool has_id = type == XYLEM_IMPORT_DUPLICATE || type == XYLEM_IMPORT_CONFLICT;
    int code = has_id ? xylem_jsonl__index_id(&id, &placing->reader->index, row, err) : XYLEM_OK;
    count_row(placing, row);
    if (code == XYLEM_OK) {
        code = quarantine_row(placing, row, type, &id, err);
    }
    xylem_jsonl__placing_trim(placing);
    return code < 0 ? code : 1;
}

int xylem_jsonl__place_batch(struct xylem_jsonl__placing *placing, struct xylem_error *err)
{
    const struct xylem_jsonl__index *index = &placing->reader->index;
    struct xylem_jsonl__progress *progress = &placing->progress;
    struct xylem_jsonl__batch *batch = &placing->batch;
    int code = 1;
    assert(batch->run.count == 0);
    batch->ids.count = 0;
    batch->run.ids = placing->mode == XYLEM_JSONL__MODE_NEW ? &batch->ids : NULL;
    batch->position_count = 0;
    batch->first_row = progress->cursor;
    while (progress->cursor < index->row_count && !batch_full(placing)) {
        struct xylem_jsonl__row *row = xylem_jsonl__index_row(index, progress->cursor);
        unsigned problem = row->state & XYLEM_JSONL__PROBLEM_MASK;
        if (row->state & XYLEM_JSONL__AHEAD) {
            code = 1; /* the row was dealt with before an earlier line */
        } else if (problem != 0) {
            code = place_problem(placing, progress->cursor, (enum xylem_import_problem_type)(problem - 1), err);
        } else {
            code = place_with_parents(placing, progress->cursor, err);
        }
        if (code <= 0) {
            break;
        }
        if ((row->state & XYLEM_JSONL__PROBLEM_MASK) == 0) {
            progress->last_row = progress->cursor;
        }
        progress->cursor++;
    }
    if (code < 0 || (code = flush(placing, err)) < 0) {
        return code;
    }
    return xylem_store__new_ids_write(batch->txn, progress->session, &batch->ids, err);
}

void xylem_jsonl__placing_trim(struct xylem_jsonl__placing *placing)
{
    xylem_jsonl__reader_trim(placing->reader);
    xylem_jsonl__buffer_trim(&placing->stored);
}

void xylem_jsonl__placing_release(struct xylem_jsonl__placing *placing)
{
    struct xylem_jsonl__batch *batch = &placing->batch;
    xylem_jsonl__run_release(&batch->run);
    free(batch->ids.list);
    free(batch->positions);
    free(batch->ahead);
    free(placing->displaced.items);
    xylem_buffer_release(&placing->stored);
}
