/* xylem: a store, and transactions in it. The rules of xylem.h hold for every call. */
#ifndef XYLEM_STORE_H
#define XYLEM_STORE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Store ------------------------------------------------------------------------------------------------------ */

struct xylem_store;
struct xylem_txn;

/* The accidents that a commit survives after its call returned 0: docs/durability.md. */
enum xylem_durability {
    XYLEM_DURABILITY_FULL = 0, /* a power loss */
    XYLEM_DURABILITY_NOMETA,   /* a power loss may undo the last commit; the store stays sound */
    XYLEM_DURABILITY_NONE      /* the crash of a process; a power loss may damage unsynced pages: xylem_sync() */
};

struct xylem_open_options {
    bool create;                      /* make a missing directory (not its parents) and a missing store */
    bool read_only;                   /* no write transactions; wins over `create` */
    enum xylem_durability durability; /* of this handle's commits */
    bool allow_network_fs;            /* open on a network file system, with unreliable locks and maps */
    uint64_t map_bytes; /* the map's first size, at least 1 MiB; 0: 1 TiB, halved while the system refuses */
    /*
     * Only with `read_only`: take no locks, for an idle store with lock files that must not be written. A writer does
     * not know such a reader, and may overwrite the pages of the reader.
     */
    bool no_lock;
    /*
     * The longest wait for another writer, in xylem_begin() and in calls that begin write transactions of their own
     * (imports, leases); then the call gives BUSY. 0: without limit. xylem_begin_within() has a limit of its own.
     */
    uint64_t wait_ms;
    /*
     * The longest wait of xylem_open() for a process that replaces the file of the store (xylem_compact()); then BUSY.
     * 0: no wait. A replacement takes seconds, in proportion to the store.
     */
    uint64_t open_wait_ms;
    /*
     * Called about ten times a second or more during a wait, in the waiting thread, without locks of the library.
     * `holder` names the other process, such as `process 12 (sh), which writes to the store`; `holder` is NULL in the
     * first second, and valid during the call. Any result but 0 ends the wait, and the waiting call gives STOPPED. May
     * be NULL.
     */
    int (*waiting)(void *context, uint64_t waited_ms, const char *holder);
    void *waiting_context;
};

/* The function behind xylem_open(): `abi` is the XYLEM_ABI of the caller. */
XYLEM_API int xylem_open_abi(uint32_t abi, struct xylem_store **store, const char *path,
                             const struct xylem_open_options *options, struct xylem_error *err);

/*
 * Opens the store in the directory `path`. All handles of a process to one store share one LMDB environment. The handle
 * holds `xylem.lock` shared until its end in xylem_close(). A new directory gets mode 0700 and new files 0600, in spite
 * of the umask. After the return of xylem_open() a new store and the name of its directory survive a power loss.
 *
 * `path` may lead through symbolic links. The files of a store (`data.mdb`, `lock.mdb`, `xylem.lock`) must be plain
 * files of the owner of the directory. Root may open the store of every user: new files belong to the owner of the
 * directory. Other users read and write as the modes allow, but make no files.
 *
 * A host with write transactions ignores or handles SIGXFSZ. Otherwise the system ends a process at its file size limit
 * (ulimit -f), instead of a NO_SPACE.
 *
 * Errors:
 * - NOT_FOUND: the directory has no store, and `create` is not set
 * - NOT_A_STORE: a file, or data of another program
 * - TOO_NEW: an unknown format version or feature bit; nothing is changed
 * - TOO_OLD: a format version of an earlier library; the text says how to take the sessions along
 * - CORRUPT: the file is truncated or damaged
 * - BUSY: another process makes the store, or replaces its file for longer than `open_wait_ms`; or a reading handle or
 *   a handle without locks in the same process has a transaction open; or others have the store open through another
 *   data.mdb, lock.mdb or xylem.lock, or with another C library: the text names the file and the processes
 * - IO: missing permissions (a reader writes to `lock.mdb` too); a lock file that is a link, a FIFO, or a file of
 *   another user; a network file system
 * - EXISTS: with `create`, something else has the name `xylem.new`
 * - ARGUMENT: `no_lock` without `read_only`; a header with another XYLEM_ABI
 * - NO_SPACE, MEMORY
 */
static inline int xylem_open(struct xylem_store **store, const char *path, const struct xylem_open_options *options,
                             struct xylem_error *err)
{
    return xylem_open_abi(XYLEM_ABI, store, path, options, err);
}

/*
 * Closes the handle. All transactions, leases and wake-ups of the handle must have ended. In the child of a fork(2) the
 * call only frees memory, including the leases of the parent, and ends the part of the child in holding the store: an
 * unclosed handle of a child stands in the way of a compaction. NULL is allowed.
 *
 * Errors:
 * - BUSY: a transaction, a lease or a wake-up is open; the handle stays open
 */
XYLEM_API int xylem_close(struct xylem_store *store, struct xylem_error *err);

/*
 * A warning for the opener of the store about other users with access: one line that names the file or directory, its
 * mode or owner, and the command that mends the access. NULL: no other user has access, according to the modes and
 * owners of the directory and its files; directories above are not looked at. The text is from the opening of the
 * handle, and lives as long as the handle. Any thread.
 */
XYLEM_API const char *xylem_store_warning(const struct xylem_store *store);

