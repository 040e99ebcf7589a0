#include "fleet/settle.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/utf8.h"
#include "base/value.h"

#define EPOCH_BYTES 22u /* ` #18446744073709551615` */

/* The name of a host is a stranger's text: bytes that nobody can see are `?`. */
void fleet_owner_write(struct fleet_owner *owner, struct xylem_view host, uint64_t epoch)
{
    size_t bytes = 0;
    for (size_t at = 0; at < host.bytes;) {
        size_t shown = xylem_base__utf8_shown_bytes(host.data + at, host.bytes - at);
        size_t taken = shown ? shown : 1;
        if (bytes + taken > XYLEM_OWNER_BYTES_MAX - EPOCH_BYTES) {
            break;
        }
        memcpy(owner->text + bytes, shown ? host.data + at : "?", taken);
        bytes += taken;
        at += taken;
    }
    (void)snprintf(owner->text + bytes, sizeof owner->text - bytes, "%s#%" PRIu64, bytes ? " " : "", epoch);
}

int fleet_session_find(struct xylem_session *session, struct xylem_txn *txn, struct xylem_view id,
                       struct xylem_error *err)
{
    struct xylem_sessions *sessions;
    int code = xylem_sessions_beginning(&sessions, txn, id, err);
    if (code < 0) {
        return code;
    }
    while ((code = xylem_sessions_next(session, sessions, err)) > 0 && !xylem_base__view_equal(session->id, id)) {
    }
    xylem_sessions_free(sessions);
    return code;
}

int fleet_keep_text(struct xylem_buffer *buffer, struct xylem_view text, struct xylem_error *err)
{
    xylem_base__buffer_clear(buffer);
    return xylem_buffer_add(buffer, text.data, text.bytes) < 0 ? xylem_base__fail_memory(err) : XYLEM_OK;
}

int fleet_end(struct xylem_txn *txn, int code, struct xylem_error *err)
{
    if (code <= 0) {
        xylem_abort(txn);
        return code;
    }
    int committed = xylem_commit(txn, err);
    return committed < 0 ? committed : code;
}

/* --- Forks -------------------------------------------------------------------------------------------------------- */

/* Gives a session another id. */
static int fork_away(struct xylem_store *store, uint64_t session, uint64_t from, const char *reason,
                     const struct fleet_traffic *traffic, struct xylem_error *err)
{
    struct xylem_txn *txn;
    struct xylem_session row;
    struct xylem_buffer names = {NULL, 0, 0};
    size_t bytes = strlen(reason);
    size_t id_bytes = 0;
    const struct xylem_view cut = {reason, bytes < XYLEM_REASON_BYTES_MAX ? bytes : XYLEM_REASON_BYTES_MAX};
    int code = xylem_begin(&txn, store, XYLEM_WRITE, err);
    if (code < 0) {
        return code;
    }
    if ((code = xylem_session_read(&row, txn, session, err)) == XYLEM_OK &&
        (code = fleet_keep_text(&names, row.id, err)) == XYLEM_OK &&
        (code = xylem_session_diverge(&row, txn, session, (struct xylem_view){NULL, 0}, cut, err)) == XYLEM_OK) {
        id_bytes = names.bytes;
        code = xylem_buffer_add(&names, row.id.data, row.id.bytes) < 0 ? xylem_base__fail_memory(err) : 1;
    }
    if ((code = fleet_end(txn, code, err)) > 0) {
        fleet_traffic_tell(traffic, &(struct fleet_news){.type = FLEET_NEWS_FORKED,
                                                         .session = {names.data, id_bytes},
                                                         .fork = {names.data + id_bytes, names.bytes - id_bytes},
                                                         .from = from,
                                                         .text = reason});
    }
    xylem_buffer_release(&names);
    return code;
}

int fleet_fork_tail(struct xylem_store *store, struct xylem_view session, uint64_t from, const char *reason,
                    const struct fleet_traffic *traffic, struct xylem_error *err)
{
    struct xylem_txn *txn;
    struct xylem_session row;
    int code = xylem_begin(&txn, store, XYLEM_READ, err);
    if (code < 0) {
        return code;
    }
    code = fleet_session_find(&row, txn, session, err);
    xylem_abort(txn);
    return code > 0 ? fork_away(store, row.number, from, reason, traffic, err)
           : code < 0
               ? code
               : xylem_base__fail(err, XYLEM_E_NOT_FOUND, "the store has no session %.*s", XYLEM_BASE__SHOWN(session));
}

