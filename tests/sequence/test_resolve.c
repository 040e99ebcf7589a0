/* Whole sequences, and names that are spelt alike. */
#include <stdlib.h>

#include "sequence/near.h"
#include "tests/lib/chance.h"
#include "tests/sequence/one_catalogue.h"

TEST_FILE(set_up, tear_down)

static void resolve(struct xylem_resolution *resolution, const struct xylem_view *steps, size_t step_count)
{
    struct xylem_error err = {0};
    assert_int_equal(xylem_sequence_resolve(resolution, catalogue, steps, step_count, NULL, 0, &err), 0);
}

TEST(a_sequence_without_steps_cannot_run)
{
    struct xylem_resolution resolution = {0};
    resolve(&resolution, NULL, 0); /* vector 49 */
    assert_int_equal(resolution.problem, XYLEM_SEQUENCE_NO_STEPS);
    assert_string_equal(xylem_sequence_problem_word(resolution.problem), "no-steps");
    assert_string_equal(resolution.message.data, "the sequence has no steps");
    assert_int_equal(resolution.step_count, 0);
    xylem_resolution_release(&resolution);
    xylem_resolution_release(NULL);
}

TEST(a_sequence_has_at_most_100_steps)
{
    struct xylem_resolution resolution = {0};
    struct xylem_view steps[XYLEM_SEQUENCE_STEPS_MAX + 1];
    for (size_t i = 0; i <= XYLEM_SEQUENCE_STEPS_MAX; i++) {
        steps[i] = LITERAL("go");
    }
    resolve(&resolution, steps, XYLEM_SEQUENCE_STEPS_MAX); /* vector 50 */
    assert_int_equal(resolution.problem, XYLEM_SEQUENCE_FINE);
    assert_int_equal(resolution.step_count, XYLEM_SEQUENCE_STEPS_MAX);
    assert_int_equal(resolution.message.bytes, 0);
    resolve(&resolution, steps, XYLEM_SEQUENCE_STEPS_MAX + 1); /* vector 50; the resolution is emptied first */
    assert_int_equal(resolution.problem, XYLEM_SEQUENCE_TOO_MANY_STEPS);
    assert_string_equal(resolution.message.data, "the sequence has 101 steps, at most 100 are allowed");
    assert_int_equal(resolution.step_count, 0);
    xylem_resolution_release(&resolution);
}

TEST(the_steps_have_at_most_a_mebibyte_together)
{
    enum { BYTES = 61681 };
    struct xylem_resolution resolution = {0};
    struct xylem_view steps[17];
    char *text = malloc(BYTES);
    assert_non_null(text);
    memset(text, 'x', BYTES);
    for (size_t i = 0; i < 17; i++) {
        steps[i] = (struct xylem_view){text, BYTES};
    }
    resolve(&resolution, steps, 17); /* vector 51 */
    assert_int_equal(resolution.problem, XYLEM_SEQUENCE_TOO_LARGE);
    assert_string_equal(resolution.message.data, "the steps have 1048577 bytes together, at most 1048576 are allowed");
    assert_int_equal(resolution.step_count, 17);
    assert_int_equal(resolution.problem_count, 0);
    steps[3].bytes--;
    resolve(&resolution, steps, 17);
    assert_int_equal(resolution.problem, XYLEM_SEQUENCE_FINE);
    xylem_resolution_release(&resolution);
    free(text);
}

TEST(all_problems_are_listed_and_the_first_is_named)
{
    struct xylem_resolution resolution = {0};
    const struct xylem_view steps[] = {LITERAL("/plan x"), LITERAL("/readnoly"), LITERAL("/new")};
    resolve(&resolution, steps, 3); /* vector 54 */
    assert_int_equal(resolution.problem, XYLEM_SEQUENCE_STEP);
    assert_int_equal(resolution.problem_count, 2);
    assert_int_equal(resolution.first_problem, 1);
    assert_step(&resolution.steps[0], "template");
    assert_step(&resolution.steps[1], "unknown");
    assert_step(&resolution.steps[2], "reset");
    assert_string_equal(resolution.message.data,
                        "step 2 of 3: there is no command, prompt or skill /readnoly; is /readonly meant?");
    xylem_resolution_release(&resolution);
}

TEST(calls_against_the_contract_are_refused)
{
    struct xylem_resolution resolution = {0};
    const struct xylem_view step = {NULL, 3};
    struct xylem_error err = {0};
    assert_int_equal(xylem_sequence_resolve(&resolution, NULL, NULL, 0, NULL, 0, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_sequence_resolve(&resolution, catalogue, NULL, 1, NULL, 0, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_sequence_resolve(&resolution, catalogue, NULL, 0, NULL, 1, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_sequence_resolve(&resolution, catalogue, &step, 1, NULL, 0, &err), XYLEM_E_ARGUMENT);
    assert_string_equal(err.text, "step 1 has a length, but is NULL");
}

/* --- Edits -------------------------------------------------------------------------------------------------------- */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The whole table. */
static size_t plain_edits(struct xylem_view a, struct xylem_view b)
{
    static size_t cells[300][300];
    for (size_t i = 0; i <= a.bytes; i++) {
        for (size_t j = 0; j <= b.bytes; j++) {
            if (i == 0 || j == 0) {
                cells[i][j] = i + j;
                continue;
            }
            size_t cell = cells[i - 1][j - 1] + (a.data[i - 1] != b.data[j - 1]);
            cell = least(cell, least(cells[i - 1][j], cells[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] && a.data[i - 2] == b.data[j - 1]) {
                cell = least(cell, cells[i - 2][j - 2] + 1);
            }
            cells[i][j] = cell;
        }
    }
    return least(cells[a.bytes][b.bytes], XYLEM_SEQUENCE__EDITS_MAX + 1);
}

TEST(edits_are_those_of_the_whole_table)
{
    struct chance chance = chance_of(17);
    for (unsigned round = 0; round < test_rounds(40000); round++) {
        char texts[2][8];
        struct xylem_view views[2];
        for (int i = 0; i < 2; i++) {
            views[i] = (struct xylem_view){texts[i], (size_t)chance_below(&chance, 8)};
            for (size_t j = 0; j < views[i].bytes; j++) {
                texts[i][j] = (char)('a' + chance_below(&chance, 3));
            }
        }
        if (xylem_sequence__edits(views[0], views[1]) != plain_edits(views[0], views[1])) {
            fail_msg("'%.*s' and '%.*s'", (int)views[0].bytes, texts[0], (int)views[1].bytes, texts[1]);
        }
    }
    char name[XYLEM_COMMAND_NAME_BYTES_MAX];
    memset(name, 'x', sizeof name);
    struct xylem_view longest = {name, sizeof name};
    assert_int_equal(xylem_sequence__edits(longest, longest), 0);
    assert_int_equal(xylem_sequence__edits(longest, (struct xylem_view){name, sizeof name - 2}), 2);
    assert_int_equal(xylem_sequence__edits((struct xylem_view){name, sizeof name - 3}, longest), 3);
}
