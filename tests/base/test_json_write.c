/* What JSON.stringify() would write, and that it reads back as it was. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json.h"
#include "base/utf8.h"
#include "tests/lib/test.h"

/* The bits of a double, and what Node.js 20 makes of it. */
static const struct {
    uint64_t bits;
    const char *text;
} numbers[] = {
    {0x0000000000000000u, "0"},
    {0x8000000000000000u, "0"},
    {0x3ff0000000000000u, "1"},
    {0xbff0000000000000u, "-1"},
    {0x3ff8000000000000u, "1.5"},
    {0xbff8000000000000u, "-1.5"},
    {0x3fb999999999999au, "0.1"},
    {0x3fc999999999999au, "0.2"},
    {0x3fd3333333333334u, "0.30000000000000004"},
    {0x3fd5555555555555u, "0.3333333333333333"},
    {0x3fe5555555555555u, "0.6666666666666666"},
    {0x4059000000000000u, "100"},
    {0x419d6f3454000000u, "123456789"},
    {0x430c6bf526340000u, "1000000000000000"},
    {0x437b69b4ba630f35u, "123456789012345680"},
    {0x4341c37937e08000u, "10000000000000000"},
    {0x4376345785d8a000u, "100000000000000000"},
    {0x433fffffffffffffu, "9007199254740991"},
    {0x4340000000000000u, "9007199254740992"},
    {0x4340000000000001u, "9007199254740994"},
    {0xc340000000000000u, "-9007199254740992"},
    {0x4415af1d78b58c40u, "100000000000000000000"},
    {0x441ac53a7e04bcdau, "123456789012345680000"},
    {0x444b1ae4d6e2ef4fu, "999999999999999900000"},
    {0x444b1ae4d6e2ef50u, "1e+21"},
    {0x4454542ba12a337cu, "1.5e+21"},
    {0x4480f0cf064dd592u, "1e+22"},
    {0xc44b1ae4d6e2ef50u, "-1e+21"},
    {0x44b52d02c7e14af6u, "1e+23"},
    {0x54b249ad2594c37du, "1e+100"},
    {0x7e37e43c8800759cu, "1e+300"},
    {0x7fefffffffffffffu, "1.7976931348623157e+308"},
    {0xffefffffffffffffu, "-1.7976931348623157e+308"},
    {0x3f847ae147ae147bu, "0.01"},
    {0x3f50624dd2f1a9fcu, "0.001"},
    {0x3f1a36e2eb1c432du, "0.0001"},
    {0x3ee4f8b588e368f1u, "0.00001"},
    {0x3eb0c6f7a0b5ed8du, "0.000001"},
    {0x3eb27476ca61b882u, "0.0000011"},
    {0x3e7ad7f29abcaf48u, "1e-7"},
    {0x3e801b2b29a4692bu, "1.2e-7"},
    {0x3e8421f5f40d8376u, "1.5e-7"},
    {0xbe7ad7f29abcaf48u, "-1e-7"},
    {0x3ddb7cdfd9d7bdbbu, "1e-10"},
    {0x3e4a7ffc9b36c9b6u, "1.234e-8"},
    {0x2b2bff2ee48e0530u, "1e-100"},
    {0x01a56e1fc2f8f359u, "1e-300"},
    {0x0010000000000000u, "2.2250738585072014e-308"},
    {0x000fffffffffffffu, "2.225073858507201e-308"},
    {0x0000000000000001u, "5e-324"},
    {0x0000000000000002u, "1e-323"},
    {0x0000000000000003u, "1.5e-323"},
    {0x0000000000000028u, "2e-322"},
    {0x001fffffffffffffu, "4.4501477170144023e-308"},
    {0x00000000000007e8u, "1e-320"},
    {0x400921fb54442d18u, "3.141592653589793"},
    {0x4005bf0a8b145769u, "2.718281828459045"},
    {0x3ff6a09e667f3bcdu, "1.4142135623730951"},
    {0x3fe0000000000000u, "0.5"},
    {0x3fd0000000000000u, "0.25"},
    {0x3fc0000000000000u, "0.125"},
    {0x4011666666666666u, "4.35"},
    {0x4011666666666665u, "4.349999999999999"},
    {0x3ff0147ae147ae14u, "1.005"},
    {0x3ff199999999999au, "1.1"},
    {0x4004000000000000u, "2.5"},
    {0x405edd2f1a9fbe77u, "123.456"},
    {0x3ee4f93ef942aa28u, "0.000010001000000000001"},
    {0x3d30000000000000u, "5.684341886080802e-14"},
    {0x0170000000000000u, "9.332636185032189e-302"},
    {0x4450000000000000u, "1.1805916207174113e+21"},
    {0x4580000000000000u, "6.189700196426902e+26"},
    {0x4790000000000000u, "5.316911983139664e+36"},
    {0x3e70000000000000u, "5.960464477539063e-8"},
    {0x7fe0000000000000u, "8.98846567431158e+307"},
    {0x3eb0000000000000u, "9.5367431640625e-7"},
    {0x3f5439de481f5382u, "0.0012345"},
    {0x4008000000000001u, "3.0000000000000004"},
    {0x4180000004000000u, "33554432.5"},
    {0x4279debd01c711f8u, "1777777777777.123"},
    {0x43b8abef7845fb3eu, "1777777777777000000"},
    {0x3d2fffffffffffffu, "5.684341886080801e-14"},
    {0x3ee4f8b588e368f0u, "0.000009999999999999999"},
    {0x3ff3c0ca428c59fbu, "1.2345678901234567"},
    {0x4132d687e3df2180u, "1234567.8901234567"},
    {0x43f0000000000000u, "18446744073709552000"},
    {0x43e0000000000000u, "9223372036854776000"},
    {0xc3e0000000000000u, "-9223372036854776000"},
    {0x40f000019999999au, "65536.1"},
};

