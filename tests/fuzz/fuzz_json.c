/*
 * Any bytes are refused, or read as a value that reads back the same when it is written; and where only members are
 * wanted the same is refused, in the same words, and what is read is the same. The walk and yajl read the same.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json.h"
#include "base/utf8.h"
#include "tests/lib/json_ways.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_node(const struct xylem_value *value, struct xylem_view text)
{
    check(value->raw.data >= text.data && value->raw.bytes > 0);
    check(value->raw.data + value->raw.bytes <= text.data + text.bytes);
    struct xylem_view string = xylem_value_string(value);
    check(xylem_base__wtf8_valid(string.data, string.bytes));
}

/* -0 and a whole double are written as integers; so numbers are compared by value. */
static void check_same(const struct xylem_value *a, const struct xylem_value *b)
{
    double first = 0;
    double second = 0;
    check(a->node_count == b->node_count && a->child_count == b->child_count);
    check(xylem_value_bool(a) == xylem_value_bool(b));
    check(xylem_base__view_equal(xylem_value_string(a), xylem_value_string(b)));
    check(xylem_value_number(&first, a) == xylem_value_number(&second, b));
    check(first >= second && first <= second);
}

static void check_members(struct xylem_view text)
{
    struct xylem_base__tree whole = {0};
    struct xylem_base__tree members = {0};
    struct xylem_error whole_err = {0};
    struct xylem_error members_err = {0};
    int code = xylem_base__json_parse(&whole, text, &whole_err);
    check(xylem_base__json_parse_members(&members, text, &members_err) == code);
    check(strcmp(whole_err.text, members_err.text) == 0);
    const struct xylem_value *child = code == XYLEM_OK ? xylem_value_first(whole.nodes) : NULL;
    for (size_t i = 1; i < members.node_count; i++) {
        check(child && child->type == members.nodes[i].type && members.nodes[i].node_count == 1);
        check(child->raw.data == members.nodes[i].raw.data && child->raw.bytes == members.nodes[i].raw.bytes);
        child = xylem_value_next(whole.nodes, child);
    }
    check(!child);
    xylem_base__tree_release(&whole);
    xylem_base__tree_release(&members);
}

static void check_ways(struct xylem_view text)
{
    struct json_ways ways = {0};
    check(!json_ways_compare(&ways, text));
    json_ways_release(&ways);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xylem_base__tree tree = {0};
    struct xylem_base__tree back = {0};
    struct xylem_buffer written = {0};
    struct xylem_error err = {0};
    struct xylem_view text = {(const char *)data, size};
    check_members(text);
    check_ways(text);
    if (xylem_base__json_parse(&tree, text, &err) < 0) {
        check(err.code < 0 && err.text[0] != '\0');
    } else {
        check(xylem_value_json(&written, tree.nodes) == XYLEM_OK);
        check(xylem_base__json_parse(&back, xylem_base__buffer_view(&written), &err) == XYLEM_OK);
        check(tree.node_count == back.node_count);
        for (size_t i = 0; i < tree.node_count; i++) {
            check_node(&tree.nodes[i], text);
            check_same(&tree.nodes[i], &back.nodes[i]);
        }
    }
    xylem_buffer_release(&written);
    xylem_base__tree_release(&tree);
    xylem_base__tree_release(&back);
    return 0;
}
