#include "store/pages/tree_cursor.h"

#include <assert.h>
#include <endian.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * A free-list record with fewer pages than this per wanted page is scanned; a longer record is searched by bisection.
 */
#define SHORT_RECORD_PAGES 32u
#define ROW_SPACE_BYTES (2 + XYLEM_PAGES__NODE_HEADER_BYTES + 1) /* an offset, a header, a free byte */

/* --- Bytes of a page --------------------------------------------------------------------------------------------- */

static inline unsigned u16_at(const unsigned char *bytes)
{
    return (unsigned)xylem_pages__page_number_at(bytes, 2);
}

static inline uint32_t u32_at(const unsigned char *bytes)
{
    return (uint32_t)xylem_pages__page_number_at(bytes, 4);
}

static inline uint64_t u64_at(const unsigned char *bytes)
{
    return xylem_pages__page_number_at(bytes, 8);
}

static inline uint64_t u64_be_at(const unsigned char *bytes)
{
    uint64_t number;
    memcpy(&number, bytes, sizeof number);
    return be64toh(number);
}

/* --- Snapshots --------------------------------------------------------------------------------------------------- */

/*
 * Commits write the two meta pages by turns, and the number of the transaction last:
 *
 *     commit             n         n + 1     n + 2
 *     meta page n % 2    written             written again
 *     the other page               written
 *
 * Transaction n + 2 begins after n + 1 wrote the other page. So the fields belong to n if the other page is still older
 * than n after the fields were read.
 */
enum xylem_pages__taken xylem_pages__snapshot_take(struct xylem_pages__snapshot *snapshot, uint64_t txn_id)
{
    const unsigned char *page = snapshot->map + (txn_id & 1) * snapshot->page_bytes;
    const unsigned char *other = snapshot->map + (~txn_id & 1) * snapshot->page_bytes;
    if (u64_at(page + XYLEM_PAGES__META_TXN_OFFSET) != txn_id) {
        return XYLEM_PAGES__GONE;
    }
    snapshot->txn_id = txn_id;
    snapshot->committed = page + XYLEM_PAGES__META_TXN_OFFSET;
    snapshot->free_list = xylem_pages__tree_at(page + XYLEM_PAGES__META_FREE_OFFSET);
    snapshot->main_table = xylem_pages__tree_at(page + XYLEM_PAGES__META_MAIN_OFFSET);
    snapshot->last_page = u64_at(page + XYLEM_PAGES__META_LAST_PAGE_OFFSET);
    snapshot->page_count = snapshot->page_count <= snapshot->last_page ? snapshot->page_count : snapshot->last_page + 1;
    atomic_thread_fence(memory_order_acquire);
    return u64_at(other + XYLEM_PAGES__META_TXN_OFFSET) > txn_id ? XYLEM_PAGES__UNSURE : XYLEM_PAGES__TAKEN;
}

/* Looks at the length of the file again: the file may have grown, or `page_count` may be older than the file. */
static bool in_file(struct xylem_pages__snapshot *snapshot, uint64_t page)
{
    struct stat file;
    if (page > snapshot->last_page || snapshot->fd < 0 || fstat(snapshot->fd, &file) != 0) {
        return false;
    }
    uint64_t count = (uint64_t)file.st_size / snapshot->page_bytes;
    snapshot->page_count = count <= snapshot->last_page ? count : snapshot->last_page + 1;
    return page < snapshot->page_count;
}

static inline bool page_is_there(struct xylem_pages__snapshot *snapshot, uint64_t page)
{
    return page >= XYLEM_PAGES__META_PAGES && (page < snapshot->page_count || in_file(snapshot, page));
}

/* --- Nodes ------------------------------------------------------------------------------------------------------- */

struct node {
    const unsigned char *at;
    const unsigned char *key;
    size_t key_bytes;
};

static int fault(struct xylem_pages__tree_cursor *cursor, const unsigned char *page, const char *text)
{
    cursor->positioned = false;
    cursor->fault = text;
    cursor->fault_page = (uint64_t)(page - cursor->snapshot->map) / cursor->snapshot->page_bytes;
    return XYLEM_E_CORRUPT;
}

/* The length of a node in bytes. A node begins at an even offset: a byte may stay free behind a node. */
static inline size_t node_bytes(const unsigned char *node, bool leaf)
{
    size_t bytes = XYLEM_PAGES__NODE_HEADER_BYTES + u16_at(node + 6);
    if (leaf) {
        bytes += u16_at(node + 4) & XYLEM_PAGES__NODE_BIG ? 8 : (size_t)u32_at(node);
    }
    return bytes;
}

/*
 * Finds the node at an index. False if the node lies outside the node area. In a branch the key at index 0 may be
 * empty.
 */
static inline bool node_at(struct node *node, const unsigned char *page, size_t page_bytes, unsigned index, bool leaf)
{
    size_t offset = u16_at(page + XYLEM_PAGES__PAGE_HEADER_BYTES + 2 * (size_t)index);
    if (offset < u16_at(page + 14) || offset % 2 != 0 || offset > page_bytes - XYLEM_PAGES__NODE_HEADER_BYTES) {
        return false;
    }
    node->at = page + offset;
    node->key = node->at + XYLEM_PAGES__NODE_HEADER_BYTES;
    node->key_bytes = u16_at(node->at + 6);
    return node_bytes(node->at, leaf) <= page_bytes - offset && node->key_bytes <= XYLEM_FORMAT__KEY_BYTES_MAX;
}

