/*
 * Searches for whole words in text that the parser did not understand, or with an effect that cannot be decided. In
 * such a text no quote is known to open or to close. So each search runs over several readings of the text: the text
 * itself, the text without quotes and backslashes, and the text with `$'...'` decoded.
 */
#ifndef XYLEM_POLICY_ENGINE_RAW_TEXT_H
#define XYLEM_POLICY_ENGINE_RAW_TEXT_H

#include "judge/policy/engine/judge.h"
#include "judge/policy/words/words.h"

struct xylem_policy__raw_search {
    bool (*word)(struct xylem_view word);        /* true: the whole word is a find */
    bool (*redirection)(struct xylem_view from); /* gets the text from a `>` on; true: a find. NULL: no `>` is a find */
};

/*
 * True if the search finds something, and if there is no memory for the readings. `found` (may be NULL) gets the word
 * or the `>`; the bytes lie in the text or in the arena. Time grows in proportion to the text if both functions take
 * bounded time.
 */
bool xylem_policy__raw_text_has(struct xylem_shell__arena *arena, struct xylem_view text,
                                const struct xylem_policy__raw_search *search, struct xylem_view *found);

/*
 * Searches each word of the command: a variable may hold any word. `search` is the rules' number of the search
 * (xylem_policy__values_seen()), so that no word is searched twice.
 */
bool xylem_policy__raw_values_have(struct xylem_policy__judge *judge, unsigned search,
                                   const struct xylem_policy__raw_search *what, struct xylem_view *found);

/*
 * True if a word of the command has literal text for which `holds` is true, and in which `what` (NULL: anything) finds
 * something. `search`: as above.
 */
bool xylem_policy__raw_values_hold(struct xylem_policy__judge *judge, unsigned search,
                                   bool (*holds)(struct xylem_shell__arena *arena, struct xylem_view text),
                                   const struct xylem_policy__raw_search *what, struct xylem_view *found);

/*
 * Bash evaluates `at` as arithmetic (`rule` says so) or as a prompt (`${x@P}`). A word of the command can hold text
 * that runs programs there: `a[$(rm x)]`, `$(rm x)`. True, with `found`, if the search finds something in such a text.
 * `search` numbers the search for arithmetic, `search + 1` the search for prompts.
 */
bool xylem_policy__raw_values_run(struct xylem_policy__judge *judge, unsigned search, const char *rule,
                                  struct xylem_view at, const struct xylem_policy__raw_search *what,
                                  struct xylem_view *found);

/* True if `from`, which begins with `>`, writes to /dev/null, or duplicates or closes a descriptor. */
bool xylem_policy__raw_redirection_harmless(struct xylem_view from);

/* True if the text can run commands as arithmetic. Only a substitution in a subscript can. */
bool xylem_policy__raw_arithmetic_runs(struct xylem_shell__arena *arena, struct xylem_view text);

#endif
