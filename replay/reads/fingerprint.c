/*
 * The fingerprint of a file. Cases of a look:
 *
 *     nothing there                    NOT_FOUND
 *     no regular file, no permission   IO, without a wait: a FIFO without a writer would wait for ever
 *     not noted                        opened, not read
 *     noted, and the stamp fits        the noted hash, not read
 *     else                             read and hashed, up to three times while the file changes
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/os.h"
#include "store/format/hash.h"
#include "xylem/reads.h"

#define PIECE_BYTES 65536u
#define ATTEMPTS 3
#define GROWTH_BYTES_MAX UINT64_C(67108864) /* a file that grows by more while it is read may grow for ever */
#define SECOND_NS INT64_C(1000000000)
#define SETTLED_NS (2 * SECOND_NS) /* an older file has another time after its next change, on every file system */

static const char algorithm[] = "xxh3-128:";

static int64_t nanoseconds(struct timespec time)
{
    int64_t ns = 0;
    /* A hostile file system may give any time: the nearest time then. */
    if (__builtin_mul_overflow((int64_t)time.tv_sec, SECOND_NS, &ns) ||
        __builtin_add_overflow(ns, (int64_t)time.tv_nsec, &ns)) {
        return time.tv_sec < 0 ? INT64_MIN : INT64_MAX;
    }
    return ns;
}

static void set_stamp(struct xylem_fingerprint *fingerprint, const struct stat *stat, int64_t looked_ns)
{
    fingerprint->bytes = (uint64_t)stat->st_size;
    fingerprint->stamp.device = (uint64_t)stat->st_dev;
    fingerprint->stamp.inode = (uint64_t)stat->st_ino;
    fingerprint->stamp.modified_ns = nanoseconds(stat->st_mtim);
    fingerprint->stamp.changed_ns = nanoseconds(stat->st_ctim);
    fingerprint->stamp.looked_ns = looked_ns;
}

static bool same_file(const struct xylem_fingerprint *a, const struct xylem_fingerprint *b)
{
    return a->bytes == b->bytes && a->stamp.device == b->stamp.device && a->stamp.inode == b->stamp.inode &&
           a->stamp.modified_ns == b->stamp.modified_ns && a->stamp.changed_ns == b->stamp.changed_ns;
}

/* True if no change of the file since `known` can have left both times as they are. A zeroed stamp never settles. */
static bool settled(const struct xylem_fingerprint *known)
{
    int64_t newest =
        known->stamp.modified_ns > known->stamp.changed_ns ? known->stamp.modified_ns : known->stamp.changed_ns;
    return known->stamp.looked_ns > SETTLED_NS && newest <= known->stamp.looked_ns - SETTLED_NS;
}

/* Texts have no path: the message around a text names the file. */
static int fail(int errnum, struct xylem_error *err)
{
    bool missing = errnum == ENOENT || errnum == ENOTDIR;
    return errnum == ENOMEM
               ? xylem_base__fail_memory(err)
               : xylem_base__fail(err, missing ? XYLEM_E_NOT_FOUND : XYLEM_E_IO, "%s", xylem_base__errno_text(errnum));
}

static int check_type(const struct stat *stat, struct xylem_error *err)
{
    if (S_ISREG(stat->st_mode)) {
        return 0;
    }
    return xylem_base__fail(err, XYLEM_E_IO, "%s",
                            S_ISDIR(stat->st_mode) ? xylem_base__errno_text(EISDIR) : "not a regular file");
}

/* Opens a regular file, and takes the stamp. The type is looked at before: to open a device may move the device. */
static int open_file(int *fd, struct xylem_fingerprint *fingerprint, const char *path, struct xylem_error *err)
{
    struct stat found;
    struct timespec looked = {0};
    int code;
    *fd = -1;
    if (stat(path, &found) < 0) {
        return fail(errno, err);
    }
    if ((code = check_type(&found, err)) < 0) {
        return code;
    }
    *fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    clock_gettime(CLOCK_REALTIME, &looked);
    if (*fd < 0 || fstat(*fd, &found) < 0) {
        code = fail(errno, err);
    } else {
        code = check_type(&found, err);
        set_stamp(fingerprint, &found, nanoseconds(looked));
    }
    if (code < 0) {
        xylem_base__file_close(fd);
    }
    return code;
}

/* 1: all of the file was read. 0: the file has no end in sight. `bytes` is the size at the start. */
static int hash_file(struct xylem_format__wide_hasher *hasher, int fd, uint64_t bytes, struct xylem_error *err)
{
    char piece[PIECE_BYTES];
    uint64_t done = 0;
    ssize_t got;
    while (done <= bytes + GROWTH_BYTES_MAX && (got = read(fd, piece, sizeof piece)) != 0) {
        if (got > 0) {
            xylem_format__wide_hasher_add(hasher, (struct xylem_view){piece, (size_t)got});
            done += (uint64_t)got;
        } else if (errno != EINTR) {
            return fail(errno, err);
        }
    }
    return done <= bytes + GROWTH_BYTES_MAX;
}

/* 1 and the fingerprint; 0 if the file changed meanwhile. */
static int try_file(struct xylem_fingerprint *fingerprint, const char *path, struct xylem_error *err)
{
    struct xylem_fingerprint after = {.bytes = 0};
    struct stat found;
    int fd;
    int code = open_file(&fd, fingerprint, path, err);
    if (code < 0) {
        return code;
    }
    struct xylem_format__wide_hasher *hasher = xylem_format__wide_hasher_new();
    code = hasher ? hash_file(hasher, fd, fingerprint->bytes, err) : xylem_base__fail_memory(err);
    if (code > 0 && fstat(fd, &found) < 0) {
        code = fail(errno, err);
    }
    if (code > 0) {
        set_stamp(&after, &found, 0);
        code = same_file(fingerprint, &after);
        memcpy(fingerprint->hash, algorithm, sizeof algorithm);
        xylem_format__wide_hasher_text(fingerprint->hash + sizeof algorithm - 1, hasher);
    }
    xylem_format__wide_hasher_free(hasher);
    close(fd);
    return code;
}

int xylem_fingerprint_file(struct xylem_fingerprint *fingerprint, const char *path, struct xylem_error *err)
{
    struct xylem_fingerprint found = {.bytes = 0};
    if (!fingerprint || !path) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "a fingerprint needs a place and a path");
    }
    for (int i = 0; i < ATTEMPTS; i++) {
        int code = try_file(&found, path, err);
        if (code != 0) {
            *fingerprint = code > 0 ? found : *fingerprint;
            return code > 0 ? 0 : code;
        }
    }
    return xylem_base__fail(err, XYLEM_E_BUSY, "the file changes while it is read");
}

int xylem_fingerprint_look(struct xylem_fingerprint *fingerprint, const char *path,
                           const struct xylem_fingerprint *known, struct xylem_error *err)
{
    struct xylem_fingerprint found = {.bytes = 0};
    int fd;
    if (!fingerprint || !path) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "a fingerprint needs a place and a path");
    }
    int code = open_file(&fd, &found, path, err);
    if (code < 0) {
        return code;
    }
    close(fd);
    if (!known || (same_file(&found, known) && settled(known))) {
        *fingerprint = known ? *known : found;
        return 0;
    }
    return xylem_fingerprint_file(fingerprint, path, err);
}
