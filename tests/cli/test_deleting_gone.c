/* xylem delete --file-gone: deletes the sessions whose session files are gone, and no other session. */
#include "tests/cli/deleting.h"
#include "tests/cli/terminal.h"
#include "tests/lib/test.h"

static void session_file(char path[256], const struct command *command, const char *id)
{
    char name[64];
    snprintf(name, sizeof name, "%s.jsonl", id);
    command_path(path, command, name);
}

static void import_session(struct command *command, const char *id)
{
    char text[512];
    snprintf(text, sizeof text,
             "{\"type\":\"session\",\"version\":3,\"id\":\"%s\",\"timestamp\":\"2026-11-20T12:00:00.000Z\"}\n"
             "{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"2026-11-20T12:00:00.000Z\"}\n",
             id);
    import_text(command, id, text);
}

static void remove_file(const struct command *command, const char *id)
{
    char path[256];
    session_file(path, command, id);
    assert_int_equal(unlink(path), 0);
}

/* `one` and `two` are gone; `here` has its file, and `sdk` never had a file. */
static int set_up(void **state)
{
    command_set_up(state);
    struct command *command = *state;
    import_session(command, "one");
    import_session(command, "here");
    import_session(command, "two");
    command_must(command, "append sdk --create --kind note");
    remove_file(command, "one");
    remove_file(command, "two");
    return 0;
}

#define IN_STORE(test) TEST_WITH(test, set_up, command_tear_down_verified)

IN_STORE(nothing_to_delete_is_said_without_a_question)
{
    struct command *command = *state;
    command_must(command, "delete --file-gone --yes");
    run_on_terminal(command, &(struct terminal){.typed = ""}, "delete --file-gone"); /* asks nothing */
    assert_exit(command, 0);
    assert_string_equal(command->out, "nothing to delete: no session's file is gone\n");
}

IN_STORE(a_person_is_asked_once)
{
    struct command *command = *state;
    run_on_terminal(command, &(struct terminal){.typed = "n\n"}, "delete --file-gone");
    assert_exit(command, 1);
    assert_contains(command->out, "would delete session two (its leaf has depth 1)\n"
                                  "would delete session one (its leaf has depth 1)\n"
                                  "Delete 2 sessions whose files are gone? [y/N] ");
    assert_contains(command->out, "nothing was deleted");
    assert_live(command, "one here two sdk");
    run_on_terminal(command, &(struct terminal){.typed = "y\n"}, "delete --file-gone");
    assert_exit(command, 0);
    const char *question = strstr(command->out, "[y/N] ");
    assert_non_null(question);
    assert_null(strstr(question + 1, "[y/N] "));
    assert_contains(question, "deleted 2 sessions whose files are gone\n");
    assert_contains(question, "/store sessions --deleted` lists what `undelete` brings back, until `");
    assert_live(command, "here sdk");
}

static void free_one(struct command *command)
{
    command_must(command, "delete one --yes");
    command_must(command, "gc --yes");
}

/* A file that comes back while the person is asked, and a session that somebody else deletes. */
IN_STORE(a_session_that_changes_meanwhile_stays)
{
    struct command *command = *state;
    char path[256];
    char line[300];
    session_file(path, command, "one");
    snprintf(line, sizeof line, "export one -o %s", path);
    run_on_terminal(command, &(struct terminal){.typed = "y\n", .before = line}, "delete --file-gone");
    assert_exit(command, 4);
    assert_contains(command->out, "Delete 2 sessions whose files are gone? ");
    assert_contains(command->out, "the session one stays: its file is there again\n");
    assert_contains(command->out, "deleted session two");
    assert_contains(command->out, "deleted 1 session whose file is gone\n");
    assert_live(command, "one here sdk");
    remove_file(command, "one");
    run_on_terminal(command, &(struct terminal){.typed = "y\n", .before = "delete one --yes"}, "delete --file-gone");
    assert_exit(command, 4);
    assert_contains(command->out, "the session one stays: ");
    assert_null(strstr(command->out, "deleted 1 session"));
    assert_null(strstr(command->out, "brings back")); /* nothing was deleted */
    command_must(command, "undelete one");
    run_on_terminal(command, &(struct terminal){.typed = "y\n", .meanwhile = free_one}, "delete --file-gone");
    assert_exit(command, 4);
    assert_contains(command->out, "the session one stays: ");
}

static struct owner owner_of_two;

static void own_two(struct command *command)
{
    own(&owner_of_two, command, "two");
}

IN_STORE(a_session_that_a_living_process_owns_stays)
{
    struct command *command = *state;
    char owner[96];
    own_two(command);
    snprintf(owner, sizeof owner, "xylem: delete: the session two stays: process %d on ", (int)getpid());
    command_line(command, "delete --file-gone --dry-run");
    assert_exit(command, 4);
    assert_contains(command->err, owner);
    assert_string_equal(command->out, "would delete session one (its leaf has depth 1)\n"
                                      "would delete 1 session whose file is gone\n");
    command_line(command, "delete --file-gone --yes");
    assert_exit(command, 4);
    assert_contains(command->err, owner);
    assert_string_equal(command->out, "deleted session one (its leaf has depth 1)\n"
                                      "deleted 1 session whose file is gone\n");
    assert_live(command, "here two sdk");
    command_line(command, "delete --file-gone --yes"); /* no other session is left */
    assert_exit(command, 4);
    assert_contains(command->err, owner);
    assert_string_equal(command->out, "");
    disown(&owner_of_two);
    command_must(command, "delete --file-gone --yes");
    assert_live(command, "here sdk");
}

IN_STORE(a_session_that_gets_an_owner_meanwhile_stays)
{
    struct command *command = *state;
    run_on_terminal(command, &(struct terminal){.typed = "y\n", .meanwhile = own_two}, "delete --file-gone");
    assert_exit(command, 4);
    assert_contains(command->out, "Delete 2 sessions whose files are gone? ");
    assert_contains(command->out, "the session two stays: the session two is leased to process ");
    assert_contains(command->out, "deleted 1 session whose file is gone\n");
    disown(&owner_of_two);
    assert_live(command, "here two sdk");
}
