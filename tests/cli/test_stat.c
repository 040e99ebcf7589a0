/* xylem stat: the reader that keeps the pages of the store. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#include "xylem/append.h"

static void append_often(struct xylem_store *store, uint64_t session, int count)
{
    struct xylem_new_entry entry = {.kind.name = xylem_view_of("message")};
    struct xylem_txn *txn = NULL;
    for (int i = 0; i < count; i++) {
        assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, NULL), 0);
        assert_int_equal(xylem_append(NULL, txn, session, &entry, 1, NULL, NULL), 0);
        assert_int_equal(xylem_commit(txn, NULL), 0);
    }
}

TEST_WITH(a_reader_that_sits_still_for_a_thousand_commits_is_warned_of, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;
    struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
    struct xylem_session session;
    struct xylem_store *store = NULL;
    struct xylem_txn *old = NULL;
    char pid[128];
    command_must(command, "append s --create --kind note");
    assert_int_equal(xylem_open(&store, command->store, &options, NULL), 0);
    command_must(command, "stat --json");
    assert_contains(command->out, "\"oldest_reader\":null,");
    assert_int_equal(xylem_begin(&old, store, XYLEM_READ, NULL), 0);
    assert_int_equal(xylem_session_find(&session, old, xylem_view_of("s"), NULL), 0);
    append_often(store, session.number, 1000);
    command_must(command, "stat");
    assert_string_equal(command->err, "");
    snprintf(pid, sizeof pid, "\"oldest_reader\":{\"pid\":%d,\"commits_behind\":1000,\"bytes\":", (int)getpid());
    command_must(command, "stat --json");
    assert_contains(command->out, pid);
    append_often(store, session.number, 1);
    snprintf(pid, sizeof pid,
             "xylem: stat: process %d has had a read transaction open for 1,001 commits: ", (int)getpid());
    command_must(command, "stat");
    assert_int_equal(strncmp(command->err, pid, strlen(pid)), 0);
    assert_contains(command->err, " MiB of free pages cannot be used again, and the file grows\n");
    command_must(command, "stat --json");
    assert_int_equal(strncmp(command->err, pid, strlen(pid)), 0);
    xylem_abort(old);
    command_must(command, "stat");
    assert_string_equal(command->err, "");
    assert_int_equal(xylem_close(store, NULL), 0);
}
