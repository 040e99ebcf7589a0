/* Says what a wildcard of a taught rule never stands for, and what no taught rule allows: by the tables of programs. */
#ifndef XYLEM_POLICY_RULES_MARKS_H
#define XYLEM_POLICY_RULES_MARKS_H

#include "judge/policy/engine/judge.h"

/*
 * False if the words of the command that only wildcards of the rule stand for bring an option or a verb that runs code,
 * connects elsewhere or destroys. The rule meets the command, and the words of the command are literal.
 */
bool xylem_policy__wildcard_may_stand(struct xylem_policy__judge *judge, const struct xylem_policy__command *command,
                                      const struct xylem_policy__taught_rule *rule);

/* What the rule would let run, if that is any code: "is a shell". NULL: nothing. */
const char *xylem_policy__rule_runs_code(struct xylem_shell__arena *arena,
                                         const struct xylem_policy__taught_rule *rule);

/* True if readonly passes the words as a command. */
bool xylem_policy__words_read(const struct xylem_shell__word *const *words, size_t count);

#endif
