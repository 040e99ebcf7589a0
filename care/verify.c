/* Every row of every table but the log's: is it whole, and is it backed by what it leads to? */
#include "care/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "store/branch.h"
#include "store/feed.h"
#include "format/keys.h"
#include "store/lease.h"
#include "store/meta.h"
#include "store/move.h"
#include "store/session.h"
#include "store/source.h"

/* What the key alone says of where a row belongs, for rows that say nothing themselves. */
static struct xylem_care__place place_of_row(enum xylem_format__table table, struct xylem_view key)
{
    struct xylem_care__place place = {.table = table};
    struct xylem_base__cursor cursor = xylem_base__cursor_of(key.data, key.bytes);
    uint64_t first = xylem_base__read_u64_be(&cursor);
    if (table == XYLEM_FORMAT__SESSION_IDS) {
        place.session_id = key;
    } else if (table == XYLEM_FORMAT__BRANCHES) {
        place.position.branch = cursor.failed ? 0 : first;
    } else if (table == XYLEM_FORMAT__SESSIONS || table == XYLEM_FORMAT__MOVES || table == XYLEM_FORMAT__SOURCES ||
               table == XYLEM_FORMAT__QUARANTINE) {
        place.session = cursor.failed ? 0 : first;
    }
    return place;
}

int xylem_care__verify_rows(struct xylem_care__verify *verify, enum xylem_format__table table,
                            xylem_care__visit_row *visit)
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
    int found = xylem_lmdb__rows_step(&key, &row, rows, XYLEM_LMDB__FIRST, &reason);
    while (code == XYLEM_OK && found > 0) {
        verify->report->row_count++;
        int checked = xylem_lmdb__check_summed(&row, verify->txn, table, key, &reason);
        if (checked < 0) {
            struct xylem_care__place of_row = place_of_row(table, key);
            code = xylem_care__problem_if(verify, &of_row, checked, &reason);
        } else {
            code = visit(verify, key, row);
        }
        code = code < 0 ? code : xylem_care__verify_progress(verify);
        found = code < 0 ? 0 : xylem_lmdb__rows_step(&key, &row, rows, XYLEM_LMDB__NEXT, &reason);
    }
    xylem_lmdb__rows_free(rows);
    return code < 0 ? code : xylem_care__problem_if(verify, &place, found, &reason);
}

/* --- Meta and kinds --------------------------------------------------------------------------------------------- */

/* An owner that died leaves its row behind, and so does one whose session is gone: that is no damage. */
static int visit_lease(struct xylem_care__verify *verify, struct xylem_view key, struct xylem_view row)
{
    struct xylem_care__place place = {.table = XYLEM_FORMAT__META};
    struct xylem_lease_owner owner;
    if (xylem_store__lease_row_read(&place.session, &owner, key, row)) {
        return XYLEM_OK;
    }
    return xylem_care__problem(
        verify, &place, "the row of the owner of session number %" PRIu64 " has fields that cannot be", place.session);
}

static int visit_meta(struct xylem_care__verify *verify, struct xylem_view key, struct xylem_view row)
{
    static const struct {
        const char *name;
        size_t bytes;
    } known[] = {{XYLEM_FORMAT__META_FORMAT, 12}, {XYLEM_FORMAT__META_UUID, 16},    {XYLEM_FORMAT__META_FLOORS, 32},
                 {XYLEM_FORMAT__META_FREED, 16},  {XYLEM_FORMAT__META_REMOVED, 24}, {XYLEM_FORMAT__META_LEASES, 16}};
    struct xylem_care__place place = {.table = XYLEM_FORMAT__META};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (xylem_base__view_is(key, known[i].name)) {
            return row.bytes == known[i].bytes
                       ? XYLEM_OK
                       : xylem_care__problem(verify, &place, "the row %s has %zu bytes; expected %zu", known[i].name,
                                             row.bytes, known[i].bytes);
        }
    }
    if (xylem_store__lease_key_is(key)) {
        return visit_lease(verify, key, row);
    }
    return xylem_care__problem(verify, &place, "there is a row %.*s that no library writes",
                               xylem_base__shown_bytes(key), xylem_base__shown(key));
}

