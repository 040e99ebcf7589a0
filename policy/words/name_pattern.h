/* Names of programs that are not literal: `r[m]`, `r${X}m` and `/bin/r?` may become `rm`. */
#ifndef XYLEM_POLICY_WORDS_NAME_PATTERN_H
#define XYLEM_POLICY_WORDS_NAME_PATTERN_H

#include "policy/words/words.h"

/*
 * May the last component of the path that the word becomes be one of the names (text, parted by spaces)? `found` is the
 * first that it may be. Not for words of which nothing but slashes is known: they may be anything.
 */
bool xylem_policy__may_be_named(struct xylem_view *found, const struct xylem_shell__word *word, const char *names);

#endif
