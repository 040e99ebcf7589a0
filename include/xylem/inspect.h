/* xylem: verifying, repairing and measuring a store. The rules of xylem.h hold for every call. */
#ifndef XYLEM_INSPECT_H
#define XYLEM_INSPECT_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Inspection ------------------------------------------------------------------------------------------------- */

/* Something that xylem_verify() found. The views live until the callback returns. */
struct xylem_problem {
    const char *table;              /* the table that it was found in; NULL: in none, or not known */
    uint64_t page;                  /* of data.mdb, where it is the page that is wrong; 0: none, or a meta page */
    struct xylem_view session_id;   /* data NULL: not known */
    struct xylem_position position; /* none where it is no entry; of a branch as a whole, depth 0 */
    struct xylem_view entry_id;     /* data NULL: not known */
    const char *text;
};

struct xylem_verify_report {
    uint64_t session_count;
    uint64_t branch_count;
    uint64_t entry_count;
    uint64_t row_count;         /* of all tables */
    uint64_t page_count;        /* that are in use; 0: the pages were not looked at */
    uint64_t leaked_page_count; /* neither in use nor free: room that is lost, no damage */
    uint64_t problem_count;
    uint64_t unread_table_count;    /* whose pages are damaged, so that their rows were not read */
    bool sessions_known;            /* the next is known, and `damaged` was told */
    uint64_t damaged_session_count; /* of `session_count`; the others have no problem, nor has what they share */
};

struct xylem_verify_options {
    /* Called after every few pages and rows with what was found so far. Anything but 0 ends it with XYLEM_E_STOPPED. */
    int (*progress)(void *context, const struct xylem_verify_report *so_far);
    /*
     * Called at the end for every session that is not whole: it, or an entry that it shares, has a problem. `session_id`:
     * data NULL where its row is damaged. Anything but 0 ends it with XYLEM_E_STOPPED.
     */
    int (*damaged)(void *context, uint64_t session, struct xylem_view session_id);
};

/*
 * Reads the whole store: first its pages, without LMDB; then every sum, check, hash and link recomputed along every
 * branch, depths and lsns gapless, every row backed by what it leads to, every entry found by lookup. Reports every
 * problem, and goes on.
 * LMDB trusts the pages of its file: a damaged one makes it fault, loop or skip rows. So a table with a damaged page is
 * not read, which is a problem of its own, and from then on each call that would read it in this transaction fails with
 * XYLEM_E_CORRUPT. A page that is damaged while the transaction runs can still end the process: a program that must go on
 * runs this in a child process.
 * What a write transaction changed does not lie in the file yet, so there the pages are not looked at.
 * If others committed twice since the transaction began, the pages are those of the newest commit.
 * Returns 0 when it came to the end, whatever it found. `report`, `options` and `found` may be NULL; `context` goes to
 * all three callbacks.
 * Errors: STOPPED (a callback answered anything but 0), MEMORY, IO.
 */
XYLEM_API int xylem_verify(struct xylem_verify_report *report, struct xylem_txn *txn,
                           const struct xylem_verify_options *options,
                           int (*found)(void *context, const struct xylem_problem *problem), void *context,
                           struct xylem_error *err);

/* What a repair saved, and what it could not save. */
struct xylem_repair_report {
    uint64_t session_count; /* in the new store; those that a repair had to make included */
    uint64_t branch_count;
    uint64_t entry_count;         /* saved: placeholders are not counted */
    uint64_t lost_entry_count;    /* known to have been there, and not saved */
    uint64_t damaged_entry_count; /* of those saved, entries that lost their payload, their line or their kind's name */
    uint64_t placeholder_count;   /* entries that stand for lost ones */
    uint64_t changed_entry_count; /* entries saved whose check is another one, as their history is */
    uint64_t lost_row_count;      /* of other tables: sessions, kinds, navigations, imports, quarantine */
    uint64_t bad_page_count;      /* of the damaged file */
    uint64_t quarantined_bytes;   /* raw bytes of what was not saved */
    uint64_t older_count;         /* rows saved from an older copy: they may be out of date */
    uint64_t withheld_count;      /* rows that may have been redacted or deleted since: without text, or deleted */
    bool complete;                /* nothing of the above was lost or changed: the new store has the whole history */
};

