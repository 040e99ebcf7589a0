#include "store/lmdb/writer_lock.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/holders.h"
#include "base/os.h"
#include "store/lmdb/environment.h"

#define PAGE_BYTES 4096u

/* A waiter calls its caller in this interval. */
#define SLICE_MS 100u
/* After this time the caller hears the owner of the lock. The name is looked up again in this interval. */
#define NAMING_MS 1000u
/* An error does not mention a limit of this length or less. */
#define NO_WAIT_MS 1u
/* Another process may take this many milliseconds to open the store, which takes less than one. */
#define MAKING_TRIES_MAX 300
/* A writer that begins again at once overtakes waiting writers for so long, and then lets a waiting writer go first. */
#define PASSING_MS_MAX 10
/* A reader waits this long for the mutex of LMDB's table of readers, which is held for microseconds. */
#define READERS_MS_MAX 300u

/* Other C libraries, and other versions of this file, have another page, and another magic number. */
#if defined(__GLIBC__)
#define LIBRARY UINT64_C(1)
#else
#define LIBRARY UINT64_C(2)
#endif
#define PAGE_VERSION UINT64_C(0x786c796d0002)
#define PAGE_MAGIC (PAGE_VERSION << 16 | (uint64_t)sizeof(pthread_mutex_t) << 4 | LIBRARY)

/* A file that the users of the page have open. */
struct file_id {
    uint64_t device;
    uint64_t inode;
    uint64_t bytes; /* of lock.mdb; 0 for data.mdb, which grows */
};

struct xylem_lmdb__writer_page {
    _Atomic uint64_t magic; /* written last */
    _Atomic int64_t holder_pid;
    _Atomic uint64_t newest_commit;
    _Atomic uint64_t unknown_commit;
    struct file_id data;
    struct file_id lmdb_lock;
    pthread_mutex_t mutex;
};

_Static_assert(sizeof(struct xylem_lmdb__writer_page) <= PAGE_BYTES, "the mutex lies in one page");

static void rest_ms(long ms)
{
    struct timespec rest = {.tv_nsec = ms * 1000000};
    nanosleep(&rest, NULL);
}

/* The word that the kernel knows; 0 where the mutexes of the C library are unknown. */
static unsigned word_of(const pthread_mutex_t *mutex)
{
#if defined(__GLIBC__)
    return (unsigned)__atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED);
#else
    (void)mutex;
    return 0;
#endif
}

/* True if the mutex has a living owner, or what looks so. */
static bool is_owned(const pthread_mutex_t *mutex)
{
    unsigned word = word_of(mutex);
    return (word & FUTEX_TID_MASK) != 0 && (word & FUTEX_OWNER_DIED) == 0;
}

/* --- The page ----------------------------------------------------------------------------------------------------- */

static bool map_page(struct xylem_lmdb__writer_lock *lock)
{
    void *page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, lock->fd, 0);
    if (page == MAP_FAILED) {
        return false;
    }
    madvise(page, PAGE_BYTES, MADV_DONTFORK);
    lock->page = page;
    return true;
}

static void unmap_page(struct xylem_lmdb__writer_lock *lock)
{
    if (lock->page && !lock->listed) {
        munmap(lock->page, PAGE_BYTES);
    }
    lock->page = NULL;
}

static bool init_mutex(pthread_mutex_t *mutex)
{
    pthread_mutexattr_t attributes;
    if (pthread_mutexattr_init(&attributes) != 0) {
        return false;
    }
    bool made = pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0 &&
                pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0 &&
                pthread_mutex_init(mutex, &attributes) == 0;
    pthread_mutexattr_destroy(&attributes);
    return made;
}

/* With the bytes held exclusively. Writing the page gives it its blocks: a map of a hole could meet a full disk. */
static bool make_page(struct xylem_lmdb__writer_lock *lock)
{
    static const unsigned char zeros[PAGE_BYTES];
    if (pwrite(lock->fd, zeros, sizeof zeros, 0) != (ssize_t)sizeof zeros || ftruncate(lock->fd, PAGE_BYTES) != 0 ||
        !map_page(lock)) {
        return false;
    }
    if (!init_mutex(&lock->page->mutex)) {
        unmap_page(lock);
        return false;
    }
    return true;
}