/* Smaller than 0, 0 or greater, in LMDB's order of keys. Most keys are numbers of 8 bytes, big-endian. */
static inline int compare(const struct xylem_pages__tree_cursor *cursor, struct xylem_view key, const struct node *node)
{
    const unsigned char *a = (const unsigned char *)key.data;
    const unsigned char *b = node->key;
    assert(!cursor->numbers || (key.bytes == 8 && node->key_bytes == 8));
    if (cursor->numbers) {
        uint64_t left = u64_at(a);
        uint64_t right = u64_at(b);
        return left < right ? -1 : left > right;
    }
    size_t both = key.bytes < node->key_bytes ? key.bytes : node->key_bytes;
    for (; both >= 8; both -= 8, a += 8, b += 8) {
        uint64_t left = u64_be_at(a);
        uint64_t right = u64_be_at(b);
        if (left != right) {
            return left < right ? -1 : 1;
        }
    }
    for (; both > 0; both--, a++, b++) {
        if (*a != *b) {
            return *a < *b ? -1 : 1;
        }
    }
    return key.bytes < node->key_bytes ? -1 : key.bytes > node->key_bytes;
}

/* Finds a node that must have a key: every node but the first of a branch. */
static inline bool keyed_node_at(struct node *node, const struct xylem_pages__tree_cursor *cursor,
                                 const unsigned char *page, unsigned index, bool leaf)
{
    return node_at(node, page, cursor->snapshot->page_bytes, index, leaf) && node->key_bytes > 0 &&
           (!cursor->numbers || node->key_bytes == 8);
}

/* --- The way down ------------------------------------------------------------------------------------------------ */

static const char NO_NODE[] = "has a node that lies outside the page";

/* Proves the header of a page, and makes the page the cursor's page of a level. */
static int arrive(struct xylem_pages__tree_cursor *cursor, uint64_t number, unsigned level)
{
    struct xylem_pages__snapshot *snapshot = cursor->snapshot;
    bool leaf = level + 1 == cursor->tree.depth;
    assert(level < cursor->tree.depth && cursor->tree.depth <= XYLEM_PAGES__TREE_DEPTH_MAX);
    if (!page_is_there(snapshot, number)) {
        cursor->positioned = false;
        cursor->fault = "is in use, but lies beyond the end of the file";
        cursor->fault_page = number;
        return XYLEM_E_CORRUPT;
    }
    const unsigned char *page = snapshot->map + number * snapshot->page_bytes;
    if (u64_at(page) != number) {
        return fault(cursor, page, "has the number of another page");
    }
    if (u16_at(page + 10) != (leaf ? XYLEM_PAGES__PAGE_LEAF : XYLEM_PAGES__PAGE_BRANCH)) {
        return fault(cursor, page,
                     leaf ? "is not a leaf: expected a leaf here" : "is not a branch: expected a branch here");
    }
    size_t lower = u16_at(page + 12);
    size_t upper = u16_at(page + 14);
    /* LMDB may leave a branch of the free list with one child. */
    size_t least = leaf || cursor->numbers ? 1 : 2;
    if (lower % 2 != 0 || lower > upper || upper > snapshot->page_bytes ||
        lower < XYLEM_PAGES__PAGE_HEADER_BYTES + 2 * least) {
        return fault(cursor, page, "has impossible bounds of its nodes");
    }
    cursor->proven = false;
    cursor->levels[level].page = page;
    cursor->levels[level].count = (unsigned)((lower - XYLEM_PAGES__PAGE_HEADER_BYTES) / 2);
    cursor->levels[level].index = 0;
    return XYLEM_OK;
}

/* Moves from the node of a branch at `index` to the child of the node. */
static int descend(struct xylem_pages__tree_cursor *cursor, unsigned level, unsigned index)
{
    struct node node;
    struct xylem_pages__level *at = &cursor->levels[level];
    if (!node_at(&node, at->page, cursor->snapshot->page_bytes, index, false)) {
        return fault(cursor, at->page, NO_NODE);
    }
    at->index = index;
    return arrive(cursor, xylem_pages__node_child(node.at), level + 1);
}

/* Begins at the root: 1, or 0 if the tree is empty. */
static int begin(struct xylem_pages__tree_cursor *cursor)
{
    const struct xylem_pages__tree *tree = &cursor->tree;
    if (tree->root == XYLEM_PAGES__NO_PAGE && tree->depth == 0) {
        return 0;
    }
    if (tree->depth == 0 || tree->depth > XYLEM_PAGES__TREE_DEPTH_MAX) {
        return fault(cursor, cursor->snapshot->map, "describes a tree with an impossible depth");
    }
    int code = arrive(cursor, tree->root, 0);
    return code < 0 ? code : 1;
}

/* Goes down from a level to the first or the last row below. */
static int to_edge(struct xylem_pages__tree_cursor *cursor, unsigned level, bool last)
{
    for (; level + 1 < cursor->tree.depth; level++) {
        int code = descend(cursor, level, last ? cursor->levels[level].count - 1 : 0);
        if (code < 0) {
            return code;
        }
    }
    cursor->levels[level].index = last ? cursor->levels[level].count - 1 : 0;
    cursor->positioned = true;
    return 1;
}

