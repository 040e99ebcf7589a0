#include <stdio.h>
#include <string.h>

#include "replay/pieces.h"
#include "store/store.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"

static const struct xylem_position none;

static void assert_text(struct xylem_view found, const char *expected)
{
    assert_int_equal(found.bytes, strlen(expected));
    assert_memory_equal(found.data, expected, strlen(expected));
}

/* A reducer that notes what it is shown, and answers what it was told to. */
struct notes {
    size_t count;
    struct xylem_position positions[32];
    size_t kind_indexes[32];
    const struct xylem_value *data[32];
    int data_codes[32];
    int answers[32];
    const char *reason;
};

static int note(void *context, struct xylem_visit *visit)
{
    struct notes *notes = context;
    size_t at = notes->count++;
    assert_true(at < 32);
    notes->positions[at] = visit->entry->position;
    notes->kind_indexes[at] = visit->kind_index;
    notes->data[at] = visit->data;
    notes->data_codes[at] = visit->data_code;
    assert_null(visit->reason);
    visit->reason = notes->reason;
    return notes->answers[at];
}

static struct xylem_reducer reducer_of(struct notes *notes, const char *const *kinds)
{
    memset(notes, 0, sizeof *notes);
    return (struct xylem_reducer){.name = "notes", .kinds = kinds, .visit = note, .context = notes};
}

static const char *const x_kinds[] = {"custom:x", NULL};
static const char *const xy_kinds[] = {"custom:x", "custom:y", NULL};

/* Every test runs twice: along the links, and as a plain walk. */
static struct xylem_reduce_options options;

static int walk_plainly(void **state)
{
    (void)state;
    options.scan = true;
    return 0;
}

TEST_FILE_ROUND("as a plain walk", walk_plainly, NULL)

static int reduce(struct xylem_reduction *reduction, struct xylem_position from, const struct xylem_reducer *reducers,
                  size_t count)
{
    struct xylem_error err = {0};
    int code = xylem_reduce(reduction, builder.txn, from, reducers, count, &options, &err);
    assert_int_equal(err.code, code);
    return code;
}

static struct xylem_position x(uint64_t session, const char *json)
{
    return store_builder_add(&builder, session, NULL, "custom:x", json);
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(a_reducer_sees_its_kinds_newest_first)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position first = x(session, "1");
    store_builder_messages(&builder, session, 2);
    store_builder_add(&builder, session, NULL, "x", "2");
    struct xylem_position second = store_builder_add(&builder, session, NULL, "custom:y", "3");
    store_builder_add(&builder, session, NULL, "custom:z", "4");
    struct notes notes;
    struct xylem_reducer reducer = reducer_of(&notes, xy_kinds);
    struct xylem_reduction reduction;
    assert_int_equal(reduce(&reduction, store_builder_leaf(&builder, session), &reducer, 1), 0);
    assert_int_equal(notes.count, 2);
    assert_int_equal(notes.positions[0].depth, second.depth);
    assert_int_equal(notes.kind_indexes[0], 1);
    assert_int_equal(notes.positions[1].depth, first.depth);
    assert_int_equal(notes.kind_indexes[1], 0);
    assert_int_equal(reduction.looked_at, options.scan ? 6 : 3); /* what lies between is not read */
    assert_int_equal(reduction.skipped_count, 0);
    xylem_reduction_release(&reduction);
    xylem_reduction_release(NULL);
}

IN_SCENE(the_walk_ends_when_all_reducers_are_done)
{
    uint64_t session = store_builder_session(&builder, "s");
    for (int i = 0; i < 5; i++) {
        x(session, "1");
    }
    struct notes quick;
    struct notes slow;
    struct xylem_reducer reducers[] = {reducer_of(&quick, x_kinds), reducer_of(&slow, x_kinds)};
    struct xylem_reduction reduction;
    quick.answers[0] = XYLEM_VISIT_DONE;
    slow.answers[2] = XYLEM_VISIT_DONE;
    assert_int_equal(reduce(&reduction, store_builder_leaf(&builder, session), reducers, 2), 0);
    assert_int_equal(quick.count, 1);
    assert_int_equal(slow.count, 3);
    assert_int_equal(reduction.looked_at, 3);
    xylem_reduction_release(&reduction);
}

IN_SCENE(without_a_reducer_nothing_is_read)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_reduction reduction;
    assert_int_equal(reduce(&reduction, x(session, "1"), NULL, 0), 0);
    assert_int_equal(reduction.looked_at, 0);
    xylem_reduction_release(&reduction);
}

