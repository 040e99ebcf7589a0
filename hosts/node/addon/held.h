/* The entries of a path that a host holds, as an argument: newest first. */
#ifndef XYLEM_NODE_HELD_H
#define XYLEM_NODE_HELD_H

#include "hosts/node/addon/calls.h"

struct held_item {
    struct xylem_view id;
    struct xylem_view kind;
    struct xylem_view data;
};

/* A member of the struct of an operation. Starts zeroed, and ends in xylem_buffer_release() of `kind`. */
struct held {
    struct held_item *items;
    size_t count;
    size_t next;
    struct xylem_buffer kind; /* storage of the present item's kind */
    struct xylem_error *err;  /* of the call */
};

extern const struct field held_item_fields[];

/* The argument whose struct has the member `held`. */
#define HELD_ARGUMENT(structure)                                                                  \
    {                                                                                             \
        "the entries", FIELD_OBJECTS, AT(structure, held.items), COUNT_AT(structure, held.count), \
            .item_bytes = sizeof(struct held_item), .fields = held_item_fields                    \
    }

/* The next entry, for xylem_rehydrate_from() and its like; `context` is a struct held. */
int held_next(void *context, struct xylem_held_entry *entry);

#endif
