#include "tests/examples/tree.h"
#include "tests/lib/test.h"

#include <stdio.h>

#include "docs/examples/notebook.h"
#include "xylem/state.h"

/* --- Helpers ---------------------------------------------------------------------------------------------------- */

/*
 * Runs the reducer from `from` the usual way or by a scan; with a scan, what it skipped must be what `usual` skipped.
 */
static void reduce_one(struct xylem_reduction *reduction, struct xylem_position from, struct xylem_reducer reducer,
                       const struct xylem_reduction *usual)
{
    struct xylem_reduce_options scan = {.scan = true};
    struct xylem_error err = {0};
    store_builder_must(xylem_reduce(reduction, builder.txn, from, &reducer, 1, usual ? &scan : NULL, &err), &err);
    if (!usual) {
        return;
    }
    assert_int_equal(reduction->skipped_count, usual->skipped_count);
    for (size_t i = 0; i < usual->skipped_count; i++) {
        assert_position(reduction->skipped[i].position, usual->skipped[i].position);
        assert_string_equal(reduction->skipped[i].reason, usual->skipped[i].reason);
    }
}

static struct xylem_view view_of(const struct xylem_buffer *buffer)
{
    return (struct xylem_view){buffer->data, buffer->bytes};
}

static void assert_same_bytes(const struct xylem_buffer *a, const struct xylem_buffer *b)
{
    assert_int_equal(a->bytes, b->bytes);
    assert_memory_equal(a->data, b->data, a->bytes);
}

static void assert_same_notebook(const struct notebook *a, const struct notebook *b)
{
    assert_int_equal(a->page_count, b->page_count);
    assert_int_equal(a->cut_short, b->cut_short);
    assert_position(a->epoch, b->epoch);
    for (size_t i = 0; i < a->page_count; i++) {
        assert_same_bytes(&a->pages[i].name, &b->pages[i].name);
        assert_same_bytes(&a->pages[i].text, &b->pages[i].text);
        assert_int_equal(a->pages[i].removed, b->pages[i].removed);
        assert_position(a->pages[i].position, b->pages[i].position);
    }
}

/* Reads the notebook both ways; gives the reason of the newest entry that was skipped, or NULL. */
static const char *read_notebook(struct notebook *notebook, struct xylem_position from)
{
    struct xylem_reduction usual = {0};
    struct xylem_reduction scan = {0};
    struct notebook scanned = {0};
    reduce_one(&usual, from, notebook_reducer(notebook), NULL);
    reduce_one(&scan, from, notebook_reducer(&scanned), &usual);
    assert_same_notebook(notebook, &scanned);
    const char *reason = usual.skipped_count > 0 ? usual.skipped[0].reason : NULL;
    notebook_release(&scanned);
    xylem_reduction_release(&usual);
    xylem_reduction_release(&scan);
    return reason;
}

/* The pages as a line, newest first: `name=text`, or `-name` for one that was removed. */
static void assert_pages(struct xylem_position from, const char *expected)
{
    struct notebook notebook = {0};
    char line[512] = "";
    (void)read_notebook(&notebook, from);
    for (size_t i = 0; i < notebook.page_count; i++) {
        const struct notebook_page *page = &notebook.pages[i];
        size_t used = strlen(line);
        (void)snprintf(line + used, sizeof line - used, "%s%s%s%s%s", i > 0 ? " " : "", page->removed ? "-" : "",
                       page->name.data, page->removed ? "" : "=", page->removed ? "" : page->text.data);
    }
    assert_string_equal(line, expected);
    notebook_release(&notebook);
}

static struct xylem_position write_page(uint64_t session, const char *name, const char *text)
{
    struct xylem_error err = {0};
    store_builder_must(notebook_write(builder.txn, session, xylem_view_of(name), xylem_view_of(text), &err), &err);
    return store_builder_leaf(&builder, session);
}

static struct xylem_position remove_page(uint64_t session, const char *name)
{
    struct xylem_error err = {0};
    store_builder_must(notebook_remove(builder.txn, session, xylem_view_of(name), &err), &err);
    return store_builder_leaf(&builder, session);
}

