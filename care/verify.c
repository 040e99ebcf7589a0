/*
 * xylem_verify() runs the passes in this order. This file also checks the rows of most tables.
 *
 *   1. verify_pages.c     the pages of the file. A table with a damaged page is shut: later passes skip the table.
 *   2. verify_log.c       the records along each branch, and the feed's order
 *   3. check_meta         the rows that `meta` must have
 *   4. verify_rows        each row of each other table: sum, fields, and the rows and entries that the row leads to
 *      verify_history.c   ordinals, links and chains, at the visits of sessions and feed
 *   5. verify_outlines.c  the rows that follow from other rows
 *   6. verify_damage.c    which sessions are whole
 *
 * Sessions come before branches: the chains of the sessions say which branches there must be. A problem is reported
 * once, where its row is visited; a pass that only passes the damage reports nothing.
 */
#include "care/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "store/branch.h"
#include "store/feed.h"
#include "store/format/keys.h"
#include "store/lease.h"
#include "store/meta.h"
#include "store/note.h"
#include "store/session.h"
#include "store/side.h"
#include "store/source.h"
#include "xylem/branch.h"
#include "xylem/feed.h"

/* The place of a row with a wrong sum, by the key alone. */
static struct xylem_care__place place_of_row(enum xylem_format__table table, struct xylem_view key)
{
    struct xylem_care__place place = {.table = table};
    uint64_t first = xylem_format__key_first(key);
    if (table == XYLEM_FORMAT__SESSION_IDS) {
        xylem_format__key_read_session_id(&first, &place.session_id, key);
    } else if (table == XYLEM_FORMAT__BRANCHES) {
        place.position.branch = first;
    } else if (table == XYLEM_FORMAT__SESSIONS || table == XYLEM_FORMAT__MOVES || table == XYLEM_FORMAT__SOURCES ||
               table == XYLEM_FORMAT__QUARANTINE || table == XYLEM_FORMAT__SIDES) {
        place.session = first;
    }
    return place;
}

/* Visits every row of a table with its sum. A row with a wrong sum is a problem, and gets no visit. */
static int verify_rows(struct xylem_care__verify *verify, enum xylem_format__table table, xylem_care__visit_row *visit)
{
    struct xylem_lmdb__rows *rows;
    if (xylem_lmdb__table_is_shut(verify->txn, table)) {
        return XYLEM_OK;
    }
    int code = xylem_lmdb__rows_new(&rows, verify->txn, table, verify->err);
    if (code < 0) {
        return code;
    }
    struct xylem_care__place place = {.table = table};
    struct xylem_error reason;
    struct xylem_view key = {NULL, 0};
    struct xylem_view row = {NULL, 0};
    int found;
    while ((found = xylem_lmdb__rows_step(&key, &row, rows, XYLEM_LMDB__NEXT, &reason)) > 0) {
        verify->report->row_count++;
        int checked = xylem_lmdb__check_summed(&row, verify->txn, table, key, &reason);
        if (checked < 0) {
            struct xylem_care__place of_row = place_of_row(table, key);
            code = xylem_care__problem_if(verify, &of_row, checked, &reason);
        } else {
            code = visit(verify, key, row);
        }
        if (code < 0 || (code = xylem_care__verify_progress(verify)) < 0) {
            break;
        }
    }
    xylem_lmdb__rows_free(rows);
    return code < 0 ? code : xylem_care__problem_if(verify, &place, found, &reason);
}

/* --- Meta and kinds --------------------------------------------------------------------------------------------- */

static int visit_meta(struct xylem_care__verify *verify, struct xylem_view key, struct xylem_view row)
{
    static const struct {
        const char *name;
        size_t bytes;
    } known[] = {{XYLEM_FORMAT__META_FORMAT, 20}, {XYLEM_FORMAT__META_UUID, 16},       {XYLEM_FORMAT__META_FLOORS, 32},
                 {XYLEM_FORMAT__META_FREED, 16},  {XYLEM_FORMAT__META_REMOVED, 24},    {XYLEM_FORMAT__META_LEASES, 16},
                 {XYLEM_FORMAT__META_NOTES, 8},   {XYLEM_FORMAT__META_INCARNATION, 48}};
    struct xylem_care__place place = {.table = XYLEM_FORMAT__META};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (xylem_base__view_is(key, known[i].name)) {
            return row.bytes == known[i].bytes
                       ? XYLEM_OK
                       : xylem_care__problem(verify, &place, "the row %s: expected %zu bytes, found %zu", known[i].name,
                                             known[i].bytes, row.bytes);
        }
    }
    if (xylem_base__view_is(key, XYLEM_FORMAT__META_REDACTING)) {
        return XYLEM_OK; /* a redaction is under way, or was killed: no damage */
    }
    if (xylem_store__lease_key_is(key)) {
        /* A dead owner leaves its row behind, and so does the owner of a session that is gone: no damage. */
        struct xylem_lease_owner owner;
        return xylem_store__lease_row_read(&place.session, &owner, key, row)
                   ? XYLEM_OK
                   : xylem_care__problem(verify, &place,
                                         "the row of the owner of session number %" PRIu64 " has invalid fields",
                                         place.session);
    }
    struct xylem_view name;
    if (xylem_store__note_name(&name, key, row)) {
        verify->note_count++;
        return XYLEM_OK;
    }
    return xylem_care__problem(verify, &place, "found an unknown row %.*s", xylem_base__shown_bytes(key),
                               xylem_base__shown(key));
}

