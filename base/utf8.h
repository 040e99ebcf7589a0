/* UTF-8, and WTF-8: UTF-8 in which a lone surrogate may stand as three bytes. */
#ifndef XYLEM_BASE_UTF8_H
#define XYLEM_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decodes one character of WTF-8: its bytes (1 to 4) and, unless NULL, the code point; 0 if the bytes at `text` are no
 * character (overlong forms, more than U+10FFFF, cut short). A surrogate of three bytes counts as a character.
 */
size_t xylem_base__wtf8_decode(uint32_t *code_point, const char *text, size_t bytes);

/* Writes a code point as WTF-8 (a surrogate as three bytes) and gives the number of bytes, 1 to 4. */
size_t xylem_base__wtf8_encode(char out[4], uint32_t code_point);

/* How many bytes of ASCII begin there. */
size_t xylem_base__ascii_bytes(const char *text, size_t bytes);

/* Is all of it WTF-8, with no surrogate pair spelt as two times three bytes? */
bool xylem_base__wtf8_valid(const char *text, size_t bytes);

/*
 * The bytes of the character at `text` if it can be shown to a person as it is, else 0: not for control characters
 * (C0, DEL, C1), line and paragraph separators, bidirectional controls, surrogates, or bytes that are no UTF-8.
 */
size_t xylem_base__utf8_shown_bytes(const char *text, size_t bytes);

#endif
