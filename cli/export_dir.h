/* Reads which files of a directory that `xylem export --all` wrote are to be imported. */
#ifndef XYLEM_CLI_EXPORT_DIR_H
#define XYLEM_CLI_EXPORT_DIR_H

#include "cli/files.h"

/* Start zeroed. */
struct xylem_cli__export_dir {
    struct xylem_cli__files changes;   /* ID.changes, in the order of the import */
    struct xylem_cli__files documents; /* ID.json of format 2: session files come first */
};

/* True for the directory of an export: store.json is in it. */
bool xylem_cli__is_export(const char *directory);
/* Adds the files of the export; session files of format 2 go to `files`. Notes files that are left alone. */
int xylem_cli__export_dir_read(struct xylem_cli *cli, struct xylem_cli__export_dir *dir, struct xylem_cli__files *files,
                               const char *directory);
void xylem_cli__export_dir_release(struct xylem_cli__export_dir *dir);

#endif
