/*
 * Declares the parts of an import, each for a span of life, and the functions that the files of an import share.
 *
 *     xylem_jsonl__call                  the call: store, options, report. All attempts share the call
 *       xylem_jsonl__import              an attempt: the file, and what earlier imports left in the store
 *         xylem_jsonl__reader            the open file, or lines in memory: where lines come from (reader.h)
 *         xylem_jsonl__placing           what becomes of the lines: entries of a session, or quarantine
 *           xylem_jsonl__batch           one transaction
 *             xylem_jsonl__candidate     one line (reader.h)
 *
 * A placing sees lines only through its reader, and knows neither the call nor the bookmark. So whoever has a reader
 * and a session can place lines.
 */
#ifndef XYLEM_JSONL_IMPORT_H
#define XYLEM_JSONL_IMPORT_H

#include "travel/jsonl/prefix.h"
#include "travel/jsonl/reader.h"
#include "travel/jsonl/run.h"

enum xylem_jsonl__mode {
    XYLEM_JSONL__MODE_NEW = 0, /* the session is not in the store */
    XYLEM_JSONL__MODE_GREW,    /* the consumed bytes are unchanged: only the lines behind the bookmark are new */
    XYLEM_JSONL__MODE_CHANGED  /* every line is matched with the entries of the session */
};

/* How far earlier imports consumed the file: a copy of the row in `sources`, without views. */
struct xylem_jsonl__bookmark {
    bool known;
    uint64_t order;
    uint64_t bytes;
    uint64_t lines;
    uint64_t hash;
    bool unterminated;
    uint64_t tail_bytes;
    struct xylem_store__growth growth;
};

/* How far the import came. A batch is repeated from a copy of the progress. */
struct xylem_jsonl__progress {
    uint32_t cursor;              /* all rows before the cursor are dealt with */
    uint32_t last_row;            /* the last line of the file so far with an entry */
    uint32_t placed_row;          /* the row placed last */
    struct xylem_position placed; /* the position of `placed_row`, once the run is appended */
    struct xylem_position newest; /* the entry added last; none: no entry was added */
    uint64_t lsn_max;             /* greatest lsn of the entries with lines in the order of lsns */
    uint64_t session;             /* 0: not created yet */
    uint64_t last_lsn;            /* of the session, after the last batch of this import */
    uint64_t placed_count;        /* lines of the file with entries, those of earlier imports included */
};

/* Lines of entries whose lsn does not tell their place in the file. */
struct xylem_jsonl__displaced {
    struct xylem_store__displaced *items;
    size_t count;
    size_t capacity;
    bool unsorted; /* the lsns do not ascend */
};

/* A batch. Its memory is kept for the next batch. */
struct xylem_jsonl__batch {
    struct xylem_txn *txn; /* before the first batch: for reading */
    struct xylem_jsonl__run run;
    /* Of a new session: ids not written yet, and positions of the rows from `first_row` on (place.c). */
    struct xylem_store__new_ids ids;
    struct xylem_position *positions; /* none: the row was not placed in this batch, or before its turn */
    size_t position_count;
    size_t position_capacity;
    uint32_t first_row;
    uint32_t *ahead; /* rows dealt with before their turn in this batch */
    size_t ahead_count;
    size_t ahead_capacity;
};

struct xylem_jsonl__placing {
    struct xylem_jsonl__reader *reader;
    struct xylem_import_report *report;
    enum xylem_jsonl__mode mode;
    struct xylem_store__piece piece; /* the size of a batch: no other writer waits for long */
    bool gives_order; /* the session is exported in the order of these lines: displaced lines are noted */
    struct xylem_jsonl__progress progress;
    struct xylem_jsonl__displaced displaced;
    struct xylem_jsonl__batch batch;
    struct xylem_buffer stored; /* the line of a stored entry, for comparison */
};

/* A transaction shared by the imports of several files, or the transaction of a caller with lines in memory. */
struct xylem_jsonl__shared {
    struct xylem_txn *txn; /* NULL: none is open yet */
    uint64_t bytes_left;   /* room for more files */
    bool wrote;            /* the import began to write: a failure ends the transaction */
};

