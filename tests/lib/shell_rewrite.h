/*
 * Harmless rewritings of a shell command: what comes out means the same to bash, or runs the same with something
 * harmless around it.
 */
#ifndef XYLEM_TESTS_LIB_SHELL_REWRITE_H
#define XYLEM_TESTS_LIB_SHELL_REWRITE_H

#include <stdbool.h>

#include "xylem/base.h"

enum shell_rewrite_kind {
    SHELL_REWRITE_SAME = 0, /* it runs the same programs with the same arguments */
    SHELL_REWRITE_PLACE,    /* but not what $PATH finds first */
    SHELL_REWRITE_INPUT,    /* but they read from elsewhere */
    SHELL_REWRITE_STATUS,   /* but what follows on success may follow on failure */
    SHELL_REWRITE_LAST,     /* not understood by design from there on: nothing may be wrapped around it */
};

struct shell_rewrite {
    const char *name;
    enum shell_rewrite_kind kind;
    bool wraps; /* puts the command into something else */
    /* Appends the rewritten command. False, with `out` in any state: there is nothing in it that could be rewritten. */
    bool (*apply)(struct xylem_buffer *out, struct xylem_view command);
};

extern const struct shell_rewrite shell_rewrites[];
extern const size_t shell_rewrite_count;

#endif
