#include "store/feed.h"
#include "store/format/chain.h"
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
static int find_end(struct xylem_store__feed_end *end, struct xylem_error *err)
{
    const struct xylem_entry none = {.position = {0, 0}};
    return xylem_store__feed_end(end, builder.txn, &none, err);
}

static struct xylem_store__feed_end feed_end(void)
{
    struct xylem_store__feed_end end;
    struct xylem_store__feed_end unproven;
    struct xylem_error err = {0};
    store_builder_must(find_end(&end, &err), &err);
    store_builder_must(xylem_store__feed_end(&unproven, builder.txn, NULL, &err), &err);
    assert_true(unproven.next_lsn == end.next_lsn && unproven.chain == end.chain);
    return end;
}

static uint64_t next_lsn(void)
{
    return feed_end().next_lsn;
}

static void assert_no_end(void)
{
    struct xylem_store__feed_end end;
    assert_int_equal(find_end(&end, NULL), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_store__feed_end(&end, builder.txn, NULL, NULL), XYLEM_E_CORRUPT);
}

static struct xylem_store__feed last_feed(void)
{
    struct row row = row_last(builder.txn, XYLEM_FORMAT__FEED);
    struct xylem_store__feed feed = feed_of(&row);
    row_release(&row);
    return feed;
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

static void assert_last_row(uint64_t first_lsn, uint64_t last_lsn)
{
    struct xylem_store__feed feed = last_feed();
    assert_int_equal(feed.tag, XYLEM_FORMAT__FEED_APPENDED);
    assert_int_equal(feed.first_lsn, first_lsn);
    assert_int_equal(feed.last_lsn, last_lsn);
}

/* The first row is of the making of the session. */
IN_SCENE(an_append_extends_the_last_row_where_it_goes_on)
{
    uint64_t session = store_builder_session(&builder, "s");
    append(session, 3);
    assert_last_row(2, 4);
    struct xylem_store__feed before = last_feed();
    assert_true(before.position.branch == 1 && before.position.depth == 1 && before.ordinal == 2);
    append(session, 1);
    assert_last_row(2, 5);
    store_builder_reopen(&builder);
    append(session, 2);
    assert_last_row(2, 7);
    struct xylem_store__feed feed = last_feed();
    assert_true(xylem_format__position_equal(feed.position, before.position) && feed.ordinal == 2);
    assert_true(feed.previous == 1 && feed.history_chain == before.history_chain && feed.chain != before.chain);
    struct xylem_session row = store_builder_read(&builder, session);
    assert_true(row.history.row == 2 && row.history.count == 7 && row.last_lsn == 7);
    struct rows rows = rows_of(builder.txn, XYLEM_FORMAT__FEED);
    assert_int_equal(rows.count, 2);
    rows_release(&rows);
    assert_verified(builder.txn);
}

IN_SCENE(an_append_extends_no_row_beyond_its_limit)
{
    uint64_t session = store_builder_session(&builder, "s");
    for (size_t i = 0; i < XYLEM_STORE__ROW_ENTRIES_MAX / 8; i++) {
        append(session, 8);
    }
    assert_last_row(2, 1 + XYLEM_STORE__ROW_ENTRIES_MAX);
    append(session, 1);
    assert_last_row(2 + XYLEM_STORE__ROW_ENTRIES_MAX, 2 + XYLEM_STORE__ROW_ENTRIES_MAX);
    for (size_t i = 0; i < XYLEM_STORE__ROW_ENTRIES_MAX / 8; i++) {
        append(session, 8); /* the last of them would be one entry too many */
    }
    assert_last_row(next_lsn() - 8, next_lsn() - 1);
    assert_verified(builder.txn);
}

static void assert_next_row_is_new(uint64_t session)
{
    uint64_t lsn = next_lsn();
    append(session, 1);
    assert_last_row(lsn, lsn);
}

IN_SCENE(an_append_extends_no_row_of_anything_else)
{
    struct xylem_error err = {0};
    uint64_t other = store_builder_session(&builder, "other");
    uint64_t session = store_builder_session(&builder, "s");
    assert_next_row_is_new(session);
    assert_next_row_is_new(other); /* another branch */
    assert_next_row_is_new(session);
    struct xylem_position tip = store_builder_leaf(&builder, session);
    struct xylem_session fork = {.id = xylem_view_of("untold"), .base = tip, .leaf = tip, .tree = session};
    store_builder_must(xylem_store__session_add_rows(builder.txn, &fork, &err), &err);
    assert_next_row_is_new(fork.number); /* whose base is the newest entry */
    append(session, 1);
    store_builder_go(&builder, session, (struct xylem_position){1, 1}); /* a navigation, and a branch in the middle */
    assert_next_row_is_new(session);
    store_builder_must(xylem_store__source_note(builder.txn, session, xylem_view_of("/a"), &err), &err);
    append(session, 1); /* the note is told by the append before */
    store_builder_commit(&builder);
    store_builder_must(xylem_store__source_note(builder.txn, session, xylem_view_of("/b"), &err), &err);
    assert_next_row_is_new(session);
    store_builder_must(xylem_store__feed_skip(builder.txn, next_lsn() + 2, &err), &err);
    assert_next_row_is_new(session);
    assert_verified(builder.txn);
}

/* A hostile row: a redaction of the newest entry, under its lsn. */
IN_SCENE(an_append_extends_no_row_that_gives_lsns_to_no_entry)
{
    struct xylem_error err = {0};
    uint64_t session = store_builder_session(&builder, "s");
    append(session, 1);
    struct xylem_store__feed last = last_feed();
    last.tag = XYLEM_FORMAT__FEED_CHANGE;
    last.type = XYLEM_CHANGE_REDACTED;
    last.session = session;
    store_builder_must(xylem_store__feed_write(builder.txn, &last, true, &err), &err);
    store_builder_commit(&builder);
    assert_next_row_is_new(session);
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
    struct xylem_position position;
    append(a, 2);
    append(b, 1);
    struct row row = row_last(builder.txn, XYLEM_FORMAT__FEED);
    row_remove(builder.txn, XYLEM_FORMAT__FEED, &row);
    row_release(&row);
    assert_no_end();
    assert_int_equal(xylem_store__feed_find(&position, builder.txn, 5, 0, NULL), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_store__feed_find(&position, builder.txn, 6, 0, NULL), 0);
}

IN_SCENE(a_floor_above_what_was_freed_is_corruption)
{
    append(store_builder_session(&builder, "s"), 2);
    store_builder_commit(&builder);
    floors_put(builder.txn, &(struct xylem_lmdb__floors){.lsn = 9});
    assert_no_end();
}

/* --- The bytes of rows -------------------------------------------------------------------------------------------- */

#define AT 1001 /* the lsn of the rows */
#define SESSION "\xac\2"
#define SESSION_NUMBER 300
#define HISTORY "\11\0\0\0\0\0\0\2\xac\2\xe8\7" /* chain, ordinal 300, distance 1000 */
#define CHAIN "\5\0\0\0\0\0\0\6"
#define END (HISTORY_BYTES + CHAIN_BYTES)
#define HISTORY_BYTES 12u
#define CHAIN_BYTES 8u
#define HAS_HISTORY .history_chain = UINT64_C(2) << 56 | 9, .ordinal = 300, .previous = 1
#define OF_SESSION(number) .tag = XYLEM_FORMAT__FEED_CHANGE, .type = (number), .session = SESSION_NUMBER
#define TELLS(number) OF_SESSION(number), HAS_HISTORY

/* A row of each form, and its bytes without the sum. `front` is what comes before the ends. */
static const struct written {
    struct xylem_store__feed feed;
    const char *bytes;
    size_t front;
} written[] = {
    {{.tag = XYLEM_FORMAT__FEED_APPENDED, .position = {3, 260}, .last_lsn = AT + 1, HAS_HISTORY},
     "\0\3\x84\2\2" HISTORY CHAIN,
     5},
    {{.tag = XYLEM_FORMAT__FEED_FREED, .last_lsn = 1033}, "\1\x89\10" CHAIN, 3},
    {{.tag = XYLEM_FORMAT__FEED_SKIPPED, .last_lsn = 1033}, "\3\x89\10" CHAIN, 3},
    {{TELLS(XYLEM_CHANGE_CREATED)}, "\2\1" SESSION HISTORY CHAIN, 4},
    {{TELLS(XYLEM_CHANGE_FORKED)}, "\2\2" SESSION HISTORY CHAIN, 4},
    {{TELLS(XYLEM_CHANGE_DELETED)}, "\2\3" SESSION HISTORY CHAIN, 4},
    {{TELLS(XYLEM_CHANGE_UNDELETED)}, "\2\4" SESSION HISTORY CHAIN, 4},
    {{TELLS(XYLEM_CHANGE_MOVED), .move_number = 258}, "\2\5" SESSION "\x82\2" HISTORY CHAIN, 6},
    {{TELLS(XYLEM_CHANGE_REDACTED), .position = {3, 260}}, "\2\6" SESSION "\3\x84\2" HISTORY CHAIN, 7},
    {{OF_SESSION(XYLEM_CHANGE_FREED), .freed_id = {"an id", 5}}, "\2\7" SESSION "\5an id" CHAIN, 10},
    {{OF_SESSION(XYLEM_CHANGE_FREED), .freed_id = {"an id", 5}, .freed_name_space = {"in", 2}},
     "\2\7" SESSION "\10an id\xffin" CHAIN,
     13},
    {{TELLS(XYLEM_CHANGE_DOCUMENT)}, "\2\10" SESSION HISTORY CHAIN, 4},
    {{TELLS(XYLEM_CHANGE_SIDE), .side_lsn = AT - 3}, "\2\11" SESSION "\3" HISTORY CHAIN, 5},
};

#define WRITTEN_COUNT (sizeof written / sizeof *written)

static size_t bytes_of(const struct written *row)
{
    return row->front + (row->feed.ordinal > 0 ? END : CHAIN_BYTES);
}

static int decode(struct xylem_store__feed *feed, uint64_t first_lsn, const char *row, size_t bytes)
{
    struct xylem_format__key key;
    xylem_format__key_u64(&key, first_lsn);
    return xylem_store__feed_decode(feed, key.view, (struct xylem_view){row, bytes});
}

static void assert_feed(const struct xylem_store__feed *feed, const struct xylem_store__feed *expected)
{
    assert_int_equal(feed->tag, expected->tag);
    assert_true(feed->first_lsn == expected->first_lsn && feed->last_lsn == expected->last_lsn);
    assert_int_equal(feed->type, expected->type);
    assert_int_equal(feed->session, expected->session);
    assert_true(xylem_format__position_equal(feed->position, expected->position));
    assert_int_equal(feed->move_number, expected->move_number);
    assert_int_equal(feed->side_lsn, expected->side_lsn);
    assert_true(xylem_base__view_equal(feed->freed_id, expected->freed_id));
    assert_true(xylem_base__view_equal(feed->freed_name_space, expected->freed_name_space));
    assert_int_equal(feed->chain, expected->chain);
    assert_int_equal(feed->history_chain, expected->history_chain);
    assert_true(feed->ordinal == expected->ordinal && feed->previous == expected->previous);
}

IN_SCENE(each_row_has_its_bytes)
{
    struct xylem_error err = {0};
    assert_int_equal(WRITTEN_COUNT, 4 + XYLEM_CHANGE_TYPE_COUNT - 1); /* FREED has two forms */
    for (size_t i = 0; i < WRITTEN_COUNT; i++) {
        struct xylem_store__feed feed = written[i].feed;
        struct xylem_store__feed read;
        feed.first_lsn = AT;
        feed.last_lsn = feed.last_lsn > 0 ? feed.last_lsn : AT;
        feed.chain = UINT64_C(6) << 56 | 5;
        store_builder_must(xylem_store__feed_write(builder.txn, &feed, i > 0, &err), &err);
        struct row row = row_last(builder.txn, XYLEM_FORMAT__FEED);
        assert_int_equal(row.value.bytes, bytes_of(&written[i]) + XYLEM_FORMAT__SUM_BYTES);
        assert_memory_equal(row.value.data, written[i].bytes, bytes_of(&written[i]));
        row_release(&row);
        assert_int_equal(decode(&read, AT, written[i].bytes, bytes_of(&written[i])), XYLEM_OK);
        assert_feed(&read, &feed);
    }
}

TEST(a_row_that_was_cut_or_grew_is_malformed)
{
    for (size_t i = 0; i < WRITTEN_COUNT; i++) {
        char row[64] = {0};
        memcpy(row, written[i].bytes, bytes_of(&written[i]));
        for (size_t bytes = 0; bytes <= sizeof row; bytes++) {
            struct xylem_store__feed feed;
            int code = decode(&feed, AT, row, bytes);
            if (code != (bytes == bytes_of(&written[i]) ? XYLEM_OK : XYLEM_E_MALFORMED)) {
                fail_msg("row %zu, %zu bytes: %d", i, bytes, code);
            }
        }
    }
}

TEST(a_row_of_an_unknown_form_is_malformed)
{
    for (size_t i = 0; i < WRITTEN_COUNT; i++) {
        char row[64] = {0};
        memcpy(row, written[i].bytes, bytes_of(&written[i]));
        for (unsigned tag = XYLEM_FORMAT__FEED_SKIPPED + 1; tag <= 255; tag++) {
            struct xylem_store__feed feed;
            row[0] = (char)tag;
            assert_int_equal(decode(&feed, AT, row, bytes_of(&written[i])), XYLEM_E_MALFORMED);
        }
    }
}

TEST(a_row_of_an_lsn_that_cannot_be_is_malformed)
{
    static const char no_entries[] = "\0\3\x84\2\0" HISTORY CHAIN;
    static const char most_entries[] = "\0\3\x84\2\x80\x80\4" HISTORY CHAIN;
    static const char more_entries[] = "\0\3\x84\2\x81\x80\4" HISTORY CHAIN;
    struct xylem_store__feed feed;
    for (size_t i = 0; i < WRITTEN_COUNT; i++) {
        size_t bytes = bytes_of(&written[i]);
        bool change = written[i].feed.tag == XYLEM_FORMAT__FEED_CHANGE;
        struct xylem_view short_key = {"\0\0\1", 3};
        assert_int_equal(decode(&feed, 0, written[i].bytes, bytes), XYLEM_E_MALFORMED);
        assert_int_equal(decode(&feed, UINT64_MAX, written[i].bytes, bytes), XYLEM_E_MALFORMED);
        assert_int_equal(decode(&feed, UINT64_MAX - 1, written[i].bytes, bytes), change ? XYLEM_OK : XYLEM_E_MALFORMED);
        assert_int_equal(xylem_store__feed_decode(&feed, short_key, (struct xylem_view){written[i].bytes, bytes}),
                         XYLEM_E_MALFORMED);
    }
    assert_int_equal(decode(&feed, AT, no_entries, sizeof no_entries - 1), XYLEM_E_MALFORMED);
    assert_int_equal(decode(&feed, AT, most_entries, sizeof most_entries - 1), XYLEM_OK);
    assert_int_equal(feed.last_lsn, AT + XYLEM_APPEND_ENTRIES_MAX - 1);
    assert_int_equal(decode(&feed, AT, more_entries, sizeof more_entries - 1), XYLEM_E_MALFORMED);
    assert_int_equal(decode(&feed, UINT64_MAX - 2, written[0].bytes, bytes_of(&written[0])), XYLEM_OK);
}

/* Both have the last lsn 9. */
TEST(a_row_of_freed_or_skipped_lsns_ends_behind_its_beginning)
{
    static const char *const rows[] = {"\1\11" CHAIN, "\3\11" CHAIN};
    static const char *const endless[] = {"\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\1" CHAIN,
                                          "\3\xff\xff\xff\xff\xff\xff\xff\xff\xff\1" CHAIN};
    struct xylem_store__feed feed;
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(decode(&feed, 9, rows[i], 10), XYLEM_OK);
        assert_true(feed.first_lsn == 9 && feed.last_lsn == 9 && feed.position.branch == 0);
        assert_int_equal(decode(&feed, 10, rows[i], 10), XYLEM_E_MALFORMED);
        assert_int_equal(decode(&feed, 5, endless[i], 19), XYLEM_E_MALFORMED);
    }
}

