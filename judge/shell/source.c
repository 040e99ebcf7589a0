#include "judge/shell/parser.h"

#include <assert.h>
#include <string.h>

#include "base/utf8.h"

bool xylem_shell__fail(struct xylem_shell__parser *parser, const char *why)
{
    if (!parser->why) {
        parser->why = why;
    }
    return false;
}

void *xylem_shell__take(struct xylem_shell__parser *parser, size_t bytes)
{
    void *taken = xylem_shell__arena_take(parser->arena, bytes);
    if (!taken) {
        (void)xylem_shell__fail(parser, "memory is missing");
    }
    return taken;
}

const char *xylem_shell__gate(struct xylem_view text)
{
    if (text.bytes > XYLEM_COMMAND_BYTES_MAX) {
        return "the command is too long";
    }
    for (size_t at = 0; at < text.bytes;) {
        unsigned char c = (unsigned char)text.data[at];
        uint32_t code_point = c;
        size_t bytes = c < 0x80 ? 1 : xylem_base__wtf8_decode(&code_point, text.data + at, text.bytes - at);
        if ((c < 0x20 && c != '\t' && c != '\n') || c == 0x7f) {
            return "the command contains a control character";
        }
        if (bytes == 0 || (code_point >= 0xd800 && code_point < 0xe000)) {
            return "the command is not valid UTF-8";
        }
        at += bytes;
    }
    return NULL;
}

bool xylem_shell__deceives(const char *at, const char *end)
{
    /* Soft hyphens, bidirectional controls, characters without width, and spaces that the shell does not know. */
    static const struct {
        uint32_t first, last;
    } ranges[] = {{0x80, 0xa0},     {0xad, 0xad},     {0x34f, 0x34f},    {0x61c, 0x61c},   {0x115f, 0x1160},
                  {0x1680, 0x1680}, {0x17b4, 0x17b5}, {0x180b, 0x180f},  {0x2000, 0x200f}, {0x2028, 0x202f},
                  {0x205f, 0x206f}, {0x2800, 0x2800}, {0x3000, 0x3000},  {0x3164, 0x3164}, {0xfeff, 0xfeff},
                  {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0xe0000, 0xe0fff}};
    uint32_t code_point = 0;
    if (xylem_base__wtf8_decode(&code_point, at, (size_t)(end - at)) == 0) {
        return true;
    }
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (code_point >= ranges[i].first && code_point <= ranges[i].last) {
            return true;
        }
    }
    return false;
}

void xylem_shell__skip_joined(struct xylem_shell__parser *parser)
{
    while (xylem_shell__peek_raw(parser) == '\\' && parser->now.end - parser->now.at > 1 && parser->now.at[1] == '\n') {
        xylem_shell__advance(parser);
        xylem_shell__advance(parser);
    }
}

int xylem_shell__peek_second(struct xylem_shell__parser *parser)
{
    if (xylem_shell__peek(parser) == XYLEM_SHELL__END) {
        return XYLEM_SHELL__END;
    }
    struct xylem_shell__position before = parser->now;
    xylem_shell__advance(parser);
    int c = xylem_shell__peek(parser);
    parser->now = before;
    return c;
}

bool xylem_shell__doubt(struct xylem_shell__parser *parser, enum xylem_shell__doubt_type type, struct xylem_view at,
                        const char *why)
{
    struct xylem_shell__doubt *doubt = xylem_shell__take(parser, sizeof *doubt);
    if (!doubt) {
        return false;
    }
    *doubt = (struct xylem_shell__doubt){type, at, why, parser->tree->doubts};
    parser->tree->doubts = doubt;
    return true;
}

bool xylem_shell__enter(struct xylem_shell__parser *parser)
{
    if (parser->nesting >= XYLEM_COMMAND_NESTING_MAX) {
        return xylem_shell__fail(parser, "the command nests too deep");
    }
    parser->nesting++;
    return !xylem_shell__failed(parser);
}

void xylem_shell__leave(struct xylem_shell__parser *parser)
{
    assert(parser->nesting > 0);
    parser->nesting--;
}

void xylem_shell__go_outside(struct xylem_shell__parser *parser, const struct xylem_shell__parser *outside)
{
    const struct xylem_shell__parser inside = *parser;
    *parser = *outside;
    parser->now = inside.now;
    parser->why = inside.why;
    parser->readings = inside.readings;
    parser->steps = inside.steps;
}

bool xylem_shell__note_copy(struct xylem_shell__parser *parser, struct xylem_view copy, const char *begin)
{
    struct xylem_shell__text *text = xylem_shell__take(parser, sizeof *text);
    if (!text) {
        return false;
    }
    *text = (struct xylem_shell__text){copy, xylem_shell__view(begin, parser->now.at), parser->tree->texts};
    parser->tree->texts = text;
    return true;
}

int xylem_shell__digit_value(int c)
{
    return xylem_shell__is_digit(c) ? c - '0'
           : c >= 'a' && c <= 'f'   ? c - 'a' + 10
           : c >= 'A' && c <= 'F'   ? c - 'A' + 10
                                    : 99;
}

bool xylem_shell__is_identifier(struct xylem_view view)
{
    if (view.bytes == 0 || !xylem_shell__is_name_start((unsigned char)view.data[0])) {
        return false;
    }
    for (size_t i = 1; i < view.bytes; i++) {
        if (!xylem_shell__is_name((unsigned char)view.data[i])) {
            return false;
        }
    }
    return true;
}

size_t xylem_shell__find_any(struct xylem_view text, size_t at, const char *characters)
{
    while (at < text.bytes && (text.data[at] == '\0' || !strchr(characters, text.data[at]))) {
        at++;
    }
    return at;
}

bool xylem_shell__all_digits(struct xylem_view view)
{
    return view.bytes > 0 && xylem_base__skip(view, 0, XYLEM_BASE__DIGITS) == view.bytes;
}
