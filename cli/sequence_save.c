/* xylem sequence save: appends a snapshot. */
#include "cli/sequence.h"

struct save_options {
    struct xylem_cli__list steps;
    const char *file;
    const char *commands;
    const char *id;
    const char *expect;
    bool only_in_store;
    bool json;
};

static const struct xylem_cli__option save_table[] = {
    {"step", 0, "TEXT", XYLEM_CLI__LIST, offsetof(struct save_options, steps), "a step; give the option for each step",
     NULL},
    {"file", 0, "FILE", XYLEM_CLI__TEXT, offsetof(struct save_options, file),
     "take the steps from FILE, a JSON array of strings; - is standard input", NULL},
    {"commands", 0, "FILE", XYLEM_CLI__TEXT, offsetof(struct save_options, commands),
     "refuse steps that the host with this catalogue cannot run", NULL},
    {"id", 0, "ID", XYLEM_CLI__TEXT, offsetof(struct save_options, id), "the id of the sequence (default: a new id)",
     NULL},
    {"expect", 0, "ENTRY", XYLEM_CLI__TEXT, offsetof(struct save_options, expect),
     "refuse unless the leaf is this entry, or `none`", NULL},
    XYLEM_CLI__ONLY_IN_STORE_ROW(struct save_options),
    XYLEM_CLI__JSON_ROW(struct save_options),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

struct saving {
    const char *session_spec;
    const struct save_options *given;
    struct xylem_new_sequence sequence;
    struct xylem_cli__text text; /* the id of the new entry */
};

static int change(struct xylem_cli *cli, void *context)
{
    struct saving *saving = context;
    struct xylem_append_options options = {.parent = XYLEM_PARENT_LEAF};
    struct xylem_session session;
    struct xylem_position expected;
    struct xylem_position at;
    struct xylem_buffer sequence_id = {0};
    struct xylem_view id;
    int code = xylem_cli__session(cli, &session, saving->session_spec);
    code = code < 0 ? code
                    : xylem_cli__check_host(cli, &session, saving->given->only_in_store,
                                            "in pi, an extension appends the snapshot with pi.appendEntry()");
    if (code == 0 && saving->given->expect) {
        code = xylem_cli__entry_or_none(cli, &expected, &session, saving->given->expect);
        options.expected_leaf = &expected;
    }
    if (code < 0) {
        return code;
    }
    code = xylem_sequence_save(&at, &sequence_id, cli->txn, session.number, &saving->sequence, &options, &cli->err);
    code = xylem_cli__if_leased(cli, code, session.id);
    xylem_buffer_release(&sequence_id);
    if (code < 0 || (code = xylem_cli__entry_id(cli, &id, at)) < 0) {
        return code;
    }
    xylem_cli__text_clear(&saving->text);
    if (saving->given->json) {
        xylem_cli__json_made(&saving->text, session.id, &id);
        return 0;
    }
    xylem_cli__add_bytes(&saving->text, id.data, id.bytes);
    xylem_cli__add(&saving->text, "\n");
    return 0;
}

/* 0, or PROBLEM after the problems of the steps were printed. */
static int check_steps(struct xylem_cli *cli, const struct xylem_cli__steps *steps, const char *commands)
{
    struct xylem_catalogue *catalogue = NULL;
    struct xylem_resolution resolution = {0};
    struct xylem_cli__text text = {0};
    int code;
    if ((code = xylem_cli__catalogue_read(cli, &catalogue, commands)) < 0 ||
        (code = xylem_sequence_resolve(&resolution, catalogue, steps->list, steps->count, NULL, 0, &cli->err)) < 0) {
        goto out;
    }
    if (resolution.problem != XYLEM_SEQUENCE_FINE) {
        xylem_cli__add_problems(cli, &text, &resolution);
        code = xylem_cli__put(cli, &text);
        xylem_cli__note(cli, "nothing was saved");
        code = code < 0 ? code : XYLEM_CLI__PROBLEM;
    }
out:
    xylem_cli__text_release(&text);
    xylem_resolution_release(&resolution);
    xylem_catalogue_free(catalogue);
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct save_options *given = options;
    struct saving saving = {.session_spec = arguments[0], .given = given};
    struct xylem_cli__steps steps = {0};
    struct xylem_view listed[XYLEM_CLI__LIST_MAX];
    int code = 0;
    if ((given->steps.count > 0) == (given->file != NULL)) {
        return xylem_cli__usage(cli, given->file ? "--step and --file cannot be combined"
                                                 : "the steps are missing: give --step TEXT, or --file FILE");
    }
    if ((code = xylem_cli__check_inputs(cli, given->file, given->commands)) != 0) {
        return code;
    }
    for (size_t i = 0; i < given->steps.count; i++) {
        listed[i] = xylem_view_of(given->steps.texts[i]);
    }
    if (given->file) {
        code = xylem_cli__steps_file(cli, &steps, given->file);
    } else {
        steps.list = listed;
        steps.count = given->steps.count;
    }
    if (code != 0 || (given->commands && (code = check_steps(cli, &steps, given->commands)) != 0)) {
        goto out;
    }
    saving.sequence = (struct xylem_new_sequence){
        .sequence_id = xylem_view_of(given->id), .steps = steps.list, .step_count = steps.count};
    if ((code = xylem_cli__change(cli, change, &saving)) == 0) {
        /* an id is printed as stored */
        code = given->json ? xylem_cli__put_json(cli, &saving.text) : xylem_cli__put_json_piece(cli, &saving.text);
    }
out:
    xylem_cli__text_release(&saving.text);
    xylem_cli__steps_release(&steps);
    return code;
}

const struct xylem_cli__command xylem_cli__sequence_save = {
    .name = "sequence save",
    .summary = "Save steps as the sequence of a session",
    .usage = "SESSION --step TEXT...|--file FILE [--commands FILE] [--id ID] [--expect ENTRY|none] "
             "[--only-in-store] [--json]",
    .details =
        "Prints the id of the new entry, a snapshot behind the leaf. With --commands a sequence with a problem is\n"
        "not saved, and the exit code is 1. An edited sequence keeps its id: `xylem sequence show` has the id.\n",
    .options = save_table,
    .options_bytes = sizeof(struct save_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .surplus = "--step TEXT gives a step",
    .arguments = {XYLEM_CLI__SESSION},
    .run = run,
};
