/* Iterates over the changes of one session by their ordinals: from a place near the end, at the cost of what is behind. */
#ifndef XYLEM_STORE_ORDINALS_H
#define XYLEM_STORE_ORDINALS_H

#include "store/history.h"

struct xylem_change;

struct xylem_store__ordinals {
    uint64_t chain;   /* the session's, behind the change that was given last */
    uint64_t dropped; /* the newest change from `from` on that redacted an entry whose hash is dropped; 0: none */
    /* Private. */
    struct xylem_txn *txn;
    uint64_t *rows; /* first lsns, newest first */
    size_t row_count;
    size_t row_capacity;
    struct xylem_store__feed row; /* the present row */
    uint64_t next;                /* the ordinal that comes next */
    uint64_t last;                /* of the session */
};

/*
 * Begins at the ordinal `from`, at most one behind the last. The session has an id. Release in any case. Errors:
 * NOT_FOUND (the session has fewer changes).
 */
int xylem_store__ordinals_begin(struct xylem_store__ordinals *ordinals, struct xylem_txn *txn,
                                const struct xylem_session *session, uint64_t from, struct xylem_error *err);
/* 1 and the next change, or 0. Of an ENTRY, `entry` is read as well. */
int xylem_store__ordinals_next(struct xylem_change *change, struct xylem_entry *entry,
                               struct xylem_store__ordinals *ordinals, const struct xylem_session *session,
                               struct xylem_error *err);
void xylem_store__ordinals_release(struct xylem_store__ordinals *ordinals);

#endif
