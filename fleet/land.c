/*
 * What voyages write into the store, each in a transaction of its own:
 *
 *     KEEP            the epoch of the claim, beside the session
 *     FENCED          another host owns the session: it follows, or its tail becomes a fork, and a pull brings the session
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

/* True if the store owns the session still, under the id that the engine was asked for. */
static bool is_own(const struct fleet_voyage *voyage, const struct xylem_session *row)
{
    return fleet_voyage_owns(row) && xylem_base__view_equal(row->id, xylem_base__buffer_view(&voyage->id));
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
    if (code == XYLEM_OK && is_own(voyage, &row) &&
        (code = xylem_session_own(txn, voyage->number, voyage->ship.epoch, err)) == XYLEM_OK) {
        code = 1;
    }
    code = fleet_end(txn, code, err);
    if (code == XYLEM_OK || code == XYLEM_E_CONFLICT || code == XYLEM_E_NOT_FOUND) { /* the session changed */
        return begin_anew(voyage, err);
    }
    if (code > 0) {
        fleet_ship_kept(&voyage->ship);
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

/*
 * 1: the session follows; 0: nothing is to be done; CONFLICT with `*from`: the store has changes that the owner does not
 * have, the first with this ordinal; CONFLICT without: a process holds the session. `*applies`: the segment did not apply.
 */
static int try_follow(uint64_t *from, bool *applies, const struct fleet_voyage *voyage, struct xylem_txn *txn,
                      struct xylem_view segment, struct xylem_error *err)
{
    const struct fleet_ship *ship = &voyage->ship;
    struct xylem_session row;
    struct fleet_owner owner;
    struct xylem_apply_report report;
    int code = xylem_session_read(&row, txn, voyage->number, err);
    if (code < 0 || !is_own(voyage, &row)) {
        return code == XYLEM_E_NOT_FOUND ? 0 : code;
    }
    bool deleted = row.state == XYLEM_SESSION_DELETED; /* nobody misses what its user deleted, and it stays here */
    if (!deleted && (row.history.count > ship->next - 1 ||
                     (row.history.count == ship->next - 1 && row.history.chain != ship->chain))) {
        *from = ship->next;
        return XYLEM_E_CONFLICT;
    }
    fleet_owner_write(&owner, xylem_base__buffer_view(&voyage->host), ship->epoch);
    code = xylem_session_follow(txn, voyage->number, xylem_view_of(owner.text), ship->epoch, err);
    if (code < 0 || deleted || !segment.data) {
        return code < 0 ? code : 1;
    }
    const struct xylem_apply_options options = {.owner = xylem_view_of(owner.text), .epoch = ship->epoch};
    *applies = true;
    code = xylem_segment_apply(&report, txn, segment, &options, err);
    *from = code == XYLEM_E_CONFLICT ? report.differs : 0;
    return code < 0 ? code : 1;
}

/*
 * If the store has nothing that the owner does not have, the session follows. A segment that cannot be applied now decides
 * nothing: then the session follows, and a pull finds a history that differs.
 */
static int follow(uint64_t *from, const struct fleet_voyage *voyage, struct xylem_error *err)
{
    struct xylem_view segment = xylem_base__buffer_view(&voyage->segment);
    struct xylem_segment read;
    struct xylem_txn *txn;
    bool applies;
    bool is_sound = segment.data && xylem_segment_read(&read, segment, NULL) == XYLEM_OK;
    segment = is_sound ? segment : (struct xylem_view){NULL, 0};
    for (;;) {
        int code = xylem_begin(&txn, voyage->shipper->store, XYLEM_WRITE, err);
        if (code < 0) {
            return code;
        }
        applies = false;
        code = fleet_end(txn, try_follow(from, &applies, voyage, txn, segment, err), err);
        if (!applies || *from > 0 ||
            (code != XYLEM_E_NOT_FOUND && code != XYLEM_E_CONFLICT && code != XYLEM_E_MALFORMED)) {
            return code;
        }
        segment = (struct xylem_view){NULL, 0};
    }
}

/* The store's history of the session becomes a fork, and what the engine has of the session comes. As fleet_fork_tail(). */
static int part(struct fleet_voyage *voyage, uint64_t from, const char *reason, struct xylem_error *err)
{
    struct fleet_shipper *shipper = voyage->shipper;
    const struct xylem_view id = xylem_base__buffer_view(&voyage->id);
    int code = fleet_fork_tail(shipper->store, id, from, reason, &shipper->traffic, err);
    int added = code > 0 ? fleet_puller_add(shipper->puller, id, false, 0, err) : 0;
    return added < 0 ? added : code;
}

/* The store owned the session, and another host owns it now: the session follows, or becomes a fork with another id. */
static int settle(struct fleet_voyage *voyage, struct xylem_error *err)
{
    char reason[XYLEM_REASON_BYTES_MAX];
    struct fleet_owner owner;
    struct fleet_shipper *shipper = voyage->shipper;
    const char *text = "this store follows the owner from here on";
    uint64_t from = 0;
    if (!voyage->is_read && voyage->local.count + 1 < voyage->ship.next) {
        return 0; /* the segment to settle with is on its way */
    }
    int code = follow(&from, voyage, err);
    if (code == XYLEM_E_CONFLICT && from > 0) {
        fleet_owner_write(&owner, xylem_base__buffer_view(&voyage->host), voyage->ship.epoch);
        (void)snprintf(reason, sizeof reason,
                       "%s owns the session now: this fork has what this store had and the owner did not get",
                       owner.text);
        code = part(voyage, from, reason, err);
        code = code == XYLEM_E_NOT_FOUND ? 0 : code;
        text = "what this store had beyond the owner's history is a fork";
    }
    if (code < 0) {
        return code == XYLEM_E_CONFLICT ? in_use(voyage) : code;
    }
    if (code > 0) {
        fleet_voyage_tell(voyage, (struct fleet_news){.type = FLEET_NEWS_FENCED,
                                                      .host = xylem_base__buffer_view(&voyage->host),
                                                      .text = text});
    } else { /* it changed meanwhile: looks again, but not without end */
        voyage->later_ms = shipper->traffic.now_ms + FLEET_LATER_MS;
    }
    voyage->told_in_use = false;
    return begin_anew(voyage, err);
}

/* Of a session that nobody owns, or whose owner is of before a backup of the engine. */
static int fork_off(struct fleet_voyage *voyage, struct xylem_error *err)
{
    int code = part(voyage, voyage->ship.next,
                    "the engine has another history of the session: this fork has what this store had", err);
    if (code == XYLEM_E_NOT_FOUND || code == XYLEM_E_DELETED) {
        return fleet_voyage_hold(voyage, FLEET_NEWS_FOREIGN, NULL);
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
        if (ship->mine) {
            return pull(voyage, err);
        }
        if (ship->kept > 0) {
            return settle(voyage, err);
        }
        /* fall through */
    case FLEET_SHIP_FOREIGN:
        return fleet_voyage_hold(voyage, FLEET_NEWS_FOREIGN,
                                 "another host has a session of this id: this one is not shipped");
    case FLEET_SHIP_FREED:
        return fleet_voyage_hold(voyage, FLEET_NEWS_HELD,
                                 "the engine knows the id as that of a freed session: a clone has another id");
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
