/*
 * store/ keeps sessions, branches and the log. It writes what is appended, and finds an entry again by id, by kind, by
 * depth on a path, or by lsn.
 * store/ does not know the meaning of entries (replay/), the form of session files (travel/jsonl/), or repairs
 * (care/repair/).
 * Begin reading at prepare.c and append.c (the checks and writes of an append), then find.c (an entry by its id),
 * heads.h and kind_walk.c (the entries of a kind), branch.c (skips along a path) and feed.h (an entry by its lsn).
 * Other rooms may include: branch.h feed.h find.h heads.h history.h lease.h log.h meta.h note.h ordinals.h outline.h
 * session.h side.h source.h store.h
 */
/* The rules at the top of xylem.h apply here, too. No declaration shows LMDB, msgpack or xxHash. */
#ifndef XYLEM_STORE_STORE_H
#define XYLEM_STORE_STORE_H

#include "base/value.h"
#include "store/format/data.h"
#include "store/format/hash.h"
#include "store/format/holes.h"
#include "store/format/line_names.h"

struct xylem_append_options;
struct xylem_move;
struct xylem_new_entry;
struct xylem_quarantined;
struct xylem_redact_matches_options;
struct xylem_redact_report;

/* --- Entry -------------------------------------------------------------------------------------------------------- */

/*
 * Decodes the payload of an entry, in any format; no payload gives a tree without nodes. Errors: as
 * xylem_document_new().
 */
int xylem_store__payload_decode(struct xylem_base__tree *tree, const struct xylem_entry *entry,
                                struct xylem_error *err);

/* The values of the holes of an entry of the format LINE, verified; nothing of a redacted entry. Errors: CORRUPT. */
int xylem_store__line_values(struct xylem_view *values, const struct xylem_entry *entry, struct xylem_error *err);
/*
 * Appends what an entry has beside its payload, verified: the kept line, or of the format LINE the values of its holes.
 * Nothing of a redacted entry. Errors: CORRUPT, MEMORY.
 */
int xylem_store__line_part(struct xylem_buffer *part, const struct xylem_entry *entry, struct xylem_error *err);

/* Checks that a line is one line with an object, without the id of the session. MALFORMED, LIMIT, MEMORY. */
int xylem_store__line_check(struct xylem_base__tree *tree, struct xylem_view payload, struct xylem_view values,
                            struct xylem_error *err);
/* Puts the whole line of an entry of the format LINE into `line`. `own` NULL: with the values of the entry. */
int xylem_store__line_text(struct xylem_buffer *line, const struct xylem_entry *entry, const struct xylem_view *own,
                           struct xylem_view session_id, struct xylem_error *err);

/* --- Transaction ------------------------------------------------------------------------------------------------ */

/* A transaction that fills the map is repeated with a map of twice the size, at most this many times. */
#define XYLEM_STORE__MAP_GROWTHS_MAX 48

/* Runs `change` in a write transaction and commits, and again each time the map must grow. */
int xylem_store__in_transaction(struct xylem_store *store,
                                int (*change)(struct xylem_txn *txn, void *context, struct xylem_error *err),
                                void *context, struct xylem_error *err);
/* Looks in a read transaction. */
int xylem_store__reading(struct xylem_store *store,
                         int (*look)(struct xylem_txn *txn, void *context, struct xylem_error *err), void *context,
                         struct xylem_error *err);

/*
 * A long write is done in pieces, each with a transaction of its own, so that no other writer waits for long. A piece
 * fills for a share of the time that a writer may hold the lock: the rest is for the commit, which takes longer the
 * more was written. `bytes` is what fits, by the pieces before.
 *
 *     |<-- XYLEM_STORE__HOLD_MS --------------------------->|
 *     |<-- filling -->|<-- commit: as long again -->|
 */
#define XYLEM_STORE__HOLD_MS 250
#define XYLEM_STORE__FILL_MS 60
struct xylem_store__piece {
    int64_t begun_ms;   /* 0: the transaction is a caller's, who knows how long it may take */
    uint64_t bytes;     /* the piece is full with so many bytes; 0: not known yet */
    uint64_t bytes_max; /* of any piece; 0: no limit */
    uint64_t written;   /* bytes of this piece so far, counted by the writer */
    bool again;         /* the piece is written again, with a larger map: what the writer did before is undone */
};

