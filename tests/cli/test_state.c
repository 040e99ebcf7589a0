/* xylem state: what comes back at an entry, and why. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

/* Runs `state s --explain OPTIONS` in a pipe; what it says of the nudge. */
static void expect_nudge(struct command *command, const char *options, const char *expected)
{
    char line[128];

    snprintf(line, sizeof(line), "state s --explain %s", options);
    command_must(command, line);
    char *nudge = strstr(command->out, "\nnudge      ");
    assert_non_null(nudge);
    assert_int_equal(strncmp(nudge + strlen("\nnudge      "), expected, strlen(expected)), 0);
}

TEST_WITH(states_are_explained, command_set_up_scenario, command_tear_down_verified)
{
    struct command *command = *state;

    command_expect_line(command, "state " SCENARIO_ID, "state.txt");
    command_expect_line(command, "state " SCENARIO_ID " --explain", "state-explain.txt");
    command_expect_line(command, "state " SCENARIO_ID " --json", "state.json");
    command_expect_line(command, "state " SCENARIO_ID " --every --jsonl", "state-every.jsonl");
}

TEST_WITH(why_a_nudge_is_due_is_explained, command_set_up_scenario, command_tear_down_verified)
{
    struct command *command = *state;

    command_must(command, "append s --create --kind note --id m");
    command_must(command, "append s --kind custom:readonly --id t --data {\"enabled\":true}");
    command_must(command, "append s --kind custom:readonly-nudge --id n --data {\"direction\":\"on\"}");
    command_must(command, "append s --kind custom:readonly --id u --data {\"enabled\":false}");
    command_must(command, "append s --kind custom:readonly-nudge --id d --data "
                          "{\"direction\":\"off\",\"delivered\":true}");
    command_must(command, "append s --kind custom:readonly --id v --data {\"enabled\":true}");
    command_must(command, "append s --kind custom:readonly-nudge --id e --data "
                          "{\"direction\":\"on\",\"delivered\":true}");
    command_must(command, "append s --kind custom:readonly --id w --data {\"enabled\":true}");
    expect_nudge(command, "--at m", "none due; readonly is off, and the path has no nudge \"on\"\n");
    expect_nudge(command, "--at t", "due: readonly went on; the path has no delivered nudge\n");
    expect_nudge(command, "--at u", "due: readonly went off; the path has a nudge \"on\", but no delivered one\n");
    expect_nudge(
        command, "--at d",
        "none due; told off by d (custom:readonly-nudge {\"direction\":\"off\",\"delivered\":true}, depth 5, 20");
    expect_nudge(command, "--at v", "due: readonly went on; told off by d (custom:readonly-nudge ");
    expect_nudge(command, "--at w", "due: readonly went on; told on by e, before the toggle (custom:readonly-nudge ");
    expect_nudge(command, "--at e --event session_tree --previous-readonly off",
                 "due: readonly went on; told on by e, but readonly was off (custom:readonly-nudge ");
    expect_nudge(command, "--at d --event session_tree --previous-readonly on",
                 "due: readonly went off; told off by d, but readonly was on (custom:readonly-nudge ");
    expect_nudge(command, "--reason new", "none due; a new session starts from nothing\n");
    expect_nudge(command, "--reason new --flag-readonly", "due: readonly went on; a new session was told nothing\n");
}

/* However the path was read, the answer is the same; what it took is told apart. */
TEST_WITH(a_scan_gives_the_same_state, command_set_up_scenario, command_tear_down_verified)
{
    struct command *command = *state;

    command_must(command, "state " SCENARIO_ID " --json");
    char *linked = command_replace(strdup(command->out), "\"looked_at\":[0-9]+", "LOOKED_AT");
    command_must(command, "state " SCENARIO_ID " --scan --json");
    assert_contains(command->out, "\"looked_at\":20,"); /* nothing decides the sequence: all of the path */
    command->out = command_replace(command->out, "\"looked_at\":[0-9]+", "LOOKED_AT");
    assert_string_equal(command->out, linked);
    free(linked);
    command_must(command, "state " SCENARIO_ID " --scan --explain --json");
    assert_contains(command->out, ",\"read\":{\"records\":");
    assert_contains(command->out, "}}\n");
    command_must(command, "state " SCENARIO_ID " --explain --every --jsonl");
    char *first = strndup(command->out, strcspn(command->out, "\n"));
    command_must(command, "state " SCENARIO_ID " --at @^1 --explain --json");
    assert_string_equal(strstr(first, "\"looked_at\""), strtok(strstr(command->out, "\"looked_at\""), "\n"));
    free(first);
}

