/* Compares the two decoders of msgpack: what the decoder of common data takes, msgpack-c decodes to the same tree. */
#ifndef XYLEM_TESTS_LIB_DECODERS_H
#define XYLEM_TESTS_LIB_DECODERS_H

#include <string.h>

#include "store/store.h"

/* Both trees; their memory serves one input after another. */
struct decoders {
    struct xylem_base__tree common;
    struct xylem_base__tree any;
};

enum decoders_answer { DECODERS_DIFFER, DECODERS_TAKEN, DECODERS_REFUSED };

static inline bool decoders_same_node(const struct xylem_value *a, const struct xylem_value *b)
{
    if (a->type != b->type || a->node_count != b->node_count || a->child_count != b->child_count || a->raw.data ||
        a->raw.bytes || b->raw.data || b->raw.bytes) {
        return false;
    }
    switch (a->type) {
    case XYLEM_VALUE_BOOL:
        return a->as.boolean == b->as.boolean;
    case XYLEM_VALUE_INT:
    case XYLEM_VALUE_UINT:
    case XYLEM_VALUE_DOUBLE:
        return memcmp(&a->as.unsigned_integer, &b->as.unsigned_integer, sizeof a->as.unsigned_integer) == 0;
    case XYLEM_VALUE_STRING: /* borrowed from the same bytes; an empty string may point anywhere */
        return a->as.string.bytes == b->as.string.bytes &&
               (a->as.string.bytes == 0 || a->as.string.data == b->as.string.data);
    default:
        return true;
    }
}

static inline bool decoders_same_tree(const struct xylem_base__tree *a, const struct xylem_base__tree *b)
{
    bool same = a->node_count == b->node_count && a->open_count == 0 && b->open_count == 0;
    for (size_t i = 0; same && i < a->node_count; i++) {
        same = decoders_same_node(&a->nodes[i], &b->nodes[i]);
    }
    return same;
}

/* Also: a refusal leaves an empty tree, and then the call that uses both decoders has the code and text of msgpack-c. */
static inline enum decoders_answer decoders_compare(struct decoders *decoders, struct xylem_view bytes)
{
    struct xylem_error err = {0};
    struct xylem_error own = {0};
    bool taken = xylem_format__data_decode_common(&decoders->common, bytes) == 1;
    int code = xylem_format__data_decode_any(&decoders->any, bytes, &err);
    if (taken) {
        return code == XYLEM_OK && decoders_same_tree(&decoders->common, &decoders->any) ? DECODERS_TAKEN
                                                                                         : DECODERS_DIFFER;
    }
    bool same = decoders->common.node_count == 0 && decoders->common.open_count == 0 &&
                xylem_format__data_decode(&decoders->common, bytes, &own) == code && own.code == err.code &&
                strcmp(own.text, err.text) == 0 && decoders_same_tree(&decoders->common, &decoders->any);
    return same ? DECODERS_REFUSED : DECODERS_DIFFER;
}

static inline void decoders_release(struct decoders *decoders)
{
    xylem_base__tree_release(&decoders->common);
    xylem_base__tree_release(&decoders->any);
}

#endif
