/* Lines as pieces against id, time and payload: there and back, never much longer, and nothing hostile is taken. */
#include "store/format/spelling.h"

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "tests/lib/test.h"

#define PAYLOAD "{\"message\":{\"role\": \"user\", \"content\": \"a text of some length\"},\"n\":1}"

static struct xylem_format__spelt entry(void)
{
    return (struct xylem_format__spelt){xylem_view_of("abcd1234"), 1700000001000, xylem_view_of(PAYLOAD)};
}

static struct xylem_view view_of(const struct xylem_buffer *buffer)
{
    return (struct xylem_view){buffer->data, buffer->bytes};
}

/* Gives the bytes of the pieces of a line, which comes back from them behind what the buffer holds. */
static size_t round_trip(const struct xylem_format__spelt *spelt, struct xylem_view line)
{
    struct xylem_buffer pieces = {0};
    struct xylem_buffer back = {0};
    assert_int_equal(xylem_format__spelling_encode(&pieces, spelt, line), XYLEM_OK);
    assert_in_range(pieces.bytes, 1, line.bytes + XYLEM_FORMAT__SPELLING_BYTES);
    assert_int_equal(xylem_buffer_add(&back, "<", 1), XYLEM_OK);
    assert_int_equal(xylem_format__spelling_decode(&back, spelt, view_of(&pieces)), XYLEM_OK);
    assert_int_equal(back.bytes, line.bytes + 1);
    assert_memory_equal(back.data + 1, line.data, line.bytes);
    size_t bytes = pieces.bytes;
    xylem_buffer_release(&pieces);
    xylem_buffer_release(&back);
    return bytes;
}

TEST(a_line_in_any_spacing_and_order_takes_few_bytes)
{
#define MESSAGE "{\"role\": \"user\", \"content\": \"a text of some length\"}"
    static const struct {
        const char *line;
        size_t bytes_max;
    } lines[] = {
        {"{\"type\": \"message\", \"id\": \"abcd1234\", \"parentId\": \"00000000\", \"timestamp\": "
         "\"2023-11-14T22:13:21.000Z\", \"message\": " MESSAGE ", \"n\": 1}",
         36},
        {"{\"id\":\"abcd1234\",\"message\":" MESSAGE ",\"n\":1,\"parentId\":null,\"timestamp\":"
         "\"2023-11-14T22:13:21.000Z\",\"type\":\"message\"}",
         36},
        {"{\"type\" : \"message\" , \"id\" : \"abcd1234\" , \"parentId\" : \"00000000\" , \"timestamp\" : "
         "\"2023-11-14T22:13:21.000Z\" , \"message\" : " MESSAGE " , \"n\" : 1}",
         44},
    };
    const struct xylem_format__spelt spelt = entry();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        assert_in_range(round_trip(&spelt, xylem_view_of(lines[i].line)), 1, lines[i].bytes_max);
    }
}

TEST(a_line_of_other_bytes_takes_hardly_more_than_itself)
{
    const struct xylem_format__spelt spelt = entry();
    char line[40000];
    uint32_t chance = 1;
    for (size_t i = 0; i < sizeof line; i++) {
        chance = chance * 1664525u + 1013904223u;
        line[i] = (char)(chance >> 24);
    }
    for (size_t bytes = 1; bytes <= sizeof line; bytes += 1 + bytes / 3) {
        assert_in_range(round_trip(&spelt, (struct xylem_view){line, bytes}), bytes, bytes + 8);
    }
}

TEST(copies_that_might_not_pay_are_not_made)
{
    struct xylem_buffer line = {0};
    uint64_t chance = 1;
    for (size_t i = 0; i < 24; i++) {
        for (size_t j = 0; j < 2050; j++) {
            chance = chance * UINT64_C(6364136223846793005) + 1442695040888963407u;
            assert_int_equal(xylem_buffer_add(&line, (const char *)&chance, sizeof chance), XYLEM_OK);
        }
        assert_int_equal(xylem_buffer_add(&line, "Id\":\"\",\"timestamp" + i % 2, 9), XYLEM_OK);
    }
    const struct xylem_format__spelt spelt = entry();
    assert_int_equal(round_trip(&spelt, view_of(&line)), line.bytes + 3 + 3);
    xylem_buffer_release(&line);
}

/* The words end in a brace: a copy from the payload's begin does not grow back into them. */
TEST(no_copy_crosses_from_the_words_to_the_payload)
{
    const struct xylem_format__spelt spelt = {xylem_view_of("x"), 0, xylem_view_of("the whole payload")};
    round_trip(&spelt, xylem_view_of("- {the whole payload"));
    round_trip(&spelt, xylem_view_of("\"data\":{the whole payload"));
}

