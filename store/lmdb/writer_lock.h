/*
 * Queues the writers of all threads and processes before LMDB's own lock, which has no time limit, and keeps processes
 * with other lock files away.
 *
 * The lock is a mutex in the first page of xylem.lock, which every environment with locks has mapped. The kernel queues
 * the waiters, and releases the mutex when its owner dies, as with LMDB's lock. Without waiters the mutex costs no
 * system call. Each mapping holds byte 0 of the file locked shared. A process that gets byte 0 exclusively is alone,
 * and makes the page anew: the file may hold the state of processes from before a restart.
 *
 * The page names the files that its users have open: data.mdb, lock.mdb, and the C library. Who finds another file
 * there is refused. Each user also holds a byte of data.mdb locked: who is alone in xylem.lock, but not in data.mdb,
 * has another xylem.lock than the others, and is refused, too.
 *
 *     xylem.lock   byte 0: shared by all users; exclusively while a user alone opens the store
 *     data.mdb     USED_BYTE: shared by all users; WRITING_BYTE: exclusively during a write transaction
 *
 * LMDB's lock alone keeps writers apart. Where there can be no page (xylem.lock cannot be written to, a network file
 * system), writers wait for LMDB's lock: with a limit as long as lock.mdb shows its owner, and else in LMDB.
 */
#ifndef XYLEM_LMDB_WRITER_LOCK_H
#define XYLEM_LMDB_WRITER_LOCK_H

#include <pthread.h>

#include "store/pages/store_files.h"

/* Offsets of locked bytes in xylem.lock: the tokens of leases follow. */
#define XYLEM_LMDB__WRITER_BYTE 0u
#define XYLEM_LMDB__LEASE_BYTES_FIRST 1u
/* A process locks this byte while the process waits until nobody has the store open. No token is this high. */
#define XYLEM_LMDB__WANTED_BYTE ((uint64_t)INT64_MAX - 1)

/* A process that has the store open has this byte of data.mdb locked. */
#define XYLEM_LMDB__USED_BYTE ((uint64_t)INT64_MAX - 1)
/* A process with a write transaction has this byte of data.mdb locked: a mutex can be overwritten, this lock cannot. */
#define XYLEM_LMDB__WRITING_BYTE ((uint64_t)INT64_MAX - 2)

struct xylem_lmdb__writer_page;
struct xylem_lmdb__env;

struct xylem_lmdb__writer_lock {
    int fd;                               /* -1: there is no page */
    int data_fd;                          /* data.mdb, for the lock of USED_BYTE; -1: there is no page, or no lock */
    struct xylem_lmdb__writer_page *page; /* NULL: there is no page */
    int64_t pid;                          /* of this process */
    bool alone;                           /* byte 0 is locked exclusively: nobody else can open the store */
    _Atomic bool listed;                  /* a thread may have the page in a list: the page stays mapped */
    _Atomic int64_t passing_ms;           /* of the clock: since then this process overtakes others; 0: not */
};

/* How long to wait, and whom to tell. */
struct xylem_lmdb__waiting {
    bool limited;
    uint64_t limit_ms;
    int (*tell)(void *context, uint64_t waited_ms, const char *holder); /* may be NULL; see xylem_open_options */
    void *context;
    int64_t begun_ms; /* of the clock; 0: not yet begun to wait */
    /* Looks at the lock files during the wait. An error ends the wait. */
    int (*look)(const struct xylem_lmdb__env *env, struct xylem_error *err);
    const struct xylem_lmdb__env *env;
};

/*
 * Maps the page. Where there can be no page, the members say so. A process that is `alone` makes the page, and calls
 * xylem_lmdb__writer_lock_settle() when lock.mdb is open. Errors: BUSY (others have the store open through other files,
 * or with another C library; the text names the file and the processes).
 */
int xylem_lmdb__writer_lock_open(struct xylem_lmdb__writer_lock *lock, const struct xylem_pages__directory *directory,
                                 const struct stat *data, bool read_only, struct xylem_error *err);
