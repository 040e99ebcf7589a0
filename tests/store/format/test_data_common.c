/* The decoder of common msgpack against msgpack-c, which has the last word: XYLEM_ROUNDS=n mutates n * 1,000 inputs. */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "tests/lib/chance.h"
#include "tests/lib/decoders.h"
#include "tests/lib/test.h"

#define LEVELS 32u

static struct decoders decoders;

/* Compares with a copy of exactly that length, so that a sanitizer sees a read beyond it. */
static enum decoders_answer compare(const char *bytes, size_t count)
{
    char *copy = malloc(count ? count : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, count);
    enum decoders_answer answer = decoders_compare(&decoders, (struct xylem_view){copy, count});
    free(copy);
    return answer;
}

#define COMPARE(bytes) compare(bytes, sizeof bytes - 1)

/* Every kind of value that is taken, each number at its bounds. */
static const char rich[] = "\x8a"
                           "\xa1"
                           "a\xc0"
                           "\xa0\xc2"
                           "\xa3k\xc3\xa9\xc3"
                           "\xd9\x08"
                           "12345678\xca\x7f\xa0\0\1"
                           "\xda\0\x09"
                           "123456789\xcb\x3f\xf8\0\0\0\0\0\0"
                           "\xdb\0\0\0\x07"
                           "1234567\x97\x00\x7f\xcc\xff\xcd\xff\xff\xce\xff\xff\xff\xff\xcf\x7f\xff\xff\xff\xff\xff\xff"
                           "\xff\xcf\x80\0\0\0\0\0\0\0"
                           "\xa7"
                           "1234567\x97\xe0\xff\xd0\x80\xd1\x80\0\xd2\x80\0\0\0\xd3\x80\0\0\0\0\0\0\0\xd0\x7f"
                           "\xa4"
                           "1234\xdc\0\3\x90\x80\xdd\0\0\0\1\xa3\xed\xa0\xbd"
                           "\xa8"
                           "abcdefgh\xde\0\1\xa1z\xdf\0\0\0\1\xa1y\xa0"
                           "\xb1"
                           "seventeen letters\xd9\x21"
                           "and thirty-two \xe2\x82\xac of the letters";

TEST(every_first_byte_is_taken_or_refused_as_the_table_says)
{
    char bytes[64];
    for (unsigned lead = 0; lead <= 0xff; lead++) {
        bool never = lead == 0xc1 || (lead >= 0xc4 && lead <= 0xc9) || (lead >= 0xd4 && lead <= 0xd8);
        unsigned taken = 0;
        memset(bytes, 0, sizeof bytes);
        bytes[0] = (char)lead;
        for (size_t count = 0; count <= sizeof bytes; count++) {
            enum decoders_answer answer = compare(bytes, count);
            assert_int_not_equal(answer, DECODERS_DIFFER);
            taken += answer == DECODERS_TAKEN;
        }
        /* A map needs keys that are strings. */
        memset(bytes + 1, '\xa0', sizeof bytes - 1);
        for (size_t count = 0; count <= sizeof bytes; count++) {
            enum decoders_answer answer = compare(bytes, count);
            assert_int_not_equal(answer, DECODERS_DIFFER);
            taken += answer == DECODERS_TAKEN;
        }
        assert_true(never ? taken == 0 : taken >= 1);
    }
}

TEST(every_first_byte_of_a_key_is_taken_or_refused)
{
    for (unsigned lead = 0; lead <= 0xff; lead++) {
        bool string = (lead >= 0xa0 && lead <= 0xbf) || (lead >= 0xd9 && lead <= 0xdb);
        unsigned taken = 0;
        for (size_t count = 2; count < 64; count++) {
            char bytes[64] = {(char)0x81, (char)lead};
            enum decoders_answer answer = compare(bytes, count);
            assert_int_not_equal(answer, DECODERS_DIFFER);
            taken += answer == DECODERS_TAKEN;
        }
        assert_int_equal(taken, string ? 1 : 0);
    }
}

