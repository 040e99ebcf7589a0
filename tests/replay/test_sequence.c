#include <string.h>

#include "tests/lib/held.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"

static struct xylem_state state_at(struct xylem_position at, const struct xylem_event *event)
{
    return held_state_at(&builder, at, event, NULL);
}

static void assert_text(struct xylem_view found, const char *expected)
{
    assert_int_equal(found.bytes, strlen(expected));
    assert_memory_equal(found.data, expected, strlen(expected));
}

#define SNAPSHOT(id, steps) "{\"version\":1,\"sequenceId\":\"" id "\",\"steps\":" steps ",\"updatedAt\":1795000002041}"

static struct xylem_position snapshot(uint64_t session, const char *json)
{
    return store_builder_add(&builder, session, NULL, "custom:sequence", json);
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(without_a_snapshot_there_is_no_sequence)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_state found = state_at(store_builder_messages(&builder, session, 2), NULL);
    assert_false(found.sequence.present);
    assert_null(found.sequence.entry_id.data);
    xylem_state_release(&found);
}

IN_SCENE(the_newest_snapshot_wins)
{
    uint64_t session = store_builder_session(&builder, "s");
    snapshot(session, SNAPSHOT("old", "[\"a\",\"b\"]"));
    struct xylem_position newest = store_builder_add(&builder, session, "newest", "custom:agenticoding-sequence",
                                                     SNAPSHOT("new", "[\"/readonly\",\"Plan $@\"]"));
    store_builder_messages(&builder, session, 2);
    struct xylem_state found = state_at(store_builder_leaf(&builder, session), NULL);
    assert_true(found.sequence.present);
    assert_text(found.sequence.sequence_id, "new");
    assert_int_equal(found.sequence.step_count, 2);
    assert_text(found.sequence.steps[0], "/readonly");
    assert_text(found.sequence.steps[1], "Plan $@");
    assert_true(found.sequence.updated_at == 1795000002041.0);
    assert_int_equal(found.sequence.position.depth, newest.depth);
    assert_text(found.sequence.entry_id, "newest");
    xylem_state_release(&found);
}

IN_SCENE(steps_come_back_exactly_as_authored)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_state found = state_at(
        snapshot(
            session,
            SNAPSHOT("q", "[\"\",\" two\\n\\nlines \",\"\\ud83d\",\"na\xc3\xafve \xf0\x9f\x9a\x80\",\"a\\u0000b\"]")),
        NULL);
    store_builder_reopen(&builder);
    assert_int_equal(found.sequence.step_count, 5);
    assert_text(found.sequence.steps[0], "");
    assert_text(found.sequence.steps[1], " two\n\nlines ");
    assert_text(found.sequence.steps[2], "\xed\xa0\xbd");
    assert_text(found.sequence.steps[3], "na\xc3\xafve \xf0\x9f\x9a\x80");
    assert_int_equal(found.sequence.steps[4].bytes, 3);
    assert_memory_equal(found.sequence.steps[4].data, "a\0b", 3);
    xylem_state_release(&found);
}

IN_SCENE(many_long_steps_are_kept)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_buffer json = {0};
    char step[512];
    memset(step, 'x', sizeof step);
    static const char head[] = "{\"version\":1,\"sequenceId\":\"q\",\"updatedAt\":0,\"steps\":[";
    assert_int_equal(xylem_buffer_add(&json, head, sizeof head - 1), 0);
    for (int i = 0; i < 300; i++) {
        assert_int_equal(xylem_buffer_add(&json, i ? ",\"" : "\"", i ? 2 : 1), 0);
        assert_int_equal(xylem_buffer_add(&json, step, sizeof step - (size_t)i), 0);
        assert_int_equal(xylem_buffer_add(&json, "\"", 1), 0);
    }
    assert_int_equal(xylem_buffer_add(&json, "]}", 2), 0);
    struct xylem_state found = state_at(snapshot(session, json.data), NULL);
    assert_int_equal(found.sequence.step_count, 300);
    for (size_t i = 0; i < 300; i++) {
        assert_int_equal(found.sequence.steps[i].bytes, sizeof step - i);
        assert_memory_equal(found.sequence.steps[i].data, step, sizeof step - i);
    }
    xylem_state_release(&found);
    xylem_buffer_release(&json);
}

