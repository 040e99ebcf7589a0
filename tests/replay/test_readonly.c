#include <string.h>

#include "tests/lib/held.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"

static struct xylem_state state_at(struct xylem_position at, const struct xylem_event *event)
{
    return held_state_at(&builder, at, event, NULL);
}

static struct xylem_position toggle(uint64_t session, const char *json)
{
    return store_builder_add(&builder, session, NULL, "custom:readonly", json);
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(without_a_toggle_readonly_is_off)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, NULL, "readonly", "{\"enabled\":true}");
    store_builder_add(&builder, session, NULL, "custom:Readonly", "{\"enabled\":true}");
    struct xylem_state found = state_at(store_builder_leaf(&builder, session), NULL);
    assert_false(found.readonly.enabled);
    assert_int_equal(found.readonly.from, XYLEM_FROM_DEFAULT);
    assert_null(found.readonly.entry_id.data);
    assert_int_equal(found.readonly.position.branch, 0);
    assert_int_equal(found.reduction.skipped_count, 0);
    xylem_state_release(&found);
}

IN_SCENE(the_newest_toggle_decides_whatever_its_spelling)
{
    static const char *const kinds[] = {"custom:readonly", "custom:agenticoding-readonly"};
    for (size_t newest = 0; newest < 2; newest++) {
        uint64_t session = store_builder_session(&builder, newest ? "two" : "one");
        store_builder_add(&builder, session, NULL, kinds[1 - newest], "{\"enabled\":false}");
        struct xylem_position on =
            store_builder_add(&builder, session, "on", kinds[newest], "{\"enabled\":true,\"other\":[1]}");
        store_builder_messages(&builder, session, 3);
        struct xylem_state found = state_at(store_builder_leaf(&builder, session), NULL);
        assert_true(found.readonly.enabled);
        assert_int_equal(found.readonly.from, XYLEM_FROM_PATH);
        assert_int_equal(found.readonly.position.branch, on.branch);
        assert_int_equal(found.readonly.position.depth, on.depth);
        assert_int_equal(found.readonly.entry_id.bytes, 2);
        assert_memory_equal(found.readonly.entry_id.data, "on", 2);
        xylem_state_release(&found);
    }
}

IN_SCENE(a_toggle_of_another_shape_is_skipped_and_never_decides)
{
    static const struct {
        const char *json;
        const char *reason;
    } bad[] = {
        {NULL, "there is no data"},
        {"null", "the data is not a map"},
        {"true", "the data is not a map"},
        {"[true]", "the data is not a map"},
        {"{}", "enabled is missing"},
        {"{\"Enabled\":true}", "enabled is missing"},
        {"{\"enabled\":1}", "enabled is not a boolean"},
        {"{\"enabled\":\"true\"}", "enabled is not a boolean"},
        {"{\"enabled\":null}", "enabled is not a boolean"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t session = store_builder_session(&builder, bad[i].json ? bad[i].json : "none");
        toggle(session, "{\"enabled\":true}");
        struct xylem_position last = toggle(session, bad[i].json);
        struct xylem_state found = state_at(last, NULL);
        assert_true(found.readonly.enabled);
        assert_int_equal(found.readonly.position.depth, 1);
        assert_int_equal(found.reduction.skipped_count, 1);
        assert_int_equal(found.reduction.skipped[0].position.depth, last.depth);
        assert_string_equal(found.reduction.skipped[0].reason, bad[i].reason);
        xylem_state_release(&found);
    }
}

IN_SCENE(of_duplicate_keys_the_last_counts)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_state found = state_at(toggle(session, "{\"enabled\":false,\"enabled\":true}"), NULL);
    assert_true(found.readonly.enabled);
    xylem_state_release(&found);
}

IN_SCENE(a_redacted_toggle_that_is_newer_means_on)
{
    uint64_t session = store_builder_session(&builder, "s");
    toggle(session, "{\"enabled\":false}");
    struct xylem_position redacted = toggle(session, "{\"enabled\":false}");
    store_builder_redact(&builder, redacted);
    struct xylem_state found = state_at(redacted, NULL);
    assert_true(found.readonly.enabled);
    assert_int_equal(found.readonly.from, XYLEM_FROM_PATH);
    assert_int_equal(found.readonly.position.depth, redacted.depth);
    assert_true(found.nudge.due);
    assert_int_equal(found.reduction.skipped_count, 0);
    xylem_state_release(&found);
}

IN_SCENE(a_redacted_toggle_that_is_older_does_not_count)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_redact(&builder, toggle(session, "{\"enabled\":true}"));
    struct xylem_state found = state_at(toggle(session, "{\"enabled\":false}"), NULL);
    assert_false(found.readonly.enabled);
    assert_int_equal(found.reduction.skipped_count, 0);
    xylem_state_release(&found);
}
