#include "branch/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The first chunk is small enough for the bins of an allocator. Each further chunk is twice as large. */
#define CHUNK_BYTES ((size_t)960)
#define CHUNK_BYTES_MAX ((size_t)65536)
#define ALIGNMENT _Alignof(max_align_t)

struct chunk {
    struct chunk *older;
    size_t used;
    size_t capacity;
    max_align_t bytes[];
};

void *xylem_branch__arena_take(void **arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) {
        return NULL;
    }
    size_t want = (bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    struct chunk *chunk = *arena;
    if (!chunk || chunk->capacity - chunk->used < want) {
        size_t capacity = chunk ? chunk->capacity * 2 : CHUNK_BYTES;
        capacity = capacity > CHUNK_BYTES_MAX ? CHUNK_BYTES_MAX : capacity;
        capacity = want > capacity ? want : capacity;
        struct chunk *newer = malloc(sizeof *newer + capacity);
        if (!newer) {
            return NULL;
        }
        newer->older = chunk;
        newer->used = 0;
        newer->capacity = capacity;
        *arena = newer;
        chunk = newer;
    }
    void *taken = (char *)chunk->bytes + chunk->used;
    chunk->used += want;
    return taken;
}

int xylem_branch__arena_copy(struct xylem_view *copy, void **arena, struct xylem_view view)
{
    char *bytes = xylem_branch__arena_take(arena, view.bytes);
    if (!bytes) {
        return XYLEM_E_MEMORY;
    }
    if (view.bytes > 0) {
        memcpy(bytes, view.data, view.bytes);
    }
    *copy = (struct xylem_view){bytes, view.bytes};
    return XYLEM_OK;
}

void xylem_branch__arena_release(void **arena)
{
    struct chunk *chunk = *arena;
    while (chunk) {
        struct chunk *older = chunk->older;
        free(chunk);
        chunk = older;
    }
    *arena = NULL;
}
