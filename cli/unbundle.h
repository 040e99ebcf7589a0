/* What `xylem unbundle` found and did, session by session, and the report of that (unbundle_report.c). */
#ifndef XYLEM_CLI_UNBUNDLE_H
#define XYLEM_CLI_UNBUNDLE_H

#include "base/clock.h"
#include "cli/bundle_list.h"
#include "cli/redact.h"

struct xylem_cli__unbundle_options {
    bool check;
    bool dry_run;
    bool own;
    bool json;
    struct xylem_cli__list map;
};

enum xylem_cli__unbundle_outcome {
    XYLEM_CLI__UNBUNDLE_NONE, /* nothing was reached, or nothing is known before the session is applied */
    XYLEM_CLI__UNBUNDLE_NEW,
    XYLEM_CLI__UNBUNDLE_EXTENDED,
    XYLEM_CLI__UNBUNDLE_EQUAL,
    XYLEM_CLI__UNBUNDLE_DIVERGED, /* the store has another history under the id */
    XYLEM_CLI__UNBUNDLE_REFUSED,
    XYLEM_CLI__UNBUNDLE_GONE /* freed in the store of the bundle */
};

/* A session of the bundle, in the order of the bundle. */
struct xylem_cli__arrival {
    const struct xylem_cli__bundle_session *session;
    enum xylem_cli__unbundle_outcome outcome;
    uint64_t change_count; /* changes that are new here; of a look (--check, --dry-run): in the bundle */
    uint64_t entry_count;
    uint64_t redacted_count; /* entries whose payload was taken out of this store */
    uint64_t line_count;     /* lines of session files that were taken out of this store */
    uint64_t differs;        /* the first change that differs; 0: unknown */
    uint64_t segment_count;  /* read so far */
    uint64_t through;        /* behind the last change read so far */
    bool deleted;            /* or freed, in this store: only redactions are taken */
    char *reason;            /* of DIVERGED, REFUSED or GONE; NULL: none */
    char *cwd;               /* of a session whose first change is in the bundle; NULL: none */
    char *mapped;            /* the same by --map; NULL: no change */
};

struct xylem_cli__unbundling {
    struct xylem_cli *cli;
    const struct xylem_cli__unbundle_options *given;
    bool comes_home; /* this store made the bundle */
    bool owns;       /* --own, or the bundle comes home: the sessions belong to this store */
    bool settled;    /* the last step was made: deletions by the owner, or taking over */
    struct xylem_cli__bundle_list list;
    struct xylem_cli__bundle_reader reader;
    char owner[XYLEM_BASE__UUID_TEXT_BYTES + 1]; /* the uuid of the bundle's store, as text */
    struct xylem_cli__arrival *arrivals;
    uint64_t part_count;
    uint64_t plain_bytes;                  /* of all parts, before compression */
    struct xylem_cli__redacting redacting; /* for the end of a redaction */
};

/*
 * For people: prints the table of the sessions, with ids that are unique in the store, too, while the store is open.
 * Sessions without news are only counted.
 */
int xylem_cli__unbundle_table(const struct xylem_cli__unbundling *unbundling);
/* Prints the rest, or one document. Gives 0, an error, or the exit code 4 if a session diverged or was refused. */
int xylem_cli__unbundle_report(const struct xylem_cli__unbundling *unbundling);

#endif
