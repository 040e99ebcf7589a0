/* For tests of runs: a store without an open transaction, a catalogue, a sequence of two steps, and runs in it. */
#ifndef XYLEM_TESTS_SEQUENCE_PLAY_H
#define XYLEM_TESTS_SEQUENCE_PLAY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/claiming.h"
#include "tests/lib/store_builder.h"
#include "tests/lib/test.h"
#include "tests/lib/verified.h"

#define PLAY_COMMANDS                                                                                  \
    "{\"schema\":1,\"compact\":true,\"expands\":true,\"commands\":["                                   \
    "{\"name\":\"readonly\",\"source\":\"own\",\"arguments\":[\"\",\"on\",\"off\"],\"toggles\":true}," \
    "{\"name\":\"plan\",\"source\":\"prompt\",\"path\":\"/p/plan.md\",\"hash\":\"1\"}]}"

static struct store_builder builder;
static struct xylem_catalogue *catalogue;
static struct xylem_error err;

static struct xylem_catalogue *play_catalogue(const char *json)
{
    struct xylem_catalogue *made = NULL;
    store_builder_must(xylem_catalogue_new_json(&made, xylem_view_of(json), &err), &err);
    return made;
}

static int set_up(void **state)
{
    (void)state;
    store_builder_open(&builder);
    store_builder_must(xylem_commit(builder.txn, &err), &err);
    builder.txn = NULL;
    catalogue = play_catalogue(PLAY_COMMANDS);
    return 0;
}

static inline struct xylem_txn *play_begin(void)
{
    struct xylem_txn *txn;
    store_builder_must(xylem_begin(&txn, builder.store, XYLEM_READ, &err), &err);
    return txn;
}

/* Every test ends with a store that verifies (property 11). */
static int tear_down(void **state)
{
    (void)state;
    struct xylem_txn *txn = play_begin();
    assert_verified(txn);
    xylem_abort(txn);
    xylem_catalogue_free(catalogue);
    store_builder_close(&builder);
    return 0;
}

static const struct xylem_view play_steps[] = {{"Plan it", 7}, {"/readonly on", 12}};

static inline struct xylem_run_options play_options(uint32_t total_runs)
{
    return (struct xylem_run_options){.sequence_id = xylem_view_of("q1"),
                                      .steps = play_steps,
                                      .step_count = 2,
                                      .total_runs = total_runs,
                                      .session = xylem_view_of("S1"),
                                      .entry = xylem_view_of("e1"),
                                      .cwd = xylem_view_of("/home/dev")};
}

static char run_id[XYLEM_UUID_TEXT_BYTES]; /* of the run of the test */

static inline struct xylem_run *play_start_in(struct xylem_store *store, const struct xylem_run_options *options)
{
    struct xylem_run *run = NULL;
    store_builder_must(xylem_run_start(&run, run_id, NULL, store, catalogue, options, &err), &err);
    return run;
}

static inline struct xylem_run *play_start(uint32_t total_runs)
{
    struct xylem_run_options options = play_options(total_runs);
    return play_start_in(builder.store, &options);
}

static inline struct xylem_run *play_open(enum xylem_run_decision decision, const char *session)
{
    struct xylem_run *run = NULL;
    store_builder_must(
        xylem_run_open(&run, builder.store, xylem_view_of(run_id), decision, xylem_view_of(session), &err), &err);
    return run;
}

static inline struct xylem_action play_next(struct xylem_run *run)
{
    struct xylem_action action;
    store_builder_must(next_claimed(&action, run, catalogue, &err), &err);
    return action;
}

static inline void play_done(struct xylem_run *run)
{
    store_builder_must(xylem_run_done(run, (struct xylem_view){NULL, 0}, &err), &err);
}

static inline void play_step(struct xylem_run *run)
{
    assert_int_equal(play_next(run).type, XYLEM_ACTION_EXECUTE);
    play_done(run);
}

static inline void play_close(struct xylem_run *run)
{
    store_builder_must(xylem_run_close(run, &err), &err);
}

static inline struct xylem_run_state play_state(void)
{
    struct xylem_run_state state;
    struct xylem_txn *txn = play_begin();
    store_builder_must(xylem_run_read(&state, txn, xylem_view_of(run_id), &err), &err);
    xylem_abort(txn);
    return state;
}

static inline enum xylem_run_phase play_phase(void)
{
    struct xylem_run_state state = play_state();
    enum xylem_run_phase phase = state.phase;
    xylem_run_state_release(&state);
    return phase;
}

#define assert_phase(expected) assert_string_equal(xylem_run_phase_word(play_phase()), xylem_run_phase_word(expected))
#define assert_code(call, expected)                                                                               \
    do {                                                                                                          \
        int code_of_call = (call);                                                                                \
        if (code_of_call != (expected)) {                                                                         \
            fail_msg("%s instead of %s: %s", xylem_code_name(code_of_call), xylem_code_name(expected), err.text); \
        }                                                                                                         \
    } while (0)
#define assert_text_has(part)                                \
    do {                                                     \
        if (!strstr(err.text, part)) {                       \
            fail_msg("'%s' is not in '%s'", part, err.text); \
        }                                                    \
    } while (0)

static inline uint64_t play_ledger(struct xylem_txn *txn)
{
    struct xylem_session session;
    char id[64];
    snprintf(id, sizeof id, "seq.%s", run_id);
    store_builder_must(xylem_session_find(&session, txn, xylem_view_of(id), &err), &err);
    return session.number;
}

/* The ids of the ledger's entries, oldest first. */
static inline void assert_ledger(const char *expected)
{
    struct xylem_txn *txn = play_begin();
    struct xylem_scan *scan;
    struct xylem_entry entry;
    struct xylem_buffer ids = {NULL, 0, 0};
    store_builder_must(xylem_scan_new(&scan, txn, play_ledger(txn), &err), &err);
    while (store_builder_must(xylem_scan_next(&entry, scan, &err), &err) == 1) {
        xylem_buffer_add(&ids, " ", ids.bytes > 0);
        xylem_buffer_add(&ids, entry.id.data, entry.id.bytes);
    }
    xylem_scan_free(scan);
    xylem_abort(txn);
    assert_string_equal(ids.data, expected);
    xylem_buffer_release(&ids);
}

/* Plays in a process that ends without closing anything. The process tells the run's id. */
static inline void play_and_die(void (*play)(struct xylem_store *store))
{
    int ends[2];
    int status = 0;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
        struct xylem_store *store = NULL;
        if (xylem_open(&store, builder.path, &options, &err) < 0) {
            _exit(2);
        }
        play(store);
        _exit(write(ends[1], run_id, sizeof run_id) == sizeof run_id ? 0 : 3);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], run_id, sizeof run_id), sizeof run_id);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Fails in the child as an exit status: an assertion of cmocka would go on in the child. */
#define child_must(call)                           \
    do {                                           \
        if ((call) < 0) {                          \
            fprintf(stderr, "child: %s\n", #call); \
            _exit(4);                              \
        }                                          \
    } while (0)

#endif
