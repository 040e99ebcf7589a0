/*
 * Loaded into the command before the C library (LD_PRELOAD), where a test needs another process between two calls: once
 * the command has opened and locked a directory, its path is a link to the directory `elsewhere` beside; and just
 * before a file gets the name `raced.html` or `raced-too.html`, there is one. For any other name than `raced.html`
 * there is no renameat2().
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int flock(int fd, int operation)
{
    char link[64];
    char path[4096] = "";
    char old[4100];
    struct stat status;
    if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        if (readlink(link, path, sizeof path - 1) < 0) {
            return -1;
        }
        snprintf(old, sizeof old, "%s.1", path);
        if (rename(path, old) != 0 || symlink("elsewhere", path) != 0) {
            return -1;
        }
    }
    return (int)syscall(SYS_flock, fd, operation);
}

int renameat2(int old_directory, const char *old, int new_directory, const char *new, unsigned flags)
{
    if (strncmp(new, "raced", 5) == 0) {
        close(openat(new_directory, new, O_WRONLY | O_CREAT | O_EXCL, 0600));
    }
    if (strcmp(new, "raced.html") != 0) {
        errno = EINVAL;
        return -1;
    }
    return (int)syscall(SYS_renameat2, old_directory, old, new_directory, new, flags);
}
