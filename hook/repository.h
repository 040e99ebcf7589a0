/*
 * Does git, run in a directory, run programs that the repository there names? The configuration of the repository can
 * name programs, and so can the files of its hooks; git status runs some of them. A file that cannot be read, or is not
 * understood, counts as one that names a program.
 */
#ifndef XYLEM_HOOK_REPOSITORY_H
#define XYLEM_HOOK_REPOSITORY_H

#include "xylem.h"

/* The commands that run, and the user whose configuration they meet. */
struct xylem_hook__git_use {
    bool plain;  /* all of them read, and git has had all of them itself for long: no alias takes their place */
    bool writes; /* some change the repository locally */
    /* Absolute paths of the user's and the system's configuration, with a NULL at the end; NULL: not known. */
    const char *const *user_configs;
    const char *home; /* absolute, of the user; NULL: not known */
};

/*
 * 1 if git may run programs there, with the reason in `why` (one line, appended); 0 if git runs none, or there is no
 * repository. Or MEMORY.
 */
int xylem_hook__repository_runs(struct xylem_buffer *why, const char *directory, const struct xylem_hook__git_use *use);

#endif
