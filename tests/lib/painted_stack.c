#include "tests/lib/painted_stack.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/test.h"

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED true
#else
#define IS_SANITIZED false
#endif

#define STACK_BYTES (4u * 1024u * 1024u)
#define PAINT 0xA5

size_t painted_stack_taken(void *(*job)(void *context), void *context)
{
    void *stack = NULL;
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(posix_memalign(&stack, 4096, STACK_BYTES), 0);
    memset(stack, PAINT, STACK_BYTES);
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstack(&attributes, stack, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attributes, job, context), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    size_t untouched = 0;
    while (untouched < STACK_BYTES && ((unsigned char *)stack)[untouched] == PAINT) {
        untouched++;
    }
    free(stack);
    return IS_SANITIZED ? 0 : STACK_BYTES - untouched;
}