static int check_leases(struct xylem_care__verify *verify)
{
    struct xylem_care__place place = {.table = XYLEM_FORMAT__META};
    struct xylem_error reason;
    uint64_t stated = 0;
    uint64_t found = 0;
    int code = xylem_store__lease_counts(&stated, &found, verify->txn, &reason);
    if (code < 0) {
        return xylem_care__problem_if(verify, &place, code, &reason);
    }
    return stated == found ? XYLEM_OK
                           : xylem_care__problem(verify, &place,
                                                 "the row %s says that %" PRIu64 " sessions have owners; there are "
                                                 "rows of %" PRIu64,
                                                 XYLEM_FORMAT__META_LEASES, stated, found);
}

/* For a row that only a store with freed entries has: 1 if this store is one, 0 after the problem was reported. */
static int check_may_be_freed(struct xylem_care__verify *verify, const struct xylem_care__place *place)
{
    if (verify->may_be_freed) {
        return 1;
    }
    return xylem_care__problem(verify, place, "it tells of something that was freed, of which the store does not know");
}

/* Numbers follow each other; those that are missing were freed, so they are not above the floor. */
static int check_number(struct xylem_care__verify *verify, const struct xylem_care__place *place, uint64_t *last,
                        uint64_t number, uint64_t floor)
{
    bool gap = verify->may_be_freed && number > *last + 1 && number - 1 > floor;
    uint64_t before = *last;
    *last = number;
    return gap ? xylem_care__problem(verify, place,
                                     "number %" PRIu64 " follows number %" PRIu64 "; freed are none above %" PRIu64,
                                     number, before, floor)
               : XYLEM_OK;
}

/* Reads the store's features (0: damaged), and what was freed. A visit of the rows reports their damage. */
static int begin_freed(uint64_t *features, struct xylem_care__verify *verify)
{
    struct xylem_care__place place = {.table = XYLEM_FORMAT__META};
    struct xylem_error reason;
    struct xylem_stat stat;
    int code = xylem_store__meta_stat(&stat, verify->txn, &reason);
    *features = code < 0 ? 0 : stat.features;
    verify->may_be_freed = (*features & XYLEM_FORMAT__FEATURE_FREED) != 0;
    code = code < 0 ? code : xylem_store__floors_read(&verify->floors, verify->txn, &reason);
    return code == XYLEM_E_CORRUPT ? XYLEM_OK : xylem_care__problem_if(verify, &place, code, &reason);
}

/*
 * Two rows are written when the store is made, two when something is first freed, one when something is first redacted or
 * deleted, and none is ever removed.
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
    uint64_t features;
    int code = begin_freed(&features, verify);
    for (size_t i = 0; code == XYLEM_OK && i < sizeof needed / sizeof *needed; i++) {
        struct xylem_view row;
        struct xylem_error reason;
        if (needed[i].feature & ~features) {
            continue;
        }
        int found = xylem_lmdb__get(&row, verify->txn, XYLEM_FORMAT__META, xylem_view_of(needed[i].name), &reason);
        code = found == 0 ? xylem_care__problem(verify, &place, "the row %s is missing", needed[i].name)
                          : xylem_care__problem_if(verify, &place, found, &reason);
    }
    return code < 0 ? code : check_leases(verify);
}

/* Each number leads to a name, and that name back to the number. */
static int visit_kind(struct xylem_care__verify *verify, struct xylem_view key, struct xylem_view row)
{
    struct xylem_care__place place = {.table = XYLEM_FORMAT__KINDS};
    struct xylem_error reason;
    struct xylem_kind kind = {XYLEM_CLASS_HOST, {NULL, 0}};
    struct xylem_format__key other;
    struct xylem_view back = {NULL, 0};
    if (key.bytes > 0 && (unsigned char)key.data[0] == XYLEM_FORMAT__KIND_NUMBER_TAG) {
        struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
        kind.kind_class = (enum xylem_class)xylem_base__read_u8(&cursor);
        kind.name = xylem_base__read_bytes(&cursor, cursor.left);
        if (cursor.failed || (unsigned)kind.kind_class > XYLEM_CLASS_CUSTOM ||
            kind.name.bytes > XYLEM_KIND_NAME_BYTES_MAX) {
            return xylem_care__problem(verify, &place, "a kind has no class or a name that is too long");
        }
        xylem_format__key_kind_name(&other, kind);
    } else {
        struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
        xylem_format__key_kind_number(&other, xylem_base__read_u32(&cursor));
        if (!xylem_base__cursor_ended(&cursor)) {
            return xylem_care__problem(verify, &place, "a kind's name has a row of %zu bytes", row.bytes);
        }
    }
    int found = xylem_lmdb__get_summed(&back, verify->txn, XYLEM_FORMAT__KINDS, other.view, &reason);
    if (found < 0) {
        return xylem_care__problem_if(verify, &place, found, &reason);
    }
    struct xylem_format__key number;
    struct xylem_base__cursor cursor = xylem_base__cursor_of(back.data, found ? back.bytes : 0);
    if (found && kind.name.data) {
        xylem_format__key_kind_number(&number, xylem_base__read_u32(&cursor));
    } else {
        struct xylem_kind named = {(enum xylem_class)xylem_base__read_u8(&cursor), {NULL, 0}};
        named.name = xylem_base__read_bytes(&cursor, cursor.left);
        xylem_format__key_kind_name(&number, named);
    }
    bool right = found && !cursor.failed && xylem_base__view_equal(number.view, key);
    return right ? XYLEM_OK
                 : xylem_care__problem(verify, &place, "a kind's name and its number do not lead to each other");
}

