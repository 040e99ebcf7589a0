/* Markdown becomes HTML of this program alone, and no text costs more than its bound. */
#include "cli/page/markdown.h"
#include "cli/page/markdown_cut.h"
#include "tests/cli/page/page.h"
#include "tests/lib/test.h"

#include "xylem/files.h"

#include <stdlib.h>

static const struct xylem_cli cli = {.width = 0};

/* Each row: a text, and its HTML. */
static void becomes(const char *const rows[][2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct xylem_cli__html html = {0};
        assert_true(xylem_cli__html_markdown(&cli, &html, xylem_view_of(rows[i][0])));
        page_holds(&html);
        page_is(&html, rows[i][1]);
    }
}
#define BECOMES(rows) becomes(rows, sizeof(rows) / sizeof(rows)[0])

TEST(blocks_and_inlines_are_painted)
{
    static const char *const rows[][2] = {
        {"# a\n## b\n### c\n#### d", "<h4>a</h4>\n<h5>b</h5>\n<h6>c</h6>\n<h6>d</h6>\n"},
        {"a *b* **c** ~~d~~ `e`\nf  \ng",
         "<p>a <em>b</em> <strong>c</strong> <del>d</del> <code>e</code>\nf<br>\ng</p>\n"},
        {"about ~5 to ~6", "<p>about ~5 to ~6</p>\n"},
        {"- a\n- b\n", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"},
        {"3. a\n\n4. b\n", "<ol start=\"3\">\n<li><p>a</p>\n</li>\n<li><p>b</p>\n</li>\n</ol>\n"},
        {"1. a\n", "<ol>\n<li>a</li>\n</ol>\n"},
        {"- [x] a\n- [ ] b\n", "<ul>\n<li><input type=\"checkbox\" disabled checked aria-label=\"done\"> a</li>\n"
                               "<li><input type=\"checkbox\" disabled aria-label=\"open\"> b</li>\n</ul>\n"},
        {"> a\n\n---\n", "<blockquote>\n<p>a</p>\n</blockquote>\n<hr>\n"},
        {"|a|b|\n|-|-|\n|c|d|\n", "<table>\n<thead>\n<tr><th>a</th><th>b</th></tr>\n</thead>\n<tbody>\n"
                                  "<tr><td>c</td><td>d</td></tr>\n</tbody>\n</table>\n"},
        {"http://a.b and[^1]\n\n[^1]: b c", "<p>http://a.b and[^1]</p>\n<p>[^1]: b c</p>\n"}};
    BECOMES(rows);
}

TEST(code_keeps_its_language_only_as_a_plain_word)
{
    static const char *const rows[][2] = {
        {"```C++ x\na < b\n```", "<pre><code class=\"language-c++\">a &lt; b\n</code></pre>\n"},
        {"```a\"onload=1\nb\n```", "<pre><code>b\n</code></pre>\n"},
        {"```aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nb\n```", "<pre><code>b\n</code></pre>\n"},
        {"    a", "<pre><code>a\n</code></pre>\n"}};
    BECOMES(rows);
}

TEST(html_of_the_text_becomes_text)
{
    static const char *const rows[][2] = {
        {"a <b onclick=x>c</b>", "<p>a &lt;b onclick=x&gt;c&lt;/b&gt;</p>\n"},
        {"<script>\nalert(1)\n</script>\n", "<pre class=\"plain\">&lt;script&gt;\nalert(1)\n&lt;/script&gt;\n</pre>\n"},
        {"&lt;img src=x onerror=y&gt; &#60;", "<p>&lt;img src=x onerror=y&gt; &lt;</p>\n"}};
    BECOMES(rows);
}

TEST(only_links_to_the_web_and_to_mailboxes_lead_anywhere)
{
    static const char *const rows[][2] = {
        {"[a](https://b.c/?d&e \"f\")", "<p><a href=\"https://b.c/?d&amp;e\" rel=\"noreferrer\">a</a></p>\n"},
        {"[a](HTTP://b) <mailto:c@d>", "<p><a href=\"HTTP://b\" rel=\"noreferrer\">a</a> "
                                       "<a href=\"mailto:c@d\" rel=\"noreferrer\">mailto:c@d</a></p>\n"},
        {"[a](javascript:alert(1))", "<p>a <code>javascript:alert(1)</code></p>\n"},
        {"[a](java&#10;script:x)", "<p>a <code>java\nscript:x</code></p>\n"},
        {"[a](<\x01javascript:x>)", "<p>a <code>\\x01javascript:x</code></p>\n"},
        {"[a](data:text/html,b) [c](/etc) [d](#e-f)",
         "<p>a <code>data:text/html,b</code> c <code>/etc</code> d <code>#e-f</code></p>\n"},
        {"[a](https:)", "<p>a <code>https:</code></p>\n"},
        {"![a *b*](http://c/d.png)", "<p><a href=\"http://c/d.png\" rel=\"noreferrer\">a <em>b</em></a></p>\n"},
        {"![](http://c)", "<p><a href=\"http://c\" rel=\"noreferrer\">http://c</a></p>\n"},
        {"[![a](http://b)](http://c)", "<p><a href=\"http://c\" rel=\"noreferrer\">a <code>http://b</code></a></p>\n"},
        {"[a](https://b\"onclick=c)", "<p><a href=\"https://b&quot;onclick=c\" rel=\"noreferrer\">a</a></p>\n"},
        {"[a]\n\n[a]: javascript:b\n", "<p>a <code>javascript:b</code></p>\n"}};
    BECOMES(rows);
}

TEST(what_the_parser_would_replace_stays_visible)
{
    static const struct {
        struct xylem_view from;
        const char *to;
    } rows[] = {{{"a\0b", 3}, "<p>a\\x00b</p>\n"},
                {{"\xed\xa0\x80 `\xed\xb0\x80`", 9}, "<p>\\ud800 <code>\\udc00</code></p>\n"},
                {{"\xff\xc3 \xe2\x80\xae \x1b\r\n\tb", 12}, "<p>\\xff\\xc3 \\u202e \\x1b\nb</p>\n"},
                {{"\xf4\x8f\xbc\xbc|\xf3\xa0\x80\x80", 9}, "<p>\xf4\x8f\xbc\xbc|\\U000e0000</p>\n"},
                {{"&#x202e;&#1;", 12}, "<p><span class=\"odd\">\\u202e</span><span class=\"odd\">\\x01</span></p>\n"},
                {{"[a](http://b\xff)", 14}, "<p><a href=\"http://b\\xff\" rel=\"noreferrer\">a</a></p>\n"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct xylem_cli__html html = {0};
        assert_true(xylem_cli__html_markdown(&cli, &html, rows[i].from));
        page_holds(&html);
        page_is(&html, rows[i].to);
    }
}

TEST(marks_hide_no_secret)
{
    static const char *const rows[][2] = {
        {"a ghp\\_abcdefghijklmnopqrstuvwxyz0123456789 *b*", "<p>a [redacted: github-token] b</p>\n"},
        {"*c*\n\n# ghp&#95;abcdefghijklmn**opqrst**uvwxyz0123456789",
         "<p><em>c</em></p>\n<h4>[redacted: github-token]</h4>\n"},
        {"- ghp_abcdefghijklm`nopqrstuvwxyz`0123456789\n- *d*",
         "<ul>\n<li>[redacted: github-token]</li>\n<li><em>d</em></li>\n</ul>\n"},
        {"*password*: [redacted: github-token]", "<p><em>password</em>: [redacted: github-token]</p>\n"}};
    struct xylem_cli__left_out left_out = {0};
    const struct xylem_cli searching = {.left_out = &left_out};
    assert_int_equal(xylem_patterns_new_secrets(&left_out.patterns, xylem_view_of(""), NULL), 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct xylem_cli__html html = {0};
        assert_true(xylem_cli__html_markdown(&searching, &html, xylem_view_of(rows[i][0])));
        page_is(&html, rows[i][1]);
    }
    assert_int_equal(left_out.count, 3);
    xylem_patterns_free(left_out.patterns);
}

/* --- Bounds --------------------------------------------------------------------------------------------------------- */

/* A text of so many bytes: a beginning, then a part again and again. */
static struct xylem_cli__text repeated(const char *beginning, const char *part, size_t bytes)
{
    struct xylem_cli__text text = {0};
    xylem_cli__add(&text, beginning);
    while (text.bytes.bytes < bytes) {
        xylem_cli__add(&text, part);
    }
    assert_false(text.failed);
    return text;
}

/* Paints the text, holds the bounds, and releases the text. */
static bool is_cheap(const char *name, struct xylem_cli__text *text)
{
    struct xylem_cli__html html = {0};
    size_t bytes = text->bytes.bytes;
    bool whole = xylem_cli__html_markdown(&cli, &html, xylem_cli__text_view(text));
    page_holds(&html);
    if (html.markdown_ns > 1000000000 || html.text.bytes.bytes > 40 * bytes + 4096) {
        print_error("%s: %zu bytes, %llu ns, %zu bytes of HTML\n", name, bytes, (unsigned long long)html.markdown_ns,
                    html.text.bytes.bytes);
        fail();
    }
    xylem_cli__text_release(&html.text);
    xylem_cli__text_release(text);
    return whole;
}

/* Each in one piece, in one block that is longer, and in many blocks. */
TEST(no_slow_text_is_slow)
{
    static const char *const parts[] = {"[",
                                        "*a **a ",
                                        ">",
                                        "> > > > > > > > a\n",
                                        "- ",
                                        "![",
                                        "[a](b",
                                        "[a]: b\n",
                                        "[a]",
                                        "_a __a ",
                                        "<a ",
                                        "<!--",
                                        "~~a ",
                                        "&#",
                                        "|",
                                        "[a](b '",
                                        "\\|",
                                        "[a](<b ",
                                        "<!A ",
                                        "<?",
                                        "a** ",
                                        "1. ",
                                        "- > ",
                                        "\t-",
                                        "- a\n",
                                        "\\",
                                        "`",
                                        "``a",
                                        "a`b``",
                                        "*",
                                        "_*",
                                        "![[]()",
                                        "> \n",
                                        "-\n",
                                        "<![CDATA[",
                                        "|-",
                                        "|\n|-|",
                                        "a\n|-|\n",
                                        "  - a\n    - b\n\n",
                                        "- [ ] a\n"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        struct xylem_cli__text blocks = {0};
        struct xylem_cli__text text = repeated("", parts[i], 65536);
        is_cheap(parts[i], &text);
        text = repeated("", parts[i], XYLEM_CLI__MARKDOWN_PIECE_MAX - 16);
        for (int block = 0; block < 4; block++) {
            xylem_cli__add_bytes(&blocks, text.bytes.data, text.bytes.bytes);
            xylem_cli__add(&blocks, "\n\n");
        }
        is_cheap(parts[i], &text);
        is_cheap(parts[i], &blocks);
    }
}

/* A table fills short rows up with cells: the parser alone takes 82 MB and 9 s for 64 KiB. */
TEST(a_table_with_short_rows_is_shown_as_it_is)
{
    for (size_t columns = 100; columns <= 6400; columns *= 2) {
        struct xylem_cli__text bomb = {0};
        xylem_cli__add_repeated(&bomb, "|a", columns);
        xylem_cli__add(&bomb, "|\n");
        xylem_cli__add_repeated(&bomb, "|-", columns);
        xylem_cli__add(&bomb, "|\n");
        size_t length = bomb.bytes.bytes;
        while (bomb.bytes.bytes < XYLEM_CLI__MARKDOWN_PIECE_MAX - 2) {
            xylem_cli__add(&bomb, "|a\n");
        }
        struct xylem_cli__text four = {0};
        for (int i = 0; i < 4; i++) {
            xylem_cli__add_bytes(&four, bomb.bytes.data, bomb.bytes.bytes);
            xylem_cli__add(&four, "\n");
        }
        assert_true(length > 0);
        assert_false(is_cheap("table", &bomb));
        assert_false(is_cheap("tables", &four));
    }
}

TEST(backticks_of_all_lengths_are_cheap)
{
    struct xylem_cli__text text = {0};
    for (size_t i = 1; text.bytes.bytes + i + 2 < XYLEM_CLI__MARKDOWN_PIECE_MAX; i++) {
        xylem_cli__add(&text, "a");
        xylem_cli__add_repeated(&text, "`", i);
    }
    assert_true(is_cheap("backticks", &text));
}

/* A definition is written once and used a thousand times. */
TEST(a_long_address_cannot_be_multiplied)
{
    struct xylem_cli__text text = {0};
    xylem_cli__add(&text, "[a]: http://");
    xylem_cli__add_repeated(&text, "b", 3000);
    xylem_cli__add(&text, "\n\n");
    xylem_cli__add_repeated(&text, "[a] ", 3000);
    assert_false(is_cheap("addresses", &text));
}

TEST(what_nests_too_deep_is_shown_as_it_is)
{
    for (size_t count = 15; count <= 2000; count += 1985) { /* a quote, a list and an item each */
        struct xylem_cli__html html = {0};
        struct xylem_cli__text text = {0};
        xylem_cli__add_repeated(&text, "> - ", count);
        xylem_cli__add(&text, "*a*\n\n*b*");
        assert_int_equal(xylem_cli__html_markdown(&cli, &html, xylem_cli__text_view(&text)), count == 15);
        page_holds(&html);
        assert_true((strstr(html.text.bytes.data, "<em>a</em>") != NULL) == (count == 15));
        xylem_cli__text_release(&html.text);
        xylem_cli__text_release(&text);
    }
}

TEST(a_page_has_a_bound_for_all_of_its_markdown)
{
    struct xylem_cli__html html = {.markdown_ns = UINT64_C(5000000000)};
    assert_false(xylem_cli__html_markdown(&cli, &html, xylem_view_of("*a*")));
    page_is(&html, "<pre class=\"plain\">*a*</pre>\n");
    html.markdown_ns = 0;
    html.bytes = 0;
    assert_true(xylem_cli__html_markdown(&cli, &html, xylem_view_of("*a*")));
    assert_true(html.markdown_ns > 0);
    xylem_cli__text_release(&html.text);
}

/* --- Pieces --------------------------------------------------------------------------------------------------------- */

/* Counts the pieces, and those that are one long block. */
static size_t count_pieces(struct xylem_view text, size_t *plain)
{
    size_t count = 0;
    *plain = 0;
    while (text.bytes > 0) {
        size_t bytes = xylem_cli__markdown_cut(text);
        assert_in_range(bytes, 1, text.bytes);
        *plain += bytes > XYLEM_CLI__MARKDOWN_PIECE_MAX;
        text = (struct xylem_view){text.data + bytes, text.bytes - bytes};
        count++;
    }
    return count;
}

TEST(a_long_text_is_cut_between_its_blocks)
{
    struct xylem_cli__html html = {0};
    struct xylem_cli__text text = repeated("", "a *b*\n\n- c\n\n  d\n\n", 100000);
    size_t plain;
    assert_in_range(count_pieces(xylem_cli__text_view(&text), &plain), 7, 9);
    assert_int_equal(plain, 0);
    assert_true(xylem_cli__html_markdown(&cli, &html, xylem_cli__text_view(&text)));
    page_holds(&html);
    assert_null(strstr(html.text.bytes.data, "<pre>")); /* `  d` stays in its list */
    xylem_cli__text_release(&html.text);
    xylem_cli__text_release(&text);
}

TEST(a_long_fence_stays_one_block)
{
    struct xylem_cli__html html = {0};
    struct xylem_cli__text text = repeated("*a*\n~~~~sh\n", "# b <c>\n\n```\n~~~\n\n", 40000);
    size_t plain;
    xylem_cli__add(&text, "~~~~~ \n*d*\n");
    assert_int_equal(count_pieces(xylem_cli__text_view(&text), &plain), 3);
    assert_int_equal(plain, 1);
    assert_false(xylem_cli__html_markdown(&cli, &html, xylem_cli__text_view(&text)));
    page_holds(&html);
    assert_true(
        strstr(html.text.bytes.data, "<p><em>a</em></p>\n<pre class=\"plain\">~~~~sh\n# b &lt;c&gt;\n\n```\n") ==
        html.text.bytes.data);
    assert_null(strstr(html.text.bytes.data, "<h4>"));
    assert_non_null(strstr(html.text.bytes.data, "~~~\n\n~~~~~ \n</pre>\n<p><em>d</em></p>\n"));
    xylem_cli__text_release(&html.text);
    xylem_cli__text_release(&text);
}

TEST(a_long_block_is_shown_as_it_is_and_the_next_is_not)
{
    struct xylem_cli__html html = {0};
    struct xylem_cli__text text = repeated("*a*\n\n", "*b*", 40000);
    size_t plain;
    xylem_cli__add(&text, "\n\n*c*");
    assert_int_equal(count_pieces(xylem_cli__text_view(&text), &plain), 3);
    assert_int_equal(plain, 1);
    assert_false(xylem_cli__html_markdown(&cli, &html, xylem_cli__text_view(&text)));
    page_holds(&html);
    assert_non_null(strstr(html.text.bytes.data, "<p><em>a</em></p>\n<pre class=\"plain\">*b**b*"));
    assert_non_null(strstr(html.text.bytes.data, "\n\n</pre>\n<p><em>c</em></p>\n"));
    xylem_cli__text_release(&html.text);
    xylem_cli__text_release(&text);
}
