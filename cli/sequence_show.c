/* xylem sequence show: the steps of a sequence as authored. */
#include "cli/sequence.h"

#include <stdio.h>

struct show_options {
    const char *run;
    struct xylem_cli__patterns patterns;
    struct xylem_cli__form form;
};

static const struct xylem_cli__option show_table[] = {
    {"run", 0, "RUN", XYLEM_CLI__TEXT, offsetof(struct show_options, run), "show the steps of a run", NULL},
    XYLEM_CLI__LEFT_OUT_ROWS(struct show_options),
    XYLEM_CLI__FORM_ROWS(struct show_options, "the same"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

static int add_place(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_cli__steps *steps)
{
    const struct xylem_state *state = &steps->state;
    struct xylem_entry entry;
    int code = xylem_cli__entry_read(cli, &entry, state->sequence.position);
    if (code < 0) {
        return code;
    }
    xylem_cli__add_fact(cli, text, "sequence");
    xylem_cli__add_shown(cli, text, state->sequence.sequence_id, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__add(text, "\n");
    xylem_cli__add_fact(cli, text, "session");
    xylem_cli__add_colored(cli, text, steps->session.id, XYLEM_CLI__YELLOW);
    xylem_cli__add(text, "\n");
    xylem_cli__add_fact(cli, text, "entry");
    xylem_cli__add_colored(cli, text, state->sequence.entry_id, XYLEM_CLI__YELLOW);
    xylem_cli__addf(text, ", depth %llu, ", (unsigned long long)entry.position.depth);
    xylem_cli__add_time(text, entry.time_ms);
    xylem_cli__add(text, "\n");
    return 0;
}

/* Appends ` 2  text` for each step, with the further lines of the step indented. */
static void add_steps(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_view *steps,
                      size_t count)
{
    int digits = snprintf(NULL, 0, "%zu", count);
    int width = digits < 2 ? 2 : digits;
    xylem_cli__add_fact(cli, text, "steps");
    xylem_cli__add_count(text, count);
    xylem_cli__add(text, "\n");
    for (size_t i = 0; i < count; i++) {
        xylem_cli__addf(text, "%*zu  ", width, i + 1);
        xylem_cli__add_indented(cli, text, (size_t)width + 2, steps[i].data ? steps[i] : xylem_view_of(""));
    }
}

static int show_stored(struct xylem_cli *cli, struct xylem_cli__text *text, const char *spec, bool document)
{
    struct xylem_cli__steps steps = {0};
    const struct xylem_state *state = &steps.state;
    int code = xylem_cli__steps_stored(cli, &steps, spec);
    if (code == 0 && document) {
        xylem_cli__json_document(text);
        xylem_cli__member_string(text, "sequence_id", state->sequence.sequence_id);
        xylem_cli__member_string(text, "session", steps.session.id);
        xylem_cli__member_string(text, "entry", state->sequence.entry_id);
        xylem_cli__member_count(text, "depth", state->sequence.position.depth);
        xylem_cli__member_number(text, "updated_ms", state->sequence.updated_at);
        xylem_cli__member_strings(text, "steps", steps.list, steps.count);
        xylem_cli__json_end(text, '}');
    } else if (code == 0 && (code = add_place(cli, text, &steps)) == 0) {
        add_steps(cli, text, steps.list, steps.count);
    }
    xylem_cli__steps_release(&steps);
    return code;
}

/* The steps of a run lie in its ledger. */
static int show_run(struct xylem_cli *cli, struct xylem_cli__text *text, const char *spec, bool document)
{
    struct xylem_run_state state = {.storage = NULL};
    int code = xylem_cli__run_read(cli, &state, spec);
    if (code == 0 && state.phase == XYLEM_RUN_DAMAGED) {
        code = xylem_cli__run_damaged(cli, &state);
    } else if (code == 0 && state.step_count == 0) {
        code = xylem_cli__fail(cli, XYLEM_E_REDACTED, "the steps of run %s were redacted", state.run_id);
    } else if (code == 0 && document) {
        xylem_cli__json_document(text);
        xylem_cli__member_string(text, "sequence_id", state.sequence_id);
        xylem_cli__member_string(text, "run_id", xylem_view_of(state.run_id));
        xylem_cli__member_strings(text, "steps", state.steps, state.step_count);
        xylem_cli__member_strings(text, "args", state.args, state.arg_count);
        xylem_cli__json_end(text, '}');
    } else if (code == 0) {
        xylem_cli__add_fact(cli, text, "sequence");
        xylem_cli__add_shown(cli, text, state.sequence_id, XYLEM_CLI__EXACT, SIZE_MAX);
        xylem_cli__add(text, "\n");
        xylem_cli__add_fact(cli, text, "run");
        xylem_cli__add_colored(cli, text, xylem_view_of(state.run_id), XYLEM_CLI__YELLOW);
        xylem_cli__add(text, "\n");
        for (size_t i = 0; i < state.arg_count; i++) {
            xylem_cli__add_fact(cli, text, i == 0 ? "arguments" : "");
            xylem_cli__add_indented(cli, text, XYLEM_CLI__FACT_CELLS, state.args[i]);
        }
        add_steps(cli, text, state.steps, state.step_count);
    }
    xylem_run_state_release(&state);
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct show_options *given = options;
    struct xylem_cli__documents documents;
    struct xylem_cli__text text = {0};
    int code;
    if (!arguments[0] == !given->run) {
        return xylem_cli__usage(cli, given->run ? "SESSION and --run cannot be combined"
                                                : "an argument is missing: xylem sequence show SESSION[:ENTRY]");
    }
    if ((code = xylem_cli__documents_start(cli, &documents, given->form, NULL)) < 0 ||
        (code = xylem_cli__leave_out_given(cli, &given->patterns)) < 0 ||
        (code = xylem_cli__open_paged(cli, !documents.wanted)) < 0) {
        return code;
    }
    code = given->run ? show_run(cli, &text, given->run, documents.wanted)
                      : show_stored(cli, &text, arguments[0], documents.wanted);
    code = code < 0 ? code : xylem_cli__documents_put(cli, &documents, &text);
    xylem_cli__text_release(&text);
    return code;
}

const struct xylem_cli__command xylem_cli__sequence_show = {
    .name = "sequence show",
    .summary = "Show the steps of a sequence as authored",
    .usage = "SESSION[:ENTRY]|--run RUN [--redact-secrets] [--redact-pattern TEXT|--redact-pattern-file FILE] "
             "[--json|--jsonl]",
    .options = show_table,
    .options_bytes = sizeof(struct show_options),
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__SESSION_ENTRY},
    .run = run,
};
