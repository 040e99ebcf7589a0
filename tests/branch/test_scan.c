#include <stdio.h>

#include "store/store.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"

static const struct xylem_position none;

static void assert_scan(uint64_t session, const char *expected)
{
    struct xylem_buffer ids = {0};
    store_builder_scan_ids(&ids, &builder, session);
    assert_string_equal(ids.data, expected);
    xylem_buffer_release(&ids);
}

static struct xylem_position add(uint64_t session, const char *id)
{
    return store_builder_add(&builder, session, id, "message", "{}");
}

static struct xylem_position add_at(uint64_t session, struct xylem_position parent, const char *id)
{
    return store_builder_add_at(&builder, session, parent, id, "message", "{}");
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(a_scan_of_an_empty_session_is_empty)
{
    assert_scan(store_builder_session(&builder, "s"), "");
}

IN_SCENE(a_scan_of_an_unknown_session_is_not_found)
{
    struct xylem_scan *scan = NULL;
    struct xylem_error err = {0};
    assert_int_equal(xylem_scan_new(&scan, builder.txn, 17, &err), XYLEM_E_NOT_FOUND);
    assert_null(scan);
    xylem_scan_free(NULL);
}

IN_SCENE(a_scan_gives_one_branch_oldest_first)
{
    uint64_t session = store_builder_session(&builder, "s");
    add(session, "a");
    add(session, "b");
    add(session, "c");
    assert_scan(session, "a b c ");
}

IN_SCENE(a_scan_merges_branches_by_lsn)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = add(session, "a");
    struct xylem_position b = add(session, "b");
    struct xylem_position c = add_at(session, a, "c");
    struct xylem_position d = add_at(session, b, "d");
    struct xylem_position e = add_at(session, none, "e");
    add_at(session, c, "f");
    add_at(session, d, "g");
    add_at(session, e, "h");
    add_at(session, a, "i");
    assert_scan(session, "a b c d e f g h i ");
}

IN_SCENE(a_scan_of_many_branches_is_in_the_order_of_appends)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position tips[37];
    struct xylem_buffer expected = {0};
    for (unsigned i = 0; i < 37 * 5; i++) {
        char id[16];
        int bytes = snprintf(id, sizeof id, "e%u", i);
        unsigned at = i * 17 % 37;
        tips[at] = add_at(session, i < 37 ? none : tips[at], id);
        assert_int_equal(xylem_buffer_add(&expected, id, (size_t)bytes), 0);
        assert_int_equal(xylem_buffer_add(&expected, " ", 1), 0);
    }
    assert_scan(session, expected.data);
    xylem_buffer_release(&expected);
}

IN_SCENE(a_scan_of_a_fork_has_the_path_of_its_base_and_its_own_entries)
{
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position a = add(source, "a");
    struct xylem_position b = add(source, "b");
    add(source, "c");
    add_at(source, a, "d");
    uint64_t fork = store_builder_fork(&builder, source, b, XYLEM_FORK_AT, "fork");
    add(source, "e");
    add(fork, "f");
    add(fork, "g");
    add_at(fork, a, "h");
    assert_scan(fork, "a b f g h ");
    assert_scan(source, "a b c d e ");
}

IN_SCENE(a_scan_of_a_fork_of_a_fork_crosses_all_of_them)
{
    uint64_t first = store_builder_session(&builder, "first");
    add(first, "a");
    uint64_t second = store_builder_clone(&builder, first, "second");
    add(second, "b");
    uint64_t third = store_builder_clone(&builder, second, "third");
    add(third, "c");
    add(first, "x");
    add(second, "y");
    assert_scan(third, "a b c ");
    assert_scan(second, "a b y ");
    assert_scan(first, "a x ");
}

IN_SCENE(a_scan_that_ended_stays_at_its_end)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    struct xylem_error err = {0};
    add(session, "a");
    store_builder_must(xylem_scan_new(&scan, builder.txn, session, &err), &err);
    assert_int_equal(xylem_scan_next(&entry, scan, &err), 1);
    assert_int_equal(xylem_scan_next(&entry, scan, &err), 0);
    assert_int_equal(xylem_scan_next(&entry, scan, &err), 0);
    xylem_scan_free(scan);
}

