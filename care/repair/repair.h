/*
 * repair/ copies the readable, checked rows of a damaged store into a new store.
 * repair/ never writes to the damaged store, and does not decide whether a store is damaged (care/ does).
 * Begin reading at repair.c (the steps), then salvage.h (the rows that were found), plan.c and copy.c.
 * Other rooms may include: nothing; xylem.h has the calls.
 */
/*
 * The parts of a repair:
 *
 *   damaged data.mdb ──> salvage.c ──> plan.c ──> copy.c ──> finish.c ──> repair.c
 *                        rows          sessions,  entries    leaves,      verify, then
 *                                      branches,  and place- moves,       rename the
 *                                      gaps       holders    sources      new store
 *
 *   salvage.c   reads the rows that prove themselves from raw pages (salvage.h).
 *   plan.c      builds sessions and branches from the rows, chooses the records, and finds the missing entries.
 *   copy.c      appends the entries in the order of their lsns. The library's own append makes indexes, heads, links
 *               and checks anew, so indexes, heads, links and checks are right by construction.
 *   finish.c    writes the rows that need the entries: leaves, navigations, sources, quarantine.
 *   older.c     decides which text of an older row comes along.
 *
 * An older record (salvage.h) is used only where the plan lacks an entry:
 *
 *   the position lies in a hole of the log's tree                 used
 *   a later entry of the branch, or a row, proves the position    used
 *   the position lies behind the end of a freed branch            not used
 *   branch, session or lsn contradict the record                  not used
 */
#ifndef XYLEM_REPAIR_REPAIR_H
#define XYLEM_REPAIR_REPAIR_H

#include "care/repair/salvage.h"
#include "store/format/record.h"
#include "xylem/inspect.h"

#define XYLEM_REPAIR__NONE SIZE_MAX

/* The kind of a placeholder: one entry in place of a run of lost entries. */
#define XYLEM_REPAIR__LOST_KIND "xylem_lost"
/* The texts that replace a lost or withheld payload. */
#define XYLEM_REPAIR__LOST_REASON "lost: the store was damaged, and a repair kept the entry without its payload"
#define XYLEM_REPAIR__WITHHELD_REASON \
    "left out: a repair found only an older copy, which may have been redacted or deleted since"

struct xylem_repair__session {
    uint64_t old_number;      /* in the damaged store; 0: unknown */
    bool known;               /* the session's row was saved */
    bool current;             /* the row is of the newest commit, and no newer commit can be lost */
    bool older;               /* the row may be of an earlier commit */
    struct xylem_session row; /* with the old positions; the views lie in `copies` */
    struct xylem_buffer copies;
    size_t group;                 /* index of the first session of its tree */
    uint64_t tree;                /* of the first session of a tree: in the new store */
    uint64_t number;              /* in the new store */
    bool waiting;                 /* for the session of its base */
    bool based;                   /* the base was set in the new store */
    bool dated;                   /* an entry was appended: the first entry dates a session without a row */
    uint64_t alive_lsn;           /* the last lsn at which the session lived; 0: unknown */
    uint64_t own_count;           /* entries of the session's branches, saved or in a gap */
    struct xylem_position newest; /* the last appended entry, in the new store */
};

struct xylem_repair__branch {
    uint64_t number;
    bool known; /* the branch's row was saved */
    size_t session;
    uint64_t first_depth;
    uint64_t parent_branch;
    uint64_t previous_branch;
    uint64_t end_depth; /* entries behind this depth were freed; 0: no entry was freed */
    uint64_t extent;    /* the greatest depth that a row or a record proves */
    size_t entry_begin;
    size_t entry_count;
    size_t gap_begin;
    size_t gap_count;
};

/* An entry to be copied. */
struct xylem_repair__entry {
    const struct xylem_repair__salvaged *row;
    struct xylem_position now; /* in the new store; none: not copied yet */
    uint64_t now_lsn;
};

/* A run of missing entries on one branch, from depth `first` to depth `last`. */
struct xylem_repair__gap {
    size_t branch;
    uint64_t first;
    uint64_t last;
    struct xylem_position now; /* the placeholder */
    bool placing;
};

