/* xylem: sessions of other hosts, whose files keep lines. The rules of xylem.h hold for every call. */
#ifndef XYLEM_LINE_H
#define XYLEM_LINE_H

#include "append.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Lines as entries -------------------------------------------------------------------------------------------- */

/*
 * An entry of the format XYLEM_FORMAT_LINE is a line of a host's file as it is. The holes of the line are not part of
 * its payload: so payload hash and check are those of the text alone, and a host's fork, which copies lines and changes
 * a few values, shares the entries of its source. A value comes from the first of these:
 *
 *     the session's own values      xylem_line_share()
 *     the values of the entry       as it was appended
 *     the id of the session         in a hole where the entry has the id of its own session
 */

/*
 * Appends the line to `buffer`, as the session has it. `entry` comes from the same transaction. After an error the
 * buffer is unchanged.
 *
 * Errors:
 * - NOT_FOUND: of the session, or of the entry in the session
 * - ARGUMENT: the entry has another format
 * - REDACTED: the entry, or the session's own values
 * - CORRUPT, IO, MEMORY
 */
XYLEM_API int xylem_line_write(struct xylem_buffer *buffer, struct xylem_txn *txn, uint64_t session,
                               const struct xylem_entry *entry, struct xylem_error *err);

/*
 * 1 if the line is the line of the entry but for the values of its holes; 0 if not, or if the entry is redacted without
 * its hash. An importer asks so whether an entry of the source of a fork can be shared. `form` as for xylem_append().
 *
 * Errors:
 * - ARGUMENT: of the form
 * - CORRUPT, MEMORY
 */
XYLEM_API int xylem_line_same(const struct xylem_entry *entry, struct xylem_view line,
                              const struct xylem_line_form *form, struct xylem_error *err);

/*
 * Gives the session its own values in an entry that it shares: from now on the session reads `line`. 1, or 0 if the
 * session reads the same line without values of its own.
 *
 * Errors:
 * - NOT_FOUND: of the session, or the session does not share the entry
 * - MALFORMED: xylem_line_same() gives 0; or the line is no object, or has a newline
 * - EXISTS: the session has other values of its own in the entry
 * - REDACTED, ARGUMENT, and those of xylem_append()
 */
XYLEM_API int xylem_line_share(struct xylem_txn *txn, uint64_t session, struct xylem_position position,
                               struct xylem_view line, const struct xylem_line_form *form, struct xylem_error *err);

/* --- Rows beside entries ------------------------------------------------------------------------------------------ */

enum xylem_side_type {
    XYLEM_SIDE_RECORD = 0, /* a line that is no entry: without an id, without a place in the tree */
    XYLEM_SIDE_REPEAT = 1, /* entries came again here, with the same bytes */
    XYLEM_SIDE_SHARED = 2, /* entries of the path of the base came here, and not at the beginning */
    XYLEM_SIDE_VALUES = 3  /* written by xylem_line_share() */
};

/* A row beside the entries of a session. Views live as those of an entry. */
struct xylem_side {
    enum xylem_side_type type;
    unsigned dialect;               /* RECORD: 0 to 255 */
    struct xylem_view bytes;        /* RECORD: the line, at most XYLEM_LINE_BYTES_MAX */
    struct xylem_position position; /* but RECORD: an entry of the session; REPEAT, SHARED: the last of the entries */
    uint64_t count;                 /* REPEAT, SHARED: so many entries of the path of `position` */
    bool redacted;                  /* read: of a RECORD or VALUES nothing but the reason is left */
    struct xylem_view reason;
    struct xylem_view values; /* private */
};

/*
 * Adds a row of a type but VALUES. The row is a change of the session, with an lsn (into `lsn`, unless NULL) and an
 * ordinal, as an append is. The bytes behind `side` must not be views of the same transaction.
 *
 * Errors:
 * - ARGUMENT: of the type, the dialect or the count
 * - LIMIT: the line is too long
 * - MALFORMED: the line has a newline
 * - NOT_FOUND: of the session, of the entry in the session, or SHARED: on the path of its base
 * - those of xylem_append()
 */
XYLEM_API int xylem_side_add(uint64_t *lsn, struct xylem_txn *txn, uint64_t session, const struct xylem_side *side,
                             struct xylem_error *err);

/*
 * Reads the row of a change of the type XYLEM_CHANGE_SIDE, by its `side_lsn`.
 *
 * Errors:
 * - NOT_FOUND: of such a row
 * - CORRUPT, IO
 */
XYLEM_API int xylem_side_read(struct xylem_side *side, struct xylem_txn *txn, uint64_t session, uint64_t lsn,
                              struct xylem_error *err);

/* --- The stream --------------------------------------------------------------------------------------------------- */

/* A line of a session's stream. */
struct xylem_stream_line {
    struct xylem_view bytes;        /* lives until the next call; empty of a redacted line */
    struct xylem_position position; /* of the entry; none: of a record */
    uint64_t lsn;                   /* of the entry, or of the record */
    bool again;                     /* a repeat */
    bool redacted;                  /* the entry, the session's own values in it, or the record */
};

/*
 * The lines of a session as its host wrote them, first to last: the entries of the format LINE and the records, in the
 * order of lsns. A fork begins with the path of its base, as the fork has the lines; where the fork has rows SHARED, the
 * path stands there alone. The records and repeats of the source are not the fork's. A write ends the iteration.
 *
 * Errors:
 * - NOT_FOUND: of the session
 * - CORRUPT, IO, MEMORY
 */
struct xylem_stream;
XYLEM_API int xylem_stream_new(struct xylem_stream **stream, struct xylem_txn *txn, uint64_t session,
                               struct xylem_error *err);
XYLEM_API int xylem_stream_next(struct xylem_stream_line *line, struct xylem_stream *stream, struct xylem_error *err);
XYLEM_API void xylem_stream_free(struct xylem_stream *stream);

#ifdef __cplusplus
}
#endif

#endif
