#include "fleet/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/os.h"
#include "base/space.h"
#include "base/value.h"

/* --- Reading ------------------------------------------------------------------------------------------------------ */

/* Reads up to the end of the file. A file that grows meanwhile is read as far as it went at the beginning. */
static int read_all(struct xylem_buffer *out, int fd, size_t bytes, const char *path, struct xylem_error *err)
{
    ssize_t got = 1;
    if (xylem_base__buffer_reserve(out, bytes) < 0) {
        return xylem_base__fail_memory(err);
    }
    for (size_t left = bytes; left > 0 && got != 0; left -= got > 0 ? (size_t)got : 0) {
        got = read(fd, out->data + out->bytes, left);
        if (got < 0 && errno != EINTR) {
            return xylem_base__fail_errno(err, errno, "cannot read", path);
        }
        out->bytes += got > 0 ? (size_t)got : 0;
    }
    return 0;
}

int fleet_file_read(struct xylem_buffer *out, const char *path, size_t bytes_max, struct xylem_error *err)
{
    struct stat file;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return errno == ENOENT || errno == ENOTDIR ? xylem_base__fail(err, XYLEM_E_NOT_FOUND, "there is no %s", path)
               : errno == ELOOP                    ? xylem_base__fail(err, XYLEM_E_MALFORMED, "%s is a link", path)
                                                   : xylem_base__fail_errno(err, errno, "cannot open", path);
    }
    int code = 0;
    if (fstat(fd, &file) != 0) {
        code = xylem_base__fail_errno(err, errno, "cannot look at", path);
    } else if (!S_ISREG(file.st_mode)) {
        code = xylem_base__fail(err, XYLEM_E_MALFORMED, "%s is no regular file", path);
    } else if ((uint64_t)file.st_size > bytes_max) {
        code = xylem_base__fail(err, XYLEM_E_LIMIT, "%s has %lld bytes: %zu at most", path, (long long)file.st_size,
                                bytes_max);
    } else {
        code = read_all(out, fd, (size_t)file.st_size, path, err);
    }
    close(fd);
    return code;
}

/* --- Writing ------------------------------------------------------------------------------------------------------ */

/* No room, or what else the system says. */
static int fail_writing(int errnum, int fd, const char *directory, struct xylem_error *err)
{
    int code = xylem_base__space_fail(err, errnum, "cannot write into", directory, fd);
    return code < 0 ? code : xylem_base__fail_errno(err, errnum, "cannot write into", directory);
}

static int write_all(int fd, struct xylem_view bytes, const char *directory, struct xylem_error *err)
{
    while (bytes.bytes > 0) {
        ssize_t put = write(fd, bytes.data, bytes.bytes);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put <= 0) {
            return fail_writing(put < 0 ? errno : ENOSPC, fd, directory, err);
        }
        bytes = (struct xylem_view){bytes.data + put, bytes.bytes - (size_t)put};
    }
    return fsync(fd) == 0 ? 0 : fail_writing(errno, fd, directory, err);
}

/* Writes the file under its temporary name. A mount may tell of a failure with the close alone. */
static int write_beside(const char *path, const char *directory, struct xylem_view bytes, struct xylem_error *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        return fail_writing(errno, -1, directory, err);
    }
    int code = write_all(fd, bytes, directory, err);
    return close(fd) != 0 && code == 0 ? fail_writing(errno, -1, directory, err) : code;
}

static int read_back(const char *path, struct xylem_view bytes, struct xylem_error *err)
{
    struct xylem_buffer found = {0};
    int code = fleet_file_read(&found, path, bytes.bytes, err);
    bool same = code == 0 && xylem_base__view_equal(xylem_base__buffer_view(&found), bytes);
    if (!same && (code == 0 || code == XYLEM_E_NOT_FOUND || code == XYLEM_E_LIMIT)) {
        code = xylem_base__fail(err, XYLEM_E_IO, "%s reads back differently than it was written", path);
    }
    xylem_buffer_release(&found);
    return code;
}

/* Syncs the directory above of what is made: the name is there. */
static int make_directories(const char *path, size_t root_bytes, struct xylem_error *err)
{
    int code = 0;
    for (size_t at = root_bytes; code >= 0 && path[at] != '\0';) {
        size_t end = at + 1 + strcspn(path + at + 1, "/");
        char *above = strndup(path, at);
        char *part = strndup(path, end);
        code = above && part ? xylem_base__directory_make(part, err) : xylem_base__fail_memory(err);
        code = code == 1 ? xylem_base__directory_sync(above, part, err) : code;
        free(above);
        free(part);
        at = end;
    }
    return code;
}

/* Puts the written file in its place. */
static int rename_over(const char *beside, const char *path, const char *directory, struct xylem_view bytes,
                       struct xylem_error *err)
{
    struct xylem_error why = {0};
    if (rename(beside, path) != 0) {
        return fail_writing(errno, -1, directory, err);
    }
    int code = xylem_base__directory_sync(directory, directory, &why);
    code = code < 0 ? code : read_back(path, bytes, &why);
    return code < 0 ? xylem_base__fail(err, XYLEM_E_OUTCOME_UNKNOWN, "%s", why.text) : 0;
}

int fleet_file_write(const char *directory, size_t root_bytes, const char *name, struct xylem_view bytes,
                     struct xylem_error *err)
{
    char *beside = xylem_base__path_join(directory, FLEET_FILE_NEW);
    char *path = xylem_base__path_join(directory, name);
    int code = beside && path ? make_directories(directory, root_bytes, err) : xylem_base__fail_memory(err);
    if (code >= 0 && (code = write_beside(beside, directory, bytes, err)) == 0) {
        code = rename_over(beside, path, directory, bytes, err);
    } else if (beside) {
        unlink(beside);
    }
    free(beside);
    free(path);
    return code;
}
