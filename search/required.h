/* Finds text that every match of a regular expression has, so that a sieve can look for the text. */
#ifndef XYLEM_SEARCH_REQUIRED_H
#define XYLEM_SEARCH_REQUIRED_H

#include "xylem/base.h"

/*
 * Appends the longest run of characters that every match of the expression has, in their own case; nothing if no run is
 * known. `expression` is an expression that PCRE2 compiled. Errors: MEMORY.
 */
int xylem_search__required(struct xylem_buffer *text, struct xylem_view expression, struct xylem_error *err);

/* Ends a run of characters: keeps the run if the run is longer than the longest so far, and clears the run. */
void xylem_search__end_run(struct xylem_buffer *longest, struct xylem_buffer *run);

#endif
