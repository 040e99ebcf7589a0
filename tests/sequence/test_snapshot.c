#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "base/value.h"
#include "xylem/sequence.h"
#include "tests/lib/chance.h"
#include "tests/lib/held.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"

static const int64_t when = 1795000002041;

static struct xylem_state state_at(struct xylem_position at)
{
    return held_state_at(&builder, at, NULL, NULL);
}

static void assert_text(struct xylem_view found, const char *expected)
{
    assert_int_equal(found.bytes, strlen(expected));
    assert_memory_equal(found.data, expected, strlen(expected));
}

static int save(uint64_t session, const struct xylem_new_sequence *sequence, struct xylem_error *err)
{
    return xylem_sequence_save(NULL, NULL, builder.txn, session, sequence, NULL, err);
}

/* Writes the data of a sequence that is refused: the buffer is unchanged. */
static void assert_not_written(const struct xylem_new_sequence *sequence, int code, const char *text)
{
    struct xylem_buffer json = {0};
    struct xylem_error err = {0};
    assert_int_equal(xylem_buffer_add(&json, "before", 6), 0);
    assert_int_equal(xylem_sequence_json(&json, sequence, &err), code);
    assert_non_null(strstr(err.text, text));
    assert_string_equal(json.data, "before");
    xylem_buffer_release(&json);
}

