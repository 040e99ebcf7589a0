/*
 * What todo.c and notebook.c ask of text that is given to be written, and notebook.c of an entry's data, which anybody
 * may have written.
 */
#ifndef SHAPE_H
#define SHAPE_H

#include <stdbool.h>
#include <xylem.h>

/* NULL if the visited entry's data is a map, else why it does not count. */
const char *shape_problem(const struct xylem_visit *visit);

/* True, and the bytes, if the value is a string of that size. They are borrowed, and may hold anything, NUL too. */
bool shape_string(struct xylem_view *text, const struct xylem_value *value, size_t bytes_min, size_t bytes_max);

/*
 * True if the text is WTF-8: UTF-8, in which half of a surrogate pair may stand alone, as it may in JSON. Other bytes
 * would be stored as U+FFFD, which is longer: what is read back would not be what was written, and might be too long to
 * count.
 */
bool shape_is_wtf8(struct xylem_view text);

/* Fills in `err`, which may be NULL, and gives `code`. */
int shape_fail(struct xylem_error *err, int code, const char *text);

#endif
