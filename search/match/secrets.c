#include "search/match/secrets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define STARTS_MAX 128u
#define TAIL_BYTES 16u        /* of a match, which are looked at for a placeholder */
#define TAIL_DIFFERENT_MIN 5u /* different bytes among them, or the match is a placeholder such as `xxxx` */

/* A literal with which secrets of a row start. */
struct start {
    struct xylem_view text;
    size_t number;            /* of the row */
    const struct start *next; /* a start of an upper row with the same first byte; NULL: none */
};

struct xylem_match__secrets {
    unsigned char pairs[65536 / 8]; /* a bit for the first two bytes of each start */
    const struct start *first[256]; /* by the first byte */
    struct start starts[STARTS_MAX];
    size_t start_count;
    struct xylem_match__pattern *patterns[XYLEM_SECRETS_MAX];
};

const struct xylem_secret *xylem_secret_row(size_t number)
{
    for (size_t i = 0; xylem_match__secret_rows[i].kind; i++) {
        if (i == number) {
            return &xylem_match__secret_rows[i];
        }
    }
    return NULL;
}

static unsigned pair_at(const char *at)
{
    return (unsigned)(unsigned char)at[0] << 8 | (unsigned char)at[1];
}

/* Adds the starts of a row. tests/search/match/test_secrets.c holds the table to the limits. */
static void add_starts(struct xylem_match__secrets *secrets, size_t number)
{
    const char *at = xylem_match__secret_rows[number].starts;
    while (*at && secrets->start_count < STARTS_MAX) {
        struct start *start = &secrets->starts[secrets->start_count++];
        unsigned pair = pair_at(at);
        const struct start **first = &secrets->first[(unsigned char)*at];
        *start = (struct start){.text = {at, strcspn(at, " ")}, .number = number, .next = *first};
        *first = start;
        secrets->pairs[pair / 8] |= (unsigned char)(1u << pair % 8);
        at += start->text.bytes;
        at += strspn(at, " ");
    }
}

int xylem_match__secrets_new(struct xylem_match__secrets **secrets, struct xylem_error *err)
{
    struct xylem_match__secrets *made = calloc(1, sizeof *made);
    int code = made ? XYLEM_OK : xylem_base__fail_memory(err);
    for (size_t i = 0; code == XYLEM_OK && xylem_match__secret_rows[i].kind; i++) {
        char anchored[XYLEM_PATTERN_BYTES_MAX];
        snprintf(anchored, sizeof anchored, "\\G(?:%s)", xylem_match__secret_rows[i].expression);
        code = xylem_match__new(&made->patterns[i], xylem_view_of(anchored), XYLEM_MATCH__BYTES, err);
        add_starts(made, i);
    }
    if (code < 0) {
        xylem_match__secrets_free(made);
        return code;
    }
    *secrets = made;
    return XYLEM_OK;
}

void xylem_match__secrets_free(struct xylem_match__secrets *secrets)
{
    for (size_t i = 0; secrets && i < XYLEM_SECRETS_MAX; i++) {
        xylem_match__free(secrets->patterns[i]);
    }
    free(secrets);
}

static bool is_alphanumeric(char byte)
{
    char lower = (char)(byte | 0x20);
    return (byte >= '0' && byte <= '9') || (lower >= 'a' && lower <= 'z');
}

/*
 * True if a word begins at the offset. The letter or digit before belongs to no word if it ends
 *
 *     \n  \r  \t     an escape, of JSON inside of a string, and \u003e
 *     %3D            an escape of a URL
 *     [31m           a colour, behind ESC or an escape of ESC, or [K behind a colour: `grep --color` paints matches
 */
static bool begins_word(struct xylem_view text, size_t at)
{
    if (at == 0 || !is_alphanumeric(text.data[at]) || !is_alphanumeric(text.data[at - 1])) {
        return true;
    }
    size_t before = at - 1;
    if (text.data[before] == 'm' || text.data[before] == 'K') {
        while (before > 0 &&
               ((text.data[before - 1] >= '0' && text.data[before - 1] <= '9') || text.data[before - 1] == ';') &&
               at - before < 16) {
            before--;
        }
        return before > 0 && text.data[before - 1] == '[';
    }
    return (at > 1 && text.data[at - 2] == '\\' && strchr("nrtbf", text.data[at - 1])) ||
           (at > 2 && text.data[at - 3] == '%') ||
           (at > 5 && text.data[at - 6] == '\\' && text.data[at - 5] == 'u' && text.data[at - 4] == '0');
}

static bool is_placeholder(struct xylem_view text, const struct xylem_match__range *range)
{
    size_t bytes = range->end - range->start < TAIL_BYTES ? range->end - range->start : TAIL_BYTES;
    const char *tail = text.data + range->end - bytes;
    size_t different = 0;
    for (size_t i = 0; i < bytes; i++) {
        different += !memchr(tail, tail[i], i);
    }
    return different < TAIL_DIFFERENT_MIN;
}

/* Tries the rows with a start at this place. */
static int try_place(struct xylem_match__range *range, size_t *number, struct xylem_match__scratch *scratch,
                     const struct xylem_match__secrets *secrets, struct xylem_view text, size_t at,
                     struct xylem_error *err)
{
    const struct start *start = secrets->first[(unsigned char)text.data[at]];
    int found = 0;
    for (; found == 0 && start; start = start->next) {
        if (start->text.bytes <= text.bytes - at && memcmp(text.data + at, start->text.data, start->text.bytes) == 0) {
            struct xylem_error reason;
            found = xylem_match__find(range, scratch, secrets->patterns[start->number], text, at, &reason);
            *number = start->number;
            if (found == XYLEM_E_LIMIT) { /* a text made to be slow: what cannot be searched is taken for a secret */
                *range = (struct xylem_match__range){at, text.bytes};
                return 1;
            }
            found = found > 0 && is_placeholder(text, range) ? 0 : found;
            if (found < 0) {
                return xylem_base__fail(err, found, "%s: %s", xylem_match__secret_rows[*number].kind, reason.text);
            }
        }
    }
    return found;
}

int xylem_match__secrets_find(struct xylem_match__range *range, size_t *number, struct xylem_match__scratch **scratch,
                              const struct xylem_match__secrets *secrets, struct xylem_view text, size_t from,
                              struct xylem_error *err)
{
    bool begun = from > 0;
    int found = 0;
    for (size_t at = from; found == 0 && at + 1 < text.bytes; at++) {
        unsigned pair = pair_at(text.data + at);
        if (!((unsigned)secrets->pairs[pair / 8] >> pair % 8 & 1u) || !begins_word(text, at)) {
            continue;
        }
        if (!*scratch && xylem_match__scratch_new(scratch, err) < 0) {
            return XYLEM_E_MEMORY;
        }
        if (!begun) {
            xylem_match__begin(*scratch, text);
            begun = true;
        }
        found = try_place(range, number, *scratch, secrets, text, at, err);
    }
    return found;
}
