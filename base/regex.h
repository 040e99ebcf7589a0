/* Wraps regexec(3), and can search part of a string. */
#ifndef XYLEM_BASE_REGEX_H
#define XYLEM_BASE_REGEX_H

#include <regex.h>
#include <stddef.h>

/*
 * Makes a text ready for xylem_base__regex_find(). Lengths and offsets stay. Where regexec() takes a text up to its
 * first NUL byte only, each NUL becomes SOH: the classes of characters treat both alike.
 */
void xylem_base__regex_prepare(char *text, size_t bytes);

/*
 * Finds the first match in the bytes from `from` up to `to` of a prepared text. Gives the result of regexec(), and the
 * match by its offsets in the text. `^` matches at offset 0 alone, `$` at `to`. text[to] must be writable: the call may
 * change that byte, and puts it back. `regex` was compiled in the C locale.
 */
int xylem_base__regex_find(regmatch_t *match, const regex_t *regex, char *text, size_t from, size_t to);

#endif
