/*
 * Checks of todo.c and notebook.c for text before writing, and of notebook.c for data of entries, written by anybody.
 */
#ifndef SHAPE_H
#define SHAPE_H

#include <stdbool.h>
#include <xylem.h>

/* NULL if the data of the visited entry is a map, else the reason why the entry does not count. */
const char *shape_problem(const struct xylem_visit *visit);

/* True and the borrowed bytes if the value is a string of the size. The bytes may hold anything, NUL too. */
bool shape_string(struct xylem_view *text, const struct xylem_value *value, size_t bytes_min, size_t bytes_max);

/*
 * True if the text is WTF-8: UTF-8 that also allows half of a surrogate pair, as JSON does. Other bytes would be stored
 * as U+FFFD, a longer character: the text would come back changed, and perhaps too long to count.
 */
bool shape_is_wtf8(struct xylem_view text);

/* Fills in `err`, unless `err` is NULL, and gives `code`. */
int shape_fail(struct xylem_error *err, int code, const char *text);

#endif
