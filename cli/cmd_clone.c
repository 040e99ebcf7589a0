/* xylem clone: forks a session at its leaf. */
#include "cli/fork.h"

const struct xylem_cli__command xylem_cli__cmd_clone = {
    .name = "clone",
    .group = XYLEM_CLI__CHANGE,
    .summary = "Fork a session at its leaf; nothing is copied",
    .usage = "SESSION [--id ID] [--labels] [--json]",
    .details =
        "Prints the new session's id. Standard error says how many labels of the source the clone does not have.\n",
    .options = xylem_cli__fork_table + 1,
    .options_bytes = sizeof(struct xylem_cli__fork_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .surplus = "--id ID gives the new session its id",
    .arguments = {XYLEM_CLI__SESSION},
    .run = xylem_cli__fork_run,
};
