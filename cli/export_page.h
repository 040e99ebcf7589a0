/* Declares the page of a session, or of a family of sessions: `xylem export --html`. */
#ifndef XYLEM_CLI_EXPORT_PAGE_H
#define XYLEM_CLI_EXPORT_PAGE_H

#include "cli/cli.h"
#include "cli/page/shell.h"

struct xylem_cli__page_options {
    const struct xylem_cli__highlight *highlight; /* NULL: code stays without colours */
    bool family;                                  /* with the sessions that were forked from each other */
    bool unredacted;   /* secrets were not looked for, and the page says so; else `cli->left_out` is left out */
    const char *index; /* the address of the list of pages, a literal such as "index.html"; NULL: none */
};

/*
 * Writes the page of the session by `write`, piece by piece, in `cli->txn`. `write` gives 0 to go on; its first other
 * answer is the result. Errors: CORRUPT, IO, MEMORY.
 */
int xylem_cli__export_page(struct xylem_cli *cli, const struct xylem_session *session,
                           const struct xylem_cli__page_options *options,
                           int (*write)(void *context, const void *data, size_t bytes), void *context);

#endif
