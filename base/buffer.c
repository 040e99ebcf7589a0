#include "base/buffer.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct xylem_view xylem_view_of(const char *text)
{
    return (struct xylem_view){text, text ? strlen(text) : 0};
}

int xylem_base__buffer_reserve(struct xylem_buffer *buffer, size_t bytes)
{
    if (bytes > SIZE_MAX / 4 || buffer->bytes > SIZE_MAX / 4) {
        return XYLEM_E_MEMORY;
    }
    size_t want = buffer->bytes + bytes + 1;
    if (want <= buffer->capacity) {
        return XYLEM_OK;
    }
    size_t capacity = buffer->capacity < 64 ? 64 : buffer->capacity;
    while (capacity < want) {
        capacity *= 2;
    }
    char *data = realloc(buffer->data, capacity);
    if (!data) {
        return XYLEM_E_MEMORY;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return XYLEM_OK;
}

int xylem_buffer_add(struct xylem_buffer *buffer, const void *data, size_t bytes)
{
    bool fits = bytes < buffer->capacity - buffer->bytes; /* nearly always: so the check is here */
    int code = fits ? XYLEM_OK : xylem_base__buffer_reserve(buffer, bytes);
    if (code < 0) {
        return code;
    }
    if (bytes > 0) {
        memcpy(buffer->data + buffer->bytes, data, bytes);
    }
    buffer->bytes += bytes;
    buffer->data[buffer->bytes] = '\0';
    return XYLEM_OK;
}

int xylem_base__buffer_add_text(struct xylem_buffer *buffer, const char *text)
{
    return xylem_buffer_add(buffer, text, strlen(text));
}

int xylem_base__buffer_add_format(struct xylem_buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int bytes = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (bytes < 0 || xylem_base__buffer_reserve(buffer, (size_t)bytes) < 0) {
        return XYLEM_E_MEMORY;
    }
    va_start(arguments, format);
    vsnprintf(buffer->data + buffer->bytes, (size_t)bytes + 1, format, arguments);
    va_end(arguments);
    buffer->bytes += (size_t)bytes;
    return XYLEM_OK;
}

struct xylem_view xylem_base__buffer_view(const struct xylem_buffer *buffer)
{
    return (struct xylem_view){buffer->data, buffer->bytes};
}

void xylem_base__buffer_cut(struct xylem_buffer *buffer, size_t bytes)
{
    buffer->bytes = bytes;
    if (buffer->data) {
        buffer->data[bytes] = '\0';
    }
}

void xylem_base__buffer_clear(struct xylem_buffer *buffer)
{
    xylem_base__buffer_cut(buffer, 0);
}

void xylem_buffer_release(struct xylem_buffer *buffer)
{
    if (buffer) {
        free(buffer->data);
        memset(buffer, 0, sizeof *buffer);
    }
}

void xylem_base__wipe(void *memory, size_t bytes)
{
    if (memory) {
        explicit_bzero(memory, bytes);
        free(memory);
    }
}

void xylem_base__buffer_wipe(struct xylem_buffer *buffer)
{
    xylem_base__wipe(buffer->data, buffer->capacity);
    memset(buffer, 0, sizeof *buffer);
}

void *xylem_base__with_room(void *items, size_t *capacity, size_t count, size_t item_bytes)
{
    if (count < *capacity) {
        return items;
    }
    assert(count == *capacity);
    size_t wanted = *capacity ? *capacity * 2 : 16;
    void *grown = reallocarray(items, wanted, item_bytes);
    if (grown) {
        *capacity = wanted;
    }
    return grown;
}
