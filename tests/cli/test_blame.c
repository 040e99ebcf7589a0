/* `xylem blame`: at which entries a piece of state changed. */
#include "tests/cli/command.h"
#include "tests/lib/store_builder.h"
#include "tests/lib/test.h"

static void add(struct command *command, const char *session, const char *id, const char *kind, const char *data)
{
    command_run(command, "append", session, "--create", "--id", id, "--kind", kind, "--data", data, NULL);
    assert_exit(command, 0);
}

static void add_toggle(struct command *command, const char *session, const char *id, bool on)
{
    add(command, session, id, "custom:readonly", on ? "{\"enabled\":true}" : "{\"enabled\":false}");
}

/*
 * A path that turns readonly on twice, breaks it once, tells of it, and turns it off under the other name of the kind.
 */
static int append_story(void **state)
{
    command_set_up(state);
    struct command *command = *state;
    add(command, "s", "m1", "message", "{\"role\":\"user\",\"content\":\"look at the tests\"}");
    add_toggle(command, "s", "t1", true);
    add(command, "s", "n1", "custom:readonly-nudge", "{\"direction\":\"on\"}");
    add_toggle(command, "s", "t2", true);
    add(command, "s", "bad", "custom:readonly", "{\"enabled\":1}");
    add(command, "s", "d1", "custom:readonly-nudge", "{\"direction\":\"on\",\"delivered\":true}");
    add(command, "s", "q1", "custom:sequence",
        "{\"version\":1,\"sequenceId\":\"q\",\"steps\":[\"a\",\"b\"],\"updatedAt\":1795000002041.5}");
    add(command, "s", "q2", "custom:sequence", "{\"version\":2}");
    add(command, "s", "t3", "custom:agenticoding-readonly", "{\"enabled\":false}");
    return 0;
}

/* What a line prints in a pipe, with TIME for every time. */
static void expect(struct command *command, const char *line, const char *out, const char *err)
{
    command_must(command, line);
    command->out = command_replace(command->out, "[0-9]{4}-[0-9-]+ [0-9:]{8}", "TIME");
    assert_string_equal(command->out, out);
    if (err[0] == '\0') {
        assert_string_equal(command->err, "");
    } else {
        assert_contains(command->err, err);
    }
}

#define WITH_APPEND_STORY(test) TEST_WITH(test, append_story, command_tear_down_verified)

WITH_APPEND_STORY(toggles_that_changed_readonly_are_listed_newest_first)
{
    expect(*state, "blame s readonly",
           "off  9  t3  TIME  custom:agenticoding-rea…  <leaf> {\"enabled\":false}\n"
           "on   2  t1  TIME  custom:readonly           {\"enabled\":true}\n",
           "xylem: blame: 1 entry repeats the state before, 1 entry is skipped as invalid (--all shows them)\n");
}

WITH_APPEND_STORY(all_shows_what_repeats_and_what_is_skipped_and_why)
{
    expect(*state, "blame s readonly --all",
           "off      9  t3   TIME  custom:agenticoding-rea…  <leaf> {\"enabled\":false}\n"
           "skipped  5  bad  TIME  custom:readonly           enabled is not a boolean: {\"enabled\":1}\n"
           "on       4  t2   TIME  custom:readonly           {\"enabled\":true}\n"
           "on       2  t1   TIME  custom:readonly           {\"enabled\":true}\n",
           "");
}

WITH_APPEND_STORY(a_nudge_changes_with_toggles_and_with_what_was_delivered)
{
    expect(*state, "blame s nudge",
           "due: off  9  t3  TIME  custom:agenticoding-rea…  <leaf> {\"enabled\":false}\n"
           "not due   6  d1  TIME  custom:readonly-nudge     {\"direction\":\"on\",\"delivered\":true}\n"
           "due: on   2  t1  TIME  custom:readonly           {\"enabled\":true}\n",
           "2 entries repeat the state before, 1 entry is skipped as invalid (--all shows them)\n");
}

