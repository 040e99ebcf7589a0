/*
 * A string of JSON spells most characters in one way only, so a run of them is found in the raw bytes:
 *
 *     literal   say "a/b"\n
 *     JSON      say \"a    /b\"\n       `/` may also be `\/`: a new run begins at `/`
 *     run       say \"a
 *
 * The other spellings need a look at the payload:
 *
 *     \uXXXX           may be any character. JSON.stringify() writes only control characters and lone surrogates so:
 *                      \u0000 to \u001f do not count, unless the literal has a control character
 *     ill-formed       bytes that are not UTF-8 are decoded as U+FFFD: a run ends at U+FFFD
 *     a lone surrogate is always spelt \udXXX in JSON: a run ends there
 *     another case     a run without case may have other letters than ASCII: `s` is U+017F, too, and `k` is U+212A
 */
#include "search/sieve.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/utf8.h"
#include "base/value.h"
#include "search/required.h"

/* --- Making ------------------------------------------------------------------------------------------------------- */

/* The runs of a literal, one after the other; the longest is kept. */
struct runs {
    struct xylem_buffer current;
    struct xylem_buffer *longest;
    bool failed;
};

static void extend(struct runs *runs, const char *text, size_t bytes)
{
    runs->failed = runs->failed || xylem_buffer_add(&runs->current, text, bytes) < 0;
}

/* Adds an ASCII character as JSON spells it. */
static void extend_escaped(struct runs *runs, char byte)
{
    static const char plain[] = "\b\f\n\r\t\"\\";
    static const char letters[] = "bfnrt\"\\";
    const char *escape = byte ? strchr(plain, byte) : NULL;
    if (byte == '/') {
        xylem_search__end_run(runs->longest, &runs->current);
    }
    if (escape) {
        const char spelt[] = {'\\', letters[escape - plain]};
        extend(runs, spelt, 2);
    } else if ((unsigned char)byte < 0x20) {
        xylem_search__end_run(runs->longest, &runs->current);
    } else {
        extend(runs, &byte, 1);
    }
}

static bool ends_run(uint32_t code_point)
{
    return code_point == 0xFFFD || (code_point >= 0xD800 && code_point <= 0xDFFF);
}

static int make_run(struct xylem_search__run *run, struct xylem_view literal, bool is_json, bool caseless,
                    struct xylem_error *err)
{
    struct runs runs = {.longest = &run->text};
    for (size_t at = 0; at < literal.bytes;) {
        uint32_t code_point = 0;
        size_t bytes = xylem_base__wtf8_decode(&code_point, literal.data + at, literal.bytes - at);
        bytes = bytes > 0 ? bytes : 1;
        if (code_point < 0x80 && is_json) {
            extend_escaped(&runs, literal.data[at]);
        } else if (ends_run(code_point)) {
            xylem_search__end_run(runs.longest, &runs.current);
        } else {
            extend(&runs, literal.data + at, bytes);
        }
        at += bytes;
    }
    xylem_search__end_run(runs.longest, &runs.current);
    xylem_buffer_release(&runs.current);
    if (runs.failed || run->text.bytes == 0) {
        return runs.failed ? xylem_base__fail_memory(err) : XYLEM_OK;
    }
    struct xylem_view text = xylem_base__buffer_view(&run->text);
    if (caseless && xylem_base__ascii_bytes(text.data, text.bytes) < text.bytes) {
        return xylem_match__new(&run->pattern, text, XYLEM_MATCH__LITERAL | XYLEM_MATCH__CASELESS, err);
    }
    for (size_t i = 0; caseless && i < text.bytes; i++) {
        run->text.data[i] = xylem_base__lower(run->text.data[i]);
    }
    xylem_search__needle_make(&run->needle, text, caseless);
    return XYLEM_OK;
}

static bool has_control(struct xylem_view text)
{
    size_t i = 0;
    while (i < text.bytes && (unsigned char)text.data[i] >= 0x20) {
        i++;
    }
    return i < text.bytes;
}

static bool has(struct xylem_view text, char letter)
{
    return text.bytes > 0 && (memchr(text.data, letter, text.bytes) || memchr(text.data, letter ^ 0x20, text.bytes));
}

int xylem_search__sieve_make(struct xylem_search__sieve *sieve, struct xylem_view literal, bool caseless,
                             struct xylem_error *err)
{
    *sieve = (struct xylem_search__sieve){
        .any_escape = has_control(literal),
        .folds_s = caseless && has(literal, 's'),
        .folds_k = caseless && has(literal, 'k'),
    };
    int code;
    xylem_search__needle_make(&sieve->escape, XYLEM_BASE__LITERAL("\\u"), false);
    xylem_search__needle_make(&sieve->long_s, XYLEM_BASE__LITERAL("\xC5\xBF"), false);
    xylem_search__needle_make(&sieve->kelvin, XYLEM_BASE__LITERAL("\xE2\x84\xAA"), false);
    if ((code = make_run(&sieve->json, literal, true, caseless, err)) < 0 ||
        (code = make_run(&sieve->binary, literal, false, caseless, err)) < 0) {
        return code;
    }
    sieve->all = sieve->json.text.bytes == 0 || sieve->binary.text.bytes == 0;
    return XYLEM_OK;
}

static void release_run(struct xylem_search__run *run)
{
    xylem_buffer_release(&run->text);
    xylem_match__free(run->pattern);
}

void xylem_search__sieve_release(struct xylem_search__sieve *sieve)
{
    release_run(&sieve->json);
    release_run(&sieve->binary);
}

/* --- Asking ------------------------------------------------------------------------------------------------------- */

static bool has_bytes(struct xylem_view payload, const struct xylem_search__needle *bytes)
{
    return xylem_search__needle_find(bytes, payload, 0) != SIZE_MAX;
}

/* True if a character is spelt \uXXXX; `any_escape`: also a control character. */
static bool has_escape(const struct xylem_search__sieve *sieve, struct xylem_view payload)
{
    size_t at = 0;
    while ((at = xylem_search__needle_find(&sieve->escape, payload, at)) != SIZE_MAX) {
        bool control = payload.bytes - at >= 6 && payload.data[at + 2] == '0' && payload.data[at + 3] == '0' &&
                       (payload.data[at + 4] == '0' || payload.data[at + 4] == '1');
        if (sieve->any_escape || !control) {
            return true;
        }
        at += 2;
    }
    return false;
}

int xylem_search__sieve_passes(const struct xylem_search__sieve *sieve, struct xylem_match__scratch *scratch,
                               struct xylem_view payload, bool is_json, struct xylem_error *err)
{
    const struct xylem_search__run *run = is_json ? &sieve->json : &sieve->binary;
    if (sieve->all) {
        return 1;
    }
    if (run->pattern) {
        struct xylem_match__range range;
        int found = xylem_match__find(&range, scratch, run->pattern, payload, 0, err);
        return found != 0 ? found : is_json && has_escape(sieve, payload);
    }
    return xylem_search__needle_find(&run->needle, payload, 0) != SIZE_MAX || (is_json && has_escape(sieve, payload)) ||
           (sieve->folds_s && has_bytes(payload, &sieve->long_s)) ||
           (sieve->folds_k && has_bytes(payload, &sieve->kelvin));
}
