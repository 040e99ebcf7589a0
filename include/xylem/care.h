/* xylem: backup, compaction and freeing. The rules of xylem.h hold for every call. */
#ifndef XYLEM_CARE_H
#define XYLEM_CARE_H

#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Copies ------------------------------------------------------------------------------------------------------ */

struct xylem_backup_report {
    uint64_t bytes;       /* of the copy's data.mdb */
    uint64_t store_bytes; /* of the store's own */
    uint64_t session_count;
    uint64_t branch_count;
    uint64_t entry_count;
};

/*
 * Makes the directory `to` (mode 0700; there must be nothing of that name, but the directory above it) with a copy of
 * the store: all that was committed at one moment, without free pages, synced and verified. Others go on reading and
 * writing meanwhile; what they give up the file cannot use again until the copy is made. Where it fails nothing is left
 * of it; a crash may leave a directory `to.unfinished-XXXXXX`. It may lie on a network file system. Any thread; LMDB runs
 * one of its own meanwhile.
 * A backup is a store, of the same uuid. To restore it, copy it into a new directory and open that; a store that is in
 * use must not be copied over: who has it open would go on in the old file.
 * `report` may be NULL. Errors: EXISTS, CORRUPT (xylem_verify() reports the same damage of the store), NO_SPACE, BUSY
 * (this thread has a write transaction open), ARGUMENT (`to` lies in the store's directory), IO (also: the copy of a sound
 * store is not as the copy should be), FORKED, MEMORY.
 */
XYLEM_API int xylem_backup(struct xylem_backup_report *report, struct xylem_store *store, const char *to,
                           struct xylem_error *err);

struct xylem_compact_options {
    bool dry_run; /* only find out what it would give back; beside whoever uses the store */
    /*
     * Write the new file row by row, since pages hold remains of earlier rows between their nodes. Then write random
     * bytes over the old file and sync it, so that what was removed from the store, or redacted, is not in its blocks any
     * more. That does not reach backups, snapshots of the file system, nor the spare blocks of an
     * SSD; nor the old blocks on a file system that never writes in place (btrfs, ZFS, bcachefs).
     */
    bool overwrite_old;
    bool allow_network_fs; /* compact on a network file system, where locks may lie */
    /*
     * Ask other processes to close the store (xylem_store_wanted()), and wait so long. `xylem watch` closes the store, and
     * so does a command whose output nobody reads. 0: BUSY at once.
     */
    uint32_t wait_ms;
};

struct xylem_compact_report {
    uint64_t bytes_before;      /* of data.mdb */
    uint64_t bytes_after;       /* of the file that took its place; with `dry_run`: what it would have */
    bool replaced;              /* false with `dry_run` */
    uint64_t overwritten_bytes; /* of the old file; 0 unless that was asked for */
};

/* The function behind xylem_compact(): `abi` is the XYLEM_ABI of the caller. */
XYLEM_API int xylem_compact_abi(uint32_t abi, struct xylem_compact_report *report, const char *path,
                                const struct xylem_compact_options *options, struct xylem_error *err);

/*
 * Gives back the room that nothing in the store at `path` uses any more: LMDB's file never shrinks. A copy without free
 * pages is made beside it, synced, verified, and renamed over data.mdb; so it takes the room of the copy meanwhile. A
 * crash at any moment leaves the old file or the new one, whole, and perhaps a file `data.mdb.compact-XXXXXX`, which the
 * next compaction overwrites and removes. It may be called from any thread.
 * Nobody may have the store open, this process neither: it is held exclusively, and xylem_open() is BUSY meanwhile.
 * `wait_ms` waits for other processes, never for this process.
 * `report` may be NULL; it is also written if the store was replaced and something failed after that.
 * Errors: BUSY (in use; the text names the processes, as far as the system shows them), CORRUPT (nothing is changed:
 * xylem_verify() reports the same damage, and xylem_repair() comes first), CONFLICT (`overwrite_old`, and the file has
 * other names), NO_SPACE (for the copy), NOT_FOUND, NOT_A_STORE, TOO_NEW, TOO_OLD, IO (also: the copy of a sound store is not as the copy
 * should be, or neither the owner of the directory nor root calls), MEMORY.
 */
static inline int xylem_compact(struct xylem_compact_report *report, const char *path,
                                const struct xylem_compact_options *options, struct xylem_error *err)
{
    return xylem_compact_abi(XYLEM_ABI, report, path, options, err);
}

/* --- Freeing ---------------------------------------------------------------------------------------------------- */

/*
 * A deleted session of which something is freed. All of it is, but for entries that sessions which are not deleted
 * share. The view lives until the callback returns.
 */
struct xylem_freed {
    uint64_t session;
    struct xylem_view id;      /* data NULL: it was freed in part before, and has no id any more */
    uint64_t entry_count;      /* entries that are freed */
    uint64_t branch_count;     /* branches of which nothing is left */
    uint64_t row_count;        /* rows of all tables but `meta`, and `feed`, which goes on telling of freed lsns */
    uint64_t bytes;            /* of these rows, keys and values */
    uint64_t payload_bytes;    /* of the entries' payloads */
    uint64_t kept_entry_count; /* entries of its branches that stay */
};

struct xylem_gc_options {
    bool dry_run; /* change nothing, only say what would be freed: a read transaction is enough */
    /* Called for each session; anything but 0 ends the call with XYLEM_E_STOPPED. Must not write in the transaction. */
    int (*freed)(void *context, const struct xylem_freed *what);
    void *context;
};

struct xylem_gc_report {
    uint64_t session_count; /* sessions of which something is freed */
    uint64_t entry_count;   /* sums over these sessions, as in struct xylem_freed */
    uint64_t branch_count;
    uint64_t row_count;
    uint64_t bytes;
    uint64_t payload_bytes;
    uint64_t kept_session_count; /* sessions that stay in part (XYLEM_SESSION_FREED), as others share their entries */
    uint64_t kept_entry_count;   /* entries on the branches of these */
};

/*
 * Frees what deleted sessions have and no other session needs: every entry of every session that is live, or being
 * imported, stays, with the path behind it. The ids of deleted sessions are free again, and they cannot be undeleted any
 * more. Reading a position that was freed gives FREED; numbers, positions and lsns are never used again, and kinds stay.
 * Nothing else ever frees anything. The file does not shrink: the room is used again.
 * All of it happens in the caller's write transaction, so a commit frees all or nothing, and other writers wait until
 * then. It takes time in proportion to the sessions, to the branches that paths of bases cross, and to the entries that
 * are freed; entries that stay are not read. What is damaged in that is refused, with nothing freed.
 * `options` and `report` may be NULL. Errors: READ_ONLY, CORRUPT, STOPPED, MEMORY, MAP_FULL, NO_SPACE, IO; after an
 * error of a call that is no dry run the transaction can only be aborted, unless the error is READ_ONLY.
 */
XYLEM_API int xylem_gc(struct xylem_gc_report *report, struct xylem_txn *txn, const struct xylem_gc_options *options,
                       struct xylem_error *err);

#ifdef __cplusplus
}
#endif

#endif
