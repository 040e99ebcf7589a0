/* xylem help: of the program and of every command, for people and for programs. */
#include <glob.h>

#include "tests/cli/command.h"
#include "tests/lib/test.h"

enum { COMMANDS_MAX = 64 };

/* The names of the commands, as their files have them: the program itself is under test. */
static char *commands[COMMANDS_MAX];
static size_t command_count;

static int list_commands(void **state)
{
    static const char begin[] = "cli/cmd_";
    glob_t files;

    (void)state;
    assert_int_equal(glob("cli/cmd_*.c", 0, NULL, &files), 0);
    assert_true(files.gl_pathc < COMMANDS_MAX);
    for (; command_count < files.gl_pathc; command_count++) {
        const char *name = files.gl_pathv[command_count] + strlen(begin);
        commands[command_count] = strndup(name, strlen(name) - strlen(".c"));
    }
    globfree(&files);
    return 0;
}

static int forget_commands(void **state)
{
    (void)state;
    while (command_count > 0) {
        free(commands[--command_count]);
    }
    return 0;
}

#define IN_STORE(test) TEST_WITH(test, command_set_up, command_tear_down_verified)

IN_STORE(every_command_has_help)
{
    struct command *command = *state;
    char usage[64];

    for (size_t i = 0; i < command_count; i++) {
        snprintf(usage, sizeof(usage), "usage: xylem %s", commands[i]);
        assert_int_equal(command_run(command, commands[i], "--help", NULL), 0);
        assert_int_equal(strncmp(command->out, usage, strlen(usage)), 0);
        assert_contains(command->out, "--store DIR");
        assert_string_equal(command->err, "");
        char *by_option = strdup(command->out);
        assert_int_equal(command_run(command, "help", commands[i], NULL), 0);
        assert_string_equal(command->out, by_option);
        assert_int_equal(command_run(command, commands[i], "-h", NULL), 0);
        assert_string_equal(command->out, by_option);
        free(by_option);
    }
}

IN_STORE(help_lines_fit_a_terminal)
{
    static const size_t widths[] = {40, 60, 80};
    struct command *command = *state;
    char line[64];

    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        for (size_t j = 0; j < command_count; j++) {
            snprintf(line, sizeof(line), "help %s", commands[j]);
            command_must_fit(command, widths[i], line);
        }
        command_must_fit(command, widths[i], "help");
    }
    setenv("COMMAND_COLUMNS", "120", 1); /* longer lines than these are hard to read */
    command_must(command, "help sessions");
    unsetenv("COMMAND_COLUMNS");
    assert_lines_fit(command->out, 100);
}

IN_STORE(help_lists_every_command)
{
    struct command *command = *state;

    assert_int_equal(command_run(command, "help", NULL), 0);
    for (size_t i = 0; i < command_count; i++) {
        assert_contains(command->out, commands[i]);
    }
    assert_int_equal(command_run(command, "--help", NULL), 0);
    assert_contains(command->out, "exit codes");
    assert_contains(command->out, "\n  8    a policy wants a person to be asked\n");
}

IN_STORE(paragraphs_of_help_stay_apart)
{
    struct command *command = *state;

    command_must(command, "help hook");
    assert_contains(command->out, ".\n\nWith --enforce nothing is approved");
}

IN_STORE(help_is_there_for_programs)
{
    static const char delete_document[] =
        "{\"schema\":1,\"command\":\"delete\",\"summary\":\"Mark a session as deleted\","
        "\"usage\":\"SESSION|--file-gone|--older-than TIME [--keep-labelled] [--yes] [--dry-run] "
        "[--json]\",\"details\":\"`xylem undelete` brings the session back "
        "until `xylem "
        "gc` frees";
    static const char option[] = "\"options\":[{\"name\":\"yes\",\"letter\":\"y\",\"argument\":null,\"choices\":null,"
                                 "\"help\":\"do not ask\",\"global\":false},";
    static const char global[] =
        "{\"name\":\"color\",\"letter\":null,\"argument\":\"WHEN\",\"choices\":[\"auto\","
        "\"always\",\"never\"],\"help\":\"auto (on a terminal), always or never\",\"global\":true}";
    static const char list[] = "{\"schema\":1,\"commands\":[{\"command\":\"init\",";
    struct command *command = *state;
    size_t lines = 0;

    assert_int_equal(command_line(command, "help delete --json"), 0);
    assert_int_equal(strncmp(command->out, delete_document, strlen(delete_document)), 0);
    assert_contains(command->out, option);
    assert_contains(command->out, global);
    char *one = strdup(command->out);
    assert_int_equal(command_line(command, "help delete --jsonl"), 0);
    assert_string_equal(command->out, one);
    assert_int_equal(command_line(command, "help --jsonl"), 0);
    assert_contains(command->out, one);
    for (const char *at = command->out; (at = strchr(at, '\n')) != NULL; at++) {
        lines++;
    }
    assert_int_equal(lines, command_count);
    assert_int_equal(command_line(command, "help --json"), 0);
    assert_int_equal(strncmp(command->out, list, strlen(list)), 0);
    free(one);
}

/* The usage of `state` is broken into lines for the terminal, between options. */
IN_STORE(a_usage_for_programs_is_one_line)
{
    struct command *command = *state;

    assert_int_equal(command_line(command, "help state --json"), 0);
    assert_contains(command->out, "[--flag-fallback] [--previous-readonly on|off]");
    assert_int_equal(command_line(command, "help state"), 0);
    assert_contains(command->out, "[--flag-readonly] [--flag-fallback]\n                   [--previous");
    setenv("COMMAND_COLUMNS", "100", 1);
    assert_int_equal(command_line(command, "help state"), 0);
    unsetenv("COMMAND_COLUMNS");
    assert_contains(command->out, "[--reason REASON] [--flag-readonly]\n");
    command_line(command, "state");
    assert_error(command, 2, "an argument is missing: xylem state SESSION[:ENTRY] (see `xylem state --help`)\n");
}

/* The list of the commands is made of their rows; all else is as expected. */
IN_STORE(help_is_as_expected)
{
    static const char begin[] = "{\"schema\":1,\"command\":\"";
    static const char then[] = "\",\"summary\":\"";
    struct command *command = *state;
    char *rest = NULL;

    command_must(command, "help --jsonl");
    char *documents = strdup(command->out);
    setenv("COMMAND_COLUMNS", "100", 1);
    command_must(command, "help");
    unsetenv("COMMAND_COLUMNS");
    char *at = command->out;
    for (char *line = strtok_r(documents, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char listed[256];
        char *name = line + strlen(begin);
        char *summary = strstr(name, then);
        assert_non_null(summary);
        *summary = '\0';
        summary += strlen(then);
        snprintf(listed, sizeof listed, "\n  %-12s%.*s\n", name, (int)strcspn(summary, "\""), summary);
        assert_contains(at, listed);
        at = strstr(at, listed);
        memmove(at, at + strlen(listed) - 1, strlen(at + strlen(listed) - 1) + 1);
    }
    free(documents);
    command_expect(command, "help.txt");
    command_expect_line(command, "state --help", "help-state.txt");
}

TEST_FILE(list_commands, forget_commands)