TEST(a_rich_value_is_taken_whole_and_refused_at_every_cut)
{
    assert_int_equal(COMPARE(rich), DECODERS_TAKEN);
    for (size_t count = 0; count < sizeof rich - 1; count++) {
        assert_int_equal(compare(rich, count), DECODERS_REFUSED);
    }
    assert_int_equal(compare(rich, sizeof rich), DECODERS_REFUSED); /* a byte more */
}

TEST(numbers_at_every_bound_are_the_same)
{
    static const unsigned char edges[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    static const size_t widths[] = {4, 8, 1, 2, 4, 8, 1, 2, 4, 8}; /* of the leads from ca on */
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        for (size_t first = 0; first < sizeof edges; first++) {
            for (size_t rest = 0; rest < sizeof edges; rest++) {
                char bytes[9];
                memset(bytes, edges[rest], sizeof bytes);
                bytes[0] = (char)(0xca + i);
                bytes[1] = (char)edges[first];
                assert_int_equal(compare(bytes, 1 + widths[i]), DECODERS_TAKEN);
            }
        }
    }
}

/* A string of each length with one byte that is not ASCII at each place: as a character, and broken. */
TEST(strings_are_checked_at_every_place)
{
    char bytes[2 + 40];
    for (size_t length = 0; length <= 40; length++) {
        memset(bytes, 's', sizeof bytes);
        bytes[0] = (char)0xd9;
        bytes[1] = (char)length;
        assert_int_equal(compare(bytes, 2 + length), DECODERS_TAKEN);
        for (size_t at = 0; at < length; at++) {
            bytes[2 + at] = (char)0xc3;
            assert_int_equal(compare(bytes, 2 + length), DECODERS_REFUSED);
            if (at + 1 < length) {
                bytes[2 + at + 1] = (char)0xa9;
                assert_int_equal(compare(bytes, 2 + length), DECODERS_TAKEN);
            }
            memset(bytes + 2, 's', length);
        }
    }
    assert_int_equal(COMPARE("\xa6\xed\xa0\xbd\xed\xb8\x80"), DECODERS_REFUSED);
}

TEST(containers_nest_to_a_depth_and_msgpack_c_takes_the_deeper_ones)
{
    static const char *const opens[] = {"\x91", "\x81\xa1k", "\xdc\0\1"};
    static const size_t open_bytes[] = {1, 3, 3};
    char bytes[3 * (XYLEM_NESTING_MAX + 1) + 1];
    for (size_t shape = 0; shape < 3; shape++) {
        for (size_t depth = 0; depth <= XYLEM_NESTING_MAX + 1; depth++) {
            size_t count = 0;
            for (size_t i = 0; i < depth; i++) {
                memcpy(bytes + count, opens[shape], open_bytes[shape]);
                count += open_bytes[shape];
            }
            bytes[count++] = 7;
            assert_int_equal(compare(bytes, count), depth <= LEVELS ? DECODERS_TAKEN : DECODERS_REFUSED);
            assert_int_equal(decoders.any.node_count == 0, depth > XYLEM_NESTING_MAX);
        }
    }
}

TEST(counts_that_promise_more_than_there_is_add_no_node)
{
    struct xylem_base__tree tree = {0};
    char array[100] = {(char)0xdc, 0, 96};
    char map[100] = {(char)0xde, 0, 49};
    memset(map + 3, '\xa0', sizeof map - 3);
    assert_int_equal(xylem_format__data_decode_common(&tree, (struct xylem_view){array, 98}), 0);
    assert_int_equal(xylem_format__data_decode_common(&tree, (struct xylem_view){map, 100}), 0);
    assert_int_equal(xylem_format__data_decode_common(&tree, (struct xylem_view){"\xdf\xff\xff\xff\xff\xa0\xa0", 7}),
                     0);
    assert_int_equal(tree.node_capacity, 16); /* the container alone */
    assert_int_equal(compare(array, 99), DECODERS_TAKEN);
    assert_int_equal(compare(map, 100), DECODERS_REFUSED);
    assert_int_equal(COMPARE("\xdf\x80\x00\x00\x00"), DECODERS_REFUSED); /* twice as many children as a word counts */
    xylem_base__tree_release(&tree);
}