/*
 * Finds the first node whose key is not below the wanted key; `exact`: the keys are equal. The search touches the same
 * nodes in the same order as LMDB's own search, so the proof covers the nodes that LMDB will touch. The cases:
 *
 *     leaf      searched from node 0 on: any node may have the key
 *     branch    searched from node 1 on: node 0 has no key, and leads to everything below the key of node 1
 *     none      the index behind the last node
 */
static int search(unsigned *found, bool *exact, struct xylem_pages__tree_cursor *cursor,
                  const struct xylem_pages__level *at, bool leaf, struct xylem_view key)
{
    unsigned low = leaf ? 0 : 1;
    unsigned high = at->count;
    *exact = false;
    while (low < high) {
        struct node node;
        unsigned middle = (low + high - 1) / 2;
        if (!keyed_node_at(&node, cursor, at->page, middle, leaf)) {
            return fault(cursor, at->page, NO_NODE);
        }
        int order = compare(cursor, key, &node);
        if (order == 0) {
            *exact = true;
            low = middle;
            break;
        }
        low = order > 0 ? middle + 1 : low;
        high = order > 0 ? high : middle;
    }
    *found = low;
    return XYLEM_OK;
}

/* 1 if the key lies between the first and the last key of the current leaf: no need to begin at the root. Else 0. */
static int lies_here(struct xylem_pages__tree_cursor *cursor, struct xylem_view key)
{
    struct node node;
    const struct xylem_pages__level *leaf = &cursor->levels[cursor->tree.depth - 1];
    if (!keyed_node_at(&node, cursor, leaf->page, leaf->count - 1, true)) {
        return fault(cursor, leaf->page, NO_NODE);
    }
    if (compare(cursor, key, &node) > 0) {
        return 0;
    }
    if (!keyed_node_at(&node, cursor, leaf->page, 0, true)) {
        return fault(cursor, leaf->page, NO_NODE);
    }
    return compare(cursor, key, &node) >= 0;
}

/* Moves to the leaf in which the key belongs: 1, or 0 if the tree is empty. */
static int to_leaf(struct xylem_pages__tree_cursor *cursor, struct xylem_view key)
{
    int found = cursor->positioned && cursor->tree.depth > 1 ? lies_here(cursor, key) : 0;
    if (found != 0) {
        return found;
    }
    cursor->positioned = false;
    found = begin(cursor);
    for (unsigned level = 0; found > 0 && level + 1 < cursor->tree.depth; level++) {
        unsigned index;
        bool exact;
        int code;
        if ((code = search(&index, &exact, cursor, &cursor->levels[level], false, key)) < 0 ||
            (code = descend(cursor, level, exact ? index : index - 1)) < 0) {
            return code;
        }
    }
    return found;
}

void xylem_pages__tree_cursor_init(struct xylem_pages__tree_cursor *cursor, struct xylem_pages__snapshot *snapshot,
                                   const struct xylem_pages__tree *tree)
{
    cursor->snapshot = snapshot;
    cursor->tree = *tree;
    cursor->numbers = false;
    cursor->positioned = false;
    cursor->proven = false;
    cursor->fault = NULL;
}

/* Moves to the place of the key in the leaf: 1, or 0 if the tree is empty. The index may be behind the last node. */
static int to_place(bool *exact, struct xylem_pages__tree_cursor *cursor, struct xylem_view key)
{
    *exact = false;
    int found = to_leaf(cursor, key);
    if (found <= 0) {
        return found;
    }
    struct xylem_pages__level *leaf = &cursor->levels[cursor->tree.depth - 1];
    int code = search(&leaf->index, exact, cursor, leaf, true, key);
    cursor->positioned = code == XYLEM_OK;
    return code < 0 ? code : 1;
}

int xylem_pages__tree_seek(bool *exact, struct xylem_pages__tree_cursor *cursor, struct xylem_view key)
{
    int found = to_place(exact, cursor, key);
    struct xylem_pages__level *leaf = &cursor->levels[cursor->tree.depth > 0 ? cursor->tree.depth - 1 : 0];
    if (found <= 0 || leaf->index < leaf->count) {
        return found;
    }
    leaf->index--; /* the place is behind the last node: the row after this node begins another leaf */
    return xylem_pages__tree_next(cursor);
}

int xylem_pages__tree_first(struct xylem_pages__tree_cursor *cursor)
{
    if (cursor->positioned && cursor->tree.depth == 1) {
        cursor->levels[0].index = 0;
        return 1;
    }
    cursor->positioned = false;
    int found = begin(cursor);
    return found <= 0 ? found : to_edge(cursor, 0, false);
}

int xylem_pages__tree_at_index(struct xylem_pages__tree_cursor *cursor, unsigned index)
{
    int found = cursor->positioned ? 1 : xylem_pages__tree_first(cursor);
    struct xylem_pages__level *leaf = &cursor->levels[0];
    if (found <= 0 || cursor->tree.depth != 1 || index >= leaf->count) {
        return found < 0 ? found : 0;
    }
    leaf->index = index;
    return 1;
}

int xylem_pages__tree_last(struct xylem_pages__tree_cursor *cursor)
{
    if (xylem_pages__tree_is_at_end(cursor)) {
        struct xylem_pages__level *leaf = &cursor->levels[cursor->tree.depth - 1];
        leaf->index = leaf->count - 1;
        return 1;
    }
    cursor->positioned = false;
    int found = begin(cursor);
    return found <= 0 ? found : to_edge(cursor, 0, true);
}