/*
 * 1 if another process waits for the end of all handles (xylem_compact() with `wait_ms`), else 0. A program with a
 * long-lived handle asks between transactions, about once a second; after a 1 or BUSY the program closes the handle and
 * opens the store again, with `open_wait_ms` for the time of a replacement. Until the program does so after BUSY, nobody
 * else can open the store. Costs five system calls. Any thread.
 *
 * Errors:
 * - ARGUMENT: `store` is NULL
 * - BUSY: a file of the store, or its directory, was removed, replaced or overwritten; the text names the file
 * - IO
 */
XYLEM_API int xylem_store_wanted(const struct xylem_store *store, struct xylem_error *err);

/*
 * Makes every earlier commit survive a power loss, in each durability mode. Any thread.
 *
 * Errors:
 * - BUSY: an earlier write failed or the map grew, and the process has transactions open
 * - READ_ONLY, IO, NO_SPACE
 */
XYLEM_API int xylem_sync(struct xylem_store *store, struct xylem_error *err);

/* --- Transaction ------------------------------------------------------------------------------------------------ */

enum xylem_txn_mode { XYLEM_READ = 0, XYLEM_WRITE = 1 };

/*
 * Begins a transaction. A reader sees the store as of the beginning, and waits for no writer: at most for another reader
 * that begins, up to 300 ms. There is one writer at a time, over all processes: a second writer waits for the end of the
 * first, as long as the `wait_ms` of the handle allows. Keep transactions short: the file cannot reuse pages that a
 * reader still sees.
 *
 * Before its first write a process checks the list of free pages: a page from a damaged list could be a page in use.
 * After damage in the list, or after a call or xylem_verify() met damaged pages, write transactions give CORRUPT until
 * all handles of the process to the store are closed. A row or record with a wrong sum does not count as such damage:
 * the reading call fails, other calls go on.
 *
 * Errors:
 * - BUSY: another writer, after `wait_ms`; or the same thread has a write transaction open; or an earlier write failed
 *   or the map grew, and the process has transactions open: end all, and begin again; or `data.mdb` is missing or
 *   another file than at the opening, and a write would be lost: readers of such a file go on. Or a lock file was
 *   removed, replaced or overwritten, or data.mdb overwritten, also for readers: close the store, and open it again
 * - STOPPED: the `waiting` of the handle ended the wait
 * - READ_ONLY: a write transaction of a reading handle
 * - READERS_FULL: XYLEM_READER_SLOTS read transactions are open. A process with an open store keeps up to four slots
 *   between its read transactions
 * - CORRUPT: damaged pages, see above
 * - MEMORY, IO
 */
XYLEM_API int xylem_begin(struct xylem_txn **txn, struct xylem_store *store, enum xylem_txn_mode mode,
                          struct xylem_error *err);

/*
 * Begins a transaction like xylem_begin(), but waits at most `timeout_ms` for another writer (0: no wait), in spite of
 * the `wait_ms` of the handle. Readers never wait for writers. The limit holds against every writer with the library,
 * and on a local file system against other programs with LMDB (docs/durability.md).
 *
 * Errors:
 * - BUSY: another thread or process still writes; the text names the process
 * - the other errors of xylem_begin()
 */
XYLEM_API int xylem_begin_within(struct xylem_txn **txn, struct xylem_store *store, enum xylem_txn_mode mode,
                                 uint64_t timeout_ms, struct xylem_error *err);

/*
 * Ends the transaction, and makes its writes visible, and durable according to the handle. The transaction is gone
 * after every result but ARGUMENT. After a MEMORY, IO, NO_SPACE, MAP_FULL or CORRUPT of a writing call the transaction
 * can no longer be committed: nothing is stored, and the commit returns the same code.
 *
 * Errors:
 * - NO_SPACE: no room in the file system, the quota of the user or the file size limit of the process; the text names
 *   the cause. Begin again after making room.
 * - OUTCOME_UNKNOWN: the last write failed. Read the store again, such as the leaf of the session: only the store knows
 *   whether the commit took place. Before, every transaction of the process must end; until then xylem_begin() is BUSY.
 * - ARGUMENT: a write transaction of another thread, and still open
 * - BUSY: data.mdb was overwritten below the transaction: nothing is stored
 * - MEMORY, IO, MAP_FULL, CORRUPT
 */
XYLEM_API int xylem_commit(struct xylem_txn *txn, struct xylem_error *err);

/*
 * Ends the transaction; nothing is stored. NULL is allowed. For a write transaction of another thread the call does
 * nothing: only the thread that began the transaction can end the transaction.
 */
XYLEM_API void xylem_abort(struct xylem_txn *txn);

/*
 * The work of a transaction so far: the cost of a call, the same on every machine. One number depends on other
 * transactions: all transactions of a store in a process share the known kinds, so the first transaction that meets a
 * kind has a `get` in `kinds`, and later transactions have none.
 */
struct xylem_counters {
    struct {
        const char *name;        /* static */
        uint64_t gets;           /* a row was looked up by its key */
        uint64_t seeks;          /* a cursor moved to a key, or to an end of the table */
        uint64_t steps;          /* a cursor moved to the next row or the previous row */
        uint64_t puts;           /* a row was written or removed */
    } tables[XYLEM_TABLE_COUNT]; /* in the order of xylem_stat_read() */
    uint64_t record_count;       /* records of the log, read and verified by their sum */
    uint64_t record_bytes;       /* of these, without payloads and lines: a call reads those on request only */
};

/* Reads the counters. They start from zero with the transaction, without the reads of opening the store. */
XYLEM_API void xylem_counters_read(struct xylem_counters *counters, const struct xylem_txn *txn);

#ifdef __cplusplus
}
#endif

#endif
