/* A run from start to end, and from a crash to a decision. The numbers are those of the sequences' test vectors. */
#include "xylem/inspect.h"
#include "tests/sequence/play.h"

#define RUN_TEST(name) TEST_WITH(name, set_up, tear_down)

/* vector 77 */
RUN_TEST(a_run_of_two_iterations_leaves_an_entry_for_each_event)
{
    struct xylem_run *run = play_start(2);
    struct xylem_action action = play_next(run);
    assert_int_equal(action.type, XYLEM_ACTION_EXECUTE);
    assert_int_equal(action.step->kind, XYLEM_STEP_PROMPT);
    assert_int_equal(action.step->raw.bytes, 7);
    assert_memory_equal(action.step->raw.data, "Plan it", 7);
    assert_int_equal(action.state->phase, XYLEM_RUN_RUNNING);
    assert_true(action.state->owned && action.state->owner.alive);
    play_done(run);
    action = play_next(run);
    assert_int_equal(action.step->kind, XYLEM_STEP_COMMAND);
    assert_int_equal(action.step->args.bytes, 2);
    store_builder_must(xylem_run_done(run, xylem_view_of("e2"), &err), &err);
    action = play_next(run);
    assert_int_equal(action.type, XYLEM_ACTION_NEW_SESSION);
    assert_int_equal(action.run_index, 1);
    assert_int_equal(action.step_index, 0);
    assert_null(action.state->session.data);
    assert_phase(XYLEM_RUN_RESETTING);
    store_builder_must(xylem_run_in_session(run, xylem_view_of("S2"), &err), &err);
    play_step(run);
    play_step(run);
    assert_phase(XYLEM_RUN_RUNNING);
    action = play_next(run);
    assert_int_equal(action.type, XYLEM_ACTION_FINISHED);
    assert_int_equal(action.state->phase, XYLEM_RUN_DONE);
    assert_int_equal(action.state->done_count, 4);
    assert_int_equal(action.step_index, 1);
    action = play_next(run);
    assert_int_equal(action.type, XYLEM_ACTION_FINISHED);
    play_close(run);
    assert_ledger("start i0.begin i0.s0.a1 i0.s0.a1.end i0.s1.a1 i0.s1.a1.end i0.reset.a1 i1.begin i1.s0.a1 "
                  "i1.s0.a1.end i1.s1.a1 i1.s1.a1.end finish");
    struct xylem_run_state read = play_state();
    assert_int_equal(read.phase, XYLEM_RUN_DONE);
    assert_int_equal(read.run_index, 1);
    assert_int_equal(read.session.bytes, 2);
    assert_memory_equal(read.session.data, "S2", 2);
    assert_false(read.owned);
    xylem_run_state_release(&read);
}

static void assert_no_ledger(void)
{
    struct xylem_txn *txn = play_begin();
    struct xylem_sessions *sessions;
    struct xylem_session session;
    store_builder_must(xylem_sessions_new(&sessions, txn, &err), &err);
    assert_int_equal(xylem_sessions_next(&session, sessions, &err), 0);
    xylem_sessions_free(sessions);
    xylem_abort(txn);
}

/* vector 78 */
RUN_TEST(a_start_with_a_problem_writes_nothing)
{
    const struct xylem_view steps[] = {{"Plan it", 7}, {"/publish now", 12}};
    struct xylem_run_options options = play_options(1);
    struct xylem_resolution resolution = {.step_count = 0};
    struct xylem_run *run = NULL;
    options.steps = steps;
    assert_code(xylem_run_start(&run, run_id, &resolution, builder.store, catalogue, &options, &err),
                XYLEM_E_MALFORMED);
    assert_null(run);
    assert_int_equal(resolution.problem, XYLEM_SEQUENCE_STEP);
    assert_int_equal(resolution.first_problem, 1);
    xylem_resolution_release(&resolution);
    options.step_count = 0;
    assert_code(xylem_run_start(&run, run_id, NULL, builder.store, catalogue, &options, &err), XYLEM_E_MALFORMED);
    assert_no_ledger();
}

