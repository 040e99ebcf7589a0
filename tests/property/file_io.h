/*
 * Watches one file: what this process reads of it and writes to it, by calls of libc, and which pages of it are read
 * where it is mapped into memory. For one file of a test program, as it defines these calls: liblmdb is a shared
 * library, so its calls lead here, and on to those that come next.
 */
#ifndef XYLEM_TESTS_PROPERTY_FILE_IO_H
#define XYLEM_TESTS_PROPERTY_FILE_IO_H

#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

struct file_io {
    uint64_t read_bytes;
    uint64_t mapped_pages; /* that were read through a map which was made while the file was watched, each once */
    uint64_t written_bytes;
    uint64_t written_pages; /* pages of which something was written, one that is written twice counted twice */
};

static struct file_io file_io;
static volatile sig_atomic_t file_io_mapped_pages;
static bool file_io_on;
static dev_t file_io_device;
static ino_t file_io_inode;

/* Pages of LMDB are those of the system. */
static uint64_t file_io_page_bytes(void)
{
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Begins with zeroes to watch the file at `path`, which must exist; false if it does not. */
static bool file_io_watch(const char *path)
{
    struct stat file;
    file_io_on = stat(path, &file) == 0;
    file_io_device = file_io_on ? file.st_dev : 0;
    file_io_inode = file_io_on ? file.st_ino : 0;
    file_io = (struct file_io){0, 0, 0, 0};
    file_io_mapped_pages = 0;
    return file_io_on;
}

/*
 * The map of the file, of which no page can be read at first: the first read of each is a fault, which is counted and
 * opens the page.
 */
static char *file_io_map;
static size_t file_io_map_bytes;
static struct sigaction file_io_fault_before;

static void open_page(int signal, siginfo_t *info, void *context)
{
    char *at = info->si_addr;
    (void)context;
    if (file_io_map && at >= file_io_map && at < file_io_map + file_io_map_bytes) {
        size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
        mprotect(at - (uintptr_t)at % page_bytes, page_bytes, PROT_READ);
        file_io_mapped_pages++;
    } else {
        sigaction(signal, &file_io_fault_before, NULL); /* somebody else's: it comes again, and is handled as before */
    }
}

static void file_io_guard(char *map, size_t bytes)
{
    struct sigaction fault = {.sa_sigaction = open_page, .sa_flags = SA_SIGINFO};
    if (mprotect(map, bytes, PROT_NONE) == 0 && sigaction(SIGSEGV, &fault, &file_io_fault_before) == 0) {
        file_io_map = map;
        file_io_map_bytes = bytes;
    }
}

static void file_io_unguard(void)
{
    if (file_io_map) {
        mprotect(file_io_map, file_io_map_bytes, PROT_READ);
        sigaction(SIGSEGV, &file_io_fault_before, NULL);
        file_io_map = NULL;
    }
}

static struct file_io file_io_stop(void)
{
    file_io_on = false;
    file_io_unguard();
    file_io.mapped_pages = (uint64_t)file_io_mapped_pages;
    return file_io;
}

static bool is_watched(int fd)
{
    struct stat file;
    return file_io_on && fstat(fd, &file) == 0 && file.st_dev == file_io_device && file.st_ino == file_io_inode;
}

static void note_write(int fd, off_t offset, ssize_t bytes)
{
    if (bytes > 0 && offset >= 0 && is_watched(fd)) {
        uint64_t first = (uint64_t)offset / file_io_page_bytes();
        uint64_t last = ((uint64_t)offset + (uint64_t)bytes - 1) / file_io_page_bytes();
        file_io.written_bytes += (uint64_t)bytes;
        file_io.written_pages += last - first + 1;
    }
}

static ssize_t note_read(int fd, ssize_t bytes)
{
    if (bytes > 0 && is_watched(fd)) {
        file_io.read_bytes += (uint64_t)bytes;
    }
    return bytes;
}

/* ISO C has no conversion between pointers to objects and to functions; POSIX has. */
#define NEXT_CALL(type, name)                     \
    static type next;                             \
    if (!next) {                                  \
        *(void **)&next = dlsym(RTLD_NEXT, name); \
    }                                             \
    if (!next) {                                  \
        abort();                                  \
    }

/* The project is compiled with symbols hidden; these must be found by others. */
#define SEEN_BY_LIBRARIES __attribute__((visibility("default")))

typedef ssize_t write_call(int fd, const void *data, size_t bytes);
typedef ssize_t writev_call(int fd, const struct iovec *parts, int count);
typedef ssize_t pwrite_call(int fd, const void *data, size_t bytes, off_t offset);
typedef ssize_t pwritev_call(int fd, const struct iovec *parts, int count, off_t offset);
typedef ssize_t read_call(int fd, void *data, size_t bytes);
typedef ssize_t pread_call(int fd, void *data, size_t bytes, off_t offset);
typedef void *mmap_call(void *address, size_t bytes, int protection, int flags, int fd, off_t offset);

SEEN_BY_LIBRARIES ssize_t write(int fd, const void *data, size_t bytes)
{
    NEXT_CALL(write_call *, "write")
    off_t offset = is_watched(fd) ? lseek(fd, 0, SEEK_CUR) : -1;
    ssize_t written = next(fd, data, bytes);
    note_write(fd, offset, written);
    return written;
}

SEEN_BY_LIBRARIES ssize_t writev(int fd, const struct iovec *parts, int count)
{
    NEXT_CALL(writev_call *, "writev")
    off_t offset = is_watched(fd) ? lseek(fd, 0, SEEK_CUR) : -1;
    ssize_t written = next(fd, parts, count);
    note_write(fd, offset, written);
    return written;
}

SEEN_BY_LIBRARIES ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset)
{
    NEXT_CALL(pwrite_call *, "pwrite")
    ssize_t written = next(fd, data, bytes, offset);
    note_write(fd, offset, written);
    return written;
}

SEEN_BY_LIBRARIES ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
    NEXT_CALL(pwritev_call *, "pwritev")
    ssize_t written = next(fd, parts, count, offset);
    note_write(fd, offset, written);
    return written;
}

SEEN_BY_LIBRARIES ssize_t read(int fd, void *data, size_t bytes)
{
    NEXT_CALL(read_call *, "read")
    return note_read(fd, next(fd, data, bytes));
}

SEEN_BY_LIBRARIES ssize_t pread(int fd, void *data, size_t bytes, off_t offset)
{
    NEXT_CALL(pread_call *, "pread")
    return note_read(fd, next(fd, data, bytes, offset));
}

/* The map is far longer than the file: what lies beyond the file's end cannot be read anyway. */
SEEN_BY_LIBRARIES void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    NEXT_CALL(mmap_call *, "mmap")
    void *map = next(address, bytes, protection, flags, fd, offset);
    if (map != MAP_FAILED && fd >= 0 && protection == PROT_READ && is_watched(fd)) {
        struct stat file;
        size_t file_bytes = fstat(fd, &file) == 0 ? (size_t)file.st_size : 0;
        file_io_guard(map, file_bytes < bytes ? file_bytes : bytes);
    }
    return map;
}

#endif
