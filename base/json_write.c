/* Writes values as JSON text, in the spelling of JSON.stringify(). */
#include "base/json.h"

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json_string.h"
#include "base/utf8.h"

/* Writes the escape of a character, and gives its length; 0 if the character needs no escape. */
static size_t escape_of(char out[8], uint32_t code_point)
{
    static const char letters[] = "\b\f\n\r\t\"\\";
    static const char escapes[] = "bfnrt\"\\";
    static const char digits[] = "0123456789abcdef";
    const char *letter = code_point > 0 && code_point < 0x80 ? strchr(letters, (int)code_point) : NULL;
    bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
    if (!letter && code_point >= 0x20 && !surrogate) {
        return 0;
    }
    out[0] = '\\';
    if (letter) {
        out[1] = escapes[letter - letters];
        return 2;
    }
    out[1] = 'u';
    for (unsigned i = 0; i < 4; i++) {
        out[2 + i] = digits[code_point >> (12 - 4 * i) & 0xF];
    }
    return 6;
}

/* Appends the text between the quotes: runs of plain characters, and escapes or U+FFFD for other bytes. */
static int add_escaped(struct xylem_buffer *buffer, struct xylem_view text)
{
    size_t plain = 0; /* the beginning of the characters that are not yet appended */
    size_t at = 0;
    int code = XYLEM_OK;
    if (text.bytes == 0) {
        return XYLEM_OK; /* `data` may be NULL */
    }
    while (code == XYLEM_OK && (at += xylem_base__json_plain_bytes(text.data + at, text.bytes - at)) < text.bytes) {
        uint32_t code_point = 0;
        char replacement[8];
        size_t used = xylem_base__wtf8_decode(&code_point, text.data + at, text.bytes - at);
        size_t bytes = used > 0 ? escape_of(replacement, code_point) : xylem_base__wtf8_encode(replacement, 0xFFFD);
        if (bytes > 0) {
            if ((code = xylem_buffer_add(buffer, text.data + plain, at - plain)) == XYLEM_OK) {
                code = xylem_buffer_add(buffer, replacement, bytes);
            }
            plain = at + (used > 0 ? used : 1);
        }
        at += used > 0 ? used : 1;
    }
    return code < 0 || plain == text.bytes ? code : xylem_buffer_add(buffer, text.data + plain, text.bytes - plain);
}

/* Cuts the buffer back to `bytes` after a failed call. */
static int undo(struct xylem_buffer *buffer, size_t bytes, int code)
{
    if (code < 0) {
        xylem_base__buffer_cut(buffer, bytes);
    }
    return code;
}

int xylem_buffer_add_json_string(struct xylem_buffer *buffer, struct xylem_view text)
{
    size_t before = buffer->bytes;
    int code;
    if ((code = xylem_buffer_add(buffer, "\"", 1)) == XYLEM_OK && (code = add_escaped(buffer, text)) == XYLEM_OK) {
        code = xylem_buffer_add(buffer, "\"", 1);
    }
    return undo(buffer, before, code);
}

static int add_value(struct xylem_buffer *buffer, const struct xylem_value *value);

/* msgpack has keys of any type, JSON only strings: so another key becomes a string with the JSON of the key. */
static int add_key(struct xylem_buffer *buffer, const struct xylem_value *key)
{
    if (key->type == XYLEM_VALUE_STRING) {
        return xylem_buffer_add_json_string(buffer, key->as.string);
    }
    struct xylem_buffer text = {0};
    int code = add_value(&text, key);
    if (code == XYLEM_OK) {
        code = xylem_buffer_add_json_string(buffer, xylem_base__buffer_view(&text));
    }
    xylem_buffer_release(&text);
    return code;
}

/* Recursion is bounded: no tree nests deeper than XYLEM_NESTING_MAX. */
static int add_children(struct xylem_buffer *buffer, const struct xylem_value *parent)
{
    bool map = parent->type == XYLEM_VALUE_MAP;
    size_t index = 0;
    int code = xylem_buffer_add(buffer, map ? "{" : "[", 1);
    const struct xylem_value *child = xylem_value_first(parent);
    for (; code == XYLEM_OK && child; child = xylem_value_next(parent, child), index++) {
        bool after_key = map && index % 2 == 1;
        if (index > 0) {
            code = xylem_buffer_add(buffer, after_key ? ":" : ",", 1);
        }
        if (code == XYLEM_OK) {
            code = map && !after_key ? add_key(buffer, child) : add_value(buffer, child);
        }
    }
    return code < 0 ? code : xylem_buffer_add(buffer, map ? "}" : "]", 1);
}

static int add_value(struct xylem_buffer *buffer, const struct xylem_value *value)
{
    switch (xylem_value_type(value)) {
    case XYLEM_VALUE_BOOL:
        return xylem_base__buffer_add_text(buffer, value->as.boolean ? "true" : "false");
    case XYLEM_VALUE_INT:
        return xylem_base__json_add_integer(buffer, value->as.integer);
    case XYLEM_VALUE_UINT:
        return xylem_base__buffer_add_format(buffer, "%" PRIu64, value->as.unsigned_integer);
    case XYLEM_VALUE_DOUBLE:
        return xylem_buffer_add_json_number(buffer, value->as.number);
    case XYLEM_VALUE_STRING:
        return xylem_buffer_add_json_string(buffer, value->as.string);
    case XYLEM_VALUE_ARRAY:
    case XYLEM_VALUE_MAP:
        return add_children(buffer, value);
    case XYLEM_VALUE_NIL:
    default:
        return xylem_base__buffer_add_text(buffer, "null");
    }
}

int xylem_value_json(struct xylem_buffer *buffer, const struct xylem_value *value)
{
    size_t before = buffer->bytes;
    return undo(buffer, before, add_value(buffer, value));
}
