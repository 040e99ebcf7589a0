/*
 * Reads and writes rows of tables. An unchanged table is read by a tree cursor from the committed snapshot; the cursor
 * checks each page. Only LMDB has the changed pages of a changed table, so LMDB reads it. Before LMDB touches a page of
 * the snapshot, a tree cursor checks the page:
 *
 *   search   the path to the key
 *   put      the same, and the header of the old value if that has overflow pages
 *   remove   the same, and the sibling leaves and branches, which LMDB may merge
 *
 * That is enough. LMDB made the changed pages from checked pages. It reaches any other page on the path to the key, or
 * as the sibling of a page that lost rows; the removal of those rows checked the siblings.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/value.h"
#include "store/lmdb/environment.h"
#include "store/format/hash.h"
#include "store/format/keys.h"
#include "store/format/record.h"

struct xylem_lmdb__rows {
    struct xylem_txn *txn;
    enum xylem_format__table table;
    MDB_cursor *mdb;     /* NULL: LMDB was not needed yet */
    bool stands;         /* at the row of `at_key` */
    bool mdb_stands;     /* `mdb` stands at the same row */
    bool from_first;     /* every step since the first row was NEXT */
    uint64_t puts_seen;  /* the table's count of puts at the last move of `mdb` */
    uint64_t step_count; /* rows in a row in one direction */
    enum xylem_lmdb__step last_step;
    struct xylem_view at_key;    /* in the snapshot, or in `own_key` */
    struct xylem_buffer own_key; /* in a changed table: LMDB may move its own copy at the next write */
    struct xylem_pages__tree_cursor tree;
};

/* --- Errors ------------------------------------------------------------------------------------------------------ */

static int fail_in_table(struct xylem_error *err, int result, const char *what, struct xylem_txn *txn,
                         enum xylem_format__table table)
{
    /* These results mean damaged pages. Other results mean a call that LMDB does not allow. */
    if (result == MDB_PAGE_NOTFOUND || result == MDB_CORRUPTED || result == MDB_CURSOR_FULL ||
        result == MDB_PAGE_FULL) {
        xylem_lmdb__env_damaged(txn);
    }
    int before = txn->failed ? txn->failed : txn->refused;
    if (result == MDB_BAD_TXN && before) { /* LMDB refuses a transaction after damage or a failed write */
        return xylem_base__fail(err, before,
                                "cannot %s the table %s of %s: the transaction failed before (%s) and can only be "
                                "aborted",
                                what, xylem_format__table_name(table), txn->env->path, xylem_code_text(before));
    }
    txn->refused = txn->refused ? txn->refused : xylem_lmdb__mdb_code(result);
    return xylem_base__fail(err, xylem_lmdb__mdb_code(result), "cannot %s the table %s of %s: %s", what,
                            xylem_format__table_name(table), txn->env->path, xylem_lmdb__mdb_text(result));
}

static int fail_out_of_order(struct xylem_txn *txn, enum xylem_format__table table, struct xylem_error *err)
{
    xylem_lmdb__env_damaged(txn);
    return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s/data.mdb: rows of the table %s are not in order", txn->env->path,
                            xylem_format__table_name(table));
}

static int fail_sum(const struct xylem_txn *txn, enum xylem_format__table table, struct xylem_error *err)
{
    return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s/data.mdb: a row of the table %s does not match its sum",
                            txn->env->path, xylem_format__table_name(table));
}

/* After a failed write: gives the code, and marks the transaction, which can no longer be committed. */
static int fail_to_write(struct xylem_txn *txn, enum xylem_format__table table, int result, struct xylem_error *err)
{
    int code;
    assert(result != 0);
    if (result == MDB_MAP_FULL) {
        pthread_mutex_lock(&txn->env->lock);
        txn->env->grow_wanted = true;
        pthread_mutex_unlock(&txn->env->lock);
    }
    if (result == MDB_KEYEXIST) {
        code = xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "%s/data.mdb: the table %s already has a row with the key of a new row", txn->env->path,
                                xylem_format__table_name(table));
    } else if (result > 0) { /* pages of a large transaction are written before its commit */
        code = xylem_lmdb__write_fail(err, result, "cannot write to", txn->env);
    } else {
        code = fail_in_table(err, result, "write to", txn, table);
    }
    txn->failed = code;
    return code;
}

/* Fails if the table may not be read: in a wrong thread, after a fork, or with damaged pages. */
static int readable(struct xylem_txn *txn, enum xylem_format__table table, struct xylem_error *err)
{
    int code = xylem_lmdb__usable(txn, err);
    if (code < 0 || !xylem_lmdb__table_is_shut(txn, table)) {
        return code;
    }
    txn->refused_as_shut = true;
    return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the table %s is not read, because its pages are damaged",
                            txn->env->path, xylem_format__table_name(table));
}

