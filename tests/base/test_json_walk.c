/* The walk takes exactly the well-formed texts, up to its depth, and reads each as yajl reads the text. */

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "tests/lib/chance.h"
#include "tests/lib/json_ways.h"
#include "tests/lib/test.h"

/* Text of a known length, so that the text may hold NUL. */
#define TEXT(literal)               \
    {                               \
        literal, sizeof literal - 1 \
    }

#define MUTATIONS_USUAL 100000u

/* Compares the ways; 1 if the walk takes the text. A sanitizer sees a read beyond the end of the copy. */
static int compare(struct json_ways *ways, struct xylem_view text)
{
    char *copy = malloc(text.bytes > 0 ? text.bytes : 1);
    assert_non_null(copy);
    memcpy(copy, text.data, text.bytes);
    const char *difference = json_ways_compare(ways, (struct xylem_view){copy, text.bytes});
    if (difference) {
        fail_msg("%s: %.*s", difference, (int)text.bytes, text.data);
    }
    free(copy);
    return ways->taken;
}

/* By rule. Each stands alone, then inside of an array, as a member of a map, and with white space around. */
static const struct xylem_view values[] = {
    TEXT("null"), TEXT("true"), TEXT("false"), TEXT("[]"), TEXT("{}"), TEXT("[ ]"), TEXT("{ }"),
    /* numbers */
    TEXT("0"), TEXT("-0"), TEXT("-1"), TEXT("10"), TEXT("0.0"), TEXT("-0.5"), TEXT("1e5"), TEXT("1E5"), TEXT("1e+5"),
    TEXT("1e-5"), TEXT("0e0"), TEXT("-1.25e10"), TEXT("1e00005"), TEXT("1e400"), TEXT("-1e400"), TEXT("5e-324"),
    TEXT("9223372036854775807"), TEXT("9223372036854775808"), TEXT("-9223372036854775808"),
    TEXT("-9223372036854775809"), TEXT("18446744073709551615"), TEXT("18446744073709551616"),
    TEXT("123456789012345678901234567890"), TEXT("1795204355003"), TEXT("0.1234567890123456789"),
    /* strings: plain, escapes, surrogates, UTF-8, ill-formed UTF-8 */
    TEXT("\"\""), TEXT("\"a\""), TEXT("\"abcdefg\""), TEXT("\"abcdefgh\""), TEXT("\"abcdefghi\""), TEXT("\"\x7f\""),
    TEXT("\"{}[]:,\""), TEXT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), TEXT("\"a\\\\\""), TEXT("\"\\u0000\\u00e9\\uABCD\""),
    TEXT("\"\\ud83d\\ude00\""), TEXT("\"\\ud83d\""), TEXT("\"\\ude00\\ud83d\""), TEXT("\"\\ud83d\\n\""),
    TEXT("\"\xC3\xA9\xE2\x80\xA8\xF0\x9F\x98\x80\""), TEXT("\"\xFF\""), TEXT("\"\xC3\""), TEXT("\"\xC3\\n\""),
    TEXT("\"\xED\xA0\xBD\""), TEXT("\"\xC0\x80\""), TEXT("\"\xF4\x90\x80\x80\""), TEXT("\"\xE2\x82\""),
    /* containers */
    TEXT("[1,2]"), TEXT("[[],{},[[]]]"), TEXT("{\"a\":1}"), TEXT("{\"a\":1,\"a\":2}"), TEXT("{\"\":{\"\":[]}}"),
    TEXT("[null,true,false,\"x\",1.5,{\"a\":\"b\"}]"), TEXT("{\"\\n\":[{}],\"\xC3\":{\"b\":[\"\\t\"]}}"),
    TEXT("[\n\t1 ,\r 2 , [ ] , { } ]"), TEXT("{ \"a\" : 1 ,\t\"b\"\n:\r[ { } ] }")};