/* vectors 52 and 53, as numbers */
RUN_TEST(a_start_beyond_a_limit_writes_nothing)
{
    static char long_text[XYLEM_RUN_ARGS_BYTES_MAX + 1];
    struct xylem_view args[XYLEM_RUN_ARGS_MAX + 1] = {{NULL, 0}};
    struct xylem_run_options options = play_options(1001);
    struct xylem_run *run = NULL;
    memset(long_text, 'x', sizeof long_text);
    assert_code(xylem_run_start(&run, run_id, NULL, builder.store, catalogue, &options, &err), XYLEM_E_LIMIT);
    options = play_options(1);
    options.substitute = true;
    options.args = args;
    options.arg_count = XYLEM_RUN_ARGS_MAX + 1;
    assert_code(xylem_run_start(&run, run_id, NULL, builder.store, catalogue, &options, &err), XYLEM_E_LIMIT);
    options.arg_count = 1;
    args[0] = (struct xylem_view){long_text, sizeof long_text};
    assert_code(xylem_run_start(&run, run_id, NULL, builder.store, catalogue, &options, &err), XYLEM_E_LIMIT);
    args[0] = xylem_view_of("\xff");
    assert_code(xylem_run_start(&run, run_id, NULL, builder.store, catalogue, &options, &err), XYLEM_E_MALFORMED);
    options = play_options(1);
    options.session = (struct xylem_view){long_text, XYLEM_SESSION_ID_BYTES_MAX + 1};
    assert_code(xylem_run_start(&run, run_id, NULL, builder.store, catalogue, &options, &err), XYLEM_E_LIMIT);
    options.session = (struct xylem_view){NULL, 0};
    assert_code(xylem_run_start(&run, run_id, NULL, builder.store, catalogue, &options, &err), XYLEM_E_ARGUMENT);
    assert_no_ledger();
    options = play_options(1000);
    options.substitute = true;
    options.args = args;
    args[0] = (struct xylem_view){long_text, XYLEM_RUN_ARGS_BYTES_MAX};
    options.arg_count = XYLEM_RUN_ARGS_MAX;
    run = play_start_in(builder.store, &options);
    play_close(run);
}

/* vector 79 */
RUN_TEST(a_fresh_run_begins_with_a_new_session)
{
    struct xylem_run_options options = play_options(1);
    options.fresh = true;
    struct xylem_run *run = play_start_in(builder.store, &options);
    struct xylem_action action = play_next(run);
    assert_int_equal(action.type, XYLEM_ACTION_NEW_SESSION);
    assert_int_equal(action.run_index, 0);
    store_builder_must(xylem_run_in_session(run, xylem_view_of("S9"), &err), &err);
    assert_int_equal(play_next(run).type, XYLEM_ACTION_EXECUTE);
    assert_ledger("start fresh.reset.a1 i0.begin i0.s0.a1");
    play_close(run);
    assert_phase(XYLEM_RUN_INTERRUPTED);
}

RUN_TEST(a_step_is_given_before_its_claim_and_nothing_is_stored_until_then)
{
    struct xylem_run *run = play_start(1);
    struct xylem_action action;
    struct xylem_view hash = xylem_view_of(TEXT_HASH);
    assert_code(xylem_run_claim(run, hash, &err), XYLEM_E_ARGUMENT);
    for (int i = 0; i < 2; i++) { /* the call can be repeated */
        store_builder_must(xylem_run_next(&action, run, catalogue, &err), &err);
        assert_int_equal(action.type, XYLEM_ACTION_EXECUTE);
        assert_int_equal(action.attempt, 1);
        assert_ledger("start i0.begin");
    }
    assert_code(xylem_run_done(run, (struct xylem_view){NULL, 0}, &err), XYLEM_E_ARGUMENT);
    static const char *const bad[] = {
        NULL, "", "0123456789abcde", "0123456789abcdef0", "0123456789ABCDEF", "0123456789abcdeg"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_code(xylem_run_claim(run, xylem_view_of(bad[i]), &err), XYLEM_E_ARGUMENT);
    }
    assert_ledger("start i0.begin");
    store_builder_must(xylem_run_claim(run, hash, &err), &err);
    assert_memory_equal(action.state->text_hash.data, TEXT_HASH, 16);
    assert_ledger("start i0.begin i0.s0.a1");
    assert_code(xylem_run_claim(run, hash, &err), XYLEM_E_ARGUMENT);
    play_done(run);
    assert_code(xylem_run_claim(run, hash, &err), XYLEM_E_ARGUMENT);
    store_builder_must(xylem_run_next(&action, run, catalogue, &err), &err);
    store_builder_must(xylem_run_pause(run, XYLEM_RUN_CODE_LEFT, (struct xylem_view){NULL, 0}, &err), &err);
    assert_code(xylem_run_claim(run, hash, &err), XYLEM_E_ARGUMENT);
    play_close(run);
    assert_phase(XYLEM_RUN_PAUSED); /* not interrupted: no step was claimed */
}

