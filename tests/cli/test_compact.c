/* xylem compact: asks, makes the file smaller, and names who is in its way. */
#include "tests/cli/terminal.h"
#include "tests/lib/test.h"

TEST_WITH(a_compaction_asks_and_says_what_it_gave_back, command_set_up_scenario, command_tear_down_verified)
{
    struct command *command = *state;
    command_line(command, "compact");
    assert_error(command, 2, "give --yes");
    run_on_terminal(command, &(struct terminal){.typed = "n\n"}, "compact");
    assert_exit(command, 1);
    assert_contains(command->out, "would be given back");
    assert_contains(command->out, "nothing was done");
    run_on_terminal(command, &(struct terminal){.typed = "y\n", .columns = 200}, "compact --overwrite");
    assert_exit(command, 0);
    assert_contains(command->out, " given back, the old file overwritten");
    command_must(command, "compact --dry-run --json");
    assert_contains(command->out, "\"compacted\":false,\"bytes_before\":");
    command_must(command, "compact --yes --json");
    assert_contains(command->out, "\"compacted\":true,\"bytes_before\":");
    assert_contains(command->out, "\"overwritten_bytes\":0}");
    command_line(command, "compact --yes -s /no/such/store");
    assert_error(command, 3, "there is no store");
}

TEST_WITH(a_compaction_names_who_is_in_its_way, command_set_up_scenario, command_tear_down_verified)
{
    struct command *command = *state;
    struct xylem_store *store = NULL;
    char named[64];
    snprintf(named, sizeof named, "process %ld (test_compact)", (long)getpid());
    assert_int_equal(xylem_open(&store, command->store, NULL, NULL), 0);
    command->hurried = true;
    command_line(command, "compact --yes");
    assert_int_equal(xylem_close(store, NULL), 0);
    assert_error(command, 4, named);
    command->hurried = false;
    command_must(command, "compact --yes");
}
