/*
 * What voyages write into the store, each in a transaction of its own:
 *
 *     KEEP            the epoch of the claim, beside the session
 *     FENCED          another host owns the session: it follows, or its tail becomes a fork (settle.c)
 *     SHORT, unowned  nobody owns the session, and the engine has more than the store: the same
 *     SHORT, mine     a store that was restored from a copy: a pull brings the rest (puller.c), and the store owns it again
 *     DIVERGED, mine  a copy of the store shipped under the same token: the same; the pull makes a fork of the tail
 *     DIVERGED        another store had the session, and let it go: the tail becomes a fork
 *     FOREIGN         another host has another session of the id: left, and told
 *     FREED           the engine let go of a session of the id: left, and told
 */
#include "base/buffer.h"
#include "base/value.h"
#include "fleet/haul.h"
#include "fleet/voyage.h"

/* The next step looks at the session as the store has it now. 1, or 0 if nothing is to be shipped. */
static int begin_anew(struct fleet_voyage *voyage, struct xylem_error *err)
{
    struct xylem_txn *txn;
    int code = xylem_begin(&txn, voyage->shipper->store, XYLEM_READ, err);
    if (code < 0) {
        return code;
    }
    code = fleet_voyage_begin(voyage, txn, err);
    xylem_abort(txn);
    voyage->wanted = code > 0;
    return code;
}

static int keep(struct fleet_voyage *voyage, struct xylem_error *err)
{
    struct xylem_txn *txn;
    struct xylem_session row;
    int code = xylem_begin(&txn, voyage->shipper->store, XYLEM_WRITE, err);
    if (code < 0) {
        return code;
    }
    code = xylem_session_read(&row, txn, voyage->number, err);
    bool owned = code == XYLEM_OK && !row.owner.data && row.state != XYLEM_SESSION_FREED &&
                 xylem_base__view_equal(row.id, xylem_base__buffer_view(&voyage->id));
    if (owned && (code = xylem_session_own(txn, voyage->number, voyage->ship.epoch, err)) == XYLEM_OK) {
        code = 1;
    }
    code = fleet_end(txn, code, err);
    if (code == XYLEM_OK || code == XYLEM_E_CONFLICT || code == XYLEM_E_NOT_FOUND) { /* the session changed */
        return begin_anew(voyage, err);
    }
    if (code > 0) {
        fleet_ship_kept(&voyage->ship);
        voyage->local.epoch = voyage->ship.epoch;
    }
    return code;
}

static int in_use(struct fleet_voyage *voyage)
{
    if (!voyage->told_in_use) {
        fleet_voyage_tell(
            voyage, (struct fleet_news){.type = FLEET_NEWS_IN_USE,
                                        .host = xylem_base__buffer_view(&voyage->host),
                                        .text = "a process holds the session: it is settled when the process lets go"});
    }
    voyage->told_in_use = voyage->retries = true;
    voyage->wanted = false;
    voyage->later_ms = voyage->shipper->traffic.now_ms + FLEET_LATER_MS;
    return 0;
}

/* Behind the read of the segment to settle with. */
static int settle(struct fleet_voyage *voyage, struct xylem_error *err)
{
    enum fleet_settled settled;
    const struct fleet_shipper *shipper = voyage->shipper;
    const struct fleet_ship *ship = &voyage->ship;
    const struct fleet_rival rival = {.session = xylem_base__buffer_view(&voyage->id),
                                      .host = xylem_base__buffer_view(&voyage->host),
                                      .epoch = ship->epoch,
                                      .next = ship->next,
                                      .chain = ship->chain};
    if (!voyage->is_read && voyage->local.count + 1 < ship->next) {
        return 0;
    }
    int code = fleet_settle(&settled, shipper->store, voyage->number, &rival, xylem_base__buffer_view(&voyage->segment),
                            &shipper->traffic, err);
    if (code < 0 || settled == FLEET_SETTLED_IN_USE) {
        return code < 0 ? code : in_use(voyage);
    }
    if (settled != FLEET_SETTLED_NOTHING) {
        fleet_voyage_tell(voyage,
                          (struct fleet_news){.type = FLEET_NEWS_FENCED,
                                              .host = rival.host,
                                              .text = settled == FLEET_SETTLED_FORKED
                                                          ? "what this store had beyond the owner's history is a fork"
                                                          : "this store follows the owner from here on"});
    }
    voyage->told_in_use = false;
    code = begin_anew(voyage, err);
    if (code > 0 && settled == FLEET_SETTLED_NOTHING) { /* it changed meanwhile: looks again, but not without end */
        voyage->later_ms = shipper->traffic.now_ms + FLEET_LATER_MS;
    }
    return code;
}

