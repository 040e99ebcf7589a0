/*
 * Decides whether git, run in a directory, runs programs of the repository there. The configuration of the repository
 * can name programs, and so can the files of the hooks; git status runs some of these programs. A file that cannot be
 * read, or is not understood, counts as a file that names a program.
 */
#ifndef XYLEM_HOOK_REPOSITORY_H
#define XYLEM_HOOK_REPOSITORY_H

#include "xylem/base.h"

/* The commands that run, and the user whose configuration they meet. */
struct xylem_hook__git_use {
    bool plain;  /* all commands are plain subcommands (policy/git/tables.h): no alias replaces them */
    bool writes; /* some commands change the repository locally */
    /* Absolute paths of the user's and the system's configuration, with a NULL at the end; NULL: not known. */
    const char *const *user_configs;
    const char *home; /* absolute, of the user; NULL: not known */
};

/*
 * 1 if git may run programs there: appends the reason to `why`, one line. 0 if not, and without a repository. MEMORY.
 */
int xylem_hook__repository_runs(struct xylem_buffer *why, const char *directory, const struct xylem_hook__git_use *use);

#endif
