#include "judge/hook/git_config.h"

#include <string.h>

#include "base/buffer.h"
#include "base/utf8.h"

#define END_OF_FILE (-1)

struct reader {
    const char *at;
    const char *end;
    struct xylem_buffer section; /* the text between the brackets: section, a dot, subsection */
    size_t section_bytes;        /* up to the first dot */
    bool in_section;
    struct xylem_buffer key;
    struct xylem_buffer value;
    int code;
};

static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_key_character(int c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || c == '-';
}

/* git's own table of spaces has no vertical tab and no form feed. */
static bool is_git_space(int c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Returns the next character. CR LF is one newline. */
static int next(struct reader *reader)
{
    if (reader->at == reader->end) {
        return END_OF_FILE;
    }
    if (reader->end - reader->at >= 2 && reader->at[0] == '\r' && reader->at[1] == '\n') {
        reader->at++;
    }
    return (unsigned char)*reader->at++;
}

static int peek(const struct reader *reader)
{
    struct reader copy = *reader;
    return next(&copy);
}

static bool fail(struct reader *reader)
{
    reader->code = XYLEM_E_MALFORMED;
    return false;
}

static bool add(struct reader *reader, struct xylem_buffer *buffer, int c)
{
    char byte = (char)c;
    reader->code = xylem_buffer_add(buffer, &byte, 1);
    return reader->code == 0;
}

/* Behind the section and a space: reads `"SUBSECTION"]`. */
static bool read_subsection(struct reader *reader)
{
    int c = next(reader);
    while (c != '\n' && is_git_space(c)) {
        c = next(reader);
    }
    if (c != '"' || !add(reader, &reader->section, '.')) {
        return c != '"' ? fail(reader) : false;
    }
    while ((c = next(reader)) != '"') {
        if (c == '\\') {
            c = next(reader);
        }
        if (c == END_OF_FILE || c == '\n') {
            return fail(reader);
        }
        if (!add(reader, &reader->section, c)) {
            return false;
        }
    }
    return next(reader) == ']' ? true : fail(reader);
}

/* Behind `[`: reads `SECTION]`, `SECTION.SUBSECTION]` or `SECTION "SUBSECTION"]`. */
static bool read_section(struct reader *reader)
{
    int c;
    xylem_base__buffer_clear(&reader->section);
    reader->in_section = true;
    while ((c = next(reader)) != ']') {
        if (c != END_OF_FILE && c != '\n' && is_git_space(c)) {
            if (!read_subsection(reader)) {
                return false;
            }
            break;
        }
        if (!is_key_character(c) && c != '.') {
            return fail(reader);
        }
        if (!add(reader, &reader->section, xylem_base__lower((char)c))) {
            return false;
        }
    }
    const char *dot = reader->section.bytes == 0 ? NULL : memchr(reader->section.data, '.', reader->section.bytes);
    reader->section_bytes = dot ? (size_t)(dot - reader->section.data) : reader->section.bytes;
    return reader->section_bytes > 0 ? true : fail(reader);
}

/* Decodes the character behind a backslash in a value; -1: not an escape. */
static int unescape(int c)
{
    static const char letters[] = "tbn\\\"";
    static const char meant[] = "\t\b\n\\\"";
    const char *letter = c == END_OF_FILE ? NULL : strchr(letters, c);
    return letter ? meant[letter - letters] : -1;
}

static void skip_line(struct reader *reader)
{
    for (int c = next(reader); c != '\n' && c != END_OF_FILE;) {
        c = next(reader);
    }
}

/* Reads a value up to the end of the line, or of the last continued line. Drops surrounding space, and a comment. */
static bool read_value(struct reader *reader)
{
    bool quoted = false;
    size_t kept = 0; /* the length up to the last character that is no unquoted space */
    for (;;) {
        int c = next(reader);
        if (c == '\n' || c == END_OF_FILE) {
            reader->value.bytes = kept;
            return quoted ? fail(reader) : true;
        }
        if (!quoted && (c == '#' || c == ';')) {
            skip_line(reader);
            reader->value.bytes = kept;
            return true;
        }
        if (c == '"') {
            quoted = !quoted;
            kept = reader->value.bytes;
            continue;
        }
        bool space = !quoted && is_git_space(c);
        if (space && reader->value.bytes == 0) {
            continue;
        }
        if (c == '\\') {
            kept = reader->value.bytes; /* the space before a backslash counts, also before a continued line */
            c = next(reader);
            if (c == '\n') {
                continue;
            }
            if ((c = unescape(c)) < 0) {
                return fail(reader);
            }
        }
        if (!add(reader, &reader->value, c)) {
            return false;
        }
        kept = space ? kept : reader->value.bytes;
    }
}

/* Reads a setting; `first` is the first character of the key. */
static bool read_setting(struct reader *reader, int first, struct xylem_hook__git_setting *setting)
{
    xylem_base__buffer_clear(&reader->key);
    xylem_base__buffer_clear(&reader->value);
    if (!reader->in_section || !is_letter(first)) {
        return fail(reader);
    }
    for (int c = first;; c = next(reader)) {
        if (!add(reader, &reader->key, xylem_base__lower((char)c))) {
            return false;
        }
        if (!is_key_character(peek(reader))) {
            break;
        }
    }
    int c = next(reader);
    while (c == ' ' || c == '\t') {
        c = next(reader);
    }
    setting->has_value = c == '=';
    if (c != '=' && c != '\n' && c != END_OF_FILE) {
        return fail(reader);
    }
    if (c == '=' && !read_value(reader)) {
        return false;
    }
    size_t in_section = reader->section_bytes == reader->section.bytes ? 0 : reader->section_bytes + 1;
    setting->section = (struct xylem_view){reader->section.data, reader->section_bytes};
    setting->subsection = (struct xylem_view){reader->section.data + in_section,
                                              in_section == 0 ? 0 : reader->section.bytes - in_section};
    setting->has_subsection = in_section != 0;
    setting->key = xylem_base__buffer_view(&reader->key);
    setting->value = xylem_base__buffer_view(&reader->value);
    return true;
}

int xylem_hook__git_config(struct xylem_view text,
                           bool (*visit)(void *context, const struct xylem_hook__git_setting *setting), void *context)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    struct reader reader = {.at = text.data, .end = text.data + text.bytes};
    struct xylem_hook__git_setting setting;
    int c;
    if (text.bytes == 0) {
        return 0;
    }
    if (memchr(text.data, '\0', text.bytes)) {
        return XYLEM_E_MALFORMED;
    }
    if (text.bytes >= 3 && memcmp(text.data, byte_order_mark, 3) == 0) {
        reader.at += 3;
    }
    while (reader.code == 0 && (c = next(&reader)) != END_OF_FILE) {
        if (is_git_space(c)) {
            continue;
        }
        if (c == '#' || c == ';') {
            skip_line(&reader);
        } else if (c == '[') {
            read_section(&reader);
        } else if (read_setting(&reader, c, &setting) && !visit(context, &setting)) {
            reader.code = XYLEM_E_STOPPED;
        }
    }
    xylem_buffer_release(&reader.section);
    xylem_buffer_release(&reader.key);
    xylem_buffer_release(&reader.value);
    return reader.code;
}
