/*
 * Chooses the drawn entries of a tree, so that the drawing fits one screen.
 *
 * Every remarkable entry is a candidate with a rank, and the candidates of the lowest ranks are drawn, as many as fit.
 * The newest candidate of a sort has the weight of the sort as its rank, the second newest twice the weight, and so on.
 * So a sort with many entries does not push out other sorts, and a sort of half the weight gets twice the room.
 */
#include "cli/show/tree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FOLD_MIN 7u  /* a run of so many plain entries is folded */
#define FOLD_ENDS 2u /* entries that stay at each end of a folded run */
#define LEAF_RUN 4u  /* entries at the end of the leaf's path that show the session's present work */

enum sort {
    SORT_FIRST, /* the leaf and the end of its path, the root of its path, the base */
    SORT_LABELLED,
    SORT_CHANGE, /* compactions and changes of the state, on the leaf's path */
    SORT_ROOT,
    SORT_FORK, /* on the leaf's path */
    SORT_CHANGE_ASIDE,
    SORT_TIP,
    SORT_PATH, /* other entries on the leaf's path */
    SORT_OTHER,
    SORT_COUNT
};

/* The last two sorts come after all other sorts. */
static const struct {
    uint64_t after;
    uint64_t weight;
} sorts[SORT_COUNT] = {{0, 0}, {0, 1}, {0, 1}, {0, 2}, {0, 2}, {0, 3}, {0, 4}, {1ull << 60, 1}, {1ull << 60, 3}};

struct candidate {
    uint64_t rank;
    size_t node;
};

struct chooser {
    const struct xylem_cli__tree *tree;
    const struct xylem_cli__filter *filter;
    struct xylem_cli__fold *fold;
    bool *plain; /* the nodes of long runs that are no candidates */
    struct candidate *candidates;
    size_t count;
};

/* True if the node could be part of a long folded run. */
static bool is_plain(const struct xylem_cli__tree *tree, size_t index)
{
    const struct xylem_cli__node *node = &tree->nodes[index];
    return node->parent != XYLEM_CLI__NO_NODE && node->first_child != XYLEM_CLI__NO_NODE &&
           !xylem_cli__tree_forks(tree, index) && !node->label && index != tree->leaf && index != tree->base;
}

/* Marks the folded part of each long run: the middle, except remarkable nodes. */
static void find_runs(const struct chooser *chooser)
{
    const struct xylem_cli__tree *tree = chooser->tree;
    for (size_t i = 0; i < tree->count; i++) {
        size_t length = 0;
        if (!is_plain(tree, i) || is_plain(tree, tree->nodes[i].parent)) {
            continue;
        }
        for (size_t at = i; is_plain(tree, at); at = tree->nodes[at].main_child) {
            length++;
        }
        size_t at = i;
        for (size_t n = 0; length >= FOLD_MIN && n < length - FOLD_ENDS; n++) {
            chooser->plain[at] = n >= FOLD_ENDS && tree->nodes[at].role == XYLEM_CLI__ROLE_NONE;
            at = tree->nodes[at].main_child;
        }
    }
}

/* Entries of wanted kinds come first, then entries that show the shape. */
static enum sort sort_by_kind(const struct xylem_cli__tree *tree, const struct xylem_cli__node *node, size_t index)
{
    bool shape = node->parent == XYLEM_CLI__NO_NODE || node->first_child == XYLEM_CLI__NO_NODE ||
                 xylem_cli__tree_forks(tree, index);
    if (node->matches) {
        return SORT_LABELLED;
    }
    if (!shape || (!node->of_time && node->parent != XYLEM_CLI__NO_NODE)) {
        return SORT_COUNT;
    }
    return node->on_path ? SORT_PATH : SORT_OTHER;
}

/* SORT_COUNT: not a candidate. */
static enum sort sort_of(const struct chooser *chooser, size_t index)
{
    const struct xylem_cli__tree *tree = chooser->tree;
    const struct xylem_cli__node *node = &tree->nodes[index];
    if (index == tree->leaf || index == tree->base || (node->on_path && node->parent == XYLEM_CLI__NO_NODE)) {
        return SORT_FIRST;
    }
    if (chooser->filter->kinds->given->count > 0) {
        return sort_by_kind(tree, node, index);
    }
    if (node->parent == XYLEM_CLI__NO_NODE) {
        return SORT_ROOT;
    }
    if (!node->matches || (chooser->plain[index] && !chooser->filter->timed)) {
        return SORT_COUNT;
    }
    if (node->label) {
        return SORT_LABELLED;
    }
    if (node->role != XYLEM_CLI__ROLE_NONE) {
        return node->on_path ? SORT_CHANGE : SORT_CHANGE_ASIDE;
    }
    if (node->first_child == XYLEM_CLI__NO_NODE) {
        return SORT_TIP;
    }
    return !node->on_path ? SORT_OTHER : xylem_cli__tree_forks(tree, index) ? SORT_FORK : SORT_PATH;
}

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *left = a;
    const struct candidate *right = b;
    if (left->rank != right->rank) {
        return left->rank < right->rank ? -1 : 1;
    }
    return (left->node < right->node) - (left->node > right->node);
}