static struct file_id id_of(const struct stat *file, uint64_t bytes)
{
    return (struct file_id){(uint64_t)file->st_dev, (uint64_t)file->st_ino, bytes};
}

static bool is_id(const struct file_id *id, const struct stat *file, uint64_t bytes)
{
    return id->device == (uint64_t)file->st_dev && id->inode == (uint64_t)file->st_ino && id->bytes == bytes;
}

/* `what` happened to the file `name`, while others have `data` open. */
static int refuse(struct xylem_error *err, const struct xylem_lmdb__writer_lock *lock, const char *path,
                  const char *name, const char *what, const struct stat *data)
{
    char holders[XYLEM_BASE__HOLDERS_BYTES];
    xylem_base__holders(holders, data, lock->data_fd);
    return xylem_base__fail(err, XYLEM_E_BUSY,
                            "%s/%s %s while %s had the store open: close the store there, and then open the store "
                            "again",
                            path, name, what, holders);
}

int xylem_lmdb__writer_lock_check(const struct xylem_lmdb__writer_lock *lock,
                                  const struct xylem_pages__directory *directory, const struct stat *data,
                                  struct xylem_error *err)
{
    const struct xylem_lmdb__writer_page *page = lock->page;
    struct stat held = {.st_dev = (dev_t)page->data.device, .st_ino = (ino_t)page->data.inode};
    struct stat file;
    if (atomic_load(&page->magic) != PAGE_MAGIC) {
        return refuse(err, lock, directory->path, XYLEM_PAGES__LOCK_NAME,
                      "was made by another C library, or for another processor, whose locks are different,", data);
    }
    if (!is_id(&page->data, data, 0)) {
        /* Others who share the byte of this data.mdb wrote another page. */
        return lock->data_fd >= 0 && xylem_base__byte_locked(lock->data_fd, XYLEM_LMDB__USED_BYTE, "", NULL) == 1
                   ? refuse(err, lock, directory->path, XYLEM_PAGES__LOCK_NAME, "was overwritten", data)
                   : refuse(err, lock, directory->path, XYLEM_PAGES__DATA_NAME, "was replaced", &held);
    }
    if (fstatat(directory->fd, XYLEM_PAGES__LMDB_LOCK_NAME, &file, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno == ENOENT
                   ? refuse(err, lock, directory->path, XYLEM_PAGES__LMDB_LOCK_NAME, "was removed or renamed", data)
                   : xylem_base__fail_errno(err, errno, "cannot look at lock.mdb in", directory->path);
    }
    return is_id(&page->lmdb_lock, &file, (uint64_t)file.st_size)
               ? 1
               : refuse(err, lock, directory->path, XYLEM_PAGES__LMDB_LOCK_NAME, "was replaced or overwritten", data);
}

/* With the byte held shared: maps the page of another process: 1, or 0 if the process died before the page was made. */
static int find_page(struct xylem_lmdb__writer_lock *lock, const struct xylem_pages__directory *directory,
                     const struct stat *data, struct xylem_error *err)
{
    struct stat file;
    if (fstat(lock->fd, &file) != 0 || file.st_size != (off_t)PAGE_BYTES || !map_page(lock)) {
        return 0;
    }
    if (atomic_load(&lock->page->magic) >> 16 != PAGE_VERSION) {
        unmap_page(lock);
        return 0;
    }
    return xylem_lmdb__writer_lock_check(lock, directory, data, err);
}

/*
 * Shares the byte of data.mdb. False if others have the byte: they have another xylem.lock. Of two that look at the
 * same time none goes on.
 */
static bool take_data(int fd)
{
    return fd < 0 || (xylem_base__byte_share(fd, XYLEM_LMDB__USED_BYTE, "", NULL) != 0 &&
                      xylem_base__byte_locked(fd, XYLEM_LMDB__USED_BYTE, "", NULL) != 1);
}

/*
 * 1. Nobody has the page: the byte is locked exclusively. Nobody else has the byte of data.mdb. The page is made.
 * 2. Others have the page: the byte is shared, and the page found.
 * 3. Another process makes the page: again, a little later.
 * 4. The file system keeps locks of bytes in another way, or the page finds no room: there is no page.
 */
static int have_page(struct xylem_lmdb__writer_lock *lock, const struct xylem_pages__directory *directory,
                     const struct stat *data, struct xylem_error *err)
{
    int shared = 0;
    for (unsigned tries = 0; tries < MAKING_TRIES_MAX; tries++) {
        if (xylem_base__byte_lock(lock->fd, XYLEM_LMDB__WRITER_BYTE, "", NULL) == 1) {
            if (!take_data(lock->data_fd)) {
                return refuse(err, lock, directory->path, XYLEM_PAGES__LOCK_NAME, "was removed, renamed or replaced",
                              data);
            }
            lock->alone = true;
            return make_page(lock);
        }
        shared = xylem_base__byte_share(lock->fd, XYLEM_LMDB__WRITER_BYTE, "", NULL);
        if (shared < 0) {
            return 0;
        }
        int found = shared == 1 && xylem_base__byte_locked(lock->fd, XYLEM_LMDB__WRITER_BYTE, "", NULL) == 1
                        ? find_page(lock, directory, data, err)
                        : 0;
        if (found != 0) {
            return found < 0 || lock->data_fd < 0 ||
                           xylem_base__byte_share(lock->data_fd, XYLEM_LMDB__USED_BYTE, "", NULL) != 0
                       ? found
                       : refuse(err, lock, directory->path, XYLEM_PAGES__LOCK_NAME, "was replaced", data);
        }
        xylem_base__byte_unlock(lock->fd, XYLEM_LMDB__WRITER_BYTE);
        rest_ms(1);
    }
    return shared == 1 ? refuse(err, lock, directory->path, XYLEM_PAGES__LOCK_NAME, "was overwritten", data)
                       : xylem_base__fail(err, XYLEM_E_BUSY,
                                          "another process has been opening %s for %d ms and is not done: try again",
                                          directory->path, MAKING_TRIES_MAX);
}

int xylem_lmdb__writer_lock_open(struct xylem_lmdb__writer_lock *lock, const struct xylem_pages__directory *directory,
                                 const struct stat *data, bool read_only, struct xylem_error *err)
{
    *lock = (struct xylem_lmdb__writer_lock){.fd = -1, .data_fd = -1, .pid = getpid()};
    if (xylem_base__network_fs(directory->path, NULL) != 0 ||
        xylem_pages__file_open(&lock->fd, directory, XYLEM_PAGES__LOCK_NAME, O_RDWR, NULL) != 1) {
        return XYLEM_OK;
    }
    /* `xylem stat --holders` tells writers by the descriptor. Opening LMDB compares the file. */
    int flags = read_only ? O_RDONLY : O_RDWR;
    (void)xylem_pages__file_open(&lock->data_fd, directory, XYLEM_PAGES__DATA_NAME, flags, NULL);
    int found = have_page(lock, directory, data, err);
    if (found <= 0) {
        xylem_lmdb__writer_lock_close(lock);
    }
    return found < 0 ? found : XYLEM_OK;
}

int xylem_lmdb__writer_lock_raise(struct xylem_lmdb__writer_lock *lock, const struct xylem_pages__directory *directory,
                                  struct xylem_error *err)
{
    int fd = -1;
    int found = lock->data_fd < 0 ? 0 : xylem_pages__file_open(&fd, directory, XYLEM_PAGES__DATA_NAME, O_RDWR, err);
    if (found == 1) { /* opening LMDB compares the file */
        (void)xylem_base__byte_share(fd, XYLEM_LMDB__USED_BYTE, "", NULL);
        close(lock->data_fd);
        lock->data_fd = fd;
    }
    return found < 0 ? found : XYLEM_OK;
}

void xylem_lmdb__writer_lock_settle(struct xylem_lmdb__writer_lock *lock, const struct stat *data,
                                    const struct stat *lmdb_lock, uint64_t newest_commit)
{
    if (!lock->alone) {
        return;
    }
    lock->alone = false;
    lock->page->newest_commit = newest_commit;
    lock->page->data = id_of(data, 0);
    lock->page->lmdb_lock = id_of(lmdb_lock, (uint64_t)lmdb_lock->st_size);
    atomic_store(&lock->page->magic, PAGE_MAGIC);
    (void)xylem_base__byte_share(lock->fd, XYLEM_LMDB__WRITER_BYTE, "", NULL);
}

void xylem_lmdb__writer_lock_close(struct xylem_lmdb__writer_lock *lock)
{
    unmap_page(lock);
    lock->alone = false;
    xylem_base__file_close(&lock->data_fd);
    xylem_base__file_close(&lock->fd);
}

static int kind_of(const pthread_mutex_t *mutex)
{
#if defined(__GLIBC__)
    return mutex->__data.__kind;
#else
    (void)mutex;
    return 0;
#endif
}

/* The kind of every mutex in the two lock files: LMDB makes its mutexes in the same way. */
static int kind_wanted(void)
{
    static _Atomic int kind = -1;
    pthread_mutex_t mutex;
    if (atomic_load(&kind) < 0 && init_mutex(&mutex)) {
        atomic_store(&kind, kind_of(&mutex));
        pthread_mutex_destroy(&mutex);
    }
    return atomic_load(&kind);
}

bool xylem_lmdb__writer_page_is_sound(const struct xylem_lmdb__writer_lock *lock, dev_t device, ino_t inode)
{
    const struct stat data = {.st_dev = device, .st_ino = inode};
    return !lock->page || lock->alone ||
           (atomic_load(&lock->page->magic) == PAGE_MAGIC && is_id(&lock->page->data, &data, 0) &&
            kind_of(&lock->page->mutex) == kind_wanted());
}

uint64_t xylem_lmdb__newest_commit(const struct xylem_lmdb__writer_lock *lock)
{
    return lock->page ? atomic_load_explicit(&lock->page->newest_commit, memory_order_acquire) : 0;
}

void xylem_lmdb__note_commit(struct xylem_lmdb__writer_lock *lock, uint64_t txn_id)
{
    if (lock->page) {
        atomic_store_explicit(&lock->page->newest_commit, txn_id, memory_order_release);
    }
}

uint64_t xylem_lmdb__unknown_commit(const struct xylem_lmdb__writer_lock *lock)
{
    return lock->page ? atomic_load_explicit(&lock->page->unknown_commit, memory_order_relaxed) : 0;
}

void xylem_lmdb__note_unknown_commit(struct xylem_lmdb__writer_lock *lock, uint64_t txn_id)
{
    if (lock->page) {
        atomic_store_explicit(&lock->page->unknown_commit, txn_id, memory_order_relaxed);
    }
}

/* --- Taking ------------------------------------------------------------------------------------------------------- */

/* Gives what pthread_mutex_lock() gives, or ETIMEDOUT. */
static int lock_within(pthread_mutex_t *mutex, uint64_t ms)
{
    struct timespec until;
#if defined(__GLIBC__)
    clock_gettime(CLOCK_MONOTONIC, &until);
#else
    clock_gettime(CLOCK_REALTIME, &until);
#endif
    until.tv_nsec += (long)ms * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
#if defined(__GLIBC__)
    return pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &until);
#else
    return pthread_mutex_timedlock(mutex, &until);
#endif
}

