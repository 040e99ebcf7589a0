/* Searches lists of names in the form of the tables: text with spaces between the names. */
#ifndef XYLEM_POLICY_WORDS_NAMES_H
#define XYLEM_POLICY_WORDS_NAMES_H

#include "judge/policy/words/tables.h"
#include "judge/policy/words/words.h"

/* Returns the next name of `list`, and moves `list` past the name; false at the end. A list may be NULL: no names. */
bool xylem_policy__next_name(struct xylem_view *name, const char **list);

/*
 * True if the entry of a list stands for the name: `NAME*` for every name with the beginning NAME, `*NAME` for every
 * name with the end NAME, `a*.png` for every name with both, `*` for every name.
 */
bool xylem_policy__entry_meets(struct xylem_view entry, struct xylem_view name);

/* True if the text is one of the names, letter by letter. `*` is a character like others here. */
bool xylem_policy__spelt_in(const char *list, struct xylem_view name);

/* True if the text is one of the names, or the beginning of a name. */
bool xylem_policy__begins_one_of(const char *list, struct xylem_view text);

/* The name of a program in the tables: `sed` for `gsed`, `awk` for `original-awk`, otherwise the name itself. */
struct xylem_view xylem_policy__program_of(struct xylem_view name);

/* A list of names from a configuration. `names` is NULL without such a list: the built-in list holds. */
struct xylem_policy__names {
    char **names;
    size_t count;
};

bool xylem_policy__names_hold(const struct xylem_policy__names *names, struct xylem_view name);

#endif
