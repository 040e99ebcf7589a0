/*
 * Resolves a path to the file that another process would find. The walk follows links name by name and refuses /proc:
 * /proc leads each process to files of its own, and git is another process.
 */
#ifndef XYLEM_HOOK_REAL_PATH_H
#define XYLEM_HOOK_REAL_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct xylem_hook__real_path {
    bool found;
    char path[PATH_MAX]; /* if found: absolute, without links, `.` and `..` */
    mode_t mode;         /* if found: the type and the permissions of the file */
};

/* The directory at the end of a walk: the next walk begins there if the path does. Starts as {.fd = -1}. */
struct xylem_hook__reached {
    int fd;
    size_t bytes;
    char path[PATH_MAX]; /* real; empty for the root */
};

void xylem_hook__reached_release(struct xylem_hook__reached *reached);

/*
 * Follows an absolute path. NULL, and `real` says whether a file is there; or a static text that says why the path is
 * not to be trusted: the path enters /proc or /sys, a link is dangling, or the walk cannot go on. `reached` is the
 * caller's, for all of its walks.
 */
const char *xylem_hook__real_path(struct xylem_hook__real_path *real, struct xylem_hook__reached *reached,
                                  const char *path);

#endif
