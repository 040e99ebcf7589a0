/*
 * Takes what a document ID.json of format 2 says beyond the session file. The document does not tell which entries came
 * between two moves, so all moves come behind the entries.
 */
#include "base/base64.h"
#include "base/error.h"
#include "store/find.h"
#include "store/session.h"
#include "travel/told.h"
#include "xylem/branch.h"

struct documented {
    struct xylem_txn *txn;
    struct xylem_session session;
    struct xylem_travel__told_memory *memory;
    struct xylem_travel__told told;
    struct xylem_error *err;
};

static int place_of(struct xylem_position *position, struct documented *documented, struct xylem_view id)
{
    *position = (struct xylem_position){0, 0};
    int found =
        id.bytes == 0 ? 1 : xylem_store__find(position, documented->txn, &documented->session, id, documented->err);
    return found != 0 ? (found < 0 ? found : XYLEM_OK)
                      : xylem_base__fail(documented->err, XYLEM_E_MALFORMED,
                                         "the document names the entry %.*s, which the session file does not have",
                                         XYLEM_BASE__SHOWN(id));
}

static int take_move(struct documented *documented)
{
    const struct xylem_travel__change *change = &documented->told.change;
    struct xylem_session *session = &documented->session;
    struct xylem_move move = {.time_ms = change->time_ms, .reason = change->reason};
    int code;
    if ((code = place_of(&move.from, documented, change->from)) < 0 ||
        (code = place_of(&move.to, documented, change->id)) < 0) {
        return code;
    }
    session->move_count++;
    session->leaf = move.to;
    code = xylem_store__move_add(documented->txn, session, &move, documented->err);
    return code < 0 ? code : xylem_session_read(session, documented->txn, session->number, documented->err);
}

static int take_line(struct documented *documented, struct xylem_view base64)
{
    struct xylem_quarantined *line = &documented->told.line;
    struct xylem_buffer *bytes = &documented->memory->bytes;
    size_t before = bytes->bytes;
    int code = xylem_base__base64_read(bytes, base64);
    line->raw = (struct xylem_view){bytes->data + before, bytes->bytes - before};
    bool whole = line->raw.bytes == line->raw_bytes && xylem_format__hash(line->raw) == line->hash;
    return code == XYLEM_OK && (whole || base64.bytes == 0)
               ? xylem_store__quarantine_add(documented->txn, documented->session.number, line, documented->err)
               : xylem_base__fail(documented->err, XYLEM_E_MALFORMED,
                                  "the member `base64` of a line in quarantine: expected the bytes of its hash");
}

static int take_list(struct documented *documented, const char *name, unsigned type)
{
    const struct xylem_value *list = xylem_value_get(documented->memory->tree.nodes, name);
    int code = XYLEM_OK;
    for (const struct xylem_value *element = xylem_value_first(list); code >= 0 && element;
         element = xylem_value_next(list, element)) {
        code = xylem_travel__told_read(&documented->told, documented->memory, element, type, documented->err);
        if (code == XYLEM_OK && type == XYLEM_CHANGE_MOVED) {
            code = take_move(documented);
        } else if (code == XYLEM_OK && type == XYLEM_TRAVEL__TOLD_FILE) { /* whose lines the store does not know */
            code = xylem_store__source_note(documented->txn, documented->session.number, documented->told.source.name,
                                            documented->err);
        } else if (code == XYLEM_OK) {
            code = take_line(documented, xylem_value_string(xylem_value_get(element, "base64")));
        }
    }
    return code < 0 ? code : XYLEM_OK;
}

int xylem_travel__take_document(struct xylem_txn *txn, struct xylem_travel__told_memory *memory,
                                struct xylem_error *err)
{
    struct documented documented = {.txn = txn, .memory = memory, .err = err};
    struct xylem_session *session = &documented.session;
    const struct xylem_value *document = memory->tree.nodes;
    struct xylem_view id = xylem_value_string(xylem_value_get(document, "session"));
    bool is_deleted = xylem_base__view_is(xylem_value_string(xylem_value_get(document, "state")), "deleted");
    int code = xylem_store__session_find_any(session, txn, id, err);
    if (code < 0 || session->state != XYLEM_SESSION_LIVE || session->move_count > 0 || session->owner.data) {
        return code; /* taken before, or changed since */
    }
    if ((code = take_list(&documented, "moves", XYLEM_CHANGE_MOVED)) < 0 ||
        (code = take_list(&documented, "files", XYLEM_TRAVEL__TOLD_FILE)) < 0 ||
        (code = take_list(&documented, "lines", XYLEM_TRAVEL__TOLD_QUARANTINED)) < 0 ||
        (code = xylem_session_read(session, txn, session->number, err)) < 0 ||
        (code = place_of(&session->leaf, &documented, xylem_value_string(xylem_value_get(document, "leaf")))) < 0 ||
        (code = xylem_store__session_write(txn, session, err)) < 0 ||
        (code = xylem_store__outline_notice(txn, session->number, err)) < 0) {
        return code;
    }
    return is_deleted ? xylem_session_delete(txn, session->number, err) : XYLEM_OK;
}
