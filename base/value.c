#include "base/value.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/utf8.h"

/*
 * Growing moves the nodes: a pointer to a node is valid until the next node is added. So open containers are indices.
 */
int xylem_base__tree_grow(struct xylem_base__tree *tree)
{
    if (tree->node_count >= XYLEM_VALUES_MAX) {
        return XYLEM_E_LIMIT;
    }
    size_t capacity = tree->node_capacity == 0 ? 16 : tree->node_capacity * 2;
    capacity = capacity < XYLEM_VALUES_MAX ? capacity : XYLEM_VALUES_MAX; /* so a full tree is at the limit */
    struct xylem_value *nodes = realloc(tree->nodes, capacity * sizeof *nodes);
    if (!nodes) {
        return XYLEM_E_MEMORY;
    }
    tree->nodes = nodes;
    tree->node_capacity = capacity;
    return XYLEM_OK;
}

int xylem_base__tree_refusal(const struct xylem_base__tree *tree)
{
    return tree->node_count >= XYLEM_VALUES_MAX ? XYLEM_E_LIMIT : XYLEM_E_MEMORY;
}

int xylem_base__tree_open(struct xylem_base__tree *tree, enum xylem_value_type type, struct xylem_view raw)
{
    if (tree->open_count >= XYLEM_NESTING_MAX) {
        return XYLEM_E_LIMIT;
    }
    if (!xylem_base__tree_add(tree, type, raw)) {
        return xylem_base__tree_refusal(tree);
    }
    tree->open[tree->open_count++] = (uint32_t)(tree->node_count - 1);
    return XYLEM_OK;
}

void xylem_base__tree_close(struct xylem_base__tree *tree, const char *raw_end)
{
    assert(tree->open_count > 0);
    uint32_t index = tree->open[--tree->open_count];
    struct xylem_value *node = &tree->nodes[index];
    node->node_count = (uint32_t)(tree->node_count - index);
    node->raw.bytes = raw_end ? (size_t)(raw_end - node->raw.data) : 0;
}

void xylem_base__tree_init(struct xylem_base__tree *tree)
{
    memset(tree, 0, offsetof(struct xylem_base__tree, open));
}

void xylem_base__tree_clear(struct xylem_base__tree *tree)
{
    tree->node_count = 0;
    tree->string_bytes = 0;
    tree->open_count = 0;
}

void xylem_base__tree_release(struct xylem_base__tree *tree)
{
    free(tree->nodes);
    free(tree->strings);
    xylem_buffer_release(&tree->text);
    xylem_base__tree_init(tree);
}

void xylem_base__tree_wipe(struct xylem_base__tree *tree)
{
    xylem_base__wipe(tree->nodes, tree->node_capacity * sizeof *tree->nodes);
    xylem_base__wipe(tree->strings, tree->string_capacity);
    xylem_base__buffer_wipe(&tree->text);
    xylem_base__tree_init(tree);
}

int xylem_base__view_order(struct xylem_view a, struct xylem_view b)
{
    size_t both = a.bytes < b.bytes ? a.bytes : b.bytes;
    int order = both > 0 ? memcmp(a.data, b.data, both) : 0;
    return order != 0 ? order : a.bytes < b.bytes ? -1 : a.bytes > b.bytes;
}

bool xylem_base__view_is(struct xylem_view view, const char *text)
{
    return xylem_base__view_equal(view, xylem_view_of(text));
}

bool xylem_base__view_is_name(struct xylem_view view, const char *text)
{
    size_t at = 0;
    while (at < view.bytes && text[at] != '\0' && xylem_base__lower(view.data[at]) == xylem_base__lower(text[at])) {
        at++;
    }
    return at == view.bytes && text[at] == '\0';
}

size_t xylem_base__skip(struct xylem_view text, size_t at, const char *characters)
{
    while (at < text.bytes && text.data[at] != '\0' && strchr(characters, text.data[at])) {
        at++;
    }
    return at;
}

