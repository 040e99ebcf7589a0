/*
 * A session on its way to the engine: what must happen next. No I/O, no clock, no memory: shipper.c and the simulation do
 * what fleet_ship_next() says, and tell what came of it.
 *
 *     NEW ── epoch 0 ──> claim ──> compare ──> keep ──> append ──> append ... rest
 *      │                   ^ no │      ^                  │  no, unknown, unreachable
 *      └─── epoch e ──> look <──┘──────┘                  │
 *                        ^────────────────────────────────┘
 *
 * Whose row it is when a look shows the row (`kept`: the epoch in the store):
 *
 *     missing                    the engine was restored: claim with `make` and the epoch of the store
 *     mine                       compare, and go on with the row's epoch: a greater one is a claim whose answer was lost
 *     unowned                    compare, and claim when there is something to append
 *     another's, epoch < kept    the engine was restored to before the claim of this store: compare, and claim anew
 *     another's, epoch >= kept   FENCED; FOREIGN if the store never had the session
 *     mine, epoch < kept         compare, and claim until the epoch is that of the store: a store takes no smaller epoch
 *
 * Ends: FOREIGN (another host has a session of the id, and this store never had it, or this host may not see it), FENCED
 * (this store had it, and another host has it now), DIVERGED (the engine has another history; `mine` says whether this
 * store owns that one), SHORT (the engine has more than the store: a restored backup; `mine` again), FREED (this store
 * owns the session, and the engine has let go of it). shipper.c settles an end in the store, and then forgets the ship.
 */
#ifndef FLEET_SHIP_H
#define FLEET_SHIP_H

#include "fleet/engine.h"

enum fleet_ship_act {
    FLEET_SHIP_REST,    /* nothing, until an answer comes or the session changes */
    FLEET_SHIP_CLAIM,   /* submit CLAIM with ship->epoch, and with `make` */
    FLEET_SHIP_LOOK,    /* submit LOOK */
    FLEET_SHIP_COMPARE, /* the chain in the store behind ship->next - 1: fleet_ship_compared() */
    FLEET_SHIP_KEEP,    /* write ship->epoch into the store: fleet_ship_kept() */
    FLEET_SHIP_APPEND,  /* submit APPEND from ship->next on, with ship->chain as `before` */
    FLEET_SHIP_FOREIGN, /* the ends */
    FLEET_SHIP_FENCED,
    FLEET_SHIP_DIVERGED,
    FLEET_SHIP_SHORT,
    FLEET_SHIP_FREED
};

enum fleet_ship_phase {
    FLEET_SHIP_PHASE_NEW,
    FLEET_SHIP_PHASE_CLAIMING,
    FLEET_SHIP_PHASE_LOOKING,
    FLEET_SHIP_PHASE_COMPARING,
    FLEET_SHIP_PHASE_KEEPING,
    FLEET_SHIP_PHASE_READY,
    FLEET_SHIP_PHASE_ENDED
};

/* Start with fleet_ship_begin(). */
struct fleet_ship {
    enum fleet_ship_phase phase;
    enum fleet_ship_act end; /* with PHASE_ENDED */
    bool asked;              /* a request is on its way */
    bool doubted;            /* its answer may be of a node that the engine left */
    bool seen;               /* next and chain are the engine's: a writing request was answered DONE */
    bool mine;               /* the row that was seen has the token of this store */
    bool unseen;             /* a claim that makes the row was answered NO */
    uint64_t epoch;          /* of the store, until a row is seen: then of the row */
    uint64_t kept;           /* the epoch in the store */
    uint64_t next;           /* the ordinal that the engine wants next */
    uint64_t chain;          /* behind next - 1 */
    uint64_t generation;     /* of the row, for REWRITE; the caller counts its own rewrites up */
};

/* What the store says of the session: how it stands after a restart is all that a ship needs. */
struct fleet_local {
    uint64_t epoch; /* xylem_session.epoch; 0: never shipped */
    uint64_t count; /* xylem_history.count */
};

enum fleet_compared { FLEET_EQUAL, FLEET_DIFFERS, FLEET_STORE_IS_SHORT };

void fleet_ship_begin(struct fleet_ship *ship, const struct fleet_local *local);
enum fleet_ship_act fleet_ship_next(const struct fleet_ship *ship, const struct fleet_local *local);
/* The request of the act was submitted. */
void fleet_ship_sent(struct fleet_ship *ship);
/*
 * The answer to CLAIM, LOOK or APPEND. `to` and `after`: of the request, for APPEND. After RETRY, REFUSED, UNREACHABLE and
 * UNKNOWN the caller pauses: the same act may come again, or a look.
 */
void fleet_ship_answer(struct fleet_ship *ship, const struct fleet_answer *answer, uint64_t to, uint64_t after);
void fleet_ship_compared(struct fleet_ship *ship, enum fleet_compared compared);
void fleet_ship_kept(struct fleet_ship *ship);
/*
 * A connection broke, the engine moved to another node, or a request beside the ship (REWRITE, FREE, RELEASE) was answered
 * NO or UNKNOWN: what the ship knows may be wrong. Looks before the next append. An end stays.
 */
void fleet_ship_doubt(struct fleet_ship *ship);

#endif
