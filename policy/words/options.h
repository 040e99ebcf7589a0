/*
 * Reading the options of a command as the command would, by a list of those that it is known to take.
 *
 * The list is text, so that it reads as documentation: names parted by spaces. `-n` and `--name` take nothing, `-n:`
 * and `--name:` take a value (glued, behind `=`, or as the next word), `-n?` and `--name?` only a glued one (`-nVALUE`,
 * `--name=VALUE`), and `-n#?` only glued digits, up to eight, behind which other letters may stand. One letter options
 * may stand together behind one dash. A name of one dash and more letters, such as `-maxdepth:`, is matched whole
 * before letters are. `-#` is a dash and digits. Abbreviations of long names are unknown, unless `abbreviated` is set:
 * then the last name of the list that begins so counts.
 */
#ifndef XYLEM_POLICY_WORDS_OPTIONS_H
#define XYLEM_POLICY_WORDS_OPTIONS_H

#include "policy/words/names.h"

enum xylem_policy__option_type {
    XYLEM_POLICY__OPTION_END = 0, /* no words are left */
    XYLEM_POLICY__OPTION_KNOWN,   /* `name`, and `value` where it takes one */
    XYLEM_POLICY__OPTION_OPERAND, /* `word` is no option */
    XYLEM_POLICY__OPTION_UNKNOWN, /* `word` is, or holds, one that the list does not have, or lacks its value */
    XYLEM_POLICY__OPTION_UNCLEAR, /* `word` is not literal, and might become one */
};

struct xylem_policy__option {
    enum xylem_policy__option_type type;
    const struct xylem_shell__word *word;
    struct xylem_view name; /* as the list spells it, without what follows: "-n", "--name" */
    bool has_value;
    struct xylem_view value;                    /* its characters, as far as they are known */
    const struct xylem_shell__word *value_word; /* the word that it is, or that it stands in */
    bool value_literal;
};

struct xylem_policy__options {
    const struct xylem_shell__word *const *words;
    size_t count;
    size_t at;     /* the next word */
    size_t letter; /* in the word before it: the next letter that stands together with others; 0: none */
    const char *list;
    bool first_operand_ends; /* no option stands behind the first operand (env, xargs, nice); else they may mix (GNU) */
    bool dashes_seen;        /* `--` was read: only operands are left */
    bool no_dashes;          /* it does not know `--` */
    bool abbreviated;        /* long names may be abbreviated, as GNU's programs take them */
};

/* Reads the words behind the first, the command's name. */
struct xylem_policy__options xylem_policy__options_of(const struct xylem_shell__word *const *words, size_t count,
                                                      const char *list);

struct xylem_policy__option xylem_policy__options_next(struct xylem_policy__options *options);

/*
 * Does an entry of the list stand for the name (policy/words/names.h)? Entries may be options too: what follows their names
 * does not count.
 */
bool xylem_policy__listed(const char *list, struct xylem_view name);

/* The row of a table that has the name, or NULL. */
const struct xylem_policy__table_row *xylem_policy__find_row(const struct xylem_policy__table_row *rows,
                                                             struct xylem_view name);

#endif
