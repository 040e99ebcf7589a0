/* xylem gc: what it says and frees, and what is left of a freed session. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#include "store/store.h"

#define WITH_FAMILY(test) TEST_WITH(test, command_set_up_family, command_tear_down)

WITH_FAMILY(deleted_sessions_are_listed_alone)
{
    struct command *command = *state;

    command_must(command, "sessions --deleted");
    assert_string_equal(command->out, "");
    command_must(command, "delete source --yes");
    command_must(command, "sessions --deleted");
    assert_contains(command->out, "source");
    assert_null(strstr(command->out, "alone"));
    command_line(command, "sessions --deleted --all");
    assert_error(command, 2, "cannot be combined");
    command_must(command, "complete -- undelete sour");
    assert_contains(command->out, "source\t");
    assert_null(strstr(command->out, "alone"));
    command_must(command, "gc --yes");
    command_must(command, "sessions --deleted");
    assert_string_equal(command->out, "");
    command_must(command, "sessions --all");
    assert_null(strstr(command->out, "source"));
}

WITH_FAMILY(gc_says_what_it_frees_and_what_stays)
{
    struct command *command = *state;

    command_must(command, "delete source --yes");
    command_must(command, "delete alone --yes");
    command_must(command, "gc --dry-run");
    assert_contains(command->out, "would free session source: 2 entries, ");
    assert_contains(command->out, "; 2 shared entries stay\n");
    assert_contains(command->out, "would free session alone: 1 entry, ");
    assert_contains(command->out, "would free 2 sessions, 3 entries, 1 branch, ");
    assert_string_equal(command->err, "");
    char *dry = command_replace(strdup(command->out), "would free", "freed");
    command_must(command, "undelete alone");
    command_must(command, "delete alone --yes");
    command_line(command, "gc --yes");
    assert_exit(command, 0);
    assert_string_equal(command->out, dry);
    assert_contains(command->err, "the file keeps its size");
    assert_contains(command->err, "/store compact`");
    free(dry);
    command_line(command, "undelete source");
    assert_error(command, 3, "there is no deleted session 'source'");
    command_must(command, "log fork-1");
    assert_contains(command->out, "note");
    command_must(command, "tree --family fork-1");
    command_must(command, "gc --yes");
    assert_string_equal(command->out, "nothing to free: no deleted session has data of its own\n");
    command_must(command, "append source --create --kind note"); /* its id is free again */
    command_must(command, "delete fork-1 --yes");
    command_line(command, "gc --yes");
    assert_contains(command->out, "freed the rest of session number ");
    command_must(command, "stat --json");
    assert_contains(command->out, "\"sessions_freed\":0");
    assert_contains(command->out, "\"entries_freed\":5");
}

WITH_FAMILY(gc_speaks_json)
{
    struct command *command = *state;

    command_must(command, "gc --dry-run --json");
    assert_contains(command->out, "\"dry_run\":true");
    assert_contains(command->out, "\"sessions\":[]");
    command_must(command, "delete source --yes");
    command_must(command, "gc --yes --jsonl");
    assert_contains(command->out, "\"dry_run\":false");
    assert_contains(command->out, "\"entries\":2");
    assert_contains(command->out, "\"kept_sessions\":1,\"kept_entries\":2");
    assert_contains(command->out, "\"sessions\":[{\"id\":\"source\",");
    assert_string_equal(command->err, "");
    command_must(command, "delete fork-1 --yes");
    command_must(command, "gc --yes --json");
    assert_contains(command->out, "{\"id\":null,");
    command_line(command, "gc --yes --json --jsonl");
    assert_exit(command, 2);
}

WITH_FAMILY(gc_does_not_free_without_being_told)
{
    struct command *command = *state;

    command_must(command, "delete source --yes");
    command_line(command, "gc");
    assert_error(command, 2, "give --yes to free");
    command_must(command, "undelete source");
    command_line(command, "gc too --yes");
    assert_exit(command, 2);
}

WITH_FAMILY(damage_is_not_freed)
{
    struct command *command = *state;
    struct xylem_error err = {0};
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    char path[256];

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

TEST_WITH(a_file_can_be_imported_anew_once_its_session_was_freed, command_set_up_scenario, command_tear_down)
{
    struct command *command = *state;

    command_must(command, "delete " SCENARIO_ID " --yes");
    command_must(command, "import " SCENARIO);
    assert_contains(command->out, "its session is deleted");
    command_line(command, "gc --yes");
    assert_exit(command, 0);
    command_must(command, "import " SCENARIO);
    command_must(command, "log " SCENARIO_ID);
    command_must(command, "verify");
}

/* What is left of a session has no id, and the empty one does not name it. */
WITH_FAMILY(what_is_left_of_a_session_has_no_name)
{
    struct command *command = *state;

    command_must(command, "delete source --yes");
    command_line(command, "gc --yes");
    command_run(command, "redact", "", "a", "--reason", "secret", "--yes", NULL);
    assert_error(command, 3, "found an empty word");
    command_run(command, "log", "", NULL);
    assert_error(command, 3, "found an empty word");
    command_run(command, "undelete", "", NULL);
    assert_error(command, 3, "there is no deleted session");
}
