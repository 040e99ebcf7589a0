/*
 * Queues the writers of all threads and processes before LMDB's own lock, which has no time limit.
 *
 * The lock is a mutex in the first page of xylem.lock, which every environment that writes has mapped. The kernel
 * queues the waiters, and releases the mutex when its owner dies, as with LMDB's lock. Without waiters the mutex
 * costs no system call. Each mapping holds byte 0 of the file locked shared. A process that gets byte 0 exclusively is
 * alone, and makes the mutex anew: the file may hold the state of processes from before a restart.
 *
 * LMDB's lock alone keeps writers apart. Where there can be no mutex (xylem.lock cannot be written to, a network file
 * system), writers wait for LMDB's lock without limit. The same holds beside a process with another C library or
 * another size of a mutex, where LMDB's lock does not hold either: docs/durability.md.
 */
#ifndef XYLEM_LMDB_WRITER_LOCK_H
#define XYLEM_LMDB_WRITER_LOCK_H

#include "pages/store_files.h"

/* Offsets of locked bytes in xylem.lock: the tokens of leases follow. */
#define XYLEM_LMDB__WRITER_BYTE 0u
#define XYLEM_LMDB__LEASE_BYTES_FIRST 1u
/* A process locks this byte while the process waits until nobody has the store open. No token is this high. */
#define XYLEM_LMDB__WANTED_BYTE ((uint64_t)INT64_MAX - 1)

struct xylem_lmdb__writer_page;

struct xylem_lmdb__writer_lock {
    int fd;                               /* -1: there is no mutex */
    struct xylem_lmdb__writer_page *page; /* NULL: there is no mutex */
    int64_t pid;                          /* of this process */
};

/* How long to wait, and whom to tell. */
struct xylem_lmdb__waiting {
    bool limited;
    uint64_t limit_ms;
    int (*tell)(void *context, uint64_t waited_ms, const char *holder); /* may be NULL; see xylem_open_options */
    void *context;
};

/* Maps the mutex of the store in the directory. Where there can be no mutex, both members say so. */
void xylem_lmdb__writer_lock_open(struct xylem_lmdb__writer_lock *lock, const struct xylem_pages__directory *directory);
void xylem_lmdb__writer_lock_close(struct xylem_lmdb__writer_lock *lock);
/* In the child of a fork, which does not inherit the page. */
void xylem_lmdb__writer_lock_forked(struct xylem_lmdb__writer_lock *lock);

/*
 * Takes the mutex: 1, or 0 where there is none. `path` is for texts. Errors: BUSY (not within the limit; the text names
 * the owner), STOPPED (by `tell`).
 */
int xylem_lmdb__writer_lock_take(struct xylem_lmdb__writer_lock *lock, const struct xylem_lmdb__waiting *waiting,
                                 const char *path, struct xylem_error *err);
/* Releases the mutex, in the thread that took the mutex. */
void xylem_lmdb__writer_lock_give(struct xylem_lmdb__writer_lock *lock);

#endif