/* vectors 80 and 81 */
RUN_TEST(calls_out_of_order_write_nothing)
{
    struct xylem_run *run = play_start(2);
    struct xylem_action action;
    struct xylem_view none = {NULL, 0};
    assert_code(xylem_run_done(run, none, &err), XYLEM_E_ARGUMENT);
    assert_code(xylem_run_failed(run, XYLEM_RUN_CODE_HOST, none, &err), XYLEM_E_ARGUMENT);
    assert_code(xylem_run_in_session(run, xylem_view_of("S2"), &err), XYLEM_E_ARGUMENT);
    play_next(run);
    assert_code(next_claimed(&action, run, catalogue, &err), XYLEM_E_ARGUMENT);
    assert_code(xylem_run_in_session(run, xylem_view_of("S2"), &err), XYLEM_E_ARGUMENT);
    assert_code(xylem_run_failed(run, XYLEM_RUN_CODE_USER, none, &err), XYLEM_E_ARGUMENT);
    assert_code(xylem_run_pause(run, XYLEM_RUN_CODE_HOST, none, &err), XYLEM_E_ARGUMENT);
    assert_ledger("start i0.begin i0.s0.a1");
    play_done(run);
    play_step(run);
    assert_int_equal(play_next(run).type, XYLEM_ACTION_NEW_SESSION);
    assert_code(next_claimed(&action, run, catalogue, &err), XYLEM_E_ARGUMENT);
    assert_code(xylem_run_done(run, none, &err), XYLEM_E_ARGUMENT);
    store_builder_must(xylem_run_stop(run, none, &err), &err);
    assert_code(xylem_run_stop(run, none, &err), XYLEM_E_ARGUMENT);
    assert_code(xylem_run_pause(run, XYLEM_RUN_CODE_LEFT, none, &err), XYLEM_E_ARGUMENT);
    play_close(run);
    assert_phase(XYLEM_RUN_STOPPED);
}

/* vector 82 */
RUN_TEST(a_failed_step_ends_the_run)
{
    struct xylem_run *run = play_start(2);
    play_next(run);
    store_builder_must(xylem_run_failed(run, XYLEM_RUN_CODE_TURN_ERROR, xylem_view_of("no key"), &err), &err);
    struct xylem_action action = play_next(run);
    assert_int_equal(action.type, XYLEM_ACTION_FINISHED);
    assert_int_equal(action.state->phase, XYLEM_RUN_FAILED);
    assert_int_equal(action.state->code, XYLEM_RUN_CODE_TURN_ERROR);
    play_close(run);
    assert_ledger("start i0.begin i0.s0.a1 i0.s0.a1.end finish");
    struct xylem_run_state read = play_state();
    assert_int_equal(read.phase, XYLEM_RUN_FAILED);
    assert_int_equal(read.done_count, 0);
    assert_int_equal(read.message.bytes, 6);
    xylem_run_state_release(&read);
}

