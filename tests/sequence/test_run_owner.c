/* The one owner of a run. The numbers are those of the sequences' test vectors. */
#include <signal.h>

#include "base/value.h"
#include "tests/sequence/play.h"

#define RUN_TEST(name) TEST_WITH(name, set_up, tear_down)

static struct xylem_store *open_again(void)
{
    struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
    struct xylem_store *store = NULL;
    store_builder_must(xylem_open(&store, builder.path, &options, &err), &err);
    return store;
}

static void break_lease(void)
{
    struct xylem_txn *txn = play_begin();
    uint64_t ledger = play_ledger(txn);
    xylem_abort(txn);
    assert_int_equal(store_builder_must(xylem_lease_break(NULL, builder.store, ledger, &err), &err), 1);
}

/* vector 88 */
RUN_TEST(of_two_that_open_a_paused_run_one_goes_on_and_the_other_hears_who)
{
    struct xylem_store *other = open_again();
    struct xylem_run *second = NULL;
    struct xylem_run *run = play_start(2);
    play_close(run);
    run = play_open(XYLEM_RUN_CONTINUE, "S1");
    assert_code(xylem_run_open(&second, other, xylem_view_of(run_id), XYLEM_RUN_CONTINUE, xylem_view_of("S1"), &err),
                XYLEM_E_CONFLICT);
    assert_null(second);
    char pid[32];
    snprintf(pid, sizeof pid, "process %d on ", (int)getpid());
    assert_text_has(pid);
    assert_code(
        xylem_run_open(&second, builder.store, xylem_view_of(run_id), XYLEM_RUN_CONTINUE, xylem_view_of("S1"), &err),
        XYLEM_E_CONFLICT);
    assert_ledger("start i0.begin resume.1");
    play_close(run);
    store_builder_must(xylem_close(other, &err), &err);
}

/* vector 89 */
RUN_TEST(an_owner_whose_lease_was_broken_records_nothing_more)
{
    struct xylem_run *run = play_start(2);
    struct xylem_action action;
    struct xylem_view none = {NULL, 0};
    play_next(run);
    break_lease();
    assert_phase(XYLEM_RUN_INTERRUPTED);
    assert_code(xylem_run_done(run, none, &err), XYLEM_E_CONFLICT);
    assert_text_has("was broken");
    assert_code(xylem_run_done(run, none, &err), XYLEM_E_CONFLICT);
    assert_text_has("close the run");
    assert_code(next_claimed(&action, run, catalogue, &err), XYLEM_E_CONFLICT);
    assert_code(xylem_run_stop(run, none, &err), XYLEM_E_CONFLICT);
    assert_code(xylem_run_failed(run, XYLEM_RUN_CODE_HOST, none, &err), XYLEM_E_CONFLICT);
    assert_code(xylem_run_in_session(run, xylem_view_of("S2"), &err), XYLEM_E_CONFLICT);
    assert_code(xylem_run_pause(run, XYLEM_RUN_CODE_LEFT, none, &err), XYLEM_E_CONFLICT);
    assert_ledger("start i0.begin i0.s0.a1");
    play_close(run);
}

static int ends[2];

/* The child of vector 90: stops in a step, and afterwards tells the codes of done, next and close. */
static void stop_in_a_step(void)
{
    struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
    struct xylem_run_options run_options = play_options(2);
    struct xylem_store *store = NULL;
    struct xylem_run *run = NULL;
    struct xylem_action action;
    int codes[3];
    child_must(xylem_open(&store, builder.path, &options, NULL));
    child_must(xylem_run_start(&run, run_id, NULL, store, catalogue, &run_options, NULL));
    child_must(next_claimed(&action, run, catalogue, NULL));
    child_must(write(ends[1], run_id, sizeof run_id));
    raise(SIGSTOP);
    codes[0] = xylem_run_done(run, (struct xylem_view){NULL, 0}, NULL);
    codes[1] = next_claimed(&action, run, catalogue, NULL);
    codes[2] = xylem_run_close(run, NULL);
    child_must(write(ends[1], codes, sizeof codes));
    _exit(0);
}

