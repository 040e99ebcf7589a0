/* xylem: verifying, repairing and measuring a store. The rules of xylem.h hold for every call. */
#ifndef XYLEM_INSPECT_H
#define XYLEM_INSPECT_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Inspection ------------------------------------------------------------------------------------------------- */

/* A finding of xylem_verify() or xylem_repair(). The views live until the callback returns. */
struct xylem_problem {
    const char *table;              /* the table of the problem; NULL: none, or not known */
    uint64_t page;                  /* the damaged page of data.mdb; 0: none, or a meta page */
    struct xylem_view session_id;   /* data NULL: not known */
    struct xylem_view name_space;   /* of the id; data NULL: the empty one, or not known */
    struct xylem_position position; /* none without an entry; of a whole branch, depth 0 */
    struct xylem_view entry_id;     /* data NULL: not known */
    const char *text;
};

struct xylem_verify_report {
    uint64_t session_count;
    uint64_t branch_count;
    uint64_t entry_count;
    uint64_t row_count;         /* of all tables */
    uint64_t page_count;        /* in use; 0: the pages were not looked at */
    uint64_t leaked_page_count; /* neither in use nor free: lost room, no damage */
    uint64_t problem_count;
    uint64_t unread_table_count;    /* tables with damaged pages, and so with unread rows */
    bool sessions_known;            /* the next member is known, and `damaged` was called */
    uint64_t damaged_session_count; /* of `session_count`; other sessions and their shared entries have no problem */
};

struct xylem_verify_options {
    /*
     * Called after every few pages and rows with the report so far. Anything but 0 ends the call with XYLEM_E_STOPPED.
     */
    int (*progress)(void *context, const struct xylem_verify_report *so_far);
    /*
     * Called at the end for every damaged session: the session or a shared entry has a problem. `session_id` with data
     * NULL: the row of the session is damaged. Anything but 0 ends the call with XYLEM_E_STOPPED.
     */
    int (*damaged)(void *context, uint64_t session, struct xylem_view session_id);
};

/*
 * Reads the whole store: first its pages, without LMDB; then every sum, check, hash and link recomputed along every
 * branch, depths and lsns without gaps, every row backed by its target, every entry found by lookup. Reports every
 * problem, and goes on. The result is 0 at the end of the store, with or without problems. `report`, `options` and
 * `found` may be NULL; `context` goes to all three callbacks.
 *
 * LMDB trusts the pages of its file: a damaged page makes LMDB fault, loop or skip rows. So the call does not read a
 * table with a damaged page and reports another problem; later reads of the table in the same transaction give
 * XYLEM_E_CORRUPT. A page damaged during the transaction can still end the process: a program that must go on verifies
 * in a child process. The pages of changes in the same write transaction are not in the file yet, and are not looked
 * at. After two commits of other writers the pages are the pages of the newest commit.
 *
 * Errors:
 * - STOPPED: a callback answered anything but 0
 * - IO, MEMORY
 */
XYLEM_API int xylem_verify(struct xylem_verify_report *report, struct xylem_txn *txn,
                           const struct xylem_verify_options *options,
                           int (*found)(void *context, const struct xylem_problem *problem), void *context,
                           struct xylem_error *err);

/* The saved and the lost content of a repair. */
struct xylem_repair_report {
    uint64_t session_count; /* in the new store, including sessions made by the repair */
    uint64_t branch_count;
    uint64_t entry_count;         /* saved entries, without placeholders */
    uint64_t lost_entry_count;    /* known former entries, not saved */
    uint64_t damaged_entry_count; /* saved entries without payload, line or name of the kind */
    uint64_t placeholder_count;   /* entries in the place of lost entries */
    uint64_t changed_entry_count; /* saved entries with another history, and so another check */
    uint64_t lost_row_count;      /* of other tables: sessions, kinds, navigations, imports, quarantine, notes */
    uint64_t bad_page_count;      /* of the damaged file */
    uint64_t quarantined_bytes;   /* raw bytes of unsaved entries */
    uint64_t older_count;         /* rows from an older copy, maybe out of date */
    uint64_t withheld_count;      /* rows, maybe redacted or deleted since: without text, or deleted */
    bool complete;                /* nothing was lost or changed: the new store has the whole history */
};

struct xylem_repair_options {
    /*
     * Take older copies unchanged: even payloads that may have been redacted since, and sessions that may have been
     * deleted since.
     */
    bool older;
};

/* The function behind xylem_repair(): `abi` is the XYLEM_ABI of the caller. */
XYLEM_API int xylem_repair_abi(uint32_t abi, struct xylem_repair_report *report, const char *from, const char *to,
                               const struct xylem_repair_options *options,
                               int (*found)(void *context, const struct xylem_problem *problem), void *context,
                               struct xylem_error *err);

