/* xylem fork: forks a session at an entry, or before an entry. */
#include "cli/fork.h"

const struct xylem_cli__command xylem_cli__cmd_fork = {
    .name = "fork",
    .group = XYLEM_CLI__CHANGE,
    .often = true,
    .summary = "Fork a session at an entry, or before it; nothing is copied",
    .usage = "SESSION:ENTRY [--before] [--id ID] [--labels] [--json]",
    .details =
        "Prints the new session's id. Standard error says how many labels of the source the fork does not have.\n",
    .options = xylem_cli__fork_table,
    .options_bytes = sizeof(struct xylem_cli__fork_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__SESSION_ENTRY},
    .run = xylem_cli__fork_run,
};
