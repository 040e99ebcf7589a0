/*
 * Reads an expression from left to right, outside of groups and classes. Literal characters make a run. Everything else
 * ends the run, and `*`, `?` and `{` also take the last character away:
 *
 *     fo+x[0-9]*bar?        runs: fo, x, ba
 *
 * No run is known if the meaning is in doubt: alternatives, options such as (?i), and escapes with operands.
 */
#include "search/required.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/utf8.h"

struct reading {
    struct xylem_view text;
    size_t at;
    struct xylem_buffer run;
    size_t last; /* offset of the last character of the run; the length of the run: no character may be repeated */
    struct xylem_buffer *longest;
    bool failed; /* no memory */
};

static char byte_at(const struct reading *reading, size_t at)
{
    return at < reading->text.bytes ? reading->text.data[at] : '\0';
}

void xylem_search__end_run(struct xylem_buffer *longest, struct xylem_buffer *run)
{
    if (run->bytes > longest->bytes) {
        struct xylem_buffer shorter = *longest;
        *longest = *run;
        *run = shorter;
    }
    xylem_base__buffer_clear(run);
}

static void end_run(struct reading *reading)
{
    xylem_search__end_run(reading->longest, &reading->run);
    reading->last = 0;
}

static void add(struct reading *reading, char byte)
{
    bool continues = xylem_base__utf8_continues(byte);
    reading->last = continues ? reading->last : reading->run.bytes;
    reading->failed = reading->failed || xylem_buffer_add(&reading->run, &byte, 1) < 0;
}

/* Ends the run before its last character: the match may lack a repeated character. */
static void drop_last(struct reading *reading)
{
    reading->run.bytes = reading->run.bytes > reading->last ? reading->last : reading->run.bytes;
    end_run(reading);
}

/* Skips the escape at `at`, and the next byte. False: the escape has operands, or quotes the text behind. */
static bool skip_escape(struct reading *reading)
{
    char meant = byte_at(reading, ++reading->at);
    reading->at++;
    return meant != '\0' && ((meant > ' ' && meant < '0') || strchr(":;<=>?@[\\]^_`{|}~dDwWsSbBAzZnrtfehHvVR", meant));
}

/* Skips a class, from the bracket on. False: in doubt. */
static bool skip_class(struct reading *reading)
{
    reading->at += byte_at(reading, reading->at + 1) == '^' ? 2 : 1;
    reading->at += byte_at(reading, reading->at) == ']';
    while (reading->at < reading->text.bytes && byte_at(reading, reading->at) != ']') {
        char byte = byte_at(reading, reading->at);
        if (byte == '[') {
            return false; /* [:alpha:], or a bracket */
        }
        if (byte != '\\') {
            reading->at++;
        } else if (!skip_escape(reading)) {
            return false;
        }
    }
    reading->at++;
    return true;
}

/* Skips a group, up to the closing parenthesis. False: in doubt. */
static bool skip_group(struct reading *reading)
{
    size_t depth = 0;
    do {
        char byte = byte_at(reading, reading->at);
        char next = byte_at(reading, reading->at + 1);
        if (byte == '(' && (next == '*' || (next == '?' && byte_at(reading, reading->at + 2) != ':'))) {
            return false;
        }
        depth += byte == '(';
        depth -= byte == ')';
        if (byte == '\\' ? !skip_escape(reading) : byte == '[' && !skip_class(reading)) {
            return false;
        }
        reading->at += byte == '\\' || byte == '[' ? 0 : 1;
    } while (depth > 0 && reading->at < reading->text.bytes);
    return depth == 0;
}

/* Reads an escape, of a literal character or of anything else. False: in doubt. */
static bool read_escape(struct reading *reading)
{
    char meant = byte_at(reading, reading->at + 1);
    bool letter = (meant | 0x20) >= 'a' && (meant | 0x20) <= 'z';
    if (!skip_escape(reading)) {
        return false;
    }
    if (letter) {
        end_run(reading);
    } else {
        add(reading, meant);
    }
    return true;
}

/* Reads the next part of the expression. False: in doubt. */
static bool read_part(struct reading *reading)
{
    char byte = byte_at(reading, reading->at);
    switch (byte) {
    case '|':
        return false;
    case '\\':
        return read_escape(reading);
    case '[':
        end_run(reading);
        return skip_class(reading);
    case '(':
        end_run(reading);
        return skip_group(reading);
    case '{': /* `{2,3}`; else the brace is literal, and in doubt */
        drop_last(reading);
        do {
            reading->at++;
        } while (strchr("0123456789,", byte_at(reading, reading->at)) && reading->at < reading->text.bytes);
        return byte_at(reading, reading->at++) == '}';
    case '*':
    case '?':
        drop_last(reading);
        break;
    case '+':
    case '.':
    case '^':
    case '$':
        end_run(reading);
        break;
    default:
        add(reading, byte);
        break;
    }
    reading->at++;
    return true;
}

int xylem_search__required(struct xylem_buffer *text, struct xylem_view expression, struct xylem_error *err)
{
    struct xylem_buffer longest = {NULL, 0, 0};
    struct reading reading = {.text = expression, .longest = &longest};
    bool known = true;
    while (known && !reading.failed && reading.at < expression.bytes) {
        known = read_part(&reading);
    }
    end_run(&reading);
    if (known && !reading.failed && longest.bytes > 0) {
        reading.failed = xylem_buffer_add(text, longest.data, longest.bytes) < 0;
    }
    xylem_buffer_release(&reading.run);
    xylem_buffer_release(&longest);
    return reading.failed ? xylem_base__fail_memory(err) : XYLEM_OK;
}