#define LONGER_ID (3 + 1 + 128 + 8) /* bytes of a row whose id would need a length of two bytes */

static bool change_may_be(unsigned type, size_t bytes)
{
    switch (type) {
    case XYLEM_CHANGE_MOVED:
        return bytes == 4 + 8 + 2 + 8; /* each number is one byte */
    case XYLEM_CHANGE_REDACTED:
        return bytes == 5 + 8 + 2 + 8;
    case XYLEM_CHANGE_SIDE: /* the distance to its row is one byte, too */
        return bytes == 4 + 8 + 2 + 8;
    case XYLEM_CHANGE_FREED: /* an id of 1 to 200 bytes, behind its length of one or two bytes, and no ordinal */
        return bytes >= 3 + 1 + 1 + 8 && bytes <= 3 + 2 + 200 + 8 && bytes != LONGER_ID;
    default:
        return type >= XYLEM_CHANGE_CREATED && type <= XYLEM_CHANGE_DOCUMENT && bytes == 3 + 8 + 2 + 8;
    }
}

TEST(a_change_of_an_unknown_type_or_of_another_length_is_malformed)
{
    char row[240];
    memset(row, 2, sizeof row);
    row[0] = XYLEM_FORMAT__FEED_CHANGE;
    for (unsigned type = 0; type <= 255; type++) {
        row[1] = (char)type;
        for (size_t bytes = 0; bytes <= sizeof row; bytes++) {
            struct xylem_store__feed feed;
            size_t other_bytes = 3 + (bytes < LONGER_ID ? 1 : 2) + 8;
            if (type == XYLEM_CHANGE_FREED) {
                xylem_base__put_varint((unsigned char *)row + 3, bytes < other_bytes ? 0 : bytes - other_bytes);
            }
            int code = decode(&feed, 5, row, bytes);
            if (code != (change_may_be(type, bytes) ? XYLEM_OK : XYLEM_E_MALFORMED)) {
                fail_msg("type %u, %zu bytes: %d", type, bytes, code);
            }
        }
        memset(row + 3, 2, 2);
    }
}