IN_SCENE(odd_but_valid_snapshots_count)
{
    static const char *const good[] = {
        "{\"version\":1,\"sequenceId\":\"q\",\"steps\":[],\"updatedAt\":0}",
        "{\"version\":1.0,\"sequenceId\":\"q\",\"steps\":[],\"updatedAt\":-1.5,\"other\":{}}",
        "{\"version\":2,\"version\":1,\"sequenceId\":\"q\",\"steps\":[],\"updatedAt\":1e300}",
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        uint64_t session = store_builder_session(&builder, good[i]);
        struct xylem_state found = state_at(snapshot(session, good[i]), NULL);
        assert_true(found.sequence.present);
        assert_int_equal(found.sequence.step_count, 0);
        assert_int_equal(found.reduction.skipped_count, 0);
        xylem_state_release(&found);
    }
}

IN_SCENE(a_snapshot_of_another_shape_is_skipped)
{
    static const struct {
        const char *json;
        const char *reason;
    } bad[] = {
        {NULL, "there is no data"},
        {"[]", "the data is not a map"},
        {"{\"sequenceId\":\"x\",\"steps\":[],\"updatedAt\":1}", "version is not 1"},
        {"{\"version\":2,\"sequenceId\":\"x\",\"steps\":[],\"updatedAt\":1}", "version is not 1"},
        {"{\"version\":\"1\",\"sequenceId\":\"x\",\"steps\":[],\"updatedAt\":1}", "version is not 1"},
        {"{\"version\":1.5,\"sequenceId\":\"x\",\"steps\":[],\"updatedAt\":1}", "version is not 1"},
        {"{\"version\":1,\"steps\":[],\"updatedAt\":1}", "sequenceId is not a string, or is empty"},
        {"{\"version\":1,\"sequenceId\":\"\",\"steps\":[],\"updatedAt\":1}", "sequenceId is not a string, or is empty"},
        {"{\"version\":1,\"sequenceId\":7,\"steps\":[],\"updatedAt\":1}", "sequenceId is not a string, or is empty"},
        {"{\"version\":1,\"sequenceId\":\"x\",\"updatedAt\":1}", "steps is missing"},
        {"{\"version\":1,\"sequenceId\":\"x\",\"steps\":\"a\",\"updatedAt\":1}", "steps is not an array"},
        {"{\"version\":1,\"sequenceId\":\"x\",\"steps\":{\"0\":\"a\"},\"updatedAt\":1}", "steps is not an array"},
        {"{\"version\":1,\"sequenceId\":\"x\",\"steps\":[\"a\",1],\"updatedAt\":1}", "a step is not a string"},
        {"{\"version\":1,\"sequenceId\":\"x\",\"steps\":[]}", "updatedAt is not a finite number"},
        {"{\"version\":1,\"sequenceId\":\"x\",\"steps\":[],\"updatedAt\":\"1\"}", "updatedAt is not a finite number"},
        {"{\"version\":1,\"sequenceId\":\"x\",\"steps\":[],\"updatedAt\":1e999}", "updatedAt is not a finite number"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t session = store_builder_session(&builder, bad[i].json ? bad[i].json : "none");
        snapshot(session, SNAPSHOT("good", "[\"a\"]"));
        struct xylem_state found = state_at(snapshot(session, bad[i].json), NULL);
        assert_text(found.sequence.sequence_id, "good");
        assert_int_equal(found.reduction.skipped_count, 1);
        assert_string_equal(found.reduction.skipped[0].reason, bad[i].reason);
        xylem_state_release(&found);
    }
}

IN_SCENE(a_redacted_snapshot_is_skipped)
{
    uint64_t session = store_builder_session(&builder, "s");
    snapshot(session, SNAPSHOT("good", "[]"));
    struct xylem_position redacted = snapshot(session, SNAPSHOT("gone", "[]"));
    store_builder_redact(&builder, redacted);
    struct xylem_state found = state_at(redacted, NULL);
    assert_text(found.sequence.sequence_id, "good");
    assert_string_equal(found.reduction.skipped[0].reason, "the data was redacted");
    xylem_state_release(&found);
}
