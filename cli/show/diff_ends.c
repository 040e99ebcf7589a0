/* Finds the two entries that `xylem diff` compares, and their common entries. */
#include "cli/show/diff.h"

int xylem_cli__end_find(struct xylem_cli *cli, struct xylem_cli__end *end, const char *spec,
                        const struct xylem_cli__end *other)
{
    struct xylem_cli__place place;
    struct xylem_view id;
    int code;
    if (*spec == ':' && other) {
        end->session = other->session;
        code = xylem_cli__entry(cli, &end->position, &end->session, spec + 1);
    } else {
        code = xylem_cli__place_find(cli, &place, spec, XYLEM_CLI__LOOKED_AT, xylem_cli__entry_or_none);
        end->session = place.session;
        end->position = place.position;
    }
    /* a lost entry is damage: no other end is tried */
    if (code != 0 || (code = xylem_cli__entry_id(cli, &id, end->position)) != 0) {
        return code;
    }
    return xylem_cli__labels_read(cli, &end->labels, end->session.number);
}

void xylem_cli__end_release(struct xylem_cli__end *end)
{
    xylem_labels_release(&end->labels);
}

/* --- The common entries ------------------------------------------------------------------------------------------- */

static int check_at(struct xylem_cli *cli, uint64_t *check, struct xylem_position *at, struct xylem_position from,
                    uint64_t depth)
{
    struct xylem_entry entry;
    int code = xylem_cli__ancestor_at(cli, at, from, depth);
    if (code == 0 && (code = xylem_cli__entry_read(cli, &entry, *at)) == 0) {
        *check = entry.check;
    }
    return code;
}

/*
 * A check covers the whole history. So checks of both paths are equal up to some depth, and different beyond that
 * depth. Bisection finds the depth.
 */
int xylem_cli__common_find(struct xylem_cli *cli, struct xylem_cli__common *common, struct xylem_position a,
                           struct xylem_position b)
{
    int code = xylem_common_ancestor(&common->shared, cli->txn, a, b, &cli->err);
    uint64_t equal = code == 0 ? common->shared.depth : 0;
    uint64_t differs = (a.depth < b.depth ? a.depth : b.depth) + 1;
    uint64_t checks[2] = {0, 0};
    common->equal = common->shared;
    while (code == 0 && equal + 1 < differs) {
        uint64_t depth = equal + (differs - equal) / 2;
        struct xylem_position at[2];
        code = check_at(cli, &checks[0], &at[0], a, depth);
        if (code == 0 && (code = check_at(cli, &checks[1], &at[1], b, depth)) == 0 && checks[0] == checks[1]) {
            equal = depth;
            common->equal = at[0];
        } else {
            differs = depth;
        }
    }
    common->same = code == 0 && equal == a.depth && equal == b.depth;
    return code;
}
