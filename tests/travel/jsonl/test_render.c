/* The line that an entry becomes. */
#include "tests/travel/jsonl/sandbox.h"

#include "travel/jsonl/render.h"
#include "xylem/redact.h"
#include "tests/lib/store_builder.h"
#include "tests/lib/test.h"

static void assert_rendering(const struct xylem_jsonl__rendering *rendering, const char *expected)
{
    struct xylem_buffer out = {0};
    assert_int_equal(xylem_jsonl__render(&out, rendering), XYLEM_OK);
    assert_string_equal(out.data, expected);
    xylem_buffer_release(&out);
}

static struct xylem_jsonl__rendering host(const char *name, const char *json)
{
    return (struct xylem_jsonl__rendering){.kind = {XYLEM_CLASS_HOST, xylem_view_of(name)},
                                           .id = xylem_view_of("i"),
                                           .has_parent = true,
                                           .parent_id = xylem_view_of("p"),
                                           .time_ms = 1735689601002,
                                           .format = json ? XYLEM_FORMAT_JSON : XYLEM_FORMAT_NONE,
                                           .payload = xylem_view_of(json)};
}

#define PLACE "\"id\":\"i\",\"parentId\":\"p\",\"timestamp\":\"2025-01-01T00:00:01.002Z\""

TEST(a_host_entry_has_its_place_before_its_members)
{
    struct xylem_jsonl__rendering rendering = host("label", "{\"targetId\":\"x\",\"label\":\"y\"}");
    assert_rendering(&rendering, "{\"type\":\"label\"," PLACE ",\"targetId\":\"x\",\"label\":\"y\"}");
    rendering = host("label", NULL);
    assert_rendering(&rendering, "{\"type\":\"label\"," PLACE "}");
    rendering = host("label", " { } ");
    assert_rendering(&rendering, "{\"type\":\"label\"," PLACE "}");
    rendering.has_parent = false;
    assert_rendering(&rendering, "{\"type\":\"label\",\"id\":\"i\",\"parentId\":null,\"timestamp\":"
                                 "\"2025-01-01T00:00:01.002Z\"}");
}

TEST(a_custom_message_has_its_members_before_its_place)
{
    struct xylem_jsonl__rendering rendering = host("custom_message", "{\"customType\":\"n\",\"content\":1}");
    assert_rendering(&rendering, "{\"type\":\"custom_message\",\"customType\":\"n\",\"content\":1," PLACE "}");
}

TEST(line_ends_in_a_payload_do_not_split_the_line)
{
    struct xylem_jsonl__rendering rendering = host("x", "\n{\r\n\"a\"\n:\n[1,\n2]\n}\n");
    assert_rendering(&rendering, "{\"type\":\"x\"," PLACE ",\"a\":[1,2]}");
}

/* An array of what is between its brackets, with and without the line ends in it. */
static void assert_without_line_ends(const char *between, size_t bytes)
{
    struct xylem_buffer payload = {0};
    struct xylem_buffer expected = {0};
    struct xylem_buffer out = {0};
    assert_int_equal(xylem_base__buffer_add_text(&payload, "["), XYLEM_OK);
    assert_int_equal(xylem_buffer_add(&payload, between, bytes), XYLEM_OK);
    assert_int_equal(xylem_base__buffer_add_text(&payload, "]"), XYLEM_OK);
    assert_int_equal(xylem_base__buffer_add_text(&expected, "{\"type\":\"x\"," PLACE ",\"payload\":"), XYLEM_OK);
    for (size_t i = 0; i < payload.bytes; i++) {
        if (payload.data[i] != '\r' && payload.data[i] != '\n') {
            assert_int_equal(xylem_buffer_add(&expected, &payload.data[i], 1), XYLEM_OK);
        }
    }
    assert_int_equal(xylem_base__buffer_add_text(&expected, "}"), XYLEM_OK);
    struct xylem_jsonl__rendering rendering = host("x", "");
    rendering.in_payload = true;
    rendering.payload = xylem_base__buffer_view(&payload);
    assert_int_equal(xylem_jsonl__render(&out, &rendering), XYLEM_OK);
    assert_same_bytes(out.data, out.bytes, expected.data, expected.bytes);
    xylem_buffer_release(&payload);
    xylem_buffer_release(&expected);
    xylem_buffer_release(&out);
}

TEST(every_mix_of_line_ends_is_left_out)
{
    static const char bytes[] = {'\r', '\n', ' '};
    for (size_t count = 0; count <= 7; count++) {
        size_t mixes = 1;
        for (size_t i = 0; i < count; i++) {
            mixes *= sizeof bytes;
        }
        for (size_t mix = 0; mix < mixes; mix++) {
            char between[8];
            size_t left = mix;
            for (size_t i = 0; i < count; i++, left /= sizeof bytes) {
                between[i] = bytes[left % sizeof bytes];
            }
            assert_without_line_ends(between, count);
        }
    }
}

/* When both were looked for anew behind each one, so many took minutes. */
TEST(millions_of_line_ends_are_left_out)
{
    static const size_t count = 4u * 1048576u;
    char *between = test_malloc(count);
    static const char ends[] = {'\r', '\n'};
    for (size_t i = 0; i < sizeof ends; i++) {
        memset(between, ends[i], count);
        assert_without_line_ends(between, count);
    }
    test_free(between);
}

