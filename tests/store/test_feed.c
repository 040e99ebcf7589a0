#include "store/feed.h"
#include "store/format/keys.h"
#include "xylem/care.h"
#include "xylem/append.h"
#include "xylem/feed.h"
#include "xylem/inspect.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "tests/lib/verified.h"
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

/* Proven by the log, as for an append. */
static int find_next_lsn(uint64_t *lsn, struct xylem_error *err)
{
    const struct xylem_entry none = {.position = {0, 0}};
    return xylem_store__feed_next_lsn(lsn, builder.txn, &none, err);
}

static uint64_t next_lsn(void)
{
    uint64_t lsn = 0;
    uint64_t unproven = 0;
    struct xylem_error err = {0};
    store_builder_must(find_next_lsn(&lsn, &err), &err);
    store_builder_must(xylem_store__feed_next_lsn(&unproven, builder.txn, NULL, &err), &err);
    assert_int_equal(unproven, lsn);
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
    assert_true(feed.first_lsn == 2 && feed.last_lsn == 4 && feed.tag == XYLEM_FORMAT__FEED_APPENDED);
    assert_true(feed.position.branch == 1 && feed.position.depth == 1);
    append(session, 1);
    feed = last_feed();
    assert_true(feed.first_lsn == 5 && feed.last_lsn == 5 && feed.position.depth == 4);
    struct rows rows = rows_of(builder.txn, XYLEM_FORMAT__FEED);
    assert_int_equal(rows.count, 3); /* and the row of the session */
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
    assert_int_equal(store_builder_read(&builder, a).last_lsn, 8);
    assert_int_equal(store_builder_read(&builder, b).last_lsn, 7);
    store_builder_reopen(&builder);
    assert_int_equal(next_lsn(), 9);
}