/* Data of an extension has line ends, the line has `\n`: behind each, the place in the payload is found anew. */
TEST(a_long_text_with_escapes_is_found_up_to_its_end)
{
    struct xylem_buffer payload = {0};
    struct xylem_buffer line = {0};
    for (uint32_t i = 0; i < 2000; i++) {
        char text[128];
        snprintf(text, sizeof text, "%08x of a text with a word or two, and %08x, and a number: %08x", i * 2654435761u,
                 i * 40503u, i * 69069u);
        assert_int_equal(xylem_base__buffer_add_format(&payload, "%s\n", text), XYLEM_OK);
        assert_int_equal(xylem_base__buffer_add_format(&line, "%s\\n", text), XYLEM_OK);
    }
    const struct xylem_format__spelt spelt = {xylem_view_of("x"), 0, view_of(&payload)};
    assert_in_range(round_trip(&spelt, view_of(&line)), 1, line.bytes / 3);
    xylem_buffer_release(&payload);
    xylem_buffer_release(&line);
}

TEST(a_repeating_payload_and_a_long_payload_are_found_whole)
{
    struct xylem_buffer payload = {0};
    struct xylem_buffer line = {0};
    const struct xylem_format__spelt many = {xylem_view_of("x"), 0, xylem_view_of("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")};
    assert_in_range(round_trip(&many, xylem_view_of("  aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  ")), 1, 12);
    /* What follows the copy before is longer than a copy of the first of equal words. */
    const struct xylem_format__spelt equal = {
        xylem_view_of("x"), 0, xylem_view_of("many equal words:1;many equal words:2;many equal words:3;")};
    assert_in_range(round_trip(&equal, xylem_view_of("many equal words:1; many equal words:2; many equal words:3;")), 1,
                    14);
    for (uint32_t i = 0; i < 200000; i++) {
        assert_int_equal(xylem_base__buffer_add_format(&payload, "%u,", i), XYLEM_OK);
    }
    assert_int_equal(xylem_buffer_add(&line, "  ", 2), XYLEM_OK);
    assert_int_equal(xylem_buffer_add(&line, payload.data, payload.bytes), XYLEM_OK);
    const struct xylem_format__spelt spelt = {xylem_view_of("x"), 0, view_of(&payload)};
    assert_in_range(round_trip(&spelt, view_of(&line)), 1, 24);
    xylem_buffer_release(&payload);
    xylem_buffer_release(&line);
}

/* A number of a piece, or new bytes. */
struct part {
    uint64_t number;
    const char *fresh;
};

static int decode(const struct part *parts, size_t count)
{
    const struct xylem_format__spelt spelt = entry();
    struct xylem_buffer pieces = {0};
    struct xylem_buffer line = {0};
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(parts[i].fresh ? xylem_buffer_add(&pieces, parts[i].fresh, strlen(parts[i].fresh))
                                        : xylem_base__add_varint(&pieces, parts[i].number),
                         XYLEM_OK);
    }
    int code = xylem_format__spelling_decode(&line, &spelt, view_of(&pieces));
    assert_true(code == XYLEM_OK || line.capacity == 0); /* no memory for what is refused */
    xylem_buffer_release(&pieces);
    xylem_buffer_release(&line);
    return code;
}

#define DECODE(...) \
    decode((const struct part[]){__VA_ARGS__}, sizeof((const struct part[]){__VA_ARGS__}) / sizeof(struct part))
#define N(n)          \
    {                 \
        .number = (n) \
    }
#define TEXT(text)      \
    {                   \
        .fresh = (text) \
    }
#define LINE_BYTES(n) N((uint64_t)(n)*4)

