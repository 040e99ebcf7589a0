/* The map of a page: what is drawn where, and that every entry is a link or is counted. */
#include "cli/page/map.h"
#include "tests/lib/one_session.h"
#include "tests/lib/test.h"

#include <stdio.h>
#include <stdlib.h>

#define MAP_TEST(rule) TEST_WITH(rule, set_up, tear_down)

static struct xylem_cli cli;
static struct xylem_cli__locale utf8 = {true, true};
static struct xylem_cli__tree tree;
static struct xylem_cli__html html;

/* The map of the session; valid until done(). */
static const char *map(void)
{
    static const struct xylem_cli__list none = {.count = 0};
    struct xylem_cli__kinds kinds = {.given = &none};
    struct xylem_cli__filter filter = {.kinds = &kinds, .since_ms = INT64_MIN, .until_ms = INT64_MAX};
    const struct xylem_session row = store_builder_read(&builder, session);
    cli = (struct xylem_cli){.txn = builder.txn, .locale = &utf8};
    assert_int_equal(xylem_cli__tree_read(&cli, &tree, &row, (struct xylem_position){0, 0}, &filter), 0);
    assert_int_equal(xylem_cli__html_map(&cli, &html, &tree, false), 0);
    assert_false(html.text.failed);
    return html.text.bytes.data ? html.text.bytes.data : "";
}

static void done(void)
{
    xylem_cli__tree_release(&tree);
    xylem_cli__text_release(&html.text);
    html = (struct xylem_cli__html){.write = NULL};
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text += strlen(part)) {
        count++;
    }
    return count;
}

/* The entries that the titles of dashed lines count. */
static size_t hidden_in(const char *text)
{
    static const char before[] = "class=\"fold\"><title>";
    size_t count = 0;
    for (; (text = strstr(text, before)); text += sizeof before - 1) {
        size_t number = 0;
        for (const char *at = text + sizeof before - 1; *at != ' '; at++) {
            assert_true(*at == ',' || (*at >= '0' && *at <= '9'));
            number = *at == ',' ? number : number * 10 + (size_t)(*at - '0');
        }
        count += number;
    }
    return count;
}

/* The lane of the entry with that id. */
static unsigned long lane_of(const char *text, const char *id)
{
    char link[80];
    snprintf(link, sizeof link, "<a href=\"#e-%s\">", id);
    const char *at = strstr(text, link);
    assert_non_null(at);
    at = strstr(at, "cx=\"");
    assert_non_null(at);
    return (strtoul(at + 4, NULL, 10) - 8) / 16;
}

MAP_TEST(an_entry_is_a_link_with_who_and_the_first_words_as_its_title)
{
    store_builder_add(&builder, session, "a", "message", "{\"role\":\"user\",\"content\":\"one\\ntwo\"}");
    assert_non_null(strstr(map(), "<a href=\"#e-a\"><title>user: one two</title><circle class=\"user leaf\" "
                                  "cx=\"8\" cy=\"8\" r=\"4\"/></a>\n"));
    done();
}

MAP_TEST(the_class_of_an_entry_says_its_role)
{
    static const char *const rows[][3] = {
        {"message", "{\"role\":\"user\",\"content\":\"x\"}", "\"user"},
        {"message", "{\"role\":\"assistant\",\"content\":[]}", "\"assistant"},
        {"message", "{\"role\":\"toolResult\",\"toolName\":\"x\",\"content\":[]}", "\"tool"},
        {"message", "{\"role\":\"bashExecution\",\"command\":\"x\"}", "\"tool"},
        {"compaction", "{\"summary\":\"x\"}", "\"compaction"},
        {"label", "{\"targetId\":\"e0\",\"label\":\"good\"}", "\"label"},
        {"custom:label", "{}", "\"custom"},
        {"note", "{}", "\"custom"},
    };
    char id[8];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(id, sizeof id, "e%zu", i);
        store_builder_add(&builder, session, id, rows[i][0], rows[i][1]);
    }
    const char *text = map();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char link[80];
        snprintf(link, sizeof link, "<a href=\"#e-e%zu\">", i);
        const char *class = strstr(strstr(text, link), "class=");
        assert_memory_equal(class + 6, rows[i][2], strlen(rows[i][2]));
    }
    assert_non_null(strstr(text, "<title>user: [good] x</title><circle class=\"user labelled\""));
    done();
}

