/* Declares the tables of the strict policy. judge/policy/tables.c shows the tables. */
#ifndef XYLEM_POLICY_RULES_STRICT_H
#define XYLEM_POLICY_RULES_STRICT_H

#include "judge/policy/engine/judge.h"
#include "judge/policy/words/tables.h"

/* Names with spaces between. The keys `allowed_commands` and `wrapper_commands` of a configuration replace them. */
extern const char xylem_policy__strict_commands[];
extern const char xylem_policy__strict_wrappers[];
/* Directories for commands with a slash in the name, besides `command_directories`. */
extern const char xylem_policy__strict_directories[];
/* Programs that no configuration allows; builtins that run and write nothing. The last rows are all NULL. */
extern const struct xylem_policy__table_row xylem_policy__strict_never[];
extern const struct xylem_policy__table_row xylem_policy__strict_builtins[];

/* True for a name without a slash, and for a path in a directory of the system or of the configuration. */
bool xylem_policy__path_allowed(const struct xylem_policy *policy, struct xylem_view path, struct xylem_view name);

#endif