RUN_TEST(a_failed_new_session_ends_the_run)
{
    struct xylem_run *run = play_start(2);
    play_step(run);
    play_step(run);
    play_next(run);
    store_builder_must(xylem_run_failed(run, XYLEM_RUN_CODE_RESET, xylem_view_of("cancelled"), &err), &err);
    play_close(run);
    assert_ledger("start i0.begin i0.s0.a1 i0.s0.a1.end i0.s1.a1 i0.s1.a1.end i0.reset.a1 finish");
    assert_phase(XYLEM_RUN_FAILED);
}

static void claim_and_die(struct xylem_store *store)
{
    struct xylem_run_options options = play_options(2);
    struct xylem_run *run;
    struct xylem_action action;
    child_must(xylem_run_start(&run, run_id, NULL, store, catalogue, &options, NULL));
    child_must(next_claimed(&action, run, catalogue, NULL));
}

/* vector 83 */
RUN_TEST(a_cut_off_step_is_attempted_again_after_a_decision_only)
{
    struct xylem_run *run = NULL;
    play_and_die(claim_and_die);
    struct xylem_run_state read = play_state();
    assert_int_equal(read.phase, XYLEM_RUN_INTERRUPTED);
    assert_true(read.owned && !read.owner.alive);
    assert_int_equal(read.text_hash.bytes, 16);
    xylem_run_state_release(&read);
    assert_code(
        xylem_run_open(&run, builder.store, xylem_view_of(run_id), XYLEM_RUN_CONTINUE, xylem_view_of("S1"), &err),
        XYLEM_E_CONFLICT);
    assert_text_has("interrupted");
    assert_code(xylem_run_open(&run, builder.store, xylem_view_of(run_id), XYLEM_RUN_RETRY, xylem_view_of("S2"), &err),
                XYLEM_E_CONFLICT);
    run = play_open(XYLEM_RUN_RETRY, "S1");
    struct xylem_action action = play_next(run);
    assert_int_equal(action.attempt, 2);
    assert_int_equal(action.step_index, 0);
    assert_ledger("start i0.begin i0.s0.a1 resume.1 i0.s0.a2");
    play_close(run);
}

/* vector 84 */
RUN_TEST(a_cut_off_step_can_be_skipped)
{
    play_and_die(claim_and_die);
    struct xylem_run *run = play_open(XYLEM_RUN_SKIP, "S1");
    struct xylem_action action = play_next(run);
    assert_int_equal(action.step_index, 1);
    assert_int_equal(action.attempt, 1);
    assert_int_equal(action.state->skipped_count, 1);
    assert_int_equal(action.state->done_count, 0);
    assert_ledger("start i0.begin i0.s0.a1 i0.s0.a1.end resume.1 i0.s1.a1");
    play_close(run);
    run = play_open(XYLEM_RUN_SKIP, "S1"); /* the last step of the iteration: a new session comes next */
    assert_int_equal(play_next(run).type, XYLEM_ACTION_NEW_SESSION);
    play_close(run);
    assert_ledger("start i0.begin i0.s0.a1 i0.s0.a1.end resume.1 i0.s1.a1 i0.s1.a1.end resume.2 i0.reset.a1");
}

static void end_and_die(struct xylem_store *store)
{
    struct xylem_run_options options = play_options(2);
    struct xylem_run *run;
    struct xylem_action action;
    child_must(xylem_run_start(&run, run_id, NULL, store, catalogue, &options, NULL));
    child_must(next_claimed(&action, run, catalogue, NULL));
    child_must(xylem_run_done(run, (struct xylem_view){NULL, 0}, NULL));
}

/* vector 85 */
RUN_TEST(a_run_cut_off_between_steps_goes_on_at_the_next_step)
{
    struct xylem_run *run = NULL;
    play_and_die(end_and_die);
    assert_phase(XYLEM_RUN_PAUSED);
    assert_code(xylem_run_open(&run, builder.store, xylem_view_of(run_id), XYLEM_RUN_RETRY, xylem_view_of("S1"), &err),
                XYLEM_E_CONFLICT);
    run = play_open(XYLEM_RUN_CONTINUE, "S1");
    struct xylem_action action = play_next(run);
    assert_int_equal(action.step_index, 1);
    assert_int_equal(action.attempt, 1);
    play_close(run);
}

