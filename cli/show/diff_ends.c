/* Finds the two entries that `xylem diff` compares, and their common entries. */
#include "cli/show/diff.h"

#include <stdlib.h>

/* --- An entry of any session -------------------------------------------------------------------------------------- */

struct search {
    struct xylem_view spec;
    bool labels;
    struct xylem_position *positions; /* without duplicates */
    size_t count;
    size_t capacity;
    struct xylem_cli__candidates candidates; /* one for each position */
    struct xylem_session session;            /* of the first position */
};

static int note(struct xylem_cli *cli, struct search *search, const struct xylem_session *session,
                struct xylem_position position)
{
    struct xylem_view id = {NULL, 0};
    struct xylem_cli__text name = {0};
    for (size_t i = 0; i < search->count; i++) {
        if (xylem_cli__position_equal(search->positions[i], position)) {
            return 0;
        }
    }
    search->session = search->count == 0 ? *session : search->session;
    int code =
        xylem_cli__list_add(cli, &search->positions, &search->count, &search->capacity, &position, sizeof position);
    if (code == 0 && search->count <= XYLEM_CLI__CANDIDATES_SHOWN) {
        code = xylem_cli__entry_id(cli, &id, position);
    }
    xylem_cli__add_bytes(&name, session->id.data, session->id.bytes);
    xylem_cli__add(&name, ":");
    xylem_cli__add_bytes(&name, id.data, id.bytes);
    xylem_cli__candidate(&search->candidates, xylem_cli__text_view(&name));
    xylem_cli__text_release(&name);
    return code;
}

/* Chooses the session that owns the entry, if that session is live. */
static int choose_session(struct xylem_cli *cli, struct xylem_cli__end *end)
{
    struct xylem_session owner;
    uint64_t number = 0;
    int code = xylem_cli__owner(cli, &number, end->position);
    if (code == 0 && (code = xylem_session_read(&owner, cli->txn, number, &cli->err)) == 0 &&
        owner.state == XYLEM_SESSION_LIVE) {
        end->session = owner;
    }
    return code;
}

static int look(struct xylem_cli *cli, void *context, const struct xylem_session *session)
{
    struct search *search = context;
    struct xylem_position position;
    if (session->state != XYLEM_SESSION_LIVE) {
        return 0;
    }
    int code = xylem_cli__entry_exact(cli, &position, session, search->spec, search->labels);
    return code == 0 ? note(cli, search, session, position) : code == XYLEM_E_NOT_FOUND ? 0 : code;
}

/* NOT_FOUND, without an error's text, if there is none. */
static int by_entry(struct xylem_cli *cli, struct xylem_cli__end *end, const char *spec, bool labels)
{
    struct search search = {.spec = xylem_view_of(spec), .labels = labels};
    int code = xylem_cli__each_session(cli, look, &search);
    code = xylem_cli__candidates_end(cli, &search.candidates, code, search.spec, "entries have that id or label");
    if (code == 0) {
        end->session = search.session;
        end->position = search.positions[0];
        code = choose_session(cli, end);
    }
    free(search.positions);
    return code;
}

/* --- Finding an end ----------------------------------------------------------------------------------------------- */

static int by_session(struct xylem_cli *cli, struct xylem_cli__end *end, const char *spec,
                      enum xylem_cli__naming naming)
{
    int code = xylem_cli__session_try(cli, &end->session, spec, naming);
    if (code == 0) {
        end->position = end->session.leaf;
    }
    return code;
}

/* Tries the ways to read a spec, exact matches first. */
static int find(struct xylem_cli *cli, struct xylem_cli__end *end, const char *spec, const struct xylem_cli__end *other)
{
    struct xylem_session *session = &end->session;
    struct xylem_position *position = &end->position;
    bool decided = false;
    int code;
    if (*spec == ':' && other) {
        *session = other->session;
        return xylem_cli__entry(cli, position, session, spec + 1);
    }
    code = by_session(cli, end, spec, XYLEM_CLI__BY_WHOLE);
    if (code == XYLEM_E_NOT_FOUND) {
        code =
            xylem_cli__session_and_entry(cli, session, position, spec, XYLEM_CLI__BY_WHOLE, xylem_cli__entry, &decided);
    }
    if (code == XYLEM_E_NOT_FOUND && !decided) {
        code = by_entry(cli, end, spec, false);
    }
    if (code == XYLEM_E_NOT_FOUND && !decided) { /* a name may contain a `:` */
        code = by_session(cli, end, spec, XYLEM_CLI__BY_PART);
    }
    if (code == XYLEM_E_NOT_FOUND && !decided) {
        code =
            xylem_cli__session_and_entry(cli, session, position, spec, XYLEM_CLI__BY_PART, xylem_cli__entry, &decided);
    }
    if (code == XYLEM_E_NOT_FOUND && !decided && (code = by_entry(cli, end, spec, true)) == XYLEM_E_NOT_FOUND) {
        code = xylem_cli__no_session(cli, spec,
                                     *spec == '@' ? ", and no entry with that id or label: write SESSION:@"
                                                  : ", and no entry with that id or label");
    }
    return code;
}

int xylem_cli__end_find(struct xylem_cli *cli, struct xylem_cli__end *end, const char *spec,
                        const struct xylem_cli__end *other)
{
    struct xylem_view id;
    int code;
    /* a lost entry is damage: no other end is tried */
    if ((code = find(cli, end, spec, other)) != 0 || (code = xylem_cli__entry_id(cli, &id, end->position)) != 0) {
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
