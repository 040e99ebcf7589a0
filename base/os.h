/* The door to the operating system's files, as far as the store needs them. */
#ifndef XYLEM_BASE_OS_H
#define XYLEM_BASE_OS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "xylem.h"

/* A path and a name below it, joined. NULL: no memory. The caller frees it. */
char *xylem_base__path_join(const char *directory, const char *name);

/* Makes a directory with mode 0700, whatever the umask. One that is there already is left as it is. */
int xylem_base__directory_make(const char *path, struct xylem_error *err);

/* Makes an empty file with mode 0600, whatever the umask. One that is there already is left as it is. */
int xylem_base__file_make(const char *path, struct xylem_error *err);

/*
 * Makes the names in a directory survive a power loss: those of files that were made, renamed or removed in it. A
 * directory that may not be read is synced with the whole file system of `inside`, a readable directory in it.
 */
int xylem_base__directory_sync(const char *path, const char *inside, struct xylem_error *err);

/*
 * Renames a directory to a free name. The directory must not be empty. 0, or -1 with errno: EEXIST or ENOTEMPTY if the
 * name is taken. A file system without renameat2(2) may replace an empty directory of that name.
 */
int xylem_base__rename_to_new(const char *from, const char *to);

/* 1 if the path lies on a network file system, else 0. */
int xylem_base__network_fs(const char *path, struct xylem_error *err);

/*
 * Opens (and if need be makes, 0600) a lock file, and locks it shared. Gives its descriptor; -1 where the file is not
 * there and cannot be made. BUSY: somebody holds it exclusively. Closing the descriptor unlocks it.
 */
int xylem_base__lock_shared(int *fd, const char *path, bool read_only, struct xylem_error *err);

/*
 * The same, exclusively: it waits for nobody. BUSY: somebody holds it; the descriptor is given all the same, so that the
 * caller can tell who.
 */
int xylem_base__lock_exclusive(int *fd, const char *path, struct xylem_error *err);

/*
 * NO_SPACE if a file of `bytes` more cannot be written below `directory`: its file system has less room, or the process
 * may not write files of that length. `what` is to be written there. It is a look ahead, no promise.
 */
int xylem_base__room_check(const char *directory, uint64_t bytes, const char *what, struct xylem_error *err);

/*
 * Opens the lock file anew, for locks on its bytes: a description of its own, which no program that is executed
 * inherits. `same_fd` is a descriptor of the file that it must be; BUSY if the path leads to another one by now.
 */
int xylem_base__lock_bytes_open(int *fd, const char *path, int same_fd, struct xylem_error *err);

/*
 * Locks one byte of a file for the open file description of `fd`, which must be open for writing: 1, or 0 if another
 * description has it. The kernel gives it back when the last descriptor of the description is closed, also by the death
 * of its process. `path` is for error texts. Unlocking a byte that is not locked does nothing.
 */
int xylem_base__byte_lock(int fd, uint64_t offset, const char *path, struct xylem_error *err);
void xylem_base__byte_unlock(int fd, uint64_t offset);
/* 1 if another open file description than that of `fd` has the byte locked, else 0. */
int xylem_base__byte_locked(int fd, uint64_t offset, const char *path, struct xylem_error *err);

/* The name of this machine, cut to what fits, with a NUL; "unknown" where it has none. */
void xylem_base__host_name(char *out, size_t bytes);

#endif
