/* The state at each entry of a path that may change it: the same as a rehydration there gives, at another price. */

#include <stdio.h>
#include <string.h>

#include "tests/lib/chance.h"
#include "tests/lib/costs.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "xylem/state.h"

static const struct xylem_position none;
static struct xylem_error err;

/* What a test's visitor is given, and what it has seen. */
struct seen {
    const struct xylem_event *event;
    const struct xylem_reduce_options *options;
    size_t count;
    size_t skipped_count;
    struct xylem_position last;
    size_t stop_at; /* 0: never */
};

static void assert_views_equal(struct xylem_view a, struct xylem_view b)
{
    assert_int_equal(a.bytes, b.bytes);
    assert_true(!a.data == !b.data);
    assert_true(a.bytes == 0 || memcmp(a.data, b.data, a.bytes) == 0);
}

/* All but what was looked at, and what older entries were skipped. */
static void assert_states_equal(struct xylem_state a, struct xylem_state b)
{
    struct xylem_buffer text_a = {0};
    struct xylem_buffer text_b = {0};
    a.reduction = (struct xylem_reduction){0};
    b.reduction = (struct xylem_reduction){0};
    assert_int_equal(xylem_state_json(&text_a, &a, xylem_view_of("s")), 0);
    assert_int_equal(xylem_state_json(&text_b, &b, xylem_view_of("s")), 0);
    assert_string_equal(text_a.data, text_b.data);
    xylem_buffer_release(&text_a);
    xylem_buffer_release(&text_b);
    assert_memory_equal(&a.at, &b.at, sizeof a.at);
    assert_views_equal(a.at_entry_id, b.at_entry_id);
    assert_memory_equal(&a.readonly.position, &b.readonly.position, sizeof a.readonly.position);
    assert_memory_equal(&a.nudge.told_position, &b.nudge.told_position, sizeof a.nudge.told_position);
    assert_memory_equal(&a.sequence.position, &b.sequence.position, sizeof a.sequence.position);
    assert_memory_equal(&a.todo.position, &b.todo.position, sizeof a.todo.position);
}

static int compare(void *context, const struct xylem_state *state)
{
    struct seen *seen = context;
    struct xylem_state expected;
    store_builder_must(xylem_rehydrate(&expected, builder.txn, state->at, seen->event, seen->options, &err), &err);
    assert_states_equal(*state, expected);
    bool skipped = expected.reduction.skipped_count > 0 &&
                   memcmp(&expected.reduction.skipped[0].position, &state->at, sizeof state->at) == 0;
    assert_int_equal(state->reduction.skipped_count, skipped);
    if (skipped) {
        assert_string_equal(state->reduction.skipped[0].reason, expected.reduction.skipped[0].reason);
    }
    assert_true(state->at.depth > seen->last.depth);
    seen->last = state->at;
    seen->skipped_count += skipped;
    xylem_state_release(&expected);
    return ++seen->count == seen->stop_at;
}

static int each(struct seen *seen, struct xylem_position from)
{
    err.text[0] = '\0';
    return xylem_rehydrate_each(builder.txn, from, seen->event, seen->options, compare, seen, &err);
}

/* One of everything that an entry can say, or fail to say. */
static const struct {
    const char *kind;
    const char *data;
} words[] = {
    {"custom:readonly", "{\"enabled\":true}"},
    {"custom:agenticoding-readonly", "{\"enabled\":false}"},
    {"custom:readonly", "{\"enabled\":1}"},
    {"custom:readonly-nudge", "{\"direction\":\"on\"}"},
    {"custom:readonly-nudge", "{\"direction\":\"off\"}"},
    {"custom:readonly-nudge", "{\"direction\":\"on\",\"delivered\":true}"},
    {"custom:agenticoding-readonly-nudge", "{\"direction\":\"off\",\"delivered\":true}"},
    {"custom:readonly-nudge", "{}"},
    {"custom:sequence", "{\"version\":1,\"sequenceId\":\"q\",\"steps\":[\"a\",\"b\"],\"updatedAt\":1.5}"},
    {"custom:sequence", "{\"version\":1,\"sequenceId\":\"r\",\"steps\":[],\"updatedAt\":2}"},
    {"custom:sequence", "{\"version\":2}"},
    {"custom:todo", "{\"lastId\":1,\"items\":[{\"id\":1,\"text\":\"a\",\"done\":false}]}"},
    {"custom:todo", "{\"todos\":[],\"nextId\":1}"},
    {"custom:todo", "{\"lastId\":1,\"items\":[1]}"},
    {"message", "{\"role\":\"user\",\"content\":\"x\"}"},
    {"message",
     "{\"message\":{\"role\":\"toolResult\",\"toolName\":\"todo\",\"details\":{\"todos\":[],\"nextId\":4}}}"},
    {"message", "{\"message\":{\"role\":\"toolResult\",\"toolName\":\"todo\",\"details\":{}}}"},
};

