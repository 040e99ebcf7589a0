/* What `xylem diff` prints. Goldens: XYLEM_WRITE_EXPECTED=1 writes them anew. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#define COPY_ID "copy:of:01a1f9f7"

/* Imports the first lines of the scenario as a session of another id, which shares nothing with it in the store. */
static void import_copy(struct command *command, size_t line_count)
{
    char path[256];
    char *data = command_read_file(SCENARIO, NULL);
    char *end = data;

    for (size_t i = 0; i < line_count; i++) {
        end = strchr(end, '\n') + 1;
    }
    *end = '\0';
    data = command_replace(data, SCENARIO_ID, COPY_ID);
    command_path(path, command, "copy.jsonl");
    command_write_file(path, data, strlen(data));
    free(data);
    command_run(command, "import", "-q", path, NULL);
    assert_exit(command, 0);
}

static void expect(struct command *command, const char *line, int code, const char *name)
{
    command_line(command, line);
    assert_exit(command, code);
    assert_string_equal(command->err, "");
    command_expect(command, name);
}

#define WITH_SCENARIO(test) TEST_WITH(test, command_set_up_scenario, command_tear_down_verified)

WITH_SCENARIO(branches_of_a_session_are_compared)
{
    struct command *command = *state;

    expect(command, "diff " SCENARIO_ID ":after-block :@", 1, "diff.txt");
    expect(command, "diff " SCENARIO_ID ":after-block :@ --all", 1, "diff-all.txt");
    expect(command, "diff " SCENARIO_ID ":after-block :@ --json", 1, "diff.json");
    expect(command, "diff " SCENARIO_ID ":after-block :@ --color always", 1, "diff-color.txt");
    setenv("COMMAND_COLUMNS", "60", 1);
    expect(command, "diff " SCENARIO_ID ":after-block :@", 1, "diff-60.txt");
    setenv("COMMAND_COLUMNS", "160", 1);
    expect(command, "diff " SCENARIO_ID ":after-block :@", 1, "diff-160.txt");
    setenv("COMMAND_COLUMNS", "80", 1);
    expect(command, "diff " SCENARIO_ID ":after-block :@", 1, "diff-80.txt");
    setenv("COMMAND_LOCALE", "C", 1);
    expect(command, "diff " SCENARIO_ID ":after-block :@", 1, "diff-ascii.txt");
    unsetenv("COMMAND_LOCALE");
    unsetenv("COMMAND_COLUMNS");
}

WITH_SCENARIO(both_forms_of_json_are_one_document)
{
    struct command *command = *state;

    command_line(command, "diff " SCENARIO_ID " :@~3 --json");
    assert_exit(command, 1);
    char *document = strdup(command->out);
    command_line(command, "diff " SCENARIO_ID " :@~3 --jsonl");
    assert_exit(command, 1);
    assert_string_equal(command->out, document);
    free(document);
    command_line(command, "diff " SCENARIO_ID " :@ --json --jsonl");
    assert_exit(command, 2);
}

WITH_SCENARIO(the_same_entry_does_not_differ)
{
    struct command *command = *state;

    expect(command, "diff " SCENARIO_ID " 32512cc7", 0, "diff-same.txt");
    command_line(command, "clone " SCENARIO_ID " --id twin");
    command_line(command, "diff " SCENARIO_ID " twin --json");
    assert_exit(command, 0);
    assert_contains(command->out, "{\"schema\":1,\"same\":true,");
    assert_contains(command->out, "\"sharing\":\"shared\",\"shared_depth\":20}");
}

/* A fork shares: what is labelled anew in one of them is the one thing that differs. */
WITH_SCENARIO(labels_of_common_entries_are_compared)
{
    struct command *command = *state;

    command_line(command, "clone " SCENARIO_ID " --id twin");
    command_run(command, "append", "twin", "--kind", "label", "--id", "l1", "--data",
                "{\"targetId\":\"8d16e680\",\"label\":\"here\"}", NULL);
    command_run(command, "append", "twin", "--kind", "label", "--id", "l2", "--data",
                "{\"targetId\":\"l1\",\"label\":\"its own\"}", NULL);
    command_line(command, "diff " SCENARIO_ID " twin");
    assert_exit(command, 1);
    assert_contains(command->out, "= 32512cc7  depth 20  2h ago  shared\n\n< nothing more\n\n> 2 more entries\n");
    assert_contains(command->out, "\nlabel     < 8d16e680 none\n          > 8d16e680 [here]\n");
    assert_null(strstr(command->out, "> l1 [its own]"));
    command_line(command, "diff twin " SCENARIO_ID " --json");
    assert_contains(command->out, "\"labels\":[{\"entry\":\"8d16e680\",\"a\":\"here\",\"b\":null}]}\n");
    assert_contains(command->out, "\"differs\":[\"labels\"]}");
    command_must(command, "label " SCENARIO_ID ":8d16e680 there --only-in-store");
    command_line(command, "diff " SCENARIO_ID " twin");
    assert_contains(command->out, "\nlabel     < 8d16e680 [there]\n          > 8d16e680 [here]\n");
}