/* Of a session that nobody owns, or whose owner is of before a backup of the engine. */
static int fork_off(struct fleet_voyage *voyage, struct xylem_error *err)
{
    int code = fleet_fork_tail(voyage->shipper->store, xylem_base__buffer_view(&voyage->id), voyage->ship.next,
                               "the engine has another history of the session: this fork has what this store had",
                               &voyage->shipper->traffic, err);
    if (code == XYLEM_E_NOT_FOUND || code == XYLEM_E_DELETED) {
        fleet_voyage_hold(voyage, FLEET_NEWS_FOREIGN, NULL);
        return 0;
    }
    return code == XYLEM_E_CONFLICT ? in_use(voyage) : code < 0 ? code : begin_anew(voyage, err);
}

static int pull(struct fleet_voyage *voyage, struct xylem_error *err)
{
    int code =
        fleet_puller_add(voyage->shipper->puller, xylem_base__buffer_view(&voyage->id), true, voyage->ship.epoch, err);
    voyage->pulls = code == XYLEM_OK;
    return code < 0 ? code : 1;
}

static int land(struct fleet_voyage *voyage, struct xylem_error *err)
{
    const struct fleet_ship *ship = &voyage->ship;
    switch (fleet_ship_next(ship, &voyage->local)) {
    case FLEET_SHIP_KEEP:
        return keep(voyage, err);
    case FLEET_SHIP_FENCED:
        return settle(voyage, err);
    case FLEET_SHIP_DIVERGED:
        return ship->mine ? pull(voyage, err) : fork_off(voyage, err);
    case FLEET_SHIP_SHORT:
        if (ship->mine || ship->kept > 0) {
            return ship->mine ? pull(voyage, err) : settle(voyage, err);
        }
        /* fall through */
    case FLEET_SHIP_FOREIGN:
        fleet_voyage_hold(voyage, FLEET_NEWS_FOREIGN, "another host has a session of this id: this one is not shipped");
        return 0;
    case FLEET_SHIP_FREED:
        fleet_voyage_hold(voyage, FLEET_NEWS_HELD,
                          "the engine knows the id as that of a freed session: a clone has another id");
        return 0;
    default:
        return 0;
    }
}

/* A pull ends by its own news; then the voyage looks at the engine again. */
static int end_pull(struct fleet_voyage *voyage, struct xylem_error *err)
{
    int found = fleet_puller_works(voyage->shipper->puller, xylem_base__buffer_view(&voyage->id));
    if (found > 0) {
        return 0;
    }
    voyage->pulls = false;
    if (found < 0) {
        fleet_voyage_hold(voyage, FLEET_NEWS_HELD, "what the engine has of the session could not be pulled");
        return 1;
    }
    return begin_anew(voyage, err);
}

int fleet_land(struct fleet_shipper *shipper, struct xylem_error *err)
{
    int landed = 0;
    int code = 0;
    for (size_t i = 0; code >= 0 && i < shipper->count; i++) {
        struct fleet_voyage *voyage = shipper->voyages[i];
        bool is_due = shipper->traffic.now_ms >= voyage->later_ms;
        code = 0;
        if (voyage->retries && is_due) {
            voyage->retries = false;
            code = begin_anew(voyage, err);
        } else if (voyage->pulls) {
            code = end_pull(voyage, err);
        } else if (voyage->wanted && !voyage->on_way && !voyage->frees && is_due) {
            code = land(voyage, err);
        }
        landed += code > 0;
    }
    return code < 0 ? code : landed;
}
