/* What is read as JSON, what is not, and the values and spellings that come out. */

#include <locale.h>
#include <unistd.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json.h"
#include "tests/lib/test.h"

/* Text of a known length, so that it may hold NUL. */
#define TEXT(literal)               \
    {                               \
        literal, sizeof literal - 1 \
    }

/* The root and its children, each of these without what is below it. */
static void assert_members_alone(const struct xylem_base__tree *members, const struct xylem_value *whole)
{
    const struct xylem_value *child = xylem_value_first(whole);
    assert_int_equal(members->nodes[0].type, whole->type);
    assert_int_equal(members->nodes[0].node_count, members->node_count);
    assert_int_equal(members->nodes[0].child_count, whole->child_count);
    assert_int_equal(members->nodes[0].raw.bytes, whole->raw.bytes);
    for (size_t i = 1; i < members->node_count; i++, child = xylem_value_next(whole, child)) {
        assert_non_null(child);
        assert_int_equal(members->nodes[i].node_count, 1);
        assert_int_equal(members->nodes[i].child_count, 0);
        assert_int_equal(members->nodes[i].type, child->type);
        assert_ptr_equal(members->nodes[i].raw.data, child->raw.data);
        assert_int_equal(members->nodes[i].raw.bytes, child->raw.bytes);
        assert_true(xylem_base__view_equal(xylem_value_string(&members->nodes[i]), xylem_value_string(child)));
    }
    assert_null(child);
}

/* Where only members are wanted the same is accepted and refused, in the same words, and the members are the same. */
static void assert_members_alike(struct xylem_view text)
{
    struct xylem_base__tree whole = {0};
    struct xylem_base__tree members = {0};
    struct xylem_error whole_err = {0};
    struct xylem_error members_err = {0};
    int code = xylem_base__json_parse(&whole, text, &whole_err);
    assert_int_equal(xylem_base__json_parse_members(&members, text, &members_err), code);
    assert_string_equal(members_err.text, whole_err.text);
    if (code == XYLEM_OK) {
        assert_members_alone(&members, whole.nodes);
    } else {
        assert_int_equal(members.node_count, 0);
    }
    xylem_base__tree_release(&whole);
    xylem_base__tree_release(&members);
}

/* Parses a copy in memory that ends where the text ends, so that a sanitizer sees a read beyond it. */
static int parse_copy(struct xylem_base__tree *tree, char **copy, struct xylem_view text, struct xylem_error *err)
{
    *copy = malloc(text.bytes > 0 ? text.bytes : 1);
    assert_non_null(*copy);
    memcpy(*copy, text.data, text.bytes);
    struct xylem_view view = {*copy, text.bytes};
    assert_members_alike(view);
    return xylem_base__json_parse(tree, view, err);
}

/* RFC 8259, and ill-formed UTF-8 inside strings. */
static const struct xylem_view accepted[] = {
    TEXT("null"),
    TEXT("true"),
    TEXT("false"),
    TEXT("0"),
    TEXT("-0"),
    TEXT("1"),
    TEXT("-1"),
    TEXT("10"),
    TEXT("0.0"),
    TEXT("-0.5"),
    TEXT("1e5"),
    TEXT("1E5"),
    TEXT("1e+5"),
    TEXT("1e-5"),
    TEXT("0e0"),
    TEXT("1.25e10"),
    TEXT("1e00005"),
    TEXT("1e400"),
    TEXT("-1e400"),
    TEXT("123456789012345678901234567890"),
    TEXT("\"\""),
    TEXT("\"a\""),
    TEXT("\"\\\"\""),
    TEXT("\"\\\\\""),
    TEXT("\"\\/\\b\\f\\n\\r\\t\""),
    TEXT("\"\\u0000\""),
    TEXT("\"\\uD83D\""),
    TEXT("\"\\uabCD\""),
    TEXT("\"\x7f\""),
    TEXT("\"\xE2\x80\xA8\""),
    TEXT("\"\xFF\""),
    TEXT("\"\xC3\""),
    TEXT("[]"),
    TEXT("{}"),
    TEXT("[[]]"),
    TEXT("[1,2]"),
    TEXT("{\"a\":1}"),
    TEXT("{\"a\":1,\"a\":2}"),
    TEXT("{\"\":{\"\":[]}}"),
    TEXT(" \t\r\n1 \t\r\n"),
    TEXT(" [ 1 , { \"a\" : \"b\" } ] "),
    TEXT("[null,true,false,\"x\",1.5]"),
    TEXT("\"a\" "),
    TEXT(" \"a\""),
    TEXT("[\"\\\\\",\"\\\"]\"]"),
    TEXT("{\"a,b\":\"}\",\"[\":\":\"}"),
};

