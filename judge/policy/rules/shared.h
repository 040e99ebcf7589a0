/* Declares the tables of rules, one for each policy, and a rule that policies share. */
#ifndef XYLEM_POLICY_RULES_SHARED_H
#define XYLEM_POLICY_RULES_SHARED_H

#include "judge/policy/engine/judge.h"

extern const struct xylem_policy__rules xylem_policy__rules_readonly;
extern const struct xylem_policy__rules xylem_policy__rules_strict;
extern const struct xylem_policy__rules xylem_policy__rules_confirm;

/* The row of a program that readonly refuses with any words; NULL: none. */
const struct xylem_policy__table_row *xylem_policy__find_program(struct xylem_view name);

/* The variable() of permissive policies: judges the value of a variable in xylem_policy__command_variables as code. */
bool xylem_policy__judge_command_variable(struct xylem_policy__judge *judge, struct xylem_view name,
                                          enum xylem_policy__setting setting,
                                          const struct xylem_policy__command *command);

/* For undecided() of permissive policies: refuses `at` since `where` (static text) contains the name `found`. */
bool xylem_policy__refuse_found(struct xylem_policy__judge *judge, struct xylem_view at, const char *rule,
                                const char *why, const char *where, struct xylem_view found);

#endif