static struct xylem_position begin_epoch(uint64_t session)
{
    struct xylem_error err = {0};
    store_builder_must(notebook_begin_epoch(builder.txn, session, &err), &err);
    return store_builder_leaf(&builder, session);
}

/* --- The pages on a path ---------------------------------------------------------------------------------------- */

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(a_path_without_an_entry_has_no_pages)
{
    struct notebook notebook = {0};
    uint64_t session = store_builder_session(&builder, "s");
    assert_null(read_notebook(&notebook, (struct xylem_position){0, 0}));
    assert_null(read_notebook(&notebook, store_builder_messages(&builder, session, 3)));
    assert_int_equal(notebook.page_count, 0);
    assert_null(notebook_find(&notebook, xylem_view_of("a")));
    assert_null(notebook_find(&notebook, xylem_view_of("")));
    notebook_release(&notebook);
}

IN_SCENE(the_newest_page_of_each_name_counts)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position first = write_page(session, "a", "1");
    struct xylem_position second = write_page(session, "b", "2");
    struct xylem_position third = write_page(session, "a", "3");
    assert_pages(first, "a=1");
    assert_pages(second, "b=2 a=1");
    assert_pages(third, "a=3 b=2");
    assert_pages(store_builder_messages(&builder, session, 2), "a=3 b=2");
}

IN_SCENE(names_are_told_apart_by_all_their_bytes)
{
    struct notebook notebook = {0};
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_view with_nul = {"a\0b", 3};
    struct xylem_view with_other = {"a\0c", 3};
    write_page(session, "a", "1");
    write_page(session, "A", "2");
    assert_int_equal(notebook_write(builder.txn, session, with_nul, xylem_view_of("3"), NULL), XYLEM_OK);
    assert_null(read_notebook(&notebook, store_builder_leaf(&builder, session)));
    assert_int_equal(notebook.page_count, 3);
    assert_text(view_of(&notebook_find(&notebook, xylem_view_of("a"))->text), "1");
    assert_text(view_of(&notebook_find(&notebook, xylem_view_of("A"))->text), "2");
    assert_text(view_of(&notebook_find(&notebook, with_nul)->text), "3");
    assert_null(notebook_find(&notebook, with_other));
    notebook_release(&notebook);
}

IN_SCENE(a_removed_page_hides_what_is_older_until_it_is_written_again)
{
    struct notebook notebook = {0};
    uint64_t session = store_builder_session(&builder, "s");
    write_page(session, "a", "1");
    write_page(session, "b", "2");
    struct xylem_position removed = remove_page(session, "a");
    assert_pages(removed, "-a b=2");
    assert_null(read_notebook(&notebook, removed));
    assert_null(notebook_find(&notebook, xylem_view_of("a")));
    assert_non_null(notebook_find(&notebook, xylem_view_of("b")));
    notebook_release(&notebook);
    assert_pages(write_page(session, "a", "3"), "a=3 b=2");
}

IN_SCENE(an_epoch_cuts_what_is_older)
{
    struct notebook notebook = {0};
    uint64_t session = store_builder_session(&builder, "s");
    write_page(session, "a", "1");
    struct xylem_position before = write_page(session, "b", "2");
    struct xylem_position epoch = begin_epoch(session);
    assert_pages(epoch, "");
    assert_pages(write_page(session, "a", "3"), "a=3");
    assert_null(read_notebook(&notebook, store_builder_leaf(&builder, session)));
    assert_position(notebook.epoch, epoch);
    notebook_release(&notebook);
    begin_epoch(session);
    assert_pages(write_page(session, "c", "4"), "c=4");
    assert_pages(before, "b=2 a=1");
}

IN_SCENE(nothing_is_decoded_behind_an_epoch)
{
    struct notebook notebook = {0};
    struct xylem_reduction reduction = {0};
    uint64_t session = store_builder_session(&builder, "s");
    for (int i = 0; i < 20; i++) {
        write_page(session, "a", "1");
    }
    begin_epoch(session);
    write_page(session, "b", "2");
    reduce_one(&reduction, store_builder_leaf(&builder, session), notebook_reducer(&notebook), NULL);
    assert_int_equal(reduction.decoded_count, 1);
    notebook_release(&notebook);
    xylem_reduction_release(&reduction);
}

