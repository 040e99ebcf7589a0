#include "judge/policy/words/sed.h"

#include <string.h>

#define HARMLESS XYLEM_POLICY__SCRIPT_HARMLESS
#define MALFORMED XYLEM_POLICY__SCRIPT_MALFORMED
#define NOT_UNDERSTOOD XYLEM_POLICY__SCRIPT_NOT_UNDERSTOOD
#define HARMFUL XYLEM_POLICY__SCRIPT_HARMFUL

/*
 * The commands that only read, edit in memory, and print. harmful() knows the commands that write or run. All other
 * characters are not understood.
 */
static const char ALONE[] = "=dDFgGhHnNpPxz"; /* take nothing */
static const char NUMBERED[] = "lLqQ";        /* may take a number */
static const char LABELLED[] = ":btTv";       /* take a label, or a version */
static const char TEXTED[] = "aic";           /* take text */
static const char READING[] = "rR";           /* take the name of a file, to the line's end */
static const char SUBSTITUTE_FLAGS[] = "gpiImM" XYLEM_BASE__DIGITS;

struct sed {
    struct xylem_view text;
    size_t at;
    bool brackets;
    bool differs;
    size_t label_end; /* the end of the last label in busybox's sed: a blank, ";" or a line's end */
    bool odd;         /* a delimiter is a letter, a digit or a bracket: seds differ in the reading */
    size_t blocks;
    const char *why;
    struct xylem_view code; /* behind the command e, up to the line's end */
};

static bool in_set(const char *set, char c)
{
    return c != '\0' && strchr(set, c);
}

static char peek(const struct sed *sed)
{
    return sed->at < sed->text.bytes ? sed->text.data[sed->at] : '\0';
}

static void skip_blanks(struct sed *sed)
{
    sed->at = xylem_base__skip(sed->text, sed->at, " \t");
}

static void skip_digits(struct sed *sed)
{
    sed->at = xylem_base__skip(sed->text, sed->at, XYLEM_BASE__DIGITS);
}

static void skip_line(struct sed *sed)
{
    sed->at = xylem_shell__find_any(sed->text, sed->at, "\n");
}

/*
 * Judges an unknown command. A letter or a digit may be a command of a newer sed: not understood. Other characters are
 * syntax errors for every sed. (A sed without brackets is old, and has no further commands.)
 */
static enum xylem_policy__script unknown(const struct sed *sed, char c)
{
    return xylem_shell__is_name(c) && sed->brackets ? NOT_UNDERSTOOD : MALFORMED;
}

/*
 * True if the character can be a delimiter. A character with a meaning in regular expressions, such as a letter, is one
 * too, but seds may differ in the reading (`odd`): harm behind the delimiter counts, but without harm the program is
 * not understood.
 */
static bool good_delimiter(struct sed *sed, char c)
{
    sed->odd |= c <= ' ' || c >= 0x7f || xylem_shell__is_digit(c) || (c != '_' && xylem_shell__is_name_start(c)) ||
                in_set("[]^", c);
    return c != '\0' && c != '\n' && c != '\\';
}

/* Skips a regular expression and the closing delimiter. */
static enum xylem_policy__script skip_regex(struct sed *sed, char delimiter)
{
    enum xylem_policy__script result =
        xylem_policy__script_regex(sed->text, &sed->at, delimiter, sed->brackets, &sed->differs);
    sed->at += result == HARMLESS;
    return result;
}

/* Skips a text without bracket expressions and the closing delimiter. */
static enum xylem_policy__script skip_plain(struct sed *sed, char delimiter)
{
    while (sed->at < sed->text.bytes && peek(sed) != '\n') {
        char c = peek(sed);
        sed->at++;
        if (c == delimiter) {
            return HARMLESS;
        }
        sed->at += c == '\\' && sed->at < sed->text.bytes;
    }
    return MALFORMED;
}

/* Skips an address; `found` is false without an address. */
static enum xylem_policy__script skip_address(struct sed *sed, bool *found)
{
    char c = peek(sed);
    *found = true;
    if (c == '/' || c == '\\') { /* /regex/ or \cregexc, and the flags I and M */
        sed->at += c == '\\';
        char delimiter = peek(sed);
        if (!good_delimiter(sed, delimiter)) {
            return NOT_UNDERSTOOD;
        }
        sed->at++;
        enum xylem_policy__script result = skip_regex(sed, delimiter);
        sed->at = xylem_base__skip(sed->text, sed->at, "IM");
        return result;
    }
    if (c == '$') {
        sed->at++;
        return HARMLESS;
    }
    if (xylem_shell__is_digit(c)) {
        skip_digits(sed);
        if (peek(sed) == '~') {
            sed->at++;
            skip_digits(sed);
        }
        return HARMLESS;
    }
    *found = false;
    return HARMLESS;
}

static enum xylem_policy__script skip_addresses(struct sed *sed)
{
    bool found = false;
    enum xylem_policy__script result = skip_address(sed, &found);
    skip_blanks(sed);
    if (result == HARMLESS && found && peek(sed) == ',') {
        sed->at++;
        skip_blanks(sed);
        if (peek(sed) == '+' || peek(sed) == '~') {
            sed->at++;
            skip_digits(sed);
        } else {
            result = skip_address(sed, &found);
            result = result == HARMLESS && !found ? MALFORMED : result;
        }
        skip_blanks(sed);
    }
    if (result == HARMLESS) {
        sed->at = xylem_base__skip(sed->text, sed->at, "! \t");
    }
    return result;
}

