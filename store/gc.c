/*
 * Frees the entries of deleted sessions. A session that is not deleted needs the entries of its own branches, and the
 * path of its base. Own branches start at a root, at an own entry, or on that path. So a branch of a deleted session is
 * needed only up to the deepest entry of the branch that lies on the base path of a kept session, or not at all:
 *
 *     branch 1 of A   1--2--3--4--5--6       A is deleted, B is not, and B has the base (branch 1, depth 4).
 *                        |     |
 *     branch 2 of A      +--3  |             Kept:  branch 1 up to depth 4, branch 3.
 *     branch 3 of B            +--5--6       Freed: depths 5 and 6 of branch 1, branch 2.
 *
 * Links, fork points and skips of a kept entry lead to branches on the path of the entry, at or above the depth where
 * the path leaves the branch. These entries are kept, too.
 */
#include "store/gc.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/numbers.h"
#include "store/branch.h"
#include "format/keys.h"
#include "store/lease.h"
#include "store/meta.h"
#include "store/session.h"
#include "lmdb/tables.h"

/* The depth up to which each branch is needed: open addressing, at most half full. Branch 0 marks a free place. */
struct needs {
    struct xylem_position *places;
    size_t count;
    size_t capacity; /* a power of two */
};

struct collection {
    struct xylem_store__gc gc;
    struct needs needs;
    struct xylem_base__numbers deleted; /* deleted and partly freed sessions */
    struct {
        struct xylem_position *positions;
        size_t count;
        size_t capacity;
    } bases; /* of the other sessions */
    struct xylem_gc_report *report;
    struct xylem_lmdb__floors floors; /* the greatest numbers that were freed */
};

/* --- Needed depths ---------------------------------------------------------------------------------------------- */

