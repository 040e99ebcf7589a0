/*
 * A host that holds the entries of a session gets the state of the store. Random trees are appended to a store, and
 * kept here as the host has them: each JSON as it was given, and the reason in the place of redacted data. For each
 * event, option and piece both calls give the same state, but for positions. A seed decides everything. It is printed;
 * XYLEM_SEED=n runs that one alone, XYLEM_ROUNDS=n runs more of them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/held.h"
#include "tests/lib/model.h"
#include "tests/lib/test.h"
#include "xylem/redact.h"

#define ROUNDS_DEFAULT 40
#define ENTRIES 120
#define LEAVES 12
#define COUNT_OF(array) (sizeof array / sizeof((array)[0]))

/* Data that a decoder might read otherwise than a store: equal keys, odd numbers, escapes, redactions of another. */
static const struct {
    const char *kind;
    const char *json;
} odd[] = {
    {"custom:readonly", "{\"enabled\":false,\"enabled\":true}"},
    {"custom:readonly", "{\"enabled\":true,\"enabled\":1}"},
    {"custom:readonly", " {\"en\\u0061bled\" : true } "},
    {"custom:readonly", "{\"redacted\":\"by another\"}"},
    {"custom:readonly", "{\"redacted\":\"a\",\"redacted\":\"b\"}"},
    {"custom:readonly", "{\"redacted\":\"a\",\"redacted\":1}"},
    {"custom:readonly", "{\"redacted\":\"a\",\"enabled\":false}"},
    {"custom:readonly-nudge", "{\"redacted\":\"by another\"}"},
    {"custom:readonly-nudge", "{\"direction\":\"o\\u006e\",\"delivered\":true}"},
    {"custom:sequence", "{\"redacted\":\"by another\"}"},
    {"custom:sequence", "{\"version\":1.0,\"sequenceId\":\"\\ud83d\\ude00\\ud800\\u0000\",\"steps\":[\"\\udc00\",\"\"],"
                        "\"updatedAt\":-0}"},
    {"custom:sequence", "{\"version\":1e0,\"sequenceId\":\"q\",\"steps\":[],\"updatedAt\":18446744073709551615}"},
    {"custom:sequence", "{\"version\":1,\"sequenceId\":\"q\",\"steps\":[],\"updatedAt\":1e400}"},
    {"custom:sequence", "{\"version\":1,\"sequenceId\":\"q\",\"steps\":[],\"updatedAt\":0.1}"},
    {"custom:todo", "{\"redacted\":\"by another\"}"},
    {"custom:todo",
     "{\"lastId\":9007199254740991,\"items\":[{\"id\":9007199254740991,\"text\":\"\\u2028\",\"done\":true},"
     "{\"id\":2e0,\"id\":3,\"text\":\"b\",\"done\":false}]}"},
    {"custom:todo", "{\"lastId\":9007199254740992,\"items\":[]}"},
    {"custom:todo",
     "{\"lastId\":2,\"items\":[{\"id\":1,\"text\":\"a\",\"done\":true},{\"id\":1,\"text\":\"b\",\"done\":true}]}"},
    {"message", "{\"message\":{\"role\":\"toolResult\",\"toolName\":\"todo\",\"details\":{\"redacted\":\"a\"}}}"},
    {"message", "{\"message\":{\"role\":\"toolResult\",\"toolName\":\"todo\",\"details\":[]}}"},
    {"message", "{\"message\":{\"role\":\"toolResult\",\"toolName\":\"todo\",\"details\":null}}"},
    {"message", "{\"message\":{\"role\":\"toolResult\",\"toolName\":\"do\",\"toolName\":\"todo\","
                "\"details\":{\"todos\":[],\"nextId\":1}}}"},
    {"readonly", "{\"enabled\":true}"},
};

/* An entry as the host has it. */
struct line {
    struct model_entry made;
    struct xylem_position position;
    int parent;
    bool redacted;
    bool whole; /* the host gives the line with type, id and so on */
};

static struct {
    uint64_t seed;
    bool open;
    struct store_builder builder;
    struct chance chance;
    uint64_t session;
    struct line lines[ENTRIES];
    int count;
} world;

static int any_line(void)
{
    return chance_below(&world.chance, world.count + 1) - 1; /* -1: none */
}

static void append_line(int parent)
{
    struct line *line = &world.lines[world.count];
    *line = (struct line){.parent = parent, .whole = chance_one_in(&world.chance, 2)};
    if (chance_one_in(&world.chance, 3)) {
        size_t chosen = (size_t)chance_below(&world.chance, COUNT_OF(odd));
        line->made.kind = odd[chosen].kind;
        (void)snprintf(line->made.json, sizeof line->made.json, "%s", odd[chosen].json);
        assert_string_equal(line->made.json, odd[chosen].json);
    } else {
        model_make_entry(&line->made, &world.chance);
    }
    (void)snprintf(line->made.id, sizeof line->made.id, "e%d", world.count);
    struct xylem_position at = parent < 0 ? (struct xylem_position){0, 0} : world.lines[parent].position;
    line->position = store_builder_add_at(&world.builder, world.session, at, line->made.id, line->made.kind,
                                          line->made.json[0] ? line->made.json : NULL);
    world.count++;
}

