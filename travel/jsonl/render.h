/* Renders an entry as a line of a session file (format 3). */
#ifndef XYLEM_JSONL_RENDER_H
#define XYLEM_JSONL_RENDER_H

#include "base/json_writer.h"
#include "base/value.h"
#include "xylem/entry.h"

/* The parts of a line. */
struct xylem_jsonl__rendering {
    struct xylem_kind kind;
    struct xylem_view id;
    bool has_parent;
    struct xylem_view parent_id;
    int64_t time_ms;
    enum xylem_format format;
    struct xylem_view payload;      /* of format JSON */
    const struct xylem_value *data; /* of format msgpack, decoded */
    bool in_payload;                /* the line has the whole payload of a host's entry as a member "payload" */
};

/* Writes JSON as it is spelt. */
void xylem_jsonl__write_raw(struct xylem_base__writer *writer, struct xylem_view json);

/* Appends the line, without a newline. */
int xylem_jsonl__render(struct xylem_buffer *out, const struct xylem_jsonl__rendering *rendering);

/* Appends the line of a stored entry: the kept line, or else a rendering. `parent_id` is NULL for a root. */
int xylem_jsonl__entry_line(struct xylem_buffer *out, struct xylem_base__tree *tree, const struct xylem_entry *entry,
                            const struct xylem_view *parent_id, struct xylem_error *err);

/* Appends the header of a session. An empty cwd or parent_session is left out. */
int xylem_jsonl__header_render(struct xylem_buffer *out, struct xylem_view id, int64_t created_ms,
                               struct xylem_view cwd, struct xylem_view parent_session);

#endif
