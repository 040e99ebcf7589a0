/*
 * Applies the remains of a freed session: entries for its forks, under a session without an id. The entries have no
 * ordinals, so each entry is looked up, and a second segment adds missing entries.
 */
#include <string.h>

#include "store/lmdb/tables.h"
#include "store/meta.h"
#include "travel/applying.h"
#include "xylem/feed.h"

/* Makes a session without a row in session_ids, as xylem_gc() leaves it. */
static int make_remains(struct xylem_travel__applying *applying)
{
    struct xylem_txn *txn = applying->txn;
    struct xylem_error *err = applying->err;
    struct xylem_view id = applying->reader.segment.session;
    struct xylem_session made = {.id = id, .owner = applying->options->owner};
    struct xylem_store__freed freed;
    const struct xylem_lmdb__floors nothing = {.session = 0};
    int code;
    if ((code = xylem_travel__find_base(&made, applying)) < 0) {
        return code;
    }
    applying->wrote = true;
    if ((code = xylem_store__session_add_rows(txn, &made, err)) < 0 ||
        (code = xylem_lmdb__remove(txn, XYLEM_FORMAT__SESSION_IDS, id, err)) < 0) {
        return code;
    }
    made.id = (struct xylem_view){NULL, 0};
    made.state = XYLEM_SESSION_FREED;
    if ((code = xylem_store__session_write(txn, &made, err)) < 0 ||
        (code = xylem_store__feature_add(txn, XYLEM_FORMAT__FEATURE_FREED, err)) < 0 ||
        (code = xylem_store__floors_raise(txn, &nothing, err)) < 0 ||
        (code = xylem_store__freed_read(&freed, txn, err)) < 0) {
        return code;
    }
    freed.session_count++;
    const struct xylem_change told = {.type = XYLEM_CHANGE_FREED, .session = made.number, .freed_id = id};
    if ((code = xylem_store__freed_write(txn, &freed, err)) < 0 ||
        (code = xylem_store__feed_add(txn, &told, err)) < 0) {
        return code;
    }
    applying->report->is_new = true;
    return xylem_travel__read_session(applying, made.number);
}

/* Notes an entry for redaction, if its owner redacted the entry. An entry of another history stays. */
static int take_out(struct xylem_travel__applying *applying, struct xylem_position position,
                    const struct xylem_travel__change *change)
{
    struct xylem_entry entry;
    if (!(change->flags & XYLEM_ENTRY_REDACTED)) {
        return XYLEM_OK;
    }
    int code = xylem_entry_read(&entry, applying->txn, position, applying->err);
    bool same = (change->flags & XYLEM_ENTRY_HASH_DROPPED) || entry.unverified.payload_hash == change->payload_hash;
    return code < 0 || !same ? code : xylem_travel__taken_note(applying, position, change);
}

/* True if the owner of the segment may change the session, or its remains. */
static bool is_owners(const struct xylem_travel__applying *applying)
{
    struct xylem_view owner = applying->session.owner;
    return owner.data && xylem_base__view_equal(owner, applying->options->owner);
}

/* The store has the session still. Redactions by its owner since then are carried out here, too. */
static int redact_followed(struct xylem_travel__applying *applying, uint64_t number)
{
    struct xylem_travel__change change;
    int code = xylem_travel__read_session(applying, number);
    while (code == XYLEM_OK && is_owners(applying) &&
           (code = xylem_travel__reader_next(&change, &applying->reader, applying->err)) > 0) {
        struct xylem_position position;
        int found = xylem_store__find(&position, applying->txn, &applying->session, change.id, applying->err);
        code = found <= 0 ? found : take_out(applying, position, &change);
    }
    return code < 0 ? code : xylem_travel__taken_redact(applying);
}

int xylem_travel__apply_freed(struct xylem_travel__applying *applying)
{
    struct xylem_travel__change change;
    struct xylem_session found;
    struct xylem_view id = applying->reader.segment.session;
    struct xylem_apply_report *report = applying->report;
    int code = xylem_store__session_find_any(&found, applying->txn, id, applying->err);
    if (code != XYLEM_E_NOT_FOUND) {
        report->session = code < 0 ? 0 : found.number;
        return code < 0 ? code : redact_followed(applying, found.number);
    }
    code = xylem_travel__find_freed(&found, applying->txn, id, applying->err);
    code = code < 0 ? code : code == 0 ? make_remains(applying) : xylem_travel__read_session(applying, found.number);
    report->session = code < 0 ? 0 : applying->session.number;
    while (code == XYLEM_OK && (code = xylem_travel__reader_next(&change, &applying->reader, applying->err)) > 0) {
        struct xylem_position position;
        code = xylem_store__find(&position, applying->txn, &applying->session, change.id, applying->err);
        if (code == 0) {
            applying->wrote = true;
            report->change_count++;
            report->entry_count++;
            code = xylem_travel__run_add(applying, &change);
        } else if (code > 0 && (code = xylem_travel__run_flush(applying)) == XYLEM_OK) {
            applying->last = position; /* the owner may have redacted the entry since; own entries stay */
            code = is_owners(applying) ? take_out(applying, position, &change) : XYLEM_OK;
        }
    }
    code = code < 0 ? code : xylem_travel__run_flush(applying);
    code = code < 0 ? code : xylem_travel__taken_redact(applying);
    return code < 0 || report->entry_count == 0
               ? code
               : xylem_travel__run_check(applying, xylem_base__read_u64(&applying->reader.cursor));
}
