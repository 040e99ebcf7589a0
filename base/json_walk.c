/*
 * Reads well-formed JSON in one pass. The walk never says what is wrong with a text: at the first byte that the grammar
 * does not allow the walk gives up, and yajl reads the text from the beginning.
 *
 * A function takes the place where a token begins, and returns the place behind the token; NULL: the walk gives up.
 */
#include "base/json_walk.h"

#include "base/error.h"
#include "base/json.h"
#include "base/json_string.h"

/* The bits of `maps`. */
#define DEPTH_MAX 64u

struct walk {
    struct xylem_base__tree *tree;
    const char *end;
    size_t node_levels;
    size_t depth;  /* open containers */
    uint64_t maps; /* a bit for each open container, the lowest for the innermost: 1 for a map, 0 for an array */
    bool no_memory;
};

/* The byte at a place; at the end NUL, which begins no token. */
static char peek(const struct walk *walk, const char *at)
{
    return at < walk->end ? *at : '\0';
}

static const char *skip_space(const struct walk *walk, const char *at)
{
    while (at < walk->end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) {
        at++;
    }
    return at;
}

/* At least one digit. */
static const char *expect_digits(const struct walk *walk, const char *at)
{
    const char *behind = at;
    while (behind < walk->end && *behind >= '0' && *behind <= '9') {
        behind++;
    }
    return behind > at ? behind : NULL;
}

/* True if the values of the innermost open container have nodes. */
static bool has_node(const struct walk *walk)
{
    return walk->depth <= walk->node_levels;
}

/* Gives up after the tree refused a node: there are too many values, or there is no memory. */
static const char *give_up_refused(struct walk *walk)
{
    walk->no_memory = xylem_base__tree_refusal(walk->tree) == XYLEM_E_MEMORY;
    return NULL;
}

static const char *walk_string(struct walk *walk, const char *at)
{
    bool spelt = true;
    const char *from = at + 1;
    const char *quote = from + xylem_base__json_plain_bytes(from, (size_t)(walk->end - from));
    if (peek(walk, quote) != '"') {
        quote = xylem_base__json_string_end(&spelt, quote, walk->end);
    }
    if (!quote || !has_node(walk)) {
        return quote ? quote + 1 : NULL;
    }
    struct xylem_view raw = {at, (size_t)(quote + 1 - at)};
    struct xylem_value *node = xylem_base__tree_add(walk->tree, XYLEM_VALUE_STRING, raw);
    if (!node) {
        return give_up_refused(walk);
    }
    struct xylem_view *string = &node->as.string;
    *string = (struct xylem_view){from, (size_t)(quote - from)};
    if (!spelt && xylem_base__json_string_decode(string, walk->tree, *string, walk->end) < 0) {
        walk->no_memory = true;
        return NULL;
    }
    return quote + 1;
}

static const char *number_end(const struct walk *walk, const char *at)
{
    at += peek(walk, at) == '-';
    at = peek(walk, at) == '0' ? at + 1 : expect_digits(walk, at);
    if (at && peek(walk, at) == '.') {
        at = expect_digits(walk, at + 1);
    }
    if (at && (peek(walk, at) == 'e' || peek(walk, at) == 'E')) {
        at++;
        at = expect_digits(walk, at + (peek(walk, at) == '+' || peek(walk, at) == '-'));
    }
    return at;
}

static const char *walk_number(struct walk *walk, const char *at)
{
    const char *end = number_end(walk, at);
    if (!end || !has_node(walk)) {
        return end;
    }
    struct xylem_view raw = {at, (size_t)(end - at)};
    struct xylem_value *node = xylem_base__tree_add(walk->tree, XYLEM_VALUE_DOUBLE, raw);
    if (!node) {
        return give_up_refused(walk);
    }
    xylem_base__json_set_number(node);
    return end;
}

