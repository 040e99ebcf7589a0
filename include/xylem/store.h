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

/* What a commit that returned 0 survives. */
enum xylem_durability {
    XYLEM_DURABILITY_FULL = 0, /* a power loss */
    XYLEM_DURABILITY_NOMETA,   /* a power loss may undo the last commit; the store stays sound */
    XYLEM_DURABILITY_NONE      /* the crash of a process; a power loss may damage what was not synced: xylem_sync() */
};

struct xylem_open_options {
    bool create;                      /* make the directory (none above it) and the store if they are not there */
    bool read_only;                   /* no write transactions; wins over `create` */
    enum xylem_durability durability; /* of this handle's commits */
    bool allow_network_fs;            /* open on a network file system, where locks and maps may lie */
    uint64_t map_bytes; /* the map's first size, at least 1 MiB; 0: 1 TiB, halved while the system refuses */
    /*
     * Only with `read_only`: take no locks, for a store that is known to be idle and whose lock files may not be written.
     * Nobody who writes meanwhile knows of this reader: it may then be given pages that are being written anew.
     */
    bool no_lock;
    /*
     * How long a call of this handle waits for another writer, in xylem_begin() and in calls that begin write transactions of
     * their own (imports, leases); then the call gives BUSY. 0: without limit. xylem_begin_within() has a limit of its own.
     */
    uint64_t wait_ms;
    /*
     * Called about ten times a second by a call that waits, in the waiting thread, without locks of the library's. `holder`
     * says for whom, such as `process 12 (sh), which writes to the store`: NULL in the first second, and valid during the
     * call. Anything but 0 ends the waiting, and the call gives STOPPED. May be NULL.
     */
    int (*waiting)(void *context, uint64_t waited_ms, const char *holder);
    void *waiting_context;
};

/*
 * A host that writes ignores SIGXFSZ, or handles it: else the system ends the process that writes beyond its file size
 * limit (ulimit -f), where the library would give NO_SPACE.
 */

/* The function behind xylem_open(): `abi` is the XYLEM_ABI of the caller. */
XYLEM_API int xylem_open_abi(uint32_t abi, struct xylem_store **store, const char *path,
                             const struct xylem_open_options *options, struct xylem_error *err);

/*
 * Opens the store in the directory `path`. Every handle of one process to one store shares one LMDB environment,
 * however often it is opened. A new directory gets mode 0700 and new files 0600, whatever the umask. The handle holds
 * `xylem.lock` shared until it is closed. A store that is made is in its directory, and that in its own, for good when
 * this returns: a power loss does not take their names away.
 * `path` may lead through symbolic links. The files of a store (`data.mdb`, `lock.mdb`, `xylem.lock`) are plain files that
 * belong to the owner of the directory, and are opened only then. Root may open the store of every user: new files belong to
 * the owner of the directory. Other users read and write as the modes allow, but make no file.
 * Errors: NOT_FOUND (no store there, and `create` is not set), NOT_A_STORE (a file, or somebody else's data), TOO_NEW
 * (format version or feature bit unknown; nothing is changed), TOO_OLD (a format version that this library does not read
 * any more; the text says how to take the sessions along), CORRUPT (truncated or damaged), BUSY (another process is
 * replacing the store, or this process has it open for reading only, or without locks, with a transaction running), IO
 * (permissions: a reader needs to write `lock.mdb` too; a lock file that is a link, a FIFO, or another user's; a network file
 * system), EXISTS (`create`, and something else has the name `xylem.new`), NO_SPACE, ARGUMENT (`no_lock` without
 * `read_only`), MEMORY.
 */
static inline int xylem_open(struct xylem_store **store, const char *path, const struct xylem_open_options *options,
                             struct xylem_error *err)
{
    return xylem_open_abi(XYLEM_ABI, store, path, options, err);
}

/*
 * Closes the handle. Every transaction of it must have ended, and every lease: otherwise XYLEM_E_BUSY, and the handle
 * stays open. In the child of a fork(2) it only frees memory, that of the parent's leases too, and ends the child's part in
 * holding the store: until then a child, too, is in a compaction's way. NULL is allowed.
 */
XYLEM_API int xylem_close(struct xylem_store *store, struct xylem_error *err);

/*
 * What whoever opened the store should be told about who else can read or write it: one line that names the file or
 * directory, its mode or owner, and the command that mends it. NULL: nobody else can, as far as modes and owners of the
 * directory and the files in it tell; those of the directories above are not looked at. It is what it was when the
 * handle was opened. The text lives as long as the handle. Any thread.
 */
XYLEM_API const char *xylem_store_warning(const struct xylem_store *store);

