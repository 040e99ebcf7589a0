/*
 * A descriptor that becomes readable after a commit. A commit of LMDB ends with two steps:
 *
 *     1. pwrite() of a meta page to data.mdb    inotify tells of the write
 *     2. the number of the commit in lock.mdb   from here on new readers see the commit; no event
 *
 * So an event may come before the commit is visible, and no event follows. The newest meta page shows such a commit:
 *
 *     meta page newer than what a reader sees   look again soon, by a timer, until both are equal
 *     both equal                                every commit with an event so far is visible
 *
 * The take empties the queue of events first, and then looks. A write after the look makes an event that stays in the
 * queue. A writer that dies between the two steps leaves the store in the first case, until the next writer begins.
 *
 *     wake->fd (epoll) ---- events (inotify on data.mdb)
 *                      ---- timer (once, for the next look; without inotify periodically)
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/os.h"
#include "store/lmdb/environment.h"
#include "xylem/wake.h"

#define FIRST_LOOK_US 100u     /* step 2 follows step 1 within microseconds, unless the writer is stopped */
#define FUSE_MAGIC 0x65735546u /* not in every linux/magic.h */
#define LAST_LOOK_US (XYLEM_WAKE_POLL_MS * 1000u)

struct xylem_wake {
    struct xylem_store *store;
    unsigned fork_count; /* of the process that made the wake-up */
    int fd;
    int events; /* -1: no inotify */
    int timer;
    char *polling;    /* why there is no inotify; NULL: there is */
    uint64_t seen;    /* the newest commit that a reader saw at the last take */
    uint32_t look_us; /* the time until the next look; doubles from look to look */
};

static void set_timer(const struct xylem_wake *wake, uint32_t microseconds, bool periodic)
{
    struct timespec time = {.tv_sec = microseconds / 1000000u, .tv_nsec = (long)(microseconds % 1000000u) * 1000};
    struct itimerspec setting = {.it_value = time};
    if (periodic) {
        setting.it_interval = time;
    }
    timerfd_settime(wake->timer, 0, &setting, NULL);
}

/* Without inotify the timer is periodic, and looks often enough. */
static void look_again(struct xylem_wake *wake)
{
    if (wake->events >= 0) {
        set_timer(wake, wake->look_us, false);
        wake->look_us = wake->look_us < LAST_LOOK_US / 2 ? wake->look_us * 2 : LAST_LOOK_US;
    }
}

