/*
 * Every allocation of the examples' modules fails once. Their sources are included, so that their calls which allocate
 * can be turned to the ones below.
 */

#include "tests/lib/one_store.h"
#include "tests/lib/test.h"

static size_t calls;
static size_t failing_call; /* counted from 1; 0: none */

static int checked_add(struct xylem_buffer *buffer, const void *data, size_t bytes)
{
    return ++calls == failing_call ? XYLEM_E_MEMORY : xylem_buffer_add(buffer, data, bytes);
}

static int checked_add_json_string(struct xylem_buffer *buffer, struct xylem_view text)
{
    return ++calls == failing_call ? XYLEM_E_MEMORY : xylem_buffer_add_json_string(buffer, text);
}

#define xylem_buffer_add checked_add
#define xylem_buffer_add_json_string checked_add_json_string
#include "docs/examples/notebook.c"
#include "docs/examples/shape.c"
#include "docs/examples/todo.c"
#include "xylem/state.h"
#undef xylem_buffer_add
#undef xylem_buffer_add_json_string

/* Does something again and again, and each time the next allocation fails; in the end none does. */
static void fail_each_allocation(int (*what)(uint64_t session, struct xylem_error *err), size_t call_count)
{
    for (size_t i = 0; i <= call_count; i++) {
        struct xylem_error err = {0};
        uint64_t session = store_builder_session(&builder, NULL);
        calls = 0;
        failing_call = i < call_count ? i + 1 : 0;
        int code = what(session, &err);
        failing_call = 0;
        assert_int_equal(code, i < call_count ? XYLEM_E_MEMORY : XYLEM_OK);
        assert_int_equal(err.code, code);
        if (i < call_count) {
            assert_int_equal(calls, i + 1);
            assert_int_not_equal(err.text[0], '\0');
            assert_int_equal(store_builder_leaf(&builder, session).depth, 0);
        } else {
            assert_int_equal(calls, call_count);
        }
    }
}

static int write_list(uint64_t session, struct xylem_error *err)
{
    struct todo todo = {0};
    int code = todo_add(&todo, xylem_view_of("a"), err);
    code = code < 0 ? code : todo_add(&todo, xylem_view_of("b"), err);
    code = code < 0 ? code : todo_append(builder.txn, session, &todo, err);
    todo_release(&todo);
    return code;
}

static int write_a_page(uint64_t session, struct xylem_error *err)
{
    return notebook_write(builder.txn, session, xylem_view_of("a"), xylem_view_of("1"), err);
}

static int remove_a_page(uint64_t session, struct xylem_error *err)
{
    return notebook_remove(builder.txn, session, xylem_view_of("a"), err);
}

TEST_WITH(what_cannot_be_written_for_want_of_memory_is_not_appended, set_up, tear_down)
{
    fail_each_allocation(write_list, 11);
    fail_each_allocation(write_a_page, 5);
    fail_each_allocation(remove_a_page, 4);
}

static struct xylem_position filled; /* a path with two items, and two pages */

static int read_list(uint64_t session, struct xylem_error *err)
{
    struct todo todo = {0};
    struct xylem_state state;
    (void)session;
    int code = xylem_rehydrate(&state, builder.txn, filled, NULL, NULL, err);
    code = code < 0 ? code : todo_take(&todo, &state, err);
    todo_release(&todo);
    xylem_state_release(&state);
    return code;
}

static int read_pages(uint64_t session, struct xylem_error *err)
{
    struct notebook notebook = {0};
    struct xylem_reducer reducer = notebook_reducer(&notebook);
    struct xylem_reduction reduction = {0};
    (void)session;
    int code = xylem_reduce(&reduction, builder.txn, filled, &reducer, 1, NULL, err);
    xylem_reduction_release(&reduction);
    notebook_release(&notebook);
    return code;
}

TEST_WITH(what_cannot_be_read_for_want_of_memory_is_an_error, set_up, tear_down)
{
    struct xylem_error err = {0};
    uint64_t session = store_builder_session(&builder, "filled");
    store_builder_must(write_list(session, &err), &err);
    store_builder_must(write_a_page(session, &err), &err);
    store_builder_must(notebook_write(builder.txn, session, xylem_view_of("b"), xylem_view_of("2"), &err), &err);
    filled = store_builder_leaf(&builder, session);
    fail_each_allocation(read_list, 2);
    fail_each_allocation(read_pages, 4);
}
