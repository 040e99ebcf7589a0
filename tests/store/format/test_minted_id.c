#include <string.h>

#include "store/format/keys.h"
#include "store/format/minted_id.h"
#include "xylem/inspect.h"
#include "xylem/append.h"
#include "tests/lib/chance.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "tests/lib/verified.h"
#include "tests/store/rows.h"

static struct xylem_error err;

static struct xylem_view minted(char out[XYLEM_BASE__UUID_TEXT_BYTES], int64_t time_ms, uint64_t lsn, uint64_t chance)
{
    xylem_format__minted_id(out, time_ms, lsn, chance);
    return (struct xylem_view){out, XYLEM_BASE__UUID_TEXT_BYTES};
}

static struct xylem_entry read_entry(struct xylem_position position)
{
    struct xylem_entry entry;
    store_builder_must(xylem_entry_read(&entry, builder.txn, position, &err), &err);
    return entry;
}

static struct xylem_position add(uint64_t session)
{
    return store_builder_add(&builder, session, NULL, "message", "{\"a\":1}");
}

static size_t count_rows(enum xylem_format__table table)
{
    struct rows rows = rows_of(builder.txn, table);
    size_t count = rows.count;
    rows_release(&rows);
    return count;
}

static void assert_found(uint64_t session, struct xylem_view id, struct xylem_position expected)
{
    struct xylem_position found = {0, 0};
    int code = xylem_find(&found, builder.txn, session, id, &err);
    assert_int_equal(code, expected.branch == 0 ? XYLEM_E_NOT_FOUND : XYLEM_OK);
    assert_int_equal(found.branch, expected.branch);
    assert_int_equal(found.depth, expected.depth);
}

/* A copy, as the entry's views end with the next write. */
static struct xylem_view id_of(char copy[XYLEM_ENTRY_ID_BYTES_MAX], struct xylem_position position)
{
    struct xylem_entry entry = read_entry(position);
    memcpy(copy, entry.id.data, entry.id.bytes);
    return (struct xylem_view){copy, entry.id.bytes};
}

static void assert_sound(void)
{
    assert_verified(builder.txn);
}

TEST(an_id_is_a_uuid_of_version_7_that_holds_time_and_lsn)
{
    char out[XYLEM_BASE__UUID_TEXT_BYTES];
    uint64_t lsn = 0;
    struct xylem_view id = minted(out, 0x0123456789ab, 0xfedcba9876, UINT64_MAX);
    assert_memory_equal(id.data, "01234567-89ab-7fed-b2ea-61dbffffffff", id.bytes);
    assert_true(xylem_format__minted_lsn(&lsn, id));
    assert_int_equal(lsn, 0xfedcba9876);
    id = minted(out, 0, 1, 0);
    assert_memory_equal(id.data, "00000000-0000-7000-8000-000400000000", id.bytes);
}

TEST(every_lsn_comes_back_whatever_the_time_and_the_chance)
{
    struct chance chance = chance_of(4711);
    char out[XYLEM_BASE__UUID_TEXT_BYTES];
    for (int i = 0; i < 20000; i++) {
        uint64_t lsn = chance_draw(&chance) >> (24 + chance_below(&chance, 40));
        uint64_t found = 0;
        lsn += lsn == 0;
        struct xylem_view id = minted(out, (int64_t)chance_draw(&chance), lsn, chance_draw(&chance));
        assert_true(xylem_format__minted_lsn(&found, id));
        assert_int_equal(found, lsn);
    }
}

TEST(what_has_another_form_holds_no_lsn)
{
    static const char *const others[] = {
        "",
        "8d16e680",
        "01a1f9f7-22cb-72e7-96e0-96825857127",
        "01a1f9f7-22cb-72e7-96e0-96825857127ff",
        "01A1f9f7-22cb-72e7-96e0-96825857127f",
        "01a1f9f7-22cb-42e7-96e0-96825857127f",
        "01a1f9f7-22cb-72e7-c6e0-96825857127f",
        "01a1f9f7-22cb-72e7-16e0-96825857127f",
        "01a1f9f7022cb-72e7-96e0-96825857127f",
        "01a1f9f7-22cb-72e7-96e0-9682585712-f",
        "01a1f9f7-22cb-72e7-96e0-9682585712g7",
        "00000000-0000-7000-8000-000000000000",
    };
    uint64_t lsn;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_false(xylem_format__minted_lsn(&lsn, xylem_view_of(others[i])));
    }
    assert_true(xylem_format__minted_lsn(&lsn, xylem_view_of("01a1f9f7-22cb-72e7-96e0-96825857127f")));
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(an_entry_with_a_minted_id_has_no_row_and_is_found)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position positions[5];
    char id[XYLEM_ENTRY_ID_BYTES_MAX];
    for (int i = 0; i < 5; i++) {
        positions[i] = add(session);
        if (i == 2) {
            store_builder_go(&builder, session, positions[0]);
        }
    }
    assert_int_equal(count_rows(XYLEM_FORMAT__IDS), 0);
    for (int i = 0; i < 5; i++) {
        assert_true(read_entry(positions[i]).flags & XYLEM_ENTRY_MINTED);
        assert_found(session, id_of(id, positions[i]), positions[i]);
    }
    assert_sound();
}

