/* All of test_redact_matches.c without REG_STARTEND: the searches of a C library such as musl. */
#include <regex.h>
#undef REG_STARTEND
#include "base/regex.c"
#include "tests/jsonl/test_redact_matches.c"
