/* A path as Markdown, for an issue or a review. */
#ifndef XYLEM_CLI_PAGE_REVIEW_H
#define XYLEM_CLI_PAGE_REVIEW_H

#include "cli/show/entries.h"

#define XYLEM_CLI__REVIEW_WORDS_MAX 65536u  /* bytes of one text; a forge takes about as many in a comment */
#define XYLEM_CLI__REVIEW_OUTPUT_MAX 16384u /* bytes of what is folded: output, thinking, data */

/*
 * Appends an entry: a heading of level 3, the words as Markdown of their own place, a line for each call, output in
 * <details> within a fence longer than any inside. `markdown_ns` is the time that Markdown took before, for all entries
 * of a review. Errors: CORRUPT, MEMORY.
 */
int xylem_cli__review_entry(struct xylem_cli *cli, struct xylem_cli__text *text, uint64_t *markdown_ns,
                            const struct xylem_entry *entry);

/* Appends text from outside as words of a line, and as a span of code. Odd characters are escaped, spaces joined. */
void xylem_cli__review_words(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view words);
void xylem_cli__review_code(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view words);

#endif
