/*
 * Makes forks and clones. A fork is a new row in `sessions`, in the tree of the source; the base and the leaf of the
 * fork are an entry of the source.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "branch/arena.h"
#include "branch/branch.h"
#include "store/store.h"

/* Fills in id, cwd, parent and time of the fork's row. Copies, since views of the store die with the first write. */
static int describe(struct xylem_session *row, void **arena, const struct xylem_session *source,
                    const struct xylem_session_options *options, struct xylem_error *err)
{
    static const struct xylem_session_options none;
    const struct xylem_session_options *given = options ? options : &none;
    char made[XYLEM_BASE__UUID_TEXT_BYTES];
    struct xylem_view id = given->id;
    struct xylem_view cwd = given->cwd.data ? given->cwd : source->cwd;
    if (id.bytes == 0) {
        int code = xylem_base__uuid_v7(made, err);
        if (code < 0) {
            return code;
        }
        id = (struct xylem_view){made, sizeof made};
    }
    if (xylem_branch__arena_copy(&row->id, arena, id) < 0 ||
        (cwd.data && xylem_branch__arena_copy(&row->cwd, arena, cwd) < 0) ||
        xylem_branch__arena_copy(&row->parent, arena, given->parent.data ? given->parent : source->id) < 0) {
        return xylem_base__fail_memory(err);
    }
    row->created_ms = given->created_ms ? *given->created_ms : xylem_base__now_ms();
    return XYLEM_OK;
}

static int fork_to(struct xylem_session *session, struct xylem_txn *txn, const struct xylem_session *source,
                   struct xylem_position base, const struct xylem_session_options *options, struct xylem_error *err)
{
    struct xylem_session row = {.base = base, .leaf = base, .tree = source->tree, .state = XYLEM_SESSION_LIVE};
    void *arena = NULL;
    int code = describe(&row, &arena, source, options, err);
    if (code == XYLEM_OK) {
        code = xylem_store__session_add(txn, &row, err);
    }
    xylem_branch__arena_release(&arena);
    return code < 0 ? code : xylem_session_read(session, txn, row.number, err);
}

int xylem_fork(struct xylem_session *session, struct xylem_txn *txn, uint64_t source, struct xylem_position position,
               enum xylem_fork_kind kind, const struct xylem_session_options *options, struct xylem_error *err)
{
    struct xylem_session row;
    struct xylem_entry entry;
    if (kind != XYLEM_FORK_AT && kind != XYLEM_FORK_BEFORE) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "fork kind: expected XYLEM_FORK_AT or XYLEM_FORK_BEFORE, found %d", (int)kind);
    }
    int code;
    if ((code = xylem_store__session_for_fork(&row, txn, source, err)) < 0 ||
        (code = xylem_branch__entry_of(&entry, txn, &row, position, err)) < 0) {
        return code;
    }
    return fork_to(session, txn, &row, kind == XYLEM_FORK_AT ? position : entry.parent, options, err);
}

int xylem_clone(struct xylem_session *session, struct xylem_txn *txn, uint64_t source,
                const struct xylem_session_options *options, struct xylem_error *err)
{
    struct xylem_session row;
    int code = xylem_store__session_for_fork(&row, txn, source, err);
    return code < 0 ? code : fork_to(session, txn, &row, row.leaf, options, err);
}
