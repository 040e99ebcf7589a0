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
#include <stdio.h>

#include "base/buffer.h"
#include "base/value.h"
#include "fleet/haul.h"
#include "fleet/voyage.h"
#include "xylem/segment.h"

/* The next step looks at the session as the store has it now. 1, or 0 if nothing is to be shipped. */
static int begin_anew(struct fleet_shipper *shipper, struct fleet_voyage *voyage, struct xylem_error *err)
{
    struct xylem_txn *txn;
    int code = xylem_begin(&txn, shipper->store, XYLEM_READ, err);
    if (code < 0) {
        return code;
    }
    code = fleet_voyage_begin(voyage, txn, err);
    xylem_abort(txn);
    voyage->wanted = code > 0;
    return code;
}

static int keep(struct fleet_shipper *shipper, struct fleet_voyage *voyage, struct xylem_error *err)
{
    struct xylem_txn *txn;
    struct xylem_session row;
    int code = xylem_begin(&txn, shipper->store, XYLEM_WRITE, err);
    if (code < 0) {
        return code;
    }
    code = xylem_session_read(&row, txn, voyage->number, err);
    bool owned = code == XYLEM_OK && !row.owner.data && row.state != XYLEM_SESSION_FREED &&
                 xylem_base__view_equal(row.id, xylem_base__buffer_view(&voyage->id));
    code = owned ? xylem_session_own(txn, voyage->number, voyage->ship.epoch, err) : code;
    if (!owned || code < 0) {
        xylem_abort(txn);
        bool changed = code == XYLEM_OK || code == XYLEM_E_CONFLICT || code == XYLEM_E_NOT_FOUND;
        return changed ? begin_anew(shipper, voyage, err) : code;
    }
    code = xylem_commit(txn, err);
    if (code == XYLEM_OK) {
        fleet_ship_kept(&voyage->ship);
        voyage->local.epoch = voyage->ship.epoch;
    }
    return code < 0 ? code : 1;
}

static void leave(const struct fleet_shipper *shipper, struct fleet_voyage *voyage, enum fleet_news_type type,
                  const char *text)
{
    voyage->held = true;
    voyage->wanted = false;
    fleet_voyage_tell(shipper, voyage,
                      (struct fleet_news){.type = type, .host = xylem_base__buffer_view(&voyage->host), .text = text});
}

static int in_use(const struct fleet_shipper *shipper, struct fleet_voyage *voyage, uint64_t now_ms)
{
    if (!voyage->told_in_use) {
        fleet_voyage_tell(shipper, voyage,
                          (struct fleet_news){.type = FLEET_NEWS_IN_USE,
                                              .host = xylem_base__buffer_view(&voyage->host),
                                              .text =
                                                  "a process holds the session: it is settled when the process lets "
                                                  "go"});
    }
    voyage->told_in_use = voyage->retries = true;
    voyage->wanted = false;
    voyage->later_ms = now_ms + FLEET_LATER_MS;
    return 0;
}

static int settle(struct fleet_shipper *shipper, struct fleet_voyage *voyage, uint64_t now_ms, struct xylem_error *err)
{
    enum fleet_settled settled;
    const struct fleet_ship *ship = &voyage->ship;
    const struct fleet_rival rival = {.session = xylem_base__buffer_view(&voyage->id),
                                      .host = xylem_base__buffer_view(&voyage->host),
                                      .epoch = ship->epoch,
                                      .next = ship->next,
                                      .chain = ship->chain};
    int code = fleet_settle(&settled, shipper->store, voyage->number, &rival, xylem_base__buffer_view(&voyage->segment),
                            shipper->options.tell, shipper->options.context, err);
    if (code < 0) {
        return code;
    }
    if (settled == FLEET_SETTLED_IN_USE) {
        return in_use(shipper, voyage, now_ms);
    }
    if (settled != FLEET_SETTLED_NOTHING) {
        fleet_voyage_tell(shipper, voyage,
                          (struct fleet_news){.type = FLEET_NEWS_FENCED,
                                              .host = rival.host,
                                              .text = settled == FLEET_SETTLED_FORKED
                                                          ? "what this store had beyond the owner's history is a fork"
                                                          : "this store follows the owner from here on"});
    }
    voyage->told_in_use = false;
    code = begin_anew(shipper, voyage, err);
    if (code > 0 && settled == FLEET_SETTLED_NOTHING) { /* it changed meanwhile: looks again, but not without end */
        voyage->later_ms = now_ms + FLEET_LATER_MS;
    }
    return code;
}

