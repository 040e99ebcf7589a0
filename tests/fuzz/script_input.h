/* Any bytes are read to their end as a program of a language, and only a harmless one gives no reason. */
#ifndef XYLEM_FUZZ_SCRIPT_INPUT_H
#define XYLEM_FUZZ_SCRIPT_INPUT_H

#include <stdint.h>
#include <stdlib.h>

#include "judge/policy/words/script.h"

static inline int read_script(enum xylem_policy__script (*read)(struct xylem_view program, const char **why),
                              const uint8_t *data, size_t size)
{
    char *copy = malloc(size == 0 ? 1 : size); /* so that a sanitizer sees what is read past the end */
    const char *why = NULL;
    if (!copy) {
        return 0;
    }
    for (size_t i = 0; i < size; i++) {
        copy[i] = (char)data[i];
    }
    enum xylem_policy__script found = read((struct xylem_view){copy, size}, &why);
    if (found == XYLEM_POLICY__SCRIPT_MALFORMED || (found != XYLEM_POLICY__SCRIPT_HARMLESS && !why)) {
        abort();
    }
    free(copy);
    return 0;
}

#endif
