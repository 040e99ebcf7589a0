/* xylem init: makes an empty store. */
#include "cli/cli.h"

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    struct xylem_cli__text text = {0};
    bool created = false;
    (void)arguments;
    const struct xylem_cli__form *given = options;
    int code = xylem_cli__open_creating(cli, true, &created);
    if (code == 0 && given->json) {
        xylem_cli__json_document(&text);
        xylem_cli__member_string(&text, "store", xylem_view_of(cli->store_path));
        xylem_cli__member_bool(&text, "is_new", created);
        xylem_cli__json_end(&text, '}');
    } else if (code == 0) {
        xylem_cli__add_shown(cli, &text, xylem_view_of(cli->store_path), XYLEM_CLI__EXACT, SIZE_MAX);
        xylem_cli__addf(&text, " is a %s\n", created ? "new xylem store" : "xylem store already");
    }
    return code != 0 ? code : xylem_cli__put_output(cli, &text, given->json);
}

const struct xylem_cli__command xylem_cli__cmd_init = {
    .name = "init",
    .group = XYLEM_CLI__PLUMBING,
    .summary = "Make an empty store",
    .usage = "[--json]",
    .details = "A store that exists stays unchanged.\n",
    .options = xylem_cli__form_json,
    .options_bytes = sizeof(struct xylem_cli__form),
    .surplus = "-s DIR names the store",
    .run = run,
};
