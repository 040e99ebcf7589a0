#include "store/branch.h"

#include <assert.h>
#include <inttypes.h>

#include "base/bytes.h"
#include "base/error.h"
#include "store/format/keys.h"
#include "store/log.h"
#include "store/meta.h"
#include "store/format/record.h"
#include "store/lmdb/tables.h"

/*
 * Let P be the parent, and Q the branch to which the skip of P leads. A missing branch counts as level 0.
 *   the skips of P and Q are equally long   the branch skips to the skip branch of Q
 *   otherwise                               the branch skips to P
 * The lengths of the skips grow like the digits of a skew binary number (Myers, 1983):
 *
 *     level      1  2  3  4  5  6  7  8  9 10 11 12 13 14 15
 *     skips to   -  1  -  3  4  3  -  7  8  7 10 11 10  7  -
 */
int xylem_store__branch_lay_skip(struct xylem_store__branch *branch, const struct xylem_store__branch *parent,
                                 struct xylem_txn *txn, struct xylem_error *err)
{
    branch->skip = (struct xylem_store__skip){.level = 1};
    if (!parent) {
        return XYLEM_OK;
    }
    assert(parent->number == branch->parent_branch);
    struct xylem_store__branch next = {.number = 0};
    int code = parent->skip.branch == 0 ? XYLEM_OK : xylem_store__branch_read(&next, txn, parent->skip.branch, err);
    branch->skip.level = parent->skip.level + 1;
    if (parent->skip.level - parent->skip.to_level == parent->skip.to_level - next.skip.to_level) {
        branch->skip.branch = next.skip.branch;
        branch->skip.to_level = next.skip.to_level;
        branch->skip.last_depth = next.skip.last_depth;
    } else {
        branch->skip.branch = parent->number;
        branch->skip.to_level = parent->skip.level;
        branch->skip.last_depth = branch->first_depth - 1;
    }
    return code;
}

int xylem_store__branch_decode(struct xylem_store__branch *branch, uint64_t number, struct xylem_view row,
                               struct xylem_error *err)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    struct xylem_store__skip *skip = &branch->skip;
    branch->number = number;
    branch->session = xylem_base__read_varint(&cursor);
    branch->first_depth = xylem_base__read_varint(&cursor);
    branch->parent_branch = xylem_base__read_varint(&cursor);
    branch->previous_branch = xylem_base__read_varint(&cursor);
    branch->end_depth = xylem_base__read_varint(&cursor);
    skip->level = xylem_base__read_varint(&cursor);
    skip->branch = xylem_base__read_varint(&cursor);
    skip->to_level = xylem_base__read_varint(&cursor);
    skip->last_depth = xylem_base__read_varint(&cursor);
    bool root = branch->parent_branch == 0;
    bool nowhere = skip->branch == 0 && skip->to_level == 0 && skip->last_depth == 0;
    bool somewhere = skip->branch > 0 && skip->branch <= branch->parent_branch && skip->to_level > 0 &&
                     skip->to_level < skip->level && skip->last_depth > 0 && skip->last_depth < branch->first_depth;
    bool skips = skip->level > 0 && root == (skip->level == 1) && (nowhere || somewhere);
    bool ends = branch->end_depth == 0 || branch->end_depth >= branch->first_depth;
    if (!skips || !ends || !xylem_base__cursor_ended(&cursor) || branch->first_depth == 0 ||
        root != (branch->first_depth == 1) || branch->parent_branch >= number || branch->previous_branch >= number) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "the row of branch %" PRIu64 " has invalid fields", number);
    }
    return XYLEM_OK;
}

/* 1 and the branch, or 0 if no branch has the number. */
static int find_branch(struct xylem_store__branch *branch, struct xylem_txn *txn, uint64_t number,
                       struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_view row;
    xylem_format__key_u64(&key, number);
    int found = xylem_lmdb__get_summed(&row, txn, XYLEM_FORMAT__BRANCHES, key.view, err);
    if (found <= 0) {
        return found;
    }
    int code = xylem_store__branch_decode(branch, number, row, err);
    return code < 0 ? code : 1;
}

int xylem_store__branch_read(struct xylem_store__branch *branch, struct xylem_txn *txn, uint64_t number,
                             struct xylem_error *err)
{
    int found = find_branch(branch, txn, number, err);
    if (found < 0) {
        return found;
    }
    return found ? XYLEM_OK : xylem_base__fail(err, XYLEM_E_CORRUPT, "branch %" PRIu64 " is missing", number);
}

