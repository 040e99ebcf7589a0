/* Reads a text of JSON by the walk and by yajl, and compares. Without cmocka, as a fuzz target compares, too. */
#ifndef XYLEM_TESTS_LIB_JSON_WAYS_H
#define XYLEM_TESTS_LIB_JSON_WAYS_H

#include <string.h>

#include "base/json.h"
#include "base/json_walk.h"

/* The walk takes so many open containers. */
#define JSON_WAYS_DEPTH 64u

/* The decoded bytes are the same, and lie in the text for both, or in the memory of the trees at the same place. */
static inline bool json_ways_same_string(const struct xylem_base__tree *a, const struct xylem_base__tree *b, size_t at)
{
    struct xylem_view left = a->nodes[at].as.string;
    struct xylem_view right = b->nodes[at].as.string;
    return xylem_base__view_equal(left, right) &&
           (left.data == right.data ||
            (left.data >= a->strings && left.data + left.bytes <= a->strings + a->string_bytes &&
             left.data - a->strings == right.data - b->strings));
}

static inline bool json_ways_same_node(const struct xylem_base__tree *a, const struct xylem_base__tree *b, size_t at)
{
    const struct xylem_value *left = &a->nodes[at];
    const struct xylem_value *right = &b->nodes[at];
    if (left->type != right->type || left->node_count != right->node_count || left->child_count != right->child_count ||
        left->raw.data != right->raw.data || left->raw.bytes != right->raw.bytes) {
        return false;
    }
    switch (left->type) {
    case XYLEM_VALUE_BOOL:
        return left->as.boolean == right->as.boolean;
    case XYLEM_VALUE_INT:
    case XYLEM_VALUE_UINT:
        return left->as.unsigned_integer == right->as.unsigned_integer;
    case XYLEM_VALUE_DOUBLE: /* by the bits: -0 is not 0 */
        return memcmp(&left->as.number, &right->as.number, sizeof left->as.number) == 0;
    case XYLEM_VALUE_STRING:
        return json_ways_same_string(a, b, at);
    default:
        return true;
    }
}

static inline bool json_ways_same_tree(const struct xylem_base__tree *a, const struct xylem_base__tree *b)
{
    size_t at = 0;
    while (at < a->node_count && at < b->node_count && json_ways_same_node(a, b, at)) {
        at++;
    }
    return at == a->node_count && at == b->node_count && a->open_count == 0 && b->open_count == 0 &&
           a->string_bytes == b->string_bytes;
}

/* The most containers that are open at once. */
static inline size_t json_ways_depth(const struct xylem_base__tree *tree)
{
    size_t ends[XYLEM_NESTING_MAX];
    size_t depth = 0;
    size_t deepest = 0;
    for (size_t at = 0; at < tree->node_count; at++) {
        while (depth > 0 && ends[depth - 1] == at) {
            depth--;
        }
        if (tree->nodes[at].type == XYLEM_VALUE_MAP || tree->nodes[at].type == XYLEM_VALUE_ARRAY) {
            ends[depth++] = at + tree->nodes[at].node_count;
        }
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

struct json_ways {
    struct xylem_base__tree walked;
    struct xylem_base__tree judged;
    int taken; /* by the walk */
    int code;  /* of yajl */
};

/* Reads in both ways. True if the walk took no other text than yajl, and the same values. */
static inline bool json_ways_agree(struct json_ways *ways, struct xylem_view text, size_t node_levels)
{
    ways->taken = xylem_base__json_walk(&ways->walked, text, node_levels, NULL);
    ways->code = xylem_base__json_judge(&ways->judged, text, node_levels, NULL);
    return ways->taken == 1 ? ways->code == XYLEM_OK && json_ways_same_tree(&ways->walked, &ways->judged)
                            : ways->taken == 0 && ways->walked.node_count == 0;
}

/* What differs between the walk and yajl; NULL: nothing. The trees have all nodes then. */
static inline const char *json_ways_compare(struct json_ways *ways, struct xylem_view text)
{
    if (!json_ways_agree(ways, text, 1)) {
        return "the members differ";
    }
    int members_taken = ways->taken;
    if (!json_ways_agree(ways, text, XYLEM_NESTING_MAX)) {
        return "the values differ";
    }
    if (members_taken != ways->taken) {
        return "the walk takes the members or the whole alone";
    }
    bool due = ways->code == XYLEM_OK && json_ways_depth(&ways->judged) <= JSON_WAYS_DEPTH;
    return due == (ways->taken == 1) ? NULL : "the walk takes too much or too little";
}

static inline void json_ways_release(struct json_ways *ways)
{
    xylem_base__tree_release(&ways->walked);
    xylem_base__tree_release(&ways->judged);
}

#endif
