/* xylem delete --older-than: deletes the sessions of no late activity, and no other session. */
#include "tests/cli/deleting.h"
#include "tests/cli/terminal.h"
#include "tests/lib/test.h"

/* A session of two messages, the first at noon of the day. */
static void import_session(struct command *command, const char *id, const char *day, const char *more)
{
    char text[1024];
    snprintf(text, sizeof(text),
             "{\"type\":\"session\",\"version\":3,\"id\":\"%s\",\"timestamp\":\"%sT12:00:00.000Z\"}\n"
             "{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"%sT12:00:00.000Z\"}\n%s",
             id, day, day, more);
    import_text(command, id, text);
}

#define LABEL_LINE                                                                                                 \
    "{\"type\":\"label\",\"id\":\"l\",\"parentId\":\"a\",\"timestamp\":\"2026-01-05T12:00:00.000Z\",\"targetId\":" \
    "\"a\",\"label\":\"good\"}\n"

#define REMOVAL_LINE                                                                                               \
    "{\"type\":\"label\",\"id\":\"m\",\"parentId\":\"l\",\"timestamp\":\"2026-01-06T12:00:00.000Z\",\"targetId\":" \
    "\"a\"}\n"

/* Two old sessions, one of them labelled, and a young session. */
static int set_up(void **state)
{
    command_set_up(state);
    struct command *command = *state;
    import_session(command, "old", "2026-01-05", "");
    import_session(command, "labelled", "2026-01-05", LABEL_LINE);
    import_session(command, "young", "2026-03-05", "");
    return 0;
}

#define IN_STORE(test) TEST_WITH(test, set_up, command_tear_down_verified)

IN_STORE(sessions_of_no_late_activity_are_deleted)
{
    struct command *command = *state;
    command_must(command, "delete --older-than 2026-02-01 --yes");
    assert_string_equal(command->out, "deleted session labelled (its leaf has depth 2)\n"
                                      "deleted session old (its leaf has depth 1)\n"
                                      "deleted 2 sessions that were last active before 2026-02-01 00:00\n");
    assert_string_equal(command->err, "");
    assert_live(command, "young");
    command_must(command, "undelete old");
    assert_live(command, "old young");
}

/* The moment itself is not older. */
IN_STORE(an_age_counts_from_now)
{
    struct command *command = *state;
    command->now = "2026-01-07T12:00:00Z";
    command_must(command, "delete --older-than 2d --yes");
    assert_string_equal(command->out, "nothing to delete: no session was last active before 2026-01-05 12:00\n");
    command->now = "2026-01-07T12:00:00.001Z";
    command_must(command, "delete --older-than 2d --yes");
    assert_live(command, "young");
}

IN_STORE(sessions_with_a_label_are_kept_on_request)
{
    struct command *command = *state;
    command_must(command, "delete --older-than 2026-02-01 --keep-labelled --yes");
    assert_string_equal(command->out, "deleted session old (its leaf has depth 1)\n"
                                      "deleted 1 session that was last active before 2026-02-01 00:00\n"
                                      "left 1: 1 with a label, 0 with a lease\n");
    assert_live(command, "labelled young");
    command_must(command, "delete --older-than 2026-02-01 --keep-labelled --yes");
    assert_string_equal(command->out,
                        "nothing to delete: each session that was last active before 2026-02-01 00:00 stays\n"
                        "left 1: 1 with a label, 0 with a lease\n");
    /* a removed label keeps nothing */
    import_session(command, "labelled", "2026-01-05", LABEL_LINE REMOVAL_LINE);
    command_must(command, "delete --older-than 2026-02-01 --keep-labelled --yes");
    assert_live(command, "young");
}

/* The creation of a fork, a younger branch, and a navigation are activity, also where the leaf is an old entry. */
IN_STORE(every_activity_counts)
{
    struct command *command = *state;
    command_must(command, "fork old a --id fork");
    import_session(
        command, "branched", "2026-01-05",
        "{\"type\":\"message\",\"id\":\"b\",\"parentId\":null,\"timestamp\":\"2026-03-05T12:00:00.000Z\"}\n"
        "{\"type\":\"message\",\"id\":\"c\",\"parentId\":\"a\",\"timestamp\":\"2026-01-06T12:00:00.000Z\"}\n");
    command_must(command, "navigate labelled a --only-in-store");
    command_must(command, "delete --older-than 2026-02-01 --yes");
    assert_string_equal(command->out, "deleted session old (its leaf has depth 1)\n"
                                      "deleted 1 session that was last active before 2026-02-01 00:00\n");
    assert_live(command, "labelled branched young fork");
}

