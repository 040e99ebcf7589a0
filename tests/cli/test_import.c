/* `xylem import` of forks and their sources. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#define FAMILY SESSIONS "rpc-scenario"
#define FORK SESSIONS "specials/fork-with-labels--fork.jsonl"
#define SOURCE SESSIONS "specials/fork-with-labels.jsonl"

#define IN_STORE(test) TEST_WITH(test, command_set_up, command_tear_down_verified)

IN_STORE(forks_share_with_their_sources)
{
    struct command *command = *state;

    command_line(command, "import " FAMILY);
    assert_exit(command, 0);
    assert_string_equal(command->err, "");
    command_expect(command, "import-family.txt");
    command_line(command, "import " FAMILY);
    assert_contains(command->out, "7 files: 7 unchanged; 0 entries added, 0 lines put");
}

IN_STORE(a_narrow_terminal_keeps_the_end_of_the_path)
{
    struct command *command = *state;

    setenv("COMMAND_COLUMNS", "80", 1);
    command_line(command, "import " FAMILY);
    unsetenv("COMMAND_COLUMNS");
    assert_exit(command, 0);
    command_expect(command, "import-family-80.txt");
}

IN_STORE(sharing_is_reported_as_json)
{
    struct command *command = *state;

    command_line(command, "import --json " FORK " " SOURCE); /* the source is imported first, whatever the order */
    assert_exit(command, 0);
    command_expect(command, "import-family.json");
}

IN_STORE(a_fork_without_its_source_says_so)
{
    struct command *command = *state;

    command_line(command, "import " FORK);
    assert_exit(command, 0);
    assert_contains(command->out, "a tree of its own: source 01a1fa04-89a2-7035-be02-03c84fb011b3 is not in the");
    command_line(command, "import " SOURCE);
    command_line(command, "delete --yes 01a1fa04-89a2");
    assert_exit(command, 0);
    command_line(command, "delete --yes 01a1fa04-89a3");
    assert_exit(command, 0);
    command->input = "{\"type\":\"session\",\"version\":3,\"id\":\"f1\",\"parentSession\":\"x_01a1fa04-89a2-7035-be02-"
                     "03c84fb011b3.jsonl\"}\n";
    char path[256];
    char line[300];
    command_path(path, command, "f1.jsonl");
    command_write_file(path, command->input, strlen(command->input));
    command->input = NULL;
    snprintf(line, sizeof(line), "import %s", path);
    command_line(command, line);
    assert_exit(command, 0);
    assert_contains(command->out, "a tree of its own: source 01a1fa04-89a2-7035-be02-03c84fb011b3 is deleted");
}

IN_STORE(a_source_with_a_hostile_id_is_shown_escaped)
{
    struct command *command = *state;
    static const char file[] =
        "{\"type\":\"session\",\"version\":3,\"id\":\"f1\",\"parentSession\":\"x_\\u001b[2J\\u202e\"}\n"
        "{\"type\":\"note\",\"id\":\"a\",\"parentId\":null}\n";
    char path[256];
    char line[300];
    char name[128] = "f";
    for (int i = 0; i < 30; i++) {
        strcat(name, "\303\251");
    }
    command_path(path, command, strcat(name, ".jsonl"));
    command_write_file(path, file, strlen(file));
    snprintf(line, sizeof(line), "import %s", path);
    setenv("COMMAND_COLUMNS", "60", 1); /* the path is cut in the middle of its letters */
    command_line(command, line);
    unsetenv("COMMAND_COLUMNS");
    assert_exit(command, 0);
    assert_contains(command->out, "\n    a tree of its own: source \\x1b[2J\\u202e is not in the store\n");
    assert_contains(command->out, "  \342\200\246\303\251");
    assert_null(strchr(command->out, '\033'));
}

IN_STORE(what_is_shared_can_be_stored_again)
{
    struct command *command = *state;

    command_line(command, "import --no-share " FORK " " SOURCE);
    assert_exit(command, 0);
    assert_null(strstr(command->out, "shared"));
    assert_contains(command->out, "2 files: 2 new; 16 entries added");
}

#define FILE_COUNT 60
#define PROCESS_COUNT 3

static void make_sessions(const char *directory)
{
    char path[300];
    char text[512];

    assert_int_equal(mkdir(directory, 0755), 0);
    for (int i = 0; i < FILE_COUNT; i++) {
        snprintf(path, sizeof(path), "%s/%d.jsonl", directory, i);
        int bytes = snprintf(text, sizeof(text),
                             "{\"type\":\"session\",\"version\":3,\"id\":\"s%d\"}\n"
                             "{\"type\":\"note\",\"id\":\"a\",\"parentId\":null}\n"
                             "{\"type\":\"note\",\"id\":\"b\",\"parentId\":\"a\"}\n",
                             i);
        command_write_file(path, text, (size_t)bytes);
    }
}

