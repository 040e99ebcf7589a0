#include "search/scope.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/numbers.h"
#include "store/branch.h"
#include "store/find.h"
#include "store/format/keys.h"
#include "store/format/record.h"
#include "store/lmdb/tables.h"
#include "store/session.h"
#include "xylem/sequence.h"

#define LOST_ROWS_FACTOR 16u
#define LOST_ROWS_MIN 1048576u

struct reading {
    struct xylem_search__scope *scope;
    struct xylem_search__problems *problems;
    struct xylem_txn *txn;
    const struct xylem_search_options *options;
    struct xylem_lmdb__table_size log;
    struct xylem_error *err;
};

void xylem_search__scope_release(struct xylem_search__scope *scope)
{
    free(scope->sessions);
    free(scope->branches);
    free(scope->segments);
}

/* --- Rows --------------------------------------------------------------------------------------------------------- */

/* Calls `visit` with each row of a table. A damaged row becomes a problem, and the reading goes on. */
static int each_row(struct reading *reading, enum xylem_format__table table,
                    int (*visit)(struct reading *reading, uint64_t number, struct xylem_view value,
                                 struct xylem_error *err))
{
    static const struct xylem_position none = {0, 0};
    struct xylem_lmdb__rows *rows;
    struct xylem_view key = {NULL, 0};
    struct xylem_view row = {NULL, 0};
    struct xylem_error *err = reading->err;
    int code = xylem_lmdb__rows_new(&rows, reading->txn, table, err);
    if (code < 0) {
        return code;
    }
    while ((code = xylem_lmdb__rows_step(&key, &row, rows, XYLEM_LMDB__NEXT, err)) > 0) {
        struct xylem_error reason;
        uint64_t number = 0;
        if ((code = xylem_lmdb__check_summed(&row, reading->txn, table, key, &reason)) == XYLEM_OK) {
            xylem_format__key_read_u64(&number, key); /* a wrong key breaks the sum of the row */
            code = visit(reading, number, row, &reason);
        }
        if (code == XYLEM_E_CORRUPT) {
            code = xylem_search__problems_add(reading->problems, xylem_format__table_name(table), 0, none,
                                              (struct xylem_view){NULL, 0}, reason.text, err);
        } else if (code == XYLEM_E_MEMORY) {
            code = xylem_base__fail_memory(err);
        } else if (code < 0 && err) {
            *err = reason;
        }
        if (code < 0) {
            break;
        }
    }
    xylem_lmdb__rows_free(rows);
    return code;
}

/* --- Sessions ----------------------------------------------------------------------------------------------------- */

static bool is_below(struct xylem_view path, struct xylem_view directory)
{
    size_t bytes = directory.bytes;
    while (bytes > 0 && directory.data[bytes - 1] == '/') {
        bytes--;
    }
    return path.bytes >= bytes && path.bytes > 0 && memcmp(path.data, directory.data, bytes) == 0 &&
           (path.bytes == bytes || path.data[bytes] == '/');
}

static bool passes(const struct xylem_search_options *options, const struct xylem_session *session)
{
    bool named = options->session_count == 0 && xylem_base__view_equal(options->name_space, session->name_space);
    bool below = options->cwd_count == 0;
    for (size_t i = 0; !named && i < options->session_count; i++) {
        named = options->sessions[i] == session->number;
    }
    for (size_t i = 0; !below && i < options->cwd_count; i++) {
        below = is_below(session->cwd, options->cwds[i]);
    }
    return named && below;
}

/* 1 if the session is the ledger of a run, else 0. */
static int is_ledger(struct xylem_txn *txn, const struct xylem_session *session, struct xylem_error *err)
{
    struct xylem_view run_id;
    struct xylem_position start;
    struct xylem_entry entry;
    if (session->name_space.bytes > 0 || !xylem_run_of_session(&run_id, session->id)) {
        return 0;
    }
    int found = xylem_store__find(&start, txn, session, xylem_view_of("start"), err);
    if (found <= 0) {
        return found;
    }
    int code = xylem_store__entry_read(&entry, txn, start, err);
    return code < 0
               ? code
               : entry.kind.kind_class == XYLEM_CLASS_CUSTOM && xylem_base__view_is(entry.kind.name, "sequence-run");
}

