/* xylem: small values of programs that work on a store. The rules of xylem.h hold for every call. */
#ifndef XYLEM_NOTE_H
#define XYLEM_NOTE_H

#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Notes ------------------------------------------------------------------------------------------------------ */

#define XYLEM_NOTE_NAME_BYTES_MAX 200u
#define XYLEM_NOTE_VALUE_BYTES_MAX 4096u
#define XYLEM_NOTES_MAX 4096u

/*
 * A value under a name, kept in the store and written in the transaction of whatever else is written: both are
 * committed, or neither. A program that follows the store keeps its cursor here (xylem_feed_cursor()). Begin the name with
 * the program's name and a colon. What belongs to a session belongs into an entry of the session, because a fork, an
 * export and a deletion leave notes alone. A note is no change of the feed.
 */
struct xylem_note {
    struct xylem_view name;  /* UTF-8 without NUL (lone surrogates are taken), 1 to XYLEM_NOTE_NAME_BYTES_MAX bytes */
    struct xylem_view value; /* any bytes, at most XYLEM_NOTE_VALUE_BYTES_MAX */
};

/*
 * Writes a note, in the place of a note of the name. A value with data NULL removes the note; a missing note is no
 * error then.
 *
 * Errors:
 * - LIMIT: the name or the value is too long, or the store has XYLEM_NOTES_MAX other notes
 * - MALFORMED: the name is not UTF-8, or holds a NUL byte
 * - READ_ONLY, MAP_FULL, NO_SPACE, IO, CORRUPT, MEMORY
 */
XYLEM_API int xylem_note_put(struct xylem_txn *txn, struct xylem_view name, struct xylem_view value,
                             struct xylem_error *err);

/*
 * Reads a note. The view lives as long as views of the transaction.
 *
 * Errors:
 * - NOT_FOUND: there is no note of the name
 * - CORRUPT, IO
 */
XYLEM_API int xylem_note_get(struct xylem_view *value, struct xylem_txn *txn, struct xylem_view name,
                             struct xylem_error *err);

/*
 * Iterates over the notes, in the order of the bytes of their names. A write ends the iteration.
 *
 * Errors:
 * - CORRUPT, IO, MEMORY
 */
struct xylem_notes;
XYLEM_API int xylem_notes_new(struct xylem_notes **notes, struct xylem_txn *txn, struct xylem_error *err);
XYLEM_API int xylem_notes_next(struct xylem_note *note, struct xylem_notes *notes, struct xylem_error *err);
XYLEM_API void xylem_notes_free(struct xylem_notes *notes);

#ifdef __cplusplus
}
#endif

#endif