static int check_notes(struct xylem_care__verify *verify)
{
    struct xylem_care__place place = {.table = XYLEM_FORMAT__META};
    uint64_t stated;
    bool known = !xylem_lmdb__table_is_shut(verify->txn, XYLEM_FORMAT__META) &&
                 xylem_store__note_count(&stated, verify->txn, NULL) == XYLEM_OK; /* else its visit tells */
    return !known || stated == verify->note_count
               ? XYLEM_OK
               : xylem_care__problem(verify, &place, "the row %s counts %" PRIu64 " notes, found %" PRIu64,
                                     XYLEM_FORMAT__META_NOTES, stated, verify->note_count);
}

/* Reports a row that only a store with freed entries has. */
static int nothing_was_freed(struct xylem_care__verify *verify, const struct xylem_care__place *place)
{
    return xylem_care__problem(verify, place,
                               "the row tells of freed entries, but the store's features say that nothing was freed");
}

/* Numbers have no gap above the floor. A missing number up to the floor was freed. */
static int check_number(struct xylem_care__verify *verify, const struct xylem_care__place *place, uint64_t *last,
                        uint64_t number, uint64_t floor)
{
    bool gap = verify->may_be_freed && number > *last + 1 && number - 1 > floor;
    uint64_t before = *last;
    *last = number;
    return gap ? xylem_care__problem(verify, place,
                                     "number %" PRIu64 " follows number %" PRIu64 ", but no number above %" PRIu64
                                     " was freed",
                                     number, before, floor)
               : XYLEM_OK;
}

/*
 * Reads the store's features and floors. Checks the rows of `meta` that the store must have: by its features, or in any
 * case. No such row is ever removed.
 */
static int check_meta(struct xylem_care__verify *verify)
{
    static const struct {
        const char *name;
        uint64_t feature;
    } needed[] = {{XYLEM_FORMAT__META_FORMAT, 0},
                  {XYLEM_FORMAT__META_UUID, 0},
                  {XYLEM_FORMAT__META_FLOORS, XYLEM_FORMAT__FEATURE_FREED},
                  {XYLEM_FORMAT__META_FREED, XYLEM_FORMAT__FEATURE_FREED},
                  {XYLEM_FORMAT__META_REMOVED, XYLEM_FORMAT__FEATURE_REMOVED}};
    struct xylem_care__place place = {.table = XYLEM_FORMAT__META};
    struct xylem_error reason;
    struct xylem_stat stat;
    uint64_t stated = 0;
    uint64_t counted = 0;
    int code = xylem_store__meta_stat(&stat, verify->txn, &reason);
    uint64_t features = code < 0 ? 0 : stat.features; /* 0: damaged */
    verify->may_be_freed = (features & XYLEM_FORMAT__FEATURE_FREED) != 0;
    if (code == XYLEM_OK) {
        code = xylem_store__floors_read(&verify->floors, verify->txn, &reason);
    }
    /* The visit of `meta` reports damaged rows. */
    code = code == XYLEM_E_CORRUPT ? XYLEM_OK : xylem_care__problem_if(verify, &place, code, &reason);
    for (size_t i = 0; code == XYLEM_OK && i < sizeof needed / sizeof *needed; i++) {
        struct xylem_view row;
        if (needed[i].feature & ~features) {
            continue;
        }
        int found = xylem_lmdb__get(&row, verify->txn, XYLEM_FORMAT__META, xylem_view_of(needed[i].name), &reason);
        code = found == 0 ? xylem_care__problem(verify, &place, "the row %s is missing", needed[i].name)
                          : xylem_care__problem_if(verify, &place, found, &reason);
    }
    if (code < 0) {
        return code;
    }
    code = xylem_store__lease_counts(&stated, &counted, verify->txn, &reason);
    return code < 0 || stated == counted
               ? xylem_care__problem_if(verify, &place, code, &reason)
               : xylem_care__problem(verify, &place,
                                     "the row %s counts %" PRIu64 " sessions with owners, found %" PRIu64,
                                     XYLEM_FORMAT__META_LEASES, stated, counted);
}

