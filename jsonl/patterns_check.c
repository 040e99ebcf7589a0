/*
 * Refuses parts of patterns:
 *
 * - Parts that POSIX extended expressions and PCRE2 read differently. Someone who wrote such a part for one of the two
 *   would leave secrets where the other one reads the pattern. The error names both readings.
 * - Parts of PCRE2 for which matches have no longest one: atomic groups, conditions, recursion, verbs. A match that is
 *   too short would leave the rest of a secret.
 * - `{0}`: PCRE2 10.42 misses the matches of `(a|.*){0}b`.
 *
 * Where both read a pattern, both find the same matches: alternatives are searched for the longest match.
 */
#include <string.h>

#include "base/error.h"
#include "jsonl/patterns.h"

/* "byte 3: \< is ... in POSIX expressions, and ... in PCRE2: write ...". */
static int refuse(struct xylem_error *err, size_t at, const char *part, const char *posix, const char *pcre2,
                  const char *instead)
{
    return xylem_base__fail(
        err, XYLEM_E_MALFORMED,
        "the pattern is refused: byte %zu: %s is %s in POSIX expressions, and %s in PCRE2: write %s", at, part, posix,
        pcre2, instead);
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* Checks the byte behind a backslash. Letters with the same meaning for both pass: w W s S b B. */
static int check_escape(size_t at, char escaped, struct xylem_error *err)
{
    static const struct {
        char escaped;
        const char *posix; /* NULL: the byte itself */
        const char *pcre2; /* NULL: the byte itself */
        const char *instead;
    } known[] = {
        {'<', "the beginning of a word", NULL, "\\b, or < for the character"},
        {'>', "the end of a word", NULL, "\\b, or > for the character"},
        {'`', "the beginning of the text", NULL, "^, or ` for the character"},
        {'\'', "the end of the text", NULL, "$, or ' for the character"},
        {'A', NULL, "the beginning of the text", "^, or A for the letter"},
        {'z', NULL, "the end of the text", "$, or z for the letter"},
        {'d', NULL, "a digit", "[0-9], or d for the letter"},
        {'D', NULL, "any byte but a digit", "[^0-9], or D for the letter"},
        {'n', NULL, "a newline", "[[:space:]], or n for the letter"},
        {'t', NULL, "a tab", "[[:blank:]], or t for the letter"},
    };
    char part[] = {'\\', escaped, '\0'};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].escaped == escaped) {
            return refuse(err, at, part, known[i].posix ? known[i].posix : "the letter",
                          known[i].pcre2 ? known[i].pcre2 : "the character", known[i].instead);
        }
    }
    if (is_digit(escaped)) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED,
                                "the pattern is refused: byte %zu: %s is a back reference or a number in PCRE2, and a "
                                "redaction takes neither",
                                at, part);
    }
    return is_letter(escaped) && !strchr("wWsSbB", escaped)
               ? refuse(err, at, part, "the letter", "a sign of its own", "the letter alone")
               : XYLEM_OK;
}

/* Passes a bracket expression: `*at` is its `[`, and then behind its `]`. PCRE2 refuses an expression without `]`. */
static int pass_bracket(size_t *at, struct xylem_view text, struct xylem_error *err)
{
    size_t next = *at + 1;
    next += next < text.bytes && text.data[next] == '^';
    next += next < text.bytes && text.data[next] == ']';
    for (; next < text.bytes && text.data[next] != ']'; next++) {
        char kind = next + 1 < text.bytes ? text.data[next + 1] : '\0';
        if (text.data[next] == '\\' && kind != '\\') {
            return refuse(err, next, "\\ in brackets", "the character \\", "an escape", "\\\\ for the character");
        }
        if (text.data[next] == '[' && (kind == '.' || kind == '=')) {
            return refuse(err, next, kind == '.' ? "[." : "[=", "the begin of a name of characters", "an error",
                          "the character itself");
        }
        next += text.data[next] == '\\';
        if (text.data[next] == '[' && kind == ':') {
            const char *end = memmem(text.data + next, text.bytes - next, ":]", 2);
            next = end ? (size_t)(end - text.data) + 1 : text.bytes;
        }
    }
    *at = next + 1;
    return XYLEM_OK;
}

/* The bytes of `{2}`, `{2,}` or `{2,3}` at the beginning of the text; 0: none. */
static size_t interval_bytes(struct xylem_view text)
{
    bool comma = false;
    size_t at = 1;
    while (at < text.bytes && (is_digit(text.data[at]) || (text.data[at] == ',' && at > 1 && !comma))) {
        comma |= text.data[at++] == ',';
    }
    return at > 1 && at < text.bytes && text.data[at] == '}' ? at + 1 : 0;
}

static bool has_digit_above_0(const char *text, size_t bytes)
{
    size_t at = 0;
    while (at < bytes && (text[at] < '1' || text[at] > '9')) {
        at++;
    }
    return at < bytes;
}

/* Passes the sign at `*at`. Sets `repeats` if the sign is a repetition. */
static int pass_sign(size_t *at, bool *repeats, struct xylem_view text, struct xylem_error *err)
{
    char sign = text.data[*at];
    char next = *at + 1 < text.bytes ? text.data[*at + 1] : '\0';
    size_t bytes = 1;
    *repeats = false;
    if (sign == '[') {
        return pass_bracket(at, text, err);
    }
    if (sign == '\\') {
        *at += 2;
        return check_escape(*at - 2, next, err);
    }
    if (sign == '(' && (next == '?' || next == '*')) {
        struct xylem_view rest = {text.data + *at + 2, text.bytes - *at - 2};
        size_t options = 0;
        while (options < rest.bytes && strchr("is-", rest.data[options])) {
            options++;
        }
        if (next == '*' || options == rest.bytes || !strchr(options > 0 ? ":)" : ":=!<", rest.data[options])) {
            return xylem_base__fail(err, XYLEM_E_MALFORMED,
                                    "the pattern is refused: byte %zu: of PCRE2's groups with a sign, only (?: (?= (?! "
                                    "(?< (?i and (?s can be redacted",
                                    *at);
        }
        bytes = 2;
    } else if (sign == '{' && (bytes = interval_bytes((struct xylem_view){text.data + *at, text.bytes - *at})) == 0) {
        return next == ',' ? refuse(err, *at, "{,", "a repetition from 0", "text", "{0,")
                           : refuse(err, *at, "{ without numbers", "an error", "the character", "\\{");
    }
    if (sign == '{' && text.data[*at + bytes - 2] != ',' && !has_digit_above_0(text.data + *at, bytes)) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED,
                                "the pattern is refused: byte %zu: {0} repeats nothing: leave the part out", *at);
    }
    *repeats = strchr("*+?{", sign) != NULL;
    *at += bytes;
    return XYLEM_OK;
}

int xylem_jsonl__pattern_check(struct xylem_view text, struct xylem_error *err)
{
    bool repeats = false;
    for (size_t at = 0; at < text.bytes;) {
        bool repeated = repeats;
        size_t begin = at;
        int code = pass_sign(&at, &repeats, text, err);
        if (code < 0) {
            return code;
        }
        if (repeated && repeats) {
            return refuse(err, begin, "a repetition behind a repetition", "a repetition of the repetition",
                          "a lazy or possessive repetition, or an error", "(x+)? for x+?");
        }
    }
    return XYLEM_OK;
}