/* Expects the end of a command: a line's end or `;`, which is skipped, or `}` or `#`, which is not. */
static enum xylem_policy__script expect_end(struct sed *sed)
{
    skip_blanks(sed);
    char c = peek(sed);
    if (c == '#') {
        /* A comment, but busybox's sed reads "#c" in `b#c;w f` as a label, and writes f. */
        return sed->at < sed->label_end ? NOT_UNDERSTOOD : HARMLESS;
    }
    if (sed->at == sed->text.bytes || c == '}') {
        return HARMLESS;
    }
    sed->at++;
    return c == ';' || c == '\n' ? HARMLESS : unknown(sed, c);
}

static enum xylem_policy__script skip_label(struct sed *sed)
{
    skip_blanks(sed);
    sed->label_end = xylem_shell__find_any(sed->text, sed->at, " \t\n\v\f\r;");
    while (xylem_shell__is_name(peek(sed)) || peek(sed) == '-' || peek(sed) == '.') {
        sed->at++;
    }
    return expect_end(sed);
}

/* Skips text up to the first line without a backslash at the end. */
static enum xylem_policy__script skip_text(struct sed *sed)
{
    skip_blanks(sed);
    if (sed->at == sed->text.bytes || peek(sed) == '\n') {
        return MALFORMED;
    }
    if (peek(sed) == '\\') {
        size_t behind = ++sed->at;
        skip_blanks(sed);
        if (peek(sed) == '\\' || (peek(sed) == '\n' && sed->at > behind)) {
            /* Seds differ in whether the newline is escaped. */
            return NOT_UNDERSTOOD;
        }
        sed->at += peek(sed) == '\n';
    }
    while (sed->at < sed->text.bytes && peek(sed) != '\n') {
        sed->at += peek(sed) == '\\' && sed->at + 1 < sed->text.bytes ? 2 : 1;
    }
    return HARMLESS;
}

/* Reads s/regex/replacement/flags and y/from/to/. */
static enum xylem_policy__script skip_substitution(struct sed *sed, bool transliteration)
{
    char delimiter = peek(sed);
    if (!good_delimiter(sed, delimiter)) {
        return NOT_UNDERSTOOD;
    }
    sed->at++;
    enum xylem_policy__script result = transliteration ? skip_plain(sed, delimiter) : skip_regex(sed, delimiter);
    if (result == HARMLESS) {
        result = skip_plain(sed, delimiter);
    }
    if (result != HARMLESS) {
        return result;
    }
    if (!transliteration) {
        sed->at = xylem_base__skip(sed->text, sed->at, SUBSTITUTE_FLAGS);
        skip_blanks(sed);
        char flag = peek(sed);
        if (flag == 'w' || flag == 'e') {
            sed->why = flag == 'w' ? "the flag w of sed's s writes a file" : "the flag e of sed's s runs a program";
            return HARMFUL;
        }
    }
    return expect_end(sed);
}

static enum xylem_policy__script harmful(struct sed *sed, char command)
{
    if (command == 'e') {
        sed->why = "sed's e runs a program";
        sed->code.data = sed->text.data + sed->at;
        skip_line(sed);
        sed->code.bytes = (size_t)(sed->text.data + sed->at - sed->code.data);
        return HARMFUL;
    }
    if (command == 'w' || command == 'W') {
        sed->why = "sed's w writes a file";
        return HARMFUL;
    }
    return unknown(sed, command);
}

/* Reads a command behind its addresses. */
static enum xylem_policy__script read_command(struct sed *sed)
{
    char command = peek(sed);
    if (sed->at == sed->text.bytes) {
        return MALFORMED;
    }
    sed->at++;
    if (in_set(ALONE, command)) {
        return expect_end(sed);
    }
    if (in_set(NUMBERED, command)) {
        skip_blanks(sed);
        skip_digits(sed);
        return expect_end(sed);
    }
    if (in_set(LABELLED, command)) {
        return skip_label(sed);
    }
    if (in_set(TEXTED, command)) {
        return skip_text(sed);
    }
    if (command == '#' && sed->at <= sed->label_end) {
        return NOT_UNDERSTOOD;
    }
    if (in_set(READING, command) || command == '#') {
        skip_line(sed);
        return HARMLESS;
    }
    if (command == 's' || command == 'y') {
        return skip_substitution(sed, command == 'y');
    }
    if (command == '{') {
        sed->blocks++;
        return HARMLESS;
    }
    if (command == '}') {
        if (sed->blocks == 0) {
            return MALFORMED;
        }
        sed->blocks--;
        return expect_end(sed);
    }
    return harmful(sed, command);
}

static enum xylem_policy__script read_program(struct sed *sed)
{
    enum xylem_policy__script result = HARMLESS;
    while (result == HARMLESS) {
        sed->at = xylem_base__skip(sed->text, sed->at, " \t\n;");
        if (sed->at == sed->text.bytes) {
            return sed->blocks == 0 ? HARMLESS : MALFORMED;
        }
        result = skip_addresses(sed);
        if (result == HARMLESS) {
            result = read_command(sed);
        }
    }
    return result;
}

enum xylem_policy__script xylem_policy__sed(struct xylem_view program, const char **why)
{
    struct sed sed = {.text = program, .brackets = true, .why = "the sed program was not understood"};
    enum xylem_policy__script result = read_program(&sed);
    if (result == HARMLESS && sed.differs) {
        struct sed other = {.text = program, .why = sed.why};
        result = read_program(&other);
        sed.why = other.why;
        result = result == MALFORMED ? HARMLESS : result;
    }
    *why = sed.why;
    return result == MALFORMED || (result == HARMLESS && sed.odd) ? NOT_UNDERSTOOD : result;
}

struct xylem_view xylem_policy__sed_code(struct xylem_view program)
{
    struct sed sed = {.text = program, .brackets = true};
    (void)read_program(&sed);
    return sed.code;
}
