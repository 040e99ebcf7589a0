/* xylem log */
#include "cli/cli.h"

#define ID_CELLS_MAX 40u
#define KIND_CELLS_MAX 24u
#define SUMMARY_CELLS 72u     /* where the width of a line is not known */
#define SUMMARY_CELLS_MIN 12u /* on however narrow a terminal */

struct log_options {
    const char *at;
    struct xylem_cli__count count;
    struct xylem_cli__form form;
};

static const struct xylem_cli__option log_table[] = {
    {"at", 0, "ENTRY", XYLEM_CLI__TEXT, offsetof(struct log_options, at), "the path of this entry (default: the leaf)",
     NULL},
    {"number", 'n', "N", XYLEM_CLI__COUNT, offsetof(struct log_options, count), "at most N entries", NULL},
    XYLEM_CLI__FORM_ROWS(struct log_options, "print one JSON document a line"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

struct layout {
    size_t id_cells;
    size_t kind_cells;
    size_t depth_cells;
};

typedef int visitor(struct xylem_cli *cli, const struct xylem_entry *entry, void *context);

static int walk(struct xylem_cli *cli, struct xylem_position from, struct xylem_cli__count limit, visitor *visit,
                void *context)
{
    struct xylem_walk *path = NULL;
    struct xylem_entry entry;
    int code = xylem_walk_new(&path, cli->txn, from, &cli->err);

    for (uint64_t n = 0; code == 0 && (!limit.given || n < limit.number); n++) {
        code = xylem_walk_next(&entry, path, &cli->err);
        if (code != 1) {
            break;
        }
        code = visit(cli, &entry, context);
    }
    xylem_walk_free(path);
    return code;
}

static int print_json(struct xylem_cli *cli, const struct xylem_entry *entry, void *context)
{
    struct xylem_cli__text text = {0};

    xylem_cli__json_document(&text);
    int code = xylem_cli__json_entry(cli, &text, entry);
    if (code == 0) {
        code = xylem_cli__json_payload(cli, &text, entry);
    }
    xylem_cli__json_end(&text, '}');
    if (code == 0) {
        code = xylem_cli__documents_put(cli, context, &text);
    }
    xylem_cli__text_release(&text);
    return code;
}

static void widen(size_t *cells, size_t wanted, size_t most)
{
    size_t bounded = wanted < most ? wanted : most;
    *cells = *cells > bounded ? *cells : bounded;
}

static int measure(struct xylem_cli *cli, const struct xylem_entry *entry, void *context)
{
    struct layout *layout = context;
    struct xylem_cli__text text = {0};

    widen(&layout->id_cells, xylem_cli__cells(cli, entry->id, ID_CELLS_MAX), ID_CELLS_MAX);
    xylem_cli__add_kind(cli, &text, entry->kind);
    widen(&layout->kind_cells, xylem_cli__cells(cli, xylem_cli__text_view(&text), KIND_CELLS_MAX), KIND_CELLS_MAX);
    xylem_cli__text_clear(&text);
    xylem_cli__addf(&text, "%llu", (unsigned long long)entry->position.depth);
    widen(&layout->depth_cells, text.bytes.bytes, SIZE_MAX);
    xylem_cli__text_release(&text);
    return 0;
}

/* `depth id time kind what-it-says` */
static int print_line(struct xylem_cli *cli, const struct xylem_entry *entry, void *context)
{
    const struct layout *layout = context;
    struct xylem_cli__text line = {0};
    struct xylem_cli__text cell = {0};
    size_t before = layout->depth_cells + layout->id_cells + layout->kind_cells + sizeof("2026-11-20 17:18:05") - 1 + 8;
    size_t left = cli->width == 0 ? SUMMARY_CELLS : cli->width > before ? cli->width - before : 0;

    xylem_cli__addf(&line, "%*llu  ", (int)layout->depth_cells, (unsigned long long)entry->position.depth);
    xylem_cli__add_column(cli, &line, entry->id, layout->id_cells, XYLEM_CLI__YELLOW);
    xylem_cli__add(&line, "  ");
    xylem_cli__color_on(cli, &line, XYLEM_CLI__DIM);
    xylem_cli__add_time(&line, entry->time_ms);
    xylem_cli__color_off(cli, &line, XYLEM_CLI__DIM);
    xylem_cli__add(&line, "  ");
    xylem_cli__add_kind(cli, &cell, entry->kind);
    xylem_cli__add_column(cli, &line, xylem_cli__text_view(&cell), layout->kind_cells, XYLEM_CLI__CYAN);
    xylem_cli__add(&line, "  ");
    int code = xylem_cli__add_summary(cli, &line, entry, left < SUMMARY_CELLS_MIN ? SUMMARY_CELLS_MIN : left);
    xylem_cli__end_line(&line);
    if (code == 0) {
        code = xylem_cli__put(cli, &line);
    }
    xylem_cli__text_release(&line);
    xylem_cli__text_release(&cell);
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, size_t argument_count, const void *options)
{
    const struct log_options *given = options;
    struct xylem_session session;
    struct layout layout = {0};
    struct xylem_cli__documents documents;
    int code = xylem_cli__documents_start(cli, &documents, given->form, "entries");

    (void)argument_count;
    if (code == 0 && !documents.wanted) {
        xylem_cli__pager_start(cli);
    }
    if (code != 0 || (code = xylem_cli__open_reading(cli)) != 0 ||
        (code = xylem_cli__session(cli, &session, arguments[0])) != 0) {
        return code;
    }
    struct xylem_position from = session.leaf;
    if (given->at != NULL && (code = xylem_cli__entry_or_none(cli, &from, &session, given->at)) != 0) {
        return code;
    }
    if (documents.wanted) {
        code = walk(cli, from, given->count, print_json, &documents);
        return code != 0 ? code : xylem_cli__documents_end(cli, &documents);
    }
    code = walk(cli, from, given->count, measure, &layout);
    return code != 0 ? code : walk(cli, from, given->count, print_line, &layout);
}

const struct xylem_cli__command xylem_cli__cmd_log = {
    .name = "log",
    .summary = "List the entries of a path, newest first",
    .usage = "SESSION [--at ENTRY] [-n N] [--json|--jsonl]",
    .details = "A line has depth, id, local time, kind, and what the entry says.\n",
    .options = log_table,
    .options_bytes = sizeof(struct log_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .run = run,
};