TEST(a_change_of_no_session_is_malformed)
{
    struct xylem_store__feed feed;
    for (size_t i = 0; i < WRITTEN_COUNT; i++) {
        char row[64];
        size_t bytes = bytes_of(&written[i]) - 1;
        memcpy(row, written[i].bytes, 2);
        row[2] = 0; /* instead of the two bytes of SESSION */
        memcpy(row + 3, written[i].bytes + 4, bytes - 3);
        bool change = written[i].feed.tag == XYLEM_FORMAT__FEED_CHANGE;
        assert_true(!change || decode(&feed, AT, row, bytes) == XYLEM_E_MALFORMED);
        row[2] = 1;
        assert_true(!change || decode(&feed, AT, row, bytes) == XYLEM_OK);
    }
}

#define NUMBERS(text, is_right)         \
    {                                   \
        text, sizeof text - 1, is_right \
    }

/* Ordinal and distance of a row of two entries with lsn 1001, and whether they can be. */
static const struct {
    const char *bytes;
    size_t count;
    bool right;
} numbers[] = {
    NUMBERS("\1\0", true),      /* the first change */
    NUMBERS("\2\1", true),      /* behind the row of lsn 1000 */
    NUMBERS("\2\xe8\7", true),  /* of lsn 1 */
    NUMBERS("\2\xe9\7", false), /* of lsn 0 */
    NUMBERS("\2\xea\7", false), /* before */
    NUMBERS("\2\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", false),
    NUMBERS("\0\0", false), /* no ordinal */
    NUMBERS("\0\1", false),
    NUMBERS("\2\0", false),     /* the second change without a first */
    NUMBERS("\1\1", false),     /* the first change behind another */
    NUMBERS("\x82\0\1", false), /* not the shortest spelling */
    NUMBERS("\2\x81\0", false),
    NUMBERS("\xfe\xff\xff\xff\xff\xff\xff\xff\xff\1\1", true), /* the second entry has the greatest ordinal */
    NUMBERS("\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\1", false),
};

