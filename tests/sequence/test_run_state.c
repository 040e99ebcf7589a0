/* The state of a run, read from three entries; damaged ledgers. The numbers are those of the test vectors. */
#include "tests/lib/chance.h"
#include "tests/lib/costs.h"
#include "tests/sequence/play.h"
#include "xylem/redact.h"

#define RUN_TEST(name) TEST_WITH(name, set_up, tear_down)

static void assert_json(const struct xylem_run_state *read, const char *expected)
{
    struct xylem_buffer json = {NULL, 0, 0};
    store_builder_must(xylem_run_state_json(&json, read), &err);
    assert_string_equal(json.data, expected);
    xylem_buffer_release(&json);
}

/* vector 113 */
RUN_TEST(the_json_of_a_state_has_its_members_in_their_order)
{
    struct xylem_run *run = play_start(2);
    play_step(run);
    play_step(run);
    play_next(run);
    store_builder_must(xylem_run_in_session(run, xylem_view_of("S2"), &err), &err);
    play_step(run);
    struct xylem_run_state read = play_state();
    strcpy(read.run_id, "0198c0de-90f1-7e7e-8000-1b2c3d4e5f60");
    read.owner.pid = 4711;
    read.owner.since_ms = read.started_ms = read.newest_ms = 1795204355003;
    strcpy(read.owner.host, "maple");
    assert_json(
        &read,
        "{\"schema\":1,\"run_id\":\"0198c0de-90f1-7e7e-8000-1b2c3d4e5f60\",\"sequence_id\":\"q1\","
        "\"phase\":\"running\",\"iteration\":1,\"iteration_count\":2,\"step_index\":1,\"step_count\":2,\"attempt\":1,"
        "\"step\":\"/readonly "
        "on\",\"session\":\"S2\",\"host_session\":\"S2\",\"origin\":{\"session\":\"S1\",\"entry\":\"e1\"},"
        "\"started\":\"2026-11-20T19:52:35.003Z\",\"newest\":\"2026-11-20T19:52:35.003Z\",\"outcome\":null,"
        "\"code\":null,\"message\":null,\"owner\":{\"pid\":4711,\"host\":\"maple\","
        "\"since\":\"2026-11-20T19:52:35.003Z\",\"alive\":true},\"done_count\":3,\"skipped_count\":0}");
    xylem_run_state_release(&read);
    play_step(run);
    assert_int_equal(play_next(run).type, XYLEM_ACTION_FINISHED);
    play_close(run);
    read = play_state();
    strcpy(read.run_id, "0198c0de-90f1-7e7e-8000-1b2c3d4e5f60");
    read.started_ms = read.newest_ms = 1795204355003;
    assert_json(
        &read,
        "{\"schema\":1,\"run_id\":\"0198c0de-90f1-7e7e-8000-1b2c3d4e5f60\",\"sequence_id\":\"q1\","
        "\"phase\":\"done\",\"iteration\":1,\"iteration_count\":2,\"step_index\":1,\"step_count\":2,\"attempt\":null,"
        "\"step\":null,\"session\":\"S2\",\"host_session\":\"S2\",\"origin\":{\"session\":\"S1\",\"entry\":\"e1\"},"
        "\"started\":\"2026-11-20T19:52:35.003Z\",\"newest\":\"2026-11-20T19:52:35.003Z\","
        "\"outcome\":\"done\",\"code\":null,\"message\":null,\"owner\":null,\"done_count\":4,"
        "\"skipped_count\":0}");
    xylem_run_state_release(&read);
}

static const char *const step_text = "s";

/* The records that one reading of the state takes. */
static uint64_t records_of_reading(void)
{
    struct xylem_txn *txn = play_begin();
    struct xylem_run_state read;
    struct xylem_counters before;
    xylem_counters_read(&before, txn);
    store_builder_must(xylem_run_read(&read, txn, xylem_view_of(run_id), &err), &err);
    struct costs costs = costs_since(txn, &before);
    uint64_t count = costs.counters.record_count;
    xylem_run_state_release(&read);
    xylem_abort(txn);
    return count;
}

