/* Allocates the memory of one judgement. All of the memory is released at once. */
#ifndef XYLEM_SHELL_ARENA_H
#define XYLEM_SHELL_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct xylem_shell__block;

/* Start with a zeroed struct. */
struct xylem_shell__arena {
    struct xylem_shell__block *newest;
    size_t left_bytes;
    bool failed; /* an allocation failed: nothing made since then may be used */
};

/* Zeroed memory for any type. NULL: no memory, and `failed` is set. */
void *xylem_shell__arena_take(struct xylem_shell__arena *arena, size_t bytes);

void xylem_shell__arena_release(struct xylem_shell__arena *arena);

#endif
