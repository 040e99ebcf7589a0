/* xylem: finding, walking, navigating and forking; labels and names. The rules of xylem.h hold for every call. */
#ifndef XYLEM_BRANCH_H
#define XYLEM_BRANCH_H

#include "entry.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Branches --------------------------------------------------------------------------------------------------- */

/*
 * The entry of an id among the entries of the session.
 *
 * Errors:
 * - NOT_FOUND: of the session, or of the entry
 * - CORRUPT, IO
 */
XYLEM_API int xylem_find(struct xylem_position *position, struct xylem_txn *txn, uint64_t session, struct xylem_view id,
                         struct xylem_error *err);

/*
 * Iterates over the entries of an id in the whole store. An entry that sessions share comes once; two entries have one
 * id if their sessions share nothing, or made the id on branches of their own. Also entries of deleted sessions:
 * xylem_owner() tells the session. Costs one or two seeks for each tree of sessions. `id` must live as long as the
 * iterator; the entry lives as long as a view of the transaction.
 *
 * Errors:
 * - CORRUPT, IO, MEMORY
 */
struct xylem_finds;
XYLEM_API int xylem_finds_new(struct xylem_finds **finds, struct xylem_txn *txn, struct xylem_view id,
                              struct xylem_error *err);
XYLEM_API int xylem_finds_next(struct xylem_entry *entry, struct xylem_finds *finds, struct xylem_error *err);
XYLEM_API void xylem_finds_free(struct xylem_finds *finds);

/*
 * 1 if the position belongs to the session, else 0. For an entry on a branch of another session, the call follows the
 * path of the base, like every call with a position or an id of a session. The path costs at most three reads for each
 * binary digit of the number of branches between.
 *
 * Errors:
 * - NOT_FOUND: of the session
 * - CORRUPT, IO
 */
XYLEM_API int xylem_belongs(struct xylem_txn *txn, uint64_t session, struct xylem_position position,
                            struct xylem_error *err);

/*
 * The number of the session that owns the branch of the entry.
 *
 * Errors:
 * - NOT_FOUND: of the entry
 * - CORRUPT, IO
 */
XYLEM_API int xylem_owner(uint64_t *session, struct xylem_txn *txn, struct xylem_position position,
                          struct xylem_error *err);

/*
 * A walk: the path of a position, newest to oldest. A walk from none ends at once.
 *
 * Errors:
 * - NOT_FOUND: there is no entry at `from`; xylem_walk_next() gives the error
 * - CORRUPT, IO, MEMORY
 */
struct xylem_walk;
XYLEM_API int xylem_walk_new(struct xylem_walk **walk, struct xylem_txn *txn, struct xylem_position from,
                             struct xylem_error *err);
XYLEM_API int xylem_walk_next(struct xylem_entry *entry, struct xylem_walk *walk, struct xylem_error *err);
XYLEM_API void xylem_walk_free(struct xylem_walk *walk);

/*
 * The newest entry of a kind on the path of `from`, including the entry at `from`: 1 and the entry, or 0 if the path
 * has none. From none: 0. Takes at most three reads on a path of any length, since the records name the entry; a path
 * of more than XYLEM_HEADS_MAX kinds takes a walk. For the entry before, ask from the parent of the found entry.
 *
 * Errors:
 * - NOT_FOUND: there is no entry at `from`
 * - CORRUPT, IO
 */
XYLEM_API int xylem_newest_of_kind(struct xylem_entry *newest, struct xylem_txn *txn, struct xylem_position from,
                                   struct xylem_kind kind, struct xylem_error *err);

/*
 * All entries of a session, oldest to newest (in lsn order): the path of its base and the branches of the session.
 * xylem_scan_after() gives the entries with an lsn greater than `lsn`: the entries appended since, without a look at
 * earlier entries. The time grows with the branches of the session, including the branches on the path of the base, and
 * with the given entries.
 *
 * Errors:
 * - NOT_FOUND: of the session
 * - CORRUPT, IO, MEMORY
 */
struct xylem_scan;
XYLEM_API int xylem_scan_new(struct xylem_scan **scan, struct xylem_txn *txn, uint64_t session,
                             struct xylem_error *err);
XYLEM_API int xylem_scan_after(struct xylem_scan **scan, struct xylem_txn *txn, uint64_t session, uint64_t lsn,
                               struct xylem_error *err);
XYLEM_API int xylem_scan_next(struct xylem_entry *entry, struct xylem_scan *scan, struct xylem_error *err);
XYLEM_API void xylem_scan_free(struct xylem_scan *scan);

/*
 * The entry of a depth on the path of `from`.
 *
 * Errors:
 * - NOT_FOUND: depth 0, a depth beyond `from`, or no entry at `from`
 * - CORRUPT, IO
 */
XYLEM_API int xylem_ancestor_at(struct xylem_position *ancestor, struct xylem_txn *txn, struct xylem_position from,
                                uint64_t depth, struct xylem_error *err);

/*
 * The newest entry on both paths; none if the paths share nothing.
 *
 * Errors:
 * - NOT_FOUND: a position without an entry
 * - CORRUPT, IO
 */
XYLEM_API int xylem_common_ancestor(struct xylem_position *ancestor, struct xylem_txn *txn, struct xylem_position a,
                                    struct xylem_position b, struct xylem_error *err);

