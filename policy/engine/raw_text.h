/*
 * Looking for whole words in text that was not understood, or whose effect cannot be decided: as it stands, and as it
 * may become once quotes and backslashes are gone and `$'...'` is decoded. Nobody knows which quote opens and which
 * closes in such a text, so it is read in each of the ways that it may be meant.
 */
#ifndef XYLEM_POLICY_ENGINE_RAW_TEXT_H
#define XYLEM_POLICY_ENGINE_RAW_TEXT_H

#include "policy/engine/judge.h"
#include "policy/words/words.h"

struct xylem_policy__raw_search {
    bool (*word)(struct xylem_view word);        /* is a whole word one that is looked for? */
    bool (*redirection)(struct xylem_view from); /* the text from a `>` on: does it count? NULL: none does */
};

/*
 * True: something was found. `found` (may be NULL) is the word, or `>`; it lies in the text or in the arena. Without
 * memory for the copies it answers true. Time is in proportion to the text, if the two functions' is bounded.
 */
bool xylem_policy__raw_text_has(struct xylem_policy__arena *arena, struct xylem_view text,
                                const struct xylem_policy__raw_search *search, struct xylem_view *found);

/*
 * The same in each word of the command that a variable may hold. `search` is the rules' number of this search
 * (xylem_policy__values_seen()): no value is looked at twice.
 */
bool xylem_policy__raw_values_have(struct xylem_policy__judge *judge, unsigned search,
                                   const struct xylem_policy__raw_search *what, struct xylem_view *found);

/*
 * `at` is evaluated: as arithmetic (by the rule of that name), or as a prompt (`${x@P}`). Does a value of the command
 * hold text that runs something there, in which the search finds something? True with `found`, as above. `search` is
 * the number of the search for arithmetic, the next number is that of the search for prompts.
 */
bool xylem_policy__raw_values_run(struct xylem_policy__judge *judge, unsigned search, const char *rule,
                                  struct xylem_view at, const struct xylem_policy__raw_search *what,
                                  struct xylem_view *found);

/* Does `from`, which begins with `>`, write to /dev/null, or duplicate or close a descriptor? */
bool xylem_policy__raw_redirection_harmless(struct xylem_view from);

/*
 * Can text be more than a sum, where a shell evaluates it as arithmetic? Only a subscript runs commands, and only by a
 * substitution in it.
 */
bool xylem_policy__raw_arithmetic_runs(struct xylem_policy__arena *arena, struct xylem_view text);

#endif