/* vector 90 */
RUN_TEST(a_stopped_owner_that_wakes_gets_no_further_action)
{
    int status = 0;
    int codes[3];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        stop_in_a_step();
    }
    assert_int_equal(waitpid(child, &status, WUNTRACED), child);
    assert_true(WIFSTOPPED(status));
    assert_int_equal(read(ends[0], run_id, sizeof run_id), sizeof run_id);
    struct xylem_run *run = NULL;
    assert_code(xylem_run_open(&run, builder.store, xylem_view_of(run_id), XYLEM_RUN_RETRY, xylem_view_of("S1"), &err),
                XYLEM_E_CONFLICT); /* a stopped owner lives */
    break_lease();
    run = play_open(XYLEM_RUN_RETRY, "S1");
    assert_int_equal(play_next(run).attempt, 2);
    play_done(run);
    kill(child, SIGCONT);
    assert_int_equal(read(ends[0], codes, sizeof codes), sizeof codes);
    assert_int_equal(codes[0], XYLEM_E_CONFLICT);
    assert_int_equal(codes[1], XYLEM_E_CONFLICT);
    assert_int_equal(codes[2], XYLEM_OK);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(ends[0]);
    close(ends[1]);
    assert_ledger("start i0.begin i0.s0.a1 resume.1 i0.s0.a2 i0.s0.a2.end");
    play_step(run);
    play_close(run);
}

RUN_TEST(a_session_of_the_host_has_one_run_that_goes_on)
{
    struct xylem_store *other = open_again();
    struct xylem_run_options options = play_options(2);
    struct xylem_run *second = NULL;
    struct xylem_run *run = play_start(2);
    char id[XYLEM_UUID_TEXT_BYTES] = "";
    assert_code(xylem_run_start(&second, id, NULL, other, catalogue, &options, &err), XYLEM_E_CONFLICT);
    assert_text_has(run_id);
    assert_text_has("is still going on, in process");
    assert_string_equal(id, "");
    options.session = xylem_view_of("S2");
    store_builder_must(xylem_run_start(&second, id, NULL, other, catalogue, &options, &err), &err);
    play_close(second);
    play_step(run);
    play_step(run);
    play_next(run); /* until the new session is made, the run is of the session of the iteration before */
    options.session = xylem_view_of("S1");
    assert_code(xylem_run_start(&second, id, NULL, other, catalogue, &options, &err), XYLEM_E_CONFLICT);
    store_builder_must(xylem_run_in_session(run, xylem_view_of("S3"), &err), &err);
    store_builder_must(xylem_run_start(&second, id, NULL, other, catalogue, &options, &err), &err);
    play_close(second);
    options.session = xylem_view_of("S3");
    assert_code(xylem_run_start(&second, id, NULL, other, catalogue, &options, &err), XYLEM_E_CONFLICT);
    store_builder_must(xylem_run_stop(run, (struct xylem_view){NULL, 0}, &err), &err);
    store_builder_must(xylem_run_start(&second, id, NULL, other, catalogue, &options, &err), &err);
    play_close(second);
    play_close(run);
    store_builder_must(xylem_close(other, &err), &err);
}

static void assert_is_of(const char *expected)
{
    struct xylem_run_state read = play_state();
    assert_true(xylem_base__view_is(read.host_session, expected));
    xylem_run_state_release(&read);
}

