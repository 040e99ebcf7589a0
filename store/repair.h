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
#ifndef XYLEM_STORE_REPAIR_H
#define XYLEM_STORE_REPAIR_H

#include "store/record.h"
#include "store/salvage.h"

#define XYLEM_STORE__NONE SIZE_MAX

/* The kind of the entry that stands for lost ones. */
#define XYLEM_STORE__LOST_KIND "xylem_lost"
/* What stands in place of the payload of an entry that lost it. */
#define XYLEM_STORE__LOST_REASON "lost: the store was damaged, and a repair kept the entry without its payload"
#define XYLEM_STORE__WITHHELD_REASON \
    "left out: a repair found only an older copy, which may have been redacted or deleted since"

struct xylem_store__repair_session {
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

struct xylem_store__repair_branch {
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
struct xylem_store__repair_entry {
    const struct xylem_store__salvaged *row;
    struct xylem_position now; /* in the new store; none: not there yet */
    uint64_t now_lsn;
};

/* Entries that are missing on one branch, one behind the other. */
struct xylem_store__repair_gap {
    size_t branch;
    uint64_t first;
    uint64_t last;
    struct xylem_position now; /* the placeholder */
    bool placing;
};

struct xylem_store__repair_kind {
    uint32_t number;
    bool lost; /* its name was made up */
    enum xylem_class kind_class;
    struct xylem_buffer name;
};

struct xylem_store__repair {
    const char *from;
    struct xylem_store__salvage *salvage;
    struct xylem_repair_report *report;
    const char *const *(*kinds_of)(unsigned piece); /* xylem_state_kinds() */
    int (*found)(void *context, const struct xylem_problem *problem);
    void *context;
    struct xylem_error *err;
    struct xylem_store__removed removed; /* from the store's `meta`; zero: older rows are taken as they are */
    bool hashes_dropped;                 /* hashes of redacted payloads may have been dropped */
    struct xylem_store__repair_session *sessions;
    size_t session_count;
    size_t session_capacity;
    size_t read_count; /* of these, how many rows were read: they come first, by ascending number */
    size_t *ids;       /* indexes of sessions, plus 1, by their ids: open addressing, at most half full */
    size_t id_count;
    size_t id_capacity;                          /* a power of two */
    struct xylem_store__repair_branch *branches; /* by ascending number */
    size_t branch_count;
    struct xylem_store__repair_entry *entries; /* by ascending position */
    size_t entry_count;
    size_t *by_lsn;                       /* indexes of entries */
    struct xylem_store__repair_gap *gaps; /* by ascending position */
    size_t gap_count;
    size_t gap_capacity;
    struct xylem_store__repair_kind *kinds;
    size_t kind_count;
    size_t kind_capacity;
    struct xylem_store *store;
    struct xylem_txn *txn;
    size_t lost_session;    /* what belongs to no session that is known; XYLEM_STORE__NONE: not needed yet */
    uint64_t batched_bytes; /* since the last commit */
    int64_t time_ms;        /* of the entry that is appended: placeholders get it too */
    bool uncertain;         /* more than is known of may have been there */
    unsigned nested;        /* placeholders that wait for another one */
    struct xylem_base__tree tree;
};

/* Tells the caller of a problem: 0, or STOPPED. */
__attribute__((format(printf, 3, 4))) int xylem_store__repair_found(struct xylem_store__repair *repair,
                                                                    const struct xylem_problem *where,
                                                                    const char *format, ...);

/* --- The plan --------------------------------------------------------------------------------------------------- */

int xylem_store__repair_plan(struct xylem_store__repair *repair);
void xylem_store__repair_release(struct xylem_store__repair *repair);

struct xylem_store__repair_branch *xylem_store__repair_branch_of(const struct xylem_store__repair *repair,
                                                                 uint64_t number);
/* Index of the session that had the number, or NONE. */
size_t xylem_store__repair_session_of(const struct xylem_store__repair *repair, uint64_t old_number);
struct xylem_store__repair_entry *xylem_store__repair_entry_at(const struct xylem_store__repair *repair,
                                                               struct xylem_position old);
struct xylem_store__repair_gap *xylem_store__repair_gap_at(const struct xylem_store__repair *repair,
                                                           struct xylem_position old);
/* Adds a session without a row, whose id is made of `recovered-` and a text. Gives its index. */
int xylem_store__repair_session_add(size_t *index, struct xylem_store__repair *repair, uint64_t old_number,
                                    const char *what);
/* Sessions whose entries share a path are of one tree. Once they are all known. */
void xylem_store__repair_group(struct xylem_store__repair *repair);

/* --- Older rows ------------------------------------------------------------------------------------------------- */

/*
 * Reads the store's format, and its redactions and deletions. `take_all`: as if there were none. Errors: TOO_NEW. Where no
 * copy of the row `format` is left, the repair goes on: each row that is taken proves itself in this version's form.
 */
int xylem_store__repair_older_begin(struct xylem_store__repair *repair, bool take_all);
/* Makes sessions with an older row, or without a row, deleted sessions if they may have been deleted. */
int xylem_store__repair_older_sessions(struct xylem_store__repair *repair);
/* May the text of the session's row have been removed since? */
bool xylem_store__repair_withholds(const struct xylem_store__repair *repair, const struct xylem_store__salvaged *row,
                                   size_t session);
/* Count an older row, taken as a whole or without its text, and tell of the row. Session NONE: of no session. */
int xylem_store__repair_tell_older(struct xylem_store__repair *repair, const struct xylem_store__salvaged *row,
                                   size_t session);
int xylem_store__repair_tell_withheld(struct xylem_store__repair *repair, const struct xylem_store__salvaged *row,
                                      size_t session);
int xylem_store__repair_tell_older_rows(struct xylem_store__repair *repair);

/* --- Kinds ------------------------------------------------------------------------------------------------------ */

/* Reads what is left of the table. */
int xylem_store__repair_kinds_read(struct xylem_store__repair *repair);
/*
 * The kind of a number: as the table says, or as the check of an entry proves, or else one that is made up. Reads other
 * rows to find out. The views live as long as the repair.
 */
int xylem_store__repair_kind_of(struct xylem_kind *kind, bool *lost, struct xylem_store__repair *repair,
                                uint32_t number);

/* --- Copying ---------------------------------------------------------------------------------------------------- */

/* Fills the new store, whose write transaction is open, up to what has to be committed yet. */
int xylem_store__repair_copy(struct xylem_store__repair *repair);
/* Where the entry of an old position is now, or the placeholder in its place, which is appended if need be. */
int xylem_store__repair_place(struct xylem_position *now, struct xylem_store__repair *repair,
                              struct xylem_position old);
/*
 * Puts bytes of the damaged file into quarantine, if the store had no redaction and no deletion. `session` NONE: into that
 * of a session made for them. Views of the session's index may move.
 */
int xylem_store__repair_quarantine(struct xylem_store__repair *repair, size_t session, uint64_t offset,
                                   struct xylem_view raw, uint64_t raw_bytes);
/* Makes the session in the new store, if it is not there. */
int xylem_store__repair_session_make(struct xylem_store__repair *repair, size_t index);
/* Leaves, navigations, sources and quarantine. */
int xylem_store__repair_finish(struct xylem_store__repair *repair);

#endif
