/* Says what a wildcard of a taught rule never stands for, and what no taught rule allows: by the tables of programs. */
#ifndef XYLEM_POLICY_RULES_MARKS_H
#define XYLEM_POLICY_RULES_MARKS_H

#include "judge/policy/engine/judge.h"

/*
 * False if a word of the command that only a wildcard of the rule stands for is an option or a verb that runs code,
 * connects elsewhere or destroys. The rule meets the command, and the words of the command are literal.
 */
bool xylem_policy__wildcard_may_stand(struct xylem_policy__judge *judge, const struct xylem_policy__command *command,
                                      const struct xylem_policy__taught_rule *rule);

/* What the words of the rule would let run, if that is any code: "is a shell". NULL: nothing. */
const char *xylem_policy__rule_runs_code(const struct xylem_policy__taught_rule *rule);

/* Appends, with commas between, the options and verbs that no wildcard of a rule for the program stands for, as far as tables spell them. */
int xylem_policy__marks_of(struct xylem_buffer *text, struct xylem_view program);

#endif
