/* The command on a terminal, at the end of a pipe, and under signals. */
#include "tests/cli/terminal.h"
#include "tests/lib/test.h"

static int set_up_scenario(void **state)
{
    command_set_up(state);
    command_run(*state, "import", "-q", SCENARIO, NULL);
    assert_exit((struct command *)*state, 0);
    return 0;
}

#define WITH_SCENARIO(test) TEST_WITH(test, set_up_scenario, command_tear_down_verified)

WITH_SCENARIO(colours_are_for_terminals)
{
    struct command *command = *state;
    run_on_terminal(command, &(struct terminal){0}, "log " SCENARIO_ID);
    assert_exit(command, 0);
    assert_contains(command->out, "\033[33m32512cc7\033[0m");
    run_on_terminal(command, &(struct terminal){.settings = "NO_COLOR=1"}, "log " SCENARIO_ID);
    assert_null(strchr(command->out, '\033'));
    run_on_terminal(command, &(struct terminal){.settings = "NO_COLOR=1"}, "log --color=always " SCENARIO_ID);
    assert_non_null(strchr(command->out, '\033'));
    run_on_terminal(command, &(struct terminal){0}, "log --color=never " SCENARIO_ID);
    assert_null(strchr(command->out, '\033'));
    command_line(command, "log " SCENARIO_ID);
    assert_null(strchr(command->out, '\033'));
}

/* The same JSON, but nothing in it acts on the terminal. */
WITH_SCENARIO(json_on_a_terminal_has_no_controls)
{
    static const char *const lines[] = {
        "log evil --jsonl", "log evil --json",  "show evil:@ --json",   "state evil --json",
        "sessions --json",  "tree evil --json", "branches evil --json", "clone evil --id clone-\xc2\x9b --json"};
    static const char *const raw[] = {"\xc2\x85", "\xc2\x9b", "\x7f", "\xe2\x80\xae", "\xf4\x8f\xbf\xbf"};
    struct command *command = *state;
    command->input = "{\"content\":\"a\xc2\x85 b\x7f c\xe2\x80\xae d\xf4\x8f\xbf\xbf \xe6\x97\xa5 \xf0\x9f\x9a\x80\"}";
    command_line(command, "append evil --create --kind message --data - --id evil\xc2\x9b");
    assert_exit(command, 0);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        run_on_terminal(command, &(struct terminal){0}, lines[i]);
        assert_exit(command, 0);
        assert_contains(command->out, "{\"schema\":1,");
        assert_contains(command->out, "\\u009b");
        for (size_t j = 0; j < sizeof raw / sizeof raw[0]; j++) {
            assert_null(strstr(command->out, raw[j]));
        }
    }
    run_on_terminal(command, &(struct terminal){0}, "log evil --jsonl");
    assert_contains(command->out, "\"a\\u0085 b\\u007f c\\u202e d\\udbff\\udfff \xe6\x97\xa5 \xf0\x9f\x9a\x80\"");
    command_line(command, "log evil --jsonl");
    for (size_t j = 0; j < sizeof raw / sizeof raw[0]; j++) {
        assert_contains(command->out, raw[j]);
    }
}

WITH_SCENARIO(lines_fit_the_terminal)
{
    static const char *const lines[] = {"tree " SCENARIO_ID,     "log " SCENARIO_ID,   "sessions",
                                        "branches " SCENARIO_ID, "moves " SCENARIO_ID, "blame " SCENARIO_ID " nudge"};
    static const unsigned short widths[] = {80, 160};
    struct command *command = *state;
    command_must(command, "navigate " SCENARIO_ID
                          ":6f7578e6 --reason a-word-that-is-longer-than-there-is-room-for-it --only-in-store");
    command_must(command, "navigate " SCENARIO_ID ":@{1} --only-in-store");
    for (size_t i = 0; i < 2 * sizeof lines / sizeof lines[0]; i++) {
        run_on_terminal(command, &(struct terminal){.settings = "NO_COLOR=1", .columns = widths[i % 2]}, lines[i / 2]);
        assert_exit(command, 0);
        assert_lines_fit(command->out, widths[i % 2]);
    }
}

WITH_SCENARIO(long_output_goes_through_the_pager)
{
    struct command *command = *state;
    const struct terminal paged = {.settings = "XYLEM_PAGER=sed s/^/paged:/"};
    run_on_terminal(command, &paged, "tree " SCENARIO_ID);
    assert_exit(command, 0);
    assert_contains(command->out, "\npaged:");
    run_on_terminal(command, &paged, "blame " SCENARIO_ID " readonly");
    assert_contains(command->out, "custom:readonly");
    assert_int_equal(strncmp(command->out, "paged:", 6), 0);
    run_on_terminal(command, &paged, "log " SCENARIO_ID " --no-pager");
    assert_null(strstr(command->out, "paged:"));
    run_on_terminal(command, &paged, "log " SCENARIO_ID " --jsonl");
    assert_null(strstr(command->out, "paged:"));
    run_on_terminal(command, &paged, "stat");
    assert_null(strstr(command->out, "paged:"));
    run_on_terminal(command, &paged, "quarantine " SCENARIO_ID " --json");
    assert_null(strstr(command->out, "paged:"));
    run_on_terminal(command, &paged, "sessions");
    assert_contains(command->out, "paged:");
    run_on_terminal(command, &paged, "branches " SCENARIO_ID);
    assert_contains(command->out, "paged:");
}

