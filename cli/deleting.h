/* Declares the functions that `delete` and `undelete` share, and the deletion of sessions without their file. */
#ifndef XYLEM_CLI_DELETING_H
#define XYLEM_CLI_DELETING_H

#include "cli/cli.h"

/* Appends `session 01a1f9f7... (scenario one, its leaf has depth 33)`. */
int xylem_cli__describe_session(struct xylem_cli *cli, struct xylem_cli__text *text,
                                const struct xylem_session *session);

/* Deletes the sessions whose session files are gone (deleting_gone.c). */
int xylem_cli__delete_gone(struct xylem_cli *cli, bool yes, bool dry_run);

#endif
