/*
 * How long `xylem sessions` takes to list ten thousand sessions: wall time of the whole process, its output read
 * through a pipe, the store in the page cache. Beside it the floor: the calls of the library that the list is made of,
 * in this process. First without kept outlines, then with them.
 */
#include "tests/bench/stores.h"
#include "xylem/append.h"
#include "xylem/branch.h"
#include "xylem/outline.h"

enum { ENTRIES = 20, SESSIONS = 10000 };

/* Every tenth session is a fork of the one before it, every third has a name that was given in the middle of it. */
static void add_session(struct xylem_txn *txn, int number, uint64_t *last)
{
    struct xylem_session session;
    struct xylem_session_options options = {.cwd = xylem_view_of("/home/dev/project")};
    struct xylem_new_entry entries[ENTRIES];
    for (int i = 0; i < ENTRIES; i++) {
        bool named = number % 3 == 0 && i == ENTRIES / 2;
        entries[i] = (struct xylem_new_entry){
            .kind = {XYLEM_CLASS_HOST, xylem_view_of(named ? "session_info" : "message")},
            .format = XYLEM_FORMAT_JSON,
            .payload = xylem_view_of(
                named ? bench_text("{\"name\":\"session %d\"}", number)
                      : "{\"message\":{\"role\":\"user\",\"content\":\"as long as what people ask mostly is\"}}")};
    }
    bench_xylem(number % 10 == 9 ? xylem_clone(&session, txn, *last, &options, &bench_err)
                                 : xylem_session_create(&session, txn, &options, &bench_err));
    bench_xylem(xylem_append(NULL, txn, session.number, entries, ENTRIES, NULL, &bench_err));
    *last = session.number;
}

struct subject {
    struct bench_command command; /* first, as bench_command() wants */
    struct xylem_store *store;
};

static void run_calls(struct bench_call call)
{
    const struct subject *subject = call.subject;
    struct xylem_txn *txn = bench_begin(subject->store, XYLEM_READ);
    struct xylem_outlines *outlines = NULL;
    struct xylem_session session;
    struct xylem_outline outline;
    struct xylem_buffer names = {0};
    int64_t active_ms;
    bench_xylem(xylem_outlines_new(&outlines, txn, NULL, &bench_err));
    while (xylem_outlines_next(&session, &active_ms, outlines, &bench_err) == 1) {
        bench_xylem(xylem_outline_read(&outline, &names, txn, &session, &bench_err));
    }
    xylem_outlines_free(outlines);
    xylem_abort(txn);
    xylem_buffer_release(&names);
}

static const struct bench_row rows[] = {
    {"sessions and outlines, the calls", BENCH_READS, .run = run_calls},
    {"xylem sessions | cat", BENCH_READS, .run = bench_command},
};

BENCH("sessions")
{
    int count = bench_quick ? SESSIONS / 10 : SESSIONS;
    const char *path = bench_path("store");
    struct subject subject = {{.words = {bench_program, "-s", path, "sessions"}},
                              bench_open(path, XYLEM_DURABILITY_NONE)};
    struct xylem_txn *txn = bench_begin(subject.store, XYLEM_WRITE);
    uint64_t last = 0;
    for (int i = 0; i < count; i++) {
        add_session(txn, i, &last);
    }
    bench_commit(txn);
    bench_table(bench_text("list %d sessions of %d entries from the entries, page cache warm", count, ENTRIES),
                &subject, BENCH_ROWS(rows));
    bench_run(5);
    bench_xylem(xylem_outlines_refresh(NULL, subject.store, &bench_err));
    bench_table(bench_text("list %d sessions of %d entries from kept outlines, page cache warm", count, ENTRIES),
                &subject, BENCH_ROWS(rows));
    bench_run(5);
}
