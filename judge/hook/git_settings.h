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

/* A row of hook_tables.txt. */
struct xylem_hook__git_setting_row {
    const char *names;
    const char *keys;
    enum xylem_hook__git_effect effect;
    const char *values;
    bool (*harmless)(const struct xylem_hook__git_setting *setting); /* may be NULL */
};

extern const struct xylem_hook__git_setting_row xylem_hook__git_setting_rows[];

/* True for more values without effect, of a row. */
bool xylem_hook__is_plain_pager(const struct xylem_hook__git_setting *setting);
bool xylem_hook__is_plain_pager_or_bool(const struct xylem_hook__git_setting *setting);
bool xylem_hook__shows_no_signatures(const struct xylem_hook__git_setting *setting);
bool xylem_hook__sorts_by_no_signature(const struct xylem_hook__git_setting *setting);

enum xylem_hook__git_effect xylem_hook__git_effect(const struct xylem_hook__git_setting *setting);

#endif