static struct xylem_position *place_of(const struct needs *needs, uint64_t branch)
{
    assert(needs->count < needs->capacity);
    size_t at = (size_t)(branch * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (needs->capacity - 1);
    while (needs->places[at].branch != 0 && needs->places[at].branch != branch) {
        at = (at + 1) & (needs->capacity - 1);
    }
    return &needs->places[at];
}

static int needs_grow(struct needs *needs, struct xylem_error *err)
{
    struct needs grown = {.count = needs->count, .capacity = needs->capacity ? needs->capacity * 2 : 64};
    grown.places = calloc(grown.capacity, sizeof *grown.places);
    if (!grown.places) {
        return xylem_base__fail_memory(err);
    }
    for (size_t i = 0; i < needs->capacity; i++) {
        if (needs->places[i].branch != 0) {
            *place_of(&grown, needs->places[i].branch) = needs->places[i];
        }
    }
    free(needs->places);
    *needs = grown;
    return XYLEM_OK;
}

/* Notes that a branch is needed up to the position: 1 if no entry of the branch was needed so far, else 0. */
static int need(struct needs *needs, struct xylem_position position, struct xylem_error *err)
{
    int code = needs->count * 2 >= needs->capacity ? needs_grow(needs, err) : XYLEM_OK;
    if (code < 0) {
        return code;
    }
    struct xylem_position *place = place_of(needs, position.branch);
    bool fresh = place->branch == 0;
    place->branch = position.branch;
    place->depth = position.depth > place->depth ? position.depth : place->depth;
    needs->count += fresh;
    return fresh;
}

static uint64_t needed_depth(const struct needs *needs, uint64_t branch)
{
    return needs->capacity == 0 ? 0 : place_of(needs, branch)->depth;
}

/* Notes the path of a base, back to a branch that another path crosses. */
static int need_path(struct collection *collection, struct xylem_position base)
{
    struct xylem_error *err = collection->gc.err;
    int fresh = 1;
    while (!xylem_format__position_none(base) && (fresh = need(&collection->needs, base, err)) > 0) {
        struct xylem_store__branch branch;
        int code = xylem_store__branch_read(&branch, collection->gc.txn, base.branch, err);
        if (code < 0) {
            return code;
        }
        base = xylem_store__fork_point(&branch);
    }
    return fresh < 0 ? fresh : XYLEM_OK;
}

/* --- Sessions --------------------------------------------------------------------------------------------------- */

static int note_session(void *context, const struct xylem_session *session)
{
    struct collection *collection = context;
    if (session->state == XYLEM_SESSION_DELETED || session->state == XYLEM_SESSION_FREED) {
        return xylem_base__numbers_add(&collection->deleted, session->number, collection->gc.err);
    }
    if (xylem_format__position_none(session->base)) {
        return XYLEM_OK;
    }
    struct xylem_position *bases = xylem_base__with_room(collection->bases.positions, &collection->bases.capacity,
                                                         collection->bases.count, sizeof *bases);
    if (!bases) {
        return xylem_base__fail_memory(collection->gc.err);
    }
    collection->bases.positions = bases;
    bases[collection->bases.count++] = session->base;
    return XYLEM_OK;
}

/* Lists the deleted sessions, and notes the needs of the other sessions. */
static int note_sessions(struct collection *collection)
{
    int code = xylem_store__each_session(collection->gc.txn, note_session, collection, collection->gc.err);
    for (size_t i = 0; code == XYLEM_OK && collection->deleted.count > 0 && i < collection->bases.count; i++) {
        code = need_path(collection, collection->bases.positions[i]);
    }
    return code;
}

/* --- Branches of a deleted session ------------------------------------------------------------------------------ */

/* The kept part of the current session. The branches are visited newest to oldest. */
struct remains {
    struct xylem_store__branch pending; /* the last visited kept branch: its previous kept branch is not known yet */
    bool pending_changed;
    uint64_t newest_number; /* the newest kept branch, 0 for none */
    uint64_t last_lsn;
    uint64_t entry_count;       /* on all branches of the session, freed entries included */
    struct xylem_position base; /* the deepest entry of another session at which a kept branch starts */
};

/* Writes the pending branch, if the row changes. `previous`: the kept branch before it, 0 for none. */
static int write_pending(struct collection *collection, struct remains *remains, uint64_t previous)
{
    struct xylem_store__branch *branch = &remains->pending;
    bool changed = remains->pending_changed || branch->previous_branch != previous;
    branch->previous_branch = previous;
    return branch->number == 0 || !changed || collection->gc.dry_run
               ? XYLEM_OK
               : xylem_store__branch_write(collection->gc.txn, branch, true, collection->gc.err);
}

/* Keeps a branch up to a depth. `cut`: deeper entries are freed. */
static int keep_branch(struct collection *collection, struct remains *remains, struct xylem_store__branch *branch,
                       uint64_t depth, bool cut)
{
    struct xylem_store__gc *gc = &collection->gc;
    struct xylem_entry last;
    struct xylem_store__branch parent = {.session = branch->session};
    struct xylem_position end = {branch->number, depth};
    int code;
    if ((code = write_pending(collection, remains, branch->number)) < 0 ||
        (code = xylem_entry_read(&last, gc->txn, end, gc->err)) < 0 ||
        (branch->parent_branch != 0 &&
         (code = xylem_store__branch_read(&parent, gc->txn, branch->parent_branch, gc->err)) < 0)) {
        return code;
    }
    if (parent.session != branch->session && branch->first_depth - 1 > remains->base.depth) {
        remains->base = xylem_store__fork_point(branch);
    }
    remains->newest_number = remains->newest_number ? remains->newest_number : branch->number;
    remains->last_lsn = last.lsn > remains->last_lsn ? last.lsn : remains->last_lsn;
    remains->pending = *branch;
    remains->pending_changed = cut;
    remains->pending.end_depth = cut ? depth : branch->end_depth;
    gc->freed.kept_entry_count += depth - branch->first_depth + 1;
    return XYLEM_OK;
}

static int free_branch(uint64_t *previous, struct collection *collection, struct remains *remains,
                       const struct xylem_session *session, uint64_t number)
{
    struct xylem_store__gc *gc = &collection->gc;
    struct xylem_store__branch branch;
    struct xylem_position tip;
    uint64_t depth = needed_depth(&collection->needs, number);
    int code;
    if ((code = xylem_store__branch_read(&branch, gc->txn, number, gc->err)) < 0 ||
        (code = xylem_store__branch_tip(&tip, gc->txn, number, gc->err)) < 0) {
        return code;
    }
    bool kept = depth > 0;
    if (branch.session != session->number || tip.depth < branch.first_depth || tip.depth < depth ||
        (kept && depth < branch.first_depth)) {
        return xylem_base__fail(
            gc->err, XYLEM_E_CORRUPT,
            "branch %" PRIu64 " has depths %" PRIu64 " to %" PRIu64 " and belongs to session number %" PRIu64
            "; this contradicts the row of session number %" PRIu64 ", or the base of another session",
            number, branch.first_depth, tip.depth, branch.session, session->number);
    }
    *previous = branch.previous_branch;
    remains->entry_count += tip.depth - branch.first_depth + 1;
    uint64_t first = kept ? depth + 1 : branch.first_depth;
    bool cut = first <= tip.depth;
    code = cut ? xylem_store__gc_entries(gc, session->tree, number, first, tip.depth) : XYLEM_OK;
    if (code < 0) {
        return code;
    }
    if (kept) {
        return keep_branch(collection, remains, &branch, depth, cut);
    }
    struct xylem_format__key key;
    xylem_format__key_u64(&key, number);
    gc->freed.branch_count++;
    collection->floors.branch = number > collection->floors.branch ? number : collection->floors.branch;
    return xylem_store__gc_row(gc, XYLEM_FORMAT__BRANCHES, key.view);
}

/* --- A deleted session ------------------------------------------------------------------------------------------ */

/* Kept branches need the row of their session: the row has their owner, and the tree of their ids. */
static int keep_row(struct collection *collection, const struct xylem_session *session, const struct remains *remains)
{
    const struct xylem_store__gc *gc = &collection->gc;
    struct xylem_session row = {.number = session->number,
                                .state = XYLEM_SESSION_FREED,
                                .base = remains->base,
                                .tree = session->tree,
                                .last_lsn = remains->last_lsn,
                                .newest_branch = remains->newest_number,
                                .own_entry_count = gc->freed.kept_entry_count};
    bool changed = session->state != XYLEM_SESSION_FREED || gc->freed.row_count > 0;
    collection->report->kept_session_count++;
    collection->report->kept_entry_count += gc->freed.kept_entry_count;
    return gc->dry_run || !changed ? XYLEM_OK : xylem_store__session_write(gc->txn, &row, gc->err);
}

static int drop_row(struct collection *collection, uint64_t number)
{
    struct xylem_format__key key;
    xylem_format__key_u64(&key, number);
    collection->floors.session = number > collection->floors.session ? number : collection->floors.session;
    return xylem_store__gc_row(&collection->gc, XYLEM_FORMAT__SESSIONS, key.view);
}

/* Frees the rows that no other session needs. */
static int free_own_rows(struct collection *collection)
{
    static const enum xylem_format__table tables[] = {XYLEM_FORMAT__MOVES, XYLEM_FORMAT__SOURCES,
                                                      XYLEM_FORMAT__QUARANTINE};
    struct xylem_store__gc *gc = &collection->gc;
    int code = xylem_store__gc_row(gc, XYLEM_FORMAT__SESSION_IDS, gc->freed.id);
    if (code == XYLEM_OK && !gc->dry_run) {
        code = xylem_store__lease_forget(gc->txn, gc->freed.session, gc->err);
    }
    for (size_t i = 0; code == XYLEM_OK && i < sizeof tables / sizeof *tables; i++) {
        code = xylem_store__gc_rows_of(gc, tables[i]);
    }
    return code;
}

/* Reports a freed session to the caller. */
static int report_session(struct collection *collection, const struct xylem_gc_options *options)
{
    const struct xylem_freed *freed = &collection->gc.freed;
    struct xylem_gc_report *report = collection->report;
    report->session_count++;
    report->entry_count += freed->entry_count;
    report->branch_count += freed->branch_count;
    report->row_count += freed->row_count;
    report->bytes += freed->bytes;
    report->payload_bytes += freed->payload_bytes;
    if (options->freed && options->freed(options->context, freed) != 0) {
        return xylem_base__fail(collection->gc.err, XYLEM_E_STOPPED,
                                "the garbage collection was stopped by the caller");
    }
    return XYLEM_OK;
}

static int free_session(struct collection *collection, struct xylem_session *session,
                        const struct xylem_gc_options *options)
{
    struct xylem_store__gc *gc = &collection->gc;
    struct remains remains = {.newest_number = 0};
    bool marked = session->state == XYLEM_SESSION_DELETED;
    gc->freed = (struct xylem_freed){.session = session->number};
    if (marked) {
        gc->freed.id = session->id;
    }
    int code = marked ? free_own_rows(collection) : XYLEM_OK;
    for (uint64_t number = session->newest_branch; code == XYLEM_OK && number != 0;) {
        code = free_branch(&number, collection, &remains, session, number);
    }
    if (code < 0 || (code = write_pending(collection, &remains, 0)) < 0) {
        return code;
    }
    if (session->own_entry_count != remains.entry_count) { /* the branches lost entries: the store is damaged */
        return xylem_base__fail(gc->err, XYLEM_E_CORRUPT,
                                "the branches of session number %" PRIu64 " should have %" PRIu64
                                " entries, and have %" PRIu64,
                                session->number, session->own_entry_count, remains.entry_count);
    }
    code = remains.newest_number ? keep_row(collection, session, &remains) : drop_row(collection, session->number);
    bool anything = marked || gc->freed.row_count > 0;
    return code < 0 || !anything ? code : report_session(collection, options);
}

static int free_sessions(struct collection *collection, const struct xylem_gc_options *options)
{
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < collection->deleted.count; i++) {
        struct xylem_session session;
        struct xylem_buffer copies = {NULL, 0, 0};
        struct xylem_error *err = collection->gc.err;
        if ((code = xylem_session_read(&session, collection->gc.txn, collection->deleted.list[i], err)) < 0) {
            return code;
        }
        code = xylem_store__session_own(&copies, &session) < 0 ? xylem_base__fail_memory(err)
                                                               : free_session(collection, &session, options);
        xylem_buffer_release(&copies);
    }
    return code;
}

