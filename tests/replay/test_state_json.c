#include <string.h>

#include "tests/lib/held.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"

static const struct xylem_position none;

static struct xylem_state state_at(struct xylem_position at, const struct xylem_event *event)
{
    return held_state_at(&builder, at, event, NULL);
}

static void assert_json(const struct xylem_state *state, const char *session_id, const char *expected)
{
    struct xylem_buffer json = {0};
    assert_int_equal(xylem_state_json(&json, state, xylem_view_of(session_id)), 0);
    assert_string_equal(json.data, expected);
    xylem_buffer_release(&json);
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(the_state_of_nothing)
{
    struct xylem_state found = state_at(none, NULL);
    assert_json(&found, "ID",
                "{\"schema\":1,\"session\":\"ID\",\"at\":{\"entry\":null,\"depth\":0},"
                "\"readonly\":false,\"readonly_from\":\"default\",\"readonly_entry\":null,"
                "\"nudge\":{\"due\":false,\"direction\":\"off\",\"why\":\"never-on\",\"told\":null},"
                "\"sequence\":null,\"todo\":null,\"mark\":null,\"skipped\":[],\"looked_at\":0,\"decoded_count\":0,"
                "\"decoded_bytes\":0}");
    xylem_state_release(&found);
}

IN_SCENE(a_state_from_the_flag)
{
    struct xylem_event event = {.flag_readonly = true};
    struct xylem_state found = state_at(none, &event);
    assert_json(&found, "a \"b\"",
                "{\"schema\":1,\"session\":\"a \\\"b\\\"\",\"at\":{\"entry\":null,\"depth\":0},"
                "\"readonly\":true,\"readonly_from\":\"flag\",\"readonly_entry\":null,"
                "\"nudge\":{\"due\":true,\"direction\":\"on\",\"why\":\"not-told\",\"told\":null},"
                "\"sequence\":null,\"todo\":null,\"mark\":null,\"skipped\":[],\"looked_at\":0,\"decoded_count\":0,"
                "\"decoded_bytes\":0}");
    xylem_state_release(&found);
}

IN_SCENE(a_state_from_the_path_with_all_there_is)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, "t", "custom:readonly", "{\"enabled\":true}");
    store_builder_add(&builder, session, "q", "custom:sequence",
                      "{\"version\":1,\"sequenceId\":\"seq\",\"steps\":[\"/readonly\",\"a\\n\\ud83d\"],"
                      "\"updatedAt\":1795000002041}");
    store_builder_add(&builder, session, "bad", "custom:readonly", "{\"enabled\":0}");
    store_builder_add(&builder, session, "worse", "custom:readonly-nudge", "{}");
    struct xylem_state found = state_at(store_builder_leaf(&builder, session), NULL);
    assert_json(
        &found, "s",
        "{\"schema\":1,\"session\":\"s\",\"at\":{\"entry\":\"worse\",\"depth\":4},"
        "\"readonly\":true,\"readonly_from\":\"path\",\"readonly_entry\":\"t\","
        "\"nudge\":{\"due\":true,\"direction\":\"on\",\"why\":\"not-told\",\"told\":null},"
        "\"sequence\":{\"sequence_id\":\"seq\",\"steps\":[\"/readonly\",\"a\\n\\ud83d\"],"
        "\"updated_ms\":1795000002041,\"entry\":\"q\"},\"todo\":null,\"mark\":null,"
        "\"skipped\":[{\"entry\":\"worse\",\"kind\":\"custom:readonly-nudge\","
        "\"reason\":\"direction is missing\"},"
        "{\"entry\":\"bad\",\"kind\":\"custom:readonly\",\"reason\":\"enabled is not a boolean\"}],\"looked_at\":4,"
        "\"decoded_count\":4,\"decoded_bytes\":88}");
    xylem_state_release(&found);
}

IN_SCENE(an_empty_sequence_and_a_fraction)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_state found =
        state_at(store_builder_add(&builder, session, "q", "custom:sequence",
                                   "{\"version\":1,\"sequenceId\":\"seq\",\"steps\":[],\"updatedAt\":0.5}"),
                 NULL);
    assert_json(&found, "s",
                "{\"schema\":1,\"session\":\"s\",\"at\":{\"entry\":\"q\",\"depth\":1},"
                "\"readonly\":false,\"readonly_from\":\"default\",\"readonly_entry\":null,"
                "\"nudge\":{\"due\":false,\"direction\":\"off\",\"why\":\"never-on\",\"told\":null},"
                "\"sequence\":{\"sequence_id\":\"seq\",\"steps\":[],\"updated_ms\":0.5,\"entry\":\"q\"},\"todo\":null,"
                "\"mark\":null,"
                "\"skipped\":[],\"looked_at\":1,\"decoded_count\":1,\"decoded_bytes\":51}");
    xylem_state_release(&found);
}

static void assert_nudge(const char *session_id, const struct xylem_event *event, const char *expected)
{
    struct xylem_buffer json = {0};
    uint64_t session = store_builder_session(&builder, session_id);
    store_builder_add(&builder, session, NULL, "custom:readonly", "{\"enabled\":true}");
    store_builder_add(&builder, session, "d", "custom:readonly-nudge", "{\"direction\":\"on\",\"delivered\":true}");
    if (strcmp(session_id, "off") == 0) {
        store_builder_add(&builder, session, NULL, "custom:readonly", "{\"enabled\":false}");
    } else if (strcmp(session_id, "again") == 0) {
        store_builder_add(&builder, session, NULL, "custom:readonly", "{\"enabled\":true}");
    }
    struct xylem_state found = state_at(store_builder_leaf(&builder, session), event);
    assert_int_equal(xylem_state_json(&json, &found, xylem_view_of(session_id)), 0);
    assert_non_null(strstr(json.data, expected));
    xylem_buffer_release(&json);
    xylem_state_release(&found);
}

IN_SCENE(why_a_nudge_is_due_has_a_word)
{
    bool previous = false;
    struct xylem_event tree = {.type = XYLEM_EVENT_SESSION_TREE, .previous_readonly = &previous};
    assert_nudge("on", NULL,
                 "\"nudge\":{\"due\":false,\"direction\":\"on\",\"why\":\"told\","
                 "\"told\":{\"direction\":\"on\",\"entry\":\"d\"}}");
    assert_nudge("off", NULL, "\"why\":\"told-other\",\"told\":{\"direction\":\"on\",\"entry\":\"d\"}}");
    assert_nudge("again", NULL, "\"why\":\"outdated\",");
    assert_nudge("changed", &tree, "\"why\":\"changed\",");
}

IN_SCENE(it_is_appended_to_what_the_buffer_holds)
{
    struct xylem_state found = state_at(none, NULL);
    struct xylem_buffer json = {0};
    assert_int_equal(xylem_buffer_add(&json, "x", 1), 0);
    assert_int_equal(xylem_state_json(&json, &found, xylem_view_of("s")), 0);
    assert_memory_equal(json.data, "x{\"schema\":1,", 13);
    assert_int_equal(json.data[json.bytes - 1], '}');
    xylem_buffer_release(&json);
    xylem_state_release(&found);
}
