/* How a subcommand of git is judged, by the tables. For policy/git.c. */
#ifndef XYLEM_POLICY_GIT_FORMS_H
#define XYLEM_POLICY_GIT_FORMS_H

#include "policy/git.h"

/* The subcommand is the word at `at`. */
bool xylem_policy__git_judge_subcommand(struct xylem_policy__judge *judge, const struct xylem_policy__command *command,
                                        size_t at, enum xylem_policy__git_tier tier);

/*
 * A word whose value decides, and is not known. What else is spelt in it was looked at, and what stands in its
 * substitutions is judged by itself: a policy that searches what is undecided for names finds neither.
 */
bool xylem_policy__git_doubt(struct xylem_policy__judge *judge, const struct xylem_policy__word *word, const char *why);

/* Is the key of git's configuration one of those that are data? */
bool xylem_policy__git_key_harmless(struct xylem_view key);

#endif
