/* xylem delete: the question on a terminal, and an import that never ended. */
#include "tests/cli/terminal.h"
#include "tests/lib/test.h"

#include "store/store.h"

/* The test's own handle on the store: for what no command does. */
static struct xylem_store *open_store(const struct command *command)
{
    struct xylem_store *store = NULL;
    struct xylem_error err = {0};
    assert_int_equal(xylem_open(&store, command->store, NULL, &err), 0);
    return store;
}

TEST_WITH(delete_asks_on_a_terminal, command_set_up_scenario, command_tear_down_verified)
{
    struct command *command = *state;
    run_on_terminal(command, &(struct terminal){.typed = "n\n"}, "delete " SCENARIO_ID);
    assert_exit(command, 1);
    assert_contains(command->out, "Delete session " SCENARIO_ID " (scenario one, its leaf has depth 20)? [y/N] ");
    assert_contains(command->out, "nothing was deleted");
    assert_int_equal(command_line(command, "log " SCENARIO_ID), 0);
    run_on_terminal(command, &(struct terminal){.typed = "y\n"}, "delete " SCENARIO_ID);
    assert_exit(command, 0);
    assert_contains(command->out, "[y/N] "); /* the terminal may echo the answer behind it */
    assert_contains(command->out, "deleted session ");
    assert_contains(command->out, "/store undelete " SCENARIO_ID "` brings it back");
    assert_int_equal(command_line(command, "log " SCENARIO_ID), 3);
}

TEST_WITH(an_import_that_never_ended_is_deleted_by_its_whole_id, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;
    struct xylem_error err = {0};
    struct xylem_txn *txn = NULL;
    struct xylem_session session = {
        .id = xylem_view_of("half-done"), .created_ms = 1, .state = XYLEM_SESSION_IMPORTING};
    struct xylem_store *store = open_store(command);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, &err), 0);
    assert_int_equal(xylem_store__session_add(txn, &session, &err), 0);
    assert_int_equal(xylem_commit(txn, &err), 0);
    assert_int_equal(xylem_close(store, &err), 0);
    command_line(command, "log half-done");
    assert_error(command, 3, "half-done");
    command_line(command, "delete half-don --yes");
    assert_error(command, 3, "there is no session 'half-don'");
    assert_int_equal(command_line(command, "append half-done-too --create --kind note"), 0);
    command_line(command, "delete half-done --dry-run"); /* not the session whose id only begins so */
    assert_exit(command, 0);
    assert_string_equal(command->out, "would delete session half-done (its import has not finished)\n");
    command_line(command, "delete half-done --yes");
    assert_exit(command, 0);
    assert_string_equal(command->out, "deleted session half-done (its import has not finished)\n");
    command_line(command, "delete half-done --yes");
    assert_error(command, 3, "deleted");
    assert_int_equal(command_line(command, "log half-done-too"), 0);
}
