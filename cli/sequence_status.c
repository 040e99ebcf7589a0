/* xylem sequence status: how far a run is, and what can be done next. */
#include "cli/sequence.h"

#include <stdio.h>

struct status_options {
    struct xylem_cli__patterns patterns;
    struct xylem_cli__form form;
};

static const struct xylem_cli__option status_table[] = {XYLEM_CLI__LEFT_OUT_ROWS(struct status_options),
                                                        XYLEM_CLI__FORM_ROWS(struct status_options, "the same"),
                                                        {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

/* Finds the run, or the run that the newest mark of a session names. */
static int find(struct xylem_cli *cli, struct xylem_run_state *state, const char *spec)
{
    const struct xylem_reduce_options options = {.pieces = XYLEM_PIECE_MARK};
    struct xylem_cli__place place;
    struct xylem_state marked = {0};
    int code = xylem_cli__run_read(cli, state, spec);
    struct xylem_error no_run = cli->err;
    if (code != XYLEM_E_NOT_FOUND) {
        return code;
    }
    if (xylem_cli__place_find(cli, &place, spec, XYLEM_CLI__NAMED, xylem_cli__entry_or_none) < 0) {
        cli->err = no_run;
        return code;
    }
    code = xylem_cli__rehydrate(cli, &marked, place.position, NULL, &options);
    if (code == 0 && !marked.mark.present) {
        code = xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "session %.*s has no mark of a run at its leaf",
                               (int)place.session.id.bytes, place.session.id.data);
    } else if (code == 0 && (code = xylem_run_read(state, cli->txn, marked.mark.run_id, &cli->err)) < 0 &&
               code == XYLEM_E_NOT_FOUND) {
        code = xylem_cli__fail(cli, code, "the run %.*s, which the session's mark names, is not in this store",
                               (int)marked.mark.run_id.bytes, marked.mark.run_id.data);
    }
    xylem_state_release(&marked);
    return code;
}

/* NULL: none. */
static const char *color_of(enum xylem_run_phase phase)
{
    switch (phase) {
    case XYLEM_RUN_RUNNING:
    case XYLEM_RUN_RESETTING:
    case XYLEM_RUN_DONE:
        return XYLEM_CLI__GREEN;
    case XYLEM_RUN_PAUSED:
    case XYLEM_RUN_STOPPED:
    case XYLEM_RUN_REDACTED:
        return NULL;
    default:
        return XYLEM_CLI__RED;
    }
}

/* Appends the words behind the name of the phase. */
static void add_phase(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_run_state *state)
{
    xylem_cli__add_colored(cli, text, xylem_view_of(xylem_run_phase_word(state->phase)), color_of(state->phase));
    if (state->phase == XYLEM_RUN_DAMAGED || state->phase == XYLEM_RUN_REDACTED || state->total_runs == 0) {
        xylem_cli__add(text, "\n");
        return;
    }
    switch (state->phase) {
    case XYLEM_RUN_DONE:
        xylem_cli__add(text, ": ");
        xylem_cli__add_counted(text, state->total_runs, "run", "runs");
        break;
    case XYLEM_RUN_RESETTING:
        xylem_cli__addf(text, ": a new session is made for run %u of %u", state->run_index + 1, state->total_runs);
        break;
    case XYLEM_RUN_PAUSED:
        xylem_cli__add(text, " before ");
        xylem_cli__add_place(text, state);
        break;
    default:
        xylem_cli__add(text, state->phase == XYLEM_RUN_RUNNING ? ": " : " at ");
        xylem_cli__add_place(text, state);
        break;
    }
    if (state->attempt > 1 && (state->phase == XYLEM_RUN_RUNNING || state->phase == XYLEM_RUN_INTERRUPTED)) {
        xylem_cli__addf(text, ", attempt %u", state->attempt);
    }
    xylem_cli__add(text, "\n");
    if (state->phase == XYLEM_RUN_INTERRUPTED) {
        xylem_cli__add_fact(cli, text, "");
        xylem_cli__add(text, "whether the step took effect is not known\n");
    }
}

static void add_reason(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_run_state *state)
{
    struct xylem_cli__text words = {0};
    if (state->code == XYLEM_RUN_CODE_NONE && state->message.bytes == 0) {
        return;
    }
    xylem_cli__add(&words, xylem_run_code_word(state->code));
    if (state->message.bytes > 0) {
        xylem_cli__add(&words, state->code == XYLEM_RUN_CODE_NONE ? "" : ": ");
        struct xylem_buffer left = {0};
        struct xylem_view message = xylem_cli__leave_out(cli, &left, state->message);
        xylem_cli__add_bytes(&words, message.data, message.bytes);
        xylem_buffer_release(&left);
    }
    xylem_cli__add_fact(cli, text, "because");
    xylem_cli__add_indented(cli, text, XYLEM_CLI__FACT_CELLS, xylem_cli__text_view(&words));
    xylem_cli__part_end(text, &words);
}

static void add_next(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_run_state *state)
{
    static const struct {
        enum xylem_run_phase phase;
        const char *command;
        const char *before; /* before the id of the run */
    } rows[] = {{XYLEM_RUN_INTERRUPTED, "sequence retry", ""}, {XYLEM_RUN_INTERRUPTED, "sequence skip", ""},
                {XYLEM_RUN_INTERRUPTED, "sequence stop", ""},  {XYLEM_RUN_PAUSED, "sequence drive", ""},
                {XYLEM_RUN_PAUSED, "sequence stop", ""},       {XYLEM_RUN_DAMAGED, "sequence log", ""},
                {XYLEM_RUN_DAMAGED, "delete", "seq."}};
    const char *name = "next";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].phase == state->phase) {
            char id[sizeof "seq." + XYLEM_UUID_TEXT_BYTES];
            snprintf(id, sizeof id, "%s%s", rows[i].before, state->run_id);
            xylem_cli__add_fact(cli, text, name);
            xylem_cli__add_named(cli, text, rows[i].command, id);
            xylem_cli__add(text, "\n");
            name = "";
        }
    }
}

