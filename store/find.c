/*
 * Finds an entry by its id, and the sessions of an entry. An id leads to its entry in one of two ways:
 *
 *     minted id   -> lsn in the id              -> row of `feed`      -> record
 *     other id    -> hash, tree of the session  -> rows of `ids`      -> record
 *
 * The record must have the whole id and belong to the session. A host may give an id that looks minted, so `ids` is
 * searched after `feed`.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store/branch.h"
#include "store/feed.h"
#include "store/find.h"
#include "store/format/hash.h"
#include "store/format/keys.h"
#include "store/format/minted_id.h"
#include "store/lmdb/tables.h"
#include "xylem/branch.h"

/*
 * Finds the entry with the lsn that a minted id holds: 1, or 0 if that entry has another id or does not belong to the
 * session. Then the id may be an id that a host gave.
 */
static int find_by_lsn(struct xylem_position *position, struct xylem_txn *txn, const struct xylem_session *session,
                       struct xylem_view id, uint64_t lsn, struct xylem_error *err)
{
    struct xylem_entry entry;
    struct xylem_position candidate;
    int found = xylem_store__feed_find(&candidate, txn, lsn, session->last_lsn, err);
    if (found <= 0) {
        return found;
    }
    int code = xylem_store__entry_read(&entry, txn, candidate, err);
    if (xylem_store__no_entry(code) || (code == XYLEM_OK && entry.lsn != lsn)) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "the table feed leads from lsn %" PRIu64 " to " XYLEM_FORMAT__AT_FORMAT
                                ", where no entry has that lsn",
                                lsn, XYLEM_FORMAT__AT_ARGUMENTS(candidate));
    }
    if (code < 0 || !(entry.flags & XYLEM_ENTRY_MINTED) || !xylem_base__view_equal(entry.id, id)) {
        return code;
    }
    *position = candidate;
    return xylem_store__belongs(txn, session, candidate, err);
}

/* 1 and the entry, if the entry to which a row of the table leads has the id, else 0. */
static int read_meant(struct xylem_entry *entry, struct xylem_txn *txn, const char *table,
                      struct xylem_position position, struct xylem_view id, struct xylem_error *err)
{
    int code = xylem_entry_read(entry, txn, position, err);
    if (xylem_store__no_entry(code)) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "a row of the table %s leads to branch %" PRIu64 ", depth %" PRIu64
                                ", where there is no entry",
                                table, position.branch, position.depth);
    }
    return code < 0 ? code : xylem_base__view_equal(entry->id, id);
}

/* The search of an id among the rows of `ids` with the hash of the id, in the tree of a session. */
struct search {
    struct xylem_txn *txn;
    const struct xylem_session *session;
    struct xylem_view id;
    struct xylem_lmdb__rows *rows;
    struct xylem_format__id_place beginning; /* of the rows of the hash */
    bool proving; /* verifies the rows on both sides of each step and their pages, too, so that no row is hidden */
    bool any;     /* a row was seen */
    bool ended;   /* the last step led to no row of the table */
};

/* Steps to a row with the hash: 1 and the row, or 0 behind the last or before the first of these rows. */
static int step(struct xylem_format__id_place *place, struct search *search, struct xylem_view *key,
                enum xylem_lmdb__step direction, struct xylem_error *err)
{
    struct xylem_view row = {NULL, 0};
    int found = search->proving ? xylem_lmdb__rows_step_summed(key, &row, search->rows, direction, err)
                                : xylem_lmdb__rows_step(key, &row, search->rows, direction, err);
    search->ended = found == 0;
    if (found <= 0) {
        return found;
    }
    if (!xylem_format__key_read_id(place, *key)) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: a key of the table ids has %zu bytes, and another form",
                                xylem_lmdb__path(search->txn), key->bytes);
    }
    if (place->tree != search->beginning.tree || place->hash != search->beginning.hash) {
        return 0;
    }
    search->any = true;
    int code = search->proving ? XYLEM_OK : xylem_lmdb__check_summed(&row, search->txn, XYLEM_FORMAT__IDS, *key, err);
    return code < 0 ? code : 1;
}

