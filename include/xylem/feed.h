/* xylem: every change of a store, in order. The rules of xylem.h hold for every call. */
#ifndef XYLEM_FEED_H
#define XYLEM_FEED_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Lives of a store -------------------------------------------------------------------------------------------- */

/*
 * One life of a store. xylem_backup() marks its copy, and the first change of a marked store begins another life: from
 * there on the store and the copy have other changes under the same lsns. The first life has the xylem_store_uuid(). A
 * directory that was copied by other means keeps its life: the chain of a cursor shows where two copies part.
 */
struct xylem_incarnation {
    unsigned char uuid[16];
    uint64_t lsn;             /* the last change of the life before; 0: of none */
    uint64_t chain;           /* the store's chain there */
    unsigned char before[16]; /* the uuid of the life before; all 0: none */
};

/*
 * Reads the present life of a store.
 *
 * Errors:
 * - CORRUPT, IO
 */
XYLEM_API int xylem_incarnation_read(struct xylem_incarnation *incarnation, struct xylem_txn *txn,
                                     struct xylem_error *err);

/*
 * The place of a reader: all changes up to the lsn are done with. The chain is an XXH3-64 over these changes, 0: not
 * known. A reader keeps the three together.
 */
struct xylem_cursor {
    unsigned char incarnation[16];
    uint64_t lsn;
    uint64_t chain;
};

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
    XYLEM_CHANGE_SIDE,      /* a row beside the entries was written, or lost its text: xylem_side_read() */
    XYLEM_CHANGE_TYPE_COUNT
};

struct xylem_change {
    enum xylem_change_type type;
    uint64_t lsn;
    uint64_t session;                   /* its number; after FREED the session may be gone */
    uint64_t ordinal;                   /* among the changes of the session, 1 for the first; FREED has none: 0 */
    struct xylem_position position;     /* ENTRY, REDACTED: the entry; else none */
    uint64_t move_number;               /* MOVED: for xylem_move_read(); else 0 */
    uint64_t side_lsn;                  /* SIDE: for xylem_side_read(); else 0 */
    struct xylem_view freed_id;         /* FREED: the id that the session had; else data NULL */
    struct xylem_view freed_name_space; /* FREED: the namespace of the id; data NULL: the empty one */
};

/*
 * Iterates over the changes behind a cursor, in the order of their lsns; NULL: from the first. A reader keeps the cursor
 * of the last change that is done, and goes on there in another transaction or process: no change is missed or given
 * twice, also after a crash, a compaction, and in a backup. The cost grows with the given changes, not with the store.
 * Changes are facts of the past: the session may have been deleted since, and of freed entries only FREED tells. A write
 * ends the iteration. A dropped hash changes the checks of the entries behind, without a change of their own.
 *
 * An unfinished import changes a session that no other call gives yet (XYLEM_SESSION_IMPORTING). The commit that
 * makes the session visible has a change of the session, too.
 *
 * A repaired store begins anew, with another xylem_store_uuid(): first its entries in the old order, then the making,
 * the moves and the deletion of each session, with ordinals of this order.
 *
 * Errors:
 * - CONFLICT: the cursor is from another store or another life, or a copy that went its own way before the cursor took
 *   the store's place; the text says where both part, if that is known. Begin anew
 * - CORRUPT, IO, MEMORY
 */
struct xylem_feed;
XYLEM_API int xylem_feed_new(struct xylem_feed **feed, struct xylem_txn *txn, const struct xylem_cursor *after,
                             struct xylem_error *err);
XYLEM_API int xylem_feed_next(struct xylem_change *change, struct xylem_feed *feed, struct xylem_error *err);
/*
 * The cursor behind the change that was given last.
 *
 * Errors:
 * - CORRUPT, IO
 */
XYLEM_API int xylem_feed_cursor(struct xylem_cursor *cursor, struct xylem_feed *feed, struct xylem_error *err);
XYLEM_API void xylem_feed_free(struct xylem_feed *feed);

/*
 * Gives the cursor behind the last change: a reader that wants only news begins there.
 *
 * Errors:
 * - CORRUPT, IO
 */
XYLEM_API int xylem_feed_last(struct xylem_cursor *cursor, struct xylem_txn *txn, struct xylem_error *err);

/* The word of a type, such as "created"; NULL for a number that is no type. Any thread. */
XYLEM_API const char *xylem_change_word(enum xylem_change_type type);

#ifdef __cplusplus
}
#endif

#endif
