/* xylem help */
#include "cli/cli.h"

static int run(struct xylem_cli *cli, char **arguments, size_t argument_count, const void *options)
{
    (void)options;
    if (argument_count == 0) {
        return xylem_cli__help_program(cli);
    }
    const struct xylem_cli__command *command = xylem_cli__command_find(arguments[0]);
    if (command == NULL) {
        return xylem_cli__usage(cli, "there is no command '%s'", arguments[0]);
    }
    return xylem_cli__help_command(cli, command);
}

const struct xylem_cli__command xylem_cli__cmd_help = {
    .name = "help",
    .summary = "Show help on the program or on a command",
    .usage = "[COMMAND]",
    .arguments_max = 1,
    .run = run,
};
