/* Manages owned bytes that grow. The type and its public calls are in xylem/base.h. */
#ifndef XYLEM_BASE_BUFFER_H
#define XYLEM_BASE_BUFFER_H

#include "xylem/base.h"

/* Makes room for `bytes` more bytes and a NUL. */
int xylem_base__buffer_reserve(struct xylem_buffer *buffer, size_t bytes);

/* Appends a string that ends in NUL. */
int xylem_base__buffer_add_text(struct xylem_buffer *buffer, const char *text);

/* Appends formatted text. */
__attribute__((format(printf, 2, 3))) int xylem_base__buffer_add_format(struct xylem_buffer *buffer, const char *format,
                                                                        ...);

struct xylem_view xylem_base__buffer_view(const struct xylem_buffer *buffer);

/*
 * Makes room for one more item in a list of `count` items with room for `capacity`. Returns the list, which may have
 * moved. NULL: no memory, and the list is unchanged.
 */
void *xylem_base__with_room(void *items, size_t *capacity, size_t count, size_t item_bytes);

/* Takes away what was added behind the first `bytes` bytes, and keeps the memory. */
void xylem_base__buffer_cut(struct xylem_buffer *buffer, size_t bytes);
/* Makes the buffer empty, and keeps the memory. */
void xylem_base__buffer_clear(struct xylem_buffer *buffer);

/* Wipes and frees memory; NULL is allowed. Growth may have left unwiped copies elsewhere. */
void xylem_base__wipe(void *memory, size_t bytes);
/* xylem_buffer_release() after wiping the memory. */
void xylem_base__buffer_wipe(struct xylem_buffer *buffer);

#endif
