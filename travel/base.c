/* Finds the base of a session that a segment makes. */
#include "base/error.h"
#include "travel/applying.h"
#include "xylem/feed.h"

int xylem_travel__find_freed(struct xylem_session *session, struct xylem_txn *txn, struct xylem_view id,
                             struct xylem_error *err)
{
    struct xylem_feed *feed;
    struct xylem_change change;
    int code = xylem_feed_new(&feed, txn, NULL, err);
    if (code < 0) {
        return code;
    }
    int found = 0;
    while (found == 0 && (code = xylem_feed_next(&change, feed, err)) > 0) {
        if (change.type == XYLEM_CHANGE_FREED && xylem_base__view_equal(change.freed_id, id)) {
            code = xylem_session_read(session, txn, change.session, err);
            found = code == XYLEM_OK && session->state == XYLEM_SESSION_FREED;
            if (code < 0 && code != XYLEM_E_NOT_FOUND) {
                break;
            }
        }
    }
    xylem_feed_free(feed);
    return found || code == XYLEM_E_NOT_FOUND ? found : code;
}

int xylem_travel__find_base(struct xylem_session *made, struct xylem_travel__applying *applying)
{
    const struct xylem_segment *segment = &applying->reader.segment;
    uint64_t check = applying->reader.row.base_check;
    struct xylem_session source;
    struct xylem_entry base;
    if (!segment->base_session.data) {
        return XYLEM_OK;
    }
    int found = xylem_store__session_find_any(&source, applying->txn, segment->base_session, applying->err);
    if (found == XYLEM_E_NOT_FOUND) {
        found = xylem_travel__find_freed(&source, applying->txn, segment->base_session, applying->err);
    } else if (found == XYLEM_OK) {
        found = source.state != XYLEM_SESSION_IMPORTING;
    }
    if (found == 1) {
        found = xylem_store__find(&made->base, applying->txn, &source, segment->base_entry, applying->err);
        made->tree = source.tree;
    }
    int code = found == 1 && check != 0 ? xylem_entry_read(&base, applying->txn, made->base, applying->err) : found;
    if (code < 0 || (found == 1 && (check == 0 || base.check == check))) {
        return code < 0 ? code : XYLEM_OK;
    }
    /* An entry of the base's id may be another one: of a store that went back in time, or of before a dropped hash. */
    return xylem_base__fail(applying->err, found == 1 ? XYLEM_E_CONFLICT : XYLEM_E_NOT_FOUND,
                            "the session %.*s is a fork of the entry %.*s of the session %.*s, which %s",
                            XYLEM_BASE__SHOWN(segment->session), XYLEM_BASE__SHOWN(segment->base_entry),
                            XYLEM_BASE__SHOWN(segment->base_session),
                            found == 1 ? "has another history in the store: the session of the base must come first"
                                       : "is not in the store: a segment with the entry must come first");
}
