/* The damaged places that a search met: noted by any thread, told at the end. */
#ifndef XYLEM_SEARCH_PROBLEMS_H
#define XYLEM_SEARCH_PROBLEMS_H

#include "xylem/session.h"

struct xylem_search__problem {
    uint64_t session; /* 0: not known */
    struct xylem_position position;
    const char *table; /* static */
    struct xylem_buffer entry_id;
    struct xylem_buffer text;
};

/* Start with a zeroed struct. */
struct xylem_search__problems {
    struct xylem_search__problem *list;
    size_t count;
    size_t capacity;
};

/* Adds a problem with the text; the id may be empty. MEMORY leaves the list as it was. */
int xylem_search__problems_add(struct xylem_search__problems *problems, const char *table, uint64_t session,
                               struct xylem_position position, struct xylem_view entry_id, const char *text,
                               struct xylem_error *err);
/* Moves all problems of `from` to `to`. */
int xylem_search__problems_move(struct xylem_search__problems *to, struct xylem_search__problems *from,
                                struct xylem_error *err);
/* Sorts by table and position. */
void xylem_search__problems_sort(struct xylem_search__problems *problems);
void xylem_search__problems_release(struct xylem_search__problems *problems);

#endif