struct xylem_jsonl__call {
    struct xylem_import_report *report;
    struct xylem_store *store;
    const char *path;
    struct xylem_import_options options;
    struct xylem_jsonl__shared *shared; /* NULL: the import has transactions of its own */
    bool overtaken;                     /* another import of the session came in between: begin again */
};

struct xylem_jsonl__import {
    struct xylem_jsonl__call *call;
    struct xylem_jsonl__reader reader;
    struct xylem_jsonl__placing placing;
    /* The store's knowledge of the file and the session. */
    bool importing;                /* the session's import has not finished */
    bool only_tail;                /* the index begins behind the consumed lines */
    struct xylem_buffer source_id; /* the session from which the new session was forked; empty: not in the store */
    struct xylem_jsonl__bookmark bookmark;
    struct xylem_buffer tail;             /* the torn line behind the bookmark */
    struct xylem_jsonl__displaced before; /* the notes of the last import; a changed file begins new notes */
    struct xylem_jsonl__prefix prefix;    /* the hash of the consumed bytes */
};

/* --- import.c --- */

#define XYLEM_JSONL__WANTS_TXN 1   /* there is something to write: open the transaction, and call again */
#define XYLEM_JSONL__WANTS_ROOM 2  /* the shared transaction has too little room for the file */
#define XYLEM_JSONL__WANTS_WHOLE 3 /* inside of an attempt: a line of the tail may repeat a consumed line */

/*
 * Imports a file once. With a shared transaction, the caller opens and ends the transaction. Returns a code, or a WANTS
 * constant.
 */
int xylem_jsonl__attempt(struct xylem_jsonl__call *call, struct xylem_error *err);

/* A new attempt. NULL without memory. */
struct xylem_jsonl__import *xylem_jsonl__import_new(struct xylem_jsonl__call *call);
void xylem_jsonl__import_free(struct xylem_jsonl__import *import);
/* Creates the session of the header in that state, and shares entries with its source. The leaf is the base. */
int xylem_jsonl__create_session(struct xylem_jsonl__import *import, enum xylem_session_state state,
                                struct xylem_error *err);
/* The position of the entry of the file's last line with an entry: 1, or 0 if no line has an entry. */
int xylem_jsonl__last_entry(struct xylem_position *position, struct xylem_jsonl__import *import,
                            struct xylem_error *err);

/* --- catch_up.c: is there anything to do? --- */

/* Begins a transaction for reading until the call of _end(): the shared transaction, if the caller opened it. */
int xylem_jsonl__look_begin(struct xylem_jsonl__import *import, struct xylem_error *err);
void xylem_jsonl__look_end(struct xylem_jsonl__import *import);
/* Finds the mode and the bookmark. 1, or 0 if there is nothing to do; the report then says why. */
int xylem_jsonl__catch_up(struct xylem_jsonl__import *import, struct xylem_error *err);
struct xylem_jsonl__bookmark xylem_jsonl__bookmark_of(const struct xylem_store__source *source);
/* From now on every line is matched with the entries of the session. */
void xylem_jsonl__match_all(struct xylem_jsonl__import *import);
/* Compares the file's header with the session's. A different header goes to quarantine. */
int xylem_jsonl__match_header(struct xylem_jsonl__placing *placing, struct xylem_error *err);
/*
 * After all lines of a changed file: notes the imported entries of the session without a line in the file, and reports
 * entries that vanished from the file since the last import. The store does not remember the source of an entry, so a
 * session with several sources gets no such report.
 */
int xylem_jsonl__find_lineless(struct xylem_jsonl__import *import, struct xylem_error *err);

/* --- resume.c: a file that was consumed in part --- */

/*
 * Marks the rows that earlier imports of the file placed or refused, and sets the cursor behind the consumed lines. 1,
 * or 0 if a line that was placed before its turn changed: the bookmark's hash does not reach that line.
 */
int xylem_jsonl__resume(struct xylem_jsonl__import *import, struct xylem_error *err);
/*
 * The same for an index that begins behind the consumed lines. 1, or 0 if a line has the id of an entry that may have a
 * consumed line: only the whole file tells.
 */