TEST(texts_of_the_grammar_are_accepted)
{
    struct xylem_base__tree tree = {0};
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        struct xylem_error err = {0};
        char *copy;
        if (parse_copy(&tree, &copy, accepted[i], &err) < 0) {
            fail_msg("%s: %s", accepted[i].data, err.text);
        }
        assert_int_equal(tree.nodes[0].node_count, tree.node_count);
        assert_int_equal(tree.open_count, 0);
        free(copy);
    }
    xylem_base__tree_release(&tree);
}

/* Where yajl alone would accept a text (`1 "abc`, `\v1`), the door refuses it. */
static const struct xylem_view refused[] = {
    TEXT(""),
    TEXT(" "),
    TEXT("\n\t"),
    TEXT("1 2"),
    TEXT("{} []"),
    TEXT("[]]"),
    TEXT("{}}"),
    TEXT("[1] x"),
    TEXT("1,"),
    TEXT("\"a\" \"b\""),
    TEXT("1 \"abc"),
    TEXT("\"a\" \"b"),
    TEXT("[] \""),
    TEXT("[] tru"),
    TEXT("\0"),
    TEXT("1\0"),
    TEXT("[1\0]"),
    TEXT("\"a\0b\""),
    TEXT("\"a\"\0"),
    TEXT("\xEF\xBB\xBF{}"),
    TEXT("{}\xEF\xBB\xBF"),
    TEXT("\xC2\xA0"),
    TEXT("\"\n\""),
    TEXT("\"\t\""),
    TEXT("\"\x1f\""),
    TEXT("[1,]"),
    TEXT("[,1]"),
    TEXT("[1,,2]"),
    TEXT("[,]"),
    TEXT("{,}"),
    TEXT("{\"a\":1,}"),
    TEXT("{\"a\"}"),
    TEXT("{\"a\":}"),
    TEXT("{:1}"),
    TEXT("{1:2}"),
    TEXT("{a:1}"),
    TEXT("{\"a\" 1}"),
    TEXT("{\"a\":1 \"b\":2}"),
    TEXT("{\"a\",1}"),
    TEXT("{'a':1}"),
    TEXT("['a']"),
    TEXT("[\"a\":1]"),
    TEXT("["),
    TEXT("{"),
    TEXT("[1"),
    TEXT("{\"a\":1"),
    TEXT("{\"a"),
    TEXT("]"),
    TEXT("}"),
    TEXT("[}"),
    TEXT("{]"),
    TEXT("[1}"),
    TEXT("{\"a\":1]"),
    TEXT("01"),
    TEXT("-01"),
    TEXT("[01]"),
    TEXT("00"),
    TEXT("1."),
    TEXT("[1.]"),
    TEXT(".5"),
    TEXT("-"),
    TEXT("[-]"),
    TEXT("-.5"),
    TEXT("+1"),
    TEXT("1e"),
    TEXT("1e+"),
    TEXT("1.e5"),
    TEXT("0x10"),
    TEXT("1_0"),
    TEXT("--1"),
    TEXT("1a"),
    TEXT("1.2.3"),
    TEXT("NaN"),
    TEXT("Infinity"),
    TEXT("-Infinity"),
    TEXT("tru"),
    TEXT("truex"),
    TEXT("True"),
    TEXT("nul"),
    TEXT("nulll"),
    TEXT("undefined"),
    TEXT("\"abc"),
    TEXT("\"abc\\"),
    TEXT("\"abc\\\""),
    TEXT("\"\\a\""),
    TEXT("\"\\x41\""),
    TEXT("\"\\'\""),
    TEXT("\"\\\n\""),
    TEXT("\"\\u\""),
    TEXT("\"\\u12\""),
    TEXT("\"\\u123\""),
    TEXT("\"\\u123g\""),
    TEXT("\"\\U0041\""),
    TEXT("\"\\u-123\""),
    TEXT("\"\\"),
    TEXT("\""),
    TEXT("/**/1"),
    TEXT("1//"),
    TEXT("#\n1"),
    TEXT("\v1"),
    TEXT("1\f"),
    TEXT("[\v]"),
    TEXT("\"\\"),
    TEXT("\"a\\"),
    TEXT("\"a\\\""),
    TEXT("{\"a\":\"b\\"),
    TEXT("[1,\f2]"),
    TEXT("{\"a\"\v:1}"),
    TEXT("\f\"a\""),
    TEXT("\"a\"\v"),
    TEXT("\xFF"),
    TEXT("[\xC3\xA9]"),
};

