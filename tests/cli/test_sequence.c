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
    command_must(command, "complete -- sequence li");
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
    assert_contains(command->out, "steps       3\n 1  /readonly on\n 2  Plan it for $@\n    and name \\x1b the files\n"
                                  " 3  /handoff execution\n");
    command_must(command, "append two --create --kind note --id n");
    command_line(command, "sequence show two");
    assert_error(command, 3, "session two has no sequence at its leaf");
    command_must(command, "append two --kind note --id m");
    command_line(command, "sequence show two:n");
    assert_error(command, 3, "session two has no sequence at that entry");
}

/* --- validate, preview, save -------------------------------------------------------------------------------------- */

#define CATALOGUE                                                                                      \
    "{\"schema\":1,\"compact\":true,\"expands\":true,\"commands\":["                                   \
    "{\"name\":\"readonly\",\"source\":\"own\",\"arguments\":[\"\",\"on\",\"off\"],\"toggles\":true}," \
    "{\"name\":\"plan\",\"source\":\"prompt\",\"path\":\"/p/plan.md\"},"                               \
    "{\"name\":\"handoff\",\"source\":\"extension\",\"path\":\"/home/dev/.pi/agent/extensions/agenticoding.ts\"}]}"

static void write_file(const struct command *command, const char *name, const char *text)
{
    char path[256];
    command_path(path, command, name);
    command_write_file(path, text, strlen(text));
}

/* Runs a line in which DIR stands for the directory of the test. */
static void run_line(struct command *command, const char *line)
{
    char *meant = command_replace(strdup(line), "DIR", command->directory);
    command_line(command, meant);
    free(meant);
}

static int set_up_sequence(void **state)
{
    command_set_up_at_a_time(state);
    write_file(*state, "commands.json", CATALOGUE);
    append_snapshot(*state, "host", "a", STEPS);
    return 0;
}

#define WITH_SEQUENCE(test) TEST_WITH(test, set_up_sequence, command_tear_down_verified)

WITH_SEQUENCE(validate_names_each_step_that_cannot_be_run)
{
    struct command *command = *state;
    run_line(command, "sequence validate host --commands DIR/commands.json --json");
    assert_exit(command, 1);
    assert_string_equal(
        command->out,
        "{\"schema\":1,\"ok\":false,\"steps\":["
        "{\"raw\":\"/readonly on\",\"kind\":\"command\",\"name\":\"readonly\",\"args\":\"on\",\"path\":null,"
        "\"problem\":null,\"message\":null,\"warnings\":[]},"
        "{\"raw\":\"Plan it for $@\\nand name \\u001b the files\",\"kind\":null,\"name\":null,\"args\":null,"
        "\"path\":null,\"problem\":\"control\",\"message\":\"the step has a control character at byte 24\","
        "\"warnings\":[]},"
        "{\"raw\":\"/handoff execution\",\"kind\":null,\"name\":\"handoff\",\"args\":\"execution\","
        "\"path\":\"/home/dev/.pi/agent/extensions/agenticoding.ts\",\"problem\":\"extension\","
        "\"message\":\"/handoff belongs to the extension /home/dev/.pi/agent/extensions/agenticoding.ts, which does "
        "not offer the command to sequences\",\"warnings\":[]}],\"problem\":\"step\"}\n");
    write_file(command, "steps.json", "[\"/readonly\",\"/plan x\"]");
    run_line(command, "sequence preview --file DIR/steps.json --commands DIR/commands.json --jsonl");
    assert_exit(command, 0);
    assert_contains(command->out, "\"warnings\":[\"toggles\"],\"text\":\"\"}");
    assert_contains(command->out, "\"warnings\":[],\"text\":\"/plan x\"}],\"problem\":null}");
}

WITH_SEQUENCE(a_preview_puts_arguments_into_steps_and_leaves_a_template_to_the_host)
{
    struct command *command = *state;
    char steps[256];
    char commands[256];
    write_file(command, "steps.json", "[\"Ask $1\",\"/plan <$1>\"]");
    command_path(steps, command, "steps.json");
    command_path(commands, command, "commands.json");
    command_run(command, "sequence", "preview", "--file", steps, "--commands", commands, "--args",
                "[\"the \\\"parser\\\"\",\"\"]", NULL);
    assert_exit(command, 0);
    assert_string_equal(command->out, " 1  prompt    Ask the \"parser\"\n"
                                      " 2  template  /plan <$1>\n"
                                      "              argument 1: the \"parser\"\n"
                                      "              argument 2:\n");
    command_run(command, "sequence", "preview", "--file", steps, "--commands", commands, "--args", "[\"a b\"]",
                "--json", NULL);
    assert_contains(command->out, "\"text\":\"Ask a b\"}");
    assert_contains(command->out, "\"text\":\"/plan <$1>\"}");
    command_run(command, "sequence", "preview", "--file", steps, "--commands", commands, "--args", "a b", NULL);
    assert_error(command, 2, "--args: ");
    command_run(command, "sequence", "preview", "--file", steps, "--commands", commands, "--args", "[7]", NULL);
    assert_error(command, 2, "--args: element 1 is not a string");
}

