/* Encodes and decodes the data of custom entries as msgpack. */
#ifndef XYLEM_FORMAT_DATA_H
#define XYLEM_FORMAT_DATA_H

#include "base/value.h"

/* Appends a value as msgpack. A map keeps only the last of equal keys, at the place of this last key. */
int xylem_format__data_encode(struct xylem_buffer *buffer, const struct xylem_value *value, struct xylem_error *err);

/*
 * Decodes msgpack into `tree`, which is cleared first and borrows from `bytes`. Errors: MALFORMED (truncated, extra
 * bytes, a type that JSON does not have, a key that is not a string, a string that is not WTF-8), LIMIT (nesting,
 * number of values), MEMORY.
 */
int xylem_format__data_decode(struct xylem_base__tree *tree, struct xylem_view bytes, struct xylem_error *err);

/*
 * The two halves of the call above, which tests compare. The first takes common data alone: 1, or 0 and an empty tree for
 * all other data, or MEMORY. The second takes all data, by msgpack-c, and has the errors.
 */
int xylem_format__data_decode_common(struct xylem_base__tree *tree, struct xylem_view bytes);
int xylem_format__data_decode_any(struct xylem_base__tree *tree, struct xylem_view bytes, struct xylem_error *err);

#endif