TEST(pieces_that_are_not_those_of_the_stated_line_are_refused)
{
    const uint64_t words = 145; /* without spaces, with id and time */
    const uint64_t end = words + strlen(PAYLOAD);
    assert_int_equal(DECODE(LINE_BYTES(6), N(3), TEXT("abc"), N(0), N(3)), XYLEM_OK);
    assert_int_equal(DECODE(LINE_BYTES(6), N(3), TEXT("abc"), N(0), N(3), N(0)), XYLEM_OK);
    assert_int_equal(DECODE(LINE_BYTES(5), N(3), TEXT("abc"), N(0), N(3)), XYLEM_E_CORRUPT);
    assert_int_equal(DECODE(LINE_BYTES(7), N(3), TEXT("abc"), N(0), N(3)), XYLEM_E_CORRUPT);
    assert_int_equal(DECODE(LINE_BYTES(2), N(3), TEXT("abc"), N(0), N(3)), XYLEM_E_CORRUPT);
    assert_int_equal(DECODE(LINE_BYTES(3), N(4), TEXT("abc")), XYLEM_E_CORRUPT);
    assert_int_equal(DECODE(LINE_BYTES(6), N(3), TEXT("abc"), N(0), N(3), N(1)), XYLEM_E_CORRUPT);
    assert_int_equal(DECODE(LINE_BYTES(6), N(3), TEXT("abc"), N(0), N(3), TEXT("\x80")), XYLEM_E_CORRUPT);
    assert_int_equal(DECODE(LINE_BYTES(3), N(3), TEXT("abc"), N(0)), XYLEM_E_CORRUPT);
    assert_int_equal(DECODE(LINE_BYTES(3), N(3), TEXT("abc"), N(0), N(0)), XYLEM_E_CORRUPT);
    assert_int_equal(DECODE(LINE_BYTES(3), N(UINT64_MAX), TEXT("abc")), XYLEM_E_CORRUPT);
    assert_int_equal(DECODE(LINE_BYTES(0)), XYLEM_E_CORRUPT);
    assert_int_equal(DECODE(LINE_BYTES(1)), XYLEM_E_CORRUPT);
    assert_int_equal(DECODE(TEXT("\x80")), XYLEM_E_CORRUPT);
    assert_int_equal(DECODE(TEXT("")), XYLEM_E_CORRUPT);
    /* the end of the words, the end of the payload, and before the beginning */
    assert_int_equal(DECODE(LINE_BYTES(words), N(0), N(0), N(words)), XYLEM_OK);
    assert_int_equal(DECODE(LINE_BYTES(words + 1), N(0), N(0), N(words + 1)), XYLEM_E_CORRUPT);
    assert_int_equal(DECODE(LINE_BYTES(2), N(0), N(2 * (words - 1)), N(1), N(0), N(0), N(1)), XYLEM_OK);
    assert_int_equal(DECODE(LINE_BYTES(1), N(0), N(2 * (end - 1)), N(1)), XYLEM_OK);
    assert_int_equal(DECODE(LINE_BYTES(2), N(0), N(2 * (end - 1)), N(2)), XYLEM_E_CORRUPT);
    assert_int_equal(DECODE(LINE_BYTES(1), N(0), N(2 * end), N(1)), XYLEM_E_CORRUPT);
    assert_int_equal(DECODE(LINE_BYTES(1), N(0), N(1), N(1)), XYLEM_E_CORRUPT);
    assert_int_equal(DECODE(LINE_BYTES(2), N(0), N(0), N(1), N(0), N(1), N(1)), XYLEM_OK);
    assert_int_equal(DECODE(LINE_BYTES(2), N(0), N(0), N(1), N(0), N(3), N(1)), XYLEM_E_CORRUPT);
    assert_int_equal(DECODE(LINE_BYTES(1), N(0), N(UINT64_MAX), N(1)), XYLEM_E_CORRUPT);
    assert_int_equal(DECODE(LINE_BYTES(1), N(0), N(UINT64_MAX - 1), N(1)), XYLEM_E_CORRUPT);
    assert_int_equal(DECODE(LINE_BYTES(1), N(0), N(0), N(UINT64_MAX)), XYLEM_E_CORRUPT);
}

TEST(a_length_beyond_the_limit_of_a_line_is_refused_though_the_pieces_have_it)
{
    struct xylem_buffer pieces = {0};
    struct xylem_buffer line = {0};
    struct xylem_format__spelt spelt = {.id = xylem_view_of("x")};
    char *payload = test_calloc(1, 1u << 20);
    spelt.payload = (struct xylem_view){payload, 1u << 20};
    const uint64_t copies = XYLEM_LINE_BYTES_MAX / spelt.payload.bytes;
    for (int more = 0; more < 2; more++) {
        pieces.bytes = 0;
        assert_int_equal(xylem_base__add_varint(&pieces, (XYLEM_LINE_BYTES_MAX + (uint64_t)more) * 4), XYLEM_OK);
        for (uint64_t i = 0; i < copies; i++) {
            const uint64_t step = i == 0 ? 2 * (145 - 7) : 2 * spelt.payload.bytes - 1;
            const uint64_t numbers[] = {0, step, spelt.payload.bytes};
            for (size_t j = 0; j < 3; j++) {
                assert_int_equal(xylem_base__add_varint(&pieces, numbers[j]), XYLEM_OK);
            }
        }
        if (more) {
            assert_int_equal(xylem_buffer_add(&pieces, "\1x", 2), XYLEM_OK);
        }
        line.bytes = 0;
        assert_int_equal(xylem_format__spelling_decode(&line, &spelt, view_of(&pieces)),
                         more ? XYLEM_E_CORRUPT : XYLEM_OK);
        assert_int_equal(line.bytes, more ? 0 : XYLEM_LINE_BYTES_MAX);
    }
    test_free(payload);
    xylem_buffer_release(&pieces);
    xylem_buffer_release(&line);
}

/* A reader by somebody else needs these bytes: docs/format.md has them, too. */
TEST(the_pieces_of_a_line_are_these_bytes)
{
    const struct xylem_format__spelt spelt = {xylem_view_of("a1b2c3d4"), 1700000001000,
                                              xylem_view_of("{\"message\":{\"role\": \"user\"}}")};
    struct xylem_buffer pieces = {0};
    assert_int_equal(
        xylem_format__spelling_encode(&pieces, &spelt,
                                      xylem_view_of("{\"type\": \"message\", \"id\": \"a1b2c3d4\", \"parentId\": null, "
                                                    "\"timestamp\": \"2023-11-14T22:13:21.000Z\", "
                                                    "\"message\": {\"role\": \"user\"}}")),
        XYLEM_OK);
    static const char bytes[] = "\xf6\x03\x00\x00\x32\x04null\x04\x2c\x00\xab\x01\x08\x02: \xb0\x02\x11";
    assert_int_equal(pieces.bytes, sizeof bytes - 1);
    assert_memory_equal(pieces.data, bytes, pieces.bytes);
    xylem_buffer_release(&pieces);
}
