/* Decodes the text between the quotes of a JSON string. */
#ifndef XYLEM_BASE_JSON_STRING_H
#define XYLEM_BASE_JSON_STRING_H

#include <endian.h>
#include <string.h>

#include "base/value.h"

#define XYLEM_BASE__EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

/*
 * Counts the plain ASCII characters at the beginning of a text: no control, quote or backslash. Checks eight bytes at a
 * time. Inline, because most strings are short, and a call would take as long as the loop.
 */
static inline size_t xylem_base__json_plain_bytes(const char *text, size_t bytes)
{
    size_t count = 0;
    for (; bytes - count >= 8; count += 8) {
        uint64_t word;
        memcpy(&word, text + count, 8);
        word = le64toh(word); /* the first character is the lowest byte */
        uint64_t from_quote = word ^ XYLEM_BASE__EACH_BYTE('"');
        uint64_t from_backslash = word ^ XYLEM_BASE__EACH_BYTE('\\');
        /*
         * A byte below its bound borrows, which sets its high bit. A borrow may set higher bytes, too, but never lower
         * ones.
         */
        uint64_t found = (word - XYLEM_BASE__EACH_BYTE(0x20)) | (from_quote - XYLEM_BASE__EACH_BYTE(1)) |
                         (from_backslash - XYLEM_BASE__EACH_BYTE(1)) | word;
        found &= XYLEM_BASE__EACH_BYTE(0x80);
        if (found) {
            return count + (size_t)__builtin_ctzll(found) / 8;
        }
    }
    while (count < bytes && (signed char)text[count] >= 0x20 && text[count] != '"' && text[count] != '\\') {
        count++;
    }
    return count;
}

/* The length of the UTF-8 character at `text`; 0 if the character is ill-formed, or a surrogate. */
size_t xylem_base__json_character_bytes(const char *text, size_t bytes);

/*
 * The closing quote of the string around `at`, a place between two characters. NULL if `end`, a control character or an
 * escape that JSON lacks comes first. Clears `spelt` at an escape or ill-formed UTF-8: the text is not the value.
 */
const char *xylem_base__json_string_end(bool *spelt, const char *at, const char *end);

/*
 * Decodes a string with valid escapes into the memory of a tree. The decoded bytes stay in place until the tree is
 * cleared. `text_end` is the end of the whole JSON text. 0 or XYLEM_E_MEMORY.
 */
int xylem_base__json_string_decode(struct xylem_view *decoded, struct xylem_base__tree *tree, struct xylem_view string,
                                   const char *text_end);

#endif
