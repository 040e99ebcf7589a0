/* Nothing of an entry breaks out of its place in Markdown, as the reader of Markdown that forges use reads the text. */
#include <cmark-gfm-core-extensions.h>

#include "cli/page/review.h"
#include "tests/lib/chance.h"
#include "tests/lib/store_builder.h"
#include "tests/lib/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Entries as Markdown ------------------------------------------------------------------------------------------- */

static struct xylem_cli__locale locale = {.asked = true, .utf8 = true};

struct review {
    struct store_builder builder;
    uint64_t session;
    uint64_t markdown_ns;
    struct xylem_cli__text text;
};

static void open_review(struct review *review)
{
    *review = (struct review){.session = 0};
    store_builder_open(&review->builder);
    review->session = store_builder_session(&review->builder, "s");
}

static void close_review(struct review *review)
{
    xylem_cli__text_release(&review->text);
    store_builder_close(&review->builder);
}

/* Appends the entry that has this payload. */
static void add_payload(struct review *review, const char *kind, const char *json)
{
    struct xylem_cli cli = {.locale = &locale, .txn = review->builder.txn};
    struct xylem_entry entry;
    struct xylem_position position = store_builder_add(&review->builder, review->session, NULL, kind, json);
    store_builder_must(xylem_entry_read(&entry, cli.txn, position, &cli.err), &cli.err);
    store_builder_must(xylem_cli__review_entry(&cli, &review->text, &review->markdown_ns, &entry), &cli.err);
}

/* Appends a message with one part, which holds the words between `before` and `after`; the words name its tool too. */
static void add_part(struct review *review, const char *role, const char *before, struct xylem_view words,
                     const char *after)
{
    struct xylem_cli__text json = {0};
    xylem_cli__addf(&json, "{\"role\":\"%s\",\"toolName\":", role);
    xylem_cli__json_string(&json, words);
    xylem_cli__addf(&json, ",\"content\":[%s", before);
    xylem_cli__json_string(&json, words);
    xylem_cli__addf(&json, "%s]}", after);
    xylem_cli__add_bytes(&json, "", 1);
    assert_false(json.failed);
    add_payload(review, "message", json.bytes.data);
    xylem_cli__text_release(&json);
}

static void add_words(struct review *review, const char *words)
{
    add_part(review, "user", "{\"type\":\"text\",\"text\":", xylem_view_of(words), "}");
}

/* --- What a reader sees -------------------------------------------------------------------------------------------- */

#define SENTINEL "sentinel [a] [b] [x] [^1] end"

struct seen {
    size_t heading_count;
    size_t details_depth;
    int code_depth; /* of an element in words */
    size_t sentinel_count;
};

/* Reads as a forge does, or as a reader that knows no extensions. */
static cmark_node *read_markdown(const struct xylem_cli__text *text, bool forge)
{
    static const char *const names[] = {"table", "strikethrough", "tasklist", "autolink"};
    cmark_gfm_core_extensions_ensure_registered();
    cmark_parser *parser = cmark_parser_new((forge ? CMARK_OPT_FOOTNOTES : 0) | CMARK_OPT_UNSAFE);
    for (size_t i = 0; forge && i < sizeof names / sizeof names[0]; i++) {
        assert_true(cmark_parser_attach_syntax_extension(parser, cmark_find_syntax_extension(names[i])));
    }
    cmark_parser_feed(parser, text->bytes.data, text->bytes.bytes);
    cmark_node *document = cmark_parser_finish(parser);
    cmark_parser_free(parser);
    return document;
}

/* Addresses of the web and of mailboxes; a forge makes links of bare ones. */
static bool leads(const char *url)
{
    return strncasecmp(url, "http", 4) == 0 || strncasecmp(url, "mailto:", 7) == 0;
}

