#include "hosts/node/addon/strings.h"

#include <stdio.h>

#include "base/utf8.h"

static bool is_high(uint32_t unit)
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
        uint32_t point = units[i];
        if (is_high(point) && i + 1 < count && is_low(units[i + 1])) {
            point = 0x10000 + ((point - 0xd800) << 10) + (units[++i] - 0xdc00u);
        }
        at += xylem_base__wtf8_encode(at, point);
    }
    return (size_t)(at - bytes);
}

size_t to_utf16(uint16_t *units, struct xylem_view text)
{
    size_t count = 0;
    for (size_t at = 0; at < text.bytes;) {
        uint32_t point = 0;
        size_t bytes = xylem_base__wtf8_decode(&point, text.data + at, text.bytes - at);
        point = bytes > 0 ? point : 0xfffd;
        at += bytes > 0 ? bytes : 1;
        bool paired = point >= 0x10000;
        if (units && paired) {
            units[count] = (uint16_t)(0xd7c0 + (point >> 10));
            point = 0xdc00 | (point & 0x3ff);
        }
        count += paired;
        if (units) {
            units[count] = (uint16_t)point;
        }
        count++;
    }
    return count;
}

size_t utf16_units(struct xylem_view text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.bytes; i++) {
        count += !xylem_base__utf8_continues(text.data[i]);
        count += (unsigned char)text.data[i] >= 0xf0; /* a pair of surrogates */
    }
    return count;
}

int fail(struct xylem_error *err, int code, const char *text)
{
    err->code = code;
    snprintf(err->text, sizeof err->text, "%s", text ? text : xylem_code_text(code));
    return code;
}