static void reset_and_die(struct xylem_store *store)
{
    struct xylem_run_options options = play_options(2);
    struct xylem_run *run;
    struct xylem_action action;
    options.fresh = true;
    child_must(xylem_run_start(&run, run_id, NULL, store, catalogue, &options, NULL));
    child_must(next_claimed(&action, run, catalogue, NULL));
}

/* vector 86 */
RUN_TEST(a_new_session_that_was_cut_off_is_asked_for_again)
{
    play_and_die(reset_and_die);
    assert_phase(XYLEM_RUN_PAUSED);
    struct xylem_run *run = play_open(XYLEM_RUN_CONTINUE, "S7");
    assert_int_equal(play_next(run).type, XYLEM_ACTION_NEW_SESSION);
    assert_ledger("start fresh.reset.a1 resume.1 fresh.reset.a2");
    store_builder_must(xylem_run_in_session(run, xylem_view_of("S8"), &err), &err);
    play_step(run);
    play_step(run);
    assert_int_equal(play_next(run).type, XYLEM_ACTION_NEW_SESSION);
    play_close(run);
    run = play_open(XYLEM_RUN_CONTINUE, "S8");
    assert_int_equal(play_next(run).attempt, 2);
    play_close(run);
    assert_ledger("start fresh.reset.a1 resume.1 fresh.reset.a2 i0.begin i0.s0.a1 i0.s0.a1.end i0.s1.a1 i0.s1.a1.end "
                  "i0.reset.a1 resume.2 i0.reset.a2");
}

/* vector 91 and 92 */
RUN_TEST(a_step_that_no_longer_resolves_ends_the_run)
{
    const struct xylem_view steps[] = {{"Plan it", 7}, {"/plan the parser", 16}};
    struct xylem_catalogue *without =
        play_catalogue("{\"schema\":1,\"expands\":true,\"commands\":[{\"name\":\"plan\",\"source\":\"extension\","
                       "\"path\":\"/x/plan.ts\"}]}");
    struct xylem_run_options options = play_options(2);
    options.steps = steps;
    struct xylem_run *run = play_start_in(builder.store, &options);
    play_step(run);
    play_step(run);
    play_next(run);
    store_builder_must(xylem_run_in_session(run, xylem_view_of("S2"), &err), &err);
    struct xylem_action action;
    store_builder_must(next_claimed(&action, run, without, &err), &err);
    assert_int_equal(action.type, XYLEM_ACTION_FINISHED);
    assert_int_equal(action.step->problem, XYLEM_STEP_EXTENSION);
    assert_int_equal(action.state->code, XYLEM_RUN_CODE_UNRESOLVED);
    assert_int_equal(action.state->step_index, 1);
    assert_int_equal(action.state->done_count, 2);
    assert_memory_equal(action.state->message.data, "step 2 of 2: /plan", 18);
    play_close(run);
    assert_phase(XYLEM_RUN_FAILED);
    xylem_catalogue_free(without);
}

/* The step of an action before may name a catalogue that was freed meanwhile. */
RUN_TEST(a_run_that_has_ended_names_no_step_of_an_action_before)
{
    struct xylem_run *run = play_start(1);
    assert_non_null(play_next(run).step);
    store_builder_must(xylem_run_failed(run, XYLEM_RUN_CODE_TURN_ERROR, xylem_view_of("x"), &err), &err);
    struct xylem_action action = play_next(run);
    assert_int_equal(action.type, XYLEM_ACTION_FINISHED);
    assert_null(action.step);
    play_close(run);
    struct xylem_catalogue *without = play_catalogue("{\"schema\":1,\"commands\":[]}");
    run = play_start(1);
    store_builder_must(next_claimed(&action, run, without, &err), &err);
    assert_int_equal(action.step->problem, XYLEM_STEP_UNKNOWN);
    xylem_catalogue_free(without);
    action = play_next(run);
    assert_int_equal(action.type, XYLEM_ACTION_FINISHED);
    assert_int_equal(action.state->code, XYLEM_RUN_CODE_UNRESOLVED);
    assert_null(action.step);
    play_close(run);
}

