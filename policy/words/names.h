/* Lists of names as the tables write them: text, in which they are parted by spaces. */
#ifndef XYLEM_POLICY_WORDS_NAMES_H
#define XYLEM_POLICY_WORDS_NAMES_H

#include "policy/words/tables.h"
#include "policy/words/words.h"

/* The next name from `list` on, which moves behind it; false at the end. */
bool xylem_policy__next_name(struct xylem_view *name, const char **list);

/*
 * Does an entry of a list stand for the name? `NAME*` does for all that begin so, `*NAME` for all that end so, `*` for
 * any.
 */
bool xylem_policy__entry_meets(struct xylem_view entry, struct xylem_view name);

/* Is the text one of the names as they are spelt? Nothing stands for others here. */
bool xylem_policy__spelt_in(const char *list, struct xylem_view name);

/* Is the text one of the names, or the beginning of one? */
bool xylem_policy__begins_one_of(const char *list, struct xylem_view text);

/*
 * The name by which the tables know a program: `gsed` is `sed`, `original-awk` is `awk`. The name itself where the
 * tables know no other.
 */
struct xylem_view xylem_policy__program_of(struct xylem_view name);

/* A list of names that a configuration gave. `names` is NULL where it gave none: the built-in list holds. */
struct xylem_policy__names {
    char **names;
    size_t count;
};

bool xylem_policy__names_hold(const struct xylem_policy__names *names, struct xylem_view name);

#endif
