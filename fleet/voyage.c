#include "fleet/voyage.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/value.h"
#include "fleet/cargo.h"
#include "xylem/state.h"

static const struct xylem_view none = {NULL, 0};

void fleet_voyage_tell(const struct fleet_shipper *shipper, const struct fleet_voyage *voyage, struct fleet_news news)
{
    news.session = xylem_base__buffer_view(&voyage->id);
    news.epoch = news.epoch ? news.epoch : voyage->ship.epoch;
    fleet_traffic_tell(&shipper->traffic, &news);
}

void fleet_voyage_hold(const struct fleet_shipper *shipper, struct fleet_voyage *voyage, const char *reason)
{
    voyage->held = true;
    voyage->wanted = false;
    fleet_voyage_tell(shipper, voyage, (struct fleet_news){.type = FLEET_NEWS_HELD, .text = reason});
}

static int keep_text(struct xylem_buffer *buffer, struct xylem_view text, struct xylem_error *err)
{
    xylem_base__buffer_clear(buffer);
    return xylem_buffer_add(buffer, text.data, text.bytes) < 0 ? xylem_base__fail_memory(err) : XYLEM_OK;
}

int fleet_voyage_begin(struct fleet_voyage *voyage, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_session row;
    int code = xylem_session_read(&row, txn, voyage->number, err);
    if (code < 0 || row.state == XYLEM_SESSION_FREED || row.state == XYLEM_SESSION_IMPORTING || row.owner.data) {
        return code < 0 && code != XYLEM_E_NOT_FOUND ? code : 0;
    }
    voyage->local = (struct fleet_local){.epoch = row.epoch, .count = row.history.count};
    voyage->is_read = voyage->frees = false;
    voyage->redo.at = voyage->redo.piece_from = 0; /* another id has other segments, or none yet */
    xylem_base__buffer_clear(&voyage->segment);
    fleet_ship_begin(&voyage->ship, &voyage->local);
    code = keep_text(&voyage->id, row.id, err);
    return code < 0 ? code : 1;
}

/* --- Requests ----------------------------------------------------------------------------------------------------- */

int fleet_voyage_send(struct fleet_shipper *shipper, struct fleet_voyage *voyage, struct fleet_request *request,
                      uint64_t now_ms, struct xylem_error *err)
{
    request->session = xylem_base__buffer_view(&voyage->id);
    memcpy(request->owner, shipper->cursor.token, sizeof request->owner);
    int code = fleet_traffic_send(&shipper->traffic, shipper, voyage, request, now_ms, err);
    if (code == XYLEM_E_LIMIT) {
        fleet_voyage_hold(shipper, voyage, err->text);
        return 0;
    }
    if (code == 1) {
        voyage->on_way = true;
        voyage->sent = *request;
        voyage->sent.session = voyage->sent.host = voyage->sent.body = voyage->sent.about = voyage->sent.head = none;
    }
    return code;
}

/* The same for requests that the ship wants. */
static int send_of_ship(struct fleet_shipper *shipper, struct fleet_voyage *voyage, struct fleet_request *request,
                        uint64_t now_ms, struct xylem_error *err)
{
    int code = fleet_voyage_send(shipper, voyage, request, now_ms, err);
    if (code == 1) {
        fleet_ship_sent(&voyage->ship);
    }
    return code < 0 ? code : 0;
}

int fleet_voyage_show(struct fleet_shipper *shipper, struct xylem_txn *txn, uint64_t number, struct xylem_error *err)
{
    struct xylem_session row;
    int code = xylem_session_read(&row, txn, number, err);
    xylem_base__buffer_clear(&shipper->head);
    code = code < 0 ? code : fleet_cargo_about(&shipper->about, txn, &row, err);
    return code < 0 ? code : xylem_head_json(&shipper->head, txn, number, FLEET_HEAD_ENTRIES, err);
}

/* True for errors of one session: the others go on. */
static bool is_of_session(int code)
{
    return code == XYLEM_E_CORRUPT || code == XYLEM_E_LIMIT || code == XYLEM_E_MALFORMED || code == XYLEM_E_NOT_FOUND ||
           code == XYLEM_E_CONFLICT;
}

