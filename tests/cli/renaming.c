/*
 * Loaded into the command before the C library (LD_PRELOAD), where a test needs another process between two calls: before
 * the command has locked its full log, the other process has renamed the log, begun a new log, and unlocked.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

int flock(int fd, int operation)
{
    char link[64];
    char path[4096] = "";
    char old[4100];
    (void)operation;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (readlink(link, path, sizeof path - 1) < 0) {
        return -1;
    }
    snprintf(old, sizeof old, "%s.1", path);
    int made = rename(path, old) != 0 ? -1 : open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    return made < 0 ? -1 : close(made);
}