WITH_SEQUENCE(bad_input_is_named)
{
    static const struct {
        const char *line;
        int code;
        const char *part;
    } bad[] = {
        {"sequence validate host", 2, "--commands is missing"},
        {"sequence validate --commands DIR/commands.json", 2, "an argument is missing"},
        {"sequence validate host --file DIR/x --commands DIR/x", 2, "SESSION and --file cannot be combined"},
        {"sequence validate host --commands DIR/none.json", 3, "none.json cannot be read"},
        {"sequence validate host --commands DIR/torn.json", 2, "torn.json: "},
        {"sequence validate host --commands DIR/source.json", 2, "source.json: commands[0].source"},
        {"sequence validate --file DIR/numbers.json --commands DIR/commands.json", 2, "element 2 is not a string"},
        {"sequence validate --file DIR/commands.json --commands DIR/commands.json", 2, "expected an array of strings"},
        {"sequence save host", 2, "the steps are missing"},
        {"sequence save host --step a --file b", 2, "--step and --file cannot be combined"},
        {"sequence save host --step a --expect none", 4, "leaf"},
        {"sequence save nobody --step a", 3, "there is no session 'nobody'"},
        {"sequence show", 2, "an argument is missing"},
        {"sequence status host", 3, "session host has no mark of a run"},
        {"sequence status nothing", 3, "there is no run 'nothing'"},
        {"sequence log host", 3, "there is no run 'host'"},
        {"sequence log 01a", 3, "needs 4 characters"},
        {"sequence retry 0198c0de --yes", 3, "there is no run '0198c0de'"},
        {"sequence stop 0198c0de", 2, "give --yes to stop the run"},
        {"sequence drive start", 2, "--file FILE"},
        {"sequence drive start --file -", 2, "--file cannot be -: standard input has the lines of the host"},
        {"sequence drive 0198c0de --file x", 2, "--file is for `sequence drive start`"},
        {"sequence drive start --file DIR/torn.json", 2, "torn.json: "},
        {"sequence drive start --file DIR/numbers.json", 2, "numbers.json: expected an object"},
        {"sequence drive start --file DIR/commands.json", 2, "commands.json: catalogue is missing"},
    };
    struct command *command = *state;
    write_file(command, "torn.json", "{\"schema\":1");
    write_file(command, "source.json", "{\"schema\":1,\"commands\":[{\"name\":\"x\",\"source\":\"sky\"}]}");
    write_file(command, "numbers.json", "[\"a\",7]");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        run_line(command, bad[i].line);
        assert_error(command, bad[i].code, bad[i].part);
    }
}

WITH_SEQUENCE(save_appends_a_snapshot_and_prints_its_entry)
{
    struct command *command = *state;
    run_line(command, "sequence save host --step /readonly --step two --commands DIR/commands.json --expect a --id q");
    assert_exit(command, 0);
    char *entry = strndup(command->out, strcspn(command->out, "\n"));
    command_must(command, "sequence show host --json");
    assert_contains(command->out, entry);
    assert_contains(command->out, "\"steps\":[\"/readonly\",\"two\"]");
    assert_contains(command->out, "{\"schema\":1,\"sequenceId\":\"q\",");
    free(entry);
    run_line(command, "sequence save host --step /none --step two --commands DIR/commands.json");
    assert_exit(command, 1);
    assert_string_equal(command->out, "step 1: unknown: there is no command, prompt or skill /none\n"
                                      "1 of 2 steps cannot be run\n");
    command->input = "[\"from a pipe\"]";
    command_must(command, "sequence save host --file -");
    command->input = NULL;
    command_must(command, "sequence list host --jsonl");
    assert_contains(command->out, "\"steps\":1,\"state\":\"counts\"");
}

WITH_SEQUENCE(standard_input_is_not_read_twice)
{
    static const char *const lines[] = {"sequence validate --file - --commands -",
                                        "sequence preview --commands - --file -",
                                        "sequence save host --file - --commands -"};
    struct command *command = *state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        command->input = "[\"one\"]";
        command_line(command, lines[i]);
        assert_error(command, 2, "--file - and --commands - cannot be combined");
    }
    command->input = NULL;
}

/* --- drive -------------------------------------------------------------------------------------------------------- */

#define NEXT "{\"next\":true}\n"
#define CLAIM "{\"claim\":\"0123456789abcdef\"}\n"
#define DONE "{\"done\":{\"entry\":null}}\n"

