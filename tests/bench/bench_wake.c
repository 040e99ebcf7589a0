/*
 * How long after a commit another process knows. One operation: the commit of an entry without a sync, then the wait
 * for the answer of a process that waits for commits and reads the new leaf. The answer comes through a pipe. The floor
 * also commits, and then tells a process through a pipe: no event has less to do.
 */
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>

#include "tests/bench/stores.h"
#include "xylem/wake.h"

enum { BY_PIPE, BY_WAKE, BY_WATCH, HOWS };

/* Each has a store of its own, and a process that looks at it. */
static struct subject {
    struct bench_made made;
    int tell; /* the floor's: to the process */
    int hear; /* from the process: a byte, or a line of the watch */
} subjects[HOWS];

static void await_answer(const struct subject *subject, int how)
{
    char byte;
    do {
        bench_must(read(subject->hear, &byte, 1) == 1, "an answer", "the other process is gone");
    } while (how == BY_WATCH && byte != '\n');
}

static void run(struct bench_call call)
{
    const struct subject *subject = (struct subject *)call.subject + call.how;
    bench_append(subject->made.store, subject->made.session, 1, 0);
    bench_must(call.how != BY_PIPE || write(subject->tell, "c", 1) == 1, "a byte to the other process", "it is gone");
    await_answer(subject, call.how);
}

/* Answers once at the beginning, and then to each commit whose entry it sees. */
static void answer(const struct bench_made *made, int how, int hear, int say)
{
    struct xylem_store *store = NULL;
    struct xylem_wake *wake = NULL;
    struct xylem_open_options options = {.read_only = true};
    char byte = 'r';
    bench_xylem(xylem_open(&store, made->path, &options, &bench_err));
    bench_xylem(xylem_wake_new(&wake, store, &bench_err));
    for (uint64_t seen = 0;;) {
        uint64_t depth = bench_leaf(store, made->session).depth;
        bench_must(depth == seen || write(say, &byte, 1) == 1, "an answer", "nobody reads it");
        seen = depth;
        struct pollfd wait = {.fd = how == BY_WAKE ? xylem_wake_fd(wake) : hear, .events = POLLIN};
        do {
            poll(&wait, 1, -1);
        } while (how == BY_WAKE ? xylem_wake_take(wake, NULL) != 1 : read(hear, &byte, 1) != 1);
    }
}

static void start(struct subject *subject, int how)
{
    int to[2];
    int from[2];
    bench_must(pipe(to) == 0 && pipe(from) == 0, "a pipe", "there is none");
    *subject = (struct subject){bench_make(bench_path("%d", how), 1, 0), to[1], from[0]};
    pid_t child = fork();
    bench_must(child >= 0, "a process", "there is none");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* it ends with the bench */
        if (how == BY_WATCH) {
            dup2(from[1], STDOUT_FILENO);
            execl(bench_program, "xylem", "-s", subject->made.path, "watch", "--jsonl", (char *)NULL);
            _exit(127);
        }
        answer(&subject->made, how, to[0], from[1]);
    }
    close(from[1]);
    struct pollfd wait = {.fd = subject->hear, .events = POLLIN};
    while (how == BY_WATCH && poll(&wait, 1, 50) == 0) { /* entries before the beginning of a watch are no lines */
        bench_append(subject->made.store, subject->made.session, 1, 0);
    }
    do {
        await_answer(subject, how);
    } while (poll(&wait, 1, 200) == 1);
}

static const struct bench_row rows[] = {
    {"a byte through a pipe", BENCH_UNSYNCED, run, .how = BY_PIPE, .most = 1},
    {"xylem_wake_fd", BENCH_UNSYNCED, run, .how = BY_WAKE, .most = 1},
    {"xylem watch --jsonl", BENCH_UNSYNCED, run, .how = BY_WATCH, .most = 1},
};

BENCH("wake")
{
    for (int how = 0; how < HOWS; how++) {
        start(&subjects[how], how);
    }
    bench_table("a commit, and another process has read it", subjects, BENCH_ROWS(rows));
    bench_run(15);
}
