#include "sequence/step.h"

#include <string.h>

#include "base/utf8.h"

size_t xylem_sequence__control_at(struct xylem_view text)
{
    bool after_high = false;
    for (size_t at = 0; at < text.bytes;) {
        uint32_t code_point = 0;
        size_t bytes = xylem_base__wtf8_decode(&code_point, text.data + at, text.bytes - at);
        bool low = code_point >= 0xDC00 && code_point <= 0xDFFF;
        bool line = code_point == '\t' || code_point == '\n' || code_point == '\r';
        bool control = (code_point < 0x20 && !line) || code_point == 0x7F;
        if (bytes == 0 || control || (after_high && low)) {
            return at;
        }
        after_high = code_point >= 0xD800 && code_point <= 0xDBFF;
        at += bytes;
    }
    return text.bytes;
}

size_t xylem_sequence__space_at(struct xylem_view text)
{
    size_t at = 0;
    while (at < text.bytes) {
        uint32_t code_point = 0;
        size_t bytes = xylem_base__wtf8_decode(&code_point, text.data + at, text.bytes - at);
        if (xylem_base__is_space(code_point)) {
            break;
        }
        at += bytes > 0 ? bytes : 1;
    }
    return at;
}

struct xylem_sequence__parts xylem_sequence__step_parse(struct xylem_view raw)
{
    struct xylem_sequence__parts parts = {.problem = XYLEM_STEP_FINE};
    if (raw.bytes > XYLEM_STEP_BYTES_MAX) {
        parts.problem = XYLEM_STEP_TOO_LONG;
        return parts;
    }
    parts.control_at = xylem_sequence__control_at(raw);
    if (parts.control_at < raw.bytes) {
        parts.problem = XYLEM_STEP_CONTROL;
        return parts;
    }
    parts.trimmed = xylem_base__trim(raw); /* hosts trim an input before they look at its first character */
    if (parts.trimmed.bytes == 0) {
        parts.problem = XYLEM_STEP_EMPTY;
    } else if (parts.trimmed.data[0] == '!') {
        parts.problem = XYLEM_STEP_SHELL;
    } else if (parts.trimmed.data[0] == '/') { /* `/name args`: the name ends at the first white space */
        struct xylem_view rest = {parts.trimmed.data + 1, parts.trimmed.bytes - 1};
        size_t end = xylem_sequence__space_at(rest);
        if (end == 0 || end > XYLEM_COMMAND_NAME_BYTES_MAX || memchr(rest.data, '/', end)) {
            parts.problem = XYLEM_STEP_MALFORMED; /* mostly the path of a file */
            return parts;
        }
        parts.slash = true;
        parts.name = (struct xylem_view){rest.data, end};
        parts.args = xylem_base__trim((struct xylem_view){rest.data + end, rest.bytes - end});
    }
    return parts;
}
