/* The command from end to end: what one command writes, the next one reads. */
#include "tests/cli/command.h"

/* Runs a line that must end well; gives standard output without its newline. */
static const char *done(struct command *command, const char *line)
{
    command_line(command, line);
    assert_exit(command, 0);
    size_t length = strlen(command->out);
    if (length > 0 && command->out[length - 1] == '\n') {
        command->out[length - 1] = '\0';
    }
    return command->out;
}

static void a_session_grows_forks_and_comes_back(void **state)
{
    struct command *command = *state;

    assert_string_equal(done(command, "append s --create --kind message --id e1 --data {\"role\":\"user\"}"), "e1");
    assert_string_equal(done(command, "append s --kind custom:readonly --id e2 --data {\"enabled\":true}"), "e2");
    assert_string_equal(done(command, "append s --kind note --id e3"), "e3");
    assert_string_equal(done(command, "fork s e2 --id f"), "f");
    done(command, "append f --kind custom:readonly --data {\"enabled\":false} --id own");
    assert_contains(done(command, "state f --json"),
                    "\"readonly\":{\"enabled\":false,\"from\":\"path\",\"entry\":\"own\"}");
    assert_contains(done(command, "state s --json"),
                    "\"readonly\":{\"enabled\":true,\"from\":\"path\",\"entry\":\"e2\"}");
    done(command, "log s");
    assert_null(strstr(command->out, "own"));
    done(command, "log f");
    assert_null(strstr(command->out, "e3"));
    done(command, "append s --kind note --id own"); /* the same new id on both sides */
    assert_string_equal(done(command, "navigate s e1 --reason back"), "leaf: own -> e1");
    assert_contains(done(command, "state s --json"),
                    "\"readonly\":{\"enabled\":false,\"from\":\"default\",\"entry\":null}");
    assert_string_equal(done(command, "append s --kind note --id side"), "side");
    assert_contains(done(command, "branches s --jsonl"), "\"tip\":\"own\"");
    assert_contains(command->out, "\"tip\":\"side\"");
    assert_contains(done(command, "delete s --yes"), "deleted session s");
    done(command, "log f -n 9");
    assert_contains(command->out, "e1");
    assert_contains(command->out, "e2");
}

static void a_fork_before_an_entry_and_before_a_root(void **state)
{
    struct command *command = *state;

    done(command, "append s --create --kind note --id e1");
    done(command, "append s --kind note --id e2");
    assert_contains(done(command, "fork s e2 --before --id f --json"),
                    "{\"schema\":1,\"session\":\"f\",\"source\":\"s\",\"base\":\"e1\",\"depth\":1,");
    assert_contains(done(command, "fork s e1 --before --id g --json"), "\"base\":null,\"depth\":0,");
    assert_string_equal(done(command, "log g"), "");
    assert_contains(done(command, "clone g --id h --json"), "\"base\":null,\"depth\":0,");
    assert_contains(done(command, "clone s --json"), "\"base\":\"e2\",\"depth\":2,");
}

static void labels_that_a_fork_lacks_are_counted_and_appended_on_request(void **state)
{
    struct command *command = *state;

    done(command, "append s --create --kind note --id e1");
    done(command, "append s --kind note --id e2");
    done(command, "append s --kind label --data {\"targetId\":\"e1\",\"label\":\"here\"}");
    done(command, "fork s e2 --id f");
    assert_contains(command->err, "1 label of the source lies outside of the shared path and was left behind");
    assert_contains(done(command, "fork s e2 --json"), "\"labels_appended\":0,\"labels_missing\":1}");
    assert_contains(done(command, "fork s e2 --labels --json --id g"), "\"labels_appended\":1,\"labels_missing\":0}");
    assert_contains(done(command, "show g e1"), "label     here");
    done(command, "clone s --id h");
    assert_string_equal(command->err, "");
    assert_contains(done(command, "show h e1 --json"), "\"label\":\"here\"");
}

