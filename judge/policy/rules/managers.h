/* Judges programs by verb or by option, by the tables of the readonly policy: package managers and the like. */
#ifndef XYLEM_POLICY_RULES_MANAGERS_H
#define XYLEM_POLICY_RULES_MANAGERS_H

#include "judge/policy/engine/judge.h"

/* True if the tables refuse nothing in the command; also for programs that the tables do not have. */
bool xylem_policy__managers(struct xylem_policy__judge *judge, const struct xylem_policy__command *command);

/* True if the tables refuse something of a program with that name, and the name is no common word. */
bool xylem_policy__managers_hold(struct xylem_view name);

#endif
