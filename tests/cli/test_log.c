/* What `xylem log` prints. Goldens: XYLEM_WRITE_EXPECTED=1 writes them anew. */
#include "store/store.h"
#include "tests/cli/command.h"
#include "tests/lib/store_builder.h"
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

#define WITH_IMPORT_SESSIONS(test) TEST_WITH(test, import_sessions, command_tear_down_verified)
#define TEST_EMPTY(test) TEST_WITH(test, command_set_up, command_tear_down_verified)

WITH_IMPORT_SESSIONS(logs_are_listed)
{
    struct command *command = *state;

    command_expect_line(command, "log " SCENARIO_ID, "log.txt");
    command_expect_line(command, "log " SCENARIO_ID " --at d134ab3f -n 3 --jsonl", "log.jsonl");
    command_expect_line(command, "log " SCENARIO_ID " -n 0", "empty.txt");
    command_expect_line(command, "log " SCENARIO_ID " --at none --jsonl", "empty.txt");
}

WITH_IMPORT_SESSIONS(lines_are_laid_out_for_the_terminal)
{
    struct command *command = *state;

    command_expect_at(command, "60", "log " SCENARIO_ID " -n 4", "log-60.txt");
    command_expect_at(command, "80", "log " SCENARIO_ID, "log-80.txt");
    command_expect_at(command, "160", "log " SCENARIO_ID, "log-160.txt");
    command_expect_at(command, "80", "log " TOOLS_ID, "log-tools.txt");
    command_expect_at(command, "80", "log " TOOLS_ID " --color always", "log-color.txt");
    setenv("COMMAND_LOCALE", "C", 1);
    command_expect_at(command, "60", "log " TOOLS_ID, "log-ascii.txt");
    unsetenv("COMMAND_LOCALE");
}

WITH_IMPORT_SESSIONS(no_line_is_wider_than_the_terminal)
{
    struct command *command = *state;

    setenv("COMMAND_COLUMNS", "70", 1);
    setenv("COMMAND_LOCALE", "C", 1); /* a byte is a cell */
    command_line(command, "log " SCENARIO_ID " --at 6f7578e6");
    unsetenv("COMMAND_LOCALE");
    unsetenv("COMMAND_COLUMNS");
    assert_contains(command->out, "[after-block]");
    for (char *line = strtok(command->out, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        assert_true(strlen(line) <= 70);
    }
}

TEST_EMPTY(ids_leave_room_where_it_is_narrow)
{
    struct command *command = *state;

    command_line(command, "append s --create --kind message --data {\"role\":\"user\",\"content\":\"hello\"}");
    setenv("COMMAND_COLUMNS", "60", 1);
    command_line(command, "log s");
    assert_true(strlen(command->out) < 60);
    assert_null(strstr(command->out, "\u2026"));
    assert_int_equal(strncmp(command->out, "1  ", 3), 0);
    assert_int_equal(strspn(command->out + 3, "0123456789abcdef-"), 13);
    setenv("COMMAND_COLUMNS", "160", 1);
    command_line(command, "log s");
    unsetenv("COMMAND_COLUMNS");
    assert_int_equal(strspn(command->out + 3, "0123456789abcdef-"), 36);
}

/* An id that is cut to fit names its entry, in whatever command it is shown. */
TEST_EMPTY(ids_that_are_cut_name_their_entry)
{
    static const char *const lines[] = {"log s", "tree s --all", "branches s", "diff s:@~1 :@", "tree fork --family"};
    struct command *command = *state;
    char line[128];

    command_line(command, "append s --create --kind note --id 01a1fb3d-3569-7d69-a000-000000000001");
    command_line(command, "append s --kind note --id 01a1fb3d-3569-7d69-a000-000000000002");
    command_line(command, "append s --kind note --id 01a1fb3d-3569-7d69-b000-000000000003");
    command_line(command, "fork s 01a1fb3d-3569-7d69-b --id fork");
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        setenv("COMMAND_COLUMNS", "80", 1);
        command_line(command, lines[i]);
        unsetenv("COMMAND_COLUMNS");
        assert_contains(command->out, &" 01a1fb3d-3569-7d69-b  "[i == 2 ? 1 : 0]);
    }
    snprintf(line, sizeof(line), "log s --at 01a1fb3d-3569-7d69-b --jsonl -n 1");
    command_line(command, line);
    assert_contains(command->out, "\"id\":\"01a1fb3d-3569-7d69-b000-000000000003\"");
    setenv("COMMAND_COLUMNS", "80", 1);
    command_line(command, "log s");
    unsetenv("COMMAND_COLUMNS");
    assert_contains(command->out, "01a1fb3d-3569-7d69-a000-000000000002  ");
}

