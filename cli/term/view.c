/* Compares and searches byte strings, and parses a number. */
#include "cli/term/term.h"

#include <string.h>

bool xylem_cli__view_equal(struct xylem_view a, struct xylem_view b)
{
    return a.bytes == b.bytes && (a.bytes == 0 || memcmp(a.data, b.data, a.bytes) == 0);
}

char xylem_cli__lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

bool xylem_cli__contains(struct xylem_view text, struct xylem_view part)
{
    for (size_t at = 0; at + part.bytes <= text.bytes; at++) {
        size_t i = 0;
        while (i < part.bytes && xylem_cli__lower(text.data[at + i]) == xylem_cli__lower(part.data[i])) {
            i++;
        }
        if (i == part.bytes) {
            return true;
        }
    }
    return false;
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

bool xylem_cli__begins(struct xylem_view text, struct xylem_view beginning)
{
    return text.bytes >= beginning.bytes && memcmp(text.data, beginning.data, beginning.bytes) == 0;
}
