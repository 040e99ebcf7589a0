/*
 * Draws the map of a page: a row for each drawn entry, from top to bottom, in the order and with the branches of
 * `xylem tree`.
 *
 *     o        A branch stands one lane to the right of the entry that it goes on from, above the rest of that entry's
 *     |\       own lane: so a line that leaves a lane leaves the last entry above.
 *     | o
 *     | o      Entries that are not drawn are a dashed stretch, whose title counts them. Branches beyond the last lane
 *     |        are not drawn either.
 *     o
 */
#include "cli/page/map.h"
#include "cli/show/entries.h"

#include <stdlib.h>

#define STEP 16u /* units from lane to lane, and from row to row */
#define WORDS_CELLS 60u

struct mapping {
    struct xylem_cli *cli;
    const struct xylem_cli__tree *tree;
    bool family;
    struct xylem_cli__text lines;
    struct xylem_cli__html nodes; /* above the lines */
    size_t *rows;                 /* of the drawn nodes */
    size_t row;
    size_t lane_count;
};

static size_t place(size_t lane_or_row)
{
    return lane_or_row * STEP + STEP / 2;
}

/* The line from the parent, or from the row above a root: down the lane of the parent, then aside. */
static void add_line(struct mapping *mapping, const struct xylem_cli__stop *stop, size_t x, size_t y)
{
    size_t above = stop->parent == XYLEM_CLI__NO_NODE ? y - STEP : place(mapping->rows[stop->parent]);
    xylem_cli__addf(&mapping->lines, "<path d=\"M%zu %zuV%zuL%zu %zu\"", place(stop->level - (stop->starts ? 1 : 0)),
                    above, y > above + STEP ? y - STEP : above, x, y);
    if (stop->folded.of[XYLEM_CLI__ENTRIES] > 0) {
        xylem_cli__add(&mapping->lines, " class=\"fold\"><title>");
        xylem_cli__add_counted(&mapping->lines, stop->folded.of[XYLEM_CLI__ENTRIES], "entry", "entries");
        xylem_cli__add(&mapping->lines, "</title></path>\n");
    } else {
        xylem_cli__add(&mapping->lines, "/>\n");
    }
}

static const char *class_of(const struct xylem_cli__said *said)
{
    static const char *const rows[][2] = {
        {"user", "user"}, {"assistant", "assistant"}, {"toolResult", "tool"}, {"bashExecution", "tool"}};
    static const char *const kinds[] = {"label", "compaction"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (xylem_base__view_is(said->role, rows[i][0])) {
            return rows[i][1];
        }
    }
    for (size_t i = 0; said->kind.kind_class == XYLEM_CLASS_HOST && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (xylem_base__view_is(said->kind.name, kinds[i])) {
            return kinds[i];
        }
    }
    return "custom";
}

/* A link to the entry; its title has the first words. */
static int add_node(struct mapping *mapping, size_t index, size_t x, size_t y)
{
    struct xylem_cli *cli = mapping->cli;
    const struct xylem_cli__node *node = &mapping->tree->nodes[index];
    struct xylem_cli__html *html = &mapping->nodes;
    struct xylem_cli__text title = {0};
    struct xylem_cli__said said = {0};
    struct xylem_entry entry;
    int code = xylem_cli__entry_read(cli, &entry, node->position);
    if (code == 0 && (code = xylem_cli__said_read_beginning(cli, &said, &entry)) == 0) {
        xylem_cli__add_who_exactly(cli, &title, &said);
        const char *class = class_of(&said);
        xylem_cli__add(&title, node->label ? ": [" : ": ");
        if (node->label) {
            xylem_cli__add_shown(cli, &title, node->label->text, XYLEM_CLI__ONE_LINE, WORDS_CELLS);
            xylem_cli__add(&title, "] ");
        }
        xylem_cli__add_said_line(cli, &title, &said, WORDS_CELLS);
        xylem_cli__html_link(cli, html, entry.id, entry.position, mapping->family);
        xylem_cli__html_add(html, "<title>");
        xylem_cli__html_attribute(html, xylem_cli__text_view(&title)); /* no element may stand in a title */
        xylem_cli__addf(&html->text, "</title><circle class=\"%s%s%s\" cx=\"%zu\" cy=\"%zu\" r=\"4\"/></a>\n", class,
                        node->label ? " labelled" : "", index == mapping->tree->leaf ? " leaf" : "", x, y);
    }
    xylem_cli__said_release(&said);
    xylem_cli__part_end(&html->text, &title);
    return code;
}

static int draw(void *context, const struct xylem_cli__stop *stop)
{
    struct mapping *mapping = context;
    bool root = stop->parent == XYLEM_CLI__NO_NODE;
    bool folded = stop->folded.of[XYLEM_CLI__ENTRIES] > 0;
    size_t x = place(stop->level);
    if (stop->node == XYLEM_CLI__NO_NODE) { /* a stretch beside the parent, or above all entries */
        mapping->row += root ? 1 : 0;
        size_t y = place(root ? mapping->row : mapping->rows[stop->parent]);
        add_line(mapping, stop, stop->starts ? x - STEP / 2 : x, y + STEP / (stop->starts ? 4 : 2));
        return 0;
    }
    mapping->row += folded ? 1 : 0; /* room for the dashes */
    if (!root || folded) {
        add_line(mapping, stop, x, place(mapping->row));
    }
    mapping->lane_count = stop->level >= mapping->lane_count ? stop->level + 1 : mapping->lane_count;
    mapping->rows[stop->node] = mapping->row;
    return add_node(mapping, stop->node, x, place(mapping->row++));
}

int xylem_cli__html_map(struct xylem_cli *cli, struct xylem_cli__html *html, const struct xylem_cli__tree *tree,
                        bool family)
{
    static const struct xylem_cli__list none = {.count = 0};
    struct xylem_cli__kinds kinds = {.given = &none};
    const struct xylem_cli__filter filter = {.kinds = &kinds, .since_ms = INT64_MIN, .until_ms = INT64_MAX};
    struct mapping mapping = {.cli = cli, .tree = tree, .family = family};
    struct xylem_cli__fold fold = {.kept = NULL};
    int code = xylem_cli__fold_choose(cli, &fold, tree, &filter, true, XYLEM_CLI__MAP_NODES_MAX);
    mapping.rows = calloc(tree->count + 1, sizeof *mapping.rows);
    code = code == 0 && !mapping.rows ? xylem_cli__fail_memory(cli) : code;
    code = code == 0 ? xylem_cli__tree_walk(cli, tree, &fold, XYLEM_CLI__MAP_LANES_MAX - 1, draw, &mapping) : code;
    if (code == 0 && tree->count > 0) {
        struct xylem_cli__text size = {0};
        size_t width = mapping.lane_count * STEP;
        size_t height = (mapping.row + 1) * STEP;
        xylem_cli__addf(&size, "\"%zu\" height=\"%zu\" viewBox=\"0 0 %zu %zu", width, height, width, height);
        xylem_cli__html_add(html, "<svg width=");
        xylem_cli__html_made(html, &size);
        xylem_cli__html_add(html, "\">\n");
        xylem_cli__html_made(html, &mapping.lines);
        xylem_cli__html_made(html, &mapping.nodes.text);
        xylem_cli__html_add(html, "</svg>\n");
        xylem_cli__part_end(&html->text, &size);
    }
    free(mapping.rows);
    xylem_cli__text_release(&mapping.lines);
    xylem_cli__text_release(&mapping.nodes.text);
    xylem_cli__fold_release(&fold);
    return code;
}
