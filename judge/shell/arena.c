#include "judge/shell/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>

/* Most commands fit into the first block. */
#define BLOCK_BYTES ((size_t)16384)

struct xylem_shell__block {
    struct xylem_shell__block *older;
    size_t bytes;
    alignas(max_align_t) unsigned char memory[];
};

void *xylem_shell__arena_take(struct xylem_shell__arena *arena, size_t bytes)
{
    const size_t unit = alignof(max_align_t);
    struct xylem_shell__block *block = arena->newest;
    if (bytes > SIZE_MAX - unit - sizeof *block) {
        arena->failed = true;
        return NULL;
    }
    bytes = (bytes + unit - 1) / unit * unit;
    if (arena->left_bytes < bytes) {
        size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        block = calloc(1, sizeof *block + room);
        if (!block) {
            arena->failed = true;
            return NULL;
        }
        *block = (struct xylem_shell__block){.older = arena->newest, .bytes = room};
        arena->newest = block;
        arena->left_bytes = room;
    }
    void *taken = block->memory + (block->bytes - arena->left_bytes);
    arena->left_bytes -= bytes;
    return taken;
}

void xylem_shell__arena_release(struct xylem_shell__arena *arena)
{
    while (arena->newest) {
        struct xylem_shell__block *older = arena->newest->older;
        free(arena->newest);
        arena->newest = older;
    }
    arena->left_bytes = 0;
    arena->failed = false;
}
