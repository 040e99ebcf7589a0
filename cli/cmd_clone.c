/* xylem clone: forks a session at its leaf. */
#include "cli/fork.h"

struct clone_options {
    const char *id;
    bool labels;
    bool json;
};

static const struct xylem_cli__option clone_table[] = {
    {"id", 0, "ID", XYLEM_CLI__TEXT, offsetof(struct clone_options, id), "the new session's id (default: a fresh id)",
     NULL},
    {"labels", 'l', NULL, XYLEM_CLI__FLAG, offsetof(struct clone_options, labels),
     "append labels of the source that lie outside of the shared path", NULL},
    {"json", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct clone_options, json), "print one JSON document", NULL},
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct clone_options *given = options;
    struct xylem_cli__fork fork = {
        .session_spec = arguments[0], .id = given->id, .labels = given->labels, .json = given->json};
    return xylem_cli__fork_run(cli, &fork);
}

const struct xylem_cli__command xylem_cli__cmd_clone = {
    .name = "clone",
    .group = XYLEM_CLI__CHANGE,
    .summary = "Fork a session at its leaf; nothing is copied",
    .usage = "SESSION [--id ID] [--labels] [--json]",
    .details =
        "Prints the new session's id. Standard error says how many labels of the source the clone does not have.\n",
    .options = clone_table,
    .options_bytes = sizeof(struct clone_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__SESSION},
    .run = run,
};