TEST(doubles_are_spelt_as_javascript_spells_them)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct xylem_buffer text = {0};
        double number;
        memcpy(&number, &numbers[i].bits, sizeof number);
        assert_int_equal(xylem_buffer_add_json_number(&text, number), 0);
        assert_string_equal(text.data, numbers[i].text);
        double back = xylem_base__json_read_number(xylem_base__buffer_view(&text));
        assert_true(back >= number && back <= number);
        xylem_buffer_release(&text);
    }
}

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

TEST(every_power_of_two_and_random_doubles_read_back)
{
    uint64_t seed = 0x9E3779B97F4A7C15u;
    for (int i = -1074; i < 20000; i++) {
        uint64_t bits = next_random(&seed);
        double number = ldexp(1.0, i);
        if (i > 1023) {
            memcpy(&number, &bits, sizeof number);
        }
        struct xylem_buffer text = {0};
        assert_int_equal(xylem_buffer_add_json_number(&text, number), 0);
        double back = xylem_base__json_read_number(xylem_base__buffer_view(&text));
        if (!isnan(number) && !(back >= number && back <= number)) {
            fail_msg("%a was written as %s", number, text.data);
        }
        xylem_buffer_release(&text);
    }
}

TEST(what_is_not_finite_is_null_or_reads_back_as_infinite)
{
    struct xylem_buffer text = {0};
    xylem_buffer_add_json_number(&text, (double)NAN);
    xylem_buffer_add(&text, " ", 1);
    xylem_buffer_add_json_number(&text, (double)INFINITY);
    xylem_buffer_add(&text, " ", 1);
    xylem_buffer_add_json_number(&text, (double)-INFINITY);
    assert_string_equal(text.data, "null 1e999 -1e999");
    assert_true(isinf(xylem_base__json_read_number(xylem_view_of("-1e999"))));
    xylem_buffer_release(&text);
}

TEST(strings_are_escaped_as_javascript_escapes_them)
{
    static const struct {
        struct xylem_view string;
        const char *text;
    } rows[] = {
        {{NULL, 0}, "\"\""},
        {{"plain /'", 8}, "\"plain /'\""},
        {{"\"\\", 2}, "\"\\\"\\\\\""},
        {{"\b\f\n\r\t", 5}, "\"\\b\\f\\n\\r\\t\""},
        {{"\0\x01\x0b\x1f", 4}, "\"\\u0000\\u0001\\u000b\\u001f\""},
        {{"\x7f", 1}, "\"\x7f\""},
        {{"\xC2\x80 \xE2\x80\xA8 \xE2\x80\xA9", 10}, "\"\xC2\x80 \xE2\x80\xA8 \xE2\x80\xA9\""},
        {{"\xF0\x9F\x98\x80", 4}, "\"\xF0\x9F\x98\x80\""},
        {{"a\xED\xA0\xBDz", 5}, "\"a\\ud83dz\""},
        {{"\xED\xBF\xBF", 3}, "\"\\udfff\""},
        {{"\xED\xA0\xBD\xED\xB8\x80", 6}, "\"\\ud83d\\ude00\""},
        {{"\xFF", 1}, "\"\xEF\xBF\xBD\""},
        {{"a\xE2\x82", 3}, "\"a\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {{"\xC3\"", 2}, "\"\xEF\xBF\xBD\\\"\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct xylem_buffer text = {0};
        assert_int_equal(xylem_buffer_add_json_string(&text, rows[i].string), 0);
        assert_string_equal(text.data, rows[i].text);
        xylem_buffer_release(&text);
    }
}

