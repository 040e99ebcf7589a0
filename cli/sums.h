/* Parts of `xylem stat`: sums over the entries of the store, or of a session. */
#ifndef XYLEM_CLI_SUMS_H
#define XYLEM_CLI_SUMS_H

#include "cli/cli.h"

enum xylem_cli__sums_by {
    XYLEM_CLI__SUMS_DAY,
    XYLEM_CLI__SUMS_MODEL,
    XYLEM_CLI__SUMS_DIRECTORY,
    XYLEM_CLI__SUMS_SESSION,
    XYLEM_CLI__SUMS_BRANCH,
    XYLEM_CLI__SUMS_TOOL
};

/* Tokens and cost, or bytes. */
struct xylem_cli__sum {
    uint64_t entry_count;
    uint64_t input, output, cache_read, cache_write; /* tokens; a sum beyond uint64_t stays UINT64_MAX */
    double cost;                                     /* in the currency of the host's prices */
    uint64_t bytes;                                  /* of payloads, and of lines kept beside payloads */
    uint64_t image_bytes;                            /* of `bytes`: base64 of images */
};

/* The sum of one day, model, directory, session, branch, or kind and tool. */
struct xylem_cli__part {
    uint64_t number;          /* of a session or a branch, else 0 */
    struct xylem_buffer word; /* a day, a model, a directory, a kind or role; empty: not known */
    struct xylem_buffer tool; /* of results of tools, else empty */
    struct xylem_cli__sum sum;
    struct xylem_position newest; /* the last counted entry of a branch */
    int64_t newest_ms;            /* the newest time */
    size_t order;                 /* in which the part was found first */
};

/* An entry that says what it cost. */
struct xylem_cli__bill {
    struct xylem_view id;
    int64_t time_ms;
    struct xylem_cli__sum sum;
    size_t part;
    size_t order;
};

/* Start zeroed, with `usage`, `by`, `since_ms` and `until_ms`. */
struct xylem_cli__sums {
    bool usage; /* sums tokens and cost, else bytes */
    enum xylem_cli__sums_by by;
    int64_t since_ms;
    int64_t until_ms;
    struct xylem_cli__part *list; /* days: the newest first; others: the greatest sum first */
    size_t count;
    size_t capacity;
    size_t last;                   /* the part of the entry before */
    struct xylem_cli__bill *bills; /* of --usage, until each is in the sum of its part */
    size_t bill_count;
    size_t bill_capacity;
    uint64_t unreadable; /* damaged places; the first was noted */
    struct xylem_cli__sum total;
};

/*
 * Reads the entries of the session, or with NULL of all sessions in any state: an entry that sessions share counts
 * once, for its owner. Tokens and cost of a copy, an entry of the same id, time and figures, do not count. Damage is
 * noted, and counted. Release in any case. Errors: IO, MEMORY.
 */
int xylem_cli__sums_read(struct xylem_cli *cli, struct xylem_cli__sums *sums, const struct xylem_session *session);
/* The same in two steps: adds one entry of a session, and after the last entry makes the sums. Errors: CORRUPT, IO, MEMORY. */
int xylem_cli__sums_add(struct xylem_cli *cli, struct xylem_cli__sums *sums, const struct xylem_session *owner,
                        const struct xylem_entry *entry);
void xylem_cli__sums_end(struct xylem_cli__sums *sums);
void xylem_cli__sums_release(struct xylem_cli__sums *sums);
/* Damage hides no sum: CORRUPT is noted the first time, counted, and becomes 0. */
int xylem_cli__sums_pardon(struct xylem_cli *cli, struct xylem_cli__sums *sums, int code);

/* Prints the sums (sums_put.c). `freed` (NULL: not asked): what the deletion of the session would set free. */
struct xylem_gc_report;
int xylem_cli__sums_put(struct xylem_cli *cli, struct xylem_cli__sums *sums, const struct xylem_session *session,
                        const struct xylem_gc_report *freed, bool json);

#endif
