#include "tests/examples/tree.h"
#include "tests/lib/test.h"

#include <stdio.h>

#include "docs/examples/todo.h"
#include "store/store.h"
#include "xylem/state.h"

/* --- Helpers ---------------------------------------------------------------------------------------------------- */

static struct xylem_view text_of(const struct todo_item *item)
{
    return (struct xylem_view){item->text.data, item->text.bytes};
}

static void assert_same_list(const struct todo *a, const struct todo *b)
{
    assert_int_equal(a->item_count, b->item_count);
    assert_int_equal(a->last_id, b->last_id);
    assert_position(a->position, b->position);
    for (size_t i = 0; i < a->item_count; i++) {
        assert_int_equal(a->items[i].id, b->items[i].id);
        assert_int_equal(a->items[i].done, b->items[i].done);
        assert_int_equal(a->items[i].text.bytes, b->items[i].text.bytes);
        assert_memory_equal(a->items[i].text.data, b->items[i].text.data, a->items[i].text.bytes);
    }
}

/* Reads the list both ways; gives the reason of the newest entry that was skipped, or NULL. */
static const char *read_list(struct todo *todo, struct xylem_position from)
{
    const struct xylem_reduce_options usual = {.pieces = XYLEM_PIECE_TODO};
    const struct xylem_reduce_options scan = {.pieces = XYLEM_PIECE_TODO, .scan = true};
    struct xylem_state state;
    struct todo scanned = {0};
    struct xylem_error err = {0};
    store_builder_must(xylem_rehydrate(&state, builder.txn, from, NULL, &scan, &err), &err);
    store_builder_must(todo_take(&scanned, &state, &err), &err);
    xylem_state_release(&state);
    store_builder_must(xylem_rehydrate(&state, builder.txn, from, NULL, &usual, &err), &err);
    store_builder_must(todo_take(todo, &state, &err), &err);
    assert_same_list(todo, &scanned);
    const char *reason = state.reduction.skipped_count > 0 ? state.reduction.skipped[0].reason : NULL;
    todo_release(&scanned);
    xylem_state_release(&state);
    return reason;
}

/* The list as a line: `1 a` is to be done, `1+a` is done. */
static void assert_list(struct xylem_position from, const char *expected)
{
    struct todo todo = {0};
    char line[512] = "";
    (void)read_list(&todo, from);
    for (size_t i = 0; i < todo.item_count; i++) {
        size_t used = strlen(line);
        (void)snprintf(line + used, sizeof line - used, "%s%d%c%s", i > 0 ? ", " : "", (int)todo.items[i].id,
                       todo.items[i].done ? '+' : ' ', todo.items[i].text.data);
    }
    assert_string_equal(line, expected);
    todo_release(&todo);
}

static void append_list(uint64_t session, const struct todo *todo)
{
    struct xylem_error err = {0};
    store_builder_must(todo_append(builder.txn, session, todo, &err), &err);
}

/* Adds an item to the list of the leaf. */
static struct xylem_position add_item(uint64_t session, const char *text)
{
    struct todo todo = {0};
    struct xylem_error err = {0};
    (void)read_list(&todo, store_builder_leaf(&builder, session));
    store_builder_must(todo_add(&todo, xylem_view_of(text), &err), &err);
    append_list(session, &todo);
    todo_release(&todo);
    return store_builder_leaf(&builder, session);
}

/* --- The list on a path ----------------------------------------------------------------------------------------- */

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(a_path_without_an_entry_has_an_empty_list)
{
    struct todo todo = {0};
    uint64_t session = store_builder_session(&builder, "s");
    assert_null(read_list(&todo, (struct xylem_position){0, 0}));
    assert_null(read_list(&todo, store_builder_messages(&builder, session, 3)));
    assert_int_equal(todo.item_count, 0);
    assert_int_equal(todo.position.branch, 0);
    todo_release(&todo);
}

IN_SCENE(the_newest_list_is_the_list)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position first = add_item(session, "a");
    struct xylem_position second = add_item(session, "b");
    struct xylem_position last = store_builder_messages(&builder, session, 2);
    assert_list(first, "1 a");
    assert_list(second, "1 a, 2 b");
    assert_list(last, "1 a, 2 b");
}

