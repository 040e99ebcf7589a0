/*
 * Judges a text for a policy. The engine parses the text, walks the tree, looks through wrappers, and asks the policy's
 * rules about every command, redirection and assignment. A rule returns true (no objection) or refuses. The first
 * refusal decides.
 *
 * A permissive policy (readonly, confirm) lets every command pass that its tables do not name.
 */
#ifndef XYLEM_POLICY_ENGINE_JUDGE_H
#define XYLEM_POLICY_ENGINE_JUDGE_H

#include "judge/policy/words/names.h"
#include "judge/policy/words/tables.h"
#include "judge/policy/engine/verdict.h"

/* A simple command, or the command behind a wrapper: `env NAME=value git log` is judged as `git log` too. */
struct xylem_policy__command {
    const struct xylem_shell__word *const *words; /* the first is the name */
    size_t count;
    const struct xylem_shell__node *node; /* the simple command around the words */
    struct xylem_view raw;
    struct xylem_view name; /* basename of the first word; empty if the word is not literal */
    bool behind_wrapper;
    bool appended; /* xargs or find -exec put unknown operands among the words, or behind them */
};

/* How a variable is set. */
enum xylem_policy__setting {
    XYLEM_POLICY__SET_PREFIX = 0, /* VAR=value command */
    XYLEM_POLICY__SET_BARE,       /* VAR=value */
    XYLEM_POLICY__SET_BY_ENV,     /* env VAR=value, export VAR=value */
    XYLEM_POLICY__SET_OTHERWISE,  /* read, printf -v, for, ${x:=}, declare, {fd}>, arithmetic ... */
};

/* A policy's rules. Each function refuses through xylem_policy__refuse() or ..._undecided(), and gives the answer. */
struct xylem_policy__rules {
    const char *name;
    enum xylem_decision refusal; /* the decision about a refused command: ask or deny */
    /* Of a permissive policy: programs that a name must not become if the name is not literal. NULL: not permissive. */
    const struct xylem_policy__table_row *programs;
    /* The name is known: the first word is literal, or (permissive) ends in a literal name. */
    bool (*command)(struct xylem_policy__judge *judge, const struct xylem_policy__command *command);
    bool (*redirection)(struct xylem_policy__judge *judge, const struct xylem_shell__redirection *redirection);
    /* `command` is NULL but for SET_PREFIX. May be NULL: all variables pass. */
    bool (*variable)(struct xylem_policy__judge *judge, struct xylem_view name, enum xylem_policy__setting setting,
                     const struct xylem_policy__command *command);
    /* A function or a coproc; the engine walks the body besides. May be NULL: functions and coprocs pass. */
    bool (*node)(struct xylem_policy__judge *judge, const struct xylem_shell__node *node);
    /* `at` was not understood or cannot be decided. True: the text passes. `why` is static. */
    bool (*undecided)(struct xylem_policy__judge *judge, struct xylem_view at, const char *rule, const char *why);
    /* True if a program that may run a command somewhere in its words (tmux) has words that run none. May be NULL. */
    bool (*runs_nothing)(struct xylem_policy__judge *judge, const struct xylem_policy__command *command);
};

/* A rule that a person taught (rules/taught.h). */
struct xylem_policy__taught_rule {
    enum xylem_decision decision;
    const char *text;
    const struct xylem_shell__word *const *words; /* a word that is not literal is `*` */
    size_t count;                                 /* without `**` */
    size_t literal_count;
    bool rest; /* `**` stands behind the words */
};

/* The rules of a person, and their memory. */
struct xylem_policy__taught {
    struct xylem_policy__taught_rule *rules;
    size_t count;
    size_t capacity;
    struct xylem_shell__arena arena;
};

struct xylem_policy {
    const struct xylem_policy__rules *rules;
    enum xylem_policy_type type;
    struct xylem_policy__taught taught;
    /* Finds the rule of a person that decides about a command; NULL: none. The engine does not know how. */
    const struct xylem_policy__taught_rule *(*find_taught)(struct xylem_policy__judge *judge,
                                                           const struct xylem_policy__command *command);
    char *temp_writes;
    struct xylem_policy__names allowed_commands;
    struct xylem_policy__names git_readonly_subcommands;
    struct xylem_policy__names wrapper_commands;
    struct xylem_policy__names command_directories;
    bool allow_output_redirections;
    bool git_local_writes;
    bool git_taught; /* a rule of a person allows a command of git, which may write or run hooks */
};

/* Judges words as a command of their own: behind wrappers, find -exec, xargs. */
bool xylem_policy__judge_words(struct xylem_policy__judge *judge, const struct xylem_policy__command *outer,
                               const struct xylem_shell__word *const *words, size_t count, bool appended);

/* Judges the shell code in a word, as in `sh -c WORD`; undecided if the word is not literal. */
bool xylem_policy__judge_code(struct xylem_policy__judge *judge, const struct xylem_shell__word *word,
                              const char *rule);

/* The same for a part of the word. */
bool xylem_policy__judge_code_in(struct xylem_policy__judge *judge, const struct xylem_shell__word *word,
                                 struct xylem_view code, const char *rule);

/* Notes a directory in which git would run, relative to the place of the shell; NULL: not known. */
void xylem_policy__git_runs(struct xylem_policy__judge *judge, const struct xylem_view *directory);

/*
 * True if the word begins for certain with a letter, a digit, `.` or `/`, but neither with /inet nor with /dev/: the
 * word is literal there, or the text sets the variable in the word so. If the walk finds another value of the variable
 * later, the rule refuses the command.
 */
bool xylem_policy__is_operand(struct xylem_policy__judge *judge, const struct xylem_shell__word *word,
                              const char *rule);
/*
 * True if each value in the word is known, and has letters, digits and `._/` alone; with `number` digits alone. A glob
 * counts as text without `number`.
 */
bool xylem_policy__holds(struct xylem_policy__judge *judge, const struct xylem_shell__word *word, bool number,
                         const char *rule);
/* The same, but any first character will do: the word may be a glob without a directory. */
bool xylem_policy__is_file(struct xylem_policy__judge *judge, const struct xylem_shell__word *word, const char *rule);

/*
 * True for `"$f"` alone if the text, as far as the text is walked, sets f to no value that may be an option: the value
 * comes from outside, or is known.
 */
bool xylem_policy__holds_outer_value(const struct xylem_policy__judge *judge, const struct xylem_shell__word *word);

/*
 * A shell reads code from a here-document or a pipe: any word of the text, or of the texts around, may be the code. The
 * policy is asked once a text. A permissive policy judges the literal words of the text as code besides.
 */
bool xylem_policy__input_undecided(struct xylem_policy__judge *judge);

#endif