/* --- Sessions --------------------------------------------------------------------------------------------------- */

/* What gc left of a session: nothing but branches, of which others share entries. */
static bool is_remnant(const struct xylem_session *session)
{
    return session->newest_branch != 0 && session->move_count == 0 && session->header.bytes == 0 &&
           !session->cwd.data && !session->parent.data && xylem_format__position_none(session->leaf) &&
           xylem_format__position_none(session->imported_leaf);
}

/* A position that a row names must be none, or an entry that belongs to the session. */
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
    int code = xylem_entry_read(&entry, verify->txn, session->base, &reason);
    code = code < 0 ? code : xylem_store__branch_read(&branch, verify->txn, session->base.branch, &reason);
    code = code < 0 ? code : xylem_session_read(&owner, verify->txn, branch.session, &reason);
    if (code < 0) {
        return xylem_care__problem_if(verify, place, code, &reason);
    }
    return owner.tree == session->tree && owner.number != session->number
               ? XYLEM_OK
               : xylem_care__problem(verify, place, "the base lies in a session of another tree, or in this one");
}

/* What its row says of its branches is what they are. */
static int check_counts(struct xylem_care__verify *verify, const struct xylem_care__place *place,
                        const struct xylem_session *session, uint64_t last_lsn, uint64_t entry_count)
{
    if (last_lsn != session->last_lsn) {
        return xylem_care__problem(verify, place, "its last lsn is said to be %" PRIu64 ", and is %" PRIu64,
                                   session->last_lsn, last_lsn);
    }
    return entry_count == session->own_entry_count
               ? XYLEM_OK
               : xylem_care__problem(verify, place,
                                     "its branches are said to have %" PRIu64 " entries, and have %" PRIu64,
                                     session->own_entry_count, entry_count);
}

/* The chain of its branches: each of them its own, and together they have what the session's row says. */
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
        int code = xylem_store__branch_read(&branch, verify->txn, number, &reason);
        code = code < 0 ? code : xylem_store__branch_tip(&tip, verify->txn, number, &reason);
        code = code < 0 ? code : xylem_entry_read(&entry, verify->txn, tip, &reason);
        if (code < 0) {
            return xylem_care__problem_if(verify, place, code, &reason);
        }
        if (branch.session != session->number) {
            return xylem_care__problem(verify, place, "branch %" PRIu64 " stands in its chain, but is another's",
                                       number);
        }
        code = xylem_base__numbers_add(&verify->chained, number, verify->err);
        if (code < 0) {
            return code;
        }
        last_lsn = entry.lsn > last_lsn ? entry.lsn : last_lsn;
        entry_count += tip.depth - branch.first_depth + 1;
        number = branch.previous_branch;
    }
    return check_counts(verify, place, session, last_lsn, entry_count);
}