/* --- Mutations ---------------------------------------------------------------------------------------------------- */

static void add(struct xylem_buffer *bytes, const void *data, size_t count)
{
    assert_int_equal(xylem_buffer_add(bytes, data, count), XYLEM_OK);
}

/* Adds a random value that is taken. */
static void add_value(struct xylem_buffer *bytes, struct chance *chance, int depth)
{
    static const char leads[] = "\xc0\xc2\xc3\x01\xff\xca\xcb\xcc\xcd\xce\xcf\xd0\xd1\xd2\xd3";
    static const size_t widths[] = {0, 0, 0, 0, 0, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8};
    static const char *const texts[] = {"", "on", "of \xc3\xa9", "\xe2\x82\xac",
                                        "a longer text, \xf0\x9f\x98\x80, \xed\xa0\xbd"};
    int choice = chance_below(chance, depth > 4 ? 4 : 8);
    if (choice < 2) {
        int which = chance_below(chance, (int)(sizeof widths / sizeof *widths));
        uint64_t number = chance_draw(chance) >> chance_below(chance, 64);
        add(bytes, &leads[which], 1);
        add(bytes, &number, widths[which]);
    } else if (choice < 4) {
        const char *text = texts[chance_below(chance, (int)(sizeof texts / sizeof *texts))];
        const char head[] = {(char)0xd9, (char)strlen(text)};
        add(bytes, head, 2);
        add(bytes, text, strlen(text));
    } else {
        int count = chance_below(chance, 4);
        char head = (char)((choice < 6 ? 0x90 : 0x80) | count);
        add(bytes, &head, 1);
        for (int i = 0; i < count; i++) {
            if (choice >= 6) {
                add(bytes, "\xa2km", 3);
            }
            add_value(bytes, chance, depth + 1);
        }
    }
}

static void mutate(struct xylem_buffer *bytes, struct chance *chance)
{
    size_t at = (size_t)chance_below(chance, (int)bytes->bytes);
    switch (chance_below(chance, 6)) {
    case 0:
        bytes->data[at] = (char)chance_draw(chance);
        break;
    case 1:
        bytes->data[at] ^= (char)(1 << chance_below(chance, 8));
        break;
    case 2:
        bytes->bytes = at + 1;
        break;
    case 3: /* a lead that has no short form */
        bytes->data[at] = (char)(0xc0 + chance_below(chance, 32));
        break;
    case 4:
        memmove(bytes->data + at, bytes->data + at + 1, bytes->bytes - at - 1);
        bytes->bytes -= bytes->bytes > 1;
        break;
    default:
        break;
    }
}

TEST(mutated_values_are_the_same_in_both)
{
    uint64_t rounds = test_number_from("XYLEM_ROUNDS", test_rounds(200));
    uint64_t taken = 0;
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        struct chance chance = chance_of(seed);
        for (int i = 0; i < 1000; i++) {
            struct xylem_buffer bytes = {0};
            if (chance_one_in(&chance, 3)) {
                add(&bytes, rich, sizeof rich - 1);
            } else {
                add_value(&bytes, &chance, 0);
            }
            for (int times = chance_below(&chance, 4); times > 0; times--) {
                mutate(&bytes, &chance);
            }
            enum decoders_answer answer = compare(bytes.data, bytes.bytes);
            assert_int_not_equal(answer, DECODERS_DIFFER);
            taken += answer == DECODERS_TAKEN;
            xylem_buffer_release(&bytes);
        }
    }
    print_message("[          ] %llu inputs, %llu taken\n", (unsigned long long)rounds * 1000,
                  (unsigned long long)taken);
    assert_true(taken >= rounds * 100 && taken <= rounds * 900); /* both sides of the border are met */
}

static int release(void **state)
{
    (void)state;
    decoders_release(&decoders);
    return 0;
}

TEST_FILE(NULL, release)