static MDB_val val_of(struct xylem_view view)
{
    MDB_val val = {view.bytes, (void *)(uintptr_t)view.data};
    return val;
}

static struct xylem_view view_of(const MDB_val *val)
{
    return (struct xylem_view){val->mv_data, val->mv_size};
}

static bool is_changed(const struct xylem_txn *txn, enum xylem_format__table table)
{
    return txn->changed & UINT32_C(1) << table;
}

/* --- The snapshot ------------------------------------------------------------------------------------------------ */

static int fail_in_rows(struct xylem_lmdb__rows *rows, int code, struct xylem_error *err)
{
    return xylem_lmdb__fail_in_rows(rows->txn, rows->table, &rows->tree, code, err);
}

/* The index of each table in the list of tables, which is in the order of names. read_tree() compares the name. */
static const unsigned char place_in_list[XYLEM_FORMAT__TABLE_COUNT] = {
    [XYLEM_FORMAT__BRANCHES] = 0,    [XYLEM_FORMAT__FEED] = 1,      [XYLEM_FORMAT__IDS] = 2,
    [XYLEM_FORMAT__KINDS] = 3,       [XYLEM_FORMAT__LOG] = 4,       [XYLEM_FORMAT__META] = 5,
    [XYLEM_FORMAT__MOVES] = 6,       [XYLEM_FORMAT__OUTLINES] = 7,  [XYLEM_FORMAT__QUARANTINE] = 8,
    [XYLEM_FORMAT__SESSION_IDS] = 9, [XYLEM_FORMAT__SESSIONS] = 10, [XYLEM_FORMAT__SIDES] = 11,
    [XYLEM_FORMAT__SOURCES] = 12,
};

static int read_tree(struct xylem_txn *txn, enum xylem_format__table table, struct xylem_error *err)
{
    struct xylem_pages__tree_cursor *list = &txn->list_of_tables;
    struct xylem_view key = {NULL, 0};
    struct xylem_view value = {NULL, 0};
    int found = xylem_pages__tree_at_index(list, place_in_list[table]);
    if (found > 0) {
        found = xylem_pages__tree_row(&key, &value, list);
    }
    if (xylem_pages__snapshot_is_lost(&txn->snapshot)) {
        return xylem_lmdb__fail_lost(txn->env, err);
    }
    if (found < 0) {
        return xylem_lmdb__fail_in_tree(txn, "the list of tables", list, found, err);
    }
    if (!xylem_base__view_is(key, xylem_format__table_name(table)) || value.bytes != XYLEM_PAGES__TREE_BYTES) {
        xylem_lmdb__env_damaged(txn);
        return xylem_base__fail(
            err, XYLEM_E_CORRUPT,
            "%s/data.mdb: the list of tables is damaged: the row of the table %s is missing, misplaced or "
            "of a wrong length",
            txn->env->path, xylem_format__table_name(table));
    }
    txn->trees[table] = xylem_pages__tree_at((const unsigned char *)value.data);
    if (txn->trees[table].flags != 0) {
        xylem_lmdb__env_damaged(txn);
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "%s/data.mdb: the table %s is said to have flags 0x%x; expected 0", txn->env->path,
                                xylem_format__table_name(table), txn->trees[table].flags);
    }
    txn->known_trees |= UINT32_C(1) << table;
    return XYLEM_OK;
}

int xylem_lmdb__table_tree(const struct xylem_pages__tree **tree, struct xylem_txn *txn, enum xylem_format__table table,
                           struct xylem_error *err)
{
    *tree = &txn->trees[table];
    return txn->known_trees & UINT32_C(1) << table ? XYLEM_OK : read_tree(txn, table, err);
}

int xylem_lmdb__rows_prove(struct xylem_lmdb__rows *rows, struct xylem_error *err)
{
    /* In a changed table the proofs came before the step of LMDB. */
    return is_changed(rows->txn, rows->table) ? XYLEM_OK
                                              : xylem_lmdb__prover_path(rows->txn, rows->table, &rows->tree, err);
}

/* --- Cursors ----------------------------------------------------------------------------------------------------- */