IN_SCENE(lsns_go_on_above_the_floor)
{
    struct xylem_error err = {0};
    uint64_t session = store_builder_session(&builder, "s");
    append(session, 2);
    floors_put(builder.txn, &(struct xylem_lmdb__floors){.lsn = 1});
    store_builder_commit(&builder);
    assert_int_equal(next_lsn(), 4);
    floors_put(builder.txn, &(struct xylem_lmdb__floors){.lsn = 99});
    store_builder_must(xylem_store__freed_write(builder.txn, &(struct xylem_store__freed){.entry_count = 96}, &err),
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
    assert_int_equal(find_next_lsn(&lsn, NULL), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_store__feed_next_lsn(&lsn, builder.txn, NULL, NULL), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_store__feed_find(&position, builder.txn, 5, 0, NULL), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_store__feed_find(&position, builder.txn, 6, 0, NULL), 0);
}

IN_SCENE(a_floor_above_what_was_freed_is_corruption)
{
    uint64_t lsn = 0;
    append(store_builder_session(&builder, "s"), 2);
    store_builder_commit(&builder);
    floors_put(builder.txn, &(struct xylem_lmdb__floors){.lsn = 9});
    assert_int_equal(find_next_lsn(&lsn, NULL), XYLEM_E_CORRUPT);
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
    assert_true(feed.tag == XYLEM_FORMAT__FEED_FREED && feed.first_lsn == 5 && feed.last_lsn == 9);
    assert_true(feed.position.branch == 0 && feed.position.depth == 0);
    assert_int_equal(decode(&feed, 10, "\1\11\0\0\0\0\0\0\0", 9), XYLEM_E_MALFORMED);
    assert_int_equal(decode(&feed, 5, "\1\xff\xff\xff\xff\xff\xff\xff\xff", 9), XYLEM_E_MALFORMED);
}

TEST(a_row_that_cannot_be_is_malformed)
{
    static const char row[22] = "\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\3\0\0\0";
    static const char no_entries[21] = "\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0";
    static const char unknown[21] = "\4\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\3\0\0\0";
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

/* --- Changes without an entry ------------------------------------------------------------------------------------- */

#define SESSION "\7\0\0\0\0\0\0\1" /* the highest byte too */
#define SESSION_NUMBER (UINT64_C(1) << 56 | 7)

/* A change of each type, and the bytes of its row without the sum. */
static const struct written {
    struct xylem_change change;
    const char *bytes;
    size_t count;
} written[] = {
    {{.type = XYLEM_CHANGE_CREATED}, "\2\1" SESSION, 10},
    {{.type = XYLEM_CHANGE_FORKED}, "\2\2" SESSION, 10},
    {{.type = XYLEM_CHANGE_DELETED}, "\2\3" SESSION, 10},
    {{.type = XYLEM_CHANGE_UNDELETED}, "\2\4" SESSION, 10},
    {{.type = XYLEM_CHANGE_MOVED, .move_number = 258}, "\2\5" SESSION "\2\1\0\0\0\0\0\0", 18},
    {{.type = XYLEM_CHANGE_REDACTED, .position = {3, 260}}, "\2\6" SESSION "\3\0\0\0\0\0\0\0\4\1\0\0\0\0\0\0", 26},
    {{.type = XYLEM_CHANGE_FREED, .freed_id = {"an id", 5}}, "\2\7" SESSION "\5\0\0\0an id", 19},
    {{.type = XYLEM_CHANGE_DOCUMENT}, "\2\10" SESSION, 10},
};

static void assert_change(const struct xylem_store__feed *feed, const struct xylem_change *expected)
{
    assert_int_equal(feed->tag, XYLEM_FORMAT__FEED_CHANGE);
    assert_int_equal(feed->first_lsn, feed->last_lsn);
    assert_int_equal(feed->type, expected->type);
    assert_int_equal(feed->session, SESSION_NUMBER);
    assert_true(xylem_format__position_equal(feed->position, expected->position));
    assert_int_equal(feed->move_number, expected->move_number);
    assert_true(xylem_base__view_equal(feed->freed_id, expected->freed_id));
}

IN_SCENE(each_type_of_change_has_its_row)
{
    struct xylem_error err = {0};
    assert_int_equal(sizeof written / sizeof *written, XYLEM_CHANGE_TYPE_COUNT - 1);
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        struct xylem_change change = written[i].change;
        struct xylem_store__feed feed;
        change.session = SESSION_NUMBER;
        store_builder_must(xylem_store__feed_add(builder.txn, &change, &err), &err);
        struct row row = row_last(builder.txn, XYLEM_FORMAT__FEED);
        assert_int_equal(row.value.bytes, written[i].count + XYLEM_FORMAT__SUM_BYTES);
        assert_memory_equal(row.value.data, written[i].bytes, written[i].count);
        row_release(&row);
        assert_int_equal(decode(&feed, i + 1, written[i].bytes, written[i].count), XYLEM_OK);
        assert_int_equal(feed.first_lsn, i + 1);
        assert_change(&feed, &change);
        assert_int_equal(next_lsn(), i + 2);
    }
}

static bool change_may_be(unsigned type, size_t bytes)
{
    switch (type) {
    case XYLEM_CHANGE_MOVED:
        return bytes == 18;
    case XYLEM_CHANGE_REDACTED:
        return bytes == 26;
    case XYLEM_CHANGE_FREED: /* an id of 1 to 200 bytes, behind its length */
        return bytes >= 15 && bytes <= 214;
    default:
        return type >= XYLEM_CHANGE_CREATED && type <= XYLEM_CHANGE_DOCUMENT && bytes == 10;
    }
}

TEST(a_change_of_an_unknown_type_or_of_another_length_is_malformed)
{
    char row[216];
    memset(row, 1, sizeof row);
    row[0] = XYLEM_FORMAT__FEED_CHANGE;
    for (unsigned type = 0; type <= 255; type++) {
        row[1] = (char)type;
        for (size_t bytes = 0; bytes <= sizeof row; bytes++) {
            struct xylem_store__feed feed;
            xylem_base__put_u32((unsigned char *)row + 10, (uint32_t)(bytes < 14 ? 0 : bytes - 14)); /* of the id */
            int code = decode(&feed, 5, row, bytes);
            if (code != (change_may_be(type, bytes) ? XYLEM_OK : XYLEM_E_MALFORMED)) {
                fail_msg("type %u, %zu bytes: %d", type, bytes, code);
            }
        }
    }
}

TEST(a_row_of_a_freed_session_that_was_cut_or_grew_is_malformed)
{
    static const char row[20] = "\2\7" SESSION "\5\0\0\0an id";
    struct xylem_store__feed feed;
    for (size_t bytes = 0; bytes <= sizeof row; bytes++) {
        assert_int_equal(decode(&feed, 5, row, bytes), bytes == 19 ? XYLEM_OK : XYLEM_E_MALFORMED);
    }
}

TEST(a_change_of_no_session_or_of_an_lsn_that_cannot_be_is_malformed)
{
    struct xylem_store__feed feed;
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        char row[32];
        memcpy(row, written[i].bytes, written[i].count);
        assert_int_equal(decode(&feed, 0, row, written[i].count), XYLEM_E_MALFORMED);
        assert_int_equal(decode(&feed, UINT64_MAX, row, written[i].count), XYLEM_E_MALFORMED);
        assert_int_equal(decode(&feed, UINT64_MAX - 1, row, written[i].count), XYLEM_OK);
        memset(row + 2, 0, 8);
        assert_int_equal(decode(&feed, 1, row, written[i].count), XYLEM_E_MALFORMED);
    }
}