/*
 * 1 if another process waits until nobody has the store open (xylem_compact() with `wait_ms`), else 0. A program with a
 * long-lived handle asks between transactions, about once a second; after a 1 the program closes the handle and opens the
 * store again. xylem_open() is BUSY while the file is replaced. Costs one system call. Any thread.
 * Errors: FORKED, ARGUMENT, IO.
 */
XYLEM_API int xylem_store_wanted(const struct xylem_store *store, struct xylem_error *err);

/* Makes every commit so far survive a power loss, in each durability mode. Errors: READ_ONLY, IO, NO_SPACE. */
XYLEM_API int xylem_sync(struct xylem_store *store, struct xylem_error *err);

/* --- Transaction ------------------------------------------------------------------------------------------------ */

enum xylem_txn_mode { XYLEM_READ = 0, XYLEM_WRITE = 1 };

/*
 * Begins a transaction. Readers see the store as it was at this moment and never wait. There is one writer at a time,
 * over all processes: a second one waits for the first to end, as long as the handle's `wait_ms` allows, but a second one in
 * the same thread gets XYLEM_E_BUSY.
 * Keep transactions short: the file cannot reuse what a reader still sees.
 * Before the first write of a process the list of free pages is looked at: a writer that took a page from a damaged one
 * could overwrite what is in use. If it is damaged, or once a call or xylem_verify() met damaged pages, write transactions
 * get XYLEM_E_CORRUPT until the store is closed by all handles of the process. A row or record that does not have its sum
 * is no such damage: the call that meets it fails, and others go on.
 * A write transaction gets BUSY too where `data.mdb` is another file by now than the one that was opened, or none: what is
 * written to the old one would be lost with it. Readers of that handle go on, and see the old file, until it is closed.
 * Errors: READ_ONLY, BUSY, STOPPED (by the handle's `waiting`), READERS_FULL, FORKED, MEMORY, IO, CORRUPT.
 */
XYLEM_API int xylem_begin(struct xylem_txn **txn, struct xylem_store *store, enum xylem_txn_mode mode,
                          struct xylem_error *err);

/*
 * The same, and waits for another writer at most `timeout_ms` (0: not at all), whatever the handle's `wait_ms` says. Readers
 * never wait.
 * Errors: those of xylem_begin(), and BUSY if another thread or process still writes then: the text names the process. STOPPED
 * if the handle's `waiting` says so.
 * The limit holds against all writers that use this library. It does not hold against other programs that write to the
 * store's file with LMDB alone; nor on a network file system, or where `xylem.lock` cannot be written to: there writers wait
 * for LMDB's own lock, without limit.
 */
XYLEM_API int xylem_begin_within(struct xylem_txn **txn, struct xylem_store *store, enum xylem_txn_mode mode,
                                 uint64_t timeout_ms, struct xylem_error *err);

/*
 * Ends the transaction, and makes its writes visible and durable as the handle's durability says. The transaction is
 * gone whatever the result, but for ARGUMENT: a write transaction of another thread stays that thread's to end. A
 * transaction in which a call failed with MEMORY, IO, NO_SPACE, MAP_FULL or CORRUPT while it
 * wrote cannot be committed any more: nothing of it is stored, and that same code is returned.
 * NO_SPACE: the file system, the user's quota or the process's file size limit has no room, and the text says which;
 * begin again once there is.
 * OUTCOME_UNKNOWN: the last write failed; whether the commit took place shows when the store is read again, by a session's
 * leaf, say. That needs every transaction of this process to end first (until then BUSY), and begins with the next one.
 */
XYLEM_API int xylem_commit(struct xylem_txn *txn, struct xylem_error *err);

/*
 * Ends the transaction; nothing of it is stored. NULL is allowed. In another thread than the one that began a write
 * transaction it does nothing: the transaction stays that thread's to end.
 */
XYLEM_API void xylem_abort(struct xylem_txn *txn);

/*
 * What a transaction has done so far: what a call costs, whatever the machine. One thing is not the transaction's own: a
 * kind that was looked up is known to all transactions of the store in this process, so the first that meets it has a
 * `get` in `kinds` that the others do not have.
 */
struct xylem_counters {
    struct {
        const char *name;        /* static */
        uint64_t gets;           /* a row was looked up by its key */
        uint64_t seeks;          /* a cursor was set to a key, or to an end of the table */
        uint64_t steps;          /* a cursor went on to the next row, or back to the one before */
        uint64_t puts;           /* a row was written or removed */
    } tables[XYLEM_TABLE_COUNT]; /* in the order of xylem_stat_read() */
    uint64_t record_count;       /* records of the log that were read and verified by their sum */
    uint64_t record_bytes;       /* of these, without payload and line, which only who asks for them reads */
};

/* Reads them. They start from zero with the transaction, and what opening the store reads is not in them. */
XYLEM_API void xylem_counters_read(struct xylem_counters *counters, const struct xylem_txn *txn);

#ifdef __cplusplus
}
#endif

#endif
