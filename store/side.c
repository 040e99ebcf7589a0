#include "store/side.h"

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/branch.h"
#include "store/feed.h"
#include "store/format/keys.h"
#include "store/lmdb/tables.h"
#include "store/meta.h"
#include "store/session.h"
#include "xylem/feed.h"

/* --- Rows --------------------------------------------------------------------------------------------------------- */

int xylem_store__side_decode(struct xylem_side *side, struct xylem_view row)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    unsigned type = xylem_base__read_u8(&cursor);
    *side = (struct xylem_side){.type = (enum xylem_side_type)(type & ~XYLEM_STORE__SIDE_REDACTED),
                                .redacted = (type & XYLEM_STORE__SIDE_REDACTED) != 0};
    bool record = side->type == XYLEM_SIDE_RECORD;
    bool ranged = xylem_store__side_ranged(side);
    if (record) {
        side->dialect = xylem_base__read_u8(&cursor);
    } else {
        side->position.branch = xylem_base__read_varint(&cursor);
        side->position.depth = xylem_base__read_varint(&cursor);
    }
    uint64_t number = xylem_base__read_varint(&cursor); /* of entries, or of bytes */
    side->count = ranged ? number : 0;
    *xylem_store__side_text(side) = xylem_base__read_bytes(&cursor, ranged ? 0 : number);
    bool placed = side->position.branch > 0 && side->position.depth > 0;
    bool right = xylem_base__cursor_ended(&cursor) && (unsigned)side->type <= XYLEM_SIDE_VALUES && placed == !record &&
                 (side->count > 0) == ranged && side->count <= side->position.depth && !(ranged && side->redacted) &&
                 !(side->redacted && number > XYLEM_REASON_BYTES_MAX);
    return right ? XYLEM_OK : XYLEM_E_MALFORMED;
}

/* 1 and the first row of the session at an lsn, or behind it if it is not `exact`; or 0. */
static int read_row(uint64_t *lsn, struct xylem_side *side, struct xylem_txn *txn, uint64_t session, bool exact,
                    struct xylem_error *err)
{
    struct xylem_format__key wanted;
    struct xylem_lmdb__rows *rows;
    struct xylem_view row = {NULL, 0};
    uint64_t owner = session;
    xylem_format__key_pair(&wanted, session, *lsn);
    struct xylem_view key = wanted.view;
    int found = exact ? xylem_lmdb__get_summed(&row, txn, XYLEM_FORMAT__SIDES, key, err)
                      : xylem_lmdb__rows_new(&rows, txn, XYLEM_FORMAT__SIDES, err);
    if (!exact && found == XYLEM_OK) {
        found = xylem_lmdb__rows_step_summed(&key, &row, rows, XYLEM_LMDB__AT_OR_AFTER, err);
        xylem_lmdb__rows_free(rows);
    }
    if (found <= 0) {
        return found;
    }
    bool right = xylem_format__key_read_pair(&owner, lsn, key);
    if (right && owner != session) {
        return 0;
    }
    return right && *lsn < UINT64_MAX && xylem_store__side_decode(side, row) == XYLEM_OK
               ? 1
               : xylem_base__fail(err, XYLEM_E_CORRUPT,
                                  "the row of session number %" PRIu64 " and lsn %" PRIu64
                                  " in the table sides has invalid fields",
                                  session, *lsn);
}

int xylem_store__side_find(struct xylem_side *side, struct xylem_txn *txn, uint64_t session, uint64_t lsn,
                           struct xylem_error *err)
{
    return read_row(&lsn, side, txn, session, true, err);
}

int xylem_store__side_behind(uint64_t *lsn, struct xylem_side *side, struct xylem_txn *txn, uint64_t session,
                             struct xylem_error *err)
{
    (*lsn)++;
    return read_row(lsn, side, txn, session, false, err);
}

