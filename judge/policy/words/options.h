/*
 * Reads the options of a command like the command itself, by a list of the known options.
 *
 * The list is text, so that the list reads as documentation, with spaces between the names:
 *
 *     -n --name      take no value
 *     -n: --name:    take a value: -nVALUE, -n VALUE, --name=VALUE, --name VALUE
 *     -n? --name?    take a glued value only: -nVALUE, --name=VALUE
 *     -n#?           takes glued digits only, eight at most; other letters may follow the digits: -n5v
 *     -#             a dash and digits: -5
 *     -maxdepth:     one dash and several letters: the whole word is compared before the letters are
 *
 * Options of one letter may stand together after one dash: -lav. An abbreviation of a long name is unknown, unless
 * `abbreviated` is set: then the last name of the list with that beginning counts.
 */
#ifndef XYLEM_POLICY_WORDS_OPTIONS_H
#define XYLEM_POLICY_WORDS_OPTIONS_H

#include "judge/policy/words/names.h"

enum xylem_policy__option_type {
    XYLEM_POLICY__OPTION_END = 0, /* no words are left */
    XYLEM_POLICY__OPTION_KNOWN,   /* `name`, and `value` if the option takes a value */
    XYLEM_POLICY__OPTION_OPERAND, /* `word` is no option */
    XYLEM_POLICY__OPTION_UNKNOWN, /* `word` has an option that is not in the list, or that lacks its value */
    XYLEM_POLICY__OPTION_UNCLEAR, /* `word` is not literal, and bash may expand the word to an option */
};

struct xylem_policy__option {
    enum xylem_policy__option_type type;
    const struct xylem_shell__word *word;
    struct xylem_view name; /* in the spelling of the list, without `:` or `?`: "-n", "--name" */
    bool has_value;
    struct xylem_view value;                    /* the known characters of the value */
    const struct xylem_shell__word *value_word; /* the word with the value in it */
    bool value_literal;
};

struct xylem_policy__options {
    const struct xylem_shell__word *const *words;
    size_t count;
    size_t at;     /* the next word */
    size_t letter; /* the next letter in the word before `at`, in -lav; 0: none */
    const char *list;
    bool first_operand_ends; /* no option follows the first operand (env, xargs); false: both mix (GNU) */
    bool dashes_seen;        /* `--` was read: only operands follow */
    bool no_dashes;          /* the command does not know `--` */
    bool abbreviated;        /* long names may be abbreviated, like for GNU's programs */
};

/* Begins at the second word; the first word is the name of the command. */
struct xylem_policy__options xylem_policy__options_of(const struct xylem_shell__word *const *words, size_t count,
                                                      const char *list);

struct xylem_policy__option xylem_policy__options_next(struct xylem_policy__options *options);

/*
 * True if an entry of the list stands for the name (xylem_policy__entry_meets()). In lists of options, `:` and `?`
 * behind the names do not count.
 */
bool xylem_policy__listed(const char *list, struct xylem_view name);

/* One list of all options of the lists. A list may be NULL. Without memory the list is empty. */
const char *xylem_policy__lists_joined(struct xylem_shell__arena *arena, const char *const *lists, size_t count);

/* The row with the name, or NULL. */
const struct xylem_policy__table_row *xylem_policy__find_row(const struct xylem_policy__table_row *rows,
                                                             struct xylem_view name);

#endif
