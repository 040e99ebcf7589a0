/* The patterns of a search, compiled. A query does not change after its making: all threads use the same query. */
#ifndef XYLEM_SEARCH_QUERY_H
#define XYLEM_SEARCH_QUERY_H

#include "search/sieve.h"
#include "xylem/search.h"

/* One of the patterns, all of which an entry must have. */
struct xylem_search__term {
    struct xylem_view text;
    bool caseless;
    bool is_regex;
    struct xylem_search__needle needle;   /* of a literal in its own case */
    struct xylem_match__pattern *pattern; /* of all others; else NULL */
};

struct xylem_search__query {
    const struct xylem_search_options *options;
    struct xylem_search__term terms[XYLEM_SEARCH_PATTERNS_MAX]; /* the matches of the first are shown and counted */
    size_t term_count;                                          /* 0: the filters alone */
    struct xylem_search__sieve sieve;                           /* of the longest pattern */
};

/* Errors: ARGUMENT, LIMIT, MALFORMED, MEMORY. Release in any case. */
int xylem_search__query_make(struct xylem_search__query *query, const struct xylem_search_options *options,
                             struct xylem_error *err);
void xylem_search__query_release(struct xylem_search__query *query);

/*
 * Finds the first match of 1 byte or more that begins at or behind `from`: 1 and the range, or 0. A match of a regular
 * expression lies in one line. Errors: LIMIT, MEMORY.
 */
int xylem_search__query_find(struct xylem_match__range *range, const struct xylem_search__term *term,
                             struct xylem_match__scratch *scratch, struct xylem_view text, size_t from,
                             struct xylem_error *err);

#endif
