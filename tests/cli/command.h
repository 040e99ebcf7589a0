/* Runs the command in a temporary directory, as a person or a program would, and looks at what comes out. */
#ifndef XYLEM_TESTS_CLI_COMMAND_H
#define XYLEM_TESTS_CLI_COMMAND_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/test.h"
#include "tests/lib/verified.h"
#include "xylem/store.h"

#define SESSIONS "fixtures/sessions/pi-0.87.1/"
#define SCENARIO SESSIONS "rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl"
#define SCENARIO_ID "01a1f9f7-22cb-72e7-96e0-96825857127f"

enum { WORDS_MAX = 24, PATIENCE_MS = 60000 };

/* Their runtime loads before everything else. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* A temporary directory, the store in it, and the last run of the command. */
struct command {
    char directory[128];
    char store[160];
    const char *input;    /* standard input of the next run; NULL: nothing */
    bool in_inherited;    /* standard input of the next runs is the tester's own */
    const char *out_path; /* where standard output goes instead; NULL: into `out` */
    const char *now;      /* what time it is for the next runs; NULL: the clock's */
    uid_t user;           /* of the next runs; 0: whoever runs the test */
    bool hurried;         /* the next runs do not sleep: what waits for others gives up soon */
    bool blind;           /* the next runs have no inotify */
    bool remote;          /* for the next runs, every file system is a network file system */
    bool renaming;        /* another process renames the log of the next runs */
    bool swapping;        /* another process works in the directory of the next runs */
    unsigned failing;     /* the number of the allocation that fails in the next runs; 0: none */
    int code;             /* exit code, or 128 and the signal */
    char *out;
    char *err;
};

static inline char *command_read_file(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    char *data = NULL;
    size_t count = 0;
    size_t capacity = 0;
    assert_non_null(file);
    do {
        if (capacity - count < 2) {
            capacity = capacity == 0 ? 65536 : capacity * 2;
            data = realloc(data, capacity);
            assert_non_null(data);
        }
        count += fread(data + count, 1, capacity - count - 1, file);
    } while (!feof(file) && !ferror(file));
    assert_false(ferror(file));
    fclose(file);
    data[count] = '\0';
    if (bytes) {
        *bytes = count;
    }
    return data;
}

static inline void command_write_file(const char *path, const char *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static inline void command_path(char path[256], const struct command *command, const char *name)
{
    snprintf(path, 256, "%s/%s", command->directory, name);
}

static inline const char *command_program(void)
{
    const char *program = getenv("XYLEM_BIN");
    return program == NULL || *program == '\0' ? "build/xylem" : program;
}

/* The child: nothing of the tester's surroundings reaches the command but what is named here. */
static inline void command_become(const struct command *command, char *const *words)
{
    char path[256];
    char store[256];
    char asan[512];
    char now[64];
    char naps[4096];
    char failing[32];
    char *environment[10] = {store, (char *)"TZ=UTC", (char *)"LC_ALL=C.UTF-8", (char *)"PATH=/usr/bin:/bin", asan,
                             now};
    size_t count = 6;
    const char *remote_below = getenv("REMOTE_BELOW");
    char remote_variable[300];
    const char *in_path = command->input ? path : "/dev/null";
    command_path(path, command, "input");
    snprintf(store, sizeof store, "XYLEM_STORE=%s", command->store);
    snprintf(asan, sizeof asan, "ASAN_OPTIONS=%s", !getenv("ASAN_OPTIONS") ? "" : getenv("ASAN_OPTIONS"));
    snprintf(now, sizeof now, "XYLEM_NOW=%s", command->now ? command->now : "");
    if (remote_below) {
        snprintf(remote_variable, sizeof remote_variable, "REMOTE_BELOW=%s", remote_below);
        environment[count++] = remote_variable;
    }
    if (command->failing > 0) {
        snprintf(failing, sizeof failing, "FAILING=%u", command->failing);
        environment[count++] = failing;
    }
    if ((command->hurried || command->blind || command->remote || command->renaming || command->swapping ||
         command->failing > 0) &&
        !SANITIZED) {
        snprintf(naps, sizeof naps, "LD_PRELOAD=%.*s/tests/cli/%s.so", (int)(strrchr(words[0], '/') - words[0]),
                 words[0],
                 command->blind         ? "blind"
                 : command->remote      ? "remote"
                 : command->renaming    ? "renaming"
                 : command->swapping    ? "swapping"
                 : command->failing > 0 ? "failing"
                                        : "naps");
        environment[count] = naps;
    }
    int in = command->in_inherited ? 0 : open(in_path, O_RDONLY);
    command_path(path, command, "out");
    int out = open(command->out_path ? command->out_path : path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    command_path(path, command, "err");
    int err = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (in < 0 || out < 0 || err < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) {
        _exit(126);
    }
    if (command->user != 0 && (setgid(command->user) != 0 || setuid(command->user) != 0)) {
        _exit(126);
    }
    execve(words[0], words, environment);
    _exit(127);
}

static inline void command_end(struct command *command, pid_t child)
{
    char path[256];
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    command->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    free(command->out);
    free(command->err);
    command_path(path, command, "out");
    command->out = !command->out_path ? command_read_file(path, NULL) : strdup("");
    command_path(path, command, "err");
    command->err = command_read_file(path, NULL);
}

static inline pid_t command_start(struct command *command, const char *const *arguments, size_t count)
{
    char path[256];
    char *words[WORDS_MAX + 2] = {NULL};
    assert_true(count <= WORDS_MAX);
    words[0] = (char *)command_program();
    for (size_t i = 0; i < count; i++) {
        words[i + 1] = (char *)arguments[i];
    }
    if (command->input) {
        command_path(path, command, "input");
        command_write_file(path, command->input, strlen(command->input));
    }
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        command_become(command, words);
    }
    return child;
}

/* Writes a byte into a fifo, and waits until the command has read it: then it is at work. */
static inline void command_feed(int fifo)
{
    int waiting = 1;
    assert_int_equal(write(fifo, "1", 1), 1);
    while (waiting > 0) {
        usleep(1000);
        assert_int_equal(ioctl(fifo, FIONREAD, &waiting), 0);
    }
}

/* Runs the command with the words of `...`, up to a NULL; gives its exit code. */
static inline int command_run(struct command *command, ...)
{
    const char *arguments[WORDS_MAX];
    size_t count = 0;
    va_list list;
    va_start(list, command);
    for (const char *word = va_arg(list, const char *); word; word = va_arg(list, const char *)) {
        assert_true(count < WORDS_MAX);
        arguments[count++] = word;
    }
    va_end(list);
    command_end(command, command_start(command, arguments, count));
    command->input = NULL;
    return command->code;
}

/* Starts it with words in one string, separated by single spaces. */
static inline pid_t command_start_line(struct command *command, const char *line)
{
    char *copy = strdup(line);
    const char *arguments[WORDS_MAX];
    size_t count = 0;
    assert_non_null(copy);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        assert_true(count < WORDS_MAX);
        arguments[count++] = word;
    }
    pid_t child = command_start(command, arguments, count);
    free(copy);
    return child;
}