static int visit_session(struct reading *reading, uint64_t number, struct xylem_view row, struct xylem_error *err)
{
    struct xylem_search__scope *scope = reading->scope;
    struct xylem_session session;
    int code = xylem_store__session_decode(&session, number, row, err);
    if (code < 0 || session.state != XYLEM_SESSION_LIVE) {
        return code;
    }
    struct xylem_search__session *list =
        xylem_base__with_room(scope->sessions, &scope->session_capacity, scope->session_count, sizeof *list);
    if (!list) {
        return XYLEM_E_MEMORY;
    }
    scope->sessions = list;
    struct xylem_search__session *added = &list[scope->session_count++];
    *added = (struct xylem_search__session){.number = number,
                                            .id = session.id,
                                            .base = session.base,
                                            .leaf = session.leaf,
                                            .last_lsn = session.last_lsn,
                                            .own_entry_count = session.own_entry_count};
    bool wanted = passes(reading->options, &session);
    int ledger = wanted && !reading->options->runs ? is_ledger(reading->txn, &session, err) : 0;
    if (ledger < 0) {
        return ledger; /* the session stays in scope, unsearched */
    }
    added->wanted = wanted && !ledger;
    return XYLEM_OK;
}

static_assert(offsetof(struct xylem_search__session, number) == 0 && offsetof(struct xylem_search__branch, number) == 0,
              "a session and a branch begin with the number by which they are found");

struct xylem_search__session *xylem_search__scope_session(const struct xylem_search__scope *scope, uint64_t number)
{
    return scope->session_count == 0 ? NULL
                                     : bsearch(&number, scope->sessions, scope->session_count, sizeof *scope->sessions,
                                               xylem_base__compare_numbers);
}

/* --- Branches ----------------------------------------------------------------------------------------------------- */

static int visit_branch(struct reading *reading, uint64_t number, struct xylem_view row, struct xylem_error *err)
{
    struct xylem_search__scope *scope = reading->scope;
    struct xylem_store__branch branch;
    int code = xylem_store__branch_decode(&branch, number, row, err);
    if (code < 0) {
        return code;
    }
    struct xylem_search__branch *list =
        xylem_base__with_room(scope->branches, &scope->branch_capacity, scope->branch_count, sizeof *list);
    if (!list) {
        return XYLEM_E_MEMORY;
    }
    scope->branches = list;
    list[scope->branch_count++] = (struct xylem_search__branch){.number = number,
                                                                .parent_branch = branch.parent_branch,
                                                                .first_depth = branch.first_depth,
                                                                .session = branch.session};
    return XYLEM_OK;
}

static size_t branch_index(const struct xylem_search__scope *scope, uint64_t number)
{
    const struct xylem_search__branch *found = scope->branch_count == 0
                                                   ? NULL
                                                   : bsearch(&number, scope->branches, scope->branch_count,
                                                             sizeof *scope->branches, xylem_base__compare_numbers);
    return found ? (size_t)(found - scope->branches) : SIZE_MAX;
}

/*
 * The last depth of a branch: in the row of the log before the place of the next branch. The key of a damaged row may
 * be damaged too, so the last whole row counts, and a depth more for each damaged row of the branch behind.
 */
static int last_depth(uint64_t *depth, struct xylem_lmdb__rows *rows, const struct xylem_search__branch *branch,
                      struct xylem_error *err)
{
    struct xylem_format__key behind;
    struct xylem_view record;
    xylem_format__key_pair(&behind, branch->number + 1, 0);
    struct xylem_view key = behind.view;
    uint64_t damaged_count = 0;
    *depth = branch->first_depth - 1;
    int found = xylem_lmdb__rows_step(&key, &record, rows, XYLEM_LMDB__AT_OR_AFTER, err);
    enum xylem_lmdb__step step = found > 0 ? XYLEM_LMDB__PREVIOUS : XYLEM_LMDB__LAST;
    while (found >= 0 && (found = xylem_lmdb__rows_step(&key, &record, rows, step, err)) > 0) {
        struct xylem_position at = {0, 0};
        struct xylem_entry entry;
        xylem_format__key_read_pair(&at.branch, &at.depth, key);
        if (xylem_format__record_decode(&entry, at, record, NULL) == XYLEM_OK) {
            *depth = at.branch == branch->number ? at.depth : *depth;
            break;
        }
        damaged_count += at.branch == branch->number;
        step = XYLEM_LMDB__PREVIOUS;
    }
    *depth += damaged_count;
    return found < 0 ? found : XYLEM_OK;
}

/*
 * The last depth of a branch whose end in the log cannot be read: the greatest depth that a leaf, a base or a parent
 * names.
 */
