/* What one line of a session file says. */
#ifndef XYLEM_JSONL_LINE_H
#define XYLEM_JSONL_LINE_H

#include "base/value.h"
#include "xylem.h"

/* An entry, as its line says it. Views borrow from the line, its tree, or the payload's buffer. */
struct xylem_jsonl__entry {
    struct xylem_view id;
    bool has_parent;
    struct xylem_view parent_id;
    struct xylem_kind kind;
    int64_t time_ms; /* 0 where the line has no time that can be read */
    enum xylem_format format;
    struct xylem_view payload;
    /*
     * As hosts write lines of format 3: type, id, parentId, timestamp, spelt without escapes, then the other members,
     * no white space around any. Such a line comes apart at its first quotes, and the others, as they stand, are its
     * payload.
     */
    bool straight;
    bool was_split;
    struct xylem_view rest; /* of a line that was split: the other members; empty: there are none */
};

/* Memory that is used again from line to line. Start with a zeroed struct. */
struct xylem_jsonl__parser {
    bool whole_trees; /* not only the members of a line's object are wanted, but what is below them */
    struct xylem_base__tree tree;
    struct xylem_base__tree data; /* of a custom entry: as its line has it, then decoded again from the payload */
    struct xylem_buffer payload;
    struct xylem_buffer rendered;
};

void xylem_jsonl__parser_release(struct xylem_jsonl__parser *parser);
/* Releases what is larger than XYLEM_JSONL__KEPT_BYTES: nothing may borrow from it any more. */
void xylem_jsonl__parser_trim(struct xylem_jsonl__parser *parser);
void xylem_jsonl__buffer_trim(struct xylem_buffer *buffer);
/* Makes room for `bytes` more, exactly as much if they are many: appending alone may take twice as much. */
int xylem_jsonl__reserve(struct xylem_buffer *buffer, size_t bytes);

/*
 * Reads a line (without its newline) but for its payload. 1: it is an entry. 0: it is none, and `problem` says why.
 * `without_id`: an id is not needed, since it will be minted.
 */
int xylem_jsonl__line_read(struct xylem_jsonl__entry *entry, enum xylem_import_problem_type *problem,
                           struct xylem_jsonl__parser *parser, struct xylem_view text, bool without_id,
                           struct xylem_error *err);

/*
 * Takes a line apart that is known to be straight, and well-formed, since it was read before. False if it is not what
 * it was then.
 */
bool xylem_jsonl__line_split(struct xylem_jsonl__entry *entry, struct xylem_view text);

/* Makes the payload of the line that was read last. 1, or 0 if it exceeds a limit. */
int xylem_jsonl__line_payload(struct xylem_jsonl__entry *entry, struct xylem_jsonl__parser *parser,
                              struct xylem_error *err);

/*
 * Renders what will be stored of the entry, below the parent that it really gets (`parent_id` NULL: a root). True in
 * `same` if that gives the line back.
 */
int xylem_jsonl__line_check(bool *same, const struct xylem_jsonl__entry *entry, const struct xylem_view *parent_id,
                            struct xylem_jsonl__parser *parser, struct xylem_view text, struct xylem_error *err);

#endif
