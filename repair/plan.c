/* What the new store is to hold: sessions, branches, the records that are used, and where entries are missing. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/branch.h"
#include "format/hash.h"
#include "store/heads.h"
#include "base/numbers.h"
#include "repair/repair.h"
#include "repair/salvage_prove.h"
#include "store/session.h"

/* So many records of a branch are read to find out where it begins, if its row and its first record are lost. */
#define LOOKED_AT_MAX 256u

/* --- Sessions --------------------------------------------------------------------------------------------------- */

static int add_session(size_t *index, struct xylem_repair__plan *plan)
{
    struct xylem_repair__session *sessions =
        xylem_base__with_room(plan->sessions, &plan->session_capacity, plan->session_count, sizeof *sessions);
    if (!sessions) {
        return xylem_base__fail_memory(plan->repair->err);
    }
    plan->sessions = sessions;
    *index = plan->session_count++;
    memset(&plan->sessions[*index], 0, sizeof plan->sessions[*index]);
    plan->sessions[*index].group = *index;
    return XYLEM_OK;
}

/* Where the session of that id is listed, or would be. */
static size_t *place_of_id(const struct xylem_repair__plan *plan, struct xylem_view id)
{
    size_t at = (size_t)xylem_format__hash(id) & (plan->id_capacity - 1);
    while (plan->ids[at] > 0 && !xylem_base__view_equal(plan->sessions[plan->ids[at] - 1].row.id, id)) {
        at = (at + 1) & (plan->id_capacity - 1);
    }
    return &plan->ids[at];
}

static bool has_id(const struct xylem_repair__plan *plan, struct xylem_view id)
{
    return plan->id_capacity > 0 && *place_of_id(plan, id) > 0;
}

static int grow_ids(struct xylem_repair__plan *plan)
{
    size_t *old = plan->ids;
    size_t old_capacity = plan->id_capacity;
    size_t capacity = old_capacity ? old_capacity * 2 : 64;
    size_t *grown = calloc(capacity, sizeof *grown);
    if (!grown) {
        return xylem_base__fail_memory(plan->repair->err);
    }
    plan->ids = grown;
    plan->id_capacity = capacity;
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i] > 0) {
            *place_of_id(plan, plan->sessions[old[i] - 1].row.id) = old[i];
        }
    }
    free(old);
    return XYLEM_OK;
}

/* Lists a session by its id, which no other one has. */
static int note_id(struct xylem_repair__plan *plan, size_t index)
{
    int code = plan->id_count * 2 >= plan->id_capacity ? grow_ids(plan) : XYLEM_OK;
    if (code == XYLEM_OK) {
        *place_of_id(plan, plan->sessions[index].row.id) = index + 1;
        plan->id_count++;
    }
    return code;
}

/* Gives a session a copy of an id. */
static int set_id(struct xylem_repair__plan *plan, size_t index, struct xylem_view id)
{
    struct xylem_repair__session *session = &plan->sessions[index];
    if (xylem_buffer_add(&session->copies, id.data, id.bytes) < 0) {
        return xylem_base__fail_memory(plan->repair->err);
    }
    session->row.id = xylem_base__buffer_view(&session->copies);
    return note_id(plan, index);
}

/* Makes an id of `recovered-` and a text that no session of the plan has, and gives the id to a session. */
static int name_session(struct xylem_repair__plan *plan, size_t index, const char *what)
{
    char id[XYLEM_SESSION_ID_BYTES_MAX];
    snprintf(id, sizeof id, "recovered-%s", what);
    for (unsigned taken = 2; has_id(plan, xylem_view_of(id)); taken++) {
        snprintf(id, sizeof id, "recovered-%s-%u", what, taken);
    }
    return set_id(plan, index, xylem_view_of(id));
}

int xylem_repair__session_add(size_t *index, struct xylem_repair__plan *plan, uint64_t old_number, const char *what)
{
    int code = add_session(index, plan);
    if (code < 0) {
        return code;
    }
    plan->sessions[*index].old_number = old_number;
    return name_session(plan, *index, what);
}

/*
 * A session that was freed has no id any more, and its row stays for what others share of it. In the new store it is a
 * deleted one of a made up id, which the next garbage collection frees again. Made up once all others are known: a store
 * that was repaired before may have a session of that id.
 */