/* vector 93 */
RUN_TEST(a_changed_template_is_run_with_a_warning)
{
    const struct xylem_view steps[] = {{"/plan a", 7}};
    struct xylem_catalogue *changed =
        play_catalogue("{\"schema\":1,\"expands\":true,\"commands\":[{\"name\":\"plan\",\"source\":\"prompt\","
                       "\"path\":\"/p/plan.md\",\"hash\":\"2\"}]}");
    struct xylem_run_options options = play_options(3);
    struct xylem_action action;
    options.steps = steps;
    options.step_count = 1;
    struct xylem_run *run = play_start_in(builder.store, &options);
    action = play_next(run);
    assert_false(action.step->warnings & XYLEM_STEP_WARN_CHANGED);
    for (int i = 0; i < 2; i++) {
        play_done(run);
        play_next(run);
        store_builder_must(xylem_run_in_session(run, xylem_view_of("S2"), &err), &err);
        store_builder_must(next_claimed(&action, run, changed, &err), &err);
        assert_int_equal(action.step->warnings & XYLEM_STEP_WARN_CHANGED, i == 0 ? XYLEM_STEP_WARN_CHANGED : 0);
    }
    play_close(run);
    xylem_catalogue_free(changed);
}

/* vector 95 */
RUN_TEST(a_step_has_a_hundred_attempts)
{
    struct xylem_run *run = play_start(2);
    play_next(run);
    play_close(run);
    for (int attempt = 2; attempt <= 100; attempt++) {
        run = play_open(XYLEM_RUN_RETRY, "S1");
        assert_int_equal(play_next(run).attempt, attempt);
        play_close(run);
    }
    run = NULL;
    assert_code(xylem_run_open(&run, builder.store, xylem_view_of(run_id), XYLEM_RUN_RETRY, xylem_view_of("S1"), &err),
                XYLEM_E_LIMIT);
    assert_phase(XYLEM_RUN_INTERRUPTED);
    run = play_open(XYLEM_RUN_SKIP, "S1");
    play_step(run);
    play_close(run);
}

RUN_TEST(a_new_session_has_a_hundred_attempts_and_is_no_step_to_skip)
{
    struct xylem_run_options options = play_options(1);
    options.fresh = true;
    struct xylem_run *run = play_start_in(builder.store, &options);
    for (int attempt = 1; attempt <= 100; attempt++) {
        struct xylem_action action = play_next(run);
        assert_int_equal(action.type, XYLEM_ACTION_NEW_SESSION);
        assert_int_equal(action.attempt, attempt);
        play_close(run);
        run = NULL;
        if (attempt < 100) {
            run = play_open(XYLEM_RUN_CONTINUE, "S1");
        }
    }
    assert_code(
        xylem_run_open(&run, builder.store, xylem_view_of(run_id), XYLEM_RUN_CONTINUE, xylem_view_of("S1"), &err),
        XYLEM_E_LIMIT);
    assert_text_has("the new session of run 1 was attempted 100 times: stop the run");
    assert_phase(XYLEM_RUN_PAUSED);
}