static int fail_busy(const struct xylem_lmdb__writer_page *page, const struct xylem_lmdb__waiting *waiting,
                     const char *path, struct xylem_error *err)
{
    char holder[XYLEM_BASE__HOLDERS_BYTES];
    if (!page && !waiting->env->writer_lock.page) { /* LMDB's mutex is the only one */
        return xylem_base__fail(err, XYLEM_E_BUSY, "another process writes to %s: waited %" PRIu64 " ms", path,
                                waiting->limit_ms);
    }
    if (!page) {
        return xylem_base__fail(err, XYLEM_E_BUSY,
                                "%s/%s: a program that uses LMDB without xylem, or is stopped, holds LMDB's lock, or "
                                "the file was overwritten: waited %" PRIu64 " ms; if no such program runs, close the "
                                "store in all programs, and then open the store again",
                                path, XYLEM_PAGES__LMDB_LOCK_NAME, waiting->limit_ms);
    }
    xylem_base__process_name(holder, (long)atomic_load(&page->holder_pid));
    if (waiting->limit_ms <= NO_WAIT_MS) {
        return xylem_base__fail(err, XYLEM_E_BUSY, "%s writes to %s", holder, path);
    }
    bool whole = waiting->limit_ms % 1000 == 0;
    return xylem_base__fail(err, XYLEM_E_BUSY, "%s writes to %s: waited %" PRIu64 " %s", holder, path,
                            whole ? waiting->limit_ms / 1000 : waiting->limit_ms, whole ? "s" : "ms");
}

