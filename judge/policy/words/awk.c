#include "judge/policy/words/awk.h"

#include <string.h>

#include "judge/policy/words/options.h"
#include "judge/policy/words/tables.h"

#define HARMLESS XYLEM_POLICY__SCRIPT_HARMLESS
#define MALFORMED XYLEM_POLICY__SCRIPT_MALFORMED
#define NOT_UNDERSTOOD XYLEM_POLICY__SCRIPT_NOT_UNDERSTOOD
#define HARMFUL XYLEM_POLICY__SCRIPT_HARMFUL

/* Parentheses that nest deeper are not understood. */
#define DEPTH_MAX 64u

/* Behind these words `/` begins a regular expression. */
static const char BEFORE_EXPRESSION[] = "print printf return else do case exit delete";
/* A condition in parentheses follows, then a statement. */
static const char HEADS[] = "if while for";
/* The last token: the token decides the meaning of `/` and of a line's end. */
enum before {
    BEFORE_START = 0, /* a statement begins here, or the expression behind print and the like */
    BEFORE_OPERATOR,  /* the expression goes on; in busybox's awk also behind a line's end */
    BEFORE_OPERAND,
    BEFORE_HEAD,    /* if, while, for */
    BEFORE_STEP,    /* ++ or --, before or behind an operand */
    BEFORE_UNCLEAR, /* a builtin, a string or a regular expression: `/` behind the token is not understood */
};

struct awk {
    struct xylem_view text;
    size_t at;
    bool brackets;
    bool differs;
    enum before before;
    size_t subscripts; /* open [ */
    unsigned depth;    /* open ( */
    uint64_t heads;    /* bit n: the parenthesis at depth n belongs to if, while or for */
    bool printing;     /* in a print statement, at the depth `print_depth` */
    unsigned print_depth;
    bool reading; /* behind getline, at the depth `read_depth` */
    unsigned read_depth;
    bool unclear;          /* letters follow a number without a blank */
    bool prints_to_stream; /* the program prints to /dev/stderr or /dev/stdout */
    const char *why;
};

static char peek(const struct awk *awk, size_t ahead)
{
    return ahead < awk->text.bytes - awk->at ? awk->text.data[awk->at + ahead] : '\0';
}

static enum xylem_policy__script harmful(struct awk *awk, const char *why)
{
    awk->why = why;
    return HARMFUL;
}

/* Steps over a token of that many bytes. */
static enum xylem_policy__script step_over(struct awk *awk, size_t bytes, enum before before)
{
    awk->at += bytes;
    awk->before = before;
    return HARMLESS;
}

static enum xylem_policy__script read_string(struct awk *awk)
{
    for (awk->at++; awk->at < awk->text.bytes; awk->at++) {
        char c = peek(awk, 0);
        if (c == '"') {
            return step_over(awk, 1, BEFORE_UNCLEAR);
        }
        if (c == '\n') {
            return MALFORMED;
        }
        awk->at += c == '\\' && awk->at + 1 < awk->text.bytes;
    }
    return MALFORMED;
}

/*
 * True for `FILENAME == ARGV[1]` at the end of an expression. Any other use of ARGV and ARGC may change the files that
 * awk opens, and gawk connects to files with some names.
 */
static bool compares_argument(const struct awk *awk, size_t bytes)
{
    size_t before = awk->at;
    size_t at = awk->at + bytes;
    struct xylem_view text = awk->text;
    while (before > 0 && text.data[before - 1] == ' ') {
        before--;
    }
    if (before < 2 || text.data[before - 1] != '=' || text.data[before - 2] != '=' || at == text.bytes ||
        text.data[at++] != '[') {
        return false;
    }
    at = xylem_base__skip(text, at, XYLEM_BASE__DIGITS);
    if (at == text.bytes || text.data[at++] != ']') {
        return false;
    }
    at = xylem_base__skip(text, at, " ");
    return at == text.bytes || strchr("{)&;", text.data[at]);
}

static enum xylem_policy__script read_word(struct awk *awk)
{
    size_t bytes = 1;
    while (xylem_shell__is_name(peek(awk, bytes))) {
        bytes++;
    }
    struct xylem_view word = {awk->text.data + awk->at, bytes};
    if (xylem_base__view_is(word, "system")) {
        return harmful(awk, "awk's system() runs a program");
    }
    if (xylem_base__view_is(word, "extension")) {
        return harmful(awk, "awk's extension() loads a library");
    }
    if (xylem_policy__listed("SYMTAB FUNCTAB PROCINFO", word)) {
        return NOT_UNDERSTOOD; /* other names can change the files that awk opens, or the functions that awk calls */
    }
    if ((xylem_base__view_is(word, "ARGV") && !compares_argument(awk, bytes)) || xylem_base__view_is(word, "ARGC")) {
        return NOT_UNDERSTOOD;
    }
    if (xylem_base__view_is(word, "print") || xylem_base__view_is(word, "printf")) {
        awk->printing = true;
        awk->print_depth = awk->depth;
    } else if (xylem_base__view_is(word, "getline")) {
        awk->reading = true;
        awk->read_depth = awk->depth;
    }
    if (xylem_policy__listed(HEADS, word)) {
        return step_over(awk, bytes, BEFORE_HEAD);
    }
    if (xylem_policy__listed(BEFORE_EXPRESSION, word)) {
        return step_over(awk, bytes, BEFORE_START);
    }
    if (xylem_base__view_is(word, "in")) {
        return step_over(awk, bytes, BEFORE_OPERATOR);
    }
    return step_over(awk, bytes,
                     xylem_policy__listed(xylem_policy__awk_builtins, word) ? BEFORE_UNCLEAR : BEFORE_OPERAND);
}

