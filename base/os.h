/* Opens, makes, syncs and locks files and directories. */
#ifndef XYLEM_BASE_OS_H
#define XYLEM_BASE_OS_H

#include <stdint.h>
#include <sys/stat.h>

#include "xylem/base.h"

/* Joins a directory and a name. The caller frees the path. NULL: no memory. */
char *xylem_base__path_join(const char *directory, const char *name);

/*
 * The path of a file of the user's configuration: `$XDG_CONFIG_HOME/xylem/NAME`, else `~/.config/xylem/NAME`. NULL if
 * neither variable has an absolute path. The caller frees the path.
 *
 * Errors: MEMORY, and the path is NULL
 */
int xylem_base__config_path(char **path, const char *name, struct xylem_error *err);

/* Makes a directory with mode 0700, whatever the umask: 1, or 0 if the name is taken. */
int xylem_base__directory_make(const char *path, struct xylem_error *err);
/* The same under a new name: replaces the `XXXXXX` at the end of `path`. */
int xylem_base__directory_make_unique(char *path, struct xylem_error *err);

/*
 * Makes an empty file with mode 0600, whatever the umask, open for reading and writing: 1, or 0 if the name is taken.
 */
int xylem_base__file_make(int *fd, const char *path, struct xylem_error *err);

/*
 * Opens the file that `same` describes. Never follows a symbolic link, and never waits for the other end of a FIFO.
 * BUSY: the path leads to another file by now.
 */
int xylem_base__open_same(int *fd, const char *path, int flags, const struct stat *same, struct xylem_error *err);

/* Closes a descriptor that is open, and makes the descriptor -1. */
void xylem_base__file_close(int *fd);

/*
 * Syncs a directory, so that new, renamed and removed names survive a power loss. For a directory without read
 * permission the whole file system is synced, through `inside`, a readable directory below.
 */
int xylem_base__directory_sync(const char *path, const char *inside, struct xylem_error *err);

/*
 * Renames a directory to a free name. The directory must not be empty. 0, or -1 with errno: EEXIST or ENOTEMPTY if the
 * name is taken. A file system without renameat2(2) may replace an empty directory of that name.
 */
int xylem_base__rename_to_new(const char *from, const char *to);

/* 1 if the path lies on a network file system, else 0. */
int xylem_base__network_fs(const char *path, struct xylem_error *err);

/* Locks a whole lock file, shared or exclusively, without waiting. BUSY: another process has a lock. */
int xylem_base__lock_shared(int fd, const char *path, struct xylem_error *err);
int xylem_base__lock_exclusive(int fd, const char *path, struct xylem_error *err);

/*
 * NO_SPACE if `bytes` bytes cannot be written below `directory`: the file system has less room, or the limit of the
 * process for the size of a file is lower. `what` names the file in the text. The answer is no promise: others may take
 * the room.
 */
int xylem_base__room_check(const char *directory, uint64_t bytes, const char *what, struct xylem_error *err);

/*
 * Locks one byte of a file for the open file description of `fd`, which is open for writing: 1, or 0 if another
 * description has the byte locked. The lock ends with the last descriptor of the description, also when the process
 * dies. `path` is for error texts. Unlocking an unlocked byte does nothing.
 */
int xylem_base__byte_lock(int fd, uint64_t offset, const char *path, struct xylem_error *err);
/* The same, shared with other descriptions: turns an exclusive lock of this description into a shared lock. */
int xylem_base__byte_share(int fd, uint64_t offset, const char *path, struct xylem_error *err);
void xylem_base__byte_unlock(int fd, uint64_t offset);
/* 1 if another open file description has the byte locked, else 0. */
int xylem_base__byte_locked(int fd, uint64_t offset, const char *path, struct xylem_error *err);

/* The name of this machine, cut to `bytes` with the NUL; "unknown" for a machine without a name. */
void xylem_base__host_name(char *out, size_t bytes);

#endif