/* A heading of the page, or an edge of <details>, stands on the highest level, and is what the program wrote. */
static void look(struct seen *seen, cmark_node *node, cmark_node *document)
{
    cmark_node_type type = cmark_node_get_type(node);
    const char *html = cmark_node_get_literal(node);
    if (type == CMARK_NODE_HTML_INLINE) {
        assert_true(strcmp(html, "<code>") == 0 || strcmp(html, "</code>") == 0);
        seen->code_depth += html[1] == '/' ? -1 : 1;
        assert_in_range(seen->code_depth, 0, 1);
    }
    if (type == CMARK_NODE_HTML_BLOCK && strcmp(html, "<!-- end list -->\n") != 0) {
        bool opens = strncmp(html, "<details><summary>", 18) == 0;
        assert_true(cmark_node_parent(node) == document);
        assert_true(opens || strcmp(html, "</details>\n") == 0);
        assert_int_equal(seen->details_depth, opens ? 0 : 1);
        assert_true(!opens || strchr(html + 9, '\n') == html + strlen(html) - 1);
        seen->details_depth = opens;
    }
    if (type == CMARK_NODE_HEADING && cmark_node_parent(node) == document && cmark_node_get_heading_level(node) <= 3) {
        assert_int_equal(cmark_node_get_heading_level(node), 3);
        assert_int_equal(seen->details_depth, 0);
        seen->heading_count++;
    }
    if (type == CMARK_NODE_HEADING) {
        assert_true(cmark_node_get_heading_level(node) >= 3);
    }
    if (type == CMARK_NODE_LINK) {
        assert_true(leads(cmark_node_get_url(node)));
    }
    assert_false(type == CMARK_NODE_IMAGE);
    if (type == CMARK_NODE_TEXT && cmark_node_parent(cmark_node_parent(node)) == document &&
        strcmp(cmark_node_get_literal(node), SENTINEL) == 0) {
        seen->sentinel_count++;
    }
}

static struct seen seen_in(const struct xylem_cli__text *text, bool forge)
{
    struct seen seen = {0};
    cmark_node *document = read_markdown(text, forge);
    cmark_consolidate_text_nodes(document);
    cmark_iter *iter = cmark_iter_new(document);
    cmark_event_type event;
    while ((event = cmark_iter_next(iter)) != CMARK_EVENT_DONE) {
        if (event == CMARK_EVENT_ENTER) {
            look(&seen, cmark_iter_get_node(iter), document);
        }
    }
    cmark_iter_free(iter);
    cmark_node_free(document);
    assert_int_equal(seen.details_depth, 0);
    assert_int_equal(seen.code_depth, 0);
    return seen;
}

/* --- Any text ------------------------------------------------------------------------------------------------------ */

static const char *const pieces[] = {"<",
                                     "<b>",
                                     "</details>",
                                     "<!--",
                                     "-->",
                                     "<script>",
                                     "<?",
                                     "<![CDATA[",
                                     "&lt;",
                                     "&",
                                     "`",
                                     "`",
                                     "``",
                                     "```",
                                     "~~~",
                                     "````",
                                     "~~~~",
                                     "\n",
                                     "\n",
                                     "\n",
                                     "\n\n",
                                     "\r",
                                     "\r\n",
                                     " ",
                                     " ",
                                     "  ",
                                     "    ",
                                     "\t",
                                     "- ",
                                     "-",
                                     "* ",
                                     "1. ",
                                     "12) ",
                                     "> ",
                                     ">",
                                     "# ",
                                     "## ",
                                     "#",
                                     "===",
                                     "---",
                                     "--",
                                     "=",
                                     "***",
                                     "[x]",
                                     "[x]:",
                                     "[a]: /u",
                                     "](",
                                     "][",
                                     "(",
                                     ")",
                                     "[",
                                     "]",
                                     "\\",
                                     "|",
                                     "|-|",
                                     "| a | b |\n|---|---|\n",
                                     "http://a.b/",
                                     "www.a.b/",
                                     "a@b.c",
                                     "a",
                                     "b",
                                     "\"",
                                     "'",
                                     "$$",
                                     ":",
                                     "!",
                                     "![",
                                     "*",
                                     "**",
                                     "_",
                                     "~~",
                                     "@who",
                                     "#12",
                                     "/u",
                                     "\n/u",
                                     "[^1]",
                                     "[^1]:",
                                     "[^a",
                                     "- [ ] ",
                                     "\xe2\x80\xae",
                                     "\xff",
                                     "\x1b",
                                     "\xed\xa0\x80",
                                     "<details><summary>",
                                     "</summary>",
                                     "text\n```\n",
                                     "\n~~~\n",
                                     "\n```\n",
                                     "x\n",
                                     "    <b>\n",
                                     "&#10;",
                                     "&#32;",
                                     "&#x3c;",
                                     "999999999. ",
                                     "2. ",
                                     "[a](",
                                     "mailto:details",
                                     "http://details",
                                     "<details b=c>",
                                     "</details>",
                                     "&#9;",
                                     "`</details>`",
                                     "    "};

