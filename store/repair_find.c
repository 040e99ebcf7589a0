/* Looks up parts of the plan by what they were in the damaged store. */
#include <stdlib.h>

#include "store/repair.h"

static int compare_branches(const void *number, const void *branch)
{
    uint64_t wanted = *(const uint64_t *)number;
    uint64_t found = ((const struct xylem_store__repair_branch *)branch)->number;
    return (wanted > found) - (wanted < found);
}

struct xylem_store__repair_branch *xylem_store__repair_branch_of(const struct xylem_store__repair *repair,
                                                                 uint64_t number)
{
    return repair->branch_count == 0
               ? NULL
               : bsearch(&number, repair->branches, repair->branch_count, sizeof *repair->branches, compare_branches);
}

size_t xylem_store__repair_session_of(const struct xylem_store__repair *repair, uint64_t old_number)
{
    size_t low = 0;
    size_t high = repair->read_count; /* those whose rows were read come first, by ascending number */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (repair->sessions[middle].old_number < old_number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low < repair->read_count && repair->sessions[low].old_number == old_number) {
        return low;
    }
    for (size_t i = repair->read_count; old_number > 0 && i < repair->session_count; i++) {
        if (repair->sessions[i].old_number == old_number) {
            return i;
        }
    }
    return XYLEM_STORE__NONE;
}

struct xylem_store__repair_entry *xylem_store__repair_entry_at(const struct xylem_store__repair *repair,
                                                               struct xylem_position old)
{
    const struct xylem_store__repair_branch *branch = xylem_store__repair_branch_of(repair, old.branch);
    size_t low = branch ? branch->entry_begin : 0;
    size_t end = branch ? low + branch->entry_count : 0;
    size_t high = end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (repair->entries[middle].row->second < old.depth) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < end && repair->entries[low].row->second == old.depth ? &repair->entries[low] : NULL;
}

struct xylem_store__repair_gap *xylem_store__repair_gap_at(const struct xylem_store__repair *repair,
                                                           struct xylem_position old)
{
    const struct xylem_store__repair_branch *branch = xylem_store__repair_branch_of(repair, old.branch);
    size_t low = branch ? branch->gap_begin : 0;
    size_t end = branch ? low + branch->gap_count : 0;
    size_t high = end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (repair->gaps[middle].last < old.depth) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < end && repair->gaps[low].first <= old.depth ? &repair->gaps[low] : NULL;
}
