/*
 * store/ keeps sessions, branches and the log: what an append writes, and how an entry is found again.
 * It does not decide what entries mean (replay/), how session files look (jsonl/), or how damage is mended (repair/).
 * Begin reading at prepare.c and append.c (an entry comes in), then log.c (and is read), kind_walk.c (and is found by
 * its kind).
 * Other rooms may include: branch.h feed.h find.h heads.h lease.h log.h meta.h move.h session.h source.h store.h
 */
/* The rules at the top of xylem.h hold here too. No declaration shows LMDB, msgpack or xxHash. */
#ifndef XYLEM_STORE_STORE_H
#define XYLEM_STORE_STORE_H

#include "base/value.h"
#include "format/data.h"
#include "format/hash.h"
#include "format/line_names.h"
#include "format/position.h"
#include "xylem.h"

/* --- Entry -------------------------------------------------------------------------------------------------------- */

/* Decodes an entry's payload, whatever its format; a tree without nodes if it has none. Errors as xylem_document_new. */
int xylem_store__payload_decode(struct xylem_base__tree *tree, const struct xylem_entry *entry,
                                struct xylem_error *err);

/* --- Transaction ------------------------------------------------------------------------------------------------ */

/* A transaction that finds the map full is done again with a map of twice the size, so often at most. */
#define XYLEM_STORE__MAP_GROWTHS_MAX 48

/* --- Record ----------------------------------------------------------------------------------------------------- */

/* How many bytes the entry's record has in the log. */
uint64_t xylem_store__record_bytes(const struct xylem_entry *entry);

/* xylem_entry_read() for those who look at `entry` only after success: it is written in any case. */
int xylem_store__entry_read(struct xylem_entry *entry, struct xylem_txn *txn, struct xylem_position position,
                            struct xylem_error *err);

/* --- Log -------------------------------------------------------------------------------------------------------- */

/* A cursor in the log. Entries that it gives are verified. */
struct xylem_store__log;
int xylem_store__log_new(struct xylem_store__log **log, struct xylem_txn *txn, struct xylem_error *err);
void xylem_store__log_free(struct xylem_store__log *log);
/* To the entry at a position; CORRUPT if there is none: positions come from verified records and rows. */
int xylem_store__log_seek(struct xylem_entry *entry, struct xylem_store__log *log, struct xylem_position position,
                          struct xylem_error *err);
/* From there to the neighbour on the same branch: 1, or 0 if the branch has none on that side. */
int xylem_store__log_previous(struct xylem_entry *entry, struct xylem_store__log *log, struct xylem_error *err);
int xylem_store__log_next(struct xylem_entry *entry, struct xylem_store__log *log, struct xylem_error *err);

/*
 * A walk along the entries of some kinds on one path, newest to oldest. The caller names the kinds, each once, and may
 * close one between two steps: its entries are not given any more.
 */
struct xylem_store__walked_kind {
    struct xylem_kind kind;
    bool closed;
    struct xylem_position next;     /* the walk's own: where the kind goes on, once it knows; none: nowhere */
    struct xylem_position named_by; /* the walk's own: the record that says so */
};

struct xylem_store__kind_walk {
    struct xylem_entry at; /* the entry that was given last */
    uint64_t read_count;   /* entries read, but for the one that it started from */
    /* The walk's own. */
    struct xylem_txn *txn;
    struct xylem_store__walked_kind *kinds;
    size_t kind_count;
    struct xylem_store__walked_kind *given; /* whose entry was given last */
    bool started;
    bool hopping; /* it knows where each kind goes on */
};

/* Starts at `from`, an entry that was read, which is the first to be looked at. `kinds` must live as long. */
void xylem_store__kind_walk_start(struct xylem_store__kind_walk *walk, struct xylem_txn *txn,
                                  const struct xylem_entry *from, struct xylem_store__walked_kind *kinds,
                                  size_t kind_count);
/* 1, and the kind of the entry that is `walk->at` now; 0 at the end. After an error the walk is over. */
int xylem_store__kind_walk_next(struct xylem_store__walked_kind **kind, struct xylem_store__kind_walk *walk,
                                struct xylem_error *err);

/* xylem_newest_of_kind() from an entry that was read. */
int xylem_store__newest_of_kind(struct xylem_entry *newest, struct xylem_txn *txn, const struct xylem_entry *from,
                                struct xylem_kind kind, struct xylem_error *err);

/* --- Branches --------------------------------------------------------------------------------------------------- */