IN_SCENE(a_fork_has_the_list_of_its_entry_and_each_goes_on_by_itself)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position first = add_item(session, "a");
    struct xylem_position second = add_item(session, "b");
    uint64_t fork = store_builder_fork(&builder, session, first, XYLEM_FORK_AT, "fork");
    uint64_t before = store_builder_fork(&builder, session, second, XYLEM_FORK_BEFORE, "before");
    assert_list(store_builder_leaf(&builder, fork), "1 a");
    assert_list(store_builder_leaf(&builder, before), "1 a");
    add_item(fork, "c");
    add_item(session, "d");
    assert_list(store_builder_leaf(&builder, fork), "1 a, 2 c");
    assert_list(store_builder_leaf(&builder, before), "1 a");
    assert_list(store_builder_leaf(&builder, session), "1 a, 2 b, 3 d");
}

IN_SCENE(navigating_brings_back_the_list_of_that_time)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position first = add_item(session, "a");
    struct xylem_position second = add_item(session, "b");
    store_builder_go(&builder, session, first);
    assert_list(store_builder_leaf(&builder, session), "1 a");
    add_item(session, "c");
    assert_list(store_builder_leaf(&builder, session), "1 a, 2 c");
    store_builder_go(&builder, session, second);
    assert_list(store_builder_leaf(&builder, session), "1 a, 2 b");
}

IN_SCENE(a_list_outlives_a_restart)
{
    uint64_t session = store_builder_session(&builder, "s");
    add_item(session, "a");
    store_builder_reopen(&builder);
    assert_list(store_builder_leaf(&builder, session), "1 a");
}

IN_SCENE(an_emptied_list_hides_the_one_before_it)
{
    struct todo todo = {0};
    uint64_t session = store_builder_session(&builder, "s");
    add_item(session, "a");
    (void)read_list(&todo, store_builder_leaf(&builder, session));
    assert_int_equal(todo_remove(&todo, 1, NULL), XYLEM_OK);
    append_list(session, &todo);
    todo_release(&todo);
    assert_list(store_builder_leaf(&builder, session), "");
}

IN_SCENE(the_list_that_is_taken_takes_the_place_of_the_one_before)
{
    struct todo todo = {0};
    uint64_t session = store_builder_session(&builder, "s");
    (void)read_list(&todo, add_item(session, "a"));
    assert_int_equal(todo.item_count, 1);
    (void)read_list(&todo, (struct xylem_position){0, 0});
    assert_int_equal(todo.item_count, 0);
    assert_int_equal(todo.last_id, 0);
}

/* --- Data of another shape -------------------------------------------------------------------------------------- */

/* Builds a list of `count` items whose texts have `text_bytes` bytes. */
static void add_raw_list(uint64_t session, size_t count, size_t text_bytes)
{
    struct xylem_buffer json = {0};
    char text[1024];
    char number[64];
    memset(text, 'x', sizeof text);
    assert_int_equal(xylem_buffer_add(&json, "{\"lastId\":1000000,\"items\":[", 27), 0);
    for (size_t i = 0; i < count; i++) {
        int bytes =
            snprintf(number, sizeof number, "%s{\"done\":false,\"id\":%zu,\"text\":\"", i > 0 ? "," : "", i + 1);
        assert_int_equal(xylem_buffer_add(&json, number, (size_t)bytes), 0);
        assert_int_equal(xylem_buffer_add(&json, text, text_bytes), 0);
        assert_int_equal(xylem_buffer_add(&json, "\"}", 2), 0);
    }
    assert_int_equal(xylem_buffer_add(&json, "]}", 2), 0);
    store_builder_add(&builder, session, NULL, "custom:todo", json.data);
    xylem_buffer_release(&json);
}