static int append(struct fleet_shipper *shipper, struct fleet_voyage *voyage, struct xylem_txn *txn, uint64_t now_ms,
                  struct xylem_error *err)
{
    struct xylem_segment segment;
    const struct fleet_ship *ship = &voyage->ship;
    if (voyage->local.count >= FLEET_ORDINAL_MAX) {
        fleet_voyage_hold(shipper, voyage, "the session has more changes than the engine can count");
        return 0;
    }
    int code = fleet_cargo_pack(&shipper->body, &segment, txn, voyage->number, ship->next, 0, false, err);
    code = code == 1 && segment.has_document ? fleet_voyage_show(shipper, txn, voyage->number, err) : code;
    if (code < 0 && is_of_session(code)) {
        fleet_voyage_hold(shipper, voyage, err->text);
        return 0;
    }
    if (code < 0 || segment.chain_before != ship->chain) {
        fleet_ship_doubt(&voyage->ship);
        return code < 0 ? code : 1;
    }
    struct fleet_request request = {.ask = FLEET_APPEND,
                                    .epoch = ship->epoch,
                                    .from = segment.from,
                                    .to = segment.to,
                                    .before = segment.chain_before,
                                    .after = segment.chain,
                                    .body = xylem_base__buffer_view(&shipper->body)};
    if (segment.has_document) {
        request.head = xylem_base__buffer_view(&shipper->head);
        request.about = xylem_base__buffer_view(&shipper->about);
    }
    return send_of_ship(shipper, voyage, &request, now_ms, err);
}

/* --- A freed session ---------------------------------------------------------------------------------------------- */

/*
 * The store does not know the epoch of a session that is gone: a look shows it, and whether the session was this store's.
 * What forks need of the session goes along.
 */
static int let_go(struct fleet_shipper *shipper, struct fleet_voyage *voyage, struct xylem_txn *txn, uint64_t now_ms,
                  struct xylem_error *err)
{
    struct xylem_segment segment;
    int code = fleet_cargo_pack(&shipper->body, &segment, txn, voyage->number, 0, 0, true, err);
    if (code == XYLEM_E_NOT_FOUND) {
        xylem_base__buffer_clear(&shipper->body); /* no fork needs anything */
    } else if (code < 0 && is_of_session(code)) {
        fleet_voyage_hold(shipper, voyage, err->text);
        return 0;
    } else if (code < 0) {
        return code;
    }
    struct fleet_request request = {.ask = FLEET_FREE,
                                    .epoch = voyage->ship.epoch,
                                    .body = xylem_base__buffer_view(&shipper->body),
                                    .about = xylem_view_of("{\"deleted\":true}")};
    code = fleet_voyage_send(shipper, voyage, &request, now_ms, err);
    return code < 0 ? code : 0;
}

static int step_freeing(struct fleet_shipper *shipper, struct fleet_voyage *voyage, struct xylem_txn *txn,
                        uint64_t now_ms, struct xylem_error *err)
{
    struct fleet_request look = {.ask = FLEET_LOOK};
    switch (fleet_ship_next(&voyage->ship, &voyage->local)) {
    case FLEET_SHIP_LOOK:
        return send_of_ship(shipper, voyage, &look, now_ms, err);
    case FLEET_SHIP_COMPARE:
    case FLEET_SHIP_FREED: /* freed before: the remains may have lost a text since */
        if (voyage->ship.mine) {
            return let_go(shipper, voyage, txn, now_ms, err);
        }
        voyage->wanted = false;
        return 0;
    default: /* the engine has no such session, or not of this store */
        voyage->wanted = false;
        return 0;
    }
}

/* --- Steps -------------------------------------------------------------------------------------------------------- */

static int compare(struct fleet_voyage *voyage, struct xylem_txn *txn, struct xylem_error *err)
{
    uint64_t chain = 0;
    uint64_t shared = voyage->ship.next - 1;
    bool is_short = shared > voyage->local.count;
    int code = is_short ? XYLEM_OK : xylem_session_chain(&chain, txn, voyage->number, shared, err);
    if (code == XYLEM_OK) {
        fleet_ship_compared(&voyage->ship, is_short                      ? FLEET_STORE_IS_SHORT
                                           : chain == voyage->ship.chain ? FLEET_EQUAL
                                                                         : FLEET_DIFFERS);
    }
    return code < 0 ? code : 1;
}

/*
 * A fenced session is settled with the segment that has the store's newest ordinal: it shows whether the store has changes
 * that the owner does not have.
 */
static int read_to_settle(struct fleet_shipper *shipper, struct fleet_voyage *voyage, uint64_t now_ms,
                          struct xylem_error *err)
{
    struct fleet_request request = {.ask = FLEET_READ, .from = voyage->local.count, .limit = 1};
    if (voyage->is_read || voyage->local.count + 1 >= voyage->ship.next) {
        return 0;
    }
    int code = fleet_voyage_send(shipper, voyage, &request, now_ms, err);
    return code < 0 ? code : 0;
}

/* 0: nothing is to be shipped. */
static int refresh(struct fleet_voyage *voyage, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_session row;
    int code = xylem_session_read(&row, txn, voyage->number, err);
    if (code < 0 || row.state == XYLEM_SESSION_FREED || row.owner.data) {
        return code < 0 && code != XYLEM_E_NOT_FOUND ? code : 0;
    }
    voyage->local.count = row.history.count;
    bool is_same = xylem_base__view_equal(row.id, xylem_base__buffer_view(&voyage->id)); /* a pull may fork a session */
    return is_same ? 1 : fleet_voyage_begin(voyage, txn, err);
}

