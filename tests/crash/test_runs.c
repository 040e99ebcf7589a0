/*
 * Runs of sequences under kill -9, broken leases, stopped owners and failing calls. A process that gets a step writes a
 * line to a file, as a host would execute the step. Then nothing may stand there twice, nothing without its claim in
 * the ledger, and a further attempt only behind a recorded decision. The store verifies after every kill.
 */
#include "tests/lib/claiming.h"
#include "tests/crash/deaths.h"
#include "tests/lib/chance.h"
#include "tests/lib/test.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "xylem/branch.h"
#include "xylem/inspect.h"

#define STEPS 3u
#define ITERATIONS 2u

static char place[128];
static char path[160];
static char log_path[160];
static int log_fd = -1;
static struct xylem_catalogue *catalogue;
static struct xylem_error err;

static int make_place(void **state)
{
    (void)state;
    test_directory_make(place, sizeof place, "runs");
    snprintf(path, sizeof path, "%s/store", place);
    snprintf(log_path, sizeof log_path, "%s/executed", place);
    log_fd = open(log_path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    return log_fd < 0 || xylem_catalogue_new(&catalogue, NULL, 0, NULL, NULL) < 0 ? -1 : 0;
}

static int remove_place(void **state)
{
    (void)state;
    close(log_fd);
    xylem_catalogue_free(catalogue);
    test_directory_remove(place);
    return 0;
}

/* --- Playing ---------------------------------------------------------------------------------------------------- */

static const struct xylem_view steps[STEPS] = {{"a", 1}, {"b", 1}, {"c", 1}};

static int start(struct xylem_run **run, char id[XYLEM_UUID_TEXT_BYTES], struct xylem_store *store, const char *session)
{
    struct xylem_run_options options = {.sequence_id = xylem_view_of("q"),
                                        .steps = steps,
                                        .step_count = STEPS,
                                        .total_runs = ITERATIONS,
                                        .session = xylem_view_of(session)};
    return xylem_run_start(run, id, NULL, store, catalogue, &options, &err);
}

/* Executes a step: a line in the file that all processes share. */
static void execute(const struct xylem_action *action)
{
    char line[128];
    int bytes = snprintf(line, sizeof line, "%s i%u.s%u.a%u\n", action->state->run_id, action->run_index,
                         action->step_index, action->attempt);
    if (write(log_fd, line, (size_t)bytes) != bytes) {
        abort();
    }
}

static void session_name(char name[32], struct chance *chance)
{
    snprintf(name, 32, "S%08x", (unsigned)chance_draw(chance));
}

/* --- Looking ---------------------------------------------------------------------------------------------------- */

static int tell_problem(void *context, const struct xylem_problem *problem)
{
    ++*(unsigned *)context;
    fprintf(stderr, "%s: %s\n", problem->table, problem->text);
    return 0;
}

struct claim {
    char text[96]; /* "RUN i0.s0.a1", as in the file */
    bool decided;  /* a retry lies before the claim */
    unsigned executed;
};

static struct claim *claims;
static size_t claim_count;
static size_t claim_room;

static struct claim *claim_of(const char *text)
{
    for (size_t i = claim_count; i-- > 0;) {
        if (strcmp(claims[i].text, text) == 0) {
            return &claims[i];
        }
    }
    return NULL;
}

/* Reads a ledger forward: notes the claims, and checks that no step is lost or reordered. */
static void look_at_ledger(struct xylem_txn *txn, const struct xylem_run_state *state)
{
    char id[64];
    struct xylem_session session;
    struct xylem_scan *scan;
    struct xylem_entry entry;
    unsigned ended = 0; /* steps in their order */
    bool retried = false;
    snprintf(id, sizeof id, "seq.%s", state->run_id);
    assert_int_equal(xylem_session_find(&session, txn, xylem_view_of(id), NULL), XYLEM_OK);
    assert_int_equal(xylem_scan_new(&scan, txn, session.number, NULL), XYLEM_OK);
    while (xylem_scan_next(&entry, scan, NULL) == 1) {
        struct xylem_document *document;
        assert_int_equal(xylem_document_new(&document, &entry, NULL), XYLEM_OK);
        const struct xylem_value *data = xylem_document_value(document);
        struct xylem_view event = xylem_value_string(xylem_value_get(data, "event"));
        struct xylem_view outcome = xylem_value_string(xylem_value_get(data, "outcome"));
        int64_t run = -1;
        int64_t step = -1;
        xylem_value_integer(&run, xylem_value_get(data, "runIndex"));
        xylem_value_integer(&step, xylem_value_get(data, "stepIndex"));
        if (event.bytes == 5 && memcmp(event.data, "claim", 5) == 0) {
            if (claim_count == claim_room) {
                claim_room = claim_room ? claim_room * 2 : 256;
                claims = realloc(claims, claim_room * sizeof *claims);
                assert_non_null(claims);
            }
            struct claim *claim = &claims[claim_count++];
            memset(claim, 0, sizeof *claim);
            snprintf(claim->text, sizeof claim->text, "%s %.*s", state->run_id, (int)entry.id.bytes, entry.id.data);
            claim->decided = retried;
            assert_int_equal(run * STEPS + step, ended);
            retried = false;
        } else if (event.bytes == 6 && memcmp(event.data, "resume", 6) == 0) {
            struct xylem_view decision = xylem_value_string(xylem_value_get(data, "decision"));
            retried = retried || (decision.bytes == 5 && memcmp(decision.data, "retry", 5) == 0);
        } else if (event.bytes == 3 && outcome.data[0] != 'f') {
            assert_int_equal(run * STEPS + step, ended);
            ended++;
        }
        xylem_document_free(document);
    }
    xylem_scan_free(scan);
    assert_int_equal(ended, state->done_count + state->skipped_count);
    if (state->phase == XYLEM_RUN_DONE) {
        assert_int_equal(ended, STEPS * ITERATIONS);
    }
}

/* Holds the file of executed steps against the claims of all ledgers. Gives the number of lines. */
static unsigned look_at_executions(void)
{
    char line[128];
    unsigned count = 0;
    FILE *file = fopen(log_path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        struct claim *claim = claim_of(line);
        if (!claim) {
            fail_msg("%s was executed without a claim", line);
            break;
        }
        if (claim->executed++ > 0) {
            fail_msg("%s was executed twice", line);
        }
        if (strcmp(strrchr(line, 'a'), "a1") != 0 && !claim->decided) {
            fail_msg("%s was attempted again without a decision", line);
        }
        count++;
    }
    fclose(file);
    return count;
}

static struct xylem_store *open_store(enum xylem_durability durability)
{
    struct xylem_open_options options = {.create = true, .durability = durability, .map_bytes = 1 << 22};
    struct xylem_store *store = NULL;
    if (xylem_open(&store, path, &options, &err) < 0) {
        fail_msg("%s", err.text);
    }
    return store;
}

/* The store verifies, no ledger is damaged; with `whole` the executions too. Gives their number. */
static unsigned look(bool whole)
{
    struct xylem_store *store = open_store(XYLEM_DURABILITY_NONE);
    struct xylem_txn *txn;
    struct xylem_verify_report report;
    struct xylem_runs *runs;
    struct xylem_run_state state;
    unsigned problems = 0;
    assert_int_equal(xylem_begin(&txn, store, XYLEM_READ, &err), XYLEM_OK);
    assert_int_equal(xylem_verify(&report, txn, NULL, tell_problem, &problems, &err), XYLEM_OK);
    assert_int_equal(problems, 0);
    assert_int_equal(xylem_runs_new(&runs, txn, &err), XYLEM_OK);
    claim_count = 0;
    while (xylem_runs_next(&state, runs, &err) == 1) {
        if (state.phase == XYLEM_RUN_DAMAGED) {
            fail_msg("run %s: %.*s", state.run_id, (int)state.message.bytes, state.message.data);
        }
        if (whole) {
            look_at_ledger(txn, &state);
        }
        xylem_run_state_release(&state);
    }
    xylem_runs_free(runs);
    xylem_abort(txn);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
    return whole ? look_at_executions() : 0;
}

/* --- Workers: property 7 ---------------------------------------------------------------------------------------- */

/* A conflict is the answer that broken leases and other workers make; every other failure ends the worker. */
static bool worked(int code)
{
    if (code < 0 && code != XYLEM_E_CONFLICT) {
        fprintf(stderr, "the worker: %s: %s\n", xylem_code_name(code), err.text);
        _exit(2);
    }
    return code >= 0;
}

/* Chooses a run that did not end: one without a living owner, or with `owned` one with any owner. */
static bool choose(struct xylem_run_state *chosen, struct xylem_store *store, struct chance *chance, bool owned)
{
    struct xylem_txn *txn;
    struct xylem_runs *runs;
    struct xylem_run_state state;
    int seen = 0;
    worked(xylem_begin(&txn, store, XYLEM_READ, &err));
    worked(xylem_runs_new(&runs, txn, &err));
    int found;
    while ((found = xylem_runs_next(&state, runs, &err)) == 1) {
        bool open = state.phase < XYLEM_RUN_DONE;
        bool alive = state.owned && state.owner.alive;
        if (open && alive == owned && chance_below(chance, ++seen) == 0) {
            if (seen > 1) {
                xylem_run_state_release(chosen);
            }
            *chosen = state;
        } else {
            xylem_run_state_release(&state);
        }
    }
    worked(found);
    xylem_runs_free(runs);
    xylem_abort(txn);
    return seen > 0;
}

static void break_some_lease(struct xylem_store *store, struct chance *chance)
{
    struct xylem_run_state state;
    struct xylem_session session;
    struct xylem_txn *txn;
    char id[64];
    if (!choose(&state, store, chance, true)) {
        return;
    }
    snprintf(id, sizeof id, "seq.%s", state.run_id);
    worked(xylem_begin(&txn, store, XYLEM_READ, &err));
    worked(xylem_session_find(&session, txn, xylem_view_of(id), &err));
    xylem_abort(txn);
    worked(xylem_lease_break(NULL, store, session.number, &err));
    xylem_run_state_release(&state);
}

/* Opens some run, or starts one. NULL: another worker was faster, or the run was ended instead. */
static struct xylem_run *get_run(struct xylem_store *store, struct chance *chance)
{
    struct xylem_run_state state;
    struct xylem_run *run = NULL;
    char session[32];
    char id[XYLEM_UUID_TEXT_BYTES];
    session_name(session, chance);
    if (chance_one_in(chance, 4) || !choose(&state, store, chance, false)) {
        return worked(start(&run, id, store, session)) ? run : NULL;
    }
    struct xylem_view run_id = xylem_view_of(state.run_id);
    struct xylem_view in = state.session.data ? state.session : xylem_view_of(session);
    enum xylem_run_decision decision = state.phase != XYLEM_RUN_INTERRUPTED ? XYLEM_RUN_CONTINUE
                                       : chance_one_in(chance, 3)           ? XYLEM_RUN_SKIP
                                                                            : XYLEM_RUN_RETRY;
    int code = chance_one_in(chance, 20) ? xylem_run_end(store, run_id, xylem_view_of("enough"), &err)
                                         : xylem_run_open(&run, store, run_id, decision, in, &err);
    xylem_run_state_release(&state);
    return worked(code) ? run : NULL;
}

/* One action and its end. False: close the run. */
static bool act(struct xylem_run *run, struct chance *chance)
{
    struct xylem_action action;
    struct xylem_view none = {NULL, 0};
    char session[32];
    if (!worked(next_claimed(&action, run, catalogue, &err)) || action.type == XYLEM_ACTION_FINISHED) {
        return false;
    }
    if (action.type == XYLEM_ACTION_NEW_SESSION) {
        session_name(session, chance);
        return worked(xylem_run_in_session(run, xylem_view_of(session), &err));
    }
    execute(&action);
    if (chance_one_in(chance, 12)) {
        return false; /* closed in a step */
    }
    int code = chance_one_in(chance, 40)   ? xylem_run_failed(run, XYLEM_RUN_CODE_HOST, none, &err)
               : chance_one_in(chance, 40) ? xylem_run_stop(run, none, &err)
                                           : xylem_run_done(run, none, &err);
    if (worked(code) && chance_one_in(chance, 12)) {
        code = xylem_run_pause(run, XYLEM_RUN_CODE_LEFT, none, &err);
        return code != XYLEM_E_ARGUMENT && worked(code) && false; /* ARGUMENT: the run has ended */
    }
    return code >= 0;
}

static void work(uint64_t seed, enum xylem_durability durability)
{
    struct chance chance = chance_of(seed);
    struct xylem_open_options options = {.create = true, .durability = durability, .map_bytes = 1 << 20};
    struct xylem_store *store;
    worked(xylem_open(&store, path, &options, &err));
    for (;;) {
        struct xylem_run *run = get_run(store, &chance);
        while (run && act(run, &chance)) {
            if (chance_one_in(&chance, 6)) {
                break_some_lease(store, &chance);
            }
        }
        worked(xylem_run_close(run, &err));
    }
}

#define WORKERS 4

static pid_t spawn(struct chance *chance)
{
    uint64_t seed = chance_draw(chance);
    moment = (enum moment)chance_below(chance, MOMENT_COUNT);
    calls_left = 1 + chance_below(chance, 200);
    enum xylem_durability durability = chance_one_in(chance, 4) ? XYLEM_DURABILITY_FULL : XYLEM_DURABILITY_NONE;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        signal(SIGABRT, SIG_DFL);
        deaths_begin(log_fd);
        work(seed, durability);
    }
    return child;
}