IN_SCENE(a_list_beyond_what_this_host_writes_is_refused)
{
    static const struct {
        size_t count;
        size_t text_bytes;
        int code;
    } cases[] = {{TODO_ITEMS_MAX, TODO_TEXT_BYTES_MAX, XYLEM_OK},
                 {TODO_ITEMS_MAX + 1, 1, XYLEM_E_LIMIT},
                 {2, TODO_TEXT_BYTES_MAX + 1, XYLEM_E_LIMIT}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct todo todo = {0};
        struct xylem_state found;
        struct xylem_error err = {0};
        uint64_t session = store_builder_session(&builder, NULL);
        add_raw_list(session, cases[i].count, cases[i].text_bytes);
        store_builder_must(
            xylem_rehydrate(&found, builder.txn, store_builder_leaf(&builder, session), NULL, NULL, &err), &err);
        assert_true(found.todo.present);
        assert_int_equal(todo_take(&todo, &found, &err), cases[i].code);
        assert_int_equal(err.code, cases[i].code);
        assert_int_equal(todo.item_count, cases[i].code < 0 ? 0 : cases[i].count);
        todo_release(&todo);
        found.todo.last_id = TODO_ID_MAX + 1;
        assert_int_equal(todo_take(&todo, &found, NULL), XYLEM_E_LIMIT);
        xylem_state_release(&found);
    }
}

IN_SCENE(a_redacted_list_is_skipped)
{
    struct todo todo = {0};
    uint64_t session = store_builder_session(&builder, "s");
    add_item(session, "a");
    struct xylem_position second = add_item(session, "b");
    store_builder_redact(&builder, second);
    assert_string_equal(read_list(&todo, second), "the data was redacted");
    assert_int_equal(todo.item_count, 1);
    todo_release(&todo);
}

/* Puts other payload bytes into a list's record, with the hash that they ask for, or without. */
static struct xylem_position add_payload(uint64_t session, struct xylem_view payload, bool right_hash)
{
    struct xylem_position at = store_builder_add(&builder, session, NULL, "custom:todo", "{}");
    struct xylem_format__record record = store_builder_record(&builder, at);
    record.payload = payload;
    if (right_hash) {
        record.payload_hash = xylem_format__hash(payload);
    }
    store_builder_rewrite(&builder, at, &record);
    return at;
}

IN_SCENE(a_list_that_cannot_be_decoded_is_skipped)
{
    struct todo todo = {0};
    uint64_t session = store_builder_session(&builder, "s");
    add_item(session, "a");
    struct xylem_position bad = add_payload(session, (struct xylem_view){"\x92", 1}, true);
    assert_string_equal(read_list(&todo, bad), "the data cannot be decoded");
    assert_int_equal(todo.item_count, 1);
    todo_release(&todo);
}

/* Damage is no other shape: what the newest list says is not known, and the one before it is not taken for it. */
IN_SCENE(a_damaged_list_is_an_error)
{
    struct xylem_state found;
    struct xylem_error err = {0};
    uint64_t session = store_builder_session(&builder, "s");
    add_item(session, "a");
    struct xylem_position bad = add_payload(session, (struct xylem_view){"\x03", 1}, false);
    assert_int_equal(xylem_rehydrate(&found, builder.txn, bad, NULL, NULL, &err), XYLEM_E_CORRUPT);
    assert_false(found.todo.present);
    xylem_state_release(&found);
}

IN_SCENE(other_keys_are_ignored)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position at = store_builder_add(
        &builder, session, NULL, "custom:todo",
        "{\"version\":9,\"lastId\":4,\"items\":[{\"id\":4,\"text\":\"x\",\"done\":true,\"tags\":[1]}]}");
    assert_list(at, "4+x");
}

IN_SCENE(kinds_that_only_look_alike_are_not_read)
{
    uint64_t session = store_builder_session(&builder, "s");
    add_item(session, "a");
    store_builder_add(&builder, session, NULL, "todo", "{\"lastId\":0,\"items\":[]}");
    store_builder_add(&builder, session, NULL, "custom:todos", "{\"lastId\":0,\"items\":[]}");
    assert_list(store_builder_leaf(&builder, session), "1 a");
}

/* --- Changing --------------------------------------------------------------------------------------------------- */

