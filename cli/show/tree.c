/*
 * Reads a session's tree. One child of a fork point goes straight down: the child on the leaf's path, so that the path
 * is the left edge of the drawing, else the child with the newest entry below.
 */
#include "cli/show/tree.h"
#include "base/numbers.h"
#include "xylem/state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool decides(struct xylem_kind kind, unsigned piece)
{
    struct xylem_buffer storage = {0};
    struct xylem_kind deciding;
    bool found = false;
    for (const char *const *text = xylem_state_kinds(piece); *text && !found; text++) {
        found = xylem_kind_parse(&deciding, &storage, xylem_view_of(*text), NULL) == 0 &&
                xylem_cli__kind_equal(kind, deciding);
    }
    xylem_buffer_release(&storage);
    return found;
}

static enum xylem_cli__role role_of(struct xylem_kind kind)
{
    static const struct xylem_kind compaction = {XYLEM_CLASS_HOST, {"compaction", sizeof("compaction") - 1}};
    if (xylem_cli__kind_equal(kind, compaction)) {
        return XYLEM_CLI__ROLE_COMPACTION;
    }
    for (size_t i = 0; xylem_piece_names()[i]; i++) {
        if (1u << i != XYLEM_PIECE_NUDGE && decides(kind, 1u << i)) { /* a nudge only reports a change */
            return XYLEM_CLI__ROLE_CHANGE;
        }
    }
    return XYLEM_CLI__ROLE_NONE;
}

static int add_node(struct xylem_cli *cli, struct xylem_cli__tree *tree, struct xylem_cli__filter *filter,
                    const struct xylem_entry *entry)
{
    /* matched first, so that a kind outside of the time span counts as found too */
    int wanted = xylem_cli__kinds_match(cli, filter->kinds, entry);
    bool of_time = entry->time_ms >= filter->since_ms && entry->time_ms <= filter->until_ms;
    if (wanted < 0) {
        return wanted;
    }
    const struct xylem_cli__node node = {.position = entry->position,
                                         .parent_position = entry->parent,
                                         .parent = XYLEM_CLI__NO_NODE,
                                         .first_child = XYLEM_CLI__NO_NODE,
                                         .next_sibling = XYLEM_CLI__NO_NODE,
                                         .last_child = XYLEM_CLI__NO_NODE,
                                         .main_child = XYLEM_CLI__NO_NODE,
                                         .lsn = entry->lsn,
                                         .role = role_of(entry->kind),
                                         .of_time = of_time,
                                         .matches = wanted == 1 && of_time};
    return xylem_cli__list_add(cli, &tree->nodes, &tree->count, &tree->capacity, &node, sizeof node);
}

static int compare_places(const void *a, const void *b)
{
    return xylem_base__compare_positions(&((const struct xylem_cli__tree_place *)a)->position,
                                         &((const struct xylem_cli__tree_place *)b)->position);
}

size_t xylem_cli__tree_at(const struct xylem_cli__tree *tree, struct xylem_position position)
{
    const struct xylem_cli__tree_place key = {position, 0};
    const struct xylem_cli__tree_place *found =
        tree->count == 0 ? NULL : bsearch(&key, tree->places, tree->count, sizeof key, compare_places);
    return found ? found->node : XYLEM_CLI__NO_NODE;
}

static int link_nodes(struct xylem_cli *cli, struct xylem_cli__tree *tree, const struct xylem_session *session)
{
    tree->places = calloc(tree->count == 0 ? 1 : tree->count, sizeof *tree->places);
    if (!tree->places) {
        return xylem_cli__fail_memory(cli);
    }
    for (size_t i = 0; i < tree->count; i++) {
        tree->nodes[i].newest = i;
        tree->places[i] = (struct xylem_cli__tree_place){tree->nodes[i].position, i};
    }
    qsort(tree->places, tree->count, sizeof *tree->places, compare_places);
    for (size_t i = 0; i < tree->count; i++) {
        struct xylem_cli__node *node = &tree->nodes[i];
        if (xylem_cli__position_none(node->parent_position)) {
            continue;
        }
        node->parent = xylem_cli__tree_at(tree, node->parent_position);
        if (node->parent == XYLEM_CLI__NO_NODE || node->parent >= i) {
            return xylem_cli__fail(cli, XYLEM_E_CORRUPT,
                                   "the parent of the entry at branch %llu, depth %llu is missing",
                                   (unsigned long long)node->position.branch, (unsigned long long)node->position.depth);
        }
        struct xylem_cli__node *parent = &tree->nodes[node->parent];
        if (parent->first_child == XYLEM_CLI__NO_NODE) {
            parent->first_child = i;
        } else {
            tree->nodes[parent->last_child].next_sibling = i;
        }
        parent->last_child = i;
    }
    tree->leaf = xylem_cli__tree_at(tree, session->leaf);
    tree->base = xylem_cli__tree_at(tree, session->base);
    return 0;
}

