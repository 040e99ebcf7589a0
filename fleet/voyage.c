/* What one session does next: it claims, looks, compares, appends, or is freed. */
#include "fleet/voyage.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/value.h"

bool fleet_voyage_owns(const struct xylem_session *row)
{
    return !row->owner.data && (row->state == XYLEM_SESSION_LIVE || row->state == XYLEM_SESSION_DELETED);
}

int fleet_voyage_begin(struct fleet_voyage *voyage, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_session row;
    int code = xylem_session_read(&row, txn, voyage->number, err);
    if (code < 0 || !fleet_voyage_owns(&row)) {
        return code < 0 && code != XYLEM_E_NOT_FOUND ? code : 0;
    }
    voyage->local = (struct fleet_local){.epoch = row.epoch, .count = row.history.count};
    voyage->is_read = voyage->frees = false;
    voyage->redo.at = voyage->redo.piece_from = 0; /* another id has other segments, or none yet */
    voyage->shown = (struct fleet_shown){.head = 0};
    xylem_base__buffer_clear(&voyage->segment);
    fleet_ship_begin(&voyage->ship, &voyage->local);
    code = fleet_keep_text(&voyage->id, row.id, err);
    return code < 0 ? code : 1;
}

/* --- Steps -------------------------------------------------------------------------------------------------------- */

static int append(struct fleet_voyage *voyage, struct xylem_error *err)
{
    struct fleet_request request = {.ask = FLEET_APPEND};
    voyage->wanted = voyage->ship.next <= voyage->last; /* else the next window has the rest */
    if (!voyage->wanted) {
        return 0;
    }
    if (voyage->local.count >= FLEET_ORDINAL_MAX) {
        return fleet_voyage_hold(voyage, FLEET_NEWS_HELD, "the session has more changes than the engine can count");
    }
    int code = fleet_voyage_pack(&request, voyage, voyage->ship.next, 0, false, err);
    if (code == 1 && request.before == voyage->ship.chain) {
        return fleet_voyage_send(voyage, &request, err);
    }
    if (code == XYLEM_E_NOT_FOUND) {
        return fleet_voyage_hold(voyage, FLEET_NEWS_HELD, err->text);
    }
    if (code < 0 || voyage->held) {
        return code;
    }
    fleet_ship_doubt(&voyage->ship); /* the store is not what was compared */
    return 1;
}

/* What forks need of the session goes along. */
static int let_go(struct fleet_voyage *voyage, struct xylem_error *err)
{
    struct fleet_request request = {.ask = FLEET_FREE, .about = xylem_view_of("{\"deleted\":true}")};
    int code = fleet_voyage_pack(&request, voyage, 0, 0, true, err);
    if (code == XYLEM_E_NOT_FOUND) {
        xylem_base__buffer_clear(&voyage->shipper->body); /* no fork needs anything */
        request.body = xylem_base__buffer_view(&voyage->shipper->body);
    } else if (code <= 0) {
        return code;
    }
    return fleet_voyage_send(voyage, &request, err);
}

static int step_freeing(struct fleet_voyage *voyage, struct xylem_error *err)
{
    struct fleet_request look = {.ask = FLEET_LOOK};
    enum fleet_ship_act act = fleet_ship_next(&voyage->ship, &voyage->local);
    if (act == FLEET_SHIP_LOOK) {
        return fleet_voyage_send(voyage, &look, err);
    }
    /* FREED: freed before, and the remains may have lost a text since. */
    voyage->wanted = voyage->ship.mine && (act == FLEET_SHIP_COMPARE || act == FLEET_SHIP_FREED);
    return voyage->wanted ? let_go(voyage, err) : 0; /* else the engine has no such session, or not of this store */
}

static int compare(struct fleet_voyage *voyage, struct xylem_error *err)
{
    uint64_t chain = 0;
    uint64_t shared = voyage->ship.next - 1;
    enum fleet_compared compared = FLEET_STORE_IS_SHORT;
    if (shared <= voyage->local.count) {
        int code = xylem_session_chain(&chain, voyage->shipper->txn, voyage->number, shared, err);
        if (code < 0) {
            return code;
        }
        compared = chain == voyage->ship.chain ? FLEET_EQUAL : FLEET_DIFFERS;
    }
    fleet_ship_compared(&voyage->ship, compared);
    return 1;
}

/*
 * A fenced session is settled with the segment that has the store's newest ordinal: it shows whether the store has changes
 * that the owner does not have.
 */
static int read_to_settle(struct fleet_voyage *voyage, struct xylem_error *err)
{
    struct fleet_request request = {.ask = FLEET_READ, .from = voyage->local.count, .limit = 1};
    return voyage->ship.mine || voyage->is_read || voyage->local.count + 1 >= voyage->ship.next
               ? 0
               : fleet_voyage_send(voyage, &request, err);
}

