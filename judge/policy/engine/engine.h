/*
 * judge/policy/engine/ judges a command: it walks the tree, looks through wrappers and builtins at the commands inside,
 * follows the values of variables, and asks the rules of a policy about each command.
 * judge/policy/engine/ knows no policy: the rules of a policy come in as a table of functions (judge.h).
 * Begin reading at judge.c, then walk.c and wrappers.c. A rule refuses through verdict.h.
 * Other rooms may include: builtins.h engine.h environment.h grants.h judge.h network.h raw_text.h variables.h verdict.h
 * wrappers.h
 */
#ifndef XYLEM_POLICY_ENGINE_ENGINE_H
#define XYLEM_POLICY_ENGINE_ENGINE_H

#include "judge/policy/engine/judge.h"

#define XYLEM_POLICY__PLACES_MAX 4u /* directories in which a shell may stand; with more the place is unknown */

/* The directories in which the shell may stand. An empty path is the directory in which the command was started. */
struct xylem_policy__place {
    bool unknown;
    size_t count;
    struct xylem_view paths[XYLEM_POLICY__PLACES_MAX];
};

#define XYLEM_POLICY__KNOWN_MAX 16u

/* Knowledge of a variable's value: each bit holds for every value that the variable may have. */
enum xylem_policy__known {
    XYLEM_POLICY__KNOWN_NOTHING = 0,
    XYLEM_POLICY__KNOWN_NO_DEVICE = 1, /* no path below /dev */
    XYLEM_POLICY__KNOWN_NO_OPTION = 2, /* begins with a letter, a digit, `.` or `/`, or is empty */
    XYLEM_POLICY__KNOWN_PLAIN = 4,     /* letters, digits and `._/` alone: no glob, no blank */
    XYLEM_POLICY__KNOWN_THERE = 8,     /* not empty */
    XYLEM_POLICY__KNOWN_DIGITS = 16,

    XYLEM_POLICY__KNOWN_FILE = XYLEM_POLICY__KNOWN_NO_DEVICE | XYLEM_POLICY__KNOWN_THERE,
    XYLEM_POLICY__KNOWN_OPERAND = XYLEM_POLICY__KNOWN_FILE | XYLEM_POLICY__KNOWN_NO_OPTION,
    XYLEM_POLICY__KNOWN_WORD = XYLEM_POLICY__KNOWN_OPERAND | XYLEM_POLICY__KNOWN_PLAIN,
    XYLEM_POLICY__KNOWN_NUMBER = XYLEM_POLICY__KNOWN_WORD | XYLEM_POLICY__KNOWN_DIGITS,
    /* What git prints for revisions: hashes on lines, or nothing. Without quotes the word may vanish. */
    XYLEM_POLICY__KNOWN_HASHES =
        XYLEM_POLICY__KNOWN_NO_DEVICE | XYLEM_POLICY__KNOWN_NO_OPTION | XYLEM_POLICY__KNOWN_PLAIN,
};

/* A variable that is known between two places of the text, or one setting of a variable (variables.h). */
struct xylem_policy__variable {
    struct xylem_view name;
    unsigned known; /* bits of xylem_policy__known */
    const char *from;
    const char *to;
};

/* A word that is undecided unless its variable is known. The answer comes after the walk. */
struct xylem_policy__expansion {
    struct xylem_view at;
    struct xylem_view name;
    unsigned known; /* the bits that the word needs */
    const char *rule;
    const char *why;
    size_t record; /* of the command around the word */
    struct xylem_policy__expansion *next;
};

/* A text under judgement: the command, or the code in a word of an outer text. */
struct xylem_policy__frame {
    struct xylem_policy__frame *outer; /* NULL: the command itself */
    struct xylem_view text;
    struct xylem_view at;                       /* the word of the outer text with the code */
    const struct xylem_shell__text **unescaped; /* parts of the text, in the order of the addresses of the copies */
    size_t unescaped_count;
    struct xylem_policy__expansion *expansions; /* the newest first */
    size_t value_begin;                         /* the words of the text in the judge's values */
    size_t value_end;
    bool input_asked; /* the policy was asked about code that a shell reads from input */
    bool input_passed;
};

/* The words of all texts: the name of a program may come from any of these words (xylem_policy__values()). */
struct xylem_policy__value_words {
    const struct xylem_shell__word **words;
    size_t count;
    size_t capacity;
    size_t seen[XYLEM_POLICY__SEARCHES];
};

/* The value of a variable while a rule is asked about the variable; else zeroed. */
struct xylem_policy__set_value {
    const struct xylem_shell__word *value; /* NULL: not in the text */
    bool behind_name;                      /* the word is NAME=value */
    bool partial;                          /* the variable keeps, or gets, more than the value */
};

/* The knowledge of variables.c about the variables of the command. */
struct xylem_policy__variables {
    struct xylem_policy__variable known[XYLEM_POLICY__KNOWN_MAX];
    size_t known_count;
    struct xylem_policy__variable settings[XYLEM_POLICY__KNOWN_MAX]; /* to other values than numbers */
    size_t setting_count;
    bool settings_lost;   /* there were more settings than places */
    size_t sibling_steps; /* of the search for known variables, from a command to the next; a test limits them */
};

