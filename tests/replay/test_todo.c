#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/held.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"

static struct xylem_state state_at(struct xylem_position at, const struct xylem_event *event)
{
    return held_state_at(&builder, at, event, NULL);
}

static struct xylem_position list(uint64_t session, const char *json)
{
    return store_builder_add(&builder, session, NULL, "custom:todo", json);
}

/* The list as one line: `2: 1 [x] read, 2 [ ] write`, with the last id in front. */
static void assert_list(const struct xylem_state *state, const char *expected)
{
    char line[512];
    size_t used = 0;
    assert_true(state->todo.present);
    used += (size_t)snprintf(line, sizeof line, "%" PRId64 ":", state->todo.last_id);
    for (size_t i = 0; i < state->todo.item_count; i++) {
        const struct xylem_todo_item *item = &state->todo.items[i];
        used += (size_t)snprintf(line + used, sizeof line - used, "%s %" PRId64 " [%s] %.*s", i ? "," : "", item->id,
                                 item->done ? "x" : " ", (int)item->text.bytes, item->text.data);
        assert_true(used < sizeof line);
    }
    assert_string_equal(line, expected);
}

#define READ "{\"id\":1,\"text\":\"read\",\"done\":true}"
#define WRITE "{\"id\":2,\"text\":\"write\",\"done\":false}"
#define BOTH "{\"lastId\":2,\"items\":[" READ "," WRITE "]}"
#define BOTH_LINE "2: 1 [x] read, 2 [ ] write"

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(without_a_list_there_is_none)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_state found = state_at(store_builder_messages(&builder, session, 2), NULL);
    assert_false(found.todo.present);
    assert_null(found.todo.entry_id.data);
    assert_int_equal(found.todo.item_count, 0);
    assert_int_equal(found.todo.position.depth, 0);
    xylem_state_release(&found);
}

IN_SCENE(the_newest_list_wins_on_every_event)
{
    static const bool off = false;
    static const struct xylem_event events[] = {
        {.reason = XYLEM_REASON_STARTUP},
        {.reason = XYLEM_REASON_NEW},
        {.reason = XYLEM_REASON_FORK},
        {.type = XYLEM_EVENT_SESSION_TREE, .previous_readonly = &off},
    };
    uint64_t session = store_builder_session(&builder, "s");
    list(session, "{\"lastId\":1,\"items\":[" READ "]}");
    struct xylem_position newest = store_builder_add(&builder, session, "newest", "custom:todo", BOTH);
    store_builder_messages(&builder, session, 2);
    struct xylem_position leaf = store_builder_leaf(&builder, session);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        struct xylem_state found = state_at(leaf, &events[i]);
        assert_list(&found, BOTH_LINE);
        assert_int_equal(found.todo.position.depth, newest.depth);
        assert_int_equal(found.todo.entry_id.bytes, 6);
        assert_memory_equal(found.todo.entry_id.data, "newest", 6);
        xylem_state_release(&found);
    }
}

IN_SCENE(a_fork_has_the_list_of_its_entry_and_goes_on_by_itself)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position at = list(session, BOTH);
    uint64_t fork = store_builder_fork(&builder, session, at, XYLEM_FORK_AT, "fork");
    list(session, "{\"lastId\":2,\"items\":[]}");
    struct xylem_state found = state_at(store_builder_leaf(&builder, fork), NULL);
    assert_list(&found, BOTH_LINE);
    xylem_state_release(&found);
    list(fork, "{\"lastId\":3,\"items\":[" WRITE ",{\"id\":3,\"text\":\"\",\"done\":false}]}");
    found = state_at(store_builder_leaf(&builder, session), NULL);
    assert_list(&found, "2:");
    xylem_state_release(&found);
    found = state_at(store_builder_leaf(&builder, fork), NULL);
    assert_list(&found, "3: 2 [ ] write, 3 [ ] ");
    xylem_state_release(&found);
}

IN_SCENE(the_details_of_the_todo_tool_of_pi_are_a_list)
{
    static const struct {
        const char *json;
        const char *line;
    } good[] = {
        {"{\"action\":\"toggle\",\"todos\":[" READ "," WRITE "],\"nextId\":3}", BOTH_LINE},
        {"{\"action\":\"list\",\"todos\":[" WRITE "],\"nextId\":8,\"error\":\"#9 not found\"}", "7: 2 [ ] write"},
        {"{\"action\":\"clear\",\"todos\":[],\"nextId\":1}", "0:"},
        {"{\"todos\":[],\"nextId\":9007199254740992}", "9007199254740991:"},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct xylem_state found = state_at(list(store_builder_session(&builder, good[i].json), good[i].json), NULL);
        assert_list(&found, good[i].line);
        xylem_state_release(&found);
    }
}

