/* A search finds the same where PCRE2 makes no machine code. */
#include "tests/lib/no_machine_code.h"

#include "tests/search/test_search.c"