/* A row of kinds leads from a number to a name, or from a name to a number. Another row must lead back. */
static int visit_kind(struct xylem_care__verify *verify, struct xylem_view key, struct xylem_view row)
{
    struct xylem_care__place place = {.table = XYLEM_FORMAT__KINDS};
    struct xylem_error reason;
    struct xylem_kind kind = {XYLEM_CLASS_HOST, {NULL, 0}};
    struct xylem_format__key other;
    struct xylem_view back = {NULL, 0};
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    if (key.bytes > 0 && (unsigned char)key.data[0] == XYLEM_FORMAT__KIND_NUMBER_TAG) {
        kind.kind_class = (enum xylem_class)xylem_base__read_u8(&cursor);
        kind.name = xylem_base__read_bytes(&cursor, cursor.left);
        if (cursor.failed || (unsigned)kind.kind_class > XYLEM_CLASS_CUSTOM ||
            kind.name.bytes > XYLEM_KIND_NAME_BYTES_MAX) {
            return xylem_care__problem(verify, &place, "the row of a kind has no valid class, or too long a name");
        }
        xylem_format__key_kind_name(&other, kind);
    } else {
        xylem_format__key_kind_number(&other, xylem_base__read_u32(&cursor));
        if (!xylem_base__cursor_ended(&cursor)) {
            return xylem_care__problem(verify, &place, "the row of a kind's name: expected 4 bytes, found %zu",
                                       row.bytes);
        }
    }
    int found = xylem_lmdb__get_summed(&back, verify->txn, XYLEM_FORMAT__KINDS, other.view, &reason);
    if (found < 0) {
        return xylem_care__problem_if(verify, &place, found, &reason);
    }
    struct xylem_format__key number;
    cursor = xylem_base__cursor_of(back.data, found ? back.bytes : 0);
    if (found && kind.name.data) {
        xylem_format__key_kind_number(&number, xylem_base__read_u32(&cursor));
    } else {
        struct xylem_kind named = {(enum xylem_class)xylem_base__read_u8(&cursor), {NULL, 0}};
        named.name = xylem_base__read_bytes(&cursor, cursor.left);
        xylem_format__key_kind_name(&number, named);
    }
    bool right = found && !cursor.failed && xylem_base__view_equal(number.view, key);
    return right ? XYLEM_OK
                 : xylem_care__problem(verify, &place, "the name and the number of a kind do not lead to each other");
}

/* --- Sessions --------------------------------------------------------------------------------------------------- */

/* True for the row that gc leaves of a session: nothing but branches, with entries that other sessions share. */
static bool is_remnant(const struct xylem_session *session)
{
    return session->newest_branch != 0 && session->move_count == 0 && session->header.bytes == 0 &&
           !session->cwd.data && !session->parent.data && xylem_format__position_none(session->leaf) &&
           xylem_format__position_none(session->imported_leaf);
}

/* A position in a row must be none, or an entry that belongs to the session. `what` names the position. */
static int check_position(struct xylem_care__verify *verify, const struct xylem_care__place *place,
                          const struct xylem_session *session, struct xylem_position position, const char *what)
{
    struct xylem_entry entry;
    struct xylem_error reason;
    if (xylem_format__position_none(position)) {
        return XYLEM_OK;
    }
    int code = xylem_entry_read(&entry, verify->txn, position, &reason);
    if (code < 0) {
        struct xylem_error named;
        xylem_base__fail(&named, code, "%s: %s", what, reason.text);
        return xylem_care__problem_if(verify, place, code, &named);
    }
    int belongs = xylem_store__belongs(verify->txn, session, position, &reason);
    if (belongs != 0) {
        return xylem_care__problem_if(verify, place, belongs, &reason);
    }
    return xylem_care__problem(verify, place, "%s does not belong to the session", what);
}

/* The base lies in a session of the same tree. */
static int check_base(struct xylem_care__verify *verify, const struct xylem_care__place *place,
                      const struct xylem_session *session)
{
    struct xylem_store__branch branch;
    struct xylem_session owner;
    struct xylem_entry entry;
    struct xylem_error reason;
    if (xylem_format__position_none(session->base)) {
        return XYLEM_OK;
    }
    int code;
    if ((code = xylem_entry_read(&entry, verify->txn, session->base, &reason)) < 0 ||
        (code = xylem_store__branch_read(&branch, verify->txn, session->base.branch, &reason)) < 0 ||
        (code = xylem_session_read(&owner, verify->txn, branch.session, &reason)) < 0) {
        return xylem_care__problem_if(verify, place, code, &reason);
    }
    return owner.tree == session->tree && owner.number < session->number
               ? XYLEM_OK
               : xylem_care__problem(verify, place,
                                     "the base lies in a session of another tree, or in no earlier session");
}

/*
 * Walks the chain of the session's branches: the session owns each branch, and the sums agree with the session's row.
 */
