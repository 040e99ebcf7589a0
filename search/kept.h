/* The newest hits so far: of a thread, then of the whole search. */
#ifndef XYLEM_SEARCH_KEPT_H
#define XYLEM_SEARCH_KEPT_H

#include "xylem/search.h"

/* A hit with its own bytes. The views of `hit` lie in `bytes`. */
struct xylem_search__kept_hit {
    struct xylem_search_hit hit;
    char *bytes;
    uint64_t order; /* of lines in quarantine: the number of the line in the order of the table */
};

/* Start with a zeroed struct and `max`. */
struct xylem_search__kept {
    struct xylem_search__kept_hit *list;
    size_t count;
    size_t capacity;
    uint64_t max;     /* 1 or more: hits that are kept */
    bool full;        /* `list` once had more than `max` hits */
    int64_t least_ms; /* then: time and lsn of the last hit that is kept for sure */
    uint64_t least_lsn;
};

/* True if a hit of this time and lsn would be kept. */
bool xylem_search__kept_takes(const struct xylem_search__kept *kept, int64_t time_ms, uint64_t lsn);
/* Adds a copy. The kind, ids, role, tool and text are copied; `sessions` is not. */
int xylem_search__kept_add(struct xylem_search__kept *kept, const struct xylem_search_hit *hit, uint64_t order,
                           struct xylem_error *err);
/* Moves all hits of `from` to `to`. */
int xylem_search__kept_move(struct xylem_search__kept *to, struct xylem_search__kept *from, struct xylem_error *err);
/* Sorts, the newest hit first, and drops hits beyond `max`. */
void xylem_search__kept_sort(struct xylem_search__kept *kept);
void xylem_search__kept_release(struct xylem_search__kept *kept);

#endif