/* Goes to the first row from a place on: 1, or 0 without such a row of the hash. */
static int seek(struct xylem_format__id_place *place, struct search *search, uint64_t session, struct xylem_error *err)
{
    struct xylem_format__key key;
    search->beginning.session = session;
    xylem_format__key_id(&key, &search->beginning);
    return step(place, search, &key.view, XYLEM_LMDB__AT_OR_AFTER, err);
}

/*
 * The newest session up to `limit` that owns a branch on the path of a position; 0 for none. The owners on a path are
 * older from branch to branch, so a skip may be taken while its owner is newer than the limit.
 */
static int owner_up_to(uint64_t *owner, struct xylem_txn *txn, struct xylem_position from, uint64_t limit,
                       struct xylem_error *err)
{
    struct xylem_store__branch branch = {.session = UINT64_MAX, .parent_branch = from.branch};
    struct xylem_store__branch skip;
    while (branch.session > limit) {
        int code;
        if (branch.parent_branch == 0) {
            *owner = 0;
            return XYLEM_OK;
        }
        if (branch.skip.branch > 0) {
            if ((code = xylem_store__branch_read(&skip, txn, branch.skip.branch, err)) < 0) {
                return code;
            }
            if (skip.session > limit) {
                branch = skip;
                continue;
            }
        }
        if ((code = xylem_store__branch_read(&branch, txn, branch.parent_branch, err)) < 0) {
            return code;
        }
    }
    *owner = branch.session;
    return XYLEM_OK;
}

/*
 * Searches the entries that the session shares: 1 and the position, or 0. The rows of a hash lie in the order of their
 * sessions, and so do the owners on the path of the base: the search goes back through both, and passes over what one
 * of them lacks. So the same id in many forks costs no more than in one.
 *
 *     rows      s1        s4 s5 s6 ... s90        session s91, with a base on the path s1 <- s3 <- s7
 *     path      s1   s3                s7         s7: no row; the row before is of s6 -> path: s3 -> row: s1
 */
static int search_base(struct xylem_position *position, struct search *search, struct xylem_error *err)
{
    uint64_t owner = search->session->number - 1;
    struct xylem_format__id_place place;
    struct xylem_entry entry;
    int found = 0;
    while (found == 0) {
        if ((found = owner_up_to(&owner, search->txn, search->session->base, owner, err)) < 0 || owner == 0) {
            return found;
        }
        if ((found = seek(&place, search, owner + 1, err)) < 0) {
            return found;
        }
        struct xylem_view key = {NULL, 0};
        found = step(&place, search, &key, search->ended ? XYLEM_LMDB__LAST : XYLEM_LMDB__PREVIOUS, err);
        while (found > 0 && place.session == owner) {
            if ((found = xylem_store__belongs(search->txn, search->session, place.position, err)) > 0 &&
                (found = read_meant(&entry, search->txn, "ids", place.position, search->id, err)) > 0) {
                *position = place.position;
            }
            if (found != 0) {
                return found;
            }
            found = step(&place, search, &key, XYLEM_LMDB__PREVIOUS, err);
        }
        if (found <= 0) {
            return found;
        }
        if (place.session >= owner) {
            return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                    "%s: rows of the table ids are not in the order of their keys",
                                    xylem_lmdb__path(search->txn));
        }
        owner = place.session;
        found = 0;
    }
    return found;
}

/* Searches the rows of the session's own branches, then the rows of its base: 1 and the position of the entry, or 0. */
static int search_rows(struct xylem_position *position, struct search *search, struct xylem_error *err)
{
    struct xylem_format__id_place place;
    struct xylem_entry entry;
    int found = xylem_lmdb__rows_new(&search->rows, search->txn, XYLEM_FORMAT__IDS, err);
    if (found < 0) {
        return found;
    }
    struct xylem_view key = {NULL, 0};
    found = seek(&place, search, search->session->number, err);
    while (found > 0 && place.session == search->session->number) {
        found = read_meant(&entry, search->txn, "ids", place.position, search->id, err);
        if (found != 0) {
            *position = place.position;
            break;
        }
        found = step(&place, search, &key, XYLEM_LMDB__NEXT, err);
    }
    bool own = found > 0 && place.session == search->session->number;
    if (found >= 0 && !own) {
        found = search_base(position, search, err);
    }
    xylem_lmdb__rows_free(search->rows);
    return found;
}

