#include <string.h>

#include "base/buffer.h"
#include "store/format/holes.h"
#include "tests/lib/chance.h"
#include "tests/lib/test.h"

static struct xylem_buffer payload;
static struct xylem_buffer values;
static struct xylem_buffer line;

static int release(void **state)
{
    (void)state;
    xylem_buffer_release(&payload);
    xylem_buffer_release(&values);
    xylem_buffer_release(&line);
    return 0;
}

#define HOLES_TEST(test) TEST_WITH(test, NULL, release)

static void encode(const char *text, const struct xylem_hole *holes, size_t count, const char *session_id)
{
    const struct xylem_line_form form = {.dialect = 7, .holes = holes, .hole_count = count};
    release(NULL);
    assert_true(xylem_format__form_fits(&form, xylem_view_of(text)));
    assert_int_equal(
        xylem_format__holes_encode(&payload, &values, xylem_view_of(text), &form, xylem_view_of(session_id)), XYLEM_OK);
}

static void assert_filled(const char *session_id, const char *expected)
{
    xylem_buffer_release(&line);
    assert_int_equal(xylem_format__holes_fill(&line, xylem_base__buffer_view(&payload),
                                              xylem_base__buffer_view(&values), xylem_view_of(session_id)),
                     XYLEM_OK);
    assert_string_equal(line.data ? line.data : "", expected);
}

HOLES_TEST(a_payload_has_the_text_without_its_values)
{
    const struct xylem_hole holes[] = {{3, 2, true}, {8, 3, false}};
    encode("ab:S1:cd123:", holes, 2, "S1");
    static const char expected_payload[] = "\x07\x02\x03\x03"
                                           "ab::cd:";
    static const char expected_values[] = "\x00\x04"
                                          "123";
    assert_int_equal(payload.bytes, sizeof expected_payload - 1);
    assert_memory_equal(payload.data, expected_payload, payload.bytes);
    assert_int_equal(values.bytes, sizeof expected_values - 1);
    assert_memory_equal(values.data, expected_values, values.bytes);
    assert_filled("S1", "ab:S1:cd123:");
    assert_filled("another", "ab:another:cd123:");
    assert_filled("", "ab::cd123:");
}

HOLES_TEST(a_value_that_is_not_the_sessions_id_stays_as_it_is)
{
    const struct xylem_hole marked[] = {{0, 2, true}};
    encode("S1.", marked, 1, "S2");
    assert_filled("S3", "S1.");
    const struct xylem_hole unmarked[] = {{0, 2, false}};
    encode("S1.", unmarked, 1, "S1");
    assert_filled("S3", "S1.");
}

HOLES_TEST(an_id_in_a_line_is_escaped_as_in_a_string)
{
    const struct xylem_hole holes[] = {{1, 2, true}};
    encode("\"S1\"", holes, 1, "S1");
    assert_filled("a\"b\\", "\"a\\\"b\\\\\"");
    encode("\"\\n\"", holes, 1, "\\n"); /* a newline, and an id of a backslash and a letter */
    assert_filled("S2", "\"\\n\"");
    const struct xylem_hole escaped[] = {{1, 3, true}};
    encode("\"a\\\"\"", escaped, 1, "a\"");
    assert_filled("S2", "\"S2\"");
}

HOLES_TEST(holes_may_be_empty_and_side_by_side)
{
    const struct xylem_hole holes[] = {{0, 0, false}, {0, 1, false}, {1, 0, false}, {3, 0, false}};
    encode("abc", holes, 4, "");
    assert_filled("", "abc");
    const struct xylem_hole empty[] = {{1, 0, false}, {1, 0, false}};
    encode("abc", empty, 2, "S");
    assert_int_equal(values.bytes, 0); /* only empty values: nothing stands beside the payload */
    assert_filled("S", "abc");
    encode("", NULL, 0, "S");
    assert_filled("S", "");
}