/* More than a pipe holds, so that the command still writes when nobody reads any more. */
WITH_SCENARIO(who_leaves_the_pager_ends_the_command_well)
{
    static const char *const lines[] = {"show long:@ --full", "log long --full", "tree long --all", "sessions"};
    struct command *command = *state;
    size_t bytes = 300000;
    char *payload = malloc(bytes + 1);
    assert_non_null(payload);
    memset(payload, 'x', bytes);
    payload[0] = '"';
    payload[bytes - 1] = '"';
    payload[bytes] = '\0';
    command->input = payload;
    command_must(command, "append long --create --kind note --data -");
    free(payload);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        run_on_terminal(command, &(struct terminal){.settings = "XYLEM_PAGER=head -c 20"}, lines[i]);
        assert_exit(command, 0);
        assert_null(strstr(command->out, "xylem: ")); /* nothing is amiss */
    }
}

WITH_SCENARIO(a_pager_that_cannot_be_run_is_an_error)
{
    struct command *command = *state;
    run_on_terminal(command, &(struct terminal){.settings = "XYLEM_PAGER=/no/such/pager"}, "show " SCENARIO_ID ":@");
    assert_contains(command->out, "/no/such/pager: not found");
    assert_exit(command, 6);
    assert_contains(command->out, "the pager '/no/such/pager' cannot be run, and nothing was shown");
}

WITH_SCENARIO(a_dumb_terminal_has_no_pager)
{
    struct command *command = *state;
    run_on_terminal(command, &(struct terminal){.settings = "TERM=dumb"}, "show " SCENARIO_ID ":@");
    assert_exit(command, 0);
    assert_contains(command->out, "32512cc7");
    assert_null(strstr(command->out, "paged:"));
}

WITH_SCENARIO(gc_shows_what_it_would_free_and_asks_on_a_terminal)
{
    struct command *command = *state;
    run_on_terminal(command, &(struct terminal){0}, "gc");
    assert_exit(command, 0);
    assert_contains(command->out, "nothing to free");
    command_must(command, "delete " SCENARIO_ID " --yes");
    run_on_terminal(command, &(struct terminal){.typed = "n\n"}, "gc --json");
    assert_exit(command, 1);
    assert_contains(command->out, "would free session " SCENARIO_ID ": ");
    assert_contains(command->out, "Free 1 session, ");
    assert_contains(command->out, " for good? [y/N] ");
    assert_contains(command->out, "nothing was freed");
    command_must(command, "undelete " SCENARIO_ID);
    command_must(command, "delete " SCENARIO_ID " --yes");
    run_on_terminal(command, &(struct terminal){.typed = "y\n"}, "gc");
    assert_exit(command, 0);
    assert_contains(command->out, "\nfreed 1 session, ");
    assert_int_equal(command_line(command, "undelete " SCENARIO_ID), 3);
}

WITH_SCENARIO(gc_frees_no_more_than_what_was_agreed_to)
{
    struct command *command = *state;
    command_must(command, "append other --create --kind note");
    command_must(command, "delete " SCENARIO_ID " --yes");
    run_on_terminal(command, &(struct terminal){.typed = "y\n", .before = "delete other --yes"}, "gc");
    assert_exit(command, 4);
    assert_contains(command->out, "nothing was freed");
    command_must(command, "undelete other");
    command_must(command, "undelete " SCENARIO_ID);
}

WITH_SCENARIO(imports_show_their_progress)
{
    struct command *command = *state;
    run_on_terminal(command, &(struct terminal){0}, "import " SESSIONS "rpc-scenario");
    assert_exit(command, 0);
    assert_contains(command->out, "1/7  ");
    assert_contains(command->out, "7 files: ");
    run_on_terminal(command, &(struct terminal){0}, "import --quiet " SESSIONS "rpc-scenario");
    assert_null(strstr(command->out, "1/7  "));
    command_line(command, "import " SESSIONS "rpc-scenario");
    assert_string_equal(command->err, "");
}