/* No value, wherever the text stands. */
static const struct xylem_view others[] = {
    TEXT(""), TEXT("tru"), TEXT("truex"), TEXT("True"), TEXT("nul"), TEXT("nulll"), TEXT("fals"), TEXT("NaN"),
    TEXT("Infinity"), TEXT("undefined"), TEXT("a"), TEXT("'a'"),
    /* numbers */
    TEXT("-"), TEXT("+1"), TEXT("01"), TEXT("-01"), TEXT("00"), TEXT("1."), TEXT("1.e5"), TEXT(".5"), TEXT("-.5"),
    TEXT("1e"), TEXT("1e+"), TEXT("1e-"), TEXT("1E"), TEXT("1e5.5"), TEXT("1ee5"), TEXT("0x10"), TEXT("1_0"),
    TEXT("--1"), TEXT("1a"), TEXT("1.2.3"), TEXT("-Infinity"), TEXT("1-2"),
    /* strings */
    TEXT("\"a"), TEXT("\""), TEXT("\"\\\""), TEXT("\"a\\"), TEXT("\"\n\""), TEXT("\"\t\""), TEXT("\"\x1f\""),
    TEXT("\"\0\""), TEXT("\"abcdefgh\x01\""), TEXT("\"\\a\""), TEXT("\"\\x41\""), TEXT("\"\\'\""), TEXT("\"\\\n\""),
    TEXT("\"\\\0\""), TEXT("\"\\u\""), TEXT("\"\\u12\""), TEXT("\"\\u123\""), TEXT("\"\\u123g\""), TEXT("\"\\u123G\""),
    TEXT("\"\\U0041\""), TEXT("\"\\u-123\""), TEXT("\"\\u00:0\""), TEXT("\"\\u00@0\""), TEXT("\"\\u00`0\""),
    /* containers */
    TEXT("["), TEXT("{"), TEXT("[}"), TEXT("{]"), TEXT("[1,]"), TEXT("[,1]"), TEXT("[,]"), TEXT("[1,,2]"),
    TEXT("[1 2]"), TEXT("[1:2]"), TEXT("[1}"), TEXT("{,}"), TEXT("{\"a\"}"), TEXT("{\"a\":}"), TEXT("{:1}"),
    TEXT("{1:2}"), TEXT("{a:1}"), TEXT("{[]:1}"), TEXT("{\"a\" 1}"), TEXT("{\"a\":1,}"), TEXT("{\"a\":1 \"b\":2}"),
    TEXT("{\"a\",1}"), TEXT("{\"a\"::1}"), TEXT("{\"a\":1,2}"), TEXT("{\"a\":1]"), TEXT("[{\"a\":1]}"),
    /* between tokens */
    TEXT("\v"), TEXT("\f"), TEXT("\0"), TEXT("\xC2\xA0"), TEXT("\xEF\xBB\xBF"), TEXT("/**/"), TEXT("#"), TEXT("\xFF"),
    TEXT("1\v"), TEXT("\f1"), TEXT("1\0"),
    TEXT("\0"
         "1"),
    TEXT("\xEF\xBB\xBF{}"), TEXT("{}\xEF\xBB\xBF"), TEXT("/**/1"), TEXT("1//"), TEXT("\"a\"\v")};

/* White space around, and where a value can stand. */
static const char *const frames[][2] = {
    {"", ""},       {" ", ""},    {"", "\n"},       {" \t\r\n", " \t\r\n"},        {"[", "]"},
    {"[1,", ",2]"}, {"[ ", " ]"}, {"{\"k\":", "}"}, {"{\"k\" : ", ",\"l\":null}"}, {"[[{\"k\":[\"\\n\",", "]}]]"}};

static void compare_all(const struct xylem_view *texts, size_t count, int taken)
{
    struct json_ways ways = {0};
    for (size_t i = 0; i < count * (sizeof frames / sizeof *frames); i++) {
        const char *const *frame = frames[i / count];
        struct xylem_buffer text = {0};
        xylem_base__buffer_add_text(&text, frame[0]);
        xylem_buffer_add(&text, texts[i % count].data, texts[i % count].bytes);
        xylem_base__buffer_add_text(&text, frame[1]);
        bool empty = texts[i % count].bytes == 0 && (strcmp(frame[0], "[ ") == 0 || strcmp(frame[0], "[") == 0);
        if (compare(&ways, xylem_base__buffer_view(&text)) != (empty ? 1 : taken)) {
            fail_msg("the walk gives %d: %s", ways.taken, text.data);
        }
        xylem_buffer_release(&text);
    }
    json_ways_release(&ways);
}

