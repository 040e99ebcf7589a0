/*
 * Any bytes are refused, or read as a value that reads back the same when it is written; and the scanner takes nothing
 * that yajl does not, and makes the same of it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json.h"
#include "base/utf8.h"

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

static void check_scanner(struct xylem_view text)
{
    struct xylem_base__tree scanned = {0};
    struct xylem_base__tree members = {0};
    struct xylem_base__tree tokenized = {0};
    int whole = xylem_base__json_scan(&scanned, text, XYLEM_NESTING_MAX);
    check(xylem_base__json_scan(&members, text, 1) == whole);
    check((xylem_base__json_tokenize(&tokenized, text, NULL) == XYLEM_OK) == (whole == 1));
    check(scanned.node_count == tokenized.node_count);
    for (size_t i = 0; i < scanned.node_count; i++) {
        check(scanned.nodes[i].type == tokenized.nodes[i].type);
        check(xylem_base__view_equal(scanned.nodes[i].raw, tokenized.nodes[i].raw));
        check_same(&scanned.nodes[i], &tokenized.nodes[i]);
    }
    xylem_base__tree_release(&scanned);
    xylem_base__tree_release(&members);
    xylem_base__tree_release(&tokenized);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xylem_base__tree tree = {0};
    struct xylem_base__tree back = {0};
    struct xylem_buffer written = {0};
    struct xylem_error err = {0};
    struct xylem_view text = {(const char *)data, size};
    check_scanner(text);
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
