/*
 * judge/policy/git/ knows git: the options, the subcommands, and the changes that each form of a subcommand makes.
 * judge/policy/git/ reads no configuration (hook/ does), and judges a command only when the rules of a policy ask.
 * Begin reading at forms.h, then tables.h.
 * Other rooms may include: forms.h git.h tables.h
 */
/* Judges git by an allowlist (git_forms.txt): a form that is not known to read only is refused. */
#ifndef XYLEM_POLICY_GIT_GIT_H
#define XYLEM_POLICY_GIT_GIT_H

#include "judge/policy/engine/judge.h"

/* The forms that pass. */
enum xylem_policy__git_tier {
    XYLEM_POLICY__GIT_READONLY = 0, /* all forms of xylem_policy__git_reading */
    XYLEM_POLICY__GIT_STRICT,       /* of these, the subcommands in policy->git_readonly_subcommands */
    XYLEM_POLICY__GIT_LOCAL_WRITES, /* besides, the forms of xylem_policy__git_local */
};

/* Judges a git command; the first word is the name of git. Notes the directory in which git would run besides. */
bool xylem_policy__git(struct xylem_policy__judge *judge, const struct xylem_policy__command *command,
                       enum xylem_policy__git_tier tier);

/* The words from the subcommand on, behind any options of git itself. NULL: no subcommand, or no literal subcommand. */
const struct xylem_shell__word *const *xylem_policy__git_subcommand(const struct xylem_policy__command *command,
                                                                    size_t *count);

#endif
