/*
 * cli/ is the command: one file for each command (cmd_X.c, listed in commands.h), the helpers that two or three
 * commands share, and the dispatch from a command line to a command: program.c, options.c, commands.c, beside.c, help.c.
 * The command uses the public headers and base/, and repeats no rule of the library.
 * Begin reading at program.c and commands.h, then a short command: cmd_init.c.
 * Other rooms may include: cli.h
 */
#ifndef XYLEM_CLI_CLI_H
#define XYLEM_CLI_CLI_H

#include "cli/show/show.h"

/* --- A program of commands (program.c) --------------------------------------------------------------------------- */

/* Runs the command line: the first word that is no option names a command of the list, which ends in NULL. */
int xylem_cli__program(const struct xylem_cli__command *const *commands, int argc, char **argv);

/* --- Options (options.c) ------------------------------------------------------------------------------------------ */

extern const struct xylem_cli__option xylem_cli__global_options[];
/* The table of commands whose only option is --json; the options struct is struct xylem_cli__form. */
extern const struct xylem_cli__option xylem_cli__form_json[];

/* Finds an option of the command (NULL: not known) or of every command, by name (`letter` is 0) or by letter. */
const struct xylem_cli__option *xylem_cli__option_find(const struct xylem_cli__command *command, const char *name,
                                                       size_t bytes, char letter);

/*
 * Parses `words`, an array that ends in NULL. Options of `cli->command` go into `options`, global options into `cli`.
 * The arguments move to the front of `words`, which then ends behind them. Before the command is known, the first
 * argument is the command's name, and all words behind the name are arguments. The same holds for a verb.
 */
int xylem_cli__parse(struct xylem_cli *cli, void *options, char **words);

/* --- Reading (reading.c) ------------------------------------------------------------------------------------------ */

/* Opens the store for reading. With `paged`, standard output goes through the pager from now on. */
int xylem_cli__open_paged(struct xylem_cli *cli, bool paged);

/* --- Changing (changing.c) ---------------------------------------------------------------------------------------- */

/* Opens the store for writing. Makes a missing store, and says so. */
int xylem_cli__open_or_make(struct xylem_cli *cli);
/*
 * Runs `change` as xylem_cli__change() does, and then prints the text that `change` wrote: lines for a person, or with
 * `json` a document. Releases the text in any case.
 */
int xylem_cli__change_and_put(struct xylem_cli *cli, int (*change)(struct xylem_cli *cli, void *context), void *context,
                              struct xylem_cli__text *text, bool json);

/* --- Finding a command, and help (commands.c, help.c) ------------------------------------------------------------- */

/*
 * NULL if there is no such command, or no such verb of the command. `ls`, `list`, `grep` and `cat` are other names of
 * commands.
 */
const struct xylem_cli__command *xylem_cli__command_find(const struct xylem_cli *cli, const char *name);
const struct xylem_cli__command *xylem_cli__verb_find(const struct xylem_cli__command *command, const char *name);
/* True if the last argument is a free text, which people forget to quote. */
bool xylem_cli__takes_text(const struct xylem_cli__command *command);
/* The word of a verb: its name without the name of the command. */
const char *xylem_cli__verb_word(const struct xylem_cli__command *verb);
/* The commands that people use often, and how to name a place; USAGE. */
int xylem_cli__help_short(struct xylem_cli *cli);
int xylem_cli__help_program(struct xylem_cli *cli);
int xylem_cli__help_command(struct xylem_cli *cli, const struct xylem_cli__command *command);
/* Appends the tables of a command as one JSON document. */
void xylem_cli__help_document(struct xylem_cli__text *text, const struct xylem_cli__command *command);
int xylem_cli__show_version(struct xylem_cli *cli);

/*
 * Becomes the program `xylem-WORD`, beside this program or in PATH, with these arguments, which end in NULL; never a
 * program of the working directory (beside.c). `but`, if one of the arguments, is left out. 0: there is none. IO: the
 * program cannot be run.
 */
int xylem_cli__become(struct xylem_cli *cli, const char *word, char *const *arguments, const char *but);
#define XYLEM_CLI__FLEET_SUMMARY "Share sessions between machines, on PostgreSQL" /* the program says the same of itself */
/* A program of another package of xylem's, which help and completion name where the program is there. */
struct xylem_cli__program {
    const char *word;
    const char *summary;
};
/* The next such program behind `before`, which is NULL at first; NULL: there are no more. */
const struct xylem_cli__program *xylem_cli__program_next(const struct xylem_cli *cli,
                                                         const struct xylem_cli__program *before);

/* Error: there is no command of that name. The text suggests similar names. */
int xylem_cli__no_command(struct xylem_cli *cli, const char *name);
/* Error: the command has no verb of that name. The text suggests similar verbs. */
int xylem_cli__no_verb(struct xylem_cli *cli, const struct xylem_cli__command *command, const char *name);

#endif