TEST(a_row_with_an_ordinal_or_a_distance_that_cannot_be_is_malformed)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct xylem_store__feed feed;
        char row[64] = {0};
        size_t front = written[0].front + 8;
        memcpy(row, written[0].bytes, front);
        memcpy(row + front, numbers[i].bytes, numbers[i].count);
        int code = decode(&feed, AT, row, front + numbers[i].count + CHAIN_BYTES);
        if (code != (numbers[i].right ? XYLEM_OK : XYLEM_E_MALFORMED)) {
            fail_msg("numbers %zu: %d", i, code);
        }
    }
}

/* --- Changes without an entry ------------------------------------------------------------------------------------- */

static void tell(struct xylem_change change)
{
    struct xylem_error err = {0};
    store_builder_must(xylem_store__feed_add(builder.txn, &change, &err), &err);
}

static struct xylem_history history_of(uint64_t session)
{
    return store_builder_read(&builder, session).history;
}

IN_SCENE(a_change_has_the_next_lsn_and_the_next_ordinal_of_its_session)
{
    uint64_t a = store_builder_session(&builder, "a");
    uint64_t b = store_builder_session(&builder, "b");
    tell((struct xylem_change){.type = XYLEM_CHANGE_DOCUMENT, .session = a});
    append(a, 2);
    assert_true(last_feed().ordinal == 3 && last_feed().previous == 3);
    append(b, 1);
    assert_true(last_feed().ordinal == 2 && last_feed().previous == 2);
    tell((struct xylem_change){.type = XYLEM_CHANGE_DELETED, .session = a});
    struct xylem_store__feed feed = last_feed();
    assert_true(feed.first_lsn == 7 && feed.ordinal == 5 && feed.previous == 4);
    assert_true(history_of(a).count == 5 && history_of(a).row == 7);
    assert_true(history_of(b).count == 2 && history_of(b).row == 6);
}