int xylem_lmdb__rows_new(struct xylem_lmdb__rows **rows, struct xylem_txn *txn, enum xylem_format__table table,
                         struct xylem_error *err)
{
    int code = readable(txn, table, err);
    if (code < 0) {
        return code;
    }
    /* A spare cursor may stand near the next row, which saves the way from the root. */
    struct xylem_lmdb__rows *made = txn->spare[table];
    if (!made) {
        const struct xylem_pages__tree *tree;
        code = xylem_lmdb__table_tree(&tree, txn, table, err);
        if (code < 0) {
            return code;
        }
        made = malloc(sizeof *made);
        if (!made) {
            return xylem_base__fail_memory(err);
        }
        made->txn = txn;
        made->table = table;
        made->mdb = NULL;
        made->own_key = (struct xylem_buffer){NULL, 0, 0};
        xylem_pages__tree_cursor_init(&made->tree, &txn->snapshot, tree);
    }
    assert(!made->mdb && made->txn == txn && made->table == table);
    txn->spare[table] = NULL;
    made->stands = false;
    made->mdb_stands = false;
    made->from_first = false;
    made->puts_seen = 0;
    made->step_count = 0;
    made->last_step = XYLEM_LMDB__FIRST;
    *rows = made;
    return XYLEM_OK;
}

static void close_rows(struct xylem_lmdb__rows *rows)
{
    if (rows->mdb && rows->txn->env->fork_count == xylem_lmdb__fork_count) {
        mdb_cursor_close(rows->mdb);
    }
    xylem_buffer_release(&rows->own_key);
    free(rows);
}

void xylem_lmdb__rows_free(struct xylem_lmdb__rows *rows)
{
    if (!rows) {
        return;
    }
    if (rows->mdb || rows->txn->spare[rows->table]) {
        close_rows(rows);
    } else {
        rows->txn->spare[rows->table] = rows;
    }
}

void xylem_lmdb__spares_close(struct xylem_txn *txn)
{
    for (unsigned table = 0; table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        if (txn->spare[table]) {
            close_rows(txn->spare[table]);
            txn->spare[table] = NULL;
        }
    }
}

/* --- Steps ------------------------------------------------------------------------------------------------------- */

/* Moves the tree cursor: 1 at a row, or 0. */
static int step_tree(struct xylem_lmdb__rows *rows, struct xylem_view key, enum xylem_lmdb__step step)
{
    bool exact = true;
    int found = 0;
    switch (step) {
    case XYLEM_LMDB__FIRST:
        found = xylem_pages__tree_first(&rows->tree);
        break;
    case XYLEM_LMDB__LAST:
        found = xylem_pages__tree_last(&rows->tree);
        break;
    case XYLEM_LMDB__NEXT:
        found = rows->stands ? xylem_pages__tree_next(&rows->tree) : xylem_pages__tree_first(&rows->tree);
        break;
    case XYLEM_LMDB__PREVIOUS:
        found = rows->stands ? xylem_pages__tree_previous(&rows->tree) : xylem_pages__tree_last(&rows->tree);
        break;
    case XYLEM_LMDB__AT:
    case XYLEM_LMDB__AT_OR_AFTER:
        found = xylem_pages__tree_seek(&exact, &rows->tree, key);
        break;
    }
    return step == XYLEM_LMDB__AT && found > 0 && !exact ? 0 : found;
}

static int step_in_snapshot(struct xylem_view *key, struct xylem_view *value, struct xylem_lmdb__rows *rows,
                            enum xylem_lmdb__step step, struct xylem_error *err)
{
    int found = step_tree(rows, *key, step);
    found = found > 0 ? xylem_pages__tree_row(key, value, &rows->tree) : found;
    if (xylem_pages__snapshot_is_lost(&rows->txn->snapshot)) {
        return xylem_lmdb__fail_lost(rows->txn->env, err);
    }
    return found < 0 ? fail_in_rows(rows, found, err) : found;
}

/* Moves LMDB's cursor to the row of `rows`: 1, or 0 if the row is gone; then the cursor stands behind its place. */
static int follow(struct xylem_lmdb__rows *rows, struct xylem_error *err)
{
    struct xylem_txn *txn = rows->txn;
    int result = rows->mdb ? 0 : mdb_cursor_open(txn->mdb, txn->env->tables[rows->table], &rows->mdb);
    if (result != 0) {
        return fail_in_table(err, result, "read", txn, rows->table);
    }
    uint64_t puts = txn->counters.tables[rows->table].puts;
    rows->mdb_stands = rows->mdb_stands && rows->puts_seen == puts; /* LMDB moves its cursors at a write */
    rows->puts_seen = puts;
    if (rows->mdb_stands || !rows->stands) {
        return 1;
    }
    MDB_val key = val_of(rows->at_key);
    MDB_val data;
    result = mdb_cursor_get(rows->mdb, &key, &data, MDB_SET_RANGE);
    if (result != 0 && result != MDB_NOTFOUND) {
        return fail_in_table(err, result, "read", txn, rows->table);
    }
    rows->mdb_stands = result == 0;
    return result == 0 && xylem_base__view_equal(view_of(&key), rows->at_key);
}