IN_SCENE(a_fork_has_the_pages_of_its_entry_and_each_goes_on_by_itself)
{
    uint64_t session = store_builder_session(&builder, "s");
    write_page(session, "a", "1");
    struct xylem_position second = write_page(session, "b", "2");
    struct xylem_position third = remove_page(session, "b");
    uint64_t fork = store_builder_fork(&builder, session, second, XYLEM_FORK_AT, "fork");
    uint64_t before = store_builder_fork(&builder, session, third, XYLEM_FORK_BEFORE, "before");
    assert_pages(store_builder_leaf(&builder, fork), "b=2 a=1");
    begin_epoch(fork);
    write_page(fork, "c", "3");
    write_page(session, "d", "4");
    assert_pages(store_builder_leaf(&builder, fork), "c=3");
    assert_pages(store_builder_leaf(&builder, before), "b=2 a=1");
    assert_pages(store_builder_leaf(&builder, session), "d=4 -b a=1");
}

IN_SCENE(navigating_to_before_an_epoch_brings_the_pages_back)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position first = write_page(session, "a", "1");
    struct xylem_position epoch = begin_epoch(session);
    store_builder_go(&builder, session, first);
    assert_pages(store_builder_leaf(&builder, session), "a=1");
    assert_pages(write_page(session, "b", "2"), "b=2 a=1");
    store_builder_go(&builder, session, epoch);
    assert_pages(store_builder_leaf(&builder, session), "");
}

IN_SCENE(pages_outlive_a_restart)
{
    uint64_t session = store_builder_session(&builder, "s");
    write_page(session, "a", "1");
    store_builder_reopen(&builder);
    assert_pages(store_builder_leaf(&builder, session), "a=1");
}

IN_SCENE(a_reducer_empties_the_notebook_that_it_is_given)
{
    struct notebook notebook = {0};
    uint64_t session = store_builder_session(&builder, "s");
    begin_epoch(session);
    (void)read_notebook(&notebook, write_page(session, "a", "1"));
    assert_int_equal(notebook.page_count, 1);
    (void)read_notebook(&notebook, (struct xylem_position){0, 0});
    assert_int_equal(notebook.page_count, 0);
    assert_int_equal(notebook.epoch.branch, 0);
}

/* --- Data of another shape -------------------------------------------------------------------------------------- */

IN_SCENE(data_of_another_shape_is_skipped_and_the_page_before_it_stays)
{
    static const struct {
        const char *json;
        const char *reason;
    } cases[] = {
        {NULL, "the data is not a map"},
        {"\"a\"", "the data is not a map"},
        {"{}", "name is not a string of 1 to 64 bytes"},
        {"{\"text\":\"x\"}", "name is not a string of 1 to 64 bytes"},
        {"{\"name\":7,\"text\":\"x\"}", "name is not a string of 1 to 64 bytes"},
        {"{\"name\":\"\",\"text\":\"x\"}", "name is not a string of 1 to 64 bytes"},
        {"{\"name\":\"a\"}", "text is not a string of at most 16384 bytes"},
        {"{\"name\":\"a\",\"text\":null}", "text is not a string of at most 16384 bytes"},
        {"{\"name\":\"a\",\"text\":[\"x\"]}", "text is not a string of at most 16384 bytes"},
        {"{\"name\":\"a\",\"removed\":false}", "text is not a string of at most 16384 bytes"},
        {"{\"name\":\"a\",\"removed\":1}", "removed is not a boolean"},
        {"{\"name\":\"a\",\"removed\":null,\"text\":\"x\"}", "removed is not a boolean"},
        {"{\"name\":\"a\",\"removed\":\"true\",\"text\":\"x\"}", "removed is not a boolean"},
    };
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position kept = write_page(session, "a", "1");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct notebook notebook = {0};
        store_builder_go(&builder, session, kept);
        struct xylem_position bad = store_builder_add(&builder, session, NULL, "custom:notebook-page", cases[i].json);
        const char *reason = read_notebook(&notebook, bad);
        assert_non_null(reason);
        assert_string_equal(reason, cases[i].reason);
        assert_int_equal(notebook.page_count, 1);
        assert_position(notebook.pages[0].position, kept);
        notebook_release(&notebook);
    }
}