/* The chains of a change with this type, time and id. */
static void run(struct xylem_store__feed_end *end, struct xylem_history *history, unsigned type, int64_t time_ms,
                const char *id)
{
    struct xylem_format__link link = {.lsn = end->next_lsn++,
                                      .session = 1,
                                      .ordinal = ++history->count,
                                      .type = type,
                                      .time_ms = time_ms,
                                      .id = xylem_view_of(id)};
    end->chain = xylem_format__store_chain(end->chain, &link);
    history->chain = xylem_format__session_chain(history->chain, &link);
}

static void assert_chains(const struct xylem_store__feed_end *end, const struct xylem_history *history)
{
    assert_true(feed_end().next_lsn == end->next_lsn && feed_end().chain == end->chain);
    assert_true(history_of(1).count == history->count && history_of(1).chain == history->chain);
}

IN_SCENE(the_chains_cover_the_time_and_the_id_of_what_changed)
{
    struct xylem_error err = {0};
    struct xylem_store__feed_end end = {.next_lsn = 1};
    struct xylem_history history = {0, 0, 0};
    const int64_t time_ms = 7;
    struct xylem_new_entry entry = {
        .id = xylem_view_of("e"), .kind.name = xylem_view_of("message"), .time_ms = &time_ms};
    struct xylem_move move;
    uint64_t session = store_builder_session(&builder, "s");
    assert_int_equal(session, 1);
    run(&end, &history, XYLEM_CHANGE_CREATED, 0, "");
    assert_chains(&end, &history);
    store_builder_must(xylem_append(NULL, builder.txn, session, &entry, 1, NULL, &err), &err);
    run(&end, &history, XYLEM_CHANGE_ENTRY, 7, "e");
    assert_chains(&end, &history);
    store_builder_go(&builder, session, (struct xylem_position){0, 0});
    store_builder_must(xylem_move_read(&move, builder.txn, session, 1, &err), &err);
    run(&end, &history, XYLEM_CHANGE_MOVED, move.time_ms, "");
    assert_chains(&end, &history);
    store_builder_go(&builder, session, (struct xylem_position){1, 1});
    store_builder_must(xylem_move_read(&move, builder.txn, session, 2, &err), &err);
    run(&end, &history, XYLEM_CHANGE_MOVED, move.time_ms, "e");
    assert_chains(&end, &history);
    tell((struct xylem_change){.type = XYLEM_CHANGE_REDACTED, .session = session, .position = {1, 1}});
    run(&end, &history, XYLEM_CHANGE_REDACTED, 0, "e");
    assert_chains(&end, &history);
}

