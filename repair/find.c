/* Looks up rows of the damaged store by key, and parts of the plan by their old numbers and positions. */
#include <stdlib.h>

#include "repair/repair.h"

const struct xylem_repair__salvaged *xylem_repair__row_of(const struct xylem_repair__salvage *salvage,
                                                          enum xylem_format__table table, uint64_t number)
{
    size_t count;
    const struct xylem_repair__salvaged *rows = xylem_repair__salvage_rows(&count, salvage, table);
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rows[middle].first < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && rows[low].first == number ? &rows[low] : NULL;
}

const struct xylem_repair__salvaged *xylem_repair__rows_of(size_t *count, const struct xylem_repair__salvage *salvage,
                                                           enum xylem_format__table table, uint64_t number)
{
    size_t all;
    const struct xylem_repair__salvaged *rows = xylem_repair__salvage_rows(&all, salvage, table);
    const struct xylem_repair__salvaged *first = xylem_repair__row_of(salvage, table, number);
    *count = 0;
    while (first && first + *count < rows + all && first[*count].first == number) {
        (*count)++;
    }
    return first;
}

static int compare_branches(const void *number, const void *branch)
{
    uint64_t wanted = *(const uint64_t *)number;
    uint64_t found = ((const struct xylem_repair__branch *)branch)->number;
    return (wanted > found) - (wanted < found);
}

struct xylem_repair__branch *xylem_repair__branch_of(const struct xylem_repair__plan *plan, uint64_t number)
{
    return plan->branch_count == 0
               ? NULL
               : bsearch(&number, plan->branches, plan->branch_count, sizeof *plan->branches, compare_branches);
}

size_t xylem_repair__session_of_branch(const struct xylem_repair__plan *plan, uint64_t number)
{
    const struct xylem_repair__branch *branch = xylem_repair__branch_of(plan, number);
    return branch ? branch->session : XYLEM_REPAIR__NONE;
}

size_t xylem_repair__session_of(const struct xylem_repair__plan *plan, uint64_t old_number)
{
    size_t low = 0;
    size_t high = plan->read_count; /* sessions with a row come first, by ascending number */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (plan->sessions[middle].old_number < old_number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low < plan->read_count && plan->sessions[low].old_number == old_number) {
        return low;
    }
    for (size_t i = plan->read_count; old_number > 0 && i < plan->session_count; i++) {
        if (plan->sessions[i].old_number == old_number) {
            return i;
        }
    }
    return XYLEM_REPAIR__NONE;
}

struct xylem_repair__entry *xylem_repair__entry_at(const struct xylem_repair__plan *plan, struct xylem_position old)
{
    const struct xylem_repair__branch *branch = xylem_repair__branch_of(plan, old.branch);
    size_t low = branch ? branch->entry_begin : 0;
    size_t end = branch ? low + branch->entry_count : 0;
    size_t high = end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (plan->entries[middle].row->second < old.depth) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < end && plan->entries[low].row->second == old.depth ? &plan->entries[low] : NULL;
}

struct xylem_repair__gap *xylem_repair__gap_at(const struct xylem_repair__plan *plan, struct xylem_position old)
{
    const struct xylem_repair__branch *branch = xylem_repair__branch_of(plan, old.branch);
    size_t low = branch ? branch->gap_begin : 0;
    size_t end = branch ? low + branch->gap_count : 0;
    size_t high = end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (plan->gaps[middle].last < old.depth) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < end && plan->gaps[low].first <= old.depth ? &plan->gaps[low] : NULL;
}