static void add_view(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *name,
                     struct xylem_view bytes)
{
    if (bytes.data) {
        xylem_cli__add_fact(cli, text, name);
        xylem_cli__add_colored(cli, text, bytes, XYLEM_CLI__YELLOW);
        xylem_cli__add(text, "\n");
    }
}

static void add_lines(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_run_state *state)
{
    const bool at_step = !xylem_cli__run_ended(state) && state->step_index < state->step_count;
    add_view(cli, text, "run", xylem_view_of(state->run_id));
    if (state->sequence_id.bytes > 0) {
        xylem_cli__add_fact(cli, text, "sequence");
        xylem_cli__add_shown(cli, text, state->sequence_id, XYLEM_CLI__EXACT, SIZE_MAX);
        xylem_cli__add(text, "\n");
    }
    xylem_cli__add_fact(cli, text, "state");
    add_phase(cli, text, state);
    add_reason(cli, text, state);
    if (at_step) {
        xylem_cli__add_fact(cli, text, "step");
        xylem_cli__add_indented(cli, text, XYLEM_CLI__FACT_CELLS, state->steps[state->step_index]);
    }
    xylem_cli__add_fact(cli, text, "steps");
    xylem_cli__add_count(text, state->done_count);
    xylem_cli__add(text, " done, ");
    xylem_cli__add_count(text, state->skipped_count);
    xylem_cli__add(text, " skipped\n");
    add_view(cli, text, "session", state->session);
    add_view(cli, text, "started in", state->origin);
    if (state->started_ms != 0) {
        xylem_cli__add_fact(cli, text, "started");
        xylem_cli__add_time(text, state->started_ms);
        xylem_cli__add(text, ", newest event ");
        xylem_cli__add_time(text, state->newest_ms);
        xylem_cli__add(text, "\n");
    }
    xylem_cli__add_fact(cli, text, "owner");
    if (state->owned) {
        xylem_cli__addf(text, "process %lld on ", (long long)state->owner.pid);
        xylem_cli__add_shown(cli, text, xylem_view_of(state->owner.host), XYLEM_CLI__EXACT, SIZE_MAX);
        xylem_cli__add(text, state->owner.alive ? ", since " : ", which is gone, since ");
        xylem_cli__add_time(text, state->owner.since_ms);
    }
    xylem_cli__add(text, state->owned ? "\n" : "none\n");
    add_next(cli, text, state);
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct status_options *given = options;
    struct xylem_cli__documents documents;
    struct xylem_run_state state = {.storage = NULL};
    struct xylem_cli__text text = {0};
    int code;
    if ((code = xylem_cli__documents_start(cli, &documents, given->form, NULL)) < 0 ||
        (code = xylem_cli__leave_out_given(cli, &given->patterns)) < 0 || (code = xylem_cli__open_reading(cli)) < 0 ||
        (code = find(cli, &state, arguments[0])) < 0) {
        goto out;
    }
    if (documents.wanted) {
        text.failed = xylem_run_state_json(&text.bytes, &state) < 0;
    } else {
        add_lines(cli, &text, &state);
    }
    code = xylem_cli__documents_put(cli, &documents, &text);
    code = code == 0 && state.phase == XYLEM_RUN_DAMAGED ? XYLEM_CLI__PROBLEM : code;
out:
    xylem_cli__text_release(&text);
    xylem_run_state_release(&state);
    return code;
}

const struct xylem_cli__command xylem_cli__sequence_status = {
    .name = "sequence status",
    .summary = "Show how far a run is, and what can be done next",
    .usage = "RUN|SESSION[:ENTRY] [--redact-secrets] [--redact-pattern TEXT|--redact-pattern-file FILE] "
             "[--json|--jsonl]",
    .details = "SESSION stands for the run of its newest mark. The exit code is 1 if the run's ledger is damaged.\n",
    .options = status_table,
    .options_bytes = sizeof(struct status_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__RUN},
    .run = run,
};