RUN_TEST(between_two_iterations_a_run_is_of_the_session_of_the_iteration_that_is_over)
{
    struct xylem_run_options options = play_options(3);
    struct xylem_run *second = NULL;
    char id[XYLEM_UUID_TEXT_BYTES];
    options.fresh = true;
    struct xylem_run *run = play_start_in(builder.store, &options);
    assert_is_of("S1"); /* before the first iteration: the session of the start */
    play_next(run);
    assert_is_of("S1");
    store_builder_must(xylem_run_in_session(run, xylem_view_of("S2"), &err), &err);
    play_step(run);
    play_step(run);
    play_next(run);
    assert_is_of("S2");
    store_builder_must(xylem_run_in_session(run, xylem_view_of("S3"), &err), &err);
    play_step(run);
    assert_is_of("S3");
    play_step(run); /* the end of an iteration */
    assert_is_of("S3");
    play_close(run);
    assert_is_of("S3");
    run = play_open(XYLEM_RUN_CONTINUE, "S3"); /* a resume */
    assert_is_of("S3");
    store_builder_must(xylem_run_pause(run, XYLEM_RUN_CODE_LEFT, xylem_view_of(""), &err), &err);
    assert_is_of("S3");
    play_close(run);
    run = play_open(XYLEM_RUN_CONTINUE, "S3");
    const struct xylem_run_state *of_action = play_next(run).state; /* a reset */
    assert_is_of("S3");
    assert_null(of_action->session.data);
    assert_true(xylem_base__view_is(of_action->host_session, "S3"));
    options.session = xylem_view_of("S3");
    assert_code(xylem_run_start(&second, id, NULL, builder.store, catalogue, &options, &err), XYLEM_E_CONFLICT);
    options.session = xylem_view_of("S1");
    store_builder_must(xylem_run_start(&second, id, NULL, builder.store, catalogue, &options, &err), &err);
    play_close(second);
    play_close(run);
    assert_is_of("S3");
}

static void navigate(const char *id)
{
    struct xylem_txn *txn;
    struct xylem_position to;
    store_builder_must(xylem_begin(&txn, builder.store, XYLEM_WRITE, &err), &err);
    uint64_t ledger = play_ledger(txn);
    store_builder_must(xylem_find(&to, txn, ledger, xylem_view_of(id), &err), &err);
    store_builder_must(xylem_navigate(txn, ledger, to, (struct xylem_view){NULL, 0}, &err), &err);
    store_builder_must(xylem_commit(txn, &err), &err);
}

/* vector 101 */
RUN_TEST(a_step_is_not_claimed_again_in_a_ledger_that_was_moved_back)
{
    struct xylem_run *run = play_start(2);
    struct xylem_action action;
    play_step(run);
    play_close(run);
    navigate("i0.begin");
    assert_phase(XYLEM_RUN_PAUSED);
    run = play_open(XYLEM_RUN_CONTINUE, "S1");
    assert_code(next_claimed(&action, run, catalogue, &err), XYLEM_E_CONFLICT);
    assert_text_has("step 1 of run 1 was claimed before");
    play_close(run);
    navigate("i0.begin");
    run = NULL;
    assert_code(
        xylem_run_open(&run, builder.store, xylem_view_of(run_id), XYLEM_RUN_CONTINUE, xylem_view_of("S1"), &err),
        XYLEM_E_CONFLICT);
    assert_text_has("resume.1");
    navigate("start"); /* as if there were no begin */
    assert_phase(XYLEM_RUN_PAUSED);
}

RUN_TEST(a_ledger_that_was_moved_under_its_owner_is_lost_to_the_owner)
{
    struct xylem_run *run = play_start(2);
    struct xylem_action action;
    play_step(run);
    navigate("i0.begin"); /* by the handle that owns the ledger */
    assert_code(next_claimed(&action, run, catalogue, &err), XYLEM_E_CONFLICT);
    assert_code(next_claimed(&action, run, catalogue, &err), XYLEM_E_CONFLICT);
    assert_text_has("close the run");
    play_close(run);
}

