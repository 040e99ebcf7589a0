/*
 * repair/ saves what a damaged store still proves, into a new store: salvage reads rows from raw pages, repair plans
 * sessions and branches from the rows, then writes them.
 * It never writes to the damaged store, and it does not decide whether a store is damaged (care/ does).
 * Begin reading at repair.c (the steps), then salvage.h (the rows that were found), plan.c and copy.c.
 * Other rooms may include: nothing; xylem.h has the calls.
 */
/*
 * A repair: what the parts of xylem_repair() share.
 *
 * salvage.c gives the rows that prove themselves. repair_plan.c makes sessions and branches of them, finds out which
 * records are used, and where entries are missing. repair_copy.c appends the entries anew in the order of their lsns,
 * with the library's own append; so indexes, heads, links and checks are right by construction.
 *
 * An older record is used only where an entry is missing: at a position in a hole of the log's tree, or at a position that
 * an entry behind it or a row proves. Freed entries are neither. And branch, session and lsn must allow the record.
 * repair_older.c decides which bytes of an older record come along.
 */
#ifndef XYLEM_REPAIR_REPAIR_H
#define XYLEM_REPAIR_REPAIR_H

#include "format/record.h"
#include "repair/salvage.h"

#define XYLEM_REPAIR__NONE SIZE_MAX

/* The kind of the entry that stands for lost ones. */
#define XYLEM_REPAIR__LOST_KIND "xylem_lost"
/* What stands in place of the payload of an entry that lost it. */
#define XYLEM_REPAIR__LOST_REASON "lost: the store was damaged, and a repair kept the entry without its payload"
#define XYLEM_REPAIR__WITHHELD_REASON \
    "left out: a repair found only an older copy, which may have been redacted or deleted since"

struct xylem_repair__session {
    uint64_t old_number;      /* 0: it had none that is known */
    bool known;               /* its row was saved */
    bool current;             /* and the row is of the newest commit, and no newer commit can be lost */
    bool older;               /* or the row may be of an earlier commit */
    struct xylem_session row; /* with the old positions; its views are in `copies` */
    struct xylem_buffer copies;
    size_t group;                 /* index of the first session of its tree */
    uint64_t number;              /* in the new store */
    bool based;                   /* its base was set there */
    bool dated;                   /* it has entries, the first of which says when it was made if nothing else does */
    uint64_t alive_lsn;           /* the last lsn at which the session lived; 0: unknown */
    uint64_t own_count;           /* entries of its branches, saved or in a gap */
    struct xylem_position newest; /* the entry that was appended last, in the new store */
};

struct xylem_repair__branch {
    uint64_t number;
    bool known; /* its row was saved */
    size_t session;
    uint64_t first_depth;
    uint64_t parent_branch;
    uint64_t previous_branch;
    uint64_t end_depth; /* where it ends, as what lay behind was freed; 0: nothing was */
    uint64_t extent;    /* the greatest depth of which something says that it was there */
    size_t entry_begin;
    size_t entry_count;
    size_t gap_begin;
    size_t gap_count;
};

/* An entry to be copied. */
struct xylem_repair__entry {
    const struct xylem_repair__salvaged *row;
    struct xylem_position now; /* in the new store; none: not there yet */
    uint64_t now_lsn;
};

/* Entries that are missing on one branch, one behind the other. */
struct xylem_repair__gap {
    size_t branch;
    uint64_t first;
    uint64_t last;
    struct xylem_position now; /* the placeholder */
    bool placing;
};

struct xylem_repair__kind {
    uint32_t number;
    bool lost; /* its name was made up */
    enum xylem_class kind_class;
    struct xylem_buffer name;
};

/* The damaged store and the caller, from the first look to the report. */
struct xylem_repair__repair {
    const char *from;
    struct xylem_repair__salvage *salvage;
    struct xylem_repair__removed removed; /* from the store's `meta`; zero: older rows are taken as they are */
    bool hashes_dropped;                  /* hashes of redacted payloads may have been dropped */
    bool uncertain;                       /* more than is known of may have been there */
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
    size_t read_count; /* of these, how many rows were read: they come first, by ascending number */
    size_t *ids;       /* indexes of sessions, plus 1, by their ids: open addressing, at most half full */
    size_t id_count;
    size_t id_capacity;                    /* a power of two */
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
    size_t lost_session;    /* what belongs to no session that is known; XYLEM_REPAIR__NONE: not needed yet */
    uint64_t batched_bytes; /* since the last commit */
    int64_t time_ms;        /* of the entry that is appended: placeholders get it too */
    unsigned nested;        /* placeholders that wait for another one */
    struct xylem_base__tree tree;
};

/* --- Telling ---------------------------------------------------------------------------------------------------- */

