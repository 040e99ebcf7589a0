/*
 * Compiles patterns, and searches with PCRE2. Only this file includes pcre2.h.
 *
 * PCRE2 has two matchers. pcre2_match() goes back from a failure to the next alternative. It is fast, above all as
 * machine code, and its limits keep it from going back for ever. pcre2_dfa_match() follows all alternatives at once: it
 * is slower, finds the longest match, and has an answer where the other one meets a limit.
 */
#include "match/pattern.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/error.h"

#define STACK_BYTES_MIN 32768u
#define WINDOW_BYTES 4096u
#define WORKSPACE_INTS (2u + 6u * XYLEM_MATCH__STATES_MAX) /* PCRE2 has two lists of states, of three ints each */

struct xylem_match__pattern {
    pcre2_code *code;
    bool is_bytes;
    bool is_anchored; /* begins with `.*` for any byte: no match from a place, so none from a later one */
    char needed[2];   /* a byte that is in every match, as a small and as a capital letter; NUL: none is known */
};

struct xylem_match__scratch {
    pcre2_match_data *found; /* the range of a match */
    pcre2_match_context *limits;
    pcre2_match_context *dfa_limits;
    pcre2_jit_stack *stack;
    int workspace[WORKSPACE_INTS];
};

static void *allocate(size_t bytes, void *context)
{
    (void)context;
    return malloc(bytes);
}

static void release(void *memory, void *context)
{
    (void)context;
    free(memory);
}

/* --- Compiling ---------------------------------------------------------------------------------------------------- */

static int fail_compile(int error, size_t at, struct xylem_error *err)
{
    PCRE2_UCHAR text[256];
    if (error == PCRE2_ERROR_HEAP_FAILED) {
        return xylem_base__fail_memory(err);
    }
    int code = error == PCRE2_ERROR_PARENTHESES_NEST_TOO_DEEP || error == PCRE2_ERROR_PATTERN_TOO_LARGE
                   ? XYLEM_E_LIMIT
                   : XYLEM_E_MALFORMED;
    pcre2_get_error_message(error, text, sizeof text);
    return xylem_base__fail(err, code, "the pattern cannot be compiled: byte %zu: %s", at, (const char *)text);
}

/*
 * Expressions are searched without PCRE2's guesses where a match may begin: in version 10.42 machine code for
 * `(ab.|)-*abb` passes over the match in "babbccc". A literal has no alternatives to guess among.
 */
static uint32_t options_of(unsigned flags)
{
    const uint32_t bytes = PCRE2_NO_START_OPTIMIZE | PCRE2_NEVER_UTF | PCRE2_NEVER_UCP | PCRE2_USE_OFFSET_LIMIT;
    const uint32_t characters = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
    uint32_t options = flags & XYLEM_MATCH__CASELESS ? PCRE2_CASELESS : 0;
    if (flags & XYLEM_MATCH__POSIX) {
        return options | bytes | PCRE2_DOLLAR_ENDONLY;
    }
    if (flags & XYLEM_MATCH__BYTES) {
        return options | bytes | PCRE2_DOTALL | PCRE2_MULTILINE | PCRE2_ALT_CIRCUMFLEX;
    }
    if (flags & XYLEM_MATCH__LITERAL) { /* of bytes, unless their case must be known */
        return options | PCRE2_LITERAL | (flags & XYLEM_MATCH__CASELESS ? characters : 0);
    }
    return options | characters | PCRE2_NO_START_OPTIMIZE | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
}

static int compile(pcre2_code **code, struct xylem_view text, unsigned flags, uint32_t options, struct xylem_error *err)
{
    pcre2_general_context *memory = pcre2_general_context_create(allocate, release, NULL);
    pcre2_compile_context *context = memory ? pcre2_compile_context_create(memory) : NULL;
    int error = PCRE2_ERROR_HEAP_FAILED;
    size_t at = 0;
    if (context) {
        /* The newline is the byte that `.` does not match. */
        pcre2_set_newline(context, flags & XYLEM_MATCH__POSIX ? PCRE2_NEWLINE_NUL : PCRE2_NEWLINE_LF);
        pcre2_set_parens_nest_limit(context, XYLEM_PATTERN_NESTING_MAX);
        *code = pcre2_compile((PCRE2_SPTR)(text.bytes > 0 ? text.data : ""), text.bytes, options, &error, &at, context);
    }
    pcre2_compile_context_free(context);
    pcre2_general_context_free(memory);
    return *code ? XYLEM_OK : fail_compile(error, at, err);
}

