#include <string.h>

#include <stdio.h>

#include "tests/lib/held.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"

static const struct xylem_position none;

static struct xylem_state state_at(struct xylem_position at, const struct xylem_event *event)
{
    return held_state_at(&builder, at, event, NULL);
}

static void assert_text(struct xylem_view found, const char *expected)
{
    assert_int_equal(found.bytes, strlen(expected));
    assert_memory_equal(found.data, expected, strlen(expected));
}

static struct xylem_buffer json_of(const struct xylem_state *state)
{
    struct xylem_buffer json = {0};
    assert_int_equal(xylem_state_json(&json, state, xylem_view_of("s")), 0);
    return json;
}

/* A path: a message; a toggle if `toggle` is + or -; a sequence; a message. */
static struct xylem_position path_of(const char *id, char toggle)
{
    uint64_t session = store_builder_session(&builder, id);
    store_builder_messages(&builder, session, 1);
    if (toggle != ' ') {
        store_builder_add(&builder, session, "toggle", "custom:readonly",
                          toggle == '+' ? "{\"enabled\":true}" : "{\"enabled\":false}");
    }
    store_builder_add(&builder, session, "sequence", "custom:sequence",
                      "{\"version\":1,\"sequenceId\":\"q\",\"steps\":[\"a\"],\"updatedAt\":1}");
    return store_builder_messages(&builder, session, 1);
}

#define START XYLEM_EVENT_SESSION_START
#define TREE XYLEM_EVENT_SESSION_TREE
#define TOGGLED XYLEM_EVENT_TOGGLED
#define NEW XYLEM_REASON_NEW
#define OTHER XYLEM_REASON_RESUME /* stands for startup, reload, resume and fork */

static const struct row {
    char path; /* + the newest toggle is on, - off, a blank none */
    enum xylem_event_type type;
    enum xylem_event_reason reason;
    bool flag;
    bool fallback;
    bool enabled;
    enum xylem_from from;
} rows[] = {
    {' ', START, NEW, false, false, false, XYLEM_FROM_DEFAULT},
    {'+', START, NEW, false, false, false, XYLEM_FROM_DEFAULT},
    {'-', START, NEW, false, false, false, XYLEM_FROM_DEFAULT},
    {' ', START, NEW, true, false, true, XYLEM_FROM_FLAG},
    {'+', START, NEW, true, false, true, XYLEM_FROM_FLAG},
    {'-', START, NEW, true, false, true, XYLEM_FROM_FLAG},
    {'-', START, NEW, true, true, true, XYLEM_FROM_FLAG},
    {' ', START, OTHER, false, false, false, XYLEM_FROM_DEFAULT},
    {'+', START, OTHER, false, false, true, XYLEM_FROM_PATH},
    {'-', START, OTHER, false, false, false, XYLEM_FROM_PATH},
    {' ', START, OTHER, true, false, true, XYLEM_FROM_FLAG},
    {'+', START, OTHER, true, false, true, XYLEM_FROM_FLAG},
    {'-', START, OTHER, true, false, true, XYLEM_FROM_FLAG},
    {' ', START, OTHER, false, true, false, XYLEM_FROM_DEFAULT},
    {' ', START, OTHER, true, true, true, XYLEM_FROM_FLAG},
    {'+', START, OTHER, true, true, true, XYLEM_FROM_PATH},
    {'-', START, OTHER, true, true, false, XYLEM_FROM_PATH},
    {' ', TREE, OTHER, false, false, false, XYLEM_FROM_DEFAULT},
    {'+', TREE, OTHER, false, false, true, XYLEM_FROM_PATH},
    {'-', TREE, OTHER, false, false, false, XYLEM_FROM_PATH},
    {' ', TREE, OTHER, true, false, true, XYLEM_FROM_FLAG},
    {'+', TREE, OTHER, true, false, true, XYLEM_FROM_PATH},
    {'-', TREE, OTHER, true, false, false, XYLEM_FROM_PATH},
    {'+', TREE, NEW, false, false, true, XYLEM_FROM_PATH}, /* a session_tree has no reason */
    {' ', TOGGLED, OTHER, false, false, false, XYLEM_FROM_DEFAULT},
    {'+', TOGGLED, OTHER, false, false, true, XYLEM_FROM_PATH},
    {'-', TOGGLED, OTHER, false, false, false, XYLEM_FROM_PATH},
    {' ', TOGGLED, OTHER, true, false, false, XYLEM_FROM_DEFAULT},
    {' ', TOGGLED, OTHER, true, true, false, XYLEM_FROM_DEFAULT},
    {'+', TOGGLED, OTHER, true, false, true, XYLEM_FROM_PATH},
    {'-', TOGGLED, OTHER, true, false, false, XYLEM_FROM_PATH},
    {'+', TOGGLED, NEW, false, false, true, XYLEM_FROM_PATH}, /* nor has a toggled */
};