/* The time in an id is for people alone: an id with a time of long ago is found by its lsn all the same. */
IN_SCENE(a_clock_that_steps_back_loses_no_entry)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position last = {0, 0};
    char out[XYLEM_BASE__UUID_TEXT_BYTES];
    for (uint64_t lsn = 2; lsn <= 5; lsn++) { /* lsn 1 is of the session */
        last = add(session);
        struct xylem_format__record record = store_builder_record(&builder, last);
        assert_int_equal(record.lsn, lsn);
        record.id = minted(out, 1000000 - (int64_t)lsn * 1000, lsn, lsn);
        store_builder_rewrite(&builder, last, &record);
        assert_found(session, record.id, last);
    }
}

IN_SCENE(sessions_that_share_the_entry_find_it_and_others_do_not)
{
    uint64_t session = store_builder_session(&builder, "s");
    char shared_id[XYLEM_ENTRY_ID_BYTES_MAX];
    char own_id[XYLEM_ENTRY_ID_BYTES_MAX];
    struct xylem_position shared = add(session);
    uint64_t fork = store_builder_fork(&builder, session, shared, XYLEM_FORK_AT, "fork");
    uint64_t stranger = store_builder_session(&builder, "stranger");
    struct xylem_position own = add(session);
    struct xylem_view shared_view = id_of(shared_id, shared);
    struct xylem_view own_view = id_of(own_id, own);
    assert_found(session, own_view, own);
    assert_found(fork, shared_view, shared);
    assert_found(fork, own_view, (struct xylem_position){0, 0});
    assert_found(stranger, shared_view, (struct xylem_position){0, 0});
}

static int add_given(uint64_t session, struct xylem_view id)
{
    struct xylem_new_entry entry = {.id = id, .kind.name = xylem_view_of("message")};
    return xylem_append(NULL, builder.txn, session, &entry, 1, NULL, &err);
}

IN_SCENE(a_minted_id_is_taken_in_its_session_and_free_in_others)
{
    uint64_t session = store_builder_session(&builder, "s");
    char id[XYLEM_ENTRY_ID_BYTES_MAX];
    uint64_t fork = store_builder_clone(&builder, session, "fork");
    struct xylem_position first = add(session);
    struct xylem_view view = id_of(id, first);
    assert_int_equal(add_given(session, view), XYLEM_E_EXISTS);
    store_builder_must(add_given(fork, view), &err);
    struct xylem_position given = store_builder_leaf(&builder, fork);
    assert_false(read_entry(given).flags & XYLEM_ENTRY_MINTED);
    assert_int_equal(count_rows(XYLEM_FORMAT__IDS), 1);
    assert_found(session, view, first);
    assert_found(fork, view, given);
    assert_int_equal(add_given(fork, view), XYLEM_E_EXISTS);
    assert_sound();
}

/* As in an import: the lsn in it is another store's. */
IN_SCENE(a_given_id_that_looks_minted_is_found_by_its_row)
{
    uint64_t session = store_builder_session(&builder, "s");
    char out[XYLEM_BASE__UUID_TEXT_BYTES];
    for (uint64_t lsn = 1; lsn <= 6; lsn += 1) {
        store_builder_must(add_given(session, minted(out, 7, 7 - lsn, lsn)), &err);
        assert_found(session, minted(out, 7, 7 - lsn, lsn), store_builder_leaf(&builder, session));
        assert_found(session, minted(out, 8, 7 - lsn, lsn), (struct xylem_position){0, 0});
    }
    assert_found(session, minted(out, 7, XYLEM_FORMAT__MINTED_LSN_MAX, 1), (struct xylem_position){0, 0});
    assert_int_equal(count_rows(XYLEM_FORMAT__IDS), 6);
    assert_sound();
}