/*
 * Runs `write` in a write transaction and commits, and again each time the map must grow. Gives the result of `write`:
 * 1 if the next piece has something to do, else 0. The next piece is smaller if the lock was held for too long.
 */
int xylem_store__write_piece(struct xylem_store__piece *piece, struct xylem_store *store,
                             int (*write)(struct xylem_txn *txn, void *context, struct xylem_error *err), void *context,
                             struct xylem_error *err);
/* After the begin of a transaction that xylem_store__write_piece() did not begin. */
void xylem_store__piece_begin(struct xylem_store__piece *piece);
/* True if the piece has too many bytes, or some bytes and its time to be filled is over. */
bool xylem_store__piece_full(const struct xylem_store__piece *piece);

/* True if the bytes behind the payload, pieces of a line or a reason, have their hash. */
bool xylem_store__line_whole(const struct xylem_entry *entry);

/* xylem_entry_read() without a copy: an error leaves `entry` undefined. */
int xylem_store__entry_read(struct xylem_entry *entry, struct xylem_txn *txn, struct xylem_position position,
                            struct xylem_error *err);

/* --- Log -------------------------------------------------------------------------------------------------------- */

/* A cursor in the log. The entries are verified. */
struct xylem_store__log;
int xylem_store__log_new(struct xylem_store__log **log, struct xylem_txn *txn, struct xylem_error *err);
void xylem_store__log_free(struct xylem_store__log *log);
/* Moves to the entry at a position from a verified record or row; CORRUPT without an entry there. */
int xylem_store__log_seek(struct xylem_entry *entry, struct xylem_store__log *log, struct xylem_position position,
                          struct xylem_error *err);
/* Moves to the neighbour on the same branch: 1, or 0 at the end of the branch. */
int xylem_store__log_previous(struct xylem_entry *entry, struct xylem_store__log *log, struct xylem_error *err);
int xylem_store__log_next(struct xylem_entry *entry, struct xylem_store__log *log, struct xylem_error *err);

/*
 * A walk along the entries of some kinds on one path, newest to oldest. The caller names each kind once. The caller may
 * close a kind between two steps: from then on the walk gives no entry of the kind.
 */
struct xylem_store__walked_kind {
    struct xylem_kind kind;
    bool closed;
    struct xylem_position
        next; /* private: the newest entry of the kind that was not given yet, if known; none: no such entry */
    struct xylem_position named_by; /* private: the record that leads to `next` */
};

struct xylem_store__kind_walk {
    struct xylem_entry at; /* the last given entry */
    uint64_t read_count;   /* entries read, the first entry not counted */
    /* Private. */
    struct xylem_txn *txn;
    struct xylem_store__walked_kind *kinds;
    size_t kind_count;
    struct xylem_store__walked_kind *given; /* the kind of the last given entry */
    bool started;
    bool hopping; /* `next` of each kind is known */
};

/* Starts at the entry `from`, which was read; the walk may give it. `kinds` must outlive the walk. */
void xylem_store__kind_walk_start(struct xylem_store__kind_walk *walk, struct xylem_txn *txn,
                                  const struct xylem_entry *from, struct xylem_store__walked_kind *kinds,
                                  size_t kind_count);
/* 1, with the entry in `walk->at` and its kind; 0 at the end. The walk must not go on after 0 or an error. */
int xylem_store__kind_walk_next(struct xylem_store__walked_kind **kind, struct xylem_store__kind_walk *walk,
                                struct xylem_error *err);

/* xylem_newest_of_kind() from an entry that was already read. */
int xylem_store__newest_of_kind(struct xylem_entry *newest, struct xylem_txn *txn, const struct xylem_entry *from,
                                struct xylem_kind kind, struct xylem_error *err);

/* --- Branches --------------------------------------------------------------------------------------------------- */

/*
 * The skip of a branch leads to an older branch on the path, so that a search for a depth need not visit every
 * branch. The steps of a search grow with the logarithm of the number of branches between. See
 * xylem_store__branch_lay_skip().
 */
struct xylem_store__skip {
    uint64_t level;      /* number of branches on the path, the own branch included */
    uint64_t branch;     /* the older branch, 0 for none */
    uint64_t to_level;   /* the level of the older branch */
    uint64_t last_depth; /* the depth of the last entry of the path on the older branch */
};