/* Writes the request of a run; `more` are further members. */
static void write_request(const struct command *command, const char *more)
{
    char text[2048];
    snprintf(text, sizeof text, "{\"sessionId\":\"host\",\"catalogue\":%s%s}", CATALOGUE, more);
    write_file(command, "start.json", text);
}

#define AB ",\"sequenceId\":\"q\",\"steps\":[\"A for $1\",\"/readonly on\"]"

/* Starts a run with these lines of a host; gives the id of the run, to be freed. */
static char *start_run(struct command *command, const char *more, const char *lines, int code)
{
    write_request(command, more);
    command->input = lines;
    run_line(command, "sequence drive start --file DIR/start.json");
    command->input = NULL;
    assert_exit(command, code);
    const char *id = strstr(command->out, "\"runId\":\"");
    return strndup(id ? id + strlen("\"runId\":\"") : "", 36);
}

static void drive_run(struct command *command, const char *run, const char *lines, int code)
{
    command->input = lines;
    command_run(command, "sequence", "drive", run, NULL);
    command->input = NULL;
    assert_exit(command, code);
}

static char *without_id(const char *text)
{
    return command_replace(strdup(text), "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "RUN");
}

static void assert_phase(struct command *command, const char *run, const char *phase)
{
    char part[64];
    snprintf(part, sizeof part, "\"phase\":\"%s\"", phase);
    command_run(command, "sequence", "status", run, "--json", NULL);
    assert_exit(command, 0);
    assert_contains(command->out, part);
}

WITH_SEQUENCE(drive_leads_a_run_to_its_end)
{
    struct command *command = *state;
    char *run = start_run(
        command, AB ",\"runs\":2,\"args\":[\"the parser\"]",
        NEXT CLAIM DONE NEXT CLAIM DONE NEXT "{\"session\":\"host-2\"}\n" NEXT CLAIM DONE NEXT CLAIM DONE NEXT, 0);
    char *out = without_id(command->out);
    assert_string_equal(
        out,
        "{\"schema\":1,\"action\":\"execute\",\"runId\":\"RUN\",\"run\":0,\"step\":0,\"attempt\":1,\"kind\":\"prompt\","
        "\"name\":null,\"canonical\":null,\"warnings\":[],\"raw\":\"A for $1\",\"args\":[\"the parser\"],"
        "\"text\":\"A for the parser\"}\n"
        "{\"schema\":1,\"ok\":true}\n"
        "{\"schema\":1,\"ok\":true}\n"
        "{\"schema\":1,\"action\":\"execute\",\"runId\":\"RUN\",\"run\":0,\"step\":1,\"attempt\":1,\"kind\":"
        "\"command\","
        "\"name\":\"readonly\",\"canonical\":\"readonly\",\"warnings\":[],\"raw\":\"/readonly on\",\"args\":[\"the "
        "parser\"],"
        "\"text\":\"on\"}\n"
        "{\"schema\":1,\"ok\":true}\n"
        "{\"schema\":1,\"ok\":true}\n"
        "{\"schema\":1,\"action\":\"new-session\",\"runId\":\"RUN\",\"run\":1}\n"
        "{\"schema\":1,\"ok\":true}\n"
        "{\"schema\":1,\"action\":\"execute\",\"runId\":\"RUN\",\"run\":1,\"step\":0,\"attempt\":1,\"kind\":\"prompt\","
        "\"name\":null,\"canonical\":null,\"warnings\":[],\"raw\":\"A for $1\",\"args\":[\"the parser\"],"
        "\"text\":\"A for the parser\"}\n"
        "{\"schema\":1,\"ok\":true}\n"
        "{\"schema\":1,\"ok\":true}\n"
        "{\"schema\":1,\"action\":\"execute\",\"runId\":\"RUN\",\"run\":1,\"step\":1,\"attempt\":1,\"kind\":"
        "\"command\","
        "\"name\":\"readonly\",\"canonical\":\"readonly\",\"warnings\":[],\"raw\":\"/readonly on\",\"args\":[\"the "
        "parser\"],"
        "\"text\":\"on\"}\n"
        "{\"schema\":1,\"ok\":true}\n"
        "{\"schema\":1,\"ok\":true}\n"
        "{\"schema\":1,\"action\":\"finished\",\"runId\":\"RUN\",\"outcome\":\"done\",\"code\":null,\"message\":null}"
        "\n");
    free(out);
    /* vector 113 */
    command_run(command, "sequence", "status", run, "--json", NULL);
    out = command_replace(without_id(command->out), "\"20[^\"]*Z\"", "TIME");
    assert_string_equal(
        out, "{\"schema\":1,\"runId\":\"RUN\",\"sequenceId\":\"q\",\"phase\":\"done\",\"runIndex\":1,"
             "\"totalRuns\":2,\"stepIndex\":1,\"stepCount\":2,\"attempt\":null,\"step\":null,"
             "\"session\":\"host-2\",\"hostSession\":\"host-2\",\"origin\":{\"session\":\"host\",\"entry\":\"a\"},"
             "\"startedAt\":TIME,\"newest\":TIME,\"outcome\":\"done\",\"code\":null,\"message\":null,"
             "\"owner\":null,\"stepsDone\":4,\"stepsSkipped\":0}\n");
    free(out);
    free(run);
}

/* vector 114 */
WITH_SEQUENCE(drive_answers_each_line_and_goes_on_after_a_refused_line)
{
    static const char refused[] = "no JSON\n"
                                  "\n"
                                  "[]\n"
                                  "7\n"
                                  "{}\n"
                                  "{\"next\":true,\"stop\":\"x\"}\n"
                                  "{\"next\":true,\"catalogue\":{\"schema\":2}}\n"
                                  "{\"next\":true,\"catalogue\":[]}\n"
                                  "{\"done\":{}}\n"
                                  "{\"session\":7}\n"
                                  "{\"session\":\"elsewhere\"}\n"
                                  "{\"failed\":{\"code\":\"sky\",\"message\":\"m\"}}\n"
                                  "{\"failed\":{\"code\":\"user\"}}\n"
                                  "{\"failed\":7}\n"
                                  "{\"decide\":\"retry\"}\n"
                                  "{\"decide\":\"guess\"}\n"
                                  "{\"claim\":\"0123456789abcdef\"}\n"
                                  "{\"stop\":{}}\n" NEXT "{\"claim\":7}\n"
                                  "{\"claim\":\"0123456789ABCDEF\"}\n" CLAIM NEXT;
    struct command *command = *state;
    char *run = start_run(command, AB, refused, 1);
    size_t lines = 0;
    size_t errors = 0;
    for (const char *line = command->out; *line != '\0'; line = strchr(line, '\n') + 1) {
        lines++;
        errors += strncmp(line, "{\"schema\":1,\"error\":{\"code\":2,\"text\":\"", 38) == 0;
    }
    assert_int_equal(lines, 23);
    assert_int_equal(errors, 21);
    assert_contains(command->out, "the end of the action before was not reported");
    assert_phase(command, run, "interrupted"); /* the input ended in a step */
    free(run);
}

WITH_SEQUENCE(a_refused_next_keeps_the_catalogue_before)
{
    static const char empty[] = "{\"next\":true,\"catalogue\":{\"schema\":1,\"commands\":[]}}\n";
    struct command *command = *state;
    char lines[512];
    snprintf(lines, sizeof lines, "%s%s%s%s%s", NEXT, CLAIM, empty, DONE, NEXT);
    free(start_run(command, AB, lines, 1));
    assert_contains(command->out, "the end of the action before was not reported");
    assert_contains(command->out, "\"step\":1,\"attempt\":1,\"kind\":\"command\"");
    snprintf(lines, sizeof lines, "%s%s%s%s", NEXT, CLAIM, DONE, empty); /* an accepted line brings the new catalogue */
    free(start_run(command, AB, lines, 1));
    assert_contains(command->out, "\"code\":\"unresolved\"");
}

WITH_SEQUENCE(a_line_that_is_too_long_gets_an_error_and_the_next_line_is_heard)
{
    struct command *command = *state;
    size_t bytes = (size_t)17 * 1024 * 1024;
    char *lines = malloc(bytes + 64);
    assert_non_null(lines);
    memset(lines, ' ', bytes);
    memcpy(lines + bytes, "\n" NEXT, sizeof("\n" NEXT));
    free(start_run(command, AB, lines, 1));
    free(lines);
    assert_int_equal(strncmp(command->out, "{\"schema\":1,\"error\":{\"code\":2,\"text\":\"a line has at most", 55), 0);
    assert_contains(command->out, "\n{\"schema\":1,\"action\":\"execute\"");
}

WITH_SEQUENCE(the_end_of_input_between_two_steps_pauses_the_run)
{
    struct command *command = *state;
    char *run = start_run(command, AB, NEXT CLAIM DONE, 1);
    command_run(command, "sequence", "status", run, NULL);
    assert_contains(command->out, "paused before step 2 of 2 in run 1 of 1\n");
    assert_contains(command->out, "shutdown: the host closed its end\n");
    drive_run(command, run, "{\"next\":true,\"catalogue\":" CATALOGUE "}\n" CLAIM DONE NEXT, 0);
    assert_contains(command->out, "\"step\":1,\"attempt\":1,");
    drive_run(command, run, NEXT, 4);
    free(run);
}

WITH_SEQUENCE(an_interrupted_run_waits_for_a_decision)
{
    struct command *command = *state;
    char *run = start_run(command, AB, NEXT CLAIM, 1);
    drive_run(command, run,
              NEXT "{\"decide\":\"skip\",\"stop\":\"both\"}\n"
                   "{\"decide\":\"retry\"}\n"
                   "{\"next\":true,\"catalogue\":" CATALOGUE "}\n" CLAIM,
              1);
    assert_contains(command->out, "decide \\\"retry\\\" or \\\"skip\\\" first");
    assert_contains(command->out, "expected an object with one of next,");
    assert_contains(command->out, "\"step\":0,\"attempt\":2,");
    drive_run(command, run, "{\"decide\":\"skip\",\"session\":\"host\"}\n{\"pause\":\"lunch\"}\n" NEXT, 1);
    assert_string_equal(command->out, "{\"schema\":1,\"ok\":true}\n{\"schema\":1,\"ok\":true}\n");
    command_run(command, "sequence", "status", run, NULL);
    assert_contains(command->out, "left: lunch\n");
    assert_contains(command->out, "steps       0 done, 1 skipped\n");
    free(run);
}

WITH_SEQUENCE(a_failure_and_a_stop_end_the_run_with_1)
{
    struct command *command = *state;
    char *run =
        start_run(command, AB, NEXT CLAIM "{\"failed\":{\"code\":\"turn-error\",\"message\":\"no key\"}}\n" NEXT, 1);
    assert_contains(command->out, "\"outcome\":\"failed\",\"code\":\"turn-error\",\"message\":\"no key\"}");
    assert_phase(command, run, "failed");
    free(run);
    run = start_run(command, AB, "{\"stop\":\"enough\"}\n", 1);
    command_must(command, "sequence runs --jsonl");
    assert_contains(command->out, "\"phase\":\"stopped\"");
    free(run);
}

WITH_SEQUENCE(a_sequence_with_a_problem_is_not_started)
{
    struct command *command = *state;
    write_request(command, ",\"sequenceId\":\"q\",\"steps\":[\"fine\",\"/none\"]");
    run_line(command, "sequence drive start --file DIR/start.json");
    assert_exit(command, 1);
    assert_contains(command->err, "step 2");
    command_must(command, "sessions --runs");
    assert_null(strstr(command->out, "seq."));
    write_request(command, ""); /* the snapshot of the session has a control character */
    run_line(command, "sequence drive start --file DIR/start.json");
    assert_exit(command, 1);
    write_request(command, AB ",\"runs\":1001");
    run_line(command, "sequence drive start --file DIR/start.json");
    assert_error(command, 2, "start.json: runs is not a number from 1 to 1000");
}

WITH_SEQUENCE(a_run_takes_the_steps_of_the_session)
{
    struct command *command = *state;
    command_must(command, "sequence save host --step only --id saved");
    char *run = start_run(command, ",\"fresh\":true", NEXT, 1);
    assert_contains(command->out, "\"action\":\"new-session\"");
    command_run(command, "sequence", "show", "--run", run, "--json", NULL);
    assert_contains(command->out, "{\"schema\":1,\"sequenceId\":\"saved\",");
    assert_contains(command->out, "\"steps\":[\"only\"],\"args\":null}");
    free(run);
}

WITH_SEQUENCE(a_request_names_the_session_by_its_whole_id)
{
    static const char *const wrong[] = {"hos", "host-lon", "host-long:saved", "host-long\\u0000x"};
    struct command *command = *state;
    char text[2048];
    command_must(command, "append host-long --create --kind note");
    command_must(command, "sequence save host-long --step only --id saved");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        snprintf(text, sizeof text, "{\"sessionId\":\"%s\",\"catalogue\":%s}", wrong[i], CATALOGUE);
        write_file(command, "start.json", text);
        run_line(command, "sequence drive start --file DIR/start.json");
        assert_error(command, 3, "start.json: ");
    }
    command_must(command, "sessions --runs");
    assert_null(strstr(command->out, "seq."));
}

