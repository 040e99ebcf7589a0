/* Finds rows of the damaged store by key, reads records, and finds parts of the plan by old numbers and positions. */
#include "care/repair/repair.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/numbers.h"
#include "care/repair/salvage_prove.h"

/*
 * The index of the first item with a number that is not smaller than `number`; `count`: all numbers are smaller.
 * `first` points to the number of the first item, and the next item's number lies `stride` bytes behind.
 */
static size_t lower_bound(const uint64_t *first, size_t stride, size_t count, uint64_t number)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (*(const uint64_t *)(const void *)((const char *)first + middle * stride) < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const struct xylem_repair__salvaged *xylem_repair__row_of(const struct xylem_repair__salvage *salvage,
                                                          enum xylem_format__table table, uint64_t number)
{
    struct xylem_repair__rows rows = xylem_repair__salvage_rows(salvage, table);
    size_t at = rows.count > 0 ? lower_bound(&rows.list->first, sizeof *rows.list, rows.count, number) : 0;
    return at < rows.count && rows.list[at].first == number ? &rows.list[at] : NULL;
}

struct xylem_repair__rows xylem_repair__rows_of(const struct xylem_repair__salvage *salvage,
                                                enum xylem_format__table table, uint64_t number)
{
    struct xylem_repair__rows all = xylem_repair__salvage_rows(salvage, table);
    struct xylem_repair__rows rows = {xylem_repair__row_of(salvage, table, number), 0};
    while (rows.list && rows.list + rows.count < all.list + all.count && rows.list[rows.count].first == number) {
        rows.count++;
    }
    return rows;
}

int xylem_repair__record_read(struct xylem_entry *entry, struct xylem_repair__content *content,
                              struct xylem_buffer *copy, struct xylem_repair__repair *repair,
                              const struct xylem_repair__salvaged *row)
{
    struct xylem_position position = {row->first, row->second};
    int code = xylem_repair__salvage_read(content, repair->salvage, row, repair->err);
    if (code < 0) {
        return code;
    }
    if (copy) {
        xylem_base__buffer_clear(copy);
        if (xylem_buffer_add(copy, content->value.data, content->value.bytes) < 0) {
            return xylem_base__fail_memory(repair->err);
        }
        content->value = xylem_base__buffer_view(copy);
    }
    return xylem_repair__salvage_record(entry, position, content->value, content->value_bytes)
               ? XYLEM_OK
               : xylem_base__fail(repair->err, XYLEM_E_BUSY,
                                  "the record at " XYLEM_FORMAT__AT_FORMAT
                                  " changed while it was read: end the programs that write to the store, and try again",
                                  XYLEM_FORMAT__AT_ARGUMENTS(position));
}

struct xylem_repair__branch *xylem_repair__branch_of(const struct xylem_repair__plan *plan, uint64_t number)
{
    return plan->branch_count == 0 ? NULL
                                   : bsearch(&number, plan->branches, plan->branch_count, sizeof *plan->branches,
                                             xylem_base__compare_numbers); /* the number is the first member */
}

size_t xylem_repair__session_of_branch(const struct xylem_repair__plan *plan, uint64_t number)
{
    const struct xylem_repair__branch *branch = xylem_repair__branch_of(plan, number);
    return branch ? branch->session : XYLEM_REPAIR__NONE;
}

size_t xylem_repair__session_of(const struct xylem_repair__plan *plan, uint64_t old_number)
{
    /* Sessions with a row come first, by ascending number; the number is the first member. */
    const struct xylem_repair__session *read = plan->read_count == 0
                                                   ? NULL
                                                   : bsearch(&old_number, plan->sessions, plan->read_count,
                                                             sizeof *plan->sessions, xylem_base__compare_numbers);
    if (read) {
        return (size_t)(read - plan->sessions);
    }
    for (size_t i = plan->read_count; old_number > 0 && i < plan->session_count; i++) {
        if (plan->sessions[i].old_number == old_number) {
            return i;
        }
    }
    return XYLEM_REPAIR__NONE;
}

static int compare_depth(const void *depth, const void *entry)
{
    uint64_t a = *(const uint64_t *)depth;
    uint64_t b = ((const struct xylem_repair__entry *)entry)->row->second;
    return (a > b) - (a < b);
}

struct xylem_repair__entry *xylem_repair__entry_at(const struct xylem_repair__plan *plan, struct xylem_position old)
{
    const struct xylem_repair__branch *branch = xylem_repair__branch_of(plan, old.branch);
    return !branch || branch->entry_count == 0 ? NULL
                                               : bsearch(&old.depth, plan->entries + branch->entry_begin,
                                                         branch->entry_count, sizeof *plan->entries, compare_depth);
}

struct xylem_repair__gap *xylem_repair__gap_at(const struct xylem_repair__plan *plan, struct xylem_position old)
{
    const struct xylem_repair__branch *branch = xylem_repair__branch_of(plan, old.branch);
    if (!branch || branch->gap_count == 0) {
        return NULL;
    }
    struct xylem_repair__gap *gaps = plan->gaps + branch->gap_begin;
    size_t at = lower_bound(&gaps->last, sizeof *gaps, branch->gap_count, old.depth);
    return at < branch->gap_count && gaps[at].first <= old.depth ? &gaps[at] : NULL;
}
