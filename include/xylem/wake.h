/* xylem: a descriptor that tells of commits. The rules of xylem.h hold for every call. */
#ifndef XYLEM_WAKE_H
#define XYLEM_WAKE_H

#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Waking up after a commit ----------------------------------------------------------------------------------- */

#define XYLEM_WAKE_POLL_MS 100u /* the time between two looks where the system does not tell of commits */

/*
 * A descriptor that becomes readable after a commit of any process, this process included, for poll(2), select(2),
 * epoll(7) or an event loop. A wake-up belongs to a handle, and ends before the handle is closed:
 *
 *     xylem_wake_new()            then read the store once
 *     poll(xylem_wake_fd())       without a transaction; with a limit of about a second, for xylem_store_wanted()
 *     xylem_wake_take()           1: begin a read transaction and look for news; 0: wait again
 *
 * No commit is missed. A transaction that begins after a 1 sees every commit that the 1 tells of, and each later commit
 * makes the descriptor readable again. Several commits may come as one 1. The descriptor may also be readable without a
 * commit: then the take gives 0.
 */
struct xylem_wake;

/*
 * Makes a wake-up for a handle, also for a reading handle. Takes two or three descriptors, all closed by exec(2), and
 * one of the user's inotify instances and watches (fs.inotify.max_user_instances, .max_user_watches). Without inotify
 * the descriptor is a timer: see xylem_wake_polling().
 *
 * Errors:
 * - BUSY: `data.mdb` is missing or another file than at the opening; and the BUSY of xylem_begin()
 * - IO: no descriptor is left
 * - READERS_FULL, CORRUPT, MEMORY
 */
XYLEM_API int xylem_wake_new(struct xylem_wake **wake, struct xylem_store *store, struct xylem_error *err);

/*
 * The descriptor: wait until it is readable, and do nothing else with it. The same descriptor until xylem_wake_free().
 * Any thread may wait, several at once.
 */
XYLEM_API int xylem_wake_fd(const struct xylem_wake *wake);

/*
 * 1 if there was a commit since the last take (the first time: since xylem_wake_new()), else 0. Never waits. Afterwards
 * the descriptor is not readable, until the next event. The call reads the store for a moment: the thread may have a
 * transaction open. One thread at a time takes from a wake-up.
 *
 * Errors:
 * - BUSY: `data.mdb` was removed, renamed or replaced: nobody commits to the open file any more. Free the wake-up,
 *   close the store, and open the store again. Or the BUSY of xylem_begin(): the descriptor becomes readable again.
 * - READERS_FULL, CORRUPT, IO, MEMORY: of the look at the store; the descriptor becomes readable again
 */
XYLEM_API int xylem_wake_take(struct xylem_wake *wake, struct xylem_error *err);

/*
 * NULL: the system tells of commits, and a wake-up follows in well below a millisecond. Else a line that says why the
 * descriptor is a timer of XYLEM_WAKE_POLL_MS: the store lies on a network file system or on FUSE, where a commit of
 * another machine causes no event; or inotify is missing or at its limit. The text lives as long as the wake-up. Any
 * thread.
 */
XYLEM_API const char *xylem_wake_polling(const struct xylem_wake *wake);

/*
 * Frees the wake-up and closes its descriptors: take the descriptor out of every event loop before. In the child of a
 * fork(2) the call frees the part of the child; the wake-up of the parent goes on. NULL is allowed.
 */
XYLEM_API void xylem_wake_free(struct xylem_wake *wake);

#ifdef __cplusplus
}
#endif

#endif