static int check_branches(struct xylem_care__verify *verify, const struct xylem_care__place *place,
                          const struct xylem_session *session)
{
    uint64_t last_lsn = 0;
    uint64_t entry_count = 0;
    struct xylem_error reason;
    for (uint64_t number = session->newest_branch; number != 0;) {
        struct xylem_store__branch branch;
        struct xylem_position tip;
        struct xylem_entry entry;
        int code;
        if ((code = xylem_store__branch_read(&branch, verify->txn, number, &reason)) < 0 ||
            (code = xylem_store__branch_tip(&tip, verify->txn, number, &reason)) < 0 ||
            (code = xylem_entry_read(&entry, verify->txn, tip, &reason)) < 0) {
            return xylem_care__problem_if(verify, place, code, &reason);
        }
        if (branch.session != session->number) {
            return xylem_care__problem(
                verify, place, "branch %" PRIu64 " is in the session's chain, but another session owns it", number);
        }
        if ((code = xylem_base__numbers_add(&verify->chained, number, verify->err)) < 0) {
            return code;
        }
        last_lsn = entry.lsn > last_lsn ? entry.lsn : last_lsn;
        entry_count += tip.depth - branch.first_depth + 1;
        number = branch.previous_branch;
    }
    if (last_lsn != session->last_lsn) {
        return xylem_care__problem(verify, place, "the session's row says last lsn %" PRIu64 ", found %" PRIu64,
                                   session->last_lsn, last_lsn);
    }
    return entry_count == session->own_entry_count
               ? XYLEM_OK
               : xylem_care__problem(verify, place, "the session's row says %" PRIu64 " entries, found %" PRIu64,
                                     session->own_entry_count, entry_count);
}

static int check_moves(struct xylem_care__verify *verify, const struct xylem_care__place *place,
                       const struct xylem_session *session)
{
    for (uint64_t number = 1; number <= session->move_count; number++) {
        struct xylem_move move;
        struct xylem_error reason;
        int code = xylem_move_read(&move, verify->txn, session->number, number, &reason);
        if (code < 0) {
            return xylem_care__problem_if(verify, place, code, &reason);
        }
        char from[64];
        char to[64];
        snprintf(from, sizeof from, "the start of navigation %" PRIu64, number);
        snprintf(to, sizeof to, "the end of navigation %" PRIu64, number);
        if ((code = check_position(verify, place, session, move.from, from)) < 0 ||
            (code = check_position(verify, place, session, move.to, to)) < 0) {
            return code;
        }
    }
    return XYLEM_OK;
}

static int visit_session(struct xylem_care__verify *verify, struct xylem_view key, struct xylem_view row)
{
    struct xylem_care__place place = {.table = XYLEM_FORMAT__SESSIONS};
    struct xylem_session session;
    struct xylem_session found;
    struct xylem_error reason;
    if (!xylem_format__key_read_u64(&place.session, key)) {
        return xylem_care__problem(verify, &place, "a key of %zu bytes is no number", key.bytes);
    }
    int code = xylem_store__session_decode(&session, place.session, row, &reason);
    bool freed = code == XYLEM_OK && session.state == XYLEM_SESSION_FREED;
    verify->report->session_count += !freed;
    verify->remnant_count += freed;
    found = session;
    if (code == XYLEM_OK && !freed && !xylem_lmdb__table_is_shut(verify->txn, XYLEM_FORMAT__SESSION_IDS)) {
        code = xylem_store__session_find_any_in(&found, verify->txn, session.name_space, session.id, &reason);
    }
    if (code < 0) {
        return xylem_care__problem_if(verify, &place, code, &reason);
    }
    if (!freed && (code = xylem_care__history_note(verify, &session)) < 0) {
        return code;
    }
    if (freed && !verify->may_be_freed) {
        return nothing_was_freed(verify, &place);
    }
    if (freed && !is_remnant(&session)) {
        return xylem_care__problem(verify, &place, "the row of a freed session: expected branches and nothing else");
    }
    if (found.number != session.number || session.tree > session.number || session.tree == 0) {
        return xylem_care__problem(verify, &place,
                                   "the session's id leads to another session, or the row names an impossible tree");
    }
    if ((code = check_number(verify, &place, &verify->last_session, session.number, verify->floors.session)) < 0 ||
        (code = check_base(verify, &place, &session)) < 0 ||
        (code = check_position(verify, &place, &session, session.leaf, "the leaf")) < 0 ||
        (code = check_position(verify, &place, &session, session.imported_leaf, "the imported leaf")) < 0 ||
        (code = check_branches(verify, &place, &session)) < 0) {
        return code;
    }
    return check_moves(verify, &place, &session);
}

