/* xylem version: prints the version. */
#include "cli/cli.h"

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct xylem_cli__form *form = options;
    struct xylem_cli__text text = {0};
    struct xylem_cli__documents documents;
    int code = xylem_cli__documents_start(cli, &documents, *form, NULL);
    (void)arguments;
    if (code != 0 || !documents.wanted) {
        return code != 0 ? code : xylem_cli__show_version(cli);
    }
    xylem_cli__json_document(&text);
    xylem_cli__member_string(&text, "version", xylem_view_of(xylem_version()));
    xylem_cli__json_end(&text, '}');
    return xylem_cli__put_output(cli, &text, true);
}

const struct xylem_cli__command xylem_cli__cmd_version = {
    .name = "version",
    .group = XYLEM_CLI__PLUMBING,
    .summary = "Show the version",
    .usage = "[--json|--jsonl]",
    .options = xylem_cli__form_same,
    .options_bytes = sizeof(struct xylem_cli__form),
    .run = run,
};
