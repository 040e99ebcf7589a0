/* The rules of patterns and of their limits hold where PCRE2 makes no machine code too. */
#include "tests/lib/no_machine_code.h"

#include "tests/match/test_limits.c"
#include "tests/match/test_pattern.c"