struct xylem_store__branch {
    uint64_t number;
    uint64_t session;
    uint64_t first_depth;
    uint64_t
        parent_branch; /* 0: the branch begins at a root; else the fork point is (parent_branch, first_depth - 1) */
    uint64_t previous_branch; /* the previous branch of the session, 0 for none */
    uint64_t end_depth;       /* the last depth after deeper entries were freed; 0: nothing was freed */
    struct xylem_store__skip skip;
};

/* The entry at which a branch begins; none at a root. */
static inline struct xylem_position xylem_store__fork_point(const struct xylem_store__branch *branch)
{
    return (struct xylem_position){branch->parent_branch, branch->first_depth - 1};
}

int xylem_store__branch_read(struct xylem_store__branch *branch, struct xylem_txn *txn, uint64_t number,
                             struct xylem_error *err);
/* The position of the last entry of a branch; and the entry itself. */
int xylem_store__branch_tip(struct xylem_position *tip, struct xylem_txn *txn, uint64_t number,
                            struct xylem_error *err);
int xylem_store__branch_last(struct xylem_entry *last, struct xylem_txn *txn, uint64_t number, struct xylem_error *err);
/* The position of depth `depth` (1 or more, at most that of `from`) on the path of `from`. */
int xylem_store__ancestor_at(struct xylem_position *ancestor, struct xylem_txn *txn, struct xylem_position from,
                             uint64_t depth, struct xylem_error *err);

/* True if a read failed because no entry is there: damage, if a row or a record led to the position. */
static inline bool xylem_store__no_entry(int code)
{
    return code == XYLEM_E_NOT_FOUND || code == XYLEM_E_FREED;
}

static inline bool xylem_store__kind_equal(const struct xylem_kind *a, const struct xylem_kind *b)
{
    return a->kind_class == b->kind_class && xylem_base__view_equal(a->name, b->name);
}

/* --- Writing ---------------------------------------------------------------------------------------------------- */

/* Rows of `ids` to write later. Start with a zeroed struct. */
struct xylem_store__new_ids {
    struct xylem_store__new_id {
        uint64_t hash;
        struct xylem_position position;
    } * list;
    size_t count;
    size_t capacity;
};

/* Adds the hash of the id of an entry. */
int xylem_store__new_id_add(struct xylem_store__new_ids *ids, uint64_t hash, struct xylem_position position,
                            struct xylem_error *err);

/*
 * Writes the rows in the order of the table, so that LMDB visits each page once, and empties the list. No id is looked
 * up: the caller knows that the session has none of the ids. After an error the transaction can only be aborted.
 */
int xylem_store__new_ids_write(struct xylem_txn *txn, uint64_t session, struct xylem_store__new_ids *ids,
                               struct xylem_error *err);

/* Fields of an entry in the store from which the entry is copied. */
struct xylem_store__copied {
    unsigned flags;
    uint64_t payload_hash; /* used only with the flag XYLEM_ENTRY_REDACTED */
};

struct xylem_store__append_options {
    const struct xylem_append_options *given; /* by a host; NULL: the defaults */
    bool imported;                            /* flag the entries, allow the state IMPORTING, leave the leaf alone */
    bool leaf_follows;                        /* of imported entries: the leaf, and the leaf of the last import, move */
    bool payload_checked;                     /* do not parse the payloads: the caller did */
    bool ids_checked;                 /* do not look the ids up: the caller did, and compared them with each other */
    struct xylem_store__new_ids *ids; /* NULL, or the list for the ids; the caller writes the list before the commit */
    const struct xylem_view *lines;   /* NULL, or the imported line of each entry (empty: none) */
    /*
     * NULL, or for each entry its fields in the other store. Allows any state of the session, and leaves the leaf
     * alone.
     */
    const struct xylem_store__copied *copied;
};

/* xylem_append() with the options of imports and repairs. */
int xylem_store__append(struct xylem_position *first, struct xylem_txn *txn, uint64_t session,
                        const struct xylem_new_entry *entries, size_t entry_count,
                        const struct xylem_store__append_options *options, struct xylem_error *err);

/*
 * Creates a session with the fields of `session`. The id must be free. Fills in `number`, the number of entries (0),
 * and `tree` if `tree` is 0 (a new tree).
 */
