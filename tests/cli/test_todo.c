/* The todo list in the commands that go by the table of pieces: state, blame, branches, diff. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#define READ "{\"id\":1,\"text\":\"read\",\"done\":true}"
#define HOSTILE "{\"id\":2,\"text\":\"a\\u001bb\\nc\",\"done\":false}"

static void add(struct command *command, const char *id, const char *data)
{
    command_run(command, "append", "s", "--create", "--id", id, "--kind", "custom:todo", "--data", data, NULL);
    assert_exit(command, 0);
}

/* Two lists, one of them in the spelling of pi, and an entry that is none. */
static int append_lists(void **state)
{
    command_set_up(state);
    struct command *command = *state;
    add(command, "t1", "{\"action\":\"add\",\"todos\":[{\"id\":1,\"text\":\"read\",\"done\":false}],\"nextId\":2}");
    add(command, "t2", "{\"lastId\":2,\"items\":[" READ "," HOSTILE "]}");
    add(command, "bad", "{\"lastId\":0,\"items\":[" READ "]}");
    return 0;
}

#define WITH_APPEND_LISTS(test) TEST_WITH(test, append_lists, command_tear_down_verified)

WITH_APPEND_LISTS(state_shows_how_much_is_done_and_with_explain_each_item)
{
    struct command *command = *state;
    command_must(command, "state s");
    assert_contains(command->out, "\ntodo       1 of 2 done, from t2\n");
    assert_contains(command->out, "skipped    bad custom:todo: an item's id is not an integer from 1 to the last id\n");
    command_must(command, "state s --explain");
    assert_contains(command->out, "\n           1. [x] read\n           2. [ ] a\\x1bb\\nc\n");
    command_must(command, "state s --json");
    assert_contains(command->out, ",\"todo\":{\"lastId\":2,\"items\":[" READ "," HOSTILE "],\"entry\":\"t2\"},");
}

WITH_APPEND_LISTS(blame_lists_the_entries_that_changed_the_list)
{
    struct command *command = *state;
    command_must(command, "blame s todo");
    assert_contains(command->out, "1 of 2 done  2  t2  ");
    assert_contains(command->out, "0 of 1 done  1  t1  ");
    assert_contains(command->err, "1 entry is skipped as invalid");
    command_must(command, "blame s todo --jsonl");
    assert_contains(command->out, "\"todo\":{\"lastId\":2,\"items\":[" READ "," HOSTILE "]},\"changed\":true");
}

WITH_APPEND_LISTS(branches_has_a_column_where_a_tip_has_a_list)
{
    struct command *command = *state;
    command_must(command, "branches s");
    assert_contains(command->out, "READONLY  TO"
                                  "DO"); /* the word alone would look like something put off */
    assert_contains(command->out, "1/2");
    command_must(command, "branches s --jsonl");
    assert_contains(command->out, "\"todo\":{\"done\":1,\"count\":2}");
}

WITH_APPEND_LISTS(diff_shows_the_items_that_differ)
{
    struct command *command = *state;
    command_line(command, "diff s:t1 s:t2");
    assert_exit(command, 1);
    assert_contains(command->out, "\ntodo      < 0 of 1 done, from t1\n"
                                  "          > 1 of 2 done, from t2\n"
                                  "          < 1. [ ] read\n"
                                  "          > 1. [x] read\n"
                                  "          > 2. [ ] a\\x1bb\\nc\n");
    command_line(command, "diff s:t1 s:t2 --json");
    assert_contains(command->out, "\"differs\":[\"todo\"]");
    command_line(command, "diff s:t2 s:bad");
    assert_contains(command->out, "\ntodo      = 1 of 2 done, from t2\n");
}

WITH_APPEND_LISTS(diff_lists_no_items_where_one_side_has_no_list)
{
    struct command *command = *state;
    command_must(command, "append other --create --kind message --data {\"role\":\"user\"}");
    command_line(command, "diff s:t2 other");
    assert_exit(command, 1);
    assert_contains(command->out, "\ntodo      < 1 of 2 done, from t2\n          > none\n");
    assert_null(strstr(command->out, "1. [x]"));
}

WITH_APPEND_LISTS(an_item_that_is_known_by_its_id_is_another_under_another_id)
{
    struct command *command = *state;
    add(command, "t3", "{\"lastId\":3,\"items\":[{\"id\":3,\"text\":\"read\",\"done\":true}," HOSTILE "]}");
    command_line(command, "diff s:t2 s:t3");
    assert_contains(command->out, "          < 1. [x] read\n          > 3. [x] read\n");
    assert_null(strstr(command->out, "2. [ ]"));
}

WITH_APPEND_LISTS(a_folded_tree_keeps_the_entries_of_a_list_in_sight)
{
    struct command *command = *state;
    for (int i = 0; i < 40; i++) {
        if (i == 20) {
            add(command, "t3", "{\"lastId\":0,\"items\":[]}");
            command_must(command, "append s --id other --kind custom:other --data {}");
            command_must(command, "append s --id nudge --kind custom:readonly-nudge --data {\"direction\":\"on\"}");
        }
        command_must(command, "append s --kind message --data {\"role\":\"user\"}");
    }
    command_must(command, "tree s");
    assert_contains(command->out, " t3 ");
    assert_null(strstr(command->out, " other "));
    assert_null(strstr(command->out, " nudge ")); /* tells of a change, and is none */
}

WITH_APPEND_LISTS(results_of_the_tool_count_where_they_are_asked_for)
{
    struct command *command = *state;
    command_must(command, "append s --id m --kind message --data {\"role\":\"user\"}");
    command_run(command, "append", "s", "--id", "r", "--kind", "message", "--data",
                "{\"message\":{\"role\":\"toolResult\",\"toolName\":\"todo\",\"details\":{\"todos\":[" READ
                "],\"nextId\":2}}}",
                NULL);
    assert_exit(command, 0);
    command_must(command, "state s");
    assert_contains(command->out, "\ntodo       1 of 2 done, from t2\n");
    command_must(command, "state s --tool-results");
    assert_contains(command->out, "\ntodo       1 of 1 done, from r\n");
    command_must(command, "blame s todo");
    assert_null(strstr(command->out, "1 of 1 done"));
    command_must(command, "blame s todo --tool-results");
    assert_contains(command->out, "1 of 1 done  5  r   ");
    assert_null(strstr(command->err, "repeat")); /* a message of nobody's tool is none of the piece */
}
