/* xylem: backup, compaction and freeing. The rules of xylem.h hold for every call. */
#ifndef XYLEM_CARE_H
#define XYLEM_CARE_H

#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Copies ------------------------------------------------------------------------------------------------------ */

struct xylem_backup_report {
    uint64_t bytes;       /* of data.mdb of the copy */
    uint64_t hole_bytes;  /* of `bytes`, with `keep_pages`: the places of free pages, which take no room */
    uint64_t store_bytes; /* of data.mdb of the store, when the copy began */
    uint64_t grown_bytes; /* by which data.mdb of the store grew until the end of the copy */
    uint64_t session_count;
    uint64_t branch_count;
    uint64_t entry_count;
};

struct xylem_backup_options {
    /*
     * Leave each page at its place in the file, and holes in the places of free pages: two such backups differ only
     * where the store changed in between. So a program that keeps equal blocks once (restic, borg, rsync) keeps or
     * sends few new blocks. The bytes between the rows of a page are 0: no freed or redacted text is in the copy. The
     * store is read once: its pages are proven while they are copied, its rows in the copy.
     */
    bool keep_pages;
};

/*
 * Makes the directory `to` (mode 0700) with a copy of the store: all commits up to a moment, without free pages, synced
 * and verified. `options` and `report` may be NULL. `to` must not exist, but its parent must. Other users go on reading
 * and writing; until the end of the copy the file cannot reuse the pages that they free. A failure leaves nothing; a
 * crash may leave a directory `to.unfinished-XXXXXX`. `to` may lie on a network file system. Any thread; without
 * `keep_pages` LMDB runs a thread of its own meanwhile.
 *
 * A backup is a store with the same uuid. To restore a backup, copy the backup into a new directory and open the copy.
 * Never copy over a store in use: open handles would go on in the old file.
 *
 * Errors:
 * - EXISTS: something has the name `to`
 * - NOT_FOUND: the parent of `to`
 * - CORRUPT: the store is damaged; xylem_verify() reports the same damage
 * - BUSY: the thread has a write transaction open
 * - ARGUMENT: `to` lies in the directory of the store
 * - IO: also if the copy of a sound store is wrong
 * - NO_SPACE, MEMORY
 */
XYLEM_API int xylem_backup(struct xylem_backup_report *report, struct xylem_store *store, const char *to,
                           const struct xylem_backup_options *options, struct xylem_error *err);

struct xylem_compact_options {
    bool dry_run; /* only report the room to give back, beside other users of the store */
    /*
     * Write the new file row by row, since pages hold remains of earlier rows between their nodes. Then write random
     * bytes over the old file and sync the file: removed or redacted bytes are no longer in its blocks. The random
     * bytes do not reach backups, snapshots of the file system, spare blocks of an SSD, or old blocks of a file system
     * that never writes in place (btrfs, ZFS, bcachefs).
     */
    bool overwrite_old;
    bool allow_network_fs; /* compact on a network file system, with unreliable locks */
    /*
     * Ask other processes to close the store (xylem_store_wanted()), and wait so long. `xylem watch` closes the store,
     * and so does a command with unread output. 0: BUSY at once.
     */
    uint32_t wait_ms;
};

struct xylem_compact_report {
    uint64_t bytes_before;      /* of data.mdb */
    uint64_t bytes_after;       /* of the new file, also with `dry_run` */
    bool replaced;              /* false with `dry_run` */
    uint64_t overwritten_bytes; /* of the old file; 0 without `overwrite_old` */
};

/* The function behind xylem_compact(): `abi` is the XYLEM_ABI of the caller. */
XYLEM_API int xylem_compact_abi(uint32_t abi, struct xylem_compact_report *report, const char *path,
                                const struct xylem_compact_options *options, struct xylem_error *err);

/*
 * Gives back the unused room of the store at `path`: the file of LMDB never shrinks by itself. The call makes a copy
 * without free pages beside the file, syncs, verifies and renames the copy over data.mdb, so the call needs the room of
 * the copy. A crash at any moment leaves the old file or the new file, whole, and maybe a file
 * `data.mdb.compact-XXXXXX`; the next compaction overwrites and removes that file.
 *
 * No handle may be open, not even in the calling process: the call holds the store exclusively, and xylem_open() is
 * BUSY meanwhile. `wait_ms` waits for other processes, never for the calling process. `report` may be NULL; the report
 * is also written after a failure behind the replacement. Any thread.
 *
 * Errors:
 * - BUSY: the store is in use; the text names the processes, as far as the system shows them
 * - CORRUPT: nothing is changed; xylem_verify() reports the same damage, and xylem_repair() comes first
 * - CONFLICT: `overwrite_old`, and the file has other names
 * - NOT_FOUND, NOT_A_STORE, TOO_NEW, TOO_OLD: as in xylem_open()
 * - NO_SPACE: for the copy
 * - ARGUMENT: no `path`; a header with another XYLEM_ABI
 * - IO: also if the copy of a sound store is wrong, or if the caller is neither the owner of the directory nor root
 * - MEMORY
 */
