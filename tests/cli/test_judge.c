/* What a policy answers to a command: for people, explained, for programs, and line by line. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#define WITH_EMPTY(test) TEST_WITH(test, command_set_up_empty, command_tear_down)

WITH_EMPTY(each_verdict_has_an_exit_code)
{
    static const char *const policies[] = {"readonly", "strict", "confirm"};
    static const char *const refusals[] = {"deny: ", "ask: ", "ask: "};
    static const int codes[] = {1, 8, 8};
    struct command *command = *state;

    for (size_t i = 0; i < 3; i++) {
        command_run(command, "judge", "--policy", policies[i], "ls -la", NULL);
        assert_exit(command, 0);
        assert_string_equal(command->out, "allow: nothing in it is refused (allowed)\n");
        command_run(command, "judge", "-p", policies[i], "rm -rf x", NULL);
        assert_exit(command, codes[i]);
        assert_int_equal(strncmp(command->out, refusals[i], strlen(refusals[i])), 0);
        assert_string_equal(command->err, "");
    }
}

WITH_EMPTY(the_policy_is_readonly_if_none_is_named)
{
    struct command *command = *state;

    command_run(command, "judge", "rm x", NULL);
    assert_exit(command, 1);
    assert_int_equal(strncmp(command->out, "deny: ", 6), 0);
}

WITH_EMPTY(an_empty_command_is_allowed)
{
    struct command *command = *state;

    command_run(command, "judge", "", NULL);
    assert_exit(command, 0);
    command_run(command, "judge", "--explain", "", NULL);
    assert_exit(command, 0);
    assert_string_equal(command->out, "allow: nothing in it is refused (allowed)\n");
}

WITH_EMPTY(a_command_may_begin_like_an_option_or_come_from_standard_input)
{
    struct command *command = *state;

    command_run(command, "judge", "--", "--help", NULL);
    assert_int_not_equal(command->code, 2);
    command->input = "ls\nrm x\n";
    command_run(command, "judge", "-", NULL);
    assert_exit(command, 1);
    command->input = "ls\n# rm\n";
    command_run(command, "judge", "-", NULL);
    assert_exit(command, 0);
}

WITH_EMPTY(a_command_that_is_too_long_is_not_understood)
{
    struct command *command = *state;
    size_t bytes = XYLEM_COMMAND_BYTES_MAX + 100000u;
    char *input = malloc(bytes + 1);

    assert_non_null(input);
    memset(input, ' ', bytes);
    memcpy(input, "ls", 2);
    input[bytes] = '\0';
    command->input = input;
    command_run(command, "judge", "-p", "strict", "-", NULL);
    assert_exit(command, 8);
    assert_contains(command->out, "not-understood");
    free(input);
}

WITH_EMPTY(a_wrong_command_line_ends_with_two)
{
    struct command *command = *state;

    command_run(command, "judge", NULL);
    assert_error(command, 2, "an argument is missing: xylem judge COMMAND");
    command_run(command, "judge", "ls", "-la", NULL);
    assert_error(command, 2, "there is no option -l");
    command_run(command, "judge", "ls", "x", NULL);
    assert_error(command, 2, "unexpected argument 'x'");
    command_run(command, "judge", "--policy", "lax", "ls", NULL);
    assert_error(command, 2, "--policy takes readonly, strict or confirm, not 'lax'");
    command_run(command, "judge", "--cwd", "src", "ls", NULL);
    assert_error(command, 2, "--cwd takes an absolute path, not 'src'");
    command_run(command, "judge", "--jsonl", "ls", NULL);
    assert_error(command, 2, "expected no COMMAND");
    command_run(command, "judge", "--jsonl", "--json", NULL);
    assert_error(command, 2, "--jsonl and --json cannot be combined");
    command_run(command, "judge", "--jsonl", "--explain", NULL);
    assert_error(command, 2, "--jsonl and --explain cannot be combined");
    command_run(command, "judge", "--json", "--explain", "ls", NULL);
    assert_error(command, 2, "--json and --explain cannot be combined");
}

WITH_EMPTY(a_configuration_is_read_and_what_is_wrong_with_it_said)
{
    struct command *command = *state;
    char path[256];

    command_path(path, command, "policy.json");
    command_write_file(path, "{\"allowed_commands\":[\"mytool\"]}", 31);
    command_run(command, "judge", "-p", "strict", "--config", path, "mytool", NULL);
    assert_exit(command, 0);
    command_run(command, "judge", "-p", "strict", "--config", path, "ls", NULL);
    assert_exit(command, 8);
    command_run(command, "judge", "--config", path, "ls", NULL);
    assert_error(command, 2,
                 "policy.json: allowed_commands and similar options belong to the policy 'strict', not to 'readonly'");
    command_write_file(path, "{\"allowed_commands\":[7]}", 24);
    command_run(command, "judge", "-p", "strict", "--config", path, "ls", NULL);
    assert_error(command, 2, "policy.json: allowed_commands[0]: expected a string, found a number");
    command_write_file(path, "", 0);
    command_run(command, "judge", "-p", "strict", "--config", path, "ls", NULL);
    assert_error(command, 2, "found an empty file");
    command_path(path, command, "nowhere");
    command_run(command, "judge", "--config", path, "ls", NULL);
    assert_error(command, 3, "nowhere cannot be read: No such file or directory");
    command_run(command, "judge", "--config", command->directory, "ls", NULL);
    assert_error(command, 6, "cannot be read: Is a directory");
}

WITH_EMPTY(one_document_says_all_of_it)
{
    static const char expected[] =
        "{\"schema\":1,\"policy\":\"strict\",\"verdict\":\"allow\",\"rule\":\"allowed\","
        "\"reason\":\"nothing in it is refused\",\"offset\":0,\"bytes\":0,\"judged\":[{\"name\":\"ls\","
        "\"verdict\":\"allow\",\"rule\":\"allowed\",\"offset\":0,\"bytes\":4,\"depth\":0},{\"name\":\"git\","
        "\"verdict\":\"allow\",\"rule\":\"allowed\",\"offset\":6,\"bytes\":10,\"depth\":0}],"
        "\"git_directories\":[\"/src\"],\"git_directory_unknown\":false}\n";
    struct command *command = *state;

    command_run(command, "judge", "-p", "strict", "--cwd", "/src", "--json", "ls x; git status", NULL);
    assert_exit(command, 0);
    assert_string_equal(command->out, expected);
    command_run(command, "judge", "--json", "ls; rm x", NULL);
    assert_exit(command, 1);
    assert_contains(command->out, "\"policy\":\"readonly\",\"verdict\":\"deny\",");
    assert_contains(command->out, "\"offset\":4,\"bytes\":");
}

WITH_EMPTY(each_line_is_answered_in_order)
{
    struct command *command = *state;

    command->input =
        "{\"command\":\"ls\"}\n{\"command\":\"rm x\"}\nbroken\n\n{\"command\":7}\n{\"cwd\":\"x\",\"command\":"
        "\"ls\"}\n{\"command\":\"ls\",\"cwd\":\"/\"}";
    command_run(command, "judge", "--policy", "readonly", "--jsonl", NULL);
    assert_exit(command, 0);
    char *line = command->out;
    static const char *const begins[] = {"{\"verdict\":\"allow\"", "{\"verdict\":\"deny\"", "{\"verdict\":\"deny\"",
                                         "{\"verdict\":\"deny\"",  "{\"verdict\":\"deny\"", "{\"verdict\":\"deny\"",
                                         "{\"verdict\":\"allow\""};
    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
        char *end = strchr(line, '\n');
        assert_non_null(end);
        *end = '\0';
        assert_int_equal(strncmp(line, begins[i], strlen(begins[i])), 0);
        assert_int_equal(strstr(line, "\"rule\":\"input\"") != NULL, i >= 2 && i <= 5);
        line = end + 1;
    }
    assert_string_equal(line, "");
    command->input = "";
    command_run(command, "judge", "--jsonl", NULL);
    assert_exit(command, 0);
    assert_string_equal(command->out, "");
}

WITH_EMPTY(a_line_that_is_too_long_is_answered_and_the_next_one_too)
{
    struct command *command = *state;
    size_t bytes = XYLEM_HOOK_BYTES_MAX + 5000u;
    char *input = malloc(bytes + 64);

    assert_non_null(input);
    memset(input, ' ', bytes);
    memcpy(input, "{\"command\":\"ls\"}", 16);
    strcpy(input + bytes, "\n{\"command\":\"ls\"}\n");
    command->input = input;
    command_run(command, "judge", "-p", "confirm", "--jsonl", NULL);
    assert_exit(command, 0);
    assert_string_equal(command->out,
                        "{\"verdict\":\"ask\",\"reason\":\"the line is refused: it is longer than 1 MiB\",\"rule\":"
                        "\"input\"}\n{\"verdict\":\"allow\",\"reason\":\"nothing in it is refused\","
                        "\"rule\":\"allowed\"}\n");
    free(input);
}

/* A host waits for the answer before it asks again. */
WITH_EMPTY(an_answer_does_not_wait_for_the_next_line)
{
    struct command *command = *state;
    char *words[] = {(char *)command_program(), (char *)"judge", (char *)"--jsonl", NULL};
    char answer[256] = "";
    int to[2];
    int from[2];

    (void)command;
    assert_int_equal(pipe(to), 0);
    assert_int_equal(pipe(from), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        close(to[1]);
        close(from[0]);
        execv(words[0], words);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(write(to[1], "{\"command\":\"ls\"}\n", 17), 17);
        ssize_t count = read(from[0], answer, sizeof(answer) - 1);
        assert_true(count > 0);
        answer[count] = '\0';
        assert_int_equal(strncmp(answer, "{\"verdict\":\"allow\"", 18), 0);
        assert_int_equal(answer[count - 1], '\n');
    }
    close(to[1]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(from[0]);
}

/* What `--explain` shows of the command, up to the list of what was found. */
static void assert_shown(struct command *command, const char *columns, const char *text, const char *expected)
{
    if (columns != NULL) {
        setenv("COMMAND_COLUMNS", columns, 1);
    }
    command_run(command, "judge", "-p", "strict", "--explain", text, NULL);
    unsetenv("COMMAND_COLUMNS");
    const char *from = strstr(command->out, "\n\n");
    assert_non_null(from);
    const char *to = strstr(from + 2, "\n\n");
    size_t bytes = to == NULL ? strlen(from + 2) : (size_t)(to + 1 - (from + 2));
    if (bytes != strlen(expected) || memcmp(from + 2, expected, bytes) != 0) {
        print_message("%s", command->out);
    }
    assert_int_equal(bytes, strlen(expected));
    assert_memory_equal(from + 2, expected, bytes);
}

WITH_EMPTY(what_decided_is_underlined)
{
    struct command *command = *state;

    assert_shown(command, NULL, "ls && nosuch x && ls",
                 "  ls && nosuch x && ls\n"
                 "        ^^^^^^\n");
    assert_shown(command, NULL, "ls", "  ls\n");
    assert_shown(command, NULL, "ls \\\n\tx\nls\tx > y",
                 "  ls \\\n  \\tx\n  ls\\tx > y\n"
                 "        ^^^\n");
    assert_shown(command, NULL, "ls a > 'x\n  b'\nls",
                 "  ls a > 'x\n"
                 "       ^^^^\n"
                 "    b'\n"
                 "  ^^^^\n"
                 "  ls\n");
    assert_shown(command, NULL, "ls \xe6\x97\xa5\xe6\x9c\xac > \xe6\x97\xa5",
                 "  ls \xe6\x97\xa5\xe6\x9c\xac > \xe6\x97\xa5\n"
                 "          ^^^^\n");
}

WITH_EMPTY(a_long_line_is_wrapped_on_a_terminal)
{
    struct command *command = *state;

    assert_shown(command, "22", "ls aaaaaaaaaaaaaaaaaaaaaaa; ls >bbbbbbbbbbbbbb",
                 "  ls aaaaaaaaaaaaaaaaa\n"
                 "  aaaaaa; ls >bbbbbbbb\n"
                 "             ^^^^^^^^^\n"
                 "  bbbbbb\n"
                 "  ^^^^^^\n");
}

WITH_EMPTY(of_a_long_command_only_what_lies_around_is_shown)
{
    struct command *command = *state;

    assert_shown(command, NULL, "ls 1\nls 2\nls 3\nls 4\nnosuch\nls 6\nls 7\nls 8\nls 9",
                 "  ...\n  ls 3\n  ls 4\n  nosuch\n  ^^^^^^\n  ls 6\n  ls 7\n  ...\n");
}

WITH_EMPTY(what_was_found_is_listed_with_its_rule)
{
    struct command *command = *state;

    command_run(command, "judge", "-p", "strict", "-e", "ls $(nosuch x)", NULL);
    assert_exit(command, 8);
    assert_contains(command->out, "\n  ask      nosuch x");
    assert_contains(command->out, "  program\n");
    command_run(command, "judge", "-p", "strict", "-e", "--cwd", "/src", "git log", NULL);
    assert_exit(command, 0);
    assert_contains(command->out, "\ngit would run in /src\n");
    command_run(command, "judge", "-p", "strict", "-e", "cd \"$x\" && git log", NULL);
    assert_contains(command->out, "git would run in a directory that is not known\n");
}

static void assert_list(struct command *command, const char *columns, const char *text, const char *expected)
{
    if (columns != NULL) {
        setenv("COMMAND_COLUMNS", columns, 1);
    }
    command_run(command, "judge", "-p", "strict", "--explain", text, NULL);
    unsetenv("COMMAND_COLUMNS");
    const char *from = strstr(command->out, "\n\n");
    from = from == NULL ? NULL : strstr(from + 2, "\n\n");
    assert_non_null(from);
    assert_string_equal(from + 2, expected);
}

WITH_EMPTY(what_decided_is_listed_also_where_it_is_no_command)
{
    struct command *command = *state;

    assert_list(command, NULL, "> file", "  ask    > file            redirection\n");
    assert_list(command, NULL, "ls; f() { pwd; }; ls",
                "  allow  ls                allowed\n"
                "  ask    f() { pwd; }      function\n"
                "  allow      pwd           allowed\n"
                "  allow  ls                allowed\n");
    assert_list(command, NULL, "ls\nif",
                "  allow  ls                allowed\n"
                "  ask    if                not-understood\n");
    assert_list(command, NULL, "ls > file", "  ask    ls > file         redirection\n");
    assert_list(command, NULL, "PATH=/x ls", "  ask    PATH=/x ls        environment\n");
}

WITH_EMPTY(commands_in_the_code_of_a_word_are_told_apart_by_name)
{
    struct command *command = *state;

    assert_list(command, NULL, "sh -c 'ls; pwd'",
                "  ask    sh -c 'ls; pwd'     interpreter\n"
                "  allow    ls in 'ls; pwd'   allowed\n"
                "  allow    pwd in 'ls; pwd'  allowed\n");
    assert_list(command, NULL, "sh -c 'pwd'",
                "  ask    sh -c 'pwd'       interpreter\n"
                "  allow    'pwd'           allowed\n");
}

WITH_EMPTY(the_list_takes_the_room_that_the_rules_leave)
{
    struct command *command = *state;

    assert_list(command, "40", "ls aaaaaaaaa bbbbbbbbb ccccccccc; ls",
                "  allow  ls aaaaaaaaa bbbbbbbb\xe2\x80\xa6  allowed\n"
                "  allow  ls                      allowed\n");
    assert_list(command, "52", "ls aaaaaaaaa bbbbbbbbb ccccccccc; ls",
                "  allow  ls aaaaaaaaa bbbbbbbbb ccccccccc  allowed\n"
                "  allow  ls                                allowed\n");
}
