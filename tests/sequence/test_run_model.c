/* Random scripts of calls against a plain model of a run (properties 3, 6, 8, 10 and 11 of runs). */
#include "tests/lib/chance.h"
#include "tests/sequence/play.h"

#define RUN_TEST(name) TEST_WITH(name, set_up, tear_down)

enum place { BETWEEN, IN_STEP, IN_RESET, PAUSED, ENDED };

static struct model {
    enum place place;
    enum xylem_run_phase ended; /* of ENDED */
    bool open;                  /* a handle owns the run */
    unsigned steps;
    unsigned runs;
    unsigned run;
    unsigned step;
    unsigned attempt;
    unsigned done;
    unsigned skipped;
    int session; /* the number of the host's session; 0: a new one comes next */
    int sessions;
} model;

static struct xylem_run *run;

static void move_on(void)
{
    model.place = BETWEEN;
    model.attempt = 1;
    if (++model.step == model.steps && model.run + 1 < model.runs) {
        model.run++;
        model.step = 0;
        model.session = 0;
    }
}

static struct xylem_view session_text(char text[16], int number)
{
    snprintf(text, 16, "S%d", number);
    return xylem_view_of(text);
}

static int try_next(void)
{
    struct xylem_action action;
    int expected = model.place == IN_STEP || model.place == IN_RESET || model.place == PAUSED ? XYLEM_E_ARGUMENT : 0;
    int code = next_claimed(&action, run, catalogue, &err);
    if (code < 0) {
        return code - expected;
    }
    if (model.place == ENDED || (model.session && model.step == model.steps)) {
        assert_int_equal(action.type, XYLEM_ACTION_FINISHED);
        if (model.place != ENDED) {
            model.ended = XYLEM_RUN_DONE;
            model.step--;
        }
        model.place = ENDED;
        assert_int_equal(action.state->phase, model.ended);
    } else if (!model.session) {
        assert_int_equal(action.type, XYLEM_ACTION_NEW_SESSION);
        model.place = IN_RESET;
    } else {
        assert_int_equal(action.type, XYLEM_ACTION_EXECUTE);
        model.place = IN_STEP;
    }
    assert_int_equal(action.run_index, model.run);
    assert_int_equal(action.step_index, model.step);
    return code - expected;
}

static int try_done(void)
{
    int expected = model.place == IN_STEP ? 0 : XYLEM_E_ARGUMENT;
    int code = xylem_run_done(run, xylem_view_of("e7"), &err);
    if (code == 0) {
        model.done++;
        move_on();
    }
    return code - expected;
}

static int try_in_session(void)
{
    char text[16];
    int expected = model.place == IN_RESET ? 0 : XYLEM_E_ARGUMENT;
    int code = xylem_run_in_session(run, session_text(text, model.sessions + 1), &err);
    if (code == 0) {
        model.session = ++model.sessions;
        model.place = BETWEEN;
        model.attempt = 1;
    }
    return code - expected;
}

static int try_end(bool failed)
{
    bool open = model.place == IN_STEP || model.place == IN_RESET;
    bool allowed = open || (!failed && model.place == BETWEEN);
    int code = failed ? xylem_run_failed(run, XYLEM_RUN_CODE_HOST, xylem_view_of("m"), &err)
                      : xylem_run_stop(run, xylem_view_of("m"), &err);
    if (code == 0) {
        model.place = ENDED;
        model.ended = failed ? XYLEM_RUN_FAILED : XYLEM_RUN_STOPPED;
    }
    return code - (allowed ? 0 : XYLEM_E_ARGUMENT);
}

static int try_pause(void)
{
    int expected = model.place == PAUSED || model.place == ENDED ? XYLEM_E_ARGUMENT : 0;
    int code = xylem_run_pause(run, XYLEM_RUN_CODE_SHUTDOWN, xylem_view_of("m"), &err);
    if (code == 0 && model.place == BETWEEN) {
        model.place = PAUSED;
    }
    return code - expected;
}

static int try_close(void)
{
    model.open = false;
    int code = xylem_run_close(run, &err);
    run = NULL;
    return code;
}

static int try_open(enum xylem_run_decision decision, int session)
{
    char text[16];
    bool interrupted = model.place == IN_STEP;
    bool fits = model.place != ENDED && interrupted == (decision != XYLEM_RUN_CONTINUE) &&
                (!model.session || session == model.session);
    int code = xylem_run_open(&run, builder.store, xylem_view_of(run_id), decision, session_text(text, session), &err);
    if (code == 0) {
        model.open = true;
        model.attempt += decision == XYLEM_RUN_RETRY || model.place == IN_RESET;
        if (decision == XYLEM_RUN_SKIP) {
            model.skipped++;
            move_on();
        }
        model.place = BETWEEN;
    }
    return code - (fits ? 0 : XYLEM_E_CONFLICT);
}

