#include <string.h>

#include "store/store.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "xylem/outline.h"

static int read_outline(struct xylem_outline *outline, struct xylem_buffer *name, uint64_t session)
{
    struct xylem_session row = store_builder_read(&builder, session);
    struct xylem_error err = {0};
    return xylem_outline_read(outline, name, builder.txn, &row, &err);
}

/* `name` NULL: the session has none. */
static void assert_outline(uint64_t session, uint64_t entry_count, const char *name)
{
    struct xylem_outline outline;
    struct xylem_buffer found = {0};
    assert_int_equal(read_outline(&outline, &found, session), 0);
    assert_int_equal(outline.entry_count, entry_count);
    assert_int_equal(outline.has_name, name != NULL);
    assert_int_equal(found.bytes, name ? strlen(name) : 0);
    assert_memory_equal(found.data ? found.data : "", name ? name : "", found.bytes);
    xylem_buffer_release(&found);
}

static struct xylem_position named(uint64_t session, const char *json)
{
    return store_builder_add(&builder, session, NULL, "session_info", json);
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(an_empty_session_has_no_entries_and_no_name)
{
    assert_outline(store_builder_session(&builder, "s"), 0, NULL);
}

IN_SCENE(the_newest_name_on_any_branch_counts)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position root = store_builder_messages(&builder, session, 1);
    struct xylem_position first = named(session, "{\"name\":\" first \"}");
    store_builder_messages(&builder, session, 2);
    assert_outline(session, 4, "first");
    store_builder_go(&builder, session, root);
    named(session, "{\"name\":\"second\"}");
    store_builder_go(&builder, session, first);
    store_builder_messages(&builder, session, 2);
    assert_outline(session, 7, "second");
    named(session, "{\"name\":\"\"}");
    assert_outline(session, 8, NULL);
}

IN_SCENE(a_fork_has_the_name_and_the_entries_of_its_base)
{
    uint64_t session = store_builder_session(&builder, "s");
    named(session, "{\"name\":\"old\"}");
    struct xylem_position base = store_builder_messages(&builder, session, 2);
    named(session, "{\"name\":\"new\"}");
    uint64_t fork = store_builder_fork(&builder, session, base, XYLEM_FORK_AT, "f");
    assert_outline(fork, 3, "old");
    store_builder_go(&builder, fork, (struct xylem_position){1, 1});
    store_builder_messages(&builder, fork, 4);
    assert_outline(fork, 7, "old");
    assert_outline(session, 4, "new");
}

IN_SCENE(where_the_last_entry_says_nothing_of_the_name_an_older_one_counts)
{
    static const char *const silent[] = {"{\"name\":7}", "[]", "7"};
    uint64_t session = store_builder_session(&builder, "s");
    named(session, "{\"name\":\"kept\"}");
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
        named(session, silent[i]);
        assert_outline(session, 2 + i, "kept");
    }
    store_builder_redact(&builder, named(session, "{\"name\":\"secret\"}"));
    assert_outline(session, 5, "kept");
    uint64_t other = store_builder_session(&builder, "other");
    named(other, "[]");
    assert_outline(other, 1, NULL);
}

IN_SCENE(the_name_is_appended_to_what_the_buffer_holds)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_outline outline;
    struct xylem_buffer names = {0};
    named(session, "{\"name\":\"a\"}");
    assert_int_equal(read_outline(&outline, &names, session), 0);
    assert_int_equal(read_outline(&outline, &names, session), 0);
    assert_string_equal(names.data, "aa");
    outline.has_name = false;
    assert_int_equal(read_outline(&outline, NULL, session), 0);
    assert_true(outline.has_name);
    xylem_buffer_release(&names);
}

static void assert_corrupt(uint64_t session)
{
    struct xylem_outline outline = {.entry_count = 77};
    struct xylem_buffer name = {0};
    struct xylem_session row = store_builder_read(&builder, session);
    struct xylem_error err = {0};
    assert_int_equal(xylem_outline_read(&outline, &name, builder.txn, &row, &err), XYLEM_E_CORRUPT);
    assert_int_equal(err.code, XYLEM_E_CORRUPT);
    assert_string_not_equal(err.text, "");
    assert_int_equal(outline.entry_count, 77);
    xylem_buffer_release(&name);
}

IN_SCENE(damage_is_corruption)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position name = named(session, "{\"name\":\"a\"}");
    struct xylem_position last = store_builder_messages(&builder, session, 1);
    uint64_t fork = store_builder_fork(&builder, session, last, XYLEM_FORK_AT, "f");
    uint64_t other = store_builder_session(&builder, "other");
    struct xylem_position altered = named(other, "{\"name\":\"a\"}");
    store_builder_damage(&builder, name);
    assert_corrupt(session);
    store_builder_drop(&builder, last);
    assert_corrupt(fork); /* its base is gone */
    struct xylem_format__record record = store_builder_record(&builder, altered);
    record.payload = xylem_view_of("{\"name\":\"b\"}");
    store_builder_rewrite(&builder, altered, &record);
    assert_corrupt(other); /* the payload does not have its hash */
}

IN_SCENE(a_branch_of_another_session_is_corruption)
{
    uint64_t session = store_builder_session(&builder, "s");
    uint64_t other = store_builder_session(&builder, "other");
    struct xylem_position first = store_builder_messages(&builder, session, 1);
    struct xylem_store__branch branch;
    struct xylem_error err = {0};
    store_builder_must(xylem_store__branch_read(&branch, builder.txn, first.branch, &err), &err);
    branch.session = other;
    store_builder_rewrite_branch(&builder, &branch);
    assert_corrupt(session);
}

IN_SCENE(what_lies_between_is_not_read)
{
    uint64_t session = store_builder_session(&builder, "s");
    named(session, "{\"name\":\"a\"}");
    struct xylem_position between = store_builder_messages(&builder, session, 1);
    store_builder_messages(&builder, session, 2);
    store_builder_damage(&builder, between);
    assert_outline(session, 4, "a");
    named(session, "[]"); /* now the whole session is */
    assert_corrupt(session);
}

IN_SCENE(a_lost_last_entry_is_corruption_and_not_the_end)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_messages(&builder, session, 2);
    store_builder_drop(&builder, named(session, "{\"name\":\"a\"}"));
    assert_corrupt(session);
}

/* The session's last entry lies on another branch, so only its count of entries tells. */
IN_SCENE(a_lost_end_of_an_older_branch_is_corruption_and_not_the_end)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position root = store_builder_messages(&builder, session, 1);
    struct xylem_position end = store_builder_messages(&builder, session, 2);
    store_builder_go(&builder, session, root);
    store_builder_messages(&builder, session, 1);
    assert_outline(session, 4, NULL);
    store_builder_drop(&builder, end);
    assert_corrupt(session);
}

IN_SCENE(a_branch_that_begins_below_its_end_is_corruption)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position root = store_builder_messages(&builder, session, 1);
    store_builder_messages(&builder, session, 2);
    store_builder_go(&builder, session, root);
    struct xylem_position last = store_builder_messages(&builder, session, 1);
    struct xylem_store__branch branch;
    struct xylem_error err = {0};
    store_builder_must(xylem_store__branch_read(&branch, builder.txn, last.branch, &err), &err);
    branch.first_depth = last.depth + 1;
    store_builder_rewrite_branch(&builder, &branch);
    assert_corrupt(session);
}
