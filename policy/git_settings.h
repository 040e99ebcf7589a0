/*
 * Which settings of git's configuration make a command run a program. A repository brings its own configuration along, and
 * whoever packed the repository wrote it.
 */
#ifndef XYLEM_POLICY_GIT_SETTINGS_H
#define XYLEM_POLICY_GIT_SETTINGS_H

#include "policy/git_config.h"

enum xylem_policy__git_effect {
    XYLEM_POLICY__GIT_DATA = 0,
    XYLEM_POLICY__GIT_RUNS,              /* commands that only read run a program by it */
    XYLEM_POLICY__GIT_RUNS_OTHERWISE,    /* only commands that write, and commands beyond the plain ones, do */
    XYLEM_POLICY__GIT_INCLUDES,          /* names another file of settings */
    XYLEM_POLICY__GIT_MOVES_HOOKS,       /* names the directory of the hooks */
    XYLEM_POLICY__GIT_OPENS_SUBMODULES,  /* git runs in directories that only the history names */
    XYLEM_POLICY__GIT_SHOWS_SIGNATURES,  /* a command that names no format has signatures checked */
    XYLEM_POLICY__GIT_CHECKS_SIGNATURES, /* names the program that checks signatures */
    XYLEM_POLICY__GIT_MERGES_ANEW,       /* a command that shows a merge merges once more */
    XYLEM_POLICY__GIT_MERGES,            /* names a program that merges a file */
};

enum xylem_policy__git_effect xylem_policy__git_effect(const struct xylem_policy__git_setting *setting);

#endif
