/* Proves pages of the snapshot: prover.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/value.h"
#include "store/lmdb/environment.h"

static const struct xylem_view none = {NULL, 0};

/* Pages that a commit takes beside the pages of its changes: of the free list, and of the list of tables. */
#define COMMIT_PAGES 16u
#define CHANGE_PAGES 3u /* of a change: a leaf, a part of a split leaf, a branch */

/*
 * Proves records of the free list, in the order in which LMDB reads them, until LMDB needs no more of them.
 *
 *     single pages   LMDB takes any pages, so the records need as many as the transaction takes
 *     neighbours     LMDB reads on until enough pages lie side by side, and takes them from the low end of such a run. A
 *                    run as long as all pages of the transaction always has enough left.
 *
 * The commit lists the pages that are left of these records anew, on pages that it takes as well.
 */
static int prove_free_pages(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_lmdb__prover *prover = &txn->prover;
    uint64_t listed_pages = txn->snapshot.page_bytes / 16; /* by a page that is half full */
    while (prover->has_free_record && (prover->wants_neighbours ? prover->free_run : prover->free_pages) <
                                          prover->wanted_pages + prover->free_pages / listed_pages) {
        uint64_t count;
        uint64_t run = 0;
        uint64_t *longest = prover->wants_neighbours ? &run : NULL;
        int found = xylem_pages__tree_prove_free_record(&count, longest, &txn->free_list);
        if (found < 0) {
            return xylem_lmdb__fail_in_tree(txn, "the free list", &txn->free_list, found, err);
        }
        prover->has_free_record = found > 0;
        prover->free_pages += count;
        prover->free_run = run > prover->free_run ? run : prover->free_run;
    }
    return XYLEM_OK;
}

/* Begins at the first record: few transactions look for neighbours, so runs are counted only from then on. */
static int begin_free_records(struct xylem_txn *txn, bool wants_neighbours, struct xylem_error *err)
{
    struct xylem_lmdb__prover *prover = &txn->prover;
    int found = xylem_pages__tree_prove_free(&txn->free_list, &txn->snapshot);
    prover->has_free_record = found > 0;
    prover->wants_neighbours = wants_neighbours;
    prover->free_pages = 0;
    return found < 0 ? xylem_lmdb__fail_in_tree(txn, "the free list", &txn->free_list, found, err)
                     : prove_free_pages(txn, err);
}

int xylem_lmdb__prover_pages(struct xylem_txn *txn, size_t value_bytes, struct xylem_error *err)
{
    struct xylem_lmdb__prover *prover = &txn->prover;
    uint64_t page_bytes = txn->snapshot.page_bytes;
    bool own_pages = value_bytes > page_bytes / XYLEM_LMDB__LONG_VALUE_PART;
    uint64_t value_pages = own_pages ? xylem_pages__overflow_pages(value_bytes, page_bytes) : 0;
    prover->wanted_pages += CHANGE_PAGES + value_pages;
    return value_pages > 1 && !prover->wants_neighbours ? begin_free_records(txn, true, err)
                                                        : prove_free_pages(txn, err);
}

/*
 * Proves the pages that every commit changes: the list of tables, and the ends of the free list, from which LMDB takes
 * pages.
 *
 * The list is proven also if this process wrote the list: LMDB looks for a table by its name, and a name that changed
 * since would hide the row from LMDB, which then writes without a root.
 */
int xylem_lmdb__prover_begin(struct xylem_txn *txn, struct xylem_error *err)
{
    int found = xylem_pages__tree_first(&txn->list_of_tables);
    int code = found < 0 ? found : xylem_pages__tree_prove_path(&txn->list_of_tables, &txn->prover.whole, none);
    if (code < 0) {
        return xylem_lmdb__fail_in_tree(txn, "the list of tables", &txn->list_of_tables, code, err);
    }
    txn->prover.wanted_pages = COMMIT_PAGES;
    return begin_free_records(txn, false, err);
}