struct xylem_repair_options {
    /*
     * Take older copies as they are: also payloads that may have been redacted since, and sessions that may have been
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
 * Copies everything that verifies from the damaged store in the directory `from` into a new store in the directory `to`,
 * which must not exist or be empty, and makes its indexes anew. The damaged store is read as a file, without LMDB, and
 * is never written to. Entries keep their ids, kinds, times and payloads, and, as long as nothing before them on their
 * path was lost, their checks. Where entries are lost in the middle of a path, what follows is kept, and one entry of the
 * kind `xylem_lost` stands in their place, whose payload says how many they were. An entry whose payload is lost is kept
 * as if it were redacted, with a reason that says so: its hash is still there, so the history still verifies. A session
 * whose row is lost is called `recovered-` and a number. Raw bytes that may hold a part of what is lost go to the
 * quarantine of the session, or of one called `recovered-lost`. Positions, lsns and numbers of sessions may be others;
 * the store's uuid is.
 * What xylem_gc() left of a session becomes a deleted one called `recovered-freed-` and its number, so that the next
 * xylem_gc() leaves the same of it. What was freed may come back in a deleted session, where nothing tells any more that
 * it was. Owners of sessions are left behind: the new store has none.
 * Where a page in use is lost, an older copy of its rows may be left in the file. The store tells of its redactions and
 * deletions, and which entries there were then. In a store without any, older copies are taken. In other stores an entry
 * that may have been redacted since comes without payload and line, bytes in quarantine and torn lines stay out, and a
 * session that may have been deleted since is a deleted session (xylem_session_undelete()), unless `options->older` asks
 * for older copies as they are. Where the store cannot tell, everything may have been redacted and deleted. Each older row
 * is a problem. `options` may be NULL. `found` (may be NULL) gets each problem: positions are those in the damaged store. The
 * new store is verified before it is there; after an error there is nothing at `to`. `report` may be NULL. Any thread.
 * Errors: NOT_FOUND and NOT_A_STORE (`from`), EXISTS (`to` has something in it), BUSY (somebody writes to the damaged
 * store, or replaces it), TOO_NEW (the damaged store has a format or a feature that this library does not know), CORRUPT
 * (nothing can be saved, or the new store does not verify), STOPPED (`found` answered anything but 0), ARGUMENT, IO,
 * NO_SPACE, MAP_FULL, MEMORY.
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
    int64_t started_ms;        /* start of the process, not of its use of the store; 0: not known */
    bool known;                /* false: another user's process; only a lock can be seen */
    bool writes;               /* the store is open for writing */
    bool reads;                /* a read transaction is open */
    uint64_t commits_behind;   /* commits since the oldest read transaction of the process began */
};

/*
 * Calls `found` for each process with the store open, by ascending number, this process included. Reads /proc, so
 * processes in other namespaces are not found. Errors: STOPPED (`found` answered anything but 0), ARGUMENT, FORKED, IO,
 * MEMORY.
 */
XYLEM_API int xylem_holders(struct xylem_txn *txn, int (*found)(void *context, const struct xylem_holder *holder),
                            void *context, struct xylem_error *err);

struct xylem_stat {
    uint32_t format_version;
    uint64_t features;
    unsigned char uuid[16];
    uint64_t file_bytes; /* of data.mdb, as far as it is in use or was */
    uint64_t map_bytes;
    uint64_t page_bytes;
    uint64_t free_bytes; /* of pages that can be reused */
    uint32_t readers;
    uint32_t readers_max;
    /* The oldest read transaction that is behind this one: pages that were freed since it began cannot be used again. */
    int64_t oldest_reader_pid;           /* 0: none is behind */
    uint64_t oldest_reader_commit_count; /* commits that it does not see, and this one does */
    uint64_t oldest_reader_bytes;        /* of `free_bytes`: what has to wait until it ends */
    struct {
        const char *name;
        uint64_t rows;
        uint64_t bytes; /* of its pages */
        uint64_t depth;
    } tables[XYLEM_TABLE_COUNT];
    uint64_t session_count; /* but for freed ones */
    uint64_t live_count;
    uint64_t deleted_count;
    uint64_t importing_count;
    uint64_t freed_session_count; /* of which entries stay, as others share them */
    uint64_t freed_entry_count;   /* entries that were freed since the store was made */
    uint64_t branch_count;
    uint64_t entry_count;
    uint64_t kind_count;
    uint64_t payload_bytes;
    uint64_t line_bytes;  /* of kept lines */
    uint64_t links_bytes; /* of links and heads */
};

/*
 * Figures of the store. Reads every record's header, so it takes time in proportion to the entries. Errors: ARGUMENT
 * (LMDB shows its free pages in a read transaction only), CORRUPT, IO.
 */
XYLEM_API int xylem_stat_read(struct xylem_stat *stat, struct xylem_txn *txn, struct xylem_error *err);

#ifdef __cplusplus
}
#endif

#endif
