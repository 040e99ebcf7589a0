/*
 * Names the settings of git's configuration that make a command run a program. A repository has a configuration of its
 * own, from whoever packed the repository.
 */
#ifndef XYLEM_HOOK_GIT_SETTINGS_H
#define XYLEM_HOOK_GIT_SETTINGS_H

#include "judge/hook/git_config.h"

enum xylem_hook__git_effect {
    XYLEM_HOOK__GIT_DATA = 0,
    XYLEM_HOOK__GIT_RUNS,              /* reading commands run a program by the setting */
    XYLEM_HOOK__GIT_RUNS_OTHERWISE,    /* only writing commands, and commands beyond the plain ones, run a program */
    XYLEM_HOOK__GIT_INCLUDES,          /* names another file of settings */
    XYLEM_HOOK__GIT_MOVES_HOOKS,       /* names the directory of the hooks */
    XYLEM_HOOK__GIT_OPENS_SUBMODULES,  /* git runs in directories that only the history names */
    XYLEM_HOOK__GIT_SHOWS_SIGNATURES,  /* a command without a format of its own checks signatures */
    XYLEM_HOOK__GIT_CHECKS_SIGNATURES, /* names the program for signatures */
    XYLEM_HOOK__GIT_MERGES_ANEW,       /* a command merges once more to show a merge */
    XYLEM_HOOK__GIT_MERGES,            /* names a program for merging files */
};

/* Values without effect, besides those of a list. */
enum xylem_hook__git_harmless {
    XYLEM_HOOK__GIT_NO_OTHERS = 0,
    XYLEM_HOOK__GIT_PAGER,              /* cat, less with plain letters, or nothing */
    XYLEM_HOOK__GIT_PAGER_OR_BOOL,      /* the same, or a switch */
    XYLEM_HOOK__GIT_NO_SIGNATURES,      /* a format without %G */
    XYLEM_HOOK__GIT_NO_SIGNATURE_ORDER, /* an order without a signature */
};

/* A row of hook_tables.txt. */
struct xylem_hook__git_setting_row {
    const char *names;
    const char *keys;
    enum xylem_hook__git_effect effect;
    const char *values;
    enum xylem_hook__git_harmless harmless;
};

extern const struct xylem_hook__git_setting_row xylem_hook__git_setting_rows[];

enum xylem_hook__git_effect xylem_hook__git_effect(const struct xylem_hook__git_setting *setting);

#endif
