/* What the two ways to redact have in common: one entry (cmd_redact.c), and all that matches (redact_matches.c). */
#ifndef XYLEM_CLI_REDACT_H
#define XYLEM_CLI_REDACT_H

#include "cli/cli.h"

struct xylem_cli__redact_options {
    const char *reason;
    const char *pattern;
    const char *pattern_file;
    bool family;
    bool drop_hash;
    bool only_this;
    bool finish;
    bool yes;
    bool dry_run;
    bool json;
};

struct xylem_cli__redacting {
    const struct xylem_cli__redact_options *given;
    struct xylem_redact_options options;
    struct xylem_redact_report report;
    struct xylem_compact_report compacted;
    bool finished;
};

/* Closes the store, and replaces its file by one that has no bytes of what was redacted. */
int xylem_cli__redact_finish(struct xylem_cli *cli, struct xylem_cli__redacting *redacting);

/* What was taken; what became of the file; and what was not reached, of which the last thing depends on the way. */
void xylem_cli__redact_add(const struct xylem_cli *cli, struct xylem_cli__text *text,
                           const struct xylem_cli__redacting *redacting, const char *last);
/* The same as members of a document. */
void xylem_cli__redact_add_json(struct xylem_cli__text *text, const struct xylem_cli__redacting *redacting,
                                const char *last);

/* Redacts all that matches the patterns that are given: in a session, its family or the store (`session` NULL). */
int xylem_cli__redact_matches(struct xylem_cli *cli, struct xylem_cli__redacting *redacting, const char *session);

#endif
