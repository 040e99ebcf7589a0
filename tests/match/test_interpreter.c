/* The rules of patterns and of their limits hold where PCRE2 makes no machine code too. */
#include <stdint.h>

struct pcre2_real_code_8;

int __wrap_pcre2_jit_compile_8(struct pcre2_real_code_8 *code, uint32_t options);

int __wrap_pcre2_jit_compile_8(struct pcre2_real_code_8 *code, uint32_t options)
{
    (void)code;
    (void)options;
    return -45; /* PCRE2_ERROR_JIT_BADOPTION */
}

#include "tests/match/test_limits.c"
#include "tests/match/test_pattern.c"
