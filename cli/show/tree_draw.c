/*
 * Draws a session, oldest entry at the top.
 *
 *   o 8d16e680  assistant        echo: first question
 *   |-o 88fe2aff  custom:readonly  {"enabled":true}         a branch that the leaf is not on
 *   | ... 3 entries
 *   | o 26de9cb1  user             ...
 *   o d3300e75  user             branch B question          the leaf's path: the left edge
 */
#include "cli/show/entries.h"
#include "cli/show/tree.h"

#define SHORT_CELLS_MAX 24u /* of the column of cut ids; a longer id pushes the rest to the right */
#define WHO_CELLS 10u       /* the usual width of roles, which are not known before payloads are read */
#define WHO_CELLS_MAX 15u   /* wider kinds push the rest to the right */
#define LABEL_CELLS_MAX 40u
#define LABEL_CELLS_MIN 8u
#define SUMMARY_CELLS 72u /* if the width of a line is not known */
#define SUMMARY_CELLS_MIN 12u

struct drawing {
    struct xylem_cli *cli;
    const struct xylem_cli__tree *tree;
    const struct xylem_cli__fold *fold;
    size_t id_cells;
    size_t who_cells;
    struct xylem_cli__short_ids short_ids; /* empty: ids are shown whole */
    size_t level_max;                      /* deeper branches do not move further to the right */
    struct xylem_cli__text line;
};

/* Adds the lines that lead past an entry or to the entry. Gives the cells. */
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
        xylem_cli__add(&drawing->line,
                       last && starts ? (xylem_cli__utf8(cli) ? "├─" : "|-") : (xylem_cli__utf8(cli) ? "│ " : "| "));
    }
    xylem_cli__color_off(cli, &drawing->line, XYLEM_CLI__DIM);
    return cells;
}

/* The remaining cells of the line. */
static size_t room(const struct xylem_cli *cli, size_t cells)
{
    return cli->width == 0 ? SUMMARY_CELLS : cli->width > cells ? cli->width - cells : 0;
}

/* Adds `<leaf> <base> <no result> [label] `, the marks of the entry, behind `before` cells. Gives the cells. */
static size_t add_marks(struct drawing *drawing, size_t index, bool is_unanswered, size_t before)
{
    const struct xylem_cli *cli = drawing->cli;
    const struct xylem_cli__tree *tree = drawing->tree;
    const struct xylem_cli__node *node = &tree->nodes[index];
    struct xylem_cli__text *line = &drawing->line;
    size_t cells = 0;
    if (index == tree->leaf) {
        cells += xylem_cli__add_colored(cli, line, xylem_view_of("<leaf> "), XYLEM_CLI__GREEN);
    }
    if (index == tree->base) {
        cells += xylem_cli__add_colored(cli, line, xylem_view_of("<base> "), XYLEM_CLI__GREEN);
    }
    if (is_unanswered) {
        cells += xylem_cli__add_colored(cli, line, xylem_view_of("<no result> "), XYLEM_CLI__RED);
    }
    if (node->label) {
        xylem_cli__color_on(cli, line, XYLEM_CLI__MAGENTA);
        xylem_cli__add(line, "[");
        size_t left = room(cli, before + cells + 3);
        left = left < LABEL_CELLS_MIN ? LABEL_CELLS_MIN : left < LABEL_CELLS_MAX ? left : LABEL_CELLS_MAX;
        cells += 3 + xylem_cli__add_shown(cli, line, node->label->text, XYLEM_CLI__ONE_LINE, left);
        xylem_cli__add(line, "] ");
        xylem_cli__color_off(cli, line, XYLEM_CLI__MAGENTA);
    }
    return cells;
}

static int draw_node(struct drawing *drawing, size_t index, size_t level, bool starts)
{
    struct xylem_cli *cli = drawing->cli;
    struct xylem_cli__text *line = &drawing->line;
    struct xylem_entry entry;
    struct xylem_cli__said said = {0};
    struct xylem_cli__text who = {0};
    const struct xylem_cli__node *node = &drawing->tree->nodes[index];
    struct xylem_cli__unanswered unanswered = {.count = 0};
    int code = xylem_cli__entry_read(cli, &entry, node->position);
    if (code == 0 && node->first_child == XYLEM_CLI__NO_NODE) {
        code = xylem_cli__unanswered(cli, &unanswered, node->position);
    }
    if (code != 0 || (code = xylem_cli__said_read(cli, &said, &entry)) != 0) {
        xylem_cli__said_release(&said);
        return code;
    }
    size_t cells = add_lanes(drawing, level, starts);
    const char *mark = xylem_cli__utf8(cli) ? (node->on_path ? "●" : "○") : (node->on_path ? "*" : "o");
    xylem_cli__add_colored(cli, line, xylem_view_of(mark), node->on_path ? XYLEM_CLI__GREEN : XYLEM_CLI__DIM);
    xylem_cli__add(line, " ");
    cells += xylem_cli__add_id_column(cli, line, drawing->short_ids.list ? &drawing->short_ids : NULL, entry.id,
                                      drawing->id_cells);
    xylem_cli__add(line, "  ");
    cells += 4;
    xylem_cli__add_who(cli, &who, &said);
    size_t who_cells = xylem_cli__cells(cli, xylem_cli__text_view(&who), 2 * WHO_CELLS_MAX);
    who_cells = who_cells > drawing->who_cells ? who_cells : drawing->who_cells;
    who_cells = xylem_cli__least(who_cells, room(cli, cells)); /* wide kinds are cut only if the line has no room */
    xylem_cli__add_column(cli, line, xylem_cli__text_view(&who), who_cells, xylem_cli__who_color(&said));
    xylem_cli__part_end(line, &who);
    xylem_cli__add(line, "  ");
    cells += who_cells + 2;
    cells += add_marks(drawing, index, unanswered.count > 0, cells);
    if (room(cli, cells) > 0) {
        xylem_cli__add_said_line(cli, line, &said, room(cli, cells));
    }
    xylem_cli__said_release(&said);
    xylem_cli__end_line(line);
    return xylem_cli__put(cli, line);
}

