/*
 * The life of a host: the host starts, toggles, navigates, forks and is killed, another process reads, and the host
 * searches. Prints a line for each step; fails if a step is not as expected.
 *
 *     host STORE      # a directory that does not exist yet
 */
#define _POSIX_C_SOURCE 200809L
#include "host.h"
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

static void must(int code, const struct xylem_error *err)
{
    if (code < 0) {
        fprintf(stderr, "host: %s: %s\n", xylem_code_text(code), err->text);
        exit(EXIT_FAILURE);
    }
}

static void expect(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "host: this does not hold: %s\n", what);
        exit(EXIT_FAILURE);
    }
}

/* Prints the place of the host, which must be `expected`. */
static void step(const struct host *host, const char *name, const char *expected)
{
    char found[64];
    snprintf(found, sizeof found, "depth %d, readonly %s%s", (int)host->leaf.depth, host->readonly ? "on" : "off",
             !host->nudge_due ? ""
             : host->nudge_on ? ", tell on"
                              : ", tell off");
    printf("%-36s %s\n", name, found);
    expect(strcmp(found, expected) == 0, expected);
}

/* The host ends, and starts again. */
static void restart(struct host *host, const char *path, bool flag_readonly)
{
    struct xylem_error err;
    must(host_close(host, &err), &err);
    must(host_open(host, path, "main", flag_readonly, &err), &err);
}

static void live_on_branches(struct host *host, const char *path)
{
    struct xylem_error err;
    must(host_turn(host, "u1", &err), &err);
    step(host, "a turn", "depth 2, readonly off");
    must(host_toggle(host, true, &err), &err);
    step(host, "toggle on", "depth 4, readonly on, tell on");
    restart(host, path, false);
    step(host, "restart before any turn", "depth 4, readonly on, tell on");
    must(host_turn(host, "u2", &err), &err);
    step(host, "a turn, which delivers the nudge", "depth 7, readonly on");
    must(host_reload(host, &err), &err);
    step(host, "reload: it was told", "depth 7, readonly on");
    must(host_navigate(host, "u1", &err), &err);
    step(host, "navigate to before the toggle", "depth 1, readonly off");
    must(host_navigate(host, "u2", &err), &err);
    step(host, "and back: it is told again", "depth 6, readonly on, tell on");
    must(host_turn(host, "u3", &err), &err);
    step(host, "a turn beside the earlier one", "depth 9, readonly on");
    must(host_fork(host, "fork", "u1", &err), &err);
    step(host, "fork at the first prompt", "depth 1, readonly off");
    must(host_turn(host, "u4", &err), &err);
    step(host, "a turn in the fork", "depth 3, readonly off");
    must(host_resume(host, "main", &err), &err);
    step(host, "resume what was forked", "depth 9, readonly on");
    must(host_fork(host, "clone", NULL, &err), &err);
    step(host, "clone", "depth 9, readonly on");
    must(host_toggle(host, false, &err), &err);
    step(host, "toggle off in the clone", "depth 11, readonly off, tell off");
    restart(host, path, false);
    step(host, "restart in what was cloned", "depth 9, readonly on");
    must(host_toggle(host, false, &err), &err);
    must(host_turn(host, "u5", &err), &err);
    step(host, "toggle off, and a turn", "depth 14, readonly off");
    restart(host, path, true);
    step(host, "restart with --readonly", "depth 14, readonly on, tell on");
    restart(host, path, false);
    step(host, "restart without it", "depth 14, readonly off");
}

/* Runs this program as another process. A store does not survive fork(2): the child opens it anew. */
static int run_self(const char *mode, const char *path, const char *argument)
{
    char *const arguments[] = {(char *)"host", (char *)mode, (char *)path, (char *)argument, NULL};
    pid_t child;
    int status;
    fflush(stdout);
    expect(posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ) == 0, "a process starts");
    expect(waitpid(child, &status, 0) == child, "it ends");
    return status;
}

/* Another process: commits a message, begins more if `where` is "inside", and is killed. */
static int crash(const char *path, const char *where)
{
    struct host host;
    struct xylem_error err;
    struct xylem_txn *txn;
    struct xylem_new_entry lost = {.kind = {XYLEM_CLASS_CUSTOM, xylem_view_of("lost")}};
    must(host_open(&host, path, "main", false, &err), &err);
    must(host_message(&host, where, "user", "committed", &err), &err);
    if (strcmp(where, "inside") == 0) {
        must(xylem_begin(&txn, host.store, XYLEM_WRITE, &err), &err);
        must(xylem_append(NULL, txn, host.session, &lost, 1, NULL, &err), &err);
    }
    return raise(SIGKILL);
}

