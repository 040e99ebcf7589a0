/*
 * Strings of JavaScript are UTF-16 and may hold half a pair of surrogates. The library's strings are WTF-8, where the
 * half is three bytes. Node's conversion to UTF-8 would write U+FFFD in the place of the half.
 */
#ifndef XYLEM_NODE_STRINGS_H
#define XYLEM_NODE_STRINGS_H

#include <stddef.h>
#include <stdint.h>

#include "xylem/base.h"

/* Writes the units as WTF-8, at most three bytes a unit, and gives the number of bytes. */
size_t to_wtf8(char *bytes, const uint16_t *units, size_t count);
/* The inverse: at most one unit a byte. `units` NULL: only counts. A byte that is no part of WTF-8 becomes U+FFFD. */
size_t to_utf16(uint16_t *units, struct xylem_view text);
/* The number of units of a text of to_wtf8(), or of its beginning. */
size_t utf16_units(struct xylem_view text);

/* Fills `err` and gives its code. `text` NULL: the text of the code. */
int fail(struct xylem_error *err, int code, const char *text);

#endif