TEST(a_skipped_row_names_its_last_lsn)
{
    static const char row[10] = "\3\11\0\0\0\0\0\0\0";
    struct xylem_store__feed feed;
    for (size_t bytes = 0; bytes <= sizeof row; bytes++) {
        assert_int_equal(decode(&feed, 5, row, bytes), bytes == 9 ? XYLEM_OK : XYLEM_E_MALFORMED);
    }
    assert_int_equal(decode(&feed, 5, row, 9), XYLEM_OK);
    assert_true(feed.tag == XYLEM_FORMAT__FEED_SKIPPED && feed.first_lsn == 5 && feed.last_lsn == 9);
    assert_int_equal(decode(&feed, 9, row, 9), XYLEM_OK);
    assert_int_equal(decode(&feed, 10, row, 9), XYLEM_E_MALFORMED);
}

static uint64_t count_feed(void)
{
    struct xylem_lmdb__table_size size;
    struct xylem_error err = {0};
    store_builder_must(xylem_lmdb__table_size(&size, builder.txn, XYLEM_FORMAT__FEED, &err), &err);
    return size.rows;
}

static uint64_t count_changes(void)
{
    uint64_t count = UINT64_MAX;
    struct xylem_error err = {0};
    store_builder_must(xylem_store__changes_read(&count, builder.txn, &err), &err);
    return count;
}

IN_SCENE(skipped_lsns_are_of_no_entry_and_are_not_given_again)
{
    struct xylem_error err = {0};
    struct xylem_position position;
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_must(xylem_store__feed_skip(builder.txn, 9, &err), &err);
    struct xylem_store__feed feed = last_feed();
    assert_true(feed.tag == XYLEM_FORMAT__FEED_SKIPPED && feed.first_lsn == 2 && feed.last_lsn == 9);
    assert_int_equal(next_lsn(), 10);
    assert_int_equal(count_changes(), 9);
    store_builder_must(xylem_store__feed_skip(builder.txn, 9, &err), &err); /* not smaller than the last */
    store_builder_must(xylem_store__feed_skip(builder.txn, 3, &err), &err);
    assert_int_equal(count_feed(), 2);
    append(session, 1);
    assert_int_equal(last_feed().first_lsn, 10);
    store_builder_must(xylem_store__feed_skip(builder.txn, 11, &err), &err);
    for (uint64_t lsn = 1; lsn <= 11; lsn++) {
        assert_int_equal(xylem_store__feed_find(&position, builder.txn, lsn, 11, &err), lsn == 10);
    }
    assert_verified(builder.txn);
    store_builder_reopen(&builder);
    assert_int_equal(next_lsn(), 12);
    assert_int_equal(count_changes(), 10);
}

IN_SCENE(a_document_has_one_row_behind_the_changes_of_others)
{
    struct xylem_error err = {0};
    uint64_t a = store_builder_session(&builder, "a");
    uint64_t b = store_builder_session(&builder, "b"); /* the last change is of b */
    uint64_t rows = count_feed();
    store_builder_must(xylem_store__feed_document(builder.txn, b, &err), &err);
    assert_int_equal(count_feed(), rows);
    for (int i = 0; i < 3; i++) {
        store_builder_must(xylem_store__feed_document(builder.txn, a, &err), &err);
    }
    assert_int_equal(count_feed(), rows + 1);
    assert_true(last_feed().type == XYLEM_CHANGE_DOCUMENT && last_feed().session == a);
    append(b, 1); /* an entry is a change, too */
    store_builder_must(xylem_store__feed_document(builder.txn, b, &err), &err);
    assert_int_equal(count_feed(), rows + 2);
    store_builder_must(xylem_session_delete(builder.txn, a, &err), &err);
    store_builder_must(xylem_store__feed_document(builder.txn, a, &err), &err);
    assert_int_equal(count_feed(), rows + 3);
    store_builder_commit(&builder); /* who read the change of the last transaction has not seen this one's */
    store_builder_must(xylem_store__feed_document(builder.txn, a, &err), &err);
    assert_int_equal(count_feed(), rows + 4);
    assert_true(last_feed().type == XYLEM_CHANGE_DOCUMENT && last_feed().session == a);
}

