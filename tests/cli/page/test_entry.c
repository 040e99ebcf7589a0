/* An entry becomes an article: folded, cut, and without anything of its own that runs or loads. */
#include "cli/page/page.h"
#include "tests/cli/page/entry_of.h"
#include "tests/cli/page/page.h"
#include "tests/lib/test.h"
#include "xylem/files.h"

#include <stdlib.h>

/* A page of one entry. */
struct painted {
    struct xylem_cli cli;
    struct xylem_cli__locale locale;
    struct xylem_cli__html html;
    struct xylem_cli__page_cuts cuts;
};

static void paint_beside(struct painted *painted, const char *id, const char *kind, struct xylem_view json,
                         const struct xylem_cli__beside *beside)
{
    struct xylem_entry entry = entry_of(kind, json);
    entry.id = xylem_view_of(id);
    entry.position = (struct xylem_position){3, 4};
    painted->locale = (struct xylem_cli__locale){true, true};
    painted->cli.locale = &painted->locale;
    assert_int_equal(xylem_cli__html_entry(&painted->cli, &painted->html, &painted->cuts, &entry, beside), 0);
    page_holds(&painted->html);
}

static void paint(struct painted *painted, const char *kind, const char *json)
{
    static const struct xylem_cli__beside none = {.is_leaf = false};
    paint_beside(painted, "8d16e680", kind, xylem_view_of(json), &none);
}

static void release(struct painted *painted)
{
    xylem_cli__text_release(&painted->html.text);
    *painted = (struct painted){0};
}

static const char *page_of(const struct painted *painted)
{
    return painted->html.text.bytes.data;
}

/* Each row: a message, and a part of its article. */
static void shows(const char *const rows[][2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct painted painted = {0};
        paint(&painted, "message", rows[i][0]);
        if (!strstr(page_of(&painted), rows[i][1])) {
            print_error("row %zu: %s\n", i, page_of(&painted));
            fail();
        }
        release(&painted);
    }
}
#define SHOWS(rows) shows(rows, sizeof(rows) / sizeof(rows)[0])

TEST(the_head_says_who_and_when_and_what_stands_beside)
{
    struct painted painted = {0};
    struct xylem_cli__text changes = {0};
    xylem_cli__add(&changes, "readonly <b class=\"on\">on</b>");
    struct xylem_cli__beside beside = {
        .family = true, .label = xylem_view_of("<l>"), .state = &changes, .is_leaf = true};
    setenv("TZ", "UTC", 1);
    paint_beside(&painted, "a/b", "message",
                 xylem_view_of("{\"role\":\"toolResult\",\"toolName\":\"<t>\",\"isError\":true,\"content\":\"a\"}"),
                 &beside);
    page_is(
        &painted.html,
        "<article class=\"entry\" id=\"e-a~2fb.3\" data-role=\"toolResult\" data-label data-leaf data-failed>"
        "<header><a class=\"id\" href=\"#e-a~2fb.3\">a/b</a> <span class=\"who\">toolResult</span> "
        "<span class=\"subject\">&lt;t&gt;</span> <time datetime=\"2026-11-20T17:00:00.000Z\">2026-11-20 17:00</time> "
        "<span class=\"label\">&lt;l&gt;</span> <span class=\"leaf\">leaf</span></header>\n"
        "<p class=\"state\">readonly <b class=\"on\">on</b></p>\n"
        "<details class=\"output\" open><summary>output, 1 line, 1 "
        "B</summary>\n<pre>a</pre>\n</details>\n</article>\n");
    xylem_cli__text_release(&changes);
    paint(&painted, "\"><script>", "{\"a\":1}");
    assert_non_null(strstr(page_of(&painted), "data-kind=\"&quot;&gt;&lt;script&gt;\">"));
    release(&painted);
}

