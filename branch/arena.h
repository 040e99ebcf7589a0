/* Memory that is taken in small pieces and given back at once: for results that outlive their transaction. */
#ifndef XYLEM_BRANCH_ARENA_H
#define XYLEM_BRANCH_ARENA_H

#include "xylem.h"

/*
 * `*arena` is what the public structs call `storage`: start with NULL. Gives `bytes` aligned bytes, at least one, or
 * NULL when there is no memory.
 */
void *xylem_branch__arena_take(void **arena, size_t bytes);

/* A copy of `view` in the arena; an empty view becomes one whose data is not NULL. 0 or XYLEM_E_MEMORY. */
int xylem_branch__arena_copy(struct xylem_view *copy, void **arena, struct xylem_view view);

/* Frees everything that was taken, and sets `*arena` to NULL. */
void xylem_branch__arena_release(void **arena);

#endif