WITH_SEQUENCE(steps_of_a_request_need_the_id_of_their_sequence)
{
    struct command *command = *state;
    write_request(command, ",\"steps\":[\"one\"]");
    run_line(command, "sequence drive start --file DIR/start.json");
    assert_error(command, 2, "start.json: sequenceId is missing");
}

/* Waits until the command, which is still at work, has written so many lines. */
static void await_lines(struct command *command, size_t wanted)
{
    char path[256];
    size_t lines = 0;
    command_path(path, command, "out");
    while (lines < wanted) {
        char *out = command_read_file(path, NULL);
        lines = 0;
        for (const char *at = out; (at = strchr(at, '\n')); at++) {
            lines++;
        }
        free(out);
        usleep(1000);
    }
}

WITH_SEQUENCE(a_signal_pauses_the_run_in_good_order)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct command *command = *state;
    char file[256];
    const char *const words[] = {"sequence", "drive", "start", "--file", file};
    int own = dup(STDIN_FILENO);
    write_request(command, AB);
    command_path(file, command, "start.json");
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        int ends[2];
        char path[256];
        command_path(path, command, "out");
        command_write_file(path, "", 0);
        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        assert_true(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
        command->in_inherited = true;
        pid_t child = command_start(command, words, sizeof words / sizeof words[0]);
        command->in_inherited = false;
        assert_int_equal(write(ends[1], NEXT CLAIM DONE, strlen(NEXT CLAIM DONE)), (ssize_t)strlen(NEXT CLAIM DONE));
        await_lines(command, 3); /* an answer is not buffered */
        assert_int_equal(kill(child, signals[i]), 0);
        command_end(command, child);
        close(ends[0]);
        close(ends[1]);
        assert_exit(command, 130);
        command_must(command, "sequence runs --jsonl");
        assert_contains(command->out, "\"phase\":\"paused\"");
        assert_contains(command->out, "\"code\":\"shutdown\",\"message\":\"a signal ended the process\"");
        assert_null(strstr(command->out, "interrupted"));
    }
    dup2(own, STDIN_FILENO);
    close(own);
}