/* 0: nothing is to be shipped. */
static int refresh(struct fleet_voyage *voyage, struct xylem_error *err)
{
    struct xylem_session row;
    int code = xylem_session_read(&row, voyage->shipper->txn, voyage->number, err);
    if (code < 0 || !fleet_voyage_owns(&row)) {
        return code < 0 && code != XYLEM_E_NOT_FOUND ? code : 0;
    }
    voyage->local.count = row.history.count;
    bool is_same = xylem_base__view_equal(row.id, xylem_base__buffer_view(&voyage->id)); /* a pull may fork a session */
    return is_same ? 1 : fleet_voyage_begin(voyage, voyage->shipper->txn, err);
}

int fleet_voyage_step(struct fleet_voyage *voyage, struct xylem_error *err)
{
    struct fleet_request look = {.ask = FLEET_LOOK};
    struct fleet_request claim = {.ask = FLEET_CLAIM, .host = voyage->shipper->options.host, .make = true};
    if (voyage->frees) {
        return step_freeing(voyage, err);
    }
    int code = refresh(voyage, err);
    if (code <= 0) {
        voyage->wanted = false;
        return code;
    }
    enum fleet_ship_act act = fleet_ship_next(&voyage->ship, &voyage->local);
    if (voyage->ship.phase == FLEET_SHIP_PHASE_READY && fleet_redo_wanted(voyage)) {
        return fleet_redo_step(voyage, err);
    }
    switch (act) {
    case FLEET_SHIP_CLAIM:
        return fleet_voyage_send(voyage, &claim, err);
    case FLEET_SHIP_LOOK:
        return fleet_voyage_send(voyage, &look, err);
    case FLEET_SHIP_COMPARE:
        return compare(voyage, err);
    case FLEET_SHIP_APPEND:
        return append(voyage, err);
    case FLEET_SHIP_REST:
        voyage->wanted = false;
        return 0;
    case FLEET_SHIP_FENCED:
    case FLEET_SHIP_SHORT:
        return read_to_settle(voyage, err);
    default: /* land.c */
        return 0;
    }
}

/* --- Answers ------------------------------------------------------------------------------------------------------ */

static int keep_segment(struct fleet_voyage *voyage, const struct fleet_answer *answer, struct xylem_error *err)
{
    if (answer->outcome != FLEET_DONE && answer->outcome != FLEET_NO) {
        return XYLEM_OK; /* the pause, and once more */
    }
    voyage->is_read = true;
    return answer->piece_count == 0 ? XYLEM_OK : fleet_keep_text(&voyage->segment, answer->pieces[0].body, err);
}

static void freed(struct fleet_voyage *voyage, const struct fleet_answer *answer)
{
    if (answer->outcome == FLEET_DONE) {
        voyage->wanted = false;
        fleet_voyage_tell(voyage, (struct fleet_news){.type = FLEET_NEWS_FREED});
    } else if (answer->outcome == FLEET_NO && voyage->ship.phase == FLEET_SHIP_PHASE_ENDED) {
        fleet_voyage_hold(voyage, FLEET_NEWS_HELD, "the engine does not let go of the freed session");
    } else {
        fleet_ship_doubt(&voyage->ship);
    }
}

static void appended(struct fleet_voyage *voyage, enum fleet_outcome outcome)
{
    if (outcome == FLEET_DONE) {
        voyage->redone = (struct fleet_redo){.from = 0};
        fleet_voyage_tell(
            voyage, (struct fleet_news){.type = FLEET_NEWS_SHIPPED, .from = voyage->sent.from, .to = voyage->sent.to});
    } else {
        fleet_redo_again(voyage);
    }
}

int fleet_voyage_answer(struct fleet_voyage *voyage, const struct fleet_answer *answer, struct xylem_error *err)
{
    const struct fleet_request *sent = &voyage->sent;
    bool shows = (sent->ask == FLEET_APPEND || sent->ask == FLEET_REWRITE) && answer->outcome == FLEET_DONE;
    voyage->on_way = false;
    if (sent->ask != FLEET_READ) { /* a look may find the row of a backup of the engine */
        voyage->shown = shows ? voyage->showing : (struct fleet_shown){.head = 0};
    }
    if (sent->ask == FLEET_READ && voyage->ship.phase == FLEET_SHIP_PHASE_ENDED) {
        return keep_segment(voyage, answer, err);
    }
    if (sent->ask == FLEET_READ || sent->ask == FLEET_REWRITE) {
        fleet_redo_answer(voyage, answer);
        return XYLEM_OK;
    }
    if (sent->ask == FLEET_FREE) {
        freed(voyage, answer);
        return XYLEM_OK;
    }
    fleet_ship_answer(&voyage->ship, answer, sent->to, sent->after);
    if (sent->ask == FLEET_APPEND) {
        appended(voyage, answer->outcome);
    }
    return answer->row_count == 1 ? fleet_keep_text(&voyage->host, answer->rows[0].host, err) : XYLEM_OK;
}
