/* The place of a run, derived from the events of its ledger. */
#ifndef XYLEM_SEQUENCE_RUN_STATE_H
#define XYLEM_SEQUENCE_RUN_STATE_H

#include "sequence/ledger.h"

/* The ledger of a run, at its newest entry. */
struct xylem_sequence__ledger {
    uint64_t session; /* the number of the ledger's session */
    struct xylem_position leaf;
    enum xylem_sequence__event_type newest;
    uint32_t resume_count;
};

/*
 * Moves the state to the newest event. `state` has the facts of the start; its session is the session of the event's
 * iteration, or is set by the event. Views of the event become views of the state. The phase is the phase with a living
 * owner. NULL, or the reason why the event is not an event of this run; the reason is static.
 */
const char *xylem_sequence__apply(struct xylem_run_state *state, struct xylem_sequence__ledger *ledger,
                                  const struct xylem_sequence__event *event);

/* True between steps, if the iteration has no session yet: a new session comes next. */
static inline bool xylem_sequence__session_missing(const struct xylem_run_state *state)
{
    return !state->session.data;
}

static inline bool xylem_sequence__has_ended(const struct xylem_run_state *state)
{
    return state->phase == XYLEM_RUN_DONE || state->phase == XYLEM_RUN_FAILED || state->phase == XYLEM_RUN_STOPPED ||
           state->phase == XYLEM_RUN_REDACTED;
}

/* True if the place of the run is not known. */
static inline bool xylem_sequence__lacks_place(const struct xylem_run_state *state)
{
    return state->phase == XYLEM_RUN_DAMAGED || state->phase == XYLEM_RUN_REDACTED;
}

/* xylem_run_read() that also gives the ledger. For a damaged or redacted ledger `ledger` has only the session. */
int xylem_sequence__run_read(struct xylem_run_state *state, struct xylem_sequence__ledger *ledger,
                             struct xylem_txn *txn, struct xylem_view run_id, struct xylem_error *err);

#endif