static void choose_main_children(struct xylem_cli__tree *tree)
{
    for (size_t i = tree->leaf; i != XYLEM_CLI__NO_NODE; i = tree->nodes[i].parent) {
        tree->nodes[i].on_path = true;
    }
    for (size_t i = tree->count; i > 0; i--) {
        struct xylem_cli__node *node = &tree->nodes[i - 1];
        tree->tip_count += node->first_child == XYLEM_CLI__NO_NODE ? 1 : 0;
        for (size_t child = node->first_child; child != XYLEM_CLI__NO_NODE; child = tree->nodes[child].next_sibling) {
            const struct xylem_cli__node *best =
                node->main_child == XYLEM_CLI__NO_NODE ? NULL : &tree->nodes[node->main_child];
            const struct xylem_cli__node *candidate = &tree->nodes[child];
            node->newest = candidate->newest > node->newest ? candidate->newest : node->newest;
            if (!best || candidate->on_path || (!best->on_path && candidate->newest > best->newest)) {
                node->main_child = child;
            }
        }
    }
}

/* Adds the entries of a session with a greater lsn, from an entry on. */
static int add_session(struct xylem_cli *cli, struct xylem_cli__tree *tree, uint64_t session, uint64_t lsn,
                       struct xylem_position from, struct xylem_cli__filter *filter)
{
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    int code = xylem_scan_after(&scan, cli->txn, session, lsn, &cli->err);
    while (code == 0 && (code = xylem_scan_next(&entry, scan, &cli->err)) == 1) {
        if (xylem_cli__position_equal(entry.position, from)) {
            entry.parent = (struct xylem_position){0, 0}; /* the root of this drawing */
        }
        code = xylem_cli__is_below(cli, entry.position, from);
        code = code == 1 ? add_node(cli, tree, filter, &entry) : code;
    }
    xylem_scan_free(scan);
    return code;
}

static int finish(struct xylem_cli *cli, struct xylem_cli__tree *tree, const struct xylem_session *session)
{
    int code = link_nodes(cli, tree, session);
    if (code == 0) {
        choose_main_children(tree);
        code = xylem_cli__labels_read(cli, &tree->labels, session->number);
    }
    for (size_t i = 0; code == 0 && tree->labels.label_count > 0 && i < tree->count; i++) {
        struct xylem_view id;
        if ((code = xylem_cli__entry_id(cli, &id, tree->nodes[i].position)) == 0) {
            tree->nodes[i].label = xylem_cli__label_of(&tree->labels, id);
        }
    }
    return code;
}

int xylem_cli__tree_read(struct xylem_cli *cli, struct xylem_cli__tree *tree, const struct xylem_session *session,
                         struct xylem_position from, struct xylem_cli__filter *filter)
{
    memset(tree, 0, sizeof *tree);
    int code = add_session(cli, tree, session->number, 0, from, filter);
    return code == 0 ? finish(cli, tree, session) : code;
}

/* Gives the lsn of the session's base, if the list has the base's owner, which adds the entries up to the base. Else 0. */
static int own_from(struct xylem_cli *cli, uint64_t *lsn, const struct xylem_session *session,
                    const struct xylem_session *sessions, size_t count)
{
    struct xylem_entry base;
    uint64_t owner = 0;
    *lsn = 0;
    int code = xylem_cli__position_none(session->base) ? 0 : xylem_cli__owner(cli, &owner, session->base);
    for (size_t i = 0; code == 0 && owner != 0 && i < count; i++) {
        if (sessions[i].number == owner) {
            code = xylem_cli__entry_read(cli, &base, session->base);
            *lsn = code == 0 ? base.lsn : 0;
            break;
        }
    }
    return code;
}

static int compare_lsns(const void *a, const void *b)
{
    return xylem_base__compare_numbers(&((const struct xylem_cli__node *)a)->lsn,
                                       &((const struct xylem_cli__node *)b)->lsn);
}

int xylem_cli__tree_read_sessions(struct xylem_cli *cli, struct xylem_cli__tree *tree,
                                  const struct xylem_session *sessions, size_t count, struct xylem_cli__filter *filter)
{
    size_t kept = 0;
    int code = 0;
    memset(tree, 0, sizeof *tree);
    for (size_t i = 0; code == 0 && i < count; i++) {
        uint64_t lsn = 0;
        code = own_from(cli, &lsn, &sessions[i], sessions, count);
        code =
            code == 0 ? add_session(cli, tree, sessions[i].number, lsn, (struct xylem_position){0, 0}, filter) : code;
    }
    if (code == 0 && tree->count > 0) {
        qsort(tree->nodes, tree->count, sizeof *tree->nodes, compare_lsns);
        for (size_t i = 1; i < tree->count; i++) { /* forks of a session that is not in the list share entries */
            kept += tree->nodes[i].lsn != tree->nodes[kept].lsn;
            tree->nodes[kept] = tree->nodes[i];
        }
        tree->count = kept + 1;
    }
    return code == 0 ? finish(cli, tree, &sessions[0]) : code;
}

void xylem_cli__tree_release(struct xylem_cli__tree *tree)
{
    free(tree->nodes);
    free(tree->places);
    tree->nodes = NULL;
    tree->places = NULL;
    xylem_labels_release(&tree->labels);
}

bool xylem_cli__tree_forks(const struct xylem_cli__tree *tree, size_t node)
{
    assert(node < tree->count);
    return tree->nodes[node].first_child != tree->nodes[node].last_child;
}
