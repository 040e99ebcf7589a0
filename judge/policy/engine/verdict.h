/* Declares what a rule may ask of the current judgement, and the calls by which the rule refuses. */
#ifndef XYLEM_POLICY_ENGINE_VERDICT_H
#define XYLEM_POLICY_ENGINE_VERDICT_H

#include "judge/shell/syntax.h"
#include "xylem/policy.h"

struct xylem_policy__judge;

const struct xylem_policy *xylem_policy__of(const struct xylem_policy__judge *judge);
/* True within ssh, chroot, unshare and parallel: the machine, the root or the arguments are others. */
bool xylem_policy__elsewhere(const struct xylem_policy__judge *judge);
struct xylem_shell__arena *xylem_policy__arena_of(struct xylem_policy__judge *judge);

/*
 * Refuses the command under judgement: the verdict gets the policy's refusal, the rule (static), the place `at`, and
 * the reason. The verdict keeps the first refusal only. Gives false.
 */
__attribute__((format(printf, 4, 5))) bool xylem_policy__refuse(struct xylem_policy__judge *judge, struct xylem_view at,
                                                                const char *rule, const char *format, ...);

/* Asks the policy about text that cannot be decided. False: refused. `why` is one static line. */
bool xylem_policy__undecided(struct xylem_policy__judge *judge, struct xylem_view at, const char *rule,
                             const char *why);

/*
 * Consumes a guess of the judgement; false when no guess is left. A rule guesses before it judges words that may be no
 * command. Each guess may hold other guesses, so the guesses are counted.
 */
bool xylem_policy__may_guess(struct xylem_policy__judge *judge);

/*
 * All words of the text but the literal names of programs: arguments, values, lists, here-documents. A program whose
 * name is not literal is named by one of these words, or from outside of the text.
 */
const struct xylem_shell__word *const *xylem_policy__values(const struct xylem_policy__judge *judge, size_t *count);

/*
 * The count of values that a search of the rules has looked at without a find. The rules number their searches and add
 * to the count, so that no search looks at a value twice.
 */
#define XYLEM_POLICY__SEARCHES 11u
size_t *xylem_policy__values_seen(struct xylem_policy__judge *judge, unsigned search);

/* Within the rules' variable(): gives the new value as a word. False: the value is not in the text. */
bool xylem_policy__value_set(const struct xylem_policy__judge *judge, struct xylem_shell__word *value);
/* The same: true for NAME+=value, which keeps the old value, and for an array, which has more values. */
bool xylem_policy__value_partial(const struct xylem_policy__judge *judge);

#endif