WITH_APPEND_STORY(a_sequence_changes_with_each_snapshot_that_differs)
{
    struct command *command = *state;
    static const char *const same = "{\"version\":1,\"sequenceId\":\"q\",\"steps\":[\"a\",\"b\"],\"updatedAt\":%s}";
    char data[128];

    expect(command, "blame s sequence --at q2",
           "q (2)  7  q1  TIME  custom:sequence  {\"version\":1,\"sequenceId\":\"q\",\"steps\":[\"a\",\"b\"],"
           "\"updatedAt\":17950000020…\n",
           "1 entry is skipped as invalid");
    snprintf(data, sizeof(data), same, "1795000002041.5");
    add(command, "s", "q3", "custom:sequence", data);
    snprintf(data, sizeof(data), same, "1795000002042");
    add(command, "s", "q4", "custom:sequence", data);
    add(command, "s", "q5", "custom:sequence",
        "{\"version\":1,\"sequenceId\":\"q\",\"steps\":[\"a\",\"c\"],\"updatedAt\":1795000002042}");
    command_must(command, "blame s sequence --jsonl");
    assert_null(strstr(command->out, "\"id\":\"q3\"")); /* repeats q1 */
    assert_contains(command->out, "{\"schema\":1,\"id\":\"q5\",");
    assert_contains(command->out,
                    "\"sequence\":{\"sequenceId\":\"q\",\"steps\":[\"a\",\"c\"],\"updatedAt\":1795000002042},"
                    "\"changed\":true,\"skipped\":null}\n{\"schema\":1,\"id\":\"q4\",");
    assert_contains(command->out, "\"steps\":[\"a\",\"b\"],\"updatedAt\":1795000002041.5},\"changed\":true");
}

/* As `state` writes it. */
WITH_APPEND_STORY(a_number_is_written_in_digits)
{
    struct command *command = *state;

    add(command, "s", "q6", "custom:sequence", "{\"version\":1,\"sequenceId\":\"q\",\"steps\":[],\"updatedAt\":1e15}");
    command_must(command, "blame s sequence -n 1 --jsonl");
    assert_contains(command->out, "\"updatedAt\":1000000000000000},");
    command_must(command, "state s --json");
    assert_contains(command->out, "\"updatedAt\":1000000000000000,");
}

WITH_APPEND_STORY(the_path_may_be_that_of_any_entry)
{
    static const char t1[] = "on  2  t1  TIME  custom:readonly  {\"enabled\":true}\n";
    struct command *command = *state;

    expect(command, "blame s readonly --at n1", t1, "");
    expect(command, "blame s:n1 readonly", t1, "");
    expect(command, "blame s:@^3 readonly", t1, "");
    expect(command, "blame s readonly -n 1 --at @~1", t1, "1 entry repeats");
    expect(command, "blame s readonly -n 0", "", "");
    expect(command, "blame s readonly --at m1", "", "xylem: blame: no entry of the path changes readonly\n");
    expect(command, "blame s nudge --at none", "", "xylem: blame: no entry of the path changes nudge\n");
    command_line(command, "blame s:nowhere readonly");
    assert_error(command, 3, "there is no entry 'nowhere'");
    command_line(command, "blame nobody readonly");
    assert_error(command, 3, "there is no session 'nobody'");
}