WITH_IMPORT_SESSIONS(a_full_log_says_everything)
{
    struct command *command = *state;

    command_expect_line(command, "log " TOOLS_ID " --full", "log-full.txt");
    command_expect_at(command, "80", "log " SCENARIO_ID " --full -n 8", "log-full-80.txt");
    command_expect_at(command, "80", "log " SCENARIO_ID " --full --color always -n 3", "log-full-color.txt");
}

WITH_IMPORT_SESSIONS(a_log_can_be_of_one_kind)
{
    struct command *command = *state;

    command_line(command, "log " SCENARIO_ID " --kind custom:readonly");
    assert_exit(command, 0);
    assert_string_equal(command->out, "9  3dc585ab  2026-11-20 17:18:05  custom:readonly  {\"enabled\":true}\n");
    command_line(command, "log " SCENARIO_ID " --kind message -n 2");
    assert_contains(command->out, "32512cc7");
    assert_contains(command->out, "e37e3f3d");
    assert_null(strstr(command->out, "8db136e6"));
    command_line(command, "log " SCENARIO_ID " --kind compaction -k custom:readonly --kind no\x1bsuch");
    assert_exit(command, 0);
    assert_contains(command->out, "16  d8b2463f  ");
    assert_contains(command->out, " 9  3dc585ab  ");
    assert_null(strstr(command->out, "user"));
    assert_string_equal(command->err, "xylem: log: no entry of the path is of the kind or role 'no\\x1bsuch'\n");
    command_line(command, "log " SCENARIO_ID " --kind readonly");
    assert_exit(command, 0);
    assert_string_equal(command->out, "");
    assert_string_equal(
        command->err,
        "xylem: log: no entry of the path is of the kind or role 'readonly': did you mean custom:readonly?\n");
    command_line(command, "log " SCENARIO_ID " --kind message --kind readonly -n 1"); /* it has not seen all of it */
    assert_string_equal(command->err, "");
    command_line(command, "log " SCENARIO_ID " --kind a\\b");
    assert_exit(command, 2);
}

/* What stands where a line has the role or the kind. */
WITH_IMPORT_SESSIONS(a_role_names_messages)
{
    struct command *command = *state;

    command_line(command, "log " SCENARIO_ID " --kind user -n 2");
    assert_exit(command, 0);
    assert_string_equal(command->err, "");
    assert_string_equal(command->out, "19  e37e3f3d  2026-11-20 17:18:05  user        after resume\n"
                                      "17  4f9ef798  2026-11-20 17:18:05  user        after compaction\n");
    command_line(command, "tree " SCENARIO_ID " --kind toolResult --jsonl");
    assert_exit(command, 0);
    assert_contains(command->out, "\"id\":\"be4cd5e4\"");
    assert_contains(command->out, "\"id\":\"9516d531\"");
    assert_null(strstr(command->out, "\"id\":\"26de9cb1\""));
    assert_null(strstr(command->out, "\"id\":\"e4ad638d\""));
    /* A kind of the same name: both. A custom kind is never a role. */
    command_line(command, "append s --create --kind user --id kind");
    command_line(command, "append s --kind message --id role --data {\"role\":\"user\"}");
    command_line(command, "append s --kind message --id other --data {\"role\":\"assistant\"}");
    command_line(command, "append s --kind custom:note --id custom --data {\"role\":\"user\"}");
    command_line(command, "log s --kind user --jsonl");
    assert_contains(command->out, "\"id\":\"kind\"");
    assert_contains(command->out, "\"id\":\"role\"");
    assert_null(strstr(command->out, "\"id\":\"other\""));
    assert_null(strstr(command->out, "\"id\":\"custom\""));
    command_line(command, "log s --kind custom:user");
    assert_string_equal(command->out, "");
    assert_string_equal(command->err, "xylem: log: no entry of the path is of the kind 'custom:user'\n");
    command_line(command, "redact s role --reason r --yes");
    command_line(command, "log s --kind user --kind assistant --jsonl"); /* its role is not known any more */
    assert_exit(command, 0);
    assert_null(strstr(command->out, "\"id\":\"role\""));
    assert_contains(command->out, "\"id\":\"other\"");
}

