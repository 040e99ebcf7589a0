#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "xylem/state.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"

static const struct xylem_position none;

static void assert_path(struct xylem_position from, const char *expected)
{
    struct xylem_buffer ids = {0};
    store_builder_path_ids(&ids, &builder, from);
    assert_string_equal(ids.data, expected);
    xylem_buffer_release(&ids);
}

static void assert_scan(uint64_t session, const char *expected)
{
    struct xylem_buffer ids = {0};
    store_builder_scan_ids(&ids, &builder, session);
    assert_string_equal(ids.data, expected);
    xylem_buffer_release(&ids);
}

static void assert_position(struct xylem_position found, struct xylem_position expected)
{
    assert_int_equal(found.branch, expected.branch);
    assert_int_equal(found.depth, expected.depth);
}

static struct xylem_position add(uint64_t session, const char *id)
{
    return store_builder_add(&builder, session, id, "message", "{}");
}

static struct xylem_position add_at(uint64_t session, struct xylem_position parent, const char *id)
{
    return store_builder_add_at(&builder, session, parent, id, "message", "{}");
}

static void assert_text(struct xylem_view found, const char *expected)
{
    assert_int_equal(found.bytes, strlen(expected));
    assert_memory_equal(found.data, expected, strlen(expected));
}

/* The state at an entry as JSON; release it. */
static struct xylem_buffer state_at(struct xylem_position at)
{
    struct xylem_state state;
    struct xylem_buffer json = {0};
    struct xylem_error err = {0};
    store_builder_must(xylem_rehydrate(&state, builder.txn, at, NULL, NULL, &err), &err);
    assert_int_equal(xylem_state_json(&json, &state, xylem_view_of("s")), 0);
    xylem_state_release(&state);
    return json;
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(a_fork_at_an_entry_stands_there)
{
    uint64_t source = store_builder_session(&builder, "source");
    add(source, "a");
    struct xylem_position b = add(source, "b");
    add(source, "c");
    uint64_t fork = store_builder_fork(&builder, source, b, XYLEM_FORK_AT, "fork");
    struct xylem_session row = store_builder_read(&builder, fork);
    assert_position(row.base, b);
    assert_position(row.leaf, b);
    assert_int_equal(row.tree, store_builder_read(&builder, source).tree);
    assert_int_equal(row.state, XYLEM_SESSION_LIVE);
    assert_int_equal(row.move_count, 0);
    assert_int_equal(row.newest_branch, 0);
    assert_text(row.id, "fork");
    assert_path(row.leaf, "b a ");
}

IN_SCENE(a_fork_before_an_entry_stands_at_its_parent)
{
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position a = add(source, "a");
    add(source, "x");
    struct xylem_position b = add_at(source, a, "b");
    uint64_t fork = store_builder_fork(&builder, source, b, XYLEM_FORK_BEFORE, "fork");
    assert_position(store_builder_read(&builder, fork).base, a);
    assert_position(store_builder_leaf(&builder, fork), a);
}

IN_SCENE(a_fork_before_a_root_is_empty)
{
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position a = add(source, "a");
    uint64_t fork = store_builder_fork(&builder, source, a, XYLEM_FORK_BEFORE, "fork");
    assert_position(store_builder_read(&builder, fork).base, none);
    assert_scan(fork, "");
    assert_position(store_builder_find(&builder, fork, "a"), none);
    assert_path(add(fork, "a"), "a ");
    assert_scan(source, "a ");
}

IN_SCENE(a_clone_stands_at_the_leaf)
{
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position a = add(source, "a");
    add(source, "b");
    store_builder_go(&builder, source, a);
    uint64_t clone = store_builder_clone(&builder, source, "clone");
    assert_position(store_builder_read(&builder, clone).base, a);
    assert_scan(clone, "a ");
}

IN_SCENE(a_clone_of_an_empty_session_is_empty)
{
    uint64_t source = store_builder_session(&builder, "source");
    uint64_t clone = store_builder_clone(&builder, source, "clone");
    assert_position(store_builder_leaf(&builder, clone), none);
    assert_scan(clone, "");
    add(clone, "a");
    assert_scan(clone, "a ");
    assert_scan(source, "");
}

IN_SCENE(a_fork_takes_what_is_not_given_from_its_source)
{
    struct xylem_session_options options = {.id = xylem_view_of("source"), .cwd = xylem_view_of("/home/dev")};
    struct xylem_session source;
    struct xylem_session fork;
    struct xylem_error err = {0};
    int64_t before = xylem_base__now_ms();
    store_builder_must(xylem_session_create(&source, builder.txn, &options, &err), &err);
    store_builder_must(xylem_clone(&fork, builder.txn, source.number, NULL, &err), &err);
    assert_text(fork.cwd, "/home/dev");
    assert_text(fork.parent, "source");
    assert_int_equal(fork.id.bytes, XYLEM_BASE__UUID_TEXT_BYTES);
    assert_in_range(fork.created_ms, before, xylem_base__now_ms());
    assert_int_equal(fork.header.bytes, 0);
}

IN_SCENE(a_fork_takes_what_is_given)
{
    uint64_t source = store_builder_session(&builder, "source");
    const int64_t created_ms = 1234;
    struct xylem_session_options options = {.id = xylem_view_of("fork"),
                                            .cwd = xylem_view_of(""),
                                            .parent = xylem_view_of("/home/dev/source.jsonl"),
                                            .created_ms = &created_ms};
    struct xylem_session fork;
    struct xylem_error err = {0};
    store_builder_must(xylem_clone(&fork, builder.txn, source, &options, &err), &err);
    assert_text(fork.cwd, "");
    assert_non_null(fork.cwd.data);
    assert_text(fork.parent, "/home/dev/source.jsonl");
    assert_int_equal(fork.created_ms, 1234);
}

IN_SCENE(a_source_without_cwd_gives_none)
{
    uint64_t source = store_builder_session(&builder, "source");
    uint64_t fork = store_builder_clone(&builder, source, "fork");
    assert_null(store_builder_read(&builder, fork).cwd.data);
}

IN_SCENE(options_may_be_views_of_the_store)
{
    struct xylem_session_options options = {.id = xylem_view_of("source"), .cwd = xylem_view_of("/home/dev")};
    struct xylem_session source;
    struct xylem_session fork;
    struct xylem_error err = {0};
    store_builder_must(xylem_session_create(&source, builder.txn, &options, &err), &err);
    options = (struct xylem_session_options){.cwd = source.cwd, .parent = source.id};
    store_builder_must(xylem_clone(&fork, builder.txn, source.number, &options, &err), &err);
    assert_text(fork.cwd, "/home/dev");
    assert_text(fork.parent, "source");
}

IN_SCENE(later_appends_are_invisible_to_the_other)
{
    uint64_t source = store_builder_session(&builder, "source");
    add(source, "a");
    uint64_t fork = store_builder_clone(&builder, source, "fork");
    add(source, "b");
    add(fork, "c");
    assert_scan(source, "a b ");
    assert_scan(fork, "a c ");
    assert_position(store_builder_find(&builder, source, "c"), none);
    assert_position(store_builder_find(&builder, fork, "b"), none);
    assert_position(store_builder_find(&builder, fork, "a"), store_builder_find(&builder, source, "a"));
}

IN_SCENE(two_forks_may_use_the_same_new_id)
{
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position a = add(source, "a");
    uint64_t left = store_builder_clone(&builder, source, "left");
    uint64_t right = store_builder_clone(&builder, source, "right");
    struct xylem_position in_left = add(left, "new");
    struct xylem_position in_right = add(right, "new");
    struct xylem_position in_source = add_at(source, a, "new");
    assert_int_not_equal(in_left.branch, in_right.branch);
    assert_position(store_builder_find(&builder, left, "new"), in_left);
    assert_position(store_builder_find(&builder, right, "new"), in_right);
    assert_position(store_builder_find(&builder, source, "new"), in_source);
}

IN_SCENE(the_state_of_every_shared_entry_is_the_same_in_both)
{
    uint64_t source = store_builder_session(&builder, "source");
    char id[16];
    for (int i = 0; i < 24; i++) {
        snprintf(id, sizeof id, "e%d", i);
        if (i % 5 == 1) {
            store_builder_add(&builder, source, id, "custom:readonly",
                              i % 2 ? "{\"enabled\":true}" : "{\"enabled\":false}");
        } else if (i % 7 == 3) {
            store_builder_add(&builder, source, id, "custom:sequence",
                              "{\"version\":1,\"sequenceId\":\"q\",\"steps\":[\"/readonly\"],\"updatedAt\":5}");
        } else {
            add(source, id);
        }
    }
    uint64_t fork = store_builder_clone(&builder, source, "fork");
    store_builder_add(&builder, fork, NULL, "custom:readonly", "{\"enabled\":false}");
    store_builder_add(&builder, source, NULL, "custom:readonly", "{\"enabled\":true}");
    for (int i = 0; i < 24; i++) {
        snprintf(id, sizeof id, "e%d", i);
        struct xylem_buffer in_source = state_at(store_builder_find(&builder, source, id));
        struct xylem_buffer in_fork = state_at(store_builder_find(&builder, fork, id));
        assert_string_equal(in_source.data, in_fork.data);
        xylem_buffer_release(&in_source);
        xylem_buffer_release(&in_fork);
    }
}

IN_SCENE(a_fork_of_a_fork_of_a_fork_sees_all_their_shared_entries)
{
    uint64_t sessions[4];
    sessions[0] = store_builder_session(&builder, "s0");
    add(sessions[0], "e0");
    for (int i = 1; i < 4; i++) {
        char id[16];
        snprintf(id, sizeof id, "s%d", i);
        sessions[i] = store_builder_clone(&builder, sessions[i - 1], id);
        snprintf(id, sizeof id, "e%d", i);
        add(sessions[i], id);
    }
    assert_path(store_builder_leaf(&builder, sessions[3]), "e3 e2 e1 e0 ");
    assert_scan(sessions[3], "e0 e1 e2 e3 ");
    assert_position(store_builder_find(&builder, sessions[3], "e0"), store_builder_find(&builder, sessions[0], "e0"));
    assert_int_equal(store_builder_read(&builder, sessions[3]).tree, store_builder_read(&builder, sessions[0]).tree);
}

IN_SCENE(a_clone_that_goes_back_and_appends_loses_nothing)
{
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position a = add(source, "a");
    add(source, "b");
    struct xylem_position c = add(source, "c");
    uint64_t clone = store_builder_clone(&builder, source, "clone");
    store_builder_go(&builder, clone, a);
    add(clone, "d");
    assert_scan(clone, "a b c d ");
    assert_position(store_builder_find(&builder, clone, "c"), c);
    store_builder_go(&builder, clone, c);
    assert_path(store_builder_leaf(&builder, clone), "c b a ");
    store_builder_go(&builder, clone, none);
    assert_scan(clone, "a b c d ");
}

IN_SCENE(deleting_the_source_leaves_the_fork_whole)
{
    uint64_t source = store_builder_session(&builder, "source");
    add(source, "a");
    store_builder_add(&builder, source, "b", "custom:readonly", "{\"enabled\":true}");
    uint64_t fork = store_builder_clone(&builder, source, "fork");
    struct xylem_buffer before = state_at(store_builder_leaf(&builder, fork));
    struct xylem_error err = {0};
    store_builder_must(xylem_session_delete(builder.txn, source, &err), &err);
    store_builder_reopen(&builder);
    struct xylem_buffer after = state_at(store_builder_leaf(&builder, fork));
    assert_string_equal(before.data, after.data);
    xylem_buffer_release(&before);
    xylem_buffer_release(&after);
    assert_scan(fork, "a b ");
    add(fork, "c");
    assert_scan(fork, "a b c ");
}

static int try_fork(uint64_t source, struct xylem_position position, int kind, const char *id)
{
    struct xylem_session_options options = {.id = xylem_view_of(id)};
    struct xylem_session session;
    struct xylem_error err = {0};
    int code = xylem_fork(&session, builder.txn, source, position, (enum xylem_fork_kind)kind, &options, &err);
    assert_int_equal(err.code, code);
    return code;
}

IN_SCENE(a_fork_of_what_is_not_in_the_source_is_refused)
{
    uint64_t source = store_builder_session(&builder, "source");
    uint64_t other = store_builder_session(&builder, "other");
    struct xylem_position a = add(source, "a");
    struct xylem_position b = add(other, "b");
    assert_int_equal(try_fork(source, b, XYLEM_FORK_AT, "fork"), XYLEM_E_NOT_FOUND);
    assert_int_equal(try_fork(source, (struct xylem_position){a.branch, 2}, XYLEM_FORK_AT, "fork"), XYLEM_E_NOT_FOUND);
    assert_int_equal(try_fork(source, none, XYLEM_FORK_AT, "fork"), XYLEM_E_NOT_FOUND);
    assert_int_equal(try_fork(99, a, XYLEM_FORK_AT, "fork"), XYLEM_E_NOT_FOUND);
    assert_int_equal(try_fork(source, a, 7, "fork"), XYLEM_E_ARGUMENT);
    assert_int_equal(try_fork(source, a, XYLEM_FORK_AT, "fork"), XYLEM_OK);
}

IN_SCENE(an_id_that_is_taken_or_too_long_is_refused)
{
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position a = add(source, "a");
    char id[XYLEM_SESSION_ID_BYTES_MAX + 2];
    memset(id, 'i', sizeof id);
    id[sizeof id - 1] = '\0';
    assert_int_equal(try_fork(source, a, XYLEM_FORK_AT, "source"), XYLEM_E_EXISTS);
    assert_int_equal(try_fork(source, a, XYLEM_FORK_AT, id), XYLEM_E_LIMIT);
    id[XYLEM_SESSION_ID_BYTES_MAX] = '\0';
    assert_int_equal(try_fork(source, a, XYLEM_FORK_AT, id), XYLEM_OK);
}

IN_SCENE(a_deleted_source_is_not_forked)
{
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position a = add(source, "a");
    struct xylem_session session;
    struct xylem_error err = {0};
    store_builder_must(xylem_session_delete(builder.txn, source, &err), &err);
    assert_int_equal(try_fork(source, a, XYLEM_FORK_AT, "fork"), XYLEM_E_DELETED);
    assert_int_equal(xylem_clone(&session, builder.txn, source, NULL, &err), XYLEM_E_DELETED);
}

static struct xylem_session fork_in(uint64_t source, const struct xylem_view *name_space, const char *id, bool clone)
{
    struct xylem_session made;
    struct xylem_error err = {0};
    struct xylem_session_options options = {.id = xylem_view_of(id)};
    options.name_space = name_space ? *name_space : options.name_space;
    store_builder_must(clone ? xylem_clone(&made, builder.txn, source, &options, &err)
                             : xylem_fork(&made, builder.txn, source, store_builder_leaf(&builder, source),
                                          XYLEM_FORK_AT, &options, &err),
                       &err);
    return made;
}

TEST_WITH(a_fork_is_made_in_the_namespace_of_its_source_or_in_another, set_up, tear_down)
{
    static const struct xylem_view empty = {"", 0};
    static const struct xylem_view spaces[] = {{"a", 1}, {"b", 1}};
    struct xylem_session source;
    struct xylem_session_options options = {.id = xylem_view_of("s"), .name_space = spaces[0]};
    struct xylem_error err = {0};
    store_builder_must(xylem_session_create(&source, builder.txn, &options, &err), &err);
    add(source.number, "one");
    for (int clone = 0; clone < 2; clone++) {
        const char *id = clone ? "clone" : "fork";
        struct xylem_session near = fork_in(source.number, NULL, id, clone);
        assert_true(xylem_base__view_is(near.name_space, "a") && xylem_base__view_is(near.parent, "s"));
        assert_true(xylem_base__view_is(fork_in(source.number, &spaces[1], id, clone).name_space, "b"));
        struct xylem_session plain = fork_in(source.number, &empty, id, clone);
        assert_true(!plain.name_space.data && plain.tree == source.tree && !plain.parent.data);
        add(plain.number, "own");
        assert_path(store_builder_leaf(&builder, plain.number), "own one ");
    }
}
