/* xylem tree of families that no command makes: a source without a header, an import that never ended. */
#include "store/store.h"
#include "xylem/branch.h"
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#define TEST_EMPTY(test) TEST_WITH(test, command_set_up_at_a_time, command_tear_down_verified)

/* The source's own name is lost with its header: what is left is whose entry the base is. */
TEST_EMPTY(without_a_header_the_owner_of_the_base_is_the_source)
{
    struct command *command = *state;
    struct xylem_open_options options = {0};
    struct xylem_session_options named = {.id = xylem_view_of("forked"), .parent = {"gone", 4}};
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_session source;
    struct xylem_session forked;
    command_must(command, "append s --create --kind note --id n");
    assert_int_equal(xylem_open(&store, command->store, &options, NULL), 0);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, NULL), 0);
    assert_int_equal(xylem_session_find(&source, txn, xylem_view_of("s"), NULL), 0);
    assert_int_equal(xylem_clone(&forked, txn, source.number, &named, NULL), 0);
    assert_int_equal(xylem_commit(txn, NULL), 0);
    assert_int_equal(xylem_close(store, NULL), 0);
    command_must(command, "tree s --family --jsonl");
    assert_contains(command->out,
                    "\"session\":\"forked\",\"source\":\"s\",\"parent_session\":\"gone\",\"forked_at\":\"n\",");
}

TEST_EMPTY(an_import_that_never_ended_is_marked)
{
    struct command *command = *state;
    struct xylem_open_options options = {0};
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_session session = {.id = xylem_view_of("half-done"),
                                    .parent = xylem_view_of("s"),
                                    .created_ms = 1,
                                    .state = XYLEM_SESSION_IMPORTING};
    command_must(command, "append s --create --kind note --id n");
    assert_int_equal(xylem_open(&store, command->store, &options, NULL), 0);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, NULL), 0);
    assert_int_equal(xylem_store__session_add(txn, &session, NULL), 0);
    assert_int_equal(xylem_commit(txn, NULL), 0);
    assert_int_equal(xylem_close(store, NULL), 0);
    command_must(command, "tree s --family");
    assert_contains(command->out, "└─○ half-done    0    none  -          importing  off       none  -\n");
}