static void a_label_that_changed_or_went_off_the_path_counts_as_lacking(void **state)
{
    struct command *command = *state;

    done(command, "append s --create --kind note --id e1");
    done(command, "append s --kind note --id e2");
    done(command, "append s --kind label --data {\"targetId\":\"e1\",\"label\":\"old\"}");
    done(command, "append s --kind label --data {\"targetId\":\"e2\",\"label\":\"gone\"} --id base");
    done(command, "append s --kind label --data {\"targetId\":\"e1\",\"label\":\"new\"}");
    done(command, "append s --kind label --data {\"targetId\":\"e2\"}");
    assert_contains(done(command, "fork s base --json --id f"), "\"labels_appended\":0,\"labels_missing\":2}");
    assert_contains(done(command, "show f e1"), "label     old");
    assert_contains(done(command, "fork s base --labels --json --id g"), "\"labels_appended\":2,\"labels_missing\":0}");
    assert_contains(done(command, "show g e1"), "label     new");
    assert_contains(done(command, "show g e2 --json"), "\"label\":null");
}

static void a_place_where_the_leaf_was_has_a_name(void **state)
{
    static const struct {
        const char *spec;
        const char *id;
    } cases[] = {{"@{0}", "e3"}, {"@{1}", "e1"}, {"@{2}", "e2"}, {"@{2}~1", "e1"}, {"@{1}~0", "e1"}};
    static const struct {
        const char *spec;
        const char *part;
    } errors[] = {{"@{3}", "the session's leaf was none then: '@{3}' is no entry"},
                  {"@{4}", "there is no entry '@{4}': the leaf was moved 3 times"},
                  {"@{x}", "there is no entry '@{x}'"},
                  {"@{18446744073709551616}", "there is no entry '@{18446744073709551616}'"},
                  {"@{1}~1", "there is no entry '@{1}~1': '@{1}' has depth 1"}};
    struct command *command = *state;
    char line[256];
    char wanted[64];

    done(command, "append s --create --kind note --id e1");
    done(command, "navigate s none");
    assert_string_equal(done(command, "navigate s @{1}"), "leaf: none -> e1");
    done(command, "fork s e1 --before --id f"); /* a fork has no navigations of its own */
    command_line(command, "show f @{1}");
    assert_error(command, 3, "there is no entry '@{1}': the leaf was moved 0 times");
    done(command, "navigate f none");
    done(command, "append f --kind note --id e1");
    done(command, "append f --kind note --id e2");
    done(command, "navigate f e1");
    done(command, "navigate f @{0}");
    done(command, "append f --kind note --id e3");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        snprintf(line, sizeof(line), "show f %s --json", cases[i].spec);
        snprintf(wanted, sizeof(wanted), "\"id\":\"%s\"", cases[i].id);
        assert_contains(done(command, line), wanted);
    }
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        snprintf(line, sizeof(line), "show f %s", errors[i].spec);
        command_line(command, line);
        assert_error(command, 3, errors[i].part);
    }
}

static void entries_are_named_by_id_by_its_beginning_and_from_the_leaf(void **state)
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

    done(command, "append s --create --kind note --id entry-one");
    done(command, "append s --kind note --id a~1");
    done(command, "append s --kind note --id entry-two --parent entry-one");
    done(command, "append s --kind note --id entry-three");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        snprintf(line, sizeof(line), "show s %s --json", cases[i].spec);
        snprintf(wanted, sizeof(wanted), "\"id\":\"%s\"", cases[i].id);
        assert_contains(done(command, line), wanted);
    }
}

static void append_puts_entries_where_it_is_told(void **state)
{
    struct command *command = *state;

    done(command, "append s --create --kind note --id root");
    done(command, "append s --kind note --id second --expect root");
    done(command, "append s --kind note --id other-root --parent none --expect second");
    assert_contains(done(command, "show s other-root --json"), "\"parent\":null");
    done(command, "append s --kind note --id sibling --parent root");
    assert_contains(done(command, "show s sibling --json"), "\"parent\":\"root\"");
    assert_int_equal(strlen(done(command, "append s --kind note")), 36); /* an id is made */
    command->input = "{\"from\": \"standard input\"}";
    done(command, "append s --kind message --id piped --data -");
    assert_string_equal(done(command, "show s piped --raw"), "{\"from\": \"standard input\"}");
    assert_contains(done(command, "show s piped --json"), "\"payload\":{\"from\":\"standard input\"}");
    assert_contains(done(command, "show s root --json"), "\"format\":\"none\",\"payload_bytes\":0,\"payload\":null");
}