/* A drive whose input is a pipe. */
struct host {
    pid_t child;
    int own;
    int ends[2];
};

static struct host start_host(struct command *command)
{
    struct host host = {.own = dup(STDIN_FILENO)};
    char file[256];
    char path[256];
    const char *const words[] = {"sequence", "drive", "start", "--file", file};
    write_request(command, AB);
    command_path(file, command, "start.json");
    command_path(path, command, "out");
    command_write_file(path, "", 0);
    assert_int_equal(pipe2(host.ends, O_CLOEXEC), 0);
    assert_true(dup2(host.ends[0], STDIN_FILENO) == STDIN_FILENO);
    command->in_inherited = true;
    host.child = command_start(command, words, sizeof words / sizeof words[0]);
    command->in_inherited = false;
    return host;
}

static void say(const struct host *host, const char *lines)
{
    assert_int_equal(write(host->ends[1], lines, strlen(lines)), (ssize_t)strlen(lines));
}

static void end_host(struct command *command, const struct host *host)
{
    dup2(host->own, STDIN_FILENO);
    close(host->own);
    close(host->ends[0]);
    close(host->ends[1]);
    command_end(command, host->child);
}

WITH_SEQUENCE(an_ignored_signal_stays_ignored)
{
    struct command *command = *state;
    signal(SIGHUP, SIG_IGN);
    struct host host = start_host(command);
    signal(SIGHUP, SIG_DFL);
    say(&host, NEXT CLAIM);
    await_lines(command, 2);
    assert_int_equal(kill(host.child, SIGHUP), 0);
    usleep(100000);
    say(&host, DONE NEXT CLAIM DONE NEXT);
    end_host(command, &host);
    assert_exit(command, 0);
    assert_contains(command->out, "\"outcome\":\"done\"");
}

