/*
 * The one engine under the policies. It parses, walks the tree, sees through wrappers, and asks the policy's rules about
 * every command, redirection and assignment. A rule answers true (nothing against it) or refuses, and the first refusal
 * decides.
 */
#ifndef XYLEM_POLICY_JUDGE_H
#define XYLEM_POLICY_JUDGE_H

#include "policy/syntax.h"
#include "policy/tables.h"

/* A simple command, or one that stands behind a wrapper: `env NAME=value git log` is judged as `git log` too. */
struct xylem_policy__command {
    const struct xylem_policy__word *const *words; /* the first is the name */
    size_t count;
    const struct xylem_policy__node *node; /* the simple command that it stands in */
    struct xylem_view raw;
    struct xylem_view name; /* basename of the first word; empty where that is not literal */
    bool behind_wrapper;
    bool appended; /* xargs or find -exec put operands that nobody knows among these words, or behind them */
};

struct xylem_policy__judge;

/* How a variable is set. */
enum xylem_policy__setting {
    XYLEM_POLICY__SET_PREFIX = 0, /* VAR=value command */
    XYLEM_POLICY__SET_BARE,       /* VAR=value */
    XYLEM_POLICY__SET_BY_ENV,     /* env VAR=value */
    XYLEM_POLICY__SET_OTHERWISE,  /* read, printf -v, for, ${x:=}, declare, {fd}>, arithmetic ... */
};

/* A policy's rules. Each function refuses through xylem_policy__refuse() or ..._undecided(), and gives what that gave. */
struct xylem_policy__rules {
    const char *name;
    enum xylem_decision refusal; /* what it means to be refused: ask or deny */
    /* Programs that a name which is not literal must not become, where the policy lets others pass. May be NULL. */
    const struct xylem_policy__table_row *programs;
    /* The name is known: the first word is literal, or ends in a name for certain, if the policy has `programs`. */
    bool (*command)(struct xylem_policy__judge *judge, const struct xylem_policy__command *command);
    bool (*redirection)(struct xylem_policy__judge *judge, const struct xylem_policy__redirection *redirection);
    /* `command` is NULL but for SET_PREFIX. May be NULL: none matters. */
    bool (*variable)(struct xylem_policy__judge *judge, struct xylem_view name, enum xylem_policy__setting setting,
                     const struct xylem_policy__command *command);
    /* A function or a coproc; its body is walked besides. May be NULL: they pass. */
    bool (*node)(struct xylem_policy__judge *judge, const struct xylem_policy__node *node);
    /*
     * `at` was not understood or cannot be decided. True: the policy lets it pass. `why` is static.
     */
    bool (*undecided)(struct xylem_policy__judge *judge, struct xylem_view at, const char *rule, const char *why);
};

extern const struct xylem_policy__rules xylem_policy__rules_readonly;
extern const struct xylem_policy__rules xylem_policy__rules_strict;
extern const struct xylem_policy__rules xylem_policy__rules_confirm;

/* A list of names that a configuration gave. `names` is NULL where it gave none: the built-in list holds. */
struct xylem_policy__names {
    char **names;
    size_t count;
};

struct xylem_policy {
    const struct xylem_policy__rules *rules;
    enum xylem_policy_type type;
    char *temp_writes;
    struct xylem_policy__names allowed_commands;
    struct xylem_policy__names git_readonly_subcommands;
    struct xylem_policy__names wrapper_commands;
    struct xylem_policy__names command_directories;
    bool allow_output_redirections;
    bool git_local_writes;
};

/* `allow`, `ask` or `deny`. */
const char *xylem_policy__decision_word(enum xylem_decision decision);

bool xylem_policy__names_hold(const struct xylem_policy__names *names, struct xylem_view name);

const struct xylem_policy *xylem_policy__of(const struct xylem_policy__judge *judge);
/* Does it run on another machine, under another root, or with arguments that are not seen? */
bool xylem_policy__elsewhere(const struct xylem_policy__judge *judge);
struct xylem_policy__arena *xylem_policy__arena_of(struct xylem_policy__judge *judge);

/*
 * Refuses: the verdict gets the policy's refusal, the rule (static), where it stands, and the reason. Only the first
 * refusal of a judgement is kept. Always false.
 */
__attribute__((format(printf, 4, 5))) bool xylem_policy__refuse(struct xylem_policy__judge *judge, struct xylem_view at,
                                                                const char *rule, const char *format, ...);

/*
 * `at` cannot be decided: refused, unless the policy lets what stands there pass. `why` is one static line.
 */
bool xylem_policy__undecided(struct xylem_policy__judge *judge, struct xylem_view at, const char *rule,
                             const char *why);

/* Judges the command that the words make, as if it stood there: for wrappers, find -exec, xargs. */
bool xylem_policy__judge_words(struct xylem_policy__judge *judge, const struct xylem_policy__command *outer,
                               const struct xylem_policy__word *const *words, size_t count, bool appended);

/*
 * May a rule judge a command once more of which it does not know for certain that it is one? Not any number of times, as
 * a command in there may be doubtful too.
 */
bool xylem_policy__may_guess(struct xylem_policy__judge *judge);

/* Judges shell code that a word holds, as in `sh -c WORD`; undecided where the word is not literal. */
bool xylem_policy__judge_code(struct xylem_policy__judge *judge, const struct xylem_policy__word *word,
                              const char *rule);

/* git would run in `directory` (relative to where the shell then stands), or nobody knows where (NULL). */
void xylem_policy__git_runs(struct xylem_policy__judge *judge, const struct xylem_view *directory);

/*
 * All words of the command but those that name programs: arguments, values, lists, what is read from here-documents. What
 * is run under a name that is not literal can only come from them, or from outside.
 */
const struct xylem_policy__word *const *xylem_policy__values(const struct xylem_policy__judge *judge, size_t *count);

/*
 * How many of the values a rule has looked at already without finding anything: for each search of its own a number that
 * it keeps, so that no value is searched twice.
 */
#define XYLEM_POLICY__SEARCHES 5u
size_t *xylem_policy__values_seen(struct xylem_policy__judge *judge, unsigned search);

/* Within the rules' variable(): the value that the variable gets, as a word. False: it is not in the text. */
bool xylem_policy__value_set(const struct xylem_policy__judge *judge, struct xylem_policy__word *value);
/* The same: does the variable get more than that value? NAME+=value keeps what it had, an array has other values. */
bool xylem_policy__value_partial(const struct xylem_policy__judge *judge);

/*
 * Does the word begin for certain with a letter, a digit, `.` or `/`, but neither with /inet nor with what lies below /dev,
 * as the command itself sets the variables in it so? Where that turns out not to hold, the command is refused by the rule.
 */
bool xylem_policy__is_operand(struct xylem_policy__judge *judge, const struct xylem_policy__word *word,
                              const char *rule);
/* The same, but it may begin with any character: what a glob without a directory gives. */
bool xylem_policy__is_file(struct xylem_policy__judge *judge, const struct xylem_policy__word *word, const char *rule);

/*
 * The rules' variable() of policies that let others pass: the value of a variable of xylem_policy__command_variables is
 * judged as code.
 */
bool xylem_policy__judge_command_variable(struct xylem_policy__judge *judge, struct xylem_view name,
                                          enum xylem_policy__setting setting,
                                          const struct xylem_policy__command *command);

#endif