static int check_moves(struct xylem_care__verify *verify, const struct xylem_care__place *place,
                       const struct xylem_session *session)
{
    int code = XYLEM_OK;
    for (uint64_t number = 1; code == XYLEM_OK && number <= session->move_count; number++) {
        struct xylem_move move;
        struct xylem_error reason;
        int read = xylem_move_read(&move, verify->txn, session->number, number, &reason);
        if (read < 0) {
            return xylem_care__problem_if(verify, place, read, &reason);
        }
        char what[64];
        snprintf(what, sizeof what, "where navigation %" PRIu64 " came from", number);
        code = check_position(verify, place, session, move.from, what);
        snprintf(what, sizeof what, "where navigation %" PRIu64 " went", number);
        code = code < 0 ? code : check_position(verify, place, session, move.to, what);
    }
    return code;
}

static int visit_session(struct xylem_care__verify *verify, struct xylem_view key, struct xylem_view row)
{
    struct xylem_care__place place = {.table = XYLEM_FORMAT__SESSIONS};
    struct xylem_session session;
    struct xylem_session found;
    struct xylem_error reason;
    if (!xylem_format__key_read_u64(&place.session, key)) {
        return xylem_care__problem(verify, &place, "a key has %zu bytes", key.bytes);
    }
    int code = xylem_store__session_decode(&session, place.session, row, &reason);
    bool freed = code == XYLEM_OK && session.state == XYLEM_SESSION_FREED;
    verify->report->session_count += !freed;
    verify->remnant_count += freed;
    found = session;
    if (code == XYLEM_OK && !freed && !xylem_lmdb__table_is_shut(verify->txn, XYLEM_FORMAT__SESSION_IDS)) {
        code = xylem_store__session_find_any(&found, verify->txn, session.id, &reason);
    }
    if (code < 0) {
        return xylem_care__problem_if(verify, &place, code, &reason);
    }
    int may_be = freed ? check_may_be_freed(verify, &place) : 1;
    if (may_be <= 0) {
        return may_be;
    }
    if (freed && !is_remnant(&session)) {
        return xylem_care__problem(verify, &place, "it was freed, and its row has more than its branches, or none");
    }
    if (found.number != session.number || session.tree > session.number || session.tree == 0) {
        return xylem_care__problem(verify, &place, "its id leads to another session, or its tree cannot be");
    }
    code = check_number(verify, &place, &verify->last_session, session.number, verify->floors.session);
    code = code < 0 ? code : check_base(verify, &place, &session);
    code = code < 0 ? code : check_position(verify, &place, &session, session.leaf, "its leaf");
    code = code < 0 ? code : check_position(verify, &place, &session, session.imported_leaf, "the leaf of its import");
    code = code < 0 ? code : check_branches(verify, &place, &session);
    return code < 0 ? code : check_moves(verify, &place, &session);
}

static int visit_session_id(struct xylem_care__verify *verify, struct xylem_view key, struct xylem_view row)
{
    struct xylem_care__place place = {.table = XYLEM_FORMAT__SESSION_IDS, .session_id = key};
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    struct xylem_session session;
    struct xylem_error reason;
    place.session = xylem_base__read_u64(&cursor);
    place.session = cursor.failed ? 0 : place.session;
    int code = xylem_store__session_find_any(&session, verify->txn, key, &reason);
    return xylem_care__problem_if(verify, &place, code, &reason);
}

