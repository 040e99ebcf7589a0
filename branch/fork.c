/*
 * Makes forks and clones. A fork is a new row in `sessions`, in the tree of the source; the base and the leaf of the
 * fork are an entry of the source.
 */
#include "base/error.h"
#include "branch/branch.h"
#include "xylem/branch.h"

static int fork_to(struct xylem_session *session, struct xylem_txn *txn, const struct xylem_session *source,
                   struct xylem_position base, const struct xylem_session_options *options, struct xylem_error *err)
{
    static const struct xylem_session_options none;
    options = options ? options : &none;
    struct xylem_view space = options->name_space.data ? options->name_space : source->name_space;
    bool same = xylem_base__view_equal(space, source->name_space); /* else the id means another session, or none */
    struct xylem_session row = {.name_space = space,
                                .cwd = options->cwd.data ? options->cwd : source->cwd,
                                .parent = options->parent.data || !same ? options->parent : source->id,
                                .base = base,
                                .leaf = base,
                                .tree = source->tree,
                                .state = XYLEM_SESSION_LIVE};
    return xylem_store__session_make(session, txn, &row, options, err);
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
