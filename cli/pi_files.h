/* Finds the directories in which pi keeps its session files. */
#ifndef XYLEM_CLI_PI_FILES_H
#define XYLEM_CLI_PI_FILES_H

#include "cli/cli.h"

#define XYLEM_CLI__PI_DIRECTORIES_MAX 2

/*
 * Gives pi's directories, as pi finds them: `sessions` in $PI_CODING_AGENT_DIR, else in ~/.pi/agent; and the directory
 * of $PI_CODING_AGENT_SESSION_DIR, else of `sessionDir` in pi's settings, if given. The list ends in NULL; the caller
 * frees the strings. A directory may be missing. Directories that single runs of pi got by --session-dir are not known.
 */
int xylem_cli__pi_directories(struct xylem_cli *cli, char *directories[XYLEM_CLI__PI_DIRECTORIES_MAX + 1]);

#endif
