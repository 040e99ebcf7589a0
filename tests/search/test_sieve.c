/* A sieve never holds back a payload with a match, however JSON spells the literal. */
#include "search/sieve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "base/value.h"
#include "tests/lib/chance.h"
#include "tests/lib/test.h"

/* Characters of literals, with their other cases: a literal without case may be spelt with either. */
static const struct {
    const char *text;
    unsigned code_point;
    const char *other;
    unsigned other_code_point;
} letters[] = {
    {"a", 'a', "A", 'A'},
    {"s", 's', "\xC5\xBF", 0x17F},
    {"k", 'k', "\xE2\x84\xAA", 0x212A},
    {"/", '/', "/", '/'},
    {"\"", '"', "\"", '"'},
    {"\\", '\\', "\\", '\\'},
    {"\n", '\n', "\n", '\n'},
    {"\t", '\t', "\t", '\t'},
    {"\x1b", 0x1b, "\x1b", 0x1b},
    {"\xC3\xA4", 0xE4, "\xC3\x84", 0xC4},
    {"u", 'u', "U", 'U'},
    {"0", '0', "0", '0'},
    {"\xE4\xB8\xAD", 0x4E2D, "\xE4\xB8\xAD", 0x4E2D},
    {"\xEF\xBF\xBD", 0xFFFD, "\xff", 0xFFFD},
};
#define LETTERS ((int)(sizeof letters / sizeof *letters))

static void add(struct xylem_buffer *buffer, const char *text)
{
    assert_int_equal(xylem_buffer_add(buffer, text, strlen(text)), XYLEM_OK);
}

/* Spells a character as JSON may. */
static void spell(struct xylem_buffer *payload, struct chance *chance, int letter, bool other)
{
    const char *text = other ? letters[letter].other : letters[letter].text;
    unsigned code_point = other ? letters[letter].other_code_point : letters[letter].code_point;
    static const char shorts[] = "\"\\/\n\t";
    static const char *const spelt[] = {"\\\"", "\\\\", "\\/", "\\n", "\\t"};
    const char *at = text[0] ? strchr(shorts, text[0]) : NULL;
    char escape[8];
    if (chance_one_in(chance, 6) || (unsigned char)text[0] < 0x20) {
        bool has_short = at && chance_one_in(chance, 2);
        snprintf(escape, sizeof escape, chance_one_in(chance, 2) ? "\\u%04x" : "\\u%04X", code_point);
        add(payload, has_short ? spelt[at - shorts] : escape);
    } else if (at && (text[0] != '/' || chance_one_in(chance, 2))) {
        add(payload, spelt[at - shorts]);
    } else {
        add(payload, text);
    }
}

static void fill(struct xylem_buffer *payload, struct chance *chance)
{
    for (int i = chance_below(chance, 80); i > 0; i--) {
        add(payload, chance_one_in(chance, 9) ? "\\u001b" : chance_one_in(chance, 9) ? "\\n" : "x");
    }
}

TEST(a_payload_with_the_literal_always_passes)
{
    const char *given = getenv("XYLEM_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL) * 1000;
    struct chance chance = chance_of(seed);
    struct xylem_match__scratch *scratch = NULL;
    struct xylem_buffer literal = {NULL, 0, 0};
    struct xylem_buffer payload = {NULL, 0, 0};
    struct xylem_error err;
    print_message("seed %llu\n", (unsigned long long)seed);
    assert_int_equal(xylem_match__scratch_new(&scratch, &err), XYLEM_OK);
    for (unsigned round = 0; round < test_rounds(40000); round++) {
        struct xylem_search__sieve sieve;
        bool caseless = chance_one_in(&chance, 2);
        int count = 1 + chance_below(&chance, 5);
        xylem_base__buffer_clear(&literal);
        xylem_base__buffer_clear(&payload);
        fill(&payload, &chance);
        for (int i = 0; i < count; i++) {
            int letter = chance_below(&chance, LETTERS);
            bool other = letters[letter].code_point == 0xFFFD ? chance_one_in(&chance, 2)
                                                              : caseless && chance_one_in(&chance, 2);
            add(&literal, letters[letter].text);
            spell(&payload, &chance, letter, other);
        }
        fill(&payload, &chance);
        assert_int_equal(xylem_search__sieve_make(&sieve, xylem_base__buffer_view(&literal), caseless, &err), XYLEM_OK);
        if (xylem_search__sieve_passes(&sieve, scratch, xylem_base__buffer_view(&payload), true, &err) != 1) {
            fail_msg("seed %llu, round %u: '%s' in '%s'", (unsigned long long)seed, round, literal.data, payload.data);
        }
        xylem_search__sieve_release(&sieve);
    }
    xylem_buffer_release(&literal);
    xylem_buffer_release(&payload);
    xylem_match__scratch_free(scratch);
}

TEST(a_payload_without_the_literal_is_held_back)
{
    struct xylem_search__sieve sieve;
    struct xylem_match__scratch *scratch = NULL;
    struct xylem_error err;
    struct xylem_view colour = XYLEM_BASE__LITERAL("{\"text\":\"\\u001b[31mred\\n\"}");
    assert_int_equal(xylem_match__scratch_new(&scratch, &err), XYLEM_OK);
    assert_int_equal(xylem_search__sieve_make(&sieve, XYLEM_BASE__LITERAL("fox"), true, &err), XYLEM_OK);
    assert_int_equal(xylem_search__sieve_passes(&sieve, scratch, colour, true, &err), 0);
    assert_int_equal(xylem_search__sieve_passes(&sieve, scratch, XYLEM_BASE__LITERAL("\\u0066"), true, &err), 1);
    assert_int_equal(xylem_search__sieve_passes(&sieve, scratch, XYLEM_BASE__LITERAL("\\u0066"), false, &err), 0);
    xylem_search__sieve_release(&sieve);
    xylem_match__scratch_free(scratch);
}