enum { WORD_COUNT = sizeof words / sizeof words[0] };

/* A path of random entries, one of its toggles redacted, forked twice on the way. */
static struct xylem_position random_path(struct chance *chance, uint64_t count)
{
    struct xylem_position redacted = none;
    uint64_t session = store_builder_session(&builder, "s");
    for (uint64_t i = 0; i < count; i++) {
        int word = chance_below(chance, WORD_COUNT);
        struct xylem_position at = store_builder_add(&builder, session, NULL, words[word].kind, words[word].data);
        redacted = word == 1 && redacted.depth < count / 2 ? at : redacted;
        if (i == count / 3 || i == count / 2) {
            session = store_builder_fork(&builder, session, at, XYLEM_FORK_AT, i == count / 3 ? "f" : "g");
        }
    }
    assert_true(redacted.depth > 0);
    store_builder_redact(&builder, redacted);
    return store_builder_leaf(&builder, session);
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(every_state_is_the_one_that_a_rehydration_gives)
{
    static const bool on = true;
    static const struct xylem_event events[] = {
        {.type = XYLEM_EVENT_SESSION_START},
        {.type = XYLEM_EVENT_SESSION_START, .flag_readonly = true},
        {.type = XYLEM_EVENT_SESSION_START, .flag_readonly = true, .flag_is_fallback = true},
        {.type = XYLEM_EVENT_SESSION_START, .reason = XYLEM_REASON_NEW, .flag_readonly = true},
        {.type = XYLEM_EVENT_SESSION_TREE, .previous_readonly = &on},
    };
    struct chance chance = chance_of(7);
    uint64_t count = test_rounds(400);
    struct xylem_position from = random_path(&chance, count);
    size_t skipped_count = 0;
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        for (unsigned pieces = 0; pieces < 32; pieces++) {
            struct xylem_reduce_options options = {
                .pieces = pieces % 16, .scan = pieces % 2 == 1, .tool_results = pieces >= 16};
            struct seen seen = {.event = &events[i], .options = &options};
            store_builder_must(each(&seen, from), &err);
            assert_int_equal(seen.count > 0,
                             events[i].reason != XYLEM_REASON_NEW || pieces % 16 == 0 || pieces % 16 > 3);
            skipped_count += seen.skipped_count;
        }
    }
    assert_true(skipped_count > 100);
    struct seen plain = {0};
    store_builder_must(each(&plain, from), &err);
    assert_true(plain.count > count * 3 / 4);
}

static struct xylem_state pieces_at(struct xylem_position at, unsigned pieces)
{
    const struct xylem_reduce_options options = {.pieces = pieces};
    struct xylem_state state;
    store_builder_must(xylem_rehydrate(&state, builder.txn, at, NULL, &options, &err), &err);
    return state;
}

IN_SCENE(a_piece_that_is_not_asked_for_is_not_read_and_stays_zero)
{
    uint64_t session = store_builder_session(&builder, "s");
    for (int word = 0; word < WORD_COUNT; word += 8) {
        store_builder_add(&builder, session, NULL, words[word].kind, words[word].data);
    }
    struct xylem_position at = store_builder_add(&builder, session, NULL, words[0].kind, words[0].data);
    struct xylem_state found = pieces_at(at, XYLEM_PIECE_READONLY);
    assert_true(found.readonly.enabled && !found.nudge.due && !found.sequence.present);
    assert_int_equal(found.reduction.looked_at, 1);
    xylem_state_release(&found);
    found = pieces_at(at, XYLEM_PIECE_NUDGE);
    assert_true(found.readonly.enabled && found.nudge.due && !found.sequence.present);
    xylem_state_release(&found);
    found = pieces_at(at, XYLEM_PIECE_SEQUENCE);
    assert_true(!found.readonly.enabled && !found.nudge.due && found.sequence.present);
    assert_int_equal(found.readonly.position.depth, 0);
    xylem_state_release(&found);
    assert_false(found.todo.present);
    xylem_state_release(&found);
    found = pieces_at(store_builder_add(&builder, session, NULL, words[11].kind, words[11].data), XYLEM_PIECE_TODO);
    assert_true(!found.readonly.enabled && !found.sequence.present && found.todo.present);
    assert_int_equal(found.reduction.looked_at, 1);
    xylem_state_release(&found);
    found = pieces_at(at, XYLEM_PIECE_SEQUENCE | XYLEM_PIECE_READONLY);
    assert_true(found.readonly.enabled && !found.nudge.due && found.sequence.present);
    xylem_state_release(&found);
}