/*
 * Reads a number. Letters behind the number may be a word: 1system("x"), 1e5system("x"). Awks differ in the end of such
 * a number (0x1f, 1e). So harm behind the number counts, but without harm the program is not understood.
 */
static enum xylem_policy__script read_number(struct awk *awk)
{
    size_t bytes = 1;
    while (xylem_shell__is_digit(peek(awk, bytes)) || peek(awk, bytes) == '.') {
        bytes++;
    }
    if (peek(awk, bytes) == 'e' || peek(awk, bytes) == 'E') { /* an exponent: `e5`, `E+5` */
        size_t digits = bytes + 1;
        digits += peek(awk, digits) == '+' || peek(awk, digits) == '-';
        bytes = xylem_shell__is_digit(peek(awk, digits)) ? digits : bytes;
        while (xylem_shell__is_digit(peek(awk, bytes))) {
            bytes++;
        }
    }
    awk->unclear |= xylem_shell__is_name_start(peek(awk, bytes)) || peek(awk, bytes) == '.';
    return step_over(awk, bytes, BEFORE_OPERAND);
}

static enum xylem_policy__script read_slash(struct awk *awk)
{
    if (awk->before == BEFORE_OPERAND) {
        return step_over(awk, peek(awk, 1) == '=' ? 2 : 1, BEFORE_OPERATOR);
    }
    if (awk->before == BEFORE_STEP || awk->before == BEFORE_UNCLEAR || awk->before == BEFORE_HEAD) {
        return NOT_UNDERSTOOD;
    }
    awk->at++;
    enum xylem_policy__script result =
        xylem_policy__script_regex(awk->text, &awk->at, '/', awk->brackets, &awk->differs);
    return result == HARMLESS ? step_over(awk, 1, BEFORE_UNCLEAR) : result;
}

static enum xylem_policy__script end_statement(struct awk *awk)
{
    awk->printing = false;
    awk->reading = false;
    return step_over(awk, 1, BEFORE_START);
}

static enum xylem_policy__script read_parenthesis(struct awk *awk)
{
    if (peek(awk, 0) == '(') {
        if (awk->depth == DEPTH_MAX) {
            return NOT_UNDERSTOOD;
        }
        uint64_t bit = UINT64_C(1) << awk->depth++;
        awk->heads = awk->before == BEFORE_HEAD ? awk->heads | bit : awk->heads & ~bit;
        return step_over(awk, 1, BEFORE_OPERATOR);
    }
    if (awk->depth == 0) {
        return MALFORMED;
    }
    awk->depth--;
    awk->printing = awk->printing && awk->depth >= awk->print_depth;
    awk->reading = awk->reading && awk->depth >= awk->read_depth;
    bool head = (awk->heads >> awk->depth & 1) != 0;
    return step_over(awk, 1, head ? BEFORE_START : BEFORE_OPERAND);
}

/* True at a `>` with `"/dev/stderr"` or `"/dev/stdout"` behind, and then the end of the statement. */
static bool names_stream(const struct awk *awk)
{
    static const char *const streams[] = {"\"/dev/stderr\"", "\"/dev/stdout\""};
    struct xylem_view text = awk->text;
    size_t at = xylem_base__skip(text, awk->at + 1, " ");
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) {
        size_t bytes = strlen(streams[i]);
        if (text.bytes - at >= bytes && memcmp(text.data + at, streams[i], bytes) == 0) {
            size_t end = xylem_base__skip(text, at + bytes, " ");
            return end == text.bytes || strchr("};\n", text.data[end]);
        }
    }
    return false;
}

/* `>` in a print statement writes to a file, unless the `>` stands in parentheses of its own. */
static enum xylem_policy__script read_greater(struct awk *awk)
{
    if (peek(awk, 1) == '>') {
        return harmful(awk, "awk's >> writes a file");
    }
    if (peek(awk, 1) == '=') {
        return step_over(awk, 2, BEFORE_OPERATOR);
    }
    if (awk->printing && awk->depth <= awk->print_depth) {
        if (names_stream(awk)) {
            awk->prints_to_stream = true;
            return step_over(awk, 1, BEFORE_OPERATOR);
        }
        return harmful(awk, "awk's print > writes a file");
    }
    return step_over(awk, 1, BEFORE_OPERATOR);
}