int xylem_store__branch_write(struct xylem_txn *txn, const struct xylem_store__branch *branch, bool replace,
                              struct xylem_error *err)
{
    const struct xylem_store__skip *skip = &branch->skip;
    const uint64_t fields[] = {branch->session,   branch->first_depth, branch->parent_branch, branch->previous_branch,
                               branch->end_depth, skip->level,         skip->branch,          skip->to_level,
                               skip->last_depth};
    struct xylem_format__key key;
    struct xylem_buffer row = {NULL, 0, 0};
    xylem_format__key_u64(&key, branch->number);
    bool made = xylem_base__add_varints(&row, fields, sizeof fields / sizeof *fields) == XYLEM_OK;
    return xylem_lmdb__put_summed(txn, XYLEM_FORMAT__BRANCHES, key.view, &row, made, replace, err);
}

int xylem_store__branch_freed(struct xylem_txn *txn, struct xylem_position position, struct xylem_error *err)
{
    struct xylem_store__branch branch;
    struct xylem_lmdb__floors floors;
    int found = find_branch(&branch, txn, position.branch, err);
    if (found != 0) {
        return found < 0 ? found : branch.end_depth > 0 && position.depth > branch.end_depth;
    }
    int code = xylem_store__floors_read(&floors, txn, err);
    return code < 0 ? code : position.branch > 0 && position.depth > 0 && position.branch <= floors.branch;
}

int xylem_store__branch_next(uint64_t *number, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_lmdb__floors floors;
    int code = xylem_store__floors_read(&floors, txn, err);
    return code < 0 ? code : xylem_lmdb__next_u64(number, txn, XYLEM_FORMAT__BRANCHES, floors.branch, err);
}

/* The last record of a branch: the last row of the log before the place of the next branch. */
static int last_row(struct xylem_position *tip, struct xylem_view *record, struct xylem_txn *txn, uint64_t number,
                    struct xylem_error *err)
{
    struct xylem_position last = {0, 0};
    struct xylem_position behind = {number + 1, 0};
    int found = xylem_store__log_before(&last, record, txn, behind, err);
    if (found < 0) {
        return found;
    }
    if (found == 0 || last.branch != number) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "branch %" PRIu64 " should have entries and has none", number);
    }
    *tip = last;
    struct xylem_entry entry;
    return xylem_format__record_decode(&entry, last, *record, err); /* the record proves its position */
}

int xylem_store__branch_tip(struct xylem_position *tip, struct xylem_txn *txn, uint64_t number, struct xylem_error *err)
{
    struct xylem_view record;
    return last_row(tip, &record, txn, number, err);
}

int xylem_store__branch_last(struct xylem_entry *last, struct xylem_txn *txn, uint64_t number, struct xylem_error *err)
{
    struct xylem_position tip;
    struct xylem_view record;
    int code = last_row(&tip, &record, txn, number, err);
    return code < 0 ? code : xylem_store__entry_decode(last, txn, tip, record, err);
}

int xylem_store__ancestor_at(struct xylem_position *ancestor, struct xylem_txn *txn, struct xylem_position from,
                             uint64_t depth, struct xylem_error *err)
{
    uint64_t number = from.branch;
    for (;;) {
        struct xylem_store__branch branch;
        int code = xylem_store__branch_read(&branch, txn, number, err);
        if (code < 0) {
            return code;
        }
        if (depth >= branch.first_depth) {
            ancestor->branch = number;
            ancestor->depth = depth;
            return XYLEM_OK;
        }
        /* Both numbers are smaller than `number`, so the search ends. */
        number = branch.skip.last_depth >= depth ? branch.skip.branch : branch.parent_branch;
    }
}

int xylem_store__belongs(struct xylem_txn *txn, const struct xylem_session *session, struct xylem_position position,
                         struct xylem_error *err)
{
    struct xylem_store__branch branch;
    int code = xylem_store__branch_read(&branch, txn, position.branch, err);
    if (code < 0) {
        return code;
    }
    if (branch.session == session->number) {
        return 1;
    }
    if (position.depth > session->base.depth) {
        return 0;
    }
    struct xylem_position on_path;
    code = xylem_store__ancestor_at(&on_path, txn, session->base, position.depth, err);
    return code < 0 ? code : xylem_format__position_equal(on_path, position);
}
