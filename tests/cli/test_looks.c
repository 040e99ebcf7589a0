/*
 * What each command looks like to a person, on one page for each surrounding: widths of 60, 80 and 160 cells, in colour
 * and not, in a pipe, and outside of UTF-8. After an intended change, write the pages anew with
 * `XYLEM_WRITE_EXPECTED=1 build/tests/cli/test_looks`, and read them.
 */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#define DAMAGED SESSIONS "specials/damaged-orphan-and-duplicate.jsonl"
#define DAMAGED_ID "01a1fa04-8967"

struct surrounding {
    const char *columns; /* NULL: a pipe */
    const char *locale;  /* NULL: UTF-8 */
    bool colored;
};

/* Those that change the store stand last. */
static const char *const lines[] = {
    "sessions",
    "sessions --all --sort entries",
    "tree " SCENARIO_ID,
    "tree " SCENARIO_ID " --kind compaction --kind label",
    "tree " SCENARIO_ID " --family",
    "log " SCENARIO_ID,
    "log " SCENARIO_ID " --kind custom:readonly --kind compaction",
    "log " SCENARIO_ID " --full -n 4",
    "show " SCENARIO_ID " 6f7578e6",
    "show " SCENARIO_ID " 88fe2aff",
    "branches " SCENARIO_ID,
    "diff " SCENARIO_ID ":after-block :@",
    "diff " SCENARIO_ID " " SCENARIO_ID,
    "state " SCENARIO_ID,
    "state " SCENARIO_ID " --explain --event session_tree --previous-readonly off",
    "state " SCENARIO_ID " --at none --flag-readonly",
    "state " SCENARIO_ID ":@^13 --scan --explain",
    "blame " SCENARIO_ID " readonly --at 6fd8ed9e",
    "blame " SCENARIO_ID " nudge --all",
    "blame " SCENARIO_ID " sequence",
    "blame " SCENARIO_ID,
    "blame " SCENARIO_ID " redonly",
    "moves " SCENARIO_ID,
    "reads " SCENARIO_ID,
    "watch " SCENARIO_ID " --last 4 -n 0",
    "verify",
    "backup DIRECTORY/copy",
    "backup DIRECTORY/copy",
    "compact",
    "compact --dry-run",
    "repair /dev/null",
    "stat",
    "quarantine " DAMAGED_ID,
    "lease status",
    "judge -p confirm ls",
    "judge -p confirm --explain ls;(cat|sudo);ls",
    "hook nothing",
    "gate " SCENARIO_ID,
    "gate " SCENARIO_ID " --at none",
    "help sessions",
    "version",
    "complete -- show " SCENARIO_ID " 88",
    "log no-such-session",
    "log " SCENARIO_ID " no-such-argument",
    "tre " SCENARIO_ID,
    "init",
    "import " SCENARIO " " DAMAGED,
    "append " SCENARIO_ID " --kind note --id new-entry",
    "append " SCENARIO_ID " --kind note --id new-entry --only-in-store",
    "label " SCENARIO_ID ":new-entry here",
    "rename " SCENARIO_ID " renamed",
    "navigate " SCENARIO_ID " 8d16e680 --only-in-store",
    "navigate " SCENARIO_ID " none --only-in-store",
    "navigate " SCENARIO_ID " @{1}~1 --reason because-it-was-better-there --only-in-store",
    "moves " SCENARIO_ID,
    "append reader --create --kind custom:file-reads --id noted --data {\"version\":1,\"whole\":true,\"files\":["
    "{\"path\":\"/no-such-directory/of-the-project/documents/notes.md\",\"hash\":\"a:00\",\"bytes\":20480,"
    "\"at\":1795200000000,\"by\":\"read\"},"
    "{\"path\":\"/no-such-directory/f\",\"hash\":\"a:00\",\"bytes\":7,\"at\":1795202000000,\"by\":\"write\"}]}",
    "reads reader",
    "reads reader /no-such-directory/f",
    "fork " SCENARIO_ID " 6f7578e6 --id fork",
    "clone fork --id clone",
    "label clone:6f7578e6 here",
    "label clone:here",
    "rename clone renamed",
    "delete fork --dry-run",
    "delete fork --yes",
    "redact clone 6f7578e6 --reason a-key --drop-hash --dry-run",
    "log fork",
    "undelete fork",
    "undelete fork",
    "undelete nothing",
    "delete " SCENARIO_ID " --yes",
    "sessions --deleted",
    "gc --dry-run",
    "gc --yes",
    "gc --yes",
    "undelete " SCENARIO_ID,
    "verify",
    "compact --yes --overwrite",
};

static int import_sessions(void **state)
{
    command_set_up(state);
    struct command *command = *state;

    command->now = "2026-11-20T19:30:00Z"; /* ages are counted from here */
    command_run(command, "import", "-q", SESSIONS "rpc-scenario", DAMAGED, NULL);
    assert_exit(command, 1);
    return 0;
}

