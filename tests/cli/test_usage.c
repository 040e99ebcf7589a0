/* The command line: help of every command, options, and what is no command or option. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

TEST_WITH(what_time_it_is_can_be_set, command_set_up, command_tear_down)
{
    struct command *command = *state;

    command->now = "yesterday";
    command_run(command, "version", NULL);
    assert_error(command, 2, "XYLEM_NOW is 'yesterday': expected a time");
    command->now = "2026-11-20T19:30:00Z";
    assert_int_equal(command_run(command, "version", NULL), 0);
    command->now = NULL;
}

/* A command line, and a part of what is said of it. */
static const struct {
    const char *line;
    const char *part;
} wrong_lines[] = {
    {"", "a command is missing"},
    {"grow", "there is no command 'grow'"},
    {"help grow", "there is no command 'grow'"},
    {"--grow", "there is no option --grow"},
    {"log s --grow", "there is no option --grow"},
    {"log s -z", "there is no option -z"},
    {"log", "an argument is missing"},
    {"log a b", "unexpected argument 'b'"},
    {"init x", "unexpected argument"},
    {"import", "no FILE is given, and neither PI_CODING_AGENT_DIR nor HOME"},
    {"export", "an argument is missing"},
    {"tree", "an argument is missing"},
    {"show", "an argument is missing: xylem show SESSION ("},
    {"show s e --json --raw", "cannot be combined"},
    {"state", "an argument is missing"},
    {"state s --event start", "--event takes session_start, session_tree or toggled, not 'start'"},
    {"state s --reason why", "--reason takes startup, reload, new, resume or fork"},
    {"state s --previous-readonly yes", "--previous-readonly takes on or off"},
    {"state s --every", "--every needs --jsonl or --json"},
    {"state s --every --jsonl --at @", "cannot be combined"},
    {"blame", "an argument is missing: xylem blame SESSION[:ENTRY] ("},
    {"blame s redonly", "not 'redonly'; did you mean 'readonly'? ("},
    {"blame readonly s", "not 's' ("},
    {"moves", "an argument is missing"},
    {"moves s -n x", "--number takes a number, not 'x'"},
    {"append", "an argument is missing"},
    {"append s", "--kind is missing"},
    {"append s --kind", "--kind needs a value: KIND"},
    {"append s --kind k --id=", "an id has 1 to 64 bytes"},
    {"navigate s", "an argument is missing"},
    {"branches", "an argument is missing"},
    {"fork s", "an argument is missing"},
    {"fork s e --id=", "1 to 200 bytes"},
    {"clone", "an argument is missing"},
    {"delete", "an argument is missing"},
    {"delete s", "give --yes to delete"},
    {"repair", "an argument is missing"},
    {"repair a b", "unexpected argument"},
    {"verify s", "unexpected argument"},
    {"stat s", "unexpected argument"},
    {"backup", "an argument is missing: xylem backup DIRECTORY ("},
    {"backup a b", "unexpected argument"},
    {"compact s --yes", "unexpected argument"},
    {"compact", "give --yes to compact"},
    {"sessions s", "unexpected argument"},
    {"quarantine --raw 1", "--raw needs a session"},
    {"lease", "an argument is missing"},
    {"lease end", "'end': expected"},
    {"lease break", "an argument is missing: xylem lease break SESSION"},
    {"lease break s", "give --yes to break the lease"},
    {"lease break s --json", "--json and --jsonl are for `lease status`"},
    {"lease status --yes", "--yes and --dry-run are for `lease break`"},
    {"lease status --dry-run", "--yes and --dry-run are for `lease break`"},
    {"quarantine s --jsonl --raw 1", "cannot be combined"},
    {"quarantine s --json --raw 1", "cannot be combined"},
    {"quarantine s --raw x", "--raw takes a number, not 'x'"},
    {"version x", "unexpected argument"},
    {"log s -n -1", "--number takes a number, not '-1'"},
    {"log s -n 18446744073709551616", "--number takes a number"},
    {"log s --jsonl=yes", "--jsonl takes no value"},
    {"log s --color=pink", "--color takes auto, always or never"},
    {"--store", "--store needs a value: DIR"},
    {"sessions --store=", "--store needs the name of a directory"},
    {"log s -s", "-s needs a value: DIR"},
};

TEST_WITH(wrong_command_lines_exit_with_2, command_set_up, command_tear_down)
{
    struct command *command = *state;

    for (size_t i = 0; i < sizeof(wrong_lines) / sizeof(wrong_lines[0]); i++) {
        command_line(command, wrong_lines[i].line);
        assert_error(command, 2, wrong_lines[i].part);
    }
}

TEST_WITH(the_two_forms_for_programs_exclude_each_other, command_set_up, command_tear_down)
{
    static const char *const reading[] = {
        "repair d", "sessions", "log s",  "tree s",  "branches s", "quarantine s",     "state s",
        "show s e", "stat",     "verify", "version", "help",       "blame s readonly", "moves s"};
    struct command *command = *state;
    char line[64];

    for (size_t i = 0; i < sizeof(reading) / sizeof(reading[0]); i++) {
        snprintf(line, sizeof(line), "%s --json --jsonl", reading[i]);
        command_line(command, line);
        assert_error(command, 2, "--json and --jsonl cannot be combined");
    }
}

TEST_WITH(the_store_is_named_before_or_behind_the_verb, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;
    char other[256];

    command_path(other, command, "other");
    assert_int_equal(command_run(command, "-s", other, "init", NULL), 0);
    assert_contains(command->out, "other is a new xylem store");
    assert_int_equal(command_run(command, "init", "--store", other, NULL), 0);
    assert_contains(command->out, "is a xylem store already");
    assert_int_equal(command_run(command, "-s", other, "append", "only-here", "--kind", "note", "--create", NULL), 0);
    assert_int_equal(command_run(command, "log", "only-here", "-s", other, NULL), 0);
    assert_int_equal(command_run(command, "log", "only-here", NULL), 3);
}

TEST_WITH(options_take_their_values_in_every_form, command_set_up, command_tear_down_verified)
{
    static const char *const lines[] = {"log s -n 1",
                                        "log s -n1",
                                        "log -n 1 s",
                                        "log s --number 1",
                                        "log s --number=1",
                                        "--no-pager log s -n 1",
                                        "log --color never s -n 1",
                                        "log -n 3 -n 1 -- s"};
    struct command *command = *state;
    char *first = NULL;

    assert_int_equal(command_line(command, "append s --kind note --create --id a"), 0);
    assert_int_equal(command_line(command, "append s --kind note --id b"), 0);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        command_line(command, lines[i]);
        assert_exit(command, 0);
        first = first == NULL ? strdup(command->out) : first;
        assert_string_equal(command->out, first);
        assert_null(strstr(command->out, " a "));
    }
    free(first);
}

TEST_WITH(an_argument_behind_two_dashes_is_no_option, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;

    assert_int_equal(command_run(command, "append", "--kind", "note", "--create", "--", "-dashed", NULL), 0);
    assert_int_equal(command_run(command, "log", "--", "-dashed", NULL), 0);
    assert_int_equal(command_run(command, "log", "-dashed", NULL), 2);
}