/* Runs a line. */
static inline int command_line(struct command *command, const char *line)
{
    command_end(command, command_start_line(command, line));
    command->input = NULL;
    return command->code;
}

static inline void sleep_ms(long ms)
{
    usleep((useconds_t)(1000 * ms));
}

/* True if a command that runs has written this; `stream` is `out` or `err`. */
static inline bool command_wrote(const struct command *command, const char *stream, const char *part)
{
    char path[256];
    command_path(path, command, stream);
    char *text = access(path, F_OK) == 0 ? command_read_file(path, NULL) : strdup("");
    bool there = strstr(text, part) != NULL;
    free(text);
    return there;
}

/* Waits until a command that runs has written this. */
static inline void command_await(const struct command *command, const char *stream, const char *part)
{
    for (int waited = 0; !command_wrote(command, stream, part); waited += 10) {
        if (waited > PATIENCE_MS) {
            fail_msg("the command did not write '%s'", part);
        }
        sleep_ms(10);
    }
}

/* The run must have ended with `code`; otherwise what it wrote is shown. */
#define assert_exit(command, expected)                                                                   \
    do {                                                                                                 \
        if ((command)->code != (expected)) {                                                             \
            print_message("exit code %d instead of %d\nout: %s\nerr: %s\n", (command)->code, (expected), \
                          (command)->out, (command)->err);                                               \
        }                                                                                                \
        assert_int_equal((command)->code, (expected));                                                   \
    } while (0)

static inline void assert_contains(const char *text, const char *part)
{
    const char *found = strstr(text, part);
    if (!found) {
        print_message("'%s' is not in: %s\n", part, text);
    }
    assert_non_null(found);
}

/* No line has more cells than the terminal. Of a text without wide characters. */
static inline void assert_lines_fit(const char *text, size_t columns)
{
    size_t cells = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '\n') {
            cells = 0;
        } else if (((unsigned char)*at & 0xc0) != 0x80) {
            cells++;
        }
        if (cells > columns) {
            print_message("a line has more than %zu cells: %s\n", columns, text);
        }
        assert_true(cells <= columns);
    }
}

/*
 * One line on standard error, in the form of every error, and nothing on standard output. Damage has a second line,
 * which says what tells more of it.
 */
static inline void assert_error(const struct command *command, int code, const char *part)
{
    assert_exit(command, code);
    assert_string_equal(command->out, "");
    assert_int_equal(strncmp(command->err, "xylem: ", 7), 0);
    const char *newline = strchr(command->err, '\n');
    assert_non_null(newline);
    if (code == 5) {
        assert_contains(newline + 1, "verify` tells what is wrong");
        newline = strchr(newline + 1, '\n');
        assert_non_null(newline);
    }
    assert_string_equal(newline, "\n");
    assert_contains(command->err, part);
}