TEST(every_control_byte_reads_back)
{
    struct xylem_base__tree tree = {0};
    char all[256];
    for (size_t i = 0; i < 128; i++) {
        all[i] = (char)i;
    }
    struct xylem_view view = {all, 128};
    struct xylem_buffer text = {0};
    assert_int_equal(xylem_buffer_add_json_string(&text, view), 0);
    assert_int_equal(xylem_base__json_parse(&tree, xylem_base__buffer_view(&text), NULL), 0);
    assert_true(xylem_base__view_equal(xylem_value_string(tree.nodes), view));
    xylem_buffer_release(&text);
    xylem_base__tree_release(&tree);
}

TEST(values_are_written_from_what_they_mean_not_from_their_spelling)
{
    static const struct {
        const char *from;
        const char *to;
    } rows[] = {
        {" { \"a\" : [ 1.0 , 1e2 , -0 , \"\\u0041\\/\" ] , \"a\" : null } ", "{\"a\":[1,100,0,\"A/\"],\"a\":null}"},
        {"[]", "[]"},
        {"{}", "{}"},
        {"[[],{},[{}]]", "[[],{},[{}]]"},
        {"[true,false,null]", "[true,false,null]"},
        {"[9223372036854775807,-9223372036854775808,18446744073709551615]",
         "[9223372036854775807,-9223372036854775808,18446744073709551615]"},
        {"[1e400,-1e400,1e21,1E-7]", "[1e999,-1e999,1e+21,1e-7]"},
        {"{\"\\ud83d\":\"\\uDE00\"}", "{\"\\ud83d\":\"\\ude00\"}"},
    };
    struct xylem_base__tree tree = {0};
    struct xylem_buffer text = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        xylem_base__buffer_clear(&text);
        assert_int_equal(xylem_base__json_parse(&tree, xylem_view_of(rows[i].from), NULL), 0);
        assert_int_equal(xylem_value_json(&text, tree.nodes), 0);
        assert_string_equal(text.data, rows[i].to);
    }
    xylem_base__buffer_clear(&text);
    assert_int_equal(xylem_value_json(&text, NULL), 0);
    assert_string_equal(text.data, "null");
    xylem_buffer_release(&text);
    xylem_base__tree_release(&tree);
}

TEST(a_key_that_is_no_string_is_written_as_the_string_of_its_json)
{
    struct xylem_value map[] = {
        {.type = XYLEM_VALUE_MAP, .node_count = 5, .child_count = 4},
        {.type = XYLEM_VALUE_INT, .node_count = 1, .as.integer = 7},
        {.type = XYLEM_VALUE_NIL, .node_count = 1},
        {.type = XYLEM_VALUE_BOOL, .node_count = 1, .as.boolean = true},
        {.type = XYLEM_VALUE_NIL, .node_count = 1},
    };
    struct xylem_buffer text = {0};
    assert_int_equal(xylem_value_json(&text, map), 0);
    assert_string_equal(text.data, "{\"7\":null,\"true\":null}");
    xylem_buffer_release(&text);
}

TEST(the_deepest_value_is_written)
{
    char deep[2 * XYLEM_NESTING_MAX + 1];
    memset(deep, '[', XYLEM_NESTING_MAX);
    memset(deep + XYLEM_NESTING_MAX, ']', XYLEM_NESTING_MAX);
    deep[2 * XYLEM_NESTING_MAX] = '\0';
    struct xylem_base__tree tree = {0};
    struct xylem_buffer text = {0};
    assert_int_equal(xylem_base__json_parse(&tree, xylem_view_of(deep), NULL), 0);
    assert_int_equal(xylem_value_json(&text, tree.nodes), 0);
    assert_string_equal(text.data, deep);
    xylem_buffer_release(&text);
    xylem_base__tree_release(&tree);
}

/* The characters of random strings, mostly those that something could go wrong with. */
static const uint32_t alphabet[] = {0,      1,      '\n',   '"',    '\\',   '/',    'a',    0x7F,   0xE9,
                                    0x2028, 0xD7FF, 0xD83D, 0xDBFF, 0xDC00, 0xDFFF, 0xE000, 0xFFFD, 0x1F600};

static void add_random_string(struct xylem_base__tree *tree, struct xylem_buffer *strings, uint64_t *seed)
{
    struct xylem_view view = {strings->data + strings->bytes, 0};
    size_t before = strings->bytes;
    bool after_high = false;
    for (uint64_t left = next_random(seed) % 8; left > 0; left--) {
        uint32_t code_point = alphabet[next_random(seed) % (sizeof alphabet / sizeof *alphabet)];
        if (after_high && code_point >= 0xDC00 && code_point <= 0xDFFF) {
            continue; /* a pair in two halves is no WTF-8 */
        }
        char bytes[4];
        assert_int_equal(xylem_buffer_add(strings, bytes, xylem_base__wtf8_encode(bytes, code_point)), 0);
        after_high = code_point >= 0xD800 && code_point <= 0xDBFF;
    }
    view.bytes = strings->bytes - before;
    assert_true(xylem_base__wtf8_valid(view.data, view.bytes));
    struct xylem_value *node = xylem_base__tree_add(tree, XYLEM_VALUE_STRING, (struct xylem_view){NULL, 0});
    assert_non_null(node);
    node->as.string = view;
}