TEST(everything_else_is_refused_with_the_byte)
{
    struct xylem_base__tree tree = {0};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct xylem_error err = {0};
        char *copy;
        int code = parse_copy(&tree, &copy, refused[i], &err);
        if (code != XYLEM_E_MALFORMED || err.code != code || !strstr(err.text, " at byte ")) {
            fail_msg("row %zu: %s: %d, %s", i, refused[i].data, code, err.text);
        }
        assert_int_equal(tree.node_count, 0);
        free(copy);
    }
    struct xylem_view nothing = {NULL, 0};
    assert_int_equal(xylem_base__json_parse(&tree, nothing, NULL), XYLEM_E_MALFORMED);
    xylem_base__tree_release(&tree);
}

TEST(an_error_says_where_and_why)
{
    static const struct {
        const char *text;
        const char *error;
    } rows[] = {
        {"[1,x]", "JSON is not well-formed at byte 4: lexical error: invalid char in json text."},
        {"[1 2]", "JSON is not well-formed at byte 4: parse error: after array element, I expect ',' or ']'"},
        {"{\"a\":1", "JSON is not well-formed at byte 6: parse error: premature EOF"},
        {"", "JSON is not well-formed at byte 0: parse error: premature EOF"},
        {"\"a\" \"b", "JSON is not well-formed at byte 4: only white space may follow the value"},
        {"[1,\f2]", "JSON is not well-formed at byte 3: this byte is not white space in JSON"},
    };
    struct xylem_base__tree tree = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct xylem_error err = {0};
        assert_int_equal(xylem_base__json_parse(&tree, xylem_view_of(rows[i].text), &err), XYLEM_E_MALFORMED);
        assert_string_equal(err.text, rows[i].error);
    }
    xylem_base__tree_release(&tree);
}