int xylem_store__find(struct xylem_position *position, struct xylem_txn *txn, const struct xylem_session *session,
                      struct xylem_view id, struct xylem_error *err)
{
    uint64_t lsn;
    struct xylem_format__key key;
    struct xylem_position found_at;
    struct xylem_error reason;
    int by_lsn = xylem_format__minted_lsn(&lsn, id) ? find_by_lsn(&found_at, txn, session, id, lsn, &reason) : 0;
    if (by_lsn > 0) {
        *position = found_at;
        return by_lsn;
    }
    if (by_lsn < 0 && by_lsn != XYLEM_E_CORRUPT) {
        return xylem_base__fail(err, by_lsn, "%s", reason.text);
    }
    struct search search = {.txn = txn,
                            .session = session,
                            .id = id,
                            .beginning = {.tree = session->tree, .hash = xylem_format__id_hash(id)}};
    int by_row = search_rows(position, &search, err);
    if (by_row == 0) { /* prove the absence: of rows of the session at one place, or at each place of the search */
        search.proving = search.any || !xylem_format__position_none(session->base);
        search.beginning.session = session->number;
        xylem_format__key_id(&key, &search.beginning);
        by_row = search.proving ? search_rows(position, &search, err)
                                : xylem_lmdb__check_absence(txn, XYLEM_FORMAT__IDS, key.view, err);
    }
    if (by_lsn == XYLEM_E_CORRUPT && by_row <= 0) {
        /* The damage may hide the entry. An entry that is found proves itself: the damage is elsewhere. */
        return xylem_base__fail(err, by_lsn, "%s", reason.text);
    }
    return by_row;
}

int xylem_find(struct xylem_position *position, struct xylem_txn *txn, uint64_t session, struct xylem_view id,
               struct xylem_error *err)
{
    struct xylem_session row;
    int code = xylem_session_read(&row, txn, session, err);
    if (code < 0) {
        return code;
    }
    int found = xylem_store__find(position, txn, &row, id, err);
    return found != 0 ? (found < 0 ? found : XYLEM_OK)
                      : xylem_base__fail(err, XYLEM_E_NOT_FOUND, "the session %.*s has no entry %.*s",
                                         XYLEM_BASE__SHOWN(row.id), XYLEM_BASE__SHOWN(id));
}

/* --- In all trees ------------------------------------------------------------------------------------------------- */

struct xylem_finds {
    struct xylem_txn *txn;
    struct xylem_lmdb__rows *rows;
    struct xylem_view id;
    struct xylem_format__id_place from; /* the row at which the next step begins */
    struct xylem_position by_lsn;       /* of the entry that was found by the lsn in the id; none: no such entry */
    bool asked;                         /* for that entry */
};

int xylem_finds_new(struct xylem_finds **finds, struct xylem_txn *txn, struct xylem_view id, struct xylem_error *err)
{
    struct xylem_finds *made = calloc(1, sizeof *made);
    int code = made ? xylem_lmdb__rows_new(&made->rows, txn, XYLEM_FORMAT__IDS, err) : xylem_base__fail_memory(err);
    if (code < 0) {
        free(made);
        return code;
    }
    made->txn = txn;
    made->id = id;
    made->from.hash = xylem_format__id_hash(id);
    *finds = made;
    return XYLEM_OK;
}

static int next_by_lsn(struct xylem_entry *entry, struct xylem_finds *finds, struct xylem_error *err)
{
    uint64_t lsn;
    struct xylem_position position;
    int found =
        xylem_format__minted_lsn(&lsn, finds->id) ? xylem_store__feed_find(&position, finds->txn, lsn, 0, err) : 0;
    found = found <= 0 ? found : read_meant(entry, finds->txn, "feed", position, finds->id, err);
    if (found > 0) {
        finds->by_lsn = position;
    }
    return found;
}

