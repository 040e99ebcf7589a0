/* Declares the function of `fork` and `clone`: makes a session, and counts the labels that the session lacks. */
#ifndef XYLEM_CLI_FORK_H
#define XYLEM_CLI_FORK_H

#include "cli/cli.h"

struct xylem_cli__fork_options {
    const char *id; /* NULL: a fresh id */
    bool before;
    bool labels; /* append labels that the fork lacks */
    bool json;
};

/* The first row is of `fork` alone. */
extern const struct xylem_cli__option xylem_cli__fork_table[];

/*
 * Runs both commands: makes the fork at an entry, or the clone at the leaf, and prints the new session's id, or a
 * document.
 */
int xylem_cli__fork_run(struct xylem_cli *cli, char **arguments, const void *options);

#endif
