/* Reads lines from standard input for a program that must see signals between two lines. */
#include "cli/sequence_lines.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* The time for an answer to a host that has sent a signal and does not read. */
#define PATIENCE_SECONDS 2

/* An ignored signal stays ignored, as by nohup(1): a blocked signal would arrive in spite of that. */
static void awaited(sigset_t *set)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;
    sigemptyset(set);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        if (sigaction(signals[i], NULL, &action) != 0 || action.sa_handler != SIG_IGN) {
            sigaddset(set, signals[i]);
        }
    }
}

/* True if a signal has arrived that nobody has read yet. */
static bool is_pending(const sigset_t *set)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && ((sigismember(set, SIGINT) && sigismember(&pending, SIGINT)) ||
                                         (sigismember(set, SIGTERM) && sigismember(&pending, SIGTERM)) ||
                                         (sigismember(set, SIGHUP) && sigismember(&pending, SIGHUP)));
}

int xylem_cli__lines_start(struct xylem_cli *cli, struct xylem_cli__lines_in *lines)
{
    sigset_t set;
    awaited(&set);
    *lines = (struct xylem_cli__lines_in){.signal_fd = -1};
    if (sigprocmask(SIG_BLOCK, &set, &lines->before) != 0 ||
        (lines->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)) < 0) {
        return xylem_cli__fail(cli, XYLEM_E_IO, "signals cannot be awaited: %s", strerror(errno));
    }
    return 0;
}

void xylem_cli__lines_signals(struct xylem_cli__lines_in *lines, bool open)
{
    sigset_t set;
    awaited(&set);
    alarm(open && is_pending(&set) ? PATIENCE_SECONDS : 0);
    if (open && !is_pending(&set)) {
        sigprocmask(SIG_SETMASK, &lines->before, NULL);
    } else {
        sigprocmask(SIG_BLOCK, &set, NULL);
    }
}

void xylem_cli__lines_end(struct xylem_cli__lines_in *lines)
{
    if (lines->signal_fd >= 0) {
        close(lines->signal_fd);
        sigprocmask(SIG_SETMASK, &lines->before, NULL);
    }
    xylem_cli__text_release(&lines->bytes);
}

/* True if the bytes hold a line, or the rest of the input. The rest of a long line is dropped. */
static bool find_line(struct xylem_cli__lines_in *lines, struct xylem_view *line)
{
    struct xylem_buffer *bytes = &lines->bytes.bytes;
    const char *newline = bytes->bytes > lines->looked_at
                              ? memchr(bytes->data + lines->looked_at, '\n', bytes->bytes - lines->looked_at)
                              : NULL;
    lines->looked_at = bytes->bytes;
    if (!newline && (!lines->ended || bytes->bytes == 0)) {
        return false;
    }
    size_t length = newline ? (size_t)(newline - bytes->data) : bytes->bytes;
    lines->given = length + (newline ? 1 : 0);
    *line = (struct xylem_view){bytes->data, length};
    return true;
}

/* Waits for input or a signal, and reads. Gives LINE after input, and at its end; or SIGNAL, or an error. */
static int read_more(struct xylem_cli *cli, struct xylem_cli__lines_in *lines)
{
    static char chunk[65536];
    struct signalfd_siginfo info;
    struct pollfd polled[2] = {{.fd = lines->signal_fd, .events = POLLIN}, {.fd = STDIN_FILENO, .events = POLLIN}};
    int ready = poll(polled, 2, -1);
    if (ready > 0 && read(lines->signal_fd, &info, sizeof info) == (ssize_t)sizeof info) {
        lines->signal_number = (int)info.ssi_signo;
        return XYLEM_CLI__LINES_SIGNAL;
    }
    ssize_t count = ready < 0 ? -1 : read(STDIN_FILENO, chunk, sizeof chunk);
    if (count < 0 && errno != EINTR && errno != EAGAIN) {
        return xylem_cli__fail(cli, XYLEM_E_IO, "standard input cannot be read: %s", strerror(errno));
    }
    lines->ended = count == 0;
    xylem_cli__add_bytes(&lines->bytes, chunk, count > 0 ? (size_t)count : 0);
    return lines->bytes.failed ? xylem_cli__fail_memory(cli) : XYLEM_CLI__LINE;
}

int xylem_cli__lines_next(struct xylem_cli *cli, struct xylem_cli__lines_in *lines, struct xylem_view *line,
                          size_t bytes_max)
{
    struct xylem_buffer *bytes = &lines->bytes.bytes;
    int code = XYLEM_CLI__LINE;
    if (lines->given > 0) { /* drops the line that was given before */
        memmove(bytes->data, bytes->data + lines->given, bytes->bytes - lines->given);
        bytes->bytes -= lines->given;
        lines->given = 0;
        lines->looked_at = 0;
    }
    while (code == XYLEM_CLI__LINE) {
        if (find_line(lines, line)) {
            bool long_line = lines->skipping || line->bytes > bytes_max;
            lines->skipping = false;
            return long_line ? XYLEM_CLI__LINE_TOO_LONG : XYLEM_CLI__LINE;
        }
        if (lines->ended) {
            bool was_skipping = lines->skipping;
            lines->skipping = false;
            return was_skipping ? XYLEM_CLI__LINE_TOO_LONG : XYLEM_CLI__LINES_END;
        }
        if (bytes->bytes > bytes_max) {
            lines->skipping = true;
            bytes->bytes = 0;
            lines->looked_at = 0;
        }
        code = read_more(cli, lines);
    }
    return code;
}