static const struct {
    struct xylem_view text;
    struct xylem_view string;
} strings[] = {
    {TEXT("\"\""), TEXT("")},
    {TEXT("\"plain \xC3\xA9 \xE2\x80\xA8 \xF0\x9F\x98\x80\""), TEXT("plain \xC3\xA9 \xE2\x80\xA8 \xF0\x9F\x98\x80")},
    {TEXT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), TEXT("\"\\/\b\f\n\r\t")},
    {TEXT("\"a\\\\\""), TEXT("a\\")},
    {TEXT("\"\\\\u0041\""), TEXT("\\u0041")},
    {TEXT("\"\\u0041\\u00e9\\u20AC\\u0000\""), TEXT("A\xC3\xA9\xE2\x82\xAC\0")},
    {TEXT("\"\\ud83d\\ude00\""), TEXT("\xF0\x9F\x98\x80")},
    {TEXT("\"\\uD800\\uDC00\\uDBFF\\uDFFF\""), TEXT("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF")},
    {TEXT("\"\\ud83d\""), TEXT("\xED\xA0\xBD")},
    {TEXT("\"\\ude00\""), TEXT("\xED\xB8\x80")},
    {TEXT("\"\\ude00\\ud83d\""), TEXT("\xED\xB8\x80\xED\xA0\xBD")},
    {TEXT("\"\\ud83d\\ud83d\\ude00\""), TEXT("\xED\xA0\xBD\xF0\x9F\x98\x80")},
    {TEXT("\"\\ud83dx\\ude00\""), TEXT("\xED\xA0\xBDx\xED\xB8\x80")},
    {TEXT("\"\\ud83d\\n\""), TEXT("\xED\xA0\xBD\n")},
    {TEXT("\"\\ud83d\\u0041\""), TEXT("\xED\xA0\xBD"
                                      "A")},
    /* An escaped surrogate joins only with an escaped one; the raw one is three ill-formed bytes. */
    {TEXT("\"\\ud83d\xED\xB8\x80\""), TEXT("\xED\xA0\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD")},
    {TEXT("\"\xED\xA0\xBD\""), TEXT("\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD")},
    {TEXT("\"\xED\xA0\""), TEXT("\xEF\xBF\xBD\xEF\xBF\xBD")},
    {TEXT("\"\xFF\""), TEXT("\xEF\xBF\xBD")},
    {TEXT("\"\xC3\""), TEXT("\xEF\xBF\xBD")},
    {TEXT("\"\xC3\\n\""), TEXT("\xEF\xBF\xBD\n")},
    {TEXT("\"\xC0\x80\""), TEXT("\xEF\xBF\xBD\xEF\xBF\xBD")},
    {TEXT("\"\xE2\x82x\""), TEXT("\xEF\xBF\xBDx")},
    {TEXT("\"\xE0\x80\x80\""), TEXT("\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD")},
    {TEXT("\"\xF0\x9F\x98\""), TEXT("\xEF\xBF\xBD")},
    {TEXT("\"\xF0\x9Fx\""), TEXT("\xEF\xBF\xBDx")},
    {TEXT("\"\xF0\x80\x80\x80\""), TEXT("\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD")},
    {TEXT("\"\xF4\x90\x80\x80\""), TEXT("\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD")},
    {TEXT("\"\xF0\x9F\x98\xF0\x9F\x98\x80\""), TEXT("\xEF\xBF\xBD\xF0\x9F\x98\x80")},
    {TEXT("\"\x80\x80\\u0041\""), TEXT("\xEF\xBF\xBD\xEF\xBF\xBD"
                                       "A")},
};

TEST(strings_are_decoded)
{
    struct xylem_base__tree tree = {0};
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        char *copy;
        assert_int_equal(parse_copy(&tree, &copy, strings[i].text, NULL), 0);
        assert_true(tree.string_bytes <= tree.string_capacity);
        if (!xylem_base__view_equal(xylem_value_string(tree.nodes), strings[i].string)) {
            fail_msg("row %zu: %s", i, strings[i].text.data);
        }
        assert_true(tree.nodes[0].raw.bytes == strings[i].text.bytes);
        free(copy);
    }
    xylem_base__tree_release(&tree);
}

TEST(a_plain_string_borrows_from_the_text)
{
    static const char text[] = "[\"plain\",\"esc\\n\"]";
    struct xylem_base__tree tree = {0};
    assert_int_equal(xylem_base__json_parse(&tree, xylem_view_of(text), NULL), 0);
    assert_ptr_equal(tree.nodes[1].as.string.data, text + 2);
    assert_int_equal(tree.string_bytes, 4);
    xylem_base__tree_release(&tree);
}

TEST(many_decoded_strings_stay_where_they_are)
{
    struct xylem_base__tree tree = {0};
    struct xylem_buffer text = {0};
    xylem_base__buffer_add_text(&text, "[\"first\\n\"");
    for (int i = 0; i < 5000; i++) {
        xylem_base__buffer_add_format(&text, ",\"\\t%d\xFF\xFF\xFF\"", i);
    }
    xylem_base__buffer_add_text(&text, "]");
    for (int round = 0; round < 2; round++) {
        assert_int_equal(xylem_base__json_parse(&tree, xylem_base__buffer_view(&text), NULL), 0);
        assert_true(tree.string_bytes <= tree.string_capacity);
        assert_true(xylem_base__view_is(tree.nodes[1].as.string, "first\n"));
        for (int i = 0; i < 5000; i++) {
            char expected[64];
            snprintf(expected, sizeof expected, "\t%d\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD", i);
            assert_true(xylem_base__view_is(tree.nodes[2 + i].as.string, expected));
        }
    }
    xylem_buffer_release(&text);
    xylem_base__tree_release(&tree);
}