static const char *walk_word(struct walk *walk, const char *at, struct xylem_view word, enum xylem_value_type type)
{
    if ((size_t)(walk->end - at) < word.bytes || memcmp(at, word.data, word.bytes) != 0) {
        return NULL;
    }
    if (has_node(walk)) {
        struct xylem_value *node = xylem_base__tree_add(walk->tree, type, (struct xylem_view){at, word.bytes});
        if (!node) {
            return give_up_refused(walk);
        }
        node->as.boolean = *at == 't';
    }
    return at + word.bytes;
}

static const char *open_container(struct walk *walk, const char *at)
{
    bool map = *at == '{';
    enum xylem_value_type type = map ? XYLEM_VALUE_MAP : XYLEM_VALUE_ARRAY;
    if (walk->depth == DEPTH_MAX) {
        return NULL;
    }
    if (has_node(walk) && xylem_base__tree_open(walk->tree, type, (struct xylem_view){at, 1}) < 0) {
        return give_up_refused(walk);
    }
    walk->depth++;
    walk->maps = walk->maps << 1 | map;
    return at + 1;
}

static const char *close_container(struct walk *walk, const char *at)
{
    walk->depth--;
    walk->maps >>= 1;
    if (has_node(walk)) {
        xylem_base__tree_close(walk->tree, at + 1);
    }
    return at + 1;
}

/* A whole scalar, or the bracket that opens a container. */
static const char *walk_value(struct walk *walk, const char *at)
{
    switch (peek(walk, at)) {
    case '"':
        return walk_string(walk, at);
    case '{':
    case '[':
        return open_container(walk, at);
    case 't':
        return walk_word(walk, at, XYLEM_BASE__LITERAL("true"), XYLEM_VALUE_BOOL);
    case 'f':
        return walk_word(walk, at, XYLEM_BASE__LITERAL("false"), XYLEM_VALUE_BOOL);
    case 'n':
        return walk_word(walk, at, XYLEM_BASE__LITERAL("null"), XYLEM_VALUE_NIL);
    default:
        return walk_number(walk, at);
    }
}

/*
 * Goes on behind a value, or behind the bracket of a container that was just `opened`: closes the containers that end
 * here, and returns the place of the next key or value. Behind the root, returns the place behind the white space.
 */
static const char *walk_between(struct walk *walk, const char *at, bool opened)
{
    while ((at = skip_space(walk, at)), walk->depth > 0) {
        char byte = peek(walk, at);
        if (byte == (walk->maps & 1 ? '}' : ']')) {
            at = close_container(walk, at);
            opened = false;
        } else if (opened) {
            return at;
        } else {
            return byte == ',' ? skip_space(walk, at + 1) : NULL;
        }
    }
    return at;
}

static const char *walk_key(struct walk *walk, const char *at)
{
    at = peek(walk, at) == '"' ? walk_string(walk, at) : NULL;
    at = at ? skip_space(walk, at) : NULL;
    return at && peek(walk, at) == ':' ? skip_space(walk, at + 1) : NULL;
}

static const char *walk_text(struct walk *walk, const char *at)
{
    at = skip_space(walk, at);
    do {
        size_t depth = walk->depth;
        at = walk->maps & 1 ? walk_key(walk, at) : at;
        at = at ? walk_value(walk, at) : NULL;
        at = at ? walk_between(walk, at, walk->depth > depth) : NULL;
    } while (at && walk->depth > 0);
    return at;
}

int xylem_base__json_walk(struct xylem_base__tree *tree, struct xylem_view text, size_t node_levels,
                          struct xylem_error *err)
{
    xylem_base__tree_clear(tree);
    if (text.bytes == 0) {
        return 0;
    }
    struct walk walk = {.tree = tree, .end = text.data + text.bytes, .node_levels = node_levels};
    if (walk_text(&walk, text.data) == walk.end) {
        return 1;
    }
    xylem_base__tree_clear(tree);
    return walk.no_memory ? xylem_base__fail_memory(err) : 0;
}