/*
 * Somebody has the mutex, which `within` tries to get. Gives the answer of `within`, or a negative code. `page`: the
 * page of the mutex; NULL: a mutex of LMDB, whose owner has no name.
 */
static int wait_for(int (*within)(pthread_mutex_t *mutex, uint64_t ms), pthread_mutex_t *mutex,
                    const struct xylem_lmdb__writer_page *page, struct xylem_lmdb__waiting *waiting, const char *path,
                    struct xylem_error *err)
{
    char holder[XYLEM_BASE__HOLDERS_BYTES];
    char told[XYLEM_BASE__HOLDERS_BYTES + 32];
    uint64_t named_ms = 0;
    waiting->begun_ms = waiting->begun_ms > 0 ? waiting->begun_ms : xylem_base__steady_ms();
    for (;;) {
        uint64_t waited_ms = (uint64_t)(xylem_base__steady_ms() - waiting->begun_ms);
        int code = waiting->look(waiting->env, err);
        if (code < 0) {
            return code;
        }
        if (waiting->limited && waited_ms >= waiting->limit_ms) {
            return fail_busy(page, waiting, path, err);
        }
        uint64_t left_ms = waiting->limited ? waiting->limit_ms - waited_ms : SLICE_MS;
        int result = within(mutex, left_ms < SLICE_MS ? left_ms : SLICE_MS);
        if (result != ETIMEDOUT) {
            return result;
        }
        waited_ms = (uint64_t)(xylem_base__steady_ms() - waiting->begun_ms);
        if (waiting->tell && page && waited_ms - named_ms >= NAMING_MS) {
            xylem_base__process_name(holder, (long)atomic_load(&page->holder_pid));
            (void)snprintf(told, sizeof told, "%s, which writes to the store", holder);
            named_ms = waited_ms;
        }
        if (waiting->tell && waiting->tell(waiting->context, waited_ms, named_ms > 0 ? told : NULL) != 0) {
            return xylem_base__fail(err, XYLEM_E_STOPPED, "waiting to write to %s was stopped by the caller", path);
        }
    }
}

