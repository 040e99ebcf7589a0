/* Finding bytes in bytes: the same places as a plain loop. */
#include "search/needle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/value.h"
#include "tests/lib/chance.h"
#include "tests/lib/test.h"

static char folded(char byte, bool caseless)
{
    return caseless && byte >= 'A' && byte <= 'Z' ? (char)(byte + 32) : byte;
}

static size_t plain_find(struct xylem_view text, bool caseless, struct xylem_view haystack, size_t from)
{
    for (size_t at = from; at + text.bytes <= haystack.bytes; at++) {
        size_t same = 0;
        while (same < text.bytes && folded(haystack.data[at + same], caseless) == text.data[same]) {
            same++;
        }
        if (same == text.bytes) {
            return at;
        }
    }
    return SIZE_MAX;
}

static void fill(char *bytes, size_t count, const char *letters, struct chance *chance)
{
    for (size_t i = 0; i < count; i++) {
        bytes[i] = letters[chance_below(chance, (int)strlen(letters))];
    }
}

TEST(a_needle_is_found_where_a_plain_loop_finds_it)
{
    const char *given = getenv("XYLEM_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL) * 1000;
    struct chance chance = chance_of(seed);
    for (unsigned round = 0; round < test_rounds(200000); round++) {
        bool caseless = chance_one_in(&chance, 2);
        struct xylem_search__needle needle;
        size_t bytes = (size_t)chance_below(&chance, 300);
        size_t needle_bytes = 1 + (size_t)chance_below(&chance, 6);
        char *haystack = malloc(bytes + 1); /* of exactly this length: sanitizers see a read beyond */
        char text[8];
        fill(haystack, bytes, caseless ? "abAB\\u" : "ab\\u", &chance);
        fill(text, needle_bytes, "ab\\u", &chance);
        struct xylem_view view = {haystack, bytes};
        xylem_search__needle_make(&needle, (struct xylem_view){text, needle_bytes}, caseless);
        size_t from = (size_t)chance_below(&chance, (int)bytes + 2);
        size_t expected = plain_find((struct xylem_view){text, needle_bytes}, caseless, view, from);
        size_t found = xylem_search__needle_find(&needle, view, from);
        if (found != expected) {
            fail_msg("seed %llu, round %u: %zu, expected %zu", (unsigned long long)seed, round, found, expected);
        }
        free(haystack);
    }
}

TEST(a_needle_at_either_end_is_found)
{
    struct xylem_search__needle needle;
    struct xylem_view haystack = XYLEM_BASE__LITERAL("quack and quick");
    xylem_search__needle_make(&needle, XYLEM_BASE__LITERAL("quick"), false);
    assert_int_equal(xylem_search__needle_find(&needle, haystack, 0), 10);
    assert_true(xylem_search__needle_find(&needle, haystack, 11) == SIZE_MAX);
    xylem_search__needle_make(&needle, XYLEM_BASE__LITERAL("q"), false);
    assert_int_equal(xylem_search__needle_find(&needle, haystack, 0), 0);
    assert_int_equal(xylem_search__needle_find(&needle, haystack, 1), 10);
    assert_true(xylem_search__needle_find(&needle, (struct xylem_view){NULL, 0}, 0) == SIZE_MAX);
}
