/*
 * How long after a commit another process knows. One operation: the commit of an entry without a sync, then the wait
 * for the answer of a process that waits for commits and reads the new leaf. The answer comes through a pipe. The floor
 * also commits, and then tells a process through a pipe: no event has less to do.
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/bench.h"
#include "tests/bench/data.h"
#include "xylem/wake.h"

struct subject {
    const char *path;
    struct xylem_store *store;
    uint64_t session;
    uint64_t number; /* of the last entry */
    pid_t child;
    int tell;   /* the floor's: to the child; -1 */
    int hear;   /* from the child */
    bool lines; /* the child answers with a line in place of a byte */
};

static void await_answer(const struct subject *subject)
{
    char byte;
    do {
        bench_must(read(subject->hear, &byte, 1) == 1, "an answer", "the other process is gone");
    } while (subject->lines && byte != '\n');
}

static void run(void *context, uint64_t count)
{
    struct subject *subject = context;
    for (uint64_t i = 0; i < count; i++) {
        bench_append(subject->store, subject->session, ++subject->number, 1, 0);
        if (subject->tell >= 0) {
            bench_must(write(subject->tell, "c", 1) == 1, "a byte to the other process", "it is gone");
        }
        await_answer(subject);
    }
}

/* Reads the leaf of the session: the commit must be visible. */
static bool has_news(struct xylem_store *store, uint64_t session, uint64_t *depth)
{
    struct xylem_position leaf = bench_leaf(store, session);
    bool news = leaf.depth > *depth;
    *depth = leaf.depth;
    return news;
}

static void answer(bool by_wake, const struct subject *subject, int hear, int say)
{
    struct xylem_store *store = NULL;
    struct xylem_wake *wake = NULL;
    struct xylem_open_options options = {.read_only = true};
    char byte = 'r';
    bench_xylem(xylem_open(&store, subject->path, &options, NULL), "xylem_open", NULL);
    bench_xylem(xylem_wake_new(&wake, store, NULL), "xylem_wake_new", NULL);
    uint64_t depth = bench_leaf(store, subject->session).depth;
    bench_must(write(say, &byte, 1) == 1, "an answer", "nobody reads");
    for (;;) {
        struct pollfd wait = {.fd = by_wake ? xylem_wake_fd(wake) : hear, .events = POLLIN};
        poll(&wait, 1, -1);
        if (by_wake ? xylem_wake_take(wake, NULL) != 1 : read(hear, &byte, 1) != 1) {
            continue;
        }
        if (has_news(store, subject->session, &depth) && write(say, &byte, 1) != 1) {
            _exit(1);
        }
    }
}

enum answerer { BY_PIPE, BY_WAKE, BY_WATCH };

static void start(struct bench *bench, struct subject *subject, const char *path, enum answerer how)
{
    int to[2];
    int from[2];
    bench_must(pipe(to) == 0 && pipe(from) == 0, "a pipe", "there is none");
    *subject = (struct subject){.path = path, .store = bench_store(path), .tell = -1, .hear = from[0]};
    subject->session = bench_session(subject->store);
    subject->lines = how == BY_WATCH;
    bench_append(subject->store, subject->session, ++subject->number, 1, 0);
    subject->child = fork();
    bench_must(subject->child >= 0, "a process", "there is none");
    if (subject->child == 0) {
        if (how == BY_WATCH) {
            dup2(from[1], STDOUT_FILENO);
            execl(bench_program(bench), "xylem", "-s", path, "watch", "--jsonl", (char *)NULL);
            _exit(127);
        }
        answer(how == BY_WAKE, subject, to[0], from[1]);
    }
    close(from[1]);
    close(to[0]);
    subject->tell = how == BY_PIPE ? to[1] : -1;
    if (how == BY_WATCH) {
        /* Until the watch answers, it has not begun: entries before its beginning are no lines. */
        struct pollfd wait = {.fd = subject->hear, .events = POLLIN};
        do {
            bench_append(subject->store, subject->session, ++subject->number, 1, 0);
        } while (poll(&wait, 1, 50) == 0);
        while (poll(&wait, 1, 200) == 1) {
            await_answer(subject);
        }
        return;
    }
    await_answer(subject);
}

static void end(struct subject *subject)
{
    kill(subject->child, SIGKILL);
    waitpid(subject->child, NULL, 0);
    close(subject->hear);
    bench_xylem(xylem_close(subject->store, NULL), "xylem_close", NULL);
}

static void measure(struct bench *bench)
{
    static const char *const names[] = {"a byte through a pipe", "xylem_wake_fd", "xylem watch --jsonl"};
    struct subject subjects[3];
    for (int i = 0; i < 3; i++) {
        start(bench, &subjects[i], bench_format(bench, "%s/%d", bench_directory(bench), i), (enum answerer)i);
        bench_add(bench, &(struct bench_contestant){.table = "a commit, and another process has read it",
                                                    .name = names[i],
                                                    .loses = BENCH_UNSYNCED,
                                                    .run = run,
                                                    .context = &subjects[i],
                                                    .count_max = 1,
                                                    .floor = i == 0});
    }
    bench_run(bench, 15);
    for (int i = 0; i < 3; i++) {
        end(&subjects[i]);
    }
}

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "wake", measure);
}