static void add_chance(struct xylem_cli__text *words, struct chance *chance)
{
    int count = 1 + chance_below(chance, 24);
    for (int i = 0; i < count; i++) {
        xylem_cli__add(words, pieces[chance_below(chance, (int)(sizeof pieces / sizeof pieces[0]))]);
    }
}

/* An entry with such words in each place that holds words, and the sentinel behind: text that a definition would change. */
static void add_hostile(struct review *review, struct xylem_view words, int way)
{
    static const struct {
        const char *role;
        const char *before;
        const char *after;
    } ways[] = {{"user", "{\"type\":\"text\",\"text\":", "}"},
                {"assistant", "{\"type\":\"text\",\"text\":", "}"},
                {"assistant", "{\"type\":\"thinking\",\"thinking\":", "}"},
                {"assistant", "{\"type\":\"toolCall\",\"arguments\":{\"command\":\"ls\"},\"name\":", "}"},
                {"assistant", "{\"type\":\"toolCall\",\"name\":\"bash\",\"arguments\":{\"command\":", "}}"},
                {"toolResult", "{\"type\":\"text\",\"text\":", "}"},
                {"assistant", "{\"type\":\"image\",\"data\":\"AAAA\",\"mimeType\":", "}"},
                {"user", "{\"type\":\"strange\",\"a\":", "}"}};
    add_part(review, ways[way].role, ways[way].before, words, ways[way].after);
    xylem_cli__add(&review->text, "### next\n\n" SENTINEL "\n");
}

static void hostile_words_stay_in(uint64_t seed)
{
    struct chance chance = chance_of(seed);
    struct review review;
    struct xylem_cli__text words = {0};
    open_review(&review);
    for (size_t round = 1; round <= 40; round++) {
        xylem_cli__text_clear(&words);
        add_chance(&words, &chance);
        add_hostile(&review, xylem_cli__text_view(&words), chance_below(&chance, 8));
        assert_null(memmem(review.text.bytes.data, review.text.bytes.bytes, "\n/", 2));
        for (int forge = 0; forge < 2; forge++) {
            struct seen seen = seen_in(&review.text, forge == 1);
            assert_int_equal(seen.heading_count, 2);
            assert_int_equal(seen.sentinel_count, 1);
        }
        xylem_cli__text_clear(&review.text);
    }
    xylem_cli__text_release(&words);
    close_review(&review);
}

TEST(no_words_break_out_of_an_entry)
{
    test_seeds(hostile_words_stay_in, test_rounds(40));
}

/* --- The rules, one by one ----------------------------------------------------------------------------------------- */

static void words_become(const char *words, const char *expected)
{
    struct review review;
    open_review(&review);
    add_words(&review, words);
    xylem_cli__add_bytes(&review.text, "", 1);
    const char *newline = strchr(review.text.bytes.data, '\n');
    assert_non_null(newline);
    assert_string_equal(newline + 2, expected);
    close_review(&review);
}