/*
 * The kernel wakes the next writer, but a writer that begins again at once is faster: the next could wait for seconds.
 * To wake takes the kernel less than 0.1 ms, on a machine that has nothing else to do.
 */
static void let_others(struct xylem_lmdb__writer_lock *lock)
{
    int64_t since_ms = atomic_load_explicit(&lock->passing_ms, memory_order_relaxed);
    if (since_ms > 0 && xylem_base__steady_ms() - since_ms >= PASSING_MS_MAX) {
        atomic_store_explicit(&lock->passing_ms, 0, memory_order_relaxed);
        for (int tries = 0; tries < 4 && !is_owned(&lock->page->mutex); tries++) {
            rest_ms(0);
        }
    }
}

int xylem_lmdb__writer_lock_take(struct xylem_lmdb__writer_lock *lock, struct xylem_lmdb__waiting *waiting,
                                 const char *path, struct xylem_error *err)
{
    struct xylem_lmdb__writer_page *page = lock->page;
    if (!page) {
        return 0;
    }
    let_others(lock);
    int result = pthread_mutex_trylock(&page->mutex);
    if (result == EBUSY) {
        result = wait_for(lock_within, &page->mutex, page, waiting, path, err);
    }
    if (result < 0) {
        return result;
    }
    if (result == EOWNERDEAD) {
        result = pthread_mutex_consistent(&page->mutex); /* the mutex guards nothing but the turn */
    }
    if (result != 0) {
        return xylem_base__fail(err, XYLEM_E_BUSY, XYLEM_LMDB__OVERWRITTEN, path, XYLEM_PAGES__LOCK_NAME);
    }
    atomic_store_explicit(&page->holder_pid, lock->pid, memory_order_relaxed);
    return 1;
}

