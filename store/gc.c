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
 *
 * A call may free in pieces. The newest sessions come first, of a session the newest branches, and of a branch the last
 * entries: so nothing hangs on a freed entry between two pieces. When a piece is full, the other entries of the session
 * are kept like needed entries, and the next piece goes on with the session as with one that was freed in part.
 */
#include "store/gc.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/numbers.h"
#include "store/branch.h"
#include "store/feed.h"
#include "store/format/keys.h"
#include "store/lease.h"
#include "store/meta.h"
#include "store/outline.h"
#include "store/session.h"
#include "store/lmdb/tables.h"
#include "xylem/feed.h"

/* The depth up to which each branch is needed: open addressing, at most half full. Branch 0 marks a free place. */
struct needs {
    struct xylem_position *places;
    size_t count;
    size_t capacity; /* a power of two */
};

/* How far the call came. */
struct done {
    struct xylem_gc_report report;
    struct xylem_freed freed; /* of the session that is next, by the pieces before */
    uint64_t below;           /* sessions from this number on are done; 0: none */
};

struct collection {
    struct xylem_store__gc gc;
    const struct xylem_gc_options *options;
    struct xylem_store__piece piece;
    struct done done;
    struct done before;                  /* this piece */
    uint64_t heard;                      /* the session that the caller heard of last */
    char id[XYLEM_SESSION_ID_BYTES_MAX]; /* of `freed` */
    char name_space[XYLEM_NAMESPACE_BYTES_MAX];
    /* In the transaction of the piece. */
    bool wrote;
    uint64_t entry_count;     /* freed */
    uint64_t remnant_count;   /* more sessions in the state FREED; wraps for less */
    struct xylem_buffer told; /* sessions that the feed shall tell: u64 number, sized id, sized namespace */
    struct needs needs;
    struct xylem_base__numbers deleted; /* deleted and partly freed sessions, ascending */
    struct {
        struct xylem_position *positions;
        size_t count;
        size_t capacity;
    } bases;                          /* of the other sessions */
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

/* Notes that a branch is needed up to the position: 1 if no entry of the branch was needed so far, else 0. */
static int need(struct needs *needs, struct xylem_position position, struct xylem_error *err)
{
    if (needs->count * 2 >= needs->capacity) {
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
    }
    struct xylem_position *place = place_of(needs, position.branch);
    bool fresh = place->branch == 0;
    place->branch = position.branch;
    place->depth = position.depth > place->depth ? position.depth : place->depth;
    needs->count += fresh;
    return fresh;
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

/* Lists a deleted session, or the base of another session. */
static int note_session(void *context, const struct xylem_session *session)
{
    struct collection *collection = context;
    bool deleted = session->state == XYLEM_SESSION_DELETED || session->state == XYLEM_SESSION_FREED ||
                   session->number == collection->options->if_deleted;
    if (deleted && (collection->done.below == 0 || session->number < collection->done.below)) {
        return xylem_base__numbers_add(&collection->deleted, session->number, collection->gc.err);
    }
    /* Also of a session that was deleted behind its turn: the session can be undeleted. */
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

/* --- Branches of a deleted session ------------------------------------------------------------------------------ */

/* The kept part of the current session. The branches are visited newest to oldest. */
struct remains {
    struct xylem_store__branch pending; /* the last visited kept branch: its previous kept branch is not known yet */
    bool pending_changed;
    uint64_t newest_number; /* the newest kept branch, 0 for none */
    uint64_t last_lsn;
    uint64_t entry_count;       /* on all branches of the session, freed entries included */
    bool more;                  /* the piece is full: some kept entries are not needed */
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
    uint64_t needed = collection->needs.capacity == 0 ? 0 : place_of(&collection->needs, number)->depth;
    int code;
    if ((code = xylem_store__branch_read(&branch, gc->txn, number, gc->err)) < 0 ||
        (code = xylem_store__branch_tip(&tip, gc->txn, number, gc->err)) < 0) {
        return code;
    }
    if (branch.session != session->number || tip.depth < branch.first_depth || tip.depth < needed ||
        (needed > 0 && needed < branch.first_depth)) {
        return xylem_base__fail(
            gc->err, XYLEM_E_CORRUPT,
            "branch %" PRIu64 " has depths %" PRIu64 " to %" PRIu64 " and belongs to session number %" PRIu64
            "; this contradicts the row of session number %" PRIu64 ", or the base of another session",
            number, branch.first_depth, tip.depth, branch.session, session->number);
    }
    *previous = branch.previous_branch;
    remains->entry_count += tip.depth - branch.first_depth + 1;
    uint64_t first = needed > 0 ? needed + 1 : branch.first_depth;
    uint64_t last = tip.depth;
    code = first <= last ? xylem_store__gc_entries(gc, session->tree, number, first, &last) : XYLEM_OK;
    if (code < 0) {
        return code;
    }
    remains->more |= last >= first;
    if (last >= branch.first_depth) {
        return keep_branch(collection, remains, &branch, last, last < tip.depth);
    }
    struct xylem_format__key key;
    xylem_format__key_u64(&key, number);
    gc->freed.branch_count++;
    collection->floors.branch = number > collection->floors.branch ? number : collection->floors.branch;
    return xylem_store__gc_row(gc, XYLEM_FORMAT__BRANCHES, key.view);
}

/* --- A deleted session ------------------------------------------------------------------------------------------ */

/* Kept branches need the row of their session: the row names the session of the branches, and the tree of their ids. */
static int keep_row(struct collection *collection, const struct xylem_session *session, const struct remains *remains)
{
    const struct xylem_store__gc *gc = &collection->gc;
    struct xylem_session row = {.number = session->number,
                                .state = XYLEM_SESSION_FREED,
                                .base = remains->base,
                                .tree = session->tree,
                                .last_lsn = remains->last_lsn,
                                .newest_branch = remains->newest_number,
                                .own_entry_count = gc->freed.kept_entry_count,
                                .history = session->history,
                                .owner = session->owner, /* of the copy: the owner may still redact the kept entries */
                                .epoch = session->epoch};
    collection->remnant_count += session->state != XYLEM_SESSION_FREED;
    return xylem_store__session_write(gc->txn, &row, gc->err);
}

static int drop_row(struct collection *collection, const struct xylem_session *session)
{
    struct xylem_format__key key;
    xylem_format__key_u64(&key, session->number);
    collection->floors.session =
        session->number > collection->floors.session ? session->number : collection->floors.session;
    collection->remnant_count -= session->state == XYLEM_SESSION_FREED;
    return xylem_store__gc_row(&collection->gc, XYLEM_FORMAT__SESSIONS, key.view);
}

/* Frees the rows that no other session needs. */
static int free_own_rows(struct collection *collection)
{
    static const enum xylem_format__table tables[] = {XYLEM_FORMAT__MOVES, XYLEM_FORMAT__SOURCES,
                                                      XYLEM_FORMAT__QUARANTINE, XYLEM_FORMAT__SIDES};
    struct xylem_store__gc *gc = &collection->gc;
    struct xylem_session session;
    struct xylem_store__outline_keys keys = {.count = 0};
    struct xylem_format__key id;
    xylem_format__key_session_id(&id, gc->freed.name_space, gc->freed.id);
    int code = xylem_store__gc_row(gc, XYLEM_FORMAT__SESSION_IDS, id.view);
    if (code == XYLEM_OK && !gc->dry_run) {
        code = xylem_store__lease_forget(gc->txn, gc->freed.session, gc->err);
    }
    for (size_t i = 0; code == XYLEM_OK && i < sizeof tables / sizeof *tables; i++) {
        code = xylem_store__gc_rows_of(gc, tables[i]);
    }
    if (code < 0) {
        return code;
    }
    code = xylem_session_read(&session, gc->txn, gc->freed.session, gc->err);
    code = code < 0 ? code : xylem_store__outline_keys(&keys, gc->txn, &session, true, gc->err);
    for (size_t i = 0; code == XYLEM_OK && i < keys.count; i++) {
        code = xylem_store__gc_row(gc, XYLEM_FORMAT__OUTLINES, keys.list[i].view);
    }
    /* A damaged outline keeps no session from being freed; a dry run cannot count its rows. */
    return code != XYLEM_E_CORRUPT || gc->dry_run ? code : xylem_store__outline_clear(gc->txn, gc->err);
}

/* Counts a session from which nothing is to be freed any more, and reports it to the caller. */
static int end_session(struct collection *collection, bool stays)
{
    const struct xylem_freed *freed = &collection->gc.freed;
    const struct xylem_gc_options *options = collection->options;
    struct xylem_gc_report *report = &collection->done.report;
    collection->done.below = freed->session;
    report->kept_session_count += stays;
    report->kept_entry_count += stays ? freed->kept_entry_count : 0;
    if (freed->row_count == 0) {
        return XYLEM_OK;
    }
    report->session_count++;
    report->entry_count += freed->entry_count;
    report->branch_count += freed->branch_count;
    report->row_count += freed->row_count;
    report->bytes += freed->bytes;
    report->payload_bytes += freed->payload_bytes;
    bool heard = collection->heard != 0 && freed->session >= collection->heard; /* before the map grew */
    collection->heard = freed->session;
    return heard || !options->freed || options->freed(options->context, freed) == 0
               ? XYLEM_OK
               : xylem_base__fail(collection->gc.err, XYLEM_E_STOPPED,
                                  "the garbage collection was stopped by the caller");
}

/* Frees the entries of a session until the piece is full: 1, or 0 at their end. */
static int free_session(struct collection *collection, struct xylem_session *session)
{
    struct xylem_store__gc *gc = &collection->gc;
    struct remains remains = {.newest_number = 0};
    bool marked = session->state != XYLEM_SESSION_FREED;
    gc->freed = collection->done.freed;
    gc->freed.kept_entry_count = 0;
    if (gc->freed.session != session->number) {
        gc->freed = (struct xylem_freed){.session = session->number};
    }
    if (marked) {
        memcpy(collection->id, session->id.data, session->id.bytes);
        gc->freed.id = (struct xylem_view){collection->id, session->id.bytes};
        if (session->name_space.bytes > 0) {
            memcpy(collection->name_space, session->name_space.data, session->name_space.bytes);
            gc->freed.name_space = (struct xylem_view){collection->name_space, session->name_space.bytes};
        }
        if (xylem_base__add_u64(&collection->told, session->number) < 0 ||
            xylem_base__add_sized(&collection->told, gc->freed.id) < 0 ||
            xylem_base__add_sized(&collection->told, gc->freed.name_space) < 0) {
            return xylem_base__fail_memory(gc->err);
        }
    }
    uint64_t row_count = gc->freed.row_count;
    uint64_t entry_count = gc->freed.entry_count;
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
    bool stays = remains.newest_number != 0;
    bool changed = !stays || gc->freed.row_count > row_count;
    if (!stays) {
        code = drop_row(collection, session);
    } else if (changed && !gc->dry_run) {
        code = keep_row(collection, session, &remains);
    }
    collection->wrote |= changed;
    collection->entry_count += gc->freed.entry_count - entry_count;
    collection->done.freed = gc->freed;
    if (code < 0 || remains.more) {
        return code < 0 ? code : 1;
    }
    return end_session(collection, stays);
}

/* 1 if the piece is full, else 0. */
static int free_sessions(struct collection *collection)
{
    int code = XYLEM_OK;
    for (size_t i = collection->deleted.count; code == XYLEM_OK && i > 0; i--) {
        struct xylem_session session;
        struct xylem_buffer copies = {NULL, 0, 0};
        struct xylem_error *err = collection->gc.err;
        if (xylem_store__piece_full(&collection->piece)) {
            return 1;
        }
        if ((code = xylem_session_read(&session, collection->gc.txn, collection->deleted.list[i - 1], err)) < 0) {
            return code;
        }
        code = xylem_store__session_own(&copies, &session) < 0 ? xylem_base__fail_memory(err)
                                                               : free_session(collection, &session);
        xylem_buffer_release(&copies);
    }
    return code;
}

/* --- The whole -------------------------------------------------------------------------------------------------- */

/*
 * Writes the rows `floors` and `freed` of `meta`: from the first freeing on, a missing row of the two is damage. Then
 * tells of the freed sessions: the feed counts freed entries, so the row `freed` comes first.
 */
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
    freed.entry_count += collection->entry_count;
    freed.session_count += collection->remnant_count;
    code = xylem_store__freed_write(txn, &freed, err);
    struct xylem_base__cursor cursor = xylem_base__cursor_of(collection->told.data, collection->told.bytes);
    while (code == XYLEM_OK && cursor.left > 0) {
        struct xylem_change change = {.type = XYLEM_CHANGE_FREED, .session = xylem_base__read_u64(&cursor)};
        change.freed_id = xylem_base__read_sized(&cursor);
        change.freed_name_space = xylem_base__read_sized(&cursor);
        code = xylem_store__feed_add(txn, &change, err);
    }
    return code;
}

/* Frees in a transaction: 1 if the piece is full, else 0. */
static int collect(struct xylem_txn *txn, void *context, struct xylem_error *err)
{
    struct collection *collection = context;
    if (collection->piece.again) {
        collection->done = collection->before;
    }
    collection->before = collection->done;
    collection->gc.txn = txn;
    collection->gc.err = err;
    collection->wrote = false;
    collection->entry_count = 0;
    collection->remnant_count = 0;
    collection->deleted.count = 0;
    collection->bases.count = 0;
    xylem_base__buffer_clear(&collection->told);
    free(collection->needs.places);
    collection->needs = (struct needs){NULL, 0, 0};
    int code = xylem_store__each_session(txn, note_session, collection, err);
    for (size_t i = 0; code == XYLEM_OK && collection->deleted.count > 0 && i < collection->bases.count; i++) {
        code = need_path(collection, collection->bases.positions[i]);
    }
    int more = code < 0 ? code : free_sessions(collection);
    bool writes = more >= 0 && collection->wrote && !collection->gc.dry_run;
    code = writes ? write_meta(collection) : XYLEM_OK;
    return code < 0 ? code : more;
}

/* Ends a call: gives its report, unless it failed, and releases its memory. */
static int end(struct xylem_gc_report *report, struct collection *collection, int code)
{
    if (code == XYLEM_OK && report) {
        *report = collection->done.report;
    }
    free(collection->gc.chunk);
    free(collection->needs.places);
    free(collection->deleted.list);
    free(collection->bases.positions);
    xylem_buffer_release(&collection->told);
    return code;
}

static const struct xylem_gc_options defaults;

static struct collection start(const struct xylem_gc_options *options)
{
    struct collection collection = {.options = options ? options : &defaults};
    collection.gc.dry_run = collection.options->dry_run;
    return collection;
}

int xylem_gc(struct xylem_gc_report *report, struct xylem_txn *txn, const struct xylem_gc_options *options,
             struct xylem_error *err)
{
    struct collection collection = start(options);
    collection.gc.piece = &collection.piece; /* without limits */
    if (collection.options->if_deleted != 0 && !collection.gc.dry_run) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "if_deleted: only a dry run takes a session as deleted");
    }
    int code = collection.gc.dry_run ? XYLEM_OK : xylem_lmdb__writable(txn, err);
    if (code < 0) {
        return code;
    }
    code = collect(txn, &collection, err);
    if (code < 0 && !collection.gc.dry_run) {
        xylem_lmdb__write_failed(txn, code); /* some rows may be freed */
    }
    return end(report, &collection, code);
}

int xylem_gc_write(struct xylem_gc_report *report, struct xylem_store *store, const struct xylem_gc_options *options,
                   struct xylem_error *err)
{
    struct collection collection = start(options);
    collection.gc.piece = &collection.piece;
    if (!store || collection.gc.dry_run || collection.options->if_deleted != 0) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "to free in pieces needs a store, and makes no dry run");
    }
    int code;
    do {
        code = xylem_store__write_piece(&collection.piece, store, collect, &collection, err);
    } while (code == 1);
    return end(report, &collection, code);
}
