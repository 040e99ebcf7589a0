/* xylem: finding, walking, navigating and forking; labels and names. The rules of xylem.h hold for every call. */
#ifndef XYLEM_BRANCH_H
#define XYLEM_BRANCH_H

#include "entry.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Branches --------------------------------------------------------------------------------------------------- */

/*
 * The entry of that id among the session's entries. Takes longer the more sessions of the same tree use that id for an
 * entry of their own. Errors: NOT_FOUND, CORRUPT.
 */
XYLEM_API int xylem_find(struct xylem_position *position, struct xylem_txn *txn, uint64_t session, struct xylem_view id,
                         struct xylem_error *err);

/*
 * 1 if the position belongs to the session, 0 if it does not. Like everything that takes a position or an id of a
 * session, it follows the path of the base if the session does not own the entry's branch: that takes three reads at
 * most for each binary digit of the number of branches that the path crosses in between.
 */
XYLEM_API int xylem_belongs(struct xylem_txn *txn, uint64_t session, struct xylem_position position,
                            struct xylem_error *err);

/* The number of the session that owns the branch on which the entry lies. Errors: NOT_FOUND, CORRUPT. */
XYLEM_API int xylem_owner(uint64_t *session, struct xylem_txn *txn, struct xylem_position position,
                          struct xylem_error *err);

/* A walk: the path of a position, newest to oldest. Walking from none ends at once. */
struct xylem_walk;
XYLEM_API int xylem_walk_new(struct xylem_walk **walk, struct xylem_txn *txn, struct xylem_position from,
                             struct xylem_error *err);
XYLEM_API int xylem_walk_next(struct xylem_entry *entry, struct xylem_walk *walk, struct xylem_error *err);
XYLEM_API void xylem_walk_free(struct xylem_walk *walk);

/*
 * The newest entry of a kind on the path of `from`, that entry included: 1 and the entry, or 0 if the path has none.
 * Takes three reads at most, however long the path is, because the records name it; on paths of more than
 * XYLEM_HEADS_MAX kinds it walks. The one before it is the newest on the path of its parent. From none: 0.
 * Errors: NOT_FOUND (there is no entry at `from`), CORRUPT.
 */
XYLEM_API int xylem_newest_of_kind(struct xylem_entry *newest, struct xylem_txn *txn, struct xylem_position from,
                                   struct xylem_kind kind, struct xylem_error *err);

/*
 * All entries of a session, oldest to newest (in lsn order): the path of its base and the branches that it owns. Or
 * those of them whose lsn is greater than `lsn`: what was appended since, without a look at what was there before; takes
 * time in proportion to the branches of the session, those that the path of its base crosses included, and to the
 * entries that it gives.
 */
struct xylem_scan;
XYLEM_API int xylem_scan_new(struct xylem_scan **scan, struct xylem_txn *txn, uint64_t session,
                             struct xylem_error *err);
XYLEM_API int xylem_scan_after(struct xylem_scan **scan, struct xylem_txn *txn, uint64_t session, uint64_t lsn,
                               struct xylem_error *err);
XYLEM_API int xylem_scan_next(struct xylem_entry *entry, struct xylem_scan *scan, struct xylem_error *err);
XYLEM_API void xylem_scan_free(struct xylem_scan *scan);

/* The entry of that depth on the path of `from`. Errors: NOT_FOUND (depth 0, or beyond `from`), CORRUPT. */
XYLEM_API int xylem_ancestor_at(struct xylem_position *ancestor, struct xylem_txn *txn, struct xylem_position from,
                                uint64_t depth, struct xylem_error *err);

/* The newest entry that lies on both paths; none if the paths share nothing. */
XYLEM_API int xylem_common_ancestor(struct xylem_position *ancestor, struct xylem_txn *txn, struct xylem_position a,
                                    struct xylem_position b, struct xylem_error *err);

/* A tip: an entry of the session that has no child in it. */
struct xylem_tip {
    struct xylem_entry entry;
    struct xylem_position fork_point; /* where its branch leaves another one; none for a branch that begins at a root */
    uint64_t branch_entry_count;      /* entries of the session on the tip's own branch, up to the tip */
};

/* Iterates over the tips: the base first if it is one, then by ascending branch number. */
struct xylem_tips;
XYLEM_API int xylem_tips_new(struct xylem_tips **tips, struct xylem_txn *txn, uint64_t session,
                             struct xylem_error *err);
