/* The one door to the JSON library (docs/decisions/ says which one and why). */
#ifndef XYLEM_BASE_JSON_H
#define XYLEM_BASE_JSON_H

#include "base/value.h"

/*
 * Parses one JSON text (RFC 8259; white space around it is allowed) into `tree`, which is cleared first. The tree
 * borrows from `text`. Every node's `raw` is its exact spelling. Strings: escapes decoded, a surrogate pair joined, a
 * lone surrogate kept as three bytes, each maximal ill-formed run of UTF-8 as U+FFFD (as JavaScript reads files).
 * Numbers: integers that fit int64_t or uint64_t exactly are these, all others doubles (`-0` is one; too large:
 * infinite). Errors: MALFORMED (with the byte offset), LIMIT (nested deeper than XYLEM_NESTING_MAX), MEMORY.
 */
int xylem_base__json_parse(struct xylem_base__tree *tree, struct xylem_view text, struct xylem_error *err);

/*
 * The same, but only the members of an object (or the elements of an array) have nodes: a container among them stands
 * as a node without children, whose `raw` is the whole of it. All of the text is checked.
 */
int xylem_base__json_parse_members(struct xylem_base__tree *tree, struct xylem_view text, struct xylem_error *err);

/* Appends an integer. */
int xylem_base__json_add_integer(struct xylem_buffer *buffer, int64_t number);

/* Reads a JSON number as a double, free of the locale. `text` must be a valid JSON number. */
double xylem_base__json_read_number(struct xylem_view text);

/* Makes a node the number that its `raw` spells: an integer if it is one that fits, else a double. */
void xylem_base__json_set_number(struct xylem_value *node);

#endif
