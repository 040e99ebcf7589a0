#include "store/feed.h"
#include "store/format/keys.h"
#include "xylem/care.h"
#include "xylem/append.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "tests/store/rows.h"

static void append(uint64_t session, size_t count)
{
    struct xylem_new_entry entries[8] = {{.id = {NULL, 0}}};
    struct xylem_error err = {0};
    for (size_t i = 0; i < count; i++) {
        entries[i].kind.name = xylem_view_of("message");
    }
    store_builder_must(xylem_append(NULL, builder.txn, session, entries, count, NULL, &err), &err);
}

static uint64_t next_lsn(void)
{
    uint64_t lsn = 0;
    struct xylem_error err = {0};
    store_builder_must(xylem_store__feed_next_lsn(&lsn, builder.txn, NULL, &err), &err);
    return lsn;
}

static struct xylem_store__feed last_feed(void)
{
    struct row row = row_last(builder.txn, XYLEM_FORMAT__FEED);
    struct xylem_store__feed feed = feed_of(&row);
    row_release(&row);
    return feed;
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(an_append_has_one_row_however_many_entries)
{
    uint64_t session = store_builder_session(&builder, "s");
    append(session, 3);
    struct xylem_store__feed feed = last_feed();
    assert_true(feed.first_lsn == 1 && feed.last_lsn == 3 && !feed.freed);
    assert_true(feed.position.branch == 1 && feed.position.depth == 1);
    append(session, 1);
    feed = last_feed();
    assert_true(feed.first_lsn == 4 && feed.last_lsn == 4 && feed.position.depth == 4);
    struct rows rows = rows_of(builder.txn, XYLEM_FORMAT__FEED);
    assert_int_equal(rows.count, 2);
    rows_release(&rows);
}

IN_SCENE(the_first_lsn_is_one)
{
    assert_int_equal(next_lsn(), 1);
}

IN_SCENE(lsns_ascend_over_all_sessions)
{
    uint64_t a = store_builder_session(&builder, "a");
    uint64_t b = store_builder_session(&builder, "b");
    append(a, 2);
    append(b, 3);
    append(a, 1);
    assert_int_equal(store_builder_read(&builder, a).last_lsn, 6);
    assert_int_equal(store_builder_read(&builder, b).last_lsn, 5);
    store_builder_reopen(&builder);
    assert_int_equal(next_lsn(), 7);
}

IN_SCENE(lsns_go_on_above_the_floor)
{
    struct xylem_error err = {0};
    uint64_t session = store_builder_session(&builder, "s");
    append(session, 2);
    floors_put(builder.txn, &(struct xylem_lmdb__floors){.lsn = 1});
    store_builder_commit(&builder);
    assert_int_equal(next_lsn(), 3);
    floors_put(builder.txn, &(struct xylem_lmdb__floors){.lsn = 99});
    store_builder_must(xylem_store__freed_write(builder.txn, &(struct xylem_store__freed){.entry_count = 97}, &err),
                       &err);
    store_builder_commit(&builder);
    assert_int_equal(next_lsn(), 100);
}

/* What is left ends in a last entry of the other session, so only the number of records tells. */
IN_SCENE(a_lost_last_row_of_another_session_does_not_give_its_lsn_again)
{
    uint64_t a = store_builder_session(&builder, "a");
    uint64_t b = store_builder_session(&builder, "b");
    uint64_t lsn = 0;
    struct xylem_position position;
    append(a, 2);
    append(b, 1);
    struct row row = row_last(builder.txn, XYLEM_FORMAT__FEED);
    row_remove(builder.txn, XYLEM_FORMAT__FEED, &row);
    row_release(&row);
    assert_int_equal(xylem_store__feed_next_lsn(&lsn, builder.txn, NULL, NULL), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_store__feed_find(&position, builder.txn, 3, 0, NULL), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_store__feed_find(&position, builder.txn, 4, 0, NULL), 0);
}

IN_SCENE(a_floor_above_what_was_freed_is_corruption)
{
    uint64_t lsn = 0;
    append(store_builder_session(&builder, "s"), 2);
    store_builder_commit(&builder);
    floors_put(builder.txn, &(struct xylem_lmdb__floors){.lsn = 9});
    assert_int_equal(xylem_store__feed_next_lsn(&lsn, builder.txn, NULL, NULL), XYLEM_E_CORRUPT);
}

static int decode(struct xylem_store__feed *feed, uint64_t first_lsn, const char *row, size_t bytes)
{
    struct xylem_format__key key;
    xylem_format__key_u64(&key, first_lsn);
    return xylem_store__feed_decode(feed, key.view, (struct xylem_view){row, bytes});
}

TEST(a_freed_row_names_its_last_lsn)
{
    struct xylem_store__feed feed;
    assert_int_equal(decode(&feed, 5, "\1\11\0\0\0\0\0\0\0", 9), XYLEM_OK);
    assert_true(feed.freed && feed.first_lsn == 5 && feed.last_lsn == 9);
    assert_true(feed.position.branch == 0 && feed.position.depth == 0);
    assert_int_equal(decode(&feed, 10, "\1\11\0\0\0\0\0\0\0", 9), XYLEM_E_MALFORMED);
    assert_int_equal(decode(&feed, 5, "\1\xff\xff\xff\xff\xff\xff\xff\xff", 9), XYLEM_E_MALFORMED);
}

TEST(a_row_that_cannot_be_is_malformed)
{
    static const char row[22] = "\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\3\0\0\0";
    static const char no_entries[21] = "\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0";
    static const char unknown[21] = "\2\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\3\0\0\0";
    struct xylem_store__feed feed;
    assert_int_equal(decode(&feed, 1, row, 21), XYLEM_OK);
    assert_int_equal(decode(&feed, 0, row, 21), XYLEM_E_MALFORMED);
    assert_int_equal(decode(&feed, UINT64_MAX, row, 21), XYLEM_E_MALFORMED);
    assert_int_equal(decode(&feed, UINT64_MAX - 2, row, 21), XYLEM_E_MALFORMED);
    assert_int_equal(decode(&feed, 1, no_entries, 21), XYLEM_E_MALFORMED);
    assert_int_equal(decode(&feed, 1, unknown, 21), XYLEM_E_MALFORMED);
    for (size_t bytes = 0; bytes <= 22; bytes++) {
        assert_int_equal(decode(&feed, 1, row, bytes), bytes == 21 ? XYLEM_OK : XYLEM_E_MALFORMED);
    }
    struct xylem_view short_key = {"\0\0\1", 3};
    assert_int_equal(xylem_store__feed_decode(&feed, short_key, (struct xylem_view){row, 21}), XYLEM_E_MALFORMED);
}

IN_SCENE(a_last_row_that_cannot_be_refuses_the_next_append)
{
    uint64_t session = store_builder_session(&builder, "s");
    uint64_t lsn = 0;
    struct xylem_error err = {0};
    append(session, 1);
    row_last_set(builder.txn, XYLEM_FORMAT__FEED, 0, 9, false);
    assert_int_equal(xylem_store__feed_next_lsn(&lsn, builder.txn, NULL, &err), XYLEM_E_CORRUPT);
    struct xylem_new_entry entry = {.kind.name = xylem_view_of("message")};
    assert_int_equal(xylem_append(NULL, builder.txn, session, &entry, 1, NULL, &err), XYLEM_E_CORRUPT);
}

/* No answer rests on a byte that was not verified: the feed has no sums, so its last row is proven by the log. */
IN_SCENE(a_last_row_that_the_log_does_not_prove_refuses_the_next_append)
{
    static const unsigned char counts[] = {1, 2, 4, 200};
    uint64_t session = store_builder_session(&builder, "s");
    append(session, 3);
    for (size_t i = 0; i < sizeof counts; i++) {
        struct xylem_new_entry entry = {.kind.name = xylem_view_of("message")};
        store_builder_commit(&builder);
        row_last_set(builder.txn, XYLEM_FORMAT__FEED, 17, counts[i], false);
        assert_int_equal(xylem_append(NULL, builder.txn, session, &entry, 1, NULL, NULL), XYLEM_E_CORRUPT);
        xylem_abort(builder.txn);
        assert_int_equal(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, NULL), XYLEM_OK);
    }
}