WITH_SEQUENCE(a_signal_during_the_work_waits_for_the_answer)
{
    struct command *command = *state;
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct host host = start_host(command);
    say(&host, NEXT CLAIM);
    await_lines(command, 2);
    assert_int_equal(xylem_open(&store, command->store, NULL, NULL), XYLEM_OK);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, NULL), XYLEM_OK); /* `done` waits for this writer */
    say(&host, DONE);
    usleep(200000);
    assert_int_equal(kill(host.child, SIGTERM), 0);
    usleep(50000);
    xylem_abort(txn);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
    end_host(command, &host);
    assert_exit(command, 130);
    assert_contains(command->out, "\"ok\":true");
    command_must(command, "sequence runs --jsonl");
    assert_contains(command->out, "\"message\":\"a signal ended the process\"");
}

/* --- retry, skip, stop -------------------------------------------------------------------------------------------- */

WITH_SEQUENCE(a_decision_is_recorded_and_a_host_goes_on)
{
    struct command *command = *state;
    char *run = start_run(command, AB, NEXT CLAIM, 1);
    command_run(command, "sequence", "retry", run, "--dry-run", NULL);
    assert_exit(command, 0);
    assert_contains(command->out, ": would attempt again step 1 of 2 in run 1 of 1\n");
    assert_phase(command, run, "interrupted");
    command_run(command, "sequence", "retry", run, NULL);
    assert_error(command, 2, "give --yes to retry the step");
    command_run(command, "sequence", "retry", run, "--yes", NULL);
    assert_exit(command, 0);
    command_run(command, "sequence", "status", run, "--json", NULL);
    assert_contains(command->out, "\"phase\":\"paused\"");
    assert_contains(command->out, "\"attempt\":2");
    command_run(command, "sequence", "skip", run, "--yes", NULL);
    assert_error(command, 4, "is paused: only an interrupted step can be retried or skipped");
    drive_run(command, run, "{\"next\":true,\"catalogue\":" CATALOGUE "}\n" CLAIM, 1);
    command_run(command, "sequence", "skip", run, "--yes", NULL);
    assert_exit(command, 0);
    assert_contains(command->out, "skipped step 1 of 2");
    command_run(command, "sequence", "stop", run, "-y", NULL);
    assert_exit(command, 0);
    assert_contains(command->out, ": stopped at step 2 of 2 in run 1 of 1\n");
    command_run(command, "sequence", "stop", run, "-y", NULL);
    assert_error(command, 4, "is stopped already");
    free(run);
}

