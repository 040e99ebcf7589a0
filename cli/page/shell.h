/* The parts of a page around its content: head, style, scripts, their hashes. */
#ifndef XYLEM_CLI_PAGE_SHELL_H
#define XYLEM_CLI_PAGE_SHELL_H

#include "cli/page/html.h"

/* The script of highlight.js, for any number of pages. Start zeroed: no script. Release the script. */
struct xylem_cli__highlight {
    struct xylem_cli__text script;
    char policy[52]; /* `sha256-...`, as a CSP has it */
};

/*
 * Reads `highlight.js` beside this program, or in ../share/xylem/. `highlight.js.hash` beside it has the word for the
 * CSP and the XXH3-128 of the script: a script with another XXH3 is noted on standard error, and left. Without a file
 * there is no script.
 */
void xylem_cli__highlight_read(struct xylem_cli *cli, struct xylem_cli__highlight *highlight);

/*
 * Begins a page: everything up to <body>, and a link to `#path` with the words `skip`, a literal. `title` is text from
 * outside. `highlight` may be NULL.
 */
void xylem_cli__html_begin(struct xylem_cli__html *html, struct xylem_view title, const char *skip,
                           const struct xylem_cli__highlight *highlight);
/* Ends the page: the scripts, </body>. */
void xylem_cli__html_end(struct xylem_cli__html *html, const struct xylem_cli__highlight *highlight);

#endif
