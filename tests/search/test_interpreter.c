/* A search finds the same where PCRE2 makes no machine code. */
#include <stdint.h>

struct pcre2_real_code_8;

int __wrap_pcre2_jit_compile_8(struct pcre2_real_code_8 *code, uint32_t options);

int __wrap_pcre2_jit_compile_8(struct pcre2_real_code_8 *code, uint32_t options)
{
    (void)code;
    (void)options;
    return -45; /* PCRE2_ERROR_JIT_BADOPTION */
}

#include "tests/search/test_search.c"
