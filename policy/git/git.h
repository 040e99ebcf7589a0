/*
 * policy/git/ knows git: its options, its subcommands, and what each form of a subcommand changes.
 * It reads no configuration (hook/ does), and it refuses nothing by itself: the rules ask.
 * Begin reading at forms.h, then tables.h.
 * Other rooms may include: forms.h git.h keys.h tables.h
 */
/*
 * git commands. git is an allowlist: what is not known to read only is refused. The tables are in policy/git/tables.c.
 */
#ifndef XYLEM_POLICY_GIT_GIT_H
#define XYLEM_POLICY_GIT_GIT_H

#include "policy/engine/judge.h"

/* What is allowed. */
enum xylem_policy__git_tier {
    XYLEM_POLICY__GIT_READONLY = 0, /* what the tables know to read only */
    XYLEM_POLICY__GIT_STRICT,       /* of that, what policy->git_readonly_subcommands names */
    XYLEM_POLICY__GIT_LOCAL_WRITES, /* and what changes the local repository alone, and can be taken back */
};

/* A git command: its words begin with the name of git. True, or refused. Says besides where git would run. */
bool xylem_policy__git(struct xylem_policy__judge *judge, const struct xylem_policy__command *command,
                       enum xylem_policy__git_tier tier);

/*
 * The words from the subcommand on, behind git's own options, whatever these are. NULL: there is no subcommand, or it
 * is not literal.
 */
const struct xylem_shell__word *const *xylem_policy__git_subcommand(const struct xylem_policy__command *command,
                                                                    size_t *count);

#endif
