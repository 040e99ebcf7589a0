/* xylem rename of a session that a host mirrors. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"
#include "xylem/files.h"

/* A session that its host mirrors is known by the file that the host notes. */
TEST_WITH(a_mirrored_session_is_a_session_of_a_host, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    struct xylem_error err = {0};
    char path[256];
    command_must(command, "append talk --create --kind note");
    command_path(path, command, "file.jsonl");
    command_write_file(path, "", 0);
    assert_int_equal(xylem_open(&store, command->store, NULL, &err), 0);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, &err), 0);
    assert_int_equal(xylem_session_find(&session, txn, xylem_view_of("talk"), &err), 0);
    assert_int_equal(xylem_session_file_note(txn, session.number, path, &err), 1);
    assert_int_equal(xylem_commit(txn, &err), 0);
    assert_int_equal(xylem_close(store, &err), 0);
    command_line(command, "rename talk name");
    assert_error(command, 4, "/file.jsonl)");
    command_must(command, "rename talk name --only-in-store");
}