/* True if the node of a level is the last node, or the first node, of its page. */
static inline bool at_edge(const struct xylem_pages__level *at, bool last)
{
    return last ? at->index + 1 == at->count : at->index == 0;
}

/* Steps from a row to the row beside: up to the first level that has a node on this side, then down to the leaf. */
static int step(struct xylem_pages__tree_cursor *cursor, bool forward)
{
    unsigned level = cursor->tree.depth - 1;
    while (at_edge(&cursor->levels[level], forward)) {
        if (level == 0) {
            return 0;
        }
        level--;
    }
    unsigned index = forward ? cursor->levels[level].index + 1 : cursor->levels[level].index - 1;
    if (level + 1 == cursor->tree.depth) {
        cursor->levels[level].index = index;
        return 1;
    }
    int code = descend(cursor, level, index);
    return code < 0 ? code : to_edge(cursor, level + 1, !forward);
}

int xylem_pages__tree_next(struct xylem_pages__tree_cursor *cursor)
{
    return cursor->positioned ? step(cursor, true) : xylem_pages__tree_first(cursor);
}

int xylem_pages__tree_previous(struct xylem_pages__tree_cursor *cursor)
{
    return cursor->positioned ? step(cursor, false) : xylem_pages__tree_last(cursor);
}

/* --- Rows -------------------------------------------------------------------------------------------------------- */

/*
 * Finds a value on overflow pages. LMDB frees as many pages as the header of the first page says, so the header must
 * name exactly the number of pages that the value needs. LMDB keeps more pages only where one transaction writes a
 * shorter value over a longer value. rows.c avoids this.
 */
static const unsigned char *value_on_pages(struct xylem_pages__tree_cursor *cursor, uint64_t first, uint64_t bytes)
{
    struct xylem_pages__snapshot *snapshot = cursor->snapshot;
    uint64_t needed = xylem_pages__overflow_pages(bytes, snapshot->page_bytes);
    const unsigned char *page = NULL;
    if (page_is_there(snapshot, first) && needed <= UINT64_MAX - first && page_is_there(snapshot, first + needed - 1)) {
        page = snapshot->map + first * snapshot->page_bytes;
        uint64_t count = u32_at(page + XYLEM_PAGES__PAGE_COUNT_OFFSET);
        bool right = u64_at(page) == first && u16_at(page + 10) == XYLEM_PAGES__PAGE_OVERFLOW && count == needed;
        page = right ? page : NULL;
    }
    return page ? page + XYLEM_PAGES__PAGE_HEADER_BYTES : NULL;
}

int xylem_pages__tree_row(struct xylem_view *key, struct xylem_view *value, struct xylem_pages__tree_cursor *cursor)
{
    struct node node;
    assert(cursor->positioned);
    const struct xylem_pages__level *leaf = &cursor->levels[cursor->tree.depth - 1];
    if (!keyed_node_at(&node, cursor, leaf->page, leaf->index, true)) {
        return fault(cursor, leaf->page, NO_NODE);
    }
    unsigned flags = u16_at(node.at + 4);
    *key = (struct xylem_view){(const char *)node.key, node.key_bytes};
    *value = (struct xylem_view){(const char *)node.key + node.key_bytes, u32_at(node.at)};
    if (flags == 0) {
        return 1;
    }
    if (flags == XYLEM_PAGES__NODE_SUB && value->bytes == XYLEM_PAGES__TREE_BYTES) {
        return 1; /* a row of the list of tables describes a table */
    }
    if (flags != XYLEM_PAGES__NODE_BIG) {
        return fault(cursor, leaf->page, "has a node with flags that no table uses");
    }
    value->data = (const char *)value_on_pages(cursor, u64_at((const unsigned char *)value->data), value->bytes);
    return value->data ? 1 : fault(cursor, leaf->page, "has a value whose overflow pages are damaged");
}

/* --- Whole pages ------------------------------------------------------------------------------------------------- */

static const char NO_ORDER[] = "has keys that do not ascend";

/* The node before, and the first eight bytes of its key as a number, with zero bytes behind a shorter key. */
struct order {
    const unsigned char *before; /* NULL: the node is the first node with a key */
    uint64_t head; /* UINT64_MAX: not known, because the keys are numbers, or the key lies at the end of the page */
};
static const struct order no_order = {NULL, UINT64_MAX};

__attribute__((noinline)) static bool is_greater(const struct xylem_pages__tree_cursor *cursor,
                                                 const unsigned char *before, const unsigned char *at)
{
    struct node node = {at, at + XYLEM_PAGES__NODE_HEADER_BYTES, u16_at(at + 6)};
    if (!before) {
        return true;
    }
    struct xylem_view key = {(const char *)before + XYLEM_PAGES__NODE_HEADER_BYTES, u16_at(before + 6)};
    return compare(cursor, key, &node) < 0;
}

/* True if the key of a node is greater than the key before. Most keys differ in their first bytes. */
__attribute__((always_inline)) static inline bool follows(struct order *order,
                                                          const struct xylem_pages__tree_cursor *cursor,
                                                          const unsigned char *page_end, const struct node *node)
{
    bool known = page_end - node->key >= 8 && !cursor->numbers;
    uint64_t head = known ? u64_be_at(node->key) : 0;
    if (node->key_bytes < 8) {
        head &= ~(UINT64_MAX >> 8 * node->key_bytes);
    }
    bool right = head > order->head || is_greater(cursor, order->before, node->at);
    *order = (struct order){node->at, known ? head : UINT64_MAX};
    return right;
}

