/* Reads a line of a session file as an entry. */
#ifndef XYLEM_JSONL_LINE_H
#define XYLEM_JSONL_LINE_H

#include "base/value.h"
#include "xylem/files.h"

/* An entry, read from its line. Views borrow from the line, the parser's tree, or the parser's payload. */
struct xylem_jsonl__entry {
    struct xylem_view id;
    bool has_parent;
    struct xylem_view parent_id;
    struct xylem_kind kind;
    struct xylem_view time; /* as the line has it */
    /* Since xylem_jsonl__line_payload(): */
    int64_t time_ms; /* 0: the line has no readable time */
    enum xylem_format format;
    struct xylem_view payload;
    /*
     * A straight line is a line of format 3 as hosts write lines:
     *
     *     {"type":"..","id":"..","parentId":"..","timestamp":"..","message":{..},"x":1}
     *                         or "parentId":null                  ^ rest             ^
     *
     * The first four members stand in this order, without escapes and white space. So the line can be split without a
     * parser, and the other members are the payload as they stand.
     */
    bool straight;
    bool was_split;
    struct xylem_view rest; /* of a split line; empty: no other members */
};

/* Memory for all lines. Start with a zeroed struct. */
struct xylem_jsonl__parser {
    bool whole_trees; /* parse the line with all nested values, not only the members of the object */
    struct xylem_base__tree tree;
    struct xylem_base__tree data; /* of a custom entry: parsed from the line, later decoded from the payload */
    struct xylem_buffer payload;
    struct xylem_buffer rendered;
};

/* The same as a zeroed struct. Faster, since a tree is large. */
void xylem_jsonl__parser_init(struct xylem_jsonl__parser *parser);
void xylem_jsonl__parser_release(struct xylem_jsonl__parser *parser);
/* Releases buffers larger than XYLEM_JSONL__KEPT_BYTES. All views of the parser die. */
void xylem_jsonl__parser_trim(struct xylem_jsonl__parser *parser);
void xylem_jsonl__buffer_trim(struct xylem_buffer *buffer);
/* Makes room for `bytes` more bytes. Large room is exact; appending without reserving may double the buffer. */
int xylem_jsonl__reserve(struct xylem_buffer *buffer, size_t bytes);

/*
 * Reads a line (without its newline) as an entry, but not the payload. 1, or 0 and the problem if the line is not an
 * entry. `without_id`: the line needs no id, since an id will be minted.
 */
int xylem_jsonl__line_read(struct xylem_jsonl__entry *entry, enum xylem_import_problem_type *problem,
                           struct xylem_jsonl__parser *parser, struct xylem_view text, bool without_id,
                           struct xylem_error *err);

/* Splits a line that xylem_jsonl__line_read() found straight. False if the line is not straight any more. */
bool xylem_jsonl__line_split(struct xylem_jsonl__entry *entry, struct xylem_view text);

/* Makes the payload of the line read last, and reads the time: 1, or 0 if the payload exceeds a limit. */
int xylem_jsonl__line_payload(struct xylem_jsonl__entry *entry, struct xylem_jsonl__parser *parser,
                              struct xylem_error *err);

/*
 * Finds out whether an export will render the entry as the line, below the parent that the entry gets (`parent_id` NULL:
 * a root). Otherwise the line has to be kept beside the payload. A split line is not rendered to find that out.
 */
int xylem_jsonl__line_check(bool *same, const struct xylem_jsonl__entry *entry, const struct xylem_view *parent_id,
                            struct xylem_jsonl__parser *parser, struct xylem_view text, struct xylem_error *err);

#endif
