/* What the tests of awk and sed programs share: examples, and what is said of them. */
#ifndef XYLEM_TESTS_POLICY_SCRIPTS_H
#define XYLEM_TESTS_POLICY_SCRIPTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "judge/policy/words/script.h"

#define HARMLESS XYLEM_POLICY__SCRIPT_HARMLESS
#define UNKNOWN XYLEM_POLICY__SCRIPT_NOT_UNDERSTOOD
#define TELLS XYLEM_POLICY__SCRIPT_PRINTS_TO_STREAM
#define HARMFUL XYLEM_POLICY__SCRIPT_HARMFUL

struct example {
    const char *program;
    enum xylem_policy__script expected;
};

/* `read` is the reader of the language. */
static inline void check_examples(enum xylem_policy__script (*read)(struct xylem_view program, const char **why),
                                  const struct example *examples, size_t count)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        const char *why = NULL;
        enum xylem_policy__script found = read(xylem_view_of(examples[i].program), &why);
        if (found != examples[i].expected) {
            print_error("%s: expected %d, found %d\n", examples[i].program, (int)examples[i].expected, (int)found);
            wrong++;
        }
        assert_true(found == HARMLESS || why);
    }
    assert_int_equal(wrong, 0);
}

#endif
