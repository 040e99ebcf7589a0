/* Reads and checks ASCII, UTF-8 and WTF-8, which is UTF-8 with lone surrogates as three bytes. */
#ifndef XYLEM_BASE_UTF8_H
#define XYLEM_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xylem/base.h"

/*
 * Decodes one character of WTF-8: gives the length, 1 to 4, and the code point (may be NULL). 0 if the bytes at `text`
 * are not a character: overlong, above U+10FFFF, or cut short. A surrogate of three bytes is a character.
 */
size_t xylem_base__wtf8_decode(uint32_t *code_point, const char *text, size_t bytes);

/* Writes a code point as WTF-8 (a surrogate as three bytes) and gives the number of bytes, 1 to 4. */
size_t xylem_base__wtf8_encode(char out[4], uint32_t code_point);

/* The number of ASCII bytes at the beginning of a text. */
size_t xylem_base__ascii_bytes(const char *text, size_t bytes);

/* True if the text is WTF-8, without a surrogate pair as two times three bytes. */
bool xylem_base__wtf8_valid(const char *text, size_t bytes);

/*
 * True if a character is safe to show. Not safe: control characters (C0, DEL, C1), line and paragraph separators,
 * bidirectional controls and surrogates.
 */
bool xylem_base__is_shown(uint32_t code_point);
/* The length of the character at `text` if the character is safe to show, else 0: also for bytes that are not UTF-8. */
size_t xylem_base__utf8_shown_bytes(const char *text, size_t bytes);

/* True for a byte inside of a character, behind the first byte. */
static inline bool xylem_base__utf8_continues(char byte)
{
    return ((unsigned char)byte & 0xC0u) == 0x80u;
}

/* The beginning of a text, of at most so many bytes, which ends with a whole character. Other bytes are cut anywhere. */
struct xylem_view xylem_base__utf8_beginning(struct xylem_view text, size_t bytes_max);

/* The letters of ASCII in lower case; every other byte as it is. */
static inline char xylem_base__lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte | 0x20) : byte;
}

/* True for the white space of ASCII. */
static inline bool xylem_base__is_blank(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* True for the white space of JavaScript's trim(). */
bool xylem_base__is_space(uint32_t code_point);
/* The text without such white space at both ends. */
struct xylem_view xylem_base__trim(struct xylem_view text);

#endif