/*
 * The proof of a page does not cover the length of a value on pages of its own, and LMDB follows any length. A value in
 * the map must end inside of the file; any other value lies in the memory of this transaction.
 */
static int check_end_of(const MDB_val *data, struct xylem_txn *txn, enum xylem_format__table table,
                        struct xylem_error *err)
{
    uintptr_t offset = (uintptr_t)data->mv_data - (uintptr_t)txn->snapshot.map;
    uint64_t end = (txn->snapshot.last_page + 1) * txn->snapshot.page_bytes;
    if (offset >= end || data->mv_size <= end - offset) {
        return 1;
    }
    xylem_lmdb__env_damaged(txn);
    return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s/data.mdb: a row of the table %s ends beyond the file",
                            txn->env->path, xylem_format__table_name(table));
}

/* Takes the same step in the snapshot, and proves the paths: LMDB meets pages of the snapshot on these paths only. */
static int prove_step(struct xylem_lmdb__rows *rows, struct xylem_view key, enum xylem_lmdb__step step,
                      struct xylem_error *err)
{
    bool to_neighbour = (step == XYLEM_LMDB__NEXT || step == XYLEM_LMDB__PREVIOUS) && rows->stands;
    int found = 1;
    int code;
    if (step == XYLEM_LMDB__AT && xylem_lmdb__prover_knows(rows->txn, rows->table, key)) {
        return XYLEM_OK;
    }
    if (to_neighbour) {
        found = step_tree(rows, rows->at_key, XYLEM_LMDB__AT_OR_AFTER);
        if (found >= 0 && (code = xylem_lmdb__prover_path(rows->txn, rows->table, &rows->tree, err)) < 0) {
            return code;
        }
    }
    if (found > 0 || (found == 0 && step == XYLEM_LMDB__PREVIOUS)) {
        found = step_tree(rows, key, step == XYLEM_LMDB__AT ? XYLEM_LMDB__AT_OR_AFTER : step);
    }
    return found < 0 ? fail_in_rows(rows, found, err)
                     : xylem_lmdb__prover_path(rows->txn, rows->table, &rows->tree, err);
}

static int step_in_lmdb(struct xylem_view *key, struct xylem_view *value, struct xylem_lmdb__rows *rows,
                        enum xylem_lmdb__step step, struct xylem_error *err)
{
    static const MDB_cursor_op operations[] = {
        [XYLEM_LMDB__FIRST] = MDB_FIRST,   [XYLEM_LMDB__LAST] = MDB_LAST,  [XYLEM_LMDB__NEXT] = MDB_NEXT,
        [XYLEM_LMDB__PREVIOUS] = MDB_PREV, [XYLEM_LMDB__AT] = MDB_SET_KEY, [XYLEM_LMDB__AT_OR_AFTER] = MDB_SET_RANGE,
    };
    MDB_cursor_op operation = operations[step];
    MDB_val mdb_key = val_of(*key);
    MDB_val data = {0, NULL};
    int code = prove_step(rows, *key, step, err);
    if (code == XYLEM_OK && (step == XYLEM_LMDB__NEXT || step == XYLEM_LMDB__PREVIOUS)) {
        code = follow(rows, err);
        if (code == 0) { /* the row was removed */
            operation = step == XYLEM_LMDB__NEXT ? MDB_GET_CURRENT : rows->mdb_stands ? MDB_PREV : MDB_LAST;
            code = step == XYLEM_LMDB__NEXT && !rows->mdb_stands ? 0 : 1;
            if (code == 0) {
                return 0;
            }
        }
    } else if (code == XYLEM_OK) {
        rows->stands = false;
        code = follow(rows, err);
    }
    if (code < 0) {
        return code;
    }
    int result = mdb_cursor_get(rows->mdb, &mdb_key, &data, operation);
    rows->mdb_stands = result == 0;
    if (result == MDB_NOTFOUND) {
        return 0;
    }
    if (result != 0) {
        return fail_in_table(err, result, "read", rows->txn, rows->table);
    }
    *key = view_of(&mdb_key);
    *value = view_of(&data);
    return check_end_of(&data, rows->txn, rows->table, err);
}

