/* Builds text. */
#include "cli/term/term.h"
#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void xylem_cli__add_bytes(struct xylem_cli__text *text, const void *data, size_t bytes)
{
    text->failed = text->failed || (bytes > 0 && xylem_buffer_add(&text->bytes, data, bytes) != 0);
}

void xylem_cli__add(struct xylem_cli__text *text, const char *string)
{
    xylem_cli__add_bytes(text, string, strlen(string));
}

void xylem_cli__addf(struct xylem_cli__text *text, const char *format, ...)
{
    char piece[256]; /* most additions fit */
    char *string = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < sizeof piece) {
        xylem_cli__add_bytes(text, piece, (size_t)length);
        return;
    }
    va_start(arguments, format);
    length = vasprintf(&string, format, arguments);
    va_end(arguments);
    if (length < 0) {
        text->failed = true;
        return;
    }
    xylem_cli__add_bytes(text, string, (size_t)length);
    free(string);
}

void xylem_cli__add_repeated(struct xylem_cli__text *text, const char *string, size_t count)
{
    static const char blanks[] = "                                ";
    while (count > 0 && strcmp(string, " ") == 0) {
        size_t part = count < sizeof blanks - 1 ? count : sizeof blanks - 1;
        xylem_cli__add_bytes(text, blanks, part);
        count -= part;
    }
    for (size_t i = 0; i < count; i++) {
        xylem_cli__add(text, string);
    }
}

void xylem_cli__end_line(struct xylem_cli__text *text)
{
    while (text->bytes.bytes > 0 && text->bytes.data[text->bytes.bytes - 1] == ' ') {
        text->bytes.bytes--;
    }
    xylem_cli__add(text, "\n");
}

void xylem_cli__text_cut(struct xylem_cli__text *text, size_t bytes)
{
    xylem_base__buffer_cut(&text->bytes, bytes);
}

void xylem_cli__text_clear(struct xylem_cli__text *text)
{
    xylem_cli__text_cut(text, 0);
}

void xylem_cli__text_release(struct xylem_cli__text *text)
{
    xylem_buffer_release(&text->bytes);
    text->failed = false;
}

void xylem_cli__part_end(struct xylem_cli__text *text, struct xylem_cli__text *part)
{
    text->failed = text->failed || part->failed;
    xylem_cli__text_release(part);
}

struct xylem_view xylem_cli__text_view(const struct xylem_cli__text *text)
{
    return (struct xylem_view){text->bytes.data ? text->bytes.data : "", text->bytes.bytes};
}