/* vector 94: 202,001 entries with XYLEM_TORTURE, 4,041 without. */
RUN_TEST(the_state_of_a_long_run_takes_as_many_records_as_the_state_of_a_short_run)
{
    uint32_t runs = getenv("XYLEM_TORTURE") ? 1000 : 20;
    struct xylem_view steps[100];
    struct xylem_run_options options = play_options(runs);
    for (size_t i = 0; i < 100; i++) {
        steps[i] = xylem_view_of(step_text);
    }
    options.steps = steps;
    options.step_count = 100;
    struct xylem_run *run = play_start_in(builder.store, &options);
    struct xylem_action action;
    uint64_t at_ten = 0;
    uint64_t at_ten_claimed = 0;
    for (uint32_t r = 0; r < runs; r++) {
        for (uint32_t s = 0; s < 100; s++) {
            action = play_next(run);
            if (r == 0 && s == 4) {
                at_ten_claimed = records_of_reading(); /* start, begin, 4 claims and ends, a claim */
            } else if (r + 1 == runs && s == 99) {
                assert_int_equal(records_of_reading(), at_ten_claimed);
            }
            play_done(run);
            if (r == 0 && s == 3) {
                at_ten = records_of_reading();
            } else if (r + 1 == runs && s == 50) {
                assert_int_equal(records_of_reading(), at_ten);
            }
        }
        action = play_next(run);
        if (r + 1 < runs) {
            assert_int_equal(action.type, XYLEM_ACTION_NEW_SESSION);
            store_builder_must(xylem_run_in_session(run, xylem_view_of("S2"), &err), &err);
        }
    }
    assert_int_equal(action.type, XYLEM_ACTION_FINISHED);
    assert_int_equal(action.state->done_count, runs * 100);
    assert_int_equal(records_of_reading(), at_ten);
    struct xylem_txn *txn = play_begin();
    struct xylem_session session;
    store_builder_must(xylem_session_read(&session, txn, play_ledger(txn), &err), &err);
    assert_int_equal(session.own_entry_count, runs * 202 + 1);
    xylem_abort(txn);
    printf("figures: %llu entries, %llu records read for the state\n", (unsigned long long)session.own_entry_count,
           (unsigned long long)at_ten);
    play_close(run);
}

RUN_TEST(runs_are_listed_newest_first)
{
    char ids[3][XYLEM_UUID_TEXT_BYTES];
    struct xylem_runs *runs;
    struct xylem_run_state read;
    for (int i = 0; i < 3; i++) {
        play_close(play_start(1));
        memcpy(ids[i], run_id, sizeof run_id);
    }
    struct xylem_txn *txn;
    struct xylem_session session;
    struct xylem_session_options named = {.id = xylem_view_of("seq.x")}; /* a person's session */
    struct xylem_session_options empty = {.id = xylem_view_of("seq.00000000-0000-7000-8000-000000000001")};
    store_builder_must(xylem_begin(&txn, builder.store, XYLEM_WRITE, &err), &err);
    store_builder_must(xylem_session_create(&session, txn, &named, &err), &err);
    store_builder_must(xylem_session_create(&session, txn, &empty, &err), &err);
    store_builder_must(xylem_commit(txn, &err), &err);
    txn = play_begin();
    store_builder_must(xylem_runs_new(&runs, txn, &err), &err);
    assert_int_equal(store_builder_must(xylem_runs_next(&read, runs, &err), &err), 1);
    assert_int_equal(read.phase, XYLEM_RUN_DAMAGED);
    xylem_run_state_release(&read);
    for (int i = 2; i >= 0; i--) {
        assert_int_equal(store_builder_must(xylem_runs_next(&read, runs, &err), &err), 1);
        assert_string_equal(read.run_id, ids[i]);
        assert_int_equal(read.phase, XYLEM_RUN_PAUSED);
        xylem_run_state_release(&read);
    }
    assert_int_equal(store_builder_must(xylem_runs_next(&read, runs, &err), &err), 0);
    xylem_runs_free(runs);
    xylem_runs_free(NULL);
    xylem_abort(txn);
}

static const struct xylem_view any = {NULL, 0};

