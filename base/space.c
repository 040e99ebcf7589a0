#include "base/space.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.h"

/* A file system with less free space counts as full. */
#define ROOM_BYTES (UINT64_C(1) << 20)

struct xylem_base__size xylem_base__size(uint64_t bytes, bool up)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    struct xylem_base__size size;
    if (bytes < 1024) {
        snprintf(size.text, sizeof size.text, "%" PRIu64 " B", bytes);
        return size;
    }
    size_t unit = 0;
    while (bytes >> (10 * (unit + 1)) >= 1024) {
        unit++;
    }
    unsigned shift = 10 * ((unsigned)unit + 1);
    uint64_t rest = bytes & ((UINT64_C(1) << shift) - 1);
    /* Keep 10 bits of the rest, so that ten times the rest fits. Rounding up counts the bits behind them. */
    uint64_t cut = rest >> (shift - 10);
    uint64_t tenths = cut * 10 >> 10;
    bool exact = (cut << (shift - 10)) == rest && (tenths << 10) == cut * 10;
    uint64_t whole = (bytes >> shift) * 10 + tenths + (up && !exact ? 1 : 0);
    snprintf(size.text, sizeof size.text, "%" PRIu64 ".%" PRIu64 " %s", whole / 10, whole % 10, units[unit]);
    return size;
}

/* The limit of the process for the size of a file; 0: no limit. */
static uint64_t file_size_limit(void)
{
    struct rlimit limit;
    bool limited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return limited ? (uint64_t)limit.rlim_cur : 0;
}

/* True if the file ends at the limit: then the limit cut a write short. */
static bool ends_at_limit(int fd, uint64_t limit)
{
    struct stat file;
    return limit > 0 && fd >= 0 && fstat(fd, &file) == 0 && (uint64_t)file.st_size >= limit;
}

/*
 * Finds the reason of a short write: asks for room in a file without a name, which disappears at once. ENOSPC, EDQUOT,
 * or 0. With a low limit of the process the request would raise SIGXFSZ, so nothing is asked.
 */
static int ask_for_room(const char *directory)
{
    uint64_t limit = file_size_limit();
    if (limit > 0 && limit < ROOM_BYTES) {
        return 0;
    }
    int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) {
        return errno == ENOSPC || errno == EDQUOT ? errno : 0;
    }
    int errnum = fallocate(fd, 0, 0, (off_t)ROOM_BYTES) == 0 ? 0 : errno;
    close(fd);
    return errnum == ENOSPC || errnum == EDQUOT ? errnum : 0;
}

int xylem_base__space_fail(struct xylem_error *err, int errnum, const char *what, const char *directory, int fd)
{
    struct statvfs fs;
    uint64_t limit = file_size_limit();
    if (errnum == EIO) {
        errnum = ends_at_limit(fd, limit) ? EFBIG : ask_for_room(directory);
    }
    switch (errnum) {
    case EFBIG:
        if (limit == 0) {
            return xylem_base__fail(err, XYLEM_E_NO_SPACE, "%s %s: its file system allows no file of that size", what,
                                    directory);
        }
        return xylem_base__fail(err, XYLEM_E_NO_SPACE, "%s %s: the process's file size limit is %s (ulimit -f)", what,
                                directory, xylem_base__size(limit, false).text);
    case EDQUOT:
        return xylem_base__fail(err, XYLEM_E_NO_SPACE,
                                "%s %s: the disk quota of the user is used up on its file system (quota -s)", what,
                                directory);
    case ENOSPC:
        if (statvfs(directory, &fs) != 0) {
            return xylem_base__fail(err, XYLEM_E_NO_SPACE, "%s %s: its file system has no space left", what, directory);
        }
        return xylem_base__fail(err, XYLEM_E_NO_SPACE, "%s %s: no space left: its file system has %s free", what,
                                directory, xylem_base__size((uint64_t)fs.f_bavail * fs.f_frsize, false).text);
    default:
        return 0;
    }
}
