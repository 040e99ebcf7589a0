#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json.h"
#include "store/store.h"
#include "tests/lib/chance.h"
#include "tests/lib/test.h"

static struct xylem_view view_of(const struct xylem_buffer *buffer)
{
    return (struct xylem_view){buffer->data, buffer->bytes};
}

static int decode(struct xylem_base__tree *tree, const char *bytes, size_t count)
{
    struct xylem_error err = {0};
    /* A copy of exactly that length, so that a sanitizer sees a read beyond it. */
    static char *copy;
    free(copy);
    copy = malloc(count ? count : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, count);
    int code = xylem_format__data_decode(tree, (struct xylem_view){copy, count}, &err);
    if (code < 0) {
        assert_true(err.code == code && err.text[0]);
        assert_int_equal(tree->node_count, 0);
    }
    return code;
}

#define DECODE(tree, bytes) decode(tree, bytes, sizeof bytes - 1)

/* JSON to msgpack. */
static void encode(struct xylem_buffer *bytes, const char *json)
{
    struct xylem_base__tree tree = {0};
    struct xylem_error err = {0};
    assert_int_equal(xylem_base__json_parse(&tree, xylem_view_of(json), &err), XYLEM_OK);
    xylem_base__buffer_clear(bytes);
    assert_int_equal(xylem_format__data_encode(bytes, tree.nodes, &err), XYLEM_OK);
    xylem_base__tree_release(&tree);
}

struct pair {
    const char *json;
    const char *hex;
};

static void assert_hex(const struct pair *pair)
{
    struct xylem_buffer bytes = {0};
    char hex[512] = "";
    encode(&bytes, pair->json);
    assert_in_range(bytes.bytes, 1, sizeof hex / 2 - 1);
    for (size_t i = 0; i < bytes.bytes; i++) {
        snprintf(hex + 2 * i, 3, "%02x", (unsigned)(unsigned char)bytes.data[i]);
    }
    assert_string_equal(hex, pair->hex);
    xylem_buffer_release(&bytes);
}

/* Is the JSON the same after it was encoded and decoded? */
static void assert_back(const char *json, const char *expected)
{
    struct xylem_buffer bytes = {0};
    struct xylem_buffer back = {0};
    struct xylem_base__tree tree = {0};
    encode(&bytes, json);
    assert_int_equal(decode(&tree, bytes.data, bytes.bytes), XYLEM_OK);
    assert_int_equal(xylem_value_json(&back, tree.nodes), XYLEM_OK);
    assert_string_equal(back.data, expected);
    xylem_buffer_release(&bytes);
    xylem_buffer_release(&back);
    xylem_base__tree_release(&tree);
}