TEST(every_node_has_its_exact_spelling)
{
    static const char *const spellings[] = {
        "{ \"k\\n\" : [ 1.50 , -0,\"a\\\"]\" ] ,\"\":{ } , \"x\":[] ,\t\"t\":true,\"f\":false ,\"n\":null}",
        "\"k\\n\"",
        "[ 1.50 , -0,\"a\\\"]\" ]",
        "1.50",
        "-0",
        "\"a\\\"]\"",
        "\"\"",
        "{ }",
        "\"x\"",
        "[]",
        "\"t\"",
        "true",
        "\"f\"",
        "false",
        "\"n\"",
        "null",
    };
    struct xylem_base__tree tree = {0};
    struct xylem_buffer text = {0};
    xylem_base__buffer_add_format(&text, " \n%s\r\n\t", spellings[0]);
    assert_int_equal(xylem_base__json_parse(&tree, xylem_base__buffer_view(&text), NULL), 0);
    assert_int_equal(tree.node_count, sizeof spellings / sizeof *spellings);
    for (size_t i = 0; i < tree.node_count; i++) {
        assert_int_equal(tree.nodes[i].raw.bytes, strlen(spellings[i]));
        assert_memory_equal(tree.nodes[i].raw.data, spellings[i], strlen(spellings[i]));
    }
    xylem_buffer_release(&text);
    xylem_base__tree_release(&tree);
}

TEST(the_spelling_of_a_lone_scalar_has_no_white_space)
{
    static const char *const spellings[] = {"12", "-1.5e3", "\"a b\"", "true", "false", "null", "0"};
    static const char *const before[] = {"", " ", "\r\n"};
    static const char *const after[] = {"", " ", "\r\n"};
    struct xylem_base__tree tree = {0};
    for (size_t i = 0; i < (sizeof spellings / sizeof *spellings) * 9; i++) {
        const char *spelling = spellings[i / 9];
        struct xylem_buffer text = {0};
        char *copy;
        xylem_base__buffer_add_format(&text, "%s%s%s", before[i % 3], spelling, after[i / 3 % 3]);
        assert_int_equal(parse_copy(&tree, &copy, xylem_base__buffer_view(&text), NULL), 0);
        assert_int_equal(tree.node_count, 1);
        assert_int_equal(tree.nodes[0].raw.bytes, strlen(spelling));
        assert_memory_equal(tree.nodes[0].raw.data, spelling, strlen(spelling));
        free(copy);
        xylem_buffer_release(&text);
    }
    xylem_base__tree_release(&tree);
}

