/*
 * Plans the new store: its sessions, branches, chosen records and gaps. xylem_repair__plan() takes these steps:
 *
 *   1. read_sessions               sessions with a row
 *   2. gather_numbers, _parents    the number of each branch that a row, a record or a session names
 *   3. make_branches               each branch by its row; without a row the records tell the beginning
 *   4. read_named_sessions         sessions without a row that another row names
 *   5. find_owners, find_bases     owners of branches without a row, bases of sessions without a row
 *   6. find_extents                the greatest checked depth of each branch
 *   7. choose_entries, find_gaps   the record of each depth, or a gap; the order of lsns
 *   8. kinds, older sessions, groups of sessions with a common tree
 *
 * A branch after step 7. Depths 6 and 7 were lost, and the session's row has its leaf at depth 11:
 *
 *   depth          4      5      6      7      8      9      10     11
 *                  entry  entry  |--- gap ---| entry  entry  |--- gap ---|
 *                  ^                                                  ^
 *                  first_depth                                        extent
 *
 * A lost row, and the source that replaces the row:
 *
 *   sessions       the id: the table session_ids, else a made-up id. The base: the deepest fork point of the session's
 *                  branches. The leaf: the session's newest entry.
 *   branches       the beginning: the branch's first record, else the links of later records. The owner: the sessions'
 *                  newest branches, leaves and chains, else a made-up session.
 *   log            a gap, and a placeholder in the new store
 *   session_ids    no loss: the row of sessions has the id
 */
#include <assert.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/branch.h"
#include "store/heads.h"
#include "base/numbers.h"
#include "care/repair/repair.h"
#include "store/format/hash.h"
#include "store/format/keys.h"
#include "store/session.h"

/* If the row and the first record of a branch are lost, this many records are read to find the branch's beginning. */
#define LOOKED_AT_MAX 256u

/* --- Sessions --------------------------------------------------------------------------------------------------- */

static int add_session(size_t *index, struct xylem_repair__plan *plan, uint64_t old_number)
{
    struct xylem_repair__session *sessions =
        xylem_base__with_room(plan->sessions, &plan->session_capacity, plan->session_count, sizeof *sessions);
    if (!sessions) {
        return xylem_base__fail_memory(plan->repair->err);
    }
    plan->sessions = sessions;
    *index = plan->session_count++;
    plan->sessions[*index] = (struct xylem_repair__session){.old_number = old_number, .group = *index};
    return XYLEM_OK;
}

/* By id and namespace. */
static int compare_ids(const void *left, const void *right)
{
    const struct xylem_session *a = left;
    const struct xylem_session *b = right;
    int order = xylem_base__view_order(a->id, b->id);
    return order != 0 ? order : xylem_base__view_order(a->name_space, b->name_space);
}

static bool has_id(const struct xylem_repair__plan *plan, struct xylem_view name_space, struct xylem_view id)
{
    const struct xylem_session named = {.id = id, .name_space = name_space};
    return tfind(&named, &plan->ids, compare_ids) != NULL;
}

/* Adds a session to `plan->ids`. No other session of the plan has the id in its namespace. */
static int note_id(struct xylem_repair__plan *plan, size_t index)
{
    struct xylem_session *named = malloc(sizeof *named);
    assert(!has_id(plan, plan->sessions[index].row.name_space, plan->sessions[index].row.id));
    if (named) {
        *named = plan->sessions[index].row;
    }
    if (!named || !tsearch(named, &plan->ids, compare_ids)) {
        free(named);
        return xylem_base__fail_memory(plan->repair->err);
    }
    return XYLEM_OK;
}

/* Gives a session a copy of an id. */
static int set_id(struct xylem_repair__plan *plan, size_t index, struct xylem_view id)
{
    struct xylem_repair__session *session = &plan->sessions[index];
    assert(session->copies.bytes == 0);
    if (xylem_buffer_add(&session->copies, id.data, id.bytes) < 0) {
        return xylem_base__fail_memory(plan->repair->err);
    }
    session->row.id = xylem_base__buffer_view(&session->copies);
    return note_id(plan, index);
}

/* Gives a session the id `recovered-WHAT`, with a number appended if another session of the plan has that id. */
static int name_session(struct xylem_repair__plan *plan, size_t index, const char *what)
{
    char id[XYLEM_SESSION_ID_BYTES_MAX];
    snprintf(id, sizeof id, "recovered-%s", what);
    for (unsigned taken = 2; has_id(plan, (struct xylem_view){NULL, 0}, xylem_view_of(id)); taken++) {
        snprintf(id, sizeof id, "recovered-%s-%u", what, taken);
    }
    return set_id(plan, index, xylem_view_of(id));
}

