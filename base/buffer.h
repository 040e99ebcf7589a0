/* Owned bytes that grow. The type and its public calls are in xylem.h. */
#ifndef XYLEM_BASE_BUFFER_H
#define XYLEM_BASE_BUFFER_H

#include "xylem.h"

/* Makes room for `bytes` more, and a NUL. */
int xylem_base__buffer_reserve(struct xylem_buffer *buffer, size_t bytes);

/* Appends a string that ends in NUL. */
int xylem_base__buffer_add_text(struct xylem_buffer *buffer, const char *text);

/* Appends formatted text. */
__attribute__((format(printf, 2, 3))) int xylem_base__buffer_add_format(struct xylem_buffer *buffer, const char *format,
                                                                        ...);

struct xylem_view xylem_base__buffer_view(const struct xylem_buffer *buffer);

/*
 * A list of `count` items, which has room for `capacity`, with room for one more: it may have been moved. NULL: there is
 * no memory, and it is as it was.
 */
void *xylem_base__with_room(void *items, size_t *capacity, size_t count, size_t item_bytes);

/* Makes it empty, and keeps the memory. */
void xylem_base__buffer_clear(struct xylem_buffer *buffer);

/* Frees memory after wiping all of it; NULL is allowed. Copies that growth moved elsewhere stay as they were. */
void xylem_base__wipe(void *memory, size_t bytes);
/* xylem_buffer_release() after wiping the memory. */
void xylem_base__buffer_wipe(struct xylem_buffer *buffer);

#endif