IN_STORE(a_dry_run_deletes_nothing)
{
    struct command *command = *state;
    command_must(command, "delete --older-than 2026-02-01 --keep-labelled --dry-run");
    assert_string_equal(command->out, "would delete session old (its leaf has depth 1)\n"
                                      "would delete 1 session that was last active before 2026-02-01 00:00\n"
                                      "left 1: 1 with a label, 0 with a lease\n");
    assert_live(command, "old labelled young");
}

IN_STORE(a_session_with_an_owner_is_left_and_counted)
{
    struct command *command = *state;
    struct owner owner;
    own(&owner, command, "old");
    command_must(command, "delete --older-than 2026-02-01 --dry-run");
    assert_contains(command->out, "left 1: 0 with a label, 1 with a lease\n");
    command_must(command, "delete --older-than 2026-02-01 --yes");
    assert_string_equal(command->out, "deleted session labelled (its leaf has depth 2)\n"
                                      "deleted 1 session that was last active before 2026-02-01 00:00\n"
                                      "left 1: 0 with a label, 1 with a lease\n");
    assert_string_equal(command->err, "");
    command_must(command, "delete --older-than 2026-02-01 --yes --json");
    assert_string_equal(command->out, "{\"schema\":1,\"dry_run\":false,\"sessions\":[],"
                                      "\"left\":[{\"id\":\"old\",\"why\":\"leased\"}]}\n");
    assert_live(command, "old young");
    disown(&owner);
    command_must(command, "delete --older-than 2026-02-01 --yes");
    assert_live(command, "young");
}

IN_STORE(programs_get_a_document)
{
    struct command *command = *state;
    command_must(command, "delete --older-than 2026-02-01 --keep-labelled --dry-run --json");
    assert_string_equal(command->out, "{\"schema\":1,\"dry_run\":true,\"sessions\":[{\"id\":\"old\",\"name\":null,"
                                      "\"active\":\"2026-01-05T12:00:00.000Z\"}],"
                                      "\"left\":[{\"id\":\"labelled\",\"why\":\"labelled\"}]}\n");
    command_must(command, "delete old --yes --json");
    assert_string_equal(command->out, "{\"schema\":1,\"dry_run\":false,\"sessions\":[{\"id\":\"old\",\"name\":null,"
                                      "\"active\":\"2026-01-05T12:00:00.000Z\"}],\"left\":[]}\n");
    command_must(command, "delete --file-gone --yes --json");
    assert_string_equal(command->out, "{\"schema\":1,\"dry_run\":false,\"sessions\":[],\"left\":[]}\n");
}

IN_STORE(ledgers_of_runs_stay)
{
    struct command *command = *state;
    command_must(command, "append seq.0190a0a0-0000-7000-8000-000000000000 --create --id start "
                          "--kind custom:sequence-run --data {}");
    command_must(command, "delete --older-than 2100-01-01 --yes");
    assert_live(command, "seq.0190a0a0-0000-7000-8000-000000000000");
}

IN_STORE(a_person_is_asked_once)
{
    struct command *command = *state;
    run_on_terminal(command, &(struct terminal){.typed = "n\n"}, "delete --older-than 2026-02-01");
    assert_exit(command, 1);
    assert_contains(command->out, "Delete 2 sessions that were last active before 2026-02-01 00:00? [y/N] ");
    assert_live(command, "old labelled young");
    run_on_terminal(command, &(struct terminal){.typed = "y\n"}, "delete --older-than 2026-02-01");
    assert_exit(command, 0);
    assert_contains(command->out, "/store sessions --deleted` lists what `undelete` brings back, until `");
    assert_live(command, "young");
}

IN_STORE(rules_are_not_combined)
{
    struct command *command = *state;
    command_line(command, "delete --older-than 1y");
    assert_error(command, 2, "give --yes to delete");
    command_line(command, "delete old --older-than 1y --yes");
    assert_error(command, 2, "--older-than and SESSION cannot be combined");
    command_line(command, "delete --file-gone --older-than 1y --yes");
    assert_error(command, 2, "--file-gone and --older-than cannot be combined");
    command_line(command, "delete --file-gone --keep-labelled --yes");
    assert_error(command, 2, "--keep-labelled needs --older-than");
    command_line(command, "delete --older-than soon --yes");
    assert_error(command, 2, "soon");
    assert_live(command, "old labelled young");
}