static int put_row(struct xylem_txn *txn, uint64_t session, uint64_t lsn, const struct xylem_side *side,
                   struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_buffer row = {NULL, 0, 0};
    struct xylem_side copy = *side;
    struct xylem_view text = *xylem_store__side_text(&copy);
    unsigned type = side->type | (side->redacted ? XYLEM_STORE__SIDE_REDACTED : 0u);
    xylem_format__key_pair(&key, session, lsn);
    bool made =
        xylem_base__add_u8(&row, (uint8_t)type) == XYLEM_OK &&
        (side->type == XYLEM_SIDE_RECORD ? xylem_base__add_u8(&row, (uint8_t)side->dialect) == XYLEM_OK
                                         : xylem_base__add_varint(&row, side->position.branch) == XYLEM_OK &&
                                               xylem_base__add_varint(&row, side->position.depth) == XYLEM_OK) &&
        xylem_base__add_varint(&row, side->count > 0 ? side->count : text.bytes) == XYLEM_OK &&
        xylem_buffer_add(&row, text.data, text.bytes) == XYLEM_OK;
    return xylem_lmdb__put_summed(txn, XYLEM_FORMAT__SIDES, key.view, &row, made, true, err);
}

/* Redacts the values of a redacted entry before the write: their row must not bring them back. MEMORY. */
static int follow_entry(struct xylem_side *side, struct xylem_buffer *reason, struct xylem_txn *txn)
{
    struct xylem_entry entry;
    struct xylem_view text;
    if (side->type != XYLEM_SIDE_VALUES || side->redacted || xylem_entry_read(&entry, txn, side->position, NULL) < 0 ||
        !(entry.flags & XYLEM_ENTRY_REDACTED)) {
        return XYLEM_OK;
    }
    side->redacted = true;
    int read = xylem_entry_redaction(&text, &entry, NULL); /* a damaged reason stays empty */
    int code = read < 0 ? XYLEM_OK : xylem_buffer_add(reason, text.data, text.bytes);
    side->reason = xylem_base__buffer_view(reason);
    return code;
}

int xylem_store__side_write(uint64_t *lsn, struct xylem_txn *txn, const struct xylem_session *session,
                            const struct xylem_side *side, uint64_t key_lsn, struct xylem_error *err)
{
    static const struct xylem_position none = {0, 0};
    const struct xylem_change change = {.type = XYLEM_CHANGE_SIDE, .session = session->number, .side_lsn = key_lsn};
    struct xylem_session own = *session;
    struct xylem_side row = *side;
    struct xylem_buffer copies = {NULL, 0, 0};
    struct xylem_buffer reason = {NULL, 0, 0};
    int code;
    if (xylem_store__session_own(&copies, &own) < 0 || (code = follow_entry(&row, &reason, txn)) < 0) {
        xylem_buffer_release(&copies);
        return xylem_base__fail_memory(err);
    }
    code = xylem_store__feed_change(txn, &own, &change, none, 0, err);
    uint64_t key = key_lsn ? key_lsn : own.history.row;
    if (code < 0 || (code = put_row(txn, own.number, key, &row, err)) < 0 ||
        (code = xylem_store__session_write(txn, &own, err)) < 0) {
        xylem_lmdb__write_failed(txn, code); /* no row without its change */
    } else if (lsn) {
        *lsn = key;
    }
    xylem_buffer_release(&copies);
    xylem_buffer_release(&reason);
    return code;
}

int xylem_store__side_redact(struct xylem_txn *txn, uint64_t session, uint64_t lsn, struct xylem_view reason,
                             struct xylem_error *err)
{
    struct xylem_side side;
    struct xylem_session owner;
    int found = xylem_store__side_find(&side, txn, session, lsn, err);
    if (found <= 0 || side.redacted || (found = xylem_session_read(&owner, txn, session, err)) < 0) {
        return found < 0 ? found : XYLEM_OK;
    }
    side.redacted = true;
    side.reason = reason;
    return xylem_store__side_write(NULL, txn, &owner, &side, lsn, err);
}

