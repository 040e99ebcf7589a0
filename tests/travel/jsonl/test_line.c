/* What a line says, read whole, or split where it is straight. */

#include <string.h>

#include "base/buffer.h"
#include "store/store.h"
#include "tests/lib/test.h"
#include "travel/jsonl/line.h"

#define PLACE "{\"type\":\"message\",\"id\":\"a\",\"parentId\":\"b\",\"timestamp\":\"2026-11-20T17:18:05.515Z\""
#define MESSAGE ",\"message\":{\"role\":\"user\"}"

static const struct {
    const char *text;
    bool straight;
} rows[] = {
    {PLACE "}", true},
    {PLACE MESSAGE "}", true},
    {PLACE MESSAGE ",\"x\":[1, 2],\"data\":null,\"customType\":\"c\"}", true},
    {PLACE ",\"x\":\"}\\\"\",\"\":\"\xC3\xA9\"}", true},
    {"{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"2026-11-20T17:18:05.515Z\"" MESSAGE "}",
     true},
    {"{\"type\":\"message\",\"id\":\"\xC3\xA9\",\"parentId\":null,\"timestamp\":\"never\"}", true},
    {"{\"type\":\"custom\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"\",\"data\":[]}", true},
    {PLACE ",\"x\":[1,\r2]}", true},
    {"{\"type\":\"custom_message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"2026-11-20T17:18:05.515Z\"" MESSAGE
     "}",
     true},
    {"{\"type\":\"custom_message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"2026-11-20T17:18:05.515Z\"}", true},
    {"{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"2026-11-20T17:18:05Z\"}", true},
    /* White space. */
    {" " PLACE "}", false},
    {PLACE "} ", false},
    {PLACE "}\r", false},
    {PLACE " }", false},
    {PLACE ", \"message\":{}}", false},
    {PLACE ",\"message\" :{}}", false},
    {PLACE ",\"message\": {}}", false},
    {PLACE ",\"message\":{} }", false},
    {"{ \"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"\"}", false},
    /* Another order, or something that lacks. */
    {"{\"id\":\"a\",\"type\":\"message\",\"parentId\":null,\"timestamp\":\"\"}", false},
    {"{\"type\":\"message\",\"id\":\"a\",\"timestamp\":\"\",\"parentId\":null}", false},
    {"{\"type\":\"message\",\"id\":\"a\",\"parentId\":null}", false},
    {"{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"message\":{}}", false},
    {"{\"type\":\"message\",\"id\":\"a\"}", false},
    /* A member twice: the last counts. */
    {PLACE ",\"id\":\"c\"}", false},
    {PLACE MESSAGE ",\"type\":\"x\"}", false},
    {PLACE ",\"parentId\":null}", false},
    {PLACE ",\"timestamp\":1}", false},
    {PLACE ",\"i\\u0064\":\"c\"}", false},
    /* Escapes, ill-formed UTF-8, and values of other types. */
    {"{\"type\":\"mess\\u0061ge\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"\"}", false},
    {"{\"t\\u0079pe\":\"message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"\"}", false},
    {"{\"type\":\"message\",\"id\":\"\\\"\",\"parentId\":null,\"timestamp\":\"\"}", false},
    {"{\"type\":\"message\",\"id\":\"a\",\"parentId\":\"\xFF\",\"timestamp\":\"\"}", false},
    {"{\"type\":\"message\",\"id\":\"a\",\"parentId\":7,\"timestamp\":\"\"}", false},
    {"{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":null}", false},
    /* A custom entry, whose data becomes msgpack. */
    {"{\"type\":\"custom\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"\",\"customType\":\"c\",\"data\":[]}", false},
};

static void assert_same_view(struct xylem_view a, struct xylem_view b)
{
    assert_int_equal(a.bytes, b.bytes);
    assert_true(xylem_base__view_equal(a, b));
}

