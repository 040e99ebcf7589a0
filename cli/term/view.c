/* Searches byte strings, counts lines, and parses a number. */
#include "cli/term/term.h"

bool xylem_cli__contains(struct xylem_view text, struct xylem_view part)
{
    for (size_t at = 0; at + part.bytes <= text.bytes; at++) {
        size_t i = 0;
        while (i < part.bytes && xylem_base__lower(text.data[at + i]) == xylem_base__lower(part.data[i])) {
            i++;
        }
        if (i == part.bytes) {
            return true;
        }
    }
    return false;
}

uint64_t xylem_cli__line_count(struct xylem_view text)
{
    uint64_t count = text.bytes > 0 && text.data[text.bytes - 1] != '\n' ? 1 : 0;
    for (size_t i = 0; i < text.bytes; i++) {
        count += text.data[i] == '\n';
    }
    return count;
}

bool xylem_cli__number(uint64_t *number, const char *text)
{
    uint64_t value = 0;
    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' || __builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value)) {
            return false;
        }
    }
    *number = value;
    return true;
}
