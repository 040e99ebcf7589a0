#include "travel/jsonl/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/os.h"

#define STEP_BYTES 262144u
#define LINE_HELD_BYTES_MAX \
    ((size_t)XYLEM_LINE_BYTES_MAX + 2) /* the longest line with its newline, or one byte too many */

/* A time beyond the range wraps: it is only compared. */
static int64_t nanoseconds(const struct timespec *time)
{
    return (int64_t)((uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec);
}

int xylem_jsonl__file_open(struct xylem_jsonl__file *file, const char *path, struct xylem_error *err)
{
    memset(file, 0, sizeof *file);
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); /* a pipe must not hold the caller up */
    if (file->fd < 0) {
        return xylem_base__fail_errno(err, errno, "opening", path);
    }
    struct stat status;
    int code = XYLEM_OK;
    if (fstat(file->fd, &status) != 0) {
        code = xylem_base__fail_errno(err, errno, "reading the status of", path);
    } else if (!S_ISREG(status.st_mode)) {
        code = xylem_base__fail(err, XYLEM_E_IO, "%s: expected a regular file", path);
    } else if (!(file->path = realpath(path, NULL))) {
        code = xylem_base__fail_errno(err, errno, "resolving", path);
    } else {
        file->bytes = (uint64_t)status.st_size;
        file->device = (uint64_t)status.st_dev;
        file->inode = (uint64_t)status.st_ino;
        file->modified_ns = nanoseconds(&status.st_mtim);
        file->changed_ns = nanoseconds(&status.st_ctim);
    }
    if (code < 0) {
        xylem_jsonl__file_close(file);
    }
    return code;
}

void xylem_jsonl__file_close(struct xylem_jsonl__file *file)
{
    xylem_base__file_close(&file->fd);
    free(file->held ? file->held : file->path);
    memset(file, 0, sizeof *file);
    file->fd = -1;
}

/* Moves the window to `offset`, with the last `held` bytes of the old place, and reads up to `bytes` in all. */
static int window_move(struct xylem_jsonl__window *window, const struct xylem_jsonl__file *file, uint64_t offset,
                       size_t held, size_t bytes, struct xylem_error *err)
{
    if (held > 0) {
        memmove(window->data, window->data + (window->bytes - held), held);
    }
    window->start = offset;
    window->bytes = held;
    if (bytes > window->capacity) {
        char *data = realloc(window->data, bytes);
        if (!data) {
            return xylem_base__fail_memory(err);
        }
        window->data = data;
        window->capacity = bytes;
    }
    while (window->bytes < bytes) {
        ssize_t got = pread(file->fd, window->data + window->bytes, bytes - window->bytes,
                            (off_t)(window->start + window->bytes));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return xylem_base__fail_errno(err, errno, "reading", file->path);
        }
        if (got == 0) {
            return xylem_base__fail(err, XYLEM_E_IO,
                                    "%s: expected %" PRIu64 " bytes, but the file was cut to %" PRIu64
                                    " bytes during the import",
                                    file->path, file->bytes, window->start + window->bytes);
        }
        window->bytes += (size_t)got;
    }
    return XYLEM_OK;
}

int xylem_jsonl__window_see(struct xylem_view *seen, struct xylem_jsonl__window *window,
                            const struct xylem_jsonl__file *file, uint64_t offset, size_t bytes_min,
                            struct xylem_error *err)
{
    uint64_t left = offset < file->bytes ? file->bytes - offset : 0;
    if (bytes_min > left) {
        return xylem_base__fail(err, XYLEM_E_IO,
                                "%s: expected %zu bytes at offset %" PRIu64 ", found the end of the file", file->path,
                                bytes_min, offset);
    }
    if (file->held) {
        *seen = (struct xylem_view){file->held + offset, (size_t)left};
        return XYLEM_OK;
    }
    bool inside = offset >= window->start && offset - window->start <= window->bytes;
    size_t held = inside ? (size_t)(window->start + window->bytes - offset) : 0;
    if (held < bytes_min || held == 0) {
        size_t step = window->step_bytes > 0 ? window->step_bytes : STEP_BYTES;
        size_t want = bytes_min > step ? bytes_min : step;
        size_t twice = held < LINE_HELD_BYTES_MAX / 2 ? 2 * held : LINE_HELD_BYTES_MAX;
        if (held > 0 && want < twice) {
            want = twice; /* a long line is read in few steps */
        }
        if (want > left) {
            want = (size_t)left;
        }
        int code = window_move(window, file, offset, held, want, err);
        if (code < 0) {
            return code;
        }
    }
    seen->data = window->data + (offset - window->start);
    seen->bytes = (size_t)(window->start + window->bytes - offset);
    return XYLEM_OK;
}

void xylem_jsonl__window_release(struct xylem_jsonl__window *window)
{
    free(window->data);
    memset(window, 0, sizeof *window);
}

void xylem_jsonl__window_trim(struct xylem_jsonl__window *window)
{
    if (window->capacity > XYLEM_JSONL__KEPT_BYTES) {
        size_t step_bytes = window->step_bytes;
        xylem_jsonl__window_release(window);
        window->step_bytes = step_bytes;
    }
}

bool xylem_jsonl__only_nul(struct xylem_view text)
{
    for (size_t i = 0; i < text.bytes; i++) {
        if (text.data[i] != '\0') {
            return false;
        }
    }
    return true;
}

/* Finds the end of a line that is too long, without holding the line in memory. */
static int skip_long_line(struct xylem_jsonl__line *line, struct xylem_jsonl__window *window,
                          const struct xylem_jsonl__file *file, struct xylem_error *err)
{
    line->too_long = true;
    line->nul_only = true;
    line->bytes = 0;
    line->text = (struct xylem_view){NULL, 0};
    while (line->offset + line->bytes < file->bytes) {
        struct xylem_view seen;
        int code = xylem_jsonl__window_see(&seen, window, file, line->offset + line->bytes, 1, err);
        if (code < 0) {
            return code;
        }
        const char *newline = memchr(seen.data, '\n', seen.bytes);
        struct xylem_view part = {seen.data, newline ? (size_t)(newline - seen.data) : seen.bytes};
        line->nul_only = line->nul_only && xylem_jsonl__only_nul(part);
        line->bytes += part.bytes;
        if (newline) {
            line->bytes++;
            line->terminated = true;
            break;
        }
    }
    return 1;
}

int xylem_jsonl__line_at(struct xylem_jsonl__line *line, struct xylem_jsonl__window *window,
                         const struct xylem_jsonl__file *file, uint64_t offset, struct xylem_error *err)
{
    memset(line, 0, sizeof *line);
    line->offset = offset;
    if (offset >= file->bytes) {
        return 0;
    }
    for (size_t scanned = 0;;) {
        struct xylem_view seen;
        int code = xylem_jsonl__window_see(&seen, window, file, offset, scanned + 1, err);
        if (code < 0) {
            return code;
        }
        const char *newline = memchr(seen.data + scanned, '\n', seen.bytes - scanned);
        scanned = newline ? (size_t)(newline - seen.data) : seen.bytes;
        if (scanned > XYLEM_LINE_BYTES_MAX) {
            return skip_long_line(line, window, file, err);
        }
        if (newline || offset + scanned == file->bytes) {
            line->text = (struct xylem_view){seen.data, scanned};
            line->terminated = newline != NULL;
            line->bytes = scanned + (newline ? 1u : 0u);
            return 1;
        }
    }
}