static int name_freed(struct xylem_repair__plan *plan)
{
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < plan->read_count; i++) {
        char what[32];
        struct xylem_session *row = &plan->sessions[i].row;
        if (row->state != XYLEM_SESSION_FREED) {
            continue;
        }
        snprintf(what, sizeof what, "freed-%" PRIu64, row->number);
        row->state = XYLEM_SESSION_DELETED;
        xylem_base__buffer_clear(&plan->sessions[i].copies);
        code = name_session(plan, i, what);
    }
    return code;
}

static int read_sessions(struct xylem_repair__plan *plan)
{
    size_t count;
    const struct xylem_repair__salvaged *rows =
        xylem_repair__salvage_rows(&count, plan->repair->salvage, XYLEM_FORMAT__SESSIONS);
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < count; i++) {
        struct xylem_view key;
        struct xylem_view value;
        struct xylem_session row;
        size_t index = 0;
        code = xylem_repair__salvage_read(&key, &value, plan->repair->salvage, &rows[i], plan->repair->err);
        code = code < 0 ? code : xylem_store__session_decode(&row, rows[i].first, value, plan->repair->err);
        if (code < 0 || (row.id.bytes > 0 && has_id(plan, row.id))) {
            continue; /* two rows with one id: an older session's, which was freed */
        }
        code = add_session(&index, plan);
        if (code == XYLEM_OK) {
            struct xylem_repair__session *session = &plan->sessions[index];
            plan->read_count = index + 1;
            session->old_number = row.number;
            session->known = true;
            session->older = (rows[i].flags & XYLEM_REPAIR__ROW_OLDER) != 0;
            session->current = xylem_repair__current(plan->repair, &rows[i]);
            session->row = row;
            code = xylem_store__session_own(&session->copies, &session->row) < 0
                       ? xylem_base__fail_memory(plan->repair->err)
                       : XYLEM_OK;
            code = code < 0 || row.state == XYLEM_SESSION_FREED ? code : note_id(plan, index);
        }
    }
    return code < 0 ? code : name_freed(plan);
}

/* A session without a row: its id may stand in the table session_ids. */
static int add_lost_session(size_t *index, struct xylem_repair__plan *plan, uint64_t number)
{
    size_t count;
    const struct xylem_repair__salvaged *rows =
        xylem_repair__salvage_rows(&count, plan->repair->salvage, XYLEM_FORMAT__SESSION_IDS);
    for (size_t i = 0; i < count; i++) {
        struct xylem_view key;
        struct xylem_view value;
        int code = xylem_repair__salvage_read(&key, &value, plan->repair->salvage, &rows[i], plan->repair->err);
        if (code < 0) {
            return code;
        }
        struct xylem_base__cursor cursor = xylem_base__cursor_of(value.data, value.bytes);
        if (xylem_base__read_u64(&cursor) == number && !cursor.failed && !has_id(plan, key)) {
            code = add_session(index, plan);
            if (code == XYLEM_OK) {
                plan->sessions[*index].old_number = number;
                code = set_id(plan, *index, key);
            }
            return code;
        }
    }
    char what[32];
    snprintf(what, sizeof what, "%" PRIu64, number);
    return xylem_repair__session_add(index, plan, number, what);
}

static int report_lost_session(struct xylem_repair__plan *plan, size_t index)
{
    struct xylem_problem where = {.table = "sessions", .session_id = plan->sessions[index].row.id};
    plan->repair->report->lost_row_count++;
    return xylem_repair__found(plan->repair, &where,
                               "its row is lost: its working directory, its leaf and its times are not known");
}

/* The session of that number, which is made if its row is lost. */
static int need_session(size_t *index, struct xylem_repair__plan *plan, uint64_t number)
{
    *index = xylem_repair__session_of(plan, number);
    if (*index != XYLEM_REPAIR__NONE) {
        return XYLEM_OK;
    }
    int code = add_lost_session(index, plan, number);
    return code < 0 ? code : report_lost_session(plan, *index);
}