int xylem_store__side_follow(struct xylem_txn *txn, uint64_t session, uint64_t lsn, struct xylem_view reason,
                             struct xylem_error *err)
{
    struct xylem_side side;
    int found = xylem_store__side_find(&side, txn, session, lsn, err);
    if (found <= 0 || side.redacted || xylem_store__side_ranged(&side)) {
        return found < 0 ? found : 0;
    }
    side.redacted = true;
    side.reason = reason;
    int code = put_row(txn, session, lsn, &side, err);
    code = code < 0 ? code : xylem_store__removal_note(txn, XYLEM_STORE__REDACTION, err);
    if (code < 0) {
        xylem_lmdb__write_failed(txn, code); /* half a redaction must not be committed */
    }
    return code < 0 ? code : 1;
}

int xylem_store__side_told(uint64_t *ordinal, struct xylem_txn *txn, uint64_t session, uint64_t lsn,
                           struct xylem_error *err)
{
    struct xylem_lmdb__rows *rows;
    struct xylem_store__feed row = {.first_lsn = 0};
    int found = xylem_lmdb__rows_new(&rows, txn, XYLEM_FORMAT__FEED, err);
    if (found < 0) {
        return found;
    }
    found = xylem_store__feed_seek(&row, txn, rows, lsn, err);
    xylem_lmdb__rows_free(rows);
    *ordinal = row.ordinal;
    return found <= 0 ? found : row.first_lsn == lsn && row.side_lsn == lsn && row.session == session;
}

/* Checks that values make a line of their entry. */
static int check_values(const struct xylem_entry *entry, const struct xylem_side *side, struct xylem_error *err)
{
    struct xylem_base__tree tree;
    struct xylem_error reason;
    struct xylem_view payload;
    bool line = entry->format == XYLEM_FORMAT_LINE;
    if (line && (side->redacted || xylem_entry_payload(&payload, entry, NULL) < 0)) {
        return XYLEM_OK; /* nothing to check, or the entry is redacted or damaged */
    }
    xylem_base__tree_init(&tree);
    int code = line ? xylem_store__line_check(&tree, payload, side->values, &reason)
                    : xylem_base__fail(&reason, XYLEM_E_MALFORMED, "the entry is no line");
    xylem_base__tree_release(&tree);
    return code < 0 ? xylem_base__fail(err, code, "the values do not fit the holes of entry %.*s: %s",
                                       XYLEM_BASE__SHOWN(entry->id), reason.text)
                    : code;
}

int xylem_store__side_check(struct xylem_entry *entry, struct xylem_txn *txn, const struct xylem_session *session,
                            const struct xylem_side *side, struct xylem_error *err)
{
    struct xylem_session asked = *session;
    struct xylem_view text = side->type == XYLEM_SIDE_RECORD ? side->bytes : side->values;
    text.bytes = side->redacted || xylem_store__side_ranged(side) ? 0 : text.bytes;
    if (text.bytes > XYLEM_LINE_BYTES_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "a record or values have %zu bytes; the limit is %u", text.bytes,
                                XYLEM_LINE_BYTES_MAX);
    }
    if (side->type == XYLEM_SIDE_RECORD) {
        return text.bytes == 0 || !memchr(text.data, '\n', text.bytes)
                   ? XYLEM_OK
                   : xylem_base__fail(err, XYLEM_E_MALFORMED, "a record has a newline: expected one line");
    }
    asked.number =
        side->type == XYLEM_SIDE_SHARED ? 0 : asked.number; /* without branches: the path of the base alone */
    int belongs = xylem_entry_read(entry, txn, side->position, err);
    belongs = belongs < 0 ? belongs : xylem_store__belongs(txn, &asked, side->position, err);
    if (belongs <= 0) {
        return belongs < 0 ? belongs
                           : xylem_base__fail(err, XYLEM_E_NOT_FOUND,
                                              "the session %.*s %s the entry at " XYLEM_FORMAT__AT_FORMAT,
                                              XYLEM_BASE__SHOWN(session->id),
                                              side->type == XYLEM_SIDE_SHARED ? "does not share" : "does not have",
                                              XYLEM_FORMAT__AT_ARGUMENTS(side->position));
    }
    return side->type == XYLEM_SIDE_VALUES ? check_values(entry, side, err) : XYLEM_OK;
}