int xylem_repair__session_add(size_t *index, struct xylem_repair__plan *plan, uint64_t old_number, const char *what)
{
    int code = add_session(index, plan, old_number);
    return code < 0 ? code : name_session(plan, *index, what);
}

/*
 * A freed session has no id. The session's row stays for the entries that other sessions share. The new store gets a
 * deleted session with a made-up id instead, and the next garbage collection frees the session again. Ids are made up
 * after all other ids are known: a store that was repaired before may have a session with a made-up id.
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
    struct xylem_repair__salvage *salvage = plan->repair->salvage;
    struct xylem_error *err = plan->repair->err;
    struct xylem_repair__rows rows = xylem_repair__salvage_rows(salvage, XYLEM_FORMAT__SESSIONS);
    for (size_t i = 0; i < rows.count; i++) {
        struct xylem_repair__content content;
        struct xylem_session row;
        size_t index = 0;
        int code;
        if ((code = xylem_repair__salvage_read(&content, salvage, &rows.list[i], err)) < 0 ||
            (code = xylem_store__session_decode(&row, rows.list[i].first, content.value, err)) < 0) {
            return code;
        }
        if (row.id.bytes > 0 && has_id(plan, row.name_space, row.id)) {
            continue; /* the second row with this id is of an earlier session, which was freed */
        }
        if ((code = add_session(&index, plan, row.number)) < 0) {
            return code;
        }
        struct xylem_repair__session *session = &plan->sessions[index];
        plan->read_count = index + 1;
        session->known = true;
        session->older = (rows.list[i].flags & XYLEM_REPAIR__ROW_OLDER) != 0;
        session->current = xylem_repair__current(plan->repair, &rows.list[i]);
        session->row = row;
        if (xylem_store__session_own(&session->copies, &session->row) < 0) {
            return xylem_base__fail_memory(err);
        }
        if (row.state != XYLEM_SESSION_FREED && (code = note_id(plan, index)) < 0) {
            return code;
        }
    }
    return name_freed(plan);
}

/* Reads a key of session_ids. Another session names the namespace of the hash in the key; false if none does. */
static bool read_id(struct xylem_view *name_space, struct xylem_view *id, const struct xylem_repair__plan *plan,
                    struct xylem_view key)
{
    uint64_t hash;
    if (!xylem_format__key_read_session_id(&hash, id, key)) {
        return false;
    }
    bool spaced = id->bytes < key.bytes;
    *name_space = (struct xylem_view){NULL, 0};
    for (size_t i = 0; spaced && i < plan->session_count && name_space->bytes == 0; i++) {
        struct xylem_view own = plan->sessions[i].row.name_space;
        *name_space = own.bytes > 0 && xylem_format__hash(own) == hash ? own : *name_space;
    }
    return !spaced || name_space->bytes > 0;
}

/*
 * Adds a session without a row. The table session_ids may still have the session's id. An id is of no use without its
 * namespace: in the empty one it would be another session's.
 */