static int visit_session_id(struct xylem_care__verify *verify, struct xylem_view key, struct xylem_view row)
{
    struct xylem_care__place place = {.table = XYLEM_FORMAT__SESSION_IDS};
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    struct xylem_session session;
    struct xylem_error reason;
    uint64_t hash;
    xylem_format__key_read_session_id(&hash, &place.session_id, key);
    place.session = xylem_base__read_u64(&cursor); /* 0 for a short row */
    int code = xylem_store__session_with_key(&session, verify->txn, key, &reason);
    return xylem_care__problem_if(verify, &place, code, &reason);
}

/* Reads the session that a key begins with: 1; 0: there is no such session, or the session was freed (reported). */
static int check_owner(struct xylem_care__verify *verify, struct xylem_care__place *place,
                       struct xylem_session *session, struct xylem_view key)
{
    struct xylem_error reason;
    place->session = xylem_format__key_first(key);
    int code = xylem_session_read(session, verify->txn, place->session, &reason);
    int reported = xylem_care__problem_if(verify, place, code, &reason);
    if (code == XYLEM_OK && session->state == XYLEM_SESSION_FREED) {
        return xylem_care__problem(verify, place, "the row belongs to a freed session");
    }
    return reported < 0 ? reported : code == XYLEM_OK;
}

static int visit_move(struct xylem_care__verify *verify, struct xylem_view key, struct xylem_view row)
{
    struct xylem_care__place place = {.table = XYLEM_FORMAT__MOVES};
    struct xylem_session session;
    struct xylem_move move;
    struct xylem_error reason;
    uint64_t owner;
    uint64_t number;
    int owned = check_owner(verify, &place, &session, key);
    if (owned <= 0) {
        return owned;
    }
    if (!xylem_format__key_read_pair(&owner, &number, key) || number == 0 || number > session.move_count) {
        return xylem_care__problem(verify, &place, "the number of the navigation is above the session's count");
    }
    int code = xylem_store__move_decode(&move, number, row, &reason);
    return xylem_care__problem_if(verify, &place, code, &reason);
}

static int visit_source(struct xylem_care__verify *verify, struct xylem_view key, struct xylem_view row)
{
    struct xylem_care__place place = {.table = XYLEM_FORMAT__SOURCES};
    struct xylem_session session;
    struct xylem_store__source source;
    struct xylem_format__key named;
    struct xylem_error reason;
    int owned = check_owner(verify, &place, &session, key);
    if (owned <= 0) {
        return owned;
    }
    int code = xylem_store__source_decode(&source, verify->txn, row, &reason);
    if (code < 0) {
        return xylem_care__problem_if(verify, &place, code, &reason);
    }
    xylem_format__key_source(&named, session.number, source.name);
    return xylem_base__view_equal(named.view, key)
               ? XYLEM_OK
               : xylem_care__problem(verify, &place, "the source stands under the key of another source");
}

static int visit_quarantine(struct xylem_care__verify *verify, struct xylem_view key, struct xylem_view row)
{
    struct xylem_care__place place = {.table = XYLEM_FORMAT__QUARANTINE};
    struct xylem_session session;
    struct xylem_quarantined quarantined;
    struct xylem_error reason;
    int owned = check_owner(verify, &place, &session, key);
    if (owned <= 0) {
        return owned;
    }
    int code = xylem_store__quarantine_decode(&quarantined, key, row, &reason);
    return xylem_care__problem_if(verify, &place, code, &reason);
}

static int visit_side(struct xylem_care__verify *verify, struct xylem_view key, struct xylem_view row)
{
    struct xylem_care__place place = {.table = XYLEM_FORMAT__SIDES};
    struct xylem_session session;
    struct xylem_side side;
    struct xylem_entry entry;
    struct xylem_error reason;
    uint64_t owner;
    uint64_t lsn;
    int owned = check_owner(verify, &place, &session, key);
    if (owned <= 0) {
        return owned;
    }
    if (!xylem_format__key_read_pair(&owner, &lsn, key) || xylem_store__side_decode(&side, row) < 0) {
        return xylem_care__problem(verify, &place, "the row has invalid fields");
    }
    place.position = side.position;
    int code = xylem_store__side_check(&entry, verify->txn, &session, &side, &reason);
    if (code < 0) {
        return xylem_care__problem_if(verify, &place, code, &reason);
    }
    bool values = side.type == XYLEM_SIDE_VALUES;
    if (values && !side.redacted && (entry.flags & XYLEM_ENTRY_REDACTED)) {
        return xylem_care__problem(verify, &place, "the entry is redacted, and its values in the session are not");
    }
    uint64_t ordinal;
    int right = values ? entry.lsn == lsn
                : xylem_lmdb__table_is_shut(verify->txn, XYLEM_FORMAT__FEED)
                    ? 1
                    : xylem_store__side_told(&ordinal, verify->txn, session.number, lsn, &reason);
    return right == 0 ? xylem_care__problem(verify, &place, "the row stands under a wrong lsn")
                      : xylem_care__problem_if(verify, &place, right < 0 ? right : XYLEM_OK, &reason);
}

