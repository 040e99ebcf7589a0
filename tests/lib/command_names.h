/*
 * Which programs the parser found in a command: the literal words that stand where a command's name does, at any depth.
 */
#ifndef XYLEM_TESTS_LIB_COMMAND_NAMES_H
#define XYLEM_TESTS_LIB_COMMAND_NAMES_H

#include "judge/shell/syntax.h"

#include <stdbool.h>
#include <stddef.h>

#define COMMAND_NAMES_MAX 2000

struct command_names {
    struct xylem_view names[COMMAND_NAMES_MAX];
    size_t count;
    bool undecided; /* a name is not literal, or there are more than fit */
    bool runs_code; /* a builtin may run what stands in its arguments, or in variables: eval, trap, read 'a[$(x)]' */
};

/* `names` is overwritten, and borrows from the tree. */
void command_names_find(struct command_names *names, const struct xylem_shell__tree *tree);
/* `name` is a path, or the name itself. */
bool command_names_hold(const struct command_names *names, const char *name);

#endif