/*
 * NULL if the nodes tile the page from its upper bound to its end:
 *
 *     upper |--- node ---|--- node ---|--- node ---| end of the page
 *
 * Two sums over all nodes show this without a sort of the nodes by offset:
 *
 *     sum of (end - begin)      = end of the page  - upper
 *     sum of (end^2 - begin^2)  = end of the page^2 - upper^2
 *
 * A node of another length changes the first sum. A node of the same length at another place changes the second sum.
 *
 * For writes the keys ascend too. A search compares with some keys only. LMDB changes a copy of the page, and compares
 * with other keys of the copy: a garbled key would lead LMDB to a child that nobody proved, or to a wrong place in the
 * leaf. A reader searches each page once, and checks the rows on both sides of the place.
 */
__attribute__((always_inline)) static inline const char *tiling_fault(const struct xylem_pages__tree_cursor *cursor,
                                                                      const struct xylem_pages__level *at, bool leaf,
                                                                      bool ordered)
{
    const unsigned char *page = at->page;
    const unsigned char *offset = page + XYLEM_PAGES__PAGE_HEADER_BYTES;
    const unsigned char *const offsets_end = offset + 2 * (size_t)at->count;
    const size_t page_bytes = cursor->snapshot->page_bytes;
    const unsigned char *const page_end = page + page_bytes;
    const size_t upper = u16_at(page + 14);
    uint64_t lengths = page_bytes - upper;
    uint64_t squares = (uint64_t)page_bytes * page_bytes - (uint64_t)upper * upper;
    struct order order = no_order;
    for (; offset < offsets_end; offset += 2) {
        size_t begin = u16_at(offset);
        if (begin < upper || begin > page_bytes - XYLEM_PAGES__NODE_HEADER_BYTES) {
            return NO_NODE;
        }
        size_t key_bytes = u16_at(page + begin + 6);
        uint64_t end = (begin + node_bytes(page + begin, leaf) + 1) & ~UINT64_C(1);
        bool lacks_key = !leaf && offset == page + XYLEM_PAGES__PAGE_HEADER_BYTES;
        if (end > page_bytes || (key_bytes - 1 >= XYLEM_FORMAT__KEY_BYTES_MAX && !(lacks_key && key_bytes == 0))) {
            return NO_NODE;
        }
        struct node node = {page + begin, page + begin + XYLEM_PAGES__NODE_HEADER_BYTES, key_bytes};
        if (ordered && !follows(&order, cursor, page_end, &node)) {
            return NO_ORDER;
        }
        lengths -= end - begin;
        squares -= (end - begin) * (end + begin);
    }
    struct node first; /* of a branch: must have no key */
    if (!node_at(&first, page, page_bytes, 0, leaf) || (first.key_bytes > 0) != leaf) {
        return NO_NODE;
    }
    return lengths == 0 && squares == 0 ? NULL : "has nodes that overlap, or a gap between two nodes";
}

/* Each kind of page has a loop of its own: the loop is most of what a proof costs. */
__attribute__((noinline)) static const char *page_fault(const struct xylem_pages__tree_cursor *cursor,
                                                        const struct xylem_pages__level *at, bool leaf)
{
    if (cursor->snapshot->for_writes) {
        return leaf ? tiling_fault(cursor, at, true, true) : tiling_fault(cursor, at, false, true);
    }
    return leaf ? tiling_fault(cursor, at, true, false) : tiling_fault(cursor, at, false, false);
}

/* True if the keys of a branch ascend from the node `from`, 1 or more, up to the node before `end`. */
static bool ascends(const struct xylem_pages__tree_cursor *cursor, const struct xylem_pages__level *at, unsigned from,
                    unsigned end)
{
    struct node node;
    struct order order = no_order;
    const unsigned char *page_end = at->page + cursor->snapshot->page_bytes;
    for (unsigned index = from; index < end && index < at->count; index++) {
        if (!keyed_node_at(&node, cursor, at->page, index, false) || !follows(&order, cursor, page_end, &node)) {
            return false;
        }
    }
    return true;
}

int xylem_pages__tree_prove_order(struct xylem_pages__tree_cursor *cursor)
{
    for (unsigned level = 0; level + 1 < cursor->tree.depth; level++) {
        if (!ascends(cursor, &cursor->levels[level], 1, UINT_MAX)) {
            return fault(cursor, cursor->levels[level].page, NO_ORDER);
        }
    }
    return 1;
}

/* True if the first and the last key of a page lie between `low` and `high` (NULL: unbounded). */
static bool lies_between(const struct xylem_pages__tree_cursor *cursor, const struct xylem_pages__level *at, bool leaf,
                         struct xylem_view low, struct xylem_view high)
{
    struct node first;
    struct node last;
    return keyed_node_at(&first, cursor, at->page, leaf || at->count == 1 ? 0 : 1, leaf) &&
           keyed_node_at(&last, cursor, at->page, at->count - 1, leaf) &&
           (!low.data || compare(cursor, low, &first) <= 0) && (!high.data || compare(cursor, high, &last) > 0);
}

static struct xylem_view key_at(const struct xylem_pages__tree_cursor *cursor, const struct xylem_pages__level *at,
                                unsigned index)
{
    struct node node;
    bool there = keyed_node_at(&node, cursor, at->page, index, false);
    return there ? (struct xylem_view){(const char *)node.key, node.key_bytes} : (struct xylem_view){NULL, 0};
}