IN_SCENE(what_is_no_text_is_refused)
{
    static const struct {
        struct xylem_view text;
        int code;
    } cases[] = {{{"", 0}, XYLEM_E_LIMIT},
                 {{"\xff", 1}, XYLEM_E_MALFORMED},
                 {{"a\x80", 2}, XYLEM_E_MALFORMED},
                 {{"\xc1\xbf", 2}, XYLEM_E_MALFORMED},
                 {{"\xe2\x82", 2}, XYLEM_E_MALFORMED},
                 {{"\xe2\x82\xac", 2}, XYLEM_E_MALFORMED},
                 {{"\xe2\x82\x28", 3}, XYLEM_E_MALFORMED},
                 {{"\xe2\x82\xc0", 3}, XYLEM_E_MALFORMED},
                 {{"\xe0\x9f\xbf", 3}, XYLEM_E_MALFORMED},
                 {{"\xf0\x8f\xbf\xbf", 4}, XYLEM_E_MALFORMED},
                 {{"\xf4\x90\x80\x80", 4}, XYLEM_E_MALFORMED},
                 {{"\xf5\x80\x80\x80", 4}, XYLEM_E_MALFORMED},
                 {{"\xed\xa0\xbd\xed\xb8\x80", 6}, XYLEM_E_MALFORMED}};
    struct todo todo = {0};
    struct xylem_error err = {0};
    char text[TODO_TEXT_BYTES_MAX + 1];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(todo_add(&todo, cases[i].text, &err), cases[i].code);
        assert_int_equal(err.code, cases[i].code);
        assert_int_not_equal(err.text[0], '\0');
    }
    memset(text, 'x', sizeof text);
    assert_int_equal(todo_add(&todo, (struct xylem_view){text, sizeof text}, NULL), XYLEM_E_LIMIT);
    assert_int_equal(todo.item_count, 0);
    assert_int_equal(todo.last_id, 0);
}

IN_SCENE(text_comes_back_as_it_was_given)
{
    static const struct xylem_view texts[] = {
        {"\"\\/\n\t\x01\x7f", 7},           {"a\0b", 3},
        {"\xc3\xa4\xe2\x82\xac", 5},        {"\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf", 8},
        {"\xed\xa0\xbd x \xed\xb8\x80", 9}, {"\xed\xb8\x80\xed\xa0\xbd", 6},
        {"\xef\xbf\xbd\xe0\xa0\x80", 6}};
    const size_t count = sizeof texts / sizeof texts[0];
    struct todo todo = {0};
    uint64_t session = store_builder_session(&builder, "s");
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(todo_add(&todo, texts[i], NULL), XYLEM_OK);
    }
    append_list(session, &todo);
    assert_null(read_list(&todo, store_builder_leaf(&builder, session)));
    assert_int_equal(todo.item_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(text_of(&todo.items[i]).bytes, texts[i].bytes);
        assert_memory_equal(text_of(&todo.items[i]).data, texts[i].data, texts[i].bytes);
    }
    todo_release(&todo);
}