/* For a process that only read so far: opens data.mdb for the locks of a writer. */
int xylem_lmdb__writer_lock_raise(struct xylem_lmdb__writer_lock *lock, const struct xylem_pages__directory *directory,
                                  struct xylem_error *err);
/* Looks once more whether the users of the page have the files of the directory: 1, or BUSY. */
int xylem_lmdb__writer_lock_check(const struct xylem_lmdb__writer_lock *lock,
                                  const struct xylem_pages__directory *directory, const struct stat *data,
                                  struct xylem_error *err);
/* Notes the open files and the newest commit in a new page, and lets others in. */
void xylem_lmdb__writer_lock_settle(struct xylem_lmdb__writer_lock *lock, const struct stat *data,
                                    const struct stat *lmdb_lock, uint64_t newest_commit);
void xylem_lmdb__writer_lock_close(struct xylem_lmdb__writer_lock *lock);

/* True if the page is as a process with this library made the page, for the data.mdb of `device` and `inode`. */
bool xylem_lmdb__writer_page_is_sound(const struct xylem_lmdb__writer_lock *lock, dev_t device, ino_t inode);

/*
 * The number of the newest commit, as the writers with the mutex noted; 0 without a page. And the number of a commit
 * whose meta page LMDB could neither write nor restore; 0: none.
 */
uint64_t xylem_lmdb__newest_commit(const struct xylem_lmdb__writer_lock *lock);
void xylem_lmdb__note_commit(struct xylem_lmdb__writer_lock *lock, uint64_t txn_id);
uint64_t xylem_lmdb__unknown_commit(const struct xylem_lmdb__writer_lock *lock);
void xylem_lmdb__note_unknown_commit(struct xylem_lmdb__writer_lock *lock, uint64_t txn_id);

/*
 * Takes the mutex: 1, or 0 where there is none. `path` is for texts. Errors: BUSY (not within the limit; the text names
 * the owner; or a lock file was replaced), STOPPED (by `tell`).
 */
int xylem_lmdb__writer_lock_take(struct xylem_lmdb__writer_lock *lock, struct xylem_lmdb__waiting *waiting,
                                 const char *path, struct xylem_error *err);
/* Releases the mutex, in the thread that took the mutex. */
void xylem_lmdb__writer_lock_give(struct xylem_lmdb__writer_lock *lock);

/* --- The mutexes of LMDB, in the first page of lock.mdb ----------------------------------------------------------- */

enum xylem_lmdb__mutex { XYLEM_LMDB__READERS, XYLEM_LMDB__WRITERS };

/* The bytes of lock.mdb before the readers: a mutex with 24 bytes beside, and another mutex, each in cache lines. */
#define XYLEM_LMDB__CACHE_LINES(bytes) ((off_t)(((bytes) + 63) / 64 * 64))
#define XYLEM_LMDB__LOCK_HEAD_BYTES \
    (XYLEM_LMDB__CACHE_LINES(sizeof(pthread_mutex_t) + 24) + XYLEM_LMDB__CACHE_LINES(sizeof(pthread_mutex_t)))
#define XYLEM_LMDB__LOCK_READER_BYTES 64

/* True if the first bytes of lock.mdb, a file of `bytes` bytes, can be those that LMDB wrote there. */
bool xylem_lmdb__lock_table_is_sound(const unsigned char *table, off_t bytes);
/*
 * True if the last process that had lock.mdb open took both mutexes apart: LMDB 0.9.26 and later does so in the last
 * close, and the next opening that is alone makes the mutexes anew. Always false where the mutexes of the C library are
 * unknown.
 */
bool xylem_lmdb__lock_table_is_left(const unsigned char *table);
/*
 * Waits until a mutex of LMDB is free, or its owner died: LMDB itself waits without limit, also for an owner that is
 * only in the bytes of a file that was overwritten. Errors: BUSY, STOPPED.
 */
int xylem_lmdb__lock_table_wait(const unsigned char *table, enum xylem_lmdb__mutex mutex,
                                struct xylem_lmdb__waiting *waiting, const char *path, struct xylem_error *err);

#endif
