/* Holds the state of an import, and declares the functions that the files of an import share. */
#ifndef XYLEM_JSONL_IMPORT_H
#define XYLEM_JSONL_IMPORT_H

#include "jsonl/header.h"
#include "jsonl/index.h"
#include "jsonl/prefix.h"
#include "jsonl/run.h"

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
};

/* How far the import came. A batch is repeated from a copy of the progress. */
struct xylem_jsonl__progress {
    uint32_t cursor;                  /* all rows before the cursor are dealt with */
    uint64_t batch_bytes;             /* of the lines dealt with in this batch */
    uint32_t last_row;                /* the last line of the file so far with an entry */
    uint32_t placed_row;              /* the row placed last */
    struct xylem_position placed;     /* the position of `placed_row`, once the run is appended */
    struct xylem_jsonl__id placed_id; /* the id of `placed_row` */
    uint64_t lsn_max;                 /* greatest lsn of the entries with lines in the order of lsns */
    uint64_t session;                 /* 0: not created yet */
    uint64_t last_lsn;                /* of the session, after the last batch of this import */
};

/* Lines of entries whose lsn does not tell their place in the file. */
struct xylem_jsonl__displaced {
    struct xylem_store__displaced *items;
    size_t count;
    size_t capacity;
    bool unsorted; /* the lsns do not ascend */
};

/* The positions of the rows placed by a batch of a new session. */
struct xylem_jsonl__batch {
    struct xylem_position *positions; /* none: the row was not placed in this batch, or before its turn */
    size_t count;
    size_t capacity;
    uint32_t first_row; /* the row of positions[0] */
};

/* The ids of the session's redacted entries, read on the first question of a batch. Their lines are not kept. */
struct xylem_jsonl__redacted {
    bool known;
    struct xylem_buffer bytes; /* for each id: length (u32), bytes */
    struct xylem_view *ids;
    size_t count;
};

/* A transaction shared by the imports of several files. */
struct xylem_jsonl__shared {
    struct xylem_txn *txn; /* NULL: none is open yet */
    uint64_t bytes_left;   /* room for more files */
    bool wrote;            /* the import began to write: a failure ends the transaction */
};

struct xylem_jsonl__import {
    /* The call. */
    struct xylem_store *store;
    struct xylem_jsonl__shared *shared; /* NULL: the import has transactions of its own */
    struct xylem_import_options options;
    struct xylem_import_report *report;
    bool overtaken; /* another import of the session came in between: begin again */
    /* The file, and the current line. */
    struct xylem_jsonl__file file;
    struct xylem_jsonl__header header;
    struct xylem_jsonl__index index;
    struct xylem_jsonl__prefix prefix;
    struct xylem_jsonl__window near; /* for lines at their turn */
    struct xylem_jsonl__window far;  /* for all other lines */
    struct xylem_jsonl__parser parser;
    struct xylem_buffer migrated;
    struct xylem_buffer stored; /* the line of a stored entry, for comparison */
    /* The store's knowledge of the file and the session. */
    enum xylem_jsonl__mode mode;
    bool importing;                /* the session's import has not finished */
    bool gives_order;              /* the session is exported in the order of this file: displaced lines are noted */
    struct xylem_buffer source_id; /* the session from which the new session was forked; empty: not in the store */
    struct xylem_jsonl__bookmark bookmark;
    struct xylem_buffer tail; /* the torn line behind the bookmark */
    struct xylem_jsonl__displaced displaced;
    struct xylem_jsonl__displaced before; /* the notes of the last import; a changed file begins `displaced` anew */
    /* The batch. */
    struct xylem_txn *txn;
    struct xylem_jsonl__progress progress;
    struct xylem_jsonl__run run;
    struct xylem_store__new_ids ids; /* of a new session: written at the end of the batch, see batch.c */
    struct xylem_jsonl__batch batch;
    struct {
        uint32_t *rows;
        size_t count;
        size_t capacity;
    } ahead; /* rows dealt with before their turn in this batch */
    struct xylem_jsonl__redacted redacted;
};

/* --- import.c --- */

#define XYLEM_JSONL__WANTS_TXN 1  /* there is something to write: open the transaction, and call again */
#define XYLEM_JSONL__WANTS_ROOM 2 /* the shared transaction has too little room for the file */

/*
 * xylem_import() in a shared transaction. The caller opens and ends the transaction. Returns a code, or a WANTS
 * constant.
 */
