#include "fleet/files.h"

#include <dirent.h>
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

/* --- Names -------------------------------------------------------------------------------------------------------- */

int fleet_hex_add(struct xylem_buffer *out, struct xylem_view bytes)
{
    int code = xylem_base__buffer_reserve(out, 2 * bytes.bytes);
    for (size_t i = 0; code == 0 && i < bytes.bytes; i++) {
        unsigned byte = (unsigned char)bytes.data[i];
        const char digits[2] = {XYLEM_BASE__HEX_DIGITS[byte >> 4], XYLEM_BASE__HEX_DIGITS[byte & 15]};
        code = xylem_buffer_add(out, digits, sizeof digits);
    }
    return code;
}

static unsigned digit_of(char digit)
{
    const char *found = digit ? strchr(XYLEM_BASE__HEX_DIGITS, digit) : NULL;
    return found ? (unsigned)(found - XYLEM_BASE__HEX_DIGITS) : 16;
}

bool fleet_hex_read(struct xylem_buffer *out, struct xylem_view digits)
{
    bool right = digits.bytes % 2 == 0;
    for (size_t i = 0; right && i + 1 < digits.bytes; i += 2) {
        unsigned high = digit_of(digits.data[i]);
        unsigned low = digit_of(digits.data[i + 1]);
        char byte = (char)(high << 4 | low);
        right = high < 16 && low < 16 && xylem_buffer_add(out, &byte, 1) == 0;
    }
    return right;
}

/* --- Reading ------------------------------------------------------------------------------------------------------ */

/* Reads until the end of the file. A file that grows meanwhile is read as far as it went at the beginning. */
static int read_all(struct xylem_buffer *out, int fd, size_t bytes, const char *path, struct xylem_error *err)
{
    if (xylem_base__buffer_reserve(out, bytes) < 0) {
        return xylem_base__fail_memory(err);
    }
    for (size_t left = bytes; left > 0;) {
        ssize_t got = read(fd, out->data + out->bytes, left);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return xylem_base__fail_errno(err, errno, "cannot read", path);
        }
        if (got == 0) {
            break;
        }
        out->bytes += (size_t)got;
        left -= (size_t)got;
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
    if (code == XYLEM_E_NOT_FOUND || code == XYLEM_E_LIMIT ||
        (code == 0 && (found.bytes != bytes.bytes || memcmp(found.data, bytes.data, bytes.bytes) != 0))) {
        code = xylem_base__fail(err, XYLEM_E_IO, "%s reads back differently than it was written", path);
    }
    xylem_buffer_release(&found);
    return code;
}

int fleet_file_write(bool *renamed, const char *directory, const char *name, struct xylem_view bytes,
                     struct xylem_error *err)
{
    char *beside = xylem_base__path_join(directory, FLEET_FILE_NEW);
    char *path = xylem_base__path_join(directory, name);
    int code = beside && path ? write_beside(beside, directory, bytes, err) : xylem_base__fail_memory(err);
    *renamed = false;
    if (code == 0 && rename(beside, path) != 0) {
        code = fail_writing(errno, -1, directory, err);
    } else if (code == 0) {
        *renamed = true;
        code = xylem_base__directory_sync(directory, directory, err);
        code = code < 0 ? code : read_back(path, bytes, err);
    } else if (beside && code != XYLEM_E_MEMORY) {
        unlink(beside);
    }
    free(beside);
    free(path);
    return code;
}

int fleet_file_remove(const char *directory, const char *name, struct xylem_error *err)
{
    char *path = xylem_base__path_join(directory, name);
    int code = path ? 0 : xylem_base__fail_memory(err);
    if (path && unlink(path) != 0 && errno != ENOENT) {
        code = xylem_base__fail_errno(err, errno, "cannot remove", path);
    }
    free(path);
    return code;
}

/* --- Directories -------------------------------------------------------------------------------------------------- */

int fleet_directory_make(const char *path, size_t root_bytes, struct xylem_error *err)
{
    char *part = strdup(path);
    int code = part ? 0 : xylem_base__fail_memory(err);
    for (char *slash = part ? part + root_bytes : NULL; code >= 0 && slash;) {
        char *next = strchr(slash + 1, '/');
        if (next) {
            *next = '\0';
        }
        code = xylem_base__directory_make(part, err);
        if (code == 1) { /* its name is in the directory above */
            *slash = '\0';
            code = xylem_base__directory_sync(slash == part ? "/" : part, part, err);
            *slash = '/';
        }
        if (next) {
            *next = '/';
        }
        slash = next;
    }
    free(part);
    return code < 0 ? code : 0;
}

int fleet_directory_each(const char *path, int (*each)(void *context, const char *name), void *context,
                         struct xylem_error *err)
{
    DIR *directory = opendir(path);
    if (!directory) {
        return errno == ENOENT || errno == ENOTDIR
                   ? 0
                   : xylem_base__fail_errno(err, errno, "cannot open the directory", path);
    }
    const struct dirent *entry;
    int code = 0;
    while (code >= 0 && (errno = 0, entry = readdir(directory))) {
        code = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ? 0 : each(context, entry->d_name);
    }
    int errnum = code >= 0 ? errno : 0;
    closedir(directory);
    return errnum != 0 ? xylem_base__fail_errno(err, errnum, "cannot read the directory", path) : code;
}
