/* Finds the base of a session that a segment makes. */
#include <stdlib.h>

#include "base/error.h"
#include "store/meta.h"
#include "travel/applying.h"
#include "xylem/feed.h"

int xylem_travel__find_session(struct xylem_session *found, struct xylem_travel__applying *applying)
{
    const struct xylem_segment *segment = &applying->reader.segment;
    return xylem_store__session_find_any_in(found, applying->txn, segment->name_space, segment->session, applying->err);
}

int xylem_travel__find_remains(struct xylem_base__numbers *remains, struct xylem_travel__applying *applying)
{
    const struct xylem_segment *segment = &applying->reader.segment;
    return xylem_travel__find_freed(remains, applying->txn, segment->name_space, segment->session, applying->err);
}

int xylem_travel__find_freed(struct xylem_base__numbers *remains, struct xylem_txn *txn, struct xylem_view name_space,
                             struct xylem_view id, struct xylem_error *err)
{
    struct xylem_store__freed freed;
    struct xylem_feed *feed;
    struct xylem_change change;
    struct xylem_session session;
    int code = xylem_store__freed_read(&freed, txn, err);
    if (code < 0 || freed.session_count == 0 || (code = xylem_feed_new(&feed, txn, NULL, err)) < 0) {
        return code;
    }
    while ((code = xylem_feed_next(&change, feed, err)) > 0) {
        if (change.type != XYLEM_CHANGE_FREED || !xylem_base__view_equal(change.freed_id, id) ||
            !xylem_base__view_equal(change.freed_name_space, name_space)) {
            continue;
        }
        code = xylem_session_read(&session, txn, change.session, err);
        if (code == XYLEM_OK && session.state == XYLEM_SESSION_FREED) {
            code = xylem_base__numbers_add(remains, change.session, err);
        }
        if (code < 0 &&
            code != XYLEM_E_NOT_FOUND) { /* NOT_FOUND: nothing is left of the session, and the search goes on */
            break;
        }
    }
    xylem_feed_free(feed);
    xylem_base__numbers_sort(remains);
    return code;
}

/* 1 and the position of the base entry in the session, or 0. Sets `other` if another entry has the id. */
static int find_in(struct xylem_session *made, bool *other, struct xylem_travel__applying *applying,
                   const struct xylem_session *source)
{
    uint64_t check = applying->reader.row.base_check;
    made->tree = source->tree;
    int found =
        xylem_store__find(&made->base, applying->txn, source, applying->reader.segment.base_entry, applying->err);
    if (found <= 0) {
        return found;
    }
    found = xylem_travel__check_fits(applying, made->base, check);
    *other |= found == 0;
    return found;
}

/* The same for the session of the id, and for remains of earlier sessions of the id. */
static int find_entry(struct xylem_session *made, bool *other, struct xylem_travel__applying *applying)
{
    const struct xylem_segment *segment = &applying->reader.segment;
    struct xylem_base__numbers remains = {NULL, 0, 0};
    struct xylem_session source;
    int found = xylem_store__session_find_any_in(&source, applying->txn, segment->base_name_space,
                                                 segment->base_session, applying->err);
    if (found == XYLEM_OK && source.state != XYLEM_SESSION_IMPORTING) {
        found = find_in(made, other, applying, &source);
    }
    if (found == 0 || found == XYLEM_E_NOT_FOUND) {
        found = xylem_travel__find_freed(&remains, applying->txn, segment->base_name_space, segment->base_session,
                                         applying->err);
    }
    for (size_t i = 0; found == 0 && i < remains.count; i++) {
        found = xylem_session_read(&source, applying->txn, remains.list[i], applying->err);
        found = found < 0 ? found : find_in(made, other, applying, &source);
    }
    free(remains.list);
    return found;
}

int xylem_travel__find_base(struct xylem_session *made, struct xylem_travel__applying *applying)
{
    const struct xylem_segment *segment = &applying->reader.segment;
    bool other = false;
    int found = segment->base_session.data ? find_entry(made, &other, applying) : 1;
    if (found != 0) {
        return found < 0 ? found : XYLEM_OK;
    }
    /* Another entry may have the id: of a store that went back in time, or of before a dropped hash. */
    return xylem_base__fail(applying->err, other ? XYLEM_E_CONFLICT : XYLEM_E_NOT_FOUND,
                            "the session %.*s is a fork of the entry %.*s of the session %.*s, which %s",
                            XYLEM_BASE__SHOWN(segment->session), XYLEM_BASE__SHOWN(segment->base_entry),
                            XYLEM_BASE__SHOWN(segment->base_session),
                            other ? "has another history in the store: the session of the base must come first"
                                  : "is not in the store: a segment with the entry must come first");
}
