/* docs/sequences.md has the words, the messages and the limits of the code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/test.h"
#include "xylem/sequence.h"

static char *page;

static int read_page(void **state)
{
    FILE *file = fopen("docs/sequences.md", "r");
    (void)state;
    assert_non_null(file);
    page = calloc(1, 1u << 20);
    assert_non_null(page);
    assert_true(fread(page, 1, (1u << 20) - 1, file) > 0);
    fclose(file);
    return 0;
}

static int forget_page(void **state)
{
    (void)state;
    free(page);
    return 0;
}

static void assert_row(const char *row)
{
    if (!strstr(page, row)) {
        fail_msg("docs/sequences.md has no row %s", row);
    }
}

static void assert_word(const char *word)
{
    char row[64];
    snprintf(row, sizeof row, "`%s`", word);
    assert_row(row);
}

TEST(the_page_has_each_word_of_the_code)
{
    for (int i = 1; i < XYLEM_SEQUENCE_PROBLEM_COUNT; i++) {
        assert_word(xylem_sequence_problem_word((enum xylem_sequence_problem)i));
    }
    for (int i = 0; i < XYLEM_RUN_PHASE_COUNT; i++) {
        assert_word(xylem_run_phase_word((enum xylem_run_phase)i));
    }
    for (int i = 1; i < XYLEM_RUN_CODE_COUNT; i++) {
        char row[64];
        snprintf(row, sizeof row, "\n| `%s` | ", xylem_run_code_word((enum xylem_run_code)i));
        assert_row(row);
    }
    for (unsigned warning = XYLEM_STEP_WARN_TOGGLES; warning <= XYLEM_STEP_WARN_CHANGED; warning <<= 1) {
        assert_word(xylem_step_warning_word(warning));
    }
}

static const char catalogue_json[] =
    "{\"schema\":1,\"commands\":[{\"name\":\"model\",\"source\":\"builtin\"},"
    "{\"name\":\"mark\",\"source\":\"extension\",\"path\":\"/e.ts\"},{\"name\":\"plan\",\"source\":\"prompt\"},"
    "{\"name\":\"readonly\",\"source\":\"own\",\"arguments\":[\"on\",\"off\"]}]}";

/* A step, and what the page says instead of the parts of its message. */
static const struct {
    const char *step;
    enum xylem_step_problem problem;
    const char *parts[3][2];
} samples[] = {
    {"", XYLEM_STEP_EMPTY, {{NULL}}},
    {"a\a", XYLEM_STEP_CONTROL, {{"1", "N"}}},
    {"!ls", XYLEM_STEP_SHELL, {{"!ls", "TEXT"}}},
    {"/etc/hosts", XYLEM_STEP_MALFORMED, {{"/etc/hosts", "TEXT"}}},
    {"/new", XYLEM_STEP_RESET, {{NULL}}},
    {"/sequence", XYLEM_STEP_RECURSIVE, {{NULL}}},
    {"/model", XYLEM_STEP_INTERACTIVE, {{"/model", "/NAME"}}},
    {"/mark", XYLEM_STEP_EXTENSION, {{"/mark", "/NAME"}, {"/e.ts", "PATH"}}},
    {"/readonli", XYLEM_STEP_UNKNOWN, {{"/readonli;", "/NAME;"}, {"/readonly", "/NAME"}}},
    {"/readonly x", XYLEM_STEP_ARGUMENTS, {{"/readonly", "/NAME"}, {"on or off", "LIST"}, {"'x'", "'TEXT'"}}},
    {"/plan", XYLEM_STEP_NO_HOST, {{"/plan", "/NAME"}}},
};

static void replace(char text[512], const char *part, const char *with)
{
    char *at = strstr(text, part);
    char rest[512];
    assert_non_null(at);
    snprintf(rest, sizeof rest, "%s", at + strlen(part));
    snprintf(at, 512 - (size_t)(at - text), "%s%s", with, rest);
}

TEST(the_page_has_each_problem_with_its_message)
{
    struct xylem_catalogue *catalogue = NULL;
    struct xylem_error err;
    assert_int_equal(xylem_catalogue_new_json(&catalogue, xylem_view_of(catalogue_json), &err), 0);
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        struct xylem_step step = {0};
        char row[640];
        char message[512];
        assert_int_equal(xylem_step_resolve(&step, catalogue, xylem_view_of(samples[i].step), &err), 0);
        assert_int_equal(step.problem, samples[i].problem);
        snprintf(message, sizeof message, "%.*s", (int)step.message.bytes, step.message.data);
        for (size_t j = 0; j < 3 && samples[i].parts[j][0]; j++) {
            replace(message, samples[i].parts[j][0], samples[i].parts[j][1]);
        }
        snprintf(row, sizeof row, "\n| `%s` | %s |\n", xylem_step_problem_word(step.problem), message);
        assert_row(row);
        xylem_step_release(&step);
    }
    xylem_catalogue_free(catalogue);
    assert_row("\n| `too-long` | the step has N bytes, at most 65536 are allowed |\n");
    assert_int_equal(XYLEM_STEP_BYTES_MAX, 65536);
}

/* `65536` as `65,536` */
static const char *grouped(char text[16], unsigned number)
{
    if (number >= 1000000) {
        snprintf(text, 16, "%u,%03u,%03u", number / 1000000, number / 1000 % 1000, number % 1000);
    } else if (number >= 1000) {
        snprintf(text, 16, "%u,%03u", number / 1000, number % 1000);
    } else {
        snprintf(text, 16, "%u", number);
    }
    return text;
}

TEST(the_page_has_the_limits)
{
    static const struct {
        const char *name;
        unsigned limits[2];
    } rows[] = {
        {"bytes of a step", {XYLEM_STEP_BYTES_MAX}},
        {"steps of a sequence", {XYLEM_SEQUENCE_STEPS_MAX}},
        {"bytes of all steps", {XYLEM_SEQUENCE_BYTES_MAX}},
        {"iterations of a run", {XYLEM_RUN_ITERATIONS_MAX}},
        {"arguments of a run, and their bytes", {XYLEM_RUN_ARGS_MAX, XYLEM_RUN_ARGS_BYTES_MAX}},
        {"attempts of a step", {XYLEM_STEP_ATTEMPTS_MAX}},
        {"commands of a catalogue, and bytes of a name", {XYLEM_CATALOGUE_COMMANDS_MAX, XYLEM_COMMAND_NAME_BYTES_MAX}},
        {"bytes of a message", {XYLEM_RUN_MESSAGE_BYTES_MAX}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char row[128];
        char numbers[2][16];
        snprintf(row, sizeof row, "\n| %s | %s%s%s", rows[i].name, grouped(numbers[0], rows[i].limits[0]),
                 rows[i].limits[1] ? ", " : "", rows[i].limits[1] ? grouped(numbers[1], rows[i].limits[1]) : "");
        assert_row(row);
    }
}

TEST_FILE(read_page, forget_page)