static void assert_row(const struct row *row, enum xylem_event_reason reason, const char *id)
{
    struct xylem_event event = {
        .type = row->type, .reason = reason, .flag_readonly = row->flag, .flag_is_fallback = row->fallback};
    struct xylem_state found = state_at(path_of(id, row->path), &event);
    if (found.readonly.enabled != row->enabled || found.readonly.from != row->from) {
        fail_msg("%s: found enabled %d from %d", id, found.readonly.enabled, (int)found.readonly.from);
    }
    if (row->from == XYLEM_FROM_PATH) {
        assert_text(found.readonly.entry_id, "toggle");
        assert_int_equal(found.readonly.position.depth, 2);
    } else {
        assert_null(found.readonly.entry_id.data);
        assert_int_equal(found.readonly.position.depth, 0);
    }
    assert_true(found.sequence.present);
    assert_text(found.sequence.entry_id, "sequence");
    xylem_state_release(&found);
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(every_row_of_the_event_table_gives_its_answer)
{
    static const enum xylem_event_reason others[] = {XYLEM_REASON_STARTUP, XYLEM_REASON_RELOAD, XYLEM_REASON_RESUME,
                                                     XYLEM_REASON_FORK};
    char id[32];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t k = 0; k < (rows[i].reason == NEW ? 1 : 4); k++) {
            snprintf(id, sizeof id, "row %zu reason %zu", i, k);
            assert_row(&rows[i], rows[i].reason == NEW ? NEW : others[k], id);
        }
    }
}

IN_SCENE(no_event_is_a_plain_start)
{
    struct xylem_position at = path_of("s", '+');
    struct xylem_event event = {0};
    struct xylem_state given = state_at(at, &event);
    struct xylem_state none_given = state_at(at, NULL);
    struct xylem_buffer a = json_of(&given);
    struct xylem_buffer b = json_of(&none_given);
    assert_string_equal(a.data, b.data);
    xylem_buffer_release(&a);
    xylem_buffer_release(&b);
    xylem_state_release(&given);
    xylem_state_release(&none_given);
}

IN_SCENE(the_same_event_twice_gives_the_same_answer)
{
    struct xylem_position at = path_of("s", '-');
    struct xylem_event event = {.reason = XYLEM_REASON_FORK, .flag_readonly = true};
    struct xylem_state first = state_at(at, &event);
    struct xylem_state second = state_at(at, &event);
    struct xylem_buffer a = json_of(&first);
    struct xylem_buffer b = json_of(&second);
    assert_string_equal(a.data, b.data);
    xylem_buffer_release(&a);
    xylem_buffer_release(&b);
    xylem_state_release(&first);
    xylem_state_release(&second);
}

IN_SCENE(entries_before_a_compaction_still_count)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, "toggle", "custom:readonly", "{\"enabled\":true}");
    store_builder_messages(&builder, session, 2);
    store_builder_add(&builder, session, NULL, "compaction", "{\"summary\":\"x\",\"firstKeptEntryId\":\"toggle\"}");
    struct xylem_state found = state_at(store_builder_messages(&builder, session, 1), NULL);
    assert_text(found.readonly.entry_id, "toggle");
    xylem_state_release(&found);
}

IN_SCENE(toggles_off_the_path_do_not_count)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position fork_point = store_builder_messages(&builder, session, 1);
    store_builder_add(&builder, session, NULL, "custom:readonly", "{\"enabled\":true}");
    struct xylem_position other =
        store_builder_add_at(&builder, session, fork_point, NULL, "custom:readonly", "{\"enabled\":false}");
    struct xylem_state found = state_at(other, NULL);
    assert_false(found.readonly.enabled);
    assert_int_equal(found.readonly.position.branch, other.branch);
    xylem_state_release(&found);
}

