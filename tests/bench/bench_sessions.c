/*
 * How long `xylem sessions` takes to list ten thousand sessions: wall time of the whole process, its output read
 * through a pipe, the store in the page cache. Beside it the floor (`xylem version`, which starts and ends), and the
 * two calls of the library that the list is made of, in this process.
 */
#include <stdio.h>

#include "tests/bench/bench.h"
#include "tests/bench/process.h"
#include "xylem/append.h"
#include "xylem/branch.h"

enum { ENTRIES = 20, SESSIONS = 10000 };

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
    bench_xylem(code, "a session", &err);
    for (int i = 0; i < ENTRIES; i++) {
        bool named = number % 3 == 0 && i == ENTRIES / 2;
        entries[i] = (struct xylem_new_entry){
            .kind = {XYLEM_CLASS_HOST, xylem_view_of(named ? "session_info" : "message")},
            .format = XYLEM_FORMAT_JSON,
            .payload = xylem_view_of(
                named ? name
                      : "{\"message\":{\"role\":\"user\",\"content\":\"as long as what people ask mostly is\"}}")};
    }
    bench_xylem(xylem_append(NULL, txn, session.number, entries, ENTRIES, NULL, &err), "an append", &err);
    *last = session.number;
}

static void make_store(struct xylem_store **store, const char *path, int count)
{
    struct xylem_error err;
    struct xylem_open_options options = {.create = true, .durability = XYLEM_DURABILITY_NONE};
    struct xylem_txn *txn = NULL;
    uint64_t last = 0;
    bench_xylem(xylem_open(store, path, &options, &err), path, &err);
    bench_xylem(xylem_begin(&txn, *store, XYLEM_WRITE, &err), "a transaction", &err);
    for (int i = 0; i < count; i++) {
        add_session(txn, i, &last);
    }
    bench_xylem(xylem_commit(txn, &err), "a commit", &err);
}

static void run_calls(void *context, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        struct xylem_error err;
        struct xylem_txn *txn = NULL;
        struct xylem_sessions *sessions = NULL;
        struct xylem_session session;
        struct xylem_outline outline;
        struct xylem_buffer names = {0};
        bench_xylem(xylem_begin(&txn, context, XYLEM_READ, &err), "a transaction", &err);
        bench_xylem(xylem_sessions_new(&sessions, txn, &err), "the sessions", &err);
        while (xylem_sessions_next(&session, sessions, &err) == 1) {
            bench_xylem(xylem_outline_read(&outline, &names, txn, &session, &err), "an outline", &err);
        }
        xylem_sessions_free(sessions);
        xylem_abort(txn);
        xylem_buffer_release(&names);
    }
}

static void run_command(void *context, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        bench_command(context, NULL, 0);
    }
}

static void measure(struct bench *bench)
{
    struct xylem_store *store = NULL;
    int count = bench_quick(bench) ? SESSIONS / 10 : SESSIONS;
    char *program = (char *)bench_program(bench);
    char *path = (char *)bench_path(bench, "store");
    char *version[] = {program, (char *)"version", NULL};
    char *rows[] = {program, (char *)"-s", path, (char *)"sessions", NULL};
    char *lines[] = {program, (char *)"-s", path, (char *)"sessions", (char *)"--jsonl", NULL};
    const char *table = bench_format(bench, "list %d sessions of %d entries, page cache warm", count, ENTRIES);
    make_store(&store, path, count);
    bench_add_read(bench, table, "sessions and outlines, the calls", run_calls, store);
    bench_add_read(bench, table, "xylem version", run_command, version);
    bench_add_read(bench, table, "xylem sessions | cat", run_command, rows);
    bench_add_read(bench, table, "xylem sessions --jsonl | cat", run_command, lines);
    bench_run(bench, 5);
    bench_xylem(xylem_close(store, NULL), "close", NULL);
}

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "sessions", measure);
}
