/* A rehydration from held entries: the answers of `next`, and hostile entries. The other tests of the room compare. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/buffer.h"
#include "base/value.h"
#include "tests/lib/held.h"
#include "tests/lib/test.h"

static struct held_path path;

static int set_up(void **state)
{
    (void)state;
    path = (struct held_path){0};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    held_release(&path);
    return 0;
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

static struct xylem_kind custom(const char *name)
{
    return (struct xylem_kind){XYLEM_CLASS_CUSTOM, xylem_view_of(name)};
}

static struct xylem_kind host(const char *name)
{
    return (struct xylem_kind){XYLEM_CLASS_HOST, xylem_view_of(name)};
}

/* Adds the newest entry. */
static void add(const char *id, struct xylem_kind kind, const char *json)
{
    struct xylem_view data = xylem_view_of(json);
    held_add(&path, xylem_view_of(id), kind, json ? &data : NULL);
}

static struct xylem_state state_of(const struct xylem_event *event, const struct xylem_reduce_options *options)
{
    struct xylem_state state;
    struct xylem_error err = {0};
    path.asked = 0;
    store_builder_must(xylem_rehydrate_from(&state, held_next, &path, event, options, &err), &err);
    return state;
}

static void assert_text(struct xylem_view found, const char *expected)
{
    assert_int_equal(found.bytes, strlen(expected));
    assert_memory_equal(found.data, expected, strlen(expected));
}

IN_SCENE(an_empty_path_is_the_default)
{
    struct xylem_state found = state_of(NULL, NULL);
    assert_null(found.at_entry_id.data);
    assert_false(found.readonly.enabled);
    assert_int_equal(found.readonly.from, XYLEM_FROM_DEFAULT);
    assert_int_equal(found.reduction.looked_at, 0);
    assert_int_equal(path.asked, 1);
    xylem_state_release(&found);
}

IN_SCENE(the_state_outlives_the_entries)
{
    add("q", custom("sequence"), "{\"version\":1,\"sequenceId\":\"q\",\"steps\":[\"a\"],\"updatedAt\":1}");
    add("l", custom("todo"), "{\"lastId\":1,\"items\":[{\"id\":1,\"text\":\"read\",\"done\":false}]}");
    add("bad", custom("readonly"), "{}");
    add("on", custom("agenticoding-readonly"), "{\"enabled\":true}");
    add("n", custom("readonly-nudge"), "{\"direction\":\"on\",\"delivered\":true}");
    add("x", custom("todo"), "[]");
    add("m", host("message"), "{}");
    struct xylem_state found = state_of(NULL, NULL);
    held_release(&path);
    assert_text(found.at_entry_id, "m");
    assert_text(found.readonly.entry_id, "on");
    assert_text(found.nudge.told_entry_id, "n");
    assert_int_equal(found.nudge.why, XYLEM_NUDGE_TOLD);
    assert_text(found.sequence.steps[0], "a");
    assert_text(found.todo.items[0].text, "read");
    assert_int_equal(found.reduction.skipped_count, 1);
    assert_text(found.reduction.skipped[0].entry_id, "x");
    assert_text(found.reduction.skipped[0].kind, "custom:todo");
    assert_int_equal(found.reduction.looked_at, 7);
    assert_int_equal(found.reduction.decoded_count, 5);
    xylem_state_release(&found);
}

IN_SCENE(no_entry_is_asked_for_once_all_pieces_are_decided)
{
    static const struct xylem_reduce_options readonly = {.pieces = XYLEM_PIECE_READONLY};
    const struct xylem_event new = {.reason = XYLEM_REASON_NEW};
    add("a", custom("readonly"), "{\"enabled\":false}");
    add("b", custom("readonly"), "{\"enabled\":true}");
    add("c", host("message"), "{}");
    struct xylem_state found = state_of(NULL, &readonly);
    assert_int_equal(path.asked, 2);
    assert_int_equal(found.reduction.looked_at, 2);
    xylem_state_release(&found);
    found = state_of(&new, &readonly); /* no piece reads the path, but the newest entry gives its name */
    assert_int_equal(path.asked, 1);
    assert_int_equal(found.reduction.looked_at, 0);
    assert_text(found.at_entry_id, "c");
    assert_false(found.readonly.enabled);
    xylem_state_release(&found);
    found = state_of(NULL, NULL);
    assert_int_equal(path.asked, 4);
    xylem_state_release(&found);
}

