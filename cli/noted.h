/* What the views of `xylem files` share. */
#ifndef XYLEM_CLI_NOTED_H
#define XYLEM_CLI_NOTED_H

#include "cli/cli.h"

/* --- A file in a list (noted.c) ----------------------------------------------------------------------------------- */

/* Adds the last cell of a row: the file, from the session's directory on if it lies there, cut at its beginning. */
void xylem_cli__add_file_cell(const struct xylem_cli *cli, struct xylem_cli__table *table, struct xylem_view path,
                              struct xylem_view cwd, size_t before_cells);

/* --- The files that a host noted (noted.c) ------------------------------------------------------------------------ */

/* Prints the noted files on the path of the place; or, for a `checked` path, the verdict on a write: 0, or PROBLEM. */
int xylem_cli__noted(struct xylem_cli *cli, struct xylem_cli__documents *documents,
                     const struct xylem_cli__place *place, const char *checked);

#endif
