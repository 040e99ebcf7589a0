/*
 * Reads the entries and moves that the store's own rows and records name: a leaf, a base, a tip, the target of a move
 * or of an id. Such rows carry a sum, so a named entry existed once, and a missing entry is damage. The library cannot
 * know the origin of a position, and reports NOT_FOUND. This file turns NOT_FOUND into CORRUPT, except for names that a
 * person typed.
 */
#include "cli/store/store.h"
#include "xylem/branch.h"
#include "xylem/state.h"

int xylem_cli__stored(struct xylem_cli *cli, int code, struct xylem_position position)
{
    if (code != XYLEM_E_NOT_FOUND && code != XYLEM_E_FREED) {
        return code;
    }
    return xylem_cli__fail(cli, XYLEM_E_CORRUPT, "the entry at branch %llu, depth %llu is missing",
                           (unsigned long long)position.branch, (unsigned long long)position.depth);
}

int xylem_cli__entry_read(struct xylem_cli *cli, struct xylem_entry *entry, struct xylem_position position)
{
    return xylem_cli__stored(cli, xylem_entry_read(entry, cli->txn, position, &cli->err), position);
}

int xylem_cli__entry_id(struct xylem_cli *cli, struct xylem_view *id, struct xylem_position position)
{
    struct xylem_entry entry;
    *id = (struct xylem_view){NULL, 0};
    if (xylem_cli__position_none(position)) {
        return 0;
    }
    int code = xylem_cli__entry_read(cli, &entry, position);
    if (code == 0) {
        *id = entry.id;
    }
    return code;
}

int xylem_cli__ancestor_at(struct xylem_cli *cli, struct xylem_position *ancestor, struct xylem_position from,
                           uint64_t depth)
{
    return xylem_cli__stored(cli, xylem_ancestor_at(ancestor, cli->txn, from, depth, &cli->err), from);
}

int xylem_cli__is_below(struct xylem_cli *cli, struct xylem_position position, struct xylem_position from)
{
    struct xylem_position ancestor;
    if (xylem_cli__position_none(from) || xylem_cli__position_equal(position, from)) {
        return 1;
    }
    int code = position.depth > from.depth ? xylem_cli__ancestor_at(cli, &ancestor, position, from.depth) : 0;
    return code < 0 ? code : position.depth > from.depth && xylem_cli__position_equal(ancestor, from);
}

int xylem_cli__owner(struct xylem_cli *cli, uint64_t *session, struct xylem_position position)
{
    return xylem_cli__stored(cli, xylem_owner(session, cli->txn, position, &cli->err), position);
}

int xylem_cli__move_read(struct xylem_cli *cli, struct xylem_move *move, uint64_t session, uint64_t number)
{
    int code = xylem_move_read(move, cli->txn, session, number, &cli->err);
    return code != XYLEM_E_NOT_FOUND
               ? code
               : xylem_cli__fail(cli, XYLEM_E_CORRUPT, "navigation %llu of session %llu is missing",
                                 (unsigned long long)number, (unsigned long long)session);
}

int xylem_cli__rehydrate(struct xylem_cli *cli, struct xylem_state *state, struct xylem_position at,
                         const struct xylem_event *event, const struct xylem_reduce_options *options)
{
    return xylem_cli__stored(cli, xylem_rehydrate(state, cli->txn, at, event, options, &cli->err), at);
}

bool xylem_cli__position_equal(struct xylem_position a, struct xylem_position b)
{
    return a.branch == b.branch && a.depth == b.depth;
}

bool xylem_cli__position_none(struct xylem_position position)
{
    return position.branch == 0 && position.depth == 0;
}
