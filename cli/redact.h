/*
 * Declares functions that both ways to redact share: one entry (cmd_redact.c), and every match of patterns
 * (redact_matches.c).
 */
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

/* Closes the store of the look, and writes what the look found; or, without `report`, the rest of a killed redaction. */
int xylem_cli__redact_write(struct xylem_cli *cli, struct xylem_redact_report *report);

/* Closes the store, and replaces the file by a new one without the redacted bytes. */
int xylem_cli__redact_finish(struct xylem_cli *cli, struct xylem_cli__redacting *redacting);

/* Appends the old size and the new size of the file. */
void xylem_cli__redact_add_file(struct xylem_cli__text *text, const struct xylem_cli__redacting *redacting);
void xylem_cli__redact_add_file_json(struct xylem_cli__text *text, const struct xylem_cli__redacting *redacting);
/* Appends the counts, the new size of the file, and the list of places out of reach, with `last` at its end. */
void xylem_cli__redact_add(const struct xylem_cli *cli, struct xylem_cli__text *text,
                           const struct xylem_cli__redacting *redacting, const char *last);
/* The same as members of a JSON document. */
void xylem_cli__redact_add_json(struct xylem_cli__text *text, const struct xylem_cli__redacting *redacting,
                                const char *last);

/* Redacts every match of the patterns: in a session, in its family, or in the store (`session` NULL). */
int xylem_cli__redact_matches(struct xylem_cli *cli, struct xylem_cli__redacting *redacting, const char *session);

#endif
