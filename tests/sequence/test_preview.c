#include <stdio.h>
#include <string.h>

#include "base/value.h"
#include "tests/lib/test.h"
#include "xylem.h"

static void assert_preview(const struct xylem_view *steps, size_t count,
                           const struct xylem_sequence_text_options *options, const char *expected)
{
    struct xylem_buffer text = {0};
    assert_int_equal(xylem_buffer_add(&text, ">", 1), 0);
    assert_int_equal(xylem_sequence_preview(&text, steps, count, options), 0);
    assert_string_equal(text.data + 1, expected);
    xylem_buffer_release(&text);
}

static const struct xylem_view three[] = {{"/readonly on", 12},
                                          {"Plan the implementation for $@\nand name the files\n3\n4\n5", 57},
                                          {"/handoff execution", 18}};

/* vector 109 */
TEST(a_preview_numbers_the_steps_and_counts_the_lines_left_out)
{
    struct xylem_sequence_text_options options = {.step_lines = 3};
    static const char expected[] = "Sequence, 3 steps\n"
                                   " 1  /readonly on\n"
                                   " 2  Plan the implementation for $@\n"
                                   "    and name the files\n"
                                   "    3\n"
                                   "    (2 more lines)\n"
                                   " 3  /handoff execution\n";
    struct xylem_view steps[3];
    memcpy(steps, three, sizeof steps);
    steps[1].bytes = strlen(steps[1].data);
    assert_preview(steps, 3, &options, expected);
    options.step_lines = 4;
    assert_preview(&steps[1], 1, &options,
                   "Sequence, 1 step\n 1  Plan the implementation for $@\n    and name the files\n    3\n    4\n"
                   "    (1 more line)\n");
    options.step_lines = 5;
    options.cells = 10;
    assert_preview(&steps[1], 1, &options, "Sequence,…\n 1  Plan …\n    and n…\n    3\n    4\n    5\n");
    assert_preview(
        &steps[1], 1, NULL,
        "Sequence, 1 step\n 1  Plan the implementation for $@\n    and name the files\n    3\n    4\n    5\n");
}

/* vector 112 */
TEST(numbers_are_right_aligned)
{
    struct xylem_view steps[100];
    struct xylem_buffer text = {0};
    for (size_t i = 0; i < 100; i++) {
        steps[i] = XYLEM_BASE__LITERAL("x");
    }
    assert_preview(steps, 12, NULL,
                   "Sequence, 12 steps\n 1  x\n 2  x\n 3  x\n 4  x\n 5  x\n 6  x\n 7  x\n 8  x\n 9  x\n10  x\n11  x\n"
                   "12  x\n");
    assert_int_equal(xylem_sequence_preview(&text, steps, 100, NULL), 0);
    assert_non_null(strstr(text.data, "\n  9  x\n 10  x\n"));
    assert_non_null(strstr(text.data, "\n100  x\n"));
    xylem_buffer_release(&text);
}

TEST(lines_have_no_blanks_at_their_end)
{
    static const struct xylem_view steps[] = {{"", 0}, {"a\n\nb\r\n", 6}, {"\n", 1}, {" ", 1}};
    assert_preview(NULL, 0, NULL, "Sequence, 0 steps\n");
    assert_preview(steps, 3, NULL, "Sequence, 3 steps\n 1\n 2  a\n\n    b\n\n 3\n\n");
}

/* vector 111 */
TEST(steps_of_a_foreign_snapshot_are_escaped)
{
    static const struct xylem_view steps[] = {{"\x1b[2J\tx\xff\0", 8}, {"a\rb", 3}};
    assert_preview(steps, 2, NULL, "Sequence, 2 steps\n 1  \\x1b[2J\\x09x\\xff\\x00\n 2  a\\x0db\n");
}
