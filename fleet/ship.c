#include "fleet/ship.h"

void fleet_ship_begin(struct fleet_ship *ship, const struct fleet_local *local)
{
    *ship = (struct fleet_ship){.epoch = local->epoch, .kept = local->epoch};
}

static void end(struct fleet_ship *ship, enum fleet_ship_act act)
{
    ship->phase = FLEET_SHIP_PHASE_ENDED;
    ship->end = act;
}

/* --- What must happen --------------------------------------------------------------------------------------------- */

enum fleet_ship_act fleet_ship_next(const struct fleet_ship *ship, const struct fleet_local *local)
{
    bool has_more = !ship->seen || ship->next <= local->count;
    if (ship->phase == FLEET_SHIP_PHASE_ENDED) {
        return ship->end;
    }
    if (ship->asked) {
        return FLEET_SHIP_REST;
    }
    switch (ship->phase) {
    case FLEET_SHIP_PHASE_NEW:
        return ship->kept > 0 ? FLEET_SHIP_LOOK : FLEET_SHIP_CLAIM;
    case FLEET_SHIP_PHASE_CLAIMING: /* a session that was released stays so until it changes */
        return has_more ? FLEET_SHIP_CLAIM : FLEET_SHIP_REST;
    case FLEET_SHIP_PHASE_LOOKING:
        return FLEET_SHIP_LOOK;
    case FLEET_SHIP_PHASE_COMPARING:
        return FLEET_SHIP_COMPARE;
    case FLEET_SHIP_PHASE_KEEPING:
        return FLEET_SHIP_KEEP;
    default:
        return has_more ? FLEET_SHIP_APPEND : FLEET_SHIP_REST;
    }
}

void fleet_ship_sent(struct fleet_ship *ship)
{
    ship->asked = true;
}

/* --- Answers ------------------------------------------------------------------------------------------------------ */

/* The row of a DONE; NULL if the engine answers what no engine may answer. */
static const struct fleet_row *row_of(const struct fleet_answer *answer)
{
    const struct fleet_row *row = answer->row_count == 1 ? answer->rows : NULL;
    return row && row->epoch > 0 && row->epoch <= FLEET_ORDINAL_MAX && row->next > 0 && row->next <= FLEET_ORDINAL_MAX
               ? row
               : NULL;
}

static void see(struct fleet_ship *ship, const struct fleet_row *row)
{
    ship->unseen = false;
    ship->seen = true;
    ship->mine = row->mine && !row->unowned;
    ship->epoch = row->epoch;
    ship->next = row->next;
    ship->chain = row->chain;
    ship->generation = row->generation;
    bool is_others = !ship->mine && (!row->unowned || row->freed);
    if (is_others && row->epoch >= ship->kept) {
        end(ship, ship->kept > 0 ? FLEET_SHIP_FENCED : FLEET_SHIP_FOREIGN);
    } else if (row->freed) {
        end(ship, ship->mine ? FLEET_SHIP_FREED : FLEET_SHIP_DIVERGED);
    } else {
        ship->phase = FLEET_SHIP_PHASE_COMPARING;
    }
}

/* A claim may be sent any number of times: so a claim that was given up and arrives late finds the row claimed. */
static void claimed(struct fleet_ship *ship, const struct fleet_answer *answer)
{
    const struct fleet_row *row = row_of(answer);
    ship->phase = FLEET_SHIP_PHASE_CLAIMING;
    if (answer->outcome == FLEET_DONE && row && row->mine) {
        see(ship, row);
    } else if (answer->outcome == FLEET_NO || answer->outcome == FLEET_DONE) {
        ship->unseen = !ship->seen;
        ship->phase = FLEET_SHIP_PHASE_LOOKING;
    }
}

static void looked(struct fleet_ship *ship, const struct fleet_answer *answer)
{
    const struct fleet_row *row = row_of(answer);
    ship->phase = FLEET_SHIP_PHASE_LOOKING;
    if (answer->outcome == FLEET_DONE && row) {
        see(ship, row);
    } else if (answer->outcome == FLEET_NO && ship->unseen) { /* neither made nor there: the row is of another group */
        end(ship, FLEET_SHIP_FOREIGN);
    } else if (answer->outcome == FLEET_NO) {
        ship->seen = false;
        ship->mine = false;
        ship->epoch = ship->kept;
        ship->phase = FLEET_SHIP_PHASE_CLAIMING;
    } else {
        ship->unseen = false;
    }
}

static void appended(struct fleet_ship *ship, enum fleet_outcome outcome, uint64_t to, uint64_t after)
{
    if (outcome == FLEET_DONE) {
        ship->next = to;
        ship->chain = after;
    } else if (outcome != FLEET_RETRY && outcome != FLEET_REFUSED) {
        ship->phase = FLEET_SHIP_PHASE_LOOKING;
    }
}

void fleet_ship_answer(struct fleet_ship *ship, const struct fleet_answer *answer, uint64_t to, uint64_t after)
{
    bool was_doubted = ship->doubted;
    ship->asked = false;
    ship->doubted = false;
    if (ship->phase == FLEET_SHIP_PHASE_ENDED) {
        return;
    }
    if (answer->ask == FLEET_CLAIM) {
        claimed(ship, answer);
    } else if (answer->ask == FLEET_LOOK) {
        looked(ship, answer);
    } else if (answer->ask == FLEET_APPEND) {
        appended(ship, answer->outcome, to, after);
    }
    if (was_doubted) {
        fleet_ship_doubt(ship);
    }
}

/* --- The store ---------------------------------------------------------------------------------------------------- */

static void ready(struct fleet_ship *ship)
{
    ship->phase = ship->epoch > ship->kept ? FLEET_SHIP_PHASE_KEEPING : FLEET_SHIP_PHASE_READY;
}

void fleet_ship_compared(struct fleet_ship *ship, enum fleet_compared compared)
{
    if (ship->phase != FLEET_SHIP_PHASE_COMPARING) {
        return;
    }
    if (compared == FLEET_STORE_IS_SHORT) {
        end(ship, FLEET_SHIP_SHORT);
    } else if (compared == FLEET_DIFFERS) {
        end(ship, ship->kept > 0 || ship->mine ? FLEET_SHIP_DIVERGED : FLEET_SHIP_FOREIGN);
    } else if (ship->mine && ship->epoch >= ship->kept) {
        ready(ship);
    } else {
        ship->phase = FLEET_SHIP_PHASE_CLAIMING;
    }
}

void fleet_ship_kept(struct fleet_ship *ship)
{
    ship->kept = ship->epoch;
    if (ship->phase == FLEET_SHIP_PHASE_KEEPING) {
        ready(ship);
    }
}

void fleet_ship_doubt(struct fleet_ship *ship)
{
    ship->doubted = ship->asked;
    ship->unseen = false;
    if (ship->phase == FLEET_SHIP_PHASE_COMPARING || ship->phase == FLEET_SHIP_PHASE_KEEPING ||
        ship->phase == FLEET_SHIP_PHASE_READY) {
        ship->phase = FLEET_SHIP_PHASE_LOOKING;
    }
}
