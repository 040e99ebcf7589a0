/* Finds the base of a session that a segment makes. */
#include "base/error.h"
#include "store/session.h"
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

static int fail_base(const struct xylem_segment *segment, struct xylem_error *err)
{
    return xylem_base__fail(err, XYLEM_E_NOT_FOUND,
                            "the session %.*s is a fork of the entry %.*s of the session %.*s, which is not in the "
                            "store: a segment with the entry must come first",
                            XYLEM_BASE__SHOWN(segment->session), XYLEM_BASE__SHOWN(segment->base_entry),
                            XYLEM_BASE__SHOWN(segment->base_session));
}

/* An entry of the base's id may be another one: of a store that went back in time, or of before a dropped hash. */
static int check_base(const struct xylem_session *made, const struct xylem_travel__applying *applying)
{
    const struct xylem_segment *segment = &applying->reader.segment;
    uint64_t check = applying->reader.row.base_check;
    struct xylem_entry base;
    int code = check == 0 ? XYLEM_OK : xylem_entry_read(&base, applying->txn, made->base, applying->err);
    return code < 0 || check == 0 || base.check == check
               ? code
               : xylem_base__fail(applying->err, XYLEM_E_CONFLICT,
                                  "the session %.*s is a fork of the entry %.*s of the session %.*s, which has another "
                                  "history in the store: the session of the base must come first",
                                  XYLEM_BASE__SHOWN(segment->session), XYLEM_BASE__SHOWN(segment->base_entry),
                                  XYLEM_BASE__SHOWN(segment->base_session));
}

int xylem_travel__find_base(struct xylem_session *made, struct xylem_travel__applying *applying)
{
    const struct xylem_segment *segment = &applying->reader.segment;
    struct xylem_session source;
    if (!segment->base_session.data) {
        return XYLEM_OK;
    }
    int found = xylem_store__session_find_any(&source, applying->txn, segment->base_session, applying->err);
    if (found == XYLEM_E_NOT_FOUND) {
        found = xylem_travel__find_freed(&source, applying->txn, segment->base_session, applying->err);
        found = found == 0 ? XYLEM_E_NOT_FOUND : found;
    }
    if (found == XYLEM_E_NOT_FOUND || (found >= 0 && source.state == XYLEM_SESSION_IMPORTING)) {
        return fail_base(segment, applying->err);
    }
    found =
        found < 0 ? found : xylem_store__find(&made->base, applying->txn, &source, segment->base_entry, applying->err);
    made->tree = source.tree;
    return found == 0 ? fail_base(segment, applying->err) : found < 0 ? found : check_base(made, applying);
}
