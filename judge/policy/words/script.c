#include "judge/policy/words/script.h"

/*
 * In a bracket expression, by two readings at once: with `escaping` a backslash escapes the closing bracket (awk), with
 * `plain` a backslash is a character like others (sed). `[\]` is open for awk and closed for sed.
 */
struct brackets {
    bool escaping;
    bool plain;
};

/*
 * At `[` in a bracket expression: skips [:alpha:], [.x.] and [=x=]. False: the text begins like one of these but is
 * none.
 */
static bool skip_class(struct xylem_view text, size_t *at)
{
    char kind = *at + 1 < text.bytes ? text.data[*at + 1] : '\0';
    if (kind != ':' && kind != '.' && kind != '=') {
        ++*at;
        return true;
    }
    size_t end = *at + 2;
    while (end < text.bytes && xylem_shell__is_name_start(text.data[end])) {
        end++;
    }
    if (end == *at + 2 || end + 1 >= text.bytes || text.data[end] != kind || text.data[end + 1] != ']') {
        return false;
    }
    *at = end + 2;
    return true;
}

/* Skips a backslash and the escaped character. */
static bool skip_escaped(struct xylem_view text, size_t *at, struct brackets *in)
{
    char next = *at + 1 < text.bytes ? text.data[*at + 1] : '\0';
    if (next == '\0' || next == '\n') {
        return false;
    }
    if (next == ']' && in->plain) {
        in->plain = false;
    }
    if (next == '[' && in->plain) { /* in one reading a class begins here */
        char kind = *at + 2 < text.bytes ? text.data[*at + 2] : '\0';
        if (kind == ':' || kind == '.' || kind == '=') {
            return false;
        }
    }
    *at += 2;
    return true;
}

/* Skips a character that is neither the delimiter nor a backslash. */
static bool skip_character(struct xylem_view text, size_t *at, struct brackets *in)
{
    char c = text.data[*at];
    if (c == '[' && !in->escaping && !in->plain) {
        in->escaping = true;
        in->plain = true;
        ++*at;
        *at += *at < text.bytes && text.data[*at] == '^';
        *at += *at < text.bytes && text.data[*at] == ']'; /* does not close */
        return true;
    }
    if (c == '[') {
        return in->escaping == in->plain && skip_class(text, at);
    }
    if (c == ']') {
        in->escaping = false;
        in->plain = false;
    }
    ++*at;
    return true;
}

enum xylem_policy__script xylem_policy__script_regex(struct xylem_view text, size_t *at, char delimiter, bool brackets,
                                                     bool *differs)
{
    struct brackets in = {false, false};
    while (*at < text.bytes && text.data[*at] != '\n') {
        char c = text.data[*at];
        bool understood = true;
        if (c == delimiter && !in.escaping && !in.plain) {
            return XYLEM_POLICY__SCRIPT_HARMLESS;
        }
        if (!brackets) {
            *at += c == '\\' && *at + 1 < text.bytes ? 2 : 1;
        } else if (c == delimiter) {
            *differs = true;
            understood = in.escaping == in.plain;
            ++*at;
        } else if (c == '\\') {
            understood = skip_escaped(text, at, &in);
        } else {
            understood = skip_character(text, at, &in);
        }
        if (!understood) {
            return XYLEM_POLICY__SCRIPT_NOT_UNDERSTOOD;
        }
    }
    return XYLEM_POLICY__SCRIPT_MALFORMED;
}
