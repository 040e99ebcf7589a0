/* What a rule may ask of the judgement under way, and how the rule refuses. */
#ifndef XYLEM_POLICY_VERDICT_H
#define XYLEM_POLICY_VERDICT_H

#include "policy/syntax.h"

struct xylem_policy__judge;

const struct xylem_policy *xylem_policy__of(const struct xylem_policy__judge *judge);
/* Does it run on another machine, under another root, or with arguments that are not seen? */
bool xylem_policy__elsewhere(const struct xylem_policy__judge *judge);
struct xylem_policy__arena *xylem_policy__arena_of(struct xylem_policy__judge *judge);

/*
 * Refuses: the verdict gets the policy's refusal, the rule (static), where it stands, and the reason. Only the first
 * refusal of a judgement is kept. Always false.
 */
__attribute__((format(printf, 4, 5))) bool xylem_policy__refuse(struct xylem_policy__judge *judge, struct xylem_view at,
                                                                const char *rule, const char *format, ...);

/*
 * `at` cannot be decided: refused, unless the policy lets what stands there pass. `why` is one static line.
 */
bool xylem_policy__undecided(struct xylem_policy__judge *judge, struct xylem_view at, const char *rule,
                             const char *why);

/*
 * May a rule judge a command once more of which it does not know for certain that it is one? Not any number of times, as
 * a command in there may be doubtful too.
 */
bool xylem_policy__may_guess(struct xylem_policy__judge *judge);

/*
 * All words of the command but those that name programs: arguments, values, lists, what is read from here-documents. What
 * is run under a name that is not literal can only come from them, or from outside.
 */
const struct xylem_policy__word *const *xylem_policy__values(const struct xylem_policy__judge *judge, size_t *count);

/*
 * How many of the values a rule has looked at already without finding anything: for each search of its own a number that
 * it keeps, so that no value is searched twice.
 */
#define XYLEM_POLICY__SEARCHES 5u
size_t *xylem_policy__values_seen(struct xylem_policy__judge *judge, unsigned search);

/* Within the rules' variable(): the value that the variable gets, as a word. False: it is not in the text. */
bool xylem_policy__value_set(const struct xylem_policy__judge *judge, struct xylem_policy__word *value);
/* The same: does the variable get more than that value? NAME+=value keeps what it had, an array has other values. */
bool xylem_policy__value_partial(const struct xylem_policy__judge *judge);

#endif