static int try_end_ownerless(void)
{
    int code = xylem_run_end(builder.store, xylem_view_of(run_id), xylem_view_of("m"), &err);
    int expected = model.open || model.place == ENDED ? XYLEM_E_CONFLICT : 0;
    if (code == 0) {
        model.place = ENDED;
        model.ended = XYLEM_RUN_STOPPED;
    }
    return code - expected;
}

static enum xylem_run_phase expected_phase(void)
{
    switch (model.place) {
    case ENDED:
        return model.ended;
    case PAUSED:
        return XYLEM_RUN_PAUSED;
    case IN_STEP:
        return model.open ? XYLEM_RUN_RUNNING : XYLEM_RUN_INTERRUPTED;
    case IN_RESET:
        return model.open ? XYLEM_RUN_RESETTING : XYLEM_RUN_PAUSED;
    default:
        return model.open ? XYLEM_RUN_RUNNING : XYLEM_RUN_PAUSED;
    }
}

static void compare(void)
{
    char text[16];
    struct xylem_run_state read = play_state();
    assert_string_equal(xylem_run_phase_word(read.phase), xylem_run_phase_word(expected_phase()));
    assert_int_equal(read.run_index, model.run);
    assert_int_equal(read.step_index, model.step);
    assert_int_equal(read.done_count, model.done);
    assert_int_equal(read.skipped_count, model.skipped);
    assert_int_equal(read.owned, model.open);
    assert_int_equal(read.step_count, model.steps);
    assert_int_equal(read.total_runs, model.runs);
    if (model.place != ENDED) {
        assert_int_equal(read.attempt, model.attempt);
    }
    if (model.session) {
        struct xylem_view session = session_text(text, model.session);
        assert_int_equal(read.session.bytes, session.bytes);
        assert_memory_equal(read.session.data, session.data, session.bytes);
    } else {
        assert_null(read.session.data);
    }
    xylem_run_state_release(&read);
}

/* The ledger read forward: each step ends once, in its order. */
static void compare_forward(void)
{
    struct xylem_txn *txn = play_begin();
    struct xylem_scan *scan;
    struct xylem_entry entry;
    unsigned ended = 0;
    store_builder_must(xylem_scan_new(&scan, txn, play_ledger(txn), &err), &err);
    while (store_builder_must(xylem_scan_next(&entry, scan, &err), &err) == 1) {
        struct xylem_document *document;
        int64_t at_run = 0;
        int64_t at_step = 0;
        store_builder_must(xylem_document_new(&document, &entry, &err), &err);
        const struct xylem_value *data = xylem_document_value(document);
        struct xylem_view event = xylem_value_string(xylem_value_get(data, "event"));
        struct xylem_view outcome = xylem_value_string(xylem_value_get(data, "outcome"));
        xylem_value_integer(&at_run, xylem_value_get(data, "runIndex"));
        xylem_value_integer(&at_step, xylem_value_get(data, "stepIndex"));
        if (event.bytes == 3 && outcome.data[0] != 'f') {
            assert_int_equal(at_run * model.steps + at_step, ended);
            ended++;
        }
        xylem_document_free(document);
    }
    xylem_scan_free(scan);
    xylem_abort(txn);
    assert_int_equal(ended, model.done + model.skipped);
    if (model.place == ENDED && model.ended == XYLEM_RUN_DONE) {
        assert_int_equal(ended, model.steps * model.runs);
    }
}

static void start(struct chance *chance)
{
    static const struct xylem_view steps[] = {{"a", 1}, {"b", 1}, {"c", 1}};
    struct xylem_run_options options = play_options(1 + (uint32_t)chance_below(chance, 3));
    options.steps = steps;
    options.step_count = 1 + (size_t)chance_below(chance, 3);
    options.fresh = chance_one_in(chance, 3);
    run = play_start_in(builder.store, &options);
    model = (struct model){.open = true,
                           .steps = (unsigned)options.step_count,
                           .runs = options.total_runs,
                           .attempt = 1,
                           .session = options.fresh ? 0 : 1,
                           .sessions = 1};
}