/* Saves a sequence that is refused: nothing is appended. */
static void assert_refused(uint64_t session, const struct xylem_new_sequence *sequence,
                           const struct xylem_append_options *options, int code, const char *text)
{
    struct xylem_position leaf = store_builder_leaf(&builder, session);
    struct xylem_buffer id = {0};
    struct xylem_error err = {0};
    assert_int_equal(xylem_buffer_add(&id, "before", 6), 0);
    assert_int_equal(xylem_sequence_save(NULL, &id, builder.txn, session, sequence, options, &err), code);
    assert_non_null(strstr(err.text, text));
    assert_string_equal(id.data, "before");
    assert_int_equal(store_builder_leaf(&builder, session).depth, leaf.depth);
    xylem_buffer_release(&id);
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(a_snapshot_has_its_keys_in_order_and_an_integer_as_its_time)
{
    const struct xylem_view steps[] = {XYLEM_BASE__LITERAL("/readonly on"),
                                       XYLEM_BASE__LITERAL("a\n\"b\"\xed\xa0\xbd")};
    const struct xylem_new_sequence sequence = {.sequence_id = XYLEM_BASE__LITERAL("q"),
                                                .steps = steps,
                                                .step_count = 2,
                                                .updated_ms = &when,
                                                .entry_id = XYLEM_BASE__LITERAL("snapshot")};
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position at;
    struct xylem_buffer id = {0};
    struct xylem_buffer json = {0};
    struct xylem_entry entry;
    struct xylem_document *document = NULL;
    struct xylem_error err = {0};
    store_builder_must(xylem_sequence_save(&at, &id, builder.txn, session, &sequence, NULL, &err), &err);
    assert_string_equal(id.data, "q");
    assert_int_equal(at.depth, store_builder_find(&builder, session, "snapshot").depth);
    store_builder_must(xylem_entry_read(&entry, builder.txn, at, &err), &err);
    assert_int_equal(entry.kind.kind_class, XYLEM_CLASS_CUSTOM);
    assert_text(entry.kind.name, "sequence");
    store_builder_must(xylem_document_new(&document, &entry, &err), &err);
    const struct xylem_value *value = xylem_document_value(document);
    assert_int_equal(xylem_value_json(&json, value), 0);
    assert_string_equal(json.data, "{\"version\":1,\"sequenceId\":\"q\",\"steps\":[\"/readonly on\","
                                   "\"a\\n\\\"b\\\"\\ud83d\"],\"updatedAt\":1795000002041}");
    assert_int_equal(xylem_value_type(xylem_value_get(value, "updatedAt")), XYLEM_VALUE_INT);
    xylem_document_free(document);
    xylem_buffer_release(&json);
    xylem_buffer_release(&id);
}

IN_SCENE(a_new_sequence_gets_a_uuid_and_the_time_of_now)
{
    const struct xylem_view step = XYLEM_BASE__LITERAL("a");
    const struct xylem_new_sequence sequence = {.steps = &step, .step_count = 1};
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_buffer ids = {0};
    struct xylem_error err = {0};
    struct xylem_position at;
    int64_t before = xylem_base__now_ms();
    for (int i = 0; i < 2; i++) {
        store_builder_must(xylem_sequence_save(&at, &ids, builder.txn, session, &sequence, NULL, &err), &err);
    }
    assert_int_equal(ids.bytes, 2 * (XYLEM_UUID_TEXT_BYTES - 1));
    assert_int_equal(ids.data[14], '7');
    assert_memory_not_equal(ids.data, ids.data + 36, 36);
    struct xylem_state found = state_at(at);
    assert_memory_equal(found.sequence.sequence_id.data, ids.data + 36, 36);
    assert_true(found.sequence.updated_at >= (double)before &&
                found.sequence.updated_at <= (double)xylem_base__now_ms());
    xylem_state_release(&found);
    xylem_buffer_release(&ids);
}

IN_SCENE(the_data_for_a_host_is_the_data_of_a_saved_snapshot)
{
    const struct xylem_view steps[] = {XYLEM_BASE__LITERAL("a\n\"b\"\xed\xa0\xbd"), XYLEM_BASE__LITERAL("")};
    const struct xylem_new_sequence sequence = {.sequence_id = XYLEM_BASE__LITERAL("q"),
                                                .steps = steps,
                                                .step_count = 2,
                                                .updated_ms = &when,
                                                .entry_id = XYLEM_BASE__LITERAL("host")};
    struct xylem_buffer json = {0};
    struct xylem_error err = {0};
    assert_int_equal(xylem_buffer_add(&json, "[", 1), 0);
    store_builder_must(xylem_sequence_json(&json, &sequence, &err), &err);
    assert_string_equal(json.data, "[{\"version\":1,\"sequenceId\":\"q\",\"steps\":[\"a\\n\\\"b\\\"\\ud83d\",\"\"],"
                                   "\"updatedAt\":1795000002041}");
    const struct xylem_new_entry entry = {.id = sequence.entry_id,
                                          .kind = {XYLEM_CLASS_CUSTOM, XYLEM_BASE__LITERAL("sequence")},
                                          .format = XYLEM_FORMAT_JSON,
                                          .payload = {json.data + 1, json.bytes - 1}};
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_must(xylem_append(NULL, builder.txn, session, &entry, 1, NULL, &err), &err);
    struct xylem_state found = state_at(store_builder_leaf(&builder, session));
    assert_text(found.sequence.sequence_id, "q");
    assert_int_equal(found.sequence.step_count, 2);
    assert_memory_equal(found.sequence.steps[0].data, steps[0].data, steps[0].bytes);
    xylem_state_release(&found);
    xylem_buffer_release(&json);
}

IN_SCENE(the_data_for_a_host_has_the_id_of_a_new_sequence)
{
    static const char before[] = "{\"version\":1,\"sequenceId\":\"";
    const struct xylem_new_sequence sequence = {.updated_ms = &when};
    struct xylem_buffer texts[2] = {{0}};
    struct xylem_error err = {0};
    for (int i = 0; i < 2; i++) {
        store_builder_must(xylem_sequence_json(&texts[i], &sequence, &err), &err);
        assert_memory_equal(texts[i].data, before, strlen(before));
        const char *id = texts[i].data + strlen(before);
        assert_int_equal(id[14], '7');
        assert_string_equal(id + XYLEM_UUID_TEXT_BYTES - 1, "\",\"steps\":[],\"updatedAt\":1795000002041}");
    }
    assert_string_not_equal(texts[0].data, texts[1].data);
    xylem_buffer_release(&texts[0]);
    xylem_buffer_release(&texts[1]);
}

/* vector 49: without steps a sequence cannot be run, but can be saved and read */
IN_SCENE(a_sequence_without_steps_can_be_saved)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_error err = {0};
    store_builder_must(save(session, &(struct xylem_new_sequence){.steps = NULL}, &err), &err);
    struct xylem_state found = state_at(store_builder_leaf(&builder, session));
    assert_true(found.sequence.present);
    assert_int_equal(found.sequence.step_count, 0);
    xylem_state_release(&found);
}