static uint64_t named_depth(const struct xylem_search__scope *scope, const struct xylem_search__branch *branch)
{
    uint64_t depth = branch->first_depth - 1;
    for (size_t i = 0; i < scope->session_count; i++) {
        const struct xylem_position ends[] = {scope->sessions[i].leaf, scope->sessions[i].base};
        for (size_t j = 0; j < 2; j++) {
            depth = ends[j].branch == branch->number && ends[j].depth > depth ? ends[j].depth : depth;
        }
    }
    for (size_t i = 0; i < scope->branch_count; i++) {
        const struct xylem_search__branch *child = &scope->branches[i];
        depth =
            child->parent_branch == branch->number && child->first_depth - 1 > depth ? child->first_depth - 1 : depth;
    }
    return depth;
}

/* --- Segments ----------------------------------------------------------------------------------------------------- */

/*
 * Depths come from keys and from bases, and each segment takes memory. A damaged log may lack most of its rows, so a
 * part may be longer than the log, but not by any number. UINT64_MAX is never a last depth, so loops over depths end.
 */
static int add_part(struct reading *reading, struct xylem_search__segment part)
{
    struct xylem_search__scope *scope = reading->scope;
    uint64_t most = reading->log.rows * LOST_ROWS_FACTOR + LOST_ROWS_MIN;
    most = most < UINT64_MAX - part.first_depth ? most : UINT64_MAX - part.first_depth;
    if (part.last_depth >= part.first_depth && part.last_depth - part.first_depth >= most) {
        struct xylem_position end = {part.branch, part.last_depth};
        int code = xylem_search__problems_add(reading->problems, "log", scope->sessions[part.session].number, end,
                                              (struct xylem_view){NULL, 0}, "the branch is much longer than the log",
                                              reading->err);
        if (code < 0) {
            return code;
        }
        part.last_depth = part.first_depth + most - 1;
    }
    while (part.first_depth <= part.last_depth) {
        struct xylem_search__segment *list =
            xylem_base__with_room(scope->segments, &scope->segment_capacity, scope->segment_count, sizeof *list);
        if (!list) {
            return xylem_base__fail_memory(reading->err);
        }
        scope->segments = list;
        struct xylem_search__segment *segment = &list[scope->segment_count++];
        *segment = part;
        if (part.last_depth - part.first_depth >= XYLEM_SEARCH__SEGMENT_ENTRIES) {
            segment->last_depth = part.first_depth + XYLEM_SEARCH__SEGMENT_ENTRIES - 1;
        }
        scope->entry_total += segment->last_depth - segment->first_depth + 1;
        part.first_depth = segment->last_depth + 1;
    }
    return XYLEM_OK;
}

/* Whole branches, of owners in scope. */
static int add_owned(struct reading *reading)
{
    static const struct xylem_position none = {0, 0};
    struct xylem_search__scope *scope = reading->scope;
    struct xylem_lmdb__rows *rows;
    int code = xylem_lmdb__rows_new(&rows, reading->txn, XYLEM_FORMAT__LOG, reading->err);
    if (code < 0) {
        return code;
    }
    for (size_t i = 0; i < scope->branch_count && code >= 0; i++) {
        struct xylem_search__branch *branch = &scope->branches[i];
        struct xylem_search__session *owner = xylem_search__scope_session(scope, branch->session);
        struct xylem_error reason;
        if (!owner || !owner->wanted) {
            continue;
        }
        struct xylem_search__segment part = {.branch = branch->number,
                                             .first_depth = branch->first_depth,
                                             .session = (size_t)(owner - scope->sessions),
                                             .owned = true};
        branch->searched_to = UINT64_MAX;
        code = last_depth(&part.last_depth, rows, branch, &reason);
        if (code == XYLEM_E_MEMORY) {
            code = xylem_base__fail_memory(reading->err);
        } else if (code < 0) {
            struct xylem_position whole = {branch->number, 0};
            code = xylem_search__problems_add(reading->problems, "log", owner->number, whole,
                                              (struct xylem_view){NULL, 0}, reason.text, reading->err);
            part.last_depth = named_depth(scope, branch);
            code = code < 0 ? code : add_part(reading, part);
        } else if (part.last_depth < part.first_depth) {
            code = xylem_search__problems_add(reading->problems, "log", owner->number, none,
                                              (struct xylem_view){NULL, 0}, "a branch has no entries", reading->err);
        } else {
            code = add_part(reading, part);
        }
    }
    xylem_lmdb__rows_free(rows);
    return code;
}