/* Keys must ascend, or descend, from row to row: so a loop over the rows of a damaged table ends. */
static int check_order(struct xylem_lmdb__rows *rows, struct xylem_view key, enum xylem_lmdb__step step,
                       struct xylem_error *err)
{
    bool to_neighbour = (step == XYLEM_LMDB__NEXT || step == XYLEM_LMDB__PREVIOUS) && rows->stands;
    bool turned = step != rows->last_step;
    rows->from_first = step == XYLEM_LMDB__FIRST || (step == XYLEM_LMDB__NEXT && (rows->from_first || !rows->stands));
    if (!to_neighbour) {
        rows->step_count = 1;
    } else {
        rows->step_count = turned && rows->step_count > 1 ? 2 : rows->step_count + 1;
    }
    rows->last_step = step;
    if (!to_neighbour || rows->txn->pages_checked) {
        return XYLEM_OK;
    }
    int order = xylem_base__view_order(key, rows->at_key);
    bool counted = is_changed(rows->txn, rows->table) || rows->step_count <= rows->tree.tree.rows;
    return counted && (step == XYLEM_LMDB__NEXT ? order > 0 : order < 0)
               ? XYLEM_OK
               : fail_out_of_order(rows->txn, rows->table, err);
}

/* A pass from the first row to the end must have met every row: a garbled page can hide rows without another sign. */
static int check_end(struct xylem_lmdb__rows *rows, enum xylem_lmdb__step step, struct xylem_error *err)
{
    bool at_end = step == XYLEM_LMDB__NEXT && rows->stands;
    bool passed = at_end ? rows->from_first : step <= XYLEM_LMDB__NEXT;
    uint64_t count = at_end ? rows->step_count : 0;
    if (!passed || is_changed(rows->txn, rows->table) || rows->txn->pages_checked || count == rows->tree.tree.rows) {
        return 0;
    }
    xylem_lmdb__env_damaged(rows->txn);
    return xylem_base__fail(err, XYLEM_E_CORRUPT,
                            "%s/data.mdb: the table %s is said to have %" PRIu64 " rows, and has %" PRIu64,
                            rows->txn->env->path, xylem_format__table_name(rows->table), rows->tree.tree.rows, count);
}

int xylem_lmdb__rows_step(struct xylem_view *key, struct xylem_view *value, struct xylem_lmdb__rows *rows,
                          enum xylem_lmdb__step step, struct xylem_error *err)
{
    struct xylem_txn *txn = rows->txn;
    int code = xylem_lmdb__usable(txn, err);
    if (code < 0) {
        return code;
    }
    assert(txn->spare[rows->table] != rows); /* the caller has not freed the cursor */
    bool to_neighbour = (step == XYLEM_LMDB__NEXT || step == XYLEM_LMDB__PREVIOUS) && rows->stands;
    *(to_neighbour ? &txn->counters.tables[rows->table].steps : &txn->counters.tables[rows->table].seeks) += 1;
    bool changed = is_changed(txn, rows->table);
    rows->stands = to_neighbour; /* a seek that finds nothing leaves the cursor nowhere */
    struct xylem_view found_key = *key;
    int found = changed ? step_in_lmdb(&found_key, value, rows, step, err)
                        : step_in_snapshot(&found_key, value, rows, step, err);
    if (found <= 0) {
        return found < 0 ? found : check_end(rows, step, err);
    }
    code = check_order(rows, found_key, step, err);
    if (code < 0) {
        return code;
    }
    *key = found_key;
    rows->at_key = found_key;
    if (changed) {
        xylem_base__buffer_clear(&rows->own_key);
        if (xylem_buffer_add(&rows->own_key, found_key.data, found_key.bytes) < 0) {
            return xylem_base__fail_memory(err);
        }
        rows->at_key = xylem_base__buffer_view(&rows->own_key);
    }
    rows->stands = true;
    return 1;
}

/* --- Sums -------------------------------------------------------------------------------------------------------- */

int xylem_lmdb__check_summed(struct xylem_view *value, struct xylem_txn *txn, enum xylem_format__table table,
                             struct xylem_view key, struct xylem_error *err)
{
    return xylem_format__row_unseal(value, table, key) ? XYLEM_OK : fail_sum(txn, table, err);
}

/* Verifies the row before the cursor (the last row, if the cursor `is_behind` all rows), and moves back to the row. */
static int check_row_before(struct xylem_view *key, struct xylem_view *value, struct xylem_lmdb__rows *rows,
                            bool is_behind, struct xylem_error *err)
{
    enum xylem_lmdb__step back = is_behind ? XYLEM_LMDB__LAST : XYLEM_LMDB__PREVIOUS;
    struct xylem_view before = *key;
    struct xylem_view row = {NULL, 0};
    int found = xylem_lmdb__rows_step(&before, &row, rows, back, err);
    int code = found > 0 ? xylem_lmdb__check_summed(&row, rows->txn, rows->table, before, err) : found;
    if (code < 0 || (code = xylem_lmdb__rows_prove(rows, err)) < 0 || is_behind) {
        return code;
    }
    return xylem_lmdb__rows_step(key, value, rows, found ? XYLEM_LMDB__NEXT : XYLEM_LMDB__FIRST, err);
}

