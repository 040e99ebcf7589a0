/*
 * Redactions: the store packs segments of the engine with the text again, without the text. The cursor moves behind the
 * last acknowledgement, so a crash repeats the work. Each segment is written, even if a read already shows the new bytes:
 * perhaps no other node has them.
 */
#include "base/buffer.h"
#include "fleet/voyage.h"

#define READ_PIECES 16u

bool fleet_redo_wanted(const struct fleet_voyage *voyage)
{
    const struct fleet_redo *redo = &voyage->redo;
    return redo->from < redo->to || redo->documents || redo->show;
}

void fleet_redo_add(struct fleet_redo *redo, const struct fleet_redo *more)
{
    bool is_empty = redo->from >= redo->to;
    if (more->from < more->to) {
        redo->from = is_empty || more->from < redo->from ? more->from : redo->from;
        redo->to = is_empty || more->to > redo->to ? more->to : redo->to;
    }
    redo->documents = redo->documents || more->documents;
    redo->show = redo->show || more->show;
    redo->takes = redo->takes || more->takes;
    redo->at = redo->piece_from = 0;
}

void fleet_redo_again(struct fleet_voyage *voyage)
{
    if (voyage->redone.show) {
        fleet_redo_add(&voyage->redo, &voyage->redone);
    }
}

/* The first ordinal whose segment must be looked at. `next` or more: no segment. */
static uint64_t first_of(const struct fleet_redo *redo, uint64_t next)
{
    uint64_t last = next > 1 ? next - 1 : 1;
    if (redo->documents) {
        return redo->at > 1 ? redo->at : 1;
    }
    if (redo->from < redo->to && redo->at < redo->to) {
        return redo->at > redo->from ? redo->at : redo->from;
    }
    return !redo->show ? next : redo->at > last ? redo->at : last;
}

static bool is_wanted(const struct fleet_redo *redo, const struct fleet_piece *piece, uint64_t next)
{
    struct xylem_segment segment;
    if ((piece->from < redo->to && piece->to > redo->from) || (redo->show && piece->to == next)) {
        return true;
    }
    return redo->documents && (xylem_segment_read(&segment, piece->body, NULL) < 0 || segment.has_document);
}

/* The answer is impossible: the engine is asked again, after a pause. */
static void doubt(struct fleet_voyage *voyage)
{
    fleet_ship_doubt(&voyage->ship);
    voyage->redo.piece_from = 0;
    voyage->later_ms = voyage->shipper->traffic.now_ms + FLEET_LATER_MS;
}

/* Packs the segment with the engine's bounds. The last segment of a session keeps its document. */
static int rewrite(struct fleet_voyage *voyage, struct xylem_error *err)
{
    struct fleet_redo *redo = &voyage->redo;
    struct fleet_request request = {.ask = FLEET_REWRITE, .generation = voyage->ship.generation};
    bool is_last = redo->piece_to == voyage->local.count + 1;
    int code = fleet_voyage_pack(&request, voyage, redo->piece_from, is_last ? 0 : redo->piece_to, true, err);
    if (code == XYLEM_E_NOT_FOUND ||
        (code == 1 && (request.to != redo->piece_to || request.after != redo->piece_chain))) {
        redo->piece_from = 0; /* the engine has another history than its answer said: look again */
        fleet_ship_doubt(&voyage->ship);
        return 1;
    }
    return code == 1 ? fleet_voyage_send(voyage, &request, err) : code;
}

/* Once for a redaction, however many segments it took. */
static void tell_done(struct fleet_voyage *voyage)
{
    struct fleet_redo *redo = &voyage->redo;
    if (redo->takes && redo->done_to > 0) {
        fleet_voyage_tell(
            voyage, (struct fleet_news){.type = FLEET_NEWS_REWRITTEN, .from = redo->done_from, .to = redo->done_to});
    }
    redo->takes = false;
}

int fleet_redo_step(struct fleet_voyage *voyage, struct xylem_error *err)
{
    struct fleet_request request = {
        .ask = FLEET_READ, .from = first_of(&voyage->redo, voyage->ship.next), .limit = READ_PIECES};
    if (voyage->redo.piece_from > 0) {
        return rewrite(voyage, err);
    }
    if (request.from >= voyage->ship.next) {
        tell_done(voyage);
        voyage->redo.show = true;
        fleet_redo_add(&voyage->redone, &voyage->redo);
        voyage->redo = (struct fleet_redo){.from = 0};
        return 1;
    }
    return fleet_voyage_send(voyage, &request, err);
}

/* A read with less than was acknowledged came from an old primary: looks, and reads again. */
static void read_pieces(struct fleet_voyage *voyage, const struct fleet_answer *answer)
{
    struct fleet_redo *redo = &voyage->redo;
    uint64_t at = voyage->sent.from;
    if (answer->outcome != FLEET_DONE && answer->outcome != FLEET_NO) {
        return;
    }
    for (size_t i = 0; i < answer->piece_count; i++) {
        const struct fleet_piece *piece = &answer->pieces[i];
        if (piece->from == 0 || piece->from > at || piece->to <= at) {
            break;
        }
        if (is_wanted(redo, piece, voyage->ship.next)) {
            redo->piece_from = piece->from;
            redo->piece_to = piece->to;
            redo->piece_chain = piece->chain;
            return;
        }
        redo->at = at = piece->to;
    }
    if (at == voyage->sent.from) {
        doubt(voyage);
    }
}

static void note_done(struct fleet_redo *redo, const struct fleet_request *sent)
{
    redo->done_from = redo->done_to == 0 || sent->from < redo->done_from ? sent->from : redo->done_from;
    redo->done_to = sent->to > redo->done_to ? sent->to : redo->done_to;
    redo->at = sent->to;
}

void fleet_redo_answer(struct fleet_voyage *voyage, const struct fleet_answer *answer)
{
    const struct fleet_request *sent = &voyage->sent;
    if (sent->ask == FLEET_READ) {
        read_pieces(voyage, answer);
    } else if (answer->outcome == FLEET_DONE) {
        voyage->ship.generation++;
        note_done(&voyage->redo, sent);
        voyage->redo.piece_from = 0;
        voyage->redo.show = false; /* head and `about` came along */
    } else if (answer->outcome == FLEET_NO || answer->outcome == FLEET_UNKNOWN) {
        doubt(voyage); /* the same segment again, behind a look */
    }
}
