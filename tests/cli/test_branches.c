/* `xylem branches`: tables, compared with fixtures/expected/, and what stands in them. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#define RANDOM SESSIONS "random-22/2026-11-20T17-31-17-566Z_01a1fa03-38bb-7454-b77a-7d27f507ef57.jsonl"
#define RANDOM_ID "01a1fa03-38bb-7454-b77a-7d27f507ef57"

#define WITH_AT_A_TIME(test) TEST_WITH(test, command_set_up_at_a_time, command_tear_down_verified)

WITH_AT_A_TIME(branches_are_listed)
{
    struct command *command = *state;

    command_must(command, "import -q " SCENARIO " " RANDOM);
    command_expect_at(command, NULL, "branches " SCENARIO_ID, "branches.txt");
    command_expect_at(command, NULL, "branches " SCENARIO_ID " --jsonl", "branches.jsonl");
    command_expect_at(command, NULL, "branches " RANDOM_ID, "branches-many.txt");
    command_expect_at(command, "60", "branches " RANDOM_ID, "branches-60.txt");
    command_expect_at(command, "80", "branches " RANDOM_ID, "branches-80.txt");
    command_expect_at(command, "160", "branches " RANDOM_ID, "branches-160.txt");
    command_expect_at(command, "160", "branches " RANDOM_ID " --color always", "branches-color.txt");
    setenv("COMMAND_LOCALE", "C", 1);
    command_expect_at(command, "160", "branches " RANDOM_ID, "branches-ascii.txt");
    unsetenv("COMMAND_LOCALE");
}

static void import_tips(struct command *command)
{
    static const char text[] =
        "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-11-20T00:00:00.000Z\",\"cwd\":\"/\"}\n"
        "{\"type\":\"message\",\"id\":\"root\",\"parentId\":null,\"timestamp\":\"2026-11-20T10:00:00.000Z\","
        "\"message\":{\"role\":\"user\",\"content\":\"from the root\"}}\n"
        "{\"type\":\"note\",\"id\":\"young\",\"parentId\":\"root\",\"timestamp\":\"2026-11-20T12:00:00.000Z\"}\n"
        "{\"type\":\"note\",\"id\":\"old\",\"parentId\":\"root\",\"timestamp\":\"2026-11-20T11:00:00.000Z\"}\n"
        "{\"type\":\"note\",\"id\":\"same1\",\"parentId\":\"root\",\"timestamp\":\"2026-11-20T11:30:00.000Z\"}\n"
        "{\"type\":\"note\",\"id\":\"same2\",\"parentId\":\"root\",\"timestamp\":\"2026-11-20T11:30:00.000Z\"}\n"
        "{\"type\":\"note\",\"id\":\"alone\",\"parentId\":null,\"timestamp\":\"2026-11-20T09:00:00.000Z\"}\n";
    char path[256];

    command_path(path, command, "tips.jsonl");
    command_write_file(path, text, strlen(text));
    command_run(command, "import", "-q", path, NULL);
    assert_exit(command, 0);
}

WITH_AT_A_TIME(tips_stand_newest_first_and_of_the_same_time_the_last_appended)
{
    static const char *const order[] = {"young", "same2", "same1", "old", "alone"};
    struct command *command = *state;

    import_tips(command);
    for (int json = 0; json < 2; json++) {
        command_must(command, json ? "branches s --jsonl" : "branches s");
        const char *at = command->out;
        for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
            at = strstr(at, order[i]);
            assert_non_null(at);
        }
    }
}

WITH_AT_A_TIME(columns_that_say_nothing_are_left_out)
{
    struct command *command = *state;

    import_tips(command);
    command_must(command, "branches s");
    assert_int_equal(strncmp(command->out, "TIP    AGE  LENGTH  OWN  FORKED AT  READONLY          SAYS\n", 58), 0);
    assert_contains(command->out, "alone  10h       1    1  -          off       <leaf>\n");
    assert_contains(command->out, "old     8h       2    1  root       off               user: from the root\n");
    command_must(command, "navigate s root --only-in-store"); /* which is no tip */
    command_must(command, "branches s");
    assert_null(strstr(command->out, "<leaf>"));
    command_must(
        command,
        "append s --kind label --id labelled --only-in-store --data {\"targetId\":\"old\",\"label\":\"here\"}");
    command_must(command,
                 "append s --kind custom:readonly --parent old --id on --only-in-store --data {\"enabled\":true}");
    command_must(
        command,
        "append s --kind label --parent young --only-in-store --data {\"targetId\":\"on\",\"label\":\"there\"}");
    command_must(command, "branches s");
    assert_contains(command->out, "  READONLY  NUDGE    LABEL ");
    assert_contains(command->out, "  on        due: on  there ");
    assert_null(strstr(command->out, "SEQUENCE"));
}

WITH_AT_A_TIME(a_message_is_shown_only_where_there_is_room)
{
    struct command *command = *state;

    import_tips(command);
    setenv("COMMAND_COLUMNS", "68", 1);
    command_must(command, "branches s");
    assert_null(strstr(command->out, "SAYS"));
    setenv("COMMAND_COLUMNS", "72", 1);
    command_must(command, "branches s");
    unsetenv("COMMAND_COLUMNS");
    assert_contains(command->out, "SAYS\n");
    assert_contains(command->out, "user: from the ro…\n");
}

WITH_AT_A_TIME(the_nudge_is_part_of_the_document)
{
    struct command *command = *state;

    command_must(command, "append s --create --kind custom:readonly --id on --only-in-store --data {\"enabled\":true}");
    command_must(command, "branches s --jsonl");
    assert_contains(command->out, "\"readonly\":true,\"nudge\":{\"due\":true,\"direction\":\"on\"},\"sequence\":null,");
    command_must(command, "append s --kind custom:readonly-nudge --data {\"direction\":\"on\",\"delivered\":true}");
    command_must(command, "branches s --jsonl");
    assert_contains(command->out, "\"nudge\":{\"due\":false,");
}

WITH_AT_A_TIME(a_session_without_entries_has_no_branches)
{
    struct command *command = *state;

    command_must(command, "append s --create --kind note --id a");
    command_must(command, "fork s a --before --id none");
    command_must(command, "branches none");
    assert_string_equal(command->out, "");
}
