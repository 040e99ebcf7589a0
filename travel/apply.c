/*
 * Applies a segment to a store: compares the changes that the store has already, then makes the new changes. A change
 * keeps the ordinal of the segment, so the session's chain ends like the segment's chain:
 *
 *     the store     1  2  3  4  5
 *     the segment         3  4  5  6  7  8 + document
 *                         compare  make
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store/session.h"
#include "store/lmdb/tables.h"
#include "travel/applying.h"
#include "xylem/branch.h"
#include "xylem/feed.h"

static int fail_gap(const struct xylem_segment *segment, uint64_t count, struct xylem_error *err)
{
    return xylem_base__fail(err, XYLEM_E_NOT_FOUND,
                            "the segment of the session %.*s begins at change %" PRIu64 ", and the store has %" PRIu64
                            " changes: a segment from change %" PRIu64 " must come first",
                            XYLEM_BASE__SHOWN(segment->session), segment->from, count, count + 1);
}

/* --- What the store has already ----------------------------------------------------------------------------------- */

static int differs(struct xylem_travel__applying *applying, uint64_t ordinal, const char *how)
{
    const struct xylem_segment *segment = &applying->reader.segment;
    applying->report->differs = ordinal;
    return xylem_base__fail(applying->err, XYLEM_E_CONFLICT,
                            "the store has another history of the session %.*s: change %" PRIu64 " %s",
                            XYLEM_BASE__SHOWN(segment->session), ordinal, how);
}

/* Compares the changes that both have. */
static int compare(struct xylem_travel__applying *applying, struct xylem_store__ordinals *ordinals)
{
    const struct xylem_segment *segment = &applying->reader.segment;
    struct xylem_travel__change change;
    struct xylem_change own;
    struct xylem_entry entry;
    uint64_t chain = segment->chain_before;
    if (ordinals->chain != chain) {
        return differs(applying, segment->from - 1, "or one before differs");
    }
    for (; applying->next <= applying->session.history.count && applying->reader.left > 0; applying->next++) {
        int code = xylem_travel__reader_next(&change, &applying->reader, applying->err);
        code = code < 0 ? code : xylem_store__ordinals_next(&own, &entry, ordinals, &applying->session, applying->err);
        if (code < 0) {
            return code;
        }
        struct xylem_format__link link = {
            .ordinal = applying->next, .type = change.type, .time_ms = change.time_ms, .id = change.id};
        chain = xylem_format__session_chain(chain, &link);
        if (chain != ordinals->chain) {
            return differs(applying, applying->next, "differs");
        }
        bool is_side = change.type == XYLEM_CHANGE_SIDE;
        if (change.type != XYLEM_CHANGE_ENTRY && !is_side) {
            continue;
        }
        int same = is_side ? xylem_travel__side_same(applying, &own, &change)
                           : xylem_travel__same_entry(applying, &entry, &change);
        if (same <= 0) {
            return same < 0 ? same
                            : differs(applying, applying->next,
                                      is_side ? "is a row with another content" : "is an entry with another content");
        }
        /* The redaction may be a later change, or none here. */
        if (is_side) {
            code = change.side.redacted ? xylem_travel__taken_note_side(applying, own.side_lsn, &change) : XYLEM_OK;
        } else {
            applying->last = entry.position;
            code = change.flags & XYLEM_ENTRY_REDACTED ? xylem_travel__taken_note(applying, entry.position, &change)
                                                       : XYLEM_OK;
        }
        if (code < 0) {
            return code;
        }
    }
    return XYLEM_OK;
}

/* 1 if the segment has more than the store, and the store may take it; else 0. */
static int look(struct xylem_travel__applying *applying)
{
    const struct xylem_segment *segment = &applying->reader.segment;
    struct xylem_session *session = &applying->session;
    struct xylem_store__ordinals ordinals;
    struct xylem_view owner = applying->options->owner;
    int code;
    if (segment->from > session->history.count + 1) {
        return fail_gap(segment, session->history.count, applying->err);
    }
    code = xylem_store__ordinals_begin(&ordinals, applying->txn, session, segment->from, applying->err);
    code = code < 0 ? code : compare(applying, &ordinals);
    xylem_store__ordinals_release(&ordinals);
    bool follows = session->owner.data && xylem_base__view_equal(session->owner, owner);
    applying->taken_count = follows ? applying->taken_count : 0;
    applying->taken_side_count = follows ? applying->taken_side_count : 0;
    bool deleted_here = session->state == XYLEM_SESSION_DELETED && !follows;
    bool has_end = segment->has_document && segment->to - 1 >= session->history.count; /* else of an older state */
    if ((code < 0 && (code != XYLEM_E_CONFLICT || !deleted_here)) ||
        (code == XYLEM_OK && applying->reader.left == 0 && (!has_end || !follows))) {
        return code;
    }
    if (follows && applying->options->epoch < session->epoch) {
        return xylem_base__fail(applying->err, XYLEM_E_CONFLICT,
                                "the session %.*s has an owner of epoch %" PRIu64 ", and epoch %" PRIu64 " is older",
                                XYLEM_BASE__SHOWN(session->id), session->epoch, applying->options->epoch);
    }
    if (follows) {
        return 1;
    }
    if (deleted_here) { /* the deletion is a change that the owner does not have */
        return xylem_base__fail(applying->err, XYLEM_E_DELETED, "the session %.*s is deleted in this store",
                                XYLEM_BASE__SHOWN(session->id));
    }
    struct xylem_view owned = session->owner.data ? session->owner : xylem_view_of("");
    return xylem_base__fail(applying->err, XYLEM_E_CONFLICT,
                            "the session %.*s ends at change %" PRIu64 " in this store, and is not extended: %s%.*s "
                            "owns the session",
                            XYLEM_BASE__SHOWN(session->id), session->history.count,
                            owned.bytes > 0 ? "the store " : "this store", XYLEM_BASE__SHOWN(owned));
}