/* --- Branches, ids and feed ------------------------------------------------------------------------------------- */

/* Makes the skip of a branch anew, and compares. A damaged row on the way is reported by its own visit. */
static int check_skip(struct xylem_care__verify *verify, const struct xylem_care__place *place,
                      const struct xylem_store__branch *branch)
{
    struct xylem_store__branch parent;
    struct xylem_store__branch laid = *branch;
    struct xylem_error reason;
    bool root = branch->parent_branch == 0;
    int code;
    if ((!root && (code = xylem_store__branch_read(&parent, verify->txn, branch->parent_branch, &reason)) < 0) ||
        (code = xylem_store__branch_lay_skip(&laid, root ? NULL : &parent, verify->txn, &reason)) < 0) {
        struct xylem_care__place branches = {.table = XYLEM_FORMAT__BRANCHES};
        return code == XYLEM_E_CORRUPT || code == XYLEM_E_NOT_FOUND
                   ? XYLEM_OK
                   : xylem_care__problem_if(verify, &branches, code, &reason);
    }
    bool right = laid.skip.level == branch->skip.level && laid.skip.branch == branch->skip.branch &&
                 laid.skip.to_level == branch->skip.to_level && laid.skip.last_depth == branch->skip.last_depth;
    return right ? XYLEM_OK : xylem_care__problem(verify, place, "the branch's row skips to the wrong branch");
}

/* Checks the end of a branch with freed entries. Only a branch of a freed session has an end: others may still grow. */
static int check_end(struct xylem_care__verify *verify, const struct xylem_care__place *place,
                     const struct xylem_store__branch *branch, const struct xylem_session *session)
{
    struct xylem_position tip;
    struct xylem_error reason;
    if (branch->end_depth == 0) {
        return XYLEM_OK;
    }
    int code = xylem_store__branch_tip(&tip, verify->txn, branch->number, &reason);
    if (code < 0) {
        return xylem_care__problem_if(verify, place, code, &reason);
    }
    if (session->state != XYLEM_SESSION_FREED) {
        return xylem_care__problem(verify, place, "entries of the branch were freed, but its session was not");
    }
    return tip.depth == branch->end_depth
               ? XYLEM_OK
               : xylem_care__problem(verify, place,
                                     "the branch ends at depth %" PRIu64 ", the branch's row says depth %" PRIu64,
                                     tip.depth, branch->end_depth);
}

static int visit_branch(struct xylem_care__verify *verify, struct xylem_view key, struct xylem_view row)
{
    struct xylem_care__place place = {.table = XYLEM_FORMAT__BRANCHES};
    struct xylem_store__branch branch;
    struct xylem_session session;
    struct xylem_entry entry;
    struct xylem_error reason;
    if (!xylem_format__key_read_u64(&place.position.branch, key)) {
        return xylem_care__problem(verify, &place, "a key of %zu bytes is no number", key.bytes);
    }
    verify->report->branch_count++;
    int code;
    if ((code = xylem_store__branch_decode(&branch, place.position.branch, row, &reason)) < 0 ||
        (code = xylem_session_read(&session, verify->txn, branch.session, &reason)) < 0) {
        return xylem_care__problem_if(verify, &place, code, &reason);
    }
    place.session = branch.session;
    place.position.depth = branch.first_depth;
    if ((code = xylem_entry_read(&entry, verify->txn, place.position, &reason)) < 0) {
        return xylem_care__problem_if(verify, &place, code, &reason);
    }
    if (entry.parent.branch != branch.parent_branch) {
        return xylem_care__problem(verify, &place, "the branch's row and first record name different parents");
    }
    uint64_t problem_count = verify->report->problem_count;
    code = check_skip(verify, &place, &branch);
    if (code < 0 || verify->report->problem_count > problem_count) {
        return code;
    }
    if (!xylem_lmdb__table_is_shut(verify->txn, XYLEM_FORMAT__SESSIONS) &&
        !xylem_base__numbers_have(&verify->chained, branch.number)) {
        return xylem_care__problem(verify, &place, "the chain of the session's branches leaves the branch out");
    }
    if ((code = check_number(verify, &place, &verify->last_branch, branch.number, verify->floors.branch)) < 0 ||
        (code = check_end(verify, &place, &branch, &session)) < 0) {
        return code;
    }
    struct xylem_position fork_point = {branch.parent_branch, branch.first_depth - 1};
    return check_position(verify, &place, &session, fork_point, "the fork point");
}

