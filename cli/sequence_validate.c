/* xylem sequence validate, preview: what the steps mean under a catalogue of commands. */
#include "cli/sequence.h"

struct validate_options {
    const char *file;
    const char *commands;
    const char *args; /* of preview alone */
    struct xylem_cli__form form;
};

#define VALIDATE_ROWS                                                          \
    {"file",                                                                   \
     0,                                                                        \
     "FILE",                                                                   \
     XYLEM_CLI__TEXT,                                                          \
     offsetof(struct validate_options, file),                                  \
     "take the steps from FILE, a JSON array of strings; - is standard input", \
     NULL},                                                                    \
        {"commands",                                                           \
         0,                                                                    \
         "FILE",                                                               \
         XYLEM_CLI__TEXT,                                                      \
         offsetof(struct validate_options, commands),                          \
         "the catalogue of the host's commands, as JSON",                      \
         NULL},                                                                \
        XYLEM_CLI__FORM_ROWS(struct validate_options, "the same")

static const struct xylem_cli__option validate_table[] = {VALIDATE_ROWS,
                                                          {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};
static const struct xylem_cli__option preview_table[] = {
    VALIDATE_ROWS,
    {"args", 0, "JSON", XYLEM_CLI__TEXT, offsetof(struct validate_options, args),
     "put the arguments of a run, a JSON array of strings, into the steps", NULL},
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

/* --- For programs ------------------------------------------------------------------------------------------------- */

static struct xylem_view word_of(const char *word, bool present)
{
    return xylem_view_of(present ? word : NULL);
}

void xylem_cli__member_warnings(struct xylem_cli__text *text, const struct xylem_step *step)
{
    const char *word;
    xylem_cli__member_begin(text, "warnings", '[');
    for (unsigned warning = 1; (word = xylem_step_warning_word(warning)); warning <<= 1) {
        if (step->warnings & warning) {
            xylem_cli__json_string(text, xylem_view_of(word));
        }
    }
    xylem_cli__json_end(text, ']');
}

/* `args` NULL: without texts. */
static void add_document(struct xylem_cli__text *text, const struct xylem_resolution *resolution,
                         const struct xylem_cli__steps *args)
{
    const struct xylem_view none = {NULL, 0};
    bool whole = resolution->problem == XYLEM_SEQUENCE_FINE;
    xylem_cli__json_document(text);
    xylem_cli__member_bool(text, "ok", whole);
    xylem_cli__member_begin(text, "steps", '[');
    for (size_t i = 0; i < resolution->step_count; i++) {
        const struct xylem_step *step = &resolution->steps[i];
        bool fine = step->problem == XYLEM_STEP_FINE;
        bool slash = step->name.bytes > 0;
        struct xylem_buffer sent = {0};
        xylem_cli__json_begin(text, '{');
        xylem_cli__member_string(text, "raw", step->raw);
        xylem_cli__member_maybe(text, "kind", word_of(xylem_step_kind_word(step->kind), fine));
        xylem_cli__member_maybe(text, "name", slash ? step->name : none);
        xylem_cli__member_maybe(text, "argument", slash ? step->args.data ? step->args : xylem_view_of("") : none);
        xylem_cli__member_maybe(text, "path", step->path.bytes > 0 ? step->path : none);
        xylem_cli__member_maybe(text, "problem", word_of(xylem_step_problem_word(step->problem), !fine));
        xylem_cli__member_maybe(text, "message",
                                fine ? none : (struct xylem_view){step->message.data, step->message.bytes});
        xylem_cli__member_warnings(text, step);
        if (args) {
            bool failed = fine && xylem_step_text(&sent, step, args->list, args->count, NULL) < 0;
            text->failed = text->failed || failed;
            xylem_cli__member_maybe(text, "text",
                                    fine ? (struct xylem_view){sent.data ? sent.data : "", sent.bytes} : none);
        }
        xylem_cli__json_end(text, '}');
        xylem_buffer_release(&sent);
    }
    xylem_cli__json_end(text, ']');
    xylem_cli__member_maybe(text, "problem", word_of(xylem_sequence_problem_word(resolution->problem), !whole));
    xylem_cli__json_end(text, '}');
}

/* --- For people --------------------------------------------------------------------------------------------------- */

static void add_problem(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_step *step,
                        size_t used)
{
    struct xylem_cli__text words = {0};
    xylem_cli__addf(&words, "%s: ", xylem_step_problem_word(step->problem));
    xylem_cli__add_bytes(&words, step->message.data, step->message.bytes);
    xylem_cli__color_on(cli, text, XYLEM_CLI__RED);
    xylem_cli__add_indented(cli, text, used, xylem_cli__text_view(&words));
    text->bytes.bytes -= 1; /* the colour ends before the newline */
    xylem_cli__color_off(cli, text, XYLEM_CLI__RED);
    xylem_cli__add(text, "\n");
    xylem_cli__part_end(text, &words);
}

static const char *warning_text(unsigned warning)
{
    switch (warning) {
    case XYLEM_STEP_WARN_TOGGLES:
        return "a toggle without an argument: every second run gets the other state";
    case XYLEM_STEP_WARN_SHADOWED:
        return "a template has the name of this command, and the command wins";
    case XYLEM_STEP_WARN_PLACEHOLDER:
        return "a placeholder without an argument stays as written";
    default:
        return "another file than in the iteration before";
    }
}

static void add_warnings(const struct xylem_cli *cli, struct xylem_cli__text *text,
                         const struct xylem_resolution *resolution)
{
    const char *word;
    for (size_t i = 0; i < resolution->step_count; i++) {
        for (unsigned warning = 1; (word = xylem_step_warning_word(warning)); warning <<= 1) {
            if (resolution->steps[i].warnings & warning) {
                size_t before = text->bytes.bytes;
                xylem_cli__addf(text, "step %zu: warning: %s: ", i + 1, word);
                xylem_cli__add_indented(cli, text, text->bytes.bytes - before, xylem_view_of(warning_text(warning)));
            }
        }
    }
}

static void add_sum(struct xylem_cli__text *text, const struct xylem_resolution *resolution)
{
    if (resolution->problem == XYLEM_SEQUENCE_FINE) {
        xylem_cli__add_counted(text, resolution->step_count, "step", "steps");
        xylem_cli__add(text, " can be run\n");
    } else if (resolution->problem == XYLEM_SEQUENCE_STEP) {
        xylem_cli__addf(text, "%zu of ", resolution->problem_count);
        xylem_cli__add_counted(text, resolution->step_count, "step", "steps");
        xylem_cli__add(text, " cannot be run\n");
    } else {
        xylem_cli__addf(text, "%s: ", xylem_sequence_problem_word(resolution->problem));
        xylem_cli__add_bytes(text, resolution->message.data, resolution->message.bytes);
        xylem_cli__add(text, "\n");
    }
}

void xylem_cli__add_problems(const struct xylem_cli *cli, struct xylem_cli__text *text,
                             const struct xylem_resolution *resolution)
{
    for (size_t i = 0; i < resolution->step_count; i++) {
        if (resolution->steps[i].problem != XYLEM_STEP_FINE) {
            size_t before = text->bytes.bytes;
            xylem_cli__addf(text, "step %zu: ", i + 1);
            add_problem(cli, text, &resolution->steps[i], text->bytes.bytes - before);
        }
    }
    add_warnings(cli, text, resolution);
    add_sum(text, resolution);
}

/*
 * ` 2  template  /plan the parser`: the step with the arguments of a run. A host splits the text of a template: the
 * arguments stand below the text.
 */
static void add_preview(const struct xylem_cli *cli, struct xylem_cli__text *text,
                        const struct xylem_resolution *resolution, const struct xylem_cli__steps *args)
{
    for (size_t i = 0; i < resolution->step_count; i++) {
        const struct xylem_step *step = &resolution->steps[i];
        bool fine = step->problem == XYLEM_STEP_FINE;
        size_t before = text->bytes.bytes;
        xylem_cli__addf(text, resolution->step_count > 99 ? "%3zu  " : "%2zu  ", i + 1);
        size_t used = text->bytes.bytes - before + 10;
        xylem_cli__add_column(cli, text, xylem_view_of(fine ? xylem_step_kind_word(step->kind) : "-"), 10,
                              fine ? XYLEM_CLI__CYAN : NULL);
        if (!fine) {
            add_problem(cli, text, step, used);
            continue;
        }
        bool splits = step->kind == XYLEM_STEP_TEMPLATE;
        struct xylem_buffer put = {0};
        int code = xylem_args_put(&put, step->raw, splits ? NULL : args->list, splits ? 0 : args->count, NULL);
        text->failed = text->failed || code < 0;
        xylem_cli__add_indented(cli, text, used, (struct xylem_view){put.data ? put.data : "", put.bytes});
        for (size_t j = 0; splits && j < args->count; j++) {
            xylem_cli__add_repeated(text, " ", used);
            xylem_cli__addf(text, "argument %zu: ", j + 1);
            xylem_cli__add_indented(cli, text, used + 2, args->list[j].data ? args->list[j] : xylem_view_of(""));
        }
        xylem_buffer_release(&put);
    }
    add_warnings(cli, text, resolution);
    if (resolution->problem != XYLEM_SEQUENCE_FINE) {
        add_sum(text, resolution);
    }
}

/* --- Both --------------------------------------------------------------------------------------------------------- */

int xylem_cli__catalogue_read(struct xylem_cli *cli, struct xylem_catalogue **catalogue, const char *path)
{
    struct xylem_cli__text json = {0};
    int code = xylem_cli__sequence_input(cli, &json, path);
    if (code == 0 && (code = xylem_catalogue_new_json(catalogue, xylem_cli__text_view(&json), &cli->err)) < 0) {
        code = xylem_cli__fail_in(cli, code, path);
    }
    xylem_cli__text_release(&json);
    return code;
}

static int check(struct xylem_cli *cli, const char *session, const struct validate_options *given)
{
    if (!session == !given->file) {
        return xylem_cli__usage(cli, session ? "SESSION and --file cannot be combined"
                                             : "an argument is missing: SESSION[:ENTRY], or --file FILE");
    }
    if (!given->commands) {
        return xylem_cli__usage(cli, "--commands is missing: the commands of the host decide what a step means");
    }
    return xylem_cli__check_inputs(cli, given->file, given->commands);
}

static int read_args(struct xylem_cli *cli, struct xylem_cli__steps *args, const char *json)
{
    int code = xylem_document_new_json(&args->document, xylem_view_of(json), &cli->err);
    return code < 0 ? xylem_cli__fail_in(cli, code, "--args")
                    : xylem_cli__steps_array(cli, args, xylem_document_value(args->document), "--args");
}

/* Both verbs: `preview` shows each step, `validate` the problems alone. */
static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct validate_options *given = options;
    const char *session = arguments[0];
    const bool preview = cli->command == &xylem_cli__sequence_preview;
    struct xylem_cli__documents documents;
    struct xylem_cli__steps steps = {0};
    struct xylem_cli__steps args = {0};
    struct xylem_catalogue *catalogue = NULL;
    struct xylem_resolution resolution = {0};
    struct xylem_cli__text text = {0};
    int code;
    if ((code = xylem_cli__documents_start(cli, &documents, given->form, NULL)) < 0 ||
        (code = check(cli, session, given)) < 0 ||
        (code = xylem_cli__catalogue_read(cli, &catalogue, given->commands)) < 0 ||
        (given->args && (code = read_args(cli, &args, given->args)) < 0) ||
        (given->file && (code = xylem_cli__steps_file(cli, &steps, given->file)) < 0) ||
        (!given->file &&
         ((code = xylem_cli__open_reading(cli)) < 0 || (code = xylem_cli__steps_stored(cli, &steps, session)) < 0)) ||
        (code = xylem_sequence_resolve(&resolution, catalogue, steps.list, steps.count, args.list, args.count,
                                       &cli->err)) < 0) {
        goto out;
    }
    if (documents.wanted) {
        add_document(&text, &resolution, preview ? &args : NULL);
    } else if (preview) {
        add_preview(cli, &text, &resolution, &args);
    } else {
        xylem_cli__add_problems(cli, &text, &resolution);
    }
    code = xylem_cli__documents_put(cli, &documents, &text);
    code = code == 0 && resolution.problem != XYLEM_SEQUENCE_FINE ? XYLEM_CLI__PROBLEM : code;
out:
    xylem_cli__text_release(&text);
    xylem_resolution_release(&resolution);
    xylem_catalogue_free(catalogue);
    xylem_cli__steps_release(&args);
    xylem_cli__steps_release(&steps);
    return code;
}

const struct xylem_cli__command xylem_cli__sequence_validate = {
    .name = "sequence validate",
    .summary = "Say which steps the host cannot run, and why",
    .usage = "SESSION[:ENTRY]|--file FILE --commands FILE [--json|--jsonl]",
    .details = "The exit code is 1 if the sequence has a problem. A warning is no problem.\n",
    .options = validate_table,
    .options_bytes = sizeof(struct validate_options),
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__SESSION_ENTRY},
    .run = run,
};

const struct xylem_cli__command xylem_cli__sequence_preview = {
    .name = "sequence preview",
    .summary = "Show what each step is: a prompt, a command, a template, a skill",
    .usage = "SESSION[:ENTRY]|--file FILE --commands FILE [--args JSON] [--json|--jsonl]",
    .details = "The exit code is 1 if the sequence has a problem. A warning is no problem.\n",
    .options = preview_table,
    .options_bytes = sizeof(struct validate_options),
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__SESSION_ENTRY},
    .run = run,
};
