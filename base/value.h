/* Holds a decoded value as an array of nodes. The public accessors are in xylem/base.h. */
#ifndef XYLEM_BASE_VALUE_H
#define XYLEM_BASE_VALUE_H

#include <string.h>

#include "xylem/base.h"

/*
 * A node. The nodes of a value are in preorder: a container, then each child with all nodes below. The children of a
 * map are key, value, key, value. The next sibling of a node is `node_count` nodes further:
 *
 *     {"a": [1, 2], "b": 3}     map   "a"   array   1   2   "b"   3
 *     node_count                 7     1      3     1   1    1    1
 */
struct xylem_value {
    enum xylem_value_type type;
    uint32_t node_count;  /* this node and all nodes below */
    uint32_t child_count; /* of a container; in a map keys count, too */
    union {
        bool boolean;
        int64_t integer;
        uint64_t unsigned_integer;
        double number;
        struct xylem_view string; /* decoded: WTF-8 */
    } as;
    struct xylem_view raw; /* the source of the value: a string with quotes, a whole container; empty for msgpack */
};

/*
 * A value, or a value under construction. nodes[0] is the root. Start with a zeroed struct, or with
 * xylem_base__tree_init(), which does not touch `open`. A cleared tree keeps its memory for the next value.
 */
struct xylem_base__tree {
    struct xylem_value *nodes;
    size_t node_count;
    size_t node_capacity;
    char *strings; /* memory of decoded strings */
    size_t string_bytes;
    size_t string_capacity;
    struct xylem_buffer text; /* memory of a text that was put together, for nodes that borrow from it */
    size_t open_count;
    uint32_t open[XYLEM_NESTING_MAX]; /* the open containers, as indices of `nodes` */
};

/* Makes room for one more node: 0, LIMIT or MEMORY. */
int xylem_base__tree_grow(struct xylem_base__tree *tree);

/*
 * Appends a node to the innermost open container, with `type`, `raw`, and 1 as `node_count`. NULL: refused, and
 * xylem_base__tree_refusal() gives the reason, LIMIT (more than XYLEM_VALUES_MAX values) or MEMORY. tree_open() gives
 * the reason as its result, also LIMIT beyond XYLEM_NESTING_MAX. Inline, because decoding mostly adds nodes.
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
/* Closes the innermost container, and sets its counts. `raw_end` is the place behind the container, or NULL. */
void xylem_base__tree_close(struct xylem_base__tree *tree, const char *raw_end);

void xylem_base__tree_init(struct xylem_base__tree *tree);
void xylem_base__tree_clear(struct xylem_base__tree *tree);
void xylem_base__tree_release(struct xylem_base__tree *tree);
/* Wipes the memory, and releases the tree. */
void xylem_base__tree_wipe(struct xylem_base__tree *tree);

/* A view of a string literal, whose length the compiler knows. */
#define XYLEM_BASE__LITERAL(text) ((struct xylem_view){(text), sizeof(text) - 1})

/* xylem_value_get() for a key that may hold NUL bytes. */
const struct xylem_value *xylem_base__value_get(const struct xylem_value *map, struct xylem_view key);

/*
 * The last member of a map with one of the keys, whose list ends in NULL; NULL: no such member, or no map. Sets `twice`
 * if there are several such members: readers of JSON differ in which member counts.
 */
const struct xylem_value *xylem_base__value_member(const struct xylem_value *map, const char *const *keys, bool *twice);

/* True if two views have the same bytes. Inline, as most views differ in length. */
static inline bool xylem_base__view_equal(struct xylem_view a, struct xylem_view b)
{
    return a.bytes == b.bytes && (a.bytes == 0 || memcmp(a.data, b.data, a.bytes) == 0);
}
static inline bool xylem_base__view_begins(struct xylem_view view, struct xylem_view beginning)
{
    return view.bytes >= beginning.bytes &&
           (beginning.bytes == 0 || memcmp(view.data, beginning.data, beginning.bytes) == 0);
}
/* True if the view has a length, but no bytes: an argument to refuse. */
static inline bool xylem_base__view_lacks_bytes(struct xylem_view view)
{
    return !view.data && view.bytes > 0;
}
/* Smaller than 0, 0 or greater, in the order of bytes. A prefix comes before the longer view. */
int xylem_base__view_order(struct xylem_view a, struct xylem_view b);
bool xylem_base__view_is(struct xylem_view view, const char *text);
/* The same in any case of the letters of ASCII. */
bool xylem_base__view_is_name(struct xylem_view view, const char *text);

#define XYLEM_BASE__DIGITS "0123456789"
#define XYLEM_BASE__HEX_DIGITS XYLEM_BASE__DIGITS "abcdef"

/* The offset of the first byte, from `at` on, that is none of the characters. A NUL is none. */
size_t xylem_base__skip(struct xylem_view text, size_t at, const char *characters);

#endif
