/* Finding an entry by its id. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "store/branch.h"
#include "store/feed.h"
#include "store/find.h"
#include "store/keys.h"
#include "store/minted_id.h"
#include "store/tables.h"

/*
 * An id that could have been minted holds an lsn, and the feed says where the entry of that lsn lies. 1 if it is the one
 * that is meant; 0 if it has another id, or does not belong to the session: then the id was given by a host.
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
                                "the table feed says that lsn %" PRIu64 " is at branch %" PRIu64 ", depth %" PRIu64
                                ", and it is not",
                                lsn, candidate.branch, candidate.depth);
    }
    if (code < 0 || !(entry.flags & XYLEM_ENTRY_MINTED) || !xylem_base__view_equal(entry.id, id)) {
        return code;
    }
    *position = candidate;
    return xylem_store__belongs(txn, session, candidate, err);
}

/* Is the entry at a position that a row of `ids` names the one that is meant? */
static int is_meant(struct xylem_txn *txn, const struct xylem_session *session, struct xylem_position position,
                    struct xylem_view id, struct xylem_error *err)
{
    int belongs = xylem_store__belongs(txn, session, position, err);
    if (belongs <= 0) {
        return belongs;
    }
    struct xylem_entry entry;
    int code = xylem_entry_read(&entry, txn, position, err);
    if (xylem_store__no_entry(code)) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "a row of the table ids leads to branch %" PRIu64 ", depth %" PRIu64
                                ", where there is no entry",
                                position.branch, position.depth);
    }
    return code < 0 ? code : xylem_base__view_equal(entry.id, id);
}

static int find_by_row(struct xylem_position *position, struct xylem_txn *txn, const struct xylem_session *session,
                       struct xylem_view id, struct xylem_error *err)
{
    struct xylem_store__rows *rows;
    int code = xylem_store__rows_new(&rows, txn, XYLEM_STORE__IDS, err);
    if (code < 0) {
        return code;
    }
    struct xylem_store__key key;
    struct xylem_view value = {NULL, 0};
    xylem_store__key_pair(&key, session->tree, xylem_store__hash(id));
    struct xylem_view found_key = key.view;
    int found = xylem_store__rows_step(&found_key, &value, rows, XYLEM_STORE__AT, err);
    while (found > 0) {
        struct xylem_position candidate;
        if (!xylem_store__key_read_pair(&candidate.branch, &candidate.depth, value)) {
            found = xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: a row of the table ids has %zu bytes",
                                     xylem_store__path(txn), value.bytes);
            break;
        }
        found = is_meant(txn, session, candidate, id, err);
        if (found != 0) {
            *position = found > 0 ? candidate : *position;
            break;
        }
        found = xylem_store__rows_step(&found_key, &value, rows, XYLEM_STORE__NEXT_OF_KEY, err);
    }
    xylem_store__rows_free(rows);
    return found;
}

int xylem_store__find(struct xylem_position *position, struct xylem_txn *txn, const struct xylem_session *session,
                      struct xylem_view id, struct xylem_error *err)
{
    uint64_t lsn;
    struct xylem_position found_at;
    struct xylem_error reason;
    int by_lsn = xylem_store__minted_lsn(&lsn, id) ? find_by_lsn(&found_at, txn, session, id, lsn, &reason) : 0;
    if (by_lsn > 0) {
        *position = found_at;
        return by_lsn;
    }
    if (by_lsn < 0 && by_lsn != XYLEM_E_CORRUPT) {
        return xylem_base__fail(err, by_lsn, "%s", reason.text);
    }
    int by_row = find_by_row(position, txn, session, id, err);
    if (by_lsn == XYLEM_E_CORRUPT && by_row <= 0) {
        /* The damage may be what hides the entry. One that a row leads to proves itself: it was another's damage. */
        return xylem_base__fail(err, by_lsn, "%s", reason.text);
    }
    return by_row;
}

/*
 * A row of `ids` is proven by the entry that it leads to, which has the id and lies in the tree that the key says. It must
 * not be the row that was looked for and not found.
 */
