/* The hex example in docs/format.md is decoded, and says what its own lines say. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/value.h"
#include "store/format/record.h"
#include "tests/lib/test.h"

#define DOCUMENT "docs/format.md"
#define MARK "<!-- record-example -->"
#define FENCE "```"

struct example {
    struct xylem_buffer text; /* the block's lines */
    struct xylem_buffer bytes;
};

static void add_hex(struct xylem_buffer *bytes, const char *text)
{
    while (*text && *text != '#') {
        unsigned byte;
        int used = 0;
        if (*text == ' ') {
            text++;
            continue;
        }
        assert_int_equal(sscanf(text, "%2x%n", &byte, &used), 1);
        assert_int_equal(used, 2);
        assert_int_equal(xylem_buffer_add(bytes, &(unsigned char){(unsigned char)byte}, 1), XYLEM_OK);
        text += 2;
    }
}

/* Fills in the lines between the fences that follow the mark, and the bytes of its `hex:` lines. */
static int read_example(void **state)
{
    static struct example example;
    char line[512];
    bool marked = false;
    bool inside = false;
    FILE *file = fopen(DOCUMENT, "r");
    *state = &example;
    if (!file) {
        print_error("%s cannot be read\n", DOCUMENT);
        return -1;
    }
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        marked = marked || strcmp(line, MARK) == 0;
        if (marked && strncmp(line, FENCE, strlen(FENCE)) == 0) {
            if (inside) {
                break;
            }
            inside = true;
        } else if (inside && strncmp(line, "hex:", 4) == 0) {
            add_hex(&example.bytes, line + 4);
        } else if (inside) {
            assert_int_equal(xylem_base__buffer_add_format(&example.text, "%s\n", line), XYLEM_OK);
        }
    }
    fclose(file);
    return example.text.bytes > 0 && example.bytes.bytes > 0 ? 0 : -1;
}

static int release_example(void **state)
{
    struct example *example = *state;
    xylem_buffer_release(&example->text);
    xylem_buffer_release(&example->bytes);
    return 0;
}

/* What stands behind `name: `, up to the line's end. */
static void field(char value[256], const struct example *example, const char *name)
{
    char start[32];
    snprintf(start, sizeof start, "%s: ", name);
    const char *at = strstr(example->text.data, start);
    assert_non_null(at);
    assert_true(at == example->text.data || at[-1] == '\n');
    snprintf(value, 256, "%.*s", (int)strcspn(at + strlen(start), "\n"), at + strlen(start));
}

static uint64_t number(const struct example *example, const char *name)
{
    char value[256];
    char *end;
    field(value, example, name);
    uint64_t result = strtoull(value, &end, 0);
    assert_true(end != value && *end == '\0');
    return result;
}

static struct xylem_entry decode(const struct example *example)
{
    char value[256];
    struct xylem_position position;
    struct xylem_entry entry;
    struct xylem_error err = {0};
    struct xylem_view bytes = {example->bytes.data, example->bytes.bytes};
    field(value, example, "position");
    assert_int_equal(sscanf(value, "branch %" SCNu64 ", depth %" SCNu64, &position.branch, &position.depth), 2);
    if (xylem_format__record_decode(&entry, position, bytes, &err) < 0) {
        fail_msg("%s: %s", DOCUMENT, err.text);
    }
    return entry;
}

TEST(the_example_has_the_fields_that_it_states)
{
    const struct example *example = *state;
    struct xylem_entry entry = decode(example);
    char value[256];
    field(value, example, "id");
    assert_true(xylem_base__view_is(entry.id, value));
    assert_true(entry.lsn == number(example, "lsn"));
    assert_true((uint64_t)entry.time_ms == number(example, "time_ms"));
    assert_true(entry.unverified.kind_number == number(example, "kind"));
    assert_true((uint64_t)entry.format == number(example, "format"));
    assert_true(entry.flags == number(example, "flags"));
    assert_true(entry.check == number(example, "check"));
}

TEST(the_example_has_the_payload_that_it_states)
{
    const struct example *example = *state;
    struct xylem_entry entry = decode(example);
    struct xylem_buffer expected = {0};
    struct xylem_view payload;
    struct xylem_error err = {0};
    char value[256];
    field(value, example, "payload");
    add_hex(&expected, value);
    assert_int_equal(xylem_entry_payload(&payload, &entry, &err), XYLEM_OK);
    assert_true(xylem_base__view_equal(payload, (struct xylem_view){expected.data, expected.bytes}));
    xylem_buffer_release(&expected);
}

TEST(the_example_is_written_back_to_the_same_bytes)
{
    const struct example *example = *state;
    struct xylem_entry entry = decode(example);
    struct xylem_buffer written = {0};
    struct xylem_format__record record = {.check = entry.check,
                                          .payload_hash = entry.unverified.payload_hash,
                                          .lsn = entry.lsn,
                                          .time_ms = entry.time_ms,
                                          .kind_number = entry.unverified.kind_number,
                                          .flags = entry.flags,
                                          .format = entry.format,
                                          .id = entry.id,
                                          .links = {entry.unverified.links, entry.unverified.links_bytes}};
    assert_int_equal(xylem_entry_payload(&record.payload, &entry, NULL), XYLEM_OK);
    assert_int_equal(entry.line_bytes, 0);
    assert_int_equal(xylem_format__record_encode(&written, entry.position, &record, NULL), XYLEM_OK);
    assert_int_equal(written.bytes, example->bytes.bytes);
    assert_memory_equal(written.data, example->bytes.data, written.bytes);
    xylem_buffer_release(&written);
}

TEST_FILE(read_example, release_example)