/* Tells the caller of a problem: 0, or STOPPED. */
__attribute__((format(printf, 3, 4))) int
xylem_repair__found(struct xylem_repair__repair *repair, const struct xylem_problem *where, const char *format, ...);
/* Tells of all that the plan lacks, and counts the losses. */
int xylem_repair__tell_losses(struct xylem_repair__plan *plan);

/* --- The plan --------------------------------------------------------------------------------------------------- */

int xylem_repair__plan(struct xylem_repair__plan *plan);
void xylem_repair__plan_release(struct xylem_repair__plan *plan);

/* Adds a session without a row, whose id is made of `recovered-` and a text. Gives its index. */
int xylem_repair__session_add(size_t *index, struct xylem_repair__plan *plan, uint64_t old_number, const char *what);

/* --- Finding ---------------------------------------------------------------------------------------------------- */

/* The first row of a table whose key is, or begins with, the number; NULL: there is none. */
const struct xylem_repair__salvaged *xylem_repair__row_of(const struct xylem_repair__salvage *salvage,
                                                          enum xylem_format__table table, uint64_t number);
/* All of these rows. */
const struct xylem_repair__salvaged *xylem_repair__rows_of(size_t *count, const struct xylem_repair__salvage *salvage,
                                                           enum xylem_format__table table, uint64_t number);

struct xylem_repair__branch *xylem_repair__branch_of(const struct xylem_repair__plan *plan, uint64_t number);
/* Index of the session that owns the branch, or NONE. */
size_t xylem_repair__session_of_branch(const struct xylem_repair__plan *plan, uint64_t number);
/* Index of the session that had the number, or NONE. */
size_t xylem_repair__session_of(const struct xylem_repair__plan *plan, uint64_t old_number);
struct xylem_repair__entry *xylem_repair__entry_at(const struct xylem_repair__plan *plan, struct xylem_position old);
struct xylem_repair__gap *xylem_repair__gap_at(const struct xylem_repair__plan *plan, struct xylem_position old);

/* --- Older rows ------------------------------------------------------------------------------------------------- */

/*
 * Reads the store's format, and its redactions and deletions. `take_all`: as if there were none. Errors: TOO_NEW. Where no
 * copy of the row `format` is left, the repair goes on: each row that is taken proves itself in this version's form.
 */
int xylem_repair__older_begin(struct xylem_repair__repair *repair, bool take_all);
/* Makes sessions with an older row, or without a row, deleted sessions if they may have been deleted. */
int xylem_repair__older_sessions(struct xylem_repair__plan *plan);
/* Is the row of the newest commit, and can no newer commit be lost? */
bool xylem_repair__current(const struct xylem_repair__repair *repair, const struct xylem_repair__salvaged *row);
/* May the text of the session's row have been removed since? */
bool xylem_repair__withholds(const struct xylem_repair__plan *plan, const struct xylem_repair__salvaged *row,
                             size_t session);
/*
 * Counts an older row, and tells of the row. `withheld`: the row's text was left out. Session NONE: of no session. Does
 * nothing for other rows.
 */
int xylem_repair__tell_older(struct xylem_repair__plan *plan, const struct xylem_repair__salvaged *row, size_t session,
                             bool withheld);
int xylem_repair__tell_older_rows(struct xylem_repair__plan *plan);

/* --- Kinds ------------------------------------------------------------------------------------------------------ */

/* Reads what is left of the table. */
int xylem_repair__kinds_read(struct xylem_repair__plan *plan);
/*
 * The kind of a number: as the table says, or as the check of an entry proves, or else one that is made up. Reads other
 * rows to find out. The views live as long as the repair.
 */
int xylem_repair__kind_of(struct xylem_kind *kind, bool *lost, struct xylem_repair__plan *plan, uint32_t number);

/* --- Copying ---------------------------------------------------------------------------------------------------- */

/* Fills the new store, whose write transaction is open, up to what has to be committed yet. */
int xylem_repair__copy(struct xylem_repair__copying *copying);
/* Where the entry of an old position is now, or the placeholder in its place, which is appended if need be. */
int xylem_repair__place(struct xylem_position *now, struct xylem_repair__copying *copying, struct xylem_position old);
/*
 * Puts bytes of the damaged file into quarantine, if the store had no redaction and no deletion. `session` NONE: into that
 * of a session made for them. Views of the session's index may move.
 */
int xylem_repair__quarantine(struct xylem_repair__copying *copying, size_t session, uint64_t offset,
                             struct xylem_view raw, uint64_t raw_bytes);
/* Makes the session in the new store, if it is not there. */
int xylem_repair__session_make(struct xylem_repair__copying *copying, size_t index);
/* Leaves, navigations, sources and quarantine. */
int xylem_repair__finish(struct xylem_repair__copying *copying);

#endif