IN_SCENE(a_refused_append_is_no_change_that_a_document_could_hide_behind)
{
    char id[XYLEM_ENTRY_ID_BYTES_MAX + 1];
    memset(id, 'i', sizeof id);
    struct xylem_error err = {0};
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_commit(&builder);
    struct xylem_new_entry entry = {.id = {id, sizeof id}, .kind.name = xylem_view_of("message")};
    assert_int_equal(xylem_append(NULL, builder.txn, session, &entry, 1, NULL, &err), XYLEM_E_LIMIT);
    store_builder_must(xylem_store__feed_document(builder.txn, session, &err), &err);
    assert_int_equal(last_feed().type, XYLEM_CHANGE_DOCUMENT);
}

static int change_in_way(int way, uint64_t session)
{
    struct xylem_session made;
    struct xylem_new_entry entry = {.kind.name = xylem_view_of("message")};
    switch (way) {
    case 0:
        return xylem_session_create(&made, builder.txn, NULL, NULL);
    case 1:
        return xylem_clone(&made, builder.txn, session, NULL, NULL);
    case 2:
        return xylem_navigate(builder.txn, session, (struct xylem_position){1, 2}, xylem_view_of(""), NULL);
    case 3:
        return xylem_session_delete(builder.txn, session, NULL);
    case 4:
        return xylem_store__source_note(builder.txn, session, xylem_view_of("/a"), NULL);
    default:
        return xylem_append(NULL, builder.txn, session, &entry, 1, NULL, NULL);
    }
}

/* The row before it is right, and the log proves it, so only the count of changes tells. */
IN_SCENE(a_lost_last_row_of_a_change_does_not_give_its_lsn_again)
{
    struct xylem_error err = {0};
    uint64_t lsn;
    uint64_t session = store_builder_session(&builder, "s");
    append(session, 2);
    store_builder_go(&builder, session, (struct xylem_position){1, 1});
    struct row row = row_last(builder.txn, XYLEM_FORMAT__FEED);
    assert_int_equal(feed_of(&row).type, XYLEM_CHANGE_MOVED);
    row_remove(builder.txn, XYLEM_FORMAT__FEED, &row);
    row_release(&row);
    store_builder_commit(&builder);
    for (int way = 0; way < 6; way++) {
        assert_int_equal(find_next_lsn(&lsn, NULL), XYLEM_E_CORRUPT);
        assert_int_equal(xylem_store__feed_next_lsn(&lsn, builder.txn, NULL, NULL), XYLEM_E_CORRUPT);
        assert_int_equal(change_in_way(way, session), XYLEM_E_CORRUPT);
        struct xylem_txn *txn = builder.txn;
        builder.txn = NULL;
        assert_int_equal(xylem_commit(txn, &err), XYLEM_E_CORRUPT); /* no change without its row */
        store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
    }
}

/* A row of lsns without entries leads to no record, so its neighbours must prove it. */
IN_SCENE(a_run_that_hides_an_entry_or_ends_early_is_corruption)
{
    static const struct xylem_store__feed wrong[] = {
        {.first_lsn = 4, .last_lsn = 9},  /* lsn 4 is of an entry */
        {.first_lsn = 6, .last_lsn = 9},  /* nothing covers lsn 5 */
        {.first_lsn = 5, .last_lsn = 8},  /* nothing covers lsn 9 */
        {.first_lsn = 5, .last_lsn = 10}, /* lsn 10 is of an entry */
    };
    static const unsigned tags[] = {XYLEM_FORMAT__FEED_FREED, XYLEM_FORMAT__FEED_SKIPPED};
    struct xylem_error err = {0};
    struct xylem_position position;
    uint64_t session = store_builder_session(&builder, "s");
    append(session, 3);
    store_builder_must(xylem_store__feed_skip(builder.txn, 9, &err), &err);
    struct row row = row_last(builder.txn, XYLEM_FORMAT__FEED);
    append(session, 2);
    for (size_t i = 0; i < 8; i++) {
        struct xylem_store__feed run = wrong[i / 2];
        run.tag = tags[i % 2];
        row_remove(builder.txn, XYLEM_FORMAT__FEED, &row);
        store_builder_must(xylem_store__feed_write(builder.txn, &run, false, &err), &err);
        for (uint64_t lsn = run.first_lsn; lsn <= 8; lsn++) {
            assert_int_equal(xylem_store__feed_find(&position, builder.txn, lsn, 11, &err), XYLEM_E_CORRUPT);
        }
        assert_int_equal(xylem_store__feed_find(&position, builder.txn, 3, 11, &err), 1);
        assert_int_equal(xylem_store__feed_find(&position, builder.txn, 10, 11, &err), 1);
        struct xylem_format__key key;
        xylem_format__key_u64(&key, run.first_lsn);
        store_builder_must(xylem_lmdb__remove(builder.txn, XYLEM_FORMAT__FEED, key.view, &err), &err);
        row_put(builder.txn, XYLEM_FORMAT__FEED, &row);
        assert_int_equal(xylem_store__feed_find(&position, builder.txn, 6, 11, &err), 0);
    }
    row_release(&row);
}

