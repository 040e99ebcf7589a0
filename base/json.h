/*
 * Reads JSON: in one pass, or with the JSON library, which json.c alone includes. docs/decisions/ has the reasons for
 * both.
 */
#ifndef XYLEM_BASE_JSON_H
#define XYLEM_BASE_JSON_H

#include "base/value.h"

/*
 * Parses one JSON text (RFC 8259), with white space around, into `tree`, which is cleared first. The tree borrows from
 * `text`. `raw` of a node is the exact spelling.
 *
 *     string   escapes are decoded, a surrogate pair is joined, a lone surrogate becomes three bytes, each maximal
 *              ill-formed run of UTF-8 becomes U+FFFD (as JavaScript reads files)
 *     number   an integer if int64_t or uint64_t has the exact value, else a double (`-0`; too large: infinite)
 *
 * Errors: MALFORMED (with the byte offset), LIMIT (nesting, number of values), MEMORY.
 */
int xylem_base__json_parse(struct xylem_base__tree *tree, struct xylem_view text, struct xylem_error *err);

/*
 * The same, but only the root and its children have nodes. A container among the children is a node without children,
 * with all of its text as `raw`. All of the text is checked.
 */
int xylem_base__json_parse_members(struct xylem_base__tree *tree, struct xylem_view text, struct xylem_error *err);

/* Appends an integer. */
int xylem_base__json_add_integer(struct xylem_buffer *buffer, int64_t number);

/* Reads a JSON number as a double, free of the locale. `text` must be a valid JSON number. */
double xylem_base__json_read_number(struct xylem_view text);

/* Sets a node to the number that its `raw` spells: an integer if the integer fits, else a double. */
void xylem_base__json_set_number(struct xylem_value *node);

#endif
