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
    code = xylem_sessions_next(session, sessions, err); /* of the ids that begin so, the id itself is the first */
    xylem_sessions_free(sessions);
    return code > 0 ? xylem_base__view_equal(session->id, id) : code;
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

int fleet_fork_tail(struct xylem_store *store, struct xylem_view session, uint64_t from, const char *reason,
                    const struct fleet_traffic *traffic, struct xylem_error *err)
{
    struct xylem_txn *txn;
    struct xylem_session row;
    struct xylem_buffer fork = {NULL, 0, 0};
    size_t bytes = strlen(reason);
    const struct xylem_view cut = {reason, bytes < XYLEM_REASON_BYTES_MAX ? bytes : XYLEM_REASON_BYTES_MAX};
    int code = xylem_begin(&txn, store, XYLEM_WRITE, err);
    if (code < 0) {
        return code;
    }
    if ((code = fleet_session_find(&row, txn, session, err)) == 0) {
        code = xylem_base__fail(err, XYLEM_E_NOT_FOUND, "the store has no session %.*s", XYLEM_BASE__SHOWN(session));
    } else if (code > 0 && (code = xylem_session_diverge(&row, txn, row.number, (struct xylem_view){NULL, 0}, cut,
                                                         err)) == XYLEM_OK) {
        code = fleet_keep_text(&fork, row.id, err) < 0 ? XYLEM_E_MEMORY : 1;
    }
    if ((code = fleet_end(txn, code, err)) > 0) {
        fleet_traffic_tell(traffic, &(struct fleet_news){.type = FLEET_NEWS_FORKED,
                                                         .session = session,
                                                         .fork = xylem_base__buffer_view(&fork),
                                                         .from = from,
                                                         .text = reason});
    }
    xylem_buffer_release(&fork);
    return code;
}
