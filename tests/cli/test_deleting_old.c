/* xylem delete --older-than: deletes the sessions of no late activity, and no other session. */
#include "tests/cli/deleting.h"
#include "tests/cli/terminal.h"
#include "tests/lib/test.h"

/* A session of two messages, the first at noon of the day. */
static void import_session(struct command *command, const char *id, const char *day, const char *more)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"type\":\"session\",\"version\":3,\"id\":\"%s\",\"timestamp\":\"%sT12:00:00.000Z\"}\n"
             "{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"%sT12:00:00.000Z\"}\n%s",
             id, day, day, more);
    import_text(command, id, text);
}

#define LABEL_LINE                                                                                                 \
    "{\"type\":\"label\",\"id\":\"l\",\"parentId\":\"a\",\"timestamp\":\"2026-01-05T12:00:00.000Z\",\"targetId\":" \
    "\"a\",\"label\":\"good\"}\n"

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
                                      "\"left\":[{\"session\":\"old\",\"why\":\"leased\"}]}\n");
    assert_live(command, "old young");
    disown(&owner);
    command_must(command, "delete --older-than 2026-02-01 --yes");
    assert_live(command, "young");
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