TEST(the_walk_takes_each_value_of_the_grammar)
{
    compare_all(values, sizeof values / sizeof *values, 1);
}

TEST(the_walk_leaves_everything_else_to_yajl)
{
    compare_all(others, sizeof others / sizeof *others, 0);
}

TEST(nothing_but_white_space_follows_the_root)
{
    static const struct xylem_view texts[] = {
        TEXT("1 2"),    TEXT("{} []"),   TEXT("[]]"),      TEXT("{}}"),         TEXT("[1] x"), TEXT("1,"),
        TEXT("[],"),    TEXT("[]:"),     TEXT("1:"),       TEXT("\"a\" \"b\""), TEXT("1 \"a"), TEXT("[] \""),
        TEXT("[] tru"), TEXT("\"a\":1"), TEXT("\"a\"\"b"), TEXT("]"),           TEXT("}"),     TEXT(","),
        TEXT(":"),      TEXT(" "),       TEXT("1]"),       TEXT("{}\0"),        TEXT("1\f")};
    struct json_ways ways = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(compare(&ways, texts[i]), 0);
        assert_int_equal(ways.code, XYLEM_E_MALFORMED);
    }
    assert_int_equal(xylem_base__json_walk(&ways.walked, (struct xylem_view){NULL, 0}, 1, NULL), 0);
    json_ways_release(&ways);
}

/* Of arrays, of maps, and of both in turn; each depth with and without a value inside. */
TEST(the_walk_takes_64_open_containers)
{
    struct json_ways ways = {0};
    for (size_t depth = 1; depth < 70; depth++) {
        for (unsigned shape = 0; shape < 6; shape++) {
            struct xylem_buffer text = {0};
            struct xylem_buffer ends = {0};
            for (size_t i = 0; i < depth; i++) {
                bool map = shape % 3 == 2 ? i % 2 : shape % 3;
                bool last = i + 1 == depth && shape >= 3;
                xylem_base__buffer_add_text(&text, !map ? "[" : last ? "{" : "{\"k\":");
                xylem_base__buffer_add_text(&ends, map ? "}" : "]");
            }
            xylem_base__buffer_add_text(&text, shape < 3 ? "1" : "");
            for (size_t i = depth; i > 0; i--) {
                xylem_buffer_add(&text, ends.data + i - 1, 1);
            }
            assert_int_equal(compare(&ways, xylem_base__buffer_view(&text)), depth <= JSON_WAYS_DEPTH);
            assert_int_equal(ways.code, XYLEM_OK);
            assert_int_equal(json_ways_depth(&ways.judged), depth);
            text.data[text.bytes - 1 - depth / 2] ^= ']' ^ '}'; /* one of the ends is that of the other container */
            assert_int_equal(compare(&ways, xylem_base__buffer_view(&text)), 0);
            xylem_buffer_release(&text);
            xylem_buffer_release(&ends);
        }
    }
    json_ways_release(&ways);
}

TEST(what_the_walk_leaves_is_read_all_the_same)
{
    static char deep[131] = "[";
    memset(deep, '[', 65);
    memset(deep + 65, ']', 65);
    struct xylem_base__tree tree = {0};
    assert_int_equal(xylem_base__json_walk(&tree, xylem_view_of(deep), XYLEM_NESTING_MAX, NULL), 0);
    assert_int_equal(xylem_base__json_parse(&tree, xylem_view_of(deep), NULL), XYLEM_OK);
    assert_int_equal(tree.node_count, 65);
    assert_int_equal(xylem_base__json_parse_members(&tree, xylem_view_of(deep), NULL), XYLEM_OK);
    assert_int_equal(tree.node_count, 2);
    xylem_base__tree_release(&tree);
}

/* --- Changed lines of real sessions ------------------------------------------------------------------------------- */

struct lines {
    struct xylem_buffer text;
    size_t begins[10000];
    size_t count;
};

