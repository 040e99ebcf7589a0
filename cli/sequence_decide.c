/* xylem sequence retry, skip, stop: the decisions of a person about a run without a living owner. */
#include "cli/sequence.h"

struct decide_options {
    bool yes;
    bool dry_run;
    bool json;
};

static const struct xylem_cli__option decide_table[] = {
    {"yes", 'y', NULL, XYLEM_CLI__FLAG, offsetof(struct decide_options, yes), "do not ask", NULL},
    {"dry-run", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct decide_options, dry_run), "only say what would be recorded",
     NULL},
    XYLEM_CLI__JSON_ROW(struct decide_options),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

enum verb { RETRY, SKIP, STOP };

/* What stands before the place, and behind it: in the question, of a dry run, and of a decision. */
static const struct {
    const char *ask;
    const char *asked;
    const char *would;
    const char *did;
} words[] = {
    [RETRY] = {"attempt ", " once more? Whether the step took effect is not known.", "would attempt again ",
               "to be attempted again: "},
    [SKIP] = {"skip ", "? Whether the step took effect is not known.", "would skip ", "skipped "},
    [STOP] = {"stop for good at ", "?", "would stop at ", "stopped at "},
};

/* `run 0198c0de...: skipped step 2 of 3 in run 1 of 5` */
static void add_decision(struct xylem_cli__text *text, const struct xylem_run_state *state, const char *words_before)
{
    xylem_cli__addf(text, "run %s: %s", state->run_id, words_before);
    xylem_cli__add_place(text, state);
}

static int refuse(struct xylem_cli *cli, const struct xylem_run_state *state, enum verb verb)
{
    if (state->phase == XYLEM_RUN_DAMAGED) {
        return xylem_cli__run_damaged(cli, state);
    }
    if (state->owned && state->owner.alive) {
        return xylem_cli__fail(cli, XYLEM_E_CONFLICT, "run %s goes on in process %lld on %s: stop the run there",
                               state->run_id, (long long)state->owner.pid, state->owner.host);
    }
    if (verb == STOP ? xylem_cli__run_ended(state) : state->phase != XYLEM_RUN_INTERRUPTED) {
        return xylem_cli__fail(cli, XYLEM_E_CONFLICT, "run %s is %s%s", state->run_id,
                               xylem_run_phase_word(state->phase),
                               verb == STOP ? " already" : ": only an interrupted step can be retried or skipped");
    }
    return 0;
}

static int record(struct xylem_cli *cli, const struct xylem_run_state *state, enum verb verb)
{
    struct xylem_run *run = NULL;
    struct xylem_view run_id = xylem_view_of(state->run_id);
    int code = xylem_cli__open_writing(cli);
    if (code < 0 || verb == STOP) {
        return code < 0 ? code : xylem_run_end(cli->store, run_id, xylem_view_of("stopped by hand"), &cli->err);
    }
    code = xylem_run_open(&run, cli->store, run_id, verb == RETRY ? XYLEM_RUN_RETRY : XYLEM_RUN_SKIP,
                          state->host_session, &cli->err);
    return code < 0 ? code : xylem_run_close(run, &cli->err);
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct decide_options *given = options;
    const enum verb verb = cli->command == &xylem_cli__sequence_retry  ? RETRY
                           : cli->command == &xylem_cli__sequence_skip ? SKIP
                                                                       : STOP;
    struct xylem_run_state state = {.storage = NULL};
    struct xylem_cli__text line = {0};
    int code = xylem_cli__open_reading(cli);
    if (code < 0 || (code = xylem_cli__run_read(cli, &state, arguments[0])) < 0 ||
        (code = refuse(cli, &state, verb)) < 0) {
        goto out;
    }
    xylem_cli__close_store(cli);
    if (!given->dry_run && !given->yes) {
        add_decision(&line, &state, words[verb].ask);
        xylem_cli__add(&line, words[verb].asked);
        code = xylem_cli__confirm(cli, &line, "nothing was recorded");
    }
    if (code != 0 || (!given->dry_run && (code = record(cli, &state, verb)) < 0)) {
        goto out;
    }
    if (given->json) {
        xylem_cli__json_document(&line);
        xylem_cli__member_string(&line, "run_id", xylem_view_of(state.run_id));
        xylem_cli__member_count(&line, "iteration", state.run_index);
        xylem_cli__member_count(&line, "step_index", state.step_index);
        xylem_cli__member_bool(&line, "dry_run", given->dry_run);
        xylem_cli__json_end(&line, '}');
    } else {
        add_decision(&line, &state, given->dry_run ? words[verb].would : words[verb].did);
        xylem_cli__add(&line, "\n");
    }
    code = xylem_cli__put_output(cli, &line, given->json);
out:
    xylem_run_state_release(&state);
    return code;
}

const struct xylem_cli__command xylem_cli__sequence_retry = {
    .name = "sequence retry",
    .summary = "Let the interrupted step of a run be attempted again",
    .usage = "RUN [--yes] [--dry-run] [--json]",
    .details =
        "A step is interrupted if its process ended before it told how the step ended: whether the step took\n"
        "effect is not known, and so the step is never repeated without a decision. `retry` records the decision;\n"
        "a host goes on with the run later. Asks on a terminal; elsewhere --yes is needed.\n",
    .options = decide_table,
    .options_bytes = sizeof(struct decide_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__RUN},
    .run = run,
};

const struct xylem_cli__command xylem_cli__sequence_skip = {
    .name = "sequence skip",
    .summary = "Let a run go on behind its interrupted step",
    .usage = "RUN [--yes] [--dry-run] [--json]",
    .details = "Records that the interrupted step counts as skipped; a host goes on with the run later. Asks on a\n"
               "terminal; elsewhere --yes is needed.\n",
    .options = decide_table,
    .options_bytes = sizeof(struct decide_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__RUN},
    .run = run,
};

const struct xylem_cli__command xylem_cli__sequence_stop = {
    .name = "sequence stop",
    .summary = "End a run that no process plays",
    .usage = "RUN [--yes] [--dry-run] [--json]",
    .details =
        "A stopped run does not go on. A run with a living owner is stopped by its owner, and the exit code is 4.\n"
        "Asks on a terminal; elsewhere --yes is needed.\n",
    .options = decide_table,
    .options_bytes = sizeof(struct decide_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__RUN},
    .run = run,
};
