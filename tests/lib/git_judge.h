/* A policy that knows the rules for git alone, so that these can be asked under each tier. */
#ifndef XYLEM_TESTS_LIB_GIT_JUDGE_H
#define XYLEM_TESTS_LIB_GIT_JUDGE_H

#include "judge/policy/git/git.h"

/* The names that strict reads by: the built-in ones to begin with. */
extern struct xylem_policy__names git_judge_names;

/* Judges as if it stood in /w. The verdict is the caller's to release. */
struct xylem_verdict git_judge(enum xylem_policy__git_tier tier, const char *command);

#endif
