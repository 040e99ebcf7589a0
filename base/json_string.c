#include "base/json_string.h"

#include <assert.h>
#include <stdlib.h>

#include "base/utf8.h"

/* For texts up to this size, reserve() takes room for U+FFFD without a check of the text. */
#define UNSEEN_BYTES_MAX 65536u

size_t xylem_base__json_character_bytes(const char *text, size_t bytes)
{
    uint32_t code_point = 0;
    size_t used = xylem_base__wtf8_decode(&code_point, text, bytes);
    return code_point >= 0xD800 && code_point <= 0xDFFF ? 0 : used;
}

/* The length of the escape at `text`; 0 if JSON has no such escape, or if the escape is cut. */
static size_t escape_bytes(const char *text, size_t bytes)
{
    if (bytes < 2 || text[1] == '\0') {
        return 0;
    }
    if (text[1] != 'u') {
        return strchr("\"\\/bfnrt", text[1]) ? 2 : 0;
    }
    struct xylem_view escape = {text, bytes < 6 ? bytes : 6};
    return xylem_base__skip(escape, 2, XYLEM_BASE__HEX_DIGITS "ABCDEF") == 6 ? 6 : 0;
}

const char *xylem_base__json_string_end(bool *spelt, const char *at, const char *end)
{
    while ((at += xylem_base__json_plain_bytes(at, (size_t)(end - at))) < end && *at != '"') {
        size_t rest = (size_t)(end - at);
        size_t used = *at == '\\' ? escape_bytes(at, rest) : xylem_base__json_character_bytes(at, rest);
        if ((used == 0 && *at == '\\') || (unsigned char)*at < 0x20) {
            return NULL;
        }
        *spelt = *spelt && used > 0 && *at != '\\';
        at += used > 0 ? used : 1;
    }
    return at < end ? at : NULL;
}

static bool is_utf8(struct xylem_view string)
{
    size_t at = 0;
    while ((at += xylem_base__ascii_bytes(string.data + at, string.bytes - at)) < string.bytes) {
        size_t used = xylem_base__json_character_bytes(string.data + at, string.bytes - at);
        if (used == 0) {
            return false;
        }
        at += used;
    }
    return true;
}

/*
 * Counts the ill-formed bytes for a single U+FFFD: the longest beginning of a character, or a byte (Unicode 15, 3.9,
 * "maximal subpart"; also the WHATWG's decoder).
 */
static size_t ill_formed_bytes(const char *text, size_t bytes)
{
    for (size_t prefix = 3; prefix > 1; prefix--) {
        if (prefix <= bytes) {
            char completed[4] = {'\x80', '\x80', '\x80', '\x80'};
            memcpy(completed, text, prefix);
            if (xylem_base__json_character_bytes(completed, sizeof completed) > prefix) {
                return prefix;
            }
        }
    }
    return 1;
}

static uint32_t hex_unit(const char *digits)
{
    uint32_t unit = 0;
    for (size_t i = 0; i < 4; i++) {
        uint32_t byte = (unsigned char)digits[i];
        unit = unit << 4 | (byte <= '9' ? byte - '0' : (byte | 0x20) - 'a' + 10);
    }
    return unit;
}

/* Decodes the valid escape at `from`, also of a lone surrogate, and returns the place after it. */
static const char *decode_escape(char **to, const char *from, const char *end)
{
    static const char letters[] = "bfnrt";
    static const char meanings[] = "\b\f\n\r\t";
    const char *letter = strchr(letters, from[1]);
    if (letter) {
        *(*to)++ = meanings[letter - letters];
        return from + 2;
    }
    if (from[1] != 'u') {
        *(*to)++ = from[1];
        return from + 2;
    }
    uint32_t code_point = hex_unit(from + 2);
    from += 6;
    bool high = code_point >= 0xD800 && code_point <= 0xDBFF;
    if (high && end - from >= 6 && from[0] == '\\' && from[1] == 'u') {
        uint32_t low = hex_unit(from + 2);
        if (low >= 0xDC00 && low <= 0xDFFF) {
            code_point = 0x10000 + ((code_point - 0xD800) << 10) + (low - 0xDC00);
            from += 6;
        }
    }
    *to += xylem_base__wtf8_encode(*to, code_point);
    return from;
}

/* Decodes runs of plain characters, and between them an escape, another character or an ill-formed run. */
static char *decode(char *to, const char *from, const char *end)
{
    while (from < end) {
        size_t used = xylem_base__json_plain_bytes(from, (size_t)(end - from));
        if (used == 0 && *from == '\\') {
            from = decode_escape(&to, from, end);
            continue;
        }
        used = used > 0 ? used : xylem_base__json_character_bytes(from, (size_t)(end - from));
        if (used == 0) {
            to += xylem_base__wtf8_encode(to, 0xFFFD);
            from += ill_formed_bytes(from, (size_t)(end - from));
        }
        memcpy(to, from, used);
        to += used;
        from += used;
    }
    return to;
}

/*
 * Makes room, once, for all strings of the rest of the text, so that no decoded string ever moves. An escape is never
 * shorter than its character. Only U+FFFD can take more room: three bytes for a byte.
 */
static int reserve(struct xylem_base__tree *tree, struct xylem_view rest)
{
    if (tree->string_bytes > 0) {
        return XYLEM_OK;
    }
    bool grows = rest.bytes <= UNSEEN_BYTES_MAX || !is_utf8(rest);
    size_t capacity = !grows ? rest.bytes : rest.bytes > SIZE_MAX / 3 ? SIZE_MAX : rest.bytes * 3;
    if (capacity <= tree->string_capacity) {
        return XYLEM_OK;
    }
    free(tree->strings);
    tree->string_capacity = 0;
    tree->strings = malloc(capacity);
    if (!tree->strings) {
        return XYLEM_E_MEMORY;
    }
    tree->string_capacity = capacity;
    return XYLEM_OK;
}

int xylem_base__json_string_decode(struct xylem_view *decoded, struct xylem_base__tree *tree, struct xylem_view string,
                                   const char *text_end)
{
    struct xylem_view rest = {string.data, (size_t)(text_end - string.data)};
    if (reserve(tree, rest) < 0) {
        return XYLEM_E_MEMORY;
    }
    char *to = tree->strings + tree->string_bytes;
    decoded->bytes = (size_t)(decode(to, string.data, string.data + string.bytes) - to);
    decoded->data = to;
    assert(tree->string_bytes + decoded->bytes <= tree->string_capacity);
    tree->string_bytes += decoded->bytes;
    return XYLEM_OK;
}