MAP_TEST(nothing_of_an_entry_is_markup)
{
    store_builder_add(&builder, session, "\"><script>", "message",
                      "{\"role\":\"user\",\"content\":\"</title><script>alert(1)</script>\\u202e\"}");
    const char *text = map();
    assert_null(strstr(text, "<script"));
    assert_null(strstr(text, "\u202e"));
    assert_non_null(strstr(text, "href=\"#e-~22~3e~3cscript~3e\""));
    done();
}

MAP_TEST(the_path_of_the_leaf_is_lane_0_and_a_branch_stands_beside_above_the_rest_of_the_path)
{
    store_builder_add(&builder, session, "a", "note", NULL);
    struct xylem_position fork = store_builder_leaf(&builder, session);
    store_builder_add(&builder, session, "b", "note", NULL);
    store_builder_add_at(&builder, session, fork, "x", "note", NULL);
    store_builder_add(&builder, session, "y", "note", NULL);
    store_builder_go(&builder, session, store_builder_find(&builder, session, "b"));
    const char *text = map();
    assert_int_equal(lane_of(text, "a"), 0);
    assert_int_equal(lane_of(text, "b"), 0);
    assert_int_equal(lane_of(text, "x"), 1);
    assert_int_equal(lane_of(text, "y"), 1);
    assert_true(strstr(text, "#e-a") < strstr(text, "#e-x"));
    assert_true(strstr(text, "#e-x") < strstr(text, "#e-y"));
    assert_true(strstr(text, "#e-y") < strstr(text, "#e-b"));
    assert_non_null(strstr(text, "<path d=\"M8 8V8L24 24\"/>"));
    assert_non_null(strstr(text, "<path d=\"M24 24V24L24 40\"/>"));
    assert_non_null(strstr(text, "<path d=\"M8 8V40L8 56\"/>"));
    done();
}

MAP_TEST(roots_stand_one_below_the_other_without_a_line)
{
    store_builder_add(&builder, session, "a", "note", NULL);
    store_builder_add_at(&builder, session, (struct xylem_position){0, 0}, "r", "note", NULL);
    store_builder_go(&builder, session, store_builder_find(&builder, session, "a"));
    const char *text = map();
    assert_int_equal(lane_of(text, "a"), 0);
    assert_int_equal(lane_of(text, "r"), 0);
    assert_null(strstr(text, "<path"));
    done();
}

MAP_TEST(a_session_without_an_entry_has_no_drawing)
{
    assert_string_equal(map(), "");
    done();
}

MAP_TEST(a_long_path_is_folded_to_300_entries_and_the_others_are_counted)
{
    store_builder_grow(&builder, session, 2000);
    const char *text = map();
    size_t links = count_of(text, "<a href=");
    assert_in_range(links, 150, XYLEM_CLI__MAP_NODES_MAX);
    assert_int_equal(links + hidden_in(text), 2000);
    done();
}

MAP_TEST(many_roots_and_branches_are_folded_and_the_others_are_counted)
{
    for (size_t i = 0; i < 400; i++) {
        store_builder_add_at(&builder, session, (struct xylem_position){0, 0}, NULL, "note", NULL);
        struct xylem_position root = store_builder_leaf(&builder, session);
        for (size_t j = 0; j < 3; j++) {
            store_builder_add_at(&builder, session, root, NULL, "note", NULL);
        }
    }
    const char *text = map();
    size_t links = count_of(text, "<a href=");
    assert_in_range(links, 150, XYLEM_CLI__MAP_NODES_MAX);
    assert_int_equal(links + hidden_in(text), 1600);
    done();
}

/* Each entry of the chain has a younger child, which stays in its lane: the chain goes one lane to the right. */
MAP_TEST(branches_of_branches_beyond_12_lanes_are_counted)
{
    struct xylem_position chain[30];
    for (size_t i = 0; i < 30; i++) {
        chain[i] = store_builder_add(&builder, session, NULL, "note", NULL);
    }
    for (size_t i = 30; i > 0; i--) {
        store_builder_add_at(&builder, session, chain[i - 1], NULL, "note", NULL);
    }
    const char *text = map();
    size_t links = count_of(text, "<a href=");
    unsigned long last = 0;
    for (const char *at = text; (at = strstr(at, "cx=\"")); at++) {
        unsigned long x = strtoul(at + 4, NULL, 10);
        last = x > last ? x : last;
    }
    assert_int_equal(last, (XYLEM_CLI__MAP_LANES_MAX - 1) * 16 + 8);
    assert_int_equal(links + hidden_in(text), 60);
    done();
}
