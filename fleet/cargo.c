/* The cargo of a voyage: segments packed from the store, the head, the words of lists. And the news of a voyage. */
#include "base/buffer.h"
#include "base/error.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "fleet/frame.h"
#include "fleet/voyage.h"
#include "xylem/branch.h"
#include "xylem/outline.h"
#include "xylem/state.h"

#define NAME_BYTES_MAX 256u
#define CWD_BYTES_MAX 1024u

static const struct xylem_view none = {NULL, 0};

void fleet_voyage_tell(const struct fleet_voyage *voyage, struct fleet_news news)
{
    news.session = xylem_base__buffer_view(&voyage->id);
    news.epoch = voyage->ship.epoch;
    fleet_traffic_tell(&voyage->shipper->traffic, &news);
}

int fleet_voyage_hold(struct fleet_voyage *voyage, enum fleet_news_type type, const char *text)
{
    voyage->held = true;
    voyage->wanted = false;
    fleet_voyage_tell(voyage,
                      (struct fleet_news){.type = type, .host = xylem_base__buffer_view(&voyage->host), .text = text});
    return 0;
}

int fleet_voyage_send(struct fleet_voyage *voyage, struct fleet_request *request, struct xylem_error *err)
{
    struct fleet_shipper *shipper = voyage->shipper;
    request->session = xylem_base__buffer_view(&voyage->id);
    request->epoch = voyage->ship.epoch;
    int code = fleet_traffic_send(&shipper->traffic, shipper, voyage, request, err);
    if (code == XYLEM_E_LIMIT) {
        return fleet_voyage_hold(voyage, FLEET_NEWS_HELD, err->text);
    }
    if (code == 1) {
        voyage->on_way = true;
        voyage->sent = *request;
        voyage->sent.session = voyage->sent.host = voyage->sent.body = voyage->sent.about = voyage->sent.head = none;
        if (request->ask == FLEET_CLAIM || request->ask == FLEET_LOOK || request->ask == FLEET_APPEND) {
            fleet_ship_sent(&voyage->ship);
        }
    }
    return code < 0 ? code : 0;
}

/* --- About -------------------------------------------------------------------------------------------------------- */

/* The id of the session that has the base of a fork; data NULL: no fork, or the source was freed. */
static int find_base(struct xylem_view *id, struct xylem_txn *txn, const struct xylem_session *session,
                     struct xylem_error *err)
{
    struct xylem_session source;
    uint64_t number;
    *id = (struct xylem_view){NULL, 0};
    if (session->base.depth == 0) {
        return XYLEM_OK;
    }
    int code = xylem_owner(&number, txn, session->base, err);
    code = code < 0 ? code : xylem_session_read(&source, txn, number, err);
    *id = code == XYLEM_OK && source.state != XYLEM_SESSION_FREED ? source.id : *id;
    return code;
}

static int write_about(struct xylem_buffer *about, struct xylem_txn *txn, const struct xylem_session *session,
                       struct xylem_error *err)
{
    struct xylem_outline outline;
    struct xylem_buffer name = {NULL, 0, 0}; /* or the first words of a person */
    struct xylem_view base;
    int code = xylem_outline_read(&outline, &name, txn, session, err);
    code = code < 0 || outline.has_name ? code : xylem_outline_words(&name, NULL, txn, session, err);
    code = code < 0 ? code : find_base(&base, txn, session, err);
    /* A text of control characters grows by escapes: then the texts of people are left out. */
    for (bool texts = true; code == XYLEM_OK; texts = false) {
        struct xylem_base__writer writer = {.buffer = about};
        xylem_base__buffer_clear(about);
        struct xylem_view words =
            texts && name.bytes > 0 ? xylem_base__utf8_beginning(xylem_base__buffer_view(&name), NAME_BYTES_MAX) : none;
        xylem_base__write_member(&writer, "{\"name\":", outline.has_name ? words : none);
        xylem_base__write_member(&writer, ",\"prompt\":", outline.has_name ? none : words);
        xylem_base__write_member(&writer,
                                 ",\"cwd\":", texts ? xylem_base__utf8_beginning(session->cwd, CWD_BYTES_MAX) : none);
        xylem_base__write_counted(&writer, ",\"entries\":", outline.entry_count);
        xylem_base__write(&writer, ",\"active\":");
        xylem_base__write_number(&writer, (double)outline.active_ms);
        xylem_base__write(&writer, ",\"created\":");
        xylem_base__write_number(&writer, (double)session->created_ms);
        xylem_base__write_member(
            &writer, ",\"parent\":", texts ? xylem_base__utf8_beginning(session->parent, NAME_BYTES_MAX) : none);
        xylem_base__write_member(&writer, ",\"base\":", texts ? base : none);
        xylem_base__write_flag(&writer, ",\"deleted\":", session->state == XYLEM_SESSION_DELETED);
        xylem_base__write(&writer, "}");
        code = writer.code;
        if (!texts || about->bytes <= FLEET_ABOUT_BYTES_MAX) {
            break;
        }
    }
    xylem_buffer_release(&name);
    return code;
}