int xylem_lmdb__rows_step_summed(struct xylem_view *key, struct xylem_view *value, struct xylem_lmdb__rows *rows,
                                 enum xylem_lmdb__step step, struct xylem_error *err)
{
    int found = xylem_lmdb__rows_step(key, value, rows, step, err);
    if (step == XYLEM_LMDB__AT_OR_AFTER && found >= 0) {
        found = check_row_before(key, value, rows, found == 0, err);
    }
    /* A caller takes two consecutive rows for neighbours, and the last row for the end: no row may be hidden. */
    int code;
    if ((found >= 0 && step != XYLEM_LMDB__AT && (code = xylem_lmdb__rows_prove(rows, err)) < 0) ||
        (found > 0 && (code = xylem_lmdb__check_summed(value, rows->txn, rows->table, *key, err)) < 0)) {
        return code;
    }
    return found;
}

int xylem_lmdb__rows_next_of(struct xylem_view *key, struct xylem_view *value, struct xylem_lmdb__rows *rows,
                             uint64_t number, struct xylem_error *err)
{
    struct xylem_format__key first;
    xylem_format__key_u64(&first, number);
    *key = first.view;
    int found =
        xylem_lmdb__rows_step_summed(key, value, rows, rows->stands ? XYLEM_LMDB__NEXT : XYLEM_LMDB__AT_OR_AFTER, err);
    return found <= 0 ? found : xylem_base__view_begins(*key, first.view);
}

int xylem_lmdb__each_row(struct xylem_txn *txn, enum xylem_format__table table,
                         int (*visit)(void *context, struct xylem_view key, struct xylem_view value), void *context,
                         struct xylem_error *err)
{
    struct xylem_lmdb__rows *rows;
    int code = xylem_lmdb__rows_new(&rows, txn, table, err);
    if (code < 0) {
        return code;
    }
    struct xylem_view key = {NULL, 0};
    struct xylem_view value = {NULL, 0};
    while ((code = xylem_lmdb__rows_step_summed(&key, &value, rows, XYLEM_LMDB__NEXT, err)) > 0 &&
           (code = visit(context, key, value)) >= 0) {
    }
    xylem_lmdb__rows_free(rows);
    return code;
}

/* --- Absence ----------------------------------------------------------------------------------------------------- */

/* True if a row has its sum. A row of `log` is a record, with a sum of its own. */
static bool proves_itself(enum xylem_format__table table, struct xylem_view key, struct xylem_view value)
{
    struct xylem_entry entry;
    struct xylem_position position;
    return table == XYLEM_FORMAT__LOG ? xylem_format__key_read_pair(&position.branch, &position.depth, key) &&
                                            xylem_format__record_decode(&entry, position, value, NULL) == XYLEM_OK
                                      : xylem_format__row_unseal(&value, table, key);
}

/* Checks the row on one side of an absent key: the row proves itself, and lies on that side. */
static int check_beside(struct xylem_lmdb__rows *rows, struct xylem_view key, enum xylem_lmdb__step step, int *found,
                        struct xylem_error *err)
{
    struct xylem_view at = key;
    struct xylem_view row = {NULL, 0};
    *found = xylem_lmdb__rows_step(&at, &row, rows, step, err);
    if (*found > 0) {
        int order = xylem_base__view_order(at, key);
        if (step == XYLEM_LMDB__AT_OR_AFTER ? order <= 0 : order >= 0) {
            return fail_out_of_order(rows->txn, rows->table, err);
        }
        if (!proves_itself(rows->table, at, row)) {
            return fail_sum(rows->txn, rows->table, err);
        }
    }
    return *found < 0 ? *found : xylem_lmdb__rows_prove(rows, err);
}

int xylem_lmdb__check_absence(struct xylem_txn *txn, enum xylem_format__table table, struct xylem_view key,
                              struct xylem_error *err)
{
    struct xylem_lmdb__rows *rows;
    int found = 0;
    int code = xylem_lmdb__rows_new(&rows, txn, table, err);
    if (code < 0) {
        return code;
    }
    code = check_beside(rows, key, XYLEM_LMDB__AT_OR_AFTER, &found, err);
    if (code >= 0) {
        code = check_beside(rows, key, found ? XYLEM_LMDB__PREVIOUS : XYLEM_LMDB__LAST, &found, err);
    }
    xylem_lmdb__rows_free(rows);
    return code < 0 ? code : XYLEM_OK;
}

/* --- Rows by their keys ------------------------------------------------------------------------------------------ */

