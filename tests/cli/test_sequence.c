/* xylem sequence: its verbs, and the ledgers of runs among the sessions. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

/* --- Verbs -------------------------------------------------------------------------------------------------------- */

#define IN_STORE(test) TEST_WITH(test, command_set_up_at_a_time, command_tear_down_verified)

IN_STORE(the_command_alone_lists_its_verbs)
{
    struct command *command = *state;
    command_must(command, "sequence");
    char *alone = strdup(command->out);
    assert_contains(alone, "\nverbs:\n  list        List");
    command_must(command, "help sequence");
    assert_string_equal(command->out, alone);
    command_must(command, "sequence --help");
    assert_string_equal(command->out, alone);
    free(alone);
}

IN_STORE(each_verb_has_its_own_help)
{
    struct command *command = *state;
    command_must(command, "sequence show --help");
    assert_int_equal(strncmp(command->out, "usage: xylem sequence show SESSION", 34), 0);
    char *by_option = strdup(command->out);
    command_must(command, "help sequence show");
    assert_string_equal(command->out, by_option);
    free(by_option);
    command_must(command, "help sequence show --json");
    assert_contains(command->out, "{\"schema\":1,\"command\":\"sequence show\",");
    command_must(command, "help sequence --json");
    assert_contains(command->out, "\"verbs\":[{\"command\":\"sequence list\",");
}

IN_STORE(a_wrong_verb_is_refused_with_a_suggestion)
{
    static const struct {
        const char *line;
        const char *part;
    } wrong[] = {
        {"sequence lst", "'lst' is not a verb of sequence; did you mean 'list'? (see `xylem sequence --help`)"},
        {"sequence --json list", "there is no option --json"},
        {"sequence show",
         "an argument is missing: xylem sequence show SESSION[:ENTRY] (see `xylem sequence show --help`)"},
        {"sequence show a b", "unexpected argument 'b'"},
        {"sequence list --json --jsonl", "--json and --jsonl cannot be combined"},
        {"help sequence lst", "'lst' is not a verb of sequence"},
        {"help log x", "unexpected argument 'x'"},
    };
    struct command *command = *state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        command_line(command, wrong[i].line);
        assert_error(command, 2, wrong[i].part);
    }
}

IN_STORE(options_of_every_command_stand_before_the_verb_too)
{
    struct command *command = *state;
    command_must(command, "append s --create --kind custom:sequence --id a --data "
                          "{\"version\":1,\"sequenceId\":\"q\",\"steps\":[\"one\"],\"updatedAt\":1}");
    command_must(command, "--color never sequence --no-pager list --json");
    assert_contains(command->out, "\"first\":\"one\"");
}

IN_STORE(completion_offers_verbs_and_their_options)
{
    struct command *command = *state;
    command_must(command, "complete -- sequence l");
    assert_string_equal(command->out, "list\tList the sequences of all sessions, or the snapshots of a session\n");
    command_run(command, "complete", "--", "help", "sequence", "sho", NULL);
    assert_string_equal(command->out, "show\tShow the steps of a sequence as authored\n");
    command_must(command, "complete -- sequence list --jsonl");
    assert_contains(command->out, "--jsonl\t");
    command_must(command, "complete -- sequence nothing --js");
    assert_string_equal(command->out, "");
}

/* --- list, show --------------------------------------------------------------------------------------------------- */

static void append_snapshot(struct command *command, const char *session, const char *id, const char *steps)
{
    char data[1024];
    snprintf(data, sizeof data, "{\"version\":1,\"sequenceId\":\"q\",\"steps\":%s,\"updatedAt\":1700000000000}", steps);
    command_run(command, "append", session, "--create", "--kind", "custom:sequence", "--id", id, "--data", data, NULL);
    assert_exit(command, 0);
}

#define STEPS "[\"/readonly on\",\"Plan it for $@\\nand name \\u001b the files\",\"/handoff execution\"]"

IN_STORE(list_has_every_session_with_a_sequence)
{
    struct command *command = *state;
    command_line(command, "sequence list");
    assert_exit(command, 0);
    assert_contains(command->err, "no session has a sequence at its leaf");
    append_snapshot(command, "one", "a", STEPS);
    append_snapshot(command, "two", "b", "[]");
    command_must(command, "append three --create --kind note");
    command_must(command, "sequence list --jsonl");
    assert_string_equal(
        command->out, "{\"schema\":1,\"session\":\"one\",\"sequenceId\":\"q\",\"steps\":3,\"updatedAt\":1700000000000,"
                      "\"entry\":\"a\",\"first\":\"/readonly on\"}\n"
                      "{\"schema\":1,\"session\":\"two\",\"sequenceId\":\"q\",\"steps\":0,\"updatedAt\":1700000000000,"
                      "\"entry\":\"b\",\"first\":null}\n");
}

IN_STORE(list_of_a_session_has_every_snapshot_of_the_path)
{
    struct command *command = *state;
    command_must(command, "append one --create --kind note");
    append_snapshot(command, "one", "a", "[\"x\"]");
    append_snapshot(command, "one", "b", "[\"x\",7]");
    append_snapshot(command, "one", "c", "[\"x\",\"y\"]");
    command_must(command, "append one --kind custom:agenticoding-sequence --id d");
    command_must(command, "sequence list one --json");
    command->out = command_replace(command->out, "\"time\":\"[^\"]*\"", "\"time\":T");
    assert_string_equal(
        command->out,
        "{\"schema\":1,\"sequences\":["
        "{\"entry\":\"d\",\"depth\":5,\"time\":T,\"steps\":null,\"state\":\"skipped\",\"reason\":\"there is no data\"},"
        "{\"entry\":\"c\",\"depth\":4,\"time\":T,\"steps\":2,\"state\":\"counts\",\"reason\":null},"
        "{\"entry\":\"b\",\"depth\":3,\"time\":T,\"steps\":null,\"state\":\"skipped\","
        "\"reason\":\"a step is not a string\"},"
        "{\"entry\":\"a\",\"depth\":2,\"time\":T,\"steps\":1,\"state\":\"older\",\"reason\":null}]}\n");
    command_must(command, "sequence list one:a");
    assert_contains(command->out, "counts");
    assert_null(strstr(command->out, "older"));
}

IN_STORE(show_has_the_steps_as_authored)
{
    struct command *command = *state;
    append_snapshot(command, "one", "a", STEPS);
    command_must(command, "sequence show one --json");
    assert_string_equal(command->out,
                        "{\"schema\":1,\"sequenceId\":\"q\",\"session\":\"one\",\"entry\":\"a\",\"depth\":1,"
                        "\"updatedAt\":1700000000000,\"steps\":" STEPS "}\n");
    command_must(command, "sequence show one");
    assert_contains(command->out, "steps      3\n 1  /readonly on\n 2  Plan it for $@\n    and name \\x1b the files\n"
                                  " 3  /handoff execution\n");
    command_must(command, "append two --create --kind note --id n");
    command_line(command, "sequence show two");
    assert_error(command, 3, "session two has no sequence at its leaf");
    command_must(command, "append two --kind note --id m");
    command_line(command, "sequence show two:n");
    assert_error(command, 3, "session two has no sequence at that entry");
}
