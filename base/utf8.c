#include "base/utf8.h"

#include <string.h>

/* The bytes that may follow a first byte: a count, and the range of the second byte. */
struct lead {
    unsigned char continuation_count;
    unsigned char low;
    unsigned char high;
};

static struct lead lead_of(unsigned char byte)
{
    struct lead lead = {0, 0x80, 0xBF};
    if (byte >= 0xC2 && byte <= 0xDF) {
        lead.continuation_count = 1;
    } else if (byte >= 0xE0 && byte <= 0xEF) {
        lead.continuation_count = 2;
        lead.low = byte == 0xE0 ? 0xA0 : 0x80;
    } else if (byte >= 0xF0 && byte <= 0xF4) {
        lead.continuation_count = 3;
        lead.low = byte == 0xF0 ? 0x90 : 0x80;
        lead.high = byte == 0xF4 ? 0x8F : 0xBF;
    }
    return lead;
}

size_t xylem_base__wtf8_decode(uint32_t *code_point, const char *text, size_t bytes)
{
    if (bytes == 0) {
        return 0;
    }
    unsigned char first = (unsigned char)text[0];
    struct lead lead = lead_of(first);
    size_t count = lead.continuation_count;
    if ((count == 0 && first >= 0x80) || count >= bytes) {
        return 0;
    }
    uint32_t result = count == 0 ? first : first & (0x3Fu >> count);
    for (size_t i = 1; i <= count; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte < lead.low || byte > lead.high) {
            return 0;
        }
        result = result << 6 | (byte & 0x3Fu);
        lead.low = 0x80;
        lead.high = 0xBF;
    }
    if (code_point) {
        *code_point = result;
    }
    return count + 1;
}

size_t xylem_base__wtf8_encode(char out[4], uint32_t code_point)
{
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    if (code_point < 0x800) {
        out[0] = (char)(0xC0 | code_point >> 6);
        out[1] = (char)(0x80 | (code_point & 0x3F));
        return 2;
    }
    if (code_point < 0x10000) {
        out[0] = (char)(0xE0 | code_point >> 12);
        out[1] = (char)(0x80 | (code_point >> 6 & 0x3F));
        out[2] = (char)(0x80 | (code_point & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | code_point >> 18);
    out[1] = (char)(0x80 | (code_point >> 12 & 0x3F));
    out[2] = (char)(0x80 | (code_point >> 6 & 0x3F));
    out[3] = (char)(0x80 | (code_point & 0x3F));
    return 4;
}

size_t xylem_base__ascii_bytes(const char *text, size_t bytes)
{
    size_t count = 0;
    for (; bytes - count >= 8; count += 8) {
        uint64_t word;
        memcpy(&word, text + count, 8);
        if (word & UINT64_C(0x8080808080808080)) {
            break;
        }
    }
    if (bytes - count >= 4) {
        uint32_t word;
        memcpy(&word, text + count, 4);
        count += word & UINT32_C(0x80808080) ? 0 : 4;
    }
    while (count < bytes && (unsigned char)text[count] < 0x80) {
        count++;
    }
    return count;
}

bool xylem_base__wtf8_valid(const char *text, size_t bytes)
{
    bool after_high = false;
    while (bytes > 0) {
        size_t ascii = xylem_base__ascii_bytes(text, bytes);
        if (ascii > 0) {
            after_high = false;
            text += ascii;
            bytes -= ascii;
            continue;
        }
        uint32_t code_point = 0;
        size_t used = xylem_base__wtf8_decode(&code_point, text, bytes);
        bool low = code_point >= 0xDC00 && code_point <= 0xDFFF;
        if (used == 0 || (after_high && low)) {
            return false;
        }
        after_high = code_point >= 0xD800 && code_point <= 0xDBFF;
        text += used;
        bytes -= used;
    }
    return true;
}

bool xylem_base__is_shown(uint32_t code_point)
{
    bool control = code_point < 0x20 || (code_point >= 0x7F && code_point <= 0x9F);
    bool separator = code_point == 0x2028 || code_point == 0x2029;
    bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
    bool bidi_control = code_point == 0x061C || code_point == 0x200E || code_point == 0x200F ||
                        (code_point >= 0x202A && code_point <= 0x202E) ||
                        (code_point >= 0x2066 && code_point <= 0x2069);
    return !control && !separator && !surrogate && !bidi_control;
}

size_t xylem_base__utf8_shown_bytes(const char *text, size_t bytes)
{
    uint32_t code_point = 0;
    size_t used = xylem_base__wtf8_decode(&code_point, text, bytes);
    return xylem_base__is_shown(code_point) ? used : 0;
}

struct xylem_view xylem_base__utf8_beginning(struct xylem_view text, size_t bytes_max)
{
    if (text.bytes > bytes_max) {
        text.bytes = bytes_max;
        for (int i = 0; i < 3 && text.bytes > 0 && xylem_base__utf8_continues(text.data[text.bytes]); i++) {
            text.bytes--;
        }
    }
    return text;
}

bool xylem_base__is_space(uint32_t code_point)
{
    return (code_point >= 0x09 && code_point <= 0x0D) || code_point == 0x20 || code_point == 0xA0 ||
           code_point == 0x1680 || (code_point >= 0x2000 && code_point <= 0x200A) || code_point == 0x2028 ||
           code_point == 0x2029 || code_point == 0x202F || code_point == 0x205F || code_point == 0x3000 ||
           code_point == 0xFEFF;
}

struct xylem_view xylem_base__trim(struct xylem_view text)
{
    size_t begin = text.bytes;
    size_t end = text.bytes;
    for (size_t at = 0; at < text.bytes;) {
        uint32_t code_point = 0;
        size_t bytes = xylem_base__wtf8_decode(&code_point, text.data + at, text.bytes - at);
        size_t after = at + (bytes ? bytes : 1);
        if (bytes == 0 || !xylem_base__is_space(code_point)) {
            begin = begin < at ? begin : at;
            end = after;
        }
        at = after;
    }
    return (struct xylem_view){text.data ? text.data + begin : NULL, end - begin};
}
