/*
 * Links and heads: where the rest of an entry's path is. Append makes them and verify makes them again, both with this.
 */
#ifndef XYLEM_STORE_HEADS_H
#define XYLEM_STORE_HEADS_H

#include "base/bytes.h"
#include "format/record.h"
#include "store/store.h"

/* The newest entry of a kind. */
struct xylem_store__head {
    uint32_t kind_number;
    struct xylem_position position;
};

/* The heads that a marked entry names, one after the other by ascending kind number. */
struct xylem_store__heads_reading {
    struct xylem_base__cursor links;
    struct xylem_position own; /* of the entry that names them */
    uint64_t kind_number;      /* of the head that was read last */
};

static inline int xylem_store__heads_reading_start(struct xylem_store__heads_reading *reading,
                                                   const struct xylem_entry *marked, struct xylem_error *err)
{
    struct xylem_position before;
    struct xylem_base__cursor heads;
    int code = xylem_format__links_marked(&before, &heads, marked, err);
    *reading = (struct xylem_store__heads_reading){heads, marked->position, 0};
    return code;
}

/* What is wrong with a record whose heads say what cannot be. */
int xylem_store__heads_bad(struct xylem_position own, struct xylem_error *err);
/*
 * 1 and where the newest entry of the kind `reading->kind_number` is, or 0 at the end. It is compiled into the loop that
 * it is called from, where the reading can stay in registers: it is what most of a rehydration's own work is.
 */
__attribute__((always_inline)) static inline int
xylem_store__heads_reading_next(struct xylem_position *head, struct xylem_store__heads_reading *reading,
                                struct xylem_error *err)
{
    if (reading->links.left == 0) {
        return 0;
    }
    uint64_t step = xylem_base__read_varint(&reading->links);
    *head = xylem_format__link_read(&reading->links, reading->own);
    if (reading->links.failed || step == 0 || step > UINT32_MAX - reading->kind_number || head->depth == 0) {
        return xylem_store__heads_bad(reading->own, err);
    }
    reading->kind_number += step;
    return 1;
}

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
static inline bool xylem_store__kind_is_message(struct xylem_kind kind)
{
    return kind.kind_class == XYLEM_CLASS_HOST &&
           xylem_base__view_equal(kind.name, XYLEM_BASE__LITERAL(XYLEM_FORMAT__MESSAGE_NAME));
}

#endif
