/*
 * Reads well-formed JSON fast: one pass, a word at a time inside of strings. It says yes or that it does not know; what
 * it does not take as well-formed is left to yajl, so that there is one judge, and one wording, of what is not.
 *
 * The functions take the place in the text and give the one behind what they took, or NULL: so it stays in a register.
 */
#include <string.h>

#include "base/json.h"
#include "base/json_string.h"

struct scan {
    struct xylem_base__tree *tree;
    const char *end;
    size_t node_levels;
    size_t value_count;
    size_t open_count;
    int code;                     /* MEMORY where that is why it stopped */
    bool maps[XYLEM_NESTING_MAX]; /* of each open container: is it a map? */
};

/* Adds a node; NULL if there is no room for one. */
static struct xylem_value *add(struct scan *scan, enum xylem_value_type type, const char *from, const char *to)
{
    struct xylem_view raw = {from, (size_t)(to - from)};
    struct xylem_value *node = xylem_base__tree_add(scan->tree, type, raw);
    if (!node) {
        scan->code = xylem_base__tree_refusal(scan->tree);
    }
    return node;
}

static bool has_nodes(const struct scan *scan)
{
    return scan->open_count <= scan->node_levels;
}

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && (unsigned char)*at <= ' ' && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) {
        at++;
    }
    return at;
}

static bool is_hex(char digit)
{
    return (digit >= '0' && digit <= '9') || ((digit | 0x20) >= 'a' && (digit | 0x20) <= 'f');
}

static const char *skip_escape(const char *at, const char *end)
{
    if (end - at < 2) {
        return NULL;
    }
    if (at[1] == 'u') {
        return end - at >= 6 && is_hex(at[2]) && is_hex(at[3]) && is_hex(at[4]) && is_hex(at[5]) ? at + 6 : NULL;
    }
    return at[1] != '\0' && strchr("\"\\/bfnrt", at[1]) ? at + 2 : NULL;
}

/* A string from its first quote to behind its last; `spelt`: it says what it is, byte for byte. */
static inline const char *skip_string(bool *spelt, const char *at, const char *end)
{
    *spelt = true;
    for (at++;;) {
        at += xylem_base__json_plain_bytes(at, (size_t)(end - at));
        if (at == end) {
            return NULL;
        }
        if (*at == '"') {
            return at + 1;
        }
        if (*at == '\\') {
            *spelt = false;
            at = skip_escape(at, end);
            if (!at) {
                return NULL;
            }
        } else if ((unsigned char)*at >= 0x80) {
            size_t used = xylem_base__json_character_bytes(at, (size_t)(end - at));
            *spelt = *spelt && used > 0;
            at += used > 0 ? used : 1;
        } else {
            return NULL;
        }
    }
}

static const char *scan_string(struct scan *scan, const char *from)
{
    bool spelt;
    const char *to = skip_string(&spelt, from, scan->end);
    if (!to || !has_nodes(scan)) {
        return to;
    }
    struct xylem_value *node = add(scan, XYLEM_VALUE_STRING, from, to);
    if (!node) {
        return NULL;
    }
    node->as.string = (struct xylem_view){from + 1, (size_t)(to - from) - 2};
    if (!spelt) {
        scan->code = xylem_base__json_string_decode(&node->as.string, scan->tree, node->as.string, scan->end);
    }
    return scan->code == XYLEM_OK ? to : NULL;
}

/* Digits, of which there must be one. */
static const char *skip_digits(const char *at, const char *end)
{
    const char *from = at;
    while (at < end && *at >= '0' && *at <= '9') {
        at++;
    }
    return at > from ? at : NULL;
}

static const char *skip_number(const char *at, const char *end)
{
    at += at < end && *at == '-';
    at = at < end && *at == '0' ? at + 1 : skip_digits(at, end);
    if (at && at < end && *at == '.') {
        at = skip_digits(at + 1, end);
    }
    if (at && at < end && (*at == 'e' || *at == 'E')) {
        at++;
        at += at < end && (*at == '+' || *at == '-');
        at = skip_digits(at, end);
    }
    return at;
}

static const char *scan_number(struct scan *scan, const char *from)
{
    const char *to = skip_number(from, scan->end);
    if (!to || !has_nodes(scan)) {
        return to;
    }
    struct xylem_value *node = add(scan, XYLEM_VALUE_DOUBLE, from, to);
    if (node) {
        xylem_base__json_set_number(node);
    }
    return node ? to : NULL;
}