static int visit_id(struct xylem_care__verify *verify, struct xylem_view key, struct xylem_view row)
{
    struct xylem_care__place place = {.table = XYLEM_FORMAT__IDS};
    struct xylem_store__branch branch = {.session = 0};
    struct xylem_session session;
    struct xylem_entry entry;
    struct xylem_error reason;
    struct xylem_format__id_place id;
    if (!xylem_format__key_read_id(&id, key) || row.bytes > 0) {
        return xylem_care__problem(verify, &place,
                                   "a row of %zu bytes under a key of %zu bytes: expected an empty row, and a key of "
                                   "tree, hash, session and position",
                                   row.bytes, key.bytes);
    }
    place.position = id.position;
    int code;
    if ((code = xylem_entry_read(&entry, verify->txn, place.position, &reason)) < 0 ||
        (code = xylem_store__branch_read(&branch, verify->txn, place.position.branch, &reason)) < 0 ||
        (code = xylem_session_read(&session, verify->txn, branch.session, &reason)) < 0) {
        return xylem_care__problem_if(verify, &place, code, &reason);
    }
    place.session = session.number;
    place.entry_id = entry.id;
    if (entry.flags & XYLEM_ENTRY_MINTED) {
        return xylem_care__problem(verify, &place,
                                   "the row leads to an entry with an id that xylem made: expected no row for the id");
    }
    return session.tree == id.tree && session.number == id.session && xylem_format__id_hash(entry.id) == id.hash
               ? XYLEM_OK
               : xylem_care__problem(verify, &place,
                                     "the row leads to an entry with another id, or of another tree or session");
}

/* The entry at a position of the feed has the lsn that the feed says. */
static int check_feed_entry(struct xylem_care__verify *verify, struct xylem_care__place *place, uint64_t lsn)
{
    struct xylem_entry entry;
    struct xylem_error reason;
    int code = xylem_entry_read(&entry, verify->txn, place->position, &reason);
    if (code < 0) {
        return xylem_care__problem_if(verify, place, code, &reason);
    }
    return entry.lsn == lsn
               ? XYLEM_OK
               : xylem_care__problem(verify, place, "the entry has lsn %" PRIu64 ", the feed says lsn %" PRIu64,
                                     entry.lsn, lsn);
}

/*
 * A change contradicts its session in these cases:
 *
 *     any        there is no such session, and the number was not freed
 *     MOVED      the session has fewer navigations
 *     FREED      the session is there, and not freed
 *     REDACTED   the entry is there, and not redacted
 *     SIDE       the session lacks the row
 */
static int check_change(struct xylem_care__verify *verify, const struct xylem_care__place *place,
                        const struct xylem_store__feed *feed)
{
    struct xylem_session session;
    struct xylem_entry entry;
    struct xylem_error reason;
    int code = xylem_session_read(&session, verify->txn, feed->session, &reason);
    if (code == XYLEM_E_NOT_FOUND) {
        return verify->may_be_freed && feed->session <= verify->floors.session
                   ? XYLEM_OK
                   : xylem_care__problem(verify, place,
                                         "lsn %" PRIu64 " tells of session number %" PRIu64 ", which does not exist",
                                         feed->first_lsn, feed->session);
    }
    bool freed = code < 0 || session.state == XYLEM_SESSION_FREED; /* the visit of a damaged row reports the damage */
    if (!freed && feed->type == XYLEM_CHANGE_FREED) {
        return xylem_care__problem(verify, place, "lsn %" PRIu64 " says that session number %" PRIu64 " was freed",
                                   feed->first_lsn, feed->session);
    }
    if (!freed && feed->type == XYLEM_CHANGE_MOVED &&
        (feed->move_number == 0 || feed->move_number > session.move_count)) {
        return xylem_care__problem(verify, place,
                                   "lsn %" PRIu64 " tells of navigation %" PRIu64 " of session number %" PRIu64
                                   ", which has %" PRIu64,
                                   feed->first_lsn, feed->move_number, feed->session, session.move_count);
    }
    struct xylem_side side;
    if (!freed && feed->type == XYLEM_CHANGE_SIDE && !xylem_lmdb__table_is_shut(verify->txn, XYLEM_FORMAT__SIDES) &&
        xylem_store__side_find(&side, verify->txn, feed->session, feed->side_lsn, &reason) == 0) {
        return xylem_care__problem(
            verify, place, "lsn %" PRIu64 " tells of a row of lsn %" PRIu64 " in the table sides, which is missing",
            feed->first_lsn, feed->side_lsn);
    }
    return feed->type == XYLEM_CHANGE_REDACTED &&
                   xylem_entry_read(&entry, verify->txn, feed->position, &reason) == XYLEM_OK &&
                   !(entry.flags & XYLEM_ENTRY_REDACTED)
               ? xylem_care__problem(verify, place, "lsn %" PRIu64 " says that the entry was redacted", feed->first_lsn)
               : XYLEM_OK;
}

