/* xylem export to somebody else's file. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"
#include "xylem/append.h"
#include "xylem/line.h"

TEST_WITH(an_export_does_not_follow_somebody_elses_link, command_set_up_scenario, command_tear_down_verified)
{
    struct command *command = *state;
    char victim[256];
    char link[256];
    command_path(victim, command, "victim");
    command_path(link, command, "link");
    command_write_file(victim, "mine", 4);
    assert_int_equal(symlink(victim, link), 0);
    if (geteuid() != 0) {
        skip(); /* only the administrator can give a link away */
    }
    assert_int_equal(lchown(link, 4711, 4711), 0);
    command_run(command, "export", SCENARIO_ID, "-o", link, NULL);
    assert_error(command, 6, "is a symbolic link that belongs to user 4711");
    size_t bytes = 0;
    char *data = command_read_file(victim, &bytes);
    assert_string_equal(data, "mine");
    free(data);
    /* One's own leads to what is replaced, and stays. */
    assert_int_equal(lchown(link, geteuid(), (gid_t)-1), 0);
    command_run(command, "export", SCENARIO_ID, "-o", link, NULL);
    assert_exit(command, 0);
    struct stat status;
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(victim, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_true(status.st_size > 1000);
}

static void add_side(struct xylem_txn *txn, const char *session, struct xylem_side side)
{
    struct xylem_session row;
    assert_int_equal(xylem_session_find(&row, txn, xylem_view_of(session), NULL), 0);
    side.position.branch = side.type == XYLEM_SIDE_RECORD ? 0 : row.newest_branch;
    assert_int_equal(xylem_side_add(NULL, txn, row.number, &side, NULL), 0);
}

static void assert_file(struct command *command, const char *name, const char *expected)
{
    char path[256];
    command_path(path, command, name);
    char *data = command_read_file(path, NULL);
    assert_string_equal(data, expected);
    free(data);
}

/* A session of another host may have no entry, or entries that are none of its lines. */
TEST_WITH(an_export_of_all_loses_no_record_silently, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;
    struct xylem_open_options options = {0};
    struct xylem_store *store;
    struct xylem_txn *txn;
    command_must(command, "append mixed --create --kind note --id n");
    command_must(command, "append again --create --kind note --id n");
    assert_int_equal(xylem_open(&store, command->store, &options, NULL), 0);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, NULL), 0);
    struct xylem_session alone;
    const struct xylem_session_options named = {.id = xylem_view_of("alone")};
    assert_int_equal(xylem_session_create(&alone, txn, &named, NULL), 0);
    add_side(txn, "alone", (struct xylem_side){.bytes = xylem_view_of("a record")});
    assert_int_equal(xylem_commit(txn, NULL), 0);
    char whole[256];
    char out[256];
    command_path(whole, command, "whole");
    command_run(command, "export", "--all", whole, NULL);
    assert_exit(command, 0);
    assert_file(command, "whole/alone.lines", "a record\n");
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, NULL), 0);
    add_side(txn, "mixed", (struct xylem_side){.bytes = xylem_view_of("another")});
    assert_int_equal(xylem_commit(txn, NULL), 0);
    command_path(out, command, "less");
    command_run(command, "export", "--all", out, NULL);
    assert_exit(command, 0); /* the changes have all */
    command_path(out, command, "all");
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, NULL), 0);
    add_side(txn, "again", (struct xylem_side){.type = XYLEM_SIDE_REPEAT, .position.depth = 1, .count = 1});
    assert_int_equal(xylem_commit(txn, NULL), 0);
    assert_int_equal(xylem_close(store, NULL), 0);
    command_run(command, "export", "--all", out, NULL);
    assert_exit(command, 0);
    assert_non_null(strstr(command->err, "all/mixed.lines: 1 left out: entries that are no lines of the host; its "));
    assert_non_null(strstr(command->err, "session again comes with its changes alone: session number 2 has rows "));
    command_path(whole, command, "all/again.changes");
    char *changes = command_read_file(whole, NULL);
    assert_non_null(strstr(changes, "{\"row\":\"side\",\"side\":\"repeat\",\"entry\":\"n\",\"count\":1}"));
    free(changes);
    assert_null(strstr(command->err, "damaged"));
    assert_file(command, "all/mixed.lines", "another\n");
    command_run(command, "export", "mixed", NULL);
    assert_error(command, 2, "has rows beside its entries, and a session file of pi cannot have them");
}