static void create_does_not_take_a_beginning_for_a_session(void **state)
{
    struct command *command = *state;

    done(command, "append session-one --create --kind note");
    done(command, "append session --create --kind note");
    command_line(command, "sessions --jsonl");
    assert_contains(command->out, "\"id\":\"session\"");
    assert_contains(command->out, "\"id\":\"session-one\"");
}

static void a_file_that_is_imported_is_exported_byte_for_byte(void **state)
{
    static const char *const files[] = {SCENARIO, SESSIONS "specials/damaged-middle-line.jsonl",
                                        SESSIONS "specials/multi-root.jsonl"};
    struct command *command = *state;
    char target[256];

    command_path(target, command, "exported.jsonl");
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        size_t bytes = 0;
        size_t exported_bytes = 0;
        command_run(command, "import", "--json", files[i], NULL);
        char *id = strstr(command->out, "\"session\":\"");
        assert_non_null(id);
        id = strdup(id + 11);
        *strchr(id, '"') = '\0';
        assert_int_equal(command_run(command, "export", id, "--with-quarantine", "-o", target, NULL), 0);
        assert_string_equal(command->out, "");
        char *original = command_read_file(files[i], &bytes);
        char *exported = command_read_file(target, &exported_bytes);
        assert_int_equal(exported_bytes, bytes);
        assert_memory_equal(exported, original, bytes);
        assert_int_equal(command_run(command, "export", id, "--with-quarantine", NULL), 0);
        assert_string_equal(command->out, original);
        free(original);
        free(exported);
        free(id);
    }
}