WITH_IMPORT_SESSIONS(a_log_can_begin_at_a_time)
{
    struct command *command = *state;

    command_line(command, "log " SCENARIO_ID " --since 2026-11-20T17:18:05.812Z");
    assert_exit(command, 0);
    assert_contains(command->out, "32512cc7");
    assert_null(strstr(command->out, "b8ef64c6"));
    command_expect_line(command, "log " SCENARIO_ID " --since 1m", "empty.txt");
    command_line(command, "log " SCENARIO_ID " --until 2026-11-20T17:18:05.650Z -r");
    assert_exit(command, 0);
    assert_contains(command->out, "1  b8ef64c6");
    assert_contains(command->out, "8d16e680");
    assert_null(strstr(command->out, "32512cc7"));
    command_line(command, "log " SCENARIO_ID " --until tomorrow");
    assert_error(command, 2, "'tomorrow' is not a time");
}

WITH_IMPORT_SESSIONS(a_log_can_be_reversed)
{
    struct command *command = *state;

    command_line(command, "log " SCENARIO_ID " --reverse -n 2");
    assert_string_equal(command->out, "19  e37e3f3d  2026-11-20 17:18:05  user        after resume\n"
                                      "20  32512cc7  2026-11-20 17:18:05  assistant   <leaf> echo: after resume\n");
    command_line(command, "log " SCENARIO_ID " --reverse -n 2 --jsonl");
    assert_int_equal(strncmp(command->out, "{\"schema\":1,\"id\":\"e37e3f3d\"", 27), 0);
}

/* --- Payloads of every shape -------------------------------------------------------------------------------------- */

static void append(struct command *command, const char *kind, const char *data)
{
    command->input = data;
    command_run(command, "append", "s", "--create", "--kind", kind, "--data", "-", NULL);
    assert_exit(command, 0);
}

/* The last entry's line, and what it says there. */
static void says(struct command *command, const char *kind, const char *data, const char *said)
{
    append(command, kind, data);
    command_line(command, "log s -n 1");
    assert_exit(command, 0);
    const char *found = strstr(command->out, said);
    if (found == NULL || strcmp(found + strlen(said), "\n") != 0) {
        print_message("'%s' does not end: %s\n", said, command->out);
    }
    assert_non_null(found);
    assert_string_equal(found + strlen(said), "\n");
}