static void add_raw_page(uint64_t session, size_t name_bytes, size_t text_bytes)
{
    static char bytes[NOTEBOOK_TEXT_BYTES_MAX + 1];
    struct xylem_buffer json = {0};
    memset(bytes, 'x', sizeof bytes);
    assert_int_equal(xylem_buffer_add(&json, "{\"name\":\"", 9), 0);
    assert_int_equal(xylem_buffer_add(&json, bytes, name_bytes), 0);
    assert_int_equal(xylem_buffer_add(&json, "\",\"text\":\"", 10), 0);
    assert_int_equal(xylem_buffer_add(&json, bytes, text_bytes), 0);
    assert_int_equal(xylem_buffer_add(&json, "\"}", 2), 0);
    store_builder_add(&builder, session, NULL, "custom:notebook-page", json.data);
    xylem_buffer_release(&json);
}

IN_SCENE(a_page_at_its_limits_counts_and_one_beyond_does_not)
{
    static const struct {
        size_t name_bytes;
        size_t text_bytes;
        size_t page_count;
    } cases[] = {{1, 0, 1},
                 {NOTEBOOK_NAME_BYTES_MAX, NOTEBOOK_TEXT_BYTES_MAX, 1},
                 {NOTEBOOK_NAME_BYTES_MAX + 1, 1, 0},
                 {1, NOTEBOOK_TEXT_BYTES_MAX + 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct notebook notebook = {0};
        uint64_t session = store_builder_session(&builder, NULL);
        add_raw_page(session, cases[i].name_bytes, cases[i].text_bytes);
        const char *reason = read_notebook(&notebook, store_builder_leaf(&builder, session));
        assert_int_equal(notebook.page_count, cases[i].page_count);
        assert_int_equal(reason == NULL, cases[i].page_count == 1);
        notebook_release(&notebook);
    }
}

IN_SCENE(the_newest_names_count_and_that_there_are_more_is_said)
{
    struct notebook notebook = {0};
    char name[16];
    uint64_t session = store_builder_session(&builder, "s");
    write_page(session, "oldest", "x");
    remove_page(session, "removed");
    for (unsigned i = 1; i < NOTEBOOK_PAGES_MAX; i++) {
        (void)snprintf(name, sizeof name, "n%u", i);
        write_page(session, name, "x");
    }
    assert_null(read_notebook(&notebook, write_page(session, "n1", "y")));
    assert_int_equal(notebook.page_count, NOTEBOOK_PAGES_MAX);
    assert_true(notebook.cut_short);
    assert_null(notebook_find(&notebook, xylem_view_of("oldest")));
    assert_text(view_of(&notebook_find(&notebook, xylem_view_of("n1"))->text), "y");
    notebook_release(&notebook);
    begin_epoch(session);
    assert_null(read_notebook(&notebook, write_page(session, "n1", "z")));
    assert_false(notebook.cut_short);
    notebook_release(&notebook);
}

IN_SCENE(as_many_names_as_there_may_be_are_not_too_many)
{
    struct notebook notebook = {0};
    char name[16];
    uint64_t session = store_builder_session(&builder, "s");
    for (unsigned i = 0; i < 2 * NOTEBOOK_PAGES_MAX; i++) {
        (void)snprintf(name, sizeof name, "n%u", i % NOTEBOOK_PAGES_MAX);
        write_page(session, name, i < NOTEBOOK_PAGES_MAX ? "old" : "new");
    }
    assert_null(read_notebook(&notebook, store_builder_leaf(&builder, session)));
    assert_int_equal(notebook.page_count, NOTEBOOK_PAGES_MAX);
    assert_false(notebook.cut_short);
    assert_text(view_of(&notebook_find(&notebook, xylem_view_of("n0"))->text), "new");
    notebook_release(&notebook);
}

IN_SCENE(a_redacted_page_is_skipped_and_a_redacted_epoch_still_cuts)
{
    struct notebook notebook = {0};
    uint64_t session = store_builder_session(&builder, "s");
    write_page(session, "a", "1");
    struct xylem_position second = write_page(session, "a", "2");
    store_builder_redact(&builder, second);
    assert_string_equal(read_notebook(&notebook, second), "the data was redacted");
    assert_text(view_of(&notebook_find(&notebook, xylem_view_of("a"))->text), "1");
    struct xylem_position epoch =
        store_builder_add(&builder, session, NULL, "custom:notebook-epoch", "{\"reason\":\"moved\"}");
    store_builder_redact(&builder, epoch);
    assert_null(read_notebook(&notebook, epoch));
    assert_int_equal(notebook.page_count, 0);
}

IN_SCENE(an_epoch_counts_whatever_data_it_has)
{
    static const char *const data[] = {NULL, "null", "7", "[]", "{\"name\":\"a\",\"text\":\"x\"}"};
    for (size_t i = 0; i < sizeof data / sizeof data[0]; i++) {
        uint64_t session = store_builder_session(&builder, NULL);
        write_page(session, "a", "1");
        assert_pages(store_builder_add(&builder, session, NULL, "custom:notebook-epoch", data[i]), "");
    }
}

IN_SCENE(the_text_of_a_removed_page_is_not_looked_at_and_other_keys_are_ignored)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, NULL, "custom:notebook-page",
                      "{\"name\":\"a\",\"text\":\"1\",\"removed\":false,\"colour\":\"red\"}");
    assert_pages(store_builder_leaf(&builder, session), "a=1");
    store_builder_add(&builder, session, NULL, "custom:notebook-page", "{\"name\":\"a\",\"text\":7,\"removed\":true}");
    assert_pages(store_builder_leaf(&builder, session), "-a");
}

