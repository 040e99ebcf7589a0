/*
 * Finding the row of a table that has a name, without reading the table: the text of the tables is for people. An index
 * is static, filled once, and never changed after that.
 */
#ifndef XYLEM_POLICY_WORDS_NAME_INDEX_H
#define XYLEM_POLICY_WORDS_NAME_INDEX_H

#include "policy/words/words.h"

#define XYLEM_POLICY__INDEX_SLOTS 2048u
#define XYLEM_POLICY__INDEX_BEGINNINGS 32u

struct xylem_policy__indexed {
    struct xylem_view name; /* of what begins with it: without the star */
    const void *row;
};

struct xylem_policy__name_index {
    struct xylem_policy__indexed slots[XYLEM_POLICY__INDEX_SLOTS];
    struct xylem_policy__indexed beginnings[XYLEM_POLICY__INDEX_BEGINNINGS];
    size_t count;
    size_t beginning_count;
};

/*
 * Adds the names of a text, parted by spaces; one that ends in `*` stands for all that begin so. A name that is there
 * already keeps its row. False: the index is full, which a test of the tables shows.
 */
bool xylem_policy__index_add(struct xylem_policy__name_index *index, const char *names, const void *row);

/* The row of a name, or NULL. */
const void *xylem_policy__index_find(const struct xylem_policy__name_index *index, struct xylem_view name);

#endif