static void add_random_number(struct xylem_base__tree *tree, uint64_t *seed)
{
    struct xylem_value *node = xylem_base__tree_add(tree, XYLEM_VALUE_INT, (struct xylem_view){NULL, 0});
    assert_non_null(node);
    uint64_t bits = next_random(seed);
    switch (next_random(seed) % 4) {
    case 0:
        node->as.integer = (int64_t)(bits % 2001) - 1000;
        break;
    case 1:
        node->as.integer = (int64_t)bits;
        break;
    case 2:
        node->type = XYLEM_VALUE_UINT;
        node->as.unsigned_integer = bits | (uint64_t)1 << 63;
        break;
    default:
        /* A double with a fraction: a whole one reads back as an integer. */
        node->type = XYLEM_VALUE_DOUBLE;
        node->as.number = (double)(int64_t)(bits % 100000) + 0.1 * (double)(1 + bits % 9);
    }
}

static void add_random_value(struct xylem_base__tree *tree, struct xylem_buffer *strings, uint64_t *seed, int depth)
{
    struct xylem_view no_raw = {NULL, 0};
    uint64_t choice = next_random(seed) % (depth > 5 ? 4 : 6);
    if (choice == 0) {
        assert_non_null(xylem_base__tree_add(tree, XYLEM_VALUE_NIL, no_raw));
    } else if (choice == 1) {
        struct xylem_value *node = xylem_base__tree_add(tree, XYLEM_VALUE_BOOL, no_raw);
        assert_non_null(node);
        node->as.boolean = next_random(seed) % 2;
    } else if (choice == 2) {
        add_random_number(tree, seed);
    } else if (choice == 3) {
        add_random_string(tree, strings, seed);
    } else {
        bool map = choice == 4;
        assert_int_equal(xylem_base__tree_open(tree, map ? XYLEM_VALUE_MAP : XYLEM_VALUE_ARRAY, no_raw), 0);
        for (uint64_t left = next_random(seed) % 5; left > 0; left--) {
            if (map) {
                add_random_string(tree, strings, seed);
            }
            add_random_value(tree, strings, seed, depth + 1);
        }
        xylem_base__tree_close(tree, NULL);
    }
}

static bool same_node(const struct xylem_value *a, const struct xylem_value *b)
{
    if (a->type != b->type || a->node_count != b->node_count || a->child_count != b->child_count) {
        return false;
    }
    switch (a->type) {
    case XYLEM_VALUE_BOOL:
        return a->as.boolean == b->as.boolean;
    case XYLEM_VALUE_INT:
    case XYLEM_VALUE_UINT:
    case XYLEM_VALUE_DOUBLE:
        return a->as.unsigned_integer == b->as.unsigned_integer; /* their bits */
    case XYLEM_VALUE_STRING:
        return xylem_base__view_equal(a->as.string, b->as.string);
    default:
        return true;
    }
}

TEST(random_trees_read_back_as_they_were_written)
{
    struct xylem_base__tree tree = {0};
    struct xylem_base__tree back = {0};
    struct xylem_buffer strings = {0};
    struct xylem_buffer text = {0};
    for (uint64_t start = 1; start <= 3000; start++) {
        uint64_t seed = start * 0x9E3779B97F4A7C15u;
        xylem_base__tree_clear(&tree);
        xylem_base__buffer_clear(&strings);
        xylem_base__buffer_clear(&text);
        assert_int_equal(xylem_base__buffer_reserve(&strings, 1 << 20), 0); /* so that no view moves */
        add_random_value(&tree, &strings, &seed, 0);
        assert_int_equal(xylem_value_json(&text, tree.nodes), 0);
        struct xylem_error err = {0};
        if (xylem_base__json_parse(&back, xylem_base__buffer_view(&text), &err) < 0) {
            fail_msg("start %d: %s: %s", (int)start, err.text, text.data);
        }
        assert_int_equal(back.node_count, tree.node_count);
        for (size_t i = 0; i < tree.node_count; i++) {
            if (!same_node(&tree.nodes[i], &back.nodes[i])) {
                fail_msg("start %d: node %zu of %s", (int)start, i, text.data);
            }
        }
    }
    xylem_buffer_release(&strings);
    xylem_buffer_release(&text);
    xylem_base__tree_release(&tree);
    xylem_base__tree_release(&back);
}