static int check_row(struct xylem_txn *txn, const struct xylem_session *session, struct xylem_view id,
                     struct xylem_view key, struct xylem_view row, struct xylem_error *err)
{
    struct xylem_position position = {0, 0};
    struct xylem_store__branch branch = {.session = 0};
    struct xylem_session owner = {.tree = 0};
    struct xylem_entry entry;
    uint64_t tree = 0;
    uint64_t hash = 0;
    bool right = xylem_store__key_read_pair(&tree, &hash, key) &&
                 xylem_store__key_read_pair(&position.branch, &position.depth, row);
    int code = right ? xylem_store__entry_read(&entry, txn, position, err) : XYLEM_E_NOT_FOUND;
    code = code < 0 ? code : xylem_store__branch_read(&branch, txn, position.branch, err);
    code = code < 0 ? code : xylem_session_read(&owner, txn, branch.session, err);
    if (code == XYLEM_E_CORRUPT) {
        return XYLEM_OK; /* what it leads to is damaged: that says nothing of the row, and is another's damage */
    }
    if (code < 0 && !xylem_store__no_entry(code)) {
        return code;
    }
    if (code == XYLEM_OK && owner.tree == tree && xylem_store__hash(entry.id) == hash &&
        !(xylem_base__view_equal(entry.id, id) && xylem_store__belongs(txn, session, position, err) > 0)) {
        return XYLEM_OK;
    }
    return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: a row of the table ids leads to no entry of its id and tree",
                            xylem_store__path(txn));
}

/*
 * No row led to the id: are those of its hash, and those on both sides of them, what they should be? A damaged key leads a
 * search astray, which then ends beside it.
 */
static int check_absence(struct xylem_txn *txn, const struct xylem_session *session, struct xylem_view id,
                         struct xylem_error *err)
{
    struct xylem_store__rows *rows;
    struct xylem_store__key key;
    int code = xylem_store__rows_new(&rows, txn, XYLEM_STORE__IDS, err);
    if (code < 0) {
        return code;
    }
    xylem_store__key_pair(&key, session->tree, xylem_store__hash(id));
    struct xylem_view at = key.view;
    struct xylem_view row = {NULL, 0};
    int found = xylem_store__rows_step(&at, &row, rows, XYLEM_STORE__AT_OR_AFTER, err);
    if (found >= 0) {
        found = xylem_store__rows_step(&at, &row, rows, found ? XYLEM_STORE__PREVIOUS : XYLEM_STORE__LAST, err);
        found = found == 0 ? xylem_store__rows_step(&at, &row, rows, XYLEM_STORE__FIRST, err) : found;
    }
    bool passed = false;
    while (found > 0 && !passed) {
        code = check_row(txn, session, id, at, row, err);
        passed = code < 0 || memcmp(at.data, key.view.data, key.view.bytes) > 0;
        found = passed ? code : xylem_store__rows_step(&at, &row, rows, XYLEM_STORE__NEXT, err);
    }
    xylem_store__rows_free(rows);
    return found < 0 ? found : XYLEM_OK;
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
    if (found == 0) {
        found = check_absence(txn, &row, id, err);
    } else if (found > 0) {
        return XYLEM_OK;
    }
    return found < 0 ? found
                     : xylem_base__fail(err, XYLEM_E_NOT_FOUND, "the session %.*s has no entry %.*s",
                                        xylem_base__shown_bytes(row.id), xylem_base__shown(row.id),
                                        xylem_base__shown_bytes(id), xylem_base__shown(id));
}

int xylem_store__fail_id_taken(const struct xylem_session *session, struct xylem_view id, struct xylem_error *err)
{
    return xylem_base__fail(err, XYLEM_E_EXISTS, "the session %.*s has an entry %.*s already",
                            xylem_base__shown_bytes(session->id), xylem_base__shown(session->id),
                            xylem_base__shown_bytes(id), xylem_base__shown(id));
}
