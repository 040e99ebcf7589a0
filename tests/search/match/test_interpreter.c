/* The rules of patterns and of their limits hold where PCRE2 makes no machine code too. */
#include "tests/lib/no_machine_code.h"

#include "tests/search/match/test_limits.c"
#include "tests/search/match/test_pattern.c"
