/* What stands between the quotes of a JSON string. */
#ifndef XYLEM_BASE_JSON_STRING_H
#define XYLEM_BASE_JSON_STRING_H

#include <endian.h>
#include <string.h>

#include "base/value.h"

#define XYLEM_BASE__EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

/*
 * How many ASCII characters that stand for themselves begin there: no controls, no quote, no backslash. Eight at a time
 * are looked at; it stands here because most strings are short, and a call would cost as much as they do.
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
        /* A byte below its bound borrows and so gets its high bit set; so may those above it then, none below it. */
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

/* The bytes of the character of UTF-8 at `text`, 0 where it is ill-formed; a raw surrogate is. */
size_t xylem_base__json_character_bytes(const char *text, size_t bytes);

/*
 * Decodes a string whose escapes are valid into the memory of a tree, which lies still until the tree is cleared.
 * `text_end` is the end of the text that the string stands in. 0 or XYLEM_E_MEMORY.
 */
int xylem_base__json_string_decode(struct xylem_view *decoded, struct xylem_base__tree *tree, struct xylem_view string,
                                   const char *text_end);

#endif
