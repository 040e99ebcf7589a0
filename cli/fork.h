/*
 * Declares the function that `fork` and `clone` share: it makes a session, and counts the labels that the session
 * lacks.
 */
#ifndef XYLEM_CLI_FORK_H
#define XYLEM_CLI_FORK_H

#include "cli/cli.h"

struct xylem_cli__fork {
    const char *session_spec;
    const char *entry_spec; /* NULL: a clone */
    enum xylem_fork_kind kind;
    const char *id; /* NULL: a fresh id */
    bool labels;    /* append labels that the fork lacks */
    bool json;
};

/* Makes the fork and prints its id, or a document. */
int xylem_cli__fork_run(struct xylem_cli *cli, const struct xylem_cli__fork *fork);

#endif