/* Runs a scan to its end or its first failure, and gives the code. */
static int scan_code(uint64_t session)
{
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    struct xylem_error err = {0};
    int code = xylem_scan_new(&scan, builder.txn, session, &err);
    if (code == XYLEM_OK) {
        do {
            code = xylem_scan_next(&entry, scan, &err);
        } while (code == 1);
    }
    assert_int_equal(err.code, code);
    xylem_scan_free(scan);
    return code;
}

IN_SCENE(a_damaged_entry_ends_a_scan)
{
    uint64_t session = store_builder_session(&builder, "s");
    add(session, "a");
    struct xylem_position b = add(session, "b");
    add(session, "c");
    assert_int_equal(scan_code(session), XYLEM_OK);
    store_builder_damage(&builder, b);
    assert_int_equal(scan_code(session), XYLEM_E_CORRUPT);
}

IN_SCENE(a_missing_entry_is_corruption_and_not_the_end)
{
    uint64_t session = store_builder_session(&builder, "s");
    add(session, "a");
    struct xylem_position b = add(session, "b");
    add(session, "c");
    store_builder_drop(&builder, b);
    assert_int_equal(scan_code(session), XYLEM_E_CORRUPT);
}

IN_SCENE(a_missing_first_entry_is_corruption)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = add(session, "a");
    add(session, "b");
    store_builder_drop(&builder, a);
    assert_int_equal(scan_code(session), XYLEM_E_CORRUPT);
}

IN_SCENE(a_missing_entry_of_the_base_is_corruption)
{
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position a = add(source, "a");
    uint64_t fork = store_builder_clone(&builder, source, "fork");
    add(fork, "b");
    store_builder_drop(&builder, a);
    assert_int_equal(scan_code(fork), XYLEM_E_CORRUPT);
}

IN_SCENE(entries_whose_lsns_do_not_ascend_are_corruption)
{
    uint64_t session = store_builder_session(&builder, "s");
    add(session, "a");
    struct xylem_position b = add(session, "b");
    struct xylem_format__record record = store_builder_record(&builder, b);
    record.lsn = 1;
    store_builder_rewrite(&builder, b, &record);
    assert_int_equal(scan_code(session), XYLEM_E_CORRUPT);
}

/* The row of the branch that `position` lies on. */
static struct xylem_store__branch branch_of(struct xylem_position position)
{
    struct xylem_store__branch branch;
    struct xylem_error err = {0};
    store_builder_must(xylem_store__branch_read(&branch, builder.txn, position.branch, &err), &err);
    return branch;
}

IN_SCENE(a_branch_that_begins_below_its_tip_is_corruption)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_store__branch branch = branch_of(add_at(session, add(session, "a"), "b"));
    add_at(session, none, "c");
    struct xylem_store__branch own = branch_of(store_builder_leaf(&builder, session));
    own.first_depth = 7;
    own.parent_branch = branch.number;
    store_builder_rewrite_branch(&builder, &own);
    assert_int_equal(scan_code(session), XYLEM_E_CORRUPT);
}

IN_SCENE(a_branch_of_another_session_is_corruption)
{
    uint64_t session = store_builder_session(&builder, "s");
    uint64_t other = store_builder_session(&builder, "other");
    struct xylem_store__branch branch = branch_of(add(session, "a"));
    branch.session = other;
    store_builder_rewrite_branch(&builder, &branch);
    assert_int_equal(scan_code(session), XYLEM_E_CORRUPT);
}

IN_SCENE(a_chain_of_branches_that_does_not_descend_is_corruption)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_store__branch branch = branch_of(add(session, "a"));
    branch.previous_branch = branch.number;
    store_builder_rewrite_branch(&builder, &branch);
    assert_int_equal(scan_code(session), XYLEM_E_CORRUPT);
}

/* A branch's row does not say where it ends: that the session's last entry is missing there is known all the same. */
IN_SCENE(a_lost_last_entry_is_corruption_and_not_the_end)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_scan *scan = NULL;
    add(session, "a");
    add(session, "b");
    store_builder_drop(&builder, add(session, "c"));
    assert_int_equal(scan_code(session), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_scan_after(&scan, builder.txn, session, 3, NULL), XYLEM_E_CORRUPT); /* behind `b` */
}

IN_SCENE(a_lost_end_of_an_older_branch_is_corruption_and_not_the_end)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = add(session, "a");
    struct xylem_position end = add(session, "b");
    add_at(session, a, "c");
    store_builder_drop(&builder, end);
    assert_int_equal(scan_code(session), XYLEM_E_CORRUPT);
}

