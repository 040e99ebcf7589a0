/*
 * The second pass: lines in the order of the file, each after its parent. Where a parent stands further down it is
 * placed first; such lines are noted as displaced, so that an export can put them back.
 */
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "jsonl/candidate.h"

#define COUNTED_BYTES_MIN 96u /* of a line, for the size of a batch */

/* Appends the run, and notes where its entries stand in the file. */
static int flush(struct xylem_jsonl__import *import, struct xylem_error *err)
{
    struct xylem_jsonl__run *run = &import->run;
    if (run->count == 0) {
        return XYLEM_OK;
    }
    struct xylem_position first;
    struct xylem_entry entry;
    int code = xylem_jsonl__run_append(&first, run, import->txn, import->progress.session, err);
    code = code < 0 ? code : xylem_entry_read(&entry, import->txn, first, err);
    code = code < 0 ? code : xylem_jsonl__batch_note(import, first, err);
    for (size_t i = 0; code == XYLEM_OK && i < run->count; i++) {
        code = xylem_jsonl__note_lsn(import, entry.lsn + i, xylem_jsonl__line_number(run->entries[i].row),
                                     run->entries[i].ahead, err);
    }
    if (code < 0) {
        return code;
    }
    import->progress.placed = (struct xylem_position){first.branch, first.depth + run->count - 1};
    xylem_jsonl__run_clear(run);
    return XYLEM_OK;
}

/* The position of the candidate's parent, once nothing waits to be appended; none if it becomes a root. */
static int parent_position(struct xylem_position *position, struct xylem_jsonl__candidate *candidate,
                           struct xylem_jsonl__import *import, struct xylem_error *err)
{
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
    import->progress.batch_bytes += strlen(import->file.path); /* it stands in each row of the quarantine */
    return xylem_jsonl__quarantine(import, type, xylem_jsonl__line_number(row), offset, bytes, entry_id, err);
}

int xylem_jsonl__report_redacted(struct xylem_jsonl__import *import, const struct xylem_jsonl__candidate *candidate,
                                 const struct xylem_entry *entry, struct xylem_error *err)
{
    if (!(entry->flags & XYLEM_ENTRY_REDACTED)) {
        return XYLEM_OK;
    }
    uint64_t offset = xylem_jsonl__row_offset(xylem_jsonl__index_row(&import->index, candidate->row));
    return xylem_jsonl__report_problem(import->report, XYLEM_IMPORT_REDACTED, false,
                                       xylem_jsonl__line_number(candidate->row), offset, candidate->entry.id, err);
}

/* Deals with a line whose id the session has: it is the same entry, or it goes to quarantine. */
static int place_known(struct xylem_jsonl__import *import, struct xylem_jsonl__candidate *candidate,
                       struct xylem_position known, struct xylem_error *err)
{
    struct xylem_position parent;
    int code = parent_position(&parent, candidate, import, err);
    struct xylem_entry entry;
    code = code < 0 ? code : xylem_jsonl__same_as_stored(&entry, import, known, parent, candidate->text, err);
    if (code < 0) {
        return code;
    }
    struct xylem_jsonl__row *row = xylem_jsonl__index_row(&import->index, candidate->row);
    if (code == 1 && !(row->state & XYLEM_JSONL__REPEATS)) {
        /* A native one has no place in the order of lines by itself; nor has one that was in no line until now. */
        bool unordered = (entry.flags & XYLEM_ENTRY_IMPORTED) == 0 || import->mode == XYLEM_JSONL__MODE_GREW;
        import->report->matched_count++;
        xylem_jsonl__candidate_placed(import, candidate, known);
        code = xylem_jsonl__note_lsn(import, entry.lsn, xylem_jsonl__line_number(candidate->row),
                                     candidate->ahead || unordered, err);
        return code < 0 ? code : xylem_jsonl__report_redacted(import, candidate, &entry, err);
    }
    enum xylem_import_problem_type type = code == 1 ? XYLEM_IMPORT_DUPLICATE : XYLEM_IMPORT_CONFLICT;
    xylem_jsonl__row_set_problem(row, type);
    struct xylem_jsonl__id id = {.bytes = candidate->entry.id.bytes};
    memcpy(id.data, candidate->entry.id.data, id.bytes);
    xylem_jsonl__candidate_trim(import);
    return quarantine_row(import, candidate->row, type, xylem_jsonl__id_view(&id), err);
}

