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

/*
 * What a path holds, one letter an entry: m a message; + and - a toggle on and off with the nudge that belongs to it
 * (two entries); t and f a toggle on and off alone; D and d a delivered nudge on and off.
 */
static struct xylem_position play(uint64_t session, const char *letters)
{
    static const char *const toggle = "custom:readonly";
    static const char *const nudge = "custom:readonly-nudge";
    for (; *letters; letters++) {
        switch (*letters) {
        case '+':
            store_builder_add(&builder, session, NULL, toggle, "{\"enabled\":true}");
            store_builder_add(&builder, session, NULL, nudge, "{\"direction\":\"on\"}");
            break;
        case '-':
            store_builder_add(&builder, session, NULL, toggle, "{\"enabled\":false}");
            store_builder_add(&builder, session, NULL, nudge, "{\"direction\":\"off\"}");
            break;
        case 't':
            store_builder_add(&builder, session, NULL, toggle, "{\"enabled\":true}");
            break;
        case 'f':
            store_builder_add(&builder, session, NULL, toggle, "{\"enabled\":false}");
            break;
        case 'D':
            store_builder_add(&builder, session, NULL, nudge, "{\"direction\":\"on\",\"delivered\":true}");
            break;
        case 'd':
            store_builder_add(&builder, session, NULL, nudge, "{\"direction\":\"off\",\"delivered\":true}");
            break;
        default:
            store_builder_messages(&builder, session, 1);
            break;
        }
    }
    return store_builder_leaf(&builder, session);
}

enum previous { NOT_GIVEN, WAS_OFF, WAS_ON };

struct nudge_case {
    const char *name;
    const char *path;
    enum xylem_event_type type;
    enum xylem_event_reason reason;
    bool flag;
    enum previous previous;
    bool due;
    bool on;
    enum xylem_nudge_why why;
};

#define START XYLEM_EVENT_SESSION_START
#define TREE XYLEM_EVENT_SESSION_TREE
#define TOGGLED XYLEM_EVENT_TOGGLED