/* The parts of other branches on the path of the base of a session, up to a part that a session before has taken. */
static int add_shared(struct reading *reading, size_t session)
{
    struct xylem_search__scope *scope = reading->scope;
    struct xylem_position at = scope->sessions[session].base;
    int code = XYLEM_OK;
    while (at.branch != 0 && code == XYLEM_OK) {
        size_t index = branch_index(scope, at.branch);
        if (index == SIZE_MAX) {
            return xylem_search__problems_add(reading->problems, "branches", scope->sessions[session].number, at,
                                              (struct xylem_view){NULL, 0}, "the branch of a shared entry is missing",
                                              reading->err);
        }
        struct xylem_search__branch *branch = &scope->branches[index];
        if (branch->searched_to >= at.depth) {
            return XYLEM_OK;
        }
        bool taken = branch->searched_to > 0;
        code = add_part(reading, (struct xylem_search__segment){.branch = at.branch,
                                                                .first_depth = taken ? branch->searched_to + 1
                                                                                     : branch->first_depth,
                                                                .last_depth = at.depth,
                                                                .session = session});
        branch->searched_to = at.depth;
        if (taken) {
            return code;
        }
        at = (struct xylem_position){branch->parent_branch, branch->first_depth - 1};
    }
    return code;
}

static int compare_lsns(const void *left, const void *right)
{
    const struct xylem_search__session *const *a = left;
    const struct xylem_search__session *const *b = right;
    return (*a)->last_lsn != (*b)->last_lsn ? ((*a)->last_lsn < (*b)->last_lsn) - ((*a)->last_lsn > (*b)->last_lsn)
                                            : ((*a)->number < (*b)->number) - ((*a)->number > (*b)->number);
}

static int compare_segments(const void *left, const void *right)
{
    const struct xylem_search__segment *a = left;
    const struct xylem_search__segment *b = right;
    return a->branch != b->branch ? (a->branch > b->branch) - (a->branch < b->branch)
                                  : (a->first_depth > b->first_depth) - (a->first_depth < b->first_depth);
}

int xylem_search__scope_read(struct xylem_search__scope *scope, struct xylem_search__problems *problems,
                             struct xylem_txn *txn, const struct xylem_search_options *options, struct xylem_error *err)
{
    struct reading reading = {.scope = scope, .problems = problems, .txn = txn, .options = options, .err = err};
    int code;
    if ((code = xylem_lmdb__table_size(&reading.log, txn, XYLEM_FORMAT__LOG, err)) < 0 ||
        (code = each_row(&reading, XYLEM_FORMAT__SESSIONS, visit_session)) < 0) {
        return code;
    }
    for (size_t i = 0; i < options->session_count; i++) {
        if (!xylem_search__scope_session(scope, options->sessions[i])) {
            return xylem_base__fail(err, XYLEM_E_ARGUMENT, "%" PRIu64 " is not the number of a live session",
                                    options->sessions[i]);
        }
    }
    if ((code = each_row(&reading, XYLEM_FORMAT__BRANCHES, visit_branch)) < 0 || (code = add_owned(&reading)) < 0) {
        return code;
    }
    struct xylem_search__session **order = calloc(scope->session_count + 1, sizeof *order);
    if (!order) {
        return xylem_base__fail_memory(err);
    }
    for (size_t i = 0; i < scope->session_count; i++) {
        order[i] = &scope->sessions[i];
    }
    qsort(order, scope->session_count, sizeof *order, compare_lsns);
    for (size_t i = 0; code == XYLEM_OK && i < scope->session_count; i++) {
        code = order[i]->wanted ? add_shared(&reading, (size_t)(order[i] - scope->sessions)) : XYLEM_OK;
    }
    free(order);
    if (scope->segment_count > 0) {
        qsort(scope->segments, scope->segment_count, sizeof *scope->segments, compare_segments);
    }
    return code;
}

/* --- The sessions of an entry ------------------------------------------------------------------------------------- */

void xylem_search__scope_leaves(uint64_t *leaves, const struct xylem_search__scope *scope, uint64_t branch)
{
    for (size_t i = 0; i < scope->branch_count; i++) {
        const struct xylem_search__branch *other = &scope->branches[i];
        /* A parent has a smaller number, so its item is known. */
        size_t parent = other->number > branch ? branch_index(scope, other->parent_branch) : SIZE_MAX;
        leaves[i] = other->parent_branch == branch && other->number > branch ? other->first_depth - 1
                    : parent != SIZE_MAX                                     ? leaves[parent]
                                                                             : 0;
    }
}

bool xylem_search__scope_has(const struct xylem_search__scope *scope, const struct xylem_search__session *session,
                             struct xylem_position position, const uint64_t *leaves)
{
    size_t own = branch_index(scope, position.branch);
    if (own != SIZE_MAX && scope->branches[own].session == session->number) {
        return true;
    }
    if (session->base.branch == position.branch) {
        return session->base.depth >= position.depth;
    }
    size_t base = branch_index(scope, session->base.branch);
    return base != SIZE_MAX && leaves[base] >= position.depth;
}