/* A tip: an entry without a child in the session. */
struct xylem_tip {
    struct xylem_entry entry;
    struct xylem_position fork_point; /* the parent of its branch; none for a branch from a root */
    uint64_t branch_entry_count;      /* entries of the session on the branch of the tip, up to the tip */
};

/*
 * Iterates over the tips: first the base, if the base is a tip, then by ascending branch number.
 *
 * Errors:
 * - NOT_FOUND: of the session
 * - CORRUPT, IO, MEMORY
 */
struct xylem_tips;
XYLEM_API int xylem_tips_new(struct xylem_tips **tips, struct xylem_txn *txn, uint64_t session,
                             struct xylem_error *err);
XYLEM_API int xylem_tips_next(struct xylem_tip *tip, struct xylem_tips *tips, struct xylem_error *err);
XYLEM_API void xylem_tips_free(struct xylem_tips *tips);

/*
 * Moves the leaf to an entry of the session, or to none, and records the move. A move to the present leaf is recorded
 * too.
 *
 * Errors:
 * - NOT_FOUND: of the session, or of an entry of the session at `to`
 * - DELETED, FREED: of the session
 * - LIMIT: the reason has more than XYLEM_REASON_BYTES_MAX bytes
 * - CONFLICT: another handle owns the session (xylem_lease_take())
 * - READ_ONLY, MAP_FULL, NO_SPACE, IO, CORRUPT, MEMORY
 */
XYLEM_API int xylem_navigate(struct xylem_txn *txn, uint64_t session, struct xylem_position to,
                             struct xylem_view reason, struct xylem_error *err);

/* A recorded navigation. */
struct xylem_move {
    uint64_t number; /* 1 is the oldest */
    int64_t time_ms;
    struct xylem_position from;
    struct xylem_position to;
    struct xylem_view reason;
};

/*
 * The n-th navigation of the session, 1 to move_count.
 *
 * Errors:
 * - NOT_FOUND: of the session, or of the navigation
 * - CORRUPT, IO
 */
XYLEM_API int xylem_move_read(struct xylem_move *move, struct xylem_txn *txn, uint64_t session, uint64_t number,
                              struct xylem_error *err);

enum xylem_fork_kind {
    XYLEM_FORK_AT = 0, /* base and leaf are the entry */
    XYLEM_FORK_BEFORE  /* base and leaf are the parent of the entry: none before a root */
};

/*
 * Forks a session at or before an entry of the session, and copies nothing. `options` gives the id, the cwd (data NULL:
 * the cwd of the source), the parent (data NULL: the id of the source, or none in another namespace) and the time of the
 * new session. A clone is a fork at the leaf of the source; the leaf may be none.
 *
 * Errors:
 * - NOT_FOUND: of the source, or of an entry of the source at `position`
 * - DELETED, FREED: of the source
 * - EXISTS: a session has the id, maybe a deleted session
 * - LIMIT, MALFORMED: the id, as in xylem_session_create()
 * - ARGUMENT: `kind` is no kind of fork
 * - READ_ONLY, MAP_FULL, NO_SPACE, IO, CORRUPT, MEMORY
 */
XYLEM_API int xylem_fork(struct xylem_session *session, struct xylem_txn *txn, uint64_t source,
                         struct xylem_position position, enum xylem_fork_kind kind,
                         const struct xylem_session_options *options, struct xylem_error *err);
XYLEM_API int xylem_clone(struct xylem_session *session, struct xylem_txn *txn, uint64_t source,
                          const struct xylem_session_options *options, struct xylem_error *err);

/* --- Labels and names ------------------------------------------------------------------------------------------- */

/* The label of an entry: the text of the last `label` entry of the session for the target. */
struct xylem_label {
    struct xylem_view target_id;
    struct xylem_view text;
    struct xylem_position entry; /* the `label` entry */
};

/*
 * Labels and name of a session, from its entries in lsn order, on every branch; an empty or absent value removes a
 * label or the name. The struct owns its bytes and outlives the transaction. Labels come in the order of their first
 * mention.
 */
struct xylem_labels {
    struct xylem_label *labels;
    size_t label_count;
    struct xylem_view name; /* data NULL: none */
    void *storage;
};

/*
 * Reads labels and name: the payload of every `label` and `session_info` entry. Release the struct in any case.
 *
 * Errors:
 * - NOT_FOUND: of the session
 * - CORRUPT, IO, MEMORY
 */
XYLEM_API int xylem_labels_read(struct xylem_labels *labels, struct xylem_txn *txn, uint64_t session,
                                struct xylem_error *err);
XYLEM_API void xylem_labels_release(struct xylem_labels *labels);

/*
 * Appends the labels of the source at the leaf of the fork, for entries of both, like pi at a fork: a `label` entry for
 * each label that is missing or different on the path of the fork, and a `label` entry without text for each removed
 * label. Labels from the fork's own entries stay. `label_count` gets the number of new entries.
 *
 * Errors:
 * - NOT_FOUND, DELETED, FREED: of the fork; NOT_FOUND of the source
 * - CONFLICT: another handle owns the fork (xylem_lease_take())
 * - READ_ONLY, MAP_FULL, NO_SPACE, IO, CORRUPT, MEMORY
 */
XYLEM_API int xylem_fork_labels(size_t *label_count, struct xylem_txn *txn, uint64_t fork, uint64_t source,
                                struct xylem_error *err);

#ifdef __cplusplus
}
#endif

#endif
