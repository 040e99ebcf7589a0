/*
 * The readonly policy refuses commands that are known to change files, processes or packages, and passes all others.
 * rules_tables.txt and verbs.txt have the tables.
 */
#include <pthread.h>

#include "judge/policy/git/git.h"
#include "judge/policy/rules/hatches.h"
#include "judge/policy/rules/shared.h"
#include "judge/policy/rules/strict.h"
#include "judge/policy/rules/verbs.h"
#include "judge/policy/words/name_index.h"
#include "judge/policy/words/names.h"
#include "judge/policy/engine/network.h"
#include "judge/policy/words/options.h"
#include "judge/policy/words/paths.h"
#include "judge/policy/engine/raw_text.h"
#include "judge/policy/engine/wrappers.h"
#include "judge/policy/words/tables.h"

/* The searches of xylem_policy__values_seen(). */
enum { SEARCH_NAMES, SEARCH_SUBSCRIPTS, SEARCH_PROTOCOLS, SEARCH_EVALUATED, SEARCH_PROMPTS, SEARCH_CODE };

static struct xylem_policy__name_index program_index;
static pthread_once_t indexed = PTHREAD_ONCE_INIT;

static void index_programs(void)
{
    for (const struct xylem_policy__table_row *row = xylem_policy__readonly_programs; row->names; row++) {
        xylem_policy__index_add(&program_index, row->names, row);
    }
}

const struct xylem_policy__table_row *xylem_policy__find_program(struct xylem_view name)
{
    pthread_once(&indexed, index_programs);
    return xylem_policy__index_find(&program_index, xylem_policy__program_of(name));
}

/*
 * --- Writing below the configured directory --------------------------------------------------------------------------
 */

static bool below_temp_writes(const struct xylem_policy__judge *judge, const struct xylem_shell__word *target)
{
    const char *directory = xylem_policy__of(judge)->temp_writes;
    return directory && target->literal && !xylem_policy__elsewhere(judge) &&
           xylem_policy__path_is_below(target->text, xylem_view_of(directory));
}

/*
 * True behind wrappers that change neither the place nor the arguments. ssh and chroot change the place, xargs the
 * rest.
 */
static bool wrapped_plainly(const struct xylem_policy__command *command)
{
    const struct xylem_shell__word *word = command->node ? command->node->words : NULL;
    for (; word && word != command->words[0]; word = word->next) {
        bool first = word == command->node->words;
        bool wrapper = xylem_policy__listed("env command nohup nice time timeout", xylem_policy__basename(word->text));
        if (!word->literal || (first && !wrapper) ||
            xylem_policy__listed("chroot unshare ssh xargs parallel find fd fdfind watch busybox toybox",
                                 xylem_policy__basename(word->text))) {
            return false;
        }
    }
    return word;
}

/* True if the command writes only to literal paths below the directory. */
static bool writes_below(const struct xylem_policy__judge *judge, const struct xylem_policy__command *command)
{
    const struct xylem_policy__writer_row *row = xylem_policy__temp_writers;
    while (row->names && !xylem_policy__listed(row->names, command->name)) {
        row++;
    }
    bool nowhere = !xylem_policy__of(judge)->temp_writes || xylem_policy__elsewhere(judge);
    if (!row->names || nowhere || command->appended || (command->behind_wrapper && !wrapped_plainly(command))) {
        return false;
    }
    struct xylem_policy__options options = xylem_policy__options_of(command->words, command->count, row->options);
    struct xylem_policy__option option;
    while ((option = xylem_policy__options_next(&options)).type != XYLEM_POLICY__OPTION_END) {
        bool passes = option.type == XYLEM_POLICY__OPTION_KNOWN ||
                      (option.type == XYLEM_POLICY__OPTION_OPERAND && below_temp_writes(judge, option.word));
        if (!passes) {
            return false;
        }
    }
    return true;
}

/* `vim --version`: GNU's programs and editors change nothing with --version or --help alone. */
static bool shows_version_or_help(const struct xylem_policy__command *command,
                                  const struct xylem_policy__table_row *row)
{
    bool knows = strcmp(row->rule, "editor") == 0 ||
                 xylem_policy__spelt_in(xylem_policy__gnu_programs, xylem_policy__program_of(command->name));
    return knows && command->count == 2 &&
           (xylem_shell__word_is(command->words[1], "--version") || xylem_shell__word_is(command->words[1], "--help"));
}

/*
 * --- Rules ----------------------------------------------------------------------------------------------------------
 */

