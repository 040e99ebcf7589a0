/*
 * xylem's side of `make bench-pi`, which tools/bench_pi.sh runs beside pi.mjs, pi's side:
 *
 *     pi import STORE FILE        imports the session file into a new store
 *     pi measure STORE SESSION    opens the store and rehydrates, the same in a warm process, forks, appends to a fork
 *
 * Prints `sample NAME NUMBER` for each figure, in nanoseconds or bytes, and what was found.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "xylem/append.h"
#include "xylem/branch.h"
#include "xylem/files.h"
#include "xylem/state.h"

/* Those of pi.mjs. The first WARM_UP_COUNT calls of a warm process are not reported: they fill caches. */
enum { WARM_UP_COUNT = 10, WARM_COUNT = 50, FORK_COUNT = 3, APPEND_COUNT = 50 };

static void must(int code, const char *what, const struct xylem_error *err)
{
    if (code < 0) {
        fprintf(stderr, "bench-pi: %s: %s\n", what, err ? err->text : "failed");
        exit(1);
    }
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void sample(const char *name, int64_t number)
{
    printf("sample %s %" PRId64 "\n", name, number);
}

/* A line of /proc/self/status, in bytes. */
static int64_t process_bytes(const char *name)
{
    char line[256];
    int64_t kilobytes = -1;
    FILE *status = fopen("/proc/self/status", "r");
    must(status ? 0 : -1, "/proc/self/status", NULL);
    while (fgets(line, sizeof line, status)) {
        if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':') {
            kilobytes = strtoll(line + strlen(name) + 1, NULL, 10);
        }
    }
    fclose(status);
    must(kilobytes < 0 ? -1 : 0, name, NULL);
    return kilobytes * 1024;
}

/* Sets the peak of the process's memory to what it takes now, and says how much that is. */
static int64_t reset_peak_bytes(void)
{
    FILE *references = fopen("/proc/self/clear_refs", "w");
    must(references && fputs("5", references) >= 0 && fclose(references) == 0 ? 0 : -1, "/proc/self/clear_refs", NULL);
    return process_bytes("VmRSS");
}

static struct xylem_store *open_store(const char *path, enum xylem_durability durability)
{
    struct xylem_error err;
    struct xylem_open_options options = {.create = true, .durability = durability};
    struct xylem_store *store = NULL;
    must(xylem_open(&store, path, &options, &err), path, &err);
    return store;
}

static void import_file(const char *path, const char *file)
{
    struct xylem_error err;
    struct xylem_import_report report;
    struct xylem_store *store = open_store(path, XYLEM_DURABILITY_FULL);
    int64_t begin = now_ns();
    must(xylem_import(&report, store, file, NULL, &err), file, &err);
    sample("import", now_ns() - begin);
    must(report.problem_count == 0 && report.added_count + 1 == report.line_count ? 0 : -1,
         "the import did not place every line", NULL);
    printf("session %s\nentries %" PRIu64 "\n", report.session_id, report.added_count);
    xylem_import_report_release(&report);
    must(xylem_close(store, &err), "close", &err);
}

/* The session's number, and the state at its leaf. */
static uint64_t rehydrate(struct xylem_state *state, struct xylem_store *store, const char *session_id)
{
    const struct xylem_event event = {.type = XYLEM_EVENT_SESSION_START, .reason = XYLEM_REASON_RESUME};
    struct xylem_error err;
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    must(xylem_begin(&txn, store, XYLEM_READ, &err), "a transaction", &err);
    must(xylem_session_find(&session, txn, xylem_view_of(session_id), &err), session_id, &err);
    must(xylem_rehydrate(state, txn, session.leaf, &event, NULL, &err), "the state", &err);
    xylem_abort(txn);
    return session.number;
}

static struct xylem_store *measure_open(uint64_t *session, struct xylem_state *state, const char *path,
                                        const char *session_id)
{
    int64_t before_bytes = reset_peak_bytes();
    int64_t begin = now_ns();
    struct xylem_store *store = open_store(path, XYLEM_DURABILITY_FULL);
    *session = rehydrate(state, store, session_id);
    sample("open", now_ns() - begin);
    sample("memory_before", before_bytes);
    sample("memory_open", process_bytes("VmHWM") - before_bytes);
    printf("state %s %.*s\n", state->readonly.enabled ? "true" : "false", (int)state->sequence.sequence_id.bytes,
           state->sequence.sequence_id.data);
    return store;
}

static void measure_warm(struct xylem_store *store, const char *session_id)
{
    for (int i = -WARM_UP_COUNT; i < WARM_COUNT; i++) {
        struct xylem_state state;
        int64_t begin = now_ns();
        rehydrate(&state, store, session_id);
        xylem_state_release(&state);
        if (i >= 0) {
            sample("warm", now_ns() - begin);
        }
    }
}

static uint64_t measure_forks(const char *name, struct xylem_store *store, uint64_t source, struct xylem_position at)
{
    struct xylem_error err;
    struct xylem_txn *txn = NULL;
    struct xylem_session fork = {0};
    for (int i = 0; i < FORK_COUNT; i++) {
        int64_t begin = now_ns();
        must(xylem_begin(&txn, store, XYLEM_WRITE, &err), "a transaction", &err);
        must(xylem_fork(&fork, txn, source, at, XYLEM_FORK_AT, NULL, &err), "a fork", &err);
        must(xylem_commit(txn, &err), "a commit", &err);
        sample(name, now_ns() - begin);
    }
    return fork.number;
}

static void measure_appends(const char *name, struct xylem_store *store, uint64_t session)
{
    struct xylem_error err;
    struct xylem_txn *txn = NULL;
    for (int i = 0; i < APPEND_COUNT; i++) {
        const struct xylem_new_entry entry = {
            .kind = {XYLEM_CLASS_CUSTOM, xylem_view_of("readonly")},
            .format = XYLEM_FORMAT_JSON,
            .payload = xylem_view_of(i % 2 == 0 ? "{\"enabled\":true}" : "{\"enabled\":false}"),
        };
        int64_t begin = now_ns();
        must(xylem_begin(&txn, store, XYLEM_WRITE, &err), "a transaction", &err);
        must(xylem_append(NULL, txn, session, &entry, 1, NULL, &err), "an append", &err);
        must(xylem_commit(txn, &err), "a commit", &err);
        sample(name, now_ns() - begin);
    }
}

static void measure(const char *path, const char *session_id)
{
    struct xylem_error err;
    struct xylem_state state;
    uint64_t session = 0;
    struct xylem_store *full = measure_open(&session, &state, path, session_id);
    struct xylem_store *none = open_store(path, XYLEM_DURABILITY_NONE);
    measure_warm(full, session_id);
    measure_appends("append_full", full, measure_forks("fork_full", full, session, state.at));
    measure_appends("append_none", none, measure_forks("fork_none", none, session, state.at));
    xylem_state_release(&state);
    must(xylem_sync(none, &err), "a sync", &err); /* so that the next round's first commit does not pay for these */
    must(xylem_close(none, &err), "close", &err);
    must(xylem_close(full, &err), "close", &err);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "import") == 0) {
        import_file(argv[2], argv[3]);
    } else if (argc == 4 && strcmp(argv[1], "measure") == 0) {
        measure(argv[2], argv[3]);
    } else {
        fprintf(stderr, "usage: %s import STORE FILE | measure STORE SESSION\n", argv[0]);
        return 2;
    }
    return 0;
}
