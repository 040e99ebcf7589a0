/*
 * cli/ is the command: one file for each command (cmd_X.c, listed in commands.h), the helpers that two or three
 * commands share, and the way from a command line to a command: main.c, options.c, commands.c, help.c.
 * It knows the library through xylem.h alone, and keeps no rule of the library.
 * Begin reading at main.c and commands.h, then a short command: cmd_init.c.
 * Other rooms may include: nothing
 */
#ifndef XYLEM_CLI_CLI_H
#define XYLEM_CLI_CLI_H

#include "cli/show/show.h"

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