static int add_lost_session(size_t *index, struct xylem_repair__plan *plan, uint64_t number)
{
    struct xylem_repair__rows rows = xylem_repair__salvage_rows(plan->repair->salvage, XYLEM_FORMAT__SESSION_IDS);
    for (size_t i = 0; i < rows.count; i++) {
        struct xylem_repair__content content;
        int code;
        if (rows.list[i].entry != number) {
            continue;
        }
        if ((code = xylem_repair__salvage_read(&content, plan->repair->salvage, &rows.list[i], plan->repair->err)) <
            0) {
            return code;
        }
        struct xylem_view name_space;
        struct xylem_view id;
        if (read_id(&name_space, &id, plan, content.key) && !has_id(plan, name_space, id)) {
            if ((code = add_session(index, plan, number)) == XYLEM_OK) {
                plan->sessions[*index].row.name_space = name_space;
                code = set_id(plan, *index, id);
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
    struct xylem_problem where = {.table = "sessions",
                                  .session_id = plan->sessions[index].row.id,
                                  .name_space = plan->sessions[index].row.name_space};
    plan->repair->report->lost_row_count++;
    return xylem_repair__found(plan->repair, &where,
                               "the session's row is lost: working directory, leaf and times are unknown");
}

/* Finds the session of an old number, or adds a session without a row. */
static int need_session(size_t *index, struct xylem_repair__plan *plan, uint64_t number)
{
    *index = xylem_repair__session_of(plan, number);
    if (*index != XYLEM_REPAIR__NONE) {
        return XYLEM_OK;
    }
    int code = add_lost_session(index, plan, number);
    return code < 0 ? code : report_lost_session(plan, *index);
}

/*
 * Adds sessions without a row that a row of session_ids, sources or quarantine names. An older row names no session:
 * the session may have been freed.
 */
static int read_named_sessions(struct xylem_repair__plan *plan)
{
    static const enum xylem_format__table tables[] = {XYLEM_FORMAT__SESSION_IDS, XYLEM_FORMAT__SOURCES,
                                                      XYLEM_FORMAT__QUARANTINE, XYLEM_FORMAT__SIDES};
    int code = XYLEM_OK;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        struct xylem_repair__rows rows = xylem_repair__salvage_rows(plan->repair->salvage, tables[t]);
        for (size_t i = 0; code == XYLEM_OK && i < rows.count; i++) {
            uint64_t number = tables[t] == XYLEM_FORMAT__SESSION_IDS ? rows.list[i].entry : rows.list[i].first;
            size_t index;
            if (!(rows.list[i].flags & XYLEM_REPAIR__ROW_OLDER) && number > 0) {
                code = need_session(&index, plan, number);
            }
        }
    }
    return code;
}

/* --- Branches --------------------------------------------------------------------------------------------------- */

/* True if a tree leads to the row, or the row is of the newest commit. */
static bool is_committed(const struct xylem_repair__salvaged *row)
{
    return (row->flags & XYLEM_REPAIR__ROW_REACHED) != 0 || !(row->flags & XYLEM_REPAIR__ROW_OLDER);
}

/*
 * True if the plan may use a record. A record that no tree leads to may have been freed, or was never committed:
 *
 *   the record does not prove itself                                       no
 *   a tree leads to the record, or the record is of the newest commit      yes
 *   the branch's row is lost                                               if both rows lie in holes
 *   the depth lies before the branch or behind the branch's end            no
 *   the lsn is greater than the session's last lsn (current row)           no: the record was never committed
 *   the position lies in a hole of the log, or not behind the extent       yes
 *   else                                                                   no
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

/* Raises the extent of a branch to a proven position. The end of a freed branch limits the extent. */
static void raise_extent(const struct xylem_repair__plan *plan, struct xylem_position position)
{
    struct xylem_repair__branch *branch = xylem_repair__branch_of(plan, position.branch);
    bool freed = branch && branch->end_depth > 0 && position.depth > branch->end_depth;
    if (branch && !freed && position.depth > branch->extent) {
        branch->extent = position.depth;
    }
}

/* The deepest position on another branch among the links of an entry; none: all links stay on the branch. */
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
 * Finds the beginning of a branch without a row:
 *
 *   the first record of the branch is saved     the record's parent
 *   a later record links to another branch      the deepest such link: the parent of the branch, or an ancestor of the
 *                                               parent
 *   neither                                     the branch is taken for a root
 */
static int guess_beginning(struct xylem_repair__plan *plan, struct xylem_repair__branch *branch)
{
    struct xylem_repair__rows rows = xylem_repair__rows_of(plan->repair->salvage, XYLEM_FORMAT__LOG, branch->number);
    branch->first_depth = 1;
    branch->parent_branch = 0;
    for (size_t i = 0; i < rows.count && i < LOOKED_AT_MAX; i++) {
        struct xylem_repair__content content;
        struct xylem_entry entry;
        if (!(rows.list[i].flags & XYLEM_REPAIR__ROW_PROVEN)) {
            continue;
        }
        int code = xylem_repair__record_read(&entry, &content, NULL, plan->repair, &rows.list[i]);
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

/* Fills in a branch by its row, or guesses the beginning. `owner`: the old number of the session; 0: unknown. */
static int read_or_guess(struct xylem_repair__branch *branch, uint64_t *owner, struct xylem_repair__plan *plan)
{
    struct xylem_repair__content content;
    struct xylem_store__branch row;
    const struct xylem_repair__salvaged *found =
        xylem_repair__row_of(plan->repair->salvage, XYLEM_FORMAT__BRANCHES, branch->number);
    int code;
    *owner = 0;
    branch->known = found != NULL;
    branch->session = XYLEM_REPAIR__NONE;
    if (!found) {
        return guess_beginning(plan, branch);
    }
    if ((code = xylem_repair__salvage_read(&content, plan->repair->salvage, found, plan->repair->err)) < 0 ||
        (code = xylem_store__branch_decode(&row, branch->number, content.value, plan->repair->err)) < 0) {
        return code;
    }
    *owner = row.session;
    branch->first_depth = row.first_depth;
    branch->parent_branch = row.parent_branch;
    branch->previous_branch = row.previous_branch;
    branch->end_depth = row.end_depth;
    branch->extent = row.end_depth > 0 ? row.end_depth : row.first_depth;
    return XYLEM_OK;
}

/* Collects the number of each branch that a row of branches, a record or a session's row names. */
static int gather_numbers(struct xylem_base__numbers *numbers, struct xylem_repair__plan *plan)
{
    static const enum xylem_format__table tables[] = {XYLEM_FORMAT__BRANCHES, XYLEM_FORMAT__LOG};
    int code = XYLEM_OK;
    for (size_t t = 0; t < 2; t++) {
        struct xylem_repair__rows rows = xylem_repair__salvage_rows(plan->repair->salvage, tables[t]);
        for (size_t i = 0; code == XYLEM_OK && i < rows.count; i++) {
            /* A record that no tree leads to names a branch only where the branch's row may be lost. */
            bool names =
                rows.list[i].flags & XYLEM_REPAIR__ROW_PROVEN &&
                (tables[t] == XYLEM_FORMAT__BRANCHES || is_committed(&rows.list[i]) ||
                 xylem_repair__salvage_in_hole(plan->repair->salvage, XYLEM_FORMAT__BRANCHES, rows.list[i].first));
            code = names ? xylem_base__numbers_note(numbers, rows.list[i].first, plan->repair->err) : XYLEM_OK;
        }
    }
    for (size_t i = 0; code == XYLEM_OK && i < plan->session_count; i++) {
        const struct xylem_session *row = &plan->sessions[i].row;
        if ((code = xylem_base__numbers_note(numbers, row->base.branch, plan->repair->err)) < 0 ||
            (code = xylem_base__numbers_note(numbers, row->leaf.branch, plan->repair->err)) < 0 ||
            (code = xylem_base__numbers_note(numbers, row->newest_branch, plan->repair->err)) < 0) {
            return code;
        }
    }
    return code;
}

/*
 * Adds the parent of each branch, also of the added branches. The loop ends: a parent without a row and without a
 * record has no parent.
 */
static int gather_parents(struct xylem_base__numbers *numbers, struct xylem_repair__plan *plan)
{
    const struct xylem_repair__salvage *salvage = plan->repair->salvage;
    for (size_t i = 0; i < numbers->count; i++) {
        struct xylem_repair__branch branch = {.number = numbers->list[i]};
        uint64_t owner;
        int code = read_or_guess(&branch, &owner, plan);
        if (code < 0) {
            return code;
        }
        bool there = branch.parent_branch == 0 ||
                     xylem_repair__row_of(salvage, XYLEM_FORMAT__BRANCHES, branch.parent_branch) ||
                     xylem_repair__row_of(salvage, XYLEM_FORMAT__LOG, branch.parent_branch);
        if (!there && (code = xylem_base__numbers_note(numbers, branch.parent_branch, plan->repair->err)) < 0) {
            return code;
        }
    }
    return XYLEM_OK;
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
        struct xylem_repair__branch *branch = &plan->branches[plan->branch_count++];
        uint64_t owner;
        branch->number = numbers->list[i];
        if ((code = read_or_guess(branch, &owner, plan)) == XYLEM_OK && branch->known) {
            code = need_session(&branch->session, plan, owner);
        }
    }
    return code;
}

/* --- Owners of branches without a row --------------------------------------------------------------------------- */

/* Gives a branch without an owner to a session. */
static void claim(struct xylem_repair__plan *plan, uint64_t number, size_t session)
{
    struct xylem_repair__branch *branch = xylem_repair__branch_of(plan, number);
    if (branch && branch->session == XYLEM_REPAIR__NONE) {
        branch->session = session;
    }
}

/* True if the path of the session's base crosses the branch. */
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
 * Finds the owner of each branch without a row, from the greatest number down:
 *
 *   a session's newest branch                                                           the session
 *   the branch of a session's leaf, unless the path of the session's base crosses it    the session
 *   the previous branch in the chain of an owned branch                                 the same session
 *   the parent of an owned branch, unless the path of the session's base crosses it     the same session
 *   else                                                                                a made-up session
 */
static int find_owners(struct xylem_repair__plan *plan)
{
    for (size_t i = 0; i < plan->session_count; i++) {
        const struct xylem_repair__session *session = &plan->sessions[i];
        claim(plan, session->row.newest_branch, i);
        if (session->known && !base_crosses(plan, session, session->row.leaf.branch)) {
            claim(plan, session->row.leaf.branch, i);
        }
    }
    for (size_t i = plan->branch_count; i > 0; i--) { /* parents and predecessors have smaller numbers */
        const struct xylem_repair__branch *branch = &plan->branches[i - 1];
        if (branch->session == XYLEM_REPAIR__NONE) {
            continue;
        }
        const struct xylem_repair__session *session = &plan->sessions[branch->session];
        claim(plan, branch->previous_branch, branch->session);
        if (session->known && !base_crosses(plan, session, branch->parent_branch)) {
            claim(plan, branch->parent_branch, branch->session);
        }
    }
    for (size_t i = 0; i < plan->branch_count; i++) {
        struct xylem_repair__branch *branch = &plan->branches[i];
        char what[40];
        int code;
        if (branch->session != XYLEM_REPAIR__NONE) {
            continue;
        }
        snprintf(what, sizeof what, "branch-%" PRIu64, branch->number);
        if ((code = xylem_repair__session_add(&branch->session, plan, 0, what)) < 0 ||
            (code = report_lost_session(plan, branch->session)) < 0) {
            return code;
        }
    }
    return XYLEM_OK;
}

/* The base of a session without a row: the deepest entry of another session at which a branch of the session starts. */
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

static void join_groups(struct xylem_repair__plan *plan, size_t a, size_t b)
{
    a = first_of_group(plan, a);
    b = first_of_group(plan, b);
    if (a < b) {
        plan->sessions[b].group = a;
    } else {
        plan->sessions[a].group = b;
    }
}

/* Groups the sessions that share a path: such sessions are of one tree. Needs all sessions and branches. */
static void group_sessions(struct xylem_repair__plan *plan)
{
    for (size_t i = 0; i < plan->session_count; i++) {
        const struct xylem_repair__session *session = &plan->sessions[i];
        size_t source = xylem_repair__session_of(plan, session->row.tree);
        const struct xylem_repair__branch *base = xylem_repair__branch_of(plan, session->row.base.branch);
        for (size_t j = 0; source == XYLEM_REPAIR__NONE && session->known && j < i; j++) {
            /*
             * The tree has the number of a freed session. An earlier session of the tree stands for the freed session.
             */
            source = plan->sessions[j].row.tree == session->row.tree ? j : source;
        }
        if (source != XYLEM_REPAIR__NONE) {
            join_groups(plan, i, source);
        }
        if (base) {
            join_groups(plan, i, base->session);
        }
    }
    for (size_t i = 0; i < plan->branch_count; i++) {
        const struct xylem_repair__branch *parent = xylem_repair__branch_of(plan, plan->branches[i].parent_branch);
        if (parent) {
            join_groups(plan, plan->branches[i].session, parent->session);
        }
    }
    for (size_t i = 0; i < plan->session_count; i++) {
        plan->sessions[i].group = first_of_group(plan, i);
    }
}

/* --- Entries and gaps ------------------------------------------------------------------------------------------- */

/*
 * Finds the extent of each branch: the greatest depth that a record, a fork point or a session's row proves. A reached
 * record without its sum proves its depth only if the depth follows the extent: the key may be damaged.
 */
static void find_extents(struct xylem_repair__plan *plan)
{
    struct xylem_repair__rows rows = xylem_repair__salvage_rows(plan->repair->salvage, XYLEM_FORMAT__LOG);
    for (size_t i = 0; i < plan->branch_count; i++) {
        const struct xylem_repair__branch *branch = &plan->branches[i];
        raise_extent(plan, (struct xylem_position){branch->parent_branch, branch->first_depth - 1});
    }
    for (size_t i = 0; i < plan->session_count; i++) {
        raise_extent(plan, plan->sessions[i].row.base);
        raise_extent(plan, plan->sessions[i].row.leaf);
        raise_extent(plan, plan->sessions[i].row.imported_leaf);
    }
    for (size_t i = 0; i < rows.count; i++) {
        const struct xylem_repair__branch *branch = xylem_repair__branch_of(plan, rows.list[i].first);
        bool proven = (rows.list[i].flags & XYLEM_REPAIR__ROW_PROVEN) != 0;
        bool reached = (rows.list[i].flags & XYLEM_REPAIR__ROW_REACHED) != 0;
        if (branch && (proven ? is_committed(&rows.list[i]) : reached && rows.list[i].second == branch->extent + 1)) {
            raise_extent(plan, (struct xylem_position){rows.list[i].first, rows.list[i].second});
        }
    }
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

/* Chooses the record of each position, and sorts the records by lsn. */
static int choose_entries(struct xylem_repair__plan *plan)
{
    struct xylem_repair__rows rows = xylem_repair__salvage_rows(plan->repair->salvage, XYLEM_FORMAT__LOG);
    plan->entries = calloc(rows.count + 1, sizeof *plan->entries);
    plan->by_lsn = calloc(rows.count + 1, sizeof *plan->by_lsn);
    if (!plan->entries || !plan->by_lsn) {
        return xylem_base__fail_memory(plan->repair->err);
    }
    for (size_t i = 0; i < rows.count; i++) {
        struct xylem_repair__branch *branch = xylem_repair__branch_of(plan, rows.list[i].first);
        if (!branch || !may_be_used(plan, &rows.list[i], branch)) {
            continue;
        }
        if (branch->entry_count == 0) {
            branch->entry_begin = plan->entry_count;
        }
        assert(branch->entry_begin + branch->entry_count == plan->entry_count); /* rows come by ascending position */
        branch->entry_count++;
        branch->extent = rows.list[i].second > branch->extent ? rows.list[i].second : branch->extent;
        plan->by_lsn[plan->entry_count] = plan->entry_count;
        plan->entries[plan->entry_count++].row = &rows.list[i];
    }
    qsort_r(plan->by_lsn, plan->entry_count, sizeof *plan->by_lsn, compare_lsns, plan->entries);
    return XYLEM_OK;
}

/* Each depth from a branch's first depth to the extent has an entry or lies in a gap. */
static int find_gaps(struct xylem_repair__plan *plan)
{
    for (size_t i = 0; i < plan->branch_count; i++) {
        struct xylem_repair__branch *branch = &plan->branches[i];
        uint64_t next = branch->first_depth;
        for (size_t j = 0; j <= branch->entry_count; j++) {
            bool behind = j == branch->entry_count;
            uint64_t last = behind ? branch->extent : plan->entries[branch->entry_begin + j].row->second - 1;
            if (last >= next) {
                assert(branch->gap_count == 0 || branch->gap_begin + branch->gap_count == plan->gap_count);
                struct xylem_repair__gap *gaps =
                    xylem_base__with_room(plan->gaps, &plan->gap_capacity, plan->gap_count, sizeof *gaps);
                if (!gaps) {
                    return xylem_base__fail_memory(plan->repair->err);
                }
                plan->gaps = gaps;
                branch->gap_begin = branch->gap_count == 0 ? plan->gap_count : branch->gap_begin;
                branch->gap_count++;
                plan->gaps[plan->gap_count++] = (struct xylem_repair__gap){.branch = i, .first = next, .last = last};
                plan->sessions[branch->session].own_count += last - next + 1;
            }
            next = last + 2; /* behind the entry at `last` + 1 */
        }
        plan->sessions[branch->session].own_count += branch->entry_count;
    }
    return XYLEM_OK;
}

int xylem_repair__plan(struct xylem_repair__plan *plan)
{
    struct xylem_base__numbers numbers = {NULL, 0, 0};
    int code;
    if ((code = read_sessions(plan)) < 0 || (code = gather_numbers(&numbers, plan)) < 0 ||
        (code = gather_parents(&numbers, plan)) < 0 || (code = make_branches(plan, &numbers)) < 0 ||
        (code = read_named_sessions(plan)) < 0 || (code = find_owners(plan)) < 0) {
        goto out;
    }
    find_bases(plan);
    find_extents(plan);
    if ((code = choose_entries(plan)) < 0 || (code = find_gaps(plan)) < 0 ||
        (code = xylem_repair__kinds_read(plan)) < 0 || (code = xylem_repair__older_sessions(plan)) < 0) {
        goto out;
    }
    group_sessions(plan);
out:
    free(numbers.list);
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
    tdestroy(plan->ids, free);
    free(plan->branches);
    free(plan->entries);
    free(plan->by_lsn);
    free(plan->gaps);
    free(plan->kinds);
}