/* vectors 50 and 51 */
IN_SCENE(limits_hold_up_to_their_last_byte)
{
    static char bytes[XYLEM_STEP_BYTES_MAX + 1];
    struct xylem_view steps[XYLEM_SEQUENCE_STEPS_MAX + 1];
    struct xylem_new_sequence sequence = {.steps = steps};
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_error err = {0};
    memset(bytes, 'x', sizeof bytes);
    for (size_t i = 0; i <= XYLEM_SEQUENCE_STEPS_MAX; i++) {
        steps[i] = (struct xylem_view){bytes, 1};
    }
    sequence.step_count = XYLEM_SEQUENCE_STEPS_MAX;
    store_builder_must(save(session, &sequence, &err), &err);
    sequence.step_count++;
    assert_refused(session, &sequence, NULL, XYLEM_E_LIMIT, "a sequence has at most 100 steps, not 101");
    assert_not_written(&sequence, XYLEM_E_LIMIT, "a sequence has at most 100 steps, not 101");
    steps[1].bytes = XYLEM_STEP_BYTES_MAX;
    sequence.step_count = 2;
    store_builder_must(save(session, &sequence, &err), &err);
    steps[1].bytes++;
    assert_refused(session, &sequence, NULL, XYLEM_E_LIMIT, "step 2 has 65537 bytes");
    for (size_t i = 0; i < 17; i++) {
        steps[i].bytes = 61681;
    }
    sequence.step_count = 17;
    assert_refused(session, &sequence, NULL, XYLEM_E_LIMIT, "the steps have 1048577 bytes together");
    steps[16].bytes--;
    store_builder_must(save(session, &sequence, &err), &err);
}

IN_SCENE(steps_and_ids_of_other_bytes_are_refused)
{
    static const char long_id[] = "0123456789012345678901234567890123456789012345678901234567890123x";
    static const struct xylem_view bad[] = {
        {"\xff", 1}, {"a\x80", 2}, {"\xed\xa0\xbd\xed\xb8\x80", 6}, {"\xc0\x80", 2}, {NULL, 1}};
    static const struct xylem_view bad_ids[] = {{"\xff", 1}, {"\xed\xa0\xbd", 3}, {NULL, 1}, {long_id, 65}};
    struct xylem_view steps[] = {XYLEM_BASE__LITERAL("a"), {NULL, 0}};
    struct xylem_new_sequence sequence = {.steps = steps, .step_count = 2};
    struct xylem_error err = {0};
    uint64_t session = store_builder_session(&builder, "s");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        steps[1] = bad[i];
        assert_refused(session, &sequence, NULL, XYLEM_E_MALFORMED, "step 2 is not WTF-8");
        assert_not_written(&sequence, XYLEM_E_MALFORMED, "step 2 is not WTF-8");
    }
    steps[1] = XYLEM_BASE__LITERAL("");
    for (size_t i = 0; i < sizeof bad_ids / sizeof *bad_ids; i++) {
        sequence.sequence_id = bad_ids[i];
        assert_refused(session, &sequence, NULL, XYLEM_E_MALFORMED, "1 to 64 bytes of UTF-8");
        assert_not_written(&sequence, XYLEM_E_MALFORMED, "1 to 64 bytes of UTF-8");
    }
    sequence.sequence_id = (struct xylem_view){long_id, 64};
    store_builder_must(save(session, &sequence, &err), &err);
    sequence.entry_id = XYLEM_BASE__LITERAL("taken");
    store_builder_must(save(session, &sequence, &err), &err);
    assert_refused(session, &sequence, NULL, XYLEM_E_EXISTS, "taken");
}

/* vector 56 */
IN_SCENE(an_edit_keeps_the_id_and_is_the_newer_snapshot)
{
    struct xylem_view steps[] = {XYLEM_BASE__LITERAL("a"), XYLEM_BASE__LITERAL("b")};
    int64_t later = when + 1;
    struct xylem_new_sequence sequence = {.steps = steps, .step_count = 2, .updated_ms = &when};
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_buffer id = {0};
    struct xylem_error err = {0};
    store_builder_must(xylem_sequence_save(NULL, &id, builder.txn, session, &sequence, NULL, &err), &err);
    steps[1] = XYLEM_BASE__LITERAL("c");
    sequence.sequence_id = xylem_base__buffer_view(&id);
    sequence.updated_ms = &later;
    store_builder_must(save(session, &sequence, &err), &err);
    struct xylem_position leaf = store_builder_leaf(&builder, session);
    assert_int_equal(leaf.depth, 2);
    struct xylem_state found = state_at(leaf);
    assert_text(found.sequence.sequence_id, id.data);
    assert_text(found.sequence.steps[1], "c");
    assert_true(found.sequence.updated_at == (double)later);
    xylem_state_release(&found);
    xylem_buffer_release(&id);
}

/* vector 57 */
IN_SCENE(another_leaf_than_the_expected_one_is_a_conflict)
{
    const struct xylem_view step = XYLEM_BASE__LITERAL("a");
    const struct xylem_new_sequence sequence = {.steps = &step, .step_count = 1};
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position old = store_builder_messages(&builder, session, 1);
    struct xylem_position leaf = store_builder_messages(&builder, session, 1);
    struct xylem_append_options options = {.expected_leaf = &old};
    struct xylem_error err = {0};
    assert_refused(session, &sequence, &options, XYLEM_E_CONFLICT, "leaf");
    options.expected_leaf = &leaf;
    store_builder_must(xylem_sequence_save(NULL, NULL, builder.txn, session, &sequence, &options, &err), &err);
}

