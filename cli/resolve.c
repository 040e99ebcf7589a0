/* Which session and which entry are meant. */
#include "cli/cli.h"

#include <string.h>

#define PREFIX_BYTES_MIN 4u
#define CANDIDATES_SHOWN 5u

/* What begins as the user wrote. */
struct candidates {
    struct xylem_view prefix;
    size_t count;
    struct xylem_cli__text shown; /* the first few, for the error */
};

static bool begins(const struct candidates *candidates, struct xylem_view id)
{
    return id.bytes >= candidates->prefix.bytes &&
           memcmp(id.data, candidates->prefix.data, candidates->prefix.bytes) == 0;
}

static void note_candidate(struct candidates *candidates, struct xylem_view id)
{
    if (++candidates->count <= CANDIDATES_SHOWN) {
        xylem_cli__add(&candidates->shown, candidates->count == 1 ? "" : ", ");
        xylem_cli__add_bytes(&candidates->shown, id.data, id.bytes);
    }
}

/* Ends a search: 0 if there is exactly one. */
static int decide(struct xylem_cli *cli, struct candidates *candidates, const char *what)
{
    struct xylem_view prefix = candidates->prefix;
    int code = 0;

    if (candidates->count == 0) {
        code = xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "there is no %s '%.*s'", what, (int)prefix.bytes, prefix.data);
    } else if (candidates->count > 1) {
        code = xylem_cli__fail(cli, XYLEM_E_CONFLICT, "'%.*s' is ambiguous: %zu %s ids begin so: %s%s",
                               (int)prefix.bytes, prefix.data, candidates->count, what, candidates->shown.bytes.data,
                               candidates->count > CANDIDATES_SHOWN ? ", ..." : "");
    }
    xylem_cli__text_release(&candidates->shown);
    return code;
}

static int too_short(struct xylem_cli *cli, const char *what, struct xylem_view spec)
{
    return xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "there is no %s '%.*s' (the beginning of an id needs %u characters)",
                           what, (int)spec.bytes, spec.data, PREFIX_BYTES_MIN);
}

static int session_by_prefix(struct xylem_cli *cli, struct xylem_session *session, const char *spec)
{
    struct candidates candidates = {.prefix = xylem_view_of(spec)};
    struct xylem_sessions *sessions = NULL;
    struct xylem_session row;
    int code = xylem_sessions_new(&sessions, cli->txn, &cli->err);

    while (code == 0 && (code = xylem_sessions_next(&row, sessions, &cli->err)) == 1) {
        if (row.state == XYLEM_SESSION_LIVE && begins(&candidates, row.id)) {
            note_candidate(&candidates, row.id);
            *session = row;
        }
        code = 0;
    }
    xylem_sessions_free(sessions);
    if (code != 0) {
        xylem_cli__text_release(&candidates.shown);
        return code;
    }
    return decide(cli, &candidates, "session");
}

int xylem_cli__session(struct xylem_cli *cli, struct xylem_session *session, const char *spec)
{
    struct xylem_view id = xylem_view_of(spec);

    if (id.bytes == 0 || id.bytes > XYLEM_SESSION_ID_BYTES_MAX) {
        return xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "a session id has 1 to %u bytes, this one has %zu",
                               XYLEM_SESSION_ID_BYTES_MAX, id.bytes);
    }
    int code = xylem_session_find(session, cli->txn, id, &cli->err);
    if (code != XYLEM_E_NOT_FOUND) {
        return code;
    }
    return id.bytes < PREFIX_BYTES_MIN ? too_short(cli, "session", id) : session_by_prefix(cli, session, spec);
}

int xylem_cli__session_importing(struct xylem_cli *cli, struct xylem_session *session, const char *id)
{
    struct candidates candidates = {.prefix = xylem_view_of(id)};
    struct xylem_sessions *sessions = NULL;
    bool found = false;
    int code = xylem_sessions_new(&sessions, cli->txn, &cli->err);

    while (code == 0 && !found && (code = xylem_sessions_next(session, sessions, &cli->err)) == 1) {
        found = session->state == XYLEM_SESSION_IMPORTING && session->id.bytes == candidates.prefix.bytes &&
                begins(&candidates, session->id);
        code = 0;
    }
    xylem_sessions_free(sessions);
    return code != 0 || found ? code : decide(cli, &candidates, "session");
}

static int entry_by_prefix(struct xylem_cli *cli, struct xylem_position *position, const struct xylem_session *session,
                           struct xylem_view spec)
{
    struct candidates candidates = {.prefix = spec};
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    int code = xylem_scan_new(&scan, cli->txn, session->number, &cli->err);

    while (code == 0 && (code = xylem_scan_next(&entry, scan, &cli->err)) == 1) {
        if (begins(&candidates, entry.id)) {
            note_candidate(&candidates, entry.id);
            *position = entry.position;
        }
        code = 0;
    }
    xylem_scan_free(scan);
    if (code != 0) {
        xylem_cli__text_release(&candidates.shown);
        return code;
    }
    return decide(cli, &candidates, "entry");
}