TEST(no_entry_looks_like_a_message_of_another_role)
{
    static const struct {
        const char *kind;
        const char *json;
        const char *begin;
        const char *who;
    } rows[] = {{"message", "{\"role\":\"user\"}", " data-role=\"user\">", "\"who\">user<"},
                {"message", "{\"role\":\"user \"}", " data-role=\"user \">", "\"who\">message user <"},
                {"message", "{\"role\":\"\\nuser\"}", " data-role=\"\nuser\">", "\"who\">message \\nuser<"},
                {"user", "{\"role\":\"user\"}", " data-kind=\"user\">", "\"who\">entry user<"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct painted painted = {0};
        paint(&painted, rows[i].kind, rows[i].json);
        assert_non_null(strstr(page_of(&painted), rows[i].begin));
        assert_non_null(strstr(page_of(&painted), rows[i].who));
        release(&painted);
    }
}

TEST(words_of_people_and_models_are_markdown_and_output_is_not)
{
    static const char *const rows[][2] = {
        {"{\"role\":\"user\",\"content\":\"*a*\"}", "<div class=\"words\"><p><em>a</em></p>\n</div>"},
        {"{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"**b**\"}]}", "<p><strong>b</strong></p>"},
        {"{\"role\":\"toolResult\",\"content\":\"*a* <b>\"}", "<pre>*a* &lt;b&gt;</pre>"},
        {"{\"role\":\"bashExecution\",\"command\":\"ls *a*\",\"output\":\"*b*\\n\",\"exitCode\":2}",
         "<pre class=\"shell\">$ ls *a*</pre>\n<details class=\"output\" open><summary>output, 1 line, 4 B</summary>\n"
         "<pre>*b*\n</pre>\n</details>\n<p class=\"failure\">exit code 2</p>"},
        {"{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"a\\n*b*\"}]}",
         "<details class=\"thinking\"><summary>thinking, 2 lines</summary>\n<div "
         "class=\"words\"><p>a\n<em>b</em></p>"},
        {"{\"role\":\"assistant\",\"content\":[],\"stopReason\":\"aborted\"}", "<p class=\"note\">aborted</p>"},
        {"{\"role\":\"assistant\",\"content\":[],\"stopReason\":\"error\",\"errorMessage\":\"<x>\"}",
         "<p class=\"failure\">&lt;x&gt;</p>"},
        {"{\"role\":\"system\",\"content\":\"\",\"sections\":{\"<r>\":\"*a*\"}}",
         "<details class=\"section\"><summary>&lt;r&gt;, 1 line</summary>"},
        {"{\"role\":\"user\",\"content\":[{\"type\":\"odd\",\"x\":\"<y>\"}]}",
         "<pre class=\"data\">{&quot;type&quot;:&quot;odd&quot;,&quot;x&quot;:&quot;&lt;y&gt;&quot;}</pre>"}};
    SHOWS(rows);
    struct painted painted = {0};
    paint(&painted, "model_change", "{\"provider\":\"p\",\"modelId\":\"a_b_c *d*\"}");
    assert_non_null(strstr(page_of(&painted), "<p>p/a_b_c *d*</p>"));
    paint(&painted, "compaction", "{\"summary\":\"*e*\"}");
    assert_non_null(strstr(page_of(&painted), "<p><em>e</em></p>"));
    release(&painted);
}

TEST(only_a_short_output_is_unfolded)
{
    static const char *const rows[][2] = {
        {"{\"role\":\"toolResult\",\"content\":\"1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9\\n10\\n11\\n12\\n\"}",
         "<details class=\"output\" open><summary>output, 12 lines,"},
        {"{\"role\":\"toolResult\",\"content\":\"1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9\\n10\\n11\\n12\\n13\"}",
         "<details class=\"output\"><summary>output, 13 lines,"}};
    SHOWS(rows);
}

/* --- Calls ---------------------------------------------------------------------------------------------------------- */

#define CALL(name, arguments) \
    "{\"role\":\"assistant\",\"content\":[{\"type\":\"toolCall\",\"name\":\"" name "\",\"arguments\":" arguments "}]}"

#define X40 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

TEST(a_call_is_folded_behind_what_distinguishes_it)
{
    static const char *const rows[][2] = {
        {CALL("bash", "{\"command\":\"" X40 X40 X40 X40 "\"}"), "<code>" X40 X40 X40 X40 "</code></summary>"},
        {CALL("bash", "{\"command\":\"0" X40 X40 X40 X40 "\"}"), "x\u2026</code></summary>"},
        {CALL("bash", "{\"command\":\"ls <x>\\nrm\",\"n\":{\"a\":[1]}}"),
         "<details class=\"call\"><summary><b>bash</b> <code>ls &lt;x&gt; rm</code></summary>\n"
         "<dl><dt>command</dt><dd><pre>ls &lt;x&gt;\nrm</pre></dd>\n"
         "<dt>n</dt><dd><pre>{&quot;a&quot;:[1]}</pre></dd>\n</dl>\n</details>\n"},
        {CALL("<b>", "[1]"), "<summary><b>&lt;b&gt;</b></summary>\n<pre class=\"data\">[1]</pre></details>"},
        {CALL("x", "{}"), "<summary><b>x</b></summary>\n<dl></dl>\n</details>"},
        {CALL("x", "{\"<k>\":\"v\"}"), "<dt>&lt;k&gt;</dt>"}};
    SHOWS(rows);
}

TEST(an_edit_is_lines_that_go_and_come_between_lines_that_stay)
{
    static const char *const rows[][2] = {
        {CALL("edit", "{\"path\":\"p\",\"oldText\":\"1\\n2\\n3\\n4\\n<a>\\n5\\n6\\n7\\n8\\n\",\"newText\":"
                      "\"1\\n2\\n3\\n4\\nb\\nc\\n5\\n6\\n7\\n8\\n\"}"),
         "<details class=\"call diff\"><summary><b>edit</b> <code>p</code></summary>\n"
         "<dl><dt>path</dt><dd><pre>p</pre></dd>\n</dl>\n"
         "<pre class=\"diff\">  1\n  2\n  3\n  4\n<del>- &lt;a&gt;\n</del><ins>+ b\n+ c\n</ins>  5\n  6\n  7\n  "
         "8\n</pre>\n"},
        {CALL("mcp__s__multiedit", "{\"edits\":[{\"old_string\":\"a\",\"new_string\":\"b\"},"
                                   "{\"old_string\":\"c\\n\",\"new_string\":\"\"}]}"),
         "<pre class=\"diff\"><del>- a\n</del><ins>+ b\n</ins></pre>\n<pre class=\"diff\"><del>- c\n</del></pre>\n"},
        {CALL("write", "{\"content\":\"x\\n\\ny\"}"), "<pre class=\"diff\"><ins>+ x\n+ \n+ y\n</ins></pre>"},
        {CALL("edit", "{\"oldText\":\"\",\"newText\":\"\"}"), "<pre class=\"diff\"></pre>"},
        {CALL("edit", "{\"oldText\":\"a\\nb\",\"newText\":\"a\\nb\"}"), "<pre class=\"diff\">  a\n  b\n</pre>"},
        /* the last newline may be missing */
        {CALL("edit", "{\"oldText\":\"a\",\"newText\":\"a\\nb\"}"), "<pre class=\"diff\">  a\n<ins>+ b\n</ins></pre>"},
        {CALL("edit", "{\"oldText\":\"b\",\"newText\":\"a\\nb\"}"), "<pre class=\"diff\"><ins>+ a\n</ins>  b\n</pre>"},
        {CALL("edit", "{\"oldText\":\"a\\nab\",\"newText\":\"a\\nac\\n\"}"),
         "<pre class=\"diff\">  a\n<del>- ab\n</del><ins>+ ac\n</ins></pre>"},
        {CALL("edit", "{\"oldText\":\"xb\\n\",\"newText\":\"yb\\n\"}"),
         "<pre class=\"diff\"><del>- xb\n</del><ins>+ yb\n</ins></pre>"},
        /* of an unknown shape: data, and nothing is hidden */
        {CALL("edit", "{\"edits\":[{\"oldText\":\"a\",\"newText\":\"b\",\"more\":1}, \"x\"]}"),
         "<pre>{&quot;oldText&quot;:&quot;a&quot;,&quot;newText&quot;:&quot;b&quot;,&quot;more&quot;:1}</pre><pre>x</"
         "pre>"},
        {CALL("edit", "{\"edits\":\"x\"}"), "<dt>edits</dt>"},
        {CALL("read", "{\"path\":\"p\",\"content\":\"x\"}"), "<dt>content</dt>"}};
    SHOWS(rows);
}

/* --- Images --------------------------------------------------------------------------------------------------------- */

#define IMAGE(type, data) \
    "{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"mimeType\":\"" type "\",\"data\":\"" data "\"}]}"

TEST(an_image_is_of_the_format_of_its_first_bytes)
{
    static const char *const rows[][2] = {
        {IMAGE("text/html\\\"x",
               "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"),
         "<figure class=\"image\"><img alt=\"text/html&quot;x, 69 B\" src=\"data:image/png;base64,iVBORw0KGgo"},
        {IMAGE("image/png", "/9j/4DAwMDAwMDAw"), "src=\"data:image/jpeg;base64,/9j/"},
        {IMAGE("", "R0lGODlhMDAwMDAw"), "alt=\"image, 12 B\" src=\"data:image/gif;base64,"},
        {IMAGE("image/png", "UklGRjAwMDBXRUJQ"), "src=\"data:image/webp;base64,"},
        {IMAGE("image/png", "UklGRjAwMDBXQVZF"),
         "<p class=\"note\">image/png, 12 B: no PNG, JPEG, GIF or WebP, so not shown</p>"},
        {IMAGE("image/svg+xml", "PHN2ZyB4bWxucz0wMA=="), "<p class=\"note\">image/svg+xml"},
        {IMAGE("image/gif", "R0lGODlhMDAwMDAw\\\"x=="), "<p class=\"note\">"},
        {IMAGE("image/gif", "R0lGODlhMDAwMDAwab=c"), "<p class=\"note\">"},
        {IMAGE("image/gif", "R0lGODlhMDAwMDAwabc"), "<p class=\"note\">"},
        {IMAGE("image/gif", "R0lG"), "<p class=\"note\">"},
        {IMAGE("image/gif", ""), "<p class=\"note\">"}};
    SHOWS(rows);
}

/* A message with an image of so many characters of base64. */
static struct xylem_cli__text message_with_image(size_t characters)
{
    struct xylem_cli__text json = {0};
    xylem_cli__add(
        &json,
        "{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"mimeType\":\"image/gif\",\"data\":\"R0lGODlhMDAw");
    for (size_t i = 12; i < characters; i += 4) {
        xylem_cli__add(&json, "MDAw");
    }
    xylem_cli__add(&json, "\"}]}");
    assert_false(json.failed);
    return json;
}

TEST(images_have_a_limit_each_and_for_the_page)
{
    struct painted painted = {0};
    struct xylem_cli__beside beside = {.is_leaf = false};
    struct xylem_cli__text large = message_with_image(2097152 / 3 * 4 + 8);
    struct xylem_cli__text fits = message_with_image(2097152 / 3 * 4);
    paint_beside(&painted, "a", "message", xylem_cli__text_view(&large), &beside);
    assert_non_null(strstr(page_of(&painted), "too large to be shown here"));
    assert_int_equal(painted.cuts.image_count, 1);
    for (int i = 0; i < 4; i++) {
        paint_beside(&painted, "a", "message", xylem_cli__text_view(&fits), &beside);
        assert_int_equal(painted.cuts.image_count, 1);
    }
    paint_beside(&painted, "a", "message", xylem_cli__text_view(&fits), &beside);
    assert_int_equal(painted.cuts.image_count, 2);
    assert_in_range(painted.cuts.image_bytes, 2 * 2097150, 2 * 2097160);
    assert_in_range(painted.html.bytes, 1, 8388608 / 3 * 4 + 10000);
    xylem_cli__text_release(&large);
    xylem_cli__text_release(&fits);
    release(&painted);
}

/* --- Bounds --------------------------------------------------------------------------------------------------------- */

TEST(a_long_text_is_cut_between_characters_and_says_so)
{
    struct painted painted = {0};
    struct xylem_cli__beside beside = {.family = true};
    struct xylem_cli__text json = {0};
    xylem_cli__add(&json, "{\"role\":\"toolResult\",\"content\":\"x");
    for (int i = 0; i < 150000; i++) {
        xylem_cli__add(&json, "\xc3\xa9");
    }
    xylem_cli__add(&json, "\"}");
    paint_beside(&painted, "a<b", "message", xylem_cli__text_view(&json), &beside);
    assert_int_equal(painted.cuts.text_count, 1);
    assert_int_equal(painted.cuts.text_bytes, 300001 - 204799);
    assert_non_null(strstr(page_of(&painted),
                           "</pre>\n<p class=\"note\">cut, 93.0 KiB more: <code>xylem show a&lt;b --full</code></p>"));
    assert_null(strstr(page_of(&painted), "odd"));
    assert_in_range(painted.html.bytes, 200000, 210000);
    xylem_cli__text_release(&json);
    release(&painted);
}

TEST(markdown_that_costs_too_much_is_counted)
{
    struct painted painted = {0};
    painted.html.markdown_ns = UINT64_C(6000000000);
    paint(&painted, "message", "{\"role\":\"user\",\"content\":\"*a*\"}");
    assert_int_equal(painted.cuts.markdown_count, 1);
    assert_non_null(strstr(page_of(&painted), "<pre class=\"plain\">*a*</pre>"));
    release(&painted);
}

TEST(what_the_user_leaves_out_stands_nowhere)
{
    struct painted painted = {0};
    struct xylem_cli__left_out left_out = {0};
    struct xylem_cli__beside beside = {.label = xylem_view_of("of s3cret")};
    assert_int_equal(xylem_patterns_new(&left_out.patterns, xylem_view_of("s3cret"), NULL), 0);
    painted.cli.left_out = &left_out;
    paint_beside(&painted, "s3cret", "message",
                 xylem_view_of("{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"*s3cret*\"},"
                               "{\"type\":\"toolCall\",\"name\":\"s3cret\",\"arguments\":{\"command\":\"s3cret\"}}]}"),
                 &beside);
    assert_null(strstr(page_of(&painted), "s3cret"));
    assert_non_null(strstr(page_of(&painted), " id=\"e-~at-3-4\" "));
    assert_non_null(strstr(page_of(&painted), " href=\"#e-~at-3-4\">"));
    xylem_patterns_free(left_out.patterns);
    release(&painted);
}

TEST(what_cannot_be_read_says_why)
{
    struct painted painted = {0};
    paint(&painted, "message", "{\"role\":");
    assert_non_null(strstr(page_of(&painted), "<p class=\"note\">"));
    release(&painted);
}