/*
 * The rows of `ids` lie in the order of trees, then hashes. A row behind the wanted row names the next tree with rows:
 *
 *     wanted (7, hash) -> found (7, hash): a candidate. Next: the row behind
 *                         found (9, less), (9, hash): next (9, hash)
 *                         found (9, more): next (10, hash)
 */
int xylem_finds_next(struct xylem_entry *entry, struct xylem_finds *finds, struct xylem_error *err)
{
    int found = 0;
    if (!finds->asked) {
        finds->asked = true;
        found = next_by_lsn(entry, finds, err);
    }
    while (found == 0) {
        struct xylem_format__key from;
        struct xylem_format__id_place place;
        struct xylem_view row;
        xylem_format__key_id(&from, &finds->from);
        struct xylem_view key = from.view;
        int code = xylem_lmdb__rows_step_summed(&key, &row, finds->rows, XYLEM_LMDB__AT_OR_AFTER, err);
        if (code <= 0) {
            return code;
        }
        if (!xylem_format__key_read_id(&place, key) || place.tree == UINT64_MAX || place.position.depth == UINT64_MAX) {
            return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                    "%s: a key of the table ids has %zu bytes, and names no possible place",
                                    xylem_lmdb__path(finds->txn), key.bytes);
        }
        bool is_candidate = place.hash == finds->from.hash;
        finds->from = (struct xylem_format__id_place){.tree = place.tree + (place.hash > finds->from.hash),
                                                      .hash = finds->from.hash};
        if (is_candidate) {
            finds->from.session = place.session;
            finds->from.position = (struct xylem_position){place.position.branch, place.position.depth + 1};
        }
        bool is_known = xylem_format__position_equal(place.position, finds->by_lsn);
        found = is_candidate && !is_known ? read_meant(entry, finds->txn, "ids", place.position, finds->id, err) : 0;
    }
    return found;
}

void xylem_finds_free(struct xylem_finds *finds)
{
    if (finds) {
        xylem_lmdb__rows_free(finds->rows);
        free(finds);
    }
}

/* --- Sessions ----------------------------------------------------------------------------------------------------- */

int xylem_belongs(struct xylem_txn *txn, uint64_t session, struct xylem_position position, struct xylem_error *err)
{
    struct xylem_session row;
    struct xylem_entry entry;
    int code = xylem_session_read(&row, txn, session, err);
    if (code < 0) {
        return code;
    }
    code = xylem_entry_read(&entry, txn, position, err);
    if (code < 0) {
        return xylem_store__no_entry(code) ? 0 : code;
    }
    return xylem_store__belongs(txn, &row, position, err);
}

int xylem_owner(uint64_t *session, struct xylem_txn *txn, struct xylem_position position, struct xylem_error *err)
{
    struct xylem_entry entry;
    struct xylem_store__branch branch;
    int code;
    if ((code = xylem_entry_read(&entry, txn, position, err)) < 0 ||
        (code = xylem_store__branch_read(&branch, txn, position.branch, err)) < 0) {
        return code;
    }
    *session = branch.session;
    return XYLEM_OK;
}

int xylem_store__id_write(struct xylem_txn *txn, const struct xylem_session *session, uint64_t hash,
                          struct xylem_position position, struct xylem_error *err)
{
    struct xylem_format__key key;
    unsigned char bytes[XYLEM_FORMAT__SUM_BYTES];
    struct xylem_view none = {NULL, 0};
    xylem_format__key_id(
        &key, &(struct xylem_format__id_place){session->tree, (uint32_t)(hash >> 32), session->number, position});
    struct xylem_view sum = {(const char *)bytes, xylem_format__row_put_sum(bytes, XYLEM_FORMAT__IDS, key.view, none)};
    return xylem_lmdb__put(txn, XYLEM_FORMAT__IDS, key.view, sum, false, err);
}

int xylem_store__fail_id_taken(const struct xylem_session *session, struct xylem_view id, struct xylem_error *err)
{
    return xylem_base__fail(err, XYLEM_E_EXISTS, "the session %.*s has an entry %.*s already",
                            XYLEM_BASE__SHOWN(session->id), XYLEM_BASE__SHOWN(id));
}
