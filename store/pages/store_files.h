/*
 * Checks the files of a store before they are opened: each is a plain file that belongs to the owner of the store's
 * directory. A symbolic link would lead to somebody else's file, a FIFO would wait for ever, and the owner of a file
 * can change the file or cut it short.
 *
 * A descriptor holds the directory, so that another directory of the same name is not mistaken for the store's. LMDB
 * opens files by their paths: the callers compare afterwards.
 */
#ifndef XYLEM_PAGES_STORE_FILES_H
#define XYLEM_PAGES_STORE_FILES_H

#include <sys/stat.h>
#include <sys/types.h>

#include "xylem/base.h"

#define XYLEM_PAGES__DATA_NAME "data.mdb"
#define XYLEM_PAGES__LMDB_LOCK_NAME "lock.mdb"
#define XYLEM_PAGES__LOCK_NAME "xylem.lock"

struct xylem_pages__directory {
    const char *path; /* borrowed */
    int fd;           /* -1: not open */
    dev_t device;
    ino_t inode;
    uid_t owner;
    gid_t group;
};

/* Close the directory in any case. Errors: NOT_FOUND, NOT_A_STORE (no directory), IO. */
int xylem_pages__directory_open(struct xylem_pages__directory *directory, const char *path, struct xylem_error *err);
void xylem_pages__directory_close(struct xylem_pages__directory *directory);
/* Fails with BUSY if the path leads to another directory by now. */
int xylem_pages__directory_check(const struct xylem_pages__directory *directory, struct xylem_error *err);
/* Fails with IO unless this process can make files for the directory's owner: the process is the owner's, or root's. */
int xylem_pages__directory_check_maker(const struct xylem_pages__directory *directory, struct xylem_error *err);

/*
 * Looks at a file of the store: 1 if the file is there and may be opened, 0 if there is none.
 * Errors:
 *   NOT_A_STORE  a data file is not a plain file
 *   IO           a lock file is not a plain file or has several names, or file and directory have different owners
 * A data file may have several names, as in a snapshot of hard links. A lock file may not: two stores would share the
 * file, and LMDB would tell each store of the other store's transactions.
 */
int xylem_pages__file_look(struct stat *file, const struct xylem_pages__directory *directory, const char *name,
                           struct xylem_error *err);

/*
 * Looks at a file, and opens the file: 1, or 0 if there is none. `flags` is O_RDONLY or O_RDWR. Do not open lock.mdb
 * while this process has an LMDB environment there: closing any descriptor of lock.mdb drops LMDB's locks.
 */
int xylem_pages__file_open(int *fd, const struct xylem_pages__directory *directory, const char *name, int flags,
                           struct xylem_error *err);

/* Makes an empty file of the directory's owner (mode 0600, whatever the umask): 1, or 0 if the name is taken. */
int xylem_pages__file_make(int *fd, const struct xylem_pages__directory *directory, const char *name,
                           struct xylem_error *err);

/* Gives a new file to the directory's owner: a user can use the files that root makes in the user's store. */
int xylem_pages__give_to_owner(int fd, const struct xylem_pages__directory *directory, const char *path,
                               struct xylem_error *err);

/*
 * Opens xylem.lock for locking, and makes the file where there is none: 1, or 0 where `read_only` and the file cannot
 * be made. A reader of a directory that nobody can write to needs no lock, as nobody can replace the store there.
 */
int xylem_pages__lock_file_open(int *fd, const struct xylem_pages__directory *directory, bool read_only,
                                struct xylem_error *err);

/*
 * Opens xylem.lock anew, for locks on bytes: a description of its own, which no executed program inherits. `same_fd` is
 * a descriptor of the same file; BUSY if another file has the name by now.
 */
int xylem_pages__lock_file_again(int *fd, const struct xylem_pages__directory *directory, int same_fd,
                                 struct xylem_error *err);

#endif