IN_SCENE(the_state_at_none_is_the_default)
{
    struct xylem_state found = state_at(none, NULL);
    assert_null(found.at_entry_id.data);
    assert_false(found.readonly.enabled);
    assert_false(found.sequence.present);
    assert_int_equal(found.reduction.looked_at, 0);
    xylem_state_release(&found);
    struct xylem_event event = {.flag_readonly = true};
    found = state_at(none, &event);
    assert_true(found.readonly.enabled);
    assert_true(found.nudge.due);
    xylem_state_release(&found);
    xylem_state_release(NULL);
}

IN_SCENE(a_state_names_its_entry_and_outlives_the_transaction)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, NULL, "custom:readonly", "{}");
    store_builder_add(&builder, session, "toggle", "custom:readonly", "{\"enabled\":true}");
    struct xylem_position at = store_builder_add(&builder, session, "here", "custom:readonly", "7");
    struct xylem_state found = state_at(at, NULL);
    struct xylem_buffer before = json_of(&found);
    store_builder_reopen(&builder);
    struct xylem_buffer after = json_of(&found);
    assert_text(found.at_entry_id, "here");
    assert_int_equal(found.at.branch, at.branch);
    assert_int_equal(found.reduction.looked_at, 2);
    assert_int_equal(found.reduction.skipped_count, 1);
    assert_text(found.reduction.skipped[0].entry_id, "here");
    assert_string_equal(before.data, after.data);
    xylem_buffer_release(&before);
    xylem_buffer_release(&after);
    xylem_state_release(&found);
}

IN_SCENE(one_bad_entry_of_each_kind_is_listed_newest_first)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, "1", "custom:readonly", "{}");
    store_builder_add(&builder, session, "2", "custom:readonly-nudge", "{}");
    struct xylem_state found = state_at(store_builder_add(&builder, session, "3", "custom:sequence", "{}"), NULL);
    assert_int_equal(found.reduction.skipped_count, 3);
    assert_text(found.reduction.skipped[0].kind, "custom:sequence");
    assert_text(found.reduction.skipped[1].kind, "custom:readonly-nudge");
    assert_text(found.reduction.skipped[2].kind, "custom:readonly");
    xylem_state_release(&found);
}

IN_SCENE(on_new_only_the_sequence_is_scanned)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, NULL, "custom:readonly", "{}");
    store_builder_add(&builder, session, NULL, "custom:readonly-nudge", "{}");
    store_builder_add(&builder, session, NULL, "custom:sequence", "{}");
    struct xylem_event event = {.reason = XYLEM_REASON_NEW};
    struct xylem_state found = state_at(store_builder_leaf(&builder, session), &event);
    assert_int_equal(found.reduction.skipped_count, 1);
    assert_text(found.reduction.skipped[0].kind, "custom:sequence");
    xylem_state_release(&found);
}

static int rehydrate_code(struct xylem_position at, const struct xylem_event *event)
{
    struct xylem_state found;
    struct xylem_error err = {0};
    int code = xylem_rehydrate(&found, builder.txn, at, event, NULL, &err);
    assert_int_equal(err.code, code);
    xylem_state_release(&found);
    return code;
}

IN_SCENE(bad_calls_are_refused)
{
    struct xylem_position at = path_of("s", '+');
    struct xylem_event event = {.type = (enum xylem_event_type)3};
    assert_int_equal(rehydrate_code(at, &event), XYLEM_E_ARGUMENT);
    event = (struct xylem_event){.reason = (enum xylem_event_reason)5};
    assert_int_equal(rehydrate_code(at, &event), XYLEM_E_ARGUMENT);
    at.depth += 10;
    assert_int_equal(rehydrate_code(at, NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(rehydrate_code((struct xylem_position){99, 1}, NULL), XYLEM_E_NOT_FOUND);
}

IN_SCENE(damage_on_the_path_is_an_error)
{
    struct xylem_position at = path_of("s", '+');
    store_builder_damage(&builder, (struct xylem_position){at.branch, 3});
    assert_int_equal(rehydrate_code(at, NULL), XYLEM_E_CORRUPT);
    store_builder_damage(&builder, at);
}
