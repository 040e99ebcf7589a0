/*
 * Properties 2, 4 and 5: parsing is total, substitution follows a plain model, and a host that splits a quoted argument
 * gets the argument back. XYLEM_SEED=n repeats a run.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "tests/lib/chance.h"
#include "tests/sequence/one_catalogue.h"

static struct chance chance;

static int set_up_with_seed(void **state)
{
    const char *given = getenv("XYLEM_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    print_message("again: XYLEM_SEED=%" PRIu64 "\n", seed);
    chance = chance_of(seed);
    return set_up(state);
}

TEST_FILE(set_up_with_seed, tear_down)

struct text {
    char bytes[2048];
    size_t count;
};

static void add(struct text *text, const char *bytes, size_t count)
{
    assert_true(count <= sizeof text->bytes - text->count);
    if (count > 0) {
        memcpy(text->bytes + text->count, bytes, count);
    }
    text->count += count;
}

static struct xylem_view view_of(const struct text *text)
{
    return (struct xylem_view){text->bytes, text->count};
}

/* Up to `count_max` of the pieces. */
static void draw_text(struct text *text, const char *const *pieces, size_t piece_count, int count_max)
{
    text->count = 0;
    for (int left = chance_below(&chance, count_max + 1); left > 0; left--) {
        const char *piece = pieces[chance_below(&chance, (int)piece_count)];
        add(text, piece, strlen(piece));
    }
}

#define DRAW(text, pieces, count_max) draw_text(text, pieces, sizeof pieces / sizeof *(pieces), count_max)

/* --- Property 2: parsing is total --------------------------------------------------------------------------------- */

static bool within(struct xylem_view part, struct xylem_view whole)
{
    return part.bytes == 0 || (part.data >= whole.data && part.data + part.bytes <= whole.data + whole.bytes);
}

static void check_resolved(struct xylem_view raw)
{
    struct xylem_step step = {0};
    struct xylem_step again = {0};
    struct xylem_buffer text = {0};
    assert_int_equal(xylem_step_resolve(&step, catalogue, raw, NULL), 0);
    assert_int_equal(xylem_step_resolve(&again, catalogue, raw, NULL), 0);
    assert_true(step.kind < XYLEM_STEP_KIND_COUNT && step.problem < XYLEM_STEP_PROBLEM_COUNT);
    assert_true(step.kind == again.kind && step.problem == again.problem && step.warnings == again.warnings);
    assert_string_equal(text_of(&step.message), text_of(&again.message));
    assert_true(within(step.name, raw) && within(step.args, raw));
    assert_int_equal(step.problem == XYLEM_STEP_FINE, step.message.bytes == 0);
    if (step.problem == XYLEM_STEP_FINE) {
        assert_int_equal(step.kind == XYLEM_STEP_PROMPT, step.name.bytes == 0);
        assert_int_equal(xylem_step_text(&text, &step, NULL, 0, NULL), 0);
        assert_true(step.kind != XYLEM_STEP_PROMPT ||
                    (text.bytes == raw.bytes && memcmp(text.data, raw.data, raw.bytes) == 0));
    }
    xylem_buffer_release(&text);
    xylem_step_release(&step);
    xylem_step_release(&again);
}

TEST(any_bytes_have_one_meaning)
{
    static const char *const pieces[] = {
        "/",  "!",    "readonly", "on",           "plan",         "new",  "compact", " ",
        "\n", "\x1b", "\xC2\xA0", "\xED\xA0\x80", "\xED\xB0\x80", "\xFF", "\x80",    "skill:pdf",
        "$1", "$@",   "x",        "\xE3\x80",     "settings"};
    struct text text;
    for (unsigned round = 0; round < test_rounds(40000); round++) {
        DRAW(&text, pieces, 6);
        char *copy = malloc(text.count + 1); /* of its own, so that sanitizers see a read beyond the end */
        assert_non_null(copy);
        memcpy(copy, text.bytes, text.count);
        check_resolved((struct xylem_view){text.count > 0 ? copy : NULL, text.count});
        free(copy);
    }
}

/* --- Property 4: substitution against a plain model --------------------------------------------------------------- */

struct args {
    struct text texts[4];
    struct xylem_view views[4];
    size_t count;
};