static inline int xylem_compact(struct xylem_compact_report *report, const char *path,
                                const struct xylem_compact_options *options, struct xylem_error *err)
{
    return xylem_compact_abi(XYLEM_ABI, report, path, options, err);
}

/* --- Freeing ---------------------------------------------------------------------------------------------------- */

/*
 * A deleted session with freed entries: all entries but the entries that undeleted sessions share. The view lives until
 * the callback returns.
 */
struct xylem_freed {
    uint64_t session;
    struct xylem_view id;         /* data NULL: a part was freed before, and the id is gone */
    struct xylem_view name_space; /* of the id; data NULL: the empty one */
    uint64_t entry_count;         /* freed entries */
    uint64_t branch_count;        /* branches without a remaining entry */
    uint64_t row_count;           /* of all tables but `meta` and `feed`; `feed` keeps the rows of freed lsns */
    uint64_t bytes;               /* of the keys and values of the rows */
    uint64_t payload_bytes;       /* of the payloads of the entries */
    uint64_t kept_entry_count;    /* remaining entries of its branches */
};

struct xylem_gc_options {
    bool dry_run; /* change nothing, only report; a read transaction is enough */
    /*
     * With `dry_run`: report as if the session of this number, if any, were deleted too. The deletion itself makes the
     * row of the session up to 10 bytes longer, which `bytes` does not count.
     */
    uint64_t if_deleted;
    /* Called for each session; anything but 0 ends the call with XYLEM_E_STOPPED. Must not write in the transaction. */
    int (*freed)(void *context, const struct xylem_freed *what);
    void *context;
};

struct xylem_gc_report {
    uint64_t session_count; /* sessions with freed entries or rows */
    uint64_t entry_count;   /* sums over the sessions, as in struct xylem_freed */
    uint64_t branch_count;
    uint64_t row_count;
    uint64_t bytes;
    uint64_t payload_bytes;
    uint64_t kept_session_count; /* sessions that stay in part (XYLEM_SESSION_FREED), for shared entries */
    uint64_t kept_entry_count;   /* entries on the branches of such sessions */
};

/*
 * Frees the entries of deleted sessions. Every entry of a live or importing session stays, with the path behind the
 * entry. The ids of deleted sessions are free again, and the sessions cannot be undeleted any more. Reading a freed
 * position gives FREED; numbers, positions and lsns are never used again, and kinds stay. No other call ever frees
 * entries. The file does not shrink: later writes use the room again.
 *
 * All happens in the caller's write transaction: a commit frees all or nothing, and other writers wait for the commit.
 * The time grows with the sessions, with the branches on the paths of bases, and with the freed entries; remaining
 * entries are not read. Damage in the read rows is refused, with nothing freed. `options` and `report` may be NULL.
 *
 * After any error but READ_ONLY the transaction of a call without `dry_run` can only be aborted.
 *
 * Errors:
 * - STOPPED: `freed` answered anything but 0
 * - ARGUMENT: `if_deleted` without `dry_run`
 * - READ_ONLY, MAP_FULL, NO_SPACE, IO, CORRUPT, MEMORY
 */
XYLEM_API int xylem_gc(struct xylem_gc_report *report, struct xylem_txn *txn, const struct xylem_gc_options *options,
                       struct xylem_error *err);

/*
 * The same in transactions of its own: much to free takes several, and each holds the lock for 250 ms at most. The
 * newest sessions go first. Between two transactions the store is sound, and a session may be freed in part: it cannot
 * be undeleted any more, and after a kill the next call frees its rest. `freed` is called for a session in the
 * transaction that frees the last of it, before the commit. A session that is deleted or undeleted meanwhile counts as
 * it is then. The calling thread must have no write transaction open.
 *
 * After an error the entries of earlier transactions are freed, and `report` is not written.
 *
 * Errors:
 * - ARGUMENT: no store, `dry_run`, or `if_deleted`
 * - BUSY: another writer, after `wait_ms`
 * - STOPPED: `freed` answered anything but 0
 * - READ_ONLY, MAP_FULL, NO_SPACE, IO, CORRUPT, MEMORY
 */
XYLEM_API int xylem_gc_write(struct xylem_gc_report *report, struct xylem_store *store,
                             const struct xylem_gc_options *options, struct xylem_error *err);

#ifdef __cplusplus
}
#endif

#endif
