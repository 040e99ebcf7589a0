/* The page as a whole: written in pieces, ended by its writer, the same from every terminal. */
#include "cli/export_page.h"
#include "tests/lib/one_session.h"
#include "tests/lib/test.h"

#define PAGE_TEST(rule) TEST_WITH(rule, set_up, tear_down)

struct written {
    struct xylem_cli__text text;
    size_t calls;
    size_t longest;
    int answer;
};

static int take(void *context, const void *data, size_t bytes)
{
    struct written *written = context;
    xylem_cli__add_bytes(&written->text, data, bytes);
    written->calls++;
    written->longest = bytes > written->longest ? bytes : written->longest;
    return written->answer;
}

static int write_page(struct written *written, bool family, bool colored)
{
    struct xylem_cli__locale ascii = {true, false};
    struct xylem_cli cli = {.txn = builder.txn, .colored = colored, .locale = &ascii};
    const struct xylem_cli__page_options options = {.family = family, .index = "index.html"};
    const struct xylem_session row = store_builder_read(&builder, session);
    int code = xylem_cli__export_page(&cli, &row, &options, take, written);
    assert_int_equal(cli.colored, colored);
    assert_ptr_equal(cli.locale, &ascii);
    assert_false(written->text.failed);
    return code;
}

static size_t count_of(const struct written *written, const char *part)
{
    size_t count = 0;
    for (const char *at = written->text.bytes.data; (at = strstr(at, part)); at++) {
        count++;
    }
    return count;
}

PAGE_TEST(a_long_page_is_written_in_pieces)
{
    struct written written = {.answer = 0};
    store_builder_messages(&builder, session, 3000);
    assert_int_equal(write_page(&written, false, false), 0);
    assert_int_equal(count_of(&written, "<article "), 3000);
    assert_true(written.calls > 5);
    assert_true(written.longest < written.text.bytes.bytes / 4); /* the index of prompts is one piece */
    xylem_cli__text_release(&written.text);
}

PAGE_TEST(the_first_answer_of_the_writer_ends_the_page)
{
    struct written written = {.answer = 7};
    store_builder_messages(&builder, session, 3000);
    assert_int_equal(write_page(&written, false, false), 7);
    assert_int_equal(written.calls, 1);
    xylem_cli__text_release(&written.text);
}

PAGE_TEST(a_page_is_the_same_from_a_terminal_with_colours)
{
    struct written plain = {.answer = 0};
    struct written colored = {.answer = 0};
    store_builder_add(&builder, session, "a", "message", "{\"role\":\"user\",\"content\":\"na\\u00efve $(x)\"}");
    store_builder_add(&builder, session, "b", "custom:readonly", "{\"enabled\":true}");
    store_builder_add(&builder, session, "c", "message",
                      "{\"role\":\"assistant\",\"content\":[{\"type\":\"toolCall\",\"id\":\"t\",\"name\":\"bash\","
                      "\"arguments\":{\"command\":\"ls\"}}]}");
    assert_int_equal(write_page(&plain, false, false), 0);
    assert_int_equal(write_page(&colored, false, true), 0);
    assert_string_equal(plain.text.bytes.data, colored.text.bytes.data);
    assert_null(strchr(plain.text.bytes.data, '\x1b'));
    assert_non_null(strstr(plain.text.bytes.data, "<title>na\u00efve $(x)</title>"));
    assert_non_null(strstr(plain.text.bytes.data, "<a href=\"index.html\">All sessions</a>"));
    xylem_cli__text_release(&plain.text);
    xylem_cli__text_release(&colored.text);
}

PAGE_TEST(a_family_has_each_entry_once_and_each_anchor_once)
{
    struct written written = {.answer = 0};
    struct xylem_position shared = store_builder_messages(&builder, session, 20);
    for (int i = 0; i < 5; i++) {
        const char id[] = {'f', (char)('0' + i), '\0'};
        uint64_t fork = store_builder_fork(&builder, session, shared, XYLEM_FORK_AT, id);
        store_builder_add(&builder, fork, "same", "note", NULL);
        store_builder_fork(&builder, fork, store_builder_leaf(&builder, fork), XYLEM_FORK_AT,
                           (char[]){'g', id[1], '\0'});
    }
    assert_int_equal(write_page(&written, true, false), 0);
    assert_int_equal(count_of(&written, "<article "), 25);
    assert_int_equal(count_of(&written, "id=\"e-same."), 5); /* each with another number behind */
    for (const char *at = written.text.bytes.data; (at = strstr(at, "id=\"e-same.")); at++) {
        char anchor[40] = {0};
        assert_true(strcspn(at, " ") < sizeof anchor);
        memcpy(anchor, at, strcspn(at, " "));
        assert_int_equal(count_of(&written, anchor), 1);
    }
    assert_int_equal(count_of(&written, ">same</a>"), 5);
    assert_int_equal(count_of(&written, "leaf of g"), 5);
    assert_non_null(strstr(written.text.bytes.data, "<dt>sessions</dt> <dd>11</dd>"));
    xylem_cli__text_release(&written.text);
}
