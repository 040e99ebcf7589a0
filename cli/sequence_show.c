/* xylem sequence show: the steps of a sequence as authored. */
#include "cli/sequence.h"

struct show_options {
    struct xylem_cli__form form;
};

static const struct xylem_cli__option show_table[] = {XYLEM_CLI__FORM_ROWS(struct show_options, "the same"),
                                                      {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

static void add_document(struct xylem_cli__text *text, const struct xylem_cli__steps *steps)
{
    const struct xylem_state *state = &steps->state;
    xylem_cli__json_document(text);
    xylem_cli__member_string(text, "sequenceId", state->sequence.sequence_id);
    xylem_cli__member_string(text, "session", steps->session.id);
    xylem_cli__member_string(text, "entry", state->sequence.entry_id);
    xylem_cli__member_count(text, "depth", state->sequence.position.depth);
    xylem_cli__json_key(text, "updatedAt");
    xylem_cli__json_number(text, state->sequence.updated_at);
    xylem_cli__member_begin(text, "steps", '[');
    for (size_t i = 0; i < steps->count; i++) {
        xylem_cli__json_string(text, steps->list[i]);
    }
    xylem_cli__json_end(text, ']');
    xylem_cli__json_end(text, '}');
}

static int add_lines(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_cli__steps *steps)
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
    xylem_cli__add_fact(cli, text, "steps");
    xylem_cli__add_count(text, steps->count);
    xylem_cli__add(text, "\n");
    for (size_t i = 0; i < steps->count; i++) {
        xylem_cli__add_step(cli, text, i, steps->count, steps->list[i]);
    }
    return 0;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct show_options *given = options;
    struct xylem_cli__documents documents;
    struct xylem_cli__steps steps = {0};
    struct xylem_cli__text text = {0};
    int code;
    if ((code = xylem_cli__documents_start(cli, &documents, given->form, NULL)) < 0 ||
        (code = xylem_cli__open_paged(cli, !documents.wanted)) < 0 ||
        (code = xylem_cli__steps_stored(cli, &steps, arguments[0])) < 0) {
        goto out;
    }
    if (documents.wanted) {
        add_document(&text, &steps);
    } else {
        code = add_lines(cli, &text, &steps);
    }
    code = code < 0 ? code : xylem_cli__documents_put(cli, &documents, &text);
out:
    xylem_cli__text_release(&text);
    xylem_cli__steps_release(&steps);
    return code;
}

const struct xylem_cli__command xylem_cli__sequence_show = {
    .name = "sequence show",
    .summary = "Show the steps of a sequence as authored",
    .usage = "SESSION[:ENTRY] [--json|--jsonl]",
    .options = show_table,
    .options_bytes = sizeof(struct show_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__SESSION_ENTRY},
    .run = run,
};
