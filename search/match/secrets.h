/*
 * The built-in patterns of secrets: secrets.txt, of which the build makes the rows.
 *
 * One pass over the text looks for the literals with which secrets start. The expression of a row is tried at these
 * places alone, so 40 expressions cost little more than none, and no text makes them slow.
 */
#ifndef XYLEM_MATCH_SECRETS_H
#define XYLEM_MATCH_SECRETS_H

#include "search/match/pattern.h"
#include "xylem/files.h"

extern const struct xylem_secret xylem_match__secret_rows[]; /* end in a row without a kind */

/* The patterns, compiled. They do not change after their making. */
struct xylem_match__secrets;

int xylem_match__secrets_new(struct xylem_match__secrets **secrets, struct xylem_error *err);
void xylem_match__secrets_free(struct xylem_match__secrets *secrets); /* NULL is allowed */

/*
 * Finds the first secret that begins at or behind `from`: 1, the range and the number of the row, or 0. A search from 0
 * begins a new text. `scratch` is made when the first expression is tried. A place from which the search would meet a
 * limit, in a text that is made to be slow, is a secret to the end of the text. Errors: MEMORY.
 */
int xylem_match__secrets_find(struct xylem_match__range *range, size_t *number, struct xylem_match__scratch **scratch,
                              const struct xylem_match__secrets *secrets, struct xylem_view text, size_t from,
                              struct xylem_error *err);

#endif