static int get_from_lmdb(struct xylem_view *value, struct xylem_lmdb__rows *rows, struct xylem_view key,
                         struct xylem_error *err)
{
    struct xylem_txn *txn = rows->txn;
    MDB_val mdb_key = val_of(key);
    MDB_val data;
    int code = prove_step(rows, key, XYLEM_LMDB__AT, err);
    if (code < 0) {
        return code;
    }
    int result = mdb_get(txn->mdb, txn->env->tables[rows->table], &mdb_key, &data);
    if (result == MDB_NOTFOUND) {
        return 0;
    }
    if (result != 0) {
        return fail_in_table(err, result, "read", txn, rows->table);
    }
    *value = view_of(&data);
    return check_end_of(&data, txn, rows->table, err);
}

int xylem_lmdb__get(struct xylem_view *value, struct xylem_txn *txn, enum xylem_format__table table,
                    struct xylem_view key, struct xylem_error *err)
{
    struct xylem_lmdb__rows *rows;
    struct xylem_view at = key;
    int code = xylem_lmdb__rows_new(&rows, txn, table, err);
    if (code < 0) {
        return code;
    }
    txn->counters.tables[table].gets++;
    int found = is_changed(txn, table) ? get_from_lmdb(value, rows, key, err)
                                       : step_in_snapshot(&at, value, rows, XYLEM_LMDB__AT, err);
    xylem_lmdb__rows_free(rows);
    return found;
}

int xylem_lmdb__get_summed(struct xylem_view *value, struct xylem_txn *txn, enum xylem_format__table table,
                           struct xylem_view key, struct xylem_error *err)
{
    int found = xylem_lmdb__get(value, txn, table, key, err);
    if (found <= 0) {
        return found < 0 ? found : xylem_lmdb__check_absence(txn, table, key, err);
    }
    int code = xylem_lmdb__check_summed(value, txn, table, key, err);
    return code < 0 ? code : 1;
}

/* --- Changes ----------------------------------------------------------------------------------------------------- */

/* Fails if the transaction may not change rows, or if LMDB may take pages from a damaged record of the free list. */
static int changeable(struct xylem_txn *txn, size_t value_bytes, struct xylem_error *err)
{
    int code = xylem_lmdb__writable(txn, err);
    if (code == XYLEM_OK && (code = xylem_lmdb__prover_pages(txn, value_bytes, err)) < 0) {
        txn->failed = code;
    }
    return code;
}

/* Proves the pages of the snapshot that LMDB will change. From now on LMDB reads the table. */
static int prove_change(struct xylem_txn *txn, enum xylem_format__table table, struct xylem_view key,
                        size_t value_bytes, bool removes, struct xylem_error *err)
{
    struct xylem_lmdb__rows *rows;
    int code = xylem_lmdb__rows_new(&rows, txn, table, err);
    if (code == XYLEM_OK) {
        code = xylem_lmdb__prover_change(txn, table, &rows->tree, key, value_bytes, removes, err);
        xylem_lmdb__rows_free(rows);
    }
    txn->failed = code < 0 ? code : txn->failed;
    txn->changed |= code < 0 ? 0 : UINT32_C(1) << table;
    return code;
}

/* The same for an append: 1, or 0 if the key does not lie behind the last row. */
static int prove_append(struct xylem_txn *txn, enum xylem_format__table table, struct xylem_view key,
                        size_t value_bytes, struct xylem_error *err)
{
    struct xylem_lmdb__rows *rows;
    if (txn->prover.appended_twice & UINT32_C(1) << table) {
        return 1; /* LMDB has the path to the last row by now, and compares the key */
    }
    int behind = xylem_lmdb__rows_new(&rows, txn, table, err);
    if (behind == XYLEM_OK) {
        behind = xylem_lmdb__prover_append(txn, table, &rows->tree, key, value_bytes, err);
        xylem_lmdb__rows_free(rows);
    }
    txn->failed = behind < 0 ? behind : txn->failed;
    txn->changed |= behind > 0 ? UINT32_C(1) << table : 0;
    return behind;
}

/*
 * Where LMDB writes a shorter value over a longer value of the same transaction, LMDB keeps overflow pages that the
 * shorter value does not need. So the longer value is removed first. An LMDB result; 0 also where there is no row.
 */
static int remove_long(struct xylem_txn *txn, enum xylem_format__table table, struct xylem_view key)
{
    MDB_val mdb_key = val_of(key);
    MDB_val old;
    int result = mdb_get(txn->mdb, txn->env->tables[table], &mdb_key, &old);
    bool is_long = result == 0 && old.mv_size > txn->snapshot.page_bytes / XYLEM_LMDB__LONG_VALUE_PART;
    result = is_long ? mdb_del(txn->mdb, txn->env->tables[table], &mdb_key, NULL) : result;
    return result == MDB_NOTFOUND ? 0 : result;
}