/* What depends on the machine, or on how the store came to be. */
static char *without_figures(char *text)
{
    text = command_replace(text, "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\n", "UUID\n");
    text = command_replace(text, "[0-9.]+ [KMT]?i?B +[0-9]+ +([0-9,]+|-)$", "FIGURES");
    text = command_replace(text, "[0-9.]+ [KMT]iB; .*$", "MAP");
    text = command_replace(text, "[0-9.]+ [KMT]iB, of which .*$", "FILE");
    return text;
}

/* How large a file is. */
static char *without_sizes(char *text)
{
    return command_replace(text, "[0-9.]+ ([KMT]i)?B", "SIZE");
}

/* A path is as long as the place of this run: it, and what its length leaves to the column behind it. */
static char *without_path(char *text)
{
    text = command_replace(text, "\\{\"type\".*$", "BYTES");
    text = command_replace(text, "[^ ]*(/|duplicate\\.jsonl)[^ ]*", "FILE");
    return command_replace(text, "   +", "  ");
}

/* Navigations are made now, by the clock; ages are counted from a time before that, so on a terminal they are none. */
static char *without_time(char *text)
{
    return command_replace(text, " +20[0-9][0-9]-[0-9-]+ [0-9:]+", "  TIME");
}

/* Runs all lines, and compares the page that they make with the one that is expected. */
static void expect_page(struct command *command, const struct surrounding *surrounding, const char *name)
{
    char *page = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&page, &bytes);
    char line[1024];

    assert_non_null(stream);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        const char *colored = surrounding->colored ? "always" : "never";
        bool backup = strncmp(lines[i], "backup", 6) == 0;
        snprintf(line, sizeof(line), "--color %s %s%s%s", colored, backup ? "backup " : lines[i],
                 backup ? command->directory : "", backup ? "/copy" : "");
        if (surrounding->columns != NULL) {
            setenv("COMMAND_COLUMNS", surrounding->columns, 1);
        }
        if (surrounding->locale != NULL) {
            setenv("COMMAND_LOCALE", surrounding->locale, 1);
        }
        const char *now = command->now;
        command->now = strncmp(lines[i], "moves", 5) == 0 ? "2020-01-01T00:00:00Z" : now;
        command_line(command, line);
        command->now = now;
        unsetenv("COMMAND_COLUMNS");
        unsetenv("COMMAND_LOCALE");
        if (strcmp(lines[i], "stat") == 0) {
            command->out = without_figures(command->out);
        } else if (backup || strncmp(lines[i], "compact", 7) == 0) {
            command->out = without_sizes(command->out);
        } else if (strncmp(lines[i], "quarantine", 10) == 0) {
            command->out = without_path(command->out);
        } else if (strncmp(lines[i], "moves", 5) == 0) {
            command->out = without_time(command->out);
        }
        fprintf(stream, "%s$ xylem %s\n%s%s", i == 0 ? "" : "\n", lines[i], command->out, command->err);
        if (command->code != 0) {
            fprintf(stream, "[exit code %d]\n", command->code);
        }
    }
    fclose(stream);
    free(command->out);
    command->out = page;
    command_expect(command, name);
}

#define WITH_IMPORT_SESSIONS(test) TEST_WITH(test, import_sessions, command_tear_down_verified)

WITH_IMPORT_SESSIONS(on_a_terminal_of_80_columns)
{
    expect_page(*state, &(struct surrounding){.columns = "80"}, "looks-80.txt");
}

WITH_IMPORT_SESSIONS(on_a_terminal_of_80_columns_in_colour)
{
    expect_page(*state, &(struct surrounding){.columns = "80", .colored = true}, "looks-80-color.txt");
}

WITH_IMPORT_SESSIONS(on_a_terminal_of_160_columns)
{
    expect_page(*state, &(struct surrounding){.columns = "160"}, "looks-160.txt");
}

WITH_IMPORT_SESSIONS(on_a_terminal_of_160_columns_in_colour)
{
    expect_page(*state, &(struct surrounding){.columns = "160", .colored = true}, "looks-160-color.txt");
}

WITH_IMPORT_SESSIONS(on_a_narrow_terminal)
{
    expect_page(*state, &(struct surrounding){.columns = "60"}, "looks-60.txt");
}

WITH_IMPORT_SESSIONS(outside_of_utf8)
{
    struct command *command = *state;

    expect_page(command, &(struct surrounding){.columns = "80", .locale = "C"}, "looks-80-ascii.txt");
    for (const char *at = command->out; *at != '\0'; at++) {
        assert_true(*at > 0); /* no byte beyond ASCII */
    }
}

WITH_IMPORT_SESSIONS(in_a_pipe)
{
    struct command *command = *state;

    expect_page(command, &(struct surrounding){.columns = NULL}, "looks-pipe.txt");
    assert_null(strchr(command->out, '\033'));
}
