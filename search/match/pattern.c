/*
 * Compiles patterns, and searches with PCRE2. Only this file includes pcre2.h.
 *
 * PCRE2's own limits hold for one place of a text, and do not count the bytes that a repetition reads: `[0-9]+@` reads
 * all digits again at each digit. So patterns are compiled with PCRE2_AUTO_CALLOUT: PCRE2 calls count_step() before each
 * item of the pattern, and count_step() ends a search that costs too much. The calls cost more than the search of a
 * simple expression. A short text is therefore searched without them first, with few steps at a place.
 */
#include "search/match/pattern.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/error.h"

#define STACK_BYTES_MIN 32768u
#define SHORT_BYTES_MAX 1024u    /* a text of so many bytes is searched without a count first */
#define SHORT_STEPS_MAX 1000u    /* at a place of a short text */
#define STEP_COST 8u             /* of a call of count_step(): about as much time as reading 32 bytes */
#define BYTES_OF_COST 4u         /* bytes that are read at the cost of 1 */
#define MACHINE_BYTES_MAX 16384u /* a compiled pattern; machine code takes as much of the thread's stack */
#define MACHINE_NESTING_MAX 32u  /* groups that repetitions such as `(a){0,9}` nest; the compiler recurses */

struct xylem_match__pattern {
    pcre2_code *counted; /* calls count_step(), unless the pattern is text */
    pcre2_code *quick;   /* makes no calls; NULL for text, and for patterns of bytes */
    bool is_bytes;
    size_t text_bytes;
    uint16_t costs[]; /* for each byte of the pattern's text: the cost of an item there until the next call */
};