/* Sessions that are only named: by their id's row, or by what belongs to them in the tables that have no branch. */
static int read_named_sessions(struct xylem_repair__plan *plan)
{
    static const enum xylem_format__table tables[] = {XYLEM_FORMAT__SESSION_IDS, XYLEM_FORMAT__SOURCES,
                                                      XYLEM_FORMAT__QUARANTINE};
    int code = XYLEM_OK;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        size_t count;
        const struct xylem_repair__salvaged *rows =
            xylem_repair__salvage_rows(&count, plan->repair->salvage, tables[t]);
        for (size_t i = 0; code == XYLEM_OK && i < count; i++) {
            uint64_t number = rows[i].first;
            size_t index;
            if (rows[i].flags & XYLEM_REPAIR__ROW_OLDER) {
                continue;
            }
            if (tables[t] == XYLEM_FORMAT__SESSION_IDS) {
                struct xylem_view key;
                struct xylem_view value;
                code = xylem_repair__salvage_read(&key, &value, plan->repair->salvage, &rows[i], plan->repair->err);
                struct xylem_base__cursor cursor = xylem_base__cursor_of(value.data, code < 0 ? 0 : value.bytes);
                number = xylem_base__read_u64(&cursor);
            }
            code = code < 0 || number == 0 ? code : need_session(&index, plan, number);
        }
    }
    return code;
}

/* --- Branches --------------------------------------------------------------------------------------------------- */

/* Reads a branch's row, if it was saved. */
static int read_branch(struct xylem_store__branch *row, bool *known, struct xylem_repair__plan *plan, uint64_t number)
{
    struct xylem_view key;
    struct xylem_view value;
    const struct xylem_repair__salvaged *found =
        xylem_repair__row_of(plan->repair->salvage, XYLEM_FORMAT__BRANCHES, number);
    *known = found != NULL;
    if (!found) {
        return XYLEM_OK;
    }
    int code = xylem_repair__salvage_read(&key, &value, plan->repair->salvage, found, plan->repair->err);
    return code < 0 ? code : xylem_store__branch_decode(row, number, value, plan->repair->err);
}

/* True if a tree leads to the row, or the row is of the newest commit. */
static bool is_committed(const struct xylem_repair__salvaged *row)
{
    return (row->flags & XYLEM_REPAIR__ROW_REACHED) != 0 || !(row->flags & XYLEM_REPAIR__ROW_OLDER);
}

/*
 * May a record be used? A committed record may. Another record that the scan found may have been freed, or never
 * committed: its branch and its session must allow it, and it is of use only in a hole, or below a depth that something
 * proves.
 */
static bool may_be_used(const struct xylem_repair__plan *plan, const struct xylem_repair__salvaged *row,
                        const struct xylem_repair__branch *branch)
{
    if (!(row->flags & XYLEM_REPAIR__ROW_PROVEN)) {
        return false;
    }
    if (is_committed(row)) {
        return true;
    }
    bool hole = (row->flags & XYLEM_REPAIR__ROW_IN_HOLE) != 0;
    if (!branch->known) {
        return hole && xylem_repair__salvage_in_hole(plan->repair->salvage, XYLEM_FORMAT__BRANCHES, branch->number);
    }
    if (row->second < branch->first_depth || (branch->end_depth > 0 && row->second > branch->end_depth)) {
        return false;
    }
    const struct xylem_repair__session *session =
        branch->session == XYLEM_REPAIR__NONE ? NULL : &plan->sessions[branch->session];
    bool committed = !session || !session->current || row->newness <= session->row.last_lsn;
    return committed && (hole || row->second <= branch->extent);
}

static void extend(const struct xylem_repair__plan *plan, struct xylem_position position)
{
    struct xylem_repair__branch *branch = xylem_repair__branch_of(plan, position.branch);
    bool freed = branch && branch->end_depth > 0 && position.depth > branch->end_depth;
    if (branch && !freed && position.depth > branch->extent) {
        branch->extent = position.depth;
    }
}

/* Decodes the record of a row. */
static int read_record(struct xylem_entry *entry, struct xylem_repair__plan *plan,
                       const struct xylem_repair__salvaged *row)
{
    struct xylem_view key;
    struct xylem_view value;
    struct xylem_position position = {row->first, row->second};
    int code = xylem_repair__salvage_read(&key, &value, plan->repair->salvage, row, plan->repair->err);
    if (code == XYLEM_OK && !xylem_repair__salvage_record(entry, position, value,
                                                          xylem_repair__salvage_value_bytes(plan->repair->salvage))) {
        code = xylem_base__fail(plan->repair->err, XYLEM_E_BUSY, "the record at " XYLEM_FORMAT__AT_FORMAT " changed",
                                XYLEM_FORMAT__AT_ARGUMENTS(position));
    }
    return code;
}

