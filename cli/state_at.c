/*
 * The state at an entry, for those who show many of them at once: one line for each session or each tip. Rehydration
 * walks the path until every kind of state is decided, and so to the root where one of them is not there: with many
 * lines that lie on one long path, that is the path times the lines. But the records name the newest entry of each kind,
 * so a path without an entry that could decide anything is known in a few reads, and there the state is the default one.
 */
#include "cli/cli.h"

/* 1 if the path of `at` has an entry of one of these kinds, 0 if it has none. */
static int has_one_of(struct xylem_cli *cli, struct xylem_position at, const char *const *names, size_t count)
{
    struct xylem_entry newest;
    int code = 0;

    for (size_t i = 0; code == 0 && i < count; i++) {
        struct xylem_kind kind = {XYLEM_CLASS_CUSTOM, xylem_view_of(names[i])};
        code = xylem_cli__stored(cli, xylem_newest_of_kind(&newest, cli->txn, at, kind, &cli->err), at);
    }
    return code;
}

int xylem_cli__state_at(struct xylem_cli *cli, struct xylem_state *state, struct xylem_position at,
                        enum xylem_cli__state_part part)
{
    /* Readonly stands first: who asks for it alone looks at no more. */
    static const char *const names[] = {
        "readonly", "agenticoding-readonly", "readonly-nudge", "agenticoding-readonly-nudge",
        "sequence", "agenticoding-sequence",
    };
    static const struct xylem_event event = {.type = XYLEM_EVENT_SESSION_START, .reason = XYLEM_REASON_RESUME};
    size_t count = part == XYLEM_CLI__READONLY ? 2 : sizeof(names) / sizeof(names[0]);
    int code = has_one_of(cli, at, names, count);

    *state = (struct xylem_state){.at = at};
    return code <= 0 ? code : xylem_cli__rehydrate(cli, state, at, &event);
}