/* vector 102 */
IN_SCENE(a_fork_at_the_snapshot_has_the_sequence_and_a_fork_before_has_none)
{
    const struct xylem_view step = XYLEM_BASE__LITERAL("a");
    const struct xylem_new_sequence sequence = {.steps = &step, .step_count = 1};
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position at;
    struct xylem_error err = {0};
    store_builder_messages(&builder, session, 1);
    store_builder_must(xylem_sequence_save(&at, NULL, builder.txn, session, &sequence, NULL, &err), &err);
    for (int i = 0; i < 2; i++) {
        uint64_t fork = store_builder_fork(&builder, session, at, i == 0 ? XYLEM_FORK_AT : XYLEM_FORK_BEFORE,
                                           i == 0 ? "at" : "before");
        struct xylem_state found = state_at(store_builder_leaf(&builder, fork));
        assert_int_equal(found.sequence.present, i == 0);
        xylem_state_release(&found);
    }
}

/* --- Random lists ------------------------------------------------------------------------------------------------- */

/* A step of WTF-8 that a person may record: no control characters, no pair of surrogates. */
static void make_step(struct xylem_buffer *step, struct chance *chance)
{
    static const uint32_t tops[] = {0x7e, 0x7e, 0xff, 0xffff, 0x10ffff};
    int count = chance_one_in(chance, 20) ? chance_below(chance, 9000) : chance_below(chance, 40);
    xylem_base__buffer_clear(step);
    assert_int_equal(xylem_buffer_add(step, "a", 1), 0);
    bool after_high = false;
    for (int i = 0; i < count; i++) {
        char bytes[4];
        uint32_t code_point = (uint32_t)chance_below(chance, (int)tops[chance_below(chance, 5)] + 1);
        bool control = code_point < 0x20 || code_point == 0x7f;
        if (control) {
            code_point = (unsigned char)"\t\n\r \"\\/$"[code_point % 8];
        }
        if (after_high && code_point >= 0xdc00 && code_point <= 0xdfff) {
            code_point = ' ';
        }
        after_high = code_point >= 0xd800 && code_point <= 0xdbff;
        assert_int_equal(xylem_buffer_add(step, bytes, xylem_base__wtf8_encode(bytes, code_point)), 0);
    }
}

static struct xylem_catalogue *empty_catalogue(void)
{
    struct xylem_catalogue *catalogue = NULL;
    struct xylem_error err = {0};
    store_builder_must(xylem_catalogue_new(&catalogue, NULL, 0, NULL, &err), &err);
    return catalogue;
}

/* Saves the list, opens the store again and reads the list. */
static void round_trip(struct chance *chance, uint64_t session)
{
    struct xylem_catalogue *catalogue = empty_catalogue();
    struct xylem_buffer wanted[8] = {{0}};
    struct xylem_view steps[8];
    struct xylem_error err = {0};
    size_t count = (size_t)chance_below(chance, 8);
    struct xylem_new_sequence sequence = {.updated_ms = &when, .steps = steps, .step_count = count};
    for (size_t i = 0; i < count; i++) {
        struct xylem_step step = {0};
        make_step(&wanted[i], chance);
        steps[i] = xylem_base__buffer_view(&wanted[i]);
        store_builder_must(xylem_step_resolve(&step, catalogue, steps[i], &err), &err);
        assert_int_equal(step.problem, XYLEM_STEP_FINE);
        xylem_step_release(&step);
    }
    store_builder_must(save(session, &sequence, &err), &err);
    store_builder_reopen(&builder);
    struct xylem_state found = state_at(store_builder_leaf(&builder, session));
    assert_int_equal(found.sequence.step_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(found.sequence.steps[i].bytes, wanted[i].bytes);
        assert_memory_equal(found.sequence.steps[i].data, wanted[i].data, wanted[i].bytes);
    }
    xylem_state_release(&found);
    for (size_t i = 0; i < count; i++) {
        xylem_buffer_release(&wanted[i]);
    }
    xylem_catalogue_free(catalogue);
}

/* property 1 */
IN_SCENE(any_list_of_valid_steps_comes_back_byte_for_byte)
{
    const char *given = getenv("XYLEM_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)xylem_base__now_ms();
    struct chance chance = chance_of(seed);
    uint64_t session = store_builder_session(&builder, "s");
    print_message("XYLEM_SEED=%" PRIu64 "\n", seed);
    for (unsigned i = 0; i < test_rounds(200); i++) {
        round_trip(&chance, session);
    }
}