/* The row before it agrees with the log, which lost the entry too, so it is the session that knows better. */
IN_SCENE(a_row_that_was_lost_with_its_entry_refuses_the_next_append_to_its_session)
{
    struct xylem_append_options options = {.parent = XYLEM_PARENT_NONE};
    struct xylem_new_entry entry = {.kind.name = xylem_view_of("message")};
    append(store_builder_session(&builder, "a"), 2);
    uint64_t session = store_builder_session(&builder, "b");
    append(session, 1);
    store_builder_drop(&builder, store_builder_leaf(&builder, session));
    struct row row = row_last(builder.txn, XYLEM_FORMAT__FEED);
    row_remove(builder.txn, XYLEM_FORMAT__FEED, &row);
    row_release(&row);
    assert_int_equal(next_lsn(), 3);
    assert_int_equal(xylem_append(NULL, builder.txn, session, &entry, 1, &options, NULL), XYLEM_E_CORRUPT);
}

/* Each lsn is of an entry, or was freed. Gives how many there are. */
static uint64_t fill_with_gaps(void)
{
    struct xylem_error err = {0};
    uint64_t stays = store_builder_session(&builder, "stays");
    uint64_t goes = store_builder_session(&builder, "goes");
    for (size_t i = 0; i < 3; i++) {
        append(stays, 1);
        append(stays, 1);
        append(goes, 3 - i);
        append(stays, 1 + i);
    }
    uint64_t last = next_lsn() - 1;
    store_builder_must(xylem_session_delete(builder.txn, goes, &err), &err);
    store_builder_must(xylem_gc(NULL, builder.txn, NULL, &err), &err);
    assert_int_equal(next_lsn(), last + 1);
    return last;
}

