/* xylem fork: forks a session at an entry, or before an entry. */
#include "cli/fork.h"

struct fork_options {
    const char *id;
    bool before;
    bool labels;
    bool json;
};

static const struct xylem_cli__option fork_table[] = {
    {"before", 'b', NULL, XYLEM_CLI__FLAG, offsetof(struct fork_options, before),
     "share the path up to the entry's parent, not up to the entry", NULL},
    {"id", 0, "ID", XYLEM_CLI__TEXT, offsetof(struct fork_options, id), "the new session's id (default: a fresh id)",
     NULL},
    {"labels", 'l', NULL, XYLEM_CLI__FLAG, offsetof(struct fork_options, labels),
     "append labels of the source that lie outside of the shared path", NULL},
    {"json", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct fork_options, json), "print one JSON document", NULL},
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct fork_options *given = options;
    struct xylem_cli__fork fork = {.session_spec = arguments[0],
                                   .entry_spec = arguments[1],
                                   .kind = given->before ? XYLEM_FORK_BEFORE : XYLEM_FORK_AT,
                                   .id = given->id,
                                   .labels = given->labels,
                                   .json = given->json};
    return xylem_cli__fork_run(cli, &fork);
}

const struct xylem_cli__command xylem_cli__cmd_fork = {
    .name = "fork",
    .group = XYLEM_CLI__CHANGE,
    .summary = "Fork a session at an entry, or before it; nothing is copied",
    .usage = "SESSION ENTRY [--before] [--id ID] [--labels] [--json]",
    .details =
        "Prints the new session's id. Standard error says how many labels of the source the fork does not have.\n",
    .options = fork_table,
    .options_bytes = sizeof(struct fork_options),
    .arguments_min = 2,
    .arguments_max = 2,
    .arguments = {XYLEM_CLI__SESSION, XYLEM_CLI__ENTRY},
    .run = run,
};