WITH_SCENARIO(equal_histories_that_are_stored_twice_are_found)
{
    struct command *command = *state;

    import_copy(command, 1 + 11);
    command_line(command, "diff " SCENARIO_ID ":6f7578e6 " COPY_ID ":6f7578e6");
    assert_exit(command, 0);
    assert_contains(command->out, "= 6f7578e6  depth 11  2h ago  equal, but stored twice\n\n");
    assert_null(strstr(command->out, "more"));
    command_line(command, "append " COPY_ID " --kind note --id extra --parent be4cd5e4 --only-in-store");
    command_line(command, "diff " COPY_ID " " SCENARIO_ID ":6f7578e6 --json");
    assert_exit(command, 1);
    assert_contains(command->out, "\"same\":false,\"common\":{\"id\":\"be4cd5e4\",");
    assert_contains(command->out, "\"sharing\":\"equal\",\"shared_depth\":0}");
    expect(command, "diff " COPY_ID ":be4cd5e4 " SCENARIO_ID, 1, "diff-equal.txt");
    for (int depth = 1; depth <= 10; depth++) { /* the halving ends at each depth */
        char line[128];
        char wanted[64];
        snprintf(line, sizeof(line), "diff " SCENARIO_ID ":6f7578e6~%d " COPY_ID ":6f7578e6 --json", 11 - depth);
        snprintf(wanted, sizeof(wanted), "\"depth\":%d,\"sharing\":\"equal\"", depth);
        command_line(command, line);
        assert_exit(command, 1);
        assert_contains(command->out, wanted);
    }
}

TEST_WITH(entries_of_one_id_are_not_equal_for_that, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;

    command_line(command, "append a --create --kind note --id one");
    command_line(command, "append b --create --kind note --id one");
    command_line(command, "diff a b");
    assert_exit(command, 1);
    assert_contains(command->out, "\n= nothing: not even the first entries are equal\n");
    command_line(command, "diff a b --json");
    assert_contains(command->out, "\"common\":null,");
}

TEST_WITH(a_session_without_a_leaf_has_nothing, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;

    command_line(command, "append s --create --kind note --id root");
    command_line(command, "navigate s none");
    command_line(command, "diff s :root");
    assert_exit(command, 1);
    assert_contains(command->out, "< s, no current entry\n> s:root  depth 1");
    assert_contains(command->out, "\n\n< nothing more\n\n> 1 more entry\n");
    command_line(command, "diff s s --json");
    assert_exit(command, 0);
    assert_contains(command->out, "\"same\":true,\"common\":null,\"a\":{\"session\":\"s\",\"entry\":null,\"depth\":0,");
    command_line(command, "diff s s");
    assert_exit(command, 0);
}

TEST_WITH(steps_that_differ_are_listed, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;

    command_line(command, "append s --create --kind note --id root");
    command_run(command, "append", "s", "--kind", "custom:sequence", "--id", "seq1", "--data",
                "{\"version\":1,\"sequenceId\":\"q\",\"steps\":[\"same\",\"left\",\"end\"],\"updatedAt\":1}", NULL);
    command_run(command, "append", "s", "--kind", "custom:sequence", "--id", "seq2", "--parent", "root", "--data",
                "{\"version\":1,\"sequenceId\":\"q\",\"steps\":[\"same\",\"right\\u001b\",\"more\",\"end\"],"
                "\"updatedAt\":1}",
                NULL);
    command_line(command, "diff s:seq1 :seq2");
    assert_exit(command, 1);
    assert_contains(command->out, "\nsequence  < q, 3 steps, from seq1\n"
                                  "          > q, 4 steps, from seq2\n"
                                  "          < 2. left\n"
                                  "          > 2. right\\x1b\n"
                                  "          > 3. more\n");
    assert_null(strstr(command->out, ". same"));
    assert_null(strstr(command->out, ". end"));
    command_line(command, "diff s:seq1 :root");
    assert_contains(command->out, "\nsequence  < q, 3 steps, from seq1\n          > none\n");
    command_run(command, "append", "s", "--kind", "custom:sequence", "--id", "seq3", "--parent", "root", "--data",
                "{\"version\":1,\"sequenceId\":\"q\",\"steps\":[\"same\",\"left\",\"end\"],\"updatedAt\":2}", NULL);
    command_line(command, "diff s:seq1 :seq3 --json");
    assert_contains(command->out, "\"differs\":[\"sequence\"]}");
    char data[2048] = "{\"version\":1,\"sequenceId\":\"q\",\"updatedAt\":1,\"steps\":[\"0\"";
    for (int i = 1; i < 15; i++) {
        snprintf(data + strlen(data), sizeof(data) - strlen(data), ",\"step %d\"", i);
    }
    strcat(data, "]}");
    command_run(command, "append", "s", "--kind", "custom:sequence", "--id", "seq4", "--parent", "root", "--data", data,
                NULL);
    command_line(command, "diff s:seq1 :seq4");
    assert_contains(command->out, "> 10. step 9\n          > \u2026 and 5 more (--json lists all)\n");
}