int xylem_jsonl__resume_tail(struct xylem_jsonl__import *import, struct xylem_error *err);

/* --- share.c: entries that a new session shares with its source, the session from which it was forked --- */

/* Finds the source that the header names. May read other files, so the caller has no transaction open. */
int xylem_jsonl__find_source(struct xylem_jsonl__import *import, struct xylem_error *err);
/*
 * Shares the first rows of the file, up to the first row that the source does not have. Sets `base` and `tree` of the
 * new session, and the cursor behind the shared rows. The session is added afterwards.
 */
int xylem_jsonl__share(struct xylem_session *session, struct xylem_jsonl__import *import, struct xylem_error *err);

/* --- place.c: the second pass --- */

/* A batch: deals with rows from the cursor on, until the batch is full or no row is left. Afterwards ids are found. */
int xylem_jsonl__place_batch(struct xylem_jsonl__placing *placing, struct xylem_error *err);
/* Releases the memory of a long line. All views of the line die. */
void xylem_jsonl__placing_trim(struct xylem_jsonl__placing *placing);
void xylem_jsonl__placing_release(struct xylem_jsonl__placing *placing);

/* --- known.c: lines of entries in the session --- */

/*
 * Compares the entry at `stored` with a line below the parent at `parent` (none: a root). 1 if they are the same, else
 * 0.
 */
int xylem_jsonl__same_as_stored(struct xylem_entry *entry, struct xylem_jsonl__placing *placing,
                                struct xylem_position stored, struct xylem_position parent, struct xylem_view text,
                                struct xylem_error *err);
/* Notes the line of an entry, if the entry's lsn does not tell the line. */
int xylem_jsonl__note_lsn(struct xylem_jsonl__placing *placing, uint64_t lsn, uint64_t line, bool displaced,
                          struct xylem_error *err);
/* Sorts the notes by lsn. */
void xylem_jsonl__sort_lsns(struct xylem_jsonl__displaced *displaced);
/* True if the row was placed or put into quarantine, at its turn or before. */
bool xylem_jsonl__is_dealt_with(const struct xylem_jsonl__placing *placing, uint32_t row);
/* Takes back the notes of rows that are not dealt with. Reset the cursor and the marks on rows first. */
void xylem_jsonl__forget_lsns(struct xylem_jsonl__placing *placing);

/* --- redacted.c: a redacted entry does not come back --- */

/* 1 if the line is a redacted entry of the session, or a damaged line that may be a redacted entry; else 0. */
int xylem_jsonl__redacted_line(struct xylem_jsonl__placing *placing, struct xylem_view line, struct xylem_error *err);

/* --- report.c --- */

/* Before another attempt: keeps the counts of committed entries, and clears the rest for the next attempt. */
void xylem_jsonl__report_again(struct xylem_import_report *report);
/*
 * After another attempt: joins its report with the report of the `earlier` attempts. The last attempt matched the
 * entries added by the earlier attempts; the join does not count them twice.
 */
void xylem_jsonl__report_join(struct xylem_import_report *report, const struct xylem_import_report *earlier);
int xylem_jsonl__report_problem(struct xylem_import_report *report, enum xylem_import_problem_type type,
                                bool quarantined, uint64_t line, uint64_t offset, struct xylem_view entry_id,
                                struct xylem_error *err);
/* Reports a problem of a candidate. The line does not go to quarantine. */
int xylem_jsonl__report_candidate(struct xylem_jsonl__placing *placing, const struct xylem_jsonl__candidate *candidate,
                                  enum xylem_import_problem_type type, struct xylem_error *err);
/* Sorts the problems by line. */
void xylem_jsonl__report_sort(struct xylem_import_report *report);
/*
 * Puts bytes of the file into quarantine, and reports the problem. For a line of a redacted entry the quarantine gets
 * only the place of the line, and the problem is REDACTED, whatever `type` says.
 */
int xylem_jsonl__quarantine(struct xylem_jsonl__placing *placing, enum xylem_import_problem_type type, uint64_t line,
                            uint64_t offset, uint64_t bytes, struct xylem_view entry_id, struct xylem_error *err);

#endif