/* Fails if the free list of the snapshot names a proven page of `whole`, from the index `first` on. */
static int refuse_free_pages(struct xylem_txn *txn, size_t first, struct xylem_error *err)
{
    struct xylem_pages__tree_cursor cursor;
    uint64_t page = 0;
    int found = xylem_pages__tree_find_free(&page, &cursor, &txn->snapshot, &txn->prover.whole, first);
    if (found < 0) {
        return xylem_lmdb__fail_in_tree(txn, "the free list", &cursor, found, err);
    }
    if (found > 0) {
        xylem_lmdb__env_damaged(txn);
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "%s/data.mdb: page %" PRIu64 " is in use, but the free list names this page",
                                txn->env->path, page);
    }
    return XYLEM_OK;
}

/*
 * True if LMDB made the cursor's path of proven pages. `key`: a key that is put, or empty: the path is read, or a row
 * is put behind all others. LMDB takes the same steps on the same pages, so a bit that changed since leads it nowhere
 * else.
 */
static bool is_derived(const struct xylem_txn *txn, enum xylem_format__table table,
                       const struct xylem_pages__tree_cursor *cursor, struct xylem_view key)
{
    const struct xylem_lmdb__derived *derived = &txn->env->derived[table];
    if (!txn->write || txn->env->derived_txn != txn->snapshot.txn_id) {
        return false;
    }
    return key.bytes == 0 ? derived->end && xylem_pages__tree_is_at_end(cursor)
                          : key.bytes == derived->key_bytes && memcmp(key.data, derived->key, key.bytes) == 0;
}

/* True if the value of the cursor's row has the length of the new value: LMDB writes it in place, and moves no node. */
static bool fits(struct xylem_pages__tree_cursor *cursor, size_t value_bytes)
{
    struct xylem_view key;
    struct xylem_view value;
    const struct xylem_pages__level *leaf = &cursor->levels[cursor->tree.depth > 0 ? cursor->tree.depth - 1 : 0];
    return cursor->positioned && leaf->index < leaf->count && xylem_pages__tree_row(&key, &value, cursor) > 0 &&
           value.bytes == value_bytes;
}

/* The key whose path the last commit of this environment left in a table; empty: none. */
static struct xylem_view derived_key(const struct xylem_txn *txn, enum xylem_format__table table)
{
    const struct xylem_lmdb__derived *derived = &txn->env->derived[table];
    bool known = txn->write && txn->env->derived_txn == txn->snapshot.txn_id;
    return (struct xylem_view){(const char *)derived->key, known ? derived->key_bytes : 0};
}

/*
 * Proves the order of the keys in the derived branches of a table. A bit may have changed since the last commit:
 *
 *     the first search of a transaction   LMDB compares with the keys that a tree cursor compares with from the root
 *     a search in a changed table         LMDB may compare with any key: a branch has more keys, or fewer
 *     a split, a removal                  LMDB may move any key to the branch above
 */
static int order_derived(struct xylem_txn *txn, enum xylem_format__table table, struct xylem_pages__tree_cursor *cursor)
{
    struct xylem_pages__tree_cursor to_key;
    struct xylem_view key = derived_key(txn, table);
    if (key.bytes == 0 || txn->prover.ordered & UINT32_C(1) << table) {
        return XYLEM_OK;
    }
    txn->prover.ordered |= UINT32_C(1) << table;
    xylem_pages__tree_cursor_init(&to_key, &txn->snapshot, &cursor->tree);
    int code = xylem_pages__tree_find_place(&to_key, key);
    code = code < 0 || !to_key.positioned ? code : xylem_pages__tree_prove_order(&to_key);
    if (code < 0) {
        *cursor = to_key; /* with the fault */
    }
    return code < 0 ? code : XYLEM_OK;
}