/* Runs a line with a pipe on standard output, whose other end is closed at once. */
static void run_into_a_closed_pipe(struct command *command, char *const *words)
{
    int ends[2];
    char path[256];
    int status = 0;
    command_path(path, command, "err");
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int err = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (err < 0 || dup2(ends[1], 1) < 0 || dup2(err, 2) < 0 || setenv("XYLEM_STORE", command->store, 1) != 0) {
            _exit(126);
        }
        signal(SIGPIPE, SIG_IGN); /* as some parents leave it */
        execv(command_program(), words);
        _exit(127);
    }
    close(ends[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    command->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    free(command->err);
    command->err = command_read_file(path, NULL);
}

WITH_SCENARIO(a_closed_pipe_ends_quietly)
{
    char *const words[] = {(char *)"xylem", (char *)"log", (char *)SCENARIO_ID, (char *)"--jsonl", NULL};
    struct command *command = *state;
    run_into_a_closed_pipe(command, words);
    assert_int_equal(command->code, 128 + SIGPIPE);
    assert_string_equal(command->err, "");
}

/*
 * Starts a command that waits for its standard input, a fifo, of which `fifo` becomes the other end; with one signal
 * ignored (0: none).
 */
static pid_t start_waiting(const struct command *command, int *fifo, int ignored)
{
    char path[256];
    char program[256];
    command_path(path, command, "fifo");
    snprintf(program, sizeof program, "%s", command_program());
    assert_int_equal(mkfifo(path, 0600), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int in = open(path, O_RDONLY);
        int null = open("/dev/null", O_WRONLY);
        if (in < 0 || null < 0 || dup2(in, 0) < 0 || dup2(null, 1) < 0 ||
            setenv("XYLEM_STORE", command->store, 1) != 0 || (ignored != 0 && signal(ignored, SIG_IGN) == SIG_ERR)) {
            _exit(126);
        }
        execl(program, "xylem", "append", SCENARIO_ID, "--kind", "k", "--data", "-", "--only-in-store", (char *)NULL);
        _exit(127);
    }
    *fifo = open(path, O_WRONLY);
    assert_true(*fifo >= 0);
    unlink(path);
    command_feed(*fifo);
    return child;
}

WITH_SCENARIO(an_interrupt_is_130)
{
    struct command *command = *state;
    int fifo = -1;
    int status = 0;
    pid_t child = start_waiting(command, &fifo, 0);
    assert_int_equal(kill(child, SIGINT), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    close(fifo);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
}

/* As under nohup, or in the background of a shell without job control. */
WITH_SCENARIO(a_signal_that_was_ignored_stays_so)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
    struct command *command = *state;
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        int fifo = -1;
        int status = 0;
        pid_t child = start_waiting(command, &fifo, signals[i]);
        assert_int_equal(kill(child, signals[i]), 0);
        close(fifo); /* now it has all its input: `1` */
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

/* A directory with many names for one session file, each as long as names get. */
static void make_links(const char *directory)
{
    char target[8192];
    char path[1024];
    char name[201];
    assert_int_equal(mkdir(directory, 0755), 0);
    assert_non_null(realpath(SCENARIO, target));
    memset(name, 'x', 200);
    name[200] = '\0';
    for (int i = 0; i < 60; i++) {
        snprintf(path, sizeof path, "%s/%02d%s.jsonl", directory, i, name);
        assert_int_equal(symlink(target, path), 0);
    }
}

/*
 * The import cannot end before it is interrupted, because nobody reads what it prints until then, and a pipe of one
 * page does not hold it.
 */
WITH_SCENARIO(an_interrupted_import_says_what_it_did)
{
    struct command *command = *state;
    char directory[256];
    char output[65536] = "";
    size_t bytes = 0;
    ssize_t count = 0;
    int ends[2];
    int waiting = 0;
    int status = 0;
    command_path(directory, command, "links");
    make_links(directory);
    assert_int_equal(pipe(ends), 0);
    assert_true(fcntl(ends[1], F_SETPIPE_SZ, 4096) >= 4096);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (dup2(ends[1], 1) < 0 || !freopen("/dev/null", "w", stderr) ||
            setenv("XYLEM_STORE", command->store, 1) != 0) {
            _exit(126);
        }
        close(ends[0]);
        close(ends[1]);
        execl(command_program(), "xylem", "import", directory, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    while (waiting == 0) {
        assert_int_equal(ioctl(ends[0], FIONREAD, &waiting), 0);
        usleep(1000);
    }
    assert_int_equal(kill(child, SIGINT), 0);
    while ((count = read(ends[0], output + bytes, sizeof output - 1 - bytes)) > 0) {
        bytes += (size_t)count;
    }
    output[bytes] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
    assert_contains(output, "60 files: ");
}

static size_t count_lines(const char *text)
{
    size_t count = 0;
    for (; (text = strchr(text, '\n')); text++) {
        count++;
    }
    return count;
}

/* What a program reads, or a person pastes, is not broken. */
WITH_SCENARIO(documents_and_commands_stay_whole_on_a_narrow_terminal)
{
    const struct terminal narrow = {.columns = 40, .settings = "NO_COLOR=1"};
    static const char *const lines[] = {"log " SCENARIO_ID " --jsonl", "show " SCENARIO_ID " --json",
                                        "open " SCENARIO_ID " --here --dry-run", "complete -- seq"};
    struct command *command = *state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        command_line(command, lines[i]);
        size_t expected = count_lines(command->out);
        assert_true(expected > 0);
        run_on_terminal(command, &narrow, lines[i]);
        assert_int_equal(count_lines(command->out), expected);
    }
    run_on_terminal(command, &narrow, "delete " SCENARIO_ID " --dry-run");
    assert_string_equal(command->out,
                        "would delete session\n  " SCENARIO_ID "\n  (scenario one, its leaf has depth 20)\n");
}
