#include "base/regex.h"

#include <ctype.h>
#include <locale.h>
#include <stdbool.h>

#ifdef REG_STARTEND /* glibc and the BSDs take both ends of a part; musl does not */

void xylem_base__regex_prepare(char *text, size_t bytes)
{
    (void)text;
    (void)bytes;
}

int xylem_base__regex_find(regmatch_t *match, const regex_t *regex, char *text, size_t from, size_t to)
{
    match->rm_so = (regoff_t)from;
    match->rm_eo = (regoff_t)to;
    return regexec(regex, text, 1, match, REG_STARTEND);
}

#else

void xylem_base__regex_prepare(char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        text[i] = text[i] == '\0' ? '\x01' : text[i];
    }
}

/* Matches the text from `from` up to its NUL. `^` matches at offset 0 alone. */
static int match_rest(regmatch_t *match, const regex_t *regex, const char *text, size_t from)
{
    int result = regexec(regex, text + from, 1, match, from > 0 ? REG_NOTBOL : 0);
    match->rm_so += (regoff_t)from;
    match->rm_eo += (regoff_t)from;
    return result;
}

/*
 * `\<` and `\B` ask whether the byte before a match belongs to a word, but the matcher never sees the byte before its
 * text. After a word's byte the matcher begins one byte earlier, with a stand-in there. If the match
 * includes the stand-in, the pattern is matched again without: the pattern may take `from` for the beginning of a word.
 */
static int match_after_word(regmatch_t *match, const regex_t *regex, char *text, size_t from)
{
    char before = text[from - 1];
    text[from - 1] = '_';
    int result = match_rest(match, regex, text, from - 1);
    text[from - 1] = before;
    bool is_stand_in = result == 0 && (size_t)match->rm_so < from;
    return is_stand_in ? match_rest(match, regex, text, from) : result;
}

int xylem_base__regex_find(regmatch_t *match, const regex_t *regex, char *text, size_t from, size_t to)
{
    char behind = text[to];
    /* musl reads a text by the locale of the thread. The object for this locale is static. */
    locale_t before = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
    text[to] = '\0';
    bool after_word = from > 0 && (isalnum((unsigned char)text[from - 1]) || text[from - 1] == '_');
    int result = after_word ? match_after_word(match, regex, text, from) : match_rest(match, regex, text, from);
    text[to] = behind;
    uselocale(before);
    return result;
}

#endif
