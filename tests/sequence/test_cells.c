#include "sequence/cells.h"

#include <string.h>

#include "base/value.h"
#include "tests/lib/test.h"

/* Adds a text to a line of so many cells. */
static void assert_line(struct xylem_view text, uint32_t cells, const char *expected)
{
    const struct xylem_sequence_text_options options = {.cells = cells};
    struct xylem_buffer buffer = {0};
    struct xylem_sequence__line line = xylem_sequence__line_begin(&buffer, &options);
    xylem_sequence__line_add(&line, text);
    assert_int_equal(line.code, 0);
    assert_string_equal(buffer.data ? buffer.data : "", expected);
    assert_true(cells == 0 || line.cells <= cells);
    xylem_buffer_release(&buffer);
}

static void assert_cut(const char *text, uint32_t cells, const char *expected)
{
    assert_line(xylem_view_of(text), cells, expected);
}

TEST(a_character_has_no_cell_or_one_or_two)
{
    static const struct {
        uint32_t code_point;
        unsigned cells;
    } characters[] = {
        {'a', 1},     {0xe9, 1},    {0x3b1, 1},   {0x2026, 1},  {0x25cf, 1},  {0x27f3, 1},  {0x2717, 1},
        {0x4e2d, 2},  {0xac00, 2},  {0xff21, 2},  {0xff71, 1},  {0x3000, 2},  {0x303f, 1},  {0x1100, 2},
        {0x115f, 2},  {0x1160, 1},  {0x231a, 2},  {0x231b, 2},  {0x231c, 1},  {0x1f680, 2}, {0x1faff, 2},
        {0x1fb00, 1}, {0x20000, 2}, {0x3fffd, 2}, {0x3fffe, 1}, {0x300, 0},   {0x36f, 0},   {0x370, 1},
        {0x200d, 0},  {0xfe0f, 1},  {0xfe0e, 0},  {0xe0100, 0}, {0xe01ef, 0}, {0xe01f0, 1}, {0x10ffff, 1},
    };
    for (size_t i = 0; i < sizeof characters / sizeof *characters; i++) {
        assert_int_equal(xylem_sequence__cells(characters[i].code_point), characters[i].cells);
    }
}

TEST(a_line_of_too_many_cells_ends_in_an_ellipsis)
{
    assert_cut("abcde", 0, "abcde");
    assert_cut("abcde", 5, "abcde");
    assert_cut("abcde", 4, "abc…");
    assert_cut("abcde", 1, "…");
    assert_cut("", 1, "");
    assert_cut("日本語", 6, "日本語");
    assert_cut("日本語", 5, "日本…");
    assert_cut("日本語", 4, "日…");
    assert_cut("日本語", 1, "…");
}

TEST(a_line_is_never_cut_within_a_character_or_an_escape)
{
    assert_cut("abe\u0301", 3, "abe\u0301");
    assert_cut("abe\u0301x", 3, "ab…");
    assert_cut("a\u2764\ufe0f", 3, "a\u2764\ufe0f");
    assert_cut("a\u2764\ufe0fx", 3, "a…");
    assert_cut("\U0001f44d\U0001f3fd", 3, "…");
    assert_cut("a\U0001f469\u200d\U0001f680b", 5, "a…");
    assert_cut("a\U0001f469\u200d\U0001f680bc", 6, "a\U0001f469\u200d\U0001f680…");
    assert_cut("a\x1b", 4, "a…");
    assert_cut("a\x1b", 5, "a\\x1b");
}

TEST(text_that_cannot_be_shown_is_escaped)
{
    assert_cut("\x1b[31m\t\r\n\x7f", 0, "\\x1b[31m\\x09\\x0d\\x0a\\x7f");
    assert_cut("\u202e\u2028\xc2\x85", 0, "\\xe2\\x80\\xae\\xe2\\x80\\xa8\\xc2\\x85");
    assert_cut("\xed\xa0\xbd\xff", 0, "\\xed\\xa0\\xbd\\xff");
    assert_line((struct xylem_view){"a\0b", 3}, 0, "a\\x00b");
}

TEST(a_cut_line_takes_no_more_text)
{
    const struct xylem_sequence_text_options options = {.cells = 4, .ascii = true};
    struct xylem_buffer buffer = {0};
    assert_int_equal(xylem_buffer_add(&buffer, "before ", 7), 0);
    struct xylem_sequence__line line = xylem_sequence__line_begin(&buffer, &options);
    xylem_sequence__line_format(&line, "%d", 123);
    xylem_sequence__line_say(&line, "45");
    xylem_sequence__line_say(&line, "6");
    xylem_sequence__line_cut(&line);
    assert_string_equal(buffer.data, "before 123~");
    assert_int_equal(line.cells, 4);
    xylem_buffer_release(&buffer);
}

TEST(lines_end_in_a_line_feed_or_in_both)
{
    struct xylem_view text = XYLEM_BASE__LITERAL("a\r\n\nb\r");
    struct xylem_view line;
    assert_true(xylem_sequence__first_line(&line, &text, text));
    assert_true(xylem_base__view_is(line, "a"));
    assert_true(xylem_sequence__first_line(&line, &text, text));
    assert_int_equal(line.bytes, 0);
    assert_false(xylem_sequence__first_line(&line, &text, text));
    assert_true(xylem_base__view_is(line, "b\r"));
    assert_false(xylem_sequence__first_line(&line, &text, text));
    assert_int_equal(line.bytes, 0);
}
