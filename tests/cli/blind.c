/*
 * Loaded into the command before the C library (LD_PRELOAD), where a test needs a system that tells of no changes: no
 * inotify instance is left.
 */
#include <errno.h>
#include <sys/inotify.h>

int inotify_init1(int flags)
{
    (void)flags;
    errno = EMFILE;
    return -1;
}