static int report_root(struct xylem_jsonl__import *import, const struct xylem_jsonl__candidate *candidate,
                       struct xylem_error *err)
{
    const struct xylem_jsonl__row *row = xylem_jsonl__index_row(&import->index, candidate->row);
    bool cycle = (row->state & XYLEM_JSONL__CYCLE) != 0;
    if (!cycle && !candidate->orphan) {
        return XYLEM_OK;
    }
    return xylem_jsonl__report_problem(import->report, cycle ? XYLEM_IMPORT_CYCLE : XYLEM_IMPORT_ORPHAN, false,
                                       xylem_jsonl__line_number(candidate->row), xylem_jsonl__row_offset(row),
                                       candidate->entry.id, err);
}

/* Adds the candidate to the run, or begins another one with it. */
static int place_new(struct xylem_jsonl__import *import, struct xylem_jsonl__candidate *candidate,
                     struct xylem_error *err)
{
    struct xylem_jsonl__run *run = &import->run;
    bool follows = run->count > 0 && candidate->parent_row != XYLEM_JSONL__NO_ROW &&
                   candidate->parent_row == import->progress.placed_row && !xylem_jsonl__run_full(run);
    int code = XYLEM_OK;
    if (!follows) {
        struct xylem_position parent;
        code = flush(import, err);
        code = code < 0 ? code : parent_position(&parent, candidate, import, err);
        if (code == XYLEM_OK) {
            run->parent = parent;
        }
    }
    code = code < 0 ? code : xylem_jsonl__line_payload(&candidate->entry, &import->parser, err);
    if (code == 0) {
        return xylem_jsonl__fail_changed(&import->file, err);
    }
    bool is_root = candidate->parent_row == XYLEM_JSONL__NO_ROW;
    bool same = false;
    code = code < 0 ? code
                    : xylem_jsonl__line_check(&same, &candidate->entry, is_root ? NULL : &candidate->entry.parent_id,
                                              &import->parser, candidate->text, err);
    xylem_jsonl__buffer_trim(&import->parser.rendered);
    struct xylem_view none = {NULL, 0};
    code = code < 0 ? code
                    : xylem_jsonl__run_add(run, &candidate->entry, same ? none : candidate->text, candidate->row,
                                           candidate->ahead, err);
    if (code < 0) {
        return code;
    }
    xylem_jsonl__candidate_placed(import, candidate,
                                  run->parent); /* its own position is known when the run is appended */
    import->report->added_count++;
    import->report->kept_line_count += same ? 0 : 1;
    return report_root(import, candidate, err);
}

/* Counts a row for the batch. The row of the store has more bytes than a line that is very short. */
static void count_row(struct xylem_jsonl__import *import, uint32_t row)
{
    uint64_t offset = xylem_jsonl__row_offset(xylem_jsonl__index_row(&import->index, row));
    uint64_t bytes = xylem_jsonl__index_line_end(&import->index, row) - offset;
    import->progress.batch_bytes += bytes > COUNTED_BYTES_MIN ? bytes : COUNTED_BYTES_MIN;
}

/* Places one row whose parent is placed, or puts it into quarantine. */
static int place_row(struct xylem_jsonl__import *import, uint32_t row, bool ahead, struct xylem_error *err)
{
    struct xylem_jsonl__candidate candidate;
    int code = xylem_jsonl__candidate_read(&candidate, import, row, ahead, err);
    if (code < 0) {
        return code;
    }
    count_row(import, row);
    struct xylem_position known;
    code = XYLEM_E_NOT_FOUND;
    if (import->mode != XYLEM_JSONL__MODE_NEW) {
        code = xylem_find(&known, import->txn, import->progress.session, candidate.entry.id, err);
    }
    if (code == XYLEM_OK) {
        code = flush(import, err);
        code = code < 0 ? code : place_known(import, &candidate, known, err);
    } else if (code == XYLEM_E_NOT_FOUND) {
        code = place_new(import, &candidate, err);
    }
    xylem_jsonl__candidate_trim(import);
    if (code == XYLEM_OK && import->run.bytes.bytes > XYLEM_JSONL__RUN_BYTES_MAX) {
        code = flush(import, err); /* before another long line is read */
    }
    return code;
}

