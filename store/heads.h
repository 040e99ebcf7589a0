/*
 * Reads links and heads, which lead from an entry to the rest of its path. Append makes the links of each entry; verify
 * makes the links again and compares.
 *
 *     parent branch   the first entry of a branch below another branch
 *     last marked     all entries: the newest marked entry on the path before the entry
 *     heads           marked entries: for each kind on the path before the entry, the newest entry of the kind
 *
 * A marked entry is an entry of any kind but `message`. Positions are stored as distances from the entry:
 * docs/format.md has the bytes.
 */
#ifndef XYLEM_STORE_HEADS_H
#define XYLEM_STORE_HEADS_H

#include "base/bytes.h"
#include "store/format/record.h"
#include "store/store.h"

/* The newest entry of a kind. */
struct xylem_store__head {
    uint32_t kind_number;
    struct xylem_position position;
};

/* A reading of the heads of a marked entry, by ascending kind number. */
struct xylem_store__heads_reading {
    struct xylem_base__cursor links;
    struct xylem_position own; /* of the marked entry */
    uint64_t kind_number;      /* of the last read head */
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

/* CORRUPT: the heads of the record contradict each other. */
int xylem_store__heads_bad(struct xylem_position own, struct xylem_error *err);
/*
 * 1 and the position of the newest entry of the kind `reading->kind_number`, or 0 at the end. Most of the work of a
 * rehydration is done here, so the function is compiled into the loops of its callers: registers hold the reading.
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

/* The heads of the path up to and including `last`. Start with a zeroed struct: the empty path before a root. */
struct xylem_store__heads {
    struct xylem_position last;     /* the parent of the next entry; none: the next entry is a root */
    struct xylem_position marked;   /* the newest marked entry */
    bool loaded;                    /* `list` and `incomplete` are known */
    bool incomplete;                /* more than XYLEM_HEADS_MAX kinds are on the path */
    struct xylem_store__head *list; /* by ascending kind number */
    size_t count;
    size_t capacity;
};

/* Starts at the parent of the next entry. The heads of a path that ends in a message are read at the first use. */
int xylem_store__heads_start(struct xylem_store__heads *heads, const struct xylem_entry *parent,
                             struct xylem_error *err);

/* Appends the links of the next entry, and gives the flags of the links. */
int xylem_store__heads_links(struct xylem_buffer *links, unsigned *flags, struct xylem_store__heads *heads,
                             struct xylem_txn *txn, struct xylem_position own, bool is_message,
                             struct xylem_error *err);

/* Makes the entry at `own` the last entry of the path. */
int xylem_store__heads_advance(struct xylem_store__heads *heads, struct xylem_position own, uint32_t kind_number,
                               bool is_message, struct xylem_error *err);

void xylem_store__heads_release(struct xylem_store__heads *heads);

/* True for the host kind `message`, the only kind that is not marked. */
static inline bool xylem_store__kind_is_message(struct xylem_kind kind)
{
    return kind.kind_class == XYLEM_CLASS_HOST &&
           xylem_base__view_equal(kind.name, XYLEM_BASE__LITERAL(XYLEM_FORMAT__MESSAGE_NAME));
}

#endif