static void redact_line(int at)
{
    const struct xylem_redact_options options = {.reason = xylem_view_of("a \"key\""), .only_this = true};
    struct xylem_redact_report report;
    struct xylem_error err = {0};
    if (at < 0 || !world.lines[at].made.json[0]) {
        return;
    }
    store_builder_must(
        xylem_redact(&report, world.builder.txn, world.session, world.lines[at].position, &options, &err), &err);
    xylem_redact_report_release(&report);
    world.lines[at].redacted = true;
}

static void hold_line(struct held_path *path, const struct line *line)
{
    struct xylem_buffer storage = {0};
    struct xylem_kind kind;
    struct xylem_kind kept = {XYLEM_CLASS_HOST, xylem_view_of("odd:name")};
    char text[512];
    struct xylem_view data;
    const char *json = line->redacted ? "{\"redacted\":\"a \\\"key\\\"\"}" : line->made.json;
    assert_int_equal(xylem_kind_parse(&kind, &storage, xylem_view_of(line->made.kind), NULL), XYLEM_OK);
    bool whole = line->whole && kind.kind_class == XYLEM_CLASS_HOST && json[0] == '{';
    (void)snprintf(text, sizeof text, whole ? "{\"type\":\"x\",\"id\":\"y\",\"parentId\":null,%s" : "%s", json + whole);
    data = xylem_view_of(text);
    bool escaped = storage.bytes > 0;
    held_add(path, xylem_view_of(line->made.id), escaped ? kept : kind, json[0] ? &data : NULL);
    xylem_buffer_release(&storage);
}

/* Adds the path of a line, oldest first. */
static void hold_path(struct held_path *path, int from)
{
    int list[ENTRIES];
    int count = 0;
    for (int i = from; i >= 0; i = world.lines[i].parent) {
        list[count++] = i;
    }
    while (count > 0) {
        hold_line(path, &world.lines[list[--count]]);
    }
}

static void compare(int from, struct held_path *path, const struct xylem_event *event,
                    const struct xylem_reduce_options *options)
{
    struct xylem_position at = from < 0 ? (struct xylem_position){0, 0} : world.lines[from].position;
    struct xylem_error err = {0};
    struct xylem_state stored;
    struct xylem_state held;
    path->asked = 0;
    store_builder_must(xylem_rehydrate(&stored, world.builder.txn, at, event, options, &err), &err);
    store_builder_must(xylem_rehydrate_from(&held, held_next, path, event, options, &err), &err);
    held_assert_same(&stored, &held);
    if (options->scan) {
        assert_int_equal(held.reduction.looked_at, stored.reduction.looked_at);
    }
    xylem_state_release(&stored);
    xylem_state_release(&held);
}

/* Every event: type, reason, flag, fallback and previous state. */
static struct xylem_event event_of(unsigned number)
{
    static const bool states[] = {false, true};
    static const bool *const previous[] = {NULL, &states[0], &states[1]};
    return (struct xylem_event){.type = (enum xylem_event_type)(number / 12 % 3),
                                .reason = (enum xylem_event_reason)(number / 36 % 5),
                                .flag_readonly = number % 2 == 1,
                                .flag_is_fallback = number / 2 % 2 == 1,
                                .previous_readonly = previous[number / 4 % 3]};
}
#define EVENTS (12u * 3u * 5u)

static void compare_all(int from)
{
    struct held_path path = {0};
    hold_path(&path, from);
    for (unsigned number = 0; number < EVENTS; number++) {
        const struct xylem_event event = event_of(number);
        const struct xylem_reduce_options options = {.scan = chance_one_in(&world.chance, 2),
                                                     .pieces = (unsigned)chance_below(&world.chance, 16),
                                                     .tool_results = chance_one_in(&world.chance, 2)};
        compare(from, &path, &event, &options);
    }
    held_release(&path);
}

static void run_seed(uint64_t seed)
{
    world.seed = seed;
    world.chance = chance_of(seed);
    world.count = 0;
    store_builder_open(&world.builder);
    world.open = true;
    world.session = store_builder_session(&world.builder, "s");
    while (world.count < ENTRIES) {
        append_line(chance_one_in(&world.chance, 10) ? any_line() : world.count - 1);
    }
    store_builder_commit(&world.builder);
    for (int i = 0; i < LEAVES; i++) {
        redact_line(any_line());
    }
    compare_all(-1);
    for (int i = 0; i < LEAVES; i++) {
        compare_all(any_line());
    }
    world.open = false;
    store_builder_close(&world.builder);
}

/* After a failure: says how to have it again, and cleans up. */
static int leave_world(void **state)
{
    (void)state;
    if (world.open) {
        print_error("seed %" PRIu64 " failed; again: XYLEM_SEED=%" PRIu64 " %s\n", world.seed, world.seed,
                    program_invocation_name);
        store_builder_close(&world.builder);
    }
    return 0;
}

TEST_WITH(held_entries_give_the_state_of_the_store, NULL, leave_world)
{
    test_seeds(run_seed, test_rounds(ROUNDS_DEFAULT));
}
