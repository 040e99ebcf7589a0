/* Parts of `xylem sessions`. */
#ifndef XYLEM_CLI_SESSIONS_H
#define XYLEM_CLI_SESSIONS_H

#include "cli/cli.h"
#include "cli/show/entries.h"
#include "cli/store/listing.h"

/* Prints the table (sessions_table.c). On a terminal, a list in the order of activity draws families together. */
int xylem_cli__sessions_table(struct xylem_cli *cli, struct xylem_cli__listing *listing);

/*
 * Lets a person choose a session, and prints its id (pick.c). Closes the store: views of the listing end. PROBLEM: the
 * person chose none.
 */
int xylem_cli__pick(struct xylem_cli *cli, struct xylem_cli__listing *listing);

#endif
