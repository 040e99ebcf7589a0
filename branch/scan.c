/*
 * Reads all entries of a session in lsn order. The entries of a session lie in pieces of branches: the pieces of the
 * base's path, and the session's own branches. Lsns ascend in each piece. A heap merges the pieces by the lsn of each
 * piece's next entry.
 *
 *     branch 1   1  2  3 | 8  9     another session's branch; the base is entry 3
 *     branch 2   4  5  7            own
 *     branch 3   6  10              own
 *     the scan   1  2  3  4  5  6  7  10
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "branch/branch.h"
#include "xylem/branch.h"

struct piece {
    uint64_t lsn; /* of the entry at `next` */
    struct xylem_position next;
    uint64_t last_depth;
};

struct xylem_scan {
    struct xylem_txn *txn;
    struct xylem_store__log *log;
    struct piece *heap; /* the least lsn first */
    size_t count;
    size_t capacity;
    uint64_t after; /* entries up to this lsn are left out */
    uint64_t lsn;   /* of the last given entry, 0 before the first */
};

/*
 * Moves `first` forward to the first entry with an lsn greater than `lsn`, or behind `last_depth` if there is none.
 * Returns the entry at `first` in `entry`.
 *
 * Lsns ascend along a branch. The search goes back from the end in strides of 1, 2, 4 ... to the first known entry, and
 * then halves the range between. So the cost follows the few new entries, not the many known entries.
 *
 *     depths 10 to 97, known up to depth 92
 *     strides: 97 new, 95 new, 91 known     halves of 92 ... 94: 93 new, 92 known     result: 93
 */
static int skip_known(struct xylem_entry *entry, uint64_t *first, struct xylem_scan *scan, uint64_t number,
                      uint64_t last_depth, uint64_t lsn, struct xylem_error *err)
{
    uint64_t low = *first;
    uint64_t high = last_depth + 1;
    uint64_t stride = 1;
    bool met_known = false;
    int code = XYLEM_OK;
    while (code == XYLEM_OK && low < high) {
        uint64_t half = (high - low) / 2;
        uint64_t depth = met_known || half < stride ? low + half : high - stride;
        code = xylem_store__log_seek(entry, scan->log, (struct xylem_position){number, depth}, err);
        if (code == XYLEM_OK && entry->lsn > lsn) {
            high = depth;
            stride *= 2;
        } else {
            low = depth + 1;
            met_known = true;
        }
    }
    *first = low;
    if (code == XYLEM_OK && low <= last_depth && entry->position.depth != low) {
        code = xylem_store__log_seek(entry, scan->log, (struct xylem_position){number, low}, err);
    }
    return code;
}

static int piece_add(struct xylem_scan *scan, const struct xylem_store__branch *branch, uint64_t last_depth,
                     struct xylem_error *err)
{
    struct xylem_entry entry;
    uint64_t first = branch->first_depth;
    int code = xylem_branch__holds(branch, last_depth, err);
    if (code < 0) {
        return code;
    }
    struct piece *heap = xylem_base__with_room(scan->heap, &scan->capacity, scan->count, sizeof *heap);
    if (!heap) {
        return xylem_base__fail_memory(err);
    }
    scan->heap = heap;
    code = scan->after > 0
               ? skip_known(&entry, &first, scan, branch->number, last_depth, scan->after, err)
               : xylem_store__log_seek(&entry, scan->log, (struct xylem_position){branch->number, first}, err);
    if (code < 0 || first > last_depth) {
        return code;
    }
    heap[scan->count++] = (struct piece){entry.lsn, entry.position, last_depth};
    return XYLEM_OK;
}

static void sift_down(struct xylem_scan *scan, size_t at)
{
    struct piece moved = scan->heap[at];
    for (;;) {
        size_t child = at * 2 + 1;
        if (child + 1 < scan->count && scan->heap[child + 1].lsn < scan->heap[child].lsn) {
            child++;
        }
        if (child >= scan->count || moved.lsn <= scan->heap[child].lsn) {
            break;
        }
        scan->heap[at] = scan->heap[child];
        at = child;
    }
    scan->heap[at] = moved;
}