WITH_SEQUENCE(a_tampered_ledger_is_damaged)
{
    struct command *command = *state;
    char *run = start_run(command, AB, NEXT CLAIM, 1);
    char ledger[64];
    snprintf(ledger, sizeof ledger, "seq.%s", run);
    command_run(command, "append", ledger, "--kind", "custom:sequence-run", "--data", "{\"event\":\"\\u001b[2J\"}",
                NULL);
    assert_exit(command, 0);
    command_run(command, "sequence", "status", run, NULL);
    assert_exit(command, 1);
    assert_contains(command->out, "damaged");
    assert_contains(command->out, "sequence log ");
    assert_contains(command->out, "delete seq.");
    assert_null(strstr(command->err, "verify"));
    static const char *const verbs[][2] = {{"retry", "--yes"}, {"stop", "--yes"}, {"show", "--run"}};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        command_run(command, "sequence", verbs[i][0], verbs[i][1], run, NULL);
        assert_error(command, 2, "sequence log ");
        assert_null(strstr(command->err, "verify"));
    }
    command_run(command, "sequence", "drive", run, NULL);
    assert_error(command, 2, "is damaged");
    assert_null(strstr(command->err, "verify"));
    command_must(command, "sequence runs");
    assert_contains(command->out, "damaged");
    command_run(command, "sequence", "log", run, NULL);
    assert_exit(command, 0);
    assert_contains(command->out, "\\x1b[2J");
    command_run(command, "delete", ledger, "--yes", NULL);
    assert_exit(command, 0);
    command_must(command, "sequence runs --all");
    assert_null(strstr(command->out, "damaged"));
    free(run);
}

WITH_SEQUENCE(a_redacted_run_has_ended_and_says_so)
{
    struct command *command = *state;
    char *run = start_run(command, AB, NEXT CLAIM, 1);
    char ledger[64];
    snprintf(ledger, sizeof ledger, "seq.%s", run);
    command_run(command, "redact", ledger, "i0.s0.a1", "--reason", "key", "--yes", NULL);
    assert_exit(command, 0);
    command_run(command, "sequence", "show", "--run", run, NULL);
    assert_exit(command, 0); /* the steps stand in the start */
    command_run(command, "redact", ledger, "start", "--reason", "key", "--yes", NULL);
    assert_exit(command, 0);
    command_run(command, "sequence", "status", run, NULL);
    assert_exit(command, 0);
    assert_contains(command->out, "redacted\n");
    assert_contains(command->out, "the entry start: ");
    assert_null(strstr(command->err, "verify"));
    command_must(command, "sequence runs");
    assert_contains(command->out, "redacted");
    assert_null(strstr(command->out, "1970"));
    command_run(command, "sequence", "log", run, NULL);
    assert_exit(command, 0);
    assert_contains(command->out, "was redacted");
    command_run(command, "sequence", "stop", run, "--yes", NULL);
    assert_error(command, 4, "is redacted already");
    command_run(command, "sequence", "show", "--run", run, NULL);
    assert_error(command, 1, "were redacted");
    free(run);
    command->now = "2036-11-20T19:30:00Z";
    command_must(command, "sequence runs");
    assert_null(strstr(command->out, "redacted"));
    assert_contains(command->err, "ended more than a week ago");
    command->now = NULL;
}

/* --- Ledgers among sessions --------------------------------------------------------------------------------------- */

/* vector 115 */
WITH_SEQUENCE(sessions_leaves_out_ledgers)
{
    struct command *command = *state;
    char *run = start_run(command, AB, NEXT CLAIM, 1);
    char line[128];
    command_must(command, "sessions --jsonl");
    assert_null(strstr(command->out, "seq."));
    command_must(command, "sessions --runs --jsonl");
    assert_contains(command->out, run);
    command_must(command, "tree --family host");
    assert_null(strstr(command->out, "seq."));
    snprintf(line, sizeof line, "seq.%.12s", run);
    command_run(command, "complete", "--", "log", line, NULL);
    assert_string_equal(command->out, "");
    snprintf(line, sizeof line, "log seq.%.12sx", run);
    command_line(command, line);
    assert_exit(command, 3);
    assert_null(strstr(command->err, "did you mean"));
    snprintf(line, sizeof line, "log seq.%.13s", run);
    command_line(command, line);
    assert_error(command, 3, "there is no session 'seq."); /* a part never means a ledger */
    snprintf(line, sizeof line, "log seq.%s", run);
    command_must(command, line); /* its whole id does */
    command_must(command, "show @last --json");
    assert_contains(command->out, "\"session\":\"host\"");
    command_run(command, "complete", "--", "sequence", "status", "01", NULL);
    assert_contains(command->out, run);
    /* a session with such a name and without a start is nobody's ledger */
    command_must(command, "append seq.0198c0de-0000-7000-8000-000000000001 --create --kind note");
    command_must(command, "sessions --jsonl");
    assert_contains(command->out, "seq.0198c0de");
    free(run);
}

