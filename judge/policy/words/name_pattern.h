/* Matches names of programs that are not literal: `r[m]`, `r${X}m` and `/bin/r?` may become `rm`. */
#ifndef XYLEM_POLICY_WORDS_NAME_PATTERN_H
#define XYLEM_POLICY_WORDS_NAME_PATTERN_H

#include "judge/policy/words/words.h"

/*
 * True if bash can expand the word to a path with one of the names (text with spaces between) as last component.
 * `found` gets the first such name. False for a word without a known letter or digit: such a word may become anything.
 */
bool xylem_policy__may_be_named(struct xylem_view *found, const struct xylem_shell__word *word, const char *names);

#endif