/* Checks the first and the last entry of a row. verify_log.c checks the order of the rows. */
static int visit_feed(struct xylem_care__verify *verify, struct xylem_view key, struct xylem_view row)
{
    struct xylem_care__place place = {.table = XYLEM_FORMAT__FEED};
    struct xylem_store__feed feed;
    if (xylem_store__feed_decode(&feed, key, row) < 0) {
        return xylem_care__problem(verify, &place, "the row has invalid fields");
    }
    int code = xylem_care__history_row(verify, &feed);
    if (code < 0) {
        return code;
    }
    switch (feed.tag) {
    case XYLEM_FORMAT__FEED_FREED:
        return verify->may_be_freed ? XYLEM_OK : nothing_was_freed(verify, &place);
    case XYLEM_FORMAT__FEED_CHANGE:
        place.position = feed.position;
        return check_change(verify, &place, &feed);
    case XYLEM_FORMAT__FEED_SKIPPED:
        return XYLEM_OK;
    default:
        place.position = feed.position;
        code = check_feed_entry(verify, &place, feed.first_lsn);
        place.position.depth += feed.last_lsn - feed.first_lsn;
        return code < 0 || feed.first_lsn == feed.last_lsn ? code : check_feed_entry(verify, &place, feed.last_lsn);
    }
}

/* Sorts the chains of the visited sessions, and compares the count of freed sessions in `meta` with the visited rows. */
static int end_sessions(struct xylem_care__verify *verify)
{
    struct xylem_care__place place = {.table = XYLEM_FORMAT__SESSIONS};
    struct xylem_store__freed freed;
    xylem_base__numbers_sort(&verify->chained);
    if (xylem_lmdb__table_is_shut(verify->txn, XYLEM_FORMAT__SESSIONS) ||
        xylem_store__freed_read(&freed, verify->txn, NULL) < 0) {
        return XYLEM_OK; /* the visit of the row or of the pages reported the damage */
    }
    return freed.session_count == verify->remnant_count
               ? XYLEM_OK
               : xylem_care__problem(verify, &place, "the row %s counts %" PRIu64 " freed sessions, found %" PRIu64,
                                     XYLEM_FORMAT__META_FREED, freed.session_count, verify->remnant_count);
}

int xylem_verify(struct xylem_verify_report *report, struct xylem_txn *txn, const struct xylem_verify_options *options,
                 int (*found)(void *context, const struct xylem_problem *problem), void *context,
                 struct xylem_error *err)
{
    static const struct {
        enum xylem_format__table table;
        xylem_care__visit_row *visit;
        int (*begin)(struct xylem_care__verify *verify);
        int (*end)(struct xylem_care__verify *verify);
    } tables[] = {
        {XYLEM_FORMAT__META, visit_meta, NULL, check_notes},
        {XYLEM_FORMAT__SESSIONS, visit_session, NULL, end_sessions},
        {XYLEM_FORMAT__SESSION_IDS, visit_session_id, NULL, NULL},
        {XYLEM_FORMAT__BRANCHES, visit_branch, NULL, NULL},
        {XYLEM_FORMAT__IDS, visit_id, NULL, NULL},
        {XYLEM_FORMAT__KINDS, visit_kind, NULL, NULL},
        {XYLEM_FORMAT__FEED, visit_feed, NULL, xylem_care__history_end},
        {XYLEM_FORMAT__MOVES, visit_move, NULL, NULL},
        {XYLEM_FORMAT__SOURCES, visit_source, NULL, NULL},
        {XYLEM_FORMAT__QUARANTINE, visit_quarantine, NULL, NULL},
        {XYLEM_FORMAT__SIDES, visit_side, NULL, NULL},
        {XYLEM_FORMAT__OUTLINES, xylem_care__visit_outline, xylem_care__find_stale, NULL},
    };
    static const struct xylem_verify_options defaults;
    struct xylem_verify_report own;
    struct xylem_care__verify verify = {.txn = txn,
                                        .report = report ? report : &own,
                                        .found = found,
                                        .context = context,
                                        .err = err,
                                        .options = options ? options : &defaults};
    memset(verify.report, 0, sizeof *verify.report);
    int code;
    if ((code = xylem_care__verify_pages(&verify)) < 0 || (code = xylem_care__verify_log(&verify)) < 0 ||
        (code = check_meta(&verify)) < 0) {
        goto out;
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if ((tables[i].begin && (code = tables[i].begin(&verify)) < 0) ||
            (code = verify_rows(&verify, tables[i].table, tables[i].visit)) < 0 ||
            (tables[i].end && (code = tables[i].end(&verify)) < 0)) {
            goto out;
        }
    }
    code = xylem_care__damage_report(&verify);
out:
    free(verify.chained.list);
    free(verify.stale.list);
    free(verify.history.sessions);
    xylem_care__damage_release(&verify.damage);
    return code;
}