/* True for a program of a table, for a script, and for a program of which the words say nothing. */
static bool knows_program(const struct xylem_policy__command *command)
{
    struct xylem_view name = command->name;
    struct xylem_view path = command->words[0]->text;
    bool script =
        name.bytes < path.bytes && !xylem_policy__spelt_in(xylem_policy__strict_directories,
                                                           (struct xylem_view){path.data, path.bytes - name.bytes - 1});
    return script || xylem_policy__verbs_of(name) || xylem_policy__wrapper_of(name) ||
           xylem_policy__spelt_in(xylem_policy__strict_commands, xylem_policy__program_of(name)) ||
           xylem_policy__find_row(xylem_policy__strict_builtins, name) ||
           xylem_policy__find_row(xylem_policy__strict_never, name) ||
           xylem_policy__spelt_in(xylem_policy__without_verbs, name);
}

/* `foo delete x` and `foo issue create`: true unless the first or the second word of an unknown program writes. */
static bool judge_words_of_unknown(struct xylem_policy__judge *judge, const struct xylem_policy__command *command)
{
    for (size_t i = 1; i < 3 && i < command->count; i++) {
        struct xylem_view word = command->words[i]->text;
        if (!command->words[i]->literal || !xylem_policy__view_of_only(word, "abcdefghijklmnopqrstuvwxyz-") ||
            word.data[0] == '-') {
            return true;
        }
        if (xylem_policy__spelt_in(xylem_policy__writing_words, word)) {
            return knows_program(command) ||
                   xylem_policy__refuse(judge, command->raw, "verb", "%.*s %.*s changes something, by its word",
                                        (int)command->name.bytes, command->name.data, (int)word.bytes, word.data);
        }
    }
    return true;
}

static bool judge_command(struct xylem_policy__judge *judge, const struct xylem_policy__command *command)
{
    struct xylem_view name = command->name;
    const struct xylem_policy__table_row *row = xylem_policy__find_program(name);
    if (row) {
        return writes_below(judge, command) || shows_version_or_help(command, row) ||
               xylem_policy__refuse(judge, command->raw, row->rule, "%.*s %s", (int)name.bytes, name.data, row->what);
    }
    if (xylem_base__view_is(name, "git")) {
        return xylem_policy__git(judge, command, XYLEM_POLICY__GIT_READONLY);
    }
    if (xylem_policy__listed("env fd fdfind", name)) {
        return true; /* their only hatch is the inner command, and the inner command is judged */
    }
    return xylem_policy__judge_verbs(judge, command) && xylem_policy__hatches(judge, command) &&
           judge_words_of_unknown(judge, command);
}

static bool judge_redirection(struct xylem_policy__judge *judge, const struct xylem_shell__redirection *redirection)
{
    const struct xylem_shell__word *target = redirection->target;
    bool writes =
        redirection->type == XYLEM_SHELL__REDIRECT_WRITE || redirection->type == XYLEM_SHELL__REDIRECT_READ_WRITE;
    if (!writes && redirection->type != XYLEM_SHELL__REDIRECT_READ) {
        return true; /* bash itself refuses to duplicate a word that is no descriptor */
    }
    if (xylem_policy__may_be_network(judge, target, strlen("/dev/"), SEARCH_PROTOCOLS)) {
        return xylem_policy__refuse(judge, redirection->raw, "network-redirection", "%.*s connects to a host",
                                    (int)redirection->raw.bytes, redirection->raw.data);
    }
    if (!writes || (target->literal && xylem_policy__find_row(xylem_policy__harmless_targets, target->text)) ||
        (below_temp_writes(judge, target) && !redirection->expands_twice)) {
        return true;
    }
    return xylem_policy__refuse(judge, redirection->raw, "redirection", "%.*s writes to a file%s",
                                (int)redirection->raw.bytes, redirection->raw.data,
                                target->literal ? "" : " with a name that is not literal");
}

/* True unless the value of the variable holds a text by which another program runs what the value names. */
static bool judge_value(struct xylem_policy__judge *judge, struct xylem_view name, struct xylem_view value)
{
    for (const struct xylem_policy__value_row *row = xylem_policy__refused_values; row->names; row++) {
        const char *texts = row->holds;
        struct xylem_view text;
        while (xylem_policy__listed(row->names, name) && xylem_policy__next_name(&text, &texts)) {
            if (memmem(value.data, value.bytes, text.data, text.bytes)) {
                return xylem_policy__refuse(judge, name, "environment", "%.*s %s", (int)name.bytes, name.data,
                                            row->what);
            }
        }
    }
    return true;
}

