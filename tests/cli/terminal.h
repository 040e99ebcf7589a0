/* Runs the command on a terminal of its own. For test programs in which a test skips where the machine has none. */
#ifndef XYLEM_TESTS_CLI_TERMINAL_H
#define XYLEM_TESTS_CLI_TERMINAL_H

#include "tests/cli/command.h"

#include <termios.h>

/* What goes on the terminal, and how the command is started there. */
struct terminal {
    const char *typed;  /* what the person types; NULL: nothing */
    const char *before; /* a line that somebody else runs while the person is asked; NULL: none */
    void (*meanwhile)(struct command *command); /* the test's own work while the person is asked; NULL: none */
    const char *settings;                       /* of the surroundings: `NAME=value`, or NULL */
    unsigned short columns;
    bool unchanged; /* what comes out is what was written: newlines stay alone, and carriage returns are kept */
};

static inline void leave_unchanged(int end)
{
    struct termios modes;
    assert_int_equal(tcgetattr(end, &modes), 0);
    modes.c_oflag &= ~(tcflag_t)OPOST;
    modes.c_lflag &= ~(tcflag_t)ECHO;
    assert_int_equal(tcsetattr(end, TCSANOW, &modes), 0);
}

static inline void start_on_terminal(const struct command *command, const struct terminal *terminal, int end,
                                     char *line)
{
    char store[256];
    char asan[512];
    char *words[WORDS_MAX + 2] = {(char *)command_program()};
    char *environment[] = {store,
                           asan,
                           (char *)"TZ=UTC",
                           (char *)"LC_ALL=C.UTF-8",
                           (char *)"PATH=/usr/bin:/bin",
                           (char *)"TERM=xterm",
                           (char *)"XYLEM_PAGER=",
                           (char *)terminal->settings,
                           NULL};
    struct winsize size = {.ws_row = 25, .ws_col = terminal->columns == 0 ? 80 : terminal->columns};
    size_t count = 1;
    snprintf(store, sizeof store, "XYLEM_STORE=%s", command->store);
    snprintf(asan, sizeof asan, "ASAN_OPTIONS=%s", !getenv("ASAN_OPTIONS") ? "" : getenv("ASAN_OPTIONS"));
    if (terminal->settings && strncmp(terminal->settings, "XYLEM_PAGER=", 12) == 0) {
        environment[6] = (char *)terminal->settings;
        environment[7] = NULL;
    } else if (terminal->settings && strcmp(terminal->settings, "TERM=dumb") == 0) {
        environment[5] = (char *)terminal->settings;
        environment[6] = (char *)"XYLEM_PAGER=sed s/^/paged:/";
        environment[7] = NULL;
    }
    if (terminal->settings && strncmp(terminal->settings, "PATH=", 5) == 0) {
        environment[4] = (char *)terminal->settings;
        environment[7] = NULL;
    }
    if (terminal->settings && strncmp(terminal->settings, "LC_ALL=", 7) == 0) {
        environment[3] = (char *)terminal->settings;
        environment[7] = NULL;
    }
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) {
        words[count++] = word;
    }
    setsid();
    if (ioctl(end, TIOCSCTTY, 0) != 0 || ioctl(end, TIOCSWINSZ, &size) != 0 || dup2(end, 0) < 0 || dup2(end, 1) < 0 ||
        dup2(end, 2) < 0) {
        _exit(126);
    }
    execve(words[0], words, environment);
    _exit(127);
}

static inline void type(int master, const char *typed)
{
    if (typed) {
        assert_int_equal(write(master, typed, strlen(typed)), (ssize_t)strlen(typed));
    }
}

/* Runs a line on a terminal of its own; all that it shows is in `out`, without carriage returns. */
static inline void run_on_terminal(struct command *command, const struct terminal *terminal, const char *line)
{
    char *copy = strdup(line);
    char *shown = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&shown, &bytes);
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    int status = 0;
    char slave[128];
    char piece[4096];
    ssize_t count;
    if (master < 0) {
        print_message("this machine has no terminals to give: %s\n", strerror(errno));
        if (stream) {
            fclose(stream);
        }
        free(shown);
        free(copy);
        skip();
    }
    assert_true(copy && stream);
    assert_int_equal(grantpt(master) | unlockpt(master), 0);
    assert_int_equal(ptsname_r(master, slave, sizeof slave), 0);
    int end = open(slave, O_RDWR | O_NOCTTY);
    assert_true(end >= 0);
    if (terminal->unchanged) {
        leave_unchanged(end);
    }
    const char *before = terminal->before;
    bool asked = before == NULL && !terminal->meanwhile; /* what is typed need not wait for the question */
    if (asked) {
        type(master, terminal->typed);
    }
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(master);
        start_on_terminal(command, terminal, end, copy);
    }
    close(end);
    while ((count = read(master, piece, sizeof piece)) > 0 || (count < 0 && errno == EINTR)) {
        for (ssize_t i = 0; i < count; i++) {
            if (piece[i] != '\r' || terminal->unchanged) {
                fputc(piece[i], stream);
            }
        }
        fflush(stream);
        if (!asked && strstr(shown, "[y/N] ")) {
            if (before) {
                command_must(command, before);
            }
            if (terminal->meanwhile) {
                terminal->meanwhile(command);
            }
            type(master, terminal->typed);
            asked = true;
        }
    }
    close(master);
    fclose(stream);
    assert_int_equal(waitpid(child, &status, 0), child);
    command->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    free(command->out);
    command->out = shown;
    free(command->err);
    command->err = strdup("");
    free(copy);
}

#endif