struct xylem_repair__kind {
    uint32_t number;
    bool lost; /* the name was made up */
    enum xylem_class kind_class;
    struct xylem_buffer name;
};

/* The damaged store and the caller, from the first look to the report. */
struct xylem_repair__repair {
    const char *from;
    struct xylem_repair__salvage *salvage;
    struct xylem_repair__removed removed; /* from the store's `meta`; zero: older rows keep their text */
    bool hashes_dropped;                  /* hashes of redacted payloads may have been dropped */
    bool uncertain;                       /* the damaged store may have had entries that no row tells of */
    struct xylem_repair_report *report;
    int (*found)(void *context, const struct xylem_problem *problem);
    void *context;
    struct xylem_error *err;
};

/* The sessions, branches, entries, gaps and kinds that the new store is to hold. */
struct xylem_repair__plan {
    struct xylem_repair__repair *repair;
    struct xylem_repair__session *sessions;
    size_t session_count;
    size_t session_capacity;
    size_t read_count;                     /* sessions with a row: they come first, by ascending number */
    void *ids;                             /* the ids of the sessions, a tree of tsearch() */
    struct xylem_repair__branch *branches; /* by ascending number */
    size_t branch_count;
    struct xylem_repair__entry *entries; /* by ascending position */
    size_t entry_count;
    size_t *by_lsn;                 /* indexes of entries */
    struct xylem_repair__gap *gaps; /* by ascending position */
    size_t gap_count;
    size_t gap_capacity;
    struct xylem_repair__kind *kinds;
    size_t kind_count;
    size_t kind_capacity;
};

/* The new store while it is filled. */
struct xylem_repair__copying {
    struct xylem_repair__repair *repair;
    struct xylem_repair__plan *plan; /* with the places of entries and gaps in the new store */
    struct xylem_store *store;
    struct xylem_txn *txn;
    size_t lost_session; /* owns bytes without a known session; XYLEM_REPAIR__NONE: not made yet */
    bool told;           /* the feed has told of all sessions: a session that is made now is told at once */
    const struct xylem_repair__salvaged **sides; /* rows of `sides` with a place among the entries, by their lsns */
    size_t side_count;
    size_t side_next;       /* rows before it are copied */
    uint64_t batched_bytes; /* since the last commit */
    int64_t time_ms;        /* of the current entry; placeholders get the same time */
    unsigned nested;        /* placeholders that wait for the placeholder of their parent */
    struct xylem_base__tree tree;
};

/* --- Telling ---------------------------------------------------------------------------------------------------- */

/* Tells the caller of a problem: 0, or STOPPED. */
__attribute__((format(printf, 3, 4))) int
xylem_repair__found(struct xylem_repair__repair *repair, const struct xylem_problem *where, const char *format, ...);
/* Reports and counts the losses that the plan knows. */
int xylem_repair__tell_losses(struct xylem_repair__plan *plan);

/* --- The plan --------------------------------------------------------------------------------------------------- */

int xylem_repair__plan(struct xylem_repair__plan *plan);
void xylem_repair__plan_release(struct xylem_repair__plan *plan);

/* Adds a session without a row, with an id of `recovered-` and `what`. Gives the session's index. */
int xylem_repair__session_add(size_t *index, struct xylem_repair__plan *plan, uint64_t old_number, const char *what);

/* --- Finding ---------------------------------------------------------------------------------------------------- */

/* The first row of a table with a key that is, or begins with, the number; NULL: there is no such row. */
const struct xylem_repair__salvaged *xylem_repair__row_of(const struct xylem_repair__salvage *salvage,
                                                          enum xylem_format__table table, uint64_t number);
/* All rows of a table with a key that is, or begins with, the number. */
struct xylem_repair__rows xylem_repair__rows_of(const struct xylem_repair__salvage *salvage,
                                                enum xylem_format__table table, uint64_t number);

/*
 * Reads and decodes the record of a proven row. The views of `entry` and `content` lie in `copy`; `copy` NULL: they
 * live until the next row is read.
 */
int xylem_repair__record_read(struct xylem_entry *entry, struct xylem_repair__content *content,
                              struct xylem_buffer *copy, struct xylem_repair__repair *repair,
                              const struct xylem_repair__salvaged *row);

