/* xylem verify: a sound store, and a check that crashes, stops or lacks memory. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#define OUTPUT_BYTES (1u << 20)

/* The process that reads the store for `xylem verify`. */
static pid_t child_of(pid_t parent)
{
    char path[64];
    long child = 0;

    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent, (int)parent);
    while (child == 0) {
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        if (fscanf(file, "%ld", &child) != 1) {
            child = 0;
            usleep(1000);
        }
        fclose(file);
    }
    return (pid_t)child;
}

/* Runs `xylem verify`, and sends `sent` to its child while problems wait to be read. Gives what it says. */
static void signal_child(const struct command *command, char *output, int sent, int expected)
{
    size_t bytes = 0;
    ssize_t count = 0;
    int ends[2];
    int waiting = 0;
    int status = 0;

    assert_int_equal(pipe(ends), 0);
    assert_true(fcntl(ends[1], F_SETPIPE_SZ, 4096) >= 4096);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (dup2(ends[1], 1) < 0 || setenv("XYLEM_STORE", command->store, 1) != 0) {
            _exit(126);
        }
        close(ends[0]);
        close(ends[1]);
        execl(command_program(), "xylem", "verify", "--timeout", "1", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    while (waiting == 0) {
        assert_int_equal(ioctl(ends[0], FIONREAD, &waiting), 0);
        usleep(1000);
    }
    assert_int_equal(kill(child_of(child), sent), 0);
    while ((count = read(ends[0], output + bytes, OUTPUT_BYTES - 1 - bytes)) > 0) {
        bytes += (size_t)count;
    }
    output[bytes] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), expected);
}

/* More problems than the pipes hold, and nobody who reads them: so the signal meets the check while it is at work. */
static void make_many_problems(struct command *command)
{
    char path[256];

    command_path(path, command, "many.jsonl");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("{\"type\":\"session\",\"version\":3,\"id\":\"many\",\"timestamp\":\"2026-11-20T17:18:05.515Z\",\"cwd\":\"/"
          "\"}\n",
          file);
    for (int i = 0; i < 5000; i++) {
        fprintf(file,
                "{\"type\":\"message\",\"id\":\"%08x\",\"parentId\":%s,\"timestamp\":\"2026-11-20T17:18:05.515Z\","
                "\"message\":{\"role\":\"user\",\"content\":\"victim\"}}\n",
                (unsigned)i, i == 0 ? "null" : "\"00000000\"");
    }
    assert_int_equal(fclose(file), 0);
    command_run(command, "import", "-q", path, NULL);
    assert_exit(command, 0);
    command_damage(command, "\"role\":\"");
}

TEST_WITH(a_sound_store_is_said_to_be_sound, command_set_up_scenario, command_tear_down_verified)
{
    struct command *command = *state;

    command_expect_line(command, "verify", "verify.txt");
    command_expect_line(command, "verify --json", "verify.json");
}

TEST_WITH(a_crash_of_verify_is_a_problem_and_what_it_found_is_printed, command_set_up, command_tear_down)
{
    struct command *command = *state;
    static char output[OUTPUT_BYTES];

    make_many_problems(command);
    signal_child(command, output, SIGSEGV, 1);
    assert_contains(output, "log: session many: entry ");
    assert_contains(output,
                    "store: the check was ended by a signal (Segmentation fault): the rest of the store was not "
                    "checked\n");
    assert_contains(output, "it is not known which sessions are whole");
    assert_contains(output, " repair ");
    signal_child(command, output, SIGKILL, 1);
    assert_contains(output, "the check was ended by a signal (Killed)");
}

TEST_WITH(a_verify_that_makes_no_progress_is_ended, command_set_up, command_tear_down)
{
    struct command *command = *state;
    static char output[OUTPUT_BYTES];

    make_many_problems(command);
    signal_child(command, output, SIGSTOP, 1);
    assert_contains(output, "store: the check was ended after 1 seconds without progress: ");
    assert_contains(output, " repair ");
}

TEST_WITH(a_verify_without_memory_says_so, command_set_up, command_tear_down)
{
    struct command *command = *state;

#if !defined(__SANITIZE_ADDRESS__)
    static char data[120001] = "[1";

    for (size_t i = 2; i + 3 < sizeof(data); i += 2) {
        memcpy(data + i, ",1", 2);
    }
    strcat(data, "]");
    command_run(command, "append", "s", "--create", "--kind", "custom:many", "--data", data, NULL);
    assert_exit(command, 0);
    command_line(command, "verify --memory 1");
    assert_error(command, 6, "--memory");
    assert_int_equal(command_line(command, "verify --memory 0"), 0);
#endif
    command_line(command, "verify --memory 18446744073709551615");
    assert_error(command, 2, "--memory takes a number up to");
}
