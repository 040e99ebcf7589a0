/*
 * What the command prints, compared with fixtures/expected/. After an intended change, write those files anew with
 * `XYLEM_WRITE_EXPECTED=1 build/tests/cli/test_output`, and look at the difference.
 */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#define SPECIALS SESSIONS "specials/"

#define TEST_EMPTY(test) TEST_WITH(test, command_set_up, command_tear_down_verified)

TEST_EMPTY(imports_and_quarantine_are_reported)
{
    struct command *command = *state;

    command_line(command, "import " SPECIALS "damaged-orphan-and-duplicate.jsonl " SCENARIO);
    assert_exit(command, 1);
    command_expect(command, "import.txt");
    free(command->out);
    command->out = strdup(command->err);
    command_expect(command, "import-problems.txt");
    command_line(command, "import " SPECIALS "damaged-middle-line.jsonl --json");
    assert_exit(command, 1);
    command_expect(command, "import.json");
    char *id = strdup(strstr(command->out, "\"session\":\"") + 11);
    char line[256];
    *strchr(id, '"') = '\0';
    snprintf(line, sizeof(line), "quarantine %s --jsonl", id);
    command_expect_line(command, line, "quarantine.jsonl");
    free(id);
}

/* What --json must print: the documents of --jsonl, but for their schema, as the list of one document. */
static char *as_list(const char *lines, const char *list)
{
    char *result = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&result, &bytes);
    char *copy = strdup(lines);
    const char *separator = "";

    assert_true(stream != NULL && copy != NULL);
    fprintf(stream, "{\"schema\":1,\"%s\":[", list);
    for (char *line = strtok(copy, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        assert_int_equal(strncmp(line, "{\"schema\":1,", 12), 0);
        fprintf(stream, "%s{%s", separator, line + 12);
        separator = ",";
    }
    fputs("]}\n", stream);
    fclose(stream);
    free(copy);
    return result;
}

/* A command that lists, the member that holds the list, and how much is in it. */
static const struct {
    const char *line;
    const char *list;
    size_t least; /* so many documents at least */
} lists[] = {
    {"sessions", "sessions", 2},
    {"sessions --all", "sessions", 3},
    {"log " SCENARIO_ID, "entries", 20},
    {"log s -n 0", "entries", 0},
    {"tree " SCENARIO_ID, "entries", 31},
    {"tree " SCENARIO_ID " --kind label", "entries", 1},
    {"tree " SCENARIO_ID " --family", "sessions", 1},
    {"branches " SCENARIO_ID, "branches", 2},
    {"quarantine s", "lines", 0},
    {"quarantine DAMAGED", "lines", 1},
    {"state " SCENARIO_ID " --every", "states", 31},
    {"branches empty", "branches", 0},
    {"blame " SCENARIO_ID " readonly", "entries", 1},
    {"blame empty nudge", "entries", 0},
    {"moves moved", "moves", 2},
    {"moves empty", "moves", 0},
    {"tree empty", "entries", 0},
    {"state empty --every", "states", 0},
};

/* The sessions that the lists are of. Gives the id of one with damage; the caller frees it. */
static char *make_sessions(struct command *command)
{
    command_line(command, "import --json " SPECIALS "damaged-middle-line.jsonl");
    char *damaged = strdup(strstr(command->out, "\"session\":\"") + 11);
    *strchr(damaged, '"') = '\0';
    command_line(command, "append s --create --kind note");
    command_line(command, "append moved --create --kind note");
    command_line(command, "navigate moved none");
    command_line(command, "navigate moved @{1}");
    command_line(command, "append empty --create --kind note --id e1");
    command_line(command, "fork empty e1 --before --id none");
    command_line(command, "delete empty --yes");
    command_line(command, "clone none --id empty-one");
    return damaged;
}

static size_t count_lines(const char *text)
{
    size_t count = 0;

    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++) {
        count++;
    }
    return count;
}

TEST_WITH(lists_are_one_document_or_one_a_line, command_set_up_scenario, command_tear_down_verified)
{
    struct command *command = *state;
    char line[256];
    char *damaged = make_sessions(command);

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        char *spec = command_replace(strdup(lists[i].line), "DAMAGED", damaged);
        spec = command_replace(spec, " empty", " empty-one");
        snprintf(line, sizeof(line), "%s --jsonl", spec);
        command_line(command, line);
        assert_exit(command, 0);
        size_t count = count_lines(command->out);
        assert_true(count >= lists[i].least && (lists[i].least > 0 || count == 0));
        char *wanted = as_list(command->out, lists[i].list);
        snprintf(line, sizeof(line), "%s --json", spec);
        command_line(command, line);
        assert_exit(command, 0);
        assert_string_equal(command->out, wanted);
        free(wanted);
        free(spec);
    }
    free(damaged);
    command_line(command, "log no-such-session --json");
    assert_error(command, 3, "no-such-session");
}

TEST_WITH(a_single_document_is_the_same_in_both_forms, command_set_up_scenario, command_tear_down_verified)
{
    static const char *const lines[] = {("show " SCENARIO_ID " @"), ("diff " SCENARIO_ID " " SCENARIO_ID),
                                        ("state " SCENARIO_ID), "verify", "version"};
    struct command *command = *state;
    char line[256];

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        snprintf(line, sizeof(line), "%s --json", lines[i]);
        command_line(command, line);
        assert_exit(command, 0);
        char *document = strdup(command->out);
        assert_int_equal(strncmp(document, "{\"schema\":1,", 12), 0);
        snprintf(line, sizeof(line), "%s --jsonl", lines[i]);
        command_line(command, line);
        assert_exit(command, 0);
        assert_string_equal(command->out, document);
        free(document);
    }
    command_line(command, "stat --jsonl");
    assert_exit(command, 0);
    assert_contains(command->out, "{\"schema\":1,\"store\":");
}