/* Of a session that nobody owns, or whose owner is of before a backup of the engine. */
static int fork_off(struct fleet_shipper *shipper, struct fleet_voyage *voyage, uint64_t now_ms,
                    struct xylem_error *err)
{
    int code = fleet_fork_tail(shipper->store, xylem_base__buffer_view(&voyage->id), voyage->ship.next,
                               "the engine has another history of the session: this fork has what this store had",
                               shipper->options.tell, shipper->options.context, err);
    return code == XYLEM_E_CONFLICT ? in_use(shipper, voyage, now_ms)
           : code == XYLEM_E_NOT_FOUND || code == XYLEM_E_DELETED
               ? (leave(shipper, voyage, FLEET_NEWS_FOREIGN, NULL), 0)
           : code < 0 ? code
                      : begin_anew(shipper, voyage, err);
}

static int pull(struct fleet_shipper *shipper, struct fleet_voyage *voyage, struct xylem_error *err)
{
    int code = fleet_puller_add(shipper->puller, xylem_base__buffer_view(&voyage->id), true, voyage->ship.epoch, err);
    voyage->pulls = code == XYLEM_OK;
    return code < 0 ? code : 1;
}

static int land(struct fleet_shipper *shipper, struct fleet_voyage *voyage, uint64_t now_ms, struct xylem_error *err)
{
    const struct fleet_ship *ship = &voyage->ship;
    bool waits = !voyage->is_read && voyage->local.count + 1 < ship->next; /* for the segment to settle with */
    switch (fleet_ship_next(ship, &voyage->local)) {
    case FLEET_SHIP_KEEP:
        return keep(shipper, voyage, err);
    case FLEET_SHIP_FOREIGN:
        leave(shipper, voyage, FLEET_NEWS_FOREIGN, "another host has a session of this id: this one is not shipped");
        return 0;
    case FLEET_SHIP_FENCED:
        return waits ? 0 : settle(shipper, voyage, now_ms, err);
    case FLEET_SHIP_SHORT:
        if (!ship->mine && ship->kept == 0) {
            leave(shipper, voyage, FLEET_NEWS_FOREIGN, "the engine has another session of this id");
            return 0;
        }
        return ship->mine ? pull(shipper, voyage, err) : waits ? 0 : settle(shipper, voyage, now_ms, err);
    case FLEET_SHIP_DIVERGED:
        return ship->mine ? pull(shipper, voyage, err) : fork_off(shipper, voyage, now_ms, err);
    case FLEET_SHIP_FREED:
        leave(shipper, voyage, FLEET_NEWS_HELD,
              "the engine knows the id as that of a freed session: a clone has another id");
        return 0;
    default:
        return 0;
    }
}

/* A pull ends by its own news; then the voyage looks at the engine again. */
static int end_pull(struct fleet_shipper *shipper, struct fleet_voyage *voyage, struct xylem_error *err)
{
    int found = fleet_puller_works(shipper->puller, xylem_base__buffer_view(&voyage->id));
    if (found > 0) {
        return 0;
    }
    voyage->pulls = false;
    if (found < 0) {
        fleet_voyage_hold(shipper, voyage, "what the engine has of the session could not be pulled");
        return 1;
    }
    return begin_anew(shipper, voyage, err);
}

int fleet_land(struct fleet_shipper *shipper, uint64_t now_ms, struct xylem_error *err)
{
    int landed = 0;
    for (size_t i = 0; i < shipper->count; i++) {
        struct fleet_voyage *voyage = shipper->voyages[i];
        int code = 0;
        if (voyage->retries && now_ms >= voyage->later_ms) {
            voyage->retries = false;
            code = begin_anew(shipper, voyage, err);
        } else if (voyage->pulls) {
            code = end_pull(shipper, voyage, err);
        } else if (voyage->wanted && !voyage->on_way && !voyage->frees && now_ms >= voyage->later_ms) {
            code = land(shipper, voyage, now_ms, err);
        }
        if (code < 0) {
            return code;
        }
        landed += code > 0;
    }
    return landed;
}