/* True, and the number, for `@{n}`. */
static bool is_move(uint64_t *number, struct xylem_view spec)
{
    char digits[24];

    if (spec.bytes < 4 || spec.bytes - 3 >= sizeof(digits) || memcmp(spec.data, "@{", 2) != 0 ||
        spec.data[spec.bytes - 1] != '}') {
        return false;
    }
    memcpy(digits, spec.data + 2, spec.bytes - 3);
    digits[spec.bytes - 3] = '\0';
    return xylem_cli__number(number, digits);
}

/* Where the leaf was before the last `count` navigations. */
static int entry_by_move(struct xylem_cli *cli, struct xylem_position *position, const struct xylem_session *session,
                         uint64_t count)
{
    struct xylem_move move = {.from = session->leaf};
    int code = 0;

    if (count > session->move_count) {
        return xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "there is no entry '@{%llu}': the leaf was moved %llu time%s",
                               (unsigned long long)count, (unsigned long long)session->move_count,
                               session->move_count == 1 ? "" : "s");
    }
    if (count > 0) {
        code = xylem_move_read(&move, cli->txn, session->number, session->move_count - count + 1, &cli->err);
    }
    if (code == 0 && xylem_cli__position_none(move.from)) {
        code = xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "the session's leaf was none then: '@{%llu}' is no entry",
                               (unsigned long long)count);
    }
    *position = move.from;
    return code;
}

/* Without `~n`. */
static int entry_base(struct xylem_cli *cli, struct xylem_position *position, const struct xylem_session *session,
                      struct xylem_view spec)
{
    uint64_t moves = 0;

    if (spec.bytes == 1 && spec.data[0] == '@') {
        *position = session->leaf;
        return xylem_cli__position_none(session->leaf)
                   ? xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "the session's leaf is none: '@' is no entry")
                   : 0;
    }
    if (is_move(&moves, spec)) {
        return entry_by_move(cli, position, session, moves);
    }
    if (spec.bytes > 0 && spec.bytes <= XYLEM_ENTRY_ID_BYTES_MAX) {
        int code = xylem_find(position, cli->txn, session->number, spec, &cli->err);
        if (code != XYLEM_E_NOT_FOUND) {
            return code;
        }
        if (spec.bytes >= PREFIX_BYTES_MIN) {
            return entry_by_prefix(cli, position, session, spec);
        }
        return too_short(cli, "entry", spec);
    }
    return xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "an entry id has 1 to %u bytes, this one has %zu",
                           XYLEM_ENTRY_ID_BYTES_MAX, spec.bytes);
}

/* `id~n`. A `~` may also be part of an id, which is why the whole was looked up before. */
static int entry_before(struct xylem_cli *cli, struct xylem_position *position, const struct xylem_session *session,
                        const char *spec, const char *tilde)
{
    uint64_t steps = 0;
    int code = entry_base(cli, position, session, (struct xylem_view){spec, (size_t)(tilde - spec)});

    if (code != 0) {
        return code;
    }
    xylem_cli__number(&steps, tilde + 1);
    if (steps >= position->depth) {
        return xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "there is no entry '%s': '%.*s' has depth %llu", spec,
                               (int)(tilde - spec), spec, (unsigned long long)position->depth);
    }
    return steps == 0 ? 0 : xylem_ancestor_at(position, cli->txn, *position, position->depth - steps, &cli->err);
}

int xylem_cli__entry(struct xylem_cli *cli, struct xylem_position *position, const struct xylem_session *session,
                     const char *spec)
{
    struct xylem_view whole = xylem_view_of(spec);
    const char *tilde = strrchr(spec, '~');
    uint64_t steps = 0;

    if (tilde == NULL || !xylem_cli__number(&steps, tilde + 1)) {
        return entry_base(cli, position, session, whole);
    }
    if (whole.bytes <= XYLEM_ENTRY_ID_BYTES_MAX) {
        int code = xylem_find(position, cli->txn, session->number, whole, &cli->err);
        if (code != XYLEM_E_NOT_FOUND) {
            return code;
        }
    }
    return entry_before(cli, position, session, spec, tilde);
}

int xylem_cli__entry_or_none(struct xylem_cli *cli, struct xylem_position *position,
                             const struct xylem_session *session, const char *spec)
{
    if (strcmp(spec, "none") == 0) {
        *position = (struct xylem_position){0, 0};
        return 0;
    }
    return xylem_cli__entry(cli, position, session, spec);
}

int xylem_cli__entry_id(struct xylem_cli *cli, struct xylem_view *id, struct xylem_position position)
{
    struct xylem_entry entry;

    *id = (struct xylem_view){NULL, 0};
    if (xylem_cli__position_none(position)) {
        return 0;
    }
    int code = xylem_entry_read(&entry, cli->txn, position, &cli->err);
    if (code == 0) {
        *id = entry.id;
    }
    return code;
}

bool xylem_cli__position_equal(struct xylem_position a, struct xylem_position b)
{
    return a.branch == b.branch && a.depth == b.depth;
}

bool xylem_cli__position_none(struct xylem_position position)
{
    return position.branch == 0 && position.depth == 0;
}
