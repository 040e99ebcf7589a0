/*
 * Looks at all sessions of an engine: whether their segments follow each other without a gap and are what their rows say,
 * whether a store and an archive have the same history, and where a text that was redacted still stands. Nothing is
 * changed.
 */
#ifndef FLEET_VERIFY_H
#define FLEET_VERIFY_H

#include "fleet/engine.h"
#include "xylem/store.h"

enum fleet_finding_type {
    FLEET_FINDING_UNREADABLE, /* a row or a segment is damaged */
    FLEET_FINDING_OTHER,      /* a segment is of another session, range or chain than its row says */
    FLEET_FINDING_GAP,        /* changes are missing, or stand in two segments */
    FLEET_FINDING_CHAIN,      /* a segment does not follow the one before */
    FLEET_FINDING_MISSING,    /* the store has shipped the session, and the engine lacks it */
    FLEET_FINDING_HISTORY,    /* the store, or the archive, has another history than the engine */
    FLEET_FINDING_AHEAD,      /* the archive has more than the engine */
    FLEET_FINDING_REMAINS,    /* freed here, but not there */
    FLEET_FINDING_OUTDATED,   /* the archive has segments of before a redaction */
    FLEET_FINDING_TEXT,       /* the text of a redacted entry */
    FLEET_FINDING_TYPE_COUNT
};

/* Views and texts live until the callback returns. */
struct fleet_finding {
    enum fleet_finding_type type;
    const char *where; /* `engine` or `archive` */
    struct xylem_view session;
    uint64_t ordinal;        /* 0: of the session as a whole */
    struct xylem_view entry; /* TEXT: its id; else data NULL */
    const char *expected;
    const char *found;
};

struct fleet_verify_report {
    uint64_t sessions; /* of the engine */
    uint64_t segments; /* read, of the engine and the archive */
    uint64_t changes;  /* of the engine */
    uint64_t bytes;    /* of the segments */
    uint64_t compared; /* sessions that the store has, too */
    uint64_t archived; /* sessions of which the archive has all */
    uint64_t behind;   /* sessions of which the archive has less, or nothing: no finding */
    uint64_t redacted; /* redacted entries that were looked for */
    uint64_t findings;
};

struct fleet_verify_options {
    struct fleet_engine *engine;  /* NULL: none, the archive alone; what it lacks is no finding then */
    struct fleet_engine *archive; /* NULL: none */
    struct xylem_store *store;    /* NULL: none */
    uint64_t deadline_ms;         /* of a request; 0: FLEET_DEADLINE_MS of shipper.h */
    void (*find)(void *context, const struct fleet_finding *finding);          /* NULL: nobody */
    void (*progress)(void *context, const struct fleet_verify_report *report); /* behind each session; NULL: nobody */
    void *context;
};

/*
 * `report` is filled in with an error, too. Findings are no error. Changes that an owner has made and not shipped yet are
 * no finding, but for redactions: their texts stand in the engine until they are shipped.
 *
 * Errors:
 * - IO: the engine or the archive refused, or does not answer
 * - those of the store; MEMORY
 */
int fleet_verify(struct fleet_verify_report *report, const struct fleet_verify_options *options,
                 struct xylem_error *err);

const char *fleet_finding_word(enum fleet_finding_type type);

#endif
