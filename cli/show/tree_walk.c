/* Goes over the drawn entries of a tree from top to bottom. Each drawn branch stands one level to the right. */
#include "cli/show/tree.h"

#include <stdlib.h>

struct walk {
    struct xylem_cli *cli;
    const struct xylem_cli__tree *tree;
    const struct xylem_cli__fold *fold;
    size_t level_max;
    struct xylem_cli__stop *stack; /* the next stop is the last */
    size_t count;
    size_t capacity;
};

/* The child behind a child, and the first child behind XYLEM_CLI__NO_NODE. The roots are the children of no node. */
static size_t next_child(const struct xylem_cli__tree *tree, size_t parent, size_t child)
{
    if (parent != XYLEM_CLI__NO_NODE) {
        return child == XYLEM_CLI__NO_NODE ? tree->nodes[parent].first_child : tree->nodes[child].next_sibling;
    }
    for (child = child == XYLEM_CLI__NO_NODE ? 0 : child + 1; child < tree->count; child++) {
        if (tree->nodes[child].parent == XYLEM_CLI__NO_NODE) {
            return child;
        }
    }
    return XYLEM_CLI__NO_NODE;
}

static int push(struct walk *walk, struct xylem_cli__stop stop)
{
    return xylem_cli__list_add(walk->cli, &walk->stack, &walk->count, &walk->capacity, &stop, sizeof stop);
}

/* Pushes the first drawn entry at or below a child. What is above that entry is folded. */
static int push_child(struct walk *walk, size_t child, struct xylem_cli__stop stop)
{
    const struct xylem_cli__contents *contents = walk->fold->contents;
    stop.node = walk->fold->top[child];
    stop.folded_node = child;
    for (size_t what = 0; what < XYLEM_CLI__CONTENT_COUNT; what++) {
        stop.folded.of[what] = contents[child].of[what] - contents[stop.node].of[what];
    }
    return push(walk, stop);
}

static void add_folded(struct xylem_cli__stop *rest, size_t child, const struct xylem_cli__contents *contents)
{
    rest->folded_node = child;
    for (size_t what = 0; what < XYLEM_CLI__CONTENT_COUNT; what++) {
        rest->folded.of[what] += contents->of[what];
    }
}

static void reverse(struct xylem_cli__stop *stops, size_t count)
{
    for (size_t low = 0, high = count; low + 1 < high; low++) {
        struct xylem_cli__stop swap = stops[low];
        stops[low] = stops[--high];
        stops[high] = swap;
    }
}

/*
 * Pushes the children of a drawn node, or all roots. Drawn order:
 * 1. one stop for the branches to the right without drawn nodes
 * 2. the other branches to the right, oldest first
 * 3. the main child, or one stop if nothing below is drawn
 */
static int push_children(struct walk *walk, size_t parent, size_t level)
{
    const size_t *top = walk->fold->top;
    bool roots = parent == XYLEM_CLI__NO_NODE;
    size_t main = roots ? XYLEM_CLI__NO_NODE : walk->tree->nodes[parent].main_child;
    bool main_folded = main != XYLEM_CLI__NO_NODE && top[main] == XYLEM_CLI__NO_NODE;
    const struct xylem_cli__stop below = {.node = XYLEM_CLI__NO_NODE, .parent = parent, .level = level};
    struct xylem_cli__stop aside = below;
    aside.level += roots ? 0 : 1;
    aside.starts = !roots;
    struct xylem_cli__stop rest = main_folded ? below : aside;
    size_t first = walk->count;
    int code = 0;
    for (size_t child = XYLEM_CLI__NO_NODE;
         code == 0 && (child = next_child(walk->tree, parent, child)) != XYLEM_CLI__NO_NODE;) {
        if (top[child] == XYLEM_CLI__NO_NODE || (child != main && aside.level > walk->level_max)) {
            add_folded(&rest, child, &walk->fold->contents[child]);
        } else if (child != main) {
            code = push_child(walk, child, aside);
        }
    }
    if (code == 0 && main != XYLEM_CLI__NO_NODE) {
        code = main_folded ? push(walk, rest) : push_child(walk, main, below);
    }
    if (walk->count > first) { /* the stack pops the last push first */
        reverse(walk->stack + first, walk->count - first);
    }
    return code == 0 && !main_folded && rest.folded.of[XYLEM_CLI__ENTRIES] > 0 ? push(walk, rest) : code;
}

int xylem_cli__tree_walk(struct xylem_cli *cli, const struct xylem_cli__tree *tree, const struct xylem_cli__fold *fold,
                         size_t level_max, int (*visit)(void *context, const struct xylem_cli__stop *stop),
                         void *context)
{
    struct walk walk = {.cli = cli, .tree = tree, .fold = fold, .level_max = level_max};
    int code = push_children(&walk, XYLEM_CLI__NO_NODE, 0);
    while (code == 0 && walk.count > 0) {
        const struct xylem_cli__stop stop = walk.stack[--walk.count];
        code = visit(context, &stop);
        if (code == 0 && stop.node != XYLEM_CLI__NO_NODE) {
            code = push_children(&walk, stop.node, stop.level);
        }
    }
    free(walk.stack);
    return code;
}