/* --- Looks -------------------------------------------------------------------------------------------------------- */

/* The lines of the golden pages. R1 is done, R2 is interrupted, R3 is paused, R4 has failed. */
static const char *const looks[] = {
    "sequence list",
    "sequence list host",
    "sequence show host",
    "sequence show --run R1",
    "sequence validate host --commands DIR/commands.json",
    "sequence preview host --commands DIR/commands.json",
    "sequence preview --file DIR/steps.json --commands DIR/commands.json",
    "sequence save host --step /none --commands DIR/commands.json",
    "sequence runs",
    "sequence status R1",
    "sequence status R2",
    "sequence status R3",
    "sequence status R4",
    "sequence log R1",
    "sequence log R3",
    "sequence retry R2 --dry-run",
    "sequence retry R2 --yes",
    "sequence stop R2 --yes",
    "sequence stop R2 --yes",
    "sequence status R2",
    "sequence",
    "help sequence drive",
};

#define RUNS 4

static void make_runs(struct command *command, char *runs[RUNS])
{
    runs[0] = start_run(
        command, AB ",\"runs\":2,\"args\":[\"the parser\"]",
        NEXT CLAIM DONE NEXT CLAIM DONE NEXT "{\"session\":\"host-2\"}\n" NEXT CLAIM DONE NEXT CLAIM DONE NEXT, 0);
    runs[1] = start_run(command, AB ",\"runs\":5", NEXT CLAIM DONE NEXT CLAIM, 1);
    runs[2] = start_run(command, AB, NEXT CLAIM "{\"done\":{\"entry\":\"a\"}}\n{\"pause\":\"gone to lunch\"}\n", 1);
    runs[3] =
        start_run(command, AB,
                  NEXT CLAIM "{\"failed\":{\"code\":\"turn-error\",\"message\":\"the key has expired; ask the owner of "
                             "the account for a new key, and try again\"}}\n",
                  1);
}

/* Everything that is made anew in each run becomes as wide as it was. */
static char *without_made(char *text)
{
    text = command_replace(text, "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}",
                           "0198c0de-0000-7000-8000-000000000001");
    text = command_replace(text, "01[0-9a-f]{6}-[0-9a-f]{4} ", "0198c0de-0000 ");
    return command_replace(text, "20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}", "2026-11-20 17:18:05");
}

static void expect_page(struct command *command, const char *columns, const char *name)
{
    char *runs[RUNS];
    char *page = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&page, &bytes);
    assert_non_null(stream);
    write_file(command, "steps.json",
               "[\"/readonly\",\"/plan the parser, its tests, its documentation and its "
               "benches, and nothing else in this repository\"]");
    append_snapshot(command, "other", "b", "[\"Summarise what changed since yesterday\"]");
    make_runs(command, runs);
    command->now = "2020-01-01T00:00:00Z"; /* entries are made now: every age is none */
    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++) {
        char *line = strdup(looks[i]);
        for (size_t j = 0; j < RUNS; j++) {
            char word[] = {'R', (char)('1' + j), '\0'};
            line = command_replace(line, word, runs[j]);
        }
        if (columns) {
            setenv("COMMAND_COLUMNS", columns, 1);
        }
        run_line(command, line);
        unsetenv("COMMAND_COLUMNS");
        command->out = without_made(command->out);
        command->err = without_made(command->err);
        fprintf(stream, "%s$ xylem %s\n%s%s", i == 0 ? "" : "\n", looks[i], command->out, command->err);
        if (command->code != 0) {
            fprintf(stream, "[exit code %d]\n", command->code);
        }
        free(line);
    }
    fclose(stream);
    for (size_t j = 0; j < RUNS; j++) {
        free(runs[j]);
    }
    free(command->out);
    command->out = page;
    command_expect(command, name);
}

WITH_SEQUENCE(on_a_terminal_of_60_columns)
{
    expect_page(*state, "60", "sequence-60.txt");
}

WITH_SEQUENCE(on_a_terminal_of_80_columns)
{
    expect_page(*state, "80", "sequence-80.txt");
}

WITH_SEQUENCE(on_a_terminal_of_160_columns)
{
    expect_page(*state, "160", "sequence-160.txt");
}

WITH_SEQUENCE(in_a_pipe)
{
    expect_page(*state, NULL, "sequence-pipe.txt");
}