/* docs/rehydration.md has the same table in words. */
static const struct nudge_case cases[] = {
    {"nothing happened", "mm", START, XYLEM_REASON_STARTUP, false, NOT_GIVEN, false, false, XYLEM_NUDGE_NEVER_ON},
    {"toggled on", "m+", START, XYLEM_REASON_RESUME, false, NOT_GIVEN, true, true, XYLEM_NUDGE_NOT_TOLD},
    {"toggled on, told", "m+Dm", START, XYLEM_REASON_RESUME, false, NOT_GIVEN, false, true, XYLEM_NUDGE_TOLD},
    {"toggled on again after it was told", "m+Dm+", START, XYLEM_REASON_RELOAD, false, NOT_GIVEN, true, true,
     XYLEM_NUDGE_OUTDATED},
    {"toggled on again, told again", "m+Dm+D", START, XYLEM_REASON_RELOAD, false, NOT_GIVEN, false, true,
     XYLEM_NUDGE_TOLD},
    {"toggled off after it was told", "m+Dm-", START, XYLEM_REASON_RESUME, false, NOT_GIVEN, true, false,
     XYLEM_NUDGE_TOLD_OTHER},
    {"toggled off, told", "m+Dm-dm", START, XYLEM_REASON_RESUME, false, NOT_GIVEN, false, false, XYLEM_NUDGE_TOLD},
    {"on and off before any turn", "m+-", START, XYLEM_REASON_RESUME, false, NOT_GIVEN, true, false,
     XYLEM_NUDGE_NOT_TOLD},
    {"on and off before any turn, told", "m+-d", START, XYLEM_REASON_RESUME, false, NOT_GIVEN, false, false,
     XYLEM_NUDGE_TOLD},
    {"on, off and on, told of the first", "m+D-+", START, XYLEM_REASON_RESUME, false, NOT_GIVEN, true, true,
     XYLEM_NUDGE_OUTDATED},
    {"off where it never was on", "m-", START, XYLEM_REASON_RESUME, false, NOT_GIVEN, false, false,
     XYLEM_NUDGE_NEVER_ON},
    {"a toggle without a nudge", "mt", START, XYLEM_REASON_RESUME, false, NOT_GIVEN, true, true, XYLEM_NUDGE_NOT_TOLD},
    {"off without a nudge, once told on", "mtDf", START, XYLEM_REASON_RESUME, false, NOT_GIVEN, true, false,
     XYLEM_NUDGE_TOLD_OTHER},
    {"navigated to before the toggle", "m", TREE, XYLEM_REASON_STARTUP, false, WAS_ON, false, false,
     XYLEM_NUDGE_NEVER_ON},
    {"navigated back to where it was told", "m+Dm", TREE, XYLEM_REASON_STARTUP, false, WAS_OFF, true, true,
     XYLEM_NUDGE_CHANGED},
    {"navigated within it", "m+Dm", TREE, XYLEM_REASON_STARTUP, false, WAS_ON, false, true, XYLEM_NUDGE_TOLD},
    {"navigated, what was before is not known", "m+Dm", TREE, XYLEM_REASON_STARTUP, false, NOT_GIVEN, false, true,
     XYLEM_NUDGE_TOLD},
    {"navigated to where off was told", "m+D-dm", TREE, XYLEM_REASON_STARTUP, false, WAS_ON, true, false,
     XYLEM_NUDGE_CHANGED},
    {"the same, nothing changed", "m+D-dm", TREE, XYLEM_REASON_STARTUP, false, WAS_OFF, false, false, XYLEM_NUDGE_TOLD},
    {"navigated to where only off was ever told", "mfdm", TREE, XYLEM_REASON_STARTUP, false, WAS_ON, false, false,
     XYLEM_NUDGE_NEVER_ON},
    {"forked before it was told", "m+", START, XYLEM_REASON_FORK, false, NOT_GIVEN, true, true, XYLEM_NUDGE_NOT_TOLD},
    {"forked after it was told", "m+Dm", START, XYLEM_REASON_FORK, false, NOT_GIVEN, false, true, XYLEM_NUDGE_TOLD},
    {"restarted with the flag, nothing told", "m", START, XYLEM_REASON_STARTUP, true, NOT_GIVEN, true, true,
     XYLEM_NUDGE_NOT_TOLD},
    {"restarted with the flag, told on", "m+Dm", START, XYLEM_REASON_STARTUP, true, NOT_GIVEN, false, true,
     XYLEM_NUDGE_TOLD},
    {"restarted with the flag, told off", "m+D-d", START, XYLEM_REASON_STARTUP, true, NOT_GIVEN, true, true,
     XYLEM_NUDGE_TOLD_OTHER},
    {"restarted with the flag, off not told", "m+D-", START, XYLEM_REASON_STARTUP, true, NOT_GIVEN, true, true,
     XYLEM_NUDGE_OUTDATED},
    {"restarted with the flag, told of it", "mD", START, XYLEM_REASON_STARTUP, true, NOT_GIVEN, false, true,
     XYLEM_NUDGE_TOLD},
    {"then restarted without the flag", "mD", START, XYLEM_REASON_STARTUP, false, NOT_GIVEN, true, false,
     XYLEM_NUDGE_TOLD_OTHER},
    {"new, whatever the path holds", "m+D", START, XYLEM_REASON_NEW, false, NOT_GIVEN, false, false,
     XYLEM_NUDGE_NEVER_ON},
    {"new with the flag", "m+D", START, XYLEM_REASON_NEW, true, NOT_GIVEN, true, true, XYLEM_NUDGE_NOT_TOLD},
    {"the host toggled on", "m+", TOGGLED, XYLEM_REASON_STARTUP, false, WAS_OFF, true, true, XYLEM_NUDGE_NOT_TOLD},
    {"the host toggled off under the flag", "m+D-", TOGGLED, XYLEM_REASON_STARTUP, true, WAS_ON, true, false,
     XYLEM_NUDGE_TOLD_OTHER},
    {"the host toggled off, off was told while on came from the flag", "m+D-df", TOGGLED, XYLEM_REASON_STARTUP, true,
     WAS_ON, true, false, XYLEM_NUDGE_CHANGED},
    {"the same, the previous state is unknown", "m+D-df", TOGGLED, XYLEM_REASON_STARTUP, true, NOT_GIVEN, false, false,
     XYLEM_NUDGE_TOLD},
    {"the host toggled, and the path of a new session counts", "m+", TOGGLED, XYLEM_REASON_NEW, false, NOT_GIVEN, true,
     true, XYLEM_NUDGE_NOT_TOLD},
    {"a start has no before", "m+Dm", START, XYLEM_REASON_RESUME, false, WAS_OFF, false, true, XYLEM_NUDGE_TOLD},
};

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(every_case_of_the_table_gives_its_answer)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct nudge_case *row = &cases[i];
        char id[16];
        snprintf(id, sizeof id, "case-%zu", i);
        bool previous = row->previous == WAS_ON;
        struct xylem_event event = {.type = row->type,
                                    .reason = row->reason,
                                    .flag_readonly = row->flag,
                                    .previous_readonly = row->previous == NOT_GIVEN ? NULL : &previous};
        struct xylem_state found = state_at(play(store_builder_session(&builder, id), row->path), &event);
        if (found.nudge.due != row->due || found.nudge.direction_on != row->on || found.nudge.why != row->why) {
            fail_msg("%s: found due %d direction %s why %d", row->name, found.nudge.due,
                     found.nudge.direction_on ? "on" : "off", (int)found.nudge.why);
        }
        xylem_state_release(&found);
    }
}

