/* Brace expansion: the words that `{a,b}` becomes. */
#ifndef XYLEM_POLICY_WORDS_BRACES_H
#define XYLEM_POLICY_WORDS_BRACES_H

#include "shell/arena.h"
#include "shell/syntax.h"

/*
 * `text` becomes the words of a simple command, parted by blanks, with braces that hold a comma expanded as bash does.
 * Words without such braces stand there as they are spelt. False: nothing is expanded, there is no memory, or the
 * words are too many or too long.
 */
bool xylem_policy__expand_braces(struct xylem_view *text, struct xylem_policy__arena *arena,
                                 const struct xylem_shell__word *words);

#endif