TEST(every_type_has_its_bytes)
{
    static const struct pair pairs[] = {
        {"null", "c0"}, {"false", "c2"},
        {"true", "c3"}, {"1.5", "cb3ff8000000000000"},
        {"\"\"", "a0"}, {"\"ab\"", "a26162"},
        {"[]", "90"},   {"[1,[2]]", "92019102"},
        {"{}", "80"},   {"{\"a\":null,\"b\":{\"c\":[]}}", "82a161c0a16281a16390"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_hex(&pairs[i]);
        assert_back(pairs[i].json, pairs[i].json);
    }
}

TEST(integers_take_the_least_width_on_both_sides_of_every_bound)
{
    static const struct pair pairs[] = {
        {"0", "00"},
        {"127", "7f"},
        {"128", "cc80"},
        {"255", "ccff"},
        {"256", "cd0100"},
        {"65535", "cdffff"},
        {"65536", "ce00010000"},
        {"4294967295", "ceffffffff"},
        {"4294967296", "cf0000000100000000"},
        {"9223372036854775807", "cf7fffffffffffffff"},
        {"9223372036854775808", "cf8000000000000000"},
        {"18446744073709551615", "cfffffffffffffffff"},
        {"-1", "ff"},
        {"-32", "e0"},
        {"-33", "d0df"},
        {"-128", "d080"},
        {"-129", "d1ff7f"},
        {"-32768", "d18000"},
        {"-32769", "d2ffff7fff"},
        {"-2147483648", "d280000000"},
        {"-2147483649", "d3ffffffff7fffffff"},
        {"-9223372036854775808", "d38000000000000000"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_hex(&pairs[i]);
        assert_back(pairs[i].json, pairs[i].json);
    }
}

TEST(numbers_of_any_width_decode)
{
    struct xylem_base__tree tree = {0};
    int64_t number = 0;
    assert_int_equal(DECODE(&tree, "\xd3\xff\xff\xff\xff\xff\xff\xff\xff"), XYLEM_OK);
    assert_true(xylem_value_integer(&number, tree.nodes) && number == -1);
    assert_int_equal(DECODE(&tree, "\xcf\0\0\0\0\0\0\0\7"), XYLEM_OK);
    assert_true(tree.nodes->type == XYLEM_VALUE_INT && tree.nodes->as.integer == 7);
    assert_int_equal(DECODE(&tree, "\xcf\xff\xff\xff\xff\xff\xff\xff\xff"), XYLEM_OK);
    assert_true(tree.nodes->type == XYLEM_VALUE_UINT && tree.nodes->as.unsigned_integer == UINT64_MAX);
    assert_int_equal(DECODE(&tree, "\xca\x3f\xc0\0\0"), XYLEM_OK);
    assert_true(tree.nodes->type == XYLEM_VALUE_DOUBLE && tree.nodes->as.number >= 1.5 && tree.nodes->as.number <= 1.5);
    assert_int_equal(DECODE(&tree, "\xd0\x7f"), XYLEM_OK);
    assert_true(tree.nodes->as.integer == 127);
    assert_int_equal(DECODE(&tree, "\xd1\x80\0"), XYLEM_OK);
    assert_true(tree.nodes->as.integer == -32768);
    assert_int_equal(DECODE(&tree, "\xd2\x80\0\0\0"), XYLEM_OK);
    assert_true(tree.nodes->as.integer == INT32_MIN);
    xylem_base__tree_release(&tree);
}

TEST(a_double_comes_back_bit_for_bit)
{
    const double numbers[] = {0.1, -0.0, 5e-324, 1.7976931348623157e308, -1e300, INFINITY, -INFINITY, (double)NAN};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct xylem_value value = {.type = XYLEM_VALUE_DOUBLE, .node_count = 1, .as.number = numbers[i]};
        struct xylem_buffer bytes = {0};
        struct xylem_base__tree tree = {0};
        assert_int_equal(xylem_format__data_encode(&bytes, &value, NULL), XYLEM_OK);
        assert_int_equal(decode(&tree, bytes.data, bytes.bytes), XYLEM_OK);
        assert_memory_equal(&tree.nodes->as.number, &numbers[i], sizeof *numbers);
        xylem_buffer_release(&bytes);
        xylem_base__tree_release(&tree);
    }
}

TEST(strings_of_every_length_class_come_back)
{
    static const struct {
        size_t bytes;
        unsigned char tag;
    } classes[] = {{31, 0xbf}, {32, 0xd9}, {255, 0xd9}, {256, 0xda}, {65535, 0xda}, {65536, 0xdb}};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        char *text = malloc(classes[i].bytes);
        assert_non_null(text);
        memset(text, 's', classes[i].bytes);
        struct xylem_value value = {.type = XYLEM_VALUE_STRING, .node_count = 1, .as.string = {text, classes[i].bytes}};
        struct xylem_buffer bytes = {0};
        struct xylem_base__tree tree = {0};
        assert_int_equal(xylem_format__data_encode(&bytes, &value, NULL), XYLEM_OK);
        assert_int_equal((unsigned char)bytes.data[0], classes[i].tag);
        assert_int_equal(decode(&tree, bytes.data, bytes.bytes), XYLEM_OK);
        assert_true(xylem_base__view_equal(xylem_value_string(tree.nodes), value.as.string));
        xylem_buffer_release(&bytes);
        xylem_base__tree_release(&tree);
        free(text);
    }
}