IN_SCENE(odd_but_valid_lists_count)
{
    static const struct {
        const char *json;
        const char *line;
    } good[] = {
        {"{\"lastId\":0,\"items\":[],\"other\":{}}", "0:"},
        {"{\"lastId\":2.0,\"items\":[" WRITE "," READ "]}", "2: 2 [ ] write, 1 [x] read"},
        {"{\"items\":[" READ "],\"lastId\":9007199254740991,\"todos\":7}", "9007199254740991: 1 [x] read"},
        {"{\"lastId\":0,\"lastId\":1,\"items\":[{\"done\":true,\"due\":[],\"text\":\"a\\nb\",\"id\":1}]}",
         "1: 1 [x] a\nb"},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct xylem_state found = state_at(list(store_builder_session(&builder, good[i].json), good[i].json), NULL);
        assert_list(&found, good[i].line);
        assert_int_equal(found.reduction.skipped_count, 0);
        xylem_state_release(&found);
    }
}

IN_SCENE(a_list_of_another_shape_is_skipped)
{
    static const char no_items[] = "expected an array of at most 1024 items";
    static const char no_last[] = "lastId is not an integer from 0 to 9007199254740991";
    static const char no_next[] = "nextId is not an integer from 1 to 9007199254740992";
    static const char no_id[] = "an item's id is not an integer from 1 to the last id";
    static const char no_text[] = "an item's text is not a string of at most 4096 bytes";
    static const struct {
        const char *json;
        const char *reason;
    } bad[] = {
        {NULL, "there is no data"},
        {"[]", "the data is not a map"},
        {"{}", no_items},
        {"{\"redacted\":\"why\"}", "the data was redacted"},
        {"{\"lastId\":1}", no_items},
        {"{\"lastId\":1,\"items\":{\"0\":" READ "}}", no_items},
        {"{\"lastId\":1,\"todos\":[]}", no_items},
        {"{\"nextId\":1,\"todos\":null}", no_items},
        {"{\"items\":[]}", no_last},
        {"{\"items\":[],\"nextId\":1}", no_last},
        {"{\"lastId\":\"1\",\"items\":[]}", no_last},
        {"{\"lastId\":-1,\"items\":[]}", no_last},
        {"{\"lastId\":1.5,\"items\":[]}", no_last},
        {"{\"lastId\":9007199254740992,\"items\":[]}", no_last},
        {"{\"lastId\":18446744073709551615,\"items\":[]}", no_last},
        {"{\"todos\":[]}", no_next},
        {"{\"nextId\":0,\"todos\":[]}", no_next},
        {"{\"nextId\":9007199254740993,\"todos\":[]}", no_next},
        {"{\"lastId\":1,\"items\":[1]}", "an item is not a map"},
        {"{\"lastId\":1,\"items\":[{\"text\":\"a\",\"done\":true}]}", no_id},
        {"{\"lastId\":1,\"items\":[{\"id\":0,\"text\":\"a\",\"done\":true}]}", no_id},
        {"{\"lastId\":1,\"items\":[{\"id\":1.5,\"text\":\"a\",\"done\":true}]}", no_id},
        {"{\"lastId\":1,\"items\":[{\"id\":2,\"text\":\"a\",\"done\":true}]}", no_id},
        {"{\"nextId\":2,\"todos\":[{\"id\":2,\"text\":\"a\",\"done\":true}]}", no_id},
        {"{\"lastId\":1,\"items\":[{\"id\":1,\"done\":true}]}", no_text},
        {"{\"lastId\":1,\"items\":[{\"id\":1,\"text\":7,\"done\":true}]}", no_text},
        {"{\"lastId\":1,\"items\":[{\"id\":1,\"text\":\"a\"}]}", "an item's done is not a boolean"},
        {"{\"lastId\":1,\"items\":[{\"id\":1,\"text\":\"a\",\"done\":1}]}", "an item's done is not a boolean"},
        {"{\"lastId\":2,\"items\":[" READ "," WRITE "," READ "]}", "two items have the same id"},
        {"{\"lastId\":2,\"items\":[" WRITE "," READ "," READ "]}", "two items have the same id"},
        {"{\"lastId\":2,\"items\":[" READ "," WRITE "," WRITE "]}", "two items have the same id"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t session = store_builder_session(&builder, bad[i].json ? bad[i].json : "none");
        list(session, BOTH);
        struct xylem_state found = state_at(list(session, bad[i].json), NULL);
        assert_list(&found, BOTH_LINE);
        assert_int_equal(found.reduction.skipped_count, 1);
        assert_string_equal(found.reduction.skipped[0].reason, bad[i].reason);
        xylem_state_release(&found);
    }
}

IN_SCENE(a_skipped_list_leaves_nothing_behind)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_state found = state_at(list(session, "{\"lastId\":7,\"items\":[" READ ",1]}"), NULL);
    assert_false(found.todo.present);
    assert_int_equal(found.todo.last_id, 0);
    assert_int_equal(found.todo.item_count, 0);
    assert_int_equal(found.reduction.skipped_count, 1);
    xylem_state_release(&found);
}