/* Makes a run of one iteration in a directory and a session, and leaves it paused. */
static void leave_run(char id[XYLEM_UUID_TEXT_BYTES], const char *cwd, const char *session)
{
    struct xylem_run_options options = play_options(1);
    options.cwd = xylem_view_of(cwd);
    options.session = xylem_view_of(session);
    play_close(play_start_in(builder.store, &options));
    memcpy(id, run_id, sizeof run_id);
}

static void assert_waiting(const char *expected, struct xylem_view cwd, struct xylem_view session)
{
    struct xylem_run_state read;
    struct xylem_txn *txn = play_begin();
    int found = store_builder_must(xylem_run_waiting(&read, txn, cwd, session, &err), &err);
    xylem_abort(txn);
    assert_int_equal(found, expected != NULL);
    if (found) { /* the state outlives the transaction */
        assert_string_equal(read.run_id, expected);
        assert_int_equal(read.step_count, 2);
        xylem_run_state_release(&read);
    }
}

RUN_TEST(the_newest_run_of_a_directory_waits_and_of_a_session_the_newest_there)
{
    char older[XYLEM_UUID_TEXT_BYTES];
    char newer[XYLEM_UUID_TEXT_BYTES];
    char other[XYLEM_UUID_TEXT_BYTES];
    char none[XYLEM_UUID_TEXT_BYTES];
    assert_waiting(NULL, xylem_view_of("/home/dev"), any);
    leave_run(older, "/home/dev", "S1");
    leave_run(newer, "/home/dev", "S2");
    leave_run(other, "/home/dev/below", "S1");
    leave_run(none, "", "S3");
    assert_waiting(newer, xylem_view_of("/home/dev"), any);
    assert_waiting(older, xylem_view_of("/home/dev"), xylem_view_of("S1"));
    assert_waiting(NULL, xylem_view_of("/home/dev"), xylem_view_of("S3"));
    assert_waiting(NULL, xylem_view_of("/home/dev"), xylem_view_of(""));
    assert_waiting(other, xylem_view_of("/home/dev/below"), any);
    assert_waiting(NULL, xylem_view_of("/home/dev/"), any); /* byte by byte */
    assert_waiting(NULL, xylem_view_of("/home"), any);
    assert_waiting(none, any, any);
}

RUN_TEST(a_run_with_an_owner_and_a_run_that_ended_do_not_wait)
{
    struct xylem_run *run = play_start(1);
    assert_waiting(NULL, xylem_view_of("/home/dev"), any);
    play_next(run);
    play_close(run);
    assert_phase(XYLEM_RUN_INTERRUPTED);
    assert_waiting(run_id, xylem_view_of("/home/dev"), any);
    store_builder_must(xylem_run_end(builder.store, xylem_view_of(run_id), xylem_view_of("over"), &err), &err);
    assert_waiting(NULL, xylem_view_of("/home/dev"), any);
}

RUN_TEST(a_waiting_run_behind_too_many_newer_runs_is_not_found)
{
    char oldest[XYLEM_UUID_TEXT_BYTES];
    char later[XYLEM_UUID_TEXT_BYTES];
    leave_run(oldest, "/here", "S1");
    for (unsigned i = 1; i < XYLEM_RUNS_WAITING_MAX; i++) {
        leave_run(later, "/there", "S1");
    }
    assert_waiting(oldest, xylem_view_of("/here"), any);
    leave_run(later, "/there", "S1");
    assert_waiting(NULL, xylem_view_of("/here"), any);
}

RUN_TEST(a_search_for_a_waiting_run_needs_a_state_and_a_transaction)
{
    struct xylem_run_state read;
    struct xylem_txn *txn = play_begin();
    assert_code(xylem_run_waiting(NULL, txn, any, any, &err), XYLEM_E_ARGUMENT);
    assert_code(xylem_run_waiting(&read, NULL, any, any, &err), XYLEM_E_ARGUMENT);
    assert_text_has("xylem_run_waiting");
    xylem_abort(txn);
}