/* The deepest position on another branch that the links of an entry name; none if they name none. */
static struct xylem_position linked_elsewhere(const struct xylem_entry *entry)
{
    struct xylem_position deepest = {0, 0};
    struct xylem_position link = {0, 0};
    struct xylem_base__cursor rest;
    if (xylem_format__links_marked(&link, &rest, entry, NULL) < 0) {
        return deepest;
    }
    struct xylem_store__heads_reading reading = {rest, entry->position, 0};
    int more = 1;
    while (more > 0) {
        if (link.branch != entry->position.branch && link.depth > deepest.depth) {
            deepest = link;
        }
        more = xylem_store__heads_reading_next(&link, &reading, NULL);
    }
    return deepest;
}

/*
 * Where a branch begins whose row is lost: its first record says it, if it is there. Else the links of those behind it
 * tell of the path before it, so that the gap has the right parent, or an ancestor of it.
 */
static int guess_beginning(struct xylem_repair__plan *plan, struct xylem_repair__branch *branch,
                           const struct xylem_repair__salvaged *rows, size_t count)
{
    branch->first_depth = 1;
    branch->parent_branch = 0;
    for (size_t i = 0; i < count && i < LOOKED_AT_MAX; i++) {
        struct xylem_entry entry;
        if (!(rows[i].flags & XYLEM_REPAIR__ROW_PROVEN)) {
            continue;
        }
        int code = read_record(&entry, plan, &rows[i]);
        if (code < 0) {
            return code;
        }
        struct xylem_position before = linked_elsewhere(&entry);
        if (entry.flags & XYLEM_ENTRY_STARTS_BRANCH) {
            before = entry.parent;
        }
        if (before.branch > 0 || entry.position.depth == 1) {
            branch->parent_branch = before.branch;
            branch->first_depth = before.depth + 1;
            return XYLEM_OK;
        }
    }
    return XYLEM_OK;
}

static int read_row_of(struct xylem_repair__plan *plan, struct xylem_repair__branch *branch)
{
    struct xylem_store__branch row;
    int code = read_branch(&row, &branch->known, plan, branch->number);
    branch->session = XYLEM_REPAIR__NONE;
    if (code < 0) {
        return code;
    }
    if (branch->known) {
        branch->first_depth = row.first_depth;
        branch->parent_branch = row.parent_branch;
        branch->previous_branch = row.previous_branch;
        branch->end_depth = row.end_depth;
        branch->extent = row.end_depth > 0 ? row.end_depth : row.first_depth;
        return need_session(&branch->session, plan, row.session);
    }
    size_t count;
    const struct xylem_repair__salvaged *rows =
        xylem_repair__rows_of(&count, plan->repair->salvage, XYLEM_FORMAT__LOG, branch->number);
    return guess_beginning(plan, branch, rows, count);
}

/* The numbers of all branches that something tells of. */
static int gather_numbers(struct xylem_base__numbers *numbers, struct xylem_repair__plan *plan)
{
    static const enum xylem_format__table tables[] = {XYLEM_FORMAT__BRANCHES, XYLEM_FORMAT__LOG};
    int code = XYLEM_OK;
    for (size_t t = 0; t < 2; t++) {
        size_t count;
        const struct xylem_repair__salvaged *rows =
            xylem_repair__salvage_rows(&count, plan->repair->salvage, tables[t]);
        for (size_t i = 0; code == XYLEM_OK && i < count; i++) {
            /* A record of the scan whose branch has no row tells of a branch only where rows of branches are lost. */
            bool tells = rows[i].flags & XYLEM_REPAIR__ROW_PROVEN &&
                         (tables[t] == XYLEM_FORMAT__BRANCHES || is_committed(&rows[i]) ||
                          xylem_repair__salvage_in_hole(plan->repair->salvage, XYLEM_FORMAT__BRANCHES, rows[i].first));
            code = tells ? xylem_base__numbers_note(numbers, rows[i].first, plan->repair->err) : XYLEM_OK;
        }
    }
    for (size_t i = 0; code == XYLEM_OK && i < plan->session_count; i++) {
        const struct xylem_session *row = &plan->sessions[i].row;
        code = xylem_base__numbers_note(numbers, row->base.branch, plan->repair->err);
        code = code < 0 ? code : xylem_base__numbers_note(numbers, row->leaf.branch, plan->repair->err);
        code = code < 0 ? code : xylem_base__numbers_note(numbers, row->newest_branch, plan->repair->err);
    }
    return code;
}

