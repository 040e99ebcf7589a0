/* The program `xylem`: its commands. */
#include "cli/cli.h"

#include <stddef.h>

#define COMMAND(name) extern const struct xylem_cli__command xylem_cli__cmd_##name;
#include "cli/commands.h"
#undef COMMAND

static const struct xylem_cli__command *const commands[] = {
#define COMMAND(name) &xylem_cli__cmd_##name,
#include "cli/commands.h"
#undef COMMAND
    NULL};

int main(int argc, char **argv)
{
    return xylem_cli__program(commands, argc, argv);
}
