/* Reads a session file through windows, without mapping the file: truncation of the file is an error, not a signal. */
#ifndef XYLEM_JSONL_LINES_H
#define XYLEM_JSONL_LINES_H

#include "xylem/base.h"

/* Reused memory is kept up to this size, so that one long line does not occupy memory until the end. */
#define XYLEM_JSONL__KEPT_BYTES 1048576u

struct xylem_jsonl__file {
    int fd;
    char *path;     /* absolute, links resolved: the name of the source */
    uint64_t bytes; /* the size at the time of opening; bytes appended later are for the next import */
    /* Of the open file: whether it is the same file as before, and unchanged. */
    uint64_t device;
    uint64_t inode;
    int64_t modified_ns;
    int64_t changed_ns;
    char *held; /* NULL, or all bytes, then the path: lines in memory stand in for a file without a descriptor */
};

int xylem_jsonl__file_open(struct xylem_jsonl__file *file, const char *path, struct xylem_error *err);
/* Releases the held bytes, too. */
void xylem_jsonl__file_close(struct xylem_jsonl__file *file);

/* A part of the file in memory. Start with a zeroed struct. A window reads at least `step_bytes` at once. */
struct xylem_jsonl__window {
    char *data;
    size_t capacity;
    size_t step_bytes; /* 0: 256 KiB */
    uint64_t start;
    size_t bytes;
};

/*
 * Returns the bytes of the window from `offset` on, at least `bytes_min`. XYLEM_E_IO if the file ends before. The view
 * lives until the next use of the window.
 */
int xylem_jsonl__window_see(struct xylem_view *seen, struct xylem_jsonl__window *window,
                            const struct xylem_jsonl__file *file, uint64_t offset, size_t bytes_min,
                            struct xylem_error *err);
void xylem_jsonl__window_release(struct xylem_jsonl__window *window);
/* Releases a window larger than XYLEM_JSONL__KEPT_BYTES. */
void xylem_jsonl__window_trim(struct xylem_jsonl__window *window);

/* A line of the file. Lines end at \n only. */
struct xylem_jsonl__line {
    uint64_t offset;
    uint64_t bytes;         /* the newline included */
    bool terminated;        /* by a newline */
    bool too_long;          /* longer than XYLEM_LINE_BYTES_MAX: `text` is empty */
    bool nul_only;          /* of a line that is too long: all bytes are NUL */
    struct xylem_view text; /* without the newline; lives until the next use of the window */
};

/* True if all bytes are NUL. */
bool xylem_jsonl__only_nul(struct xylem_view text);

/* The line at `offset`: 1, or 0 at the end of the file. */
int xylem_jsonl__line_at(struct xylem_jsonl__line *line, struct xylem_jsonl__window *window,
                         const struct xylem_jsonl__file *file, uint64_t offset, struct xylem_error *err);

#endif
