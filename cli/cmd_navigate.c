/* xylem navigate: moves a session's leaf. */
#include "cli/cli.h"
#include "xylem/branch.h"

struct navigate_options {
    const char *reason;
    bool only_in_store;
    bool json;
};

static const struct xylem_cli__option navigate_table[] = {{"reason", 0, "TEXT", XYLEM_CLI__TEXT,
                                                           offsetof(struct navigate_options, reason),
                                                           "why; TEXT is kept with the move", NULL},
                                                          XYLEM_CLI__ONLY_IN_STORE_ROW(struct navigate_options),
                                                          XYLEM_CLI__JSON_ROW(struct navigate_options),
                                                          {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

struct navigation {
    char **arguments;
    const struct navigate_options *options;
    struct xylem_cli__text text;
};

static int change(struct xylem_cli *cli, void *context)
{
    struct navigation *navigation = context;
    struct xylem_cli__place place;
    struct xylem_view from_id;
    struct xylem_view to_id;
    int code = xylem_cli__place_find(cli, &place, navigation->arguments[0], XYLEM_CLI__CHANGED_ENTRY,
                                     xylem_cli__entry_or_none);
    xylem_cli__text_clear(&navigation->text);
    if (code != 0 ||
        (code = xylem_cli__check_host(cli, &place.session, navigation->options->only_in_store, "in pi, use /tree")) !=
            0 ||
        (code = xylem_cli__entry_id(cli, &from_id, place.session.leaf)) != 0 ||
        (code = xylem_cli__entry_id(cli, &to_id, place.position)) != 0) {
        return code;
    }
    if (navigation->options->json) {
        xylem_cli__json_change(&navigation->text, place.session.id, (struct xylem_view){NULL, 0}, from_id, to_id);
    } else {
        xylem_cli__add(&navigation->text, "leaf: ");
        xylem_cli__add_change(cli, &navigation->text, from_id, to_id);
        xylem_cli__add(&navigation->text, "\n");
    }
    code = xylem_navigate(cli->txn, place.session.number, place.position, xylem_view_of(navigation->options->reason),
                          &cli->err);
    return xylem_cli__if_leased(cli, code, place.session.id);
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    struct navigation navigation = {.arguments = arguments, .options = options};
    return xylem_cli__change_and_put(cli, change, &navigation, &navigation.text, navigation.options->json);
}

const struct xylem_cli__command xylem_cli__cmd_navigate = {
    .name = "navigate",
    .group = XYLEM_CLI__CHANGE,
    .summary = "Move a session's leaf to another entry, or to none",
    .usage = "SESSION:ENTRY|SESSION:none [--reason TEXT] [--only-in-store] [--json]",
    .details = "The next append goes on from the new leaf. Prints the old leaf and the new leaf.\n",
    .options = navigate_table,
    .options_bytes = sizeof(struct navigate_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__SESSION_ENTRY},
    .run = run,
};