bool xylem_pages__tree_may_split(const struct xylem_pages__tree_cursor *cursor, size_t row_bytes)
{
    const struct xylem_pages__level *leaf = &cursor->levels[cursor->tree.depth > 0 ? cursor->tree.depth - 1 : 0];
    size_t row_bytes_max = cursor->snapshot->page_bytes / 2; /* a longer value lies on pages of its own */
    size_t needed = ROW_SPACE_BYTES + (row_bytes < row_bytes_max ? row_bytes : row_bytes_max);
    return cursor->positioned && (size_t)(u16_at(leaf->page + 14) - u16_at(leaf->page + 12)) < needed;
}

bool xylem_pages__tree_is_at_end(const struct xylem_pages__tree_cursor *cursor)
{
    bool at_end = cursor->positioned;
    for (unsigned level = 0; at_end && level + 1 < cursor->tree.depth; level++) {
        at_end = at_edge(&cursor->levels[level], true);
    }
    return at_end;
}

/* True if the path to a key goes through the same node of a branch as the cursor's path. */
static bool passes(const struct xylem_pages__tree_cursor *cursor, const struct xylem_pages__level *at,
                   struct xylem_view key)
{
    struct node node;
    return (at->index == 0 ||
            (keyed_node_at(&node, cursor, at->page, at->index, false) && compare(cursor, key, &node) >= 0)) &&
           (at->index + 1 == at->count ||
            (keyed_node_at(&node, cursor, at->page, at->index + 1, false) && compare(cursor, key, &node) < 0));
}

int xylem_pages__tree_prove_path(struct xylem_pages__tree_cursor *cursor, struct xylem_pages__page_set *whole,
                                 struct xylem_view derived)
{
    struct xylem_view low = {NULL, 0};
    struct xylem_view high = {NULL, 0};
    unsigned depth = cursor->positioned ? cursor->tree.depth : 0;
    bool is_derived = derived.bytes > 0;
    if (cursor->positioned && cursor->proven) {
        return XYLEM_OK;
    }
    for (unsigned level = 0; level < depth; level++) {
        const struct xylem_pages__level *at = &cursor->levels[level];
        bool leaf = level + 1 == depth;
        uint64_t number = u64_at(at->page);
        if (!xylem_pages__page_set_has(whole, number)) {
            bool skip = is_derived && !leaf;
            const char *text = skip ? NULL : page_fault(cursor, at, leaf);
            if (text) {
                return fault(cursor, at->page, text);
            }
            int code = xylem_pages__page_set_add(whole, skip ? number | XYLEM_PAGES__PAGE_DERIVED : number);
            if (code < 0) {
                return code;
            }
        }
        if (!lies_between(cursor, at, leaf, low, high)) {
            return fault(cursor, at->page, "has keys that belong on another page");
        }
        /* One garbled key leads a search astray only as a key beside the node, and out of order with the next key. */
        if (!leaf && derived.bytes > 0 && !ascends(cursor, at, at->index > 2 ? at->index - 1 : 1, at->index + 3)) {
            return fault(cursor, at->page, NO_ORDER);
        }
        if (!leaf) {
            low = at->index > 0 ? key_at(cursor, at, at->index) : low;
            high = at->index + 1 < at->count ? key_at(cursor, at, at->index + 1) : high;
            is_derived = is_derived && passes(cursor, at, derived);
        }
    }
    cursor->proven = true;
    cursor->range = (struct xylem_pages__range){low, high};
    return XYLEM_OK;
}

int xylem_pages__tree_find_place(struct xylem_pages__tree_cursor *cursor, struct xylem_view key)
{
    bool exact;
    struct xylem_view ignored;
    int found = to_place(&exact, cursor, key);
    found = found > 0 && exact ? xylem_pages__tree_row(&ignored, &ignored, cursor) : found;
    return found < 0 ? found : XYLEM_OK;
}

/* Copies the fault of a copied cursor back to the cursor. */
static int hand_on(struct xylem_pages__tree_cursor *cursor, const struct xylem_pages__tree_cursor *copy, int code)
{
    if (code < 0) {
        cursor->positioned = false;
        cursor->fault = copy->fault;
        cursor->fault_page = copy->fault_page;
    }
    return code;
}

int xylem_pages__tree_find_place_again(struct xylem_pages__tree_cursor *cursor, struct xylem_view key)
{
    struct xylem_pages__tree_cursor at;
    xylem_pages__tree_cursor_init(&at, cursor->snapshot, &cursor->tree);
    int code = xylem_pages__tree_find_place(&at, key);
    unsigned depth = code == XYLEM_OK && at.positioned && cursor->positioned ? at.tree.depth : 0;
    for (unsigned level = 0; code == XYLEM_OK && level < depth; level++) {
        if (at.levels[level].page != cursor->levels[level].page) {
            code = fault(&at, at.levels[0].page, NO_ORDER);
        }
    }
    return hand_on(cursor, &at, code);
}

/* LMDB joins a leaf with a neighbour when the leaf is less than a quarter full. A low neighbour may be joined next. */
static bool is_low(const struct xylem_pages__tree_cursor *cursor)
{
    const struct xylem_pages__level *leaf = &cursor->levels[cursor->tree.depth - 1];
    size_t room = cursor->snapshot->page_bytes - XYLEM_PAGES__PAGE_HEADER_BYTES;
    size_t used = room - (u16_at(leaf->page + 14) - u16_at(leaf->page + 12));
    return leaf->count < 2 || 4 * used < room;
}

