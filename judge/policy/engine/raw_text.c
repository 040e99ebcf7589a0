/*
 * Searches several readings of one text. The readings of `$'\162m' "x`:
 *
 *     AS_IT_STANDS    $'\162m' "x
 *     WITHOUT_QUOTES  162m x
 *     QUOTES_TRACKED  rm x
 *     QUOTES_IGNORED  rm x
 *     ALL_DECODED     rm x, also if an apostrophe before the text turned the quotes inside out
 */
#include "judge/policy/engine/raw_text.h"

/* Each reading is tried: an apostrophe in a comment turns all quotes behind the comment inside out. */
enum reading {
    AS_IT_STANDS = 0,
    WITHOUT_QUOTES, /* quotes and backslashes are removed, nothing is decoded */
    QUOTES_TRACKED, /* $'...' is decoded where it stands outside other quotes */
    QUOTES_IGNORED, /* $'...' is decoded wherever it stands */
    ALL_DECODED,    /* each backslash is an escape of $'...' */
    READINGS,
};

static bool word_character(char c)
{
    return xylem_shell__is_name(c) || c == '-';
}

/* Reads up to `most` digits. A value beyond ASCII becomes a character that no word has. */
static char read_number(struct xylem_view text, size_t *at, size_t most, int base)
{
    unsigned value = 0;
    for (size_t i = 0; i < most && *at < text.bytes && xylem_shell__digit_value(text.data[*at]) < base; i++, (*at)++) {
        value = (value << (base == 16 ? 4 : 3)) + (unsigned)xylem_shell__digit_value(text.data[*at]);
    }
    value = base == 8 ? value & 0xff : value;
    return value < 0x80 ? (char)value : '\x7f';
}

/* `\x{72}`: any number of digits; the last two count. Bash does not require the `}`. */
static char read_braced(struct xylem_view text, size_t *at)
{
    size_t end = ++*at;
    while (end < text.bytes && xylem_shell__digit_value(text.data[end]) < 16) {
        end++;
    }
    *at = end - *at > 2 ? end - 2 : *at;
    char c = read_number(text, at, 2, 16);
    *at += *at < text.bytes && text.data[*at] == '}';
    return c;
}

/* Decodes an escape of $'...'. `*at` moves from behind the backslash to behind the escape. */
static char decode_escape(struct xylem_view text, size_t *at)
{
    static const char letters[] = "abeEfnrtv";
    static const char meant[] = "\a\b\033\033\f\n\r\t\v";
    char c = text.data[*at];
    const char *letter = c == '\0' ? NULL : strchr(letters, c);
    if (c >= '0' && c <= '7') {
        return read_number(text, at, 3, 8);
    }
    (*at)++;
    if (letter) {
        return meant[letter - letters];
    }
    if (*at >= text.bytes) {
        return c;
    }
    if (c == 'c') {
        c = text.data[(*at)++];
        return (c & 0x1f) == 0 ? '\0' : '\x7f'; /* \c@ ends the string */
    }
    if (c == 'x' && text.data[*at] == '{') {
        return read_braced(text, at);
    }
    if ((c == 'x' || c == 'u' || c == 'U') && xylem_shell__digit_value(text.data[*at]) < 16) {
        return read_number(text, at, c == 'x' ? 2 : c == 'u' ? 4 : 8, 16);
    }
    return c;
}

/* A reading in the making. */
struct copy {
    struct xylem_view text;
    enum reading reading;
    char *made;
    size_t bytes;
    size_t at;
    char quote; /* QUOTES_TRACKED: the open quote */
};

/* Copies from behind `$'` to behind the closing quote. A NUL ends the value, as in bash. */
static void copy_decoded(struct copy *copy)
{
    bool ended = false;
    while (copy->at < copy->text.bytes && copy->text.data[copy->at] != '\'') {
        char c = copy->text.data[copy->at++];
        if (c == '\\' && copy->at < copy->text.bytes) {
            c = decode_escape(copy->text, &copy->at);
        }
        ended |= c == '\0';
        if (!ended) {
            copy->made[copy->bytes++] = c;
        }
    }
    copy->at++;
}