/* The command that a person's rule allows, while the policy's rules are asked about it: their refusals do not count. */
struct xylem_policy__lifted {
    size_t record; /* of the command, plus one; 0: none */
    const struct xylem_policy__taught_rule *rule;
};

struct xylem_policy__judge {
    const struct xylem_policy *policy;
    struct xylem_verdict *verdict;
    struct xylem_shell__arena arena;
    struct xylem_policy__frame *frame;
    unsigned code_depth;         /* texts around this one */
    unsigned wrapper_depth;      /* wrappers around the command under judgement */
    uint32_t depth;              /* commands around that command */
    size_t current;              /* the record in verdict->judged of the command under judgement, plus one; 0: none */
    const char *refused_outside; /* the rule of the last refusal in this text outside of a record; NULL: none */
    size_t refusal_count;
    size_t granted_count; /* refusals that a person can grant */
    struct xylem_policy__lifted lifted;
    const struct xylem_policy__taught_rule *refusing; /* the taught rule that refuses now, with its own decision */
    const char *allowed_by; /* the first taught rule without which something would be refused; NULL: none */
    bool unread;            /* something was not understood or not decidable, and passed */
    unsigned guess_count;
    bool failed; /* no memory; arena.failed says the same of the arena */
    struct xylem_policy__place place;
    unsigned directory_changes;
    bool reads_paths; /* find writes paths with NUL into the input of the command, and no path begins like an option */
    bool elsewhere;   /* within ssh, chroot, unshare and parallel: paths, or arguments, are not what they seem */
    struct xylem_policy__value_words values;
    struct xylem_policy__set_value set;
    struct xylem_policy__variables variables;
};

/* engine_tables.txt explains these lists. */
extern const char xylem_policy__hash_options[];
extern const char xylem_policy__set_by_shell[];
extern const char xylem_policy__ssh_settings[];

/* variables.c: notes that a variable is set, and asks the policy's rules about it. */
bool xylem_policy__judge_variable(struct xylem_policy__judge *judge, struct xylem_view name,
                                  enum xylem_policy__setting setting, const struct xylem_policy__command *command);

/* wrappers.c: true for `find . -print0` and the like, without other output. */
bool xylem_policy__prints_paths(struct xylem_policy__judge *judge, const struct xylem_shell__node *node);

/* walk.c: parses and judges a text in a frame of its own. */
void xylem_policy__judge_text(struct xylem_policy__judge *judge, struct xylem_view text, struct xylem_view at);

/*
 * judge.c: judges a literal word that a shell may read as code. The records of the code stay only if
 * something in the code is refused.
 */
bool xylem_policy__judge_possible_code(struct xylem_policy__judge *judge, const struct xylem_shell__word *word,
                                       const char *rule);

/* verdict.c: empties the verdict, and keeps the memory of its lists. */
void xylem_policy__verdict_clear(struct xylem_verdict *verdict);

/* verdict.c: empties the grants of the verdict, and keeps the memory of the list. */
void xylem_policy__forget_grants(struct xylem_verdict *verdict);

/* verdict.c: adds a copy of the text to a list of the verdict, once. False: no memory. */
bool xylem_policy__add_once(struct xylem_policy__judge *judge, struct xylem_buffer **list, size_t *count,
                            size_t *capacity, struct xylem_view text);

/* verdict.c: true if a taught rule allows the command under judgement. */
bool xylem_policy__is_lifted(const struct xylem_policy__judge *judge);

/* verdict.c: adds a record of the command. The record is allowed until a rule refuses the command. */
bool xylem_policy__add_record(struct xylem_policy__judge *judge, const struct xylem_policy__command *command);

/*
 * verdict.c: marks the record (index plus one) as refused by the rule, unless another rule refused the
 * record before.
 */
void xylem_policy__refuse_record(struct xylem_policy__judge *judge, size_t record, const char *rule);

/* place.c */
/* Adds the directories of `other`: the shell stands in one of all. */
void xylem_policy__place_join(struct xylem_policy__place *place, const struct xylem_policy__place *other);
/* The shell goes to a directory; NULL: an unknown directory. */
void xylem_policy__place_change(struct xylem_policy__judge *judge, const struct xylem_view *directory);
/* Follows `cd`, `pushd` and `popd`. */
void xylem_policy__place_follow(struct xylem_policy__judge *judge, const struct xylem_policy__command *command);

/*
 * wrappers.c: judges the inner command of a wrapper. builtins.c: judges the arguments of a
 * builtin.
 */
bool xylem_policy__judge_wrapped(struct xylem_policy__judge *judge, const struct xylem_policy__command *command);
bool xylem_policy__judge_builtin(struct xylem_policy__judge *judge, const struct xylem_policy__command *command);

#endif
