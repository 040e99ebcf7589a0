/* Declares the function that `delete` and `undelete` share. */
#ifndef XYLEM_CLI_DELETING_H
#define XYLEM_CLI_DELETING_H

#include "cli/cli.h"

/* Appends `session 01a1f9f7... (scenario one, its leaf has depth 33)`. */
int xylem_cli__describe_session(struct xylem_cli *cli, struct xylem_cli__text *text,
                                const struct xylem_session *session);

#endif