/* --- What is compared --------------------------------------------------------------------------------------------- */

static void ends(struct command *command, const char *a, const char *b, const char *first, const char *second)
{
    char wanted[512];

    command_run(command, "diff", a, b, NULL);
    assert_true(command->code == 0 || command->code == 1);
    snprintf(wanted, sizeof(wanted), "< %s  depth ", first);
    assert_contains(command->out, wanted);
    snprintf(wanted, sizeof(wanted), "\n> %s  depth ", second);
    assert_contains(command->out, wanted);
}

WITH_SCENARIO(ends_are_named_in_many_ways)
{
    struct command *command = *state;

    ends(command, SCENARIO_ID, ":@~1", SCENARIO_ID ":32512cc7", SCENARIO_ID ":e37e3f3d");
    ends(command, "01a1f9f7-22cb", "01a1f9f7-22cb:after-block", SCENARIO_ID ":32512cc7", SCENARIO_ID ":6f7578e6");
    ends(command, "after-block", "e37e3f3d", SCENARIO_ID ":6f7578e6", SCENARIO_ID ":e37e3f3d");
}

WITH_SCENARIO(ids_may_contain_colons)
{
    struct command *command = *state;

    import_copy(command, 1 + 6);
    command_line(command, "append copy --create --kind note --id of:it");
    ends(command, COPY_ID, COPY_ID ":@~1", COPY_ID ":8d16e680", COPY_ID ":15efa3b4");
    ends(command, "copy", "copy:of:it", "copy:of:it", "copy:of:it");
    ends(command, "of:it", COPY_ID ":@", "copy:of:it", COPY_ID ":8d16e680");
    command_line(command, "append copy:of --create --kind note --id it");
    ends(command, "copy:of:it", "copy:of", "copy:of:it", "copy:of:it"); /* the longer id wins */
    command_line(command, "diff copy:of :it --json");
    assert_contains(command->out, "\"session\":\"copy:of\",\"entry\":\"it\"");
}

WITH_SCENARIO(an_entry_of_its_own_must_be_the_only_one)
{
    struct command *command = *state;

    import_copy(command, 1 + 11);
    command_line(command, "diff " SCENARIO_ID " 8d16e680");
    assert_error(command, 4,
                 "'8d16e680' is ambiguous: 2 entries have that id or label: " SCENARIO_ID ":8d16e680, " COPY_ID
                 ":8d16e680");
    command_line(command, "clone " SCENARIO_ID " --id twin");
    ends(command, "32512cc7", "32512cc7", SCENARIO_ID ":32512cc7", SCENARIO_ID ":32512cc7"); /* one, of two sessions */
    command_line(command, "delete " SCENARIO_ID " --yes");
    ends(command, "32512cc7", "twin:@~1", "twin:32512cc7", "twin:e37e3f3d");
}

WITH_SCENARIO(what_is_nothing_is_said)
{
    static const struct {
        const char *a;
        const char *b;
        const char *error;
    } cases[] = {
        {"nothing", "x", "there is no session 'nothing', and no entry with that id or label"},
        {"01a1f9f7-22cc", "x", "no entry with that id or label; did you mean 01a1f9f7-22cb"},
        {"@~2", "x", "write SESSION:@"},
        {":@", "x", "there is no session ':@'"},
        {SCENARIO_ID, ":zzzz", "there is no entry 'zzzz'"},
        {SCENARIO_ID ":zzzz", "x", "there is no entry 'zzzz'"},
        {"01a1f9f7:zzzz", "x", "there is no entry 'zzzz'"},
        {"", "x", "there is no session ''"},
    };
    struct command *command = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        command_run(command, "diff", cases[i].a, cases[i].b, NULL);
        assert_error(command, 3, cases[i].error);
    }
    command_line(command, "diff " SCENARIO_ID);
    assert_exit(command, 2);
}

/* What is named may be a label of any session; those that have none are not read for it, as their damage shows. */
TEST_WITH(sessions_without_labels_are_not_read_for_them, command_set_up_scenario, command_tear_down)
{
    struct command *command = *state;
    char path[256];
    size_t bytes = 0;

    command_line(command, "append other --create --kind note --id root");
    command_line(command, "append other --kind note --id victim-entry");
    command_line(command, "append other --kind note --id last-one");
    assert_exit(command, 0);
    command_path(path, command, "store/data.mdb");
    char *data = command_read_file(path, &bytes);
    for (char *at = data; (at = memmem(at, bytes - (size_t)(at - data), "victim-entry", 12)) != NULL;) {
        at[6] ^= 1;
    }
    command_write_file(path, data, bytes);
    free(data);
    command_line(command, "diff after-block " SCENARIO_ID);
    assert_exit(command, 1);
    command_line(command, "diff no-such-label " SCENARIO_ID);
    assert_error(command, 3, "there is no session 'no-such-label'");
}