struct xylem_repair__branch *xylem_repair__branch_of(const struct xylem_repair__plan *plan, uint64_t number);
/* Index of the session that owns the branch, or NONE. */
size_t xylem_repair__session_of_branch(const struct xylem_repair__plan *plan, uint64_t number);
/* Index of the session that had the number, or NONE. */
size_t xylem_repair__session_of(const struct xylem_repair__plan *plan, uint64_t old_number);
struct xylem_repair__entry *xylem_repair__entry_at(const struct xylem_repair__plan *plan, struct xylem_position old);
struct xylem_repair__gap *xylem_repair__gap_at(const struct xylem_repair__plan *plan, struct xylem_position old);

/* --- Older rows ------------------------------------------------------------------------------------------------- */

/*
 * Reads the store's format, and the marks of the last redaction and deletion. `take_all` ignores the marks. Where no
 * copy of the row `format` is left, the repair goes on: each row proves itself in this version's form. Errors: TOO_NEW.
 */
int xylem_repair__older_begin(struct xylem_repair__repair *repair, bool take_all);
/* Turns a session with an older row, or without a row, into a deleted session if the session may have been deleted. */
int xylem_repair__older_sessions(struct xylem_repair__plan *plan);
/* True if the row is of the newest commit, and no newer commit can be lost. */
bool xylem_repair__current(const struct xylem_repair__repair *repair, const struct xylem_repair__salvaged *row);
/* True if the row's text may have been redacted or deleted since. `session` NONE: the row belongs to no session. */
bool xylem_repair__withholds(const struct xylem_repair__plan *plan, const struct xylem_repair__salvaged *row,
                             size_t session);
/*
 * Counts and reports an older row; does nothing for other rows. `withheld`: the row's text was left out. Session NONE:
 * the row belongs to no session.
 */
int xylem_repair__tell_older(struct xylem_repair__plan *plan, const struct xylem_repair__salvaged *row, size_t session,
                             bool withheld);
int xylem_repair__tell_older_rows(struct xylem_repair__plan *plan);

/* --- Kinds ------------------------------------------------------------------------------------------------------ */

/* Reads the rows that are left of the table `kinds`. */
int xylem_repair__kinds_read(struct xylem_repair__plan *plan);
/*
 * The kind of a number: the table's name, else the name that the check of an entry proves, else a made-up name. Reads
 * other rows, so views of earlier rows die. The views of `kind` live as long as the repair.
 */
int xylem_repair__kind_of(struct xylem_kind *kind, bool *lost, struct xylem_repair__plan *plan, uint32_t number);

/* --- Copying ---------------------------------------------------------------------------------------------------- */

/*
 * Appends all entries to the new store. `copying->txn` is an open write transaction; the caller commits the last one.
 */
int xylem_repair__copy(struct xylem_repair__copying *copying);
/* Copies a row beside entries, whose entry is copied: rows with a place among the entries in the order of their lsns. */
int xylem_repair__copy_side(struct xylem_repair__copying *copying, const struct xylem_repair__salvaged *row);
/*
 * The new position of the entry at an old position: 1; 0: neither an entry nor a gap is known there. Appends the
 * placeholder of a gap if the placeholder is not there yet.
 */
int xylem_repair__place(struct xylem_position *now, struct xylem_repair__copying *copying, struct xylem_position old);
/*
 * Puts bytes of the damaged file into a session's quarantine. Does nothing if the store had a redaction or a deletion:
 * the bytes may have been removed. `session` NONE: a session is made for such bytes, so pointers into `plan->sessions`
 * die.
 */
int xylem_repair__quarantine(struct xylem_repair__copying *copying, size_t session, uint64_t offset,
                             struct xylem_view raw, uint64_t raw_bytes);
/*
 * Reads a session's row in the new store. `copies` is empty, and gets the bytes that the row's views need. The caller
 * releases `copies` also after an error.
 */
int xylem_repair__session_made(struct xylem_session *made, struct xylem_buffer *copies,
                               struct xylem_repair__copying *copying, size_t index);
/* Writes leaves, navigations, sources and quarantine. */
int xylem_repair__finish(struct xylem_repair__copying *copying);

#endif