/* Adds the parents that rows and first records name, until there is no new one: each has a smaller number. */
static int gather_parents(struct xylem_base__numbers *numbers, struct xylem_repair__plan *plan)
{
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < numbers->count; i++) {
        struct xylem_repair__branch branch = {.number = numbers->list[i]};
        struct xylem_store__branch row;
        code = read_branch(&row, &branch.known, plan, branch.number);
        branch.parent_branch = branch.known && code == XYLEM_OK ? row.parent_branch : 0;
        if (code == XYLEM_OK && !branch.known) {
            size_t count;
            const struct xylem_repair__salvaged *rows =
                xylem_repair__rows_of(&count, plan->repair->salvage, XYLEM_FORMAT__LOG, branch.number);
            code = guess_beginning(plan, &branch, rows, count);
        }
        bool there = branch.parent_branch == 0 ||
                     xylem_repair__row_of(plan->repair->salvage, XYLEM_FORMAT__BRANCHES, branch.parent_branch) ||
                     xylem_repair__row_of(plan->repair->salvage, XYLEM_FORMAT__LOG, branch.parent_branch);
        code = code < 0 || there ? code : xylem_base__numbers_note(numbers, branch.parent_branch, plan->repair->err);
    }
    return code;
}

static int make_branches(struct xylem_repair__plan *plan, struct xylem_base__numbers *numbers)
{
    if (numbers->count == 0) {
        return XYLEM_OK;
    }
    xylem_base__numbers_sort(numbers);
    plan->branches = calloc(numbers->count, sizeof *plan->branches);
    if (!plan->branches) {
        return xylem_base__fail_memory(plan->repair->err);
    }
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < numbers->count; i++) {
        if (i > 0 && numbers->list[i] == numbers->list[i - 1]) {
            continue;
        }
        struct xylem_repair__branch *branch = &plan->branches[plan->branch_count++];
        branch->number = numbers->list[i];
        code = read_row_of(plan, branch);
    }
    return code;
}

/* --- Whose branch it is, where its row is lost ------------------------------------------------------------------ */

static void own(struct xylem_repair__plan *plan, uint64_t number, size_t session)
{
    struct xylem_repair__branch *branch = xylem_repair__branch_of(plan, number);
    if (branch && branch->session == XYLEM_REPAIR__NONE) {
        branch->session = session;
    }
}

/* Does the path of a session's base cross the branch? */
static bool base_crosses(const struct xylem_repair__plan *plan, const struct xylem_repair__session *session,
                         uint64_t number)
{
    const struct xylem_repair__branch *at = xylem_repair__branch_of(plan, session->row.base.branch);
    while (at && at->number != number && at->parent_branch < at->number) {
        at = xylem_repair__branch_of(plan, at->parent_branch);
    }
    return at != NULL && at->number == number;
}

/*
 * A session's newest branch is its own, and so is what its chain goes on to, and where its leaf and its branches stand
 * if the path of its base does not go there. What nobody owns then becomes a session of its own.
 */
static int find_owners(struct xylem_repair__plan *plan)
{
    for (size_t i = 0; i < plan->session_count; i++) {
        const struct xylem_repair__session *session = &plan->sessions[i];
        own(plan, session->row.newest_branch, i);
        if (session->known && !base_crosses(plan, session, session->row.leaf.branch)) {
            own(plan, session->row.leaf.branch, i);
        }
    }
    for (size_t i = plan->branch_count; i > 0; i--) { /* parents and predecessors have smaller numbers */
        const struct xylem_repair__branch *branch = &plan->branches[i - 1];
        if (branch->session == XYLEM_REPAIR__NONE) {
            continue;
        }
        const struct xylem_repair__session *session = &plan->sessions[branch->session];
        own(plan, branch->previous_branch, branch->session);
        if (session->known && !base_crosses(plan, session, branch->parent_branch)) {
            own(plan, branch->parent_branch, branch->session);
        }
    }
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < plan->branch_count; i++) {
        struct xylem_repair__branch *branch = &plan->branches[i];
        if (branch->session == XYLEM_REPAIR__NONE) {
            char what[40];
            snprintf(what, sizeof what, "branch-%" PRIu64, branch->number);
            code = xylem_repair__session_add(&branch->session, plan, 0, what);
            code = code < 0 ? code : report_lost_session(plan, branch->session);
        }
    }
    return code;
}

