/* xylem: every change of a store, in order. The rules of xylem.h hold for every call. */
#ifndef XYLEM_FEED_H
#define XYLEM_FEED_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- The feed --------------------------------------------------------------------------------------------------- */

/*
 * What changed. Three things have no change of their own:
 *
 *     a name         the entry of the kind `session_info` is the change
 *     a label        the entry of the kind `label` is the change
 *     the document   if the same commit has another change of the session: so look at the document after each change
 */
enum xylem_change_type {
    XYLEM_CHANGE_ENTRY,     /* an entry was appended */
    XYLEM_CHANGE_CREATED,   /* a session was made, without a base */
    XYLEM_CHANGE_FORKED,    /* a session was made with a base, xylem_session.base: a fork, a clone or an import */
    XYLEM_CHANGE_DELETED,   /* xylem_session_delete() */
    XYLEM_CHANGE_UNDELETED, /* xylem_session_undelete() */
    XYLEM_CHANGE_MOVED,     /* the leaf was moved by xylem_navigate() */
    XYLEM_CHANGE_REDACTED,  /* the payload of an entry was removed, or the hash of a removed payload was dropped */
    XYLEM_CHANGE_FREED,     /* xylem_gc() began to free the session: all of the session, or all but what forks need */
    XYLEM_CHANGE_DOCUMENT,  /* anything else: session files, quarantined lines, the end of an import with its leaf */
    XYLEM_CHANGE_TYPE_COUNT
};

struct xylem_change {
    enum xylem_change_type type;
    uint64_t lsn;
    uint64_t session;               /* its number; after FREED the session may be gone */
    uint64_t ordinal;               /* among the changes of the session, 1 for the first; FREED has none: 0 */
    struct xylem_position position; /* ENTRY, REDACTED: the entry; else none */
    uint64_t move_number;           /* MOVED: for xylem_move_read(); else 0 */
    struct xylem_view freed_id;     /* FREED: the id that the session had; else data NULL */
};

/*
 * Iterates over the changes behind an lsn, in the order of their lsns; 0: from the first. A reader keeps the lsn of the
 * last change that it is done with, with the xylem_store_uuid(), and goes on there in another transaction or process: no
 * change is missed, none is given twice, also after a crash, a compaction, and in a backup. A backup that took the
 * store's place and was then written has other changes under the same lsns: after a restore begin anew. The cost grows
 * with the changes that are given, not with the store. Changes are facts of the past: the session may have been deleted
 * since, and of freed entries only FREED tells. A write ends the iteration. A dropped hash changes the checks of the
 * entries behind, without a change of their own.
 *
 * An unfinished import changes a session that no other call gives yet (XYLEM_SESSION_IMPORTING). The commit that
 * makes the session visible has a change of the session, too.
 *
 * A repaired store begins anew, with another xylem_store_uuid(): first its entries in the old order, then the making,
 * the moves and the deletion of each session. A store of an xylem before this call has no change but ENTRY of that time.
 *
 * Errors:
 * - ARGUMENT: the store never gave the lsn `after`: the lsn is from another store, or the store was replaced by an older
 *   copy
 * - CORRUPT, IO, MEMORY
 */
struct xylem_feed;
XYLEM_API int xylem_feed_new(struct xylem_feed **feed, struct xylem_txn *txn, uint64_t after, struct xylem_error *err);
XYLEM_API int xylem_feed_next(struct xylem_change *change, struct xylem_feed *feed, struct xylem_error *err);
XYLEM_API void xylem_feed_free(struct xylem_feed *feed);

/*
 * Gives the lsn of the last change, 0 for none: a reader that wants only news begins there.
 *
 * Errors:
 * - CORRUPT, IO
 */
XYLEM_API int xylem_feed_last(uint64_t *lsn, struct xylem_txn *txn, struct xylem_error *err);

/* The word of a type, such as "created"; NULL for a number that is no type. Any thread. */
XYLEM_API const char *xylem_change_word(enum xylem_change_type type);

#ifdef __cplusplus
}
#endif

#endif
