/*
 * Refuses parts of patterns that would leave a secret by surprise. PCRE2 compiles these parts, and
 *
 * - reads them differently than POSIX expressions, or differently in each version, and matches less: the error has both
 *   readings;
 * - or takes the first alternative that matches: `key|keys` would leave the s;
 * - or misses matches in version 10.42: those of `(a|.*){0}b`.
 *
 * Rare groups and escapes are refused too, since they could hide such parts.
 */
#include <string.h>

#include "base/error.h"
#include "search/match/patterns.h"

struct check {
    const char *text; /* ends with NUL, and has no other */
    const char *at;
    size_t depth;                                      /* open groups */
    const char *starts[XYLEM_PATTERN_NESTING_MAX + 1]; /* the last alternative of the pattern, and of each open group */
    struct xylem_error *err;
};

static int refuse(const struct check *check, const char *reason)
{
    return xylem_base__fail(check->err, XYLEM_E_MALFORMED, "the pattern is refused: byte %td: %s",
                            check->at - check->text, reason);
}

static int pass_escape(struct check *check)
{
    char escaped = check->at[1];
    bool is_letter = (escaped >= 'a' && escaped <= 'z') || (escaped >= 'A' && escaped <= 'Z');
    if (escaped && strchr("<>`'", escaped)) {
        return refuse(check,
                      "\\< \\> \\` \\' are ends of words and of the text in POSIX expressions, and characters in "
                      "PCRE2: write \\b \\A \\z, or the character alone");
    }
    if (is_letter && !strchr("aAbBdDefhHnrsStvVwWxzZ", escaped)) {
        return refuse(check, "a redaction does not take this escape");
    }
    check->at += escaped ? 2 : 1;
    return XYLEM_OK;
}

/* Passes a bracket expression. PCRE2 refuses an expression without `]`. */
static int pass_bracket(struct check *check)
{
    int code = XYLEM_OK;
    check->at += check->at[1] == '^' ? 2 : 1;
    check->at += *check->at == ']';
    while (code == XYLEM_OK && *check->at && *check->at != ']') {
        const char *end = strncmp(check->at, "[:", 2) == 0 ? strstr(check->at, ":]") : NULL;
        if (*check->at == '\\') {
            code = pass_escape(check);
        } else {
            check->at = end ? end + 2 : check->at + 1;
        }
    }
    check->at += *check->at == ']';
    return code;
}

/* Passes an interval, or `{` as a character: 1 for an interval, else 0. */
static int pass_brace(struct check *check)
{
    const char *inside = check->at + 1;
    size_t bytes = strspn(inside, "0123456789, ");
    size_t least = strspn(inside, "0123456789");
    size_t rest = least < bytes && inside[least] == ',' ? 1 + strspn(inside + least + 1, "0123456789") : 0;
    if (bytes == 0 || inside[bytes] != '}') {
        check->at++;
        return 0;
    }
    if (least == 0 || least + rest != bytes) {
        return refuse(check, "this is a repetition in POSIX expressions or in new versions of PCRE2, and text in old "
                             "ones: write {0,3} for {,3}, or \\{ for the character");
    }
    if (rest != 1 && strcspn(inside, "123456789") >= bytes) {
        return refuse(check, "{0} repeats nothing: leave the part out");
    }
    check->at = inside + bytes + 1;
    return 1;
}

/* Passes `(` and what says the kind of the group. `(?i)` is an option, and no group. */
static int pass_open(struct check *check)
{
    static const char *const kinds[] = {"(?:", "(?=", "(?!", "(?<=", "(?<!", "(?i)", "(?s)"};
    size_t bytes = strchr("?*", check->at[1]) && check->at[1] ? 0 : 1;
    for (size_t i = 0; bytes == 0 && i < sizeof kinds / sizeof *kinds; i++) {
        bytes = strncmp(check->at, kinds[i], strlen(kinds[i])) == 0 ? strlen(kinds[i]) : 0;
    }
    if (bytes == 0) {
        return refuse(check, "of the groups with a sign a redaction takes (?: (?= (?! (?<= (?<! (?i) (?s) alone");
    }
    bool is_start = check->at == check->starts[check->depth];
    check->at += bytes;
    if (check->at[-1] == ')') {
        check->starts[check->depth] = is_start ? check->at : check->starts[check->depth];
    } else {
        if (check->depth == XYLEM_PATTERN_NESTING_MAX) {
            return refuse(check, "the groups nest too deep");
        }
        check->starts[++check->depth] = check->at;
    }
    return XYLEM_OK;
}

/* Passes one sign: 1 if it repeats the sign before, else 0. */
static int pass_sign(struct check *check)
{
    switch (*check->at) {
    case '\\':
        return pass_escape(check);
    case '[':
        return pass_bracket(check);
    case '{':
        return pass_brace(check);
    case '(':
        return pass_open(check);
    case ')':
        check->depth -= check->depth > 0;
        break;
    default:
        break;
    }
    return strchr("*+?", *check->at++) != NULL;
}

/* `|` ends an alternative. Compares the alternative with all later ones of the group. */
static int end_alternative(struct check *check)
{
    const char *start = check->starts[check->depth];
    size_t bytes = (size_t)(check->at - start);
    struct check later = *check;
    int code = 0;
    while (code >= 0 && *later.at && later.depth >= check->depth) {
        bool is_next = *later.at == '|' && later.depth == check->depth;
        code = pass_sign(&later);
        if (is_next && strncmp(later.at, start, bytes) == 0 && later.at[bytes] && !strchr("|)", later.at[bytes])) {
            return refuse(&later, "an earlier alternative begins this one: POSIX expressions take the longest "
                                  "alternative, and PCRE2 the first that matches: write the longer one first");
        }
    }
    check->starts[check->depth] = check->at + 1;
    return code;
}

int xylem_match__pattern_check(const char *text, struct xylem_error *err)
{
    struct check check = {.text = text, .at = text, .starts = {text}, .err = err};
    bool repeats = false;
    while (*check.at) {
        const struct check before = check;
        int code = *check.at == '|' ? end_alternative(&check) : 0;
        if (code < 0 || (code = pass_sign(&check)) < 0) {
            return code;
        }
        if (repeats && code > 0) {
            return refuse(&before, "a repetition of a repetition in POSIX expressions, and a lazy or possessive one in "
                                   "PCRE2, which matches less: write (?:x+)? for x+?");
        }
        repeats = code > 0;
    }
    return XYLEM_OK;
}