static const struct {
    const char *text;
    enum xylem_value_type type;
    int64_t integer; /* of an unsigned one, its bits */
    double number;
} numbers[] = {
    {"0", XYLEM_VALUE_INT, 0, 0},
    {"-1", XYLEM_VALUE_INT, -1, 0},
    {"9223372036854775807", XYLEM_VALUE_INT, INT64_MAX, 0},
    {"-9223372036854775808", XYLEM_VALUE_INT, INT64_MIN, 0},
    {"9223372036854775808", XYLEM_VALUE_UINT, INT64_MIN, 0},
    {"18446744073709551615", XYLEM_VALUE_UINT, -1, 0},
    {"18446744073709551616", XYLEM_VALUE_DOUBLE, 0, 0x1p64},
    {"184467440737095516150", XYLEM_VALUE_DOUBLE, 0, 184467440737095516150.0},
    {"-9223372036854775809", XYLEM_VALUE_DOUBLE, 0, -0x1p63},
    {"-0", XYLEM_VALUE_DOUBLE, 0, -0.0},
    {"1.0", XYLEM_VALUE_DOUBLE, 0, 1},
    {"1e0", XYLEM_VALUE_DOUBLE, 0, 1},
    {"-2E+2", XYLEM_VALUE_DOUBLE, 0, -200},
    {"0.1", XYLEM_VALUE_DOUBLE, 0, 0.1},
    {"5e-324", XYLEM_VALUE_DOUBLE, 0, 0x1p-1074},
    {"2e-324", XYLEM_VALUE_DOUBLE, 0, 0},
    {"1.7976931348623157e308", XYLEM_VALUE_DOUBLE, 0, 0x1.fffffffffffffp1023},
    {"1e309", XYLEM_VALUE_DOUBLE, 0, (double)INFINITY},
    {"-1e99999999999999999999", XYLEM_VALUE_DOUBLE, 0, (double)-INFINITY},
    {"1e-99999999999999999999", XYLEM_VALUE_DOUBLE, 0, 0},
    {"0e99999999999999999999", XYLEM_VALUE_DOUBLE, 0, 0},
    {"0.00000000000000000000000000000001e32", XYLEM_VALUE_DOUBLE, 0, 1},
    {"100000000000000000000000000000000e-32", XYLEM_VALUE_DOUBLE, 0, 1},
    {"2.2250738585072011e-308", XYLEM_VALUE_DOUBLE, 0, 2.2250738585072011e-308},
    {"9007199254740993.0", XYLEM_VALUE_DOUBLE, 0, 9007199254740992.0},
    {"9007199254740993.00000000000000000000000000000000001", XYLEM_VALUE_DOUBLE, 0, 9007199254740994.0},
};

TEST(numbers_keep_their_type_and_value)
{
    struct xylem_base__tree tree = {0};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char *copy;
        assert_int_equal(parse_copy(&tree, &copy, xylem_view_of(numbers[i].text), NULL), 0);
        const struct xylem_value *value = tree.nodes;
        assert_int_equal(value->type, numbers[i].type);
        if (value->type == XYLEM_VALUE_DOUBLE) {
            assert_memory_equal(&value->as.number, &numbers[i].number, sizeof(double));
        } else {
            assert_memory_equal(&value->as, &numbers[i].integer, sizeof(int64_t));
        }
        free(copy);
    }
    xylem_base__tree_release(&tree);
}

TEST(a_number_of_very_many_digits_is_rounded_right)
{
    struct xylem_buffer text = {0};
    /* Half between 1 and the next double, 2^-53, has 53 decimals; a digit far behind decides. */
    xylem_base__buffer_add_text(&text, "1.00000000000000011102230246251565404236316680908203125");
    assert_true(xylem_base__json_read_number(xylem_base__buffer_view(&text)) <= 1.0);
    for (int i = 0; i < 5000; i++) {
        xylem_buffer_add(&text, "0", 1);
    }
    assert_true(xylem_base__json_read_number(xylem_base__buffer_view(&text)) <= 1.0);
    xylem_buffer_add(&text, "1", 1);
    assert_true(xylem_base__json_read_number(xylem_base__buffer_view(&text)) > 1.0);
    xylem_base__buffer_clear(&text);
    for (int i = 0; i < 5000; i++) {
        xylem_buffer_add(&text, "7", 1);
    }
    xylem_base__buffer_add_text(&text, "e-4999");
    double number = xylem_base__json_read_number(xylem_base__buffer_view(&text));
    assert_true(number >= 7.777777777777778 && number <= 7.777777777777778);
    xylem_buffer_release(&text);
}

/* Makes a locale with a decimal comma in a directory of its own, and sets it. */
static bool set_comma_locale(const char *directory)
{
    char command[256];
    (void)snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >/dev/null 2>&1", directory);
    return system(command) == 0 && setenv("LOCPATH", directory, 1) == 0 && setlocale(LC_ALL, "de_DE.UTF-8") &&
           localeconv()->decimal_point[0] == ',';
}

