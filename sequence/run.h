/* The handle of a run, and the appends to its ledger. */
#ifndef XYLEM_SEQUENCE_RUN_H
#define XYLEM_SEQUENCE_RUN_H

#include "sequence/run_state.h"

struct xylem_run {
    struct xylem_store *store;
    struct xylem_lease *lease;
    struct xylem_run_state state;
    struct xylem_sequence__ledger ledger;
    struct xylem_resolution resolution;         /* of the present action */
    struct xylem_step *step;                    /* of the present action, in `resolution`; or NULL */
    bool claims;                                /* the step is given, and not claimed so far */
    char text_hash[XYLEM_RUN_TEXT_HASH_DIGITS]; /* of the newest claim */
    int lost; /* CONFLICT, OUTCOME_UNKNOWN or CORRUPT: the run can only be closed; else 0 */
};

/* Frees the handle, but not its lease. */
void xylem_sequence__run_free(struct xylem_run *run);

#define XYLEM_SEQUENCE__EVENTS_MAX 2u

/* The events of one append. */
struct xylem_sequence__events {
    struct xylem_sequence__event list[XYLEM_SEQUENCE__EVENTS_MAX];
    size_t count;
    int64_t time_ms;
};

/* Adds an event at the place of the state, with the counters of the state. */
struct xylem_sequence__event *xylem_sequence__event_add(struct xylem_sequence__events *events,
                                                        enum xylem_sequence__event_type type,
                                                        const struct xylem_run_state *state,
                                                        const struct xylem_sequence__ledger *ledger);

/*
 * Appends the events below the newest entry of the ledger, in a transaction, and moves `ledger->leaf`. CONFLICT:
 * somebody changed the ledger, or the lease was broken. The other errors as xylem_append().
 */
int xylem_sequence__events_append(struct xylem_sequence__ledger *ledger, struct xylem_txn *txn,
                                  const struct xylem_sequence__events *events, struct xylem_error *err);

/*
 * Commits the events in a transaction of its own, and moves the run to the last event. After CONFLICT and
 * OUTCOME_UNKNOWN the run is lost; after any other error the run is as before.
 */
int xylem_sequence__events_commit(struct xylem_run *run, struct xylem_sequence__events *events,
                                  struct xylem_error *err);

/*
 * Sets `changed` if the same step of the iteration before had another path or hash than the claim. A claim that is
 * gone, redacted or not readable is no reason to stop: there is nothing to compare.
 */
int xylem_sequence__compare_before(bool *changed, const struct xylem_run *run,
                                   const struct xylem_sequence__event *claim, struct xylem_error *err);

/* An id of the host: 1 to `max` bytes of WTF-8. ARGUMENT, LIMIT, MALFORMED; the text begins with `what`. */
int xylem_sequence__check_id(struct xylem_view id, size_t max, const char *what, struct xylem_error *err);
/* The same, for the id of an entry; data NULL: no id. */
int xylem_sequence__check_entry(struct xylem_view id, struct xylem_error *err);

#endif
