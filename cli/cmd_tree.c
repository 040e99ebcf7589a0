/*
 * xylem tree: a drawing of a session, oldest entry at the top.
 *
 *   o 8d16e680  message  assistant: echo: first question
 *   |-o 88fe2aff  custom:readonly  {"enabled":true}         a branch that the leaf is not on
 *   | o 26de9cb1  message  user: ...
 *   o d3300e75  message  user: branch B question            the leaf's path: the left edge
 */
#include "cli/tree.h"

#include <stdlib.h>
#include <string.h>

#define FOLD_MIN 7u  /* a run of so many plain entries is folded */
#define FOLD_ENDS 2u /* of which so many stay at each end */
#define ID_CELLS_MAX 36u
#define KIND_CELLS_MAX 15u /* wider kinds push what follows to the right */
#define SUMMARY_CELLS 72u  /* where the width of a line is not known */
#define SUMMARY_CELLS_MIN 12u

struct tree_options {
    bool all;
    struct xylem_cli__form form;
};

static const struct xylem_cli__option tree_table[] = {
    {"all", 'a', NULL, XYLEM_CLI__FLAG, offsetof(struct tree_options, all), "do not fold long runs without forks",
     NULL},
    XYLEM_CLI__FORM_ROWS(struct tree_options, "print one JSON document a line for every entry, oldest first"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

/* A node that is still to be drawn. */
struct pending {
    size_t node;
    size_t level; /* how many branches to the right */
    bool starts;  /* the first of its branch: a line leads to it */
};

struct drawing {
    struct xylem_cli *cli;
    const struct xylem_cli__tree *tree;
    bool all;
    size_t id_cells;
    size_t kind_cells;
    size_t level_max; /* beyond it nothing moves further to the right */
    struct pending *stack;
    size_t count;
    size_t capacity;
    struct xylem_cli__text line;
};

static int push(struct drawing *drawing, size_t node, size_t level, bool starts)
{
    if (drawing->count == drawing->capacity) {
        size_t capacity = drawing->capacity == 0 ? 64 : drawing->capacity * 2;
        struct pending *stack = reallocarray(drawing->stack, capacity, sizeof(*stack));
        if (stack == NULL) {
            return xylem_cli__fail_memory(drawing->cli);
        }
        drawing->stack = stack;
        drawing->capacity = capacity;
    }
    drawing->stack[drawing->count++] = (struct pending){node, level, starts};
    return 0;
}

/* The lines that lead past an entry or to it; gives the cells that they fill. */
static size_t add_lanes(struct drawing *drawing, size_t level, bool starts)
{
    const struct xylem_cli *cli = drawing->cli;
    size_t drawn = level > drawing->level_max ? drawing->level_max : level;
    size_t cells = 2 * drawn;

    if (level == 0) {
        return 0;
    }
    xylem_cli__color_on(cli, &drawing->line, XYLEM_CLI__DIM);
    if (level > drawn) {
        size_t before = drawing->line.bytes.bytes;
        xylem_cli__addf(&drawing->line, "(%zu) ", level - drawn);
        cells += drawing->line.bytes.bytes - before;
    }
    for (size_t i = 0; i < drawn; i++) {
        bool last = i + 1 == drawn;
        xylem_cli__add(&drawing->line, last && starts ? (cli->utf8 ? "├─" : "|-") : (cli->utf8 ? "│ " : "| "));
    }
    xylem_cli__color_off(cli, &drawing->line, XYLEM_CLI__DIM);
    return cells;
}

static size_t add_marks(struct drawing *drawing, size_t index)
{
    const struct xylem_cli *cli = drawing->cli;
    const struct xylem_cli__tree *tree = drawing->tree;
    const struct xylem_cli__node *node = &tree->nodes[index];
    struct xylem_cli__text *line = &drawing->line;
    size_t cells = 0;

    if (index == tree->leaf) {
        xylem_cli__color_on(cli, line, XYLEM_CLI__GREEN);
        xylem_cli__add(line, "<leaf> ");
        xylem_cli__color_off(cli, line, XYLEM_CLI__GREEN);
        cells += 7;
    }
    if (index == tree->base) {
        xylem_cli__color_on(cli, line, XYLEM_CLI__GREEN);
        xylem_cli__add(line, "<base> ");
        xylem_cli__color_off(cli, line, XYLEM_CLI__GREEN);
        cells += 7;
    }
    if (node->label != NULL) {
        xylem_cli__color_on(cli, line, XYLEM_CLI__MAGENTA);
        xylem_cli__add(line, "[");
        cells += 3 + xylem_cli__add_shown(cli, line, node->label->text, XYLEM_CLI__ONE_LINE, 40);
        xylem_cli__add(line, "] ");
        xylem_cli__color_off(cli, line, XYLEM_CLI__MAGENTA);
    }
    return cells;
}

static int draw_node(struct drawing *drawing, const struct pending *pending)
{
    struct xylem_cli *cli = drawing->cli;
    struct xylem_cli__text *line = &drawing->line;
    struct xylem_cli__text kind = {0};
    struct xylem_entry entry;
    const struct xylem_cli__node *node = &drawing->tree->nodes[pending->node];
    const char *color = node->on_path ? XYLEM_CLI__GREEN : XYLEM_CLI__DIM;
    int code = xylem_entry_read(&entry, cli->txn, node->position, &cli->err);

    if (code != 0) {
        return code;
    }
    size_t cells = add_lanes(drawing, pending->level, pending->starts);
    xylem_cli__color_on(cli, line, color);
    xylem_cli__add(line, cli->utf8 ? (node->on_path ? "●" : "○") : (node->on_path ? "*" : "o"));
    xylem_cli__color_off(cli, line, color);
    xylem_cli__add(line, " ");
    xylem_cli__add_column(cli, line, entry.id, drawing->id_cells, XYLEM_CLI__YELLOW);
    xylem_cli__add(line, "  ");
    xylem_cli__add_kind(cli, &kind, entry.kind);
    size_t kind_cells = xylem_cli__cells(cli, xylem_cli__text_view(&kind), 2 * KIND_CELLS_MAX);
    kind_cells = kind_cells > drawing->kind_cells ? kind_cells : drawing->kind_cells;
    xylem_cli__add_column(cli, line, xylem_cli__text_view(&kind), kind_cells, XYLEM_CLI__CYAN);
    xylem_cli__text_release(&kind);
    xylem_cli__add(line, "  ");
    cells += drawing->id_cells + kind_cells + 6 + add_marks(drawing, pending->node);
    size_t left = cli->width == 0 ? SUMMARY_CELLS : cli->width > cells ? cli->width - cells : 0;
    code = xylem_cli__add_summary(cli, line, &entry, left < SUMMARY_CELLS_MIN ? SUMMARY_CELLS_MIN : left);
    xylem_cli__end_line(line);
    return code != 0 ? code : xylem_cli__put(cli, line);
}

/* Has nothing about it but that it lies between two others. */
static bool is_plain(const struct xylem_cli__tree *tree, size_t index)
{
    const struct xylem_cli__node *node = &tree->nodes[index];

    return node->parent != XYLEM_CLI__NO_NODE && node->first_child != XYLEM_CLI__NO_NODE &&
           !xylem_cli__tree_forks(tree, index) && node->label == NULL && index != tree->leaf && index != tree->base;
}

/* Draws a run of plain nodes from `pending` on, folded if it is long; `pending` then is the last of them. */
static int draw_run(struct drawing *drawing, struct pending *pending)
{
    const struct xylem_cli__tree *tree = drawing->tree;
    size_t length = 0;
    int code = 0;

    for (size_t i = pending->node; is_plain(tree, i); i = tree->nodes[i].main_child) {
        length++;
    }
    bool fold = !drawing->all && length >= FOLD_MIN;
    for (size_t i = 0; i < length && code == 0; i++) {
        if (!fold || i < FOLD_ENDS || i >= length - FOLD_ENDS) {
            code = draw_node(drawing, pending);
        } else if (i == FOLD_ENDS) {
            add_lanes(drawing, pending->level, false);
            xylem_cli__color_on(drawing->cli, &drawing->line, XYLEM_CLI__DIM);
            xylem_cli__add(&drawing->line, drawing->cli->utf8 ? "… " : "... ");
            xylem_cli__add_counted(&drawing->line, length - 2 * FOLD_ENDS, "entry", "entries");
            xylem_cli__color_off(drawing->cli, &drawing->line, XYLEM_CLI__DIM);
            xylem_cli__add(&drawing->line, "\n");
            code = xylem_cli__put(drawing->cli, &drawing->line);
        }
        pending->starts = false;
        if (i + 1 < length) {
            pending->node = tree->nodes[pending->node].main_child;
        }
    }
    return code;
}

/* What comes below a node that was drawn: first the branches to the right, so they are pushed last, newest first. */
static int push_children(struct drawing *drawing, const struct pending *pending)
{
    const struct xylem_cli__tree *tree = drawing->tree;
    const struct xylem_cli__node *node = &tree->nodes[pending->node];
    size_t child_count = 0;
    int code = 0;

    if (node->main_child == XYLEM_CLI__NO_NODE) {
        return 0;
    }
    code = push(drawing, node->main_child, pending->level, false);
    for (size_t child = node->first_child; child != XYLEM_CLI__NO_NODE && code == 0;
         child = tree->nodes[child].next_sibling) {
        if (child != node->main_child) {
            child_count++;
            code = push(drawing, child, pending->level + 1, true);
        }
    }
    /* The stack gives them back in reverse: turn them around. */
    for (size_t i = 0; i < child_count / 2 && code == 0; i++) {
        struct pending *low = &drawing->stack[drawing->count - child_count + i];
        struct pending *high = &drawing->stack[drawing->count - 1 - i];
        struct pending swap = *low;
        *low = *high;
        *high = swap;
    }
    return code;
}

static int draw_root(struct drawing *drawing, size_t root)
{
    int code = push(drawing, root, 0, false);

    while (code == 0 && drawing->count > 0) {
        struct pending pending = drawing->stack[--drawing->count];
        code = is_plain(drawing->tree, pending.node) ? draw_run(drawing, &pending) : draw_node(drawing, &pending);
        if (code == 0) {
            code = push_children(drawing, &pending);
        }
    }
    return code;
}

static int measure(struct drawing *drawing)
{
    struct xylem_cli *cli = drawing->cli;
    struct xylem_cli__text kind = {0};
    struct xylem_entry entry;
    int code = 0;

    for (size_t i = 0; i < drawing->tree->count && code == 0; i++) {
        code = xylem_entry_read(&entry, cli->txn, drawing->tree->nodes[i].position, &cli->err);
        if (code != 0) {
            break;
        }
        size_t cells = xylem_cli__cells(cli, entry.id, ID_CELLS_MAX);
        drawing->id_cells = cells > drawing->id_cells ? cells : drawing->id_cells;
        xylem_cli__add_kind(cli, &kind, entry.kind);
        cells = xylem_cli__cells(cli, xylem_cli__text_view(&kind), SIZE_MAX);
        drawing->kind_cells = cells > drawing->kind_cells && cells <= KIND_CELLS_MAX ? cells : drawing->kind_cells;
        xylem_cli__text_clear(&kind);
    }
    xylem_cli__text_release(&kind);
    size_t room = cli->width == 0 ? 200 : cli->width;
    size_t text_cells = drawing->id_cells + 6 + KIND_CELLS_MAX + SUMMARY_CELLS_MIN;
    drawing->level_max = room > text_cells + 8 ? (room - text_cells) / 2 : 4;
    return code;
}

static int put_title(struct xylem_cli *cli, const struct xylem_cli__tree *tree, const struct xylem_session *session)
{
    struct xylem_cli__text line = {0};

    xylem_cli__color_on(cli, &line, XYLEM_CLI__BOLD);
    xylem_cli__add_shown(cli, &line, session->id, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__color_off(cli, &line, XYLEM_CLI__BOLD);
    xylem_cli__add(&line, ": ");
    if (tree->labels.name.data != NULL) {
        xylem_cli__add_shown(cli, &line, tree->labels.name, XYLEM_CLI__ONE_LINE, 60);
        xylem_cli__add(&line, ", ");
    }
    xylem_cli__add_counted(&line, tree->count, "entry", "entries");
    xylem_cli__add(&line, ", ");
    xylem_cli__add_counted(&line, tree->tip_count, "tip", "tips");
    xylem_cli__add(&line, tree->leaf == XYLEM_CLI__NO_NODE ? ", the leaf is none\n" : "\n");
    int code = xylem_cli__put(cli, &line);
    xylem_cli__text_release(&line);
    return code;
}

static int draw(struct xylem_cli *cli, const struct xylem_cli__tree *tree, bool all)
{
    struct drawing drawing = {.cli = cli, .tree = tree, .all = all};
    int code = measure(&drawing);

    for (size_t i = 0; i < tree->count && code == 0; i++) {
        if (tree->nodes[i].parent == XYLEM_CLI__NO_NODE) {
            code = draw_root(&drawing, i);
        }
    }
    free(drawing.stack);
    xylem_cli__text_release(&drawing.line);
    return code;
}

static int print_json(struct xylem_cli *cli, struct xylem_cli__documents *documents, const struct xylem_cli__tree *tree)
{
    struct xylem_cli__text text = {0};
    struct xylem_entry entry;
    int code = 0;

    for (size_t i = 0; i < tree->count && code == 0; i++) {
        const struct xylem_cli__node *node = &tree->nodes[i];
        code = xylem_entry_read(&entry, cli->txn, node->position, &cli->err);
        xylem_cli__json_document(&text);
        if (code != 0 || (code = xylem_cli__json_entry(cli, &text, &entry)) != 0) {
            break;
        }
        xylem_cli__json_key(&text, "label");
        xylem_cli__json_maybe(&text, node->label == NULL ? (struct xylem_view){NULL, 0} : node->label->text);
        xylem_cli__json_key(&text, "leaf");
        xylem_cli__json_bool(&text, i == tree->leaf);
        xylem_cli__json_key(&text, "base");
        xylem_cli__json_bool(&text, i == tree->base);
        xylem_cli__json_key(&text, "tip");
        xylem_cli__json_bool(&text, node->first_child == XYLEM_CLI__NO_NODE);
        xylem_cli__json_end(&text, '}');
        code = xylem_cli__documents_put(cli, documents, &text);
    }
    xylem_cli__text_release(&text);
    return code != 0 ? code : xylem_cli__documents_end(cli, documents);
}

static int run(struct xylem_cli *cli, char **arguments, size_t argument_count, const void *options)
{
    const struct tree_options *given = options;
    struct xylem_session session;
    struct xylem_cli__tree tree = {0};
    struct xylem_cli__documents documents;
    int code = xylem_cli__documents_start(cli, &documents, given->form, "entries");

    (void)argument_count;
    if (code == 0 && given->all && documents.wanted) {
        code = xylem_cli__usage(cli, "--all and --json or --jsonl exclude each other: those fold nothing");
    }
    if (code == 0 && !documents.wanted) {
        xylem_cli__pager_start(cli);
    }
    if (code != 0 || (code = xylem_cli__open_reading(cli)) != 0 ||
        (code = xylem_cli__session(cli, &session, arguments[0])) != 0) {
        return code;
    }
    code = xylem_cli__tree_read(cli, &tree, &session);
    if (code == 0 && documents.wanted) {
        code = print_json(cli, &documents, &tree);
    } else if (code == 0 && (code = put_title(cli, &tree, &session)) == 0) {
        code = draw(cli, &tree, given->all);
    }
    xylem_cli__tree_release(&tree);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_tree = {
    .name = "tree",
    .summary = "Draw a session's entries as a tree, oldest first",
    .usage = "SESSION [--all|--json|--jsonl]",
    .details =
        "The path of the leaf runs down the left edge; other branches are drawn to the right of where they fork.\n"
        "Long runs without forks are folded. <base> is the last entry shared with the session it was forked from.\n"
        "A number before a line says how many branches to its left are not drawn, for lack of room.\n",
    .options = tree_table,
    .options_bytes = sizeof(struct tree_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .run = run,
};