/* --- A new session ------------------------------------------------------------------------------------------------ */

static int make_session(struct xylem_travel__applying *applying)
{
    const struct xylem_segment *segment = &applying->reader.segment;
    const struct xylem_travel__row *row = &applying->reader.row;
    const struct xylem_apply_options *options = applying->options;
    bool mapped = options->cwd.data != NULL;
    struct xylem_session made = {.id = segment->session,
                                 .name_space = segment->name_space,
                                 .created_ms = row->created_ms,
                                 .cwd = mapped ? options->cwd : row->cwd,
                                 .parent = row->parent,
                                 .header = mapped ? (struct xylem_view){NULL, 0} : row->header,
                                 .owner = options->owner.bytes > 0 ? options->owner : (struct xylem_view){NULL, 0},
                                 .epoch = options->epoch};
    if (segment->from != 1) {
        return fail_gap(segment, 0, applying->err);
    }
    int code = xylem_travel__find_base(&made, applying);
    if (code < 0) {
        return code;
    }
    made.leaf = made.base;
    code = xylem_store__session_add_rows(applying->txn, &made, applying->err);
    applying->report->is_new = code == XYLEM_OK;
    applying->report->session = made.number;
    applying->wrote = true;
    return code < 0 ? code : xylem_travel__read_session(applying, made.number);
}

/* --- The changes -------------------------------------------------------------------------------------------------- */

static int redact(struct xylem_travel__applying *applying, const struct xylem_travel__change *change)
{
    struct xylem_change told = {.type = XYLEM_CHANGE_REDACTED, .session = applying->session.number};
    struct xylem_store__branch branch;
    int code;
    if ((code = xylem_travel__place_of(&told.position, applying, change->id)) < 0 ||
        (code = xylem_store__branch_read(&branch, applying->txn, told.position.branch, applying->err)) < 0) {
        return code;
    }
    if (branch.session != applying->session.number) {
        return xylem_base__fail(applying->err, XYLEM_E_MALFORMED,
                                "the segment of the session %.*s redacts an entry of another session",
                                XYLEM_BASE__SHOWN(applying->session.id));
    }
    code = xylem_travel__taken_note(applying, told.position, change);
    return code < 0 ? code : xylem_store__feed_add(applying->txn, &told, applying->err);
}

/* Makes a change that is no entry. */
static int make_change(struct xylem_travel__applying *applying, const struct xylem_travel__change *change)
{
    struct xylem_session *session = &applying->session;
    struct xylem_move made = {.time_ms = change->time_ms, .reason = change->reason};
    int code = xylem_travel__run_flush(applying);
    if (code < 0) {
        return code;
    }
    switch (change->type) {
    case XYLEM_CHANGE_MOVED:
        if ((code = xylem_travel__place_of(&made.from, applying, change->from)) < 0 ||
            (code = xylem_travel__place_of(&made.to, applying, change->id)) < 0) {
            return code;
        }
        session->leaf = applying->leaf = made.to;
        applying->has_leaf = true;
        session->move_count++;
        code = xylem_store__move_add(applying->txn, session, &made, applying->err);
        break;
    case XYLEM_CHANGE_REDACTED:
        code = redact(applying, change);
        break;
    case XYLEM_CHANGE_SIDE:
        code = xylem_travel__side_make(applying, change);
        break;
    case XYLEM_CHANGE_DELETED:
    case XYLEM_CHANGE_UNDELETED:
        session->state = change->type == XYLEM_CHANGE_DELETED ? XYLEM_SESSION_DELETED : XYLEM_SESSION_LIVE;
        code = xylem_store__session_change_state(applying->txn, session, change->type, applying->err);
        break;
    default:
        code = xylem_store__feed_tell(applying->txn, session->number, change->type, applying->err);
    }
    return code < 0 ? code : xylem_travel__read_session(applying, session->number);
}

