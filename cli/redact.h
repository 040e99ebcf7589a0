/*
 * Declares functions that both ways to redact share: one entry (cmd_redact.c), and every match of patterns
 * (redact_matches.c).
 */
#ifndef XYLEM_CLI_REDACT_H
#define XYLEM_CLI_REDACT_H

#include "cli/cli.h"
#include "xylem/care.h"
#include "xylem/redact.h"

#include <sys/stat.h>

struct xylem_cli__redact_options {
    const char *reason;
    struct xylem_cli__patterns patterns;
    bool family;
    bool drop_hash;
    bool only_this;
    bool finish;
    bool yes;
    bool dry_run;
    bool json;
};

enum xylem_cli__holding { XYLEM_CLI__HOLDS_NOT, XYLEM_CLI__MAY_HOLD, XYLEM_CLI__HOLDS, XYLEM_CLI__UNREAD };

/* A file or a git repository that entries name, and that may hold the text beside the store. */
struct xylem_cli__holder {
    char *path;
    bool is_repo;
    uint64_t named_count; /* entries that name the path */
    enum xylem_cli__holding holding;
    struct stat seen; /* the file that was searched */
    bool removed;
};

/* Start with a zeroed struct. */
struct xylem_cli__holders {
    struct xylem_cli__holder *list;
    size_t count;
    size_t capacity;
};

struct xylem_cli__redacting {
    const struct xylem_cli__redact_options *given;
    struct xylem_redact_options options;
    struct xylem_redact_report report;
    struct xylem_compact_report compacted;
    bool finished;
    struct xylem_cli__holders holders;
    struct xylem_patterns *patterns; /* NULL: one entry is redacted */
    bool takes;                      /* the look found something to redact */
};

/* What differs between the two ways to redact. Each function gets the `context` of xylem_cli__redact(). */
struct xylem_cli__redact_way {
    /* Opens the store, makes a dry run, and sets the report, the holders and `takes`. Comes again after a question. */
    int (*look)(struct xylem_cli *cli, void *context);
    void (*add_subject)(const struct xylem_cli *cli, struct xylem_cli__text *text, const void *context);
    void (*add_json)(struct xylem_cli__text *text, const void *context);
    void (*add_human)(const struct xylem_cli *cli, struct xylem_cli__text *text, const void *context);
};

/* Looks, asks, writes, replaces the file, settles the holders, and prints the report. */
int xylem_cli__redact(struct xylem_cli *cli, struct xylem_cli__redacting *redacting,
                      const struct xylem_cli__redact_way *way, void *context);

/* Closes the store of the look, and writes what the look found; without `report`, the rest of a killed redaction. */
int xylem_cli__redact_write(struct xylem_cli *cli, struct xylem_redact_report *report);

/* Closes the store, and replaces the file by a new one without the redacted bytes. */
int xylem_cli__redact_finish(struct xylem_cli *cli, struct xylem_cli__redacting *redacting);

/* Notes in a transaction that redacts what another store redacted: the text is in the file until it is finished. */
int xylem_cli__redact_note(struct xylem_cli *cli);
/* The same as xylem_cli__redact_finish(), if this run or a killed one before noted so. */
int xylem_cli__redact_finish_noted(struct xylem_cli *cli, struct xylem_cli__redacting *redacting);

/* Appends the old size and the new size of the file. */
void xylem_cli__redact_add_file(struct xylem_cli__text *text, const struct xylem_cli__redacting *redacting);
void xylem_cli__redact_add_file_json(struct xylem_cli__text *text, const struct xylem_cli__redacting *redacting);
/* Appends the counts, the new size of the file, and the list of places out of reach, with `last` at its end. */
void xylem_cli__redact_add(const struct xylem_cli *cli, struct xylem_cli__text *text,
                           const struct xylem_cli__redacting *redacting, const char *last);
/* The same as members of a JSON document. */
void xylem_cli__redact_add_json(struct xylem_cli__text *text, const struct xylem_cli__redacting *redacting,
                                const char *last);

/* Adds what the entries of a session name; or of all sessions. The redaction takes these names: look before. */
int xylem_cli__holders_add(struct xylem_cli *cli, struct xylem_cli__holders *holders, uint64_t session);
int xylem_cli__holders_add_all(struct xylem_cli *cli, struct xylem_cli__holders *holders);
void xylem_cli__holders_clear(struct xylem_cli__holders *holders);
/*
 * Searches the named files for the patterns, and removes files with a match after a yes. Without patterns nothing is
 * searched or removed.
 */
int xylem_cli__holders_settle(struct xylem_cli *cli, struct xylem_cli__redacting *redacting);
void xylem_cli__holders_add_json(struct xylem_cli__text *text, const struct xylem_cli__holders *holders);
void xylem_cli__holders_add_human(const struct xylem_cli *cli, struct xylem_cli__text *text,
                                  const struct xylem_cli__holders *holders);

/* Adds the place of a match as members. */
void xylem_cli__member_match(struct xylem_cli__text *text, const struct xylem_match *match);

/* Redacts every match of the patterns: in a session, in its family, or in the store (`session` NULL). */
int xylem_cli__redact_matches(struct xylem_cli *cli, struct xylem_cli__redacting *redacting, const char *session);

#endif