static const char *scan_word(struct scan *scan, const char *from, enum xylem_value_type type, const char *word)
{
    size_t bytes = strlen(word);
    if ((size_t)(scan->end - from) < bytes || memcmp(from, word, bytes) != 0) {
        return NULL;
    }
    if (has_nodes(scan)) {
        struct xylem_value *node = add(scan, type, from, from + bytes);
        if (!node) {
            return NULL;
        }
        node->as.boolean = word[0] == 't';
    }
    return from + bytes;
}

static bool open_level(struct scan *scan, const char *at, bool map)
{
    if (scan->open_count == XYLEM_NESTING_MAX) {
        return false;
    }
    if (has_nodes(scan)) {
        if (!add(scan, map ? XYLEM_VALUE_MAP : XYLEM_VALUE_ARRAY, at, at + 1)) {
            return false;
        }
        scan->tree->open[scan->tree->open_count++] = (uint32_t)(scan->tree->node_count - 1);
    }
    scan->maps[scan->open_count++] = map;
    return true;
}

static const char *close_level(struct scan *scan, const char *at)
{
    scan->open_count--;
    if (has_nodes(scan)) {
        xylem_base__tree_close(scan->tree, at + 1);
    }
    return at + 1;
}

static inline const char *scan_scalar(struct scan *scan, const char *at)
{
    switch (*at) {
    case '"':
        return scan_string(scan, at);
    case 't':
        return scan_word(scan, at, XYLEM_VALUE_BOOL, "true");
    case 'f':
        return scan_word(scan, at, XYLEM_VALUE_BOOL, "false");
    case 'n':
        return scan_word(scan, at, XYLEM_VALUE_NIL, "null");
    default:
        return scan_number(scan, at);
    }
}

/* A key and its colon, up to the value. */
static inline const char *scan_key(struct scan *scan, const char *at)
{
    if (at == scan->end || *at != '"') {
        return NULL;
    }
    scan->value_count++;
    at = scan_string(scan, at);
    at = at ? skip_space(at, scan->end) : NULL;
    return at && at < scan->end && *at == ':' ? skip_space(at + 1, scan->end) : NULL;
}

/*
 * What may begin at `at` where a value belongs: containers down to the first scalar in them, or to one that is empty,
 * which is closed too.
 */
static inline const char *scan_down(struct scan *scan, const char *at)
{
    while (at && at < scan->end && ++scan->value_count <= XYLEM_VALUES_MAX) {
        bool map = *at == '{';
        if (!map && *at != '[') {
            return scan_scalar(scan, at);
        }
        if (!open_level(scan, at, map)) {
            return NULL;
        }
        at = skip_space(at + 1, scan->end);
        if (at < scan->end && *at == (map ? '}' : ']')) {
            return close_level(scan, at);
        }
        at = map ? scan_key(scan, at) : at;
    }
    return NULL;
}

/* Behind a value: the ends of containers, up to where the next value begins, or, once none is open, the last end. */
static inline const char *scan_up(struct scan *scan, const char *at)
{
    while (at && scan->open_count > 0) {
        bool map = scan->maps[scan->open_count - 1];
        at = skip_space(at, scan->end);
        if (at == scan->end) {
            return NULL;
        }
        if (*at == ',') {
            at = skip_space(at + 1, scan->end);
            return map ? scan_key(scan, at) : at;
        }
        at = *at == (map ? '}' : ']') ? close_level(scan, at) : NULL;
    }
    return at;
}

int xylem_base__json_scan(struct xylem_base__tree *tree, struct xylem_view text, size_t node_levels)
{
    struct scan scan;
    const char *at = text.data ? text.data : "";
    scan.tree = tree;
    scan.end = at + text.bytes;
    scan.node_levels = node_levels;
    scan.value_count = 0;
    scan.open_count = 0;
    scan.code = XYLEM_OK;
    xylem_base__tree_clear(tree);
    at = skip_space(at, scan.end);
    do {
        at = scan_down(&scan, at);
        at = scan_up(&scan, at);
    } while (at && scan.open_count > 0);
    bool whole = at && skip_space(at, scan.end) == scan.end;
    if (!whole) {
        xylem_base__tree_clear(tree);
    }
    return scan.code == XYLEM_E_MEMORY ? scan.code : whole;
}