/* vector 100 */
RUN_TEST(a_fork_of_a_ledger_is_not_a_run)
{
    static const char fork_id[] = "00000000-0000-7000-8000-000000000001";
    struct xylem_run_state read;
    struct xylem_run *run = play_start(2);
    struct xylem_txn *txn;
    play_step(run);
    store_builder_must(xylem_begin(&txn, builder.store, XYLEM_WRITE, &err), &err);
    uint64_t ledger = play_ledger(txn);
    struct xylem_session session;
    struct xylem_session_options forked = {.id = xylem_view_of("seq.00000000-0000-7000-8000-000000000001")};
    store_builder_must(xylem_clone(&session, txn, ledger, &forked, &err), &err);
    store_builder_must(xylem_commit(txn, &err), &err);
    txn = play_begin();
    assert_code(xylem_run_read(&read, txn, xylem_view_of(fork_id), &err), XYLEM_E_NOT_FOUND);
    xylem_abort(txn);
    struct xylem_run *fork_run = NULL;
    assert_code(
        xylem_run_open(&fork_run, builder.store, xylem_view_of(fork_id), XYLEM_RUN_CONTINUE, xylem_view_of("S1"), &err),
        XYLEM_E_NOT_FOUND);
    struct xylem_runs *runs;
    txn = play_begin();
    store_builder_must(xylem_runs_new(&runs, txn, &err), &err);
    assert_int_equal(store_builder_must(xylem_runs_next(&read, runs, &err), &err), 1);
    assert_string_equal(read.run_id, run_id);
    xylem_run_state_release(&read);
    assert_int_equal(store_builder_must(xylem_runs_next(&read, runs, &err), &err), 0);
    xylem_runs_free(runs);
    xylem_abort(txn);
    play_close(run);
}

RUN_TEST(a_deleted_ledger_says_so)
{
    struct xylem_run_state read;
    struct xylem_txn *txn;
    play_close(play_start(1));
    store_builder_must(xylem_begin(&txn, builder.store, XYLEM_WRITE, &err), &err);
    store_builder_must(xylem_session_delete(txn, play_ledger(txn), &err), &err);
    assert_code(xylem_run_read(&read, txn, xylem_view_of(run_id), &err), XYLEM_E_DELETED);
    store_builder_must(xylem_commit(txn, &err), &err);
    assert_code(xylem_run_end(builder.store, xylem_view_of(run_id), xylem_view_of(""), &err), XYLEM_E_DELETED);
}

/* Its owner lives, and no run of that id goes on. */
RUN_TEST(a_session_of_a_namespace_is_no_ledger)
{
    struct xylem_run_options options = play_options(2);
    struct xylem_run *run = play_start(2);
    struct xylem_run *second = NULL;
    struct xylem_run_state read;
    struct xylem_lease *lease = NULL;
    struct xylem_session session;
    struct xylem_txn *txn;
    struct xylem_runs *runs;
    char id[XYLEM_UUID_TEXT_BYTES];
    char ledger[64];
    play_close(run);
    snprintf(ledger, sizeof ledger, "seq.%s", run_id);
    const struct xylem_session_options in_a = {.id = xylem_view_of(ledger), .name_space = xylem_view_of("a")};
    store_builder_must(xylem_begin(&txn, builder.store, XYLEM_WRITE, &err), &err);
    store_builder_must(xylem_session_create(&session, txn, &in_a, &err), &err);
    store_builder_must(xylem_commit(txn, &err), &err);
    store_builder_must(xylem_lease_take(&lease, builder.store, session.number, &err), &err);
    txn = play_begin();
    store_builder_must(xylem_runs_new(&runs, txn, &err), &err);
    assert_int_equal(store_builder_must(xylem_runs_next(&read, runs, &err), &err), 1);
    xylem_run_state_release(&read);
    assert_int_equal(store_builder_must(xylem_runs_next(&read, runs, &err), &err), 0);
    xylem_runs_free(runs);
    xylem_abort(txn);
    store_builder_must(xylem_run_start(&second, id, NULL, builder.store, catalogue, &options, &err), &err);
    play_close(second);
    store_builder_must(xylem_lease_release(lease, &err), &err);
}
