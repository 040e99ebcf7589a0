#include <stdio.h>
#include <string.h>

#include "tests/lib/held.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "xylem/sequence.h"

#define RUN "0198d2f4-7c11-7a02-9d6e-3b5c8f21a4e7"

static struct xylem_run_state run_of(enum xylem_run_phase phase)
{
    struct xylem_run_state run = {.run_id = RUN, .phase = phase, .sequence_id = {"q\n", 2}, .total_runs = 5};
    run.run_index = 1;
    return run;
}

static void assert_mark(const struct xylem_run_state *run, enum xylem_mark_event event, const char *rest)
{
    struct xylem_buffer json = {0};
    char expected[256];
    (void)snprintf(expected, sizeof expected, "{\"version\":1,\"runId\":\"" RUN "\",\"sequenceId\":\"q\\n\",%s}", rest);
    assert_int_equal(xylem_buffer_add(&json, ">", 1), 0);
    assert_int_equal(xylem_run_mark_json(&json, run, event), 0);
    assert_string_equal(json.data + 1, expected);
    xylem_buffer_release(&json);
}

TEST(a_mark_has_the_iteration_and_behind_its_beginning_the_outcome)
{
    struct xylem_run_state run = run_of(XYLEM_RUN_RUNNING);
    assert_mark(&run, XYLEM_MARK_BEGIN, "\"event\":\"begin\",\"runIndex\":1,\"totalRuns\":5");
    assert_mark(&run, XYLEM_MARK_STOP, "\"event\":\"stop\",\"runIndex\":1,\"totalRuns\":5");
    run = run_of(XYLEM_RUN_FAILED);
    run.code = XYLEM_RUN_CODE_TURN_ERROR;
    assert_mark(&run, XYLEM_MARK_BEGIN, "\"event\":\"begin\",\"runIndex\":1,\"totalRuns\":5");
    assert_mark(&run, XYLEM_MARK_STOP,
                "\"event\":\"stop\",\"runIndex\":1,\"totalRuns\":5,\"outcome\":\"failed\",\"code\":\"turn-error\"");
    run = run_of(XYLEM_RUN_DONE);
    run.run_index = 4;
    assert_mark(&run, XYLEM_MARK_END, "\"event\":\"end\",\"runIndex\":4,\"totalRuns\":5,\"outcome\":\"done\"");
    run = run_of(XYLEM_RUN_STOPPED);
    assert_mark(&run, XYLEM_MARK_STOP, "\"event\":\"stop\",\"runIndex\":1,\"totalRuns\":5,\"outcome\":\"stopped\"");
    run = run_of(XYLEM_RUN_INTERRUPTED);
    assert_mark(&run, XYLEM_MARK_STOP, "\"event\":\"stop\",\"runIndex\":1,\"totalRuns\":5,\"outcome\":\"paused\"");
    run = run_of(XYLEM_RUN_PAUSED);
    run.code = XYLEM_RUN_CODE_LEFT;
    assert_mark(&run, XYLEM_MARK_STOP,
                "\"event\":\"stop\",\"runIndex\":1,\"totalRuns\":5,\"outcome\":\"paused\",\"code\":\"left\"");
}

TEST(a_state_that_is_of_no_run_makes_no_mark)
{
    struct xylem_buffer json = {0};
    struct xylem_run_state run = run_of(XYLEM_RUN_RUNNING);
    assert_int_equal(xylem_run_mark_json(&json, &run, (enum xylem_mark_event)3), XYLEM_E_ARGUMENT);
    run.run_index = 5;
    assert_int_equal(xylem_run_mark_json(&json, &run, XYLEM_MARK_END), XYLEM_E_ARGUMENT);
    run = run_of(XYLEM_RUN_RUNNING);
    run.total_runs = 1001;
    assert_int_equal(xylem_run_mark_json(&json, &run, XYLEM_MARK_END), XYLEM_E_ARGUMENT);
    run = run_of(XYLEM_RUN_RUNNING);
    run.sequence_id.bytes = 0;
    assert_int_equal(xylem_run_mark_json(&json, &run, XYLEM_MARK_END), XYLEM_E_ARGUMENT);
    run = run_of(XYLEM_RUN_RUNNING);
    run.run_id[35] = '\0';
    assert_int_equal(xylem_run_mark_json(&json, &run, XYLEM_MARK_END), XYLEM_E_ARGUMENT);
    run = run_of(XYLEM_RUN_DAMAGED); /* the start may be whole: the place is not known all the same */
    assert_int_equal(xylem_run_mark_json(&json, &run, XYLEM_MARK_END), XYLEM_E_ARGUMENT);
    run.phase = XYLEM_RUN_REDACTED;
    assert_int_equal(xylem_run_mark_json(&json, &run, XYLEM_MARK_END), XYLEM_E_ARGUMENT);
    assert_null(json.data);
}

TEST_WITH(every_mark_is_read_back, set_up, tear_down)
{
    uint64_t session = store_builder_session(&builder, "s");
    for (int phase = 0; phase < XYLEM_RUN_DAMAGED; phase++) {
        for (int code = 0; code < XYLEM_RUN_CODE_COUNT; code++) {
            struct xylem_run_state run = run_of((enum xylem_run_phase)phase);
            struct xylem_buffer json = {0};
            run.code = (enum xylem_run_code)code;
            assert_int_equal(xylem_run_mark_json(&json, &run, XYLEM_MARK_STOP), 0);
            struct xylem_position at = store_builder_add(&builder, session, NULL, "custom:sequence-mark", json.data);
            struct xylem_state found = held_state_at(&builder, at, NULL, NULL);
            assert_int_equal(found.mark.position.depth, at.depth);
            assert_int_equal(found.mark.event, XYLEM_MARK_STOP);
            assert_int_equal(found.mark.run_index, 1);
            xylem_state_release(&found);
            xylem_buffer_release(&json);
        }
    }
}
