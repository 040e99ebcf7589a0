/* xylem gc of a damaged session. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#include "store/store.h"

TEST_WITH(damage_is_not_freed, command_set_up, command_tear_down)
{
    struct command *command = *state;
    struct xylem_error err = {0};
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    char path[256];
    command_must(command, "append alone --create --kind note --id x");
    command_must(command, "delete alone --yes");
    command_path(path, command, "store");
    assert_int_equal(xylem_open(&store, path, NULL, &err), 0);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, &err), 0);
    assert_int_equal(xylem_store__session_find_any(&session, txn, xylem_view_of("alone"), &err), 0);
    session.own_entry_count = 7;
    assert_int_equal(xylem_store__session_write(txn, &session, &err), 0);
    assert_int_equal(xylem_commit(txn, &err), 0);
    assert_int_equal(xylem_close(store, &err), 0);
    command_line(command, "gc --dry-run");
    assert_error(command, 5, "7 entries, and have 1");
    command_line(command, "gc --yes");
    assert_error(command, 5, "7 entries, and have 1");
}
