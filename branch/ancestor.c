/*
 * Finds the entry of a path at a depth, and the newest common entry of two paths.
 *
 *     branch 1   a1 - a2 - a3 - a4
 *     branch 2          |    \- b4 - b5
 *     branch 3          \- c3 - c4
 *
 * For b5 and c4: branch 3 is the greatest number, so c4's path leaves its branch first, to a2. Then b5's path leaves
 * branch 2, to a3. Now both are on branch 1, and the lesser depth, a2, is the common ancestor.
 */
#include <inttypes.h>

#include "base/error.h"
#include "branch/branch.h"
#include "xylem/branch.h"

int xylem_ancestor_at(struct xylem_position *ancestor, struct xylem_txn *txn, struct xylem_position from,
                      uint64_t depth, struct xylem_error *err)
{
    if (depth == 0 || depth > from.depth) {
        return xylem_base__fail(err, XYLEM_E_NOT_FOUND,
                                "an entry at depth %" PRIu64 " has no ancestor at depth %" PRIu64, from.depth, depth);
    }
    struct xylem_entry entry;
    int code = xylem_entry_read(&entry, txn, from, err);
    return code < 0 ? code : xylem_store__ancestor_at(ancestor, txn, from, depth, err);
}

static int must_exist(struct xylem_txn *txn, struct xylem_position position, struct xylem_error *err)
{
    struct xylem_entry entry;
    return xylem_format__position_none(position) ? XYLEM_OK : xylem_entry_read(&entry, txn, position, err);
}

int xylem_common_ancestor(struct xylem_position *ancestor, struct xylem_txn *txn, struct xylem_position a,
                          struct xylem_position b, struct xylem_error *err)
{
    int code;
    if ((code = must_exist(txn, a, err)) < 0 || (code = must_exist(txn, b, err)) < 0) {
        return code;
    }
    /* Branch numbers only fall along a path, so the path with the lesser branch never meets the greater branch. */
    while (a.branch != b.branch && a.branch != 0 && b.branch != 0) {
        struct xylem_position *greater = a.branch > b.branch ? &a : &b;
        struct xylem_store__branch branch;
        if ((code = xylem_store__branch_read(&branch, txn, greater->branch, err)) < 0 ||
            (branch.parent_branch != 0 && (code = xylem_branch__holds(&branch, greater->depth, err)) < 0)) {
            return code;
        }
        *greater = xylem_store__fork_point(&branch); /* none if the branch begins at a root */
    }
    *ancestor = a.branch != b.branch ? (struct xylem_position){0, 0} : a.depth < b.depth ? a : b;
    return XYLEM_OK;
}