TEST_WITH(every_entry_has_its_state, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;
    size_t lines = 0;

    command_done(command, "import " SCENARIO);
    command_done(command, "state " SCENARIO_ID " --every --jsonl");
    for (char *line = strtok(command->out, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        assert_int_equal(strncmp(line, "{\"schema\":1,\"session\":\"" SCENARIO_ID "\",\"at\":{\"entry\":\"", 70), 0);
        lines++;
    }
    assert_int_equal(lines, 31);
}

TEST_WITH(events_and_flags_reach_the_reducers, command_set_up, command_tear_down_verified)
{
    static const struct {
        const char *options;
        const char *part;
    } cases[] = {
        {"", "\"readonly\":{\"enabled\":false,\"from\":\"path\",\"entry\":\"off\"}"},
        {"--flag-readonly", "\"readonly\":{\"enabled\":true,\"from\":\"flag\",\"entry\":null}"},
        {"--flag-readonly --flag-fallback", "\"readonly\":{\"enabled\":false,\"from\":\"path\",\"entry\":\"off\"}"},
        {"--flag-readonly --event session_tree",
         "\"readonly\":{\"enabled\":false,\"from\":\"path\",\"entry\":\"off\"}"},
        {"--flag-readonly --event toggled", "\"readonly\":{\"enabled\":false,\"from\":\"path\",\"entry\":\"off\"}"},
        {"--flag-readonly --event toggled --at none",
         "\"readonly\":{\"enabled\":false,\"from\":\"default\",\"entry\":null}"},
        {"--flag-readonly --event session_tree --at none",
         "\"readonly\":{\"enabled\":true,\"from\":\"flag\",\"entry\":null}"},
        {"--reason new", "\"readonly\":{\"enabled\":false,\"from\":\"default\",\"entry\":null}"},
        {"--at on", "\"readonly\":{\"enabled\":true,\"from\":\"path\",\"entry\":\"on\"}"},
        {"--at none", "\"at\":{\"entry\":null,\"depth\":0}"},
        {"", "\"nudge\":{\"due\":true,\"direction\":\"off\",\"why\":\"not-told\",\"told\":null}"},
        {"--event session_tree --previous-readonly on",
         "\"nudge\":{\"due\":true,\"direction\":\"off\",\"why\":\"not-told\",\"told\":null}"},
        {"", "\"skipped\":[{\"entry\":\"bad\",\"kind\":\"custom:readonly\",\"reason\":\""},
    };
    struct command *command = *state;
    char line[160];

    command_done(command, "append s --create --kind custom:readonly --id on --data {\"enabled\":true}");
    command_done(command, "append s --kind custom:readonly-nudge --data {\"direction\":\"on\"}");
    command_done(command, "append s --kind custom:readonly --id off --data {\"enabled\":false}");
    command_done(command, "append s --kind custom:readonly --id bad --data {\"enabled\":\"yes\"}");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        snprintf(line, sizeof(line), "state s --json %s", cases[i].options);
        assert_contains(command_done(command, line), cases[i].part);
    }
    assert_contains(command_done(command, "state s --event toggled --previous-readonly on"),
                    "event      toggled, readonly was on before\n");
    assert_contains(command_done(command, "state s --explain"), "skipped    bad custom:readonly: ");
    assert_contains(command_done(command, "state s"), "readonly   off  decided by off");
}