IN_SCENE(an_id_of_any_bytes_names_the_deciding_entry)
{
    char bytes[2000];
    memset(bytes, 'x', sizeof bytes);
    const struct xylem_view ids[] = {{NULL, 0}, {"", 0}, {bytes, 65}, {bytes, sizeof bytes}, {"a\0b", 3}, {"\xff", 1}};
    struct xylem_view data = xylem_view_of("{\"enabled\":true}");
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        struct xylem_buffer json = {0};
        held_add(&path, ids[i], custom("readonly"), &data);
        struct xylem_state found = state_of(NULL, NULL);
        assert_true(found.readonly.enabled);
        assert_non_null(found.readonly.entry_id.data);
        assert_true(xylem_base__view_equal(found.readonly.entry_id, ids[i]));
        assert_true(xylem_base__view_equal(found.at_entry_id, ids[i]));
        assert_int_equal(xylem_state_json(&json, &found, ids[i]), XYLEM_OK);
        xylem_buffer_release(&json);
        xylem_state_release(&found);
        held_release(&path);
    }
}

IN_SCENE(only_the_kind_counts)
{
    static const char toggle[] = "{\"enabled\":true}";
    char name[5000];
    memset(name, 'x', sizeof name);
    add("a", host("readonly"), toggle);
    add("b", host("custom:readonly"), toggle);
    add("c", custom("custom:readonly"), toggle);
    add("d", custom("readonly2"), toggle);
    add("e", custom(""), toggle);
    held_add(&path, xylem_view_of("f"), (struct xylem_kind){XYLEM_CLASS_CUSTOM, {name, sizeof name}}, NULL);
    held_add(&path, xylem_view_of("g"), (struct xylem_kind){XYLEM_CLASS_CUSTOM, {"readonly\0", 9}}, NULL);
    struct xylem_state found = state_of(NULL, NULL);
    assert_false(found.readonly.enabled);
    assert_int_equal(found.reduction.skipped_count, 0);
    assert_int_equal(found.reduction.looked_at, 7);
    assert_int_equal(found.reduction.decoded_count, 0);
    xylem_state_release(&found);
}

static struct xylem_buffer repeated(const char *before, const char *text, size_t count, const char *behind)
{
    struct xylem_buffer json = {0};
    assert_int_equal(xylem_base__buffer_add_text(&json, before), XYLEM_OK);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(xylem_base__buffer_add_text(&json, text), XYLEM_OK);
    }
    assert_int_equal(xylem_base__buffer_add_text(&json, behind), XYLEM_OK);
    return json;
}

/* The older entry decides, and the newer entry is skipped. */
static void assert_skipped(struct xylem_view data, const char *reason)
{
    add("a", custom("readonly"), "{\"enabled\":true}");
    held_add(&path, xylem_view_of("b"), custom("readonly"), &data);
    struct xylem_state found = state_of(NULL, NULL);
    assert_text(found.readonly.entry_id, "a");
    assert_int_equal(found.reduction.skipped_count, 1);
    assert_text(found.reduction.skipped[0].entry_id, "b");
    assert_string_equal(found.reduction.skipped[0].reason, reason);
    xylem_state_release(&found);
    held_release(&path);
}

IN_SCENE(data_that_is_not_json_is_skipped)
{
    static const char *const bad[] = {"",
                                      " ",
                                      "?",
                                      "{\"enabled\":false",
                                      "{\"enabled\":false}}",
                                      "{\"enabled\":nul}",
                                      "{enabled:false}",
                                      "{\"enabled\":false} {}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_skipped(xylem_view_of(bad[i]), "the data cannot be decoded");
    }
    assert_skipped((struct xylem_view){"{\"enabled\":false}\0", 18}, "the data cannot be decoded");
    assert_skipped(xylem_view_of("[]"), "the data is not a map");
}

IN_SCENE(data_beyond_a_limit_is_skipped)
{
    struct xylem_buffer deep = repeated("{\"enabled\":false,\"x\":", "[", XYLEM_NESTING_MAX, "");
    for (size_t i = 0; i < XYLEM_NESTING_MAX; i++) {
        assert_int_equal(xylem_buffer_add(&deep, "]", 1), XYLEM_OK);
    }
    assert_int_equal(xylem_buffer_add(&deep, "}", 1), XYLEM_OK);
    assert_skipped(xylem_base__buffer_view(&deep), "the data cannot be decoded");
    xylem_buffer_release(&deep);
    struct xylem_buffer many = repeated("{\"enabled\":false,\"x\":[0", ",0", XYLEM_VALUES_MAX, "]}");
    assert_skipped(xylem_base__buffer_view(&many), "the data cannot be decoded");
    xylem_buffer_release(&many);
}