static void copy_backslash(struct copy *copy)
{
    if (copy->at == copy->text.bytes) {
        return;
    }
    if (copy->text.data[copy->at] == '\n') {
        copy->at++;
    } else if (copy->reading == ALL_DECODED) {
        copy->made[copy->bytes++] = decode_escape(copy->text, &copy->at);
    } else if (copy->reading == WITHOUT_QUOTES) {
        return; /* the next character is read by itself: another backslash, or a quote, is removed as well */
    } else {
        copy->made[copy->bytes++] = copy->text.data[copy->at++];
    }
}

/* Returns one reading of `text`, never longer than `text`. False: no memory. */
static bool read_as(struct xylem_view *read, struct xylem_shell__arena *arena, struct xylem_view text,
                    enum reading reading)
{
    struct copy copy = {.text = text, .reading = reading};
    *read = text;
    if (reading == AS_IT_STANDS || text.bytes == 0) {
        return true;
    }
    copy.made = xylem_shell__arena_take(arena, text.bytes);
    if (!copy.made) {
        return false;
    }
    while (copy.at < text.bytes) {
        char c = text.data[copy.at++];
        char next = copy.at < text.bytes ? text.data[copy.at] : '\0';
        char quote = reading == QUOTES_TRACKED ? copy.quote : '\0';
        if (c == '\\' && quote != '\'') {
            copy_backslash(&copy);
        } else if (c == '$' && quote == '\0' && (next == '\'' || next == '"')) {
            if (next == '\'' && (reading == QUOTES_TRACKED || reading == QUOTES_IGNORED)) {
                copy.at++;
                copy_decoded(&copy);
            }
        } else if (c == '\'' || c == '"') { /* removed; opens or closes */
            copy.quote = copy.quote == '\0' ? c : copy.quote == c ? '\0' : copy.quote;
        } else if (c != '\\') {
            copy.made[copy.bytes++] = c;
        }
    }
    *read = (struct xylem_view){copy.made, copy.bytes};
    return true;
}

/* Skips readings that cannot differ: a text without backslashes has no escapes. */
static enum reading readings_of(struct xylem_view text)
{
    if (xylem_policy__view_has(text, '\\')) {
        return READINGS;
    }
    return xylem_shell__has_any(text, "'\"") ? QUOTES_TRACKED : WITHOUT_QUOTES;
}

static bool has(struct xylem_view text, const struct xylem_policy__raw_search *search, struct xylem_view *found)
{
    for (size_t at = 0; at < text.bytes;) {
        size_t from = at;
        while (at < text.bytes && word_character(text.data[at])) {
            at++;
        }
        *found = (struct xylem_view){text.data + from, at - from};
        if (at > from && search->word(*found)) {
            return true;
        }
        if (at < text.bytes && text.data[at] == '>' && search->redirection &&
            search->redirection((struct xylem_view){text.data + at, text.bytes - at})) {
            *found = (struct xylem_view){text.data + at, 1};
            return true;
        }
        at += at < text.bytes && !word_character(text.data[at]);
    }
    return false;
}

bool xylem_policy__raw_text_has(struct xylem_shell__arena *arena, struct xylem_view text,
                                const struct xylem_policy__raw_search *search, struct xylem_view *found)
{
    struct xylem_view ignored;
    enum reading end = readings_of(text);
    found = found ? found : &ignored;
    for (enum reading reading = AS_IT_STANDS; reading < end; reading++) {
        struct xylem_view read;
        if (!read_as(&read, arena, text, reading)) {
            *found = text;
            return true;
        }
        if (has(read, search, found)) {
            return true;
        }
    }
    return false;
}

bool xylem_policy__raw_values_have(struct xylem_policy__judge *judge, unsigned search,
                                   const struct xylem_policy__raw_search *what, struct xylem_view *found)
{
    size_t count;
    const struct xylem_shell__word *const *values = xylem_policy__values(judge, &count);
    for (size_t *seen = xylem_policy__values_seen(judge, search); *seen < count; (*seen)++) {
        if (xylem_policy__raw_text_has(xylem_policy__arena_of(judge), values[*seen]->raw, what, found)) {
            return true;
        }
    }
    return false;
}