/*
 * Puts a row. Most rows of `log` and `feed` come behind all others: with MDB_APPEND LMDB needs no search, and fills
 * each page, where a split in the middle would leave half-empty pages. The cases:
 *
 *     a new row of `log` or `feed`, behind the last row    prove_append(), then MDB_APPEND
 *     any other new row                                    prove_change(), then MDB_NOOVERWRITE
 *     a row that may be there, in a changed table          prove_change() as for a removal, remove_long(), then a put
 *     a row that may be there, in an unchanged table       prove_change(), then a put
 */
int xylem_lmdb__put(struct xylem_txn *txn, enum xylem_format__table table, struct xylem_view key,
                    struct xylem_view value, bool replace, struct xylem_error *err)
{
    MDB_val mdb_key = val_of(key);
    MDB_val data = val_of(value);
    int result = MDB_KEYEXIST;
    int code = changeable(txn, value.bytes, err);
    if (code < 0) {
        return code;
    }
    if (!replace && (table == XYLEM_FORMAT__LOG || table == XYLEM_FORMAT__FEED)) {
        int behind = prove_append(txn, table, key, value.bytes, err);
        if (behind < 0) {
            return behind;
        }
        result = behind ? mdb_put(txn->mdb, txn->env->tables[table], &mdb_key, &data, MDB_APPEND) : MDB_KEYEXIST;
    }
    if (result == MDB_KEYEXIST) { /* not an append, or a row behind this key */
        bool again = replace && is_changed(txn, table);
        if (!replace && xylem_lmdb__prover_knows(txn, table, key)) {
            txn->changed |= UINT32_C(1) << table;
        } else if ((code = prove_change(txn, table, key, value.bytes, again, err)) < 0) {
            return code;
        }
        result = again ? remove_long(txn, table, key) : 0;
        if (result == 0) {
            result = mdb_put(txn->mdb, txn->env->tables[table], &mdb_key, &data, replace ? 0u : MDB_NOOVERWRITE);
        }
    }
    if (result != 0) {
        return fail_to_write(txn, table, result, err);
    }
    txn->counters.tables[table].puts++;
    return XYLEM_OK;
}

int xylem_lmdb__put_summed(struct xylem_txn *txn, enum xylem_format__table table, struct xylem_view key,
                           struct xylem_buffer *value, bool made, bool replace, struct xylem_error *err)
{
    int code = !made || xylem_format__row_add_sum(value, table, key) < 0
                   ? xylem_base__fail_memory(err)
                   : xylem_lmdb__put(txn, table, key, xylem_base__buffer_view(value), replace, err);
    xylem_buffer_release(value);
    return code;
}

int xylem_lmdb__remove_there(struct xylem_txn *txn, enum xylem_format__table table, struct xylem_view key,
                             struct xylem_error *err)
{
    uint32_t changed = txn->changed;
    int code;
    if ((code = changeable(txn, 0, err)) < 0 || (code = prove_change(txn, table, key, 0, true, err)) < 0) {
        return code;
    }
    MDB_val mdb_key = val_of(key);
    int result = mdb_del(txn->mdb, txn->env->tables[table], &mdb_key, NULL);
    txn->changed = result == MDB_NOTFOUND ? changed : txn->changed; /* a commit without a change writes nothing */
    txn->counters.tables[table].puts += result == 0;
    if (result == MDB_NOTFOUND) {
        return 0;
    }
    return result == 0 ? 1 : fail_to_write(txn, table, result, err);
}

int xylem_lmdb__remove(struct xylem_txn *txn, enum xylem_format__table table, struct xylem_view key,
                       struct xylem_error *err)
{
    int removed = xylem_lmdb__remove_there(txn, table, key, err);
    return removed < 0 ? removed : XYLEM_OK;
}

int xylem_lmdb__next_u64(uint64_t *number, struct xylem_txn *txn, enum xylem_format__table table, uint64_t floor,
                         struct xylem_error *err)
{
    struct xylem_lmdb__rows *rows;
    struct xylem_format__key next;
    int code = xylem_lmdb__rows_new(&rows, txn, table, err);
    if (code < 0) {
        return code;
    }
    uint64_t last = 0;
    struct xylem_view key = {NULL, 0};
    struct xylem_view value;
    int found = xylem_lmdb__rows_step(&key, &value, rows, XYLEM_LMDB__LAST, err);
    bool is_number = found <= 0 || xylem_format__key_read_u64(&last, key);
    xylem_lmdb__rows_free(rows);
    if (found < 0) {
        return found;
    }
    last = last > floor ? last : floor;
    if (!is_number || last == UINT64_MAX) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the last key of the table %s is not a possible number",
                                txn->env->path, xylem_format__table_name(table));
    }
    *number = last + 1;
    xylem_format__key_u64(&next, *number);
    return xylem_lmdb__check_absence(txn, table, next.view, err);
}