/* The base of a session whose row is lost: the deepest place where its branches leave another session's. */
static void find_bases(struct xylem_repair__plan *plan)
{
    for (size_t i = 0; i < plan->branch_count; i++) {
        const struct xylem_repair__branch *branch = &plan->branches[i];
        const struct xylem_repair__branch *parent = xylem_repair__branch_of(plan, branch->parent_branch);
        struct xylem_repair__session *session = &plan->sessions[branch->session];
        if (!session->known && parent && parent->session != branch->session &&
            branch->first_depth - 1 > session->row.base.depth) {
            session->row.base = (struct xylem_position){parent->number, branch->first_depth - 1};
        }
    }
}

/* --- Trees ------------------------------------------------------------------------------------------------------ */

static size_t first_of_group(const struct xylem_repair__plan *plan, size_t index)
{
    while (plan->sessions[index].group != index) {
        index = plan->sessions[index].group;
    }
    return index;
}

static void join(struct xylem_repair__plan *plan, size_t a, size_t b)
{
    a = first_of_group(plan, a);
    b = first_of_group(plan, b);
    if (a < b) {
        plan->sessions[b].group = a;
    } else {
        plan->sessions[a].group = b;
    }
}

/* Sessions whose entries share a path are of one tree. Once they are all known. */
static void group(struct xylem_repair__plan *plan)
{
    for (size_t i = 0; i < plan->session_count; i++) {
        const struct xylem_repair__session *session = &plan->sessions[i];
        size_t source = xylem_repair__session_of(plan, session->row.tree);
        const struct xylem_repair__branch *base = xylem_repair__branch_of(plan, session->row.base.branch);
        for (size_t j = 0; source == XYLEM_REPAIR__NONE && session->known && j < i; j++) {
            /* The session that the tree is named after was freed. */
            source = plan->sessions[j].row.tree == session->row.tree ? j : source;
        }
        if (source != XYLEM_REPAIR__NONE) {
            join(plan, i, source);
        }
        if (base) {
            join(plan, i, base->session);
        }
    }
    for (size_t i = 0; i < plan->branch_count; i++) {
        const struct xylem_repair__branch *parent = xylem_repair__branch_of(plan, plan->branches[i].parent_branch);
        if (parent) {
            join(plan, plan->branches[i].session, parent->session);
        }
    }
    for (size_t i = 0; i < plan->session_count; i++) {
        plan->sessions[i].group = first_of_group(plan, i);
    }
}

/* --- Entries and gaps ------------------------------------------------------------------------------------------- */

/*
 * How deep branches go: as records, fork points and rows of sessions say. The key of a record that does not prove itself
 * tells of an entry too, but may be what is damaged: it is believed if it comes next.
 */
static void find_extents(struct xylem_repair__plan *plan)
{
    size_t count;
    const struct xylem_repair__salvaged *rows =
        xylem_repair__salvage_rows(&count, plan->repair->salvage, XYLEM_FORMAT__LOG);
    for (size_t i = 0; i < plan->branch_count; i++) {
        const struct xylem_repair__branch *branch = &plan->branches[i];
        extend(plan, (struct xylem_position){branch->parent_branch, branch->first_depth - 1});
    }
    for (size_t i = 0; i < plan->session_count; i++) {
        extend(plan, plan->sessions[i].row.base);
        extend(plan, plan->sessions[i].row.leaf);
        extend(plan, plan->sessions[i].row.imported_leaf);
    }
    for (size_t i = 0; i < count; i++) {
        const struct xylem_repair__branch *branch = xylem_repair__branch_of(plan, rows[i].first);
        bool proven = (rows[i].flags & XYLEM_REPAIR__ROW_PROVEN) != 0;
        bool reached = (rows[i].flags & XYLEM_REPAIR__ROW_REACHED) != 0;
        if (branch && (proven ? is_committed(&rows[i]) : reached && rows[i].second == branch->extent + 1)) {
            extend(plan, (struct xylem_position){rows[i].first, rows[i].second});
        }
    }
}

static int choose_entries(struct xylem_repair__plan *plan)
{
    size_t count;
    const struct xylem_repair__salvaged *rows =
        xylem_repair__salvage_rows(&count, plan->repair->salvage, XYLEM_FORMAT__LOG);
    plan->entries = calloc(count + 1, sizeof *plan->entries);
    plan->by_lsn = calloc(count + 1, sizeof *plan->by_lsn);
    if (!plan->entries || !plan->by_lsn) {
        return xylem_base__fail_memory(plan->repair->err);
    }
    for (size_t i = 0; i < count; i++) {
        struct xylem_repair__branch *branch = xylem_repair__branch_of(plan, rows[i].first);
        if (!branch || !may_be_used(plan, &rows[i], branch)) {
            continue;
        }
        if (branch->entry_count == 0) {
            branch->entry_begin = plan->entry_count;
        }
        branch->entry_count++;
        branch->extent = rows[i].second > branch->extent ? rows[i].second : branch->extent;
        plan->entries[plan->entry_count++].row = &rows[i];
    }
    return XYLEM_OK;
}