/* Each file is imported by one of them; the others find it imported, whoever was first. */
IN_STORE(imports_of_one_directory_at_once_all_succeed)
{
    struct command *command = *state;
    struct command *runs[PROCESS_COUNT];
    pid_t children[PROCESS_COUNT];
    char directory[256];
    const char *const words[] = {"import", "--json", directory};
    unsigned long added = 0;

    command_path(directory, command, "sessions");
    make_sessions(directory);
    for (int i = 0; i < PROCESS_COUNT; i++) {
        runs[i] = calloc(1, sizeof(*runs[i]));
        assert_non_null(runs[i]);
        snprintf(runs[i]->directory, sizeof(runs[i]->directory), "%.100s/%d", command->directory, i);
        assert_int_equal(mkdir(runs[i]->directory, 0700), 0);
        memcpy(runs[i]->store, command->store, sizeof(runs[i]->store));
        children[i] = command_start(runs[i], words, 3);
    }
    for (int i = 0; i < PROCESS_COUNT; i++) {
        command_end(runs[i], children[i]);
        assert_exit(runs[i], 0);
        assert_string_equal(runs[i]->err, "");
        const char *totals = strstr(runs[i]->out, "\"file_count\":60,");
        assert_non_null(totals);
        assert_contains(totals, "\"failed\":0,");
        added += strtoul(strstr(totals, "\"added\":") + strlen("\"added\":"), NULL, 10);
        free(runs[i]->out);
        free(runs[i]->err);
        free(runs[i]);
    }
    assert_int_equal(added, 2 * FILE_COUNT);
}

/* A change far before the end of a file that grew: only an import of the whole file tells. */
IN_STORE(the_whole_file_is_read_on_request)
{
    struct command *command = *state;
    char path[256];
    size_t bytes = 0;
    char *text = calloc(1000, 60);

    assert_non_null(text);
    bytes += (size_t)sprintf(text, "{\"type\":\"session\",\"version\":3,\"id\":\"s\"}\n");
    for (int i = 0; i < 999; i++) {
        bytes += (size_t)sprintf(text + bytes, "{\"type\":\"note\",\"id\":\"e%03d\",\"parentId\":null}\n", i);
    }
    command_path(path, command, "s.jsonl");
    command_write_file(path, text, bytes - 45); /* without the last line */
    command_run(command, "import", path, NULL);
    assert_exit(command, 0);
    *strstr(text, "note") = 'N';
    command_write_file(path, text, bytes);
    command_run(command, "import", path, NULL);
    assert_exit(command, 0);
    assert_int_equal(strncmp(command->out, "grew  ", 6), 0);
    command_run(command, "import", "--whole", path, NULL);
    assert_exit(command, 1);
    assert_int_equal(strncmp(command->out, "changed  ", 9), 0);
    assert_contains(command->err, ":2: byte");
    free(text);
}

IN_STORE(a_file_that_shrank_did_not_grow)
{
    static const char text[] = "{\"type\":\"session\",\"version\":3,\"id\":\"s\"}\n"
                               "{\"type\":\"note\",\"id\":\"a\",\"parentId\":null}\n"
                               "{\"type\":\"note\",\"id\":\"b\",\"parentId\":\"a\"}\n";
    struct command *command = *state;
    char path[256];
    size_t less = (size_t)(strstr(text, "{\"type\":\"note\",\"id\":\"b\"") - text);

    command_path(path, command, "s.jsonl");
    command_write_file(path, text, less);
    command_run(command, "import", path, NULL);
    assert_int_equal(strncmp(command->out, "new ", 4), 0);
    command_write_file(path, text, strlen(text));
    command_run(command, "import", path, NULL);
    assert_int_equal(strncmp(command->out, "grew  ", 6), 0);
    assert_contains(command->out, "1 file: 1 grew; 1 entry added");
    command_write_file(path, text, less);
    command_run(command, "import", path, NULL);
    assert_exit(command, 1); /* the line that is not there any more is a problem */
    assert_int_equal(strncmp(command->out, "changed  ", 9), 0);
    assert_contains(command->out, "1 file: 1 changed; 0 entries added");
}

TEST_WITH(importing_makes_the_store_where_there_is_none, command_set_up_empty, command_tear_down_verified)
{
    struct command *command = *state;

    command_line(command, "import /nowhere.jsonl");
    assert_error(command, 3, "xylem: import: /nowhere.jsonl: No such file or directory\n");
    command_line(command, "sessions");
    assert_error(command, 3, "there is no store in");
    command_line(command, "import " SOURCE);
    assert_exit(command, 0);
    assert_contains(command->err, "xylem: import: ");
    assert_contains(command->err, "/store is a new xylem store\n");
    command_line(command, "import " SOURCE);
    assert_exit(command, 0);
    assert_string_equal(command->err, "");
}
