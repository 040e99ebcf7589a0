/* What comes from outside cannot become markup, and nothing stays unseen. */
#include "cli/page/html.h"
#include "tests/cli/page/page.h"
#include "tests/lib/test.h"

#include <errno.h>

TEST(markup_of_a_text_becomes_references)
{
    struct xylem_cli__html html = {0};
    xylem_cli__html_text(&html, xylem_view_of("<b a='1' c=\"2\">&amp;\n\t</b>"));
    page_is(&html, "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;amp;\n\t&lt;/b&gt;");
}

TEST(what_nobody_sees_becomes_visible)
{
    static const struct {
        const char *from;
        const char *to;
    } rows[] = {{"\x1b[31m", "\\x1b[31m"},
                {"\x7f", "\\x7f"},
                {"\xe2\x80\xae", "\\u202e"}, /* a bidi control */
                {"\xc2\xad\xe1\x85\x9f\xe1\x85\xa0\xe1\xa0\x8e", "\\u00ad\\u115f\\u1160\\u180e"},
                {"\xe2\x80\x8b\xe2\x81\xa0\xe2\x81\xa4\xe2\x81\xaa", "\\u200b\\u2060\\u2064\\u206a"},
                {"\xe3\x85\xa4\xef\xbb\xbf\xef\xbe\xa0\xef\xbf\xbb", "\\u3164\\ufeff\\uffa0\\ufffb"},
                {"\xf3\xa0\x80\x80\xf3\xa0\x81\xbf", "\\U000e0000\\U000e007f"},                   /* tags */
                {"\xe2\x80\x8c\xe2\x80\x8d\xef\xb8\x8f", "\xe2\x80\x8c\xe2\x80\x8d\xef\xb8\x8f"}, /* scripts, emoji */
                {"\xe2\x80\xa8", "\\u2028"},                                                      /* a line separator */
                {"\xc2\x85", "\\u0085"},                                                          /* of C1 */
                {"\xed\xa0\x80", "\\ud800"},                                                      /* a lone surrogate */
                {"\xff\xc3", "\\xff\\xc3"},                                                       /* no UTF-8 */
                {"a\rb\r\n", "a\\x0db\r\n"}, /* a return alone overwrites on a terminal */
                {"\xc3\xa9\xf0\x9f\x98\x80", "\xc3\xa9\xf0\x9f\x98\x80"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct xylem_cli__html html = {0};
        xylem_cli__html_attribute(&html, xylem_view_of(rows[i].from));
        page_is(&html, rows[i].to);
    }
    struct xylem_cli__html html = {0};
    xylem_cli__html_text(&html, (struct xylem_view){"a\0\xe2\x80\xae", 5});
    page_is(&html, "a<span class=\"odd\">\\x00</span><span class=\"odd\">\\u202e</span>");
}

TEST(an_anchor_is_another_for_every_id)
{
    static const struct xylem_cli cli = {.width = 0};
    const struct xylem_position at = {12, 3};
    struct xylem_cli__html html = {0};
    xylem_cli__html_anchor(&cli, &html, (struct xylem_view){"8d-A_z.9", 8}, at, false);
    xylem_cli__html_anchor(&cli, &html, (struct xylem_view){"../\"~\0\xff", 7}, at, false);
    page_is(&html, "e-8d-A_z.9e-..~2f~22~7e~00~ff");
    xylem_cli__html_link(&cli, &html, xylem_view_of("a.3"), at, true); /* of a family */
    html.bytes = html.text.bytes.bytes;
    page_is(&html, "<a href=\"#e-a.3.12\">");
}

TEST(numbers_and_made_text_stay)
{
    struct xylem_cli__html html = {0};
    struct xylem_cli__text made = {0};
    xylem_cli__add_size(&made, 12288);
    xylem_cli__html_count(&html, 1234567);
    xylem_cli__html_add(&html, " ");
    xylem_cli__html_made(&html, &made);
    xylem_cli__html_put(&html, " <b>", &made, "</b>");
    assert_null(made.bytes.data);
    xylem_cli__add(&made, "<i>");
    xylem_cli__html_put(&html, "", &made, "");
    page_is(&html, "1,234,567 12.0 KiB <b>12.0 KiB</b>&lt;i&gt;");
}

struct sink {
    size_t bytes;
    unsigned calls;
    int answer;
};

static int take(void *context, const void *data, size_t bytes)
{
    struct sink *sink = context;
    (void)data;
    sink->bytes += bytes;
    sink->calls++;
    return sink->answer;
}

TEST(a_long_page_is_written_in_pieces_and_the_first_failure_stays)
{
    struct xylem_cli cli = {0};
    struct sink sink = {0};
    struct xylem_cli__html html = {.write = take, .context = &sink};
    xylem_cli__html_add(&html, "short");
    assert_int_equal(xylem_cli__html_flush(&cli, &html, false), 0);
    assert_int_equal(sink.calls, 0);
    for (int i = 0; i < 20000; i++) {
        xylem_cli__html_add(&html, "0123456789");
    }
    assert_int_equal(xylem_cli__html_flush(&cli, &html, false), 0);
    assert_int_equal(sink.bytes, 200005);
    xylem_cli__html_add(&html, "end");
    sink.answer = XYLEM_E_IO;
    assert_int_equal(xylem_cli__html_flush(&cli, &html, true), XYLEM_E_IO);
    assert_int_equal(html.bytes, 200008);
    xylem_cli__html_add(&html, "more");
    assert_int_equal(xylem_cli__html_flush(&cli, &html, true), XYLEM_E_IO);
    assert_int_equal(sink.calls, 2);
    xylem_cli__text_release(&html.text);
}
