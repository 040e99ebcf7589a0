/*
 * Rules that a person teaches a policy: `make test **`. A rule has the words of one simple command. `*` stands for one
 * argument, `**` for all that follow:
 *
 *     the rule             make test **
 *     meets                make test -j 8
 *     does not meet        make test "$n"             for `allow`: nobody knows the word
 *                          make clean                 another word
 */
#ifndef XYLEM_POLICY_RULES_TAUGHT_H
#define XYLEM_POLICY_RULES_TAUGHT_H

#include "judge/policy/engine/judge.h"

/*
 * Adds a rule. ARGUMENT: the text is no rule, or `allow` would let any code run; the error has the text and the reason.
 */
int xylem_policy__taught_add(struct xylem_policy *policy, enum xylem_decision decision, const char *text,
                             struct xylem_error *err);

/*
 * The words of a text that is one simple command of literal words; else NULL and a reason (static). With `rule` words
 * may be `*` and `**`, and nothing may stand around the words; without, assignments and redirections may.
 */
const struct xylem_shell__word **xylem_policy__taught_words(struct xylem_shell__arena *arena, struct xylem_view text,
                                                            bool rule, size_t *count, const char **why);

/* The most specific rule of the policy that meets the command; NULL: none. */
const struct xylem_policy__taught_rule *xylem_policy__taught_find(struct xylem_policy__judge *judge,
                                                                  const struct xylem_policy__command *command);

#endif