/*
 * Copies the verified content of the damaged store in the directory `from` into a new store in the directory `to`,
 * which must be missing or empty, and makes the indexes anew. The call reads the damaged store as a file, without LMDB,
 * and never writes to the damaged store. Positions, lsns and numbers of sessions may change; the uuid changes. The new
 * store is verified before it appears; after an error there is nothing at `to`. `found` gets each problem, with
 * positions in the damaged store. `options`, `report` and `found` may be NULL. Any thread.
 *
 * Losses are marked, not hidden: docs/durability.md ("A repair") says how the new store shows lost entries, payloads
 * and sessions, and how the call treats older copies of rows. `options->older` takes older copies unchanged. Owners of
 * sessions are left behind.
 *
 * Errors:
 * - NOT_FOUND, NOT_A_STORE: of `from`
 * - EXISTS: `to` is not empty
 * - BUSY: another process writes to the damaged store, or replaces it
 * - TOO_NEW: the damaged store has an unknown format or feature
 * - CORRUPT: nothing can be saved, or the new store does not verify
 * - STOPPED: `found` answered anything but 0
 * - ARGUMENT: a missing path; a header with another XYLEM_ABI
 * - IO, NO_SPACE, MAP_FULL, MEMORY
 */
static inline int xylem_repair(struct xylem_repair_report *report, const char *from, const char *to,
                               const struct xylem_repair_options *options,
                               int (*found)(void *context, const struct xylem_problem *problem), void *context,
                               struct xylem_error *err)
{
    return xylem_repair_abi(XYLEM_ABI, report, from, to, options, found, context, err);
}

/* A process with the store open. The view lives until the callback returns. */
struct xylem_holder {
    int64_t pid;
    struct xylem_view program; /* the name, cut to 15 bytes by the system; empty: not known */
    int64_t started_ms;        /* start of the process, not of the use of the store; 0: not known */
    bool known;                /* false: a process of another user; only a lock can be seen */
    bool writes;               /* the store is open for writing */
    bool reads;                /* a read transaction is open */
    uint64_t commits_behind;   /* commits since the oldest read transaction of the process began */
};

/*
 * Calls `found` for each process with the store open, by ascending number, including the calling process. The call
 * reads /proc, so processes in other namespaces are not found.
 *
 * Errors:
 * - STOPPED: `found` answered anything but 0
 * - ARGUMENT: no transaction, or no `found`
 * - IO, MEMORY
 */
XYLEM_API int xylem_holders(struct xylem_txn *txn, int (*found)(void *context, const struct xylem_holder *holder),
                            void *context, struct xylem_error *err);

struct xylem_stat {
    uint32_t format_version;
    uint64_t features;
    unsigned char uuid[16];
    uint64_t file_bytes; /* of data.mdb, up to the last page ever used */
    uint64_t map_bytes;
    uint64_t page_bytes;
    uint64_t free_bytes; /* of reusable pages */
    uint32_t readers;
    uint32_t readers_max;
    /*
     * The oldest read transaction behind the reading transaction: pages freed since its beginning cannot be used again.
     */
    int64_t oldest_reader_pid;           /* 0: none is behind */
    uint64_t oldest_reader_commit_count; /* commits that the oldest reader does not see */
    uint64_t oldest_reader_bytes;        /* of `free_bytes`: unusable until the oldest reader ends */
    struct {
        const char *name;
        uint64_t rows;
        uint64_t bytes; /* of the pages of the table */
        uint64_t depth;
    } tables[XYLEM_TABLE_COUNT];
    uint64_t session_count; /* without freed sessions */
    uint64_t live_count;
    uint64_t deleted_count;
    uint64_t importing_count;
    uint64_t freed_session_count; /* freed sessions with remaining shared entries */
    uint64_t freed_entry_count;   /* entries freed since the creation of the store */
    uint64_t branch_count;
    uint64_t entry_count;
    uint64_t kind_count;
    uint64_t payload_bytes;
    uint64_t line_bytes;  /* that keep lines beside their payloads */
    uint64_t links_bytes; /* of links and heads */
    /* Entries that a redaction has still to redact: the redaction goes on, or was killed (xylem_redact_write()). */
    uint64_t redacting_count;
    uint64_t note_count; /* xylem_note_put() */
};

/*
 * Figures of the store. The call reads the header of every record: the time grows with the entries.
 *
 * Errors:
 * - ARGUMENT: a write transaction; LMDB shows its free pages in a read transaction only
 * - CORRUPT, IO
 */
XYLEM_API int xylem_stat_read(struct xylem_stat *stat, struct xylem_txn *txn, struct xylem_error *err);

/*
 * Gives the uuid of the store, made with the store. A compacted store and a backup have the uuid of their store, a
 * repaired store has a new one. Reads one row.
 *
 * Errors:
 * - CORRUPT, IO
 */
XYLEM_API int xylem_store_uuid(unsigned char uuid[16], struct xylem_txn *txn, struct xylem_error *err);

#ifdef __cplusplus
}
#endif

#endif
