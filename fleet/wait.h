/* One request after the other, each waited for: for commands that look at an engine as a whole. */
#ifndef FLEET_WAIT_H
#define FLEET_WAIT_H

#include "fleet/engine.h"

/* Nobody else may use the engine meanwhile. */
struct fleet_waiting {
    struct fleet_engine *engine;
    const char *name;     /* `engine` or `archive`, for texts */
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
/* The same. IO: any outcome but DONE and NO, and for a READ REFUSED: a segment may be damaged. */
int fleet_wait_done(struct fleet_answer *answer, struct fleet_waiting *waiting, const struct fleet_request *request,
                    struct xylem_error *err);

/* Of the row's views the id alone may be read. */
typedef int fleet_row_visitor(void *context, const struct fleet_row *row);
/* Calls for each session that the engine lists, and may be asked other things meanwhile. Ends with the first code but 0. */
int fleet_each_row(struct fleet_waiting *waiting, fleet_row_visitor *visit, void *context, struct xylem_error *err);

#endif