/* What `next` answers: to the question of a number so, to every other with a toggle. */
struct answers {
    int at;
    int code;
    struct xylem_held_entry entry;
    struct xylem_view toggle; /* the data of the toggles; NULL: an empty map */
    int asked;
};

static int answer(void *context, struct xylem_held_entry *entry)
{
    struct answers *answers = context;
    assert_true(answers->asked < 9);
    assert_null(entry->id.data);
    assert_null(entry->data.data);
    assert_int_equal(entry->kind.kind_class, XYLEM_CLASS_HOST);
    if (answers->asked++ == answers->at) {
        *entry = answers->entry;
        return answers->code;
    }
    entry->id = xylem_view_of("x");
    entry->kind = custom("readonly");
    entry->data = answers->toggle.data ? answers->toggle : xylem_view_of("{}");
    return 1;
}

TEST(data_beyond_the_limit_of_a_payload_is_not_read)
{
    const size_t bytes = (size_t)XYLEM_PAYLOAD_BYTES_MAX + 1;
    struct answers answers = {.at = 1};
    struct xylem_state found;
    void *unreadable = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(unreadable != MAP_FAILED);
    answers.toggle = (struct xylem_view){unreadable, bytes};
    assert_int_equal(xylem_rehydrate_from(&found, answer, &answers, NULL, NULL, NULL), XYLEM_OK);
    assert_int_equal(found.reduction.skipped_count, 1);
    assert_string_equal(found.reduction.skipped[0].reason, "the data cannot be decoded");
    xylem_state_release(&found);
    assert_int_equal(munmap(unreadable, bytes), 0);
}

IN_SCENE(a_redacted_entry_has_its_reason_in_the_place_of_data)
{
    static const char *const skipped[] = {"readonly-nudge", "sequence", "todo"};
    static const char *const shown[] = {"{\"redacted\":\"key\"}", "{\"redacted\":\"\"}",
                                        "{\"redacted\":1,\"redacted\":\"key\"}"};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        add("off", custom("readonly"), "{\"enabled\":false}");
        add("hidden", custom("readonly"), shown[i]);
        for (size_t k = 0; k < 3; k++) {
            add("hidden", custom(skipped[k]), shown[i]);
        }
        struct xylem_state found = state_of(NULL, NULL);
        assert_true(found.readonly.enabled);
        assert_text(found.readonly.entry_id, "hidden");
        assert_int_equal(found.reduction.skipped_count, 3);
        for (size_t k = 0; k < 3; k++) {
            assert_string_equal(found.reduction.skipped[k].reason, "the data was redacted");
        }
        xylem_state_release(&found);
        held_release(&path);
    }
    add("off", custom("readonly"), "{\"enabled\":false}");
    add("not", custom("readonly"), "{\"redacted\":\"key\",\"redacted\":1}");
    add("nor", custom("readonly"), "{\"redacted\":\"key\",\"other\":1}");
    struct xylem_state found = state_of(NULL, NULL);
    assert_false(found.readonly.enabled);
    assert_int_equal(found.reduction.skipped_count, 2);
    xylem_state_release(&found);
}

IN_SCENE(members_come_in_any_order_and_the_last_of_a_key_counts)
{
    static const char *const snapshots[] = {
        "{\"version\":1,\"sequenceId\":\"s\",\"steps\":[\"a\"],\"updatedAt\":7}",
        "{\"updatedAt\":7,\"steps\":[\"a\"],\"sequenceId\":\"s\",\"version\":1}",
        "{\"more\":1,\"steps\":[\"a\"],\"\":{\"version\":2},\"version\":1,\"step\":[],\"updatedAt\":7,\"x\":[1],"
        "\"sequenceId\":\"s\",\"stepz\":[]}",
        "{\"sequenceId\":\"t\",\"sequenceId\":\"s\",\"version\":2,\"steps\":1,\"steps\":[\"a\"],\"version\":1,"
        "\"updatedAt\":null,\"updatedAt\":7}"};
    static const char *const marks[] = {
        "{\"version\":1,\"runId\":\"0198d2f4-1c3e-7d6a-9b2f-3e5a7c9d1b4f\",\"sequenceId\":\"s\",\"event\":\"stop\","
        "\"runIndex\":1,\"totalRuns\":5,\"outcome\":\"failed\",\"code\":\"c\"}",
        "{\"code\":\"d\",\"outcome\":\"done\",\"outcome\":\"failed\",\"code\":\"c\",\"totalRuns\":5,\"runIndex\":1,"
        "\"event\":\"stop\",\"sequenceId\":\"s\",\"runId\":\"0198d2f4-1c3e-7d6a-9b2f-3e5a7c9d1b4f\",\"version\":1}"};
    for (size_t i = 0; i < sizeof snapshots / sizeof *snapshots; i++) {
        add("s", custom("sequence"), snapshots[i]);
        add("m", custom("sequence-mark"), marks[i % 2]);
        struct xylem_state found = state_of(NULL, NULL);
        assert_int_equal(found.reduction.skipped_count, 0);
        assert_text(found.sequence.sequence_id, "s");
        assert_int_equal(found.sequence.step_count, 1);
        assert_true(found.sequence.updated_at >= 7 && found.sequence.updated_at <= 7);
        assert_text(found.mark.outcome, "failed");
        assert_text(found.mark.code, "c");
        assert_int_equal(found.mark.total_runs, 5);
        xylem_state_release(&found);
        held_release(&path);
    }
}