/* Does the key of a row that begins with a session's number name a session that exists? */
static int check_owner(struct xylem_care__verify *verify, struct xylem_care__place *place,
                       struct xylem_session *session, struct xylem_view key)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(key.data, key.bytes);
    struct xylem_error reason;
    place->session = xylem_base__read_u64_be(&cursor);
    int code = xylem_session_read(session, verify->txn, place->session, &reason);
    int reported = xylem_care__problem_if(verify, place, code, &reason);
    if (code == XYLEM_OK && session->state == XYLEM_SESSION_FREED) {
        return xylem_care__problem(verify, place, "a row is a session's that was freed");
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
        return xylem_care__problem(verify, &place, "a navigation has a number that its session does not count");
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
               : xylem_care__problem(verify, &place, "a source stands under another's key");
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

/* --- Branches, ids and feed ------------------------------------------------------------------------------------- */

/* The entry that a branch starts at belongs to the branch's session. */
static int check_fork_point(struct xylem_care__verify *verify, const struct xylem_care__place *place,
                            const struct xylem_store__branch *branch, const struct xylem_session *session)
{
    struct xylem_position fork_point = {branch->parent_branch, branch->first_depth - 1};
    return check_position(verify, place, session, fork_point, "where it starts");
}

/* Of a row that something else was wanted of: what it lacks is said where it is visited, but not what reading it lacked. */
static int unless_it_failed(struct xylem_care__verify *verify, int code, const struct xylem_error *reason)
{
    return code == XYLEM_E_CORRUPT || code == XYLEM_E_NOT_FOUND
               ? XYLEM_OK
               : xylem_care__problem_if(verify, &(struct xylem_care__place){.table = XYLEM_FORMAT__BRANCHES}, code,
                                        reason);
}

/* Laid anew, the skip is the same. */
static int check_skip(struct xylem_care__verify *verify, const struct xylem_care__place *place,
                      const struct xylem_store__branch *branch)
{
    struct xylem_store__branch parent;
    struct xylem_store__branch laid = *branch;
    struct xylem_error reason;
    bool root = branch->parent_branch == 0;
    int code = root ? XYLEM_OK : xylem_store__branch_read(&parent, verify->txn, branch->parent_branch, &reason);
    code = code < 0 ? code : xylem_store__branch_lay_skip(&laid, root ? NULL : &parent, verify->txn, &reason);
    if (code < 0) {
        return unless_it_failed(verify, code, &reason);
    }
    bool right = laid.skip.level == branch->skip.level && laid.skip.branch == branch->skip.branch &&
                 laid.skip.to_level == branch->skip.to_level && laid.skip.last_depth == branch->skip.last_depth;
    return right ? XYLEM_OK : xylem_care__problem(verify, place, "its row skips to another branch than it should");
}

/* Where a branch ends, if what lay behind was freed. Only a freed session's can: others may still grow. */
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
        return xylem_care__problem(verify, place, "entries behind its end were freed, and its session was not");
    }
    return tip.depth == branch->end_depth
               ? XYLEM_OK
               : xylem_care__problem(verify, place, "it ends at depth %" PRIu64 "; its row says depth %" PRIu64,
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
        return xylem_care__problem(verify, &place, "a key has %zu bytes", key.bytes);
    }
    verify->report->branch_count++;
    int code = xylem_store__branch_decode(&branch, place.position.branch, row, &reason);
    code = code < 0 ? code : xylem_session_read(&session, verify->txn, branch.session, &reason);
    if (code < 0) {
        return xylem_care__problem_if(verify, &place, code, &reason);
    }
    place.session = branch.session;
    place.position.depth = branch.first_depth;
    code = xylem_entry_read(&entry, verify->txn, place.position, &reason);
    if (code == XYLEM_OK && entry.parent.branch != branch.parent_branch) {
        return xylem_care__problem(verify, &place, "its row and its first record name different parents");
    }
    if (code < 0) {
        return xylem_care__problem_if(verify, &place, code, &reason);
    }
    uint64_t problem_count = verify->report->problem_count;
    code = check_skip(verify, &place, &branch);
    if (code < 0 || verify->report->problem_count > problem_count) {
        return code;
    }
    if (!xylem_lmdb__table_is_shut(verify->txn, XYLEM_FORMAT__SESSIONS) &&
        !xylem_base__numbers_have(&verify->chained, branch.number)) {
        return xylem_care__problem(verify, &place, "the chain of its session's branches leaves it out");
    }
    code = check_number(verify, &place, &verify->last_branch, branch.number, verify->floors.branch);
    code = code < 0 ? code : check_end(verify, &place, &branch, &session);
    return code < 0 ? code : check_fork_point(verify, &place, &branch, &session);
}

static int visit_id(struct xylem_care__verify *verify, struct xylem_view key, struct xylem_view row)
{
    struct xylem_care__place place = {.table = XYLEM_FORMAT__IDS};
    struct xylem_store__branch branch = {.session = 0};
    struct xylem_session session;
    struct xylem_entry entry;
    struct xylem_error reason;
    uint64_t tree;
    uint64_t hash;
    if (!xylem_format__key_read_id(&tree, &hash, &place.position, key) || row.bytes > 0) {
        return xylem_care__problem(verify, &place, "a row has %zu and %zu bytes", key.bytes, row.bytes);
    }
    int code = xylem_entry_read(&entry, verify->txn, place.position, &reason);
    code = code < 0 ? code : xylem_store__branch_read(&branch, verify->txn, place.position.branch, &reason);
    code = code < 0 ? code : xylem_session_read(&session, verify->txn, branch.session, &reason);
    if (code < 0) {
        return xylem_care__problem_if(verify, &place, code, &reason);
    }
    place.session = session.number;
    place.entry_id = entry.id;
    if (entry.flags & XYLEM_ENTRY_MINTED) {
        return xylem_care__problem(verify, &place, "a row leads to an entry whose id xylem made, and which has no row");
    }
    return session.tree == tree && xylem_format__hash(entry.id) == hash
               ? XYLEM_OK
               : xylem_care__problem(verify, &place, "a row leads to an entry of another id or tree");
}

