/*
 * Watches the calls by which this process changes files, and may keep them from happening. For one file of a test
 * program, as it defines these calls: liblmdb is a shared library, so its calls lead here as the library's own do, and
 * on to those that come next.
 */
#ifndef XYLEM_TESTS_CRASH_CALLS_H
#define XYLEM_TESTS_CRASH_CALLS_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum call_type {
    CALL_WRITE, /* write, writev, pwrite, pwritev */
    CALL_SYNC,  /* fsync, fdatasync, msync, syncfs */
    CALL_TRUNCATE,
    CALL_ALLOCATE, /* fallocate */
    CALL_OPEN,
    CALL_MAP, /* mmap of a file */
    CALL_MKDIR,
    CALL_RENAME,
    CALL_LINK,
    CALL_UNLINK, /* unlink, rmdir */
    CALL_TYPE_COUNT
};

struct call {
    enum call_type type;
    const char *name;
    int fd;                    /* -1: it has none, or none yet */
    const struct iovec *parts; /* of a write */
    int part_count;
    size_t bytes; /* of all parts; of a map */
    off_t offset; /* of a write; the new length of a truncation */
    int flags;    /* of an open */
    const char *path;
    const char *to;
    bool existed; /* what a call that makes something is to make was there before */
};

/* Both may be NULL. `calls_before` may answer in the call's place: true, with `result` and errno set. */
static bool (*calls_before)(const struct call *call, ssize_t *result);
static void (*calls_after)(const struct call *call, ssize_t result);

/* Stores the next definition of a function into `real`, a pointer to it: ISO C has no cast from an object to one. */
static void calls_find(void *real, const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    if (!symbol) {
        abort();
    }
    memcpy(real, &symbol, sizeof symbol);
}

/* The project is compiled with symbols hidden; these must be found by liblmdb. */
#define CALLS_SEEN __attribute__((visibility("default")))
#define CALLS_NEXT(type, name)   \
    static type *next;           \
    if (!next) {                 \
        calls_find(&next, name); \
    }

typedef ssize_t calls_write(int fd, const void *data, size_t bytes);
typedef ssize_t calls_writev(int fd, const struct iovec *parts, int count);
typedef ssize_t calls_pwrite(int fd, const void *data, size_t bytes, off_t offset);
typedef ssize_t calls_pwritev(int fd, const struct iovec *parts, int count, off_t offset);
typedef int calls_of_fd(int fd);
typedef int calls_msync(void *address, size_t bytes, int flags);
typedef void *calls_mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset);
typedef int calls_ftruncate(int fd, off_t length);
typedef int calls_fallocate(int fd, int mode, off_t offset, off_t length);
typedef int calls_open(const char *path, int flags, ...);
typedef int calls_of_path(const char *path);
typedef int calls_mkdir(const char *path, mode_t mode);
typedef int calls_of_two(const char *path, const char *to);

static ssize_t calls_end(const struct call *call, ssize_t result)
{
    if (calls_after) {
        int before = errno;
        calls_after(call, result);
        errno = before;
    }
    return result;
}

static bool calls_answered(const struct call *call, ssize_t *result)
{
    return calls_before && calls_before(call, result);
}

static struct call calls_of_write(const char *name, int fd, const struct iovec *parts, int count, off_t offset)
{
    struct call call = {
        .type = CALL_WRITE, .name = name, .fd = fd, .parts = parts, .part_count = count, .offset = offset};
    for (int i = 0; i < count; i++) {
        call.bytes += parts[i].iov_len;
    }
    return call;
}

/* Where a write goes that does not say so; -1: nowhere that could be told, as a pipe. */
static off_t calls_offset(int fd)
{
    int before = errno;
    off_t offset = (fcntl(fd, F_GETFL) & O_APPEND) ? lseek(fd, 0, SEEK_END) : lseek(fd, 0, SEEK_CUR);
    errno = before;
    return offset;
}

CALLS_SEEN ssize_t write(int fd, const void *data, size_t bytes)
{
    CALLS_NEXT(calls_write, "write")
    struct iovec part = {(void *)(uintptr_t)data, bytes};
    struct call call = calls_of_write("write", fd, &part, 1, calls_before || calls_after ? calls_offset(fd) : -1);
    ssize_t result;
    return calls_answered(&call, &result) ? result : calls_end(&call, next(fd, data, bytes));
}

CALLS_SEEN ssize_t writev(int fd, const struct iovec *parts, int count)
{
    CALLS_NEXT(calls_writev, "writev")
    struct call call = calls_of_write("writev", fd, parts, count, calls_before || calls_after ? calls_offset(fd) : -1);
    ssize_t result;
    return calls_answered(&call, &result) ? result : calls_end(&call, next(fd, parts, count));
}

CALLS_SEEN ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset)
{
    CALLS_NEXT(calls_pwrite, "pwrite")
    struct iovec part = {(void *)(uintptr_t)data, bytes};
    struct call call = calls_of_write("pwrite", fd, &part, 1, offset);
    ssize_t result;
    return calls_answered(&call, &result) ? result : calls_end(&call, next(fd, data, bytes, offset));
}

