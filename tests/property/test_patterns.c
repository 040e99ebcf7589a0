/*
 * Random patterns against the C library's matcher. Both find a match in the same texts, and the first match at the same
 * place; the C library's match is the longest there. Patterns with `^` and `$` match at lines too, so they find at least
 * what the C library finds. XYLEM_SEED=n runs one seed alone.
 */
#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "tests/lib/chance.h"
#include "tests/lib/test.h"
#include "travel/jsonl/patterns.h"

#define TEXT_BYTES_MAX 40
#define DEPTH_MAX 2
#define ROUNDS_USUAL 20000
#define ROUNDS_AT_LENGTH 3000000

static struct {
    uint64_t seed;
    struct chance chance;
    struct xylem_buffer pattern;
    char text[TEXT_BYTES_MAX + 1];
    size_t text_bytes;
    bool has_anchor;
    uint64_t matches;
} world;

static int draw(int bound)
{
    return chance_below(&world.chance, bound);
}

static void add(const char *text)
{
    assert_int_equal(xylem_base__buffer_add_text(&world.pattern, text), XYLEM_OK);
}

/* --- Random patterns and texts ------------------------------------------------------------------------------------ */

static bool add_alternatives(int depth);

/*
 * True if the atom can be repeated. A group with a place is not repeated: the C library writes `(\ba){0,3}` out as three
 * groups, and forgets the place of some. For the same reason `^` and `$` stand at the ends of a pattern alone: elsewhere
 * the C library matches them at the ends of those lines that the match goes beyond.
 */
static bool add_atom(int depth)
{
    static const char *const atoms[] = {
        "a",           "b",   "c",   "ab",  "bc",  ".",   "[ab]", "[^a]",    "[]a]", "[a-]", "[^]b]", "[[:alpha:]]",
        "[[:space:]]", "\\w", "\\W", "\\s", "\\S", "\\.", "\\\\", "[\\\\a]", "}",    "-",    "\xff",  "[^[:alnum:]_]",
        "[a-c]"};
    static const char *const places[] = {"\\b", "\\B"};
    if (depth > 0 && draw(4) == 0) {
        add("(");
        bool can_repeat = add_alternatives(depth - 1);
        add(")");
        return can_repeat;
    }
    if (draw(12) == 0) {
        add(places[draw(sizeof places / sizeof *places)]);
        return false;
    }
    add(atoms[draw(sizeof atoms / sizeof *atoms)]);
    return true;
}

static bool add_alternatives(int depth)
{
    bool can_repeat = true;
    static const char *const repetitions[] = {"*", "+", "?", "{2}", "{1,2}", "{0,3}", "{2,}"};
    for (int branches = draw(3) == 0 ? 2 + draw(2) : 1; branches > 0; branches--) {
        bool has_start = depth == DEPTH_MAX && draw(8) == 0;
        bool has_end = depth == DEPTH_MAX && draw(8) == 0;
        world.has_anchor |= has_start || has_end;
        add(has_start ? "^" : "");
        for (int atoms = 1 + draw(3); atoms > 0; atoms--) {
            bool can_repeat_atom = add_atom(depth);
            can_repeat &= can_repeat_atom;
            if (can_repeat_atom && draw(3) == 0) {
                add(repetitions[draw(sizeof repetitions / sizeof *repetitions)]);
            }
        }
        add(has_end ? "$" : "");
        add(branches > 1 ? "|" : "");
    }
    return can_repeat;
}

static void make_text(void)
{
    static const char bytes[] = "aaaabbbbccc  \n\n.-_\\}]\xff\xc3";
    world.text_bytes = (size_t)draw(TEXT_BYTES_MAX + 1);
    for (size_t i = 0; i < world.text_bytes; i++) {
        world.text[i] = bytes[draw(sizeof bytes - 1)];
    }
    world.text[world.text_bytes] = '\0';
}

/* --- Comparing ---------------------------------------------------------------------------------------------------- */

static void fail_with(const char *problem)
{
    struct xylem_buffer shown = {NULL, 0, 0};
    assert_int_equal(xylem_buffer_add_json_string(&shown, (struct xylem_view){world.text, world.text_bytes}), XYLEM_OK);
    fail_msg("seed %" PRIu64 ": %s: pattern %s, text %s", world.seed, problem, world.pattern.data, shown.data);
}

static void compare(const struct xylem_patterns *patterns, const regex_t *regex)
{
    struct xylem_match__searcher searcher = {0};
    struct xylem_error err = {0};
    struct xylem_view replaced;
    struct xylem_view text = {world.text, world.text_bytes};
    regmatch_t match = {0, (regoff_t)world.text_bytes};
    bool matches = world.text_bytes > 0 && regexec(regex, world.text, 1, &match, REG_STARTEND) == 0;
    int found = xylem_match__patterns_string(&replaced, &searcher, patterns, text, &err);
    if (found == XYLEM_E_LIMIT) { /* such as `(a+b?)*c` */
        xylem_match__searcher_release(&searcher);
        return;
    }
    world.matches += matches;
    if (found < 0) {
        fail_with(err.text);
    }
    if (found != xylem_match__patterns_match(&searcher, patterns, text, &err)) {
        fail_with("a match is found or not");
    }
    if (matches && !found) {
        fail_with("a match is not found");
    }
    if (found && !matches && !world.has_anchor) {
        fail_with("a match is found where none is");
    }
    if (matches && (world.has_anchor ? searcher.hits[0].range.start > (size_t)match.rm_so
                                     : searcher.hits[0].range.start != (size_t)match.rm_so ||
                                           searcher.hits[0].range.end > (size_t)match.rm_eo)) {
        fail_with("the first match lies elsewhere");
    }
    xylem_match__searcher_release(&searcher);
}

static void run_seed(uint64_t seed)
{
    struct xylem_patterns *patterns = NULL;
    struct xylem_error err = {0};
    regex_t regex;
    world.seed = seed;
    world.chance = chance_of(seed);
    xylem_base__buffer_clear(&world.pattern);
    world.has_anchor = false;
    add_alternatives(DEPTH_MAX);
    int code = xylem_patterns_new(&patterns, xylem_base__buffer_view(&world.pattern), &err);
    if (code < 0 && !strstr(err.text, "matches the empty text") && !strstr(err.text, "the longer one first")) {
        fail_with(err.text);
    }
    assert_int_equal(regcomp(&regex, world.pattern.data, REG_EXTENDED), 0);
    if (code == XYLEM_OK && regexec(&regex, "", 0, NULL, 0) == 0) {
        fail_with("a pattern that matches the empty text");
    }
    for (int i = 0; code == XYLEM_OK && i < 4; i++) {
        make_text();
        compare(patterns, &regex);
    }
    xylem_patterns_free(patterns);
    regfree(&regex);
}

TEST(a_match_is_found_where_the_c_library_finds_one)
{
    const char *given = getenv("XYLEM_SEED");
    uint64_t first = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL) * 1000000;
    uint64_t rounds = given ? 1 : getenv("XYLEM_TORTURE") ? ROUNDS_AT_LENGTH : ROUNDS_USUAL;
    print_message("seeds %" PRIu64 " to %" PRIu64 "\n", first, first + rounds - 1);
    for (uint64_t i = 0; i < rounds; i++) {
        run_seed(first + i);
    }
    assert_true(given || world.matches > rounds);
    xylem_buffer_release(&world.pattern);
}
