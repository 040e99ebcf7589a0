/* A check or a repair that crashes. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#define OUTPUT_BYTES (1u << 20)

/* Runs the line, and sends the signal while problems wait to be read. `output` gets everything that was printed. */
static void crash(struct command *command, const char *line, int signal_number, char *output)
{
    size_t bytes = 0;
    ssize_t count = 0;
    int waiting = 0;
    char path[256];
    command_path(path, command, "fifo");
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    command->out_path = path;
    int fifo = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(fcntl(fifo, F_SETPIPE_SZ, 4096) >= 4096); /* before the first byte: a full pipe does not shrink */
    pid_t child = command_start_line(command, line);
    assert_int_equal(fcntl(fifo, F_SETFL, 0), 0);
    while (waiting == 0) {
        assert_int_equal(ioctl(fifo, FIONREAD, &waiting), 0);
        usleep(1000);
    }
    assert_int_equal(kill(child, signal_number), 0);
    while ((count = read(fifo, output + bytes, OUTPUT_BYTES - 1 - bytes)) > 0) {
        bytes += (size_t)count;
    }
    output[bytes] = '\0';
    close(fifo);
    command_end(command, child);
    command->out_path = NULL;
    assert_exit(command, 5);
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

TEST_WITH(a_crash_of_verify_leads_to_repair_and_what_it_found_is_printed, command_set_up, command_tear_down)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT};
    struct command *command = *state;
    static char output[OUTPUT_BYTES];
    make_many_problems(command);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        crash(command, "verify", signals[i], output);
        assert_contains(output, "log: session many: entry ");
        assert_contains(command->err, "xylem: the program got a fatal signal, SIG");
        assert_contains(command->err, ": the rest of the store was not checked\n");
        assert_contains(command->err, " repair ");
        assert_null(strstr(command->err, "verify"));
    }
}

TEST_WITH(a_crash_of_repair_names_the_unfinished_store, command_set_up, command_tear_down)
{
    struct command *command = *state;
    static char output[OUTPUT_BYTES];
    struct stat status;
    char line[300];
    char new_store[256];
    make_many_problems(command);
    command_path(new_store, command, "new");
    snprintf(line, sizeof line, "repair %s", new_store);
    crash(command, line, SIGSEGV, output);
    assert_contains(command->err, "SIGSEGV: no store was made at ");
    assert_contains(command->err, "/new.partial-*), and the damaged store was not changed\n");
    assert_int_equal(stat(new_store, &status), -1);
    assert_int_equal(command_line(command, line), 1); /* the store that was left does not hinder another repair */
    assert_int_equal(stat(new_store, &status), 0);
}