TEST(numbers_are_read_and_written_alike_in_every_locale)
{
    char directory[] = "/tmp/xylem-locale-XXXXXX";
    char command[64];
    assert_non_null(mkdtemp(directory));
    bool set = set_comma_locale(directory);
    (void)snprintf(command, sizeof command, "rm -rf '%s'", directory);
    assert_int_equal(system(command), 0);
    if (!set) {
        setlocale(LC_ALL, "C");
        print_message("no locale with a decimal comma can be made: Debian's package locales has what it takes\n");
        skip();
    }
    struct xylem_buffer text = {0};
    double number = xylem_base__json_read_number(xylem_view_of("1234.5e-1"));
    xylem_buffer_add_json_number(&text, number);
    setlocale(LC_ALL, "C");
    assert_string_equal(text.data, "123.45");
    xylem_buffer_release(&text);
}

static void nest(struct xylem_buffer *text, size_t depth, const char *open, const char *close)
{
    xylem_base__buffer_clear(text);
    for (size_t i = 0; i < depth; i++) {
        xylem_base__buffer_add_text(text, open);
    }
    xylem_base__buffer_add_text(text, "1");
    for (size_t i = 0; i < depth; i++) {
        xylem_base__buffer_add_text(text, close);
    }
}

TEST(nesting_is_limited)
{
    static const char *const opens[] = {"[", "{\"a\":"};
    static const char *const closes[] = {"]", "}"};
    struct xylem_base__tree tree = {0};
    struct xylem_buffer text = {0};
    for (size_t i = 0; i < 2; i++) {
        struct xylem_error err = {0};
        nest(&text, XYLEM_NESTING_MAX, opens[i], closes[i]);
        assert_int_equal(xylem_base__json_parse(&tree, xylem_base__buffer_view(&text), &err), 0);
        nest(&text, XYLEM_NESTING_MAX + 1, opens[i], closes[i]);
        assert_members_alike(xylem_base__buffer_view(&text));
        assert_int_equal(xylem_base__json_parse(&tree, xylem_base__buffer_view(&text), &err), XYLEM_E_LIMIT);
        assert_non_null(strstr(err.text, i == 0 ? "deeper than 512 at byte 512" : "deeper than 512 at byte 2560"));
        nest(&text, 100000, opens[i], closes[i]);
        assert_members_alike(xylem_base__buffer_view(&text));
        assert_int_equal(xylem_base__json_parse(&tree, xylem_base__buffer_view(&text), &err), XYLEM_E_LIMIT);
    }
    xylem_buffer_release(&text);
    xylem_base__tree_release(&tree);
}

TEST(every_cut_of_a_text_is_refused_or_whole)
{
    static const char text[] = "{\"a\":[1,-2.5e3,\"x\\u00e9\\\"\",true,null],\"\\ud83d\":{\"b\":\"\xC3\xA9\"}}";
    struct xylem_base__tree tree = {0};
    for (size_t bytes = 0; bytes < sizeof text - 1; bytes++) {
        struct xylem_view view = {text, bytes};
        char *copy;
        assert_int_equal(parse_copy(&tree, &copy, view, NULL), XYLEM_E_MALFORMED);
        free(copy);
    }
    assert_int_equal(xylem_base__json_parse(&tree, xylem_view_of(text), NULL), 0);
    xylem_base__tree_release(&tree);
}

/*
 * Where a word of eight bytes ends, the search for the end of a string goes on by one: so each length, and each place,
 * has a case.
 */
TEST(a_byte_that_ends_a_run_of_plain_ones_is_found_at_every_place)
{
    static const char *const ends[] = {"\"", "\\\"\"", "\x1f\"", "\xC3\xA9\"", "\x80\"", "\\u00e9\"", "\x7f\""};
    struct xylem_base__tree tree = {0};
    for (size_t run = 0; run < 40; run++) {
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
            char text[64];
            snprintf(text, sizeof text, "[\"%.*s%s,1]", (int)run, "abcdefghijklmnopqrstuvwxyz ~!#[]ABCDEFGHIJKL",
                     ends[i]);
            char *copy;
            int code = parse_copy(&tree, &copy, xylem_view_of(text), NULL);
            assert_int_equal(code, ends[i][0] == '\x1f' ? XYLEM_E_MALFORMED : XYLEM_OK);
            free(copy);
        }
    }
    xylem_base__tree_release(&tree);
}