/* What asks people's output for more asks documents for nothing: they have all there is. */
TEST_WITH(options_for_people_leave_documents_as_they_are, command_set_up_scenario, command_tear_down_verified)
{
    static const char *const lines[][2] = {
        {"tree " SCENARIO_ID, "--all"},
        {"log " SCENARIO_ID, "--full"},
        {"show " SCENARIO_ID " @", "--full"},
        {"diff " SCENARIO_ID " " SCENARIO_ID, "--all"},
    };
    static const char *const forms[] = {"--json", "--jsonl"};
    struct command *command = *state;
    char line[256];

    for (size_t i = 0; i < 2 * sizeof(lines) / sizeof(lines[0]); i++) {
        snprintf(line, sizeof(line), "%s %s", lines[i / 2][0], forms[i % 2]);
        command_must(command, line);
        char *without = strdup(command->out);
        snprintf(line, sizeof(line), "%s %s %s", lines[i / 2][0], lines[i / 2][1], forms[i % 2]);
        command_must(command, line);
        assert_string_equal(command->out, without);
        free(without);
    }
}

/* A session may hold thousands of invalid entries: people see the newest, programs all. */
TEST_EMPTY(skipped_entries_do_not_flood_the_terminal)
{
    struct command *command = *state;
    char line[160];

    command_line(command, "append s --create --kind note");
    for (int i = 0; i < 23; i++) {
        snprintf(line, sizeof(line), "append s --kind custom:readonly --id bad%02d --data {\"enabled\":%d}", i, i);
        assert_int_equal(command_line(command, line), 0);
    }
    command_line(command, "state s");
    assert_contains(command->out, "skipped    bad22 custom:readonly: ");
    assert_contains(command->out, "\n           bad18 custom:readonly: ");
    assert_null(strstr(command->out, "bad17"));
    assert_contains(command->out, "\n           \u2026 and 18 more (--json lists all)\n");
    command_line(command, "state s --explain");
    assert_contains(command->out, "bad03");
    assert_null(strstr(command->out, "bad02"));
    assert_contains(command->out, "\u2026 and 3 more (--json lists all)\n");
    assert_contains(command->out, "looked at  ");
    setenv("COMMAND_LOCALE", "C", 1);
    command_line(command, "state s");
    unsetenv("COMMAND_LOCALE");
    assert_contains(command->out, "... and 18 more (--json lists all)\n");
    command_line(command, "state s --json");
    assert_contains(command->out, "\"entry\":\"bad00\"");
    command_line(command, "state s --at bad04");
    assert_contains(command->out, "bad00");
    assert_null(strstr(command->out, "more (--json"));
}

/* Bytes that a terminal would act on are escaped for people, and kept for programs. */
TEST_EMPTY(control_and_bidirectional_bytes_are_escaped)
{
    struct command *command = *state;
    const char *const lines[] = {"log s", "tree s", "show s @", "sessions", "branches s", "state s"};

    command->input = "{\"role\":\"user\",\"content\":\"a\\u001b[31mred\\u202e\\u0007\\u0085 \\ud83d z\\nsecond\"}";
    command_line(command, "append s --create --kind message --data - --id evil\x1b[2J");
    assert_exit(command, 0);
    command_run(command, "append", "s", "--kind", "session_info", "--data", "{\"name\":\"n\\u009b1m\"}", NULL);
    assert_exit(command, 0);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        command_line(command, lines[i]);
        assert_exit(command, 0);
        assert_null(strchr(command->out, '\x1b'));
        assert_null(strchr(command->out, '\a'));
        assert_null(strstr(command->out, "\xe2\x80\xae"));
        assert_null(strstr(command->out, "\xc2\x9b"));
    }
    command_line(command, "log s");
    assert_contains(command->out, "evil\\x1b[2J");
    assert_contains(command->out, "a\\x1b[31mred\\u202e\\x07\\u0085 \\ud83d z second");
    command_line(command, "log s --jsonl");
    assert_contains(command->out, "a\\u001b[31mred");
    assert_contains(command->out, "\\ud83d z\\nsecond");
    command_run(command, "log", "no\x1b[2Jsuch", NULL);
    assert_error(command, 3, "no\\x1b[2Jsuch");
}

TEST_EMPTY(columns_are_counted_in_cells)
{
    struct command *command = *state;

    command_run(command, "append", "s", "--create", "--kind", "note", "--id", "日本語", NULL);
    command_run(command, "append", "s", "--kind", "note", "--id", "abcdef", "--data", "\"wide\"", NULL);
    command_run(command, "append", "s", "--kind", "note", "--id", "ab", "--data", "\"日本語のテキスト\"", NULL);
    setenv("COMMAND_COLUMNS", "50", 1);
    command_line(command, "log s");
    unsetenv("COMMAND_COLUMNS");
    command->out = command_replace(command->out, " [0-9]+s ", " AGE ");
    assert_string_equal(command->out, "3  ab      AGE  note        <leaf> \"日本語のテキス…\n"
                                      "2  abcdef  AGE  note        \"wide\"\n"
                                      "1  日本語  AGE  note\n");
}

TEST_EMPTY(outside_of_utf8_nothing_but_ascii_is_printed)
{
    struct command *command = *state;

    command_run(command, "append", "s", "--create", "--kind", "note", "--data", "\"naïve 🚀\"", NULL);
    setenv("COMMAND_LOCALE", "C", 1);
    command_line(command, "log s");
    unsetenv("COMMAND_LOCALE");
    assert_contains(command->out, "\"na\\u00efve \\U0001f680\"");
}
