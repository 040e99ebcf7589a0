/* xylem init: makes an empty store. */
#include "cli/cli.h"

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    struct xylem_cli__text text = {0};
    bool created = false;
    (void)arguments;
    (void)options;
    int code = xylem_cli__open_creating(cli, true, &created);
    if (code == 0) {
        xylem_cli__add_shown(cli, &text, xylem_view_of(cli->store_path), XYLEM_CLI__EXACT, SIZE_MAX);
        xylem_cli__addf(&text, " is a %s\n", created ? "new xylem store" : "xylem store already");
        code = xylem_cli__put_output(cli, &text, false);
    }
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_init = {
    .name = "init",
    .group = XYLEM_CLI__IN_AND_OUT,
    .summary = "Make an empty store",
    .usage = "",
    .details = "A store that exists stays unchanged.\n",
    .run = run,
};
