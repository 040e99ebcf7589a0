/*
 * Loaded into the command before the C library (LD_PRELOAD), where a test needs a system without memory: the allocation
 * with the number in FAILING fails.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>

static bool fails(void)
{
    static long number;
    static long failing = -1;
    if (failing < 0) {
        const char *text = getenv("FAILING");
        failing = text ? atol(text) : 0;
    }
    return ++number == failing;
}

void *malloc(size_t bytes)
{
    static void *(*next)(size_t);
    if (!next) {
        *(void **)&next = dlsym(RTLD_NEXT, "malloc");
    }
    return fails() ? NULL : next(bytes);
}

void *realloc(void *memory, size_t bytes)
{
    static void *(*next)(void *, size_t);
    if (!next) {
        *(void **)&next = dlsym(RTLD_NEXT, "realloc");
    }
    return fails() ? NULL : next(memory, bytes);
}
