/*
 * For programs in which PCRE2 makes no machine code. The linker leads the library's call to the function below
 * (--wrap=pcre2_jit_compile_8). A program has one file that includes this header.
 */
#ifndef XYLEM_TESTS_LIB_NO_MACHINE_CODE_H
#define XYLEM_TESTS_LIB_NO_MACHINE_CODE_H

#include <stdint.h>

struct pcre2_real_code_8;

int __wrap_pcre2_jit_compile_8(struct pcre2_real_code_8 *code, uint32_t options);

int __wrap_pcre2_jit_compile_8(struct pcre2_real_code_8 *code, uint32_t options)
{
    (void)code;
    (void)options;
    return -45; /* PCRE2_ERROR_JIT_BADOPTION */
}

#endif
