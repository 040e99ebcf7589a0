/* A decoded value: one flat run of nodes. The public accessors are in xylem.h. */
#ifndef XYLEM_BASE_VALUE_H
#define XYLEM_BASE_VALUE_H

#include <string.h>

#include "xylem.h"

/*
 * A node. The nodes of a value stand in preorder: a container, then its children (a map's are key, value, key, value),
 * each with its own children behind it. So the node after a child and all below it is its next sibling.
 */
struct xylem_value {
    enum xylem_value_type type;
    uint32_t node_count;  /* this node and all below it */
    uint32_t child_count; /* of a container: its children, a map's keys counted too */
    union {
        bool boolean;
        int64_t integer;
        uint64_t unsigned_integer;
        double number;
        struct xylem_view string; /* decoded: WTF-8 */
    } as;
    struct xylem_view raw; /* the bytes that it was decoded from: of a string with its quotes, of a container whole */
};

/*
 * Nodes under construction, and then the value itself: `nodes[0]`. Start with a zeroed struct, or with
 * xylem_base__tree_init(), which leaves `open` as it is; clear and use it again to keep its memory.
 */
struct xylem_base__tree {
    struct xylem_value *nodes;
    size_t node_count;
    size_t node_capacity;
    char *strings; /* of strings that had escapes */
    size_t string_bytes;
    size_t string_capacity;
    /* While it is built: the open containers, by index into `nodes`. */
    uint32_t open[XYLEM_NESTING_MAX];
    size_t open_count;
};

/* Makes room for one more node: 0, LIMIT or MEMORY. */
int xylem_base__tree_grow(struct xylem_base__tree *tree);

/*
 * Appends a node below the innermost open container and gives it; its `type`, `node_count` 1 and `raw` are set. NULL
 * if it is refused: xylem_base__tree_refusal() says whether for LIMIT (more than XYLEM_VALUES_MAX) or MEMORY. Opening a
 * container gives that code itself, and LIMIT beyond XYLEM_NESTING_MAX too. It stands here because decoding a value is
 * little else.
 */
static inline struct xylem_value *xylem_base__tree_add(struct xylem_base__tree *tree, enum xylem_value_type type,
                                                       struct xylem_view raw)
{
    if (tree->node_count == tree->node_capacity && xylem_base__tree_grow(tree) < 0) {
        return NULL;
    }
    if (tree->open_count > 0) {
        tree->nodes[tree->open[tree->open_count - 1]].child_count++;
    }
    struct xylem_value *node = &tree->nodes[tree->node_count++];
    *node = (struct xylem_value){.type = type, .node_count = 1, .raw = raw};
    return node;
}
int xylem_base__tree_refusal(const struct xylem_base__tree *tree);
int xylem_base__tree_open(struct xylem_base__tree *tree, enum xylem_value_type type, struct xylem_view raw);
/* Closes the innermost container: its counts are final now. `raw_end` is the byte after it. */
void xylem_base__tree_close(struct xylem_base__tree *tree, const char *raw_end);

void xylem_base__tree_init(struct xylem_base__tree *tree);
void xylem_base__tree_clear(struct xylem_base__tree *tree);
void xylem_base__tree_release(struct xylem_base__tree *tree);
/* The same after wiping the memory. */
void xylem_base__tree_wipe(struct xylem_base__tree *tree);

/* A view of a string literal, whose length the compiler knows. */
#define XYLEM_BASE__LITERAL(text) ((struct xylem_view){(text), sizeof(text) - 1})

/* xylem_value_get() for a key that may hold NUL bytes. */
const struct xylem_value *xylem_base__value_get(const struct xylem_value *map, struct xylem_view key);

/* Are two strings the same bytes? Most differ in length, which is why this stands here. */
static inline bool xylem_base__view_equal(struct xylem_view a, struct xylem_view b)
{
    return a.bytes == b.bytes && (a.bytes == 0 || memcmp(a.data, b.data, a.bytes) == 0);
}
/* Smaller than 0, 0 or greater: as bytes, a shorter one before those that it begins. */
int xylem_base__view_order(struct xylem_view a, struct xylem_view b);
bool xylem_base__view_is(struct xylem_view view, const char *text);

#endif