WITH_APPEND_STORY(documents_say_what_each_entry_did)
{
    struct command *command = *state;

    command_must(command, "blame s readonly --all --jsonl");
    command->out = command_replace(command->out, "\"time\":\"[^\"]*\"", "TIME");
    assert_string_equal(
        command->out,
        "{\"schema\":1,\"id\":\"t3\",\"parent\":\"q2\",\"kind\":\"custom:agenticoding-readonly\",TIME,"
        "\"depth\":9,\"label\":null,\"piece\":\"readonly\",\"readonly\":false,\"changed\":true,\"skipped\":null}\n"
        "{\"schema\":1,\"id\":\"bad\",\"parent\":\"t2\",\"kind\":\"custom:readonly\",TIME,\"depth\":5,"
        "\"label\":null,\"piece\":\"readonly\",\"readonly\":true,\"changed\":false,\"skipped\":\"enabled is not a "
        "boolean\"}\n"
        "{\"schema\":1,\"id\":\"t2\",\"parent\":\"n1\",\"kind\":\"custom:readonly\",TIME,\"depth\":4,"
        "\"label\":null,\"piece\":\"readonly\",\"readonly\":true,\"changed\":false,\"skipped\":null}\n"
        "{\"schema\":1,\"id\":\"t1\",\"parent\":\"m1\",\"kind\":\"custom:readonly\",TIME,\"depth\":2,"
        "\"label\":null,\"piece\":\"readonly\",\"readonly\":true,\"changed\":true,\"skipped\":null}\n");
    assert_string_equal(command->err, "");
    command_must(command, "blame s nudge -n 1 --jsonl");
    assert_contains(command->out, "\"nudge\":{\"due\":true,\"direction\":\"off\"},\"changed\":true,");
    assert_string_equal(command->err, "");
}

/*
 * A fork has no toggles of its own before its first one: those of its source lie on its path, as far as it is shared.
 */
WITH_APPEND_STORY(without_a_piece_the_changes_of_all_pieces_are_listed)
{
    struct command *command = *state;

    command_must(command, "blame s --all -n 0");
    expect(command, "blame s",
           "readonly  off       9  t3  TIME  custom:agenticoding-rea…  <leaf> {\"enabled\":false}\n"
           "nudge     due: off  9  t3  TIME  custom:agenticoding-rea…  <leaf> {\"enabled\":false}\n"
           "sequence  q (2)     7  q1  TIME  custom:sequence           "
           "{\"version\":1,\"sequenceId\":\"q\",\"steps\":[\"a\",\"b\"],\"updatedAt\":17950000020…\n"
           "nudge     not due   6  d1  TIME  custom:readonly-nudge     {\"direction\":\"on\",\"delivered\":true}\n"
           "readonly  on        2  t1  TIME  custom:readonly           {\"enabled\":true}\n"
           "nudge     due: on   2  t1  TIME  custom:readonly           {\"enabled\":true}\n",
           "repeat the state before");
    expect(command, "blame s:d1 -n 2",
           "nudge     not due  6  d1  TIME  custom:readonly-nudge  {\"direction\":\"on\",\"delivered\":true}\n"
           "readonly  on       2  t1  TIME  custom:readonly        {\"enabled\":true}\n",
           "repeat the state before");
    command_must(command, "blame s --jsonl -n 1");
    assert_contains(command->out, "\"piece\":\"readonly\",\"readonly\":false,\"changed\":true");
    expect(command, "blame s --at m1", "", "xylem: blame: no entry of the path changes the state\n");
    expect(command, "blame s -n 0", "", "");
}

WITH_APPEND_STORY(a_fork_is_blamed_on_entries_of_its_source)
{
    struct command *command = *state;

    command_must(command, "fork s q2 --id f");
    add_toggle(command, "f", "own", false);
    command_must(command, "fork f own --id g");
    add_toggle(command, "g", "last", true);
    add_toggle(command, "s", "later", true); /* the source goes on without them */
    expect(command, "blame g readonly",
           "on   10  last  TIME  custom:readonly  <leaf> {\"enabled\":true}\n"
           "off   9  own   TIME  custom:readonly  {\"enabled\":false}\n"
           "on    2  t1    TIME  custom:readonly  {\"enabled\":true}\n",
           "1 entry repeats");
}

