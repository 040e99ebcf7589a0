/*
 * Links and heads: where the rest of an entry's path is. Append makes them and verify makes them again, both with this.
 */
#ifndef XYLEM_STORE_HEADS_H
#define XYLEM_STORE_HEADS_H

#include "store/store.h"

/* The newest entry of a kind. */
struct xylem_store__head {
    uint32_t kind_number;
    struct xylem_position position;
};

/* What is known of the path up to and including `last`. Start with a zeroed struct: the path before a root. */
struct xylem_store__heads {
    struct xylem_position last;     /* the next entry's parent; none: the next entry is a root */
    struct xylem_position marked;   /* the newest entry that is no message */
    bool loaded;                    /* `list` and `incomplete` are known */
    bool incomplete;                /* more kinds than heads are kept for */
    struct xylem_store__head *list; /* by ascending kind number */
    size_t count;
    size_t capacity;
};

/* Starts at an entry: the next one will be its child. The heads are read when they are first needed. */
int xylem_store__heads_start(struct xylem_store__heads *heads, const struct xylem_entry *parent,
                             struct xylem_error *err);

/* Appends the links of the next entry, and gives the flags that belong to them. */
int xylem_store__heads_links(struct xylem_buffer *links, unsigned *flags, struct xylem_store__heads *heads,
                             struct xylem_txn *txn, struct xylem_position own, bool is_message,
                             struct xylem_error *err);

/* Goes on: the entry at `own` is now the last one of the path. */
int xylem_store__heads_advance(struct xylem_store__heads *heads, struct xylem_position own, uint32_t kind_number,
                               bool is_message, struct xylem_error *err);

void xylem_store__heads_release(struct xylem_store__heads *heads);

/* Is it the one kind that is not marked: a host's `message`? */
bool xylem_store__kind_is_message(struct xylem_kind kind);

#endif
