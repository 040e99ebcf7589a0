/* What `xylem show` prints. Goldens: XYLEM_WRITE_EXPECTED=1 writes them anew. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#define TOOLS SESSIONS "print-and-json/2026-11-20T17-15-14-309Z_01a1f9f4-8605-7782-ba89-dc402e2075d2.jsonl"
#define TOOLS_ID "01a1f9f4-8605-7782-ba89-dc402e2075d2"

static int import_sessions(void **state)
{
    command_set_up_scenario(state);
    struct command *command = *state;
    command_run(command, "import", "-q", TOOLS, NULL);
    assert_exit(command, 0);
    return 0;
}

TEST_WITH(entries_are_shown, import_sessions, command_tear_down_verified)
{
    struct command *command = *state;

    command_expect_line(command, "show " SCENARIO_ID " 6f7578e6", "show.txt");
    command_expect_line(command, "show " TOOLS_ID " d2442461", "show-user.txt");
    command_expect_line(command, "show " TOOLS_ID " 4527ecfe", "show-call.txt");
    command_expect_line(command, "show " TOOLS_ID " 6381f1b4", "show-result.txt");
    command_expect_line(command, "show " SCENARIO_ID " 88fe2aff", "show-custom.txt");
    command_expect_line(command, "show " SCENARIO_ID " d8b2463f", "show-compaction.txt");
    command_expect_line(command, "show " SCENARIO_ID " 6f7578e6 --json", "show.json");
    command_expect_line(command, "show " SCENARIO_ID " 88fe2aff --json", "show-custom.json");
}

TEST_WITH(a_long_text_is_cut_unless_all_is_asked_for, import_sessions, command_tear_down_verified)
{
    struct command *command = *state;

    setenv("COMMAND_COLUMNS", "80", 1);
    command_expect_line(command, "show " TOOLS_ID " 5e4c8e3e", "show-long.txt");
    command_expect_line(command, "show " TOOLS_ID " 5e4c8e3e --color always", "show-long-color.txt");
    command_expect_line(command, "show " TOOLS_ID " 5e4c8e3e --full", "show-full.txt");
    setenv("COMMAND_LOCALE", "C", 1);
    command_line(command, "show " TOOLS_ID " 5e4c8e3e");
    assert_contains(command->out, "    ... 15 more lines, 1.2 KiB (--full prints all)\n");
    unsetenv("COMMAND_LOCALE");
    unsetenv("COMMAND_COLUMNS");
    command_line(command, "show " TOOLS_ID " 5e4c8e3e --raw --json");
    assert_error(command, 2, "--raw cannot be combined with --json or --jsonl");
}

#define TEST_EMPTY(test) TEST_WITH(test, command_set_up, command_tear_down_verified)

TEST_EMPTY(a_long_line_is_cut_between_two_characters)
{
    struct command *command = *state;
    static char data[8192] = "{\"role\":\"user\",\"content\":\"a";

    for (int i = 0; i < 1000; i++) {
        strcat(data, "\u00e9\u00e9");
    }
    strcat(data, "\\nsecond\"}");
    command->input = data;
    command_run(command, "append", "s", "--create", "--kind", "message", "--data", "-", "--id", "long", NULL);
    command_line(command, "show s long");
    assert_exit(command, 0);
    assert_null(strstr(command->out, "\\x"));
    assert_null(strstr(command->out, "second"));
    assert_contains(command->out, "\n    \u2026 1 more line, 2.0 KiB (--full prints all)\n");
    command_line(command, "show s long --full");
    assert_contains(command->out, "\n    second\n");
    assert_null(strstr(command->out, "more line"));
}

TEST_EMPTY(children_are_listed)
{
    struct command *command = *state;
    char line[128];

    command_line(command, "append s --create --kind note --id root");
    command_line(command, "show s root");
    assert_contains(command->out, "\nchildren  none (a tip)\n");
    for (int i = 1; i <= 10; i++) {
        snprintf(line, sizeof(line), "append s --kind note --id c%d --parent root", i);
        command_line(command, line);
        assert_exit(command, 0);
    }
    command_line(command, "show s root");
    assert_contains(command->out, "\nchildren  c1, c2, c3, c4, c5, c6, c7, c8, and 2 more\n");
    assert_contains(command->out, "\nparent    none (a root)\n");
    assert_contains(command->out, "\npayload   none\n");
}

/* What is in a payload and is not said stands below it. */
TEST_EMPTY(no_member_is_left_out)
{
    static const struct {
        const char *kind;
        const char *data;
        const char *parts[4];
    } cases[] = {
        {"message",
         "{\"role\":\"toolResult\",\"toolName\":3,\"isError\":\"no\",\"content\":\"x\",\"a\":[1]}",
         {"\ntoolName          3\n", "\nisError           \"no\"\n", "\na                 [1]\n"}},
        {"message",
         "{\"message\":{\"role\":\"user\",\"content\":\"x\"},\"beside\":true}",
         {"\n    x\n", "\nbeside            true\n"}},
        {"message",
         "{\"role\":\"bashExecution\",\"command\":\"ls\",\"output\":\"o\",\"exitCode\":1}",
         {"\n    $ ls\n\n    o\n\n    exit code 1\n", "\nexitCode          1\n"}},
        {"label", "{\"targetId\":\"t\",\"label\":\"l\",\"more\":1}", {"\n    l on t\n", "\nmore              1\n"}},
        {"model_change", "{\"modelId\":\"m\",\"provider\":4}", {"\n    m\n", "\nprovider          4\n"}},
        {"custom_message",
         "{\"customType\":\"t\",\"content\":\"c\",\"display\":false}",
         {"kind      custom_message, t\n", "\n    c\n", "\ndisplay           false\n"}},
        {"message",
         "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\"},{\"type\":\"image\","
         "\"mimeType\":\"image/png\",\"data\":\"AAAA\"},{\"type\":\"toolCall\",\"name\":\"w\",\"arguments\":{"
         "\"text\":\"a\\nb\",\"n\":1}},{\"type\":\"toolCall\",\"name\":\"v\",\"arguments\":[1]}],"
         "\"stopReason\":\"error\",\"errorMessage\":\"why\"}",
         {"\n    thinking:\n      hm\n\n    (image/png, 3 B)\n\n",
          "    calls w\n      text:\n          a\n          b\n      n: 1\n\n    calls v\n      [1]\n\n    why\n",
          "kind      message assistant, error\n"}},
        {"custom:x",
         "{\"list\":[\"a long string that does not fit\",\"another one that does not fit either\"]}",
         {"\n    {\n      \"list\": [\n        \"a long string that does not fit\",\n"}},
    };
    struct command *command = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        command->input = cases[i].data;
        command_run(command, "append", "s", "--create", "--kind", cases[i].kind, "--data", "-", NULL);
        assert_exit(command, 0);
        command_line(command, "show s @");
        assert_exit(command, 0);
        for (size_t j = 0; j < 4 && cases[i].parts[j] != NULL; j++) {
            assert_contains(command->out, cases[i].parts[j]);
        }
    }
}

TEST_EMPTY(the_raw_payload_is_exact)
{
    struct command *command = *state;

    command->input = "{ \"role\":\"user\",\"content\":\"\\u001b\"}";
    command_run(command, "append", "s", "--create", "--kind", "message", "--data", "-", NULL);
    command_line(command, "show s @ --raw");
    assert_string_equal(command->out, "{ \"role\":\"user\",\"content\":\"\\u001b\"}");
    command_line(command, "show s @");
    assert_contains(command->out, "\n    \\x1b\n");
}
