/*
 * Finds variables with a known value. Arithmetic evaluates the text of a variable: `$((i+1))` may run any program, and
 * `"$f"` may become an option. Both are harmless if the command sets the variable to a number, or to an operand, and
 * nowhere to another value. Only `strict` uses this: the other policies let commands pass that may set any variable.
 */
#ifndef XYLEM_POLICY_ENGINE_VARIABLES_H
#define XYLEM_POLICY_ENGINE_VARIABLES_H

#include "judge/policy/engine/engine.h"

/* Notes each NAME=VALUE of a list that runs in any case, with the range of commands that see the value. */
void xylem_policy__variables_of_list(struct xylem_policy__judge *judge, const struct xylem_shell__node *nodes);

/*
 * Notes the variable of `for NAME in WORDS` and `for ((NAME=NUMBER; ...))` for the body of the loop, and asks the
 * policy's rules about NAME.
 */
void xylem_policy__judge_loop_variable(struct xylem_policy__judge *judge, const struct xylem_shell__node *loop);

/*
 * True if `at` is the name or the expansion of a variable with a number. To be called after the whole command is
 * walked.
 */
bool xylem_policy__holds_number(const struct xylem_policy__judge *judge, struct xylem_view at);

/* Arithmetic evaluates the word. The word is undecided, unless the walk shows that its variable holds a number. */
bool xylem_policy__undecided_unless_number(struct xylem_policy__judge *judge, const struct xylem_shell__word *word,
                                           const char *why);

/*
 * After the walk: refuses the words of the frame that is_operand() and undecided_unless_number() took for known
 * wrongly.
 */
void xylem_policy__ask_about_expansions(struct xylem_policy__judge *judge, const struct xylem_policy__frame *frame);

/* True for what arithmetic cannot turn into anything else: digits and operators. */
bool xylem_policy__plain_arithmetic(const struct xylem_shell__word *word);

/*
 * Some of bash's own variables are numbers: a value is evaluated as arithmetic, in which a subscript can run programs.
 * A value that is more than digits and operators is not decidable; NULL: it is not known.
 */
bool xylem_policy__judge_number(struct xylem_policy__judge *judge, struct xylem_view name, struct xylem_view at,
                                const struct xylem_shell__word *value);

#endif