/* Proves the paths to the leaves on one side, up to the first leaf that LMDB does not join. */
static int prove_leaves_beside(struct xylem_pages__tree_cursor *cursor, bool right, struct xylem_pages__page_set *whole,
                               struct xylem_view derived)
{
    struct xylem_pages__tree_cursor at = *cursor;
    struct xylem_pages__level *leaf = &at.levels[at.tree.depth - 1];
    int code;
    int found;
    do {
        leaf->index = right ? leaf->count - 1 : 0;
        found = step(&at, right);
        code = found <= 0 ? found : xylem_pages__tree_prove_path(&at, whole, derived);
    } while (found > 0 && code == XYLEM_OK && is_low(&at));
    return hand_on(cursor, &at, code);
}

/* Proves the sibling of the path's branch at a level, which LMDB joins with a branch that lost its children. */
static int prove_branch_beside(struct xylem_pages__tree_cursor *cursor, unsigned level, bool right,
                               struct xylem_pages__page_set *whole, struct xylem_view derived)
{
    struct xylem_pages__tree_cursor at = *cursor;
    const struct xylem_pages__level *above = &at.levels[level - 1];
    if (at_edge(above, right)) {
        return XYLEM_OK;
    }
    int code = descend(&at, level - 1, right ? above->index + 1 : above->index - 1);
    if (code == XYLEM_OK && (code = to_edge(&at, level, !right)) > 0) {
        code = xylem_pages__tree_prove_path(&at, whole, derived);
    }
    return hand_on(cursor, &at, code);
}

int xylem_pages__tree_prove_change(struct xylem_pages__tree_cursor *cursor, bool removes,
                                   struct xylem_pages__page_set *whole, struct xylem_view derived)
{
    int code = xylem_pages__tree_prove_path(cursor, whole, derived);
    if (code < 0 || !removes || !cursor->positioned) {
        return code;
    }
    for (int right = 0; code == XYLEM_OK && right < 2; right++) {
        code = prove_leaves_beside(cursor, right, whole, derived);
        for (unsigned level = 1; code == XYLEM_OK && level + 1 < cursor->tree.depth; level++) {
            code = prove_branch_beside(cursor, level, right, whole, derived);
        }
    }
    return code;
}

/* --- Sets of pages ----------------------------------------------------------------------------------------------- */

static size_t slot_of(const struct xylem_pages__page_set *set, uint64_t page)
{
    uint64_t number = page & ~XYLEM_PAGES__PAGE_DERIVED;
    size_t slot = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (set->capacity - 1);
    while (set->slots[slot] != 0 && ((set->pages[set->slots[slot] - 1] ^ page) & ~XYLEM_PAGES__PAGE_DERIVED) != 0) {
        slot = (slot + 1) & (set->capacity - 1);
    }
    return slot;
}

bool xylem_pages__page_set_has(const struct xylem_pages__page_set *set, uint64_t page)
{
    return set->capacity > 0 && set->slots[slot_of(set, page)] != 0;
}

/* Doubles the room. The first room is part of the set: most transactions need no more. */
static bool grow(struct xylem_pages__page_set *set)
{
    if (set->capacity == 0) {
        set->pages = set->first_pages;
        set->slots = set->first_slots;
        set->capacity = XYLEM_PAGES__PAGE_SET_FIRST;
        return true;
    }
    size_t capacity = 2 * set->capacity;
    uint64_t *pages = malloc(capacity / 2 * sizeof *pages);
    uint32_t *slots = calloc(capacity, sizeof *slots);
    if (!pages || !slots) {
        free(pages);
        free(slots);
        return false;
    }
    memcpy(pages, set->pages, set->count * sizeof *pages);
    if (set->pages != set->first_pages) {
        free(set->pages);
        free(set->slots);
    }
    set->pages = pages;
    set->slots = slots;
    set->capacity = capacity;
    for (size_t i = 0; i < set->count; i++) {
        set->slots[slot_of(set, set->pages[i])] = (uint32_t)i + 1;
    }
    return true;
}

int xylem_pages__page_set_add(struct xylem_pages__page_set *set, uint64_t page)
{
    if (2 * set->count == set->capacity && !grow(set)) {
        return XYLEM_E_MEMORY;
    }
    size_t slot = slot_of(set, page);
    if (set->slots[slot] == 0) {
        set->pages[set->count++] = page;
        set->derived_count += page >> 63;
        set->slots[slot] = (uint32_t)set->count;
    }
    return XYLEM_OK;
}

void xylem_pages__page_set_release(struct xylem_pages__page_set *set)
{
    if (set->pages != set->first_pages) {
        free(set->pages);
        free(set->slots);
    }
    *set = (struct xylem_pages__page_set){.count = 0};
}

/* --- The free list ----------------------------------------------------------------------------------------------- */

/*
 * Reads a record of the free list. False if the value is too short for the count.
 *
 *     value  | count u64 | page u64 | page u64 | ... |   the pages descend
 */
static bool free_record(const unsigned char **numbers, uint64_t *count, struct xylem_view value)
{
    const unsigned char *bytes = (const unsigned char *)value.data;
    *count = value.bytes < 8 ? UINT64_MAX : u64_at(bytes);
    *numbers = bytes + 8;
    return value.bytes >= 8 && *count <= value.bytes / 8 - 1;
}

