#include "hosts/node/addon/strings.h"

#include <stdbool.h>
#include <stdio.h>

static bool is_high(unsigned unit)
{
    return unit >= 0xd800 && unit < 0xdc00;
}

static bool is_low(unsigned unit)
{
    return unit >= 0xdc00 && unit < 0xe000;
}

size_t to_wtf8(char *bytes, const uint16_t *units, size_t count)
{
    char *at = bytes;
    for (size_t i = 0; i < count; i++) {
        unsigned point = units[i];
        if (point < 0x80) {
            *at++ = (char)point;
            continue;
        }
        if (point < 0x800) {
            *at++ = (char)(0xc0 | point >> 6);
        } else if (is_high(point) && i + 1 < count && is_low(units[i + 1])) {
            point = 0x10000 + ((point - 0xd800) << 10) + (units[++i] - 0xdc00u);
            *at++ = (char)(0xf0 | point >> 18);
            *at++ = (char)(0x80 | (point >> 12 & 0x3f));
            *at++ = (char)(0x80 | (point >> 6 & 0x3f));
        } else {
            *at++ = (char)(0xe0 | point >> 12);
            *at++ = (char)(0x80 | (point >> 6 & 0x3f));
        }
        *at++ = (char)(0x80 | (point & 0x3f));
    }
    return (size_t)(at - bytes);
}

size_t to_utf16(uint16_t *units, struct xylem_view text)
{
    static const unsigned least[] = {0, 0x80, 0x800, 0x10000}; /* by the number of bytes behind the first */
    size_t count = 0;
    const unsigned char *at = (const unsigned char *)text.data;
    const unsigned char *end = at + text.bytes;
    while (at < end) {
        unsigned lead = *at++;
        unsigned more = lead < 0xc2 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf5 ? 3 : 0;
        unsigned point = more == 0 ? lead : lead & (0x3fu >> more);
        bool sound = lead < 0x80 || (more > 0 && (size_t)(end - at) >= more);
        for (unsigned i = 0; sound && i < more; i++) {
            sound = (at[i] & 0xc0) == 0x80;
            point = point << 6 | (at[i] & 0x3f);
        }
        if (!sound || point < least[more] || point > 0x10ffff) {
            units[count++] = 0xfffd;
            continue;
        }
        at += more;
        if (point >= 0x10000) {
            units[count++] = (uint16_t)(0xd7c0 + (point >> 10));
            point = 0xdc00 | (point & 0x3ff);
        }
        units[count++] = (uint16_t)point;
    }
    return count;
}

size_t utf16_units(struct xylem_view text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.bytes; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        count += (byte & 0xc0) != 0x80; /* a character begins */
        count += byte >= 0xf0;          /* a pair of surrogates */
    }
    return count;
}

int fail(struct xylem_error *err, int code, const char *text)
{
    err->code = code;
    snprintf(err->text, sizeof err->text, "%s", text ? text : xylem_code_text(code));
    return code;
}