/* The same, followed by what a person can do next, of which `next` is a part. */
static inline void assert_error_and_next(const struct command *command, int code, const char *part, const char *next)
{
    assert_exit(command, code);
    assert_string_equal(command->out, "");
    assert_int_equal(strncmp(command->err, "xylem: ", 7), 0);
    const char *newline = strchr(command->err, '\n');
    assert_non_null(newline);
    assert_contains(newline + 1, next);
    assert_contains(command->err, part);
}

static inline int command_set_up_empty(void **state)
{
    struct command *command = calloc(1, sizeof *command);
    assert_non_null(command);
    test_directory_make(command->directory, sizeof command->directory, "cli");
    assert_int_equal(chmod(command->directory, 0777), 0); /* for runs as another user */
    snprintf(command->store, sizeof command->store, "%s/store", command->directory);
    *state = command;
    return 0;
}

/* The files of a store; none: nothing was kept yet. */
struct command_kept {
    char *data[3];
    size_t bytes[3];
};

/* The first time `words` make the store, and its files are kept; the next times the store is made of these files. */
static inline void command_make_once(struct command *command, struct command_kept *kept, const char *words)
{
    static const char *const names[] = {"store/data.mdb", "store/lock.mdb", "store/xylem.lock"};
    bool again = kept->data[0] != NULL;
    char path[256];
    if (again) {
        assert_int_equal(mkdir(command->store, 0700), 0);
    } else {
        command_line(command, words);
        assert_exit(command, 0);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        command_path(path, command, names[i]);
        if (again) {
            command_write_file(path, kept->data[i], kept->bytes[i]);
            assert_int_equal(chmod(path, 0600), 0);
        } else {
            kept->data[i] = command_read_file(path, &kept->bytes[i]);
        }
    }
}

static inline int command_set_up(void **state)
{
    static struct command_kept kept;
    command_set_up_empty(state);
    command_make_once(*state, &kept, "init");
    return 0;
}

/* The same at a fixed time, from which ages are counted. */
static inline int command_set_up_at_a_time(void **state)
{
    command_set_up(state);
    ((struct command *)*state)->now = "2026-11-20T19:30:00Z";
    return 0;
}

/* The same with the scenario in the store. */
static inline int command_set_up_scenario(void **state)
{
    static struct command_kept kept;
    command_set_up_empty(state);
    ((struct command *)*state)->now = "2026-11-20T19:30:00Z";
    command_make_once(*state, &kept, "import -q " SCENARIO);
    return 0;
}

static inline int command_tear_down(void **state)
{
    struct command *command = *state;
    test_directory_remove(command->directory);
    free(command->out);
    free(command->err);
    free(command);
    return 0;
}

/* What a test leaves behind must be sound. */
static inline int command_tear_down_verified(void **state)
{
    struct command *command = *state;
    struct xylem_open_options options = {.read_only = true};
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_error err = {0};

    if (xylem_open(&store, command->store, &options, &err) < 0 || xylem_begin(&txn, store, XYLEM_READ, &err) < 0) {
        fail_msg("%s", err.text);
    }
    assert_verified(txn);
    xylem_abort(txn);
    assert_int_equal(xylem_close(store, &err), 0);
    return command_tear_down(state);
}

/* Replaces every match of an extended regular expression. */
static inline char *command_replace(char *text, const char *pattern, const char *with)
{
    regex_t compiled;
    regmatch_t match;
    char *result = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&result, &bytes);
    assert_non_null(stream);
    assert_int_equal(regcomp(&compiled, pattern, REG_EXTENDED | REG_NEWLINE), 0);
    const char *at = text;
    while (*at != '\0' && regexec(&compiled, at, 1, &match, at == text ? 0 : REG_NOTBOL) == 0 && match.rm_eo > 0) {
        fwrite(at, 1, (size_t)match.rm_so, stream);
        fputs(with, stream);
        at += match.rm_eo;
    }
    fputs(at, stream);
    fclose(stream);
    regfree(&compiled);
    free(text);
    return result;
}

/* Runs a line that must end well. */
static inline void command_must(struct command *command, const char *line)
{
    command_line(command, line);
    assert_exit(command, 0);
}

/* Overwrites the middle of the first place in the file where `needle` stands. */
static inline void command_damage(const struct command *command, const char *needle)
{
    char path[256];
    size_t bytes = 0;
    command_path(path, command, "store/data.mdb");
    char *data = command_read_file(path, &bytes);
    char *at = memmem(data, bytes, needle, strlen(needle));
    assert_non_null(at);
    while (at) {
        at[strlen(needle) / 2] ^= 1;
        at = memmem(data, bytes, needle, strlen(needle));
    }
    command_write_file(path, data, bytes);
    free(data);
}

#endif