static void draw_args(struct args *args)
{
    static const char *const pieces[] = {"a", "b c",          "$1", "$@",   "\"",      "'",
                                         " ", "\xE3\x80\x80", "\t", "/new", "\xC3\xA9"};
    args->count = (size_t)chance_below(&chance, 5);
    for (size_t i = 0; i < args->count; i++) {
        DRAW(&args->texts[i], pieces, 4);
        args->views[i] = view_of(&args->texts[i]);
    }
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* The model, written from the rules: at each `$` it tries sscanf() on the rest. */
static void model_range(struct text *out, const struct args *args, size_t first, size_t count)
{
    first = first == 0 ? 1 : first;
    for (size_t i = first; i <= args->count && i - first < count; i++) {
        add(out, " ", i > first);
        add(out, args->views[i - 1].data, args->views[i - 1].bytes);
    }
}

/* Gives the length of the placeholder, or 0. */
static size_t model_placeholder(struct text *out, const struct args *args, const char *rest)
{
    unsigned first = 0;
    unsigned count = 0;
    int bytes = 0;
    if (strncmp(rest, "$@", 2) == 0 || strncmp(rest, "$ARGUMENTS", 10) == 0) {
        model_range(out, args, 1, SIZE_MAX);
        return rest[1] == '@' ? 2 : 10;
    }
    if (is_digit(rest[1]) && sscanf(rest, "$%9u%n", &first, &bytes) == 1 && !is_digit(rest[bytes])) {
        if (first == 0 || first > args->count) {
            return 0;
        }
        add(out, args->views[first - 1].data, args->views[first - 1].bytes);
        return (size_t)bytes;
    }
    bytes = 0;
    if (strncmp(rest, "${@:", 4) == 0 && is_digit(rest[4]) && sscanf(rest, "${@:%9u}%n", &first, &bytes) == 1 &&
        bytes > 0) {
        model_range(out, args, first, SIZE_MAX);
        return (size_t)bytes;
    }
    const char *colon = strncmp(rest, "${@:", 4) == 0 ? strchr(rest + 4, ':') : NULL;
    if (colon && is_digit(rest[4]) && is_digit(colon[1]) &&
        sscanf(rest, "${@:%9u:%9u}%n", &first, &count, &bytes) == 2 && bytes > 0) {
        model_range(out, args, first, count);
        return (size_t)bytes;
    }
    return 0;
}

static void model_text(struct text *out, const struct args *args, const char *raw)
{
    out->count = 0;
    while (*raw) {
        size_t bytes = *raw == '$' ? model_placeholder(out, args, raw) : 0;
        add(out, raw, bytes == 0 ? 1 : 0);
        raw += bytes == 0 ? 1 : bytes;
    }
}

TEST(substitution_follows_the_model)
{
    static const char *const pieces[] = {
        "$", "$1", "$2", "$3", "$@", "$ARGUMENTS", "${@:",      "${@:2}", "${@:1:2}", "0",   "1", "9",     ":",
        "}", "{",  "x",  " ",  "\n", "$0",         "$12345678", "@",      "\"",       "${@", "é", "${@:0:"};
    static struct text raw;
    static struct text expected;
    static struct args args;
    for (unsigned round = 0; round < test_rounds(100000); round++) {
        struct xylem_step step = {0};
        struct xylem_buffer text = {0};
        DRAW(&raw, pieces, 8);
        add(&raw, "\0", 1);
        draw_args(&args);
        struct xylem_view view = {raw.bytes, raw.count - 1};
        assert_int_equal(xylem_step_resolve(&step, catalogue, view, NULL), 0);
        if (step.problem == XYLEM_STEP_FINE) {
            model_text(&expected, &args, raw.bytes);
            assert_int_equal(xylem_step_text(&text, &step, args.views, args.count, NULL), 0);
            if (text.bytes != expected.count || memcmp(text_of(&text), expected.bytes, expected.count) != 0) {
                fail_msg("%s: expected %.*s, found %s", raw.bytes, (int)expected.count, expected.bytes, text_of(&text));
            }
            xylem_buffer_release(&text);
            assert_int_equal(xylem_step_text(&text, &step, NULL, 0, NULL), 0);
            assert_view(view, text.data); /* without arguments: as authored */
        }
        xylem_buffer_release(&text);
        xylem_step_release(&step);
    }
}
