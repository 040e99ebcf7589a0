/* `xylem append`: what becomes of standard input, and of kinds that are nearly those which state comes from. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#define IN_STORE(test) TEST_WITH(test, command_set_up, command_tear_down_verified)

IN_STORE(input_that_nobody_reads_is_refused)
{
    struct command *command = *state;

    command_must(command, "append s --create --kind note --id first");
    command->input = "{\"a\":1}\n";
    command_line(command, "append s --kind note --id second");
    assert_error(command, 2, "give --data - to take the payload from standard input");
    command->input = "";
    command_must(command, "append s --kind note --id third");
    command->input = "{\"a\":1}\n";
    command_must(command, "append s --kind note --id fourth --data -");
    command->input = "{\"a\":1}\n";
    command_must(command, "append s --kind note --id fifth --data 2");
    command_must(command, "log s --jsonl");
    assert_null(strstr(command->out, "second"));
    assert_contains(command->out, "\"id\":\"fourth\"");
    assert_contains(command->out, "\"payload\":{\"a\":1}");
    command->input = "1";
    command_line(command, "append new --create --kind note");
    assert_exit(command, 2);
    command_line(command, "log new");
    assert_error(command, 3, "new"); /* the session was not made either */
}

/* With a pipe on standard input: what the command does with what is in the pipe. */
static void run_behind_a_pipe(struct command *command, const char *data, bool closed)
{
    const char *const words[] = {"append", "s", "--kind", "note", "--create"};
    int ends[2];
    int saved = dup(0);

    assert_true(saved >= 0);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(write(ends[1], data, strlen(data)), (ssize_t)strlen(data));
    if (closed) {
        close(ends[1]);
    }
    assert_true(dup2(ends[0], 0) == 0);
    command->in_inherited = true;
    command_end(command, command_start(command, words, 5));
    command->in_inherited = false;
    assert_int_equal(dup2(saved, 0), 0);
    close(saved);
    close(ends[0]);
    if (!closed) {
        close(ends[1]);
    }
}

/* Programs leave a pipe open to which they never write: the command does not wait for its end. */
IN_STORE(a_pipe_counts_where_there_is_data_in_it)
{
    struct command *command = *state;

    run_behind_a_pipe(command, "{}", false);
    assert_error(command, 2, "standard input has data");
    run_behind_a_pipe(command, "{}", true);
    assert_error(command, 2, "standard input has data");
    run_behind_a_pipe(command, "", false);
    assert_exit(command, 0);
    run_behind_a_pipe(command, "", true);
    assert_exit(command, 0);
}

/* Whenever its data comes: nothing is no message. */
IN_STORE(a_message_has_a_payload)
{
    struct command *command = *state;

    command_line(command, "append s --create --kind message");
    assert_error(command, 2, "a message has a payload: give --data JSON, or --data - to read standard input");
    command_must(command, "append s --create --kind custom:message");
}

IN_STORE(a_kind_that_is_nearly_one_of_state_is_told)
{
    static const char *const names[] = {"readonly",
                                        "readonly-nudge",
                                        "sequence",
                                        "agenticoding-readonly",
                                        "agenticoding-readonly-nudge",
                                        "agenticoding-sequence",
                                        "todo"};
    struct command *command = *state;
    char line[128];
    char warning[192];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(line, sizeof(line), "append s --create --kind %s --data {}", names[i]);
        snprintf(warning, sizeof(warning),
                 "xylem: append: warning: an entry of the kind %s changes no state: did you mean custom:%s?\n",
                 names[i], names[i]);
        command_must(command, line); /* a host may have a kind of that name */
        assert_string_equal(command->err, warning);
        snprintf(line, sizeof(line), "append s --create --kind custom:%s --data {}", names[i]);
        command_must(command, line);
        assert_string_equal(command->err, "");
    }
    command_must(command, "append s --kind readonl --data {}");
    assert_string_equal(command->err, "");
}
