/*
 * For programs in which one allocation of the library fails. The linker leads the library's calls to the functions
 * below (--wrap=malloc,calloc,realloc). A program has one file that includes this header.
 */
#ifndef XYLEM_TESTS_LIB_FAILING_CALLS_H
#define XYLEM_TESTS_LIB_FAILING_CALLS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

static size_t calls;
static size_t failing_call; /* counted from 1; 0: none */
static bool counting;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);

static bool fails(void)
{
    if (!counting || ++calls != failing_call) {
        return false;
    }
    errno = ENOMEM;
    return true;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    return fails() ? NULL : __real_realloc(memory, bytes);
}

#endif
