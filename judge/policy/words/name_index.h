/*
 * Indexes the names of a table by hash: the tables are text for people, and reading them at each lookup takes long. An
 * index is static, is filled once, and never changes after that.
 */
#ifndef XYLEM_POLICY_WORDS_NAME_INDEX_H
#define XYLEM_POLICY_WORDS_NAME_INDEX_H

#include "judge/policy/words/words.h"

#define XYLEM_POLICY__INDEX_SLOTS 4096u
#define XYLEM_POLICY__INDEX_BEGINNINGS 32u

struct xylem_policy__indexed {
    struct xylem_view name; /* in `beginnings`: without the star */
    const void *row;
};

struct xylem_policy__name_index {
    struct xylem_policy__indexed slots[XYLEM_POLICY__INDEX_SLOTS];
    struct xylem_policy__indexed beginnings[XYLEM_POLICY__INDEX_BEGINNINGS];
    size_t count;
    size_t beginning_count;
};

/*
 * Adds the names of a text with spaces between the names; `NAME*` stands for every name with the beginning NAME. A name
 * that the index already has keeps its row. False: the index is full; a test of the tables fails then.
 */
bool xylem_policy__index_add(struct xylem_policy__name_index *index, const char *names, const void *row);

/* The row of a name, or NULL. */
const void *xylem_policy__index_find(const struct xylem_policy__name_index *index, struct xylem_view name);

#endif