static void wait_microseconds(int microseconds)
{
    struct timespec time = {0, microseconds * 1000L};
    nanosleep(&time, NULL);
}

/* Collects a worker that was killed, or killed itself. */
static void reap(pid_t worker)
{
    int status = 0;
    assert_int_equal(waitpid(worker, &status, 0), worker);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) {
        fail_msg("a worker ended with status %x instead of being killed", (unsigned)status);
    }
}

/* Ends one worker: kills it at a time, or waits for its own death. Some other worker is stopped for a while. */
static void end_one(pid_t workers[WORKERS], struct chance *chance, unsigned *stops)
{
    int victim = chance_below(chance, WORKERS);
    int other = chance_below(chance, WORKERS);
    if (chance_one_in(chance, 3)) {
        kill(workers[other], SIGSTOP);
        ++*stops;
    } else {
        other = -1;
    }
    wait_microseconds(chance_below(chance, 8000));
    kill(workers[victim], SIGKILL);
    reap(workers[victim]);
    if (other >= 0 && other != victim) {
        wait_microseconds(chance_below(chance, 4000));
        kill(workers[other], SIGCONT);
    }
    workers[victim] = spawn(chance);
}

#define KILLS_OF_A_STORE 50u

TEST_WITH(no_attempt_is_executed_twice_whoever_is_killed_stopped_or_robbed_of_a_lease, make_place, remove_place)
{
    const char *given = getenv("XYLEM_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : 7;
    struct chance chance = chance_of(seed);
    unsigned kills = getenv("XYLEM_TORTURE") ? 2000 : 12 + test_rounds(28);
    unsigned executed = 0;
    unsigned stops = 0;
    printf("seed %" PRIu64 "\n", seed);
    for (unsigned i = 0; i < kills;) {
        pid_t workers[WORKERS];
        test_directory_remove(path);
        assert_int_equal(ftruncate(log_fd, 0), 0);
        look(false); /* makes the store */
        for (int w = 0; w < WORKERS; w++) {
            workers[w] = spawn(&chance);
        }
        for (unsigned n = 0; n < KILLS_OF_A_STORE && i < kills; n++, i++) {
            end_one(workers, &chance, &stops);
            look(false);
        }
        for (int w = 0; w < WORKERS; w++) {
            kill(workers[w], SIGKILL);
            reap(workers[w]);
        }
        executed += look(true);
    }
    free(claims);
    claims = NULL;
    claim_room = 0;
    printf("figures: %u kills, %u stops, %u executed steps, no attempt twice\n", kills, stops, executed);
    assert_true(executed > kills / 4);
}

/* --- Each call fails, or is the last: property 9 ---------------------------------------------------------------- */

static int failing_errno; /* 0: no call fails */
static int calls_until_failure;
static bool has_failed;

static bool fail_call(const struct call *call, ssize_t *result)
{
    bool concerned = call->type == CALL_WRITE || call->type == CALL_SYNC || call->type == CALL_ALLOCATE;
    if (!failing_errno || !concerned || call->fd == log_fd || --calls_until_failure != 0) {
        return false;
    }
    has_failed = true;
    errno = failing_errno;
    *result = -1;
    return true;
}

/* The state of a run as JSON; empty without a run. Gives the phase. */
static enum xylem_run_phase read_json(struct xylem_buffer *json, struct xylem_store *store, const char *id)
{
    struct xylem_run_state state = {.phase = XYLEM_RUN_DAMAGED};
    struct xylem_txn *txn;
    assert_int_equal(xylem_begin(&txn, store, XYLEM_READ, &err), XYLEM_OK);
    assert_int_equal(xylem_run_read(&state, txn, xylem_view_of(id), &err), XYLEM_OK);
    assert_int_equal(xylem_run_state_json(json, &state), XYLEM_OK);
    enum xylem_run_phase phase = state.phase;
    xylem_run_state_release(&state);
    xylem_abort(txn);
    return phase;
}

/* The run that did not end, if there is one. */
static bool find_unfinished(char id[XYLEM_UUID_TEXT_BYTES], struct xylem_view *session, enum xylem_run_phase *phase,
                            struct xylem_store *store)
{
    struct xylem_txn *txn;
    struct xylem_runs *runs;
    struct xylem_run_state state;
    bool found = false;
    assert_int_equal(xylem_begin(&txn, store, XYLEM_READ, &err), XYLEM_OK);
    assert_int_equal(xylem_runs_new(&runs, txn, &err), XYLEM_OK);
    while (!found && xylem_runs_next(&state, runs, &err) == 1) {
        found = state.phase < XYLEM_RUN_DONE;
        memcpy(id, state.run_id, XYLEM_UUID_TEXT_BYTES);
        *phase = state.phase;
        *session = xylem_view_of(state.run_index == 0 ? "S1" : "S2");
        xylem_run_state_release(&state);
    }
    xylem_runs_free(runs);
    xylem_abort(txn);
    return found;
}

static struct xylem_run *start_or_open(char id[XYLEM_UUID_TEXT_BYTES], struct xylem_store *store)
{
    struct xylem_view session;
    enum xylem_run_phase phase;
    struct xylem_run *run = NULL;
    for (int tries = 0; !run && tries < 3; tries++) {
        if (find_unfinished(id, &session, &phase, store)) {
            enum xylem_run_decision decision = phase == XYLEM_RUN_INTERRUPTED ? XYLEM_RUN_RETRY : XYLEM_RUN_CONTINUE;
            assert_true(phase == XYLEM_RUN_INTERRUPTED || phase == XYLEM_RUN_PAUSED);
            (void)xylem_run_open(&run, store, xylem_view_of(id), decision, session, &err);
        } else {
            (void)start(&run, id, store, "S1");
        }
    }
    if (!run) {
        fail_msg("%s", err.text);
    }
    return run;
}

static unsigned unknown_claims;
static unsigned refused_claims;

/* After a failed call: a known failure changed nothing; an unknown outcome leaves the state before or after. */
static struct xylem_run *look_at_failure(struct xylem_run *run, int code, char id[XYLEM_UUID_TEXT_BYTES],
                                         struct xylem_store *store, const struct xylem_buffer *before, bool in_next)
{
    struct xylem_buffer after = {NULL, 0, 0};
    enum xylem_run_phase phase = read_json(&after, store, id);
    if (code != XYLEM_E_OUTCOME_UNKNOWN) {
        assert_string_equal(after.data, before->data);
        refused_claims += in_next && code == XYLEM_E_NO_SPACE;
    } else {
        struct xylem_action action;
        assert_int_equal(next_claimed(&action, run, catalogue, &err), XYLEM_E_OUTCOME_UNKNOWN);
        unknown_claims += in_next;
    }
    xylem_buffer_release(&after);
    if (code != XYLEM_E_OUTCOME_UNKNOWN && !in_next) {
        return run; /* the call is repeated */
    }
    assert_int_equal(xylem_run_close(run, &err), XYLEM_OK);
    phase = read_json(&after, store, id);
    assert_true(phase == XYLEM_RUN_PAUSED || phase >= XYLEM_RUN_DONE ||
                (phase == XYLEM_RUN_INTERRUPTED && code == XYLEM_E_OUTCOME_UNKNOWN));
    xylem_buffer_release(&after);
    return phase >= XYLEM_RUN_DONE ? NULL : start_or_open(id, store);
}

/* Reports the end of an action; again after a failure that left the run as it was. */
static struct xylem_run *report(struct xylem_run *run, const struct xylem_action *action,
                                char id[XYLEM_UUID_TEXT_BYTES], struct xylem_store *store)
{
    const struct xylem_view none = {NULL, 0};
    enum xylem_action_type type = action->type;
    struct xylem_buffer before = {NULL, 0, 0};
    struct xylem_run *was = run;
    read_json(&before, store, id);
    int code = type == XYLEM_ACTION_EXECUTE ? xylem_run_done(run, none, &err)
                                            : xylem_run_in_session(run, xylem_view_of("S2"), &err);
    if (code < 0) {
        run = look_at_failure(run, code, id, store, &before, false);
        if (run == was && code != XYLEM_E_OUTCOME_UNKNOWN) {
            code = type == XYLEM_ACTION_EXECUTE ? xylem_run_done(run, none, &err)
                                                : xylem_run_in_session(run, xylem_view_of("S2"), &err);
            assert_int_equal(code, XYLEM_OK);
        }
    }
    xylem_buffer_release(&before);
    return run;
}

/* Plays a run to its end, in spite of one failing call. */
static void play_through(struct xylem_store *store)
{
    char id[XYLEM_UUID_TEXT_BYTES] = "";
    struct xylem_run *run = start_or_open(id, store);
    while (run) {
        struct xylem_action action;
        struct xylem_buffer before = {NULL, 0, 0};
        read_json(&before, store, id);
        int code = next_claimed(&action, run, catalogue, &err);
        if (code < 0) {
            run = look_at_failure(run, code, id, store, &before, true);
        } else if (action.type == XYLEM_ACTION_FINISHED) {
            (void)xylem_run_close(run, &err); /* may fail: the row is then the row of a dead owner */
            run = NULL;
        } else {
            if (action.type == XYLEM_ACTION_EXECUTE) {
                execute(&action);
            }
            run = report(run, &action, id, store);
        }
        xylem_buffer_release(&before);
    }
}

/* vectors 97 and 98 */
TEST_WITH(every_call_that_fails_leaves_a_run_that_goes_on, make_place, remove_place)
{
    static const int errnos[] = {EIO, ENOSPC};
    int stride = getenv("XYLEM_TORTURE") ? 1 : 6 - (int)test_rounds(3);
    unsigned failures = 0;
    unknown_claims = refused_claims = 0;
    struct xylem_store *store = open_store(XYLEM_DURABILITY_FULL);
    calls_before = fail_call;
    for (size_t i = 0; i < sizeof errnos / sizeof *errnos; i++) {
        has_failed = true;
        for (int k = 1; has_failed; k += stride) {
            failing_errno = errnos[i];
            calls_until_failure = k;
            has_failed = false;
            play_through(store);
            failures += has_failed;
            failing_errno = 0;
        }
    }
    calls_before = NULL;
    assert_int_equal(xylem_close(store, &err), XYLEM_OK);
    look(true);
    printf("figures: %u failing calls; %u claims with an unknown outcome, %u without space\n", failures, unknown_claims,
           refused_claims);
    assert_true(unknown_claims > 0 && refused_claims > 0);
    free(claims);
    claims = NULL;
    claim_room = 0;
}

/* vector 87, for all calls of a run */
TEST_WITH(a_run_that_dies_at_any_call_goes_on, make_place, remove_place)
{
    int stride = getenv("XYLEM_TORTURE") ? 1 : 23 - (int)test_rounds(16);
    unsigned deaths = 0;
    for (int m = BEFORE_A_CALL; m < MOMENT_COUNT; m++) {
        int status = 1;
        for (int k = 1 + m % stride; status != 0; k += stride) {
            fflush(NULL);
            pid_t child = fork();
            assert_true(child >= 0);
            if (child == 0) {
                moment = (enum moment)m;
                calls_left = k;
                deaths_begin(log_fd);
                play_through(open_store(XYLEM_DURABILITY_FULL));
                _exit(0);
            }
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_true(status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
            deaths += status != 0;
            look(false);
            struct xylem_store *store = open_store(XYLEM_DURABILITY_NONE);
            play_through(store);
            assert_int_equal(xylem_close(store, &err), XYLEM_OK);
        }
    }
    printf("figures: %u deaths, %u executed steps\n", deaths, look(true));
    free(claims);
    claims = NULL;
    claim_room = 0;
}

static unsigned sync_count;

static void count_sync(const struct call *call, ssize_t result)
{
    (void)result;
    sync_count += call->type == CALL_SYNC;
}

TEST_WITH(a_step_is_two_synced_commits, make_place, remove_place)
{
    struct xylem_store *store = open_store(XYLEM_DURABILITY_FULL);
    struct xylem_run *run;
    struct xylem_action action;
    struct xylem_session session;
    struct xylem_txn *txn;
    char id[XYLEM_UUID_TEXT_BYTES];
    assert_int_equal(start(&run, id, store, "S1"), XYLEM_OK);
    calls_after = count_sync;
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, &err), XYLEM_OK);
    assert_int_equal(xylem_session_create(&session, txn, NULL, &err), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, &err), XYLEM_OK);
    unsigned one = sync_count;
    struct timespec from;
    struct timespec to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (unsigned i = 0; i < STEPS; i++) {
        assert_int_equal(next_claimed(&action, run, catalogue, &err), XYLEM_OK);
        assert_int_equal(sync_count, one * (2 * i + 2));
        assert_int_equal(xylem_run_done(run, (struct xylem_view){NULL, 0}, &err), XYLEM_OK);
        assert_int_equal(sync_count, one * (2 * i + 3));
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    calls_after = NULL;
    double ms = (double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_nsec - from.tv_nsec) / 1e6;
    printf("figures: %.2f ms a step, in %u syncs\n", ms / STEPS, 2 * one);
    assert_true(one > 0);
    assert_int_equal(xylem_run_close(run, &err), XYLEM_OK);
    assert_int_equal(xylem_close(store, &err), XYLEM_OK);
}
