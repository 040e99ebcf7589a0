/* The data of custom entries as bytes. */
#ifndef XYLEM_FORMAT_DATA_H
#define XYLEM_FORMAT_DATA_H

#include "base/value.h"
#include "xylem.h"

/* Appends a value as it is stored in a custom entry. Of duplicate keys of a map only the last is kept, at its place. */
int xylem_format__data_encode(struct xylem_buffer *buffer, const struct xylem_value *value, struct xylem_error *err);

/*
 * Decodes such bytes into `tree`, which is cleared first and borrows from `bytes`. Errors: MALFORMED (truncated, bytes
 * left over, types that JSON has not, keys that are no strings, strings that are not WTF-8), LIMIT (nesting), MEMORY.
 */
int xylem_format__data_decode(struct xylem_base__tree *tree, struct xylem_view bytes, struct xylem_error *err);

#endif
