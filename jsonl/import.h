/* An import under way. */
#ifndef XYLEM_JSONL_IMPORT_H
#define XYLEM_JSONL_IMPORT_H

#include "jsonl/header.h"
#include "jsonl/index.h"
#include "jsonl/prefix.h"
#include "jsonl/run.h"

enum xylem_jsonl__mode {
    XYLEM_JSONL__MODE_NEW = 0, /* the session is not in the store */
    XYLEM_JSONL__MODE_GREW,    /* what was consumed still stands in the file: the lines behind it are new */
    XYLEM_JSONL__MODE_CHANGED  /* every line is matched with the entries of the session */
};

/* What the store says about the file: the owned part of a source's row. */
struct xylem_jsonl__bookmark {
    bool known;
    uint64_t order;
    uint64_t bytes;
    uint64_t lines;
    uint64_t hash;
    bool unterminated;
    uint64_t tail_bytes;
};

/* Where the import stands. A batch that has to be done again starts from a copy of it. */
struct xylem_jsonl__progress {
    uint32_t cursor;      /* rows before it are dealt with */
    uint64_t batch_bytes; /* of lines dealt with in this batch */
    uint32_t last_row;    /* the last line of the file so far that is an entry */
    uint32_t placed_row;  /* the row placed last, its position (once its run is appended), and its id */
    struct xylem_position placed;
    struct xylem_jsonl__id placed_id;
    uint64_t lsn_max;  /* of the entries whose lines stand in the order of lsns */
    uint64_t session;  /* 0: not created yet */
    uint64_t last_lsn; /* of the session, as this import left it */
};

/* Where entries stand in the file whose lsns do not say it. */
struct xylem_jsonl__displaced {
    struct xylem_store__displaced *items;
    size_t count;
    size_t capacity;
    bool unsorted; /* not by ascending lsn */
};

/* The positions of the rows that a batch of a new session placed. */
struct xylem_jsonl__batch {
    struct xylem_position *positions; /* none: the row was not placed in this batch, or before its turn */
    size_t count;
    size_t capacity;
    uint32_t first_row; /* of the first one */
};

/* The ids of the session's redacted entries, once a batch asked for them: lines that are these are not kept. */
struct xylem_jsonl__redacted {
    bool known;
    struct xylem_buffer bytes; /* of each its length (u32), and the id */
    struct xylem_view *ids;
    size_t count;
};

/* A transaction that the imports of several files share. */
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
    /* The file, and the line that is read. */
    struct xylem_jsonl__file file;
    struct xylem_jsonl__header header;
    struct xylem_jsonl__index index;
    struct xylem_jsonl__prefix prefix;
    struct xylem_jsonl__window near; /* for lines at their turn */
    struct xylem_jsonl__window far;  /* for others */
    struct xylem_jsonl__parser parser;
    struct xylem_buffer migrated;
    struct xylem_buffer stored; /* a line of the store, to compare with */
    /* What the store says about file and session. */
    enum xylem_jsonl__mode mode;
    bool importing;                /* the session's import has not finished */
    bool gives_order;              /* the order of the session's export follows this file: displaced lines are noted */
    struct xylem_buffer source_id; /* of the session that this new one was forked from; empty: the store has none */
    struct xylem_jsonl__bookmark bookmark;
    struct xylem_buffer tail; /* of the bookmark */
    struct xylem_jsonl__displaced displaced;
    struct xylem_jsonl__displaced before; /* what the last import noted; a file that changed begins `displaced` anew */
    /* The batch. */
    struct xylem_txn *txn;
    struct xylem_jsonl__progress progress;
    struct xylem_jsonl__run run;
    /*
     * The ids of a new session are written at the end of a batch, in the order of their table. Until then a parent's
     * position is known by its row.
     */
    struct xylem_store__new_ids ids;
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

/* xylem_import() in a shared transaction. The caller opens and ends the transaction. Gives a code, or a WANTS above. */
int xylem_jsonl__import_shared(struct xylem_import_report *report, struct xylem_store *store, const char *path,
                               const struct xylem_import_options *options, struct xylem_jsonl__shared *shared,
                               struct xylem_error *err);

/* --- look.c --- */

/* Gives a transaction to read in until the call of _end(): the shared transaction, where the caller opened it. */
int xylem_jsonl__look_begin(struct xylem_txn **txn, const struct xylem_jsonl__import *import, struct xylem_error *err);
void xylem_jsonl__look_end(struct xylem_txn *txn, const struct xylem_jsonl__import *import);

/* --- catch_up.c: what there is to do --- */