IN_SCENE(a_line_with_or_without_the_members_of_its_place_is_a_result)
{
    static const struct xylem_reduce_options results = {.tool_results = true};
    static const char *const lines[] = {
        "{\"message\":{\"role\":\"toolResult\",\"toolName\":\"todo\",\"details\":{\"todos\":[],\"nextId\":4}}}",
        "{\"type\":\"message\",\"id\":\"r\",\"parentId\":null,\"timestamp\":\"\",\"message\":{\"role\":\"toolResult\","
        "\"toolName\":\"todo\",\"details\":{\"todos\":[],\"nextId\":4}}}"};
    for (size_t i = 0; i < 2; i++) {
        add("r", host("message"), lines[i]);
        add("?", host("message"), "?");
        add("hidden", host("message"), "{\"redacted\":\"key\"}");
        struct xylem_state found = state_of(NULL, &results);
        assert_true(found.todo.present);
        assert_int_equal(found.todo.last_id, 3);
        assert_text(found.todo.entry_id, "r");
        assert_int_equal(found.reduction.skipped_count, 0);
        xylem_state_release(&found);
        held_release(&path);
    }
}

/* --- Refused ------------------------------------------------------------------------------------------------------ */

/* The result of the call if the first, or the third answer of `next` is the given one. */
static void assert_refused(int code, const struct xylem_held_entry *entry, int expected, const char *text)
{
    for (int at = 0; at < 3; at += 2) {
        struct answers answers = {.at = at, .code = code, .entry = *entry};
        struct xylem_state found;
        struct xylem_error err = {0};
        assert_int_equal(xylem_rehydrate_from(&found, answer, &answers, NULL, NULL, &err), expected);
        assert_int_equal(err.code, expected);
        assert_string_equal(err.text, text);
        assert_int_equal(answers.asked, at + 1);
        assert_null(found.storage);
        assert_null(found.at_entry_id.data);
        xylem_state_release(&found);
    }
}

TEST(a_negative_answer_ends_the_call)
{
    const struct xylem_held_entry nothing = {0};
    assert_refused(XYLEM_E_STOPPED, &nothing, XYLEM_E_STOPPED, "the host gives no entry: stopped by the caller");
    assert_refused(-1000, &nothing, -1000, "the host gives no entry: unknown code");
}

TEST(an_answer_that_no_host_may_give_is_refused)
{
    const struct xylem_held_entry nothing = {0};
    assert_refused(2, &nothing, XYLEM_E_ARGUMENT, "held entry: expected the answer 0 or 1, found 2");
    struct xylem_held_entry entry = {.kind.kind_class = (enum xylem_class)2};
    assert_refused(1, &entry, XYLEM_E_ARGUMENT,
                   "held entry: the class of its kind is 2; expected 0 (host) or 1 (custom)");
    entry = (struct xylem_held_entry){.id.bytes = 1};
    assert_refused(1, &entry, XYLEM_E_ARGUMENT, "held entry: a view has a length, but no bytes");
    entry = (struct xylem_held_entry){.kind.name.bytes = 1};
    assert_refused(1, &entry, XYLEM_E_ARGUMENT, "held entry: a view has a length, but no bytes");
    entry = (struct xylem_held_entry){.data.bytes = 1};
    assert_refused(1, &entry, XYLEM_E_ARGUMENT, "held entry: a view has a length, but no bytes");
}

