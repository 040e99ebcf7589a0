#include <stdio.h>
#include <string.h>

#include "base/value.h"
#include "tests/lib/test.h"
#include "xylem.h"

static struct xylem_view steps[] = {{"a", 1}, {"b\n\nc", 4}, {"/handoff execution", 18}, {"\n\nd\n", 4}};

/* A run in the third of four steps of the second of five iterations. */
static struct xylem_run_state run_of(enum xylem_run_phase phase)
{
    return (struct xylem_run_state){.phase = phase,
                                    .steps = steps,
                                    .step_count = 4,
                                    .total_runs = 5,
                                    .run_index = 1,
                                    .step_index = 2,
                                    .host_session = XYLEM_BASE__LITERAL("01a1f9f7-22cb-7000-8000-3b5c8f21a4e7")};
}

static const struct xylem_sequence_text_options ascii = {.ascii = true};
static const struct xylem_sequence_text_options elsewhere = {.own_session = {"fork", 4}};

static void assert_status(const struct xylem_run_state *run, const struct xylem_sequence_text_options *options,
                          const char *expected)
{
    struct xylem_buffer text = {0};
    assert_int_equal(xylem_buffer_add(&text, ">", 1), 0);
    assert_int_equal(xylem_run_status(&text, run, options), 0);
    assert_string_equal(text.data + 1, expected);
    xylem_buffer_release(&text);
}

static void assert_notice(const struct xylem_run_state *run, const struct xylem_sequence_text_options *options,
                          const char *expected)
{
    struct xylem_buffer text = {0};
    assert_int_equal(xylem_run_notice(&text, run, options), 0);
    assert_string_equal(text.data ? text.data : "", expected);
    xylem_buffer_release(&text);
}