RUN_TEST(the_id_of_a_ledger_gives_the_id_of_its_run)
{
    struct xylem_view id = {NULL, 0};
    assert_true(xylem_run_of_session(&id, xylem_view_of("seq.0198c0de-90f1-7e7e-8000-1b2c3d4e5f60")));
    assert_int_equal(id.bytes, 36);
    static const char *const none[] = {"",
                                       "seq.",
                                       "seq.x",
                                       "0198c0de-90f1-7e7e-8000-1b2c3d4e5f60",
                                       "seq.0198C0DE-90f1-7e7e-8000-1b2c3d4e5f60",
                                       "seq.0198c0de-90f1-7e7e-8000-1b2c3d4e5f6",
                                       "seq.0198c0de-90f1-7e7e-8000-1b2c3d4e5f600",
                                       "seq.0198c0de090f1-7e7e-8000-1b2c3d4e5f60"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_false(xylem_run_of_session(&id, xylem_view_of(none[i])));
    }
}

/* --- Damage --- */

/* Appends an entry to the ledger by hand, below the leaf. Gives the code. */
static int append_by_hand(const char *id, const char *kind_name, const char *json)
{
    struct xylem_txn *txn;
    struct xylem_position at;
    struct xylem_new_entry entry = {.id = xylem_view_of(id),
                                    .kind = {XYLEM_CLASS_CUSTOM, xylem_view_of(kind_name)},
                                    .format = XYLEM_FORMAT_JSON,
                                    .payload = xylem_view_of(json)};
    store_builder_must(xylem_begin(&txn, builder.store, XYLEM_WRITE, &err), &err);
    int code = xylem_append(&at, txn, play_ledger(txn), &entry, 1, NULL, &err);
    if (code < 0) {
        xylem_abort(txn);
        return code;
    }
    return xylem_commit(txn, &err);
}

static void assert_damaged(const char *reason)
{
    struct xylem_run_state read = play_state();
    struct xylem_run *run = NULL;
    assert_int_equal(read.phase, XYLEM_RUN_DAMAGED);
    if (!strstr(read.message.data, reason)) {
        fail_msg("'%s' is not in '%.*s'", reason, (int)read.message.bytes, read.message.data);
    }
    struct xylem_buffer json = {NULL, 0, 0};
    store_builder_must(xylem_run_state_json(&json, &read), &err);
    xylem_buffer_release(&json);
    xylem_run_state_release(&read);
    assert_code(
        xylem_run_open(&run, builder.store, xylem_view_of(run_id), XYLEM_RUN_CONTINUE, xylem_view_of("S1"), &err),
        XYLEM_E_MALFORMED);
    assert_code(xylem_run_end(builder.store, xylem_view_of(run_id), xylem_view_of(""), &err), XYLEM_E_MALFORMED);
}

#define HEAD(event, r, s, a, done)                                                                    \
    "{\"version\":1,\"event\":\"" event "\",\"runIndex\":" #r ",\"stepIndex\":" #s ",\"attempt\":" #a \
    ",\"done\":" #done ",\"skipped\":0,\"resumes\":0"