/* Finds the mode and the bookmark: 1, or 0 if there is nothing to do; the report then says why. */
int xylem_jsonl__catch_up(struct xylem_jsonl__import *import, struct xylem_error *err);
struct xylem_jsonl__bookmark xylem_jsonl__bookmark_of(const struct xylem_store__source *source);
/* From now on every line is matched with the entries of the session. */
void xylem_jsonl__match_all(struct xylem_jsonl__import *import);
/* Compares the file's header with the session's; another one goes to quarantine. */
int xylem_jsonl__match_header(struct xylem_jsonl__import *import, struct xylem_error *err);
/*
 * Once all lines of a changed file were dealt with: notes which imported entries of the session stand in no line of it,
 * and reports those that have vanished from it since the last import. The store does not remember which source an entry
 * came from, so nothing is reported where there is more than one.
 */
int xylem_jsonl__find_lineless(struct xylem_jsonl__import *import, struct xylem_error *err);

/* --- resume.c: a file that was consumed in part --- */

/*
 * Marks the rows that earlier imports of the file placed or refused, and sets the cursor behind what was consumed: 1, or
 * 0 if lines that were placed before their turn are not the same any more, of which the bookmark knows nothing.
 */
int xylem_jsonl__resume(struct xylem_jsonl__import *import, struct xylem_error *err);

/* --- batch.c: what was placed in a batch, and is not in `ids` yet --- */

/* Begins a batch at the cursor. */
void xylem_jsonl__batch_begin(struct xylem_jsonl__import *import);
/* Notes where the entries of the run lie, the first at `first`. */
int xylem_jsonl__batch_note(struct xylem_jsonl__import *import, struct xylem_position first, struct xylem_error *err);
/* The position of the entry of that id and row; NOT_FOUND if the session has none. */
int xylem_jsonl__batch_find(struct xylem_position *position, struct xylem_jsonl__import *import, uint32_t row,
                            struct xylem_view id, struct xylem_error *err);
/* Writes the ids: from then on they are found in the session. */
int xylem_jsonl__batch_write_ids(struct xylem_jsonl__import *import, struct xylem_error *err);

/* --- place.c: the second pass --- */

/* Deals with rows from the cursor on, until the batch is full or no row is left. */
int xylem_jsonl__place_batch(struct xylem_jsonl__import *import, struct xylem_error *err);

/* --- known.c: lines whose id the session has --- */

/* Is the entry at `stored` what the line says, below the parent at `parent` (none: a root)? 1 or 0. */
int xylem_jsonl__same_as_stored(struct xylem_entry *entry, struct xylem_jsonl__import *import,
                                struct xylem_position stored, struct xylem_position parent, struct xylem_view text,
                                struct xylem_error *err);
/* Notes at which line an entry stands, where its lsn does not say it. */
int xylem_jsonl__note_lsn(struct xylem_jsonl__import *import, uint64_t lsn, uint64_t line, bool displaced,
                          struct xylem_error *err);
/* Brings what was noted into the order of lsns. */
void xylem_jsonl__sort_lsns(struct xylem_jsonl__displaced *displaced);
/* True if the row was placed or put into quarantine, at its turn or before. */
bool xylem_jsonl__is_dealt_with(const struct xylem_jsonl__import *import, uint32_t row);
/* Takes back what was noted of rows that are not dealt with, the cursor and the marks on rows being set back already. */
void xylem_jsonl__forget_lsns(struct xylem_jsonl__import *import);

/* --- redacted.c: what was taken out of the store does not come back --- */

/* Forgets what is known of redacted entries: another process may have redacted more since the last batch. */
void xylem_jsonl__redacted_forget(struct xylem_jsonl__redacted *redacted);
/* Is the line a redacted entry of the session, or, where it is damaged, may it be one? 1 or 0. */
int xylem_jsonl__redacted_line(struct xylem_jsonl__import *import, struct xylem_view line, struct xylem_error *err);

/* --- report.c --- */

/* Before another attempt: keeps the counts of committed entries, and clears the rest, which the next attempt fills anew. */
void xylem_jsonl__report_again(struct xylem_import_report *report);
/*
 * After another attempt: joins its report with that of the `earlier` attempts. The last attempt matched the entries that
 * the earlier ones added; such entries are not counted twice.
 */
void xylem_jsonl__report_join(struct xylem_import_report *report, const struct xylem_import_report *earlier);
int xylem_jsonl__report_problem(struct xylem_import_report *report, enum xylem_import_problem_type type,
                                bool quarantined, uint64_t line, uint64_t offset, struct xylem_view entry_id,
                                struct xylem_error *err);
/* Sorts the problems by line. */
void xylem_jsonl__report_sort(struct xylem_import_report *report);
/*
 * Puts bytes of the file into quarantine, and reports the problem. Of a line that is a redacted entry only the place is
 * put there, and the problem is REDACTED, whatever `type` says.
 */
int xylem_jsonl__quarantine(struct xylem_jsonl__import *import, enum xylem_import_problem_type type, uint64_t line,
                            uint64_t offset, uint64_t bytes, struct xylem_view entry_id, struct xylem_error *err);

#endif