IN_SCENE(the_kinds_of_a_piece_are_those_whose_entries_decide)
{
    assert_string_equal(xylem_state_kinds(XYLEM_PIECE_READONLY)[0], "custom:readonly");
    assert_string_equal(xylem_state_kinds(XYLEM_PIECE_NUDGE)[1], "custom:agenticoding-readonly-nudge");
    assert_string_equal(xylem_state_kinds(XYLEM_PIECE_SEQUENCE)[0], "custom:sequence");
    assert_null(xylem_state_kinds(XYLEM_PIECE_SEQUENCE)[2]);
    assert_null(xylem_state_kinds(0));
    assert_null(xylem_state_kinds(XYLEM_PIECE_READONLY | XYLEM_PIECE_NUDGE));
    assert_string_equal(xylem_state_kinds(XYLEM_PIECE_TODO)[0], "custom:todo");
    assert_null(xylem_state_kinds(XYLEM_PIECE_TODO)[1]);
    assert_null(xylem_state_kinds(1u << 31));
}

static int count_only(void *context, const struct xylem_state *state)
{
    (void)state;
    ++*(size_t *)context;
    return 0;
}

/*
 * Records that are read for one piece along a path of so many toggles with nudges that nobody delivered, half invalid.
 */
static uint64_t cost_of(const char *id, int toggle_count, unsigned pieces)
{
    const struct xylem_reduce_options options = {.pieces = pieces};
    uint64_t session = store_builder_session(&builder, id);
    size_t count = 0;
    for (int i = 0; i < toggle_count; i++) {
        store_builder_add(&builder, session, NULL, "custom:readonly", i < toggle_count / 2 ? words[i % 2].data : "{}");
        store_builder_add(&builder, session, NULL, words[3 + i % 2].kind, words[3 + i % 2].data);
        store_builder_add(&builder, session, NULL, words[8 + i % 2].kind, words[8 + i % 2].data);
        store_builder_add(&builder, session, NULL, words[11 + i % 3].kind, words[11 + i % 3].data);
    }
    struct xylem_position leaf = store_builder_leaf(&builder, session);
    store_builder_commit(&builder);
    store_builder_must(xylem_rehydrate_each(builder.txn, leaf, NULL, &options, count_only, &count, &err), &err);
    assert_int_equal(count, toggle_count * (pieces == XYLEM_PIECE_NUDGE ? 2 : pieces == 0 ? 4 : 1));
    return costs_of(builder.txn).counters.record_count;
}

IN_SCENE(twice_the_toggles_take_twice_the_reads)
{
    static const unsigned pieces[] = {XYLEM_PIECE_READONLY, XYLEM_PIECE_NUDGE, XYLEM_PIECE_SEQUENCE, XYLEM_PIECE_TODO,
                                      0};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        char id[32];
        snprintf(id, sizeof id, "once %u", pieces[i]);
        uint64_t once = cost_of(id, 100, pieces[i]);
        snprintf(id, sizeof id, "twice %u", pieces[i]);
        uint64_t twice = cost_of(id, 200, pieces[i]);
        assert_true(once >= 200);
        assert_true(twice <= 2 * once);
    }
}

IN_SCENE(a_visitor_that_answers_anything_but_0_stops_it)
{
    struct chance chance = chance_of(1);
    struct xylem_position from = random_path(&chance, 60);
    struct seen seen = {.stop_at = 3};
    assert_int_equal(each(&seen, from), XYLEM_E_STOPPED);
    assert_int_equal(seen.count, 3);
    assert_non_null(strstr(err.text, "stopped by the caller"));
}

IN_SCENE(an_empty_path_has_no_state_and_bad_calls_are_refused)
{
    struct seen seen = {0};
    const struct xylem_reduce_options unknown = {.pieces = XYLEM_PIECE_NUDGE | 1u << 31};
    const struct xylem_event event = {.type = (enum xylem_event_type)7};
    struct xylem_state found;
    store_builder_must(each(&seen, none), &err);
    assert_int_equal(seen.count, 0);
    assert_int_equal(each(&seen, (struct xylem_position){99, 1}), XYLEM_E_NOT_FOUND);
    seen.options = &unknown;
    assert_int_equal(each(&seen, none), XYLEM_E_ARGUMENT);
    assert_non_null(strstr(err.text, "found 0x80000002"));
    assert_int_equal(xylem_rehydrate(&found, builder.txn, none, NULL, &unknown, &err), XYLEM_E_ARGUMENT);
    seen = (struct seen){.event = &event};
    assert_int_equal(each(&seen, none), XYLEM_E_ARGUMENT);
}

IN_SCENE(damage_on_the_path_is_an_error)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct seen seen = {0};
    struct xylem_position damaged = store_builder_add(&builder, session, NULL, words[0].kind, words[0].data);
    struct xylem_position from = store_builder_add(&builder, session, NULL, words[1].kind, words[1].data);
    store_builder_damage(&builder, damaged);
    assert_int_equal(each(&seen, from), XYLEM_E_CORRUPT);
    assert_int_equal(seen.count, 0);
}