RUN_TEST(a_ledger_that_breaks_its_rules_is_damaged_and_says_why)
{
    static const struct {
        const char *id;
        const char *kind;
        const char *json;
        const char *reason;
    } cases[] = {
        {"x", "note", "{}", "its kind"},
        {"x", "sequence-run", "{}", "version"},
        {"x", "sequence-run", "{\"version\":1,\"event\":\"claims\"}", "event"},
        {"x", "sequence-run", "{\"version\":1,\"event\":\"claim\"}", "out of range"},
        {"x", "sequence-run", "{\"version\":1,\"event\":\"claim\",\"runIndex\":0,\"stepIndex\":0,\"attempt\":1}",
         "done"},
        {"x", "sequence-run", HEAD("claim", 0, 0, 1, 0) "}", "kind"},
        {"x", "sequence-run", HEAD("claim", 0, 0, 1, 0) ",\"kind\":\"prompt\",\"textHash\":\"1\"}", "textHash"},
        {"x", "sequence-run", HEAD("claim", 0, 0, 1, 0) ",\"kind\":\"prompt\",\"textHash\":\"0123456789abcdef\"}",
         "the id"},
        {"i0.s2.a1", "sequence-run",
         HEAD("claim", 0, 2, 1, 2) ",\"kind\":\"prompt\",\"textHash\":\"0123456789abcdef\"}", "no such step"},
        {"i7.s0.a1", "sequence-run",
         HEAD("claim", 7, 0, 1, 14) ",\"kind\":\"prompt\",\"textHash\":\"0123456789abcdef\"}", "no such step"},
        {"i0.s1.a1", "sequence-run",
         HEAD("claim", 0, 1, 1, 0) ",\"kind\":\"prompt\",\"textHash\":\"0123456789abcdef\"}", "counters"},
        {"i1.s0.a1", "sequence-run",
         HEAD("claim", 1, 0, 1, 2) ",\"kind\":\"prompt\",\"textHash\":\"0123456789abcdef\"}", "begin"},
        {"i0.s0.a1.end", "sequence-run", HEAD("end", 0, 0, 1, 0) ",\"outcome\":\"failed\"}", "failed"},
        {"i0.s0.a1.end", "sequence-run", HEAD("end", 0, 0, 1, 0) ",\"outcome\":\"stopped\"}", "outcome"},
        {"i0.s0.a1.end", "sequence-run", HEAD("end", 0, 0, 1, 1) ",\"outcome\":\"done\",\"code\":\"x\"}", "code"},
        {"i0.s0.a1.end", "sequence-run", HEAD("end", 0, 0, 1, 1) ",\"outcome\":\"done\",\"entry\":7}", "entry"},
        {"i1.reset.a1", "sequence-run", HEAD("reset", 1, 0, 1, 4) ",\"fresh\":false}", "no such step"},
        {"i0.reset.a1", "sequence-run", HEAD("reset", 0, 0, 1, 0) "}", "fresh"},
        {"resume.0", "sequence-run", HEAD("resume", 0, 0, 1, 0) ",\"decision\":\"maybe\"}", "decision"},
        {"resume.0", "sequence-run", HEAD("resume", 0, 0, 1, 0) ",\"decision\":\"retry\"}", "session"},
        {"i1.begin", "sequence-run", HEAD("begin", 1, 0, 1, 2) ",\"session\":\"\"}", "session"},
        {"finish", "sequence-run", HEAD("finish", 0, 0, 1, 0) ",\"outcome\":\"done\"}", "counters"},
        {"finish", "sequence-run", HEAD("finish", 0, 0, 1, 0) ",\"outcome\":\"skipped\"}", "outcome"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        play_close(play_start(2));
        store_builder_must(append_by_hand(cases[i].id, cases[i].kind, cases[i].json), &err);
        assert_damaged(cases[i].reason);
    }
}

RUN_TEST(a_ledger_whose_next_entry_would_break_its_rules_is_not_gone_on_with)
{
    struct xylem_run *run = NULL;
    play_close(play_start(2));
    store_builder_must(append_by_hand("resume.2147483647", "sequence-run",
                                      "{\"version\":1,\"event\":\"resume\",\"runIndex\":0,\"stepIndex\":0,"
                                      "\"attempt\":1,\"done\":0,\"skipped\":0,\"resumes\":2147483647,"
                                      "\"decision\":\"continue\",\"session\":\"S1\"}"),
                       &err);
    assert_phase(XYLEM_RUN_PAUSED);
    assert_code(
        xylem_run_open(&run, builder.store, xylem_view_of(run_id), XYLEM_RUN_CONTINUE, xylem_view_of("S1"), &err),
        XYLEM_E_MALFORMED);
    assert_text_has("resume.2147483648");
    assert_null(run);
    assert_ledger("start i0.begin resume.2147483647");
    assert_phase(XYLEM_RUN_PAUSED);
}

RUN_TEST(a_start_that_breaks_its_rules_is_damaged_and_says_why)
{
    static const struct {
        const char *rest;
        const char *reason;
    } cases[] = {
        {"", "runId"},
        {",\"runId\":\"%s\"", "sequenceId"},
        {",\"runId\":\"%s\",\"sequenceId\":\"q\",\"steps\":[]", "steps"},
        {",\"runId\":\"%s\",\"sequenceId\":\"q\",\"steps\":[7]", "steps"},
        {",\"runId\":\"%s\",\"sequenceId\":\"q\",\"steps\":[\"a\"],\"args\":7", "args"},
        {",\"runId\":\"%s\",\"sequenceId\":\"q\",\"steps\":[\"a\"],\"totalRuns\":0", "totalRuns"},
        {",\"runId\":\"%s\",\"sequenceId\":\"q\",\"steps\":[\"a\"],\"totalRuns\":1", "fresh"},
        {",\"runId\":\"%s\",\"sequenceId\":\"q\",\"steps\":[\"a\"],\"totalRuns\":1,\"fresh\":true", "origin"},
        {",\"runId\":\"%s\",\"sequenceId\":\"q\",\"steps\":[\"a\"],\"totalRuns\":1,\"fresh\":true,"
         "\"origin\":{\"session\":\"S\"}",
         "startedAt"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char json[600];
        char rest[400];
        char id[64];
        struct xylem_txn *txn;
        struct xylem_session session;
        snprintf(run_id, sizeof run_id, "00000000-0000-7000-8000-%012zu", i);
        snprintf(id, sizeof id, "seq.%s", run_id);
        snprintf(rest, sizeof rest, "%s", cases[i].rest);
        char *hole = strstr(rest, "%s");
        snprintf(json, sizeof json, HEAD("start", 0, 0, 1, 0) "%.*s%s%s}", hole ? (int)(hole - rest) : 0, rest,
                 hole ? run_id : "", hole ? hole + 2 : rest);
        struct xylem_session_options options = {.id = xylem_view_of(id)};
        store_builder_must(xylem_begin(&txn, builder.store, XYLEM_WRITE, &err), &err);
        store_builder_must(xylem_session_create(&session, txn, &options, &err), &err);
        store_builder_must(xylem_commit(txn, &err), &err);
        assert_damaged("no entry");
        store_builder_must(append_by_hand("start", "sequence-run", json), &err);
        assert_damaged(cases[i].reason);
    }
    store_builder_must(append_by_hand("i0.begin", "sequence-run", HEAD("begin", 0, 0, 1, 0) ",\"session\":\"S\"}"),
                       &err);
    assert_damaged("startedAt"); /* the first entry counts, not the newest */
}

static void redact_by_hand(const char *id)
{
    struct xylem_txn *txn;
    struct xylem_position at;
    store_builder_must(xylem_begin(&txn, builder.store, XYLEM_WRITE, &err), &err);
    uint64_t ledger = play_ledger(txn);
    store_builder_must(xylem_find(&at, txn, ledger, xylem_view_of(id), &err), &err);
    struct xylem_redact_report report = {0};
    struct xylem_redact_options redaction = {.reason = xylem_view_of("secret")};
    store_builder_must(xylem_redact(&report, txn, ledger, at, &redaction, &err), &err);
    xylem_redact_report_release(&report);
    store_builder_must(xylem_commit(txn, &err), &err);
}

RUN_TEST(a_run_whose_start_begin_or_newest_entry_was_redacted_has_ended_as_redacted)
{
    static const struct {
        const char *id;
        size_t step_count; /* that the ledger still has */
    } cases[] = {{"start", 0}, {"i0.begin", 2}, {"i0.s0.a1", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct xylem_run *run = play_start(2);
        play_next(run);
        play_close(run);
        redact_by_hand(cases[i].id);
        struct xylem_run_state read = play_state();
        struct xylem_buffer json = {NULL, 0, 0};
        assert_int_equal(read.phase, XYLEM_RUN_REDACTED);
        assert_int_equal(read.step_count, cases[i].step_count);
        assert_non_null(strstr(read.message.data, cases[i].id));
        store_builder_must(xylem_run_state_json(&json, &read), &err);
        assert_non_null(strstr(json.data, "\"outcome\":\"redacted\""));
        assert_non_null(strstr(json.data, "\"step\":null"));
        xylem_buffer_release(&json);
        xylem_run_state_release(&read);
        run = NULL;
        assert_code(
            xylem_run_open(&run, builder.store, xylem_view_of(run_id), XYLEM_RUN_RETRY, xylem_view_of("S1"), &err),
            XYLEM_E_CONFLICT);
        assert_text_has("it is redacted");
        assert_code(xylem_run_end(builder.store, xylem_view_of(run_id), xylem_view_of(""), &err), XYLEM_E_CONFLICT);
    }
}

RUN_TEST(a_run_goes_on_when_an_event_that_its_state_does_not_need_was_redacted)
{
    struct xylem_run *run = play_start(2);
    play_step(run);
    play_close(run);
    redact_by_hand("i0.s0.a1");
    assert_phase(XYLEM_RUN_PAUSED);
}

/* --- Hostile ledgers: property 12 --- */

static void add_random_entry(struct chance *chance)
{
    static const char *const events[] = {"start", "begin", "claim", "end", "reset", "pause", "resume", "finish"};
    static const char *const ids[] = {"i%d.begin", "i%d.s%d.a%d", "i%d.s%d.a%d.end", "i%d.reset.a1",
                                      "pause.%d",  "resume.%d",   "finish",          "fresh.reset.a%d"};
    char id[64];
    char json[700];
    int run = chance_below(chance, 3);
    int step = chance_below(chance, 4);
    int attempt = 1 + chance_below(chance, 3);
    int event = chance_below(chance, 8);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(id, sizeof id, ids[event == 0 ? chance_below(chance, 8) : event - 1], run, step, attempt);
#pragma GCC diagnostic pop
    snprintf(json, sizeof json,
             "{\"version\":1,\"event\":\"%s\",\"runIndex\":%d,\"stepIndex\":%d,\"attempt\":%d,\"done\":%d,"
             "\"skipped\":0,\"resumes\":%d,\"session\":\"S%d\",\"kind\":\"prompt\",\"textHash\":\"0123456789abcdef\","
             "\"outcome\":\"%s\",\"fresh\":%s,\"decision\":\"retry\",\"code\":\"user\"}",
             events[event], run, step, attempt, chance_one_in(chance, 3) ? chance_below(chance, 5) : run * 2 + step,
             run, run, chance_one_in(chance, 2) ? "done" : "failed", chance_one_in(chance, 2) ? "true" : "false");
    append_by_hand(id, "sequence-run", json); /* EXISTS is fine */
}

/* property 12 */
RUN_TEST(a_hostile_ledger_is_damaged_or_has_a_phase_and_never_an_owner)
{
    const char *given = getenv("XYLEM_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : 12;
    struct chance chance = chance_of(seed);
    unsigned phases[XYLEM_RUN_PHASE_COUNT] = {0};
    printf("seed %llu\n", (unsigned long long)seed);
    for (unsigned i = 0; i < test_rounds(120); i++) {
        play_close(play_start(2));
        for (int n = 1 + chance_below(&chance, 5); n > 0; n--) {
            add_random_entry(&chance);
            struct xylem_run_state read = play_state();
            assert_true((unsigned)read.phase < XYLEM_RUN_PHASE_COUNT);
            assert_false(read.owned);
            assert_true(read.phase != XYLEM_RUN_RUNNING && read.phase != XYLEM_RUN_RESETTING);
            phases[read.phase]++;
            xylem_run_state_release(&read);
        }
        struct xylem_run *run = NULL;
        struct xylem_action action;
        if (xylem_run_open(&run, builder.store, xylem_view_of(run_id),
                           (enum xylem_run_decision)chance_below(&chance, 3), xylem_view_of("S1"), NULL) == XYLEM_OK) {
            if (next_claimed(&action, run, catalogue, NULL) == XYLEM_OK && action.type == XYLEM_ACTION_EXECUTE) {
                xylem_run_done(run, (struct xylem_view){NULL, 0}, NULL);
            }
            play_close(run);
        }
    }
    assert_true(phases[XYLEM_RUN_DAMAGED] > 0 && phases[XYLEM_RUN_PAUSED] > 0);
}