static void an_exported_file_replaces_another_whole(void **state)
{
    struct command *command = *state;
    char target[256];
    char link[256];
    struct stat status;

    command_path(target, command, "target");
    command_path(link, command, "link");
    command_write_file(target, "before", 6);
    assert_int_equal(chmod(target, 0644), 0);
    assert_int_equal(symlink("target", link), 0);
    done(command, "append s --create --kind note --id e1");
    assert_int_equal(command_run(command, "export", "s", "-o", link, NULL), 0);
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(target, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    char *text = command_read_file(target, NULL);
    assert_contains(text, "\"type\":\"note\",\"id\":\"e1\"");
    free(text);
    command_run(command, "export", "s", "-o", command->directory, NULL);
    assert_error(command, 6, "Is a directory");
}

static void importing_again_changes_nothing(void **state)
{
    struct command *command = *state;

    done(command, "import " SCENARIO);
    assert_contains(command->out, "1 file: 1 new; 31 entries added");
    done(command, "import " SCENARIO);
    assert_contains(command->out, "1 file: 1 unchanged; 0 entries added");
    assert_string_equal(done(command, "import --quiet " SCENARIO), "1 file: 1 unchanged; 0 entries added, 0 lines put "
                                                                   "into quarantine, 0 problems");
    done(command, "delete " SCENARIO_ID " --yes");
    done(command, "import " SCENARIO);
    assert_contains(command->out, "its session is deleted");
}

static void directories_are_imported_whole_and_sorted(void **state)
{
    struct command *command = *state;

    command_line(command, "import " SESSIONS);
    assert_exit(command, 1); /* some of the files are damaged */
    const char *first = strstr(command->out, "print-and-json");
    const char *last = strstr(command->out, "tui-reload-abort");
    assert_non_null(first);
    assert_true(last > first);
    assert_contains(command->err, "damaged-torn-tail.jsonl:17: byte 3275: torn: the last line has no end");
    assert_contains(done(command, "verify"), "no problems: ");
}

static void every_entry_has_its_state(void **state)
{
    struct command *command = *state;
    size_t lines = 0;

    done(command, "import " SCENARIO);
    done(command, "state " SCENARIO_ID " --every --jsonl");
    for (char *line = strtok(command->out, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        assert_int_equal(strncmp(line, "{\"schema\":1,\"session\":\"" SCENARIO_ID "\",\"at\":{\"entry\":\"", 70), 0);
        lines++;
    }
    assert_int_equal(lines, 31);
}

static void events_and_flags_reach_the_reducers(void **state)
{
    static const struct {
        const char *options;
        const char *part;
    } cases[] = {
        {"", "\"readonly\":{\"enabled\":false,\"from\":\"path\",\"entry\":\"off\"}"},
        {"--flag-readonly", "\"readonly\":{\"enabled\":true,\"from\":\"flag\",\"entry\":null}"},
        {"--flag-readonly --flag-fallback", "\"readonly\":{\"enabled\":false,\"from\":\"path\",\"entry\":\"off\"}"},
        {"--flag-readonly --event session_tree",
         "\"readonly\":{\"enabled\":false,\"from\":\"path\",\"entry\":\"off\"}"},
        {"--reason new", "\"readonly\":{\"enabled\":false,\"from\":\"default\",\"entry\":null}"},
        {"--at on", "\"readonly\":{\"enabled\":true,\"from\":\"path\",\"entry\":\"on\"}"},
        {"--at none", "\"at\":{\"entry\":null,\"depth\":0}"},
        {"", "\"nudge\":{\"due\":true,\"direction\":\"off\",\"why\":\"not-told\",\"told\":null}"},
        {"--event session_tree --previous-readonly on",
         "\"nudge\":{\"due\":true,\"direction\":\"off\",\"why\":\"not-told\",\"told\":null}"},
        {"", "\"skipped\":[{\"entry\":\"bad\",\"kind\":\"custom:readonly\",\"reason\":\""},
    };
    struct command *command = *state;
    char line[160];

    done(command, "append s --create --kind custom:readonly --id on --data {\"enabled\":true}");
    done(command, "append s --kind custom:readonly-nudge --data {\"direction\":\"on\"}");
    done(command, "append s --kind custom:readonly --id off --data {\"enabled\":false}");
    done(command, "append s --kind custom:readonly --id bad --data {\"enabled\":\"yes\"}");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        snprintf(line, sizeof(line), "state s --json %s", cases[i].options);
        assert_contains(done(command, line), cases[i].part);
    }
    assert_contains(done(command, "state s --explain"), "skipped    bad custom:readonly: ");
    assert_contains(done(command, "state s"), "readonly   off  decided by off");
}

static void two_writers_do_not_lose_entries(void **state)
{
    enum { WRITERS = 4, EACH = 6 };
    struct command *command = *state;
    pid_t children[WRITERS];
    char line[256];

    done(command, "append s --create --kind note");
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
    assert_contains(done(command, "sessions --jsonl"), line);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, command_set_up, command_tear_down_verified)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_session_grows_forks_and_comes_back),
        TEST(a_fork_before_an_entry_and_before_a_root),
        TEST(labels_that_a_fork_lacks_are_counted_and_appended_on_request),
        TEST(a_label_that_changed_or_went_off_the_path_counts_as_lacking),
        TEST(a_place_where_the_leaf_was_has_a_name),
        TEST(entries_are_named_by_id_by_its_beginning_and_from_the_leaf),
        TEST(append_puts_entries_where_it_is_told),
        TEST(create_does_not_take_a_beginning_for_a_session),
        TEST(a_file_that_is_imported_is_exported_byte_for_byte),
        TEST(an_exported_file_replaces_another_whole),
        TEST(importing_again_changes_nothing),
        TEST(directories_are_imported_whole_and_sorted),
        TEST(every_entry_has_its_state),
        TEST(events_and_flags_reach_the_reducers),
        TEST(two_writers_do_not_lose_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