void xylem_lmdb__writer_lock_give(struct xylem_lmdb__writer_lock *lock)
{
    assert(lock->page);
    atomic_store_explicit(&lock->page->holder_pid, 0, memory_order_relaxed);
    if ((word_of(&lock->page->mutex) & FUTEX_WAITERS) != 0 &&
        atomic_load_explicit(&lock->passing_ms, memory_order_relaxed) == 0) {
        atomic_store_explicit(&lock->passing_ms, xylem_base__steady_ms(), memory_order_relaxed);
    }
    /*
     * After a failure, of a mutex that was overwritten, the thread's list of robust mutexes goes on to have the page.
     * After a success another thread may be the writer already, so `listed` is not written.
     */
    if (pthread_mutex_unlock(&lock->page->mutex) != 0) {
        lock->listed = true;
    }
}

/* --- LMDB's mutexes ----------------------------------------------------------------------------------------------- */

#define TABLE_MAGIC UINT32_C(0xbeefc0de)
#define TABLE_MUTEX_OFFSET 8u
#define TABLE_COUNT_OFFSET (TABLE_MUTEX_OFFSET + sizeof(pthread_mutex_t) + 8) /* of the used readers */

static const pthread_mutex_t *mutex_at(const unsigned char *table, enum xylem_lmdb__mutex mutex)
{
    size_t writers = (size_t)XYLEM_LMDB__CACHE_LINES(sizeof(pthread_mutex_t) + 24);
    return (const pthread_mutex_t *)(const void *)(table +
                                                   (mutex == XYLEM_LMDB__READERS ? TABLE_MUTEX_OFFSET : writers));
}

bool xylem_lmdb__lock_table_is_sound(const unsigned char *table, off_t bytes)
{
    uint32_t magic;
    uint32_t used; /* LMDB goes through so many readers, also behind the end of the file */
    memcpy(&magic, table, sizeof magic);
    memcpy(&used, table + TABLE_COUNT_OFFSET, sizeof used);
    return magic == TABLE_MAGIC && used <= (bytes - XYLEM_LMDB__LOCK_HEAD_BYTES) / XYLEM_LMDB__LOCK_READER_BYTES &&
           kind_of(mutex_at(table, XYLEM_LMDB__READERS)) == kind_wanted() &&
           kind_of(mutex_at(table, XYLEM_LMDB__WRITERS)) == kind_wanted();
}

bool xylem_lmdb__lock_table_is_left(const unsigned char *table)
{
    enum { DESTROYED = -1 }; /* glibc's mark */
    return kind_of(mutex_at(table, XYLEM_LMDB__READERS)) == DESTROYED &&
           kind_of(mutex_at(table, XYLEM_LMDB__WRITERS)) == DESTROYED;
}

/* The same for a mutex of LMDB, which is only looked at. */
static int free_within(pthread_mutex_t *mutex, uint64_t ms)
{
    for (uint64_t tries = 0; tries <= ms; tries++) {
        if (!is_owned(mutex)) {
            return XYLEM_OK;
        }
        rest_ms(tries < 3 ? 0 : 1);
    }
    return ETIMEDOUT;
}

int xylem_lmdb__lock_table_wait(const unsigned char *table, enum xylem_lmdb__mutex mutex,
                                struct xylem_lmdb__waiting *waiting, const char *path, struct xylem_error *err)
{
    const pthread_mutex_t *owned = mutex_at(table, mutex);
    if (!is_owned(owned)) {
        return XYLEM_OK;
    }
    struct xylem_lmdb__waiting readers = *waiting;
    readers.limited = true;
    readers.limit_ms = READERS_MS_MAX;
    return wait_for(free_within, (pthread_mutex_t *)(uintptr_t)owned, NULL,
                    mutex == XYLEM_LMDB__READERS ? &readers : waiting, path, err);
}