TEST(an_entry_at_the_end_of_the_path_is_not_read)
{
    struct answers answers = {.at = 1, .entry = {.kind.kind_class = (enum xylem_class)2, .data.bytes = 1}};
    struct xylem_state found;
    assert_int_equal(xylem_rehydrate_from(&found, answer, &answers, NULL, NULL, NULL), XYLEM_OK);
    assert_int_equal(found.reduction.looked_at, 1);
    xylem_state_release(&found);
}

IN_SCENE(bad_calls_are_refused)
{
    struct xylem_state found;
    struct xylem_error err = {0};
    struct xylem_event event = {.type = (enum xylem_event_type)3};
    const struct xylem_reduce_options options = {.pieces = 1u << 31};
    assert_int_equal(xylem_rehydrate_from(&found, held_next, &path, &event, NULL, &err), XYLEM_E_ARGUMENT);
    assert_string_equal(err.text, "type of the event: expected session_start, session_tree or toggled, found 3");
    event = (struct xylem_event){.reason = (enum xylem_event_reason)5};
    assert_int_equal(xylem_rehydrate_from(&found, held_next, &path, &event, NULL, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_rehydrate_from(&found, held_next, &path, NULL, &options, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_rehydrate_from(&found, NULL, NULL, NULL, NULL, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(path.asked, 0);
    xylem_state_release(&found);
}

/* --- A host's own reducer ----------------------------------------------------------------------------------------- */

struct counting {
    size_t seen;
    size_t wanted; /* DONE at this entry */
    char ids[64];
};

static int count(void *context, struct xylem_visit *visit)
{
    struct counting *counting = context;
    strncat(counting->ids, visit->entry->id.data, visit->entry->id.bytes);
    if (!visit->data) {
        visit->reason = "nothing to count";
        return XYLEM_VISIT_SKIP;
    }
    return ++counting->seen == counting->wanted ? XYLEM_VISIT_DONE : XYLEM_VISIT_GO_ON;
}

/* Counts notes on the path, and gives the reduction. */
static struct xylem_reduction count_notes(struct counting *counting)
{
    static const char *const kinds[] = {"custom:note", NULL};
    const struct xylem_reducer reducer = {"counting", kinds, count, counting};
    struct xylem_reduction reduction;
    path.asked = 0;
    assert_int_equal(xylem_reduce_from(&reduction, held_next, &path, &reducer, 1, NULL), 0);
    return reduction;
}

IN_SCENE(a_reducer_of_the_host_sees_held_entries_newest_first)
{
    const struct xylem_view one = xylem_view_of("1");
    const char *const ids[] = {"a", "b", "c", "d"};
    for (size_t i = 0; i < 4; i++) {
        held_add(&path, xylem_view_of(ids[i]), custom(i == 1 ? "other" : "note"), i == 2 ? NULL : &one);
    }
    struct counting counting = {.wanted = 9};
    struct xylem_reduction reduction = count_notes(&counting);
    assert_string_equal(counting.ids, "dca");
    assert_int_equal(counting.seen, 2);
    assert_int_equal(reduction.looked_at, 4);
    assert_int_equal(reduction.skipped_count, 1);
    assert_string_equal(reduction.skipped[0].reason, "nothing to count");
    xylem_reduction_release(&reduction);
    counting = (struct counting){.wanted = 1};
    reduction = count_notes(&counting);
    assert_string_equal(counting.ids, "d");
    assert_int_equal(path.asked, 1);
    xylem_reduction_release(&reduction);
}

IN_SCENE(a_reduction_of_held_entries_needs_a_source_and_a_visitor)
{
    static const char *const kinds[] = {"custom:note", NULL};
    struct counting counting = {.wanted = 1};
    struct xylem_reducer reducer = {"counting", kinds, count, &counting};
    struct xylem_reduction reduction = count_notes(&counting); /* an empty path */
    assert_int_equal(counting.seen, 0);
    xylem_reduction_release(&reduction);
    assert_int_equal(xylem_reduce_from(&reduction, NULL, NULL, &reducer, 1, NULL), XYLEM_E_ARGUMENT);
    held_add(&path, xylem_view_of("a"), custom("note"), NULL);
    path.asked = 0;
    reducer.visit = NULL;
    assert_int_equal(xylem_reduce_from(&reduction, held_next, &path, &reducer, 1, NULL), XYLEM_E_ARGUMENT);
    xylem_reduction_release(&reduction);
}
