/* A parser of bash's language that fails closed: what it does not know for certain, it says it did not understand. */
#ifndef XYLEM_SHELL_PARSE_H
#define XYLEM_SHELL_PARSE_H

#include "shell/syntax.h"

/*
 * Parses `text` into `tree` (which is overwritten), with memory from `arena`. `nesting` is how deep the text already
 * stands in others: 0 for a command, one more for each level of `sh -c` around it; beyond XYLEM_COMMAND_NESTING_MAX
 * levels of any nesting together it is not understood. 0, or XYLEM_E_MEMORY; input never makes it fail.
 */
int xylem_shell__parse(struct xylem_shell__tree *tree, struct xylem_policy__arena *arena, struct xylem_view text,
                       unsigned nesting);

#endif
