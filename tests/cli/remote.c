/*
 * Loaded into the command before the C library (LD_PRELOAD), where a test needs a network file system: every directory
 * lies on NFS.
 */
#include <dlfcn.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>

int statfs(const char *path, struct statfs *fs)
{
    void *symbol = dlsym(RTLD_NEXT, "statfs");
    int (*real)(const char *, struct statfs *);
    memcpy(&real, &symbol, sizeof real); /* ISO C has no cast from an object to a function */
    int result = real(path, fs);
    if (result == 0) {
        fs->f_type = NFS_SUPER_MAGIC;
    }
    return result;
}