IN_SCENE(a_path_of_nothing_shows_nothing)
{
    store_builder_session(&builder, "s");
    struct notes notes;
    struct xylem_reducer reducer = reducer_of(&notes, x_kinds);
    struct xylem_reduction reduction;
    assert_int_equal(reduce(&reduction, none, &reducer, 1), 0);
    assert_int_equal(notes.count, 0);
    assert_int_equal(reduction.looked_at, 0);
    xylem_reduction_release(&reduction);
}

IN_SCENE(only_entries_of_the_path_are_shown)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = x(session, "1");
    x(session, "2");
    struct xylem_position b = store_builder_add_at(&builder, session, a, NULL, "custom:x", "3");
    struct notes notes;
    struct xylem_reducer reducer = reducer_of(&notes, x_kinds);
    struct xylem_reduction reduction;
    assert_int_equal(reduce(&reduction, b, &reducer, 1), 0);
    assert_int_equal(notes.count, 2);
    assert_int_equal(notes.positions[0].branch, b.branch);
    assert_int_equal(notes.positions[1].branch, a.branch);
    xylem_reduction_release(&reduction);
}

IN_SCENE(two_reducers_share_one_decoded_payload)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct notes one;
    struct notes two;
    struct xylem_reducer reducers[] = {reducer_of(&one, x_kinds), reducer_of(&two, xy_kinds)};
    struct xylem_reduction reduction;
    assert_int_equal(reduce(&reduction, x(session, "{\"a\":1}"), reducers, 2), 0);
    assert_non_null(one.data[0]);
    assert_ptr_equal(one.data[0], two.data[0]);
    xylem_reduction_release(&reduction);
}

IN_SCENE(a_kind_that_is_named_twice_is_shown_once)
{
    static const char *const kinds[] = {"custom:x", "custom:x", NULL};
    uint64_t session = store_builder_session(&builder, "s");
    struct notes notes;
    struct xylem_reducer reducer = reducer_of(&notes, kinds);
    struct xylem_reduction reduction;
    assert_int_equal(reduce(&reduction, x(session, "1"), &reducer, 1), 0);
    assert_int_equal(notes.count, 1);
    assert_int_equal(notes.kind_indexes[0], 0);
    xylem_reduction_release(&reduction);
}

IN_SCENE(any_number_of_kinds_can_be_wanted)
{
    static char names[32][16];
    const char *kinds[33] = {NULL};
    uint64_t session = store_builder_session(&builder, "s");
    for (size_t i = 0; i < 32; i++) {
        snprintf(names[i], sizeof names[i], i % 2 ? "custom:%zu" : "%zu\\:", i);
        store_builder_add(&builder, session, NULL, names[i], "1");
    }
    struct xylem_position leaf = store_builder_leaf(&builder, session);
    for (size_t count = 1; count <= 32; count++) {
        struct notes notes;
        struct xylem_reduction reduction;
        struct xylem_reducer reducer = reducer_of(&notes, kinds);
        kinds[count - 1] = names[count - 1];
        assert_int_equal(reduce(&reduction, leaf, &reducer, 1), 0);
        assert_int_equal(notes.count, count);
        assert_int_equal(notes.kind_indexes[0], count - 1);
        assert_int_equal(notes.kind_indexes[count - 1], 0);
        xylem_reduction_release(&reduction);
    }
}

IN_SCENE(any_number_of_reducers_can_be_driven)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position leaf = x(session, "1");
    for (size_t count = 1; count <= 12; count++) {
        struct notes notes[12];
        struct xylem_reducer reducers[12];
        struct xylem_reduction reduction;
        for (size_t i = 0; i < count; i++) {
            reducers[i] = reducer_of(&notes[i], x_kinds);
        }
        assert_int_equal(reduce(&reduction, leaf, reducers, count), 0);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(notes[i].count, 1);
        }
        assert_int_equal(reduction.decoded_count, 1);
        xylem_reduction_release(&reduction);
    }
}

IN_SCENE(kinds_are_told_apart_by_more_than_the_length_of_their_names)
{
    char near[16] = "custom:abc";
    char far[16 + 64] = "custom:abc";
    memset(far + strlen(far), 'd', 64);
    const char *const wanted[][2] = {{near, NULL}, {far, NULL}, {"custom:abd", NULL}, {"abc", NULL}};
    const size_t seen[] = {1, 1, 0, 0};
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, NULL, near, "1");
    store_builder_add(&builder, session, NULL, far, "2");
    store_builder_messages(&builder, session, 1);
    for (size_t i = 0; i < 4; i++) {
        struct notes notes;
        struct xylem_reduction reduction;
        struct xylem_reducer reducer = reducer_of(&notes, wanted[i]);
        assert_int_equal(reduce(&reduction, store_builder_leaf(&builder, session), &reducer, 1), 0);
        assert_int_equal(notes.count, seen[i]);
        if (seen[i]) {
            assert_int_equal(notes.positions[0].depth, i + 1);
        }
        xylem_reduction_release(&reduction);
    }
}

