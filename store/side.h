/*
 * Reads and writes rows of the table `sides`: what a host's session has beside its entries. The key of a row is an lsn:
 *
 *     RECORD, REPEAT, SHARED   of the change that made the row, which is the place of the row among the entries
 *     VALUES                   of the shared entry, so that a reader of the entry finds the row
 */
#ifndef XYLEM_STORE_SIDE_H
#define XYLEM_STORE_SIDE_H

#include "store/store.h"
#include "xylem/line.h"

#define XYLEM_STORE__SIDE_REDACTED 0x80u /* beside the type in a row: the reason stands in place of bytes or values */

/* True if the row stands for a run of entries, and has no text. */
static inline bool xylem_store__side_ranged(const struct xylem_side *side)
{
    return side->type == XYLEM_SIDE_REPEAT || side->type == XYLEM_SIDE_SHARED;
}

/* The text of a row: reason, bytes or values. */
static inline struct xylem_view *xylem_store__side_text(struct xylem_side *side)
{
    return side->redacted ? &side->reason : side->type == XYLEM_SIDE_RECORD ? &side->bytes : &side->values;
}

/* True if xylem_store__side_check() found a row that fits nothing: else the store could not be read. */
static inline bool xylem_store__side_unfit(int code)
{
    return code == XYLEM_E_NOT_FOUND || code == XYLEM_E_FREED || code == XYLEM_E_MALFORMED || code == XYLEM_E_LIMIT;
}

/* Decodes a row without its sum. MALFORMED: the fields contradict each other. */
int xylem_store__side_decode(struct xylem_side *side, struct xylem_view row);

/* 1 and the row, or 0 without a row at the lsn. */
int xylem_store__side_find(struct xylem_side *side, struct xylem_txn *txn, uint64_t session, uint64_t lsn,
                           struct xylem_error *err);
/* 1 and the next row behind `lsn`, with its lsn; or 0. */
int xylem_store__side_behind(uint64_t *lsn, struct xylem_side *side, struct xylem_txn *txn, uint64_t session,
                             struct xylem_error *err);

/*
 * Writes a row, over a row that is there, and tells the change. `key_lsn` 0: the key is the lsn of the change. `session`
 * is copied, the bytes of `side` outlive writes. Gives the lsn of the key, unless NULL. Values of a redacted entry
 * become a redacted row.
 */
int xylem_store__side_write(uint64_t *lsn, struct xylem_txn *txn, const struct xylem_session *session,
                            const struct xylem_side *side, uint64_t key_lsn, struct xylem_error *err);

/* Takes bytes or values out of a row, and tells the change. A redacted row stays. */
int xylem_store__side_redact(struct xylem_txn *txn, uint64_t session, uint64_t lsn, struct xylem_view reason,
                             struct xylem_error *err);

/* The same as the owner of the session did it: its own change tells it, or none. 1, or 0 without a text to take. */
int xylem_store__side_follow(struct xylem_txn *txn, uint64_t session, uint64_t lsn, struct xylem_view reason,
                             struct xylem_error *err);

/* 1 and the ordinal of the change that made the row of an lsn; 0: no change with that lsn tells of the row. */
int xylem_store__side_told(uint64_t *ordinal, struct xylem_txn *txn, uint64_t session, uint64_t lsn,
                           struct xylem_error *err);

/*
 * Checks a row, and its entry, which is read. Errors: NOT_FOUND (of the session, or of its base's path), LIMIT,
 * MALFORMED (a record of several lines; values that make no line of the entry).
 */
int xylem_store__side_check(struct xylem_entry *entry, struct xylem_txn *txn, const struct xylem_session *session,
                            const struct xylem_side *side, struct xylem_error *err);

/* Puts the line of an entry of the session into `line`, with the session's own values. Errors: as xylem_line_write(). */
int xylem_store__side_line(struct xylem_buffer *line, struct xylem_txn *txn, const struct xylem_session *session,
                           const struct xylem_entry *entry, struct xylem_error *err);

#endif
