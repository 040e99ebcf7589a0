/* A search of the command, from its options to its hits. */
#ifndef XYLEM_CLI_SEARCH_H
#define XYLEM_CLI_SEARCH_H

#include "cli/cli.h"
#include "xylem/search.h"

struct xylem_cli__search_options {
    bool exact;
    bool regex;
    struct xylem_cli__list kinds;
    struct xylem_cli__list tools;
    const char *since;
    const char *until;
    const char *directory;
    struct xylem_cli__list sessions;
    struct xylem_search_options options; /* of the library: errors, quarantine, runs */
    struct xylem_cli__count number;
    struct xylem_cli__count around;
    bool list;
    bool count;
    struct xylem_cli__patterns patterns;
    struct xylem_cli__form form;
};

/* The options for the library, the report, and the output so far. */
struct xylem_cli__finding {
    struct xylem_cli *cli;
    const struct xylem_cli__search_options *given;
    struct xylem_search_options options;
    struct xylem_search_report report;
    struct xylem_cli__kinds kinds;
    struct xylem_cli__text patterns;
    struct xylem_view roles[XYLEM_CLI__LIST_MAX];
    struct xylem_view tools[XYLEM_CLI__LIST_MAX];
    uint64_t sessions[XYLEM_CLI__LIST_MAX];
    struct xylem_view cwds[2];
    char *directories[2]; /* of `cwds` */
    int64_t since_ms;
    int64_t until_ms;
    struct xylem_cli__documents documents;
    struct xylem_cli__short_ids short_ids; /* of sessions */
    struct xylem_cli__text text;
    struct xylem_cli__text line; /* of a hit */
    struct xylem_buffer name;    /* of the session of the last hit */
    struct xylem_session session;
    unsigned progress_count; /* calls: one in a tenth of a second */
    size_t shown_count;      /* sessions of -l or -c */
    bool terminal;           /* standard error */
    bool damaged;            /* a name, or an entry beside a hit, cannot be read */
};

/* The name of the session of the last hit; without data if the session has no name. */
struct xylem_view xylem_cli__found_name(const struct xylem_cli__finding *finding);

/* Adds a hit for people, or its document. The session of the hit is `finding->session`. */
int xylem_cli__add_hit(struct xylem_cli__finding *finding, const struct xylem_search_hit *hit, bool first);

#endif