/* --- Fenced ------------------------------------------------------------------------------------------------------- */

/*
 * 1: the session follows; 0: nothing is to be done; CONFLICT with `*from`: the store has changes that the owner does not
 * have, the first with this ordinal; CONFLICT without: a process holds the session. `*applies`: the segment did not apply.
 */
static int try_follow(uint64_t *from, bool *applies, struct xylem_txn *txn, uint64_t session,
                      const struct fleet_rival *rival, struct xylem_view segment, struct xylem_error *err)
{
    struct xylem_session row;
    struct fleet_owner owner;
    struct xylem_apply_report report;
    int code = xylem_session_read(&row, txn, session, err);
    *applies = false;
    if (code < 0 || row.owner.data || row.state == XYLEM_SESSION_FREED ||
        !xylem_base__view_equal(row.id, rival->session)) {
        return code == XYLEM_E_NOT_FOUND ? 0 : code;
    }
    bool deleted = row.state == XYLEM_SESSION_DELETED; /* nobody misses what its user deleted, and it stays here */
    if (!deleted && (row.history.count > rival->next - 1 ||
                     (row.history.count == rival->next - 1 && row.history.chain != rival->chain))) {
        *from = rival->next;
        return XYLEM_E_CONFLICT;
    }
    fleet_owner_write(&owner, rival->host, rival->epoch);
    code = xylem_session_follow(txn, session, xylem_view_of(owner.text), rival->epoch, err);
    if (code < 0 || deleted || !segment.data) {
        return code < 0 ? code : 1;
    }
    const struct xylem_apply_options options = {.owner = xylem_view_of(owner.text), .epoch = rival->epoch};
    *applies = true;
    code = xylem_segment_apply(&report, txn, segment, &options, err);
    *from = code == XYLEM_E_CONFLICT ? report.differs : 0;
    return code < 0 ? code : 1;
}

/* In a transaction of its own. */
static int follow(uint64_t *from, bool *applies, struct xylem_store *store, uint64_t session,
                  const struct fleet_rival *rival, struct xylem_view segment, struct xylem_error *err)
{
    struct xylem_txn *txn;
    int code = xylem_begin(&txn, store, XYLEM_WRITE, err);
    if (code < 0) {
        return code;
    }
    return fleet_end(txn, try_follow(from, applies, txn, session, rival, segment, err), err);
}

int fleet_settle(enum fleet_settled *settled, struct xylem_store *store, uint64_t session,
                 const struct fleet_rival *rival, struct xylem_view segment, const struct fleet_traffic *traffic,
                 struct xylem_error *err)
{
    char reason[XYLEM_REASON_BYTES_MAX];
    struct fleet_owner owner;
    struct xylem_segment read;
    uint64_t from = 0;
    bool applies = false;
    bool sound = segment.data && xylem_segment_read(&read, segment, NULL) == XYLEM_OK;
    segment = sound ? segment : (struct xylem_view){NULL, 0};
    int code = follow(&from, &applies, store, session, rival, segment, err);
    if (applies && from == 0 && (code == XYLEM_E_NOT_FOUND || code == XYLEM_E_CONFLICT || code == XYLEM_E_MALFORMED)) {
        segment = (struct xylem_view){NULL, 0};
        code = follow(&from, &applies, store, session, rival, segment, err);
    }
    *settled = code == 1 ? FLEET_SETTLED_FOLLOWS : FLEET_SETTLED_NOTHING;
    if (code == XYLEM_E_CONFLICT && from > 0) {
        fleet_owner_write(&owner, rival->host, rival->epoch);
        (void)snprintf(reason, sizeof reason,
                       "%s owns the session now: this fork has what this store had and the owner did not get",
                       owner.text);
        code = fork_away(store, session, from, reason, traffic, err);
        *settled = FLEET_SETTLED_FORKED;
    }
    if (code == XYLEM_E_CONFLICT) {
        *settled = FLEET_SETTLED_IN_USE;
    }
    return code < 0 && code != XYLEM_E_CONFLICT ? code : XYLEM_OK;
}
