/*
 * Leads from an lsn to its entry or change, by the table `feed`. A row covers the lsns of appends that continue each
 * other, one change without an entry, or a run of lsns that tell nothing any more:
 *
 *     first lsn (key)   row
 *      1                change: session 1 was created
 *      2                appended: 3 entries from branch 1, depth 1
 *      5                freed: up to lsn 9
 *     10                appended: 2 entries from branch 2, depth 4
 *     12                skipped: up to lsn 13
 *
 * The rows cover all used lsns above the floor of lsns (store/meta.h), without a gap or an overlap. The rows of a
 * session form a list, newest first, from xylem_session.history on: store/history.h.
 */
#ifndef XYLEM_STORE_FEED_H
#define XYLEM_STORE_FEED_H

#include "store/store.h"
#include "store/lmdb/tables.h"

struct xylem_change;

struct xylem_store__feed {
    uint64_t first_lsn;
    uint64_t last_lsn;
    unsigned tag;                   /* XYLEM_FORMAT__FEED_APPENDED and so on */
    struct xylem_position position; /* APPENDED: of the first entry; a CHANGE of an entry: of the entry; else none */
    unsigned type;                  /* CHANGE: enum xylem_change_type; and so on, as in struct xylem_change */
    uint64_t session;
    uint64_t move_number;
    uint64_t side_lsn;
    struct xylem_view freed_id; /* in the decoded row */
    struct xylem_view freed_name_space;
    uint64_t chain; /* the store's chain behind the row; 0: not known, since the row was cut */
    /* APPENDED, and CHANGE but FREED: of the session. */
    uint64_t history_chain; /* before the row */
    uint64_t ordinal;       /* of the first change */
    uint64_t previous;      /* the first lsn of the row before of the session, 0 for none */
};

/* Decodes a row without its sum. MALFORMED: the fields contradict each other. */
int xylem_store__feed_decode(struct xylem_store__feed *feed, struct xylem_view key, struct xylem_view row);

/* Steps to a row of the table `feed`, and decodes the row: 1, or 0 without such a row. Not for a search by a key. */
int xylem_store__feed_step(struct xylem_store__feed *feed, struct xylem_txn *txn, struct xylem_lmdb__rows *rows,
                           enum xylem_lmdb__step step, struct xylem_error *err);
/* Goes to the last row that begins at or before the lsn: 1, or 0 without such a row. */
int xylem_store__feed_seek(struct xylem_store__feed *feed, struct xylem_txn *txn, struct xylem_lmdb__rows *rows,
                           uint64_t lsn, struct xylem_error *err);

/* Writes a new row, or with `replace` overwrites a row. */
int xylem_store__feed_write(struct xylem_txn *txn, const struct xylem_store__feed *feed, bool replace,
                            struct xylem_error *err);

/* Writes a row that gives lsns to no entry. After an error the transaction cannot be committed. */
int xylem_store__feed_write_change(struct xylem_txn *txn, const struct xylem_store__feed *feed,
                                   struct xylem_error *err);

/* --- feed_tell.c --- */

/*
 * Gives an lsn and an ordinal to a change that appends no entry, and writes the row of the session with its new
 * history. Views from the transaction are invalid afterwards. After an error the transaction cannot be committed.
 */
int xylem_store__feed_add(struct xylem_txn *txn, const struct xylem_change *change, struct xylem_error *err);

/*
 * The same for a session at hand, which the caller writes behind the call: `session` gets the new history. The views of
 * the session outlive writes. `about` and `time_ms`: the entry and the time of a navigation, else as in the change, and
 * 0. A SIDE with the `side_lsn` 0 tells of a row under its own lsn.
 */
int xylem_store__feed_change(struct xylem_txn *txn, struct xylem_session *session, const struct xylem_change *change,
                             struct xylem_position about, int64_t time_ms, struct xylem_error *err);

/* The same for a change that has no more than its type (enum xylem_change_type). */
int xylem_store__feed_tell(struct xylem_txn *txn, uint64_t session, unsigned type, struct xylem_error *err);

/* Notes a change of the session's document, unless the last change of the transaction is a change of the session. */
int xylem_store__feed_document(struct xylem_txn *txn, uint64_t session, struct xylem_error *err);

/* Leaves out the lsns up to `lsn`, if the next lsn is smaller: the next append gets lsn + 1. */
int xylem_store__feed_skip(struct xylem_txn *txn, uint64_t lsn, struct xylem_error *err);

/*
 * Marks the lsns of a run of entries as freed. The run begins at `position` and ends at the end of the branch. Errors:
 * CORRUPT (the table does not lead to the entries).
 */
int xylem_store__feed_free(struct xylem_txn *txn, const struct xylem_store__feed *run, struct xylem_error *err);

/*
 * 1 and the position of the entry with the lsn, which the caller must verify; 0 if the lsn has no entry.
 * `given`: the greatest lsn that the caller knows to be given, or 0. An lsn up to `given` without a row is corruption.
 */
int xylem_store__feed_find(struct xylem_position *position, struct xylem_txn *txn, uint64_t lsn, uint64_t given,
                           struct xylem_error *err);

/*
 * An append extends the last row up to so many entries. A reader whose cursor lies amid a row hashes the entries before:
 * a short wait for 64 entries, and a longer row would save less than a byte an entry.
 */
#define XYLEM_STORE__ROW_ENTRIES_MAX 64u

/* Where the feed ends. */
struct xylem_store__feed_end {
    uint64_t next_lsn;
    uint64_t chain;                /* the store's */
    struct xylem_store__feed last; /* the last row, until the next write; all 0: none */
};

/*
 * For a change that comes next: a store that is a copy begins another life here (store/incarnation.h). `tip` spares a
 * read of the proof that the last row leads to an entry: an entry, already read, that may be the newest. The position
 * none: no such entry. NULL: without the proof, for a change that reads no entry.
 */
int xylem_store__feed_end(struct xylem_store__feed_end *end, struct xylem_txn *txn, const struct xylem_entry *tip,
                          struct xylem_error *err);

#endif
