/*
 * Any bytes as a payload that is searched: each searched string lies in the payload or in its decoded strings, and the
 * sieve lets the payload through for every part of a searched string.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"
#include "search/sieve.h"
#include "search/words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PART_BYTES_MAX 12u

struct looking {
    struct xylem_view payload;
    struct xylem_match__scratch *scratch;
    unsigned string_count;
};

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* The whole characters of a text from `at` on, in PART_BYTES_MAX bytes; none if a surrogate is among them. */
static struct xylem_view part_at(struct xylem_view text, size_t at)
{
    struct xylem_view part = {text.data + at, 0};
    while (at + part.bytes < text.bytes) {
        uint32_t code_point = 0;
        size_t bytes = xylem_base__wtf8_decode(&code_point, part.data + part.bytes, text.bytes - at - part.bytes);
        bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
        if (bytes == 0 || surrogate || part.bytes + bytes > PART_BYTES_MAX) {
            break;
        }
        part.bytes += bytes;
    }
    return part;
}

static int look(void *context, const struct xylem_search__string *string)
{
    struct looking *looking = context;
    check(string->text.bytes > 0 && (unsigned)string->part < XYLEM_SEARCH_PART_COUNT);
    struct xylem_view part = part_at(string->text, string->text.bytes / 2);
    for (int caseless = 0; part.bytes > 0 && caseless < 2; caseless++) {
        struct xylem_search__sieve sieve;
        check(xylem_search__sieve_make(&sieve, part, caseless != 0, NULL) == XYLEM_OK);
        check(xylem_search__sieve_passes(&sieve, looking->scratch, looking->payload, true, NULL) == 1);
        xylem_search__sieve_release(&sieve);
    }
    return ++looking->string_count == 20;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const kinds[] = {"message", "custom_message", "compaction", "label", "session_info", "other"};
    struct xylem_base__tree tree = {0};
    struct looking looking = {.payload = {(const char *)data, size}};
    if (xylem_base__json_parse(&tree, looking.payload, NULL) == XYLEM_OK) {
        check(xylem_match__scratch_new(&looking.scratch, NULL) == XYLEM_OK);
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            struct xylem_search__words words;
            struct xylem_kind kind = {i == 5 ? XYLEM_CLASS_CUSTOM : XYLEM_CLASS_HOST, xylem_view_of(kinds[i])};
            looking.string_count = 0;
            xylem_search__words_look(&words, kind, tree.nodes);
            xylem_search__words_each(&words, look, &looking);
            looking.string_count = 0;
            xylem_search__words_of_value(tree.nodes, XYLEM_SEARCH_QUARANTINE, look, &looking);
        }
        xylem_match__scratch_free(looking.scratch);
    }
    xylem_base__tree_release(&tree);
    return 0;
}