IN_SCENE(an_item_that_is_not_there_is_not_found)
{
    struct todo todo = {0};
    struct xylem_error err = {0};
    assert_int_equal(todo_add(&todo, xylem_view_of("a"), NULL), XYLEM_OK);
    assert_int_equal(todo_mark(&todo, 2, true, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(err.code, XYLEM_E_NOT_FOUND);
    assert_int_equal(todo_remove(&todo, 2, NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(todo.item_count, 1);
    assert_false(todo.items[0].done);
    todo_release(&todo);
}

IN_SCENE(items_are_marked_removed_and_their_ids_not_used_again)
{
    struct todo todo = {0};
    uint64_t session = store_builder_session(&builder, "s");
    for (const char *text = "abcd"; *text; text++) {
        assert_int_equal(todo_add(&todo, (struct xylem_view){text, 1}, NULL), XYLEM_OK);
    }
    assert_int_equal(todo_mark(&todo, 3, true, NULL), XYLEM_OK);
    assert_int_equal(todo_mark(&todo, 1, true, NULL), XYLEM_OK);
    assert_int_equal(todo_mark(&todo, 1, false, NULL), XYLEM_OK);
    assert_int_equal(todo_remove(&todo, 2, NULL), XYLEM_OK);
    assert_int_equal(todo_remove(&todo, 4, NULL), XYLEM_OK);
    append_list(session, &todo);
    todo_release(&todo);
    assert_list(store_builder_leaf(&builder, session), "1 a, 3+c");
    add_item(session, "e");
    assert_list(store_builder_leaf(&builder, session), "1 a, 3+c, 5 e");
}

IN_SCENE(a_full_list_takes_no_more)
{
    struct todo todo = {0};
    struct todo spent = {.last_id = TODO_ID_MAX};
    struct xylem_error err = {0};
    uint64_t session = store_builder_session(&builder, "s");
    for (size_t i = 0; i < TODO_ITEMS_MAX; i++) {
        assert_int_equal(todo_add(&todo, xylem_view_of("x"), NULL), XYLEM_OK);
    }
    assert_int_equal(todo_add(&todo, xylem_view_of("x"), &err), XYLEM_E_LIMIT);
    assert_int_equal(todo_add(&spent, xylem_view_of("x"), &err), XYLEM_E_LIMIT);
    append_list(session, &todo);
    assert_null(read_list(&todo, store_builder_leaf(&builder, session)));
    assert_int_equal(todo.item_count, TODO_ITEMS_MAX);
    todo_release(&todo);
}

IN_SCENE(an_append_that_is_refused_says_why)
{
    struct todo todo = {0};
    struct xylem_error err = {0};
    assert_int_equal(todo_append(builder.txn, 99, &todo, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(err.code, XYLEM_E_NOT_FOUND);
}

/* --- Against a plain model -------------------------------------------------------------------------------------- */

/* The lists of a random tree: by entry, its items as bits, done ones too; -1: the entry is no list. */
static struct {
    int items;
    int done;
} lists[TREE_ENTRIES_MAX];

/* Item n has the id n + 1 and the text of that one letter. */
static void grow_list(void)
{
    struct todo todo = {.last_id = 8};
    int items = chance_below(&tree.chance, 256);
    int done = items & chance_below(&tree.chance, 256);
    for (int i = 0; i < 8; i++) {
        if (items & 1 << i) {
            struct todo_item *item = &todo.items[todo.item_count++];
            char letter = (char)('a' + i);
            item->id = i + 1;
            item->done = (done & 1 << i) != 0;
            assert_int_equal(xylem_buffer_add(&item->text, &letter, 1), XYLEM_OK);
        }
    }
    append_list(tree_session(), &todo);
    todo_release(&todo);
    int entry = tree_note();
    lists[entry].items = items;
    lists[entry].done = done;
}

static void grow_other(void)
{
    static const char *const others[][2] = {{"message", "{\"message\":{\"role\":\"user\"}}"},
                                            {"custom:todo", "{\"lastId\":1,\"items\":[{\"id\":1}]}"},
                                            {"custom:todo", NULL},
                                            {"custom:other", "{\"lastId\":0,\"items\":[]}"}};
    const char *const *other = others[chance_below(&tree.chance, 4)];
    store_builder_add(&builder, tree_session(), NULL, other[0], other[1]);
    lists[tree_note()].items = -1;
}

static void check_list(int from)
{
    struct todo todo = {0};
    int at = from;
    size_t count = 0;
    while (at != TREE_NONE && lists[at].items < 0) {
        at = tree_parent(at);
    }
    (void)read_list(&todo, tree_position(from));
    assert_position(todo.position, tree_position(at));
    for (int i = 0; i < 8 && at != TREE_NONE; i++) {
        if (lists[at].items & 1 << i) {
            char letter[2] = {(char)('a' + i), '\0'};
            assert_true(count < todo.item_count);
            assert_int_equal(todo.items[count].id, i + 1);
            assert_int_equal(todo.items[count].done, (lists[at].done & 1 << i) != 0);
            assert_text(text_of(&todo.items[count]), letter);
            count++;
        }
    }
    assert_int_equal(todo.item_count, count);
    todo_release(&todo);
}

static void run_lists(void)
{
    for (int i = 0; i < 300; i++) {
        int what = chance_below(&tree.chance, 8);
        if (what < 3) {
            tree_wander();
        } else if (what == 3) {
            grow_list();
        } else {
            grow_other();
        }
        check_list(tree.sessions[tree.current].leaf);
    }
    for (int entry = TREE_NONE; entry < tree.entry_count; entry++) {
        check_list(entry);
    }
    for (int session = 0; session < tree.session_count; session++) {
        assert_position(store_builder_leaf(&builder, tree.sessions[session].number),
                        tree_position(tree.sessions[session].leaf));
    }
}

TEST_WITH(random_trees_have_the_list_of_the_plain_model, set_up, tree_end)
{
    tree_run(run_lists);
}