static int make_changes(struct xylem_travel__applying *applying)
{
    struct xylem_travel__change change;
    int found;
    applying->wrote |= applying->reader.left > 0;
    while ((found = xylem_travel__reader_next(&change, &applying->reader, applying->err)) > 0) {
        bool entry = change.type == XYLEM_CHANGE_ENTRY;
        int code = entry ? xylem_travel__run_add(applying, &change) : make_change(applying, &change);
        if (code < 0) {
            return code;
        }
        applying->report->change_count++;
        applying->report->entry_count += entry;
        applying->next++;
    }
    found = found < 0 ? found : xylem_travel__run_flush(applying);
    found = found < 0 ? found : xylem_travel__taken_redact(applying);
    uint64_t check = xylem_base__read_u64(&applying->reader.cursor);
    bool any = applying->report->change_count > 0; /* what the store had is compared by its changes alone */
    return found < 0 || !any ? found : xylem_travel__run_check(applying, check);
}

/* --- The call ----------------------------------------------------------------------------------------------------- */

/* 1 if the session was freed here, and what is left of it follows the owner of the segment; else 0. */
static int has_remains(struct xylem_travel__applying *applying)
{
    struct xylem_base__numbers remains = {NULL, 0, 0};
    bool follows = false;
    int code = xylem_travel__find_remains(&remains, applying);
    for (size_t i = 0; code == XYLEM_OK && !follows && i < remains.count; i++) {
        code = xylem_travel__read_session(applying, remains.list[i]);
        follows = code == XYLEM_OK && xylem_travel__is_owners(applying);
    }
    free(remains.list);
    return code < 0 ? code : follows;
}

static int apply(struct xylem_travel__applying *applying)
{
    const struct xylem_segment *segment = &applying->reader.segment;
    const struct xylem_history *history = &applying->session.history;
    struct xylem_session found;
    applying->next = segment->from;
    int code = xylem_travel__redact_remains(applying); /* forks may share entries of a session that was freed here */
    if (code < 0 || segment->freed) {
        return code < 0 ? code : xylem_travel__apply_freed(applying);
    }
    int exists = xylem_travel__find_session(&found, applying);
    if (exists == XYLEM_E_NOT_FOUND && segment->to == 1) {
        return XYLEM_OK; /* a session without a change is none */
    }
    if (exists == XYLEM_E_NOT_FOUND) {
        code = segment->from > 1 ? has_remains(applying) : 0;
        if (code > 0) { /* freed here: the redactions are taken */
            applying->report->deleted = true;
            return XYLEM_OK;
        }
        code = code < 0 ? code : make_session(applying);
        code = code < 0 ? code : 1;
    } else if (exists < 0) {
        return exists;
    } else {
        applying->report->session = found.number;
        code = xylem_travel__read_session(applying, found.number);
        code = code < 0 ? code : look(applying);
        bool deleted = applying->session.state == XYLEM_SESSION_DELETED && xylem_travel__is_owners(applying);
        if (deleted && (code == XYLEM_E_CONFLICT || code == XYLEM_E_NOT_FOUND)) {
            struct xylem_travel__had had; /* deleted here, and its owner went on: only redactions are taken */
            applying->report->deleted = true;
            applying->report->differs = 0;
            return xylem_travel__redact_in(&had, applying, found.number);
        }
        code = code == 0 ? xylem_travel__taken_redact(applying) : code;
    }
    if (code <= 0 || (code = make_changes(applying)) < 0) {
        return code;
    }
    /* Each change took one ordinal, so count and chain are the segment's. */
    if (history->count < segment->to - 1 || (history->count == segment->to - 1 && history->chain != segment->chain)) {
        return xylem_base__fail(applying->err, XYLEM_E_MALFORMED,
                                "the segment of the session %.*s has changes that cannot follow each other",
                                XYLEM_BASE__SHOWN(segment->session));
    }
    return xylem_travel__apply_document(applying);
}

int xylem_travel__apply(struct xylem_apply_report *report, struct xylem_txn *txn, struct xylem_view bytes,
                        const struct xylem_apply_options *options, bool is_whole, struct xylem_error *err)
{
    struct xylem_segment segment;
    struct xylem_travel__applying applying = {
        .txn = txn, .report = report, .options = options, .is_whole = is_whole, .err = err};
    memset(report, 0, sizeof *report);
    int code;
    struct xylem_view owner = applying.options->owner;
    if ((code = xylem_lmdb__writable(txn, err)) < 0 ||
        (owner.bytes > 0 && (code = xylem_store__owner_check(owner, err)) < 0) ||
        (code = xylem_segment_read(&segment, bytes, err)) < 0 ||
        (code = xylem_travel__reader_begin(&applying.reader, bytes, err)) < 0) {
        goto out;
    }
    applying.begun = applying.reader;
    code = apply(&applying);
    if (code < 0 && applying.wrote) {
        xylem_lmdb__write_failed(txn, code); /* a commit would store half a segment */
    }
out:
    xylem_travel__run_release(&applying);
    xylem_travel__reader_release(&applying.reader);
    xylem_buffer_release(&applying.copies);
    return code;
}

int xylem_segment_apply(struct xylem_apply_report *report, struct xylem_txn *txn, struct xylem_view bytes,
                        const struct xylem_apply_options *options, struct xylem_error *err)
{
    static const struct xylem_apply_options defaults;
    return xylem_travel__apply(report, txn, bytes, options ? options : &defaults, false, err);
}
