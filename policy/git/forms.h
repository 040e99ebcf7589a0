/* How a subcommand of git is judged, by the tables. For policy/git/git.c. */
#ifndef XYLEM_POLICY_GIT_FORMS_H
#define XYLEM_POLICY_GIT_FORMS_H

#include "policy/git/git.h"

/* The subcommand is the word at `at`. */
bool xylem_policy__git_judge_subcommand(struct xylem_policy__judge *judge, const struct xylem_policy__command *command,
                                        size_t at, enum xylem_policy__git_tier tier);

/*
 * A word whose value would decide, and is not known; what of it is spelt was looked at. Under readonly it passes: in
 * `git diff $(git merge-base main HEAD)` both commands are judged, and that the word names git says nothing of its
 * value.
 */
bool xylem_policy__git_doubt(struct xylem_policy__judge *judge, const struct xylem_shell__word *word, const char *why);

/* Does the policy allow only subcommands that read, and in whose place git never takes an alias? */
bool xylem_policy__git_plain(const struct xylem_policy *policy);

/* Is the key of git's configuration one of those that are data? */
bool xylem_policy__git_key_harmless(struct xylem_view key);

#endif
