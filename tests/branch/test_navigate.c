#include <string.h>

#include "base/clock.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"

static const struct xylem_position none;

static void assert_position(struct xylem_position found, struct xylem_position expected)
{
    assert_int_equal(found.branch, expected.branch);
    assert_int_equal(found.depth, expected.depth);
}

static struct xylem_position add(uint64_t session, const char *id)
{
    return store_builder_add(&builder, session, id, "message", "{}");
}

static int go(uint64_t session, struct xylem_position to, const char *reason, struct xylem_error *err)
{
    return xylem_navigate(builder.txn, session, to, xylem_view_of(reason), err);
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(navigating_moves_the_leaf_and_records_the_move)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = add(session, "a");
    struct xylem_position b = add(session, "b");
    struct xylem_error err = {0};
    struct xylem_move move;
    int64_t before = xylem_base__now_ms();
    store_builder_must(go(session, a, "look back", &err), &err);
    store_builder_must(go(session, none, NULL, &err), &err);
    assert_position(store_builder_leaf(&builder, session), none);
    assert_int_equal(store_builder_read(&builder, session).move_count, 2);
    store_builder_must(xylem_move_read(&move, builder.txn, session, 1, &err), &err);
    assert_int_equal(move.number, 1);
    assert_in_range(move.time_ms, before, xylem_base__now_ms());
    assert_position(move.from, b);
    assert_position(move.to, a);
    assert_int_equal(move.reason.bytes, strlen("look back"));
    assert_memory_equal(move.reason.data, "look back", move.reason.bytes);
    store_builder_must(xylem_move_read(&move, builder.txn, session, 2, &err), &err);
    assert_position(move.from, a);
    assert_position(move.to, none);
    assert_int_equal(move.reason.bytes, 0);
}

IN_SCENE(a_move_to_where_the_leaf_is_already_is_recorded)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = add(session, "a");
    struct xylem_move move;
    struct xylem_error err = {0};
    store_builder_must(go(session, a, "", &err), &err);
    store_builder_must(xylem_move_read(&move, builder.txn, session, 1, &err), &err);
    assert_position(move.from, a);
    assert_position(move.to, a);
}

IN_SCENE(an_append_after_navigating_goes_on_from_there)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = add(session, "a");
    add(session, "b");
    struct xylem_entry entry;
    struct xylem_error err = {0};
    store_builder_go(&builder, session, a);
    store_builder_must(xylem_entry_read(&entry, builder.txn, add(session, "c"), &err), &err);
    assert_position(entry.parent, a);
    store_builder_go(&builder, session, none);
    store_builder_must(xylem_entry_read(&entry, builder.txn, add(session, "d"), &err), &err);
    assert_position(entry.parent, none);
}

IN_SCENE(moves_survive_reopening)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = add(session, "a");
    add(session, "b");
    store_builder_go(&builder, session, a);
    store_builder_reopen(&builder);
    assert_position(store_builder_leaf(&builder, session), a);
    assert_int_equal(store_builder_read(&builder, session).move_count, 1);
}

IN_SCENE(a_position_of_another_session_is_refused)
{
    uint64_t session = store_builder_session(&builder, "s");
    uint64_t other = store_builder_session(&builder, "other");
    struct xylem_position a = add(session, "a");
    struct xylem_position b = add(other, "b");
    struct xylem_error err = {0};
    assert_int_equal(go(session, b, "", &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(go(session, (struct xylem_position){a.branch, 2}, "", &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(go(session, (struct xylem_position){99, 1}, "", &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(store_builder_read(&builder, session).move_count, 0);
    assert_position(store_builder_leaf(&builder, session), a);
}

IN_SCENE(entries_newer_than_the_base_do_not_belong_to_a_fork)
{
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position a = add(source, "a");
    struct xylem_position b = add(source, "b");
    uint64_t fork = store_builder_fork(&builder, source, a, XYLEM_FORK_AT, "fork");
    struct xylem_position c = add(fork, "c");
    struct xylem_error err = {0};
    assert_int_equal(go(fork, b, "", &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(go(source, c, "", &err), XYLEM_E_NOT_FOUND);
    store_builder_must(go(fork, a, "", &err), &err);
}

IN_SCENE(a_reason_has_a_limit)
{
    uint64_t session = store_builder_session(&builder, "s");
    char reason[XYLEM_REASON_BYTES_MAX + 2];
    struct xylem_error err = {0};
    memset(reason, 'r', sizeof reason);
    reason[XYLEM_REASON_BYTES_MAX + 1] = '\0';
    assert_int_equal(go(session, none, reason, &err), XYLEM_E_LIMIT);
    reason[XYLEM_REASON_BYTES_MAX] = '\0';
    store_builder_must(go(session, none, reason, &err), &err);
}

IN_SCENE(a_deleted_or_unknown_session_does_not_move)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_error err = {0};
    assert_int_equal(go(99, none, "", &err), XYLEM_E_NOT_FOUND);
    store_builder_must(xylem_session_delete(builder.txn, session, &err), &err);
    assert_int_equal(go(session, none, "", &err), XYLEM_E_DELETED);
}

IN_SCENE(a_read_transaction_does_not_navigate)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_txn *reader = NULL;
    struct xylem_error err = {0};
    store_builder_commit(&builder);
    store_builder_must(xylem_begin(&reader, builder.store, XYLEM_READ, &err), &err);
    assert_int_equal(xylem_navigate(reader, session, none, xylem_view_of(""), &err), XYLEM_E_READ_ONLY);
    xylem_abort(reader);
}