/* The lease is taken before the map is found too small, and taken again in the next attempt. */
RUN_TEST(a_run_is_started_and_opened_though_the_map_must_grow)
{
    static char bytes[XYLEM_STEP_BYTES_MAX];
    struct xylem_view steps[XYLEM_SEQUENCE_BYTES_MAX / XYLEM_STEP_BYTES_MAX];
    struct xylem_open_options small = {.durability = XYLEM_DURABILITY_NONE, .map_bytes = (uint64_t)1 << 20};
    struct xylem_run_options options = play_options(1);
    uint64_t random = 1;
    for (size_t i = 0; i < sizeof bytes; i++) { /* nothing that compresses well */
        random = random * 6364136223846793005u + 1442695040888963407u;
        bytes[i] = (char)('0' + (random >> 33) % 64);
    }
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        steps[i] = (struct xylem_view){bytes, sizeof bytes};
    }
    options.steps = steps;
    options.step_count = sizeof steps / sizeof *steps;
    store_builder_must(xylem_close(builder.store, &err), &err);
    store_builder_must(xylem_open(&builder.store, builder.path, &small, &err), &err);
    for (int i = 0; i < 3; i++) {
        struct xylem_run *run = play_start_in(builder.store, &options);
        assert_int_equal(play_next(run).step->raw.bytes, sizeof bytes);
        play_close(run);
        run = play_open(XYLEM_RUN_RETRY, "S1");
        assert_int_equal(play_next(run).attempt, 2);
        play_close(run);
        assert_ledger("start i0.begin i0.s0.a1 resume.1 i0.s0.a2");
    }
    struct xylem_stat stat;
    struct xylem_txn *txn = play_begin();
    store_builder_must(xylem_stat_read(&stat, txn, &err), &err);
    xylem_abort(txn);
    assert_true(stat.map_bytes > small.map_bytes);
}

/* vector 96 */
RUN_TEST(a_person_stops_a_run_in_a_step_or_between_steps)
{
    struct xylem_run *run = play_start(2);
    play_next(run);
    store_builder_must(xylem_run_stop(run, xylem_view_of("enough"), &err), &err);
    play_close(run);
    assert_ledger("start i0.begin i0.s0.a1 i0.s0.a1.end finish");
    assert_phase(XYLEM_RUN_STOPPED);
    run = play_start(2);
    play_step(run);
    store_builder_must(xylem_run_stop(run, xylem_view_of("enough"), &err), &err);
    play_close(run);
    assert_ledger("start i0.begin i0.s0.a1 i0.s0.a1.end finish");
    struct xylem_run_state read = play_state();
    assert_int_equal(read.code, XYLEM_RUN_CODE_USER);
    assert_int_equal(read.done_count, 1);
    xylem_run_state_release(&read);
}

RUN_TEST(a_pause_between_steps_is_recorded_and_a_pause_in_a_step_is_not)
{
    struct xylem_run *run = play_start(2);
    struct xylem_action action;
    play_step(run);
    store_builder_must(xylem_run_pause(run, XYLEM_RUN_CODE_LEFT, xylem_view_of("left"), &err), &err);
    assert_phase(XYLEM_RUN_PAUSED);
    assert_code(next_claimed(&action, run, catalogue, &err), XYLEM_E_ARGUMENT);
    play_close(run);
    struct xylem_run_state read = play_state();
    assert_int_equal(read.phase, XYLEM_RUN_PAUSED);
    assert_int_equal(read.code, XYLEM_RUN_CODE_LEFT);
    assert_int_equal(read.step_index, 1);
    xylem_run_state_release(&read);
    run = play_open(XYLEM_RUN_CONTINUE, "S1");
    play_next(run);
    store_builder_must(xylem_run_pause(run, XYLEM_RUN_CODE_SHUTDOWN, xylem_view_of("quit"), &err), &err);
    play_close(run);
    assert_phase(XYLEM_RUN_INTERRUPTED);
    run = play_open(XYLEM_RUN_SKIP, "S1");
    store_builder_must(xylem_run_pause(run, XYLEM_RUN_CODE_LEFT, xylem_view_of("left"), &err), &err);
    play_close(run);
    assert_ledger("start i0.begin i0.s0.a1 i0.s0.a1.end pause.1 resume.1 i0.s1.a1 i0.s1.a1.end resume.2 pause.3");
}

/* vector 99 */
RUN_TEST(a_long_message_is_cut_at_a_character)
{
    char message[5000];
    memset(message, 'm', sizeof message);
    memcpy(message + 1022, "\xe2\x82\xac", 3);
    struct xylem_run *run = play_start(1);
    play_next(run);
    store_builder_must(xylem_run_failed(run, XYLEM_RUN_CODE_HOST, (struct xylem_view){message, sizeof message}, &err),
                       &err);
    play_close(run);
    struct xylem_run_state read = play_state();
    assert_int_equal(read.message.bytes, 1022);
    xylem_run_state_release(&read);
}