static void live_through_crashes(struct host *host, const char *path)
{
    struct xylem_error err;
    expect(WTERMSIG(run_self("--crash", path, "inside")) == SIGKILL, "a process is killed in a transaction");
    restart(host, path, false);
    step(host, "killed in a transaction", "depth 15, readonly off");
    expect(WTERMSIG(run_self("--crash", path, "between")) == SIGKILL, "a process is killed between two commits");
    expect(host_toggle(host, true, &err) == XYLEM_E_CONFLICT, "an append that does not know of its entry is refused");
    must(host_reload(host, &err), &err);
    step(host, "killed between two commits", "depth 16, readonly off");
}

/* Another process reads: is the leaf the entry `id`? */
static int read_leaf(const char *path, const char *entry_id)
{
    struct xylem_open_options options = {.read_only = true};
    struct xylem_store *store;
    struct xylem_session session;
    struct xylem_entry leaf;
    struct xylem_txn *txn;
    struct xylem_error err;
    must(xylem_open(&store, path, &options, &err), &err);
    must(xylem_begin(&txn, store, XYLEM_READ, &err), &err);
    must(xylem_session_find(&session, txn, xylem_view_of("main"), &err), &err);
    must(xylem_entry_read(&leaf, txn, session.leaf, &err), &err);
    printf("  a reader finds %.*s\n", (int)leaf.id.bytes, leaf.id.data);
    bool same = leaf.id.bytes == strlen(entry_id) && memcmp(leaf.id.data, entry_id, leaf.id.bytes) == 0;
    xylem_abort(txn); /* the id was a view, and ends here */
    must(xylem_close(store, &err), &err);
    return same ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void live_beside_a_reader(struct host *host, const char *path)
{
    struct xylem_error err;
    struct xylem_txn *txn;
    struct xylem_new_entry note = {.id = xylem_view_of("n1"), .kind = {XYLEM_CLASS_CUSTOM, xylem_view_of("note")}};
    must(xylem_begin(&txn, host->store, XYLEM_WRITE, &err), &err);
    must(xylem_append(NULL, txn, host->session, &note, 1, NULL, &err), &err);
    expect(run_self("--read", path, "between") == 0, "a reader finds what is committed, and does not wait");
    must(xylem_commit(txn, &err), &err);
    expect(run_self("--read", path, "n1") == 0, "a reader finds what was committed since");
}

/* Prints where the crashed processes wrote, in all sessions. */
static void search(struct host *host)
{
    struct xylem_error err;
    struct xylem_txn *txn;
    must(xylem_begin(&txn, host->store, XYLEM_READ, &err), &err);
    struct xylem_search_options options = {.pattern = xylem_view_of("committed"), .hits_max = 20};
    struct xylem_search_report report;
    int code = xylem_search(&report, txn, &options, &err);
    for (size_t i = 0; code == 0 && i < report.hit_count; i++) {
        const struct xylem_search_hit *hit = &report.hits[i];
        printf("%.*s: %.*s\n", (int)hit->entry_id.bytes, hit->entry_id.data, (int)hit->text.bytes, hit->text.data);
    }
    xylem_search_report_release(&report);
    xylem_abort(txn);
    must(code, &err);
}

int main(int argc, char **argv)
{
    struct host host;
    struct xylem_error err;
    if (argc == 4 && strcmp(argv[1], "--crash") == 0) {
        return crash(argv[2], argv[3]);
    }
    if (argc == 4 && strcmp(argv[1], "--read") == 0) {
        return read_leaf(argv[2], argv[3]);
    }
    if (argc != 2) {
        fprintf(stderr, "usage: host STORE\n");
        return 2;
    }
    must(host_open(&host, argv[1], "main", false, &err), &err);
    step(&host, "startup", "depth 0, readonly off");
    live_on_branches(&host, argv[1]);
    live_through_crashes(&host, argv[1]);
    live_beside_a_reader(&host, argv[1]);
    search(&host);
    must(host_close(&host, &err), &err);
    return EXIT_SUCCESS;
}
