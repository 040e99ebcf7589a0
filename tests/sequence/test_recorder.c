#include <string.h>

#include "base/value.h"
#include "tests/lib/test.h"
#include "xylem.h"

static struct xylem_catalogue *catalogue;

static int set_up(void **state)
{
    (void)state;
    static const struct xylem_command commands[] = {
        {.name = {"handoff", 7}, .source = XYLEM_COMMAND_OWN},
        {.name = {"publish", 7}, .source = XYLEM_COMMAND_EXTENSION, .path = {"/x.ts", 5}},
    };
    return xylem_catalogue_new(&catalogue, commands, 2, NULL, NULL);
}

static int tear_down(void **state)
{
    (void)state;
    xylem_catalogue_free(catalogue);
    return 0;
}

static struct xylem_recorder *recorder_of(const struct xylem_view *steps, size_t count)
{
    struct xylem_recorder *recorder = NULL;
    assert_int_equal(xylem_recorder_new(&recorder, steps, count, NULL), 0);
    return recorder;
}

static enum xylem_step_problem add(struct xylem_recorder *recorder, const char *text)
{
    struct xylem_step step = {0};
    assert_int_equal(xylem_recorder_add(&step, recorder, catalogue, xylem_view_of(text), NULL), 0);
    enum xylem_step_problem problem = step.problem;
    xylem_step_release(&step);
    return problem;
}

static enum xylem_step_problem replace(struct xylem_recorder *recorder, size_t at, const char *text)
{
    struct xylem_step step = {0};
    assert_int_equal(xylem_recorder_replace(&step, recorder, catalogue, at, xylem_view_of(text), NULL), 0);
    enum xylem_step_problem problem = step.problem;
    xylem_step_release(&step);
    return problem;
}

/* The steps, each with a bar behind, and whether they changed. */
static void assert_steps(const struct xylem_recorder *recorder, const char *expected, bool expected_changed)
{
    const struct xylem_view *steps = NULL;
    size_t count = 0;
    bool changed = !expected_changed;
    struct xylem_buffer line = {0};
    xylem_recorder_steps(&steps, &count, &changed, recorder);
    assert_int_equal(xylem_buffer_add(&line, "", 0), 0);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(xylem_buffer_add(&line, steps[i].data, steps[i].bytes), 0);
        assert_int_equal(xylem_buffer_add(&line, "|", 1), 0);
    }
    assert_string_equal(line.data ? line.data : "", expected);
    assert_int_equal(changed, expected_changed);
    xylem_buffer_release(&line);
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(steps_are_kept_in_order_as_authored)
{
    struct xylem_recorder *recorder = recorder_of(NULL, 0);
    char text[] = " two\nlines ";
    assert_steps(recorder, "", false);
    assert_int_equal(add(recorder, "/handoff now"), XYLEM_STEP_FINE);
    assert_int_equal(add(recorder, text), XYLEM_STEP_FINE);
    memset(text, 'x', sizeof text - 1);
    assert_steps(recorder, "/handoff now| two\nlines |", true);
    xylem_recorder_free(recorder);
    xylem_recorder_free(NULL);
}

IN_SCENE(a_step_with_a_problem_changes_nothing)
{
    const struct xylem_view steps[] = {XYLEM_BASE__LITERAL("a")};
    struct xylem_recorder *recorder = recorder_of(steps, 1);
    struct xylem_step step = {0};
    struct xylem_view raw = XYLEM_BASE__LITERAL("/publish it");
    assert_int_equal(xylem_recorder_add(&step, recorder, catalogue, raw, NULL), 0);
    assert_int_equal(step.problem, XYLEM_STEP_EXTENSION);
    assert_ptr_equal(step.raw.data, raw.data);
    assert_non_null(strstr(step.message.data, "/x.ts"));
    xylem_step_release(&step);
    assert_int_equal(add(recorder, "/new"), XYLEM_STEP_RESET);
    assert_int_equal(replace(recorder, 0, "!ls"), XYLEM_STEP_SHELL);
    assert_int_equal(replace(recorder, 0, " "), XYLEM_STEP_EMPTY);
    assert_steps(recorder, "a|", false);
    xylem_recorder_free(recorder);
}

IN_SCENE(steps_are_replaced_and_removed_by_their_place)
{
    const struct xylem_view steps[] = {XYLEM_BASE__LITERAL("a"), XYLEM_BASE__LITERAL("b"), XYLEM_BASE__LITERAL("c")};
    struct xylem_recorder *recorder = recorder_of(steps, 3);
    assert_int_equal(replace(recorder, 1, "longer"), XYLEM_STEP_FINE);
    assert_steps(recorder, "a|longer|c|", true);
    assert_int_equal(xylem_recorder_remove(recorder, 0, NULL), 0);
    assert_int_equal(xylem_recorder_remove(recorder, 1, NULL), 0);
    assert_steps(recorder, "longer|", true);
    assert_int_equal(xylem_recorder_remove(recorder, 0, NULL), 0);
    assert_steps(recorder, "", true);
    xylem_recorder_free(recorder);
}