enum xylem_value_type xylem_value_type(const struct xylem_value *value)
{
    return value ? value->type : XYLEM_VALUE_NIL;
}

bool xylem_value_bool(const struct xylem_value *value)
{
    return xylem_value_type(value) == XYLEM_VALUE_BOOL && value->as.boolean;
}

bool xylem_value_integer(int64_t *number, const struct xylem_value *value)
{
    enum xylem_value_type type = xylem_value_type(value);
    if (type == XYLEM_VALUE_INT) {
        *number = value->as.integer;
        return true;
    }
    /* Both bounds are powers of two, so exact; NaN fails the comparison. */
    if (type != XYLEM_VALUE_DOUBLE || !(value->as.number >= -0x1p63 && value->as.number < 0x1p63)) {
        return false;
    }
    int64_t whole = (int64_t)value->as.number;
    if ((double)whole < value->as.number || (double)whole > value->as.number) {
        return false;
    }
    *number = whole;
    return true;
}

bool xylem_value_number(double *number, const struct xylem_value *value)
{
    switch (xylem_value_type(value)) {
    case XYLEM_VALUE_INT:
        *number = (double)value->as.integer;
        return true;
    case XYLEM_VALUE_UINT:
        *number = (double)value->as.unsigned_integer;
        return true;
    case XYLEM_VALUE_DOUBLE:
        *number = value->as.number;
        return true;
    default:
        return false;
    }
}

struct xylem_view xylem_value_string(const struct xylem_value *value)
{
    struct xylem_view empty = {NULL, 0};
    return xylem_value_type(value) == XYLEM_VALUE_STRING ? value->as.string : empty;
}

size_t xylem_value_count(const struct xylem_value *value)
{
    switch (xylem_value_type(value)) {
    case XYLEM_VALUE_ARRAY:
        return value->child_count;
    case XYLEM_VALUE_MAP:
        return value->child_count / 2;
    default:
        return 0;
    }
}

const struct xylem_value *xylem_base__value_get(const struct xylem_value *map, struct xylem_view key)
{
    const struct xylem_value *found = NULL;
    if (xylem_value_type(map) != XYLEM_VALUE_MAP) {
        return NULL;
    }
    const struct xylem_value *name = map + 1;
    for (size_t left = map->child_count / 2; left > 0; left--) {
        const struct xylem_value *value = name + name->node_count;
        if (name->type == XYLEM_VALUE_STRING && xylem_base__view_equal(name->as.string, key)) {
            found = value;
        }
        name = value + value->node_count;
    }
    return found;
}

const struct xylem_value *xylem_base__value_member(const struct xylem_value *map, const char *const *keys, bool *twice)
{
    const struct xylem_value *found = NULL;
    bool is_map = xylem_value_type(map) == XYLEM_VALUE_MAP;
    for (const struct xylem_value *key = is_map ? xylem_value_first(map) : NULL; key;) {
        const struct xylem_value *value = xylem_value_next(map, key);
        for (const char *const *wanted = keys; *wanted; wanted++) {
            if (xylem_base__view_is(xylem_value_string(key), *wanted)) {
                *twice = *twice || found;
                found = value;
            }
        }
        key = xylem_value_next(map, value);
    }
    return found;
}

const struct xylem_value *xylem_value_get(const struct xylem_value *map, const char *key)
{
    return xylem_base__value_get(map, xylem_view_of(key));
}

const struct xylem_value *xylem_value_first(const struct xylem_value *parent)
{
    return xylem_value_count(parent) > 0 ? parent + 1 : NULL;
}

const struct xylem_value *xylem_value_next(const struct xylem_value *parent, const struct xylem_value *child)
{
    if (!parent || !child) {
        return NULL;
    }
    const struct xylem_value *next = child + child->node_count;
    return next < parent + parent->node_count ? next : NULL;
}
