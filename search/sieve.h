/*
 * Says of the raw bytes of a payload whether a literal can be in one of its strings: most payloads need not be decoded.
 * A sieve lets a payload through that has no match, but never holds back a payload with a match.
 */
#ifndef XYLEM_SEARCH_SIEVE_H
#define XYLEM_SEARCH_SIEVE_H

#include "search/match/pattern.h"
#include "search/needle.h"

/* The longest run of the literal that every payload with a match has. */
struct xylem_search__run {
    struct xylem_buffer text;
    struct xylem_search__needle needle;
    struct xylem_match__pattern *pattern; /* in place of the needle: without case, a run beyond ASCII */
};

struct xylem_search__sieve {
    bool all;                                           /* everything passes */
    bool any_escape;                                    /* `\u001b`, too, may be a character of the literal */
    bool folds_s, folds_k;                              /* U+017F and U+212A are other cases of `s` and `k` */
    struct xylem_search__needle escape, long_s, kelvin; /* `\u` and the two letters, in UTF-8 */
    struct xylem_search__run json;                      /* as JSON spells the run */
    struct xylem_search__run binary;                    /* as msgpack spells the run */
};

/* `literal` is UTF-8. Errors: MEMORY. Release in any case. */
int xylem_search__sieve_make(struct xylem_search__sieve *sieve, struct xylem_view literal, bool caseless,
                             struct xylem_error *err);
/* 1 if the payload passes, else 0. Errors: MEMORY, LIMIT. */
int xylem_search__sieve_passes(const struct xylem_search__sieve *sieve, struct xylem_match__scratch *scratch,
                               struct xylem_view payload, bool is_json, struct xylem_error *err);
void xylem_search__sieve_release(struct xylem_search__sieve *sieve);

#endif