/* A list of so many items, whose last text has so many bytes. */
static struct xylem_position long_list(uint64_t session, int count, size_t bytes)
{
    struct xylem_buffer json = {0};
    char head[64];
    char *text = malloc(bytes);
    assert_non_null(text);
    memset(text, 'x', bytes);
    snprintf(head, sizeof head, "{\"lastId\":%d,\"items\":[", count);
    assert_int_equal(xylem_buffer_add(&json, head, strlen(head)), 0);
    for (int i = 1; i <= count; i++) {
        snprintf(head, sizeof head, "%s{\"id\":%d,\"done\":false,\"text\":\"", i > 1 ? "," : "", i);
        assert_int_equal(xylem_buffer_add(&json, head, strlen(head)), 0);
        assert_int_equal(xylem_buffer_add(&json, text, i == count ? bytes : 1), 0);
        assert_int_equal(xylem_buffer_add(&json, "\"}", 2), 0);
    }
    assert_int_equal(xylem_buffer_add(&json, "]}", 2), 0);
    struct xylem_position at = list(session, json.data);
    xylem_buffer_release(&json);
    free(text);
    return at;
}

IN_SCENE(a_list_has_a_greatest_size)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_state found = state_at(long_list(session, 1024, 4096), NULL);
    store_builder_reopen(&builder);
    assert_int_equal(found.todo.item_count, 1024);
    assert_int_equal(found.todo.items[1023].text.bytes, 4096);
    assert_int_equal(found.todo.items[1023].text.data[4095], 'x');
    xylem_state_release(&found);
    long_list(session, 1025, 1);
    found = state_at(long_list(session, 1, 4097), NULL);
    assert_int_equal(found.todo.item_count, 1024);
    assert_int_equal(found.reduction.skipped_count, 2);
    assert_string_equal(found.reduction.skipped[0].reason, "an item's text is not a string of at most 4096 bytes");
    assert_string_equal(found.reduction.skipped[1].reason, "expected an array of at most 1024 items");
    xylem_state_release(&found);
}

IN_SCENE(a_redacted_list_is_skipped)
{
    uint64_t session = store_builder_session(&builder, "s");
    list(session, BOTH);
    struct xylem_position redacted = list(session, "{\"lastId\":0,\"items\":[]}");
    store_builder_redact(&builder, redacted);
    struct xylem_state found = state_at(redacted, NULL);
    assert_list(&found, BOTH_LINE);
    assert_string_equal(found.reduction.skipped[0].reason, "the data was redacted");
    xylem_state_release(&found);
}

static void assert_json(const struct xylem_state *state, enum xylem_detail detail, const char *expected)
{
    struct xylem_buffer json = {0};
    assert_int_equal(xylem_piece_json(&json, state, XYLEM_PIECE_TODO, detail), 0);
    assert_string_equal(json.data, expected);
    xylem_buffer_release(&json);
}

IN_SCENE(a_list_is_written_in_as_much_detail_as_is_asked_for)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_state found = state_at(store_builder_messages(&builder, session, 1), NULL);
    assert_json(&found, XYLEM_DETAIL_BRIEF, "\"todo_done\":null,\"todo_count\":null");
    assert_json(&found, XYLEM_DETAIL_WHOLE, "\"todo\":null");
    xylem_state_release(&found);
    found = state_at(store_builder_add(&builder, session, "t", "custom:todo", BOTH), NULL);
    assert_json(&found, XYLEM_DETAIL_BRIEF, "\"todo_done\":1,\"todo_count\":2");
    assert_json(&found, XYLEM_DETAIL_VALUE, "\"todo\":{\"last_id\":2,\"items\":[" READ "," WRITE "]}");
    assert_json(&found, XYLEM_DETAIL_WHOLE, "\"todo\":{\"last_id\":2,\"items\":[" READ "," WRITE "],\"entry\":\"t\"}");
    xylem_state_release(&found);
}

