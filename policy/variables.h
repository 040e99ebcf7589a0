/*
 * Variables of which something is known for certain. Arithmetic evaluates whatever text a variable has, so that `$((i+1))`
 * may run anything, and `"$f"` may become an option. Where the command itself sets the variable first, and nowhere to
 * anything else, neither may be. This holds for policies alone that let nothing pass which may set any variable: strict.
 */
#ifndef XYLEM_POLICY_VARIABLES_H
#define XYLEM_POLICY_VARIABLES_H

#include "policy/engine.h"

/* What follows a command of a list that is NAME=VALUE, alone and in any case run, sees that value. */
void xylem_policy__variables_of_list(struct xylem_policy__judge *judge, const struct xylem_policy__node *nodes);

/* `for NAME in WORDS` and `for ((NAME=NUMBER; ...))`: the body sees one of the words, or a number. */
void xylem_policy__variables_of_loop(struct xylem_policy__judge *judge, const struct xylem_policy__node *loop);

/* Is `at`, which is evaluated, a variable that holds a number, or its expansion? Asked once all of the command is walked. */
bool xylem_policy__holds_number(const struct xylem_policy__judge *judge, struct xylem_view at);

/* The word is evaluated as arithmetic: undecided, unless it is a variable that turns out to hold a number. */
bool xylem_policy__undecided_unless_number(struct xylem_policy__judge *judge, const struct xylem_policy__word *word,
                                           const char *why);

/* What xylem_policy__is_operand() and ..._undecided_unless_number() took for granted is asked about, if it does not hold. */
void xylem_policy__ask_about_expansions(struct xylem_policy__judge *judge, const struct xylem_policy__frame *frame);

#endif