int xylem_jsonl__import_shared(struct xylem_import_report *report, struct xylem_store *store, const char *path,
                               const struct xylem_import_options *options, struct xylem_jsonl__shared *shared,
                               struct xylem_error *err);

/* --- look.c --- */

/* Begins a transaction for reading until the call of _end(): the shared transaction, if the caller opened it. */
int xylem_jsonl__look_begin(struct xylem_txn **txn, const struct xylem_jsonl__import *import, struct xylem_error *err);
void xylem_jsonl__look_end(struct xylem_txn *txn, const struct xylem_jsonl__import *import);

/* --- catch_up.c: is there anything to do? --- */

/* Finds the mode and the bookmark. 1, or 0 if there is nothing to do; the report then says why. */
int xylem_jsonl__catch_up(struct xylem_jsonl__import *import, struct xylem_error *err);
struct xylem_jsonl__bookmark xylem_jsonl__bookmark_of(const struct xylem_store__source *source);
/* From now on every line is matched with the entries of the session. */
void xylem_jsonl__match_all(struct xylem_jsonl__import *import);
/* Compares the file's header with the session's. A different header goes to quarantine. */
int xylem_jsonl__match_header(struct xylem_jsonl__import *import, struct xylem_error *err);
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

/* --- batch.c: entries of a batch that are not in `ids` yet --- */

/* Begins a batch at the cursor. */
void xylem_jsonl__batch_begin(struct xylem_jsonl__import *import);
/* Notes the positions of the run's entries; the first entry lies at `first`. */
int xylem_jsonl__batch_note(struct xylem_jsonl__import *import, struct xylem_position first, struct xylem_error *err);
/* The position of the entry of that id and row; NOT_FOUND if the session has none. */
int xylem_jsonl__batch_find(struct xylem_position *position, struct xylem_jsonl__import *import, uint32_t row,
                            struct xylem_view id, struct xylem_error *err);
/* Writes the ids: from then on xylem_find() finds them. */
int xylem_jsonl__batch_write_ids(struct xylem_jsonl__import *import, struct xylem_error *err);

/* --- place.c: the second pass --- */

/* Deals with rows from the cursor on, until the batch is full or no row is left. */
int xylem_jsonl__place_batch(struct xylem_jsonl__import *import, struct xylem_error *err);

/* --- known.c: lines of entries in the session --- */

/*
 * Compares the entry at `stored` with a line below the parent at `parent` (none: a root). 1 if they are the same, else
 * 0.
 */
int xylem_jsonl__same_as_stored(struct xylem_entry *entry, struct xylem_jsonl__import *import,
                                struct xylem_position stored, struct xylem_position parent, struct xylem_view text,
                                struct xylem_error *err);
/* Notes the line of an entry, if the entry's lsn does not tell the line. */
int xylem_jsonl__note_lsn(struct xylem_jsonl__import *import, uint64_t lsn, uint64_t line, bool displaced,
                          struct xylem_error *err);
/* Sorts the notes by lsn. */
void xylem_jsonl__sort_lsns(struct xylem_jsonl__displaced *displaced);
/* True if the row was placed or put into quarantine, at its turn or before. */
bool xylem_jsonl__is_dealt_with(const struct xylem_jsonl__index *index, uint32_t cursor, uint32_t row);
/* Takes back the notes of rows that are not dealt with. Reset the cursor and the marks on rows first. */
void xylem_jsonl__forget_lsns(struct xylem_jsonl__import *import);

/* --- redacted.c: a redacted entry does not come back --- */

/* Forgets the redacted entries: another process may have redacted more since the last batch. */
void xylem_jsonl__redacted_forget(struct xylem_jsonl__redacted *redacted);
/* 1 if the line is a redacted entry of the session, or a damaged line that may be a redacted entry; else 0. */
int xylem_jsonl__redacted_line(struct xylem_jsonl__import *import, struct xylem_view line, struct xylem_error *err);

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
/* Sorts the problems by line. */
void xylem_jsonl__report_sort(struct xylem_import_report *report);
/*
 * Puts bytes of the file into quarantine, and reports the problem. For a line of a redacted entry the quarantine gets
 * only the place of the line, and the problem is REDACTED, whatever `type` says.
 */
int xylem_jsonl__quarantine(struct xylem_jsonl__import *import, enum xylem_import_problem_type type, uint64_t line,
                            uint64_t offset, uint64_t bytes, struct xylem_view entry_id, struct xylem_error *err);

#endif