/* The session has no row any more. */
IN_SCENE(a_freed_session_moves_the_chain_of_the_store_alone)
{
    struct xylem_store__feed_end end = {.next_lsn = 1};
    struct xylem_history none = {0, 0, 0};
    tell((struct xylem_change){.type = XYLEM_CHANGE_FREED, .session = 1, .freed_id = xylem_view_of("gone")});
    run(&end, &none, XYLEM_CHANGE_FREED, 0, "gone");
    assert_int_equal(feed_end().chain, end.chain);
    assert_true(last_feed().ordinal == 0 && last_feed().previous == 0);
}

IN_SCENE(an_aborted_change_moves_no_chain)
{
    struct xylem_error err = {0};
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_commit(&builder);
    struct xylem_store__feed_end end = feed_end();
    struct xylem_history history = history_of(session);
    append(session, 3);
    xylem_abort(builder.txn);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
    assert_chains(&end, &history);
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
    uint64_t session = store_builder_session(&builder, "s");
    append(session, 2);
    store_builder_go(&builder, session, (struct xylem_position){1, 1});
    struct row row = row_last(builder.txn, XYLEM_FORMAT__FEED);
    assert_int_equal(feed_of(&row).type, XYLEM_CHANGE_MOVED);
    row_remove(builder.txn, XYLEM_FORMAT__FEED, &row);
    row_release(&row);
    store_builder_commit(&builder);
    for (int way = 0; way < 6; way++) {
        assert_no_end();
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

/* --- A damaged last row ------------------------------------------------------------------------------------------- */

IN_SCENE(a_last_row_that_cannot_be_refuses_the_next_append)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_store__feed_end end;
    struct xylem_error err = {0};
    append(session, 1);
    row_last_set(builder.txn, XYLEM_FORMAT__FEED, 0, 9, false);
    assert_int_equal(find_end(&end, &err), XYLEM_E_CORRUPT);
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
        row_last_set(builder.txn, XYLEM_FORMAT__FEED, 3, counts[i], false);
        assert_int_equal(xylem_append(NULL, builder.txn, session, &entry, 1, NULL, NULL), XYLEM_E_CORRUPT);
        xylem_abort(builder.txn);
        assert_int_equal(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, NULL), XYLEM_OK);
    }
}

