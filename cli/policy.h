/* Declares functions that the judging commands share: they read a policy from a file, and name decisions. */
#ifndef XYLEM_CLI_POLICY_H
#define XYLEM_CLI_POLICY_H

#include "cli/cli.h"
#include "xylem/policy.h"

/*
 * Makes a policy from a configuration file; from no file if `path` is NULL, empty or /dev/null. NOT_FOUND if the file
 * does not exist. The text of an error in the file begins with the path.
 */
int xylem_cli__policy_read(struct xylem_cli *cli, struct xylem_policy **policy, enum xylem_policy_type type,
                           const char *path);
/* The same, and `json`, an empty text, gets the content of the file. */
int xylem_cli__policy_read_text(struct xylem_cli *cli, struct xylem_policy **policy, struct xylem_cli__text *json,
                                enum xylem_policy_type type, const char *path);

/* The exit code by which a hook forbids a command. */
#define XYLEM_CLI__HOOK_FORBIDS 2

/* allow, ask or deny. */
const char *xylem_cli__decision_word(enum xylem_decision decision);
/* The exit code: 0 for allow, 1 for deny, 8 for ask. */
int xylem_cli__decision_exit(enum xylem_decision decision);
const char *xylem_cli__decision_color(enum xylem_decision decision);

#endif
