#include "lmdb/writer_lock.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/holders.h"
#include "base/os.h"

#define PAGE_BYTES 4096u

/* A waiter calls its caller in this interval. */
#define SLICE_MS 100u
/* After this time the caller hears the owner of the lock. The name is looked up again in this interval. */
#define NAMING_MS 1000u
/* An error does not mention a limit of this length or less. */
#define NO_WAIT_MS 1u
/* Another process may take this many milliseconds to make the mutex, which takes microseconds. */
#define MAKING_TRIES_MAX 100

/* Other C libraries, and other versions of this file, have another page, and another magic number. */
#if defined(__GLIBC__)
#define LIBRARY UINT64_C(1)
#else
#define LIBRARY UINT64_C(2)
#endif
#define PAGE_MAGIC (UINT64_C(0x786c796d0001) << 16 | (uint64_t)sizeof(pthread_mutex_t) << 4 | LIBRARY)

struct xylem_lmdb__writer_page {
    _Atomic uint64_t magic; /* written last */
    _Atomic int64_t holder_pid;
    pthread_mutex_t mutex;
};

_Static_assert(sizeof(struct xylem_lmdb__writer_page) <= PAGE_BYTES, "the mutex lies in one page");

static void rest_ms(long ms)
{
    struct timespec rest = {.tv_nsec = ms * 1000000};
    nanosleep(&rest, NULL);
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
    if (lock->page) {
        munmap(lock->page, PAGE_BYTES);
        lock->page = NULL;
    }
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

/* With the byte held exclusively. Writing the page gives it its blocks: a map of a hole could meet a full disk. */
static bool make_page(struct xylem_lmdb__writer_lock *lock)
{
    static const unsigned char zeros[PAGE_BYTES];
    if (pwrite(lock->fd, zeros, sizeof zeros, 0) != (ssize_t)sizeof zeros || !map_page(lock)) {
        return false;
    }
    if (!init_mutex(&lock->page->mutex)) {
        unmap_page(lock);
        return false;
    }
    atomic_store(&lock->page->magic, PAGE_MAGIC);
    return true;
}

/* With the byte held shared: maps the page of another process. False if the process died early, or has another page. */
static bool find_page(struct xylem_lmdb__writer_lock *lock)
{
    struct stat file;
    if (fstat(lock->fd, &file) != 0 || file.st_size < (off_t)PAGE_BYTES || !map_page(lock)) {
        return false;
    }
    if (atomic_load(&lock->page->magic) == PAGE_MAGIC) {
        return true;
    }
    unmap_page(lock);
    return false;
}

/*
 * 1. Nobody has the page: the byte is locked exclusively, the page made, and the byte shared.
 * 2. Others have the page: the byte is shared, and the page found.
 * 3. Another process makes the page: again, a little later.
 * 4. Others have a page of another kind, or the file system keeps locks of bytes in another way: there is no page.
 */
static bool have_page(struct xylem_lmdb__writer_lock *lock)
{
    for (unsigned tries = 0; tries < MAKING_TRIES_MAX; tries++) {
        if (xylem_base__byte_lock(lock->fd, XYLEM_LMDB__WRITER_BYTE, "", NULL) == 1) {
            bool made = make_page(lock);
            return xylem_base__byte_share(lock->fd, XYLEM_LMDB__WRITER_BYTE, "", NULL) == 1 && made;
        }
        int shared = xylem_base__byte_share(lock->fd, XYLEM_LMDB__WRITER_BYTE, "", NULL);
        if (shared != 0) {
            return shared == 1 && find_page(lock);
        }
        rest_ms(1);
    }
    return false;
}

void xylem_lmdb__writer_lock_open(struct xylem_lmdb__writer_lock *lock, const struct xylem_pages__directory *directory)
{
    *lock = (struct xylem_lmdb__writer_lock){.fd = -1, .pid = getpid()};
    if (xylem_base__network_fs(directory->path, NULL) != 0 ||
        xylem_pages__file_open(&lock->fd, directory, XYLEM_PAGES__LOCK_NAME, O_RDWR, NULL) != 1) {
        return;
    }
    if (!have_page(lock)) {
        xylem_lmdb__writer_lock_close(lock);
    }
}

void xylem_lmdb__writer_lock_close(struct xylem_lmdb__writer_lock *lock)
{
    unmap_page(lock);
    if (lock->fd >= 0) {
        close(lock->fd);
        lock->fd = -1;
    }
}

void xylem_lmdb__writer_lock_forked(struct xylem_lmdb__writer_lock *lock)
{
    lock->page = NULL;
    xylem_lmdb__writer_lock_close(lock);
}

/* --- Taking ------------------------------------------------------------------------------------------------------- */

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

static void name_holder(char text[XYLEM_BASE__HOLDERS_BYTES], const struct xylem_lmdb__writer_page *page)
{
    xylem_base__process_name(text, (long)atomic_load(&page->holder_pid));
}

static int fail_busy(const struct xylem_lmdb__writer_page *page, const struct xylem_lmdb__waiting *waiting,
                     const char *path, struct xylem_error *err)
{
    char holder[XYLEM_BASE__HOLDERS_BYTES];
    name_holder(holder, page);
    if (waiting->limit_ms <= NO_WAIT_MS) {
        return xylem_base__fail(err, XYLEM_E_BUSY, "%s writes to %s", holder, path);
    }
    bool whole = waiting->limit_ms % 1000 == 0;
    return xylem_base__fail(err, XYLEM_E_BUSY, "%s writes to %s: waited %" PRIu64 " %s", holder, path,
                            whole ? waiting->limit_ms / 1000 : waiting->limit_ms, whole ? "s" : "ms");
}

/* Somebody has the mutex. Gives what pthread_mutex_lock() gives, or a negative code. */
static int wait_for(struct xylem_lmdb__writer_page *page, const struct xylem_lmdb__waiting *waiting, const char *path,
                    struct xylem_error *err)
{
    char holder[XYLEM_BASE__HOLDERS_BYTES];
    char told[XYLEM_BASE__HOLDERS_BYTES + 32];
    uint64_t named_ms = 0;
    int64_t begun_ms = xylem_base__steady_ms();
    for (;;) {
        uint64_t waited_ms = (uint64_t)(xylem_base__steady_ms() - begun_ms);
        if (waiting->limited && waited_ms >= waiting->limit_ms) {
            return fail_busy(page, waiting, path, err);
        }
        uint64_t left_ms = waiting->limited ? waiting->limit_ms - waited_ms : SLICE_MS;
        int result = lock_within(&page->mutex, left_ms < SLICE_MS ? left_ms : SLICE_MS);
        if (result != ETIMEDOUT) {
            return result;
        }
        waited_ms = (uint64_t)(xylem_base__steady_ms() - begun_ms);
        if (waiting->tell && waited_ms - named_ms >= NAMING_MS) {
            name_holder(holder, page);
            (void)snprintf(told, sizeof told, "%s, which writes to the store", holder);
            named_ms = waited_ms;
        }
        if (waiting->tell && waiting->tell(waiting->context, waited_ms, named_ms > 0 ? told : NULL) != 0) {
            return xylem_base__fail(err, XYLEM_E_STOPPED, "waiting to write to %s was stopped by the caller", path);
        }
    }
}

int xylem_lmdb__writer_lock_take(struct xylem_lmdb__writer_lock *lock, const struct xylem_lmdb__waiting *waiting,
                                 const char *path, struct xylem_error *err)
{
    struct xylem_lmdb__writer_page *page = lock->page;
    if (!page) {
        return 0;
    }
    int result = pthread_mutex_trylock(&page->mutex);
    if (result == EBUSY) {
        result = wait_for(page, waiting, path, err);
    }
    if (result < 0) {
        return result;
    }
    if (result == EOWNERDEAD) {
        result = pthread_mutex_consistent(&page->mutex); /* the mutex guards nothing but the turn */
    }
    if (result != 0) {
        return 0; /* the page was overwritten: LMDB's own lock is left */
    }
    atomic_store_explicit(&page->holder_pid, lock->pid, memory_order_relaxed);
    return 1;
}

void xylem_lmdb__writer_lock_give(struct xylem_lmdb__writer_lock *lock)
{
    assert(lock->page);
    atomic_store_explicit(&lock->page->holder_pid, 0, memory_order_relaxed);
    pthread_mutex_unlock(&lock->page->mutex);
}