/* The number of lsns is right, but the row leads to the last entry of another branch, which has another lsn. */
IN_SCENE(a_last_row_that_leads_to_another_branch_refuses_the_next_append)
{
    struct xylem_new_entry entry = {.kind.name = xylem_view_of("message")};
    struct xylem_store__feed_end end;
    append(store_builder_session(&builder, "a"), 1);
    uint64_t session = store_builder_session(&builder, "b");
    append(session, 1);
    store_builder_commit(&builder);
    row_last_set(builder.txn, XYLEM_FORMAT__FEED, 1, 1, true);
    assert_true(last_feed().position.branch == 1 && last_feed().position.depth == 1);
    assert_int_equal(find_end(&end, NULL), XYLEM_E_CORRUPT);
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

/* The length is of id, tag and namespace together. */
TEST(a_freed_session_has_an_id_and_a_namespace_that_is_not_empty)
{
    static char row[20 + XYLEM_SESSION_ID_BYTES_MAX + XYLEM_NAMESPACE_BYTES_MAX + 8] = "\2\7" SESSION;
    static const struct {
        size_t id_bytes;
        size_t name_space_bytes;
        int code;
    } cases[] = {{1, 1, XYLEM_OK},
                 {XYLEM_SESSION_ID_BYTES_MAX, XYLEM_NAMESPACE_BYTES_MAX, XYLEM_OK},
                 {0, 1, XYLEM_E_MALFORMED},
                 {1, 0, XYLEM_E_MALFORMED},
                 {XYLEM_SESSION_ID_BYTES_MAX + 1, 1, XYLEM_E_MALFORMED},
                 {1, XYLEM_NAMESPACE_BYTES_MAX + 1, XYLEM_E_MALFORMED}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct xylem_store__feed feed;
        size_t bytes = cases[i].id_bytes + 1 + cases[i].name_space_bytes;
        size_t at = 4 + xylem_base__put_varint((unsigned char *)row + 4, bytes);
        memset(row + at, 'i', bytes);
        row[at + cases[i].id_bytes] = '\xff';
        memset(row + at + bytes, 0, 8);
        assert_int_equal(decode(&feed, AT, row, at + bytes + 8), cases[i].code);
    }
}
