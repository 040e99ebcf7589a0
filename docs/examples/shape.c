#include "shape.h"
#include <stdio.h>

const char *shape_problem(const struct xylem_visit *visit)
{
    if (visit->data_code == XYLEM_E_REDACTED) {
        return "the data was redacted";
    }
    if (visit->data_code < 0) {
        return "the data cannot be decoded";
    }
    return xylem_value_type(visit->data) == XYLEM_VALUE_MAP ? NULL : "the data is not a map";
}

bool shape_string(struct xylem_view *text, const struct xylem_value *value, size_t bytes_min, size_t bytes_max)
{
    if (xylem_value_type(value) != XYLEM_VALUE_STRING) {
        return false;
    }
    *text = xylem_value_string(value);
    return text->bytes >= bytes_min && text->bytes <= bytes_max;
}

/* The length of the character at `at`; 0 for no character. */
static size_t character_bytes(const unsigned char *at, size_t left)
{
    if (at[0] < 0x80) {
        return 1;
    }
    size_t bytes = at[0] < 0xC2 ? 0 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : at[0] < 0xF5 ? 4 : 0;
    if (bytes == 0 || bytes > left) {
        return 0;
    }
    /* The second byte tells overlong forms, and characters beyond U+10FFFF. */
    unsigned char low = at[0] == 0xE0 ? 0xA0 : at[0] == 0xF0 ? 0x90 : 0x80;
    unsigned char high = at[0] == 0xF4 ? 0x8F : 0xBF;
    if (at[1] < low || at[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < bytes; i++) {
        if (at[i] < 0x80 || at[i] > 0xBF) {
            return 0;
        }
    }
    return bytes;
}

/* With 0xA0: U+D800 to U+DBFF; with 0xB0: U+DC00 to U+DFFF. WTF-8 adds these halves of pairs to UTF-8. */
static bool is_surrogate(const unsigned char *at, unsigned char half)
{
    return at[0] == 0xED && (at[1] & 0xF0) == half;
}

bool shape_is_wtf8(struct xylem_view text)
{
    const unsigned char *bytes = (const unsigned char *)text.data;
    bool after_high = false;
    for (size_t at = 0; at < text.bytes;) {
        size_t width = character_bytes(bytes + at, text.bytes - at);
        if (width == 0 || (after_high && width == 3 && is_surrogate(bytes + at, 0xB0))) {
            return false;
        }
        after_high = width == 3 && is_surrogate(bytes + at, 0xA0);
        at += width;
    }
    return true;
}

int shape_fail(struct xylem_error *err, int code, const char *text)
{
    if (err) {
        err->code = code;
        snprintf(err->text, sizeof err->text, "%s", text);
    }
    return code;
}