/* Says for no lsn that no entry has it which one has. */
static void assert_nothing_hidden(const int *expected, uint64_t last, size_t row, size_t bit)
{
    for (uint64_t lsn = 1; lsn <= last; lsn++) {
        struct xylem_position position;
        int found = xylem_store__feed_find(&position, builder.txn, lsn, last, NULL);
        if (found == 0 && expected[lsn] == 1) {
            fail_msg("row %zu, bit %zu: lsn %d is said to be freed", row, bit, (int)lsn);
        }
        assert_true(found == 0 || found == 1 || found == XYLEM_E_CORRUPT);
    }
}

/* Flips bits where they lie: a damaged key is out of order then, and leads a search astray. */
static void flip_all(MDB_val *bytes, const int *expected, uint64_t last, size_t row)
{
    unsigned char *place = bytes->mv_data;
    for (size_t bit = 0; bit < bytes->mv_size * 8; bit++) {
        place[bit / 8] ^= (unsigned char)(1u << bit % 8);
        assert_nothing_hidden(expected, last, row, bit);
        place[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
}

/* Rows of freed lsns lead to no record that proves them. */
IN_SCENE(a_damaged_row_never_says_of_an_entry_that_it_was_freed)
{
    int expected[32];
    uint64_t last = fill_with_gaps(); /* not committed: its pages are memory that may be written to */
    MDB_cursor *cursor = NULL;
    MDB_val key;
    MDB_val value;
    uint64_t freed = 0;
    assert_in_range(last, 1, 31);
    for (uint64_t lsn = 1; lsn <= last; lsn++) {
        struct xylem_position position;
        expected[lsn] = xylem_store__feed_find(&position, builder.txn, lsn, last, NULL);
        freed += expected[lsn] == 0;
    }
    assert_int_equal(freed, 6);
    assert_int_equal(mdb_cursor_open(builder.txn->mdb, builder.txn->env->tables[XYLEM_FORMAT__FEED], &cursor), 0);
    for (size_t row = 0; mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0; row++) {
        flip_all(&key, expected, last, row);
        flip_all(&value, expected, last, row);
    }
    mdb_cursor_close(cursor);
}
