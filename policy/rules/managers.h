/* The readonly policy's tables of programs that are refused by verb or by option: package managers and their like. */
#ifndef XYLEM_POLICY_RULES_MANAGERS_H
#define XYLEM_POLICY_RULES_MANAGERS_H

#include "policy/engine/judge.h"

/* True where nothing is against the command, as for all programs that the tables do not have. */
bool xylem_policy__managers(struct xylem_policy__judge *judge, const struct xylem_policy__command *command);

/* Do the tables have a program of that name, for which something is refused? */
bool xylem_policy__managers_hold(struct xylem_view name);

#endif
