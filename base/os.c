#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/space.h"

/*
 * Network file systems by Linux's magic numbers. linux/magic.h lacks some of the numbers, and not every C library has
 * the header.
 */
static const uint32_t network_magics[] = {
    0x00006969, /* NFS */
    0x0000517b, /* SMB */
    0xff534d42, /* CIFS */
    0xfe534d42, /* SMB 2 */
    0x73757245, /* Coda */
    0x5346414f, /* AFS */
    0x6b414653, /* the kernel's AFS */
    0x01021997, /* 9P */
    0x00c36400, /* Ceph */
    0x01161970, /* GFS2 */
    0x7461636f, /* OCFS2 */
    0x0bd00bd0, /* Lustre */
};

/* A flag of renameat2(2), from the kernel: musl has neither the flag nor the call. */
#define RENAME_NOREPLACE_FLAG 1u

char *xylem_base__path_join(const char *directory, const char *name)
{
    size_t directory_bytes = strlen(directory);
    size_t name_bytes = strlen(name);
    char *path = malloc(directory_bytes + name_bytes + 2);
    if (path) {
        memcpy(path, directory, directory_bytes);
        path[directory_bytes] = '/';
        memcpy(path + directory_bytes + 1, name, name_bytes + 1);
    }
    return path;
}

int xylem_base__config_path(char **path, const char *name, struct xylem_error *err)
{
    const char *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    bool named = config && *config == '/'; /* the XDG specification: ignore a relative path */
    *path = NULL;
    if (!named && (!home || *home != '/')) {
        return XYLEM_OK;
    }
    if (asprintf(path, "%s%s/xylem/%s", named ? config : home, named ? "" : "/.config", name) < 0) {
        *path = NULL;
        return xylem_base__fail_memory(err);
    }
    return XYLEM_OK;
}

/* Sets the mode again, as a umask may take away even the owner's bits. 1, or an error. */
static int set_directory_mode(const char *path, struct xylem_error *err)
{
    if (chmod(path, 0700) == 0) {
        return 1;
    }
    int errnum = errno;
    rmdir(path);
    return xylem_base__fail_errno(err, errnum, "cannot set the mode of", path);
}

int xylem_base__directory_make(const char *path, struct xylem_error *err)
{
    if (mkdir(path, 0700) == 0) {
        return set_directory_mode(path, err);
    }
    return errno == EEXIST ? 0 : xylem_base__fail_errno(err, errno, "cannot make the directory", path);
}

int xylem_base__directory_make_unique(char *path, struct xylem_error *err)
{
    return mkdtemp(path) ? set_directory_mode(path, err)
                         : xylem_base__fail_errno(err, errno, "cannot make the directory", path);
}

int xylem_base__file_make(int *fd, const char *path, struct xylem_error *err)
{
    int made = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (made < 0) {
        return errno == EEXIST ? 0 : xylem_base__fail_errno(err, errno, "cannot make", path);
    }
    if (fchmod(made, 0600) != 0) {
        int errnum = errno;
        close(made);
        unlink(path);
        return xylem_base__fail_errno(err, errnum, "cannot set the mode of", path);
    }
    *fd = made;
    return 1;
}

int xylem_base__open_same(int *fd, const char *path, int flags, const struct stat *same, struct xylem_error *err)
{
    struct stat file;
    int opened = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (opened < 0) {
        return xylem_base__fail_errno(err, errno, "cannot open", path);
    }
    int errnum = fstat(opened, &file) == 0 ? 0 : errno;
    if (errnum != 0 || file.st_dev != same->st_dev || file.st_ino != same->st_ino) {
        close(opened);
        return errnum != 0 ? xylem_base__fail_errno(err, errnum, "cannot look at", path)
                           : xylem_base__fail(err, XYLEM_E_BUSY, "%s was replaced by another file", path);
    }
    *fd = opened;
    return XYLEM_OK;
}

void xylem_base__file_close(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
    }
    *fd = -1;
}

int xylem_base__directory_sync(const char *path, const char *inside, struct xylem_error *err)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool whole = fd < 0 && errno == EACCES;
    if (whole) {
        fd = open(inside, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (fd < 0) {
        return xylem_base__fail_errno(err, errno, "cannot open the directory", path);
    }
    int errnum = (whole ? syncfs(fd) : fsync(fd)) == 0 ? 0 : errno;
    close(fd);
    if (errnum == EINVAL || errnum == ENOTSUP) {
        errnum = 0; /* a file system that does not sync directories */
    }
    return errnum == 0 ? XYLEM_OK : xylem_base__fail_errno(err, errnum, "cannot sync the directory", path);
}

int xylem_base__rename_to_new(const char *from, const char *to)
{
    if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE_FLAG) == 0) {
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return -1;
    }
    /* The file system or the kernel lacks the flag. rename() never replaces a directory that is not empty. */
    return rename(from, to);
}