/* One random call; mostly a call that goes on. Gives the code less the expected code. */
static int step(struct chance *chance)
{
    if (!model.open) {
        if (chance_one_in(chance, 40)) {
            return try_end_ownerless();
        }
        bool fits = !chance_one_in(chance, 6);
        enum xylem_run_decision decision = fits ? (model.place == IN_STEP ? XYLEM_RUN_RETRY : XYLEM_RUN_CONTINUE)
                                                : (enum xylem_run_decision)chance_below(chance, 3);
        return try_open(decision, chance_one_in(chance, 8) ? 99 : model.session ? model.session : 7);
    }
    switch (chance_below(chance, 40)) {
    case 0:
        return try_end(true);
    case 1:
        return try_end(false);
    case 2:
        return try_pause();
    case 3:
    case 4:
        return try_close();
    case 5:
        return try_end_ownerless();
    case 6:
        return try_done();
    case 7:
        return try_in_session();
    case 8:
        return try_next();
    default:
        return model.place == IN_STEP    ? try_done()
               : model.place == IN_RESET ? try_in_session()
               : model.place == PAUSED   ? try_close()
                                         : try_next();
    }
}

/* properties 6, 8 and 11 */
RUN_TEST(a_run_does_what_its_model_does)
{
    const char *given = getenv("XYLEM_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : 6;
    struct chance chance = chance_of(seed);
    unsigned ends[XYLEM_RUN_PHASE_COUNT] = {0};
    printf("seed %llu\n", (unsigned long long)seed);
    for (unsigned i = 0; i < test_rounds(200); i++) {
        start(&chance);
        for (int n = 0; n < 60 && !(model.place == ENDED && chance_one_in(&chance, 3)); n++) {
            int difference = step(&chance);
            if (difference != 0) {
                fail_msg("round %u, call %d: another code by %d: %s", i, n, difference, err.text);
            }
            compare();
            compare_forward();
        }
        ends[expected_phase()]++;
        if (run) {
            play_close(run);
            run = NULL;
            model.open = false;
            compare();
        }
    }
    assert_true(ends[XYLEM_RUN_DONE] > 0 && ends[XYLEM_RUN_FAILED] > 0 && ends[XYLEM_RUN_STOPPED] > 0);
}

/* property 10 */
RUN_TEST(changes_of_other_sessions_do_not_change_a_run_and_a_run_does_not_change_them)
{
    struct xylem_txn *txn;
    struct xylem_session host;
    struct xylem_session forked;
    struct xylem_position at;
    struct xylem_session_options named = {.id = xylem_view_of("S1")};
    struct xylem_new_entry entry = {.kind = {XYLEM_CLASS_HOST, {"compaction", 10}}};
    store_builder_must(xylem_begin(&txn, builder.store, XYLEM_WRITE, &err), &err);
    store_builder_must(xylem_session_create(&host, txn, &named, &err), &err);
    uint64_t number = host.number;
    store_builder_must(xylem_append(&at, txn, number, &entry, 1, NULL, &err), &err);
    store_builder_must(xylem_commit(txn, &err), &err);
    run = play_start(2);
    play_step(run);
    struct xylem_run_state before = play_state();
    store_builder_must(xylem_begin(&txn, builder.store, XYLEM_WRITE, &err), &err);
    store_builder_must(xylem_append(&at, txn, number, &entry, 1, NULL, &err), &err);
    store_builder_must(xylem_clone(&forked, txn, number, NULL, &err), &err);
    store_builder_must(xylem_append(NULL, txn, forked.number, &entry, 1, NULL, &err), &err);
    store_builder_must(xylem_navigate(txn, number, (struct xylem_position){0, 0}, xylem_view_of(""), &err), &err);
    store_builder_must(xylem_session_read(&host, txn, number, &err), &err);
    store_builder_must(xylem_commit(txn, &err), &err);
    struct xylem_run_state after = play_state();
    struct xylem_buffer json[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    store_builder_must(xylem_run_state_json(&json[0], &before), &err);
    store_builder_must(xylem_run_state_json(&json[1], &after), &err);
    assert_string_equal(json[0].data, json[1].data);
    xylem_buffer_release(&json[0]);
    xylem_buffer_release(&json[1]);
    xylem_run_state_release(&before);
    xylem_run_state_release(&after);
    play_step(run);
    play_next(run);
    play_close(run);
    run = NULL;
    txn = play_begin();
    store_builder_must(xylem_session_read(&forked, txn, number, &err), &err);
    assert_int_equal(forked.leaf.depth, host.leaf.depth);
    assert_int_equal(forked.own_entry_count, 2);
    xylem_abort(txn);
}

/* --- Classes that a run never executes ---------------------------------------------------------------------------- */

#define NAME_COUNT 12
#define COMMANDS_MAX 12

/* Names that may be run come more often than names that are always refused. */
static const char *const names[NAME_COUNT] = {"a", "b", "skill:s", "a",       "b",   "skill:s",
                                              "a", "b", "skill:s", "compact", "new", "sequence"};

struct named {
    int name;
    enum xylem_command_source source;
};

/* A catalogue of random commands, and the commands in their order. */
static struct xylem_catalogue *random_catalogue(struct named *commands, size_t *count, struct chance *chance)
{
    struct xylem_command list[COMMANDS_MAX];
    struct xylem_catalogue *made = NULL;
    struct xylem_catalogue_options options = {.compact = chance_one_in(chance, 2), .expands = true};
    *count = 4 + (size_t)chance_below(chance, COMMANDS_MAX - 3);
    for (size_t i = 0; i < *count; i++) {
        commands[i] = (struct named){chance_below(chance, NAME_COUNT),
                                     (enum xylem_command_source)chance_below(chance, XYLEM_COMMAND_SKILL + 1)};
        if (strncmp(names[commands[i].name], "skill:", 6) != 0 && commands[i].source == XYLEM_COMMAND_SKILL) {
            commands[i].source = XYLEM_COMMAND_OWN;
        }
        list[i] = (struct xylem_command){.name = xylem_view_of(names[commands[i].name]), .source = commands[i].source};
    }
    store_builder_must(xylem_catalogue_new(&made, list, *count, &options, &err), &err);
    return made;
}

static bool has(const struct named *commands, size_t count, const char *name, enum xylem_command_source source)
{
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        found = found || (commands[i].source == source && strcmp(names[commands[i].name], name) == 0);
    }
    return found;
}

/* The plain rule: only a command of the host's own, a template or a skill runs, and only if nothing before them wins. */
static void assert_may_run(const struct xylem_step *given, const struct named *commands, size_t count)
{
    char name[16] = "";
    if (given->kind == XYLEM_STEP_PROMPT || given->kind == XYLEM_STEP_COMPACT) {
        return;
    }
    memcpy(name, given->name.data, given->name.bytes);
    assert_string_not_equal(name, "new");
    assert_string_not_equal(name, "sequence");
    assert_false(has(commands, count, name, XYLEM_COMMAND_BUILTIN));
    if (given->kind == XYLEM_STEP_COMMAND) {
        assert_true(has(commands, count, name, XYLEM_COMMAND_OWN));
        return;
    }
    assert_false(has(commands, count, name, XYLEM_COMMAND_OWN));
    assert_false(has(commands, count, name, XYLEM_COMMAND_EXTENSION));
    assert_true(
        has(commands, count, name, given->kind == XYLEM_STEP_SKILL ? XYLEM_COMMAND_SKILL : XYLEM_COMMAND_PROMPT));
}

/* property 3: the catalogue changes before each action */
RUN_TEST(a_step_of_a_refused_class_is_never_given)
{
    const char *given = getenv("XYLEM_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : 3;
    struct chance chance = chance_of(seed);
    struct named commands[COMMANDS_MAX];
    unsigned executed = 0;
    unsigned unresolved = 0;
    printf("seed %llu\n", (unsigned long long)seed);
    for (unsigned i = 0; i < test_rounds(600); i++) {
        char texts[3][24];
        struct xylem_view steps[3];
        struct xylem_run_options options = play_options(2);
        size_t count;
        for (int n = 0; n < 3; n++) {
            snprintf(texts[n], sizeof texts[n], "/%s x", names[chance_below(&chance, NAME_COUNT)]);
            steps[n] = xylem_view_of(texts[n] + chance_one_in(&chance, 3)); /* without the slash: a prompt */
        }
        options.steps = steps;
        options.step_count = 1 + (size_t)chance_below(&chance, 3);
        struct xylem_catalogue *now = random_catalogue(commands, &count, &chance);
        int code = xylem_run_start(&run, run_id, NULL, builder.store, now, &options, &err);
        assert_true(code == XYLEM_OK || code == XYLEM_E_MALFORMED);
        struct xylem_action action = {.type = code == XYLEM_OK ? XYLEM_ACTION_EXECUTE : XYLEM_ACTION_FINISHED};
        while (action.type != XYLEM_ACTION_FINISHED) {
            if (chance_one_in(&chance, 4)) {
                xylem_catalogue_free(now);
                now = random_catalogue(commands, &count, &chance);
            }
            store_builder_must(next_claimed(&action, run, now, &err), &err);
            if (action.type == XYLEM_ACTION_NEW_SESSION) {
                store_builder_must(xylem_run_in_session(run, xylem_view_of("S2"), &err), &err);
            } else if (action.type == XYLEM_ACTION_EXECUTE) {
                assert_may_run(action.step, commands, count);
                executed++;
                play_done(run);
            } else {
                unresolved += action.state->code == XYLEM_RUN_CODE_UNRESOLVED;
            }
        }
        if (run) {
            play_close(run);
            run = NULL;
        }
        xylem_catalogue_free(now);
    }
    assert_true(executed > 0 && unresolved > 0);
}