TEST(a_custom_entry_has_its_data_before_its_place)
{
    struct xylem_jsonl__rendering rendering = host("readonly", NULL);
    struct xylem_value nil = {.type = XYLEM_VALUE_NIL, .node_count = 1};
    rendering.kind.kind_class = XYLEM_CLASS_CUSTOM;
    assert_rendering(&rendering, "{\"type\":\"custom\",\"customType\":\"readonly\"," PLACE "}");
    rendering.format = XYLEM_FORMAT_MSGPACK;
    rendering.data = &nil;
    assert_rendering(&rendering, "{\"type\":\"custom\",\"customType\":\"readonly\",\"data\":null," PLACE "}");
}

TEST(a_header_leaves_out_what_is_not_given)
{
    struct xylem_buffer out = {0};
    struct xylem_view none = {NULL, 0};
    assert_int_equal(xylem_jsonl__header_render(&out, xylem_view_of("s"), 0, none, none), XYLEM_OK);
    assert_string_equal(out.data,
                        "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"1970-01-01T00:00:00.000Z\"}");
    xylem_base__buffer_clear(&out);
    xylem_jsonl__header_render(&out, xylem_view_of("s"), 0, xylem_view_of("/c"), xylem_view_of("p"));
    assert_non_null(strstr(out.data, "000Z\",\"cwd\":\"/c\",\"parentSession\":\"p\"}"));
    xylem_buffer_release(&out);
}

static void assert_entry_json(struct store_builder *builder, struct xylem_position position, const char *expected)
{
    struct xylem_entry entry;
    struct xylem_error err = {0};
    struct xylem_buffer out = {0};
    assert_int_equal(xylem_buffer_add(&out, ">", 1), XYLEM_OK);
    assert_int_equal(xylem_entry_read(&entry, builder->txn, position, NULL), XYLEM_OK);
    store_builder_must(xylem_entry_json(&out, builder->txn, &entry, &err), &err);
    const char *members = strstr(out.data, "Z\"");
    assert_int_equal(out.data[0], '>');
    assert_non_null(members);
    assert_string_equal(members + 2, expected);
    xylem_buffer_release(&out);
}

TEST(a_payload_that_is_no_object_or_a_custom_type_stands_apart)
{
    struct store_builder builder;
    store_builder_open(&builder);
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position at = store_builder_add(&builder, session, "a", "x", "{\"a\":1}");
    assert_entry_json(&builder, at, ",\"a\":1}");
    at = store_builder_add(&builder, session, "d", "x", "[1,\n2]");
    assert_entry_json(&builder, at, ",\"payload\":[1,2]}");
    at = store_builder_add(&builder, session, "e", "custom", "{\"customType\":\"q\"}");
    assert_entry_json(&builder, at, ",\"payload\":{\"customType\":\"q\"}}");
    at = store_builder_add(&builder, session, "f", "x", "{\"customType\":\"q\",\"n\":[{\"id\":1}]}");
    assert_entry_json(&builder, at, ",\"customType\":\"q\",\"n\":[{\"id\":1}]}");
    store_builder_close(&builder);
}

/* The line of a session's entry at a depth begins, and ends, with these texts. */
static void assert_line(struct store_builder *builder, uint64_t depth, const char *begin, const char *end)
{
    struct xylem_entry entry;
    struct xylem_buffer out = {0};
    struct xylem_position position = {1, depth};
    assert_int_equal(xylem_entry_read(&entry, builder->txn, position, NULL), XYLEM_OK);
    assert_int_equal(xylem_entry_json(&out, builder->txn, &entry, NULL), XYLEM_OK);
    assert_true(out.bytes > strlen(begin) + strlen(end));
    assert_memory_equal(out.data, begin, strlen(begin));
    assert_string_equal(out.data + out.bytes - strlen(end), end);
    xylem_buffer_release(&out);
}

TEST(a_redacted_entry_keeps_its_place_and_says_why)
{
    struct store_builder builder;
    store_builder_open(&builder);
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, "a", "x", "{\"secret\":1}");
    store_builder_add(&builder, session, "b", "custom:readonly", "{\"secret\":2}");
    store_builder_add(&builder, session, "c", "custom_message", "{\"secret\":3}");
    struct xylem_redact_options options = {.reason = xylem_view_of("a \"key\"")};
    struct xylem_redact_report report;
    for (uint64_t depth = 1; depth <= 3; depth++) {
        struct xylem_position at = {1, depth};
        assert_int_equal(xylem_redact(&report, builder.txn, session, at, &options, NULL), XYLEM_OK);
        xylem_redact_report_release(&report);
    }
#define WHY "\"redacted\":\"a \\\"key\\\"\""
    assert_line(&builder, 1, "{\"type\":\"x\",\"id\":\"a\",\"parentId\":null,\"timestamp\":", "Z\"," WHY "}");
    assert_line(&builder, 2,
                "{\"type\":\"custom\",\"customType\":\"readonly\",\"data\":{" WHY "},\"id\":\"b\",\"parentId\":\"a\"",
                "Z\"}");
    assert_line(&builder, 3, "{\"type\":\"custom_message\"," WHY ",\"id\":\"c\",\"parentId\":\"b\"", "Z\"}");
    store_builder_close(&builder);
}
