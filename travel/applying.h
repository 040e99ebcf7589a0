/* What the parts of an apply share: apply.c leads, run.c appends entries, document.c and freed.c do what they name. */
#ifndef XYLEM_TRAVEL_APPLYING_H
#define XYLEM_TRAVEL_APPLYING_H

#include "base/numbers.h"
#include "store/find.h"
#include "store/ordinals.h"
#include "travel/travel.h"
#include "xylem/append.h"

/* Entries that follow each other on one branch are appended together. */
#define XYLEM_TRAVEL__RUN_MAX 1024u

struct xylem_travel__taken_side {
    uint64_t lsn; /* in the key of the row */
    struct xylem_view reason;
};

struct xylem_travel__applying {
    struct xylem_txn *txn;
    struct xylem_apply_report *report;
    const struct xylem_apply_options *options;
    struct xylem_error *err;
    struct xylem_travel__reader reader;
    struct xylem_travel__reader begun; /* the reader before the first change */
    struct xylem_session session;      /* as its row is now; the bytes of its views are in `copies` */
    struct xylem_buffer copies;
    bool wrote;
    bool is_whole;              /* session files that the document says to be here are files here */
    uint64_t next;              /* the ordinal that comes next */
    struct xylem_position last; /* of the last entry of the segment so far; none: no entry yet */
    bool has_leaf; /* an entry or a navigation of the segment moved the leaf, without a document: to `leaf` */
    struct xylem_position leaf;
    /* Entries to append, below `parent`. */
    struct xylem_position parent;
    struct xylem_new_entry *entries;
    struct xylem_store__copied *copied;
    struct xylem_view *lines;
    int64_t *times;
    size_t count;
    /* Entries that the owner redacted, to redact at the end of the segment. */
    struct xylem_store__taken *taken;
    size_t taken_count;
    size_t taken_capacity;
    struct xylem_travel__taken_side *taken_sides; /* rows, in the same way */
    size_t taken_side_count;
    size_t taken_side_capacity;
};

/* Reads the row of the session anew, after a write. */
int xylem_travel__read_session(struct xylem_travel__applying *applying, uint64_t number);
/* The position of an entry of the session; none for an empty id. Errors: MALFORMED (the session has no such entry). */
int xylem_travel__place_of(struct xylem_position *position, struct xylem_travel__applying *applying,
                           struct xylem_view id);

/* --- base.c --- */

/* Lists the numbers of all remains of freed sessions of that id, ascending. Free the list in any case. */
int xylem_travel__find_freed(struct xylem_base__numbers *remains, struct xylem_txn *txn, struct xylem_view name_space,
                             struct xylem_view id, struct xylem_error *err);
/* The same for the session of the segment. */
int xylem_travel__find_remains(struct xylem_base__numbers *remains, struct xylem_travel__applying *applying);
/* Finds the session of the segment, in any state. */
int xylem_travel__find_session(struct xylem_session *found, struct xylem_travel__applying *applying);
/* Finds the base of a new session, and its tree. NOT_FOUND: a segment with the base must come first. */
int xylem_travel__find_base(struct xylem_session *made, struct xylem_travel__applying *applying);

/* --- run.c --- */

int xylem_travel__run_add(struct xylem_travel__applying *applying, const struct xylem_travel__change *change);
/* Appends the entries. */
int xylem_travel__run_flush(struct xylem_travel__applying *applying);
/* 1: the entry has the check, or `check` is 0, or the hash of an entry on its path was dropped here; else 0. */
int xylem_travel__check_fits(const struct xylem_travel__applying *applying, struct xylem_position position,
                             uint64_t check);
/* Compares the check of the last entry, unless `check` is 0. Errors: CONFLICT. */
int xylem_travel__run_check(const struct xylem_travel__applying *applying, uint64_t check);
void xylem_travel__run_release(struct xylem_travel__applying *applying);

/* --- taken.c --- */

int xylem_travel__taken_note(struct xylem_travel__applying *applying, struct xylem_position position,
                             const struct xylem_travel__change *change);
/* The same with the row of an lsn, whose text or values are redacted in the change. */
int xylem_travel__taken_note_side(struct xylem_travel__applying *applying, uint64_t lsn,
                                  const struct xylem_travel__change *change);
/* Redacts what was noted. */
int xylem_travel__taken_redact(struct xylem_travel__applying *applying);

/* --- side.c --- */

/* Writes the row of a change, and tells the change. Errors: MALFORMED. */
int xylem_travel__side_make(struct xylem_travel__applying *applying, const struct xylem_travel__change *change);
/* Notes the row of a change with this ordinal for redaction, if its owner redacted the row. */
int xylem_travel__side_take_out(struct xylem_travel__applying *applying, const struct xylem_travel__change *change,
                                uint64_t ordinal);
/* 1 if the row of the store's change is that of the segment's but for redactions, else 0. */
int xylem_travel__side_same(const struct xylem_travel__applying *applying, const struct xylem_change *own,
                            const struct xylem_travel__change *change);

/* --- document.c --- */

/* Puts the document of the segment in the place of the session's; without one, the leaf is the newest place. */
int xylem_travel__apply_document(struct xylem_travel__applying *applying);

/* --- freed.c --- */

/* 1 if the entries are the same but for redactions, else 0. `last` is the entry before in the segment. */
int xylem_travel__same_entry(const struct xylem_travel__applying *applying, const struct xylem_entry *own,
                             const struct xylem_travel__change *change);

/* True if the owner of the segment may change the session, or its remains. */
bool xylem_travel__is_owners(const struct xylem_travel__applying *applying);
/* How a session compares with a segment of remains. */
struct xylem_travel__had {
    bool lacks;   /* an entry of the segment */
    bool differs; /* has another entry under the id of an entry of the segment, or cannot have had its entries */
};

/*
 * Redacts the entries and rows of a session, or of its remains, whose redaction the segment has, if the session follows
 * the owner of the segment. Reads the segment from the beginning.
 */
int xylem_travel__redact_in(struct xylem_travel__had *had, struct xylem_travel__applying *applying, uint64_t number);
/* The same in all remains of the segment's session. */
int xylem_travel__redact_remains(struct xylem_travel__applying *applying);
int xylem_travel__apply_freed(struct xylem_travel__applying *applying);

#endif
