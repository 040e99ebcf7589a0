/* Reads the name of a session from the payload of a `session_info` entry. */
#include "base/utf8.h"
#include "branch/labels.h"

/* The white space of JavaScript's trim(): pi trims a session's name. */
static bool is_space(uint32_t code_point)
{
    return (code_point >= 0x09 && code_point <= 0x0D) || code_point == 0x20 || code_point == 0xA0 ||
           code_point == 0x1680 || (code_point >= 0x2000 && code_point <= 0x200A) || code_point == 0x2028 ||
           code_point == 0x2029 || code_point == 0x202F || code_point == 0x205F || code_point == 0x3000 ||
           code_point == 0xFEFF;
}

static struct xylem_view trimmed(struct xylem_view text)
{
    size_t begin = text.bytes;
    size_t end = 0;
    size_t at = 0;
    while (at < text.bytes) {
        uint32_t code_point = 0;
        size_t bytes = xylem_base__wtf8_decode(&code_point, text.data + at, text.bytes - at);
        size_t after = at + (bytes ? bytes : 1);
        if (bytes == 0 || !is_space(code_point)) {
            begin = begin < at ? begin : at;
            end = after;
        }
        at = after;
    }
    return end ? (struct xylem_view){text.data + begin, end - begin} : (struct xylem_view){NULL, 0};
}

bool xylem_branch__text_of(struct xylem_view *text, const struct xylem_value *value)
{
    *text = xylem_value_string(value);
    return xylem_value_type(value) == XYLEM_VALUE_STRING || xylem_value_type(value) == XYLEM_VALUE_NIL;
}

bool xylem_branch__name_of(struct xylem_view *name, const struct xylem_value *payload)
{
    struct xylem_view text;
    /* Without a payload the entry removes the name, like a payload without a member `name`. */
    if ((payload && xylem_value_type(payload) != XYLEM_VALUE_MAP) ||
        !xylem_branch__text_of(&text, xylem_value_get(payload, "name"))) {
        return false;
    }
    *name = trimmed(text);
    return true;
}
