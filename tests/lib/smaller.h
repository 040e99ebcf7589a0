/* Makes a text smaller that shows a defect, as long as it shows it. */
#ifndef XYLEM_TESTS_LIB_SMALLER_H
#define XYLEM_TESTS_LIB_SMALLER_H

#include <stdbool.h>
#include <stddef.h>

/* Takes parts of `text` away, as long as `shows` is true of what is left, in a bounded number of attempts. */
void smaller_make(char *text, size_t *bytes, bool (*shows)(const char *text, size_t bytes));

#endif