/*
 * Where a search along a path may skip to, instead of going from branch to branch: an older branch on it. These are
 * laid so that any branch is reached in a number of steps that grows with the logarithm of how many lie between.
 */
struct xylem_store__skip {
    uint64_t level;      /* how many branches the path crosses, its own included */
    uint64_t branch;     /* the older branch that it leads to, 0 for none */
    uint64_t to_level;   /* the level there */
    uint64_t last_depth; /* and the depth of the last entry there that lies on the path */
};

struct xylem_store__branch {
    uint64_t number;
    uint64_t session;
    uint64_t first_depth;
    uint64_t parent_branch;   /* 0: begins at a root; else its fork point is (parent_branch, first_depth - 1) */
    uint64_t previous_branch; /* the branch that the session owned before it, 0 for none */
    uint64_t end_depth;       /* the depth at which it ends since what lay behind was freed, 0: nothing was */
    struct xylem_store__skip skip;
};

int xylem_store__branch_read(struct xylem_store__branch *branch, struct xylem_txn *txn, uint64_t number,
                             struct xylem_error *err);
/* Where a branch ends; and the entry there. */
int xylem_store__branch_tip(struct xylem_position *tip, struct xylem_txn *txn, uint64_t number,
                            struct xylem_error *err);
int xylem_store__branch_last(struct xylem_entry *last, struct xylem_txn *txn, uint64_t number, struct xylem_error *err);
/* The position of depth `depth` (1 or more, at most that of `from`) on the path of `from`. */
int xylem_store__ancestor_at(struct xylem_position *ancestor, struct xylem_txn *txn, struct xylem_position from,
                             uint64_t depth, struct xylem_error *err);

/* Does the code of a read say that no entry is there? Where a row or a record led to it, that is damage. */
static inline bool xylem_store__no_entry(int code)
{
    return code == XYLEM_E_NOT_FOUND || code == XYLEM_E_FREED;
}

static inline bool xylem_store__kind_equal(const struct xylem_kind *a, const struct xylem_kind *b)
{
    return a->kind_class == b->kind_class && xylem_base__view_equal(a->name, b->name);
}

/* --- Writing ---------------------------------------------------------------------------------------------------- */

/* Rows of `ids` that are not written yet. Start with a zeroed struct. */
struct xylem_store__new_ids {
    struct xylem_store__new_id {
        uint64_t hash;
        struct xylem_position position;
    } * list;
    size_t count;
    size_t capacity;
};

/* Notes the id of an entry, by its hash. */
int xylem_store__new_id_add(struct xylem_store__new_ids *ids, uint64_t hash, struct xylem_position position,
                            struct xylem_error *err);

/*
 * Writes them in the order of the table: so LMDB goes through it once, page by page. The list is empty then. EXISTS if
 * the session has one of them already. A failure ends what the transaction can do.
 */
int xylem_store__new_ids_write(struct xylem_txn *txn, uint64_t session, struct xylem_store__new_ids *ids,
                               struct xylem_error *err);

/* What an entry had in the store that it is copied from. */
struct xylem_store__copied {
    unsigned flags;
    uint64_t payload_hash; /* counts where the flags say that it was redacted */
};

struct xylem_store__append_options {
    struct xylem_append_options public_options;
    bool imported;        /* flag the entries, allow a session that is being imported, leave its leaf alone */
    bool payload_checked; /* the payloads are what their formats say: do not parse them again */
    bool ids_checked;     /* the session has none of the ids, and no two are the same: do not look */
    struct xylem_store__new_ids *ids; /* NULL, or where to add the ids: whoever appends writes them before the commit */
    const struct xylem_view *lines;   /* NULL, or a line to keep for each entry (empty: none) */
    /* NULL, or for each entry that it is a copy: its flags stay, any session will do, and its leaf is left alone. */
    const struct xylem_store__copied *copied;
};

/* xylem_append(), with what only an import may ask for. */
int xylem_store__append(struct xylem_position *first, struct xylem_txn *txn, uint64_t session,
                        const struct xylem_new_entry *entries, size_t entry_count,
                        const struct xylem_store__append_options *options, struct xylem_error *err);

/*
 * Creates a session whose row is as `session` says but for its `number` (and `tree`, if that is 0: a new one), and
 * whose id must be free. `session->number` and `tree` are filled in.
 */
int xylem_store__session_add(struct xylem_txn *txn, struct xylem_session *session, struct xylem_error *err);
/* The session of that id in whatever state: NOT_FOUND if there is none. */
int xylem_store__session_find_any(struct xylem_session *session, struct xylem_txn *txn, struct xylem_view id,
                                  struct xylem_error *err);
