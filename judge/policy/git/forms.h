/* Judges a subcommand of git by the tables. For git.c. */
#ifndef XYLEM_POLICY_GIT_FORMS_H
#define XYLEM_POLICY_GIT_FORMS_H

#include "judge/policy/git/git.h"

/* Judges the subcommand, the word at `at`, with the words behind. */
bool xylem_policy__git_judge_subcommand(struct xylem_policy__judge *judge, const struct xylem_policy__command *command,
                                        size_t at, enum xylem_policy__git_tier tier);

/*
 * The word decides, but the value of the word is not known; the known characters were judged before. `strict` asks.
 * Under `readonly` the word passes: in `git diff $(git merge-base main HEAD)` both commands are judged, and a word with
 * the name git in it says nothing about the value.
 */
bool xylem_policy__git_doubt(struct xylem_policy__judge *judge, const struct xylem_shell__word *word, const char *why);

/* True if the policy allows only xylem_policy__git_plain_subcommands. */
bool xylem_policy__git_plain(const struct xylem_policy *policy);

/* True if the key of git's configuration is data (xylem_policy__git_harmless_keys). */
bool xylem_policy__git_key_harmless(struct xylem_view key);

#endif