TEST(a_lone_surrogate_survives)
{
    static const struct pair pairs[] = {{"\"\\ud83d\"", "a3eda0bd"}, {"\"\\ude00\\ud83d\"", "a6edb880eda0bd"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_hex(&pairs[i]);
        assert_back(pairs[i].json, pairs[i].json);
    }
    assert_back("{\"\\udc00\":\"\\ud83d\\ude00\"}", "{\"\\udc00\":\"\xf0\x9f\x98\x80\"}");
    assert_back("\"a\\u0000b\"", "\"a\\u0000b\"");
}

TEST(of_duplicate_keys_the_last_is_kept_at_its_place)
{
    assert_back("{\"a\":1,\"b\":2,\"a\":3}", "{\"b\":2,\"a\":3}");
    assert_back("{\"a\":1,\"a\":2,\"a\":[{\"x\":1,\"x\":2}]}", "{\"a\":[{\"x\":2}]}");
    assert_back("{\"\":1,\"aa\":2,\"a\":3,\"\":4}", "{\"aa\":2,\"a\":3,\"\":4}");
    assert_back("{\"a\\u0000b\":1,\"a\\u0000c\":2,\"a\":3}", "{\"a\\u0000b\":1,\"a\\u0000c\":2,\"a\":3}");
}

static void nest(struct xylem_buffer *bytes, const char *open, size_t depth, const char *innermost,
                 size_t innermost_bytes)
{
    for (size_t i = 0; i < depth; i++) {
        assert_int_equal(xylem_base__buffer_add_text(bytes, open), XYLEM_OK);
    }
    assert_int_equal(xylem_buffer_add(bytes, innermost, innermost_bytes), XYLEM_OK);
}

TEST(containers_nest_512_deep_and_no_deeper)
{
    static const struct {
        const char *open;
        const char *innermost;
        int depth; /* that `innermost` adds */
    } shapes[] = {{"\x91", "\x01", 0}, {"\x91", "\x90", 1}, {"\x81\xa1k", "\x80", 1}, {"\x81\xa1k", "\xc0", 0}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        size_t allowed = (size_t)((int)XYLEM_NESTING_MAX - shapes[i].depth);
        struct xylem_buffer bytes = {0};
        struct xylem_buffer again = {0};
        struct xylem_base__tree tree = {0};
        nest(&bytes, shapes[i].open, allowed, shapes[i].innermost, 1);
        assert_int_equal(decode(&tree, bytes.data, bytes.bytes), XYLEM_OK);
        assert_int_equal(xylem_format__data_encode(&again, tree.nodes, NULL), XYLEM_OK);
        assert_true(xylem_base__view_equal(view_of(&bytes), view_of(&again)));
        xylem_base__buffer_clear(&bytes);
        nest(&bytes, shapes[i].open, allowed + 1, shapes[i].innermost, 1);
        assert_int_equal(decode(&tree, bytes.data, bytes.bytes), XYLEM_E_LIMIT);
        xylem_base__buffer_clear(&bytes);
        nest(&bytes, shapes[i].open, 100000, shapes[i].innermost, 1);
        assert_int_equal(decode(&tree, bytes.data, bytes.bytes), XYLEM_E_LIMIT);
        xylem_buffer_release(&bytes);
        xylem_buffer_release(&again);
        xylem_base__tree_release(&tree);
    }
}

TEST(a_limit_is_named_with_its_number)
{
    struct xylem_buffer bytes = {0};
    struct xylem_base__tree tree = {0};
    struct xylem_error err = {0};
    nest(&bytes, "\x91", XYLEM_NESTING_MAX + 1, "\xc0", 1);
    assert_int_equal(xylem_format__data_decode(&tree, view_of(&bytes), &err), XYLEM_E_LIMIT);
    assert_non_null(strstr(err.text, "nested deeper than 512"));
    xylem_base__buffer_clear(&bytes);
    assert_int_equal(xylem_base__buffer_reserve(&bytes, XYLEM_VALUES_MAX + 5u), XYLEM_OK);
    assert_int_equal(xylem_buffer_add(&bytes, "\xdd\x00\x40\x00\x00", 5), XYLEM_OK); /* an array of the limit */
    nest(&bytes, "\xc0", XYLEM_VALUES_MAX, "", 0);
    assert_int_equal(xylem_format__data_decode(&tree, view_of(&bytes), &err), XYLEM_E_LIMIT);
    assert_non_null(strstr(err.text, "more values than 4194304"));
    /* An empty container is one value too many just as well, however shallow it lies. */
    bytes.data[bytes.bytes - 1] = '\x90';
    assert_int_equal(xylem_format__data_decode(&tree, view_of(&bytes), &err), XYLEM_E_LIMIT);
    assert_non_null(strstr(err.text, "more values than 4194304"));
    xylem_buffer_release(&bytes);
    xylem_base__tree_release(&tree);
}

TEST(json_nests_512_deep_and_no_deeper)
{
    for (size_t depth = XYLEM_NESTING_MAX; depth <= XYLEM_NESTING_MAX + 1; depth++) {
        struct xylem_buffer json = {0};
        struct xylem_buffer bytes = {0};
        struct xylem_base__tree tree = {0};
        nest(&json, "[", depth, "1", 1);
        nest(&json, "]", depth, "", 0);
        int code = xylem_base__json_parse(&tree, view_of(&json), NULL);
        assert_int_equal(code, depth <= XYLEM_NESTING_MAX ? XYLEM_OK : XYLEM_E_LIMIT);
        if (code == XYLEM_OK) {
            assert_int_equal(xylem_format__data_encode(&bytes, tree.nodes, NULL), XYLEM_OK);
            assert_int_equal(bytes.bytes, depth + 1);
        }
        xylem_buffer_release(&json);
        xylem_buffer_release(&bytes);
        xylem_base__tree_release(&tree);
    }
}

TEST(what_json_cannot_say_is_malformed)
{
    struct xylem_base__tree tree = {0};
    assert_int_equal(DECODE(&tree, ""), XYLEM_E_MALFORMED);
    assert_int_equal(DECODE(&tree, "\xc1"), XYLEM_E_MALFORMED);
    assert_int_equal(DECODE(&tree, "\xc4\1x"), XYLEM_E_MALFORMED); /* bin 8 */
    assert_int_equal(DECODE(&tree, "\xc4\0"), XYLEM_E_MALFORMED);
    assert_int_equal(DECODE(&tree, "\xc5\0\1x"), XYLEM_E_MALFORMED);       /* bin 16 */
    assert_int_equal(DECODE(&tree, "\xc6\0\0\0\1x"), XYLEM_E_MALFORMED);   /* bin 32 */
    assert_int_equal(DECODE(&tree, "\xc7\1\1x"), XYLEM_E_MALFORMED);       /* ext 8 */
    assert_int_equal(DECODE(&tree, "\xc8\0\1\1x"), XYLEM_E_MALFORMED);     /* ext 16 */
    assert_int_equal(DECODE(&tree, "\xc9\0\0\0\1\1x"), XYLEM_E_MALFORMED); /* ext 32 */
    assert_int_equal(DECODE(&tree, "\xc9\xff\xff\xff\xff\1x"), XYLEM_E_MALFORMED);
    assert_int_equal(DECODE(&tree, "\xd4\1x"), XYLEM_E_MALFORMED); /* fixext 1 */
    assert_int_equal(DECODE(&tree, "\xd5\1xx"), XYLEM_E_MALFORMED);
    assert_int_equal(DECODE(&tree, "\xd6\xff\0\0\0\0"), XYLEM_E_MALFORMED); /* a timestamp */
    assert_int_equal(DECODE(&tree, "\xd8\1xxxxxxxxxxxxxxxx"), XYLEM_E_MALFORMED);
    xylem_base__tree_release(&tree);
}

TEST(keys_must_be_strings)
{
    static const char *const keys[] = {"\x01",   "\xc0", "\xc3", "\x90", "\x80", "\x91\x01", "\xca\x01\x01\x01\x01",
                                       "\xc4\1x"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct xylem_buffer bytes = {0};
        struct xylem_base__tree tree = {0};
        assert_int_equal(xylem_base__buffer_add_text(&bytes, "\x82\xa1k\xc0"), XYLEM_OK);
        assert_int_equal(xylem_base__buffer_add_text(&bytes, keys[i]), XYLEM_OK);
        assert_int_equal(xylem_base__buffer_add_text(&bytes, "\xc0"), XYLEM_OK);
        assert_int_equal(decode(&tree, bytes.data, bytes.bytes), XYLEM_E_MALFORMED);
        xylem_buffer_release(&bytes);
        xylem_base__tree_release(&tree);
    }
}

TEST(strings_must_be_wtf8)
{
    static const char *const wrong[] = {"\xa1\x80",
                                        "\xa1\xff",
                                        "\xa2\xc0\xaf",
                                        "\xa2\xc3(",
                                        "\xa3\xe2\x82z",
                                        "\xa4\xf4\x90\x80\x80",
                                        "\xa6\xed\xa0\xbd\xed\xb8\x80",
                                        "\xa2 \xc3"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct xylem_base__tree tree = {0};
        struct xylem_buffer map = {0};
        assert_int_equal(decode(&tree, wrong[i], strlen(wrong[i])), XYLEM_E_MALFORMED);
        assert_int_equal(xylem_base__buffer_add_text(&map, "\x81"), XYLEM_OK);
        assert_int_equal(xylem_base__buffer_add_text(&map, wrong[i]), XYLEM_OK);
        assert_int_equal(xylem_base__buffer_add_text(&map, "\x01"), XYLEM_OK);
        assert_int_equal(decode(&tree, map.data, map.bytes), XYLEM_E_MALFORMED);
        xylem_buffer_release(&map);
        xylem_base__tree_release(&tree);
    }
}

TEST(data_that_was_cut_anywhere_is_malformed)
{
    struct xylem_buffer bytes = {0};
    struct xylem_base__tree tree = {0};
    encode(&bytes, "{\"a\":[1,200,70000,5000000000,-1,-200,-70000,-5000000000,1.5,null,true,\"\"],\"key\":{\"\":"
                   "\"a string that is longer than thirty-one bytes, so it has a length of its own\"}}");
    for (size_t count = 0; count < bytes.bytes; count++) {
        assert_int_equal(decode(&tree, bytes.data, count), XYLEM_E_MALFORMED);
    }
    assert_int_equal(decode(&tree, bytes.data, bytes.bytes), XYLEM_OK);
    assert_int_equal(xylem_buffer_add(&bytes, "\0", 1), XYLEM_OK);
    assert_int_equal(decode(&tree, bytes.data, bytes.bytes), XYLEM_E_MALFORMED);
    xylem_buffer_release(&bytes);
    xylem_base__tree_release(&tree);
}

TEST(counts_that_promise_more_than_there_is_cost_nothing)
{
    struct xylem_base__tree tree = {0};
    assert_int_equal(DECODE(&tree, "\xdd\xff\xff\xff\xff\x01"), XYLEM_E_MALFORMED);
    assert_int_equal(DECODE(&tree, "\xdf\xff\xff\xff\xff\xa1k\x01"), XYLEM_E_MALFORMED);
    assert_int_equal(DECODE(&tree, "\xdb\xff\xff\xff\xffx"), XYLEM_E_MALFORMED);
    assert_true(tree.node_capacity < 1000);
    xylem_base__tree_release(&tree);
}

TEST(more_values_than_a_payload_may_have_are_a_limit)
{
    struct xylem_base__tree tree = {0};
    size_t count = 5 + (size_t)XYLEM_VALUES_MAX;
    char *bytes = malloc(count);
    assert_non_null(bytes);
    memset(bytes, '\xc0', count);
    for (uint32_t more = 0; more <= 1; more++) {
        /* The array is a value too. */
        uint32_t elements = XYLEM_VALUES_MAX - 1 + more;
        const unsigned char head[] = {0xdd, (unsigned char)(elements >> 24), (unsigned char)(elements >> 16),
                                      (unsigned char)(elements >> 8), (unsigned char)elements};
        memcpy(bytes, head, sizeof head);
        assert_int_equal(decode(&tree, bytes, sizeof head + elements), more ? XYLEM_E_LIMIT : XYLEM_OK);
    }
    free(bytes);
    xylem_base__tree_release(&tree);
}

TEST(containers_of_every_count_class_come_back)
{
    static const size_t counts[] = {15, 16, 65535, 65536};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct xylem_buffer json = {0};
        struct xylem_buffer bytes = {0};
        struct xylem_buffer back = {0};
        struct xylem_base__tree tree = {0};
        assert_int_equal(xylem_base__buffer_add_text(&json, "[{"), XYLEM_OK);
        for (size_t key = 0; key < counts[i]; key++) {
            assert_int_equal(xylem_base__buffer_add_format(&json, "%s\"k%zu\":%zu", key ? "," : "", key, key),
                             XYLEM_OK);
        }
        assert_int_equal(xylem_base__buffer_add_text(&json, "},["), XYLEM_OK);
        for (size_t key = 0; key < counts[i]; key++) {
            assert_int_equal(xylem_base__buffer_add_text(&json, key ? ",0" : "0"), XYLEM_OK);
        }
        assert_int_equal(xylem_base__buffer_add_text(&json, "]]"), XYLEM_OK);
        encode(&bytes, json.data);
        assert_int_equal(decode(&tree, bytes.data, bytes.bytes), XYLEM_OK);
        assert_int_equal(xylem_value_json(&back, tree.nodes), XYLEM_OK);
        assert_true(xylem_base__view_equal(view_of(&json), view_of(&back)));
        xylem_buffer_release(&json);
        xylem_buffer_release(&bytes);
        xylem_buffer_release(&back);
        xylem_base__tree_release(&tree);
    }
}

