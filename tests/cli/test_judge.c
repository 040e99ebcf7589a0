/* xylem judge as a process that answers line by line. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#define WITH_EMPTY(test) TEST_WITH(test, command_set_up_empty, command_tear_down)

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
        ssize_t count = read(from[0], answer, sizeof answer - 1);
        assert_true(count > 0);
        answer[count] = '\0';
        assert_int_equal(strncmp(answer, "{\"schema\":1,\"verdict\":\"allow\"", 29), 0);
        assert_int_equal(answer[count - 1], '\n');
    }
    close(to[1]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(from[0]);
}
