/* Lists the session files that an import reads: named files, and files in named directories. */
#ifndef XYLEM_CLI_FILES_H
#define XYLEM_CLI_FILES_H

#include "cli/cli.h"

/* Paths, sorted within each directory. */
struct xylem_cli__files {
    char **paths;
    size_t count;
    size_t capacity;
    bool quiet;           /* missing paths and empty directories are no problems */
    size_t problem_count; /* unreadable paths, and directories without a session file */
    int worst;            /* the greatest exit code of the problems */
};

/* Adds a file, or all `*.jsonl` files below a directory. Problems are reported and counted. */
int xylem_cli__files_add(struct xylem_cli *cli, struct xylem_cli__files *files, const char *path);
/* Adds the path of a file. Takes the ownership of `path` in any case. */
int xylem_cli__files_add_path(struct xylem_cli *cli, struct xylem_cli__files *files, char *path);
/* True for the name of a session file: NAME.jsonl. */
bool xylem_cli__is_session_file(const char *name);
/* Joins a directory and a name. The caller frees the path; NULL: no memory. */
char *xylem_cli__path_below(const char *directory, const char *name);
/* Takes each path but the first of its spelling out of the list, which is then sorted. */
void xylem_cli__files_sort(struct xylem_cli__files *files);
/* Sorts the files into the order of import: sources before their forks, otherwise in the order of adding. */
int xylem_cli__files_order(struct xylem_cli *cli, struct xylem_cli__files *files);
void xylem_cli__files_release(struct xylem_cli__files *files);

#endif