static void empty(int fd)
{
    char events[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
    ssize_t bytes;
    do {
        bytes = fd < 0 ? 0 : read(fd, events, sizeof events);
    } while (bytes > 0 || (bytes < 0 && errno == EINTR));
}

/*
 * Looks at the store: the newest commit that a reader sees, and the commit of the newest meta page. LMDB's map stays in
 * place during a transaction, so the meta pages are read inside of one.
 */
static int look(uint64_t *visible, uint64_t *written, int *fd, const struct xylem_wake *wake, struct xylem_error *err)
{
    struct xylem_txn *txn = NULL;
    MDB_envinfo info;
    int code = xylem_begin(&txn, wake->store, XYLEM_READ, err);
    if (code < 0) {
        return code;
    }
    mdb_env_info(txn->env->mdb, &info);
    *written = info.me_last_txnid;
    *visible = txn->snapshot.txn_id;
    *fd = txn->snapshot.fd;
    xylem_abort(txn);
    return XYLEM_OK;
}

static int set_polling(struct xylem_wake *wake, const char *path, const char *why, int number, struct xylem_error *err)
{
    if (asprintf(&wake->polling, "%s: commits are looked for every %u ms: %s%s%s", path, XYLEM_WAKE_POLL_MS, why,
                 number != 0 ? ": " : "", number != 0 ? strerror(number) : "") < 0) {
        wake->polling = NULL;
        return xylem_base__fail_memory(err);
    }
    xylem_base__file_close(&wake->events);
    set_timer(wake, XYLEM_WAKE_POLL_MS * 1000u, true);
    return XYLEM_OK;
}

/* True where a commit of another machine, or behind a program such as sshfs, makes no event here. */
static bool is_silent(const char *path)
{
    struct statfs fs;
    return xylem_base__network_fs(path, NULL) != 0 || (statfs(path, &fs) == 0 && (uint32_t)fs.f_type == FUSE_MAGIC);
}

/* Watches the open file itself: the path may lead to another file by now. */
static int watch_file(struct xylem_wake *wake, int fd, struct xylem_error *err)
{
    const char *path = wake->store->env->path;
    char open_file[64];
    if (is_silent(path)) {
        return set_polling(wake, path, "the store lies on a network file system or on FUSE", 0, err);
    }
    wake->events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (wake->events < 0) {
        return set_polling(wake, path, "no inotify instance (fs.inotify.max_user_instances)", errno, err);
    }
    snprintf(open_file, sizeof open_file, "/proc/self/fd/%d", fd);
    if (inotify_add_watch(wake->events, open_file, IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF) < 0) {
        return set_polling(wake, path, "no inotify watch (fs.inotify.max_user_watches)", errno, err);
    }
    return XYLEM_OK;
}

static int add_to_fd(const struct xylem_wake *wake, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    return fd < 0 ? 0 : epoll_ctl(wake->fd, EPOLL_CTL_ADD, fd, &event);
}

/* The next reader looks at the lock files, too, and has the same error. */
static int check_files(const struct xylem_wake *wake, struct xylem_error *err)
{
    struct xylem_lmdb__env *env = wake->store->env;
    int code = xylem_lmdb__check_in_place(env, err);
    env->looked_ms = 0;
    return code < 0 ? code : xylem_lmdb__check_locks_at_times(env, err);
}

static int start(struct xylem_wake *wake, struct xylem_error *err)
{
    uint64_t written;
    int fd = -1;
    const char *path = wake->store->env->path;
    wake->fd = epoll_create1(EPOLL_CLOEXEC);
    wake->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (wake->fd < 0 || wake->timer < 0) {
        return xylem_base__fail_errno(err, errno, "cannot make a descriptor that tells of commits to", path);
    }
    int code;
    if ((code = look(&wake->seen, &written, &fd, wake, err)) < 0 || (code = watch_file(wake, fd, err)) < 0) {
        return code;
    }
    if (add_to_fd(wake, wake->events) != 0 || add_to_fd(wake, wake->timer) != 0) {
        return xylem_base__fail_errno(err, errno, "cannot wait for commits to", path);
    }
    /* A commit before this look may have had its event before the watch. */
    if ((code = look(&wake->seen, &written, &fd, wake, err)) < 0 || (code = check_files(wake, err)) < 0) {
        return code;
    }
    if (written > wake->seen) {
        look_again(wake);
    }
    return XYLEM_OK;
}

int xylem_wake_new(struct xylem_wake **wake, struct xylem_store *store, struct xylem_error *err)
{
    if (!wake || !store) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_wake_new: a wake-up and a store are needed");
    }
    int code = xylem_lmdb__check_forked(store, err);
    if (code < 0) {
        return code;
    }
    struct xylem_wake *made = calloc(1, sizeof *made);
    if (!made) {
        return xylem_base__fail_memory(err);
    }
    *made = (struct xylem_wake){.store = store,
                                .fork_count = xylem_lmdb__fork_count,
                                .fd = -1,
                                .events = -1,
                                .timer = -1,
                                .look_us = FIRST_LOOK_US};
    pthread_mutex_lock(&store->env->lock);
    store->wake_count++;
    pthread_mutex_unlock(&store->env->lock);
    if ((code = start(made, err)) < 0) {
        xylem_wake_free(made);
        return code;
    }
    *wake = made;
    return XYLEM_OK;
}

int xylem_wake_fd(const struct xylem_wake *wake)
{
    return wake ? wake->fd : -1;
}

const char *xylem_wake_polling(const struct xylem_wake *wake)
{
    return wake ? wake->polling : NULL;
}

int xylem_wake_take(struct xylem_wake *wake, struct xylem_error *err)
{
    uint64_t visible;
    uint64_t written;
    int fd;
    if (!wake) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_wake_take: a wake-up is needed");
    }
    if (wake->fork_count != xylem_lmdb__fork_count) { /* the queues belong to the parent, too */
        return xylem_base__fail(err, XYLEM_E_FORKED, "a wake-up cannot be used after fork(2): make another");
    }
    empty(wake->events);
    empty(wake->timer);
    int code = check_files(wake, err);
    if (code < 0) {
        if (code != XYLEM_E_BUSY) { /* the events are gone, and a commit among them is still to be told */
            look_again(wake);
        }
        return code;
    }
    if ((code = look(&visible, &written, &fd, wake, err)) < 0) {
        look_again(wake);
        return code;
    }
    if (written > visible) {
        look_again(wake);
    } else {
        wake->look_us = FIRST_LOOK_US;
    }
    code = visible != wake->seen;
    wake->seen = visible;
    return code;
}

void xylem_wake_free(struct xylem_wake *wake)
{
    if (!wake) {
        return;
    }
    if (wake->fork_count == xylem_lmdb__fork_count) {
        pthread_mutex_lock(&wake->store->env->lock);
        wake->store->wake_count--;
        pthread_mutex_unlock(&wake->store->env->lock);
    }
    xylem_base__file_close(&wake->fd);
    xylem_base__file_close(&wake->events);
    xylem_base__file_close(&wake->timer);
    free(wake->polling);
    free(wake);
}