IN_SCENE(kinds_that_only_look_alike_are_not_read)
{
    uint64_t session = store_builder_session(&builder, "s");
    write_page(session, "a", "1");
    store_builder_add(&builder, session, NULL, "notebook-epoch", NULL);
    store_builder_add(&builder, session, NULL, "custom:notebook-epochs", NULL);
    store_builder_add(&builder, session, NULL, "notebook-page", "{\"name\":\"a\",\"text\":\"2\"}");
    assert_pages(store_builder_leaf(&builder, session), "a=1");
}

/* --- Writing ---------------------------------------------------------------------------------------------------- */

IN_SCENE(what_would_not_count_is_not_written)
{
    static char long_text[NOTEBOOK_TEXT_BYTES_MAX + 1];
    struct xylem_error err = {0};
    uint64_t session = store_builder_session(&builder, "s");
    memset(long_text, 'x', sizeof long_text);
    const struct {
        struct xylem_view name;
        struct xylem_view text;
        int code;
    } cases[] = {{{"", 0}, {"x", 1}, XYLEM_E_LIMIT},
                 {{long_text, NOTEBOOK_NAME_BYTES_MAX + 1}, {"x", 1}, XYLEM_E_LIMIT},
                 {{"a\xff", 2}, {"x", 1}, XYLEM_E_MALFORMED},
                 {{"a", 1}, {long_text, sizeof long_text}, XYLEM_E_LIMIT},
                 {{"a", 1}, {"\xe2\x82", 2}, XYLEM_E_MALFORMED}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(notebook_write(builder.txn, session, cases[i].name, cases[i].text, &err), cases[i].code);
        assert_int_equal(err.code, cases[i].code);
    }
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(notebook_remove(builder.txn, session, cases[i].name, NULL), cases[i].code);
    }
    assert_int_equal(store_builder_leaf(&builder, session).depth, 0);
    assert_int_equal(notebook_begin_epoch(builder.txn, 99, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(notebook_remove(builder.txn, 99, xylem_view_of("a"), &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(err.code, XYLEM_E_NOT_FOUND);
}

IN_SCENE(name_and_text_come_back_as_they_were_given)
{
    static const struct xylem_view texts[] = {{"", 0},
                                              {"\"\\/\n\t\x01\x7f", 7},
                                              {"a\0b", 3},
                                              {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 9},
                                              {"\xed\xa0\xbd", 3}};
    struct notebook notebook = {0};
    uint64_t session = store_builder_session(&builder, "s");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct xylem_view name = i > 0 ? texts[i] : xylem_view_of("plain");
        assert_int_equal(notebook_write(builder.txn, session, name, texts[i], NULL), XYLEM_OK);
        assert_null(read_notebook(&notebook, store_builder_leaf(&builder, session)));
        const struct notebook_page *page = notebook_find(&notebook, name);
        assert_non_null(page);
        assert_int_equal(page->text.bytes, texts[i].bytes);
        assert_memory_equal(page->text.data, texts[i].data, texts[i].bytes);
    }
    notebook_release(&notebook);
}

/* --- Against a plain model -------------------------------------------------------------------------------------- */

enum what { OTHER, PAGE, REMOVAL, EPOCH };

#define NAMES 6

/* What the entries of a random tree are. */
static struct {
    enum what what;
    int name;
} notes[TREE_ENTRIES_MAX];

/* A page's text is its entry's index, its name one letter. */
static void grow(enum what what)
{
    static const char *const others[][2] = {{"message", "{\"message\":{\"role\":\"user\"}}"},
                                            {"custom:notebook-page", "{\"name\":\"a\"}"},
                                            {"custom:notebook-page", NULL},
                                            {"notebook-epoch", NULL}};
    int name = chance_below(&tree.chance, NAMES);
    const char *const *other = others[chance_below(&tree.chance, 4)];
    char letter[2] = {(char)('a' + name), '\0'};
    char text[16];
    (void)snprintf(text, sizeof text, "%d", tree.entry_count);
    switch (what) {
    case PAGE:
        write_page(tree_session(), letter, text);
        break;
    case REMOVAL:
        remove_page(tree_session(), letter);
        break;
    case EPOCH:
        begin_epoch(tree_session());
        break;
    case OTHER:
        store_builder_add(&builder, tree_session(), NULL, other[0], other[1]);
        break;
    }
    int entry = tree_note();
    notes[entry].what = what;
    notes[entry].name = name;
}

/* The newest entry up to the newest epoch that is a page of that name, or its removal; else TREE_NONE. */
static int newest_of(int from, int name)
{
    for (int at = from; at != TREE_NONE && notes[at].what != EPOCH; at = tree_parent(at)) {
        if (notes[at].what != OTHER && notes[at].name == name) {
            return at;
        }
    }
    return TREE_NONE;
}

static int newest_epoch(int from)
{
    while (from != TREE_NONE && notes[from].what != EPOCH) {
        from = tree_parent(from);
    }
    return from;
}

static void check_pages(int from)
{
    struct notebook notebook = {0};
    size_t count = 0;
    (void)read_notebook(&notebook, tree_position(from));
    assert_position(notebook.epoch, tree_position(newest_epoch(from)));
    for (int name = 0; name < NAMES; name++) {
        char letter[2] = {(char)('a' + name), '\0'};
        char text[16];
        int expected = newest_of(from, name);
        const struct notebook_page *page = notebook_find(&notebook, xylem_view_of(letter));
        count += expected != TREE_NONE;
        assert_int_equal(page != NULL, expected != TREE_NONE && notes[expected].what == PAGE);
        if (page) {
            (void)snprintf(text, sizeof text, "%d", expected);
            assert_position(page->position, tree_position(expected));
            assert_text(view_of(&page->text), text);
        }
    }
    assert_int_equal(notebook.page_count, count);
    for (size_t i = 1; i < notebook.page_count; i++) {
        assert_true(notebook.pages[i].position.depth < notebook.pages[i - 1].position.depth);
    }
    notebook_release(&notebook);
}

static void run_pages(void)
{
    static const enum what mix[] = {PAGE, PAGE, PAGE, PAGE, REMOVAL, OTHER, OTHER, OTHER, OTHER};
    for (int i = 0; i < 300; i++) {
        if (chance_one_in(&tree.chance, 3)) {
            tree_wander();
        } else {
            grow(chance_one_in(&tree.chance, 20) ? EPOCH : mix[chance_below(&tree.chance, 9)]);
        }
        check_pages(tree.sessions[tree.current].leaf);
    }
    for (int entry = TREE_NONE; entry < tree.entry_count; entry++) {
        check_pages(entry);
    }
}

TEST_WITH(random_trees_have_the_pages_of_the_plain_model, set_up, tree_end)
{
    tree_run(run_pages);
}