int xylem_base__network_fs(const char *path, struct xylem_error *err)
{
    struct statfs fs;
    if (statfs(path, &fs) != 0) {
        return xylem_base__fail_errno(err, errno, "cannot find the file system of", path);
    }
    for (size_t i = 0; i < sizeof network_magics / sizeof *network_magics; i++) {
        if ((uint32_t)fs.f_type == network_magics[i]) {
            return 1;
        }
    }
    return 0;
}

int xylem_base__lock_shared(int fd, const char *path, struct xylem_error *err)
{
    if (flock(fd, LOCK_SH | LOCK_NB) == 0) {
        return XYLEM_OK;
    }
    return errno == EWOULDBLOCK
               ? xylem_base__fail(err, XYLEM_E_BUSY, "%s is locked: another process is replacing the store", path)
               : xylem_base__fail_errno(err, errno, "cannot lock", path);
}

int xylem_base__lock_exclusive(int fd, const char *path, struct xylem_error *err)
{
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        return XYLEM_OK;
    }
    return errno == EWOULDBLOCK ? xylem_base__fail(err, XYLEM_E_BUSY, "%s is locked by another process", path)
                                : xylem_base__fail_errno(err, errno, "cannot lock", path);
}

int xylem_base__room_check(const char *directory, uint64_t bytes, const char *what, struct xylem_error *err)
{
    struct statvfs fs;
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < bytes) {
        return xylem_base__fail(
            err, XYLEM_E_NO_SPACE, "%s in %s takes %s, and this process may write files of %s at most (see ulimit -f)",
            what, directory, xylem_base__size(bytes, true).text, xylem_base__size(limit.rlim_cur, false).text);
    }
    if (statvfs(directory, &fs) != 0) {
        return xylem_base__fail_errno(err, errno, "cannot read the free space of", directory);
    }
    /* A network file system may give 0 as its size. */
    uint64_t room = (uint64_t)fs.f_bavail * fs.f_frsize;
    if (fs.f_blocks > 0 && room < bytes) {
        return xylem_base__fail(err, XYLEM_E_NO_SPACE, "%s in %s takes %s, and its file system has room for %s", what,
                                directory, xylem_base__size(bytes, true).text, xylem_base__size(room, false).text);
    }
    return XYLEM_OK;
}

/* A lock of an open file description. A lock of a process would end when any descriptor of the file is closed. */
static struct flock lock_of(short type, uint64_t offset)
{
    struct flock lock;
    memset(&lock, 0, sizeof lock); /* l_pid must be 0 */
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = (off_t)offset;
    lock.l_len = 1;
    return lock;
}

static int lock_byte(int fd, short type, uint64_t offset, const char *path, struct xylem_error *err)
{
    struct flock lock = lock_of(type, offset);
    if (fcntl(fd, F_OFD_SETLK, &lock) == 0) {
        return 1;
    }
    return errno == EAGAIN || errno == EACCES ? 0 : xylem_base__fail_errno(err, errno, "cannot lock a byte of", path);
}

int xylem_base__byte_lock(int fd, uint64_t offset, const char *path, struct xylem_error *err)
{
    return lock_byte(fd, F_WRLCK, offset, path, err);
}

int xylem_base__byte_share(int fd, uint64_t offset, const char *path, struct xylem_error *err)
{
    return lock_byte(fd, F_RDLCK, offset, path, err);
}

void xylem_base__byte_unlock(int fd, uint64_t offset)
{
    struct flock lock = lock_of(F_UNLCK, offset);
    fcntl(fd, F_OFD_SETLK, &lock);
}

int xylem_base__byte_locked(int fd, uint64_t offset, const char *path, struct xylem_error *err)
{
    struct flock lock = lock_of(F_WRLCK, offset);
    if (fcntl(fd, F_OFD_GETLK, &lock) != 0) {
        return xylem_base__fail_errno(err, errno, "cannot look at the locks of", path);
    }
    return lock.l_type != F_UNLCK;
}

void xylem_base__host_name(char *out, size_t bytes)
{
    if (gethostname(out, bytes) != 0) {
        out[0] = '\0';
    }
    out[bytes - 1] = '\0'; /* a cut name has no NUL */
    if (out[0] == '\0') {
        (void)snprintf(out, bytes, "unknown");
    }
}
