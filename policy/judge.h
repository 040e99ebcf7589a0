/*
 * The one engine under the policies. It parses, walks the tree, sees through wrappers, and asks the policy's rules about
 * every command, redirection and assignment. A rule answers true (nothing against it) or refuses, and the first refusal
 * decides.
 */
#ifndef XYLEM_POLICY_JUDGE_H
#define XYLEM_POLICY_JUDGE_H

#include "policy/names.h"
#include "policy/tables.h"
#include "policy/verdict.h"

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

/* Judges the command that the words make, as if it stood there: for wrappers, find -exec, xargs. */
bool xylem_policy__judge_words(struct xylem_policy__judge *judge, const struct xylem_policy__command *outer,
                               const struct xylem_policy__word *const *words, size_t count, bool appended);

/* Judges shell code that a word holds, as in `sh -c WORD`; undecided where the word is not literal. */
bool xylem_policy__judge_code(struct xylem_policy__judge *judge, const struct xylem_policy__word *word,
                              const char *rule);

/* git would run in `directory` (relative to where the shell then stands), or nobody knows where (NULL). */
void xylem_policy__git_runs(struct xylem_policy__judge *judge, const struct xylem_view *directory);

/*
 * Does the word begin for certain with a letter, a digit, `.` or `/`, but neither with /inet nor with what lies below /dev,
 * as the command itself sets the variables in it so? Where that turns out not to hold, the command is refused by the rule.
 */
bool xylem_policy__is_operand(struct xylem_policy__judge *judge, const struct xylem_policy__word *word,
                              const char *rule);
/* The same, but it may begin with any character: what a glob without a directory gives. */
bool xylem_policy__is_file(struct xylem_policy__judge *judge, const struct xylem_policy__word *word, const char *rule);

/*
 * Code is read from a here-document, or from what stands before a pipe: it may be anywhere in the text, or in those
 * around it. Each text is asked about once. A policy that lets pass what it does not name judges the literal words of the
 * text as code besides.
 */
bool xylem_policy__input_undecided(struct xylem_policy__judge *judge);

#endif