/* Adds `... 1,234 entries, 12 tips (3 labels)`: the folded entries, of which `node` is one. A lone entry is drawn. */
static int draw_folded(struct drawing *drawing, const struct xylem_cli__contents *contents, size_t node, size_t level,
                       bool starts)
{
    struct xylem_cli *cli = drawing->cli;
    struct xylem_cli__text *line = &drawing->line;
    static const char *const words[XYLEM_CLI__CONTENT_COUNT][2] = {{"entry", "entries"},
                                                                   {"tip", "tips"},
                                                                   {"root", "roots"},
                                                                   {"label", "labels"},
                                                                   {"compaction", "compactions"},
                                                                   {"state change", "state changes"}};
    struct xylem_cli__text text = {0};
    size_t part_count = 0; /* in parentheses */
    if (contents->of[XYLEM_CLI__ENTRIES] == 1 && !drawing->fold->exact) {
        return draw_node(drawing, node, level, starts);
    }
    for (size_t what = 0; what < XYLEM_CLI__CONTENT_COUNT; what++) {
        if (contents->of[what] > 0) {
            bool opens = what >= XYLEM_CLI__ROOTS && part_count++ == 0;
            xylem_cli__add(&text, what == XYLEM_CLI__ENTRIES ? "" : opens ? " (" : ", ");
            xylem_cli__add_counted(&text, contents->of[what], words[what][0], words[what][1]);
        }
    }
    xylem_cli__add(&text, part_count > 0 ? ")" : "");
    size_t cells = add_lanes(drawing, level, starts);
    xylem_cli__color_on(cli, line, XYLEM_CLI__DIM);
    xylem_cli__add(line, xylem_cli__utf8(cli) ? "… " : "... ");
    cells += xylem_cli__utf8(cli) ? 2 : 4;
    xylem_cli__add_shown(cli, line, xylem_cli__text_view(&text), XYLEM_CLI__EXACT,
                         cli->width == 0 ? SIZE_MAX : room(cli, cells));
    xylem_cli__color_off(cli, line, XYLEM_CLI__DIM);
    xylem_cli__end_line(line);
    xylem_cli__part_end(line, &text);
    return xylem_cli__put(cli, line);
}

/* Draws the line of folded entries before an entry, and the entry. */
static int draw_stop(void *context, const struct xylem_cli__stop *stop)
{
    struct drawing *drawing = context;
    bool folded = stop->folded.of[XYLEM_CLI__ENTRIES] > 0;
    int code = folded ? draw_folded(drawing, &stop->folded, stop->folded_node, stop->level, stop->starts) : 0;
    return code != 0 || stop->node == XYLEM_CLI__NO_NODE
               ? code
               : draw_node(drawing, stop->node, stop->level, stop->starts && !folded);
}

/* Measures the columns. */
static int measure(struct drawing *drawing, uint64_t session)
{
    struct xylem_cli *cli = drawing->cli;
    struct xylem_cli__text kind = {0};
    struct xylem_entry entry;
    int code = 0;
    drawing->who_cells = WHO_CELLS;
    for (size_t i = 0; i < drawing->tree->count && code == 0; i++) {
        if (!drawing->fold->kept[i]) {
            continue;
        }
        code = xylem_cli__entry_read(cli, &entry, drawing->tree->nodes[i].position);
        if (code != 0) {
            break;
        }
        size_t cells = xylem_cli__cells(cli, entry.id, SIZE_MAX);
        drawing->id_cells = cells > drawing->id_cells ? cells : drawing->id_cells;
        xylem_cli__add_kind(cli, &kind, entry.kind);
        cells = xylem_cli__cells(cli, xylem_cli__text_view(&kind), SIZE_MAX);
        drawing->who_cells = cells > drawing->who_cells && cells <= WHO_CELLS_MAX ? cells : drawing->who_cells;
        xylem_cli__text_clear(&kind);
    }
    xylem_cli__text_release(&kind);
    if (code == 0 && !xylem_cli__ids_fit(cli, drawing->id_cells)) {
        code = xylem_cli__short_ids_add_entries(cli, &drawing->short_ids, session);
        drawing->id_cells = xylem_cli__short_ids_cells(cli, &drawing->short_ids, SHORT_CELLS_MAX);
    }
    size_t width = cli->width == 0 ? 200 : cli->width;
    size_t text_cells = drawing->id_cells + 6 + WHO_CELLS_MAX + SUMMARY_CELLS_MIN;
    drawing->level_max = width > text_cells + 8 ? (width - text_cells) / 2 : 4;
    return code;
}

int xylem_cli__tree_draw(struct xylem_cli *cli, const struct xylem_cli__tree *tree, const struct xylem_cli__fold *fold,
                         uint64_t session)
{
    struct drawing drawing = {.cli = cli, .tree = tree, .fold = fold};
    int code = measure(&drawing, session);
    code = code == 0 ? xylem_cli__tree_walk(cli, tree, fold, SIZE_MAX, draw_stop, &drawing) : code;
    xylem_cli__short_ids_release(&drawing.short_ids);
    xylem_cli__text_release(&drawing.line);
    return code;
}
