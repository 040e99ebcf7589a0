/* Says which rule decided about a command and what would change the answer, and proposes rules from a log of asks. */
#ifndef XYLEM_CLI_TEACHING_H
#define XYLEM_CLI_TEACHING_H

#include "cli/policy.h"

/* A log of asks has at most 64 MiB. */
#define XYLEM_CLI__ASKS_BYTES_MAX (64u << 20)

/*
 * Prints the text with the verdict, and below it what decided, each refused part, and the line for the person's file
 * that would change the answer. `config` is the person's file, or NULL. The policy learns the rules.
 */
int xylem_cli__why(struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_policy *policy, const char *config,
                   const struct xylem_verdict *verdict, struct xylem_view command);

/* Prints the rules that a log of asks proposes. Writes no file. `policies`: in the order of enum xylem_policy_type. */
int xylem_cli__learn(struct xylem_cli *cli, const char *const *policies, const char *config, const char *path,
                     bool json);

#endif