IN_SCENE(minted_and_given_ids_stand_in_one_append)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_new_entry entries[150];
    struct xylem_position first;
    memset(entries, 0, sizeof entries);
    for (size_t i = 0; i < 150; i++) {
        entries[i].kind.name = xylem_view_of("message");
    }
    entries[70].id = xylem_view_of("given");
    store_builder_must(xylem_append(&first, builder.txn, session, entries, 150, NULL, &err), &err);
    for (size_t i = 0; i < 150; i++) {
        char id[XYLEM_ENTRY_ID_BYTES_MAX];
        struct xylem_position position = {first.branch, first.depth + i};
        assert_found(session, id_of(id, position), position);
    }
    assert_int_equal(count_rows(XYLEM_FORMAT__IDS), 1);
    assert_sound();
}

IN_SCENE(an_lsn_that_no_id_can_hold_has_a_row)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_lmdb__floors floors = {.lsn = XYLEM_FORMAT__MINTED_LSN_MAX - 1};
    struct xylem_position positions[3];
    char id[XYLEM_ENTRY_ID_BYTES_MAX];
    floors_put(builder.txn, &floors);
    store_builder_must(
        xylem_store__freed_write(builder.txn, &(struct xylem_store__freed){.entry_count = floors.lsn - 1}, &err), &err);
    store_builder_reopen(&builder);
    for (int i = 0; i < 3; i++) {
        positions[i] = add(session);
        assert_int_equal(!(read_entry(positions[i]).flags & XYLEM_ENTRY_MINTED), i > 0);
    }
    assert_int_equal(count_rows(XYLEM_FORMAT__IDS), 2);
    for (int i = 0; i < 3; i++) {
        assert_found(session, id_of(id, positions[i]), positions[i]);
    }
}

IN_SCENE(a_feed_that_leads_elsewhere_is_corruption_and_not_absence)
{
    uint64_t session = store_builder_session(&builder, "s");
    char id[XYLEM_ENTRY_ID_BYTES_MAX];
    struct xylem_position found;
    add(session);
    store_builder_session(&builder, "other");
    struct xylem_position last = add(session);
    struct xylem_view view = id_of(id, last);
    row_last_set(builder.txn, XYLEM_FORMAT__FEED, 2, 1, false); /* to depth 1, where lsn 1 is */
    assert_int_equal(xylem_find(&found, builder.txn, session, view, &err), XYLEM_E_CORRUPT);
    row_last_set(builder.txn, XYLEM_FORMAT__FEED, 2, 9, false);
    assert_int_equal(xylem_find(&found, builder.txn, session, view, &err), XYLEM_E_CORRUPT);
    row_last_set(builder.txn, XYLEM_FORMAT__FEED, 0, 9, false);
    assert_int_equal(xylem_find(&found, builder.txn, session, view, &err), XYLEM_E_CORRUPT);
}

static void drop_feed_row(size_t place)
{
    struct rows rows = rows_of(builder.txn, XYLEM_FORMAT__FEED);
    assert_true(place < rows.count);
    row_remove(builder.txn, XYLEM_FORMAT__FEED, &rows.rows[place]);
    rows_release(&rows);
}

IN_SCENE(a_lost_row_of_the_feed_is_corruption_and_not_absence)
{
    uint64_t session = store_builder_session(&builder, "s");
    char first[XYLEM_ENTRY_ID_BYTES_MAX];
    char last[XYLEM_ENTRY_ID_BYTES_MAX];
    char out[XYLEM_BASE__UUID_TEXT_BYTES];
    struct xylem_position found;
    struct xylem_view first_id = id_of(first, add(session));
    store_builder_session(&builder, "other");
    struct xylem_view last_id = id_of(last, add(session));
    drop_feed_row(1); /* the row of the session stands before it, and another behind it */
    assert_int_equal(xylem_find(&found, builder.txn, session, first_id, &err), XYLEM_E_CORRUPT);
    drop_feed_row(0); /* no row stands before it any more */
    assert_int_equal(xylem_find(&found, builder.txn, session, first_id, &err), XYLEM_E_CORRUPT);
    drop_feed_row(1); /* the session's row says that there was one */
    assert_int_equal(xylem_find(&found, builder.txn, session, last_id, &err), XYLEM_E_CORRUPT);
    assert_found(session, minted(out, 1, 5, 1), (struct xylem_position){0, 0}); /* no entry had that lsn */
}

