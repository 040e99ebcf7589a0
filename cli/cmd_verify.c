/* xylem verify */
#include "cli/cli.h"

struct verify_options {
    struct xylem_cli__form form;
};

static const struct xylem_cli__option verify_table[] = {XYLEM_CLI__FORM_ROWS(struct verify_options, "the same"),
                                                        {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

struct checking {
    struct xylem_cli *cli;
    bool json;
    uint64_t problem_count;
    struct xylem_cli__text text; /* the document's list of problems, or a line */
    int code;                    /* of a failed write to standard output */
};

/* `log: session 01a1f9f7, entry 8d16e680 (branch 3, depth 7): its sum does not match` */
static void add_line(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_problem *problem)
{
    xylem_cli__color_on(cli, text, XYLEM_CLI__RED);
    xylem_cli__addf(text, "%s", problem->table == NULL ? "store" : problem->table);
    xylem_cli__color_off(cli, text, XYLEM_CLI__RED);
    xylem_cli__add(text, ": ");
    if (problem->session_id.data != NULL) {
        xylem_cli__add(text, "session ");
        xylem_cli__add_shown(cli, text, problem->session_id, XYLEM_CLI__EXACT, SIZE_MAX);
        xylem_cli__add(text, ": ");
    }
    if (problem->entry_id.data != NULL) {
        xylem_cli__add(text, "entry ");
        xylem_cli__add_shown(cli, text, problem->entry_id, XYLEM_CLI__EXACT, SIZE_MAX);
        xylem_cli__add(text, ": ");
    }
    if (!xylem_cli__position_none(problem->position)) {
        xylem_cli__addf(text, "branch %llu, depth %llu: ", (unsigned long long)problem->position.branch,
                        (unsigned long long)problem->position.depth);
    }
    xylem_cli__add_shown(cli, text, xylem_view_of(problem->text), XYLEM_CLI__ONE_LINE, SIZE_MAX);
    xylem_cli__add(text, "\n");
}

static void add_json(struct xylem_cli__text *text, const struct xylem_problem *problem)
{
    xylem_cli__json_begin(text, '{');
    xylem_cli__json_key(text, "table");
    xylem_cli__json_maybe(text, xylem_view_of(problem->table));
    xylem_cli__json_key(text, "session");
    xylem_cli__json_maybe(text, problem->session_id);
    xylem_cli__json_key(text, "entry");
    xylem_cli__json_maybe(text, problem->entry_id);
    xylem_cli__json_key(text, "branch");
    xylem_cli__json_count(text, problem->position.branch);
    xylem_cli__json_key(text, "depth");
    xylem_cli__json_count(text, problem->position.depth);
    xylem_cli__json_key(text, "text");
    xylem_cli__json_string(text, xylem_view_of(problem->text));
    xylem_cli__json_end(text, '}');
}

static int found(void *context, const struct xylem_problem *problem)
{
    struct checking *checking = context;

    checking->problem_count++;
    if (checking->json) {
        add_json(&checking->text, problem);
        return checking->text.failed ? 1 : 0;
    }
    add_line(checking->cli, &checking->text, problem);
    checking->code = xylem_cli__put(checking->cli, &checking->text);
    if (checking->code == 0) {
        checking->code = xylem_cli__flush(checking->cli); /* what comes next may be a page that ends the program */
    }
    return checking->code;
}

/* Damage that keeps the store from being opened, or read to its end, is a problem as any other. */
static int check(struct xylem_cli *cli, struct checking *checking, struct xylem_verify_report *report)
{
    xylem_cli__signals_verify();
    int code = xylem_cli__open_reading(cli);

    if (code == 0) {
        code = xylem_verify(report, cli->txn, NULL, found, checking, &cli->err);
    }
    if (checking->code != 0 || checking->text.failed) {
        return checking->text.failed ? xylem_cli__fail_memory(cli) : checking->code;
    }
    if (code == XYLEM_E_CORRUPT || code == XYLEM_E_NOT_A_STORE) {
        struct xylem_problem problem = {.text = cli->err.text};
        found(checking, &problem);
        code = checking->code;
    }
    return code;
}

static void add_document(const struct xylem_cli *cli, struct xylem_cli__text *text, struct checking *checking,
                         const struct xylem_verify_report *report)
{
    xylem_cli__json_document(text);
    xylem_cli__json_key(text, "store");
    xylem_cli__json_string(text, xylem_view_of(cli->store_path));
    xylem_cli__json_key(text, "sessions");
    xylem_cli__json_count(text, report->session_count);
    xylem_cli__json_key(text, "branches");
    xylem_cli__json_count(text, report->branch_count);
    xylem_cli__json_key(text, "entries");
    xylem_cli__json_count(text, report->entry_count);
    xylem_cli__json_key(text, "rows");
    xylem_cli__json_count(text, report->row_count);
    xylem_cli__json_key(text, "problem_count");
    xylem_cli__json_count(text, checking->problem_count);
    xylem_cli__json_key(text, "problems");
    xylem_cli__json_begin(text, '[');
    xylem_cli__add_bytes(text, checking->text.bytes.data, checking->text.bytes.bytes);
    xylem_cli__json_end(text, ']');
    xylem_cli__json_end(text, '}');
}

static void add_summary(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct checking *checking,
                        const struct xylem_verify_report *report)
{
    const char *color = checking->problem_count == 0 ? XYLEM_CLI__GREEN : XYLEM_CLI__RED;

    xylem_cli__color_on(cli, text, color);
    if (checking->problem_count == 0) {
        xylem_cli__add(text, "no problems");
    } else {
        xylem_cli__add_counted(text, checking->problem_count, "problem", "problems");
    }
    xylem_cli__color_off(cli, text, color);
    xylem_cli__add(text, ": ");
    xylem_cli__add_counted(text, report->session_count, "session", "sessions");
    xylem_cli__add(text, ", ");
    xylem_cli__add_counted(text, report->branch_count, "branch", "branches");
    xylem_cli__add(text, ", ");
    xylem_cli__add_counted(text, report->entry_count, "entry", "entries");
    xylem_cli__add(text, ", ");
    xylem_cli__add_counted(text, report->row_count, "row", "rows");
    xylem_cli__add(text, " checked\n");
}

static int run(struct xylem_cli *cli, char **arguments, size_t argument_count, const void *options)
{
    const struct verify_options *given = options;
    struct checking checking = {.cli = cli};
    struct xylem_verify_report report = {0};
    struct xylem_cli__text text = {0};
    struct xylem_cli__documents documents;
    int code = xylem_cli__documents_start(cli, &documents, given->form, NULL);

    (void)arguments;
    (void)argument_count;
    checking.json = documents.wanted;
    if (code == 0) {
        code = check(cli, &checking, &report);
    }
    if (code == 0 && documents.wanted) {
        add_document(cli, &text, &checking, &report);
        text.failed = text.failed || checking.text.failed;
        code = xylem_cli__documents_put(cli, &documents, &text);
    } else if (code == 0) {
        add_summary(cli, &text, &checking, &report);
        code = xylem_cli__put(cli, &text);
    }
    xylem_cli__text_release(&text);
    xylem_cli__text_release(&checking.text);
    return code != 0 ? code : checking.problem_count > 0 ? XYLEM_CLI__PROBLEM : XYLEM_CLI__OK;
}

const struct xylem_cli__command xylem_cli__cmd_verify = {
    .name = "verify",
    .summary = "Check every byte of the store, and report every problem",
    .usage = "[--json|--jsonl]",
    .details =
        "Exits with 1 if there is any problem, also if damage keeps the store from being opened or read to its end.\n",
    .options = verify_table,
    .options_bytes = sizeof(struct verify_options),
    .run = run,
};