/* --- A store of before -------------------------------------------------------------------------------------------- */

static struct row format_row(void)
{
    struct rows rows = rows_of(builder.txn, XYLEM_FORMAT__META);
    struct row found = {{NULL, 0, 0}, {NULL, 0, 0}};
    for (size_t i = 0; i < rows.count; i++) {
        if (xylem_base__view_is(view_of(&rows.rows[i].key), XYLEM_FORMAT__META_FORMAT)) {
            copy_bytes(&found.key, rows.rows[i].key.data, rows.rows[i].key.bytes);
            copy_bytes(&found.value, rows.rows[i].value.data, rows.rows[i].value.bytes);
        }
    }
    rows_release(&rows);
    assert_non_null(found.key.data);
    return found;
}

/* The bytes of the row `format` without its sum, its features, and its count of changes. */
static void assert_format(size_t bytes, uint64_t features, uint64_t changes)
{
    struct row row = format_row();
    struct xylem_view value = view_of(&row.value);
    struct xylem_error err = {0};
    uint64_t found;
    assert_true(xylem_format__row_unseal(&value, XYLEM_FORMAT__META, view_of(&row.key)));
    assert_int_equal(value.bytes, bytes);
    store_builder_must(xylem_format__format_check(&found, "path", value, &err), &err);
    assert_int_equal(found, features);
    assert_int_equal(xylem_format__format_change_count(value), changes);
    row_release(&row);
    assert_int_equal(count_changes(), changes);
}

/* A row of version and features alone, as in a store that was made before changes had lsns. */
static void make_older(void)
{
    struct row row = format_row();
    row.value.bytes = 12 + XYLEM_FORMAT__SUM_BYTES;
    row_sum(XYLEM_FORMAT__META, &row);
    row_put(builder.txn, XYLEM_FORMAT__META, &row);
    row_release(&row);
    store_builder_reopen(&builder);
}

IN_SCENE(a_store_without_a_count_of_changes_gets_it_with_its_first_change)
{
    struct xylem_session session = {.id = xylem_view_of("s")};
    struct xylem_error err = {0};
    make_older();
    store_builder_must(xylem_store__session_add_rows(builder.txn, &session, &err), &err); /* without an lsn */
    append(session.number, 2);
    store_builder_reopen(&builder);
    assert_format(12, XYLEM_FORMAT__FEATURES_REQUIRED, 0); /* an append changes nothing of it */
    assert_int_equal(next_lsn(), 3);
    assert_verified(builder.txn);
    store_builder_go(&builder, session.number, (struct xylem_position){1, 1});
    assert_format(20, XYLEM_FORMAT__FEATURES_REQUIRED | XYLEM_FORMAT__FEATURE_CHANGES, 1);
    assert_true(last_feed().first_lsn == 3 && last_feed().type == XYLEM_CHANGE_MOVED);
    store_builder_session(&builder, "t");
    store_builder_reopen(&builder);
    assert_format(20, XYLEM_FORMAT__FEATURES_REQUIRED | XYLEM_FORMAT__FEATURE_CHANGES, 2);
    append(session.number, 1);
    assert_int_equal(next_lsn(), 6);
    assert_verified(builder.txn);
}