/* Refuses variables that are configuration, and judges the values that other programs run as commands. */
static bool judge_variable(struct xylem_policy__judge *judge, struct xylem_view name,
                           enum xylem_policy__setting setting, const struct xylem_policy__command *command)
{
    const struct xylem_policy__table_row *row = xylem_policy__find_row(xylem_policy__refused_variables, name);
    struct xylem_shell__word value;
    bool known = row && xylem_policy__value_set(judge, &value) && value.literal;
    bool traces = xylem_policy__view_begins(name, "GIT_TRACE"); /* a small number is a descriptor that is open */
    if (row &&
        !(known && (xylem_base__view_is(value.text, "/dev/null") ||
                    (traces && (value.text.bytes == 0 || xylem_policy__listed("0 1 2 true false", value.text)))))) {
        return xylem_policy__refuse(judge, name, row->rule, "%.*s %s", (int)name.bytes, name.data, row->what);
    }
    return (!xylem_policy__value_set(judge, &value) || value.text.bytes == 0 || judge_value(judge, name, value.text)) &&
           xylem_policy__judge_command_variable(judge, name, setting, command);
}

/*
 * --- What cannot be decided -----------------------------------------------------------------------------------------
 */

static bool blocked_word(struct xylem_view word)
{
    if (word.data[0] < 'a' || word.data[0] > 'z') {
        return false;
    }
    const struct xylem_policy__table_row *row = xylem_policy__find_program(word);
    bool own_name = row && strchr(row->names, '*') && strcmp(row->rule, "git") == 0;
    return (row && !own_name) || xylem_base__view_is(word, "git") || xylem_policy__verbs_hold(word);
}

static bool blocked_redirection(struct xylem_view from)
{
    return !xylem_policy__raw_redirection_harmless(from);
}

static const struct xylem_policy__raw_search blocked = {blocked_word, blocked_redirection};

/* Without redirections: bash reads none in the value of a variable, unless bash reads the value as code. */
static const struct xylem_policy__raw_search blocked_names = {blocked_word, NULL};

/*
 * Refuses a text that was not understood or cannot be decided, if
 * - the text contains the name of a refused program as a whole word, or a redirection;
 * - bash evaluates another word of the command there, and the other word contains such a name;
 * - bash expands the text, and another word of the command contains such a name, or such a redirection if a shell reads
 *   the text as code.
 * In arithmetic a name is a variable and `>` compares, so both count only if a subscript can run programs.
 */
static bool judge_undecided(struct xylem_policy__judge *judge, struct xylem_view at, const char *rule, const char *why)
{
    bool arithmetic = strcmp(rule, "arithmetic") == 0;
    struct xylem_view found;
    if (!arithmetic || xylem_policy__raw_arithmetic_runs(xylem_policy__arena_of(judge), at)) {
        if (xylem_policy__raw_text_has(xylem_policy__arena_of(judge), at, &blocked, &found)) {
            return xylem_policy__refuse_found(judge, at, rule, why, "the text", found);
        }
    }
    if (xylem_policy__raw_values_run(judge, SEARCH_EVALUATED, rule, at, &blocked, &found)) {
        return xylem_policy__refuse_found(judge, at, rule, why, "another word of the command, which bash may then run,",
                                          found);
    }
    /*
     * Arithmetic would run the substitution in a subscript that a word of the command has as text. Of other text, a
     * part that bash expands may come from a variable.
     */
    bool expands = arithmetic ? xylem_policy__raw_values_hold(judge, SEARCH_SUBSCRIPTS,
                                                              xylem_policy__raw_arithmetic_runs, NULL, NULL)
                              : xylem_shell__has_any(at, "$`*?[{");
    /*
     * Five rules are of text that is code: a shell reads the text of three (eval, `sh -c`, trap, PROMPT_COMMAND), awk
     * and sed read their programs, and hand a part to a shell. In awk `>` writes to a file, too.
     */
    bool code = xylem_policy__spelt_in("wrapper builtin environment awk sed", xylem_view_of(rule));
    if (expands && (code ? xylem_policy__raw_values_have(judge, SEARCH_CODE, &blocked, &found)
                         : xylem_policy__raw_values_have(judge, SEARCH_NAMES, &blocked_names, &found))) {
        return xylem_policy__refuse_found(judge, at, rule, why, "another word of the command", found);
    }
    return true;
}

const struct xylem_policy__rules xylem_policy__rules_readonly = {
    .name = "readonly",
    .refusal = XYLEM_DENY,
    .programs = xylem_policy__readonly_programs,
    .command = judge_command,
    .redirection = judge_redirection,
    .variable = judge_variable,
    .undecided = judge_undecided,
};
