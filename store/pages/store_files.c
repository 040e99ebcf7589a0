#include "store/pages/store_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/os.h"

int xylem_pages__directory_open(struct xylem_pages__directory *directory, const char *path, struct xylem_error *err)
{
    struct stat status;
    *directory = (struct xylem_pages__directory){.path = path};
    directory->fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (directory->fd < 0) {
        return errno == ENOENT ? xylem_base__fail(err, XYLEM_E_NOT_FOUND, "there is no store at %s", path)
               : errno == ENOTDIR
                   ? xylem_base__fail(err, XYLEM_E_NOT_A_STORE, "%s is not a store: expected a directory", path)
                   : xylem_base__fail_errno(err, errno, "cannot open", path);
    }
    if (fstat(directory->fd, &status) != 0) {
        int errnum = errno;
        xylem_pages__directory_close(directory);
        return xylem_base__fail_errno(err, errnum, "cannot read the owner of", path);
    }
    directory->device = status.st_dev;
    directory->inode = status.st_ino;
    directory->owner = status.st_uid;
    directory->group = status.st_gid;
    return XYLEM_OK;
}

void xylem_pages__directory_close(struct xylem_pages__directory *directory)
{
    xylem_base__file_close(&directory->fd);
}

int xylem_pages__directory_check(const struct xylem_pages__directory *directory, struct xylem_error *err)
{
    struct stat status;
    if (stat(directory->path, &status) != 0) {
        return xylem_base__fail_errno(err, errno, "cannot open", directory->path);
    }
    return status.st_dev == directory->device && status.st_ino == directory->inode
               ? XYLEM_OK
               : xylem_base__fail(
                     err, XYLEM_E_BUSY,
                     "the directory %s was replaced by another directory: close the store, and open it again",
                     directory->path);
}

int xylem_pages__directory_check_maker(const struct xylem_pages__directory *directory, struct xylem_error *err)
{
    uid_t user = geteuid();
    return user == 0 || user == directory->owner
               ? XYLEM_OK
               : xylem_base__fail(err, XYLEM_E_IO,
                                  "%s belongs to user %lu, and this is user %lu: only the owner of the directory, or "
                                  "root, can make the files of a store",
                                  directory->path, (unsigned long)directory->owner, (unsigned long)user);
}

static const char *type_name(mode_t mode)
{
    return S_ISLNK(mode)    ? "a symbolic link"
           : S_ISDIR(mode)  ? "a directory"
           : S_ISFIFO(mode) ? "a FIFO"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

int xylem_pages__file_look(struct stat *file, const struct xylem_pages__directory *directory, const char *name,
                           struct xylem_error *err)
{
    bool is_data = strncmp(name, XYLEM_PAGES__DATA_NAME, sizeof XYLEM_PAGES__DATA_NAME - 1) == 0;
    if (fstatat(directory->fd, name, file, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno == ENOENT ? 0 : xylem_base__fail_errno(err, errno, "cannot look at the files in", directory->path);
    }
    if (!S_ISREG(file->st_mode)) {
        return is_data
                   ? xylem_base__fail(err, XYLEM_E_NOT_A_STORE, "%s/%s is not a store: expected a plain file, found %s",
                                      directory->path, name, type_name(file->st_mode))
                   : xylem_base__fail(
                         err, XYLEM_E_IO,
                         "%s/%s: expected a plain file, found %s, which is not xylem's: while no program has "
                         "the store open, move it away, and xylem makes a new file",
                         directory->path, name, type_name(file->st_mode));
    }
    if (file->st_uid != directory->owner) {
        return xylem_base__fail(err, XYLEM_E_IO,
                                "%s/%s belongs to user %lu, and the directory to user %lu: the files of a store must "
                                "belong to the owner of the directory (use chown)",
                                directory->path, name, (unsigned long)file->st_uid, (unsigned long)directory->owner);
    }
    if (!is_data && file->st_nlink > 1) {
        return xylem_base__fail(err, XYLEM_E_IO,
                                "%s/%s has %" PRIu64 " names (hard links), but two stores must not share a lock file: "
                                "while no program has the store open, move this name away, and xylem makes a new file",
                                directory->path, name, (uint64_t)file->st_nlink);
    }
    return 1;
}

int xylem_pages__file_open(int *fd, const struct xylem_pages__directory *directory, const char *name, int flags,
                           struct xylem_error *err)
{
    struct stat file;
    int found = xylem_pages__file_look(&file, directory, name, err);
    if (found <= 0) {
        return found;
    }
    char *path = xylem_base__path_join(directory->path, name);
    int code = path ? xylem_base__open_same(fd, path, flags, &file, err) : xylem_base__fail_memory(err);
    free(path);
    return code < 0 ? code : 1;
}

int xylem_pages__give_to_owner(int fd, const struct xylem_pages__directory *directory, const char *path,
                               struct xylem_error *err)
{
    return geteuid() == directory->owner || fchown(fd, directory->owner, directory->group) == 0
               ? XYLEM_OK
               : xylem_base__fail_errno(err, errno, "cannot change the owner of", path);
}

int xylem_pages__file_make(int *fd, const struct xylem_pages__directory *directory, const char *name,
                           struct xylem_error *err)
{
    char *path = xylem_base__path_join(directory->path, name);
    int made = path ? xylem_pages__directory_check_maker(directory, err) : xylem_base__fail_memory(err);
    made = made < 0 ? made : xylem_base__file_make(fd, path, err);
    if (made == 1) {
        int code = xylem_pages__give_to_owner(*fd, directory, path, err);
        if (code < 0) {
            xylem_base__file_close(fd);
            unlink(path);
            made = code;
        }
    }
    free(path);
    return made;
}

int xylem_pages__lock_file_open(int *fd, const struct xylem_pages__directory *directory, bool read_only,
                                struct xylem_error *err)
{
    struct xylem_error reason;
    int found = xylem_pages__file_open(fd, directory, XYLEM_PAGES__LOCK_NAME, O_RDONLY, err);
    if (found != 0) {
        return found;
    }
    int code = xylem_pages__file_make(fd, directory, XYLEM_PAGES__LOCK_NAME, &reason);
    if (code == 0) {
        return xylem_pages__file_open(fd, directory, XYLEM_PAGES__LOCK_NAME, O_RDONLY, err);
    }
    if (code < 0) {
        return read_only ? 0 : xylem_base__fail(err, code, "%s", reason.text);
    }
    return code;
}

int xylem_pages__lock_file_again(int *fd, const struct xylem_pages__directory *directory, int same_fd,
                                 struct xylem_error *err)
{
    struct stat wanted;
    struct stat found;
    if (fstat(same_fd, &wanted) != 0) {
        return xylem_base__fail_errno(err, errno, "cannot identify the open lock file of", directory->path);
    }
    int code = xylem_pages__file_look(&found, directory, XYLEM_PAGES__LOCK_NAME, err);
    if (code < 0) {
        return code;
    }
    if (code == 0) {
        return xylem_base__fail(err, XYLEM_E_IO, "%s/%s was removed while the store was open", directory->path,
                                XYLEM_PAGES__LOCK_NAME);
    }
    if (wanted.st_dev != found.st_dev || wanted.st_ino != found.st_ino) {
        return xylem_base__fail(err, XYLEM_E_BUSY, "%s/%s was replaced by another file while the store was open",
                                directory->path, XYLEM_PAGES__LOCK_NAME);
    }
    code = xylem_pages__file_open(fd, directory, XYLEM_PAGES__LOCK_NAME, O_RDWR, err);
    return code < 0 ? code : XYLEM_OK;
}