static void leave_chain(const struct xylem_jsonl__index *index, uint32_t row)
{
    xylem_jsonl__index_row(index, row)->state &= (uint16_t)~XYLEM_JSONL__ON_CHAIN;
}

/*
 * `top` closes a cycle: its parent is on the chain already. The member that comes first in the file becomes a root and
 * is given back; those above it leave the chain.
 */
static uint32_t break_cycle(const struct xylem_jsonl__index *index, uint32_t top)
{
    uint32_t end = xylem_jsonl__index_row(index, top)->parent;
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

/* Links the parents that have to be placed before `row`, each to the row that waits for it, and gives the topmost. */
static uint32_t climb(struct xylem_jsonl__import *import, uint32_t row)
{
    struct xylem_jsonl__index *index = &import->index;
    uint32_t top = row;
    xylem_jsonl__index_row(index, row)->state |= XYLEM_JSONL__ON_CHAIN;
    for (;;) {
        uint32_t parent = xylem_jsonl__index_row(index, top)->parent;
        if (parent == XYLEM_JSONL__NO_ROW || xylem_jsonl__is_dealt_with(import, parent)) {
            return top;
        }
        struct xylem_jsonl__row *above = xylem_jsonl__index_row(index, parent);
        if (above->state & XYLEM_JSONL__REPEATS) {
            return top; /* the session has an entry of that id, and that is the parent */
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

/* The list of displaced lines is written with each batch, so a batch is no smaller than it: that bounds the whole. */
static bool batch_full(const struct xylem_jsonl__import *import)
{
    uint64_t listed = import->displaced.count * sizeof *import->displaced.items;
    uint64_t least = import->options.batch_bytes;
    return import->progress.batch_bytes >= (listed > least ? listed : least);
}

/* Places a row after its parents: 1, or 0 if the batch was full before its turn came. */
static int place_with_parents(struct xylem_jsonl__import *import, uint32_t row, struct xylem_error *err)
{
    uint32_t at = climb(import, row);
    int code = XYLEM_OK;
    while (code == XYLEM_OK && at != row && !batch_full(import)) {
        code = place_row(import, at, true, err);
        code = code < 0 ? code : note_ahead(import, at, err);
        if (code == XYLEM_OK) {
            leave_chain(&import->index, at);
            at = xylem_jsonl__index_row(&import->index, at)->link;
        }
    }
    bool reached = at == row;
    for (; at != row; at = xylem_jsonl__index_row(&import->index, at)->link) {
        leave_chain(&import->index, at);
    }
    leave_chain(&import->index, row);
    if (code < 0 || !reached) {
        return code < 0 ? code : 0;
    }
    code = place_row(import, row, false, err);
    return code < 0 ? code : 1;
}

/* Puts a row into quarantine that the index found a problem with. */
static int place_problem(struct xylem_jsonl__import *import, uint32_t row, enum xylem_import_problem_type type,
                         struct xylem_error *err)
{
    struct xylem_jsonl__id id = {.bytes = 0};
    bool has_id = type == XYLEM_IMPORT_DUPLICATE || type == XYLEM_IMPORT_CONFLICT;
    int code = has_id ? xylem_jsonl__index_id(&id, &import->index, row, err) : XYLEM_OK;
    count_row(import, row);
    code = code < 0 ? code : quarantine_row(import, row, type, xylem_jsonl__id_view(&id), err);
    xylem_jsonl__candidate_trim(import);
    return code;
}

int xylem_jsonl__place_batch(struct xylem_jsonl__import *import, struct xylem_error *err)
{
    struct xylem_jsonl__progress *progress = &import->progress;
    while (progress->cursor < import->index.row_count && !batch_full(import)) {
        struct xylem_jsonl__row *row = xylem_jsonl__index_row(&import->index, progress->cursor);
        unsigned problem = row->state & XYLEM_JSONL__PROBLEM_MASK;
        int code = 1;
        if (row->state & XYLEM_JSONL__AHEAD) {
            code = 1; /* it was dealt with before an earlier line */
        } else if (problem != 0) {
            code = place_problem(import, progress->cursor, (enum xylem_import_problem_type)(problem - 1), err);
            code = code < 0 ? code : 1;
        } else {
            code = place_with_parents(import, progress->cursor, err);
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
