/* xylem sequence drive under signals. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

static void append_snapshot(struct command *command, const char *session, const char *id, const char *steps)
{
    char data[1024];
    snprintf(data, sizeof data, "{\"version\":1,\"sequenceId\":\"q\",\"steps\":%s,\"updatedAt\":1700000000000}", steps);
    command_run(command, "append", session, "--create", "--kind", "custom:sequence", "--id", id, "--data", data, NULL);
    assert_exit(command, 0);
}

#define STEPS "[\"/readonly on\",\"Plan it for $@\\nand name \\u001b the files\",\"/handoff execution\"]"

#define CATALOGUE                                                                                      \
    "{\"schema\":1,\"compact\":true,\"expands\":true,\"commands\":["                                   \
    "{\"name\":\"readonly\",\"source\":\"own\",\"arguments\":[\"\",\"on\",\"off\"],\"toggles\":true}," \
    "{\"name\":\"plan\",\"source\":\"prompt\",\"path\":\"/p/plan.md\"},"                               \
    "{\"name\":\"handoff\",\"source\":\"extension\",\"path\":\"/home/dev/.pi/agent/extensions/agenticoding.ts\"}]}"

static void write_file(const struct command *command, const char *name, const char *text)
{
    char path[256];
    command_path(path, command, name);
    command_write_file(path, text, strlen(text));
}

static int set_up_sequence(void **state)
{
    command_set_up_at_a_time(state);
    write_file(*state, "commands.json", CATALOGUE);
    append_snapshot(*state, "host", "a", STEPS);
    return 0;
}

#define WITH_SEQUENCE(test) TEST_WITH(test, set_up_sequence, command_tear_down_verified)

#define NEXT "{\"next\":true}\n"
#define CLAIM "{\"claim\":\"0123456789abcdef\"}\n"
#define DONE "{\"done\":{\"entry\":null}}\n"

/* Writes the request of a run; `more` are further members. */
static void write_request(const struct command *command, const char *more)
{
    char text[2048];
    snprintf(text, sizeof text, "{\"session\":\"host\",\"catalogue\":%s%s}", CATALOGUE, more);
    write_file(command, "start.json", text);
}

#define AB ",\"sequence_id\":\"q\",\"steps\":[\"A for $1\",\"/readonly on\"]"

/* Waits until the command, which is still at work, has written so many lines. */
static void await_lines(struct command *command, size_t wanted)
{
    char path[256];
    size_t lines = 0;
    command_path(path, command, "out");
    while (lines < wanted) {
        char *out = command_read_file(path, NULL);
        lines = 0;
        for (const char *at = out; (at = strchr(at, '\n')); at++) {
            lines++;
        }
        free(out);
        usleep(1000);
    }
}

WITH_SEQUENCE(a_signal_pauses_the_run_in_good_order)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct command *command = *state;
    char file[256];
    const char *const words[] = {"sequence", "drive", "start", "--file", file};
    int own = dup(STDIN_FILENO);
    write_request(command, AB);
    command_path(file, command, "start.json");
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        int ends[2];
        char path[256];
        command_path(path, command, "out");
        command_write_file(path, "", 0);
        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        assert_true(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
        command->in_inherited = true;
        pid_t child = command_start(command, words, sizeof words / sizeof words[0]);
        command->in_inherited = false;
        assert_int_equal(write(ends[1], NEXT CLAIM DONE, strlen(NEXT CLAIM DONE)), (ssize_t)strlen(NEXT CLAIM DONE));
        await_lines(command, 3); /* an answer is not buffered */
        assert_int_equal(kill(child, signals[i]), 0);
        command_end(command, child);
        close(ends[0]);
        close(ends[1]);
        assert_exit(command, 130);
        command_must(command, "sequence runs --jsonl");
        assert_contains(command->out, "\"phase\":\"paused\"");
        assert_contains(command->out, "\"code\":\"shutdown\",\"message\":\"a signal ended the process\"");
        assert_null(strstr(command->out, "interrupted"));
    }
    dup2(own, STDIN_FILENO);
    close(own);
}

/* A drive whose input is a pipe. */
struct host {
    pid_t child;
    int own;
    int ends[2];
};

static struct host start_host(struct command *command)
{
    struct host host = {.own = dup(STDIN_FILENO)};
    char file[256];
    char path[256];
    const char *const words[] = {"sequence", "drive", "start", "--file", file};
    write_request(command, AB);
    command_path(file, command, "start.json");
    command_path(path, command, "out");
    command_write_file(path, "", 0);
    assert_int_equal(pipe2(host.ends, O_CLOEXEC), 0);
    assert_true(dup2(host.ends[0], STDIN_FILENO) == STDIN_FILENO);
    command->in_inherited = true;
    host.child = command_start(command, words, sizeof words / sizeof words[0]);
    command->in_inherited = false;
    return host;
}

static void say(const struct host *host, const char *lines)
{
    assert_int_equal(write(host->ends[1], lines, strlen(lines)), (ssize_t)strlen(lines));
}

static void end_host(struct command *command, const struct host *host)
{
    dup2(host->own, STDIN_FILENO);
    close(host->own);
    close(host->ends[0]);
    close(host->ends[1]);
    command_end(command, host->child);
}

WITH_SEQUENCE(an_ignored_signal_stays_ignored)
{
    struct command *command = *state;
    signal(SIGHUP, SIG_IGN);
    struct host host = start_host(command);
    signal(SIGHUP, SIG_DFL);
    say(&host, NEXT CLAIM);
    await_lines(command, 2);
    assert_int_equal(kill(host.child, SIGHUP), 0);
    usleep(100000);
    say(&host, DONE NEXT CLAIM DONE NEXT);
    end_host(command, &host);
    assert_exit(command, 0);
    assert_contains(command->out, "\"outcome\":\"done\"");
}

WITH_SEQUENCE(a_signal_during_the_work_waits_for_the_answer)
{
    struct command *command = *state;
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct host host = start_host(command);
    say(&host, NEXT CLAIM);
    await_lines(command, 2);
    assert_int_equal(xylem_open(&store, command->store, NULL, NULL), XYLEM_OK);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, NULL), XYLEM_OK); /* `done` waits for this writer */
    say(&host, DONE);
    usleep(200000);
    assert_int_equal(kill(host.child, SIGTERM), 0);
    usleep(50000);
    xylem_abort(txn);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
    end_host(command, &host);
    assert_exit(command, 130);
    assert_contains(command->out, "\"ok\":true");
    command_must(command, "sequence runs --jsonl");
    assert_contains(command->out, "\"message\":\"a signal ended the process\"");
}