int xylem_side_add(uint64_t *lsn, struct xylem_txn *txn, uint64_t session, const struct xylem_side *side,
                   struct xylem_error *err)
{
    struct xylem_session row;
    struct xylem_entry entry;
    bool record = side->type == XYLEM_SIDE_RECORD;
    if ((unsigned)side->type > XYLEM_SIDE_SHARED || side->dialect > UINT8_MAX ||
        (!record && (side->count == 0 || side->count > side->position.depth))) {
        return xylem_base__fail(
            err, XYLEM_E_ARGUMENT,
            "a row of the type %d, dialect %u, with %" PRIu64
            " entries: expected a record, or a repeat or shared entries of 1 to the depth of the last",
            (int)side->type, side->dialect, side->count);
    }
    const struct xylem_side added = {.type = side->type,
                                     .dialect = side->dialect,
                                     .bytes = side->bytes,
                                     .position = side->position,
                                     .count = record ? 0 : side->count};
    int code;
    if ((code = xylem_store__session_for_write(&row, txn, session, err)) < 0 ||
        (code = xylem_store__side_check(&entry, txn, &row, &added, err)) < 0) {
        return code;
    }
    return xylem_store__side_write(lsn, txn, &row, &added, 0, err);
}

int xylem_side_read(struct xylem_side *side, struct xylem_txn *txn, uint64_t session, uint64_t lsn,
                    struct xylem_error *err)
{
    struct xylem_side read;
    int found = xylem_store__side_find(&read, txn, session, lsn, err);
    if (found <= 0) {
        return found < 0
                   ? found
                   : xylem_base__fail(err, XYLEM_E_NOT_FOUND,
                                      "session number %" PRIu64 " has no row at lsn %" PRIu64 " beside its entries",
                                      session, lsn);
    }
    *side = read;
    return XYLEM_OK;
}

/* --- Lines of entries --------------------------------------------------------------------------------------------- */

int xylem_store__side_line(struct xylem_buffer *line, struct xylem_txn *txn, const struct xylem_session *session,
                           const struct xylem_entry *entry, struct xylem_error *err)
{
    struct xylem_side side;
    if (entry->format != XYLEM_FORMAT_LINE) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "the entry %.*s is no line of another host",
                                XYLEM_BASE__SHOWN(entry->id));
    }
    int found = xylem_store__side_find(&side, txn, session->number, entry->lsn, err);
    bool own = found > 0 && side.type == XYLEM_SIDE_VALUES;
    return found < 0 ? found
           : own && side.redacted
               ? xylem_base__fail(err, XYLEM_E_REDACTED, "the session's own values of entry %.*s were redacted",
                                  XYLEM_BASE__SHOWN(entry->id))
               : xylem_store__line_text(line, entry, own ? &side.values : NULL, session->id, err);
}

int xylem_line_write(struct xylem_buffer *buffer, struct xylem_txn *txn, uint64_t session,
                     const struct xylem_entry *entry, struct xylem_error *err)
{
    struct xylem_session row;
    struct xylem_entry read;
    struct xylem_buffer line = {NULL, 0, 0};
    const struct xylem_side side = {.type = XYLEM_SIDE_REPEAT, .position = entry->position};
    int code;
    if ((code = xylem_session_read(&row, txn, session, err)) == XYLEM_OK &&
        (code = xylem_store__side_check(&read, txn, &row, &side, err)) == XYLEM_OK &&
        (code = xylem_store__side_line(&line, txn, &row, entry, err)) == XYLEM_OK &&
        xylem_buffer_add(buffer, line.data, line.bytes) < 0) {
        code = xylem_base__fail_memory(err);
    }
    xylem_buffer_release(&line);
    return code;
}