struct xylem_match__scratch {
    pcre2_match_data *found; /* the range of a match */
    pcre2_match_context *limits;
    pcre2_match_context *quick_limits;
    pcre2_jit_stack *stack;
    const struct xylem_match__pattern *pattern; /* of the present search */
    uint64_t budget;                            /* the rest of the budget of the subject */
    size_t last;                                /* the place of the last call of count_step() */
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

/*
 * Expressions are searched without PCRE2's guesses where a match may begin: in version 10.42 machine code for
 * `(ab.|)-*abb` passes over the match in "babbccc". A literal has no alternatives to guess among.
 */
static uint32_t options_of(unsigned flags)
{
    const uint32_t characters = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
    uint32_t options = flags & XYLEM_MATCH__CASELESS ? PCRE2_CASELESS : 0;
    if (flags & XYLEM_MATCH__LITERAL) { /* of bytes, unless their case must be known */
        return options | PCRE2_LITERAL | (flags & XYLEM_MATCH__CASELESS ? characters : 0);
    }
    options |= PCRE2_NO_START_OPTIMIZE | PCRE2_MULTILINE;
    return flags & XYLEM_MATCH__BYTES ? options | PCRE2_NEVER_UTF | PCRE2_NEVER_UCP | PCRE2_DOTALL
                                      : options | characters | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C;
}

/* The greater number of an interval, whose `{` is at the beginning of the text; 0: no interval. */
static uint32_t interval_end(const char *text, const char *end, uint32_t *least)
{
    uint32_t numbers[2] = {0, 0};
    size_t count = 0;
    for (text++; text < end && *text != '}'; text++) {
        if (*text == ',') {
            count = 1;
        } else if (*text >= '0' && *text <= '9' && numbers[count] <= UINT16_MAX) {
            numbers[count] = numbers[count] * 10 + (uint32_t)(*text - '0');
        }
    }
    *least = numbers[0];
    return numbers[1] > numbers[0] ? numbers[1] : numbers[0];
}

static int note_item(pcre2_callout_enumerate_block *item, void *context)
{
    struct xylem_match__pattern *pattern = context;
    if (item->pattern_position <= pattern->text_bytes) {
        pattern->costs[item->pattern_position] = STEP_COST;
    }
    return 0;
}

/* Adds `a{64}` to the cost of the item: the item reads 63 bytes, and then may fail without a call of count_step(). */
static void note_costs(struct xylem_match__pattern *pattern, struct xylem_view text)
{
    uint16_t *item = pattern->costs;
    pcre2_callout_enumerate(pattern->counted, note_item, pattern);
    for (size_t at = 0; at < text.bytes; at++) {
        uint32_t least;
        item = pattern->costs[at] > 0 ? &pattern->costs[at] : item;
        if (text.data[at] == '{') {
            uint32_t cost = STEP_COST + interval_end(text.data + at, text.data + text.bytes, &least) / BYTES_OF_COST;
            *item = (uint16_t)(cost > UINT16_MAX ? UINT16_MAX : cost > *item ? cost : *item);
        }
    }
}

/*
 * True if machine code fits the stack of a small thread. `(a){0,9}` is compiled as nine groups inside of each other,
 * and PCRE2's compiler of machine code recurses. Intervals of a class, `.` or a character do not nest.
 */
static bool can_be_machine_code(const pcre2_code *code, struct xylem_view text)
{
    size_t bytes = 0;
    size_t nesting = 0;
    pcre2_pattern_info(code, PCRE2_INFO_SIZE, &bytes);
    for (size_t at = 1; at < text.bytes; at++) {
        uint32_t least;
        uint32_t most;
        if (text.data[at] == '{' && !strchr("].wWsSdD", text.data[at - 1]) &&
            (most = interval_end(text.data + at, text.data + text.bytes, &least)) > least) {
            nesting += most - least;
        }
    }
    return bytes <= MACHINE_BYTES_MAX && nesting <= MACHINE_NESTING_MAX;
}

static int compile(pcre2_code **code, struct xylem_view text, uint32_t options, struct xylem_error *err)
{
    pcre2_general_context *memory = pcre2_general_context_create(allocate, release, NULL);
    pcre2_compile_context *context = memory ? pcre2_compile_context_create(memory) : NULL;
    int error = PCRE2_ERROR_HEAP_FAILED;
    size_t at = 0;
    if (context) {
        pcre2_set_newline(context, PCRE2_NEWLINE_LF);
        pcre2_set_parens_nest_limit(context, XYLEM_PATTERN_NESTING_MAX);
        *code = pcre2_compile((PCRE2_SPTR)(text.bytes > 0 ? text.data : ""), text.bytes, options, &error, &at, context);
    }
    pcre2_compile_context_free(context);
    pcre2_general_context_free(memory);
    if (!*code && error == PCRE2_ERROR_HEAP_FAILED) {
        return xylem_base__fail_memory(err);
    }
    if (!*code) {
        bool is_limit = error == PCRE2_ERROR_PARENTHESES_NEST_TOO_DEEP || error == PCRE2_ERROR_PATTERN_TOO_LARGE;
        PCRE2_UCHAR reason[256];
        pcre2_get_error_message(error, reason, sizeof reason);
        return xylem_base__fail(err, is_limit ? XYLEM_E_LIMIT : XYLEM_E_MALFORMED,
                                "the pattern cannot be compiled: byte %zu: %s", at, (const char *)reason);
    }
    uint32_t references = 0;
    pcre2_pattern_info(*code, PCRE2_INFO_BACKREFMAX, &references);
    if (references > 0) { /* count_step() does not see the bytes that a reference compares */
        return xylem_base__fail(err, XYLEM_E_MALFORMED,
                                "the pattern has a back reference, and the search of a reference has no bound");
    }
    if (can_be_machine_code(*code, text)) { /* else, and where PCRE2 makes none, pcre2_match() interprets the pattern */
        (void)pcre2_jit_compile(*code, PCRE2_JIT_COMPLETE);
    }
    return XYLEM_OK;
}

int xylem_match__new(struct xylem_match__pattern **pattern, struct xylem_view text, unsigned flags,
                     struct xylem_error *err)
{
    uint32_t options = options_of(flags);
    bool is_literal = flags & XYLEM_MATCH__LITERAL;
    struct xylem_match__pattern *made = calloc(1, sizeof *made + (text.bytes + 1) * sizeof *made->costs);
    int code;
    assert(!(flags & XYLEM_MATCH__BYTES) || !is_literal);
    if (!made) {
        return xylem_base__fail_memory(err);
    }
    made->is_bytes = flags & XYLEM_MATCH__BYTES;
    made->text_bytes = text.bytes;
    if ((code = compile(&made->counted, text, options | (is_literal ? 0 : PCRE2_AUTO_CALLOUT), err)) < 0 ||
        (!is_literal && !made->is_bytes && (code = compile(&made->quick, text, options, err)) < 0)) {
        xylem_match__free(made);
        return code;
    }
    note_costs(made, text);
    *pattern = made;
    return XYLEM_OK;
}

bool xylem_match__matches_empty(const struct xylem_match__pattern *pattern)
{
    uint32_t matches = 0;
    pcre2_pattern_info(pattern->counted, PCRE2_INFO_MATCHEMPTY, &matches);
    return matches;
}

void xylem_match__free(struct xylem_match__pattern *pattern)
{
    if (pattern) {
        pcre2_code_free(pattern->counted);
        pcre2_code_free(pattern->quick);
        free(pattern);
    }
}

/* --- Memory of searches ------------------------------------------------------------------------------------------- */

/* PCRE2 calls this function before each item of a pattern. */
static int count_step(pcre2_callout_block *step, void *context)
{
    struct xylem_match__scratch *scratch = context;
    size_t place = step->current_position;
    assert(step->pattern_position <= scratch->pattern->text_bytes);
    size_t bytes = place > scratch->last ? place - scratch->last : scratch->last - place;
    uint64_t cost = bytes / BYTES_OF_COST + scratch->pattern->costs[step->pattern_position];
    scratch->last = place;
    if (cost > scratch->budget) {
        return PCRE2_ERROR_CALLOUT;
    }
    scratch->budget -= cost;
    return 0;
}

int xylem_match__scratch_new(struct xylem_match__scratch **scratch, struct xylem_error *err)
{
    struct xylem_match__scratch *made = calloc(1, sizeof *made);
    pcre2_general_context *memory = made ? pcre2_general_context_create(allocate, release, NULL) : NULL;
    uint32_t has_machine_code = 0;
    pcre2_config(PCRE2_CONFIG_JIT, &has_machine_code);
    if (!memory || !(made->found = pcre2_match_data_create(1, memory)) ||
        !(made->limits = pcre2_match_context_create(memory)) ||
        !(made->quick_limits = pcre2_match_context_create(memory)) ||
        (!(made->stack = pcre2_jit_stack_create(STACK_BYTES_MIN, XYLEM_MATCH__STACK_BYTES_MAX, memory)) &&
         has_machine_code)) { /* which would take 32 KiB of the thread's stack without a stack of its own */
        pcre2_general_context_free(memory);
        xylem_match__scratch_free(made);
        return xylem_base__fail_memory(err);
    }
    pcre2_general_context_free(memory);
    pcre2_set_match_limit(made->limits, UINT32_MAX); /* count_step() counts the steps, the heap is the depth */
    pcre2_set_match_limit(made->quick_limits, SHORT_STEPS_MAX);
    pcre2_match_context *const both[] = {made->limits, made->quick_limits};
    for (size_t i = 0; i < 2; i++) {
        pcre2_set_depth_limit(both[i], UINT32_MAX);
        pcre2_set_heap_limit(both[i], XYLEM_MATCH__HEAP_KB_MAX);
        pcre2_jit_stack_assign(both[i], NULL, made->stack);
    }
    pcre2_set_callout(made->limits, count_step, made);
    *scratch = made;
    return XYLEM_OK;
}

void xylem_match__scratch_free(struct xylem_match__scratch *scratch)
{
    if (scratch) {
        pcre2_match_data_free(scratch->found);
        pcre2_match_context_free(scratch->limits);
        pcre2_match_context_free(scratch->quick_limits);
        pcre2_jit_stack_free(scratch->stack);
        free(scratch);
    }
}

/* --- Searching ---------------------------------------------------------------------------------------------------- */

/* The answer of a search: 1 and the range, 0, or an error. */
static int answer(struct xylem_match__range *range, const struct xylem_match__scratch *scratch, int result,
                  struct xylem_error *err)
{
    PCRE2_UCHAR text[256];
    if (result >= 0) {
        const size_t *offsets = pcre2_get_ovector_pointer(scratch->found);
        size_t start = offsets[0] < offsets[1] ? offsets[0] : offsets[1]; /* \K may set a start behind the end */
        *range = (struct xylem_match__range){start, offsets[1]};
        return 1;
    }
    switch (result) {
    case PCRE2_ERROR_NOMATCH:
        return 0;
    case PCRE2_ERROR_NOMEMORY:
        return xylem_base__fail_memory(err);
    case PCRE2_ERROR_CALLOUT:
        return xylem_base__fail(err, XYLEM_E_LIMIT,
                                "the pattern takes more than %u steps and %u for each byte of the text: shorten its "
                                "repetitions, such as [a-z]{1,64} for [a-z]+",
                                XYLEM_MATCH__COST_MAX, XYLEM_MATCH__COST_BYTE_MAX);
    case PCRE2_ERROR_JIT_STACKLIMIT:
    case PCRE2_ERROR_HEAPLIMIT:
        return xylem_base__fail(err, XYLEM_E_LIMIT, "the pattern takes more than %u bytes of memory to search the text",
                                result == PCRE2_ERROR_HEAPLIMIT ? 1024 * XYLEM_MATCH__HEAP_KB_MAX
                                                                : XYLEM_MATCH__STACK_BYTES_MAX);
    default: /* such as a recursion without an end */
        pcre2_get_error_message(result, text, sizeof text);
        return xylem_base__fail(err, XYLEM_E_LIMIT, "the pattern cannot search the text: %s", (const char *)text);
    }
}

static int search(struct xylem_match__scratch *scratch, const pcre2_code *code, pcre2_match_context *limits,
                  struct xylem_view subject, size_t from)
{
    return pcre2_match(code, (PCRE2_SPTR)(subject.bytes > 0 ? subject.data : ""), subject.bytes, from, PCRE2_NOTEMPTY,
                       scratch->found, limits);
}

void xylem_match__begin(struct xylem_match__scratch *scratch, struct xylem_view subject)
{
    scratch->budget = XYLEM_MATCH__COST_MAX + (uint64_t)XYLEM_MATCH__COST_BYTE_MAX * subject.bytes;
}

int xylem_match__find(struct xylem_match__range *range, struct xylem_match__scratch *scratch,
                      const struct xylem_match__pattern *pattern, struct xylem_view subject, size_t from,
                      struct xylem_error *err)
{
    int result = PCRE2_ERROR_MATCHLIMIT;
    assert(from <= subject.bytes);
    if (from == 0) {
        xylem_match__begin(scratch, subject);
    }
    scratch->pattern = pattern;
    scratch->last = from;
    if (pattern->quick && subject.bytes <= SHORT_BYTES_MAX) {
        result = search(scratch, pattern->quick, scratch->quick_limits, subject, from);
    }
    if (result == PCRE2_ERROR_MATCHLIMIT) {
        result = search(scratch, pattern->counted, scratch->limits, subject, from);
    }
    return answer(range, scratch, result, err);
}
