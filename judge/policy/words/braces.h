/* Expands braces: `x{a,b}` becomes `xa xb`. */
#ifndef XYLEM_POLICY_WORDS_BRACES_H
#define XYLEM_POLICY_WORDS_BRACES_H

#include "judge/shell/arena.h"
#include "judge/shell/syntax.h"

/*
 * Returns the words of a simple command as a text with blanks between the words. Braces with a comma are expanded like
 * in bash; all other words keep their spelling. False: nothing is expanded, there is no memory, or the words are too
 * many or too long.
 */
bool xylem_policy__expand_braces(struct xylem_view *text, struct xylem_shell__arena *arena,
                                 const struct xylem_shell__word *words);

#endif