int xylem_store__session_add(struct xylem_txn *txn, struct xylem_session *session, struct xylem_error *err);
/* The same without the change: the caller tells the change later. */
int xylem_store__session_add_rows(struct xylem_txn *txn, struct xylem_session *session, struct xylem_error *err);
/*
 * The same, with the id and the time of the options, or a new id and the time now. Reads the new row into `session`.
 */
int xylem_store__session_make(struct xylem_session *session, struct xylem_txn *txn, struct xylem_session *row,
                              const struct xylem_session_options *options, struct xylem_error *err);
/* Finds a session in any state by its id in the empty namespace, or in a namespace. Errors: NOT_FOUND. */
int xylem_store__session_find_any(struct xylem_session *session, struct xylem_txn *txn, struct xylem_view id,
                                  struct xylem_error *err);
int xylem_store__session_find_any_in(struct xylem_session *session, struct xylem_txn *txn, struct xylem_view name_space,
                                     struct xylem_view id, struct xylem_error *err);
/* Reads a live session in a write transaction. Errors: NOT_FOUND, DELETED, FREED (not live), READ_ONLY. */
int xylem_store__session_for_fork(struct xylem_session *session, struct xylem_txn *txn, uint64_t number,
                                  struct xylem_error *err);
/* The same, and checks the lease. Errors also: those of xylem_store__lease_check(). */
int xylem_store__session_for_write(struct xylem_session *session, struct xylem_txn *txn, uint64_t number,
                                   struct xylem_error *err);
/* Errors: LIMIT, MALFORMED (of the name of a store that owns a session). */
int xylem_store__owner_check(struct xylem_view owner, struct xylem_error *err);
/* Errors: CONFLICT (the session follows another store: xylem/segment.h). */
int xylem_store__owned_check(const struct xylem_session *session, struct xylem_error *err);
/* Errors: CONFLICT (another handle has a lease of the session, or the lease of this handle was broken). */
int xylem_store__lease_holder_check(struct xylem_txn *txn, const struct xylem_session *session,
                                    struct xylem_error *err);
/* Both: whether this handle may change the session. */
int xylem_store__lease_check(struct xylem_txn *txn, const struct xylem_session *session, struct xylem_error *err);
/* Writes the row anew. */
int xylem_store__session_write(struct xylem_txn *txn, const struct xylem_session *session, struct xylem_error *err);
/*
 * Writes the row of a navigation, and the row of `session` with its new leaf and `move_count`: both rows or none. Moves
 * the history of `session` on, whose views the writes may make invalid.
 */
int xylem_store__move_add(struct xylem_txn *txn, struct xylem_session *session, const struct xylem_move *move,
                          struct xylem_error *err);
/* Leaves a notice that the outline of a session is stale (store/outline.h). */
int xylem_store__outline_notice(struct xylem_txn *txn, uint64_t session, struct xylem_error *err);
/* Decodes the row of a navigation without its sum. */
int xylem_store__move_decode(struct xylem_move *move, uint64_t number, struct xylem_view row, struct xylem_error *err);

/* --- Imports ---------------------------------------------------------------------------------------------------- */

/* The line of an imported entry whose line is gone from the file. */
#define XYLEM_STORE__NO_LINE UINT64_MAX

/*
 * The line of an entry whose lsn is not in the order of the lines: a parent that follows its child in the file, for
 * example.
 */
struct xylem_store__displaced {
    uint64_t lsn;
    uint64_t line; /* or XYLEM_STORE__NO_LINE */
};

/*
 * What an import knows of a file that it consumed to its end: enough for the next import to go on behind the consumed
 * bytes, and to read only the last of them.
 */
struct xylem_store__growth {
    bool known; /* false: the next import reads the whole file */
    uint64_t device;
    uint64_t inode;
    int64_t modified_ns;
    int64_t changed_ns; /* of the inode */
    uint64_t chain;     /* of the blocks before the last block: see `hash` of the source */
    uint64_t line_bytes;
    uint64_t line_hash;         /* of the last consumed line: XXH3-64 */
    uint64_t placed_count;      /* consumed lines with entries */
    uint64_t lsn_max;           /* greatest lsn of the entries whose lines are in the order of lsns */
    uint64_t last_lsn;          /* of the session and its base: newer entries have no consumed line */
    struct xylem_position last; /* the entry of the last line with an entry, or none */
};