IN_SCENE(built_in_kinds_are_what_their_texts_say)
{
    struct xylem_buffer storage = {0};
    for (size_t i = 0; i < XYLEM_REPLAY__PIECE_COUNT; i++) {
        const struct xylem_replay__piece *piece = xylem_replay__pieces[i];
        for (size_t k = 0; piece->kinds[k]; k++) {
            struct xylem_kind kind;
            assert_int_equal(xylem_kind_parse(&kind, &storage, xylem_view_of(piece->kinds[k]), NULL), 0);
            assert_true(xylem_store__kind_equal(&kind, &piece->parsed[k]));
        }
    }
    xylem_buffer_release(&storage);
}

IN_SCENE(an_entry_without_data_is_shown_without)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct notes notes;
    struct xylem_reducer reducer = reducer_of(&notes, x_kinds);
    struct xylem_reduction reduction;
    x(session, "null");
    assert_int_equal(reduce(&reduction, x(session, NULL), &reducer, 1), 0);
    assert_null(notes.data[0]);
    assert_int_equal(notes.data_codes[0], XYLEM_OK);
    assert_non_null(notes.data[1]);
    xylem_reduction_release(&reduction);
}

/* Puts other payload bytes into a record, with the hash that they ask for, or without. */
static void rewrite_payload(struct xylem_position position, struct xylem_view payload, bool right_hash)
{
    struct xylem_format__record record = store_builder_record(&builder, position);
    record.payload = payload;
    if (right_hash) {
        record.payload_hash = xylem_format__hash(payload);
    }
    store_builder_rewrite(&builder, position, &record);
}

IN_SCENE(a_payload_that_cannot_be_decoded_is_shown_with_its_code)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct notes notes;
    struct xylem_reducer reducer = reducer_of(&notes, x_kinds);
    struct xylem_reduction reduction;
    char deep[XYLEM_NESTING_MAX + 2];
    memset(deep, '\x91', sizeof deep);
    deep[sizeof deep - 1] = 1;
    x(session, "1");
    rewrite_payload(x(session, "2"), (struct xylem_view){deep, sizeof deep}, true);
    rewrite_payload(x(session, "3"), (struct xylem_view){"\x92", 1}, true);
    store_builder_redact(&builder, x(session, "4"));
    assert_int_equal(reduce(&reduction, store_builder_leaf(&builder, session), &reducer, 1), 0);
    assert_int_equal(notes.count, 4);
    assert_int_equal(notes.data_codes[0], XYLEM_E_REDACTED);
    assert_null(notes.data[0]);
    assert_int_equal(notes.data_codes[1], XYLEM_E_MALFORMED);
    assert_null(notes.data[1]);
    assert_int_equal(notes.data_codes[2], XYLEM_E_LIMIT);
    assert_null(notes.data[2]);
    assert_int_equal(notes.data_codes[3], XYLEM_OK);
    assert_non_null(notes.data[3]);
    xylem_reduction_release(&reduction);
}

IN_SCENE(a_damaged_payload_ends_the_reduction_if_it_is_wanted)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct notes notes;
    struct xylem_reducer reducer = reducer_of(&notes, x_kinds);
    struct xylem_reduction reduction;
    rewrite_payload(store_builder_messages(&builder, session, 1), xylem_view_of("[]"), false);
    assert_int_equal(reduce(&reduction, x(session, "1"), &reducer, 1), 0);
    xylem_reduction_release(&reduction);
    rewrite_payload(x(session, "2"), (struct xylem_view){"\x03", 1}, false);
    reducer = reducer_of(&notes, x_kinds);
    assert_int_equal(reduce(&reduction, store_builder_leaf(&builder, session), &reducer, 1), XYLEM_E_CORRUPT);
    assert_int_equal(notes.count, 0);
    xylem_reduction_release(&reduction);
}