IN_SCENE(what_told_is_named)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_state found = state_at(play(session, "m+"), NULL);
    assert_null(found.nudge.told_entry_id.data);
    assert_int_equal(found.nudge.told_position.depth, 0);
    xylem_state_release(&found);
    play(session, "D");
    struct xylem_position told = store_builder_add(&builder, session, "told", "custom:readonly-nudge",
                                                   "{\"direction\":\"off\",\"delivered\":true}");
    found = state_at(play(session, "m+"), NULL);
    assert_false(found.nudge.told_on);
    assert_int_equal(found.nudge.told_position.branch, told.branch);
    assert_int_equal(found.nudge.told_position.depth, told.depth);
    assert_memory_equal(found.nudge.told_entry_id.data, "told", 4);
    assert_int_equal(found.nudge.told_entry_id.bytes, 4);
    xylem_state_release(&found);
}

IN_SCENE(navigating_away_and_back_tells_both_times)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position before = play(session, "m");
    struct xylem_position after = play(session, "+Dm");
    bool previous = true;
    struct xylem_event event = {.type = TREE, .previous_readonly = &previous};
    store_builder_go(&builder, session, before);
    struct xylem_state away = state_at(store_builder_leaf(&builder, session), &event);
    assert_false(away.readonly.enabled);
    assert_false(away.nudge.due);
    previous = away.readonly.enabled;
    store_builder_go(&builder, session, after);
    struct xylem_state back = state_at(store_builder_leaf(&builder, session), &event);
    assert_true(back.readonly.enabled);
    assert_true(back.nudge.due);
    assert_true(back.nudge.direction_on);
    xylem_state_release(&away);
    xylem_state_release(&back);
}

IN_SCENE(a_delivery_in_one_fork_is_not_seen_in_the_other)
{
    uint64_t source = store_builder_session(&builder, "source");
    play(source, "m+");
    uint64_t fork = store_builder_clone(&builder, source, "fork");
    struct xylem_state told = state_at(play(source, "D"), NULL);
    struct xylem_state untold = state_at(play(fork, "m"), NULL);
    assert_false(told.nudge.due);
    assert_true(untold.nudge.due);
    xylem_state_release(&told);
    xylem_state_release(&untold);
}

IN_SCENE(the_older_name_of_the_kind_counts)
{
    uint64_t session = store_builder_session(&builder, "s");
    play(session, "t");
    store_builder_add(&builder, session, NULL, "custom:agenticoding-readonly-nudge",
                      "{\"direction\":\"on\",\"delivered\":true,\"other\":1}");
    struct xylem_state found = state_at(store_builder_leaf(&builder, session), NULL);
    assert_false(found.nudge.due);
    xylem_state_release(&found);
}

