/* Finds the strings of a payload that a person or a model reads: the searched text. */
#ifndef XYLEM_SEARCH_WORDS_H
#define XYLEM_SEARCH_WORDS_H

#include "base/value.h"
#include "xylem/search.h"

/* A decoded payload. The views live as long as the payload. */
struct xylem_search__words {
    struct xylem_kind kind;
    const struct xylem_value *root;    /* NULL: no payload */
    const struct xylem_value *message; /* the object with the role; NULL: not a message */
    struct xylem_view role;            /* empty: not a message */
    struct xylem_view tool;            /* of a result; else empty */
    bool failed;                       /* a result, an answer or a command that ended in an error */
};

void xylem_search__words_look(struct xylem_search__words *words, struct xylem_kind kind,
                              const struct xylem_value *root);

/* A searched string. */
struct xylem_search__string {
    enum xylem_search_part part;
    struct xylem_view tool; /* of a call or a result; else empty */
    struct xylem_view text;
};

/* Calls `visit` for each searched string, until `visit` returns anything but 0. Returns the last result. */
int xylem_search__words_each(const struct xylem_search__words *words,
                             int (*visit)(void *context, const struct xylem_search__string *string), void *context);

/* The same for any value: all strings but keys and images. */
int xylem_search__words_of_value(const struct xylem_value *value, enum xylem_search_part part,
                                 int (*visit)(void *context, const struct xylem_search__string *string), void *context);

#endif
