/*
 * Every allocation fails once, of a catalogue, a sequence that is resolved, and the text of a step: each time the call
 * says so, and leaves nothing behind.
 */
#include <stdlib.h>

#include "tests/lib/failing_calls.h"
#include "tests/sequence/one_catalogue.h"

typedef int work_function(struct xylem_error *err);

/* `least`: so many allocations there are, or the work does not reach what it is meant to reach. */
static void fail_each_allocation(work_function *work, size_t least)
{
    size_t call_count = 1;
    for (size_t i = 0; i <= call_count; i++) {
        struct xylem_error err = {0};
        calls = 0;
        failing_call = i;
        counting = true;
        int code = work(&err);
        counting = false;
        if (i == 0) {
            assert_int_equal(code, 0);
            call_count = calls;
            assert_true(call_count >= least);
        } else {
            assert_int_equal(code, XYLEM_E_MEMORY);
            assert_string_equal(err.text, "out of memory");
        }
    }
}

TEST_FILE(set_up, tear_down)

static int make_catalogue(struct xylem_error *err)
{
    struct xylem_catalogue *made = NULL;
    int code = xylem_catalogue_new_json(&made, LITERAL("{\"schema\":1,\"commands\":[" COMMANDS "]}"), err);
    assert_int_equal(code == 0, made != NULL);
    xylem_catalogue_free(made);
    return code;
}

static int resolve_step(struct xylem_error *err)
{
    struct xylem_step step = {0};
    int code = xylem_step_resolve(&step, catalogue, LITERAL("/readonly maybe"), err);
    assert_int_equal(code == 0, step.raw.data != NULL); /* emptied */
    xylem_step_release(&step);
    return code;
}

static int resolve_sequence(struct xylem_error *err)
{
    const struct xylem_view steps[] = {LITERAL("go"), LITERAL("/new"), LITERAL("/readnoly")};
    struct xylem_resolution resolution = {0};
    int code = xylem_sequence_resolve(&resolution, catalogue, steps, 3, NULL, 0, err);
    assert_int_equal(code == 0, resolution.steps != NULL);
    xylem_resolution_release(&resolution);
    return code;
}

/* Without steps, and with too many. */
static int refuse_sequences(struct xylem_error *err)
{
    static const struct xylem_view steps[XYLEM_SEQUENCE_STEPS_MAX + 1];
    struct xylem_resolution resolution = {0};
    int code = xylem_sequence_resolve(&resolution, catalogue, NULL, 0, NULL, 0, err);
    if (code == 0) {
        code = xylem_sequence_resolve(&resolution, catalogue, steps, XYLEM_SEQUENCE_STEPS_MAX + 1, NULL, 0, err);
    }
    xylem_resolution_release(&resolution);
    return code;
}

static int make_text(struct xylem_error *err)
{
    static const struct xylem_view args[] = {{"a b", 3}};
    struct xylem_step step = {0};
    struct xylem_buffer text = {0};
    counting = false;
    assert_int_equal(
        xylem_step_resolve(&step, catalogue,
                           LITERAL("/skill:pdf $1 $1 $1 $1 $1 $1 $1 $1 $1 $1 $1 $1 $1 $1 $1 $1 $1 $1 $1 $1 $1"), NULL),
        0);
    assert_int_equal(xylem_buffer_add(&text, "before", 6), 0);
    counting = true;
    int code = xylem_step_text(&text, &step, args, 1, err);
    assert_int_equal(code == 0, text.bytes > 6);
    assert_memory_equal(text.data, "before", code < 0 ? 7 : 6);
    xylem_buffer_release(&text);
    xylem_step_release(&step);
    return code;
}

TEST(a_failed_allocation_is_reported_and_leaves_nothing_behind)
{
    fail_each_allocation(make_catalogue, 5);
    fail_each_allocation(resolve_step, 2);
    fail_each_allocation(resolve_sequence, 4);
    fail_each_allocation(refuse_sequences, 2);
    fail_each_allocation(make_text, 1);
}

/* --- Texts ------------------------------------------------------------------------------------------------------------ */

static const struct xylem_view recorded[] = {{"go\nthere", 8}, {"/readonly on", 12}};

/* Checks that a failed text left the buffer of begin_text() as the buffer was. */
static int end_text(struct xylem_buffer *text, int code, struct xylem_error *err)
{
    assert_int_equal(code == 0, text->bytes > 6);
    assert_memory_equal(text->data, "before", code < 0 ? 7 : 6);
    xylem_buffer_release(text);
    if (code < 0) {
        (void)snprintf(err->text, sizeof err->text, "%s", xylem_code_text(code));
    }
    return code;
}

/* A buffer without room for more. */
static struct xylem_buffer begin_text(void)
{
    struct xylem_buffer text = {.data = __real_malloc(7), .bytes = 6, .capacity = 7};
    assert_non_null(text.data);
    memcpy(text.data, "before", 7);
    return text;
}

static struct xylem_run_state run_of(enum xylem_run_phase phase)
{
    static struct xylem_view steps[] = {{"/handoff", 8}};
    return (struct xylem_run_state){.run_id = "0198d2f4-7c11-7a02-9d6e-3b5c8f21a4e7",
                                    .phase = phase,
                                    .sequence_id = LITERAL("q"),
                                    .steps = steps,
                                    .step_count = 1,
                                    .total_runs = 5};
}

static int write_mark(struct xylem_error *err)
{
    struct xylem_run_state run = run_of(XYLEM_RUN_STOPPED);
    struct xylem_buffer text = begin_text();
    return end_text(&text, xylem_run_mark_json(&text, &run, XYLEM_MARK_STOP), err);
}

static int write_snapshot(struct xylem_error *err)
{
    const struct xylem_new_sequence sequence = {.steps = recorded, .step_count = 2};
    struct xylem_buffer text = begin_text();
    return end_text(&text, xylem_sequence_json(&text, &sequence, err), err);
}

TEST(a_failed_allocation_leaves_a_text_as_it_was)
{
    fail_each_allocation(write_mark, 1);
    fail_each_allocation(write_snapshot, 1);
}