/* --- Segments ----------------------------------------------------------------------------------------------------- */

/* 1 and a segment, or 0: there is none. `whole`: LIMIT, if the changes are too many for one segment. */
static int pack(struct xylem_segment *segment, struct fleet_voyage *voyage, const struct xylem_pack_options *options,
                bool whole, struct xylem_error *err)
{
    struct fleet_shipper *shipper = voyage->shipper;
    struct xylem_buffer rest = {NULL, 0, 0};
    struct xylem_segment behind;
    struct xylem_packing *packing;
    int code =
        shipper->is_synced ? XYLEM_OK : xylem_sync(shipper->store, err); /* only what a power loss leaves is sent */
    if (code < 0 || (code = xylem_packing_new(&packing, shipper->txn, voyage->number, options, err)) < 0) {
        return code;
    }
    shipper->is_synced = true;
    if (whole) {
        xylem_packing_whole(packing);
    }
    code = xylem_packing_next(&shipper->body, segment, packing, err);
    if (whole && code == 1 && (code = xylem_packing_next(&rest, &behind, packing, err)) >= 0) {
        code = code == 0 ? 1 : xylem_base__fail(err, XYLEM_E_LIMIT, "more changes than a segment may have");
    }
    xylem_buffer_release(&rest);
    xylem_packing_free(packing);
    return code;
}

/* The head, and the words of lists. With `if_new` only news for the engine. */
static int show(struct fleet_request *request, struct fleet_voyage *voyage, bool if_new, struct xylem_error *err)
{
    struct fleet_shipper *shipper = voyage->shipper;
    struct xylem_session row;
    int code = xylem_session_read(&row, shipper->txn, voyage->number, err);
    xylem_base__buffer_clear(&shipper->head);
    code = code < 0 ? code : write_about(&shipper->about, shipper->txn, &row, err);
    code = code < 0 ? code : xylem_head_json(&shipper->head, shipper->txn, voyage->number, FLEET_HEAD_ENTRIES, err);
    if (code < 0) {
        return code;
    }
    const struct xylem_view head = xylem_base__buffer_view(&shipper->head);
    const struct xylem_view about = xylem_base__buffer_view(&shipper->about);
    voyage->showing = (struct fleet_shown){.head = fleet_frame_sum(head), .about = fleet_frame_sum(about)};
    request->head = if_new && voyage->showing.head == voyage->shown.head ? none : head;
    request->about = if_new && voyage->showing.about == voyage->shown.about ? none : about;
    return 1;
}

int fleet_voyage_pack(struct fleet_request *request, struct fleet_voyage *voyage, uint64_t from, uint64_t to,
                      bool whole, struct xylem_error *err)
{
    const struct xylem_pack_options options = {.from = from, .to = to};
    struct xylem_segment segment = {.from = 0};
    int code = pack(&segment, voyage, &options, whole, err);
    voyage->showing = voyage->shown;
    request->from = segment.from;
    request->to = segment.to;
    request->before = segment.chain_before;
    request->after = segment.chain;
    request->body = xylem_base__buffer_view(&voyage->shipper->body);
    if (code == 1 && !segment.freed && (whole || segment.has_document)) {
        code = show(request, voyage, !whole, err);
    }
    if (code == XYLEM_E_CORRUPT || code == XYLEM_E_LIMIT || code == XYLEM_E_MALFORMED || code == XYLEM_E_CONFLICT) {
        return fleet_voyage_hold(voyage, FLEET_NEWS_HELD, err->text); /* the other sessions go on */
    }
    return code;
}