/* Adds random JSON; keys of a map differ, so that nothing is lost on the way. */
static void add_random(struct xylem_buffer *json, struct chance *chance, int depth)
{
    static const char *const simple[] = {"null",   "true", "false",    "0",           "-1",
                                         "255",    "-129", "65536",    "1.5",         "-0.25",
                                         "1e+300", "\"\"", "\"text\"", "\"\\ud800\"", "9223372036854775808"};
    int choice = chance_below(chance, depth > 6 ? 2 : 4);
    if (choice < 2) {
        int which = chance_below(chance, (int)(sizeof simple / sizeof *simple));
        assert_int_equal(xylem_base__buffer_add_text(json, simple[which]), XYLEM_OK);
        return;
    }
    int count = chance_below(chance, 5);
    assert_int_equal(xylem_base__buffer_add_text(json, choice == 2 ? "[" : "{"), XYLEM_OK);
    for (int i = 0; i < count; i++) {
        assert_int_equal(xylem_base__buffer_add_text(json, i ? "," : ""), XYLEM_OK);
        if (choice == 3) {
            assert_int_equal(xylem_base__buffer_add_format(json, "\"%d\":", i), XYLEM_OK);
        }
        add_random(json, chance, depth + 1);
    }
    assert_int_equal(xylem_base__buffer_add_text(json, choice == 2 ? "]" : "}"), XYLEM_OK);
}

TEST(random_trees_come_back_equal)
{
    struct chance chance = chance_of(11);
    for (int round = 0; round < 2000; round++) {
        struct xylem_buffer json = {0};
        add_random(&json, &chance, 0);
        assert_back(json.data, json.data);
        xylem_buffer_release(&json);
    }
}

TEST(random_bytes_are_decoded_or_refused)
{
    struct chance chance = chance_of(12);
    for (int round = 0; round < 20000; round++) {
        char bytes[24];
        struct xylem_base__tree tree = {0};
        size_t count = (size_t)chance_below(&chance, (int)sizeof bytes + 1);
        for (size_t i = 0; i < count; i++) {
            bytes[i] = (char)chance_below(&chance, 256);
        }
        int code = decode(&tree, bytes, count);
        assert_true(code == XYLEM_OK || code == XYLEM_E_MALFORMED || code == XYLEM_E_LIMIT);
        xylem_base__tree_release(&tree);
    }
}

static int free_copy(void **state)
{
    (void)state;
    struct xylem_base__tree tree = {0};
    decode(&tree, "\xc0", 1);
    xylem_base__tree_release(&tree);
    return 0;
}

TEST_FILE(NULL, free_copy)