/* PCRE2 finds the needed byte only together with the guesses, so the pattern is compiled once more. */
static int note_needed(struct xylem_match__pattern *pattern, struct xylem_view text, unsigned flags,
                       struct xylem_error *err)
{
    pcre2_code *guessing = NULL;
    uint32_t is_known = 0;
    uint32_t byte = 0;
    int code = compile(&guessing, text, flags, options_of(flags) & ~PCRE2_NO_START_OPTIMIZE, err);
    if (code < 0) {
        return code;
    }
    pcre2_pattern_info(guessing, PCRE2_INFO_LASTCODETYPE, &is_known);
    pcre2_pattern_info(guessing, PCRE2_INFO_LASTCODEUNIT, &byte);
    pcre2_code_free(guessing);
    if (is_known) {
        bool is_letter = (byte | 32) >= 'a' && (byte | 32) <= 'z'; /* of which PCRE2 does not tell the case */
        pattern->needed[0] = (char)byte;
        pattern->needed[1] = (char)(is_letter ? byte ^ 32 : byte);
    }
    return XYLEM_OK;
}

int xylem_match__new(struct xylem_match__pattern **pattern, struct xylem_view text, unsigned flags,
                     struct xylem_error *err)
{
    bool is_bytes = flags & (XYLEM_MATCH__BYTES | XYLEM_MATCH__POSIX);
    struct xylem_match__pattern *made = calloc(1, sizeof *made);
    int code;
    assert(!is_bytes || !(flags & XYLEM_MATCH__LITERAL));
    if (!made) {
        return xylem_base__fail_memory(err);
    }
    made->is_bytes = is_bytes;
    if ((code = compile(&made->code, text, flags, options_of(flags), err)) < 0 ||
        (is_bytes && (code = note_needed(made, text, flags, err)) < 0)) {
        xylem_match__free(made);
        return code;
    }
    uint32_t options = 0;
    pcre2_pattern_info(made->code, PCRE2_INFO_ALLOPTIONS, &options);
    made->is_anchored = options & PCRE2_ANCHORED;
    /* Where PCRE2 makes no machine code, or has no memory, pcre2_match() interprets the pattern. */
    (void)pcre2_jit_compile(made->code, PCRE2_JIT_COMPLETE | (is_bytes ? PCRE2_JIT_PARTIAL_HARD : 0));
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

/* --- Memory of searches ------------------------------------------------------------------------------------------- */

int xylem_match__scratch_new(struct xylem_match__scratch **scratch, struct xylem_error *err)
{
    struct xylem_match__scratch *made = calloc(1, sizeof *made);
    pcre2_general_context *memory = made ? pcre2_general_context_create(allocate, release, NULL) : NULL;
    if (!memory || !(made->found = pcre2_match_data_create(1, memory)) ||
        !(made->limits = pcre2_match_context_create(memory)) ||
        !(made->dfa_limits = pcre2_match_context_create(memory))) {
        pcre2_general_context_free(memory);
        xylem_match__scratch_free(made);
        return xylem_base__fail_memory(err);
    }
    /* NULL without memory, or where PCRE2 makes no machine code: then the stack is 32 KiB of the thread's. */
    made->stack = pcre2_jit_stack_create(STACK_BYTES_MIN, XYLEM_MATCH__STACK_BYTES_MAX, memory);
    pcre2_general_context_free(memory);
    pcre2_set_match_limit(made->limits, XYLEM_MATCH__STEPS_MAX);
    pcre2_set_depth_limit(made->limits, XYLEM_MATCH__STEPS_MAX);
    pcre2_set_heap_limit(made->limits, XYLEM_MATCH__HEAP_KB_MAX);
    pcre2_jit_stack_assign(made->limits, NULL, made->stack);
    pcre2_set_match_limit(made->dfa_limits, XYLEM_MATCH__STEPS_MAX);
    pcre2_set_depth_limit(made->dfa_limits, XYLEM_MATCH__CALLS_MAX);
    pcre2_set_heap_limit(made->dfa_limits, XYLEM_MATCH__HEAP_KB_MAX);
    *scratch = made;
    return XYLEM_OK;
}

void xylem_match__scratch_free(struct xylem_match__scratch *scratch)
{
    if (scratch) {
        pcre2_match_data_free(scratch->found);
        pcre2_match_context_free(scratch->limits);
        pcre2_match_context_free(scratch->dfa_limits);
        pcre2_jit_stack_free(scratch->stack);
        free(scratch);
    }
}

/* --- Searching ---------------------------------------------------------------------------------------------------- */

/* True for an error that says: another way to search may have an answer. */
static bool is_limit(int result)
{
    return result == PCRE2_ERROR_MATCHLIMIT || result == PCRE2_ERROR_DEPTHLIMIT || result == PCRE2_ERROR_HEAPLIMIT ||
           result == PCRE2_ERROR_JIT_STACKLIMIT;
}

/* The answer of a search: 1 and the range, 0, or an error. */
static int answer(struct xylem_match__range *range, const struct xylem_match__scratch *scratch, int result,
                  struct xylem_error *err)
{
    PCRE2_UCHAR text[256];
    if (result >= 0) {
        const size_t *offsets = pcre2_get_ovector_pointer(scratch->found);
        *range = (struct xylem_match__range){offsets[0], offsets[1]};
        return 1;
    }
    switch (result) {
    case PCRE2_ERROR_NOMATCH:
        return 0;
    case PCRE2_ERROR_NOMEMORY:
        return xylem_base__fail_memory(err);
    case PCRE2_ERROR_MATCHLIMIT:
        return xylem_base__fail(err, XYLEM_E_LIMIT, "the pattern takes more than %u steps at one place of the text",
                                XYLEM_MATCH__STEPS_MAX);
    case PCRE2_ERROR_JIT_STACKLIMIT:
    case PCRE2_ERROR_HEAPLIMIT:
        return xylem_base__fail(err, XYLEM_E_LIMIT, "the pattern takes more than %u bytes to search the text",
                                result == PCRE2_ERROR_HEAPLIMIT ? 1024 * XYLEM_MATCH__HEAP_KB_MAX
                                                                : XYLEM_MATCH__STACK_BYTES_MAX);
    case PCRE2_ERROR_DFA_WSSIZE:
        return xylem_base__fail(err, XYLEM_E_LIMIT, "the pattern has more than %u ways to match the text",
                                XYLEM_MATCH__STATES_MAX);
    default: /* among others the depth: of backtracking, or of lookarounds */
        pcre2_get_error_message(result, text, sizeof text);
        return xylem_base__fail(err, XYLEM_E_LIMIT, "the pattern cannot search the text: %s", (const char *)text);
    }
}

static int backtrack(struct xylem_match__scratch *scratch, const struct xylem_match__pattern *pattern,
                     struct xylem_view subject, size_t from, uint32_t options)
{
    assert(from <= subject.bytes);
    return pcre2_match(pattern->code, (PCRE2_SPTR)(subject.bytes > 0 ? subject.data : ""), subject.bytes, from, options,
                       scratch->found, scratch->limits);
}

static int follow_all(struct xylem_match__scratch *scratch, const struct xylem_match__pattern *pattern,
                      struct xylem_view subject, size_t from, uint32_t options)
{
    assert(pattern->is_bytes && from <= subject.bytes);
    return pcre2_dfa_match(pattern->code, (PCRE2_SPTR)(subject.bytes > 0 ? subject.data : ""), subject.bytes, from,
                           options, scratch->found, scratch->dfa_limits, scratch->workspace, WORKSPACE_INTS);
}

int xylem_match__find(struct xylem_match__range *range, struct xylem_match__scratch *scratch,
                      const struct xylem_match__pattern *pattern, struct xylem_view subject, size_t from,
                      struct xylem_error *err)
{
    return answer(range, scratch, backtrack(scratch, pattern, subject, from, 0), err);
}

int xylem_match__longest(struct xylem_match__range *range, struct xylem_match__scratch *scratch,
                         const struct xylem_match__pattern *pattern, struct xylem_view subject, size_t from,
                         struct xylem_error *err)
{
    assert(pattern->is_bytes);
    int result = backtrack(scratch, pattern, subject, from, PCRE2_NOTEMPTY);
    if (result >= 0) { /* the place is known, the length is not */
        from = pcre2_get_ovector_pointer(scratch->found)[0];
        result = follow_all(scratch, pattern, subject, from, PCRE2_NOTEMPTY | PCRE2_ANCHORED);
        assert(result != PCRE2_ERROR_NOMATCH);
    } else if (is_limit(result)) {
        result = follow_all(scratch, pattern, subject, from, PCRE2_NOTEMPTY);
    }
    return answer(range, scratch, result, err);
}

/* Searches from `from`, or at this place alone, in the head of a text. PARTIAL: the answer depends on the rest. */
static int search_head(struct xylem_match__scratch *scratch, const struct xylem_match__pattern *pattern,
                       struct xylem_view head, size_t from, bool is_place, bool is_whole)
{
    uint32_t options = is_whole ? 0 : PCRE2_PARTIAL_HARD;
    pcre2_set_offset_limit(scratch->limits, is_place ? from : PCRE2_UNSET);
    int result = backtrack(scratch, pattern, head, from, options);
    pcre2_set_offset_limit(scratch->limits, PCRE2_UNSET);
    if (is_limit(result)) {
        options |= PCRE2_DFA_SHORTEST | (is_place ? PCRE2_ANCHORED : 0);
        result = follow_all(scratch, pattern, head, from, options);
    }
    return result;
}

static bool lacks_needed(const struct xylem_match__pattern *pattern, struct xylem_view subject)
{
    return pattern->needed[0] && subject.bytes > 0 && !memchr(subject.data, pattern->needed[0], subject.bytes) &&
           !memchr(subject.data, pattern->needed[1], subject.bytes);
}

/*
 * Searches window by window, so that a place where no match begins costs a window at most. The matcher says:
 *
 *     a match       done
 *     none          the next window begins behind this one
 *     partial       a match may begin at a place of the window and go on behind it: the next window begins there. If it
 *                   begins there already, then it grows, and only this place is searched.
 *
 * Growing windows read bytes again, at most XYLEM_MATCH__AGAIN_BYTES_MAX.
 */
int xylem_match__exists(struct xylem_match__scratch *scratch, const struct xylem_match__pattern *pattern,
                        struct xylem_view subject, struct xylem_error *err)
{
    struct xylem_match__range ignored;
    size_t window = WINDOW_BYTES;
    size_t again = 0;
    if (lacks_needed(pattern, subject)) {
        return 0;
    }
    for (size_t from = 0;;) {
        bool is_place = window > WINDOW_BYTES;
        bool is_whole = subject.bytes - from <= window;
        struct xylem_view head = {subject.data, is_whole ? subject.bytes : from + window};
        int result = search_head(scratch, pattern, head, from, is_place, is_whole);
        bool is_partial = result == PCRE2_ERROR_PARTIAL;
        if ((!is_partial && (result != PCRE2_ERROR_NOMATCH || pattern->is_anchored)) || (is_whole && !is_place)) {
            return answer(&ignored, scratch, result, err);
        }
        size_t place = is_partial ? pcre2_get_ovector_pointer(scratch->found)[0] : is_place ? from + 1 : head.bytes;
        again += is_place ? window : 0;
        if (again > XYLEM_MATCH__AGAIN_BYTES_MAX) {
            return xylem_base__fail(err, XYLEM_E_LIMIT, "the pattern reads more than %u bytes again",
                                    XYLEM_MATCH__AGAIN_BYTES_MAX);
        }
        window = place == from ? 2 * window : WINDOW_BYTES;
        from = place;
    }
}
