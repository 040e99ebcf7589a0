#include <string.h>

#include "base/utf8.h"
#include "tests/lib/test.h"

TEST(every_code_point_encodes_and_decodes)
{
    for (uint32_t code_point = 0; code_point <= 0x10FFFF; code_point++) {
        char text[4];
        uint32_t back = 0;
        size_t bytes = xylem_base__wtf8_encode(text, code_point);
        if (xylem_base__wtf8_decode(&back, text, bytes) != bytes || back != code_point ||
            xylem_base__wtf8_decode(NULL, text, bytes - 1) != 0) {
            fail_msg("U+%04X", (unsigned)code_point);
        }
    }
}

TEST(what_is_no_character_is_refused)
{
    static const char *const spellings[] = {
        "\x80",
        "\xBF",
        "\xC0\x80",
        "\xC1\xBF",
        "\xE0\x80\x80",
        "\xE0\x9F\xBF",
        "\xF0\x80\x80\x80",
        "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80",
        "\xFE",
        "\xFF",
        "\xC3(",
        "\xE2\x82(",
        "\xF0\x9F\x98(",
    };
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        assert_int_equal(xylem_base__wtf8_decode(NULL, spellings[i], strlen(spellings[i])), 0);
        assert_false(xylem_base__wtf8_valid(spellings[i], strlen(spellings[i])));
    }
    assert_int_equal(xylem_base__wtf8_decode(NULL, "", 0), 0);
}

TEST(a_lone_surrogate_is_wtf8_and_a_spelt_out_pair_is_not)
{
    assert_true(xylem_base__wtf8_valid("a\xED\xA0\xBD", 4));
    assert_true(xylem_base__wtf8_valid("\xED\xB8\x80\xED\xA0\xBD", 6)); /* low, then high: no pair */
    assert_true(xylem_base__wtf8_valid("\xED\xA0\xBD-\xED\xB8\x80", 7));
    assert_false(xylem_base__wtf8_valid("\xED\xA0\xBD\xED\xB8\x80", 6));
    assert_true(xylem_base__wtf8_valid("\xF0\x9F\x98\x80", 4));
    assert_true(xylem_base__wtf8_valid("", 0));
}

TEST(a_bad_byte_is_found_wherever_it_stands_in_a_long_text)
{
    for (size_t bytes = 1; bytes <= 40; bytes++) {
        char text[40];
        memset(text, 'a', sizeof text);
        assert_true(xylem_base__wtf8_valid(text, bytes));
        for (size_t at = 0; at < bytes; at++) {
            text[at] = '\x80';
            assert_false(xylem_base__wtf8_valid(text, bytes));
            text[at] = 'a';
        }
    }
}

TEST(what_a_terminal_acts_on_is_not_shown)
{
    static const uint32_t hidden[] = {0,      0x1B,   0x1F,   0x7F,   0x80,   0x9B,   0x9F,   0x061C, 0x200E,
                                      0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2066, 0x2069, 0xD800, 0xDFFF};
    static const uint32_t shown[] = {' ',    '~',    0xA0,   0xE9,   0x200D, 0x2027,
                                     0x2030, 0x2065, 0x206A, 0xE000, 0xFFFD, 0x1F600};
    char text[4];
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        size_t bytes = xylem_base__wtf8_encode(text, hidden[i]);
        assert_int_equal(xylem_base__utf8_shown_bytes(text, bytes), 0);
    }
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        size_t bytes = xylem_base__wtf8_encode(text, shown[i]);
        assert_int_equal(xylem_base__utf8_shown_bytes(text, bytes), bytes);
    }
    assert_int_equal(xylem_base__utf8_shown_bytes("\xC3", 1), 0);
    assert_int_equal(xylem_base__utf8_shown_bytes("", 0), 0);
}

TEST(a_beginning_ends_with_a_whole_character)
{
    static const struct {
        const char *text;
        size_t bytes_max;
        size_t bytes;
    } rows[] = {{"abc", 4, 3},
                {"abc", 2, 2},
                {"a\xC3\xA9", 2, 1},
                {"a\xC3\xA9", 3, 3},
                {"\xF0\x9F\x98\x80", 3, 0},
                {"ab\xF0\x9F\x98\x80", 5, 2},
                {"\x80\x80\x80\x80\x80\x80\x80", 6, 3}, /* no text: the bound holds, and not much is lost */
                {"\x80\x80", 1, 0},
                {"", 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct xylem_view text = xylem_view_of(rows[i].text);
        assert_int_equal(xylem_base__utf8_beginning(text, rows[i].bytes_max).bytes, rows[i].bytes);
    }
}

TEST(white_space_at_both_ends_is_trimmed)
{
    static const char text[] = " \t\xC2\xA0\xEF\xBB\xBF"
                               "a b\xE2\x80\xA8\n";
    struct xylem_view trimmed = xylem_base__trim((struct xylem_view){text, sizeof text - 1});
    assert_int_equal(trimmed.bytes, 3);
    assert_memory_equal(trimmed.data, "a b", 3);
    assert_int_equal(xylem_base__trim((struct xylem_view){" \n ", 3}).bytes, 0);
    assert_int_equal(xylem_base__trim((struct xylem_view){"\xC2", 1}).bytes, 1);
}