/* Each row begins where the one before it ends, and its first and last entry have the lsns that it says. */
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
               : xylem_care__problem(verify, place, "the entry there has lsn %" PRIu64 "; the feed says %" PRIu64,
                                     entry.lsn, lsn);
}

static int visit_feed(struct xylem_care__verify *verify, struct xylem_view key, struct xylem_view row)
{
    struct xylem_care__place place = {.table = XYLEM_FORMAT__FEED};
    struct xylem_store__feed feed;
    if (xylem_store__feed_decode(&feed, key, row) < 0) {
        return xylem_care__problem(verify, &place, "a row has fields that cannot be");
    }
    if (feed.freed) {
        int may_be = check_may_be_freed(verify, &place);
        return may_be < 0 ? may_be : XYLEM_OK;
    }
    place.position = feed.position;
    int code = check_feed_entry(verify, &place, feed.first_lsn);
    place.position.depth += feed.last_lsn - feed.first_lsn;
    return code < 0 || feed.first_lsn == feed.last_lsn ? code : check_feed_entry(verify, &place, feed.last_lsn);
}

/* Once their rows were visited: as many sessions were freed, and have rows, as `meta` says. */
static int check_freed_sessions(struct xylem_care__verify *verify)
{
    struct xylem_care__place place = {.table = XYLEM_FORMAT__SESSIONS};
    struct xylem_store__freed freed;
    if (xylem_lmdb__table_is_shut(verify->txn, XYLEM_FORMAT__SESSIONS) ||
        xylem_store__freed_read(&freed, verify->txn, NULL) < 0) {
        return XYLEM_OK; /* said where that row, or those pages, were visited */
    }
    return freed.session_count == verify->remnant_count
               ? XYLEM_OK
               : xylem_care__problem(verify, &place,
                                     "%" PRIu64 " freed sessions are counted; rows of %" PRIu64 " are there",
                                     freed.session_count, verify->remnant_count);
}

int xylem_verify(struct xylem_verify_report *report, struct xylem_txn *txn, const struct xylem_verify_options *options,
                 int (*found)(void *context, const struct xylem_problem *problem), void *context,
                 struct xylem_error *err)
{
    static const struct {
        enum xylem_format__table table;
        xylem_care__visit_row *visit;
    } tables[] = {
        {XYLEM_FORMAT__META, visit_meta},
        {XYLEM_FORMAT__SESSIONS, visit_session},
        {XYLEM_FORMAT__SESSION_IDS, visit_session_id},
        {XYLEM_FORMAT__BRANCHES, visit_branch},
        {XYLEM_FORMAT__IDS, visit_id},
        {XYLEM_FORMAT__KINDS, visit_kind},
        {XYLEM_FORMAT__FEED, visit_feed},
        {XYLEM_FORMAT__MOVES, visit_move},
        {XYLEM_FORMAT__SOURCES, visit_source},
        {XYLEM_FORMAT__QUARANTINE, visit_quarantine},
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
    int code = xylem_care__verify_pages(&verify);
    code = code < 0 ? code : xylem_care__verify_log(&verify);
    code = code < 0 ? code : check_meta(&verify);
    for (size_t i = 0; code == XYLEM_OK && i < sizeof tables / sizeof *tables; i++) {
        code = xylem_care__verify_rows(&verify, tables[i].table, tables[i].visit);
        if (tables[i].table == XYLEM_FORMAT__SESSIONS) {
            xylem_base__numbers_sort(&verify.chained);
            code = code < 0 ? code : check_freed_sessions(&verify);
        }
    }
    code = code < 0 ? code : xylem_care__damage_report(&verify);
    free(verify.chained.list);
    xylem_care__damage_release(&verify.damage);
    return code;
}
