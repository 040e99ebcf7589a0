/* Says which rule decided about a command and what would change the answer, and proposes rules from a log of asks. */
#ifndef XYLEM_CLI_TEACHING_H
#define XYLEM_CLI_TEACHING_H

#include "cli/policy.h"

/* A log of asks has at most 64 MiB. */
#define XYLEM_CLI__ASKS_BYTES_MAX (64u << 20)

/* What to judge by. */
struct xylem_cli__teaching {
    const char *const *policies; /* names, in the order of enum xylem_policy_type */
    const char *config;          /* a file, or NULL */
    bool json;
};

/* Appends, below a verdict: the part, the rule that decided, and the line for the person's file that would change it. */
int xylem_cli__why(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_cli__teaching *teaching,
                   struct xylem_policy *policy, const struct xylem_verdict *verdict, struct xylem_view command,
                   const char *cwd);

/* Prints the rules that a log of asks proposes. Writes no file. */
int xylem_cli__learn(struct xylem_cli *cli, const struct xylem_cli__teaching *teaching, const char *path);

#endif
