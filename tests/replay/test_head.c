/* The head of a session: always whole JSON, never beyond its limit, and it says what it leaves out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "xylem/state.h"
#include "tests/lib/chance.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"

static struct xylem_error err;

static struct xylem_buffer head_of(uint64_t session, uint32_t newest)
{
    struct xylem_buffer json = {0};
    store_builder_must(xylem_buffer_add(&json, "before:", 7), &err);
    store_builder_must(xylem_head_json(&json, builder.txn, session, newest, &err), &err);
    assert_memory_equal(json.data, "before:", 7);
    assert_true(json.bytes <= 7 + XYLEM_HEAD_BYTES_MAX);
    struct xylem_view text = {json.data + 7, json.bytes - 7};
    struct xylem_document *document;
    store_builder_must(xylem_document_new_json(&document, text, &err), &err);
    xylem_document_free(document);
    return json;
}

static void assert_head(uint64_t session, uint32_t newest, const char *expected)
{
    struct xylem_buffer json = head_of(session, newest);
    assert_string_equal(json.data + 7, expected);
    xylem_buffer_release(&json);
}

static void assert_part(const struct xylem_buffer *json, const char *part)
{
    if (!strstr(json->data, part)) {
        fail_msg("%s is not in %.400s", part, json->data);
    }
}

static size_t count_of(const struct xylem_buffer *json, const char *part)
{
    size_t count = 0;
    for (const char *at = json->data; (at = strstr(at, part)); at++) {
        count++;
    }
    return count;
}

#define NOTHING                                                                           \
    "\"readonly\":false,\"readonly_from\":\"default\",\"readonly_entry\":null,"           \
    "\"nudge\":{\"due\":false,\"direction\":\"off\",\"why\":\"never-on\",\"told\":null}," \
    "\"sequence\":null,\"todo\":null,\"mark\":null"

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(an_empty_session_has_a_head)
{
    uint64_t session = store_builder_session(&builder, "a \"b\"");
    assert_head(session, 9,
                "{\"schema\":1,\"session\":\"a \\\"b\\\"\",\"leaf\":null,\"depth\":0,\"check\":null,\"state\":{" NOTHING
                "},\"left_out\":[],\"entries\":[],\"more\":false}");
}

IN_SCENE(the_head_has_the_state_at_the_leaf_and_the_newest_entries_first)
{
    char check[64];
    struct xylem_entry leaf;
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, "one", "message", "{\"n\":1}");
    struct xylem_position on = store_builder_add(&builder, session, "on", "custom:readonly", "{\"enabled\":true}");
    store_builder_add(&builder, session, "off", "custom:readonly", "{\"enabled\":false}");
    store_builder_go(&builder, session, on);
    struct xylem_buffer json = head_of(session, 9);
    store_builder_must(xylem_entry_read(&leaf, builder.txn, on, &err), &err);
    (void)snprintf(check, sizeof check, ",\"check\":\"%016llx\",", (unsigned long long)leaf.check);
    assert_part(&json, "{\"schema\":1,\"session\":\"s\",\"leaf\":\"on\",\"depth\":2,\"check\":\"");
    assert_part(&json, check);
    assert_part(&json, "\"state\":{\"readonly\":true,\"readonly_from\":\"path\",\"readonly_entry\":\"on\",");
    assert_part(&json,
                "\"left_out\":[],\"entries\":[{\"entry\":\"on\",\"parent\":\"one\",\"kind\":\"custom:readonly\",");
    assert_part(&json, "\"payload\":{\"enabled\":true}},{\"entry\":\"one\",\"parent\":null,\"kind\":\"message\",");
    assert_part(&json, "\"payload\":{\"n\":1}}],\"more\":false}");
    xylem_buffer_release(&json);
}

IN_SCENE(older_entries_are_said_to_be_there)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_messages(&builder, session, 3);
    for (uint32_t newest = 0; newest <= 4; newest++) {
        struct xylem_buffer json = head_of(session, newest);
        assert_int_equal(count_of(&json, "{\"entry\":"), newest < 3 ? newest : 3);
        assert_part(&json, newest < 3 ? "],\"more\":true}" : "],\"more\":false}");
        xylem_buffer_release(&json);
    }
}

IN_SCENE(a_payload_without_room_is_left_out_and_the_entry_is_not)
{
    static char json_text[2 * XYLEM_HEAD_BYTES_MAX];
    static const size_t sizes[] = {40000, 60000, 65000, 70000, 100000};
    uint64_t session = store_builder_session(&builder, "s");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        (void)snprintf(json_text, sizeof json_text, "{\"t\":\"%0*d\"}", (int)sizes[i], 7);
        store_builder_add(&builder, session, NULL, "message", json_text);
        store_builder_add(&builder, session, NULL, "message", "{\"small\":1}");
        struct xylem_buffer json = head_of(session, 2);
        assert_int_equal(count_of(&json, "{\"entry\":"), 2);
        assert_int_equal(count_of(&json, "\"payload_left_out\":true}"), sizes[i] > 62000);
        assert_part(&json, "\"payload\":{\"small\":1}");
        xylem_buffer_release(&json);
    }
}

IN_SCENE(a_piece_without_room_is_named)
{
    char *todo = malloc(200000);
    size_t bytes = (size_t)sprintf(todo, "{\"lastId\":20,\"items\":[");
    uint64_t session = store_builder_session(&builder, "s");
    for (unsigned i = 1; i <= 20; i++) {
        bytes +=
            (size_t)sprintf(todo + bytes, "%s{\"id\":%u,\"text\":\"%04000u\",\"done\":false}", i > 1 ? "," : "", i, i);
    }
    (void)sprintf(todo + bytes, "]}");
    store_builder_add(&builder, session, "on", "custom:readonly", "{\"enabled\":true}");
    store_builder_add(&builder, session, "list", "custom:todo", todo);
    free(todo);
    struct xylem_buffer json = head_of(session, 2);
    assert_part(&json, "\"readonly\":true,");
    assert_part(&json, "\"left_out\":[\"todo\"],");
    assert_part(&json, "\"mark\":null}");
    xylem_buffer_release(&json);
}

IN_SCENE(a_session_that_is_not_there_has_no_head)
{
    struct xylem_buffer json = {0};
    assert_int_equal(xylem_head_json(&json, builder.txn, 9, 1, NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(json.bytes, 0);
}

IN_SCENE(a_damaged_entry_leaves_the_buffer_as_it_was)
{
    struct xylem_buffer json = {0};
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position first = store_builder_messages(&builder, session, 1);
    store_builder_messages(&builder, session, 2);
    store_builder_must(xylem_buffer_add(&json, "before", 6), &err);
    store_builder_damage(&builder, first);
    assert_int_equal(xylem_head_json(&json, builder.txn, session, 9, NULL), XYLEM_E_CORRUPT);
    assert_int_equal(json.bytes, 6);
    xylem_buffer_release(&json);
}

/* Entries of any size: the document stays within its limit, is JSON, and has as many entries as fit. */
static void run_seed(uint64_t seed)
{
    static char json_text[XYLEM_HEAD_BYTES_MAX];
    static const int scales[] = {10, 300, 5000, 30000};
    struct chance chance = chance_of(seed);
    store_builder_open(&builder);
    uint64_t session = store_builder_session(&builder, "s");
    unsigned count = 1 + (unsigned)chance_below(&chance, 300);
    int scale = scales[chance_below(&chance, 4)];
    for (unsigned i = 0; i < count; i++) {
        (void)snprintf(json_text, sizeof json_text, "{\"t\":\"%0*d\"}", 1 + chance_below(&chance, scale), 7);
        store_builder_add(&builder, session, NULL, "message", json_text);
    }
    struct xylem_buffer json = head_of(session, UINT32_MAX);
    size_t listed = count_of(&json, "{\"entry\":");
    bool more = strstr(json.data, "],\"more\":true}") != NULL;
    assert_true(listed > 0 && listed <= count && more == (listed < count));
    assert_true(!more || json.bytes > XYLEM_HEAD_BYTES_MAX - 600); /* another entry without its payload has no room */
    xylem_buffer_release(&json);
    store_builder_close(&builder);
}

TEST(any_entries_make_a_head_within_its_limit)
{
    test_seeds(run_seed, 12);
}
