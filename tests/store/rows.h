/* Rows as LMDB has them: what a test needs to damage a store in ways that no call of the library does. */
#ifndef XYLEM_TESTS_STORE_ROWS_H
#define XYLEM_TESTS_STORE_ROWS_H

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "store/lmdb/environment.h"
#include "store/feed.h"
#include "store/format/hash.h"
#include "store/meta.h"
#include "store/lmdb/tables.h"
#include "tests/lib/store_builder.h"

/* A row's bytes, owned. Key and value end in a NUL that does not count. */
struct row {
    struct xylem_buffer key;
    struct xylem_buffer value; /* with its sum, if the table has sums */
};

struct rows {
    struct row *rows;
    size_t count;
};

static inline struct xylem_view view_of(const struct xylem_buffer *buffer)
{
    return (struct xylem_view){buffer->data, buffer->bytes};
}

static inline bool same_bytes(const struct xylem_buffer *a, const struct xylem_buffer *b)
{
    return xylem_base__view_equal(view_of(a), view_of(b));
}

static inline void copy_bytes(struct xylem_buffer *to, const void *data, size_t bytes)
{
    assert_int_equal(xylem_buffer_add(to, data, bytes), XYLEM_OK);
}

static inline void row_release(struct row *row)
{
    xylem_buffer_release(&row->key);
    xylem_buffer_release(&row->value);
}

static inline void rows_release(struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        row_release(&rows->rows[i]);
    }
    free(rows->rows);
    memset(rows, 0, sizeof *rows);
}

/* All rows of a table, in its order. */
static inline struct rows rows_of(struct xylem_txn *txn, enum xylem_format__table table)
{
    struct rows rows = {NULL, 0};
    MDB_cursor *cursor = NULL;
    MDB_val key;
    MDB_val value;
    assert_int_equal(mdb_cursor_open(txn->mdb, txn->env->tables[table], &cursor), 0);
    while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0) {
        struct row *grown = realloc(rows.rows, (rows.count + 1) * sizeof *grown);
        assert_non_null(grown);
        rows.rows = grown;
        memset(&grown[rows.count], 0, sizeof *grown);
        copy_bytes(&grown[rows.count].key, key.mv_data, key.mv_size);
        copy_bytes(&grown[rows.count].value, value.mv_data, value.mv_size);
        rows.count++;
    }
    mdb_cursor_close(cursor);
    return rows;
}

/* Writes a row as it is, in place of the one that has the key. */
static inline void row_put(struct xylem_txn *txn, enum xylem_format__table table, const struct row *row)
{
    MDB_val key = {row->key.bytes, row->key.data};
    MDB_val value = {row->value.bytes, row->value.data};
    assert_int_equal(mdb_put(txn->mdb, txn->env->tables[table], &key, &value, 0), 0);
    txn->changed |= UINT32_C(1) << table;
}

static inline void row_remove(struct xylem_txn *txn, enum xylem_format__table table, const struct row *row)
{
    MDB_val key = {row->key.bytes, row->key.data};
    assert_int_equal(mdb_del(txn->mdb, txn->env->tables[table], &key, NULL), 0);
    txn->changed |= UINT32_C(1) << table;
}

/* Makes the sum at the end of a value right again. */
static inline void row_sum(enum xylem_format__table table, struct row *row)
{
    struct xylem_view content = {row->value.data, row->value.bytes - xylem_format__row_sum_bytes(table)};
    xylem_format__row_put_sum((unsigned char *)row->value.data + content.bytes, table, view_of(&row->key), content);
}

/* A row of `feed`, which has its sum. */
static inline struct xylem_store__feed feed_of(const struct row *row)
{
    struct xylem_store__feed feed = {.first_lsn = 0};
    struct xylem_view value = view_of(&row->value);
    assert_true(xylem_format__row_unseal(&value, XYLEM_FORMAT__FEED, view_of(&row->key)));
    assert_int_equal(xylem_store__feed_decode(&feed, view_of(&row->key), value), XYLEM_OK);
    return feed;
}

/* The only row, or the last one, of a table. */
static inline struct row row_last(struct xylem_txn *txn, enum xylem_format__table table)
{
    struct rows rows = rows_of(txn, table);
    assert_true(rows.count > 0);
    struct row last = rows.rows[--rows.count];
    rows_release(&rows);
    return last;
}

/* Changes one byte of the last row's value, and its sum with it if the table has sums. */
static inline void row_last_set(struct xylem_txn *txn, enum xylem_format__table table, size_t at, unsigned char byte,
                                bool summed)
{
    struct row row = row_last(txn, table);
    assert_true(at < row.value.bytes);
    row_remove(txn, table, &row);
    row.value.data[at] = (char)byte;
    if (summed) {
        row_sum(table, &row);
    }
    row_put(txn, table, &row);
    row_release(&row);
}

/* Writes which features the store has. They count when it is opened the next time. The count of changes stays. */
static inline void features_put(struct xylem_txn *txn, uint64_t features)
{
    struct row row = {{NULL, 0, 0}, {NULL, 0, 0}};
    uint64_t change_count = 0;
    assert_int_equal(xylem_store__changes_read(&change_count, txn, NULL), XYLEM_OK);
    copy_bytes(&row.key, XYLEM_FORMAT__META_FORMAT, strlen(XYLEM_FORMAT__META_FORMAT));
    assert_int_equal(xylem_format__format_encode(&row.value, features, change_count), XYLEM_OK);
    assert_int_equal(xylem_base__add_u64(&row.value, 0 /* the sum's place */), XYLEM_OK);
    row_sum(XYLEM_FORMAT__META, &row);
    row_put(txn, XYLEM_FORMAT__META, &row);
    row_release(&row);
}

/* Writes the floors of the counters, as a garbage collection would. They count from the next transaction on. */
static inline void floors_put(struct xylem_txn *txn, const struct xylem_lmdb__floors *floors)
{
    struct row row = {{NULL, 0, 0}, {NULL, 0, 0}};
    copy_bytes(&row.key, XYLEM_FORMAT__META_FLOORS, strlen(XYLEM_FORMAT__META_FLOORS));
    const uint64_t numbers[] = {floors->session, floors->branch, floors->lsn, floors->kind, 0 /* the sum's place */};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        assert_int_equal(xylem_base__add_u64(&row.value, numbers[i]), XYLEM_OK);
    }
    row_sum(XYLEM_FORMAT__META, &row);
    row_put(txn, XYLEM_FORMAT__META, &row);
    row_release(&row);
    /* A store that has them has both of these, too. */
    struct xylem_store__freed freed;
    assert_int_equal(xylem_store__feature_add(txn, XYLEM_FORMAT__FEATURE_FREED, NULL), XYLEM_OK);
    assert_int_equal(xylem_store__freed_read(&freed, txn, NULL), XYLEM_OK);
    assert_int_equal(xylem_store__freed_write(txn, &freed, NULL), XYLEM_OK);
}

#endif