IN_SCENE(items_are_parts_by_their_ids)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_state found =
        state_at(list(session, "{\"lastId\":9,\"items\":[{\"id\":9,\"text\":\"a\",\"done\":true}]}"), NULL);
    struct xylem_part part;
    assert_true(xylem_piece_part(&part, &found, XYLEM_PIECE_TODO, 0));
    assert_int_equal(part.number, 9);
    assert_string_equal(part.mark, "[x] ");
    assert_memory_equal(part.text.data, "a", 1);
    assert_false(xylem_piece_part(&part, &found, XYLEM_PIECE_TODO, 1));
    xylem_state_release(&found);
}

/* --- Results of the tool ------------------------------------------------------------------------------------------ */

#define RESULT(tool, rest) "{\"message\":{\"role\":\"toolResult\",\"toolName\":\"" tool "\"" rest "}}"

static const struct xylem_reduce_options with_results = {.tool_results = true};

static struct xylem_position result(uint64_t session, const char *json)
{
    return store_builder_add(&builder, session, NULL, "message", json);
}

static struct xylem_state state_with(struct xylem_position at, const struct xylem_reduce_options *options)
{
    return held_state_at(&builder, at, NULL, options);
}

IN_SCENE(results_count_only_where_they_are_asked_for)
{
    uint64_t session = store_builder_session(&builder, "s");
    list(session, "{\"lastId\":0,\"items\":[]}");
    struct xylem_position at =
        result(session, RESULT("todo", ",\"details\":{\"todos\":[" READ "," WRITE "],\"nextId\":3}"));
    store_builder_messages(&builder, session, 50);
    struct xylem_position leaf = store_builder_leaf(&builder, session);
    struct xylem_state found = state_with(leaf, NULL);
    assert_list(&found, "0:");
    assert_true(found.reduction.looked_at <= 3);
    xylem_state_release(&found);
    found = state_with(leaf, &with_results);
    assert_list(&found, BOTH_LINE);
    assert_int_equal(found.todo.position.depth, at.depth);
    assert_true(found.reduction.looked_at >= 51 && found.reduction.looked_at <= 53);
    assert_int_equal(found.reduction.skipped_count, 0);
    xylem_state_release(&found);
    found = state_with(list(session, "{\"lastId\":7,\"items\":[]}"), &with_results); /* the newer of both */
    assert_list(&found, "7:");
    assert_int_equal(found.reduction.looked_at, 1);
    xylem_state_release(&found);
}

IN_SCENE(only_results_of_the_tool_with_details_are_looked_at)
{
    static const char *const others[] = {
        RESULT("read", ",\"details\":{\"todos\":[],\"nextId\":1}"),
        RESULT("todo", ""),
        RESULT("todo", ",\"details\":null"),
        "{\"message\":{\"role\":\"assistant\",\"toolName\":\"todo\",\"details\":{\"todos\":[],\"nextId\":1}}}",
        "{\"role\":\"toolResult\",\"toolName\":\"todo\",\"details\":{\"todos\":[],\"nextId\":1}}",
        "{\"message\":7}",
        "{\"message\":{\"role\":[],\"toolName\":{}}}",
    };
    uint64_t session = store_builder_session(&builder, "s");
    result(session,
           RESULT("todo", ",\"isError\":true,\"details\":{\"todos\":[" READ "],\"nextId\":2,\"error\":\"e\"}"));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct xylem_state found = state_with(result(session, others[i]), &with_results);
        assert_list(&found, "1: 1 [x] read");
        assert_int_equal(found.reduction.skipped_count, 0);
        xylem_state_release(&found);
    }
    struct xylem_position redacted = result(session, RESULT("todo", ",\"details\":{\"todos\":[],\"nextId\":1}"));
    store_builder_redact(&builder, redacted);
    struct xylem_state found = state_with(redacted, &with_results);
    assert_list(&found, "1: 1 [x] read");
    assert_int_equal(found.reduction.skipped_count, 0);
    xylem_state_release(&found);
    found = state_with(result(session, RESULT("todo", ",\"details\":\"none\"")), &with_results);
    assert_list(&found, "1: 1 [x] read");
    assert_int_equal(found.reduction.skipped_count, 1);
    assert_string_equal(found.reduction.skipped[0].reason, "expected an array of at most 1024 items");
    xylem_state_release(&found);
}
