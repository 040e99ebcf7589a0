/* Compiles patterns and searches with PCRE2. Only this file includes pcre2.h. */
#include "match/pattern.h"

#include <assert.h>
#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/error.h"

#define STACK_BYTES_MIN 32768u

struct xylem_match__pattern {
    pcre2_code *code;
};

struct xylem_match__scratch {
    pcre2_match_data *found; /* the range of a match */
    pcre2_match_context *limits;
    pcre2_jit_stack *stack;
};

/* --- Compiling ---------------------------------------------------------------------------------------------------- */

static int fail_compile(int error, size_t at, struct xylem_error *err)
{
    PCRE2_UCHAR text[256];
    if (error == PCRE2_ERROR_HEAP_FAILED) {
        return xylem_base__fail_memory(err);
    }
    int code = error == PCRE2_ERROR_PARENTHESES_NEST_TOO_DEEP || error == PCRE2_ERROR_PATTERN_TOO_LARGE ||
                       error == PCRE2_ERROR_PATTERN_TOO_COMPLICATED
                   ? XYLEM_E_LIMIT
                   : XYLEM_E_MALFORMED;
    pcre2_get_error_message(error, text, sizeof text);
    return xylem_base__fail(err, code, "the pattern cannot be compiled: byte %zu: %s", at, (const char *)text);
}

static uint32_t options_of(unsigned flags)
{
    bool is_literal = flags & XYLEM_MATCH__LITERAL;
    uint32_t options = flags & XYLEM_MATCH__CASELESS ? PCRE2_CASELESS : 0;
    if (is_literal) {
        options |= PCRE2_LITERAL;
    }
    if (flags & XYLEM_MATCH__BYTES) {
        options |= is_literal ? 0 : PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_UTF | PCRE2_NEVER_UCP;
    } else if (!is_literal || flags & XYLEM_MATCH__CASELESS) { /* a literal in its own case is a run of bytes */
        options |= PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
        options |= is_literal ? 0 : PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
    }
    return options;
}

static pcre2_code *compile(struct xylem_view text, unsigned flags, int *error, size_t *at)
{
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    pcre2_code *code = NULL;
    *error = PCRE2_ERROR_HEAP_FAILED;
    if (context) {
        pcre2_set_newline(context, flags & XYLEM_MATCH__BYTES ? PCRE2_NEWLINE_NUL : PCRE2_NEWLINE_LF);
        code = pcre2_compile((PCRE2_SPTR)(text.bytes > 0 ? text.data : ""), text.bytes, options_of(flags), error, at,
                             context);
        pcre2_compile_context_free(context);
    }
    return code;
}

int xylem_match__new(struct xylem_match__pattern **pattern, struct xylem_view text, unsigned flags,
                     struct xylem_error *err)
{
    int error;
    size_t at = 0;
    struct xylem_match__pattern *made = calloc(1, sizeof *made);
    if (!made) {
        return xylem_base__fail_memory(err);
    }
    if (!(made->code = compile(text, flags, &error, &at))) {
        free(made);
        return fail_compile(error, at, err);
    }
    (void)pcre2_jit_compile(made->code, PCRE2_JIT_COMPLETE); /* without machine code PCRE2 interprets the pattern */
    *pattern = made;
    return XYLEM_OK;
}

void xylem_match__free(struct xylem_match__pattern *pattern)
{
    if (pattern) {
        pcre2_code_free(pattern->code);
        free(pattern);
    }
}

/* --- Searching ---------------------------------------------------------------------------------------------------- */

int xylem_match__scratch_new(struct xylem_match__scratch **scratch, struct xylem_error *err)
{
    struct xylem_match__scratch *made = calloc(1, sizeof *made);
    if (!made || !(made->found = pcre2_match_data_create(1, NULL)) ||
        !(made->limits = pcre2_match_context_create(NULL))) {
        xylem_match__scratch_free(made);
        return xylem_base__fail_memory(err);
    }
    pcre2_set_match_limit(made->limits, XYLEM_MATCH__STEPS_MAX);
    pcre2_set_depth_limit(made->limits, XYLEM_MATCH__DEPTH_MAX);
    pcre2_set_heap_limit(made->limits, XYLEM_MATCH__HEAP_KB_MAX);
    /* NULL where PCRE2 makes no machine code, or without memory: then 32 KiB on the thread's stack are the limit. */
    made->stack = pcre2_jit_stack_create(STACK_BYTES_MIN, XYLEM_MATCH__STACK_BYTES_MAX, NULL);
    pcre2_jit_stack_assign(made->limits, NULL, made->stack);
    *scratch = made;
    return XYLEM_OK;
}

void xylem_match__scratch_free(struct xylem_match__scratch *scratch)
{
    if (scratch) {
        pcre2_match_data_free(scratch->found);
        pcre2_match_context_free(scratch->limits);
        pcre2_jit_stack_free(scratch->stack);
        free(scratch);
    }
}

static int fail_search(int result, struct xylem_error *err)
{
    PCRE2_UCHAR text[256];
    switch (result) {
    case PCRE2_ERROR_NOMEMORY:
        return xylem_base__fail_memory(err);
    case PCRE2_ERROR_MATCHLIMIT:
        return xylem_base__fail(err, XYLEM_E_LIMIT, "the pattern takes more than %u steps at one place of a text",
                                XYLEM_MATCH__STEPS_MAX);
    case PCRE2_ERROR_DEPTHLIMIT:
    case PCRE2_ERROR_HEAPLIMIT:
    case PCRE2_ERROR_JIT_STACKLIMIT:
        return xylem_base__fail(
            err, XYLEM_E_LIMIT, "the pattern goes back to too many places of a text: more than %u bytes are needed",
            result == PCRE2_ERROR_JIT_STACKLIMIT ? XYLEM_MATCH__STACK_BYTES_MAX : 1024 * XYLEM_MATCH__HEAP_KB_MAX);
    default:
        pcre2_get_error_message(result, text, sizeof text);
        return xylem_base__fail(err, XYLEM_E_LIMIT, "the pattern cannot be searched: %s", (const char *)text);
    }
}

int xylem_match__find(struct xylem_match__range *range, struct xylem_match__scratch *scratch,
                      const struct xylem_match__pattern *pattern, struct xylem_view subject, size_t from,
                      struct xylem_error *err)
{
    assert(from <= subject.bytes);
    int result = pcre2_match(pattern->code, (PCRE2_SPTR)(subject.bytes > 0 ? subject.data : ""), subject.bytes, from, 0,
                             scratch->found, scratch->limits);
    if (result == PCRE2_ERROR_NOMATCH) {
        return 0;
    }
    if (result < 0) {
        return fail_search(result, err);
    }
    const size_t *offsets = pcre2_get_ovector_pointer(scratch->found);
    *range = (struct xylem_match__range){offsets[0], offsets[1]};
    return 1;
}