IN_SCENE(only_true_says_that_it_was_delivered)
{
    static const char *const undelivered[] = {
        "{\"direction\":\"on\",\"delivered\":false}", "{\"direction\":\"on\",\"delivered\":1}",
        "{\"direction\":\"on\",\"delivered\":\"true\"}", "{\"direction\":\"on\",\"delivered\":null}"};
    for (size_t i = 0; i < 4; i++) {
        uint64_t session = store_builder_session(&builder, undelivered[i]);
        play(session, "t");
        struct xylem_state found =
            state_at(store_builder_add(&builder, session, NULL, "custom:readonly-nudge", undelivered[i]), NULL);
        assert_true(found.nudge.due);
        assert_int_equal(found.reduction.skipped_count, 0);
        xylem_state_release(&found);
    }
}

IN_SCENE(a_nudge_of_another_shape_is_skipped)
{
    static const struct {
        const char *json;
        const char *reason;
    } bad[] = {
        {NULL, "there is no data"},
        {"\"on\"", "the data is not a map"},
        {"{\"delivered\":true}", "direction is missing"},
        {"{\"direction\":\"On\",\"delivered\":true}", "direction is neither \"on\" nor \"off\""},
        {"{\"direction\":true,\"delivered\":true}", "direction is neither \"on\" nor \"off\""},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t session = store_builder_session(&builder, bad[i].json ? bad[i].json : "none");
        play(session, "t");
        struct xylem_state found =
            state_at(store_builder_add(&builder, session, NULL, "custom:readonly-nudge", bad[i].json), NULL);
        assert_true(found.nudge.due);
        assert_int_equal(found.reduction.skipped_count, 1);
        assert_string_equal(found.reduction.skipped[0].reason, bad[i].reason);
        xylem_state_release(&found);
    }
}

IN_SCENE(a_redacted_nudge_is_skipped)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position told = play(session, "tD");
    store_builder_redact(&builder, told);
    struct xylem_state found = state_at(told, NULL);
    assert_true(found.nudge.due);
    assert_int_equal(found.reduction.skipped_count, 1);
    assert_string_equal(found.reduction.skipped[0].reason, "the data was redacted");
    xylem_state_release(&found);
}

IN_SCENE(a_redacted_toggle_after_the_delivery_tells_again)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position last = play(session, "tDf");
    store_builder_redact(&builder, last);
    struct xylem_state found = state_at(last, NULL);
    assert_true(found.readonly.enabled);
    assert_true(found.nudge.due);
    assert_true(found.nudge.direction_on);
    xylem_state_release(&found);
}

IN_SCENE(nothing_is_told_where_nothing_is)
{
    struct xylem_state found = state_at(none, NULL);
    assert_false(found.nudge.due);
    assert_false(found.nudge.direction_on);
    xylem_state_release(&found);
}

/*
 * A sequence lets the third reducer be done, so that the number of entries read, messages not among them, shows when
 * the nudge's is.
 */
IN_SCENE(no_older_entry_is_read_once_nothing_can_change)
{
    static const char *const snapshot = "{\"version\":1,\"sequenceId\":\"q\",\"steps\":[],\"updatedAt\":1}";
    static const struct {
        const char *path;
        enum previous previous;
        uint64_t looked_at;
    } rows[] = {
        {"m+Dm+Dm", NOT_GIVEN, 3},   /* told on: down to the toggle */
        {"m+Dm+Dfdm", WAS_ON, 4},    /* told off, and readonly may have changed: down to the last nudge "on" */
        {"m+Dm+Dfdm", NOT_GIVEN, 3}, /* told off, and nothing can have changed: down to the toggle */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char id[16];
        snprintf(id, sizeof id, "row-%zu", i);
        uint64_t session = store_builder_session(&builder, id);
        bool previous = rows[i].previous == WAS_ON;
        struct xylem_event event = {.type = TREE,
                                    .previous_readonly = rows[i].previous == NOT_GIVEN ? NULL : &previous};
        play(session, rows[i].path);
        struct xylem_state found =
            state_at(store_builder_add(&builder, session, NULL, "custom:sequence", snapshot), &event);
        assert_int_equal(found.reduction.looked_at, rows[i].looked_at);
        xylem_state_release(&found);
    }
}
