/* --allow-network-fs: a store on a network file system is refused, unless the option allows the file system. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

static int set_up(void **state)
{
    command_set_up(state);
    struct command *command = *state;
    command_must(command, "append s --create --id a --kind note");
    command->remote = true;
    return 0;
}

static int tear_down(void **state)
{
    struct command *command = *state;
    command->remote = false;
    return command_tear_down_verified(state);
}

#define ON_NETWORK(test) TEST_WITH(test, set_up, tear_down)

/* Each room of the command that opens or replaces a store. */
static const char *const lines[] = {"sessions",
                                    "show s:a",
                                    "verify",
                                    "stat --json",
                                    "init",
                                    "import " SCENARIO,
                                    "append s --id b --kind note",
                                    "delete s --dry-run",
                                    "compact --dry-run",
                                    "compact --yes",
                                    "redact --finish",
                                    "lease status"};

#define LINE_COUNT (sizeof lines / sizeof lines[0])

ON_NETWORK(a_network_file_system_is_refused_and_the_error_names_the_option)
{
    struct command *command = *state;
    if (SANITIZED) {
        skip(); /* nothing can be loaded before the runtime of the sanitizers */
    }
    for (size_t i = 0; i < LINE_COUNT; i++) {
        command_line(command, lines[i]);
        assert_error(command, 6, "lies on a network file system");
        assert_contains(command->err, "--allow-network-fs");
        assert_string_equal(command->out, "");
    }
}

ON_NETWORK(the_option_allows_a_network_file_system)
{
    struct command *command = *state;
    char line[512];
    for (size_t i = 0; i < LINE_COUNT; i++) {
        snprintf(line, sizeof line, "--allow-network-fs %s", lines[i]);
        command_must(command, line);
    }
}

ON_NETWORK(a_redaction_with_the_option_makes_the_file_anew)
{
    struct command *command = *state;
    command_must(command, "redact s:a --reason x --yes --allow-network-fs");
    assert_contains(command->out, "the old file was overwritten");
}

/* A backup is not a store in use, and a repaired store is nobody else's yet: both go anywhere. */
ON_NETWORK(a_copy_can_be_made_on_a_network_file_system)
{
    struct command *command = *state;
    char line[512];
    char path[256];
    command_path(path, command, "repaired");
    snprintf(line, sizeof line, "repair %s", path);
    command_must(command, line);
    command_path(path, command, "backup");
    snprintf(line, sizeof line, "--allow-network-fs backup %s", path);
    command_must(command, line);
}