HOLES_TEST(a_form_that_does_not_fit_is_known)
{
    struct xylem_view text = xylem_view_of("0123456789");
    struct xylem_hole holes[XYLEM_HOLES_MAX + 1] = {{2, 2, false}, {4, 6, false}};
    struct xylem_line_form form = {.dialect = 255, .holes = holes, .hole_count = 2};
    assert_true(xylem_format__form_fits(&form, text));
    form.dialect = 256;
    assert_false(xylem_format__form_fits(&form, text));
    form.dialect = 0;
    holes[1].bytes = 7;
    assert_false(xylem_format__form_fits(&form, text));
    holes[1].bytes = SIZE_MAX;
    assert_false(xylem_format__form_fits(&form, text));
    holes[1] = (struct xylem_hole){11, 0, false};
    assert_false(xylem_format__form_fits(&form, text));
    holes[1] = (struct xylem_hole){3, 1, false}; /* begins inside of the hole before */
    assert_false(xylem_format__form_fits(&form, text));
    memset(holes, 0, sizeof holes);
    form.hole_count = XYLEM_HOLES_MAX;
    assert_true(xylem_format__form_fits(&form, text));
    form.hole_count = XYLEM_HOLES_MAX + 1;
    assert_false(xylem_format__form_fits(&form, text));
    assert_false(xylem_format__form_fits(NULL, text));
}

static int fill(const char *stored, size_t stored_bytes, const char *beside, size_t beside_bytes)
{
    xylem_buffer_release(&line);
    return xylem_format__holes_fill(&line, (struct xylem_view){stored, stored_bytes},
                                    (struct xylem_view){beside, beside_bytes}, (struct xylem_view){"id", 2});
}

HOLES_TEST(bytes_that_contradict_each_other_are_refused)
{
    assert_int_equal(fill("\x07\x01\x01"
                          "ab",
                          5, "\x02x", 2),
                     XYLEM_OK);
    assert_string_equal(line.data, "axb");
    assert_int_equal(fill("\x07", 1, "", 0), XYLEM_E_MALFORMED);
    assert_int_equal(fill("\x07\x01", 2, "", 0), XYLEM_E_MALFORMED);
    assert_int_equal(fill("\x07\x01\x03"
                          "ab",
                          5, "", 0),
                     XYLEM_E_MALFORMED); /* behind the text */
    assert_int_equal(fill("\x07\x02\x02\x01"
                          "ab",
                          6, "", 0),
                     XYLEM_E_MALFORMED); /* the second hole is */
    assert_int_equal(fill("\x07\x01\x81\x00"
                          "ab",
                          6, "", 0),
                     XYLEM_E_MALFORMED);                                                /* a longer spelling of 1 */
    assert_int_equal(fill("\x07\x09\0\0\0\0\0\0\0\0\0", 11, "", 0), XYLEM_E_MALFORMED); /* nine holes */
    assert_int_equal(fill("\x07\x01\x01"
                          "ab",
                          5, "\x03x", 2),
                     XYLEM_E_MALFORMED);
    assert_int_equal(fill("\x07\x01\x01"
                          "ab",
                          5, "\x02xy", 3),
                     XYLEM_E_MALFORMED);
    assert_int_equal(fill("\x07\x00"
                          "ab",
                          4, "\x01", 1),
                     XYLEM_E_MALFORMED);
}

/* Any line with any holes comes back. */
HOLES_TEST(a_line_comes_back_whatever_its_holes)
{
    struct chance chance = {.state = 34};
    for (unsigned round = 0; round < 3000; round++) {
        char text[64];
        struct xylem_hole holes[XYLEM_HOLES_MAX];
        size_t bytes = (size_t)chance_below(&chance, 60);
        size_t count = (size_t)chance_below(&chance, XYLEM_HOLES_MAX + 1);
        size_t end = 0;
        memset(text, 0, sizeof text);
        for (size_t i = 0; i < bytes; i++) {
            text[i] = (char)('a' + chance_below(&chance, 3));
        }
        for (size_t i = 0; i < count; i++) {
            holes[i].offset = end + (size_t)chance_below(&chance, (int)(bytes - end + 1));
            holes[i].bytes = (size_t)chance_below(&chance, (int)(bytes - holes[i].offset + 1));
            holes[i].is_session_id = chance_below(&chance, 2) == 0;
            end = holes[i].offset + holes[i].bytes;
        }
        encode(text, holes, count, "a");
        assert_filled("a", text);
    }
}
