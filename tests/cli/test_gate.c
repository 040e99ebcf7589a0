/* A gate that fails blocks: whatever allocation fails, no call goes on that would be blocked. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#define EDITS_UNREAD "{\"toolName\":\"edit\",\"input\":{\"path\":\"/etc/passwd\"}}"

TEST_WITH(no_call_goes_on_without_memory, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;
    unsigned without = 0; /* runs that ended without an answer */
    command_must(command, "append s --create --kind note --id note");
    for (command->failing = 1; command->failing < (SANITIZED ? 2 : 400); command->failing++) {
        command->input = EDITS_UNREAD;
        command_line(command, "gate s --reads");
        if (command->code != 1 || !strstr(command->out, "\"block\":true")) {
            assert_in_range(command->code, 2, 7);
            without++;
        }
    }
    command->failing = 0;
    assert_true(SANITIZED || without > 40);
    command->input = EDITS_UNREAD;
    command_line(command, "gate s --reads");
    assert_exit(command, 1);
}
