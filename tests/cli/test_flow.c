/* The command from end to end: what one command writes, the next one reads. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#define IN_STORE(test) TEST_WITH(test, command_set_up, command_tear_down_verified)

IN_STORE(a_session_grows_forks_and_comes_back)
{
    struct command *command = *state;

    assert_string_equal(command_done(command, "append s --create --kind message --id e1 --data {\"role\":\"user\"}"),
                        "e1");
    assert_string_equal(command_done(command, "append s --kind custom:readonly --id e2 --data {\"enabled\":true}"),
                        "e2");
    assert_string_equal(command_done(command, "append s --kind note --id e3"), "e3");
    assert_string_equal(command_done(command, "fork s e2 --id f"), "f");
    command_done(command, "append f --kind custom:readonly --data {\"enabled\":false} --id own");
    assert_contains(command_done(command, "state f --json"),
                    "\"readonly\":{\"enabled\":false,\"from\":\"path\",\"entry\":\"own\"}");
    assert_contains(command_done(command, "state s --json"),
                    "\"readonly\":{\"enabled\":true,\"from\":\"path\",\"entry\":\"e2\"}");
    command_done(command, "log s");
    assert_null(strstr(command->out, "own"));
    command_done(command, "log f");
    assert_null(strstr(command->out, "e3"));
    command_done(command, "append s --kind note --id own"); /* the same new id on both sides */
    assert_string_equal(command_done(command, "navigate s e1 --reason back"), "leaf: own -> e1");
    assert_contains(command_done(command, "state s --json"),
                    "\"readonly\":{\"enabled\":false,\"from\":\"default\",\"entry\":null}");
    assert_string_equal(command_done(command, "append s --kind note --id side"), "side");
    assert_contains(command_done(command, "branches s --jsonl"), "\"tip\":\"own\"");
    assert_contains(command->out, "\"tip\":\"side\"");
    assert_contains(command_done(command, "delete s --yes"), "deleted session s");
    command_done(command, "log f -n 9");
    assert_contains(command->out, "e1");
    assert_contains(command->out, "e2");
}

IN_STORE(a_place_where_the_leaf_was_has_a_name)
{
    static const struct {
        const char *spec;
        const char *id;
    } cases[] = {{"@{0}", "e3"}, {"@{1}", "e1"}, {"@{2}", "e2"}, {"@{2}~1", "e1"}, {"@{1}~0", "e1"}};
    static const struct {
        const char *spec;
        const char *part;
    } errors[] = {{"@{3}", "'@{3}' names no entry: the session had no current entry at that time"},
                  {"@{4}", "there is no entry '@{4}': the session has 3 moves"},
                  {"@{x}", "there is no entry '@{x}'"},
                  {"@{18446744073709551616}", "there is no entry '@{18446744073709551616}'"},
                  {"@{1}~1", "there is no entry '@{1}~1': '@{1}' has depth 1"}};
    struct command *command = *state;
    char line[256];
    char wanted[64];

    command_done(command, "append s --create --kind note --id e1");
    command_done(command, "navigate s none");
    assert_string_equal(command_done(command, "navigate s @{1}"), "leaf: none -> e1");
    command_done(command, "fork s e1 --before --id f"); /* a fork has no navigations of its own */
    command_line(command, "show f @{1}");
    assert_error(command, 3, "there is no entry '@{1}': the session has 0 moves");
    command_done(command, "navigate f none");
    command_done(command, "append f --kind note --id e1");
    command_done(command, "append f --kind note --id e2");
    command_done(command, "navigate f e1");
    command_done(command, "navigate f @{0}");
    command_done(command, "append f --kind note --id e3");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        snprintf(line, sizeof(line), "show f %s --json", cases[i].spec);
        snprintf(wanted, sizeof(wanted), "\"id\":\"%s\"", cases[i].id);
        assert_contains(command_done(command, line), wanted);
    }
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        snprintf(line, sizeof(line), "show f %s", errors[i].spec);
        command_line(command, line);
        assert_error(command, 3, errors[i].part);
    }
}

