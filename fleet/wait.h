/* One request after the other, each waited for: for commands that look at an engine as a whole. */
#ifndef FLEET_WAIT_H
#define FLEET_WAIT_H

#include "fleet/engine.h"

/* Nobody else may use the engine meanwhile. */
struct fleet_waiting {
    struct fleet_engine *engine;
    uint64_t deadline_ms; /* of one request; 0: FLEET_DEADLINE_MS of shipper.h */
    uint64_t number;      /* of the last request */
};

/*
 * Sends the request, and waits for its answer, which lives until the next request. What the engine could not take
 * (RETRY, UNREACHABLE) is sent again until the deadline; any other outcome is given.
 *
 * Errors: those of submit() and poll()
 */
int fleet_wait(struct fleet_answer *answer, struct fleet_waiting *waiting, const struct fleet_request *request,
               struct xylem_error *err);

#endif