/* The number of proven ranges that begin at a key or before. */
static size_t proven_up_to(const struct xylem_lmdb__prover *prover, enum xylem_format__table table,
                           struct xylem_view key)
{
    size_t low = 0;
    size_t high = prover->proven_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct xylem_lmdb__proven *at = &prover->proven[middle];
        bool before = at->table != table ? at->table < table
                                         : !at->range.low.data || xylem_base__view_order(at->range.low, key) <= 0;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

bool xylem_lmdb__prover_knows(const struct xylem_txn *txn, enum xylem_format__table table, struct xylem_view key)
{
    size_t count = proven_up_to(&txn->prover, table, key);
    const struct xylem_lmdb__proven *at = count > 0 ? &txn->prover.proven[count - 1] : NULL;
    return at && at->table == table && (!at->range.high.data || xylem_base__view_order(key, at->range.high) < 0);
}

/*
 * Remembers the range of a proven leaf. Only ordered branches bound a range, so the second leaf of a table, or the second
 * change, has the derived branches ordered. Without memory the range is not remembered.
 */
static int remember(struct xylem_txn *txn, enum xylem_format__table table, struct xylem_pages__tree_cursor *cursor)
{
    struct xylem_lmdb__prover *prover = &txn->prover;
    struct xylem_pages__range range = cursor->range;
    struct xylem_view low = range.low.data ? range.low : (struct xylem_view){"", 0};
    if (!txn->write) {
        return XYLEM_OK;
    }
    bool second = prover->passed & UINT32_C(1) << table;
    prover->passed |= UINT32_C(1) << table;
    if (!second || xylem_lmdb__prover_knows(txn, table, low)) {
        return XYLEM_OK;
    }
    int code = order_derived(txn, table, cursor);
    struct xylem_lmdb__proven *list =
        code < 0 ? NULL
                 : xylem_base__with_room(prover->proven, &prover->proven_capacity, prover->proven_count, sizeof *list);
    if (list) {
        prover->proven = list;
        size_t place = proven_up_to(prover, table, low);
        memmove(&list[place + 1], &list[place], (prover->proven_count - place) * sizeof *list);
        list[place] = (struct xylem_lmdb__proven){table, range};
        prover->proven_count++;
    }
    return code;
}

/*
 * In a read transaction no page of the path may be in the free list: a free page is an earlier version, and lacks later
 * rows. A write transaction searches the free list before the commit.
 */
int xylem_lmdb__prover_path(struct xylem_txn *txn, enum xylem_format__table table,
                            struct xylem_pages__tree_cursor *cursor, struct xylem_error *err)
{
    struct xylem_pages__page_set *whole = &txn->prover.whole;
    size_t before = whole->count;
    bool changed = txn->changed & UINT32_C(1) << table; /* LMDB goes the path, whoever made its pages */
    if (!changed && is_derived(txn, table, cursor, none)) {
        return XYLEM_OK;
    }
    int code = changed ? order_derived(txn, table, cursor) : XYLEM_OK;
    if (code < 0 || (code = xylem_pages__tree_prove_path(cursor, whole, derived_key(txn, table))) < 0 ||
        (whole->count > before && (code = remember(txn, table, cursor)) < 0)) {
        return xylem_lmdb__fail_in_rows(txn, table, cursor, code, err);
    }
    return txn->write || whole->count == before ? XYLEM_OK : refuse_free_pages(txn, before, err);
}

int xylem_lmdb__prover_change(struct xylem_txn *txn, enum xylem_format__table table,
                              struct xylem_pages__tree_cursor *cursor, struct xylem_view key, size_t value_bytes,
                              bool removes, struct xylem_error *err)
{
    struct xylem_lmdb__derived *derived = &txn->prover.derived[table];
    bool changed = txn->changed & UINT32_C(1) << table;
    bool stood = cursor->positioned && cursor->tree.depth > 1 && derived_key(txn, table).bytes > 0;
    int code = xylem_pages__tree_find_place(cursor, key);
    if (code == XYLEM_OK && stood && !(txn->prover.ordered & UINT32_C(1) << table)) {
        code = xylem_pages__tree_find_place_again(cursor, key);
    }
    if (code == XYLEM_OK && (removes || !is_derived(txn, table, cursor, key) || !fits(cursor, value_bytes))) {
        bool ordered = removes || changed || xylem_pages__tree_may_split(cursor, key.bytes + value_bytes);
        code = ordered ? order_derived(txn, table, cursor) : XYLEM_OK;
        size_t before = txn->prover.whole.count;
        code = code < 0 ? code
                        : xylem_pages__tree_prove_change(cursor, removes, &txn->prover.whole, derived_key(txn, table));
        if (code == XYLEM_OK && (changed || txn->prover.whole.count > before)) {
            code = remember(txn, table, cursor);
        }
    }
    if (code < 0) {
        return xylem_lmdb__fail_in_rows(txn, table, cursor, code, err);
    }
    derived->key_bytes = removes || key.bytes > sizeof derived->key ? 0 : (uint8_t)key.bytes;
    memcpy(derived->key, key.data, derived->key_bytes);
    return XYLEM_OK;
}

/*
 * LMDB puts a row behind the last row without a search. Where a leaf is split, its branch gets a key, and a full branch
 * is split in the middle: one of its keys goes to the branch above. So the order of the keys is proven before a split.
 * The second append of a transaction finds a changed table, and proves the whole path: later leaves may be split.
 */
int xylem_lmdb__prover_append(struct xylem_txn *txn, enum xylem_format__table table,
                              struct xylem_pages__tree_cursor *cursor, struct xylem_view key, size_t value_bytes,
                              struct xylem_error *err)
{
    struct xylem_lmdb__prover *prover = &txn->prover;
    uint32_t bit = UINT32_C(1) << table;
    struct xylem_view last;
    struct xylem_view value;
    int found = xylem_pages__tree_last(cursor);
    found = found > 0 ? xylem_pages__tree_row(&last, &value, cursor) : found;
    if (found > 0 && xylem_base__view_order(key, last) <= 0) {
        return 0;
    }
    if (found > 0 && xylem_pages__tree_may_split(cursor, key.bytes + value_bytes)) {
        found = xylem_pages__tree_prove_order(cursor);
    }
    if (found < 0) {
        return xylem_lmdb__fail_in_rows(txn, table, cursor, found, err);
    }
    int code =
        xylem_lmdb__prover_path(txn, table, cursor, err); /* also of a changed table: its change went elsewhere */
    if (code < 0) {
        return code;
    }
    prover->derived[table].end = true;
    prover->appended_twice |= prover->appended & bit;
    prover->appended |= bit;
    return 1;
}

/*
 * Notes the derived paths of the coming commit, before another writer can begin:
 *
 *     the commit before was ours      unchanged tables keep their paths; `end` holds once the path was derived
 *     the commit before was not ours  all tables: only the paths of this transaction
 */
int xylem_lmdb__prover_commit(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_lmdb__env *env = txn->env;
    const struct xylem_pages__page_set *whole = &txn->prover.whole;
    bool follows = env->derived_txn == txn->snapshot.txn_id;
    int code = whole->count > whole->derived_count ? refuse_free_pages(txn, 0, err) : XYLEM_OK;
    if (code < 0 || !txn->changed) {
        return code;
    }
    uint32_t renewed = follows ? txn->changed : UINT32_MAX;
    for (unsigned table = 0; table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        if (renewed & UINT32_C(1) << table) {
            bool end = follows && env->derived[table].end;
            env->derived[table] = txn->prover.derived[table];
            env->derived[table].end = end || txn->prover.derived[table].end;
        }
    }
    env->derived_txn = mdb_txn_id(txn->mdb);
    return XYLEM_OK;
}

void xylem_lmdb__prover_end(struct xylem_txn *txn)
{
    free(txn->prover.proven);
    xylem_pages__page_set_release(&txn->prover.whole);
}
