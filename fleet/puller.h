/*
 * Brings sessions of the engine into a store, and keeps them up to date. The sources of forks come with them. A session
 * that the store pulls follows its owner (segment.h). The place is the session's own history, so a pull goes on anywhere.
 */
#ifndef FLEET_PULLER_H
#define FLEET_PULLER_H

#include "fleet/news.h"

#define FLEET_SWEEP_MS 1000u /* between two looks at all rows of the engine, if the last look took less than a tenth */
#define FLEET_FOLLOW_MS 100u /* between two looks at a session that was named */

struct fleet_puller_options {
    unsigned char token[FLEET_TOKEN_BYTES]; /* of this store: rows that are its own are not pulled, but for `own` */
    fleet_tell *tell;                       /* NULL: nobody */
    void *context;
    uint64_t deadline_ms; /* 0: FLEET_DEADLINE_MS of shipper.h */
    bool all;             /* every session of the engine; else those of fleet_puller_add() */
    bool follow;          /* look again and again; else the pull is idle when all are current */
};

struct fleet_puller;

/* The engine is the pull's alone, and lives as long as the pull, as the store does. MEMORY. */
int fleet_puller_new(struct fleet_puller **puller, struct xylem_store *store, struct fleet_engine *engine,
                     const struct fleet_puller_options *options, struct xylem_error *err);
/*
 * Pulls the session of that id: a session that this store owns under the id and never shipped becomes a fork, unless its
 * history is the beginning of the engine's; a pull of all sessions leaves such a session, and tells FOREIGN. With `own` the caller has claimed the session with its token, epoch `own_epoch`: when the
 * store has all changes, it owns the session (xylem_session_own()), and tells OWNED.
 */
int fleet_puller_add(struct fleet_puller *puller, struct xylem_view session, bool own, uint64_t own_epoch,
                     struct xylem_error *err);
/* As fleet_shipper_turn(). */
int fleet_puller_turn(struct fleet_turn *turn, struct fleet_puller *puller, uint64_t now_ms, struct xylem_error *err);
/* Sessions that ended without all of their changes: DAMAGED, BEHIND, missing in the engine. */
uint64_t fleet_puller_failed(const struct fleet_puller *puller);
void fleet_puller_free(struct fleet_puller *puller);

#endif