IN_SCENE(a_damaged_record_ends_the_reduction)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct notes notes;
    struct xylem_reducer reducer = reducer_of(&notes, x_kinds);
    struct xylem_reduction reduction;
    struct xylem_position wanted = x(session, "1");
    struct xylem_position between = store_builder_messages(&builder, session, 1);
    struct xylem_position last = x(session, "1");
    store_builder_damage(&builder, between);
    assert_int_equal(reduce(&reduction, last, &reducer, 1), options.scan ? XYLEM_E_CORRUPT : XYLEM_OK);
    assert_int_equal(reduction.looked_at, options.scan ? 0 : 2);
    xylem_reduction_release(&reduction);
    store_builder_damage(&builder, wanted);
    reducer = reducer_of(&notes, x_kinds);
    assert_int_equal(reduce(&reduction, last, &reducer, 1), XYLEM_E_CORRUPT);
    assert_int_equal(reduction.looked_at, 0);
    xylem_reduction_release(&reduction);
}

IN_SCENE(a_position_without_an_entry_is_not_found)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct notes notes;
    struct xylem_reducer reducer = reducer_of(&notes, x_kinds);
    struct xylem_reduction reduction;
    struct xylem_position beyond = x(session, "1");
    beyond.depth++;
    assert_int_equal(reduce(&reduction, beyond, &reducer, 1), XYLEM_E_NOT_FOUND);
    xylem_reduction_release(&reduction);
}

IN_SCENE(skipped_entries_are_listed_and_outlive_the_transaction)
{
    static const char *const kinds[] = {"custom:x", "odd\\:kind", NULL};
    uint64_t session = store_builder_session(&builder, "s");
    struct notes notes;
    struct xylem_reducer reducer = reducer_of(&notes, kinds);
    struct xylem_reduction reduction;
    for (int i = 0; i < 20; i++) {
        x(session, "1");
        notes.answers[i] = XYLEM_VISIT_SKIP;
    }
    struct xylem_position odd = store_builder_add(&builder, session, "odd", "odd\\:kind", "{}");
    notes.answers[20] = XYLEM_VISIT_SKIP;
    notes.reason = "it is odd";
    assert_int_equal(reduce(&reduction, odd, &reducer, 1), 0);
    store_builder_reopen(&builder);
    assert_int_equal(notes.count, 21);
    assert_int_equal(reduction.skipped_count, 21);
    assert_int_equal(reduction.skipped[0].position.depth, odd.depth);
    assert_text(reduction.skipped[0].entry_id, "odd");
    assert_text(reduction.skipped[0].kind, "odd\\:kind");
    assert_string_equal(reduction.skipped[0].reason, "it is odd");
    assert_text(reduction.skipped[20].kind, "custom:x");
    assert_int_equal(reduction.skipped[20].position.depth, 1);
    xylem_reduction_release(&reduction);
}

IN_SCENE(a_skip_without_a_reason_says_so)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct notes notes;
    struct xylem_reducer reducer = reducer_of(&notes, x_kinds);
    struct xylem_reduction reduction;
    notes.answers[0] = XYLEM_VISIT_SKIP;
    assert_int_equal(reduce(&reduction, x(session, "1"), &reducer, 1), 0);
    assert_string_equal(reduction.skipped[0].reason, "no reason was given");
    xylem_reduction_release(&reduction);
}

IN_SCENE(a_negative_answer_ends_the_walk_and_is_returned)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct notes notes;
    struct xylem_reducer reducer = reducer_of(&notes, x_kinds);
    struct xylem_reduction reduction;
    x(session, "1");
    notes.answers[0] = -1234;
    assert_int_equal(reduce(&reduction, x(session, "2"), &reducer, 1), -1234);
    assert_int_equal(notes.count, 1);
    xylem_reduction_release(&reduction);
}

IN_SCENE(an_answer_that_does_not_exist_is_refused)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct notes notes;
    struct xylem_reducer reducer = reducer_of(&notes, x_kinds);
    struct xylem_reduction reduction;
    notes.answers[0] = 3;
    assert_int_equal(reduce(&reduction, x(session, "1"), &reducer, 1), XYLEM_E_ARGUMENT);
    xylem_reduction_release(&reduction);
}

IN_SCENE(a_reducer_that_is_not_whole_is_refused)
{
    static const char *const bad_kinds[] = {"bad\\", NULL};
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position at = x(session, "1");
    struct notes notes;
    struct xylem_reducer reducer = reducer_of(&notes, x_kinds);
    struct xylem_reduction reduction;
    reducer.visit = NULL;
    assert_int_equal(reduce(&reduction, at, &reducer, 1), XYLEM_E_ARGUMENT);
    reducer = reducer_of(&notes, NULL);
    reducer.name = NULL;
    assert_int_equal(reduce(&reduction, at, &reducer, 1), XYLEM_E_ARGUMENT);
    reducer = reducer_of(&notes, bad_kinds);
    assert_true(reduce(&reduction, at, &reducer, 1) < 0);
    xylem_reduction_release(&reduction);
}
