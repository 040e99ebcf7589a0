/* xylem branches */
#include "cli/cli.h"

struct branches_options {
    struct xylem_cli__form form;
};

static const struct xylem_cli__option branches_table[] = {
    XYLEM_CLI__FORM_ROWS(struct branches_options, "print one JSON document a line"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

static const struct xylem_cli__column columns[] = {
    {"TIP", false, 12, XYLEM_CLI__YELLOW},
    {"AGE", true, 0, NULL},
    {"LENGTH", true, 0, NULL},
    {"OWN", true, 0, NULL},
    {"FORKED FROM", false, 8, NULL},
    {"READONLY", false, 0, NULL},
    {"SEQUENCE", false, 8, NULL},
    {"LABEL", false, 8, XYLEM_CLI__MAGENTA},
    {"", false, 0, XYLEM_CLI__GREEN},
};
#define COLUMN_COUNT (sizeof(columns) / sizeof(columns[0]))

struct listing {
    const struct xylem_session *session;
    struct xylem_labels labels;
    struct xylem_cli__table table;
    struct xylem_cli__text text;
    struct xylem_cli__documents documents;
};

/* What a line says of a tip. */
struct facts {
    const struct xylem_tip *tip;
    struct xylem_view fork_point_id;
    struct xylem_view label;
    struct xylem_state state;
    bool is_leaf;
};

static int gather(struct xylem_cli *cli, struct facts *facts, const struct listing *listing,
                  const struct xylem_tip *tip)
{
    struct xylem_event event = {.type = XYLEM_EVENT_SESSION_START, .reason = XYLEM_REASON_RESUME};

    facts->tip = tip;
    facts->label = xylem_cli__label_text(&listing->labels, tip->entry.id);
    facts->is_leaf = xylem_cli__position_equal(tip->entry.position, listing->session->leaf);
    int code = xylem_cli__entry_id(cli, &facts->fork_point_id, tip->fork_point);
    return code != 0 ? code : xylem_rehydrate(&facts->state, cli->txn, tip->entry.position, &event, &cli->err);
}

static int print_json(struct xylem_cli *cli, struct listing *listing, const struct facts *facts)
{
    struct xylem_cli__text *text = &listing->text;
    const struct xylem_tip *tip = facts->tip;

    xylem_cli__json_document(text);
    xylem_cli__json_key(text, "tip");
    xylem_cli__json_string(text, tip->entry.id);
    xylem_cli__json_key(text, "kind");
    xylem_cli__json_kind(text, tip->entry.kind);
    xylem_cli__json_key(text, "time");
    xylem_cli__json_time(text, tip->entry.time_ms);
    xylem_cli__json_key(text, "length");
    xylem_cli__json_count(text, tip->entry.position.depth);
    xylem_cli__json_key(text, "own");
    xylem_cli__json_count(text, tip->branch_entry_count);
    xylem_cli__json_key(text, "branch");
    xylem_cli__json_count(text, tip->entry.position.branch);
    xylem_cli__json_key(text, "fork_point");
    xylem_cli__json_maybe(text, facts->fork_point_id);
    xylem_cli__json_key(text, "label");
    xylem_cli__json_maybe(text, facts->label);
    xylem_cli__json_key(text, "leaf");
    xylem_cli__json_bool(text, facts->is_leaf);
    xylem_cli__json_key(text, "readonly");
    xylem_cli__json_bool(text, facts->state.readonly.enabled);
    xylem_cli__json_key(text, "sequence");
    xylem_cli__json_maybe(text, facts->state.sequence.present ? facts->state.sequence.sequence_id
                                                              : (struct xylem_view){NULL, 0});
    xylem_cli__json_end(text, '}');
    return xylem_cli__documents_put(cli, &listing->documents, text);
}

static struct xylem_view or_dash(struct xylem_view view)
{
    return view.data == NULL ? xylem_view_of("-") : view;
}

static void add_row(const struct xylem_cli *cli, struct listing *listing, const struct facts *facts)
{
    struct xylem_cli__table *table = &listing->table;
    struct xylem_cli__text *cell = &listing->text;
    const struct xylem_tip *tip = facts->tip;

    xylem_cli__table_add(table, tip->entry.id);
    xylem_cli__add_age(cli, cell, tip->entry.time_ms);
    xylem_cli__table_add_text(table, cell);
    xylem_cli__add_count(cell, tip->entry.position.depth);
    xylem_cli__table_add_text(table, cell);
    xylem_cli__add_count(cell, tip->branch_entry_count);
    xylem_cli__table_add_text(table, cell);
    xylem_cli__table_add(table, or_dash(facts->fork_point_id));
    xylem_cli__table_add(table, xylem_view_of(facts->state.readonly.enabled ? "on" : "off"));
    xylem_cli__table_add(table, facts->state.sequence.present ? facts->state.sequence.sequence_id : xylem_view_of("-"));
    xylem_cli__table_add(table, or_dash(facts->label));
    xylem_cli__table_add(table, xylem_view_of(facts->is_leaf ? "<leaf>" : ""));
}

static int list(struct xylem_cli *cli, struct listing *listing)
{
    struct xylem_tips *tips = NULL;
    struct xylem_tip tip;
    int code = xylem_cli__labels_read(cli, &listing->labels, listing->session->number);

    if (code == 0) {
        code = xylem_tips_new(&tips, cli->txn, listing->session->number, &cli->err);
    }
    while (code == 0 && (code = xylem_tips_next(&tip, tips, &cli->err)) == 1) {
        struct facts facts = {0};
        code = gather(cli, &facts, listing, &tip);
        if (code == 0 && listing->documents.wanted) {
            code = print_json(cli, listing, &facts);
        } else if (code == 0) {
            add_row(cli, listing, &facts);
        }
        xylem_state_release(&facts.state);
    }
    xylem_tips_free(tips);
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, size_t argument_count, const void *options)
{
    const struct branches_options *given = options;
    struct xylem_session session;
    struct listing listing = {.session = &session, .table = {.columns = columns, .column_count = COLUMN_COUNT}};
    int code = xylem_cli__documents_start(cli, &listing.documents, given->form, "branches");

    (void)argument_count;
    if (code != 0 || (code = xylem_cli__open_reading(cli)) != 0 ||
        (code = xylem_cli__session(cli, &session, arguments[0])) != 0) {
        return code;
    }
    code = list(cli, &listing);
    if (code == 0) {
        code = xylem_cli__documents_end(cli, &listing.documents);
    }
    if (code == 0 && listing.table.cell_count > 0) {
        code = xylem_cli__table_put(cli, &listing.table);
    }
    xylem_labels_release(&listing.labels);
    xylem_cli__text_release(&listing.text);
    xylem_cli__table_release(&listing.table);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_branches = {
    .name = "branches",
    .summary = "List the tips of a session's branches",
    .usage = "SESSION [--json|--jsonl]",
    .details =
        "LENGTH counts the entries of the tip's path, OWN those on its own branch. READONLY and SEQUENCE are the\n"
        "state that comes back at the tip.\n",
    .options = branches_table,
    .options_bytes = sizeof(struct branches_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .run = run,
};