int fleet_voyage_step(struct fleet_shipper *shipper, struct fleet_voyage *voyage, struct xylem_txn *txn,
                      uint64_t now_ms, struct xylem_error *err)
{
    struct fleet_request look = {.ask = FLEET_LOOK};
    struct fleet_request claim = {
        .ask = FLEET_CLAIM, .epoch = voyage->ship.epoch, .host = shipper->options.host, .make = true};
    if (voyage->frees) {
        return step_freeing(shipper, voyage, txn, now_ms, err);
    }
    int code = refresh(voyage, txn, err);
    if (code <= 0) {
        voyage->wanted = false;
        return code;
    }
    switch (fleet_ship_next(&voyage->ship, &voyage->local)) {
    case FLEET_SHIP_CLAIM:
        return send_of_ship(shipper, voyage, &claim, now_ms, err);
    case FLEET_SHIP_LOOK:
        return send_of_ship(shipper, voyage, &look, now_ms, err);
    case FLEET_SHIP_COMPARE:
        return compare(voyage, txn, err);
    case FLEET_SHIP_APPEND:
        if (fleet_redo_wanted(voyage)) {
            return fleet_redo_step(shipper, voyage, txn, now_ms, err);
        }
        voyage->wanted = voyage->ship.next <= voyage->last; /* else the next window has the rest */
        return voyage->wanted ? append(shipper, voyage, txn, now_ms, err) : 0;
    case FLEET_SHIP_REST:
        if (voyage->ship.phase == FLEET_SHIP_PHASE_READY && fleet_redo_wanted(voyage)) {
            return fleet_redo_step(shipper, voyage, txn, now_ms, err);
        }
        voyage->wanted = false;
        return 0;
    case FLEET_SHIP_FENCED:
    case FLEET_SHIP_SHORT:
        return voyage->ship.mine ? 0 : read_to_settle(shipper, voyage, now_ms, err);
    default: /* land.c */
        return 0;
    }
}

/* --- Answers ------------------------------------------------------------------------------------------------------ */

static int keep_host(struct fleet_voyage *voyage, const struct fleet_answer *answer, struct xylem_error *err)
{
    return answer->row_count == 1 ? keep_text(&voyage->host, answer->rows[0].host, err) : XYLEM_OK;
}

static int keep_segment(struct fleet_voyage *voyage, const struct fleet_answer *answer, struct xylem_error *err)
{
    if (answer->outcome != FLEET_DONE && answer->outcome != FLEET_NO) {
        return XYLEM_OK; /* the pause, and once more */
    }
    voyage->is_read = true;
    return answer->piece_count == 0 ? XYLEM_OK : keep_text(&voyage->segment, answer->pieces[0].body, err);
}

static void freed(struct fleet_shipper *shipper, struct fleet_voyage *voyage, const struct fleet_answer *answer)
{
    if (answer->outcome == FLEET_DONE) {
        voyage->wanted = false;
        fleet_voyage_tell(shipper, voyage, (struct fleet_news){.type = FLEET_NEWS_FREED});
    } else if (answer->outcome == FLEET_NO && voyage->ship.phase == FLEET_SHIP_PHASE_ENDED) {
        fleet_voyage_hold(shipper, voyage, "the engine does not let go of the freed session");
    } else {
        fleet_ship_doubt(&voyage->ship);
    }
}

int fleet_voyage_answer(struct fleet_shipper *shipper, struct fleet_voyage *voyage, const struct fleet_answer *answer,
                        uint64_t now_ms, struct xylem_error *err)
{
    const struct fleet_request *sent = &voyage->sent;
    voyage->on_way = false;
    switch (sent->ask) {
    case FLEET_READ:
        if (voyage->ship.phase == FLEET_SHIP_PHASE_ENDED) {
            return keep_segment(voyage, answer, err);
        }
        fleet_redo_answer(shipper, voyage, answer, now_ms);
        return XYLEM_OK;
    case FLEET_REWRITE:
        fleet_redo_answer(shipper, voyage, answer, now_ms);
        return XYLEM_OK;
    case FLEET_FREE:
        freed(shipper, voyage, answer);
        return XYLEM_OK;
    default:
        fleet_ship_answer(&voyage->ship, answer, sent->to, sent->after);
        if (sent->ask == FLEET_APPEND && answer->outcome != FLEET_DONE) {
            fleet_redo_again(voyage);
        } else if (sent->ask == FLEET_APPEND) {
            voyage->redone = (struct fleet_redo){.from = 0};
            fleet_voyage_tell(shipper, voyage,
                              (struct fleet_news){.type = FLEET_NEWS_SHIPPED, .from = sent->from, .to = sent->to});
        }
        return keep_host(voyage, answer, err);
    }
}
