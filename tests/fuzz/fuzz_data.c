/*
 * Any bytes are refused, or read as data that is the same after it was written and read again. The decoder of common
 * data takes nothing that msgpack-c refuses or reads otherwise.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "store/store.h"
#include "tests/lib/decoders.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_same(const struct xylem_value *a, const struct xylem_value *b)
{
    check(a->type == b->type && a->node_count == b->node_count && a->child_count == b->child_count);
    check(xylem_base__view_equal(xylem_value_string(a), xylem_value_string(b)));
    check(xylem_base__wtf8_valid(xylem_value_string(a).data, xylem_value_string(a).bytes));
    check(xylem_value_bool(a) == xylem_value_bool(b));
    if (a->type == XYLEM_VALUE_INT || a->type == XYLEM_VALUE_UINT || a->type == XYLEM_VALUE_DOUBLE) {
        check(memcmp(&a->as.unsigned_integer, &b->as.unsigned_integer, sizeof a->as.unsigned_integer) == 0);
    }
}

static void write_and_read(struct xylem_buffer *written, struct xylem_base__tree *back,
                           const struct xylem_base__tree *tree)
{
    struct xylem_error err = {0};
    xylem_base__buffer_clear(written);
    check(xylem_format__data_encode(written, tree->nodes, &err) == XYLEM_OK);
    check(xylem_format__data_decode(back, xylem_base__buffer_view(written), &err) == XYLEM_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xylem_base__tree tree = {0};
    struct xylem_base__tree once = {0};
    struct xylem_base__tree twice = {0};
    struct xylem_buffer written = {0};
    struct xylem_buffer again = {0};
    struct xylem_error err = {0};
    struct xylem_view bytes = {(const char *)data, size};
    struct decoders decoders = {.any = {0}};
    check(decoders_compare(&decoders, bytes) != DECODERS_DIFFER);
    decoders_release(&decoders);
    int code = xylem_format__data_decode(&tree, bytes, &err);
    if (code < 0) {
        check((code == XYLEM_E_MALFORMED || code == XYLEM_E_LIMIT) && err.code == code && err.text[0] != '\0');
        check(tree.node_count == 0);
    } else {
        /* The first writing may drop keys that stand there twice; from then on nothing changes. */
        write_and_read(&written, &once, &tree);
        write_and_read(&again, &twice, &once);
        check(written.bytes == again.bytes && memcmp(written.data, again.data, again.bytes) == 0);
        check(once.node_count <= tree.node_count && once.node_count == twice.node_count);
        for (size_t i = 0; i < once.node_count; i++) {
            check_same(&once.nodes[i], &twice.nodes[i]);
            if (once.node_count == tree.node_count) {
                check_same(&tree.nodes[i], &once.nodes[i]);
            }
        }
    }
    xylem_buffer_release(&written);
    xylem_buffer_release(&again);
    xylem_base__tree_release(&tree);
    xylem_base__tree_release(&once);
    xylem_base__tree_release(&twice);
    return 0;
}