static void read_lines(struct lines *lines)
{
    glob_t files;
    assert_int_equal(glob("fixtures/sessions/*/*/*.jsonl", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        FILE *file = fopen(files.gl_pathv[i], "r");
        assert_non_null(file);
        char *line = NULL;
        size_t room = 0;
        ssize_t bytes;
        while ((bytes = getline(&line, &room, file)) > 0) {
            assert_true(lines->count + 1 < sizeof lines->begins / sizeof *lines->begins);
            assert_int_equal(xylem_buffer_add(&lines->text, line, (size_t)bytes), XYLEM_OK);
            lines->begins[++lines->count] = lines->text.bytes;
        }
        free(line);
        fclose(file);
    }
    globfree(&files);
    assert_true(lines->count > 1000);
}

/* Puts a piece in the place of 0 to 3 bytes, or takes bytes away. */
static void mutate(struct xylem_buffer *text, struct chance *chance)
{
    static const struct xylem_view pieces[] = {TEXT("\""),
                                               TEXT("\\"),
                                               TEXT("{"),
                                               TEXT("}"),
                                               TEXT("["),
                                               TEXT("]"),
                                               TEXT(":"),
                                               TEXT(","),
                                               TEXT("0"),
                                               TEXT("1"),
                                               TEXT("-"),
                                               TEXT("."),
                                               TEXT("e"),
                                               TEXT("E+"),
                                               TEXT(" "),
                                               TEXT("\t\r\n"),
                                               TEXT("\v"),
                                               TEXT("\f"),
                                               TEXT("\0"),
                                               TEXT("\x1f"),
                                               TEXT("\x7f"),
                                               TEXT("\x80"),
                                               TEXT("\xC3"),
                                               TEXT("\xC3\xA9"),
                                               TEXT("\xED\xA0\xBD"),
                                               TEXT("\xF0\x9F\x98\x80"),
                                               TEXT("\xFF"),
                                               TEXT("\\n"),
                                               TEXT("\\u0041"),
                                               TEXT("\\u12"),
                                               TEXT("\\ud83d"),
                                               TEXT("\\ude00"),
                                               TEXT("\\x"),
                                               TEXT("true"),
                                               TEXT("null"),
                                               TEXT("nul"),
                                               TEXT("[]"),
                                               TEXT("{}"),
                                               TEXT("\"\""),
                                               TEXT("\"a\":1,"),
                                               TEXT(",\"a\":[1]"),
                                               TEXT("-0"),
                                               TEXT("1e5"),
                                               TEXT("18446744073709551616"),
                                               TEXT("")};
    enum { PIECES = sizeof pieces / sizeof *pieces };
    struct xylem_buffer out = {0};
    size_t at = text->bytes > 0 ? (size_t)chance_below(chance, (int)text->bytes) : 0;
    size_t rest = text->bytes - at;
    size_t gone = (size_t)(chance_one_in(chance, 8) ? chance_below(chance, 40) : chance_below(chance, 4));
    gone = gone < rest ? gone : rest;
    struct xylem_view piece = pieces[chance_below(chance, PIECES)];
    xylem_buffer_add(&out, text->data, at);
    xylem_buffer_add(&out, piece.data, piece.bytes);
    xylem_buffer_add(&out, text->data + at + gone, rest - gone);
    xylem_buffer_release(text);
    *text = out;
}

TEST(lines_of_sessions_are_read_the_same_in_both_ways)
{
    static struct lines lines;
    struct json_ways ways = {0};
    struct chance chance = chance_of(1);
    unsigned taken = 0;
    unsigned rounds = test_rounds(MUTATIONS_USUAL);
    read_lines(&lines);
    for (unsigned round = 0; round < rounds; round++) {
        size_t line = (size_t)chance_below(&chance, (int)lines.count);
        struct xylem_buffer text = {0};
        xylem_buffer_add(&text, lines.text.data + lines.begins[line], lines.begins[line + 1] - lines.begins[line]);
        for (int changes = chance_below(&chance, 4); changes > 0; changes--) {
            mutate(&text, &chance);
        }
        taken += compare(&ways, xylem_base__buffer_view(&text)) == 1;
        xylem_buffer_release(&text);
    }
    assert_in_range(taken, rounds / 4, rounds / 4 * 3);
    json_ways_release(&ways);
    xylem_buffer_release(&lines.text);
}