TEST_EMPTY(messages_are_said_in_a_line)
{
    static const struct {
        const char *data;
        const char *said;
    } cases[] = {
        {"{\"role\":\"user\",\"content\":\"plain\"}", "user        <leaf> plain"},
        {"{\"message\":{\"role\":\"user\",\"content\":\"wrapped\"}}", "user        <leaf> wrapped"},
        {"{\"role\":\"user\",\"content\":[]}", "user        <leaf> (empty)"},
        {"{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"AAAAAAAA\"}]}",
         "(image/png 6 B)"},
        {"{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"data\":\"AAAA\"}]}", "(image 3 B)"},
        {"{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\"},"
         "{\"type\":\"text\",\"text\":\"yes\"}]}",
         "assistant   <leaf> yes"},
        {"{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\"}]}", "(thinking) hm"},
        {"{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"go\"},{\"type\":\"toolCall\","
         "\"name\":\"bash\",\"arguments\":{\"timeout\":5,\"command\":\"ls -l\\nnow\"}}]}",
         "go bash(ls -l now)"},
        {"{\"role\":\"assistant\",\"content\":[{\"type\":\"toolCall\",\"name\":\"odd\",\"arguments\":{\"n\":1}}]}",
         "odd({\"n\":1})"},
        {"{\"role\":\"assistant\",\"content\":[{\"type\":\"toolCall\",\"name\":\"none\",\"arguments\":{}}]}", "none()"},
        {"{\"role\":\"assistant\",\"content\":[{\"type\":\"toolCall\",\"name\":\"list\",\"arguments\":[1]}]}",
         "list([1])"},
        {"{\"role\":\"assistant\",\"content\":[],\"stopReason\":\"error\",\"errorMessage\":\"no key\"}", "no key"},
        {"{\"role\":\"assistant\",\"content\":[],\"stopReason\":\"aborted\"}", "(aborted)"},
        {"{\"role\":\"toolResult\",\"toolName\":\"read\",\"content\":\"x\",\"isError\":false}",
         "toolResult  <leaf> read: x"},
        {"{\"role\":\"toolResult\",\"toolName\":\"read\",\"content\":\"x\",\"isError\":true}",
         "toolResult  <leaf> read error: x"},
        {"{\"role\":\"bashExecution\",\"command\":\"ls\",\"output\":\"a\\nb\",\"exitCode\":0}",
         "bashExecution  <leaf> $ ls a b"},
        {"{\"role\":\"bashExecution\",\"command\":\"ls\",\"output\":\"a\",\"exitCode\":2}",
         "bashExecution  <leaf> $ ls a exit code 2"},
        {"{\"role\":\"custom\",\"customType\":\"hook\",\"content\":\"c\"}", "custom      <leaf> hook: c"},
        {"{\"role\":\"branchSummary\",\"summary\":\"was\"}", "branchSummary  <leaf> was"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        says(*state, "message", cases[i].data, cases[i].said);
    }
}

TEST_EMPTY(other_kinds_are_said_in_a_line)
{
    static const struct {
        const char *kind;
        const char *data;
        const char *said;
    } cases[] = {
        {"compaction", "{\"summary\":\"short\",\"tokensBefore\":5}", "compaction  <leaf> short"},
        {"branch_summary", "{\"summary\":\"was\"}", "was"},
        {"model_change", "{\"provider\":\"p\",\"modelId\":\"m\"}", "p/m"},
        {"model_change", "{\"modelId\":\"m\"}", "<leaf> m"},
        {"thinking_level_change", "{\"thinkingLevel\":\"high\"}", "high"},
        {"session_info", "{\"name\":\"n\"}", "<leaf> n"},
        {"label", "{\"targetId\":\"abc\",\"label\":\"L\"}", "L on abc"},
        {"label", "{\"targetId\":\"abc\"}", "(removed) on abc"},
        {"custom_message", "{\"customType\":\"note\",\"content\":\"c\"}", "note: c"},
        {"custom:x", "{\"a\":[1,2]}", "{\"a\":[1,2]}"},
        {"usage", "{\"kind\":\"cache\"}", "{\"kind\":\"cache\"}"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        says(*state, cases[i].kind, cases[i].data, cases[i].said);
    }
}

/* What is of another shape is shown as what it is. */
TEST_EMPTY(what_has_another_shape_is_data)
{
    static const struct {
        const char *kind;
        const char *data;
        const char *said;
    } cases[] = {
        {"message", "{\"role\":7,\"content\":\"x\"}", "message     <leaf> {\"role\":7,\"content\":\"x\"}"},
        {"message", "[1]", "[1]"},
        {"message", "null", "null"},
        {"message", "\"text\"", "\"text\""},
        {"message", "{\"role\":\"user\"}", "{\"role\":\"user\"}"},
        {"message", "{\"role\":\"user\",\"content\":{\"a\":1}}", "<leaf> {\"a\":1}"},
        {"message", "{\"role\":\"user\",\"content\":[1,null,{\"type\":3},{\"type\":\"text\",\"text\":4}]}",
         "1 null {\"type\":3} {\"type\":\"text\",\"text\":4}"},
        {"message", "{\"role\":\"user\",\"content\":[{\"type\":\"toolCall\",\"name\":[],\"arguments\":1}]}",
         "{\"type\":\"toolCall\",\"name\":[],\"arguments\":1}"},
        {"message", "{\"role\":\"toolResult\",\"toolName\":{},\"isError\":\"yes\",\"content\":\"x\"}", "<leaf> x"},
        {"message", "{\"role\":\"system\",\"content\":\"\",\"sections\":{\"a\":1,\"b\":\"words\"}}", "1 words"},
        {"message", "{\"role\":\"system\",\"content\":\"\",\"sections\":[]}", "(empty)"},
        {"message", "{\"message\":3}", "{\"message\":3}"},
        {"compaction", "{\"summary\":[]}", "{\"summary\":[]}"},
        {"label", "{\"targetId\":1,\"label\":2}", "{\"targetId\":1,\"label\":2}"},
        {"model_change", "{\"provider\":\"p\"}", "{\"provider\":\"p\"}"},
        {"custom_message", "{\"customType\":0,\"content\":\"c\"}", "{\"customType\":0,\"content\":\"c\"}"},
    };
    struct command *command = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        says(command, cases[i].kind, cases[i].data, cases[i].said);
    }
    command_line(command, "log s --full");
    assert_exit(command, 0);
    command_line(command, "append s --kind note");
    command_line(command, "log s -n 1 --full");
    assert_exit(command, 0);
    assert_contains(command->out, "0 B\n");
}

TEST_EMPTY(huge_and_deep_payloads_are_cut)
{
    struct command *command = *state;
    static char data[1200000];
    size_t at = (size_t)sprintf(data, "{\"role\":\"user\",\"content\":\"");

    memset(data + at, 'x', 1000000);
    strcpy(data + at + 1000000, "\"}");
    append(command, "message", data);
    command_line(command, "log s");
    assert_true(strlen(command->out) < 200);
    assert_contains(command->out, "\u2026  976.6 KiB\n");
    command_line(command, "log s --full");
    assert_true(strlen(command->out) > 1000000);
    at = (size_t)sprintf(data, "{\"role\":\"user\",\"content\":");
    memset(data + at, '[', 500);
    memset(data + at + 500, ']', 500);
    strcpy(data + at + 1000, "}");
    append(command, "message", data);
    command_line(command, "log s --full -n 1");
    assert_exit(command, 0);
    assert_contains(command->out, "[[[[");
    command_line(command, "log s -n 1");
    assert_true(strlen(command->out) < 200);
}

TEST_EMPTY(a_full_log_keeps_lines_and_escapes_the_rest)
{
    struct command *command = *state;

    append(command, "message",
           "{\"role\":\"user\",\"content\":\"one\\r\\n\\ttab\\n\\n  two \\u001b[31m\\u202e\\nthree\\n\\n\"}");
    command_line(command, "log s --full");
    assert_contains(command->out, "\n\n    one\n        tab\n\n      two \\x1b[31m\\u202e\n    three\n");
    assert_null(strchr(command->out, '\x1b'));
    setenv("COMMAND_COLUMNS", "40", 1);
    append(command, "message",
           "{\"role\":\"user\",\"content\":\"- an item that is too long for a line of forty cells\"}");
    command_line(command, "log s --full -n 1");
    unsetenv("COMMAND_COLUMNS");
    assert_contains(command->out, "    - an item that is too long for a\n      line of forty cells\n");
}

/* What no host writes: a payload that was taken out, one that is no JSON, and one whose bytes were changed. */
TEST_WITH(what_cannot_be_read_is_said_so, command_set_up, command_tear_down)
{
    struct command *command = *state;
    struct store_builder builder;

    store_builder_open(&builder);
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position first =
        store_builder_add(&builder, session, "first", "message", "{\"role\":\"user\",\"content\":\"x\"}");
    struct xylem_position redacted = store_builder_add(&builder, session, "redacted", "note", "{\"a\":1}");
    struct xylem_position torn = store_builder_add(&builder, session, "torn", "note", "{\"a\":1}");
    store_builder_redact(&builder, redacted);
    struct xylem_format__record record = store_builder_record(&builder, torn);
    record.payload = xylem_view_of("{\"a\":\x1b");
    record.payload_hash = xylem_format__hash(record.payload);
    store_builder_rewrite(&builder, torn, &record);
    store_builder_commit(&builder);
    snprintf(command->store, sizeof(command->store), "%.100s", builder.path);
    command_line(command, "log s");
    assert_exit(command, 0);
    assert_contains(command->out, "(redacted)\n1  first");
    assert_contains(command->out, "<leaf> (");
    assert_null(strchr(command->out, '\x1b'));
    command_line(command, "log s --full");
    assert_exit(command, 0);
    assert_contains(command->out, "\n\n    (redacted)\n");
    command_line(command, "show s redacted");
    assert_exit(command, 0);
    assert_contains(command->out, "\n\n    (redacted)\n");
    command_line(command, "show s torn");
    assert_exit(command, 0);
    assert_contains(command->out, "\n\n    (");
    store_builder_damage(&builder, first);
    store_builder_commit(&builder);
    const char *const lines[] = {"log s", "log s --full", "log s --json", "diff s s:first", "show s first"};
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        command_line(command, lines[i]);
        assert_exit(command, 5);
        assert_contains(command->err, "xylem: ");
    }
    store_builder_close(&builder);
}
