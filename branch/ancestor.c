/* Where paths cross branches: the entry at a depth, and the newest entry that two paths share. */
#include "base/error.h"
#include "store/store.h"
#include "xylem.h"

int xylem_ancestor_at(struct xylem_position *ancestor, struct xylem_txn *txn, struct xylem_position from,
                      uint64_t depth, struct xylem_error *err)
{
    if (depth == 0 || depth > from.depth) {
        return xylem_base__fail(err, XYLEM_E_NOT_FOUND,
                                "no entry of depth %llu lies on the path of an entry of depth %llu",
                                (unsigned long long)depth, (unsigned long long)from.depth);
    }
    struct xylem_entry entry;
    int code = xylem_entry_read(&entry, txn, from, err);
    return code < 0 ? code : xylem_store__ancestor_at(ancestor, txn, from, depth, err);
}

/* To where the path of `position` leaves its branch; none if the branch begins at a root. */
static int leave_branch(struct xylem_position *position, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_store__branch branch;
    int code = xylem_store__branch_read(&branch, txn, position->branch, err);
    if (code < 0) {
        return code;
    }
    if (branch.parent_branch == 0) {
        *position = (struct xylem_position){0, 0};
        return XYLEM_OK;
    }
    if (branch.first_depth > position->depth) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "branch %llu begins at depth %llu and cannot hold depth %llu",
                                (unsigned long long)position->branch, (unsigned long long)branch.first_depth,
                                (unsigned long long)position->depth);
    }
    *position = (struct xylem_position){branch.parent_branch, branch.first_depth - 1};
    return XYLEM_OK;
}

static int must_exist(struct xylem_txn *txn, struct xylem_position position, struct xylem_error *err)
{
    struct xylem_entry entry;
    return xylem_format__position_none(position) ? XYLEM_OK : xylem_entry_read(&entry, txn, position, err);
}

int xylem_common_ancestor(struct xylem_position *ancestor, struct xylem_txn *txn, struct xylem_position a,
                          struct xylem_position b, struct xylem_error *err)
{
    int code = must_exist(txn, a, err);
    if (code == XYLEM_OK) {
        code = must_exist(txn, b, err);
    }
    /* Branch numbers only fall along a path, so the greater one cannot lie on the other path. */
    while (code == XYLEM_OK && a.branch != b.branch && a.branch != 0 && b.branch != 0) {
        code = leave_branch(a.branch > b.branch ? &a : &b, txn, err);
    }
    if (code < 0) {
        return code;
    }
    if (a.branch != b.branch) {
        *ancestor = (struct xylem_position){0, 0};
    } else {
        *ancestor = a.depth < b.depth ? a : b;
    }
    return XYLEM_OK;
}
