/*
 * Loaded into the command before the C library (LD_PRELOAD), where a test needs a network file system: every directory
 * lies on NFS. With $REMOTE_BELOW only the directories do whose path begins so.
 */
#include <dlfcn.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

int statfs(const char *path, struct statfs *fs)
{
    void *symbol = dlsym(RTLD_NEXT, "statfs");
    int (*real)(const char *, struct statfs *);
    memcpy(&real, &symbol, sizeof real); /* ISO C has no cast from an object to a function */
    const char *below = getenv("REMOTE_BELOW");
    int result = real(path, fs);
    if (result == 0 && (!below || strncmp(path, below, strlen(below)) == 0)) {
        fs->f_type = NFS_SUPER_MAGIC;
    }
    return result;
}
