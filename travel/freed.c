/*
 * Applies the remains of a freed session: entries for its forks, under a session without an id. The entries have no
 * ordinals, so each entry is looked up, and a second segment adds missing entries.
 */
#include <stdlib.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "store/format/hash.h"
#include "store/lmdb/tables.h"
#include "store/meta.h"
#include "travel/applying.h"
#include "xylem/feed.h"

int xylem_travel__same_entry(const struct xylem_travel__applying *applying, const struct xylem_entry *own,
                             const struct xylem_travel__change *change)
{
    static const struct xylem_position none = {0, 0};
    bool named = change->parent_is == XYLEM_TRAVEL__NAMED;
    struct xylem_view parent = {NULL, 0};
    struct xylem_buffer line = {NULL, 0, 0};
    int code = named ? xylem_entry_parent_id(&parent, applying->txn, own, applying->err) : XYLEM_OK;
    if (code < 0) {
        return code;
    }
    struct xylem_position before = change->parent_is == XYLEM_TRAVEL__BEFORE ? applying->last : none;
    bool same_parent =
        named ? xylem_base__view_equal(parent, change->parent) : xylem_format__position_equal(own->parent, before);
    if (!same_parent || own->kind.kind_class != change->kind.kind_class ||
        !xylem_base__view_equal(own->kind.name, change->kind.name) || own->format != change->format ||
        ((own->flags ^ change->flags) & XYLEM_ENTRY_IMPORTED)) {
        return 0;
    }
    unsigned either = own->flags | change->flags;
    bool redacted = (change->flags & XYLEM_ENTRY_REDACTED) != 0;
    uint64_t hash = redacted ? change->payload_hash : xylem_format__hash(change->payload);
    if (!(either & XYLEM_ENTRY_HASH_DROPPED) && own->unverified.payload_hash != hash) {
        return 0;
    }
    if (either & XYLEM_ENTRY_REDACTED) {
        return 1;
    }
    code = xylem_store__line_part(&line, own, applying->err);
    code = code < 0 ? code : xylem_base__view_equal(xylem_base__buffer_view(&line), change->line);
    xylem_buffer_release(&line);
    return code;
}

