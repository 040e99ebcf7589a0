/*
 * The library's calls of the allocator lead here (see the Makefile): counted, and made to fail. For test programs of
 * one thread, or of threads that all let it count nothing.
 */
#ifndef XYLEM_TESTS_POLICY_ALLOCATIONS_H
#define XYLEM_TESTS_POLICY_ALLOCATIONS_H

#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct {
    bool armed;
    bool goes_on; /* all that follow the failing one fail too */
    size_t calls;
    size_t failing_call; /* counted from 1; 0: none */
    size_t live_bytes;
    size_t peak_bytes;
    long live_count;
} allocations;

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__real_reallocarray(void *memory, size_t count, size_t bytes);
void *__wrap_reallocarray(void *memory, size_t count, size_t bytes);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
void __real_free(void *memory);
void __wrap_free(void *memory);

static void allocations_begin(size_t failing_call)
{
    memset(&allocations, 0, sizeof allocations);
    allocations.armed = true;
    allocations.failing_call = failing_call;
}

static bool allocation_fails(void)
{
    if (!allocations.armed) {
        return false;
    }
    allocations.calls++;
    bool fails = allocations.failing_call > 0 && (allocations.goes_on ? allocations.calls >= allocations.failing_call
                                                                      : allocations.calls == allocations.failing_call);
    errno = fails ? ENOMEM : errno;
    return fails;
}

static void *allocation_made(void *memory)
{
    if (allocations.armed && memory) {
        allocations.live_count++;
        allocations.live_bytes += malloc_usable_size(memory);
        if (allocations.live_bytes > allocations.peak_bytes) {
            allocations.peak_bytes = allocations.live_bytes;
        }
    }
    return memory;
}

static void allocation_gone(void *memory)
{
    if (allocations.armed && memory) {
        allocations.live_count--;
        allocations.live_bytes -= malloc_usable_size(memory);
    }
}

void *__wrap_malloc(size_t bytes)
{
    return allocation_fails() ? NULL : allocation_made(__real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return allocation_fails() ? NULL : allocation_made(__real_calloc(count, bytes));
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    if (allocation_fails()) {
        return NULL;
    }
    allocation_gone(memory);
    return allocation_made(__real_realloc(memory, bytes));
}

void *__wrap_reallocarray(void *memory, size_t count, size_t bytes)
{
    if (allocation_fails()) {
        return NULL;
    }
    allocation_gone(memory);
    return allocation_made(__real_reallocarray(memory, count, bytes));
}

char *__wrap_strdup(const char *text)
{
    return allocation_fails() ? NULL : allocation_made(__real_strdup(text));
}

void __wrap_free(void *memory)
{
    allocation_gone(memory);
    __real_free(memory);
}

#endif
