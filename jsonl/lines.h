/* A session file, read through windows and never mapped: a file that is cut meanwhile is an error, not a signal. */
#ifndef XYLEM_JSONL_LINES_H
#define XYLEM_JSONL_LINES_H

#include "xylem.h"

/* Memory that is used again from line to line is kept up to this size: one long line is not paid for until the end. */
#define XYLEM_JSONL__KEPT_BYTES 1048576u

struct xylem_jsonl__file {
    int fd;
    char *path;     /* absolute, links resolved: the name of the source */
    uint64_t bytes; /* when it was opened; what is written behind that is for the next import */
};

int xylem_jsonl__file_open(struct xylem_jsonl__file *file, const char *path, struct xylem_error *err);
void xylem_jsonl__file_close(struct xylem_jsonl__file *file);

/* A part of the file in memory. Start with a zeroed struct; `step_bytes` is how much it reads at least. */
struct xylem_jsonl__window {
    char *data;
    size_t capacity;
    size_t step_bytes; /* 0: 256 KiB */
    uint64_t start;
    size_t bytes;
};

/*
 * Gives what the window holds from `offset` on: at least `bytes_min` bytes, or XYLEM_E_IO if the file has them no more.
 * The view lives until the window is used again.
 */
int xylem_jsonl__window_see(struct xylem_view *seen, struct xylem_jsonl__window *window,
                            const struct xylem_jsonl__file *file, uint64_t offset, size_t bytes_min,
                            struct xylem_error *err);
void xylem_jsonl__window_release(struct xylem_jsonl__window *window);
/* Releases what is larger than XYLEM_JSONL__KEPT_BYTES. */
void xylem_jsonl__window_trim(struct xylem_jsonl__window *window);

/* A line, as it lies in the file. Lines end at \n only. */
struct xylem_jsonl__line {
    uint64_t offset;
    uint64_t bytes;         /* the newline included */
    bool terminated;        /* by a newline */
    bool too_long;          /* longer than XYLEM_LINE_BYTES_MAX: `text` is empty */
    bool nul_only;          /* of a line that is too long: it holds nothing but NUL bytes */
    struct xylem_view text; /* without the newline; lives until the window is used again */
};

/* The line at `offset`: 1, or 0 at the end of the file. */
int xylem_jsonl__line_at(struct xylem_jsonl__line *line, struct xylem_jsonl__window *window,
                         const struct xylem_jsonl__file *file, uint64_t offset, struct xylem_error *err);

#endif