RUN_TEST(a_message_of_any_bytes_is_kept)
{
    struct xylem_run *run = play_start(1);
    play_next(run);
    store_builder_must(xylem_run_failed(run, XYLEM_RUN_CODE_HOST, xylem_view_of("a\xff\nb"), &err), &err);
    play_close(run);
    struct xylem_run_state read = play_state();
    assert_int_equal(read.phase, XYLEM_RUN_FAILED);
    assert_memory_equal(read.message.data, "a\xef\xbf\xbd\nb", 6);
    xylem_run_state_release(&read);
}

RUN_TEST(arguments_are_put_into_the_text_and_none_are_kept_apart_from_no_arguments)
{
    const struct xylem_view steps[] = {{"Plan $@", 7}};
    const struct xylem_view args[] = {{"a", 1}, {"b c", 3}};
    for (int i = 0; i < 3; i++) {
        static const char *const texts[] = {"Plan a b c", "Plan ", "Plan $@"};
        struct xylem_run_options options = play_options(1);
        options.steps = steps;
        options.step_count = 1;
        options.args = args;
        options.substitute = i < 2;
        options.arg_count = i == 0 ? 2 : 0;
        struct xylem_run *run = play_start_in(builder.store, &options);
        struct xylem_action action = play_next(run);
        struct xylem_buffer text = {0};
        store_builder_must(xylem_step_text(&text, action.step, action.state->args, action.state->arg_count, &err),
                           &err);
        assert_string_equal(text.data, texts[i]);
        assert_int_equal(action.state->args != NULL, i < 2);
        xylem_buffer_release(&text);
        play_close(run);
    }
}

RUN_TEST(a_run_without_an_owner_can_be_ended_for_good)
{
    struct xylem_view message = xylem_view_of("given up");
    struct xylem_run *run = play_start(2);
    assert_code(xylem_run_end(builder.store, xylem_view_of(run_id), message, &err), XYLEM_E_CONFLICT);
    assert_text_has("process");
    play_close(run);
    store_builder_must(xylem_run_end(builder.store, xylem_view_of(run_id), message, &err), &err);
    assert_ledger("start i0.begin finish");
    assert_code(xylem_run_end(builder.store, xylem_view_of(run_id), message, &err), XYLEM_E_CONFLICT);
    assert_text_has("stopped");
    play_and_die(claim_and_die);
    store_builder_must(xylem_run_end(builder.store, xylem_view_of(run_id), message, &err), &err);
    struct xylem_run_state read = play_state();
    assert_int_equal(read.phase, XYLEM_RUN_STOPPED);
    assert_false(read.owned);
    xylem_run_state_release(&read);
    assert_code(xylem_run_end(builder.store, xylem_view_of("x"), message, &err), XYLEM_E_NOT_FOUND);
}

RUN_TEST(a_closed_run_frees_the_store_and_an_open_run_keeps_it)
{
    struct xylem_run *run = play_start(1);
    struct xylem_txn *txn;
    assert_code(xylem_close(builder.store, &err), XYLEM_E_BUSY);
    store_builder_must(xylem_begin(&txn, builder.store, XYLEM_WRITE, &err), &err);
    assert_code(xylem_run_close(run, &err), XYLEM_E_BUSY);
    assert_code(xylem_run_done(run, (struct xylem_view){NULL, 0}, &err), XYLEM_E_ARGUMENT);
    struct xylem_action action;
    assert_code(next_claimed(&action, run, catalogue, &err), XYLEM_E_BUSY);
    xylem_abort(txn);
    assert_int_equal(play_next(run).type, XYLEM_ACTION_EXECUTE); /* BUSY left the run as it was */
    play_close(run);
    store_builder_must(xylem_run_close(NULL, &err), &err);
}