/* Makes a session without a row in session_ids, as xylem_gc() leaves it. A living session may have the id. */
static int make_remains(struct xylem_travel__applying *applying)
{
    struct xylem_txn *txn = applying->txn;
    struct xylem_error *err = applying->err;
    char minted[XYLEM_BASE__UUID_TEXT_BYTES];
    struct xylem_session made = {.id = {minted, sizeof minted}, .owner = applying->options->owner};
    struct xylem_store__freed freed;
    const struct xylem_lmdb__floors nothing = {.session = 0};
    int code;
    if ((code = xylem_travel__find_base(&made, applying)) < 0 || (code = xylem_base__uuid_v7(minted, err)) < 0) {
        return code;
    }
    applying->wrote = true;
    if ((code = xylem_store__session_add_rows(txn, &made, err)) < 0 ||
        (code = xylem_lmdb__remove(txn, XYLEM_FORMAT__SESSION_IDS, made.id, err)) < 0) {
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
    const struct xylem_change told = {.type = XYLEM_CHANGE_FREED,
                                      .session = made.number,
                                      .freed_id = applying->reader.segment.session,
                                      .freed_name_space = applying->reader.segment.name_space};
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

bool xylem_travel__is_owners(const struct xylem_travel__applying *applying)
{
    struct xylem_view owner = applying->session.owner;
    return owner.data && xylem_base__view_equal(owner, applying->options->owner);
}

/* Goes back to the first change of the segment. */
static void rewind_changes(struct xylem_travel__applying *applying)
{
    applying->reader.cursor = applying->begun.cursor;
    applying->reader.left = applying->begun.left;
    applying->reader.kind_count = 0;
    applying->last = (struct xylem_position){0, 0};
}

/* Compares an entry of remains with the entry of its id in the session, at the position. */
static int compare(struct xylem_travel__had *had, struct xylem_travel__applying *applying,
                   const struct xylem_travel__change *change, struct xylem_position position)
{
    struct xylem_entry own;
    if (xylem_format__position_none(position)) { /* remains that hang below another base have no parent of the first */
        bool first = !had->lacks && xylem_format__position_none(applying->last);
        int there =
            !first || change->parent_is != XYLEM_TRAVEL__NAMED
                ? 1
                : xylem_store__find(&position, applying->txn, &applying->session, change->parent, applying->err);
        had->lacks = true;
        had->differs |= there == 0;
        return there < 0 ? there : XYLEM_OK;
    }
    int code = xylem_entry_read(&own, applying->txn, position, applying->err);
    int same = code < 0 ? code : xylem_travel__same_entry(applying, &own, change);
    had->differs |= same == 0 || own.time_ms != change->time_ms;
    applying->last = position;
    return same < 0 ? same : XYLEM_OK;
}

int xylem_travel__redact_in(struct xylem_travel__had *had, struct xylem_travel__applying *applying, uint64_t number)
{
    struct xylem_travel__change change;
    int code = xylem_travel__read_session(applying, number);
    bool follows = code == XYLEM_OK && xylem_travel__is_owners(applying);
    uint64_t ordinal = applying->reader.segment.from;
    *had = (struct xylem_travel__had){.lacks = false};
    rewind_changes(applying);
    while (code == XYLEM_OK && (code = xylem_travel__reader_next(&change, &applying->reader, applying->err)) > 0) {
        struct xylem_position position = {0, 0};
        bool row = change.type == XYLEM_CHANGE_SIDE && follows;
        bool named = change.type == XYLEM_CHANGE_ENTRY || change.type == XYLEM_CHANGE_REDACTED;
        int found =
            named ? xylem_store__find(&position, applying->txn, &applying->session, change.id, applying->err) : 0;
        code = found > 0 && follows ? take_out(applying, position, &change) : found < 0 ? found : XYLEM_OK;
        code = code == XYLEM_OK && row ? xylem_travel__side_take_out(applying, &change, ordinal) : code;
        code = code == XYLEM_OK && applying->reader.segment.freed ? compare(had, applying, &change, position) : code;
        ordinal++;
    }
    return code < 0 ? code : xylem_travel__taken_redact(applying);
}

int xylem_travel__redact_remains(struct xylem_travel__applying *applying)
{
    struct xylem_base__numbers remains = {NULL, 0, 0};
    struct xylem_travel__change change = {.flags = 0};
    struct xylem_store__freed freed;
    struct xylem_travel__had had;
    int code = xylem_store__freed_read(&freed, applying->txn, applying->err);
    if (code < 0 || freed.session_count == 0) {
        return code;
    }
    code = 1;
    while (code > 0 && !(change.flags & XYLEM_ENTRY_REDACTED)) {
        code = xylem_travel__reader_next(&change, &applying->reader, applying->err);
    }
    if (code > 0) {
        code = xylem_travel__find_remains(&remains, applying);
    }
    for (size_t i = 0; code == XYLEM_OK && i < remains.count; i++) {
        code = xylem_travel__redact_in(&had, applying, remains.list[i]);
    }
    free(remains.list);
    rewind_changes(applying);
    return code;
}

/* Goes to the remains of the session, which are made if there are none. Remains with other entries are another's. */
static int open_remains(struct xylem_travel__applying *applying)
{
    struct xylem_base__numbers remains = {NULL, 0, 0};
    struct xylem_travel__had had = {.differs = true};
    int code = xylem_travel__find_remains(&remains, applying);
    for (size_t i = 0; code == XYLEM_OK && had.differs && i < remains.count; i++) {
        code = xylem_travel__redact_in(&had, applying, remains.list[i]);
    }
    free(remains.list);
    rewind_changes(applying);
    return code < 0 || !had.differs ? code : make_remains(applying);
}

int xylem_travel__apply_freed(struct xylem_travel__applying *applying)
{
    struct xylem_travel__change change;
    struct xylem_session found;
    struct xylem_apply_report *report = applying->report;
    struct xylem_travel__had had = {.lacks = true};
    int code = xylem_travel__find_session(&found, applying);
    if (code == XYLEM_OK) { /* the store has the session still, perhaps only its first part */
        report->session = found.number;
        code = xylem_travel__redact_in(&had, applying, found.number);
    }
    if ((code < 0 && code != XYLEM_E_NOT_FOUND) || (!had.lacks && !had.differs)) {
        return code;
    }
    code = open_remains(applying);
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
            applying->last = position;
        }
    }
    code = code < 0 ? code : xylem_travel__run_flush(applying);
    return code < 0 || report->entry_count == 0
               ? code
               : xylem_travel__run_check(applying, xylem_base__read_u64(&applying->reader.cursor));
}
