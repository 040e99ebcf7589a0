/* Declares the functions that `delete`, `undelete` and `gc` share. */
#ifndef XYLEM_CLI_DELETING_H
#define XYLEM_CLI_DELETING_H

#include "cli/cli.h"

/* Appends `session 01a1f9f7... (scenario one, its leaf has depth 33)`. */
int xylem_cli__describe_session(struct xylem_cli *cli, struct xylem_cli__text *text,
                                const struct xylem_session *session);
/* Finds a deleted session by its id or a unique beginning of its id. */
int xylem_cli__session_deleted(struct xylem_cli *cli, struct xylem_session *session, const char *spec);

#endif
