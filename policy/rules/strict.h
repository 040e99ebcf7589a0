/* The tables of the strict policy, which the documentation shows. */
#ifndef XYLEM_POLICY_RULES_STRICT_H
#define XYLEM_POLICY_RULES_STRICT_H

#include "policy/words/tables.h"

/* What a configuration's `allowed_commands` and `wrapper_commands` replace: names parted by spaces. */
extern const char xylem_policy__strict_commands[];
extern const char xylem_policy__strict_wrappers[];
/* Where a command with a slash in its name may lie, besides `command_directories`. */
extern const char xylem_policy__strict_directories[];
/* What no configuration allows, and the builtins that run nothing and write nothing. Both end with a row of NULLs. */
extern const struct xylem_policy__table_row xylem_policy__strict_never[];
extern const struct xylem_policy__table_row xylem_policy__strict_builtins[];

#endif
