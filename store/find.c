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

/* 1 if the entry at the position of a row of `ids` has the id and belongs to the session, else 0. */
static int is_meant(struct xylem_txn *txn, const struct xylem_session *session, struct xylem_position position,
                    struct xylem_view id, struct xylem_error *err)
{
    struct xylem_entry entry;
    int belongs = xylem_store__belongs(txn, session, position, err);
    return belongs <= 0 ? belongs : read_meant(&entry, txn, "ids", position, id, err);
}

/*
 * Searches the rows of `ids` with the tree and the hash of `first` for the id: 1 and the position of the entry, or 0.
 * Counts the rows. `proving`: verifies the rows on both sides and their pages, too, so that no row is hidden.
 */
static int search_rows(struct xylem_position *position, size_t *row_count, struct xylem_txn *txn,
                       const struct xylem_session *session, struct xylem_view id, struct xylem_view first, bool proving,
                       struct xylem_error *err)
{
    struct xylem_lmdb__rows *rows;
    struct xylem_view at = first;
    struct xylem_view row = {NULL, 0};
    enum xylem_lmdb__step step = XYLEM_LMDB__AT_OR_AFTER;
    int found = xylem_lmdb__rows_new(&rows, txn, XYLEM_FORMAT__IDS, err);
    if (found < 0) {
        return found;
    }
    for (*row_count = 0; found == 0; ++*row_count, step = XYLEM_LMDB__NEXT) {
        struct xylem_position candidate;
        uint64_t tree;
        uint64_t hash;
        found = proving ? xylem_lmdb__rows_step_summed(&at, &row, rows, step, err)
                        : xylem_lmdb__rows_step(&at, &row, rows, step, err);
        if (found <= 0) {
            break;
        }
        if (!xylem_format__key_read_id(&tree, &hash, &candidate, at)) {
            found = xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: a key of the table ids has %zu bytes",
                                     xylem_lmdb__path(txn), at.bytes);
            break;
        }
        if (memcmp(at.data, first.data, sizeof tree + sizeof hash) != 0) {
            found = 0;
            break;
        }
        found = proving ? XYLEM_OK : xylem_lmdb__check_summed(&row, txn, XYLEM_FORMAT__IDS, at, err);
        found = found < 0 ? found : is_meant(txn, session, candidate, id, err);
        *position = found > 0 ? candidate : *position;
    }
    xylem_lmdb__rows_free(rows);
    return found;
}

int xylem_store__find(struct xylem_position *position, struct xylem_txn *txn, const struct xylem_session *session,
                      struct xylem_view id, struct xylem_error *err)
{
    uint64_t lsn;
    size_t row_count;
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
    xylem_format__key_id(&key, session->tree, xylem_format__hash(id), (struct xylem_position){0, 0});
    int by_row = search_rows(position, &row_count, txn, session, id, key.view, false, err);
    if (by_row == 0) { /* prove the absence: rows with the hash are of other sessions of the tree, or none */
        by_row = row_count > 0 ? search_rows(position, &row_count, txn, session, id, key.view, true, err)
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
    uint64_t hash;
    struct xylem_position by_lsn; /* of the entry that was found by the lsn in the id; none: no such entry */
    bool asked;                   /* for that entry */
    struct xylem_format__key key; /* the row at which the next step begins */
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
    made->hash = xylem_format__hash(id);
    xylem_format__key_id(&made->key, 0, made->hash, made->by_lsn);
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
        struct xylem_view key = finds->key.view;
        struct xylem_view row;
        struct xylem_position position;
        uint64_t tree;
        uint64_t hash;
        int code = xylem_lmdb__rows_step_summed(&key, &row, finds->rows, XYLEM_LMDB__AT_OR_AFTER, err);
        if (code <= 0) {
            return code;
        }
        if (!xylem_format__key_read_id(&tree, &hash, &position, key)) {
            return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: a key of the table ids has %zu bytes",
                                    xylem_lmdb__path(finds->txn), key.bytes);
        }
        if ((tree == UINT64_MAX && hash > finds->hash) || position.depth == UINT64_MAX) {
            return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                    "%s: a key of the table ids names tree %" PRIu64 ", depth %" PRIu64,
                                    xylem_lmdb__path(finds->txn), tree, position.depth);
        }
        bool is_candidate = hash == finds->hash;
        struct xylem_position next = {position.branch, position.depth + 1};
        xylem_format__key_id(&finds->key, hash > finds->hash ? tree + 1 : tree, finds->hash,
                             is_candidate ? next : (struct xylem_position){0, 0});
        bool is_known = position.branch == finds->by_lsn.branch && position.depth == finds->by_lsn.depth;
        found = is_candidate && !is_known ? read_meant(entry, finds->txn, "ids", position, finds->id, err) : 0;
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

int xylem_store__id_write(struct xylem_txn *txn, uint64_t tree, uint64_t hash, struct xylem_position position,
                          struct xylem_error *err)
{
    struct xylem_format__key key;
    unsigned char bytes[XYLEM_FORMAT__ID_SUM_BYTES];
    struct xylem_view sum = {(const char *)bytes, sizeof bytes};
    xylem_format__key_id(&key, tree, hash, position);
    xylem_base__put_u32(bytes,
                        (uint32_t)xylem_format__row_sum(XYLEM_FORMAT__IDS, key.view, (struct xylem_view){NULL, 0}));
    return xylem_lmdb__put(txn, XYLEM_FORMAT__IDS, key.view, sum, false, err);
}

int xylem_store__fail_id_taken(const struct xylem_session *session, struct xylem_view id, struct xylem_error *err)
{
    return xylem_base__fail(err, XYLEM_E_EXISTS, "the session %.*s has an entry %.*s already",
                            XYLEM_BASE__SHOWN(session->id), XYLEM_BASE__SHOWN(id));
}