/* vector 55: a host saves a recording that changed, so an edit that changes nothing appends nothing */
IN_SCENE(an_edit_back_to_the_first_steps_is_no_change)
{
    const struct xylem_view steps[] = {XYLEM_BASE__LITERAL("a"), XYLEM_BASE__LITERAL("b")};
    struct xylem_recorder *recorder = recorder_of(steps, 2);
    assert_int_equal(replace(recorder, 0, "a"), XYLEM_STEP_FINE);
    assert_steps(recorder, "a|b|", false);
    assert_int_equal(add(recorder, "b"), XYLEM_STEP_FINE);
    assert_steps(recorder, "a|b|b|", true);
    assert_int_equal(xylem_recorder_remove(recorder, 1, NULL), 0);
    assert_steps(recorder, "a|b|", false);
    assert_int_equal(replace(recorder, 1, "B"), XYLEM_STEP_FINE);
    assert_steps(recorder, "a|B|", true);
    xylem_recorder_free(recorder);
}

IN_SCENE(places_behind_the_end_are_refused)
{
    const struct xylem_view steps[] = {XYLEM_BASE__LITERAL("a")};
    struct xylem_recorder *recorder = recorder_of(steps, 1);
    struct xylem_step step = {0};
    struct xylem_error err = {0};
    assert_int_equal(xylem_recorder_remove(recorder, 1, &err), XYLEM_E_ARGUMENT);
    assert_string_equal(err.text, "there is no step at 1, of 1 steps");
    assert_int_equal(xylem_recorder_replace(&step, recorder, catalogue, SIZE_MAX, steps[0], &err), XYLEM_E_ARGUMENT);
    assert_steps(recorder, "a|", false);
    xylem_step_release(&step);
    xylem_recorder_free(recorder);
}

/* vectors 50 and 51 */
IN_SCENE(limits_hold_for_the_first_steps_and_for_every_change)
{
    static char bytes[XYLEM_STEP_BYTES_MAX + 1];
    struct xylem_view steps[XYLEM_SEQUENCE_STEPS_MAX + 1];
    struct xylem_recorder *recorder = NULL;
    struct xylem_step step = {0};
    struct xylem_error err = {0};
    memset(bytes, 'x', sizeof bytes);
    for (size_t i = 0; i <= XYLEM_SEQUENCE_STEPS_MAX; i++) {
        steps[i] = (struct xylem_view){bytes, 1};
    }
    assert_int_equal(xylem_recorder_new(&recorder, steps, 101, &err), XYLEM_E_LIMIT);
    assert_null(recorder);
    recorder = recorder_of(steps, 100);
    assert_int_equal(xylem_recorder_add(&step, recorder, catalogue, steps[0], &err), XYLEM_E_LIMIT);
    assert_string_equal(err.text, "a sequence has at most 100 steps, not 101");
    assert_int_equal(replace(recorder, 99, "y"), XYLEM_STEP_FINE);
    assert_int_equal(xylem_recorder_remove(recorder, 0, NULL), 0);
    assert_int_equal(add(recorder, "z"), XYLEM_STEP_FINE);
    xylem_recorder_free(recorder);

    for (size_t i = 0; i < 16; i++) {
        steps[i].bytes = XYLEM_STEP_BYTES_MAX;
    }
    recorder = recorder_of(steps, 16);
    assert_int_equal(xylem_recorder_add(&step, recorder, catalogue, steps[20], &err), XYLEM_E_LIMIT);
    assert_string_equal(err.text, "the steps have 1048577 bytes together, at most 1048576 are allowed");
    assert_int_equal(replace(recorder, 3, "y"), XYLEM_STEP_FINE);
    assert_int_equal(add(recorder, "z"), XYLEM_STEP_FINE);
    assert_int_equal(xylem_recorder_replace(&step, recorder, catalogue, 3, steps[0], &err), XYLEM_E_LIMIT);
    xylem_recorder_free(recorder);
    steps[0].bytes++;
    assert_int_equal(xylem_recorder_new(&recorder, steps, 1, &err), XYLEM_E_LIMIT);
    recorder = recorder_of(NULL, 0);
    assert_int_equal(xylem_recorder_add(&step, recorder, catalogue, steps[0], &err), 0);
    assert_int_equal(step.problem, XYLEM_STEP_TOO_LONG);
    assert_steps(recorder, "", false);
    xylem_step_release(&step);
    xylem_recorder_free(recorder);
}