/* Parts a line, and compares its payload with that of the entry by the hash: 1 and the values, or 0. */
static int part(struct xylem_buffer *values, const struct xylem_entry *entry, struct xylem_view line,
                const struct xylem_line_form *form, struct xylem_view session_id, struct xylem_error *err)
{
    struct xylem_buffer payload = {NULL, 0, 0};
    struct xylem_view stored;
    if (!xylem_format__form_fits(form, line)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "a line needs a form: " XYLEM_FORMAT__FORM_RULE);
    }
    int code = xylem_format__holes_encode(&payload, values, line, form, session_id);
    struct xylem_view made = xylem_base__buffer_view(&payload);
    bool same = entry->format == XYLEM_FORMAT_LINE && !(entry->flags & XYLEM_ENTRY_HASH_DROPPED) &&
                entry->unverified.payload_hash == xylem_format__hash(made);
    if (code == XYLEM_OK && same && !(entry->flags & XYLEM_ENTRY_REDACTED)) {
        code = xylem_entry_payload(&stored, entry, err);
        same = code == XYLEM_OK && xylem_base__view_equal(stored, made);
    }
    xylem_buffer_release(&payload);
    return code == XYLEM_E_MEMORY ? xylem_base__fail_memory(err) : code < 0 ? code : same;
}

int xylem_line_same(const struct xylem_entry *entry, struct xylem_view line, const struct xylem_line_form *form,
                    struct xylem_error *err)
{
    struct xylem_buffer values = {NULL, 0, 0};
    int same = part(&values, entry, line, form, (struct xylem_view){NULL, 0}, err);
    xylem_buffer_release(&values);
    return same;
}

int xylem_line_share(struct xylem_txn *txn, uint64_t session, struct xylem_position position, struct xylem_view line,
                     const struct xylem_line_form *form, struct xylem_error *err)
{
    struct xylem_session row;
    struct xylem_entry entry;
    struct xylem_side known;
    struct xylem_buffer now = {NULL, 0, 0};
    struct xylem_buffer values = {NULL, 0, 0};
    struct xylem_side side = {.type = XYLEM_SIDE_SHARED, .position = position};
    int code;
    if ((code = xylem_store__session_for_write(&row, txn, session, err)) < 0 ||
        (code = xylem_store__side_check(&entry, txn, &row, &side, err)) < 0 ||
        (code = xylem_store__side_line(&now, txn, &row, &entry, err)) < 0 ||
        (code = part(&values, &entry, line, form, row.id, err)) < 0) {
        goto out;
    }
    if (code == 0) {
        code = xylem_base__fail(err, XYLEM_E_MALFORMED, "the line is another one than that of entry %.*s",
                                XYLEM_BASE__SHOWN(entry.id));
    } else if (xylem_base__view_equal(xylem_base__buffer_view(&now), line)) {
        code = 0;
    } else if ((code = xylem_store__side_find(&known, txn, session, entry.lsn, err)) > 0) {
        code = xylem_base__fail(err, XYLEM_E_EXISTS, "the session %.*s has other values of its own in entry %.*s",
                                XYLEM_BASE__SHOWN(row.id), XYLEM_BASE__SHOWN(entry.id));
    } else if (code == 0) {
        side.type = XYLEM_SIDE_VALUES;
        side.values = xylem_base__buffer_view(&values);
        code = xylem_store__side_check(&entry, txn, &row, &side, err);
        code = code < 0 ? code : xylem_store__side_write(NULL, txn, &row, &side, entry.lsn, err);
        code = code < 0 ? code : 1;
    }
out:
    xylem_buffer_release(&now);
    xylem_buffer_release(&values);
    return code;
}