/* A text with some bytes changed is mostly no JSON any more, and what is wrong may lie at any depth. */
TEST(members_alone_are_read_like_the_whole_from_damaged_texts)
{
    static const char text[] =
        "{\"a\":[1,-2.5e3,\"x\\u00e9\\\"\",true,null,0.1E-2],\"\\ud83d\":{\"b\":\"\xC3\xA9\",\"c\":{}}}";
    static const char bytes[] = "\"\\{}[]:,0123456789-+.eEtrufalsn \t\n\r\v\f/b\x01\x7f\x80\xC3\xED\xA0\xFF";
    uint64_t seed = 88172645463325252u;
    for (size_t round = 0; round < 50000; round++) {
        char damaged[sizeof text];
        memcpy(damaged, text, sizeof text);
        for (size_t changes = 1 + round % 3; changes > 0; changes--) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            damaged[seed % (sizeof text - 1)] = bytes[(seed >> 32) % (sizeof bytes - 1)];
        }
        assert_members_alike((struct xylem_view){damaged, sizeof text - 1});
    }
}

/* `count` strings in an array that is the only member of the root. */
static struct xylem_buffer strings_below_a_member(size_t count)
{
    struct xylem_buffer text = {0};
    assert_int_equal(xylem_base__buffer_reserve(&text, 3 * count + 4), XYLEM_OK);
    assert_int_equal(xylem_buffer_add(&text, "[[\"\"", 4), XYLEM_OK);
    for (size_t i = 1; i < count; i++) {
        assert_int_equal(xylem_buffer_add(&text, ",\"\"", 3), XYLEM_OK);
    }
    assert_int_equal(xylem_buffer_add(&text, "]]", 2), XYLEM_OK);
    return text;
}

TEST(values_without_nodes_count_too)
{
    struct xylem_base__tree tree = {0};
    for (size_t more = 0; more < 2; more++) {
        struct xylem_buffer text = strings_below_a_member(XYLEM_VALUES_MAX - 2 + more);
        struct xylem_error err = {0};
        int code = xylem_base__json_parse_members(&tree, xylem_base__buffer_view(&text), &err);
        assert_int_equal(code, more == 0 ? XYLEM_OK : XYLEM_E_LIMIT);
        assert_int_equal(tree.node_count, more == 0 ? 2 : 0);
        assert_string_equal(err.text, more == 0 ? "" : "JSON has more than 4194304 values");
        xylem_buffer_release(&text);
    }
    xylem_base__tree_release(&tree);
}

TEST(what_is_below_the_members_has_no_nodes_but_is_checked)
{
    struct xylem_base__tree tree = {0};
    const char *good = "{\"a\":{\"b\":[1,{}],\"c\":\"}\\\"]\"},\"d\":[],\"e\":[[\"\",true]]}";
    assert_int_equal(xylem_base__json_parse_members(&tree, xylem_view_of(good), NULL), XYLEM_OK);
    assert_int_equal(tree.node_count, 7);
    assert_true(xylem_base__view_is(xylem_value_get(tree.nodes, "a")->raw, "{\"b\":[1,{}],\"c\":\"}\\\"]\"}"));
    assert_true(xylem_base__view_is(xylem_value_get(tree.nodes, "d")->raw, "[]"));
    assert_true(xylem_base__view_is(xylem_value_get(tree.nodes, "e")->raw, "[[\"\",true]]"));
    static const char *const bad[] = {"[[1 2]]", "[[\"\\x\"]]", "[[\v1]]", "[[\"\",\f\"\"]]",
                                      "[[[1]}]", "[{\"a\"}]",   "[[1]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(xylem_base__json_parse_members(&tree, xylem_view_of(bad[i]), NULL), XYLEM_E_MALFORMED);
    }
    xylem_base__tree_release(&tree);
}
