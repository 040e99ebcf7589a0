/* xylem version: prints the version. */
#include "cli/cli.h"

struct version_options {
    struct xylem_cli__form form;
};

static const struct xylem_cli__option version_table[] = {XYLEM_CLI__FORM_ROWS(struct version_options, "the same"),
                                                         {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct version_options *given = options;
    struct xylem_cli__text text = {0};
    struct xylem_cli__documents documents;
    int code = xylem_cli__documents_start(cli, &documents, given->form, NULL);
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
    .group = XYLEM_CLI__ABOUT,
    .summary = "Show the version",
    .usage = "[--json|--jsonl]",
    .options = version_table,
    .options_bytes = sizeof(struct version_options),
    .run = run,
};
