/*
 * How long `xylem sessions` takes to list many sessions: wall time of the whole process, its output read through a pipe,
 * the store in the page cache. Beside it the floor (`xylem version`, which starts and ends), and the two calls of the
 * library that the list is made of, in this process.
 *
 *     build/bench/sessions [PROGRAM [SESSIONS [ROUNDS]]]
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "xylem.h"

enum { ENTRIES = 20, ROUNDS_MAX = 1000 };

extern char **environ;

static void must(int code, const char *what, const struct xylem_error *err)
{
    if (code < 0) {
        fprintf(stderr, "bench: %s: %s\n", what, err ? err->text : "");
        exit(1);
    }
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Every tenth session is a fork of the one before it, every third has a name that was given in the middle of it. */
static void add_session(struct xylem_txn *txn, int number, uint64_t *last)
{
    struct xylem_error err;
    struct xylem_session session;
    struct xylem_session_options options = {.cwd = xylem_view_of("/home/dev/project")};
    struct xylem_new_entry entries[ENTRIES];
    char name[64];
    int code = XYLEM_OK;
    snprintf(name, sizeof name, "{\"name\":\"session %d\"}", number);
    if (number % 10 == 9) {
        code = xylem_clone(&session, txn, *last, &options, &err);
    } else {
        code = xylem_session_create(&session, txn, &options, &err);
    }
    must(code, "a session", &err);
    for (int i = 0; i < ENTRIES; i++) {
        bool named = number % 3 == 0 && i == ENTRIES / 2;
        entries[i] = (struct xylem_new_entry){
            .kind = {XYLEM_CLASS_HOST, xylem_view_of(named ? "session_info" : "message")},
            .format = XYLEM_FORMAT_JSON,
            .payload = xylem_view_of(
                named ? name
                      : "{\"message\":{\"role\":\"user\",\"content\":\"as long as what people ask mostly is\"}}")};
    }
    must(xylem_append(NULL, txn, session.number, entries, ENTRIES, NULL, &err), "an append", &err);
    *last = session.number;
}

static void make_store(struct xylem_store **store, const char *path, int count)
{
    struct xylem_error err;
    struct xylem_open_options options = {.create = true, .durability = XYLEM_DURABILITY_NONE};
    struct xylem_txn *txn = NULL;
    uint64_t last = 0;
    must(xylem_open(store, path, &options, &err), path, &err);
    must(xylem_begin(&txn, *store, XYLEM_WRITE, &err), "a transaction", &err);
    for (int i = 0; i < count; i++) {
        add_session(txn, i, &last);
    }
    must(xylem_commit(txn, &err), "a commit", &err);
}

/* Runs the command and reads what it writes. */
static double run_command(char *const *words)
{
    int ends[2];
    char piece[65536];
    pid_t pid = 0;
    int status = 0;
    posix_spawn_file_actions_t actions;
    double begin = now_ms();
    must(pipe(ends) == 0 ? 0 : -1, "a pipe", NULL);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    must(posix_spawn(&pid, words[0], &actions, NULL, words, environ) == 0 ? 0 : -1, words[0], NULL);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    while (read(ends[0], piece, sizeof piece) > 0) {
    }
    close(ends[0]);
    waitpid(pid, &status, 0);
    must(WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1, "the command failed", NULL);
    return now_ms() - begin;
}

static double run_calls(struct xylem_store *store)
{
    struct xylem_error err;
    struct xylem_txn *txn = NULL;
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    struct xylem_outline outline;
    struct xylem_buffer names = {0};
    double begin = now_ms();
    must(xylem_begin(&txn, store, XYLEM_READ, &err), "a transaction", &err);
    must(xylem_sessions_new(&sessions, txn, &err), "the sessions", &err);
    while (xylem_sessions_next(&session, sessions, &err) == 1) {
        must(xylem_outline_read(&outline, &names, txn, &session, &err), "an outline", &err);
    }
    xylem_sessions_free(sessions);
    xylem_abort(txn);
    xylem_buffer_release(&names);
    return now_ms() - begin;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

static double report(const char *what, double *times, int rounds)
{
    qsort(times, (size_t)rounds, sizeof *times, compare);
    printf("%-28s %8.2f ms least  %8.2f ms median\n", what, times[0], times[rounds / 2]);
    return times[rounds / 2];
}

int main(int argc, char **argv)
{
    static double times[4][ROUNDS_MAX];
    char program[4096] = "build/xylem";
    char directory[] = "/tmp/xylem-bench-XXXXXX";
    char path[64];
    int count = argc > 2 ? atoi(argv[2]) : 10000;
    int rounds = argc > 3 ? atoi(argv[3]) : 25;
    struct xylem_store *store = NULL;
    if (argc > 1) {
        snprintf(program, sizeof program, "%s", argv[1]);
    }
    if (count < 1 || rounds < 1 || rounds > ROUNDS_MAX || !mkdtemp(directory)) {
        fprintf(stderr, "usage: %s [PROGRAM [SESSIONS [ROUNDS]]]\n", argv[0]);
        return 2;
    }
    snprintf(path, sizeof path, "%s/store", directory);
    make_store(&store, path, count);
    char *version[] = {program, (char *)"version", NULL};
    char *table_words[] = {program, (char *)"-s", path, (char *)"sessions", NULL};
    char *jsonl_words[] = {program, (char *)"-s", path, (char *)"sessions", (char *)"--jsonl", NULL};
    for (int i = 0; i < rounds; i++) { /* in turns, so that what else the machine does falls on all of them */
        times[0][i] = run_command(version);
        times[1][i] = run_calls(store);
        times[2][i] = run_command(table_words);
        times[3][i] = run_command(jsonl_words);
    }
    printf("%d sessions of %d entries, %d rounds, page cache warm\n", count, ENTRIES, rounds);
    report("xylem version (the floor)", times[0], rounds);
    double calls = report("sessions and outlines", times[1], rounds);
    double table = report("xylem sessions | cat", times[2], rounds);
    report("xylem sessions --jsonl | cat", times[3], rounds);
    printf("the table takes %.1f times as long as the calls that it needs\n", table / calls);
    must(xylem_close(store, NULL), "close", NULL);
    static const char *const names[] = {"store/data.mdb", "store/lock.mdb", "store/xylem.lock", "store", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char file[128];
        snprintf(file, sizeof file, "%s/%s", directory, names[i]);
        remove(file);
    }
    return 0;
}