CALLS_SEEN ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
    CALLS_NEXT(calls_pwritev, "pwritev")
    struct call call = calls_of_write("pwritev", fd, parts, count, offset);
    ssize_t result;
    return calls_answered(&call, &result) ? result : calls_end(&call, next(fd, parts, count, offset));
}

#define CALLS_OF_SYNC(function)                                                             \
    CALLS_SEEN int function(int fd)                                                         \
    {                                                                                       \
        CALLS_NEXT(calls_of_fd, #function)                                                  \
        struct call call = {.type = CALL_SYNC, .name = #function, .fd = fd};                \
        ssize_t result;                                                                     \
        return (int)(calls_answered(&call, &result) ? result : calls_end(&call, next(fd))); \
    }

CALLS_OF_SYNC(fsync)
CALLS_OF_SYNC(fdatasync)
CALLS_OF_SYNC(syncfs)

CALLS_SEEN int msync(void *address, size_t bytes, int flags)
{
    CALLS_NEXT(calls_msync, "msync")
    struct call call = {.type = CALL_SYNC, .name = "msync", .fd = -1};
    ssize_t result;
    return (int)(calls_answered(&call, &result) ? result : calls_end(&call, next(address, bytes, flags)));
}

/* A call that is kept from happening gives MAP_FAILED, whatever the answer. */
CALLS_SEEN void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    CALLS_NEXT(calls_mmap, "mmap")
    struct call call = {.type = CALL_MAP, .name = "mmap", .fd = fd, .bytes = bytes};
    ssize_t result;
    return fd >= 0 && calls_answered(&call, &result) ? MAP_FAILED : next(address, bytes, protection, flags, fd, offset);
}

CALLS_SEEN int ftruncate(int fd, off_t length)
{
    CALLS_NEXT(calls_ftruncate, "ftruncate")
    struct call call = {.type = CALL_TRUNCATE, .name = "ftruncate", .fd = fd, .offset = length};
    ssize_t result;
    return (int)(calls_answered(&call, &result) ? result : calls_end(&call, next(fd, length)));
}

CALLS_SEEN int fallocate(int fd, int mode, off_t offset, off_t length)
{
    CALLS_NEXT(calls_fallocate, "fallocate")
    struct call call = {.type = CALL_ALLOCATE, .name = "fallocate", .fd = fd, .offset = offset + length};
    ssize_t result;
    return (int)(calls_answered(&call, &result) ? result : calls_end(&call, next(fd, mode, offset, length)));
}

static bool calls_exists(const char *path)
{
    struct stat status;
    int before = errno;
    bool exists = (calls_before || calls_after) && lstat(path, &status) == 0;
    errno = before;
    return exists;
}

CALLS_SEEN int open(const char *path, int flags, ...)
{
    CALLS_NEXT(calls_open, "open")
    va_list arguments;
    va_start(arguments, flags);
    bool makes = (flags & (O_CREAT | O_TMPFILE)) != 0;
    mode_t mode = makes ? (mode_t)va_arg(arguments, unsigned) : 0;
    va_end(arguments);
    struct call call = {
        .type = CALL_OPEN, .name = "open", .fd = -1, .flags = flags, .path = path, .existed = calls_exists(path)};
    ssize_t result;
    return (int)(calls_answered(&call, &result) ? result : calls_end(&call, next(path, flags, mode)));
}

CALLS_SEEN int mkdir(const char *path, mode_t mode)
{
    CALLS_NEXT(calls_mkdir, "mkdir")
    struct call call = {.type = CALL_MKDIR, .name = "mkdir", .fd = -1, .path = path, .existed = calls_exists(path)};
    ssize_t result;
    return (int)(calls_answered(&call, &result) ? result : calls_end(&call, next(path, mode)));
}

#define CALLS_OF_TWO(function, call_type)                                                            \
    CALLS_SEEN int function(const char *path, const char *to)                                        \
    {                                                                                                \
        CALLS_NEXT(calls_of_two, #function)                                                          \
        struct call call = {.type = call_type, .name = #function, .fd = -1, .path = path, .to = to}; \
        ssize_t result;                                                                              \
        return (int)(calls_answered(&call, &result) ? result : calls_end(&call, next(path, to)));    \
    }

CALLS_OF_TWO(rename, CALL_RENAME)
CALLS_OF_TWO(link, CALL_LINK)

#define CALLS_OF_ONE(function, call_type)                                                     \
    CALLS_SEEN int function(const char *path)                                                 \
    {                                                                                         \
        CALLS_NEXT(calls_of_path, #function)                                                  \
        struct call call = {.type = call_type, .name = #function, .fd = -1, .path = path};    \
        ssize_t result;                                                                       \
        return (int)(calls_answered(&call, &result) ? result : calls_end(&call, next(path))); \
    }

CALLS_OF_ONE(unlink, CALL_UNLINK)
CALLS_OF_ONE(rmdir, CALL_UNLINK)

#endif