static int compare_lsns(const void *left, const void *right, void *context)
{
    const struct xylem_repair__entry *entries = context;
    size_t a = *(const size_t *)left;
    size_t b = *(const size_t *)right;
    uint64_t first = entries[a].row->newness;
    uint64_t second = entries[b].row->newness;
    return first != second ? (first > second) - (first < second) : (a > b) - (a < b);
}

static void sort_entries(struct xylem_repair__plan *plan)
{
    for (size_t i = 0; i < plan->entry_count; i++) {
        plan->by_lsn[i] = i;
    }
    if (plan->entry_count > 0) {
        qsort_r(plan->by_lsn, plan->entry_count, sizeof *plan->by_lsn, compare_lsns, plan->entries);
    }
}

static int add_gap(struct xylem_repair__plan *plan, struct xylem_repair__branch *branch, uint64_t first, uint64_t last)
{
    if (last < first) {
        return XYLEM_OK;
    }
    struct xylem_repair__gap *gaps =
        xylem_base__with_room(plan->gaps, &plan->gap_capacity, plan->gap_count, sizeof *gaps);
    if (!gaps) {
        return xylem_base__fail_memory(plan->repair->err);
    }
    plan->gaps = gaps;
    branch->gap_begin = branch->gap_count == 0 ? plan->gap_count : branch->gap_begin;
    branch->gap_count++;
    plan->gaps[plan->gap_count++] =
        (struct xylem_repair__gap){.branch = (size_t)(branch - plan->branches), .first = first, .last = last};
    plan->sessions[branch->session].own_count += last - first + 1;
    return XYLEM_OK;
}

/* Whatever a branch should have between its first depth and its extent, and has not, is a gap. */
static int find_gaps(struct xylem_repair__plan *plan)
{
    int code = XYLEM_OK;
    for (size_t i = 0; i < plan->branch_count; i++) {
        struct xylem_repair__branch *branch = &plan->branches[i];
        uint64_t next = branch->first_depth;
        for (size_t j = 0; code == XYLEM_OK && j < branch->entry_count; j++) {
            uint64_t depth = plan->entries[branch->entry_begin + j].row->second;
            code = add_gap(plan, branch, next, depth - 1);
            next = depth + 1;
        }
        code = code < 0 ? code : add_gap(plan, branch, next, branch->extent);
        plan->sessions[branch->session].own_count += branch->entry_count;
    }
    return code;
}

int xylem_repair__plan(struct xylem_repair__plan *plan)
{
    struct xylem_base__numbers numbers = {NULL, 0, 0};
    int code = read_sessions(plan);
    code = code < 0 ? code : gather_numbers(&numbers, plan);
    code = code < 0 ? code : gather_parents(&numbers, plan);
    code = code < 0 ? code : make_branches(plan, &numbers);
    code = code < 0 ? code : read_named_sessions(plan);
    code = code < 0 ? code : find_owners(plan);
    free(numbers.list);
    if (code < 0) {
        return code;
    }
    find_bases(plan);
    find_extents(plan);
    code = choose_entries(plan);
    code = code < 0 ? code : find_gaps(plan);
    code = code < 0 ? code : xylem_repair__kinds_read(plan);
    code = code < 0 ? code : xylem_repair__older_sessions(plan);
    if (code == XYLEM_OK) {
        sort_entries(plan);
        group(plan);
    }
    return code;
}

void xylem_repair__plan_release(struct xylem_repair__plan *plan)
{
    for (size_t i = 0; i < plan->session_count; i++) {
        xylem_buffer_release(&plan->sessions[i].copies);
    }
    for (size_t i = 0; i < plan->kind_count; i++) {
        xylem_buffer_release(&plan->kinds[i].name);
    }
    free(plan->sessions);
    free(plan->ids);
    free(plan->branches);
    free(plan->entries);
    free(plan->by_lsn);
    free(plan->gaps);
    free(plan->kinds);
}
