/* Runs work in a child process, with limits on memory and on the time without messages. */
#include "cli/store/child.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* --- In the child ----------------------------------------------------------------------------------------------- */

/* A failed assertion of LMDB prints a line that helps no user; the signal tells the user enough. */
static void silence(void)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0) {
        dup2(null, STDERR_FILENO);
        close(null);
    }
}

static void limit(const struct xylem_cli__task *task)
{
    struct rlimit no_core = {0, 0};
    struct rlimit memory = {task->memory_bytes, task->memory_bytes};
    setrlimit(RLIMIT_CORE, &no_core);
    if (!SANITIZED && task->memory_bytes > 0) {
        setrlimit(RLIMIT_DATA, &memory);
    }
}

_Noreturn static void be_child(struct xylem_cli *cli, const struct xylem_cli__task *task, pid_t parent)
{
    xylem_cli__signals_child();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(XYLEM_CLI__INTERRUPTED); /* the parent ended before the call above */
    }
    if (!SANITIZED) {
        silence();
    }
    limit(task);
    int code = task->work(cli, task->context);
    xylem_cli__close(cli);
    cli->err.code = code;
    _exit(xylem_cli__child_say(XYLEM_CLI__CHILD_RESULT, &cli->err, sizeof cli->err) ? XYLEM_CLI__OK : XYLEM_CLI__IO);
}

/* --- In the parent ---------------------------------------------------------------------------------------------- */

struct hearing {
    struct xylem_cli *cli;
    const struct xylem_cli__task *task;
    int fd;
    char bytes[sizeof(struct xylem_cli__child_header) + XYLEM_CLI__MESSAGE_BYTES_MAX];
    size_t count;
    bool ended; /* the last message came */
    bool stuck; /* no message came in time */
    int result;
};

/* Takes the whole messages. An invalid message means that the child is out of control. */
static bool take(struct hearing *hearing)
{
    size_t at = 0;
    struct xylem_cli__child_header header;
    while (!hearing->ended && hearing->result == 0 && hearing->count - at >= sizeof header) {
        memcpy(&header, hearing->bytes + at, sizeof header);
        if (header.bytes > XYLEM_CLI__MESSAGE_BYTES_MAX ||
            (header.type == XYLEM_CLI__CHILD_RESULT && header.bytes != sizeof hearing->cli->err)) {
            return false;
        }
        if (hearing->count - at - sizeof header < header.bytes) {
            break;
        }
        const char *data = hearing->bytes + at + sizeof header;
        if (header.type == XYLEM_CLI__CHILD_RESULT) {
            memcpy(&hearing->cli->err, data, sizeof hearing->cli->err);
            hearing->cli->err.text[XYLEM_ERROR_TEXT_BYTES - 1] = '\0';
            hearing->result = hearing->cli->err.code;
            hearing->ended = true;
        } else if (header.type == XYLEM_CLI__CHILD_NOTE) {
            xylem_cli__note(hearing->cli, "%.*s", (int)header.bytes, data);
        } else {
            hearing->result =
                hearing->task->hear(hearing->cli, hearing->task->context, header.type, data, header.bytes);
        }
        at += sizeof header + header.bytes;
    }
    memmove(hearing->bytes, hearing->bytes + at, hearing->count - at);
    hearing->count -= at;
    return true;
}

static int64_t now_ms(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits for the next bytes. False at the end, or if no bytes came in time. */
static bool hear_more(struct hearing *hearing, int64_t timeout_ms)
{
    int64_t deadline = now_ms() + timeout_ms;
    for (;;) {
        struct pollfd poll_fd = {.fd = hearing->fd, .events = POLLIN};
        int64_t left = timeout_ms == 0 ? -1 : deadline - now_ms();
        int ready = left < 0 && timeout_ms > 0 ? 0 : poll(&poll_fd, 1, left > INT32_MAX ? INT32_MAX : (int)left);
        if (ready == 0 && left <= INT32_MAX) {
            hearing->stuck = true;
            return false;
        }
        if (ready > 0) {
            ssize_t got = read(hearing->fd, hearing->bytes + hearing->count, sizeof hearing->bytes - hearing->count);
            if (got > 0) {
                hearing->count += (size_t)got;
            }
            if (got > 0 || got == 0 || errno != EINTR) {
                return got > 0;
            }
        } else if (ready < 0 && errno != EINTR) {
            return false;
        }
    }
}

static int hear_all(struct hearing *hearing, pid_t child, struct xylem_cli__ending *ending)
{
    uint64_t seconds = hearing->task->timeout_seconds;
    int64_t timeout_ms = seconds > INT32_MAX ? (int64_t)INT32_MAX * 1000 : (int64_t)seconds * 1000;
    int status = 0;
    while (!hearing->ended && hearing->result == 0 && hear_more(hearing, timeout_ms) && take(hearing)) {
    }
    if (!hearing->ended) {
        kill(child, SIGKILL); /* in case the child has not ended by itself */
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    ending->stopped = hearing->stuck;
    ending->signal_number = hearing->ended || hearing->stuck ? 0 : WIFSIGNALED(status) ? WTERMSIG(status) : SIGABRT;
    return hearing->result;
}

int xylem_cli__child_run(struct xylem_cli *cli, struct xylem_cli__ending *ending, const struct xylem_cli__task *task)
{
    int ends[2];
    int code = xylem_cli__flush(cli);
    struct hearing *hearing = calloc(1, sizeof *hearing);
    memset(ending, 0, sizeof *ending);
    if (code != 0 || !hearing) {
        free(hearing);
        return code != 0 ? code : xylem_cli__fail_memory(cli);
    }
    pid_t parent = getpid();
    pid_t child = -1;
    if (pipe2(ends, O_CLOEXEC) == 0) {
        child = fork();
        if (child == 0) {
            close(ends[0]);
            xylem_cli__child_speaks_to(ends[1]);
            be_child(cli, task, parent);
        }
        close(ends[1]);
        if (child < 0) {
            close(ends[0]);
        }
    }
    if (child < 0) {
        free(hearing);
        return xylem_cli__fail(cli, XYLEM_E_IO, "no process can be started to read the store in: %s", strerror(errno));
    }
    *hearing = (struct hearing){.cli = cli, .task = task, .fd = ends[0]};
    code = hear_all(hearing, child, ending);
    close(ends[0]);
    free(hearing);
    return code;
}