static void order(struct chooser *chooser)
{
    const struct xylem_cli__tree *tree = chooser->tree;
    uint64_t taken[SORT_COUNT] = {0};
    size_t behind_leaf = 0;
    for (size_t i = tree->count; i > 0; i--) {
        enum sort sort = sort_of(chooser, i - 1);
        if (tree->nodes[i - 1].on_path && behind_leaf++ < LEAF_RUN && sort != SORT_COUNT) {
            sort = SORT_FIRST;
        }
        if (sort != SORT_COUNT) {
            uint64_t rank = sorts[sort].after + ++taken[sort] * sorts[sort].weight;
            chooser->candidates[chooser->count++] = (struct candidate){rank, i - 1};
        }
    }
    qsort(chooser->candidates, chooser->count, sizeof *chooser->candidates, compare_candidates);
}

/* Keeps the first `count` candidates and the nodes where kept nodes fork. Gives the lines of the drawing. */
static size_t keep(const struct chooser *chooser, size_t count)
{
    const struct xylem_cli__tree *tree = chooser->tree;
    struct xylem_cli__fold *fold = chooser->fold;
    size_t lines = 0;
    bool root_folded = false;
    memset(fold->kept, 0, tree->count);
    for (size_t i = 0; i < count; i++) {
        fold->kept[chooser->candidates[i].node] = true;
    }
    fold->kept_count = 0;
    for (size_t i = tree->count; i > 0; i--) {
        size_t leading = 0;
        bool folded = false;
        fold->top[i - 1] = XYLEM_CLI__NO_NODE;
        for (size_t child = tree->nodes[i - 1].first_child; child != XYLEM_CLI__NO_NODE;
             child = tree->nodes[child].next_sibling) {
            leading += fold->top[child] != XYLEM_CLI__NO_NODE ? 1 : 0;
            folded = folded || fold->top[child] == XYLEM_CLI__NO_NODE;
            fold->top[i - 1] = fold->top[child] != XYLEM_CLI__NO_NODE ? fold->top[child] : fold->top[i - 1];
        }
        fold->kept[i - 1] = fold->kept[i - 1] || leading > 1;
        if (fold->kept[i - 1]) {
            fold->top[i - 1] = i - 1;
            fold->kept_count++;
            lines += folded ? 2 : 1;
        }
        root_folded =
            root_folded || (tree->nodes[i - 1].parent == XYLEM_CLI__NO_NODE && fold->top[i - 1] == XYLEM_CLI__NO_NODE);
    }
    for (size_t i = 0; i < tree->count; i++) {
        size_t parent = tree->nodes[i].parent;
        lines += fold->kept[i] && parent != XYLEM_CLI__NO_NODE && !fold->kept[parent] ? 1 : 0;
    }
    return lines + (root_folded ? 1 : 0);
}

/* Finds how many candidates fit: more candidates need more lines. */
static void choose(const struct chooser *chooser, size_t line_max)
{
    size_t fits = 0;
    size_t too_many = chooser->count + 1;
    if (keep(chooser, chooser->count) <= line_max) {
        return;
    }
    while (too_many - fits > 1) {
        size_t middle = fits + (too_many - fits) / 2;
        if (keep(chooser, middle) <= line_max) {
            fits = middle;
        } else {
            too_many = middle;
        }
    }
    keep(chooser, fits);
    chooser->fold->limited = true;
}

static void count_contents(const struct xylem_cli__tree *tree, struct xylem_cli__contents *contents)
{
    for (size_t i = tree->count; i > 0; i--) {
        const struct xylem_cli__node *node = &tree->nodes[i - 1];
        size_t *own = contents[i - 1].of;
        own[XYLEM_CLI__ENTRIES]++;
        own[XYLEM_CLI__TIPS] += node->first_child == XYLEM_CLI__NO_NODE;
        own[XYLEM_CLI__ROOTS] += node->parent == XYLEM_CLI__NO_NODE;
        own[XYLEM_CLI__LABELS] += node->label != NULL;
        own[XYLEM_CLI__COMPACTIONS] += node->role == XYLEM_CLI__ROLE_COMPACTION;
        own[XYLEM_CLI__CHANGES] += node->role == XYLEM_CLI__ROLE_CHANGE;
        assert(node->parent == XYLEM_CLI__NO_NODE || node->parent < i - 1);
        for (size_t what = 0; node->parent != XYLEM_CLI__NO_NODE && what < XYLEM_CLI__CONTENT_COUNT; what++) {
            contents[node->parent].of[what] += own[what];
        }
    }
}

int xylem_cli__fold_choose(struct xylem_cli *cli, struct xylem_cli__fold *fold, const struct xylem_cli__tree *tree,
                           const struct xylem_cli__filter *filter, bool all, size_t line_max)
{
    size_t count = tree->count == 0 ? 1 : tree->count;
    struct chooser chooser = {.tree = tree, .filter = filter, .fold = fold};
    int code = 0;
    *fold = (struct xylem_cli__fold){.kept = calloc(count, sizeof *fold->kept),
                                     .top = calloc(count, sizeof *fold->top),
                                     .contents = calloc(count, sizeof *fold->contents),
                                     .exact = filter->kinds->given->count > 0 || filter->timed};
    chooser.plain = calloc(count, sizeof *chooser.plain);
    chooser.candidates = calloc(count, sizeof *chooser.candidates);
    if (!fold->kept || !fold->top || !fold->contents || !chooser.plain || !chooser.candidates) {
        code = xylem_cli__fail_memory(cli);
    } else {
        count_contents(tree, fold->contents);
        if (!all) {
            find_runs(&chooser);
        }
        order(&chooser);
        choose(&chooser, line_max);
    }
    free(chooser.plain);
    free(chooser.candidates);
    return code;
}

void xylem_cli__fold_release(struct xylem_cli__fold *fold)
{
    free(fold->kept);
    free(fold->top);
    free(fold->contents);
    *fold = (struct xylem_cli__fold){0};
}
