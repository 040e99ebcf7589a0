/* Allocates small pieces of memory that are freed all at once, for results that outlive their transaction. */
#ifndef XYLEM_BRANCH_ARENA_H
#define XYLEM_BRANCH_ARENA_H

#include "xylem/base.h"

/*
 * Returns `bytes` aligned bytes, at least one, or NULL without memory. `*arena` is the member `storage` of public
 * structs: start with NULL.
 */
void *xylem_branch__arena_take(void **arena, size_t bytes);

/* Copies `view` into the arena. The copy of an empty view has data too (not NULL). 0 or XYLEM_E_MEMORY. */
int xylem_branch__arena_copy(struct xylem_view *copy, void **arena, struct xylem_view view);

/* Frees all pieces, and sets `*arena` to NULL. */
void xylem_branch__arena_release(void **arena);

#endif
