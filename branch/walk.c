/*
 * Walks a path back to the root: a cursor steps back along a branch, and seeks once where the path crosses to another
 * branch.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "store/store.h"
#include "xylem/branch.h"

struct xylem_walk {
    struct xylem_txn *txn;
    struct xylem_store__log *log;
    struct xylem_position next;    /* the parent of the last given entry; none at the end */
    struct xylem_position current; /* of the cursor; none before the first step, and after an error */
};

int xylem_walk_new(struct xylem_walk **walk, struct xylem_txn *txn, struct xylem_position from, struct xylem_error *err)
{
    struct xylem_walk *made = calloc(1, sizeof *made);
    if (!made) {
        return xylem_base__fail_memory(err);
    }
    int code = xylem_store__log_new(&made->log, txn, err);
    if (code < 0) {
        free(made);
        return code;
    }
    made->txn = txn;
    made->next = from;
    *walk = made;
    return XYLEM_OK;
}

static int step(struct xylem_entry *entry, struct xylem_walk *walk, struct xylem_error *err)
{
    if (xylem_format__position_none(walk->current)) {
        /* The caller named this position. A missing entry is NOT_FOUND, not CORRUPT. */
        int code = xylem_entry_read(entry, walk->txn, walk->next, err);
        return code < 0 ? code : xylem_store__log_seek(entry, walk->log, walk->next, err);
    }
    if (walk->next.branch != walk->current.branch) {
        return xylem_store__log_seek(entry, walk->log, walk->next, err);
    }
    int code = xylem_store__log_previous(entry, walk->log, err);
    if (code < 0) {
        return code;
    }
    if (code == 0 || !xylem_format__position_equal(entry->position, walk->next)) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "branch %" PRIu64 " has no entry of depth %" PRIu64
                                ", the parent of the entry of depth %" PRIu64,
                                walk->next.branch, walk->next.depth, walk->current.depth);
    }
    return XYLEM_OK;
}

int xylem_walk_next(struct xylem_entry *entry, struct xylem_walk *walk, struct xylem_error *err)
{
    struct xylem_entry found;
    if (xylem_format__position_none(walk->next)) {
        return 0;
    }
    int code = step(&found, walk, err);
    /* After an error the cursor may have moved: the next try begins with a seek. */
    walk->current = code < 0 ? (struct xylem_position){0, 0} : found.position;
    if (code < 0) {
        return code;
    }
    walk->next = found.parent;
    *entry = found;
    return 1;
}

void xylem_walk_free(struct xylem_walk *walk)
{
    if (walk) {
        xylem_store__log_free(walk->log);
        free(walk);
    }
}