IN_SCENE(another_feature_of_an_older_store_leaves_the_count_at_nothing)
{
    struct xylem_error err = {0};
    make_older();
    store_builder_must(xylem_store__feature_add(builder.txn, XYLEM_FORMAT__FEATURE_FREED, &err), &err);
    assert_format(20, XYLEM_FORMAT__FEATURES_REQUIRED | XYLEM_FORMAT__FEATURE_FREED, 0);
    store_builder_session(&builder, "s");
    store_builder_must(xylem_store__feature_add(builder.txn, XYLEM_FORMAT__FEATURE_LEASES, &err), &err);
    store_builder_commit(&builder);
    assert_format(20,
                  XYLEM_FORMAT__FEATURES_REQUIRED | XYLEM_FORMAT__FEATURE_FREED | XYLEM_FORMAT__FEATURE_CHANGES |
                      XYLEM_FORMAT__FEATURE_LEASES,
                  1);
}

/* --- A damaged last row ------------------------------------------------------------------------------------------- */

IN_SCENE(a_last_row_that_cannot_be_refuses_the_next_append)
{
    uint64_t session = store_builder_session(&builder, "s");
    uint64_t lsn = 0;
    struct xylem_error err = {0};
    append(session, 1);
    row_last_set(builder.txn, XYLEM_FORMAT__FEED, 0, 9, false);
    assert_int_equal(find_next_lsn(&lsn, &err), XYLEM_E_CORRUPT);
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

/* The number of lsns is right, but the row leads to the last entry of another branch, which has another lsn. */
IN_SCENE(a_last_row_that_leads_to_another_branch_refuses_the_next_append)
{
    struct xylem_new_entry entry = {.kind.name = xylem_view_of("message")};
    uint64_t lsn;
    append(store_builder_session(&builder, "a"), 1);
    uint64_t session = store_builder_session(&builder, "b");
    append(session, 1);
    store_builder_commit(&builder);
    row_last_set(builder.txn, XYLEM_FORMAT__FEED, 1, 1, true);
    assert_true(last_feed().position.branch == 1 && last_feed().position.depth == 1);
    assert_int_equal(find_next_lsn(&lsn, NULL), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_append(NULL, builder.txn, session, &entry, 1, NULL, NULL), XYLEM_E_CORRUPT);
}

/* The row before it agrees with the log, which lost the entry too, so it is the session that knows better. */
IN_SCENE(a_row_that_was_lost_with_its_entry_refuses_the_next_append_to_its_session)
{
    struct xylem_append_options options = {.parent = XYLEM_PARENT_NONE};
    struct xylem_new_entry entry = {.kind.name = xylem_view_of("message")};
    uint64_t other = store_builder_session(&builder, "a");
    uint64_t session = store_builder_session(&builder, "b");
    append(other, 2);
    append(session, 1);
    store_builder_drop(&builder, store_builder_leaf(&builder, session));
    struct row row = row_last(builder.txn, XYLEM_FORMAT__FEED);
    row_remove(builder.txn, XYLEM_FORMAT__FEED, &row);
    row_release(&row);
    assert_int_equal(next_lsn(), 5);
    assert_int_equal(xylem_append(NULL, builder.txn, session, &entry, 1, &options, NULL), XYLEM_E_CORRUPT);
}

/* Each lsn is of an entry, of another change, or was freed. Gives how many there are. */
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
    append(stays, 1);
    assert_int_equal(next_lsn(), last + 2 + 1 + 1); /* deleted and freed, and the entry */
    return next_lsn() - 1;
}

/* Says for no lsn that no entry has it which one has. */
static void assert_nothing_hidden(const int *expected, uint64_t last, size_t row, size_t bit)
{
    for (uint64_t lsn = 1; lsn <= last; lsn++) {
        struct xylem_position position;
        int found = xylem_store__feed_find(&position, builder.txn, lsn, last, NULL);
        if (found == 0 && expected[lsn] == 1) {
            fail_msg("row %zu, bit %zu: lsn %d is said to have no entry", row, bit, (int)lsn);
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
    uint64_t without = 0;
    assert_in_range(last, 1, 31);
    for (uint64_t lsn = 1; lsn <= last; lsn++) {
        struct xylem_position position;
        expected[lsn] = xylem_store__feed_find(&position, builder.txn, lsn, last, NULL);
        without += expected[lsn] == 0;
    }
    assert_int_equal(without, 6 + 4); /* freed entries; two sessions that were made, one deleted and freed */
    assert_int_equal(mdb_cursor_open(builder.txn->mdb, builder.txn->env->tables[XYLEM_FORMAT__FEED], &cursor), 0);
    for (size_t row = 0; mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0; row++) {
        flip_all(&key, expected, last, row);
        flip_all(&value, expected, last, row);
    }
    mdb_cursor_close(cursor);
}
