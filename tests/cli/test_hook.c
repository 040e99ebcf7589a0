/* A hook that fails forbids, and a log loses no line to another hook. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#define ASKED \
    "{\"cwd\":\"/\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"rm x\"}}"
#define LOG_BYTES_MAX (10 * 1024 * 1024)

/* Asks a hook that enforces readonly, with the log `log` in the directory of the test. */
static void ask(struct command *command)
{
    char config[256];
    char text[256];
    command_path(config, command, "config.json");
    snprintf(text, sizeof text, "{\"log\":\"%s/log\"}", command->directory);
    command_write_file(config, text, strlen(text));
    command->input = ASKED;
    command_run(command, "hook", "pre-tool-use", "--enforce", "readonly", "--tool", "a=read", "--tool", "b*=write",
                "--config", config, NULL);
}

TEST_WITH(no_command_goes_on_without_memory, command_set_up_empty, command_tear_down)
{
    struct command *command = *state;
    unsigned without = 0; /* runs that ended without an answer */
    for (command->failing = 1; command->failing < (SANITIZED ? 2 : 400); command->failing++) {
        ask(command);
        if (command->code != 0 || !strstr(command->out, "\"permissionDecision\":\"deny\"")) {
            assert_int_equal(command->code, 2);
            without++;
        }
    }
    command->failing = 0;
    assert_in_range(without, SANITIZED ? 0 : 20, 400);
    ask(command);
    assert_exit(command, 0);
}

TEST_WITH(a_log_that_another_hook_renamed_is_not_renamed_again, command_set_up_empty, command_tear_down)
{
    struct command *command = *state;
    char log[256];
    char old[256];
    struct stat status;
    if (SANITIZED) {
        skip();
    }
    command_path(log, command, "log");
    command_path(old, command, "log.1");
    command_write_file(log, "x", 1);
    assert_int_equal(truncate(log, LOG_BYTES_MAX), 0);
    command->renaming = true;
    ask(command);
    assert_exit(command, 0);
    assert_string_equal(command->err, "");
    assert_int_equal(stat(old, &status), 0);
    assert_true(status.st_size > LOG_BYTES_MAX);
    assert_int_equal(stat(log, &status), 0);
    assert_int_equal(status.st_size, 0);
}

TEST_FILE(NULL, NULL)