int xylem_scan_after(struct xylem_scan **scan, struct xylem_txn *txn, uint64_t session, uint64_t lsn,
                     struct xylem_error *err)
{
    struct xylem_session row;
    int code = xylem_session_read(&row, txn, session, err);
    if (code < 0) {
        return code;
    }
    struct xylem_scan *made = calloc(1, sizeof *made);
    if (!made) {
        return xylem_base__fail_memory(err);
    }
    made->txn = txn;
    made->after = lsn;
    struct xylem_store__branch branch;
    struct xylem_branch__met met = {0, 0};
    struct xylem_position base = row.base;
    uint64_t number = row.newest_branch;
    code = xylem_store__log_new(&made->log, txn, err);
    while (code == XYLEM_OK && !xylem_format__position_none(base)) {
        if ((code = xylem_store__branch_read(&branch, txn, base.branch, err)) == XYLEM_OK) {
            code = piece_add(made, &branch, base.depth, err);
            base = xylem_store__fork_point(&branch);
        }
    }
    while (code == XYLEM_OK && number != 0) {
        struct xylem_entry tip;
        if ((code = xylem_branch__own(&branch, &tip, txn, &row, number, err)) == XYLEM_OK) {
            code = piece_add(made, &branch, tip.position.depth, err);
            xylem_branch__meet(&met, &branch, &tip);
            number = branch.previous_branch;
        }
    }
    if (code < 0 || (code = xylem_branch__met_all(&met, &row, err)) < 0) {
        xylem_scan_free(made);
        return code;
    }
    for (size_t i = made->count / 2; i > 0; i--) {
        sift_down(made, i - 1);
    }
    *scan = made;
    return XYLEM_OK;
}

int xylem_scan_new(struct xylem_scan **scan, struct xylem_txn *txn, uint64_t session, struct xylem_error *err)
{
    return xylem_scan_after(scan, txn, session, 0, err);
}

/*
 * Moves the piece of the last given entry to its next entry; the cursor still stands at the last given entry. 1, and
 * the entry, if the same piece comes next in the scan; else 0.
 */
static int advance(struct xylem_entry *entry, struct xylem_scan *scan, struct xylem_error *err)
{
    struct piece *top = &scan->heap[0];
    assert(scan->count > 0);
    if (top->next.depth == top->last_depth) {
        scan->heap[0] = scan->heap[--scan->count];
        if (scan->count > 0) {
            sift_down(scan, 0);
        }
        return 0;
    }
    int code = xylem_store__log_next(entry, scan->log, err);
    if (code < 0) {
        return code;
    }
    if (code == 0 || entry->position.branch != top->next.branch || entry->position.depth != top->next.depth + 1) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "branch %" PRIu64 " has an entry of depth %" PRIu64 ", but none of depth %" PRIu64,
                                top->next.branch, top->last_depth, top->next.depth + 1);
    }
    top->next = entry->position;
    top->lsn = entry->lsn;
    sift_down(scan, 0);
    return xylem_format__position_equal(scan->heap[0].next, entry->position);
}

int xylem_scan_next(struct xylem_entry *entry, struct xylem_scan *scan, struct xylem_error *err)
{
    struct xylem_entry found;
    int code = scan->lsn && scan->count > 0 ? advance(&found, scan, err) : 0;
    if (code < 0) {
        return code;
    }
    if (scan->count == 0) {
        return 0;
    }
    if (code == 0 && (code = xylem_store__log_seek(&found, scan->log, scan->heap[0].next, err)) < 0) {
        return code;
    }
    if (found.lsn <= scan->lsn) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "branch %" PRIu64 ", depth %" PRIu64 ": expected an lsn greater than %" PRIu64
                                ", found %" PRIu64,
                                found.position.branch, found.position.depth, scan->lsn, found.lsn);
    }
    scan->lsn = found.lsn;
    *entry = found;
    return 1;
}

void xylem_scan_free(struct xylem_scan *scan)
{
    if (scan) {
        xylem_store__log_free(scan->log);
        free(scan->heap);
        free(scan);
    }
}