TEST(every_phase_has_a_status_line)
{
    static const struct {
        enum xylem_run_phase phase;
        const char *line;
        const char *ascii_line;
    } lines[] = {
        {XYLEM_RUN_RUNNING, "⟳ sequence 2/5 · step 3/4 · /handoff execution",
         "~ sequence 2/5 - step 3/4 - /handoff execution"},
        {XYLEM_RUN_RESETTING, "⟳ sequence 2/5 · new session", "~ sequence 2/5 - new session"},
        {XYLEM_RUN_PAUSED, "⏸ sequence 2/5 · paused before step 3/4", "= sequence 2/5 - paused before step 3/4"},
        {XYLEM_RUN_INTERRUPTED, "⚠ sequence 2/5 · step 3/4 was cut off", "! sequence 2/5 - step 3/4 was cut off"},
        {XYLEM_RUN_FAILED, "✗ sequence 2/5 · step 3/4 · unresolved", "x sequence 2/5 - step 3/4 - unresolved"},
        {XYLEM_RUN_STOPPED, "■ sequence 2/5 · stopped at step 3/4", "# sequence 2/5 - stopped at step 3/4"},
        {XYLEM_RUN_DONE, "✓ sequence · 5 runs", "+ sequence - 5 runs"},
        {XYLEM_RUN_DAMAGED, "✗ sequence · damaged", "x sequence - damaged"},
        {XYLEM_RUN_REDACTED, "■ sequence · redacted", "# sequence - redacted"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct xylem_run_state run = run_of(lines[i].phase);
        run.code = lines[i].phase == XYLEM_RUN_FAILED ? XYLEM_RUN_CODE_UNRESOLVED : XYLEM_RUN_CODE_NONE;
        assert_status(&run, NULL, lines[i].line);
        assert_status(&run, &ascii, lines[i].ascii_line);
    }
    struct xylem_run_state once = run_of(XYLEM_RUN_DONE);
    once.total_runs = 1;
    assert_status(&once, NULL, "✓ sequence · 1 run");
}

TEST(a_damaged_run_needs_no_member_but_its_phase)
{
    const struct xylem_run_state run = {.phase = XYLEM_RUN_DAMAGED};
    assert_status(&run, &elsewhere, "✗ sequence · damaged");
    assert_notice(&run, &elsewhere, "");
}

TEST(behind_the_last_step_the_last_step_is_shown)
{
    struct xylem_run_state run = run_of(XYLEM_RUN_RUNNING);
    run.step_index = 4;
    assert_status(&run, NULL, "⟳ sequence 2/5 · step 4/4 · d");
    run.phase = XYLEM_RUN_PAUSED;
    assert_status(&run, NULL, "⏸ sequence 2/5 · paused before step 4/4");
}

TEST(of_a_step_of_several_lines_the_first_line_is_shown)
{
    struct xylem_run_state run = run_of(XYLEM_RUN_RUNNING);
    run.step_index = 1;
    assert_status(&run, NULL, "⟳ sequence 2/5 · step 2/4 · b …");
    assert_status(&run, &ascii, "~ sequence 2/5 - step 2/4 - b ~");
}

/* vector 110 */
TEST(a_status_line_has_at_most_its_cells)
{
    struct xylem_sequence_text_options options = {.cells = 20};
    struct xylem_run_state run = run_of(XYLEM_RUN_RUNNING);
    assert_status(&run, &options, "⟳ sequence 2/5 · st…");
    options.cells = 30;
    assert_status(&run, &options, "⟳ sequence 2/5 · step 3/4 · /…");
    options.cells = 1;
    assert_status(&run, &options, "…");
    steps[2] = XYLEM_BASE__LITERAL("日本語");
    options.cells = 33;
    assert_status(&run, &options, "⟳ sequence 2/5 · step 3/4 · 日本…");
    options.cells = 34;
    assert_status(&run, &options, "⟳ sequence 2/5 · step 3/4 · 日本語");
    steps[2] = XYLEM_BASE__LITERAL("/handoff execution");
}

/* vector 111 */
TEST(a_step_of_a_foreign_snapshot_is_escaped)
{
    struct xylem_run_state run = run_of(XYLEM_RUN_RUNNING);
    steps[2] = XYLEM_BASE__LITERAL("\x1b[31mred");
    assert_status(&run, NULL, "⟳ sequence 2/5 · step 3/4 · \\x1b[31mred");
    steps[2] = XYLEM_BASE__LITERAL("/handoff execution");
}

TEST(an_open_run_of_another_session_is_shown_as_such)
{
    struct xylem_run_state run = run_of(XYLEM_RUN_RUNNING);
    const struct xylem_sequence_text_options own = {.own_session = run.host_session};
    assert_status(&run, &elsewhere, "sequence 2/5 · runs in 01a1f9f7-22cb");
    assert_status(&run, &own, "⟳ sequence 2/5 · step 3/4 · /handoff execution");
    run.phase = XYLEM_RUN_PAUSED;
    assert_status(&run, &elsewhere, "sequence 2/5 · paused in 01a1f9f7-22cb");
    run.phase = XYLEM_RUN_INTERRUPTED;
    run.host_session = XYLEM_BASE__LITERAL("a\x1b-session");
    assert_status(&run, &elsewhere, "sequence 2/5 · cut off in a\\x1b-session");
    run.phase = XYLEM_RUN_STOPPED;
    assert_status(&run, &elsewhere, "■ sequence 2/5 · stopped at step 3/4");
}

TEST(a_recording_has_a_status_line)
{
    struct xylem_recorder *recorder = NULL;
    struct xylem_buffer text = {0};
    assert_int_equal(xylem_recorder_new(&recorder, steps, 3, NULL), 0);
    assert_int_equal(xylem_recorder_status(&text, recorder, NULL), 0);
    assert_string_equal(text.data, "● recording · 3 steps · Enter adds, Ctrl+Enter ends, Esc cancels");
    assert_int_equal(xylem_recorder_remove(recorder, 0, NULL), 0);
    assert_int_equal(xylem_recorder_remove(recorder, 0, NULL), 0);
    text.bytes = 0;
    assert_int_equal(xylem_recorder_status(&text, recorder, &ascii), 0);
    assert_string_equal(text.data, "* recording - 1 step - Enter adds, Ctrl+Enter ends, Esc cancels");
    xylem_buffer_release(&text);
    xylem_recorder_free(recorder);
}

TEST(an_open_run_has_a_notice)
{
    const struct xylem_sequence_text_options narrow = {.cells = 20};
    struct xylem_run_state run = run_of(XYLEM_RUN_PAUSED);
    assert_notice(&run, &narrow,
                  "The sequence is paused in run 2 of 5, before step 3 of 4. /sequence goes on or ends it.");
    assert_notice(&run, &elsewhere,
                  "The sequence of session 01a1f9f7-22cb is paused in run 2 of 5, before step 3 of 4.");
    run.phase = XYLEM_RUN_INTERRUPTED;
    assert_notice(&run, NULL,
                  "Step 3 of 4 in run 2 of 5 was being executed, and its end is not stored; whether it took effect "
                  "is not known. /sequence asks.");
    assert_notice(&run, &elsewhere, "The sequence of session 01a1f9f7-22cb was cut off in run 2 of 5, in step 3 of 4.");
    run.phase = XYLEM_RUN_RUNNING;
    run.owned = true;
    run.owner.pid = 4711;
    memcpy(run.owner.host, "maple", 6);
    assert_notice(&run, NULL, "The sequence runs in process 4711 on maple, in session 01a1f9f7-22cb.");
    run.phase = XYLEM_RUN_RESETTING;
    run.owned = false;
    assert_notice(&run, NULL, "The sequence runs in session 01a1f9f7-22cb.");
}

TEST(a_run_that_has_ended_has_no_notice)
{
    static const enum xylem_run_phase ended[] = {XYLEM_RUN_DONE, XYLEM_RUN_FAILED, XYLEM_RUN_STOPPED, XYLEM_RUN_DAMAGED,
                                                 XYLEM_RUN_REDACTED};
    for (size_t i = 0; i < sizeof ended / sizeof *ended; i++) {
        struct xylem_run_state run = run_of(ended[i]);
        assert_notice(&run, NULL, "");
    }
}