/* Reads a session that may be forked: live (else NOT_FOUND, DELETED, FREED), in a transaction that can write. */
int xylem_store__session_for_fork(struct xylem_session *session, struct xylem_txn *txn, uint64_t number,
                                  struct xylem_error *err);
/* The same of one that may be changed: CONFLICT if another handle has the lease of it, or broke this one's. */
int xylem_store__session_for_write(struct xylem_session *session, struct xylem_txn *txn, uint64_t number,
                                   struct xylem_error *err);
/* Only that: for a session that was read, in whatever state. */
int xylem_store__lease_check(struct xylem_txn *txn, const struct xylem_session *session, struct xylem_error *err);
/* Writes the row anew. */
int xylem_store__session_write(struct xylem_txn *txn, const struct xylem_session *session, struct xylem_error *err);
/* Records a navigation and writes the session's row, whose leaf and `move_count` must already say so: both or none. */
int xylem_store__move_add(struct xylem_txn *txn, const struct xylem_session *session, const struct xylem_move *move,
                          struct xylem_error *err);

/* --- Imports ---------------------------------------------------------------------------------------------------- */

/* An imported entry that is in no line of its file any more. */
#define XYLEM_STORE__NO_LINE UINT64_MAX

/* Where an entry's line stands, if the order of lsns does not say it: it was placed before an earlier line, say. */
struct xylem_store__displaced {
    uint64_t lsn;
    uint64_t line; /* or XYLEM_STORE__NO_LINE */
};

/* What was consumed of a session file. */
struct xylem_store__source {
    struct xylem_view name; /* the file's path */
    uint64_t order;         /* 1 for the source that the session was created from, then ascending */
    uint64_t bytes;         /* consumed, from the file's beginning */
    uint64_t lines;         /* the header included */
    uint64_t hash;          /* XXH3-64 of the consumed bytes */
    bool unterminated;      /* the last consumed line had no newline */
    struct xylem_view
        tail; /* what follows and was not consumed: a torn line; empty also if it was too long to be kept */
    uint64_t tail_bytes;
    const struct xylem_store__displaced *displaced; /* by ascending lsn; read: owned by the transaction */
    size_t displaced_count;
};

/* 1 and the row, or 0 if that file was never a source of the session. */
int xylem_store__source_read(struct xylem_store__source *source, struct xylem_txn *txn, uint64_t session,
                             struct xylem_view name, struct xylem_error *err);
/* 1 and the source whose order is 1, or 0 if the session was not imported. */
int xylem_store__source_first(struct xylem_store__source *source, struct xylem_txn *txn, uint64_t session,
                              struct xylem_error *err);
/* How many sources the session has. */
int xylem_store__source_count(uint64_t *count, struct xylem_txn *txn, uint64_t session, struct xylem_error *err);
/* Writes a source's row; an `order` of 0 is replaced by the next free one. */
int xylem_store__source_write(struct xylem_txn *txn, uint64_t session, struct xylem_store__source *source,
                              struct xylem_error *err);

/*
 * A file changed: the lines that it had in quarantine get the number 0, which says that they were lines of an earlier
 * version. Those that are put away again lose it again.
 */
int xylem_store__quarantine_retire(struct xylem_txn *txn, uint64_t session, struct xylem_view source,
                                   struct xylem_error *err);

/* Makes a row one whose bytes were redacted: what is left says where they stood, and how many there were. */
void xylem_store__quarantine_empty(struct xylem_quarantined *row);

/* Puts a line into quarantine; the same line of the same bytes again changes nothing. 1 if it is new, else 0. */
int xylem_store__quarantine_add(struct xylem_txn *txn, uint64_t session, const struct xylem_quarantined *row,
                                struct xylem_error *err);

/* The search of xylem_redact_matches(). Each function returns 1 for a match, 0 for none, or an error. */
struct xylem_store__matcher {
    int (*text)(void *context, struct xylem_view text, struct xylem_error *err);
    int (*line)(void *context, struct xylem_view line, struct xylem_error *err); /* whole or torn */
    int (*entry)(void *context, const struct xylem_entry *entry, struct xylem_error *err);
    void *context;
};

/* xylem_redact_matches() with the search as functions: patterns belong to another room. */
int xylem_store__redact_matches(struct xylem_redact_report *report, struct xylem_txn *txn,
                                const struct xylem_redact_matches_options *options,
                                const struct xylem_store__matcher *matcher, struct xylem_error *err);

#endif
