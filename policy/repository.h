/*
 * Would git, run in a directory, run programs that the repository there names? Its configuration can name them, and so
 * can a hook's file; git status runs some of them. What cannot be read, or is not known for certain, counts as one that
 * does. What the user's own configuration says is the user's own.
 */
#ifndef XYLEM_POLICY_REPOSITORY_H
#define XYLEM_POLICY_REPOSITORY_H

#include "xylem.h"

/*
 * 1 if git may run programs there, with the reason in `why` (one line, appended); 0 if it runs none, or there is no
 * repository. `writes`: commands that change the repository locally are among those that run. Or MEMORY.
 */
int xylem_policy__repository_runs(struct xylem_buffer *why, const char *directory, bool writes);

#endif