/*
 * The pages of a set from the index `first` on, to be found in the free list. `bits`: bit (page modulo 64) of each
 * page.
 */
struct wanted {
    const struct xylem_pages__page_set *set;
    size_t first;
    uint64_t bits;
};

/* Compares every number of a short record. The bits rule most numbers out without a look into the set. */
static bool short_record_names(uint64_t *page, const struct wanted *wanted, const unsigned char *numbers,
                               uint64_t count)
{
    const struct xylem_pages__page_set *set = wanted->set;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t number = u64_at(numbers + 8 * i);
        uint32_t slot = wanted->bits >> (number & 63) & 1 ? set->slots[slot_of(set, number)] : 0;
        if (slot > wanted->first && set->pages[slot - 1] == number) {
            *page = number;
            return true;
        }
    }
    return false;
}

/* Searches a long record, whose numbers descend, for each wanted page. */
static bool long_record_names(uint64_t *page, const struct wanted *wanted, const unsigned char *numbers, uint64_t count)
{
    for (size_t i = wanted->first; i < wanted->set->count; i++) {
        uint64_t low = 0;
        uint64_t high = count;
        while (low < high) {
            uint64_t middle = low + (high - low) / 2;
            uint64_t number = u64_at(numbers + 8 * middle);
            if (number == wanted->set->pages[i]) {
                *page = number;
                return true;
            }
            low = number > wanted->set->pages[i] ? middle + 1 : low;
            high = number > wanted->set->pages[i] ? high : middle;
        }
    }
    return false;
}

static const char NO_RECORD[] = "has an invalid record of free pages";

int xylem_pages__tree_find_free(uint64_t *page, struct xylem_pages__tree_cursor *cursor,
                                struct xylem_pages__snapshot *snapshot, const struct xylem_pages__page_set *set,
                                size_t first)
{
    struct wanted wanted = {.set = set, .first = first};
    assert(first <= set->count);
    for (size_t i = first; i < set->count; i++) {
        wanted.bits |= set->pages[i] & XYLEM_PAGES__PAGE_DERIVED ? 0 : UINT64_C(1) << (set->pages[i] & 63);
    }
    xylem_pages__tree_cursor_init(cursor, snapshot, &snapshot->free_list);
    cursor->numbers = true;
    uint64_t before = 0; /* keys must ascend: so the loop ends on any bytes */
    int found = xylem_pages__tree_first(cursor);
    while (found > 0) {
        struct xylem_view key;
        struct xylem_view value;
        const unsigned char *numbers;
        uint64_t count;
        found = xylem_pages__tree_row(&key, &value, cursor);
        if (found < 0) {
            break;
        }
        uint64_t txn_id = u64_at((const unsigned char *)key.data);
        bool ascends = txn_id > before;
        before = txn_id;
        if (!ascends || !free_record(&numbers, &count, value)) {
            return fault(cursor, cursor->levels[cursor->tree.depth - 1].page, NO_RECORD);
        }
        if (count / SHORT_RECORD_PAGES < set->count - first ? short_record_names(page, &wanted, numbers, count)
                                                            : long_record_names(page, &wanted, numbers, count)) {
            return 1;
        }
        found = xylem_pages__tree_next(cursor);
    }
    return found;
}

int xylem_pages__tree_prove_free(struct xylem_pages__tree_cursor *cursor, struct xylem_pages__snapshot *snapshot)
{
    xylem_pages__tree_cursor_init(cursor, snapshot, &snapshot->free_list);
    cursor->numbers = true;
    int found = xylem_pages__tree_last(cursor);
    found = found > 0 ? xylem_pages__tree_prove_order(cursor) : found;
    found = found > 0 ? xylem_pages__tree_first(cursor) : found;
    return found > 0 ? xylem_pages__tree_prove_order(cursor) : found;
}

/* The length of the longest run of neighbours in a record. */
static uint64_t longest_run(const unsigned char *numbers, uint64_t count)
{
    uint64_t longest = 0;
    uint64_t begin = 0;
    for (uint64_t i = 1; i <= count; i++) {
        if (i == count || u64_at(numbers + 8 * i) + 1 != u64_at(numbers + 8 * i - 8)) {
            longest = i - begin > longest ? i - begin : longest;
            begin = i;
        }
    }
    return longest;
}

int xylem_pages__tree_prove_free_record(uint64_t *count, uint64_t *longest, struct xylem_pages__tree_cursor *cursor)
{
    struct xylem_view key;
    struct xylem_view value;
    const unsigned char *numbers;
    const struct xylem_pages__level *leaf = &cursor->levels[cursor->tree.depth - 1];
    const unsigned char *page = leaf->page;
    int found = xylem_pages__tree_row(&key, &value, cursor);
    if (found < 0) {
        return found;
    }
    uint64_t before = cursor->snapshot->last_page + 1;
    bool right =
        u64_at((const unsigned char *)key.data) <= cursor->snapshot->txn_id && free_record(&numbers, count, value);
    for (uint64_t i = 0; right && i < *count; i++) {
        uint64_t number = u64_at(numbers + 8 * i);
        right = number < before && number >= XYLEM_PAGES__META_PAGES;
        before = number;
    }
    if (!right) {
        return fault(cursor, page, NO_RECORD);
    }
    if (longest) {
        *longest = longest_run(numbers, *count);
    }
    found = xylem_pages__tree_next(cursor);
    return found > 0 && leaf->page != page ? xylem_pages__tree_prove_order(cursor) : found;
}