WITH_APPEND_STORY(other_roots_and_branches_do_not_count)
{
    struct command *command = *state;

    command_must(command, "navigate s none");
    add_toggle(command, "s", "r1", false);
    expect(command, "blame s readonly", "", "1 entry repeats the state before (--all shows them)\n");
    add_toggle(command, "s", "r2", true);
    command_must(command, "navigate s n1");
    add_toggle(command, "s", "side", false);
    expect(command, "blame s readonly",
           "off  4  side  TIME  custom:readonly  <leaf> {\"enabled\":false}\n"
           "on   2  t1    TIME  custom:readonly  {\"enabled\":true}\n",
           "");
    expect(command, "blame s:@{1} readonly", "on  2  r2  TIME  custom:readonly  {\"enabled\":true}\n",
           "1 entry repeats");
}

WITH_APPEND_STORY(of_many_toggles_those_that_change_something_are_found)
{
    enum { COUNT = 300 };
    struct command *command = *state;
    struct store_builder builder;
    size_t lines = 0;

    store_builder_open(&builder);
    uint64_t session = store_builder_session(&builder, "many");
    for (int i = 0; i < COUNT; i++) { /* on on off off on on ... */
        store_builder_add(&builder, session, NULL, "custom:readonly",
                          i % 4 < 2 ? "{\"enabled\":true}" : "{\"enabled\":false}");
        store_builder_messages(&builder, session, 2);
    }
    store_builder_commit(&builder);
    command_run(command, "-s", builder.path, "blame", "many", "readonly", "--jsonl", NULL);
    assert_exit(command, 0);
    for (const char *at = command->out; (at = strchr(at, '\n')) != NULL; at++) {
        lines++;
    }
    assert_int_equal(lines, COUNT / 2);
    char *all = strdup(command->out);
    command_run(command, "-s", builder.path, "blame", "many", "readonly", "--jsonl", "-n", "7", NULL);
    assert_exit(command, 0);
    char *end = all;
    for (int i = 0; i < 7; i++) {
        end = strchr(end, '\n') + 1;
    }
    *end = '\0';
    assert_string_equal(command->out, all);
    free(all);
    store_builder_close(&builder);
}

/* Nobody knows what it said, so it means on. */
WITH_APPEND_STORY(a_redacted_toggle_turns_readonly_on)
{
    struct command *command = *state;
    struct store_builder builder;

    store_builder_open(&builder);
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, "off", "custom:readonly", "{\"enabled\":false}");
    struct xylem_position gone = store_builder_add(&builder, session, "gone", "custom:readonly", "{\"enabled\":false}");
    store_builder_add(&builder, session, "on", "custom:readonly", "{\"enabled\":true}");
    store_builder_redact(&builder, gone);
    store_builder_commit(&builder);
    command_run(command, "-s", builder.path, "blame", "s", "readonly", "--all", NULL);
    assert_exit(command, 0);
    command->out = command_replace(command->out, "[0-9]{4}-[0-9-]+ [0-9:]{8}", "TIME");
    assert_string_equal(command->out, "on   3  on    TIME  custom:readonly  <leaf> {\"enabled\":true}\n"
                                      "on   2  gone  TIME  custom:readonly  (redacted)\n"
                                      "off  1  off   TIME  custom:readonly  {\"enabled\":false}\n");
    command_run(command, "-s", builder.path, "blame", "s", "readonly", "-n", "1", "--jsonl", NULL);
    assert_exit(command, 0);
    assert_contains(command->out, "{\"schema\":1,\"id\":\"gone\",");
    store_builder_close(&builder);
}

WITH_APPEND_STORY(on_a_terminal_lines_are_cut_to_its_width)
{
    struct command *command = *state;
    static const char *const widths[] = {"60", "80"};

    command->now = "2036-11-20T19:30:00Z";
    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        setenv("COMMAND_COLUMNS", widths[i], 1);
        command_must(command, "blame s sequence --all");
        unsetenv("COMMAND_COLUMNS");
        char *line = strtok(command->out, "\n");
        assert_contains(line, "version is not 1");
        for (; line != NULL; line = strtok(NULL, "\n")) {
            assert_true(strlen(line) <= strtoul(widths[i], NULL, 10) + 2 * strlen("…"));
        }
    }
    command->now = NULL;
}
