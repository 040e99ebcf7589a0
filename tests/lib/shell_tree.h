/* What the parser made of a shell command, as one line of text that a test can compare. */
#ifndef XYLEM_TESTS_LIB_SHELL_TREE_H
#define XYLEM_TESTS_LIB_SHELL_TREE_H

#include "judge/shell/parse.h"

/*
 * Each command in parentheses: a simple one as (word word), others as (if ...), (loop name: word (command)), and so on.
 * A literal word is its text, in quotes where it is empty or holds more than plain characters; any other is its parts
 * in brackets: text as it is, $name, $(commands), <(commands), $((...)), `*` a glob, `{` a brace, ~ a tilde; `+` behind
 * the brackets: it may fall apart. Behind a command stands && || & or |. A doubt is !{text}, what was not understood is
 * ?{text}. The text is freed by the caller.
 */
char *shell_tree_text(const struct xylem_shell__tree *tree);

/* Parses and writes. */
char *shell_tree_of(struct xylem_view command);

struct shell_tree_row {
    const char *command;
    const char *tree; /* what is expected of it */
};

/* Fails the test where a command's tree is another than expected. */
void shell_tree_check_rows(const struct shell_tree_row *rows, size_t count);

/* Fails the test where a view does not lie in the text, a copy or another's place, or a list has no end. */
void shell_tree_check(const struct xylem_shell__tree *tree);

#endif
