/* The session files that an import reads: named files, and files in named directories. */
#ifndef XYLEM_CLI_FILES_H
#define XYLEM_CLI_FILES_H

#include "cli/cli.h"

/* Paths, sorted within each directory. */
struct xylem_cli__files {
    char **paths;
    size_t count;
    size_t capacity;
    size_t problem_count; /* unreadable paths, and directories without a session file */
    int worst;            /* their greatest exit code */
};

/* Adds a file, or all `*.jsonl` files below a directory. Problems are reported, and noted. */
int xylem_cli__files_add(struct xylem_cli *cli, struct xylem_cli__files *files, const char *path);
/* Brings them into the order in which they are imported: sources before their forks, else as they were added. */
int xylem_cli__files_order(struct xylem_cli *cli, struct xylem_cli__files *files);
void xylem_cli__files_release(struct xylem_cli__files *files);

#endif