IN_SCENE(a_base_above_where_its_branch_begins_is_corruption)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = add(session, "a");
    add(session, "b");
    struct xylem_position base = add_at(session, a, "c");
    struct xylem_position later = add(session, "d");
    uint64_t fork = store_builder_fork(&builder, session, base, XYLEM_FORK_AT, "f");
    struct xylem_store__branch branch = branch_of(base);
    branch.first_depth = later.depth;
    store_builder_rewrite_branch(&builder, &branch);
    assert_int_equal(scan_code(fork), XYLEM_E_CORRUPT);
}

/* The ids of what was appended after an lsn. */
static void assert_scan_after(uint64_t session, uint64_t lsn, const char *expected)
{
    struct xylem_buffer ids = {0};
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    struct xylem_error err = {0};
    assert_int_equal(xylem_buffer_add(&ids, "", 0), 0);
    store_builder_must(xylem_scan_after(&scan, builder.txn, session, lsn, &err), &err);
    while (store_builder_must(xylem_scan_next(&entry, scan, &err), &err)) {
        xylem_buffer_add(&ids, entry.id.data, entry.id.bytes);
        xylem_buffer_add(&ids, " ", 1);
    }
    assert_string_equal(ids.data, expected);
    xylem_scan_free(scan);
    xylem_buffer_release(&ids);
}

IN_SCENE(a_scan_after_an_lsn_begins_behind_it_on_every_branch)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = add(session, "a");
    add(session, "b");
    add_at(session, a, "c");
    add_at(session, (struct xylem_position){1, 2}, "d");
    add_at(session, (struct xylem_position){2, 2}, "e");
    assert_scan_after(session, 0, "a b c d e ");
    assert_scan_after(session, 1, "a b c d e "); /* the session was created with lsn 1 */
    assert_scan_after(session, 2, "b c d e ");
    assert_scan_after(session, 4, "d e ");
    assert_scan_after(session, 5, "e ");
    assert_scan_after(session, 6, "");
    assert_scan_after(session, UINT64_MAX, "");
    uint64_t fork = store_builder_fork(&builder, session, (struct xylem_position){1, 2}, XYLEM_FORK_AT, "f");
    assert_scan_after(fork, 2, "b ");
    add(session, "theirs");
    add(fork, "own");
    assert_scan_after(fork, 3, "own ");
    struct xylem_scan *scan = NULL;
    assert_int_equal(xylem_scan_after(&scan, builder.txn, 17, 1, NULL), XYLEM_E_NOT_FOUND);
}

IN_SCENE(a_scan_after_any_lsn_of_a_long_branch_begins_behind_it)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_messages(&builder, session, 150);
    for (uint64_t lsn = 1; lsn <= 151; lsn++) { /* 1: the session was created */
        struct xylem_scan *scan = NULL;
        struct xylem_entry entry;
        struct xylem_error err;
        store_builder_must(xylem_scan_after(&scan, builder.txn, session, lsn, &err), &err);
        for (uint64_t next = lsn + 1; next <= 151; next++) {
            assert_int_equal(store_builder_must(xylem_scan_next(&entry, scan, &err), &err), 1);
            assert_int_equal(entry.lsn, next);
        }
        assert_int_equal(xylem_scan_next(&entry, scan, &err), 0);
        xylem_scan_free(scan);
    }
}

IN_SCENE(a_scan_after_an_lsn_meets_damage_that_it_reads)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_scan *scan = NULL;
    add(session, "a");
    struct xylem_position b = add(session, "b");
    add(session, "c");
    store_builder_drop(&builder, b);
    assert_scan_after(session, 4, "");
    assert_int_equal(xylem_scan_after(&scan, builder.txn, session, 2, NULL), XYLEM_E_CORRUPT);
    assert_null(scan);
}

/* The search for the first new entry reads on behind none that is lost. */
IN_SCENE(a_scan_after_an_lsn_does_not_pass_over_damage_in_the_middle)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_scan *scan = NULL;
    add(session, "a");
    add(session, "b");
    struct xylem_position c = add(session, "c");
    add(session, "d");
    add(session, "e");
    store_builder_drop(&builder, c);
    assert_int_equal(xylem_scan_after(&scan, builder.txn, session, 2, NULL), XYLEM_E_CORRUPT);
    assert_null(scan);
}
