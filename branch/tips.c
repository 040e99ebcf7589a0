/*
 * Lists the tips of a session. A tip is an entry without a child in the session:
 *
 * - The last entry of each own branch. An append below the last entry makes the branch grow, so the entry has no child.
 * - The base, as long as no own branch starts there.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/numbers.h"
#include "branch/branch.h"
#include "xylem/branch.h"

struct xylem_tips {
    struct xylem_txn *txn;
    struct xylem_session session;        /* without its views */
    struct xylem_position base;          /* none if the base is not a tip, or was given */
    struct xylem_branch__met met;        /* the branches with given tips */
    struct xylem_base__numbers branches; /* of the session, newest first, with tips still to be given */
};

int xylem_tips_new(struct xylem_tips **tips, struct xylem_txn *txn, uint64_t session, struct xylem_error *err)
{
    struct xylem_session row;
    int code = xylem_session_read(&row, txn, session, err);
    if (code < 0) {
        return code;
    }
    struct xylem_tips *made = calloc(1, sizeof *made);
    if (!made) {
        return xylem_base__fail_memory(err);
    }
    made->txn = txn;
    made->session = row;
    made->base = row.base;
    struct xylem_store__branch branch = {.number = 0};
    for (uint64_t number = row.newest_branch; code == XYLEM_OK && number != 0; number = branch.previous_branch) {
        if ((code = xylem_branch__own_row(&branch, txn, &row, number, err)) == XYLEM_OK &&
            (code = xylem_base__numbers_add(&made->branches, number, err)) == XYLEM_OK &&
            xylem_format__position_equal(xylem_store__fork_point(&branch), row.base)) {
            made->base = (struct xylem_position){0, 0};
        }
    }
    if (code < 0) {
        xylem_tips_free(made);
        return code;
    }
    *tips = made;
    return XYLEM_OK;
}

/* The tip at `position`, or at the end of the branch if `position` has no depth. */
static int tip_read(struct xylem_tip *tip, struct xylem_store__branch *branch, struct xylem_tips *tips,
                    struct xylem_position position, struct xylem_error *err)
{
    struct xylem_txn *txn = tips->txn;
    int code;
    if ((code = xylem_store__branch_read(branch, txn, position.branch, err)) < 0 ||
        (position.depth == 0 && (code = xylem_store__branch_tip(&position, txn, position.branch, err)) < 0) ||
        (code = xylem_branch__holds(branch, position.depth, err)) < 0 ||
        (code = xylem_entry_read(&tip->entry, txn, position, err)) < 0) {
        return xylem_store__no_entry(code) ? xylem_base__fail(err, XYLEM_E_CORRUPT,
                                                              "branch %" PRIu64 " has no entry of depth %" PRIu64
                                                              ", expected as its last entry",
                                                              position.branch, position.depth)
                                           : code;
    }
    tip->fork_point = xylem_store__fork_point(branch);
    tip->branch_entry_count = position.depth - branch->first_depth + 1;
    return XYLEM_OK;
}

int xylem_tips_next(struct xylem_tip *tip, struct xylem_tips *tips, struct xylem_error *err)
{
    bool is_base = !xylem_format__position_none(tips->base);
    if (!is_base && tips->branches.count == 0) {
        return xylem_branch__met_all(&tips->met, &tips->session, err);
    }
    struct xylem_position position =
        is_base ? tips->base : (struct xylem_position){tips->branches.list[tips->branches.count - 1], 0};
    struct xylem_tip found;
    struct xylem_store__branch branch;
    int code = tip_read(&found, &branch, tips, position, err);
    if (code < 0) {
        return code;
    }
    if (is_base) {
        tips->base = (struct xylem_position){0, 0};
    } else {
        xylem_branch__meet(&tips->met, &branch, &found.entry);
        tips->branches.count--;
    }
    *tip = found;
    return 1;
}

void xylem_tips_free(struct xylem_tips *tips)
{
    if (tips) {
        free(tips->branches.list);
        free(tips);
    }
}