TEST(words_stay_markdown)
{
    static const struct {
        const char *words;
        const char *expected;
    } rows[] = {
        {"Use `vector`, *or* **b** ~~c~~ @who\nd  \ne", "Use `vector`, *or* **b** ~~c~~ @who\nd  \ne\n\n"},
        {"[a](http://b) <mailto:c@d>", "[a](http://b) [mailto:c@d](mailto:c@d)\n\n"},
        {"- one\n- two\n\n3. a\n4. b\n\n- [x] c\n",
         "  - one\n  - two\n\n<!-- end list -->\n\n3.  a\n4.  b\n\n<!-- end list -->\n\n- [x] c\n\n"},
        {"- one\n  - two\n\n> quoted\n> > more\n", "  - one\n    \n      - two\n\n> quoted\n> \n> > more\n\n"},
        {"| a | b |\n|:--|---|\n| 1 | `2` |\n", "| a | b |\n| :-- | --- |\n| 1 | `2` |\n\n"},
        {"```C x\n#include <a>\n# x\n===\n```\n\n    b\n",
         "``` c\n#include <a>\n# x\n===\n```\n\n``` text\nb\n```\n\n"},
        {"~~~a\"b\n```\n~~~", "```` text\n```\n````\n\n"},
        {"![a](http://b/c) [![d](http://e)](http://f) [](http://g)",
         "[a](http://b/c) [d `http://e`](http://f) [http://g](http://g)\n\n"},
        {"***\na\n\n- b\n  ***", "***\n\na\n\n  - b\n    \n    ***\n\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        words_become(rows[i].words, rows[i].expected);
    }
}

TEST(what_would_break_out_is_changed)
{
    static const struct {
        const char *words;
        const char *expected;
    } rows[] = {
        /* HTML */
        {"a </details> <!-- b --> \\<b>", "a &lt;/details\\> &lt;\\!-- b --\\> &lt;b\\>\n\n"},
        {"</details>\n<!--\n```\n", "```` text\n</details>\n<!--\n```\n````\n\n"},
        {"a http://b/<details c=d>", "a http://b/&lt;details c=d\\>\n\n"},
        /* headings of the review */
        {"# a\n## b\n###### c\n#d\na\n===\nb\n---", "#### a\n\n##### b\n\n###### c\n\n#### \\#d a\n\n##### b\n\n"},
        {"a\n&#32;===\nb\n\\---\n\nc\n*&#32;d*", "a\n&#32;===\nb\n\\---\n\nc\n*&#32;d*\n\n"},
        {"- a\n  ***", "  - a\n    \n    ***\n\n"},
        /* definitions, and links that lead elsewhere */
        {"[a]: http://u\n[b]\n\n[a]\n\n[^1]: c\n", "\\[b\\]\n\n[a](http://u)\n\n"},
        {"[a](javascript:b) ![c](/d) [e](mailto:details) [f](g&#10;===&#10;h)",
         "a `javascript:b` c `/d` [e](mailto:details) f <code>g&#10;===&#10;h</code>\n\n"},
        {"[a](http://b&#10;c) [d](<http://e f>)", "a <code>http://b&#10;c</code> d `http://e f`\n\n"},
        /* fences that end early, or never */
        {"```\n<b>", "``` text\n<b>\n```\n\n"},
        {"~~~~\n```\n~~~", "```` text\n```\n~~~\n````\n\n"},
        {"> 2. ```\n>    a\n>\n>    <b>", "> 2.  ``` text\n>     a\n>     \n>     <b>\n>     ```\n\n"},
        {"- > a\n  >\n  > 2. ```\n  >    x\n  >\n  >    <b>",
         "  - > a\n    > \n    > 2.  ``` text\n    >     x\n    >     \n    >     <b>\n    >     ```\n\n"},
        {"999999999. a\n1. ```\n   <b>", "99999. a\n\n100000. ``` text\n        <b>\n        ```\n\n"},
        /* spans that a reader may not see where the printer does */
        {"`a<b>` `a|b` `a[b]` `<``",
         "<code>a&lt;b\\></code> <code>a&#124;b</code> <code>a\\[b\\]</code> \\`&lt;\\`\\`\n\n"},
        {"| a |\n|---|\n| ~~`b \\| <c>`~~ |", "| a |\n| --- |\n| ~~<code>b &#124; &lt;c\\></code>~~ |\n\n"},
        {"www.a/`b <b>`", "www.a/<code>b &lt;b\\></code>\n\n"},
        /* what a bot or a forge acts on */
        {"/close\n/assign @me  \n*/a* /b\n`/c`", "\\/close\n\\/assign @me  \n*\\/a* /b\n`/c`\n\n"},
        {"`/a<b`\n<b>\n/c", "<code>/a&lt;b</code>\n&lt;b\\>\n\\/c\n\n"},
        {"- /a\n  /b", "  - \\/a\n    \\/b\n\n"},
        {"```c\n/close\n\nb\n```\nc\n```\nd\n```\n", " ``` c\n /close\n \n b\n ```\n\nc\n\n``` text\nd\n```\n\n"},
        {"````\n```\n/close\n````\n", " ```` text\n ```\n /close\n ````\n\n"},
        {"```Suggestion\na\n```\n```mermaid\n```\n```suggestion:-0+1\n```\n",
         "``` text\na\n```\n\n``` text\n```\n\n``` text\n```\n\n"},
        /* what nobody sees */
        {"a\r\nb\rc\x1b\xe2\x80\xae\tz &#x202e;`\x01`", "a\nb\\\\x0dc\\\\x1b\\\\u202e&#9;z \\u202e`\\x01`\n\n"},
        {"a\xe2\x80\x8b`\xef\xbb\xbf`&#xad;", "a\\\\u200b`\\ufeff`\\u00ad\n\n"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        words_become(rows[i].words, rows[i].expected);
    }
}

TEST(a_fence_is_longer_than_any_inside)
{
    struct review review;
    open_review(&review);
    add_part(&review, "toolResult", "{\"type\":\"text\",\"text\":", xylem_view_of("a ````` b\n</details>\n```"), "}");
    xylem_cli__add_bytes(&review.text, "", 1);
    assert_non_null(strstr(review.text.bytes.data, "<details><summary>output, 3 lines, 24 B</summary>\n\n``````text\n"
                                                   "a ````` b\n</details>\n```\n``````\n\n</details>\n"));
    close_review(&review);
}

TEST(no_heading_names_another_role)
{
    static const char *const rows[][3] = {{"message", "{\"role\":\"user\"}", "### user, "},
                                          {"message", "{\"role\":\"user \"}", "### message user, "},
                                          {"user", "{}", "### entry user, "}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct review review;
        open_review(&review);
        add_payload(&review, rows[i][0], rows[i][1]);
        assert_int_equal(strncmp(review.text.bytes.data, rows[i][2], strlen(rows[i][2])), 0);
        close_review(&review);
    }
}

TEST(a_line_of_a_call_has_nothing_that_nobody_sees)
{
    struct review review;
    open_review(&review);
    add_part(&review, "assistant",
             "{\"type\":\"toolCall\",\"name\":\"bash\",\"arguments\":{\"command\":", xylem_view_of("ls\xe2\x80\x8b x"),
             "}}");
    xylem_cli__add_bytes(&review.text, "", 1);
    assert_non_null(strstr(review.text.bytes.data, "calls `bash`: `ls\\u200b x`\n"));
    close_review(&review);
}

TEST(output_has_no_line_that_is_a_command)
{
    struct review review;
    open_review(&review);
    add_part(&review, "toolResult", "{\"type\":\"text\",\"text\":", xylem_view_of("a\n/close\n"), "}");
    xylem_cli__add_bytes(&review.text, "", 1);
    assert_non_null(strstr(review.text.bytes.data, "</summary>\n\n ```text\n a\n /close\n ```\n\n</details>\n"));
    close_review(&review);
}

/* The same in pages: paint_words() asks the same function. */
TEST(what_a_command_printed_is_output_whatever_its_role)
{
    struct review review;
    open_review(&review);
    add_payload(&review, "message", "{\"role\":\"user\",\"command\":\"ls\",\"output\":\"# a\"}");
    xylem_cli__add_bytes(&review.text, "", 1);
    assert_non_null(strstr(review.text.bytes.data, "<summary>output, 1 line, 3 B</summary>\n\n```text\n# a\n```"));
    close_review(&review);
}

TEST(a_long_text_is_cut_between_characters)
{
    struct review review;
    struct xylem_cli__text words = {0};
    xylem_cli__add(&words, "x");
    xylem_cli__add_repeated(&words, "\xc3\xa9", XYLEM_CLI__REVIEW_OUTPUT_MAX);
    open_review(&review);
    add_part(&review, "toolResult", "{\"type\":\"text\",\"text\":", xylem_cli__text_view(&words), "}");
    xylem_cli__add_bytes(&review.text, "", 1);
    assert_non_null(strstr(review.text.bytes.data, "\xa9\n```\n\n*16,386 bytes are left out here*\n\n</details>\n"));
    assert_true(review.text.bytes.bytes < XYLEM_CLI__REVIEW_OUTPUT_MAX + 1024);
    xylem_cli__text_clear(&review.text);
    xylem_cli__add_repeated(&words, "y", XYLEM_CLI__REVIEW_WORDS_MAX);
    add_part(&review, "user", "{\"type\":\"text\",\"text\":", xylem_cli__text_view(&words), "}");
    xylem_cli__add_bytes(&review.text, "", 1);
    assert_non_null(strstr(review.text.bytes.data, "y\n```\n\n*32,769 bytes are left out here*\n"));
    xylem_cli__text_release(&words);
    close_review(&review);
}

/* Words of 16 KiB, of which the beginning stands once, and the part again and again. */
static void words_are_cheap(const char *beginning, const char *part)
{
    struct review review;
    struct xylem_cli__text words = {0};
    open_review(&review);
    xylem_cli__add(&words, beginning);
    while (words.bytes.bytes < 16000) {
        xylem_cli__add(&words, part);
    }
    xylem_cli__add(&words, "\n|-\n");
    add_part(&review, "user", "{\"type\":\"text\",\"text\":", xylem_cli__text_view(&words), "}");
    assert_in_range(review.markdown_ns, 1, 1000000000);
    assert_true(review.text.bytes.bytes < 20 * words.bytes.bytes + 8192);
    xylem_cli__text_release(&words);
    close_review(&review);
}

TEST(no_words_are_slow_or_grow_without_bound)
{
    static const char *const parts[] = {"[",  "> ", "> - ", "- ",  "1. ",          "`<`", "<",
                                        "|a", "![", "*a ",  "a\n", "[a](http://b", "\\"};
    struct xylem_cli__text definition = {0};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        words_are_cheap("", parts[i]);
    }
    xylem_cli__add(&definition, "[a]: http://");
    xylem_cli__add_repeated(&definition, "b", 200);
    xylem_cli__add_bytes(&definition, "\n\n", 3);
    words_are_cheap(definition.bytes.data, "[a] ");
    xylem_cli__text_release(&definition);
}

TEST(words_are_shown_as_they_are_when_the_time_is_used_up)
{
    struct review review;
    open_review(&review);
    review.markdown_ns = UINT64_C(5000000000);
    add_words(&review, "# a\n</details>");
    xylem_cli__add_bytes(&review.text, "", 1);
    assert_non_null(strstr(review.text.bytes.data, "\n\n```text\n# a\n</details>\n```\n\n"));
    close_review(&review);
}