XYLEM_API int xylem_tips_next(struct xylem_tip *tip, struct xylem_tips *tips, struct xylem_error *err);
XYLEM_API void xylem_tips_free(struct xylem_tips *tips);

/*
 * Moves the leaf to a position that belongs to the session, or to none, and records the move. A move to where the leaf
 * is already is recorded too. Errors: NOT_FOUND, DELETED, LIMIT (the reason is too long), and as append.
 */
XYLEM_API int xylem_navigate(struct xylem_txn *txn, uint64_t session, struct xylem_position to,
                             struct xylem_view reason, struct xylem_error *err);

/* One recorded navigation. */
struct xylem_move {
    uint64_t number; /* 1 is the oldest */
    int64_t time_ms;
    struct xylem_position from;
    struct xylem_position to;
    struct xylem_view reason;
};

/* The session's n-th navigation, 1 to move_count. Errors: NOT_FOUND, CORRUPT. */
XYLEM_API int xylem_move_read(struct xylem_move *move, struct xylem_txn *txn, uint64_t session, uint64_t number,
                              struct xylem_error *err);

enum xylem_fork_kind {
    XYLEM_FORK_AT = 0, /* base and leaf are the entry */
    XYLEM_FORK_BEFORE  /* base and leaf are its parent: none before a root */
};

/*
 * Forks a session at or before an entry of it. Nothing is copied. `options` gives the new session's id, cwd (data NULL:
 * the source's), parent (data NULL: the source's id) and time. A clone is a fork at the source's leaf, which may be
 * none. Errors: NOT_FOUND, DELETED, EXISTS, LIMIT, and as append.
 */
XYLEM_API int xylem_fork(struct xylem_session *session, struct xylem_txn *txn, uint64_t source,
                         struct xylem_position position, enum xylem_fork_kind kind,
                         const struct xylem_session_options *options, struct xylem_error *err);
XYLEM_API int xylem_clone(struct xylem_session *session, struct xylem_txn *txn, uint64_t source,
                          const struct xylem_session_options *options, struct xylem_error *err);

/* --- Labels and names ------------------------------------------------------------------------------------------- */

/* An entry's label: what the last `label` entry of the session that names it says. */
struct xylem_label {
    struct xylem_view target_id;
    struct xylem_view text;
    struct xylem_position entry; /* the `label` entry */
};

/*
 * Labels and name of a session, by its entries in lsn order, on any branch; an empty or absent value removes one. The
 * struct owns its bytes and outlives the transaction. Labels come in the order in which their targets were first named.
 */
struct xylem_labels {
    struct xylem_label *labels;
    size_t label_count;
    struct xylem_view name; /* data NULL: none */
    void *storage;
};

/* Reads them: the payload of every `label` and `session_info` entry. Release in any case. Errors: CORRUPT, MEMORY. */
XYLEM_API int xylem_labels_read(struct xylem_labels *labels, struct xylem_txn *txn, uint64_t session,
                                struct xylem_error *err);
XYLEM_API void xylem_labels_release(struct xylem_labels *labels);

/* What a list says of a session. */
struct xylem_outline {
    uint64_t entry_count; /* its own entries, and those on the path of its base */
    bool has_name;
};

/*
 * Reads it without reading the session: takes time in proportion to its branches, not to its entries (unless its last
 * `session_info` entry is none that can be read). `session` is a row that was read in this transaction. A name that the
 * session has is appended to `name`, which may be NULL. Errors: CORRUPT, MEMORY.
 */
XYLEM_API int xylem_outline_read(struct xylem_outline *outline, struct xylem_buffer *name, struct xylem_txn *txn,
                                 const struct xylem_session *session, struct xylem_error *err);

/*
 * Appends at the fork's leaf what the source says of entries that both have, where the fork's path says something else,
 * as pi does when it forks: a `label` entry for each label that the fork lacks or has with another text, and one without
 * text for each that was removed. What the fork's own entries say of a label stays. Gives their number. Errors: as
 * append.
 */
XYLEM_API int xylem_fork_labels(size_t *label_count, struct xylem_txn *txn, uint64_t fork, uint64_t source,
                                struct xylem_error *err);

#ifdef __cplusplus
}
#endif

#endif