/* --- The whole -------------------------------------------------------------------------------------------------- */

/* Writes the rows `floors` and `freed` of `meta`. From the first freeing on, a missing row of the two is damage. */
static int write_meta(struct collection *collection)
{
    struct xylem_txn *txn = collection->gc.txn;
    struct xylem_error *err = collection->gc.err;
    struct xylem_store__freed freed;
    int code;
    if ((code = xylem_store__feature_add(txn, XYLEM_FORMAT__FEATURE_FREED, err)) < 0 ||
        (code = xylem_store__floors_raise(txn, &collection->floors, err)) < 0 ||
        (code = xylem_store__freed_read(&freed, txn, err)) < 0) {
        return code;
    }
    freed.entry_count += collection->report->entry_count;
    freed.session_count = collection->report->kept_session_count;
    return xylem_store__freed_write(txn, &freed, err);
}

int xylem_gc(struct xylem_gc_report *report, struct xylem_txn *txn, const struct xylem_gc_options *options,
             struct xylem_error *err)
{
    static const struct xylem_gc_options defaults;
    struct xylem_gc_report done = {.session_count = 0};
    options = options ? options : &defaults;
    struct collection collection = {.gc = {.txn = txn, .err = err, .dry_run = options->dry_run}, .report = &done};
    int code = options->dry_run ? XYLEM_OK : xylem_lmdb__writable(txn, err);
    if (code < 0) {
        return code;
    }
    if ((code = note_sessions(&collection)) < 0 || (code = free_sessions(&collection, options)) < 0 ||
        (!options->dry_run && done.session_count > 0 && (code = write_meta(&collection)) < 0)) {
        goto out;
    }
    if (report) {
        *report = done;
    }
out:
    if (code < 0 && !options->dry_run) {
        xylem_lmdb__write_failed(txn, code); /* some rows may be freed */
    }
    xylem_store__gc_release(&collection.gc);
    free(collection.needs.places);
    free(collection.deleted.list);
    free(collection.bases.positions);
    return code;
}