static enum xylem_policy__script read_less(struct awk *awk)
{
    if (peek(awk, 1) == '=') {
        return step_over(awk, 2, BEFORE_OPERATOR);
    }
    if (awk->reading && awk->depth <= awk->read_depth) {
        return harmful(awk, "awk's getline < opens any file");
    }
    return step_over(awk, 1, BEFORE_OPERATOR);
}

static enum xylem_policy__script read_operator(struct awk *awk, char c)
{
    switch (c) {
    case '+':
    case '-':
        return peek(awk, 1) == c ? step_over(awk, 2, BEFORE_STEP) : step_over(awk, 1, BEFORE_OPERATOR);
    case '*':
    case '%':
    case '^':
    case '=':
    case '!':
    case '~':
    case '$':
    case ',':
    case '?':
    case ':':
        return step_over(awk, 1, BEFORE_OPERATOR);
    case '[':
        awk->subscripts++;
        return step_over(awk, 1, BEFORE_OPERATOR);
    case ']':
        if (awk->subscripts == 0) {
            return MALFORMED;
        }
        awk->subscripts--;
        return step_over(awk, 1, BEFORE_OPERAND);
    case '>':
        return read_greater(awk);
    case '<':
        return read_less(awk);
    case '|':
    case '&':
        if (peek(awk, 1) == c) {
            awk->reading = false;
            return step_over(awk, 2, BEFORE_OPERATOR);
        }
        return c == '|' ? harmful(awk, "awk's | runs a program") : NOT_UNDERSTOOD;
    case '@':
        return harmful(awk, "awk's @ loads code, or calls a function that is not known");
    default:
        return NOT_UNDERSTOOD;
    }
}

/* True if a backslash and a newline stand between letters or digits: awks may join both sides to one word. */
static bool within_word(const struct awk *awk)
{
    return awk->at > 0 && xylem_shell__is_name(awk->text.data[awk->at - 1]) && xylem_shell__is_name(peek(awk, 2));
}

static enum xylem_policy__script read_token(struct awk *awk)
{
    char c = peek(awk, 0);
    if (xylem_shell__is_name_start(c)) {
        return read_word(awk);
    }
    if (xylem_shell__is_digit(c) || (c == '.' && xylem_shell__is_digit(peek(awk, 1)))) {
        return read_number(awk);
    }
    switch (c) {
    case ' ':
    case '\t':
        return step_over(awk, 1, awk->before);
    case '\\':
        return peek(awk, 1) == '\n' && !within_word(awk) ? step_over(awk, 2, awk->before) : NOT_UNDERSTOOD;
    case '\n':
        if (awk->before == BEFORE_OPERATOR || awk->before == BEFORE_STEP || awk->depth > 0) {
            return step_over(awk, 1, BEFORE_OPERATOR);
        }
        return end_statement(awk);
    case ';':
        return end_statement(awk);
    case '"':
        return read_string(awk);
    case '/':
        return read_slash(awk);
    case '(':
    case ')':
        return read_parenthesis(awk);
    case '{':
    case '}':
        return awk->depth > 0 ? MALFORMED : end_statement(awk);
    case '#':
        awk->at = xylem_shell__find_any(awk->text, awk->at, "\n");
        return HARMLESS;
    default:
        return read_operator(awk, c);
    }
}

static enum xylem_policy__script read_program(struct awk *awk)
{
    enum xylem_policy__script result = HARMLESS;
    while (result == HARMLESS && awk->at < awk->text.bytes) {
        result = read_token(awk);
    }
    return result == HARMLESS && awk->depth > 0 ? MALFORMED : result;
}

enum xylem_policy__script xylem_policy__awk(struct xylem_view program, const char **why)
{
    struct awk awk = {.text = program, .brackets = true, .why = "the awk program was not understood"};
    enum xylem_policy__script result = read_program(&awk);
    if (result == HARMLESS && awk.differs) {
        struct awk other = {.text = program, .why = awk.why};
        result = read_program(&other);
        awk.why = other.why;
        result = result == MALFORMED ? HARMLESS : result;
    }
    if (result != HARMFUL && xylem_policy__view_contains(program, "\"/inet")) {
        result = harmful(&awk, "awk connects to a host for a file name that begins with /inet");
    }
    if (result == HARMLESS && awk.unclear) {
        result = NOT_UNDERSTOOD;
    }
    if (result == HARMLESS && awk.prints_to_stream) {
        *why = "awk's print > opens /dev/stderr or /dev/stdout, and that may be a file";
        return XYLEM_POLICY__SCRIPT_PRINTS_TO_STREAM;
    }
    *why = awk.why;
    return result == MALFORMED ? NOT_UNDERSTOOD : result;
}
