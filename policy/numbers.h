/*
 * Variables that hold a number for certain. Arithmetic evaluates whatever text a variable has, so that `$((i+1))` may run
 * anything; where the command itself sets `i` to a number first, and to nothing else anywhere, it does not.
 */
#ifndef XYLEM_POLICY_NUMBERS_H
#define XYLEM_POLICY_NUMBERS_H

#include "policy/engine.h"

/* Digits, arithmetic, or what counts: what the word becomes is a number. */
bool xylem_policy__becomes_number(const struct xylem_policy__word *word);

/* What follows a command of a list that is NAME=NUMBER, alone and in any case run, sees that number. */
void xylem_policy__numbers_of_list(struct xylem_policy__judge *judge, const struct xylem_policy__node *nodes);

/* `for NAME in NUMBERS` and `for ((NAME=NUMBER; ...))`: the body sees a number. */
void xylem_policy__numbers_of_loop(struct xylem_policy__judge *judge, const struct xylem_policy__node *loop);

/* Is `at`, which is evaluated, the name of such a variable, or its expansion? Asked once all of the command is walked. */
bool xylem_policy__holds_number(const struct xylem_policy__judge *judge, struct xylem_view at);

#endif