/* An id that another store minted holds an lsn that is somebody else's here. */
IN_SCENE(damage_of_another_entry_does_not_hide_one_that_has_a_row)
{
    uint64_t other = store_builder_session(&builder, "other");
    uint64_t session = store_builder_session(&builder, "s");
    char out[XYLEM_BASE__UUID_TEXT_BYTES];
    struct xylem_position found = {7, 7};
    struct xylem_position damaged = add(other);
    struct xylem_view id = minted(out, 7, 3, 9);
    assert_int_equal(read_entry(damaged).lsn, 3);
    store_builder_must(add_given(session, id), &err);
    store_builder_damage(&builder, damaged);
    assert_found(session, id, store_builder_leaf(&builder, session));
    assert_int_equal(add_given(session, id), XYLEM_E_EXISTS);
    id = minted(out, 7, 3, 8); /* but of one that has none nobody knows */
    assert_int_equal(xylem_find(&found, builder.txn, session, id, &err), XYLEM_E_CORRUPT);
    assert_true(found.branch == 7 && found.depth == 7);
    assert_non_null(strstr(err.text, "depth 1"));
    store_builder_drop(&builder, damaged);
    assert_int_equal(xylem_find(&found, builder.txn, session, id, &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "feed"));
    assert_found(session, minted(out, 7, 3, 9), store_builder_leaf(&builder, session));
}

IN_SCENE(an_id_with_the_lsn_of_a_change_without_an_entry_is_of_no_entry)
{
    uint64_t session = store_builder_session(&builder, "s");
    char out[XYLEM_BASE__UUID_TEXT_BYTES];
    struct xylem_position root = add(session);
    store_builder_go(&builder, session, root);
    add(session);
    assert_found(session, minted(out, 7, 1, 9), (struct xylem_position){0, 0}); /* of the session */
    assert_found(session, minted(out, 7, 3, 9), (struct xylem_position){0, 0}); /* of the navigation */
    assert_sound();
}

/* It stands where its lsn says, but only an id that xylem made is found so. */
IN_SCENE(a_given_id_without_its_row_is_missing_even_if_it_holds_its_own_lsn)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_verify_report report;
    char out[XYLEM_BASE__UUID_TEXT_BYTES];
    struct xylem_view id = minted(out, 7, 2, 9);
    store_builder_must(add_given(session, id), &err);
    assert_int_equal(read_entry(store_builder_leaf(&builder, session)).lsn, 2);
    assert_sound();
    struct row row = row_last(builder.txn, XYLEM_FORMAT__IDS);
    row_remove(builder.txn, XYLEM_FORMAT__IDS, &row);
    row_release(&row);
    assert_found(session, id, (struct xylem_position){0, 0});
    store_builder_must(xylem_verify(&report, builder.txn, NULL, NULL, NULL, &err), &err);
    assert_int_equal(report.problem_count, 1);
}

IN_SCENE(a_flag_that_the_id_does_not_bear_out_is_found_by_verify)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_verify_report report;
    char out[XYLEM_BASE__UUID_TEXT_BYTES];
    struct xylem_position position = add(session);
    struct xylem_format__record record = store_builder_record(&builder, position);
    record.id = minted(out, 1, record.lsn + 1, 1);
    store_builder_rewrite(&builder, position, &record);
    store_builder_must(xylem_verify(&report, builder.txn, NULL, NULL, NULL, &err), &err);
    assert_true(report.problem_count > 0);
}

static uint64_t count_problems(void)
{
    struct xylem_verify_report report;
    store_builder_must(xylem_verify(&report, builder.txn, NULL, NULL, NULL, &err), &err);
    return report.problem_count;
}

static void flip_minted(struct xylem_position position)
{
    struct xylem_format__record record = store_builder_record(&builder, position);
    record.flags ^= XYLEM_ENTRY_MINTED;
    store_builder_rewrite(&builder, position, &record);
}

/* Its row finds the entry all the same: only the flag is wrong. */
IN_SCENE(the_flag_on_an_id_that_was_given_is_found_by_verify)
{
    uint64_t session = store_builder_session(&builder, "s");
    char out[XYLEM_BASE__UUID_TEXT_BYTES];
    store_builder_must(add_given(session, xylem_view_of("given")), &err);
    struct xylem_position plain = store_builder_leaf(&builder, session);
    store_builder_must(add_given(session, minted(out, 7, 1, 7)), &err); /* the lsn of another entry */
    struct xylem_position looks_minted = store_builder_leaf(&builder, session);
    assert_sound();
    flip_minted(plain);
    assert_true(count_problems() > 0);
    flip_minted(plain);
    assert_sound();
    flip_minted(looks_minted);
    assert_true(count_problems() > 0);
}

IN_SCENE(a_row_of_an_id_that_needs_none_is_found_by_verify)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position position = add(session);
    struct xylem_format__key key;
    struct xylem_format__key value;
    xylem_format__key_pair(&key, store_builder_read(&builder, session).tree,
                           xylem_format__hash(read_entry(position).id));
    xylem_format__key_pair(&value, position.branch, position.depth);
    store_builder_must(xylem_lmdb__put(builder.txn, XYLEM_FORMAT__IDS, key.view, value.view, false, &err), &err);
    assert_int_equal(count_problems(), 1);
}
