/* Reads the first line of a session file, and writes the first line of an export. */
#ifndef XYLEM_JSONL_HEADER_H
#define XYLEM_JSONL_HEADER_H

#include "base/value.h"
#include "travel/jsonl/lines.h"
#include "xylem/session.h"

/* Start with a zeroed struct. Views live until the release. */
struct xylem_jsonl__header {
    struct xylem_view id;
    struct xylem_view cwd;            /* data NULL: none */
    struct xylem_view parent_session; /* data NULL: none */
    int64_t created_ms;
    int version;         /* of the file: 1, 2 or 3 */
    uint64_t line_bytes; /* of the line in the file, the newline included */
    bool terminated;
    struct xylem_buffer text; /* the line in format 3, without a newline */
    struct xylem_view kept;   /* to keep in the session's row: empty if rendering the members gives the same line */
    struct xylem_buffer raw;
    struct xylem_base__tree tree;
};

/* Reads the header of a file. Errors: MALFORMED (not a session header, or an unknown version), IO, MEMORY. */
int xylem_jsonl__header_read(struct xylem_jsonl__header *header, const struct xylem_jsonl__file *file,
                             struct xylem_error *err);
/* The same as a zeroed struct. Faster, since a tree is large. */
void xylem_jsonl__header_init(struct xylem_jsonl__header *header);
void xylem_jsonl__header_release(struct xylem_jsonl__header *header);

/* Appends the header of a stored session: the kept line, or else a rendering. */
int xylem_jsonl__session_header(struct xylem_buffer *out, const struct xylem_session *session);

#endif