IN_STORE(entries_are_named_by_id_by_its_beginning_and_from_the_leaf)
{
    static const struct {
        const char *spec;
        const char *id;
    } cases[] = {
        {"entry-one", "entry-one"}, {"entry-tw", "entry-two"},      {"@", "entry-three"},        {"@~0", "entry-three"},
        {"@~2", "entry-one"},       {"entry-three~1", "entry-two"}, {"entry-th~2", "entry-one"}, {"a~1", "a~1"},
        {"a~1~1", "entry-one"}};
    struct command *command = *state;
    char line[256];
    char wanted[64];

    command_done(command, "append s --create --kind note --id entry-one");
    command_done(command, "append s --kind note --id a~1");
    command_done(command, "append s --kind note --id entry-two --parent entry-one");
    command_done(command, "append s --kind note --id entry-three");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        snprintf(line, sizeof(line), "show s %s --json", cases[i].spec);
        snprintf(wanted, sizeof(wanted), "\"id\":\"%s\"", cases[i].id);
        assert_contains(command_done(command, line), wanted);
    }
}

IN_STORE(append_puts_entries_where_it_is_told)
{
    struct command *command = *state;

    command_done(command, "append s --create --kind note --id root");
    command_done(command, "append s --kind note --id second --expect root");
    command_done(command, "append s --kind note --id other-root --parent none --expect second");
    assert_contains(command_done(command, "show s other-root --json"), "\"parent\":null");
    command_done(command, "append s --kind note --id sibling --parent root");
    assert_contains(command_done(command, "show s sibling --json"), "\"parent\":\"root\"");
    assert_int_equal(strlen(command_done(command, "append s --kind note")), 36); /* an id is made */
    command->input = "{\"from\": \"standard input\"}";
    command_done(command, "append s --kind message --id piped --data -");
    assert_string_equal(command_done(command, "show s piped --raw"), "{\"from\": \"standard input\"}");
    assert_contains(command_done(command, "show s piped --json"), "\"payload\":{\"from\":\"standard input\"}");
    assert_contains(command_done(command, "show s root --json"),
                    "\"format\":\"none\",\"payload_bytes\":0,\"label\":null,\"payload\":null");
}

IN_STORE(create_does_not_take_a_beginning_for_a_session)
{
    struct command *command = *state;

    command_done(command, "append session-one --create --kind note");
    command_done(command, "append session --create --kind note");
    command_line(command, "sessions --jsonl");
    assert_contains(command->out, "\"id\":\"session\"");
    assert_contains(command->out, "\"id\":\"session-one\"");
}

IN_STORE(importing_again_changes_nothing)
{
    struct command *command = *state;

    command_done(command, "import " SCENARIO);
    assert_contains(command->out, "1 file: 1 new; 31 entries added");
    command_done(command, "import " SCENARIO);
    assert_contains(command->out, "1 file: 1 unchanged; 0 entries added");
    assert_string_equal(command_done(command, "import --quiet " SCENARIO),
                        "1 file: 1 unchanged; 0 entries added, 0 lines put "
                        "into quarantine, 0 problems");
    command_done(command, "delete " SCENARIO_ID " --yes");
    command_done(command, "import " SCENARIO);
    assert_contains(command->out, "its session is deleted");
}

IN_STORE(directories_are_imported_whole_and_sorted)
{
    struct command *command = *state;

    command_line(command, "import " SESSIONS);
    assert_exit(command, 1); /* some of the files are damaged */
    const char *first = strstr(command->out, "print-and-json");
    const char *last = strstr(command->out, "tui-reload-abort");
    assert_non_null(first);
    assert_true(last > first);
    assert_contains(command->out, "damaged-torn-tail.jsonl, 38 bytes of a last line that has no end yet");
    assert_contains(command_done(command, "verify"), "no problems: ");
}

IN_STORE(two_writers_do_not_lose_entries)
{
    enum { WRITERS = 4, EACH = 6 };
    struct command *command = *state;
    pid_t children[WRITERS];
    char line[256];

    command_done(command, "append s --create --kind note");
    for (int i = 0; i < WRITERS; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            for (int n = 0; n < EACH; n++) {
                int status = 0;
                pid_t child = command_start(command, (const char *const[]){"append", "s", "--kind", "note"}, 4);
                if (waitpid(child, &status, 0) != child || status != 0) {
                    _exit(1);
                }
            }
            _exit(0);
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        int status = 0;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    snprintf(line, sizeof(line), "\"depth\":%d,", WRITERS * EACH + 1);
    assert_contains(command_done(command, "sessions --jsonl"), line);
}
