#include <string.h>

#include "base/value.h"
#include "tests/lib/test.h"
#include "xylem.h"

static const struct xylem_view own = {"s", 1};
static const struct xylem_view other = {"fork", 4};
static const struct xylem_resolution fine = {.problem = XYLEM_SEQUENCE_FINE};

static struct xylem_run_state run_of(enum xylem_run_phase phase)
{
    return (struct xylem_run_state){.phase = phase, .host_session = own, .total_runs = 5};
}

/* The words of the rows, each with a blank behind; a disabled row as -word. */
static void assert_menu(const struct xylem_resolution *resolution, const struct xylem_run_state *state,
                        struct xylem_view session, const char *expected)
{
    struct xylem_menu_row rows[XYLEM_MENU_ROWS_MAX];
    char words[256] = "";
    size_t count = xylem_sequence_menu(rows, resolution, state, session);
    assert_true(count <= XYLEM_MENU_ROWS_MAX);
    for (size_t i = 0; i < count; i++) {
        strcat(words, rows[i].enabled ? "" : "-");
        strcat(words, rows[i].word);
        strcat(words, " ");
        assert_true(strlen(rows[i].label) > 0);
        assert_int_equal(rows[i].enabled, rows[i].reason.bytes == 0);
    }
    assert_string_equal(words, expected);
}

/* vector 106 */
TEST(without_a_snapshot_and_a_run_recording_starts_at_once)
{
    struct xylem_run_state done = run_of(XYLEM_RUN_DONE);
    assert_menu(NULL, NULL, own, "");
    assert_menu(NULL, &done, own, "");
}

TEST(a_snapshot_can_be_run_edited_and_replaced)
{
    static const enum xylem_run_phase ended[] = {XYLEM_RUN_DONE, XYLEM_RUN_FAILED, XYLEM_RUN_STOPPED, XYLEM_RUN_DAMAGED,
                                                 XYLEM_RUN_REDACTED};
    assert_menu(&fine, NULL, own, "run edit new cancel ");
    for (size_t i = 0; i < sizeof ended / sizeof *ended; i++) {
        struct xylem_run_state run = run_of(ended[i]);
        assert_menu(&fine, &run, own, "run edit new cancel ");
        assert_menu(&fine, &run, other, "run edit new cancel ");
    }
}

/* vector 107 */
TEST(a_snapshot_that_cannot_be_run_says_why)
{
    struct xylem_catalogue *catalogue = NULL;
    struct xylem_resolution resolution = {0};
    struct xylem_menu_row rows[XYLEM_MENU_ROWS_MAX];
    const struct xylem_view step = XYLEM_BASE__LITERAL("/new");
    assert_int_equal(xylem_catalogue_new(&catalogue, NULL, 0, NULL, NULL), 0);
    assert_int_equal(xylem_sequence_resolve(&resolution, catalogue, NULL, 0, NULL, 0, NULL), 0);
    assert_menu(&resolution, NULL, own, "-run edit new cancel ");
    assert_int_equal(xylem_sequence_menu(rows, &resolution, NULL, own), 4);
    assert_string_equal(rows[0].reason.data, "the sequence has no steps");
    assert_string_equal(xylem_sequence_problem_word(resolution.problem), "no-steps");
    xylem_resolution_release(&resolution);
    assert_int_equal(xylem_sequence_resolve(&resolution, catalogue, &step, 1, NULL, 0, NULL), 0);
    assert_menu(&resolution, NULL, own, "-run edit new cancel ");
    xylem_resolution_release(&resolution);
    xylem_catalogue_free(catalogue);
}

/* vector 108 */
TEST(an_open_run_comes_first)
{
    static const struct xylem_view unknown = {NULL, 0};
    struct xylem_run_state run = run_of(XYLEM_RUN_RUNNING);
    assert_menu(&fine, &run, own, "status stop cancel ");
    assert_menu(NULL, &run, own, "status stop cancel ");
    run = run_of(XYLEM_RUN_RESETTING);
    assert_menu(&fine, &run, own, "status stop cancel ");
    run = run_of(XYLEM_RUN_PAUSED);
    assert_menu(&fine, &run, own, "continue stop run edit new cancel ");
    assert_menu(NULL, &run, own, "continue stop new cancel ");
    run = run_of(XYLEM_RUN_INTERRUPTED);
    assert_menu(&fine, &run, own, "retry skip stop cancel ");
    assert_menu(&fine, &run, unknown, "retry skip stop cancel ");
}

/* vector 103 */
TEST(an_open_run_of_another_session_can_only_be_looked_at)
{
    static const enum xylem_run_phase open[] = {XYLEM_RUN_RUNNING, XYLEM_RUN_RESETTING, XYLEM_RUN_PAUSED,
                                                XYLEM_RUN_INTERRUPTED};
    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        struct xylem_run_state run = run_of(open[i]);
        assert_menu(&fine, &run, other, "status run edit new cancel ");
        assert_menu(NULL, &run, other, "status new cancel ");
    }
}
