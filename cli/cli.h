/*
 * The room cli: the commands, a file each (cmd_X.c), and what two or three of them share. Its other files are the way
 * from a command line to a command: main.c, options.c, commands.c, and help.c, which is made of the same rows.
 *
 * Everything here knows the library through xylem.h alone. Arrows between the rooms go one way: cli -> show -> store
 * and json -> term; store and json do not know each other. No other room calls anything of this one.
 *
 * Begin with main.c and commands.h, the list of commands; then a short command, such as cmd_init.c or cmd_undelete.c.
 */
#ifndef XYLEM_CLI_CLI_H
#define XYLEM_CLI_CLI_H

#include "cli/show.h"

/* --- Options (options.c) ------------------------------------------------------------------------------------------ */

extern const struct xylem_cli__option xylem_cli__global_options[];

/* The option of that name (`letter` 0) or letter; NULL if the table (which may be NULL) has none. */
const struct xylem_cli__option *xylem_cli__option_find(const struct xylem_cli__option *table, const char *name,
                                                       size_t bytes, char letter);

/*
 * Parses `words` (ends in NULL): options of `command` (may be NULL) into `options`, global ones into `cli`. Arguments
 * are gathered at the front of `words` and counted. `stop_early`: ends at the first argument, which `rest` then names.
 */
int xylem_cli__parse(struct xylem_cli *cli, const struct xylem_cli__command *command, void *options, char **words,
                     size_t *argument_count, bool stop_early, char ***rest);

/* --- Finding a command, and help (commands.c, help.c) ------------------------------------------------------------- */

/* NULL: there is none. */
const struct xylem_cli__command *xylem_cli__command_find(const struct xylem_cli *cli, const char *name);
int xylem_cli__help_program(struct xylem_cli *cli);
int xylem_cli__help_command(struct xylem_cli *cli, const struct xylem_cli__command *command);
/* Appends what the tables say of a command, as one JSON document. */
void xylem_cli__help_document(struct xylem_cli__text *text, const struct xylem_cli__command *command);
int xylem_cli__show_version(struct xylem_cli *cli);

/* There is no such command, or no such option of `cli->command`: an error that names what is spelt like it. */
int xylem_cli__no_command(struct xylem_cli *cli, const char *name);
int xylem_cli__no_option(struct xylem_cli *cli, const char *name, size_t bytes);

#endif