bool xylem_policy__raw_values_hold(struct xylem_policy__judge *judge, unsigned search,
                                   bool (*holds)(struct xylem_shell__arena *arena, struct xylem_view text),
                                   const struct xylem_policy__raw_search *what, struct xylem_view *found)
{
    struct xylem_shell__arena *arena = xylem_policy__arena_of(judge);
    size_t count;
    const struct xylem_shell__word *const *values = xylem_policy__values(judge, &count);
    for (size_t *seen = xylem_policy__values_seen(judge, search); *seen < count; (*seen)++) {
        for (const struct xylem_shell__part *part = values[*seen]->parts; part; part = part->next) {
            if (part->type == XYLEM_SHELL__PART_TEXT && holds(arena, part->text) &&
                (!what || xylem_policy__raw_text_has(arena, part->text, what, found))) {
                return true;
            }
        }
    }
    return false;
}

/* True at the end of the text, before a blank or an operator, and before a quote (other readings remove the quote). */
static bool word_ends(struct xylem_view text, size_t at)
{
    return at >= text.bytes || xylem_base__skip(text, at, " \t\n;&|()<>`'\"") > at;
}

bool xylem_policy__raw_redirection_harmless(struct xylem_view from)
{
    static const char null_device[] = "/dev/null";
    bool duplicates = from.bytes > 1 && from.data[1] == '&';
    size_t at = from.bytes > 1 && from.data[1] != '\0' && strchr(">|&", from.data[1]) ? 2 : 1;
    at = xylem_base__skip(from, at, " \t");
    struct xylem_view target = {from.data + at, from.bytes - at};
    if (xylem_policy__view_begins(target, null_device)) {
        return word_ends(target, sizeof null_device - 1);
    }
    if (!duplicates) {
        return false;
    }
    size_t digits = xylem_base__skip(target, 0, XYLEM_BASE__DIGITS);
    size_t end = digits < target.bytes && target.data[digits] == '-' ? digits + 1 : digits;
    return end > 0 && word_ends(target, end);
}

/* True if the text has both a bracket and the beginning of a substitution. */
static bool substitutes_in_brackets(struct xylem_view text)
{
    if (!xylem_policy__view_has(text, '[')) {
        return false;
    }
    static const char *const openings[] = {"`", "$(", "<(", ">(", "${ ", "${\t", "${\n", "${|"};
    for (size_t i = 0; i < sizeof openings / sizeof openings[0]; i++) {
        if (memmem(text.data, text.bytes, openings[i], strlen(openings[i]))) {
            return true;
        }
    }
    return false;
}

bool xylem_policy__raw_arithmetic_runs(struct xylem_shell__arena *arena, struct xylem_view text)
{
    enum reading end = readings_of(text);
    for (enum reading reading = AS_IT_STANDS; reading < end; reading++) {
        struct xylem_view read;
        if (!read_as(&read, arena, text, reading) || substitutes_in_brackets(read)) {
            return true;
        }
    }
    return false;
}

static bool substitutes(struct xylem_shell__arena *arena, struct xylem_view text)
{
    (void)arena;
    return xylem_policy__view_has(text, '`') || xylem_policy__view_contains(text, "$(");
}

bool xylem_policy__raw_values_run(struct xylem_policy__judge *judge, unsigned search, const char *rule,
                                  struct xylem_view at, const struct xylem_policy__raw_search *what,
                                  struct xylem_view *found)
{
    if (strcmp(rule, "arithmetic") == 0 || strcmp(rule, "not-understood") == 0) { /* `{y[x]}<f` */
        return xylem_policy__raw_values_hold(judge, search, xylem_policy__raw_arithmetic_runs, what, found);
    }
    /* ${...@P}: bash expands the value of the variable as a prompt, with all substitutions in the value. */
    bool prompt = at.bytes > 5 && memcmp(at.data + (at.bytes - 3), "@P}", 3) == 0;
    return prompt && xylem_policy__raw_values_hold(judge, search + 1, substitutes, what, found);
}
