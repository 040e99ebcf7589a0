/* Parses bash's language. The parser fails closed: a text with an uncertain meaning is `not understood`. */
#ifndef XYLEM_SHELL_PARSE_H
#define XYLEM_SHELL_PARSE_H

#include "judge/shell/syntax.h"

/*
 * Parses `text` into `tree` with memory from `arena`. `nesting` is the count of texts around this text: 0 for a
 * command, one more for each level of `sh -c`. Beyond XYLEM_COMMAND_NESTING_MAX levels of any nesting the text is not
 * understood. Gives 0 or XYLEM_E_MEMORY; no input makes the parser fail.
 */
int xylem_shell__parse(struct xylem_shell__tree *tree, struct xylem_shell__arena *arena, struct xylem_view text,
                       unsigned nesting);

#endif
