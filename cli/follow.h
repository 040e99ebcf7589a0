/* Tells which session files changed: in named directories, and named files. */
#ifndef XYLEM_CLI_FOLLOW_H
#define XYLEM_CLI_FOLLOW_H

#include <sys/stat.h>

#include "cli/files.h"

/* How often directories are read where the system does not tell of changes, and missing directories are looked for. */
#define XYLEM_CLI__FOLLOW_MS 1000

struct xylem_cli__follow {
    char **roots;      /* files and directories, which may be missing; ends in NULL; borrowed */
    int fd;            /* inotify; -1: all files are looked at again and again */
    bool all;          /* the next collection takes all files */
    int *root_watches; /* of each root: the number of its watch; -1: the root is missing */
    struct xylem_cli__follow_directory {
        int watch;
        bool whole; /* all session files; else only files that are roots */
        char *path;
    } * directories;
    size_t directory_count;
    size_t directory_capacity;
    struct xylem_cli__follow_seen {
        char *path;
        struct stat status;
    } * seen; /* without inotify: the files of the last collection, sorted */
    size_t seen_count;
    struct xylem_cli__follow_seen *links; /* with inotify: session files that are symbolic links */
    size_t link_count;
    size_t link_capacity;
};

/* Begins to follow. Says on standard error if the system does not tell of changes. Release in any case. */
int xylem_cli__follow_start(struct xylem_cli *cli, struct xylem_cli__follow *follow, char **roots);
/*
 * Adds the files that changed since the last collection; the first time all files. A file may be added without a
 * change, and may be gone.
 */
int xylem_cli__follow_collect(struct xylem_cli *cli, struct xylem_cli__follow *follow, struct xylem_cli__files *files);
void xylem_cli__follow_release(struct xylem_cli__follow *follow);

#endif
