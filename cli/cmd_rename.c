/* xylem rename: gives a session a name, by a `session_info` entry as pi writes it. */
#include "cli/cli.h"
#include "xylem/outline.h"

#include <string.h>

struct rename_options {
    bool only_in_store;
    bool json;
};

static const struct xylem_cli__option rename_table[] = {XYLEM_CLI__ONLY_IN_STORE_ROW(struct rename_options),
                                                        XYLEM_CLI__JSON_ROW(struct rename_options),
                                                        {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

struct renaming {
    char **arguments;
    const struct rename_options *given;
    struct xylem_cli__text text; /* for people: the old and the new name */
    struct xylem_cli__text payload;
};

static int change(struct xylem_cli *cli, void *context)
{
    struct renaming *renaming = context;
    struct xylem_session session;
    struct xylem_buffer name = {0};
    struct xylem_outline outline = {0};
    struct xylem_view wanted = xylem_view_of(renaming->arguments[1]);
    int code;
    if ((code = xylem_cli__session(cli, &session, renaming->arguments[0])) < 0 ||
        (code = xylem_cli__check_host(cli, &session, renaming->given->only_in_store, "in pi, type /name NAME")) < 0) {
        return code;
    }
    code = xylem_outline_read(&outline, &name, cli->txn, &session, &cli->err);
    xylem_cli__text_clear(&renaming->text);
    xylem_cli__text_clear(&renaming->payload);
    if (code == 0 && renaming->given->json) {
        const struct xylem_view old = {name.bytes > 0 ? name.data : NULL, name.bytes};
        xylem_cli__json_change(&renaming->text, session.id, (struct xylem_view){NULL, 0}, old, wanted);
    } else if (code == 0) {
        xylem_cli__add(&renaming->text, "name: ");
        xylem_cli__add_change(cli, &renaming->text, (struct xylem_view){name.data, name.bytes}, wanted);
        xylem_cli__add(&renaming->text, "\n");
    }
    xylem_buffer_release(&name);
    if (code < 0) {
        return code;
    }
    xylem_cli__json_begin(&renaming->payload, '{');
    xylem_cli__member_string(&renaming->payload, "name", wanted);
    xylem_cli__json_end(&renaming->payload, '}');
    code = xylem_cli__append_host(cli, &session, "session_info", &renaming->payload);
    return xylem_cli__if_leased(cli, code, session.id);
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    struct renaming renaming = {.arguments = arguments, .given = options};
    if (arguments[1][strspn(arguments[1], " \t\r\n")] == '\0') {
        return xylem_cli__usage(cli, "a name needs a character other than blanks");
    }
    int code = xylem_cli__change_and_put(cli, change, &renaming, &renaming.text, renaming.given->json);
    xylem_cli__text_release(&renaming.payload);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_rename = {
    .name = "rename",
    .group = XYLEM_CLI__CHANGE,
    .summary = "Give a session a name",
    .usage = "SESSION NAME [--only-in-store] [--json]",
    .details = "Appends a `session_info` entry behind the leaf, as pi does. Prints the old and the new name.\n",
    .options = rename_table,
    .options_bytes = sizeof(struct rename_options),
    .arguments_min = 2,
    .arguments_max = 2,
    .arguments = {XYLEM_CLI__SESSION, XYLEM_CLI__ANY},
    .run = run,
};