TEST(a_straight_line_that_is_split_says_what_it_says_when_it_is_read)
{
    struct xylem_jsonl__parser parser = {0};
    struct xylem_jsonl__parser other = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct xylem_jsonl__entry read;
        struct xylem_jsonl__entry split;
        enum xylem_import_problem_type problem;
        struct xylem_view text = xylem_view_of(rows[i].text);
        assert_int_equal(xylem_jsonl__line_read(&read, &problem, &parser, text, false, NULL), 1);
        if (read.straight != rows[i].straight) {
            fail_msg("%s: straight: %d", rows[i].text, (int)read.straight);
        }
        if (!read.straight) {
            continue;
        }
        assert_true(xylem_jsonl__line_split(&split, text));
        assert_int_equal(xylem_jsonl__line_payload(&read, &parser, NULL), 1);
        assert_int_equal(xylem_jsonl__line_payload(&split, &other, NULL), 1);
        assert_same_view(split.id, read.id);
        assert_int_equal(split.has_parent, read.has_parent);
        assert_same_view(split.parent_id, read.parent_id);
        assert_int_equal(split.kind.kind_class, read.kind.kind_class);
        assert_same_view(split.kind.name, read.kind.name);
        assert_int_equal(split.time_ms, read.time_ms);
        assert_int_equal(split.format, read.format);
        assert_same_view(split.payload, read.payload);
    }
    xylem_jsonl__parser_release(&parser);
    xylem_jsonl__parser_release(&other);
}

/* The answer of the split line, which is not rendered, is that of the line that was read. */
static void assert_checked_alike(const struct xylem_jsonl__entry *read, const struct xylem_jsonl__entry *split,
                                 struct xylem_jsonl__parser *parser, struct xylem_view text)
{
    const struct xylem_view other = xylem_view_of("other");
    const struct xylem_view *const parents[] = {NULL, &read->parent_id, &other};
    for (size_t i = 0; i < 3; i++) {
        bool same;
        bool split_same;
        assert_int_equal(xylem_jsonl__line_check(&same, read, parents[i], parser, text, NULL), XYLEM_OK);
        assert_int_equal(xylem_jsonl__line_check(&split_same, split, parents[i], parser, text, NULL), XYLEM_OK);
        if (same != split_same) {
            fail_msg("%s: parent %zu: rendered %d, split %d", text.data, i, (int)same, (int)split_same);
        }
    }
}

TEST(a_line_that_is_split_is_kept_beside_its_payload_if_its_rendering_differs)
{
    struct xylem_jsonl__parser parser = {0};
    struct xylem_jsonl__parser other = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct xylem_jsonl__entry read;
        struct xylem_jsonl__entry split;
        enum xylem_import_problem_type problem;
        struct xylem_view text = xylem_view_of(rows[i].text);
        assert_int_equal(xylem_jsonl__line_read(&read, &problem, &parser, text, false, NULL), 1);
        if (read.straight) {
            assert_true(xylem_jsonl__line_split(&split, text));
            assert_int_equal(xylem_jsonl__line_payload(&read, &parser, NULL), 1);
            assert_int_equal(xylem_jsonl__line_payload(&split, &other, NULL), 1);
            assert_checked_alike(&read, &split, &parser, text);
        }
    }
    xylem_jsonl__parser_release(&parser);
    xylem_jsonl__parser_release(&other);
}

static void assert_not_split(struct xylem_view text)
{
    struct xylem_jsonl__entry entry;
    char *copy = test_malloc(text.bytes + 1);
    memcpy(copy, text.data, text.bytes);
    if (xylem_jsonl__line_split(&entry, (struct xylem_view){copy, text.bytes})) {
        fail_msg("%.*s", (int)text.bytes, text.data);
    }
    test_free(copy);
}

/* The text may have become another one: then nothing behind its end is looked at. */
TEST(a_text_that_is_cut_is_not_split)
{
    struct xylem_view text = xylem_view_of(PLACE MESSAGE "}");
    for (; text.bytes > 0; text.bytes--) {
        struct xylem_view cut = {text.data, text.bytes - 1};
        if (cut.bytes != strlen(PLACE MESSAGE)) { /* which ends in a brace as well */
            assert_not_split(cut);
        }
    }
}

TEST(a_text_that_goes_on_after_the_time_with_something_else_is_not_split)
{
    static const char *const texts[] = {PLACE "x",  PLACE ",",        PLACE ",x",         PLACE ",}",
                                        PLACE "x}", PLACE "\"a\":1}", PLACE MESSAGE "} ", PLACE MESSAGE "]"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_not_split(xylem_view_of(texts[i]));
    }
}