/* A session file: its consumed part. Of a noted file nothing is consumed, and only `name` counts. */
struct xylem_store__source {
    struct xylem_view name; /* the file's path */
    uint64_t order;         /* 1 for the first imported file of the session, then ascending; 0: noted */
    uint64_t bytes;         /* consumed, from the beginning of the file */
    uint64_t lines;         /* the header included */
    uint64_t hash;          /* of the consumed bytes, in a chain of blocks: travel/jsonl/prefix.h */
    bool unterminated;      /* the last consumed line has no newline */
    bool elsewhere;         /* on the machine from where the session came: no file here is meant */
    struct xylem_view tail; /* the torn line after the consumed part; empty also if the line is too long to keep */
    uint64_t tail_bytes;
    const struct xylem_store__displaced *displaced; /* by ascending lsn; read: owned by the transaction */
    size_t displaced_count;
    struct xylem_store__growth growth;
};

/* 1 and the row, or 0 if the file was never imported into the session. */
int xylem_store__source_read(struct xylem_store__source *source, struct xylem_txn *txn, uint64_t session,
                             struct xylem_view name, struct xylem_error *err);
/* 1 and the source of order 1, or 0 if the session was not imported. */
int xylem_store__source_first(struct xylem_store__source *source, struct xylem_txn *txn, uint64_t session,
                              struct xylem_error *err);
/* The number of imported files of the session. */
int xylem_store__source_count(uint64_t *count, struct xylem_txn *txn, uint64_t session, struct xylem_error *err);
/* Writes the row of a source. An imported file with the `order` 0 gets the next order. */
int xylem_store__source_write(struct xylem_txn *txn, uint64_t session, struct xylem_store__source *source,
                              struct xylem_error *err);

/* Notes a file of the session without an import: 1, or 0 if the file has a row. */
int xylem_store__source_note(struct xylem_txn *txn, uint64_t session, struct xylem_view name, struct xylem_error *err);

/*
 * Gives every quarantined line of a changed file the number 0, the mark of a line of an earlier version of the file.
 * A line that is quarantined a second time gets its line number back.
 */
int xylem_store__quarantine_retire(struct xylem_txn *txn, uint64_t session, struct xylem_view source,
                                   struct xylem_error *err);

/* Takes the bytes out of a row. The row keeps their place in the file and their number. */
void xylem_store__quarantine_empty(struct xylem_quarantined *row);

/* Puts a line into quarantine: 1, or 0 if the row is there already. */
int xylem_store__quarantine_add(struct xylem_txn *txn, uint64_t session, const struct xylem_quarantined *row,
                                struct xylem_error *err);

/* The search of xylem_redact_matches(). Each function returns 1 for a match, 0 for none, or an error. */
struct xylem_store__matcher {
    int (*text)(void *context, struct xylem_view text, struct xylem_error *err);
    int (*line)(void *context, struct xylem_view line, struct xylem_error *err); /* whole or torn */
    int (*entry)(void *context, const struct xylem_entry *entry, struct xylem_error *err);
    const uint64_t *secret_counts; /* XYLEM_SECRETS_MAX, of the last call; NULL: without the built-in patterns */
    void *context;
};

/* xylem_redact_matches() with the search as functions: patterns belong to travel/jsonl/. */
int xylem_store__redact_matches(struct xylem_redact_report *report, struct xylem_txn *txn,
                                const struct xylem_redact_matches_options *options,
                                const struct xylem_store__matcher *matcher, struct xylem_error *err);

/* Errors: ARGUMENT (none), LIMIT (too long), MALFORMED (no UTF-8). */
int xylem_store__redact_check_reason(struct xylem_view reason, struct xylem_error *err);

/* An entry that its owner redacted in another store. */
struct xylem_store__taken {
    struct xylem_position position; /* first, for the sort */
    struct xylem_view reason;
    bool drops; /* the hash, too: `hash` of the owner comes in its place */
    uint64_t hash;
};

/*
 * Redacts entries as their owner did, in one pass over the checks behind them; sorts the list. The feed tells nothing: a
 * session that follows has the changes of its owner alone. An entry that was redacted so before stays. Gives the number
 * of entries that lost something.
 */
int xylem_store__redact_follow(uint64_t *redacted_count, struct xylem_txn *txn, struct xylem_store__taken *list,
                               size_t count, struct xylem_error *err);

#endif
