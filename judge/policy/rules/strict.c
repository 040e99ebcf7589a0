/*
 * The strict policy asks about every command that is not known to read only. The steps for a command, in order:
 *
 *     /tmp/ls            asked: the path lies outside the directories of the system
 *     bash, sudo, perl   asked: interpreters are never allowed
 *     sort -o f          asked: a hatch
 *     nice ls            passes here: the inner command is judged by itself
 *     git ...            by the tables of git/
 *     ls, set -e         allowed by name
 *     all others         asked
 */
#include "judge/policy/engine/environment.h"
#include "judge/policy/git/git.h"
#include "judge/policy/rules/hatches.h"
#include "judge/policy/engine/network.h"
#include "judge/policy/words/options.h"
#include "judge/policy/rules/shared.h"
#include "judge/policy/rules/strict.h"
#include "judge/policy/rules/reads.h"
#include "judge/policy/rules/verbs.h"
#include "judge/policy/engine/wrappers.h"

/* The searches of xylem_policy__values_seen(). */
enum { SEARCH_PROTOCOLS };

/*
 * Letters of `set` for errors, globbing, overwriting and output. They change neither the meaning of words nor commands.
 */
static const char SET_LETTERS[] = "efhnuvCETb";

/*
 * --- Names ----------------------------------------------------------------------------------------------------------
 */

static bool in_configured(const struct xylem_policy__names *names, const char *built_in, struct xylem_view name)
{
    return names->names ? xylem_policy__names_hold(names, name)
                        : xylem_policy__spelt_in(built_in, xylem_policy__program_of(name));
}

static bool directory_allowed(const struct xylem_policy *policy, struct xylem_view directory)
{
    return xylem_policy__spelt_in(xylem_policy__strict_directories, directory) ||
           xylem_policy__names_hold(&policy->command_directories, directory);
}

bool xylem_policy__path_allowed(const struct xylem_policy *policy, struct xylem_view path, struct xylem_view name)
{
    return path.bytes == name.bytes ||
           directory_allowed(policy, (struct xylem_view){path.data, path.bytes - name.bytes - 1});
}

/*
 * True for the old PATH with absolute directories behind it: `$PATH:/opt/go/bin:$HOME/bin`. A program there is found
 * only where the old PATH has none. In front of the old PATH, each directory must be allowed for commands.
 */
static bool extends_path(const struct xylem_policy *policy, const struct xylem_shell__word *word)
{
    bool behind = false;
    bool more = true;
    struct xylem_view value = word->raw; /* behind a builtin, the raw text of the whole word PATH=... */
    if (xylem_policy__view_begins(value, "PATH=") && !xylem_policy__view_begins(word->text, "PATH=")) {
        (void)xylem_policy__view_behind(&value, value, '=');
    }
    if (value.bytes > 1 && value.data[0] == '"' && value.data[value.bytes - 1] == '"') {
        value = (struct xylem_view){value.data + 1, value.bytes - 2};
    }
    while (more) {
        struct xylem_view entry = xylem_policy__view_before(value, ':');
        size_t home = xylem_policy__view_begins(entry, "$HOME/") ? strlen("$HOME") : 0;
        more = xylem_policy__view_behind(&value, value, ':');
        if (xylem_base__view_is(entry, "$PATH") || xylem_base__view_is(entry, "${PATH}")) {
            behind = true;
            continue;
        }
        entry = (struct xylem_view){entry.data + home, entry.bytes - home};
        if (entry.bytes == 0 || entry.data[0] != '/' || xylem_shell__has_any(entry, "\"'\\`$*?[{~ ") ||
            (!behind && (home > 0 || !directory_allowed(policy, entry)))) {
            return false;
        }
    }
    return behind;
}

/*
 * --- Commands -------------------------------------------------------------------------------------------------------
 */

/* True for `set -euo pipefail` and the like. Operands behind `--` are the shell's own positional parameters. */
static bool set_allowed(const struct xylem_policy__command *command)
{
    for (size_t i = 1; i < command->count; i++) {
        const struct xylem_shell__word *word = command->words[i];
        if (xylem_shell__word_is(word, "--")) {
            return true;
        }
        struct xylem_view text = word->text;
        bool option = word->literal && text.bytes > 1 && (text.data[0] == '-' || text.data[0] == '+');
        size_t end = xylem_base__skip(text, 1, SET_LETTERS);
        bool names = option && end + 1 == text.bytes && text.data[end] == 'o'; /* the next word: `-euo pipefail` */
        if (!option || (end < text.bytes && !names)) {
            return false;
        }
        if (names && i + 1 < command->count) {
            i++;
            if (!command->words[i]->literal ||
                !xylem_policy__listed(xylem_policy__set_names, command->words[i]->text)) {
                return false;
            }
        }
    }
    return command->count > 1;
}

/* True if all words are literal: options with these letters, and operands if the builtin may have any. */
static bool shows_alone(const struct xylem_policy__command *command, const char *letters, bool operands)
{
    for (size_t i = 1; i < command->count; i++) {
        struct xylem_view text = command->words[i]->text;
        bool option = text.bytes > 1 && text.data[0] == '-' &&
                      xylem_policy__view_of_only((struct xylem_view){text.data + 1, text.bytes - 1}, letters);
        bool operand = operands && text.bytes > 0 && text.data[0] != '-';
        if (!command->words[i]->literal || (!operand && !option)) {
            return false;
        }
    }
    return true;
}

/* True for a builtin that shows what its first option names: without the option, operands set something. */
static bool shows_named(const struct xylem_policy__command *command)
{
    return command->count > 1 && xylem_policy__view_begins(command->words[1]->text, "-") &&
           shows_alone(command, "pfF", true);
}

static bool builtin_allowed(const struct xylem_policy__command *command)
{
    static const struct {
        const char *name;
        const char *letters;
        bool operands;
    } shown[] = {{"history", "", true},
                 {"ulimit", "HSabcdefiklmnpqrstuvxPRT", false},
                 {"umask", "Sp", false},
                 {"jobs", "lnprs", false},
                 {"alias", "p", false},
                 {"shopt", "pqo", true},
                 {"hash", "tl", true},
                 {"readonly", "p", false},
                 {"compgen", "abcdefgjksuvA", true}};
    if (xylem_base__view_is(command->name, "set")) {
        return command->count == 1 || set_allowed(command);
    }
    if (xylem_policy__spelt_in("declare typeset", command->name)) {
        return shows_named(command);
    }
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        if (xylem_base__view_is(command->name, shown[i].name)) {
            return shows_alone(command, shown[i].letters, shown[i].operands);
        }
    }
    return xylem_policy__find_row(xylem_policy__strict_builtins, command->name);
}

static bool judge_command(struct xylem_policy__judge *judge, const struct xylem_policy__command *command)
{
    const struct xylem_policy *policy = xylem_policy__of(judge);
    const struct xylem_shell__word *first = command->words[0];
    struct xylem_view name = command->name;
    if (!xylem_policy__path_allowed(policy, first->text, name)) {
        return xylem_policy__refuse(
            judge, first->raw, "foreign-path",
            "%.*s does not lie in a directory of the system's programs: say %.*s, or teach a rule",
            (int)first->text.bytes, first->text.data, (int)name.bytes, name.data);
    }
    /* A list of one's own replaces the built-in list, and the table of verbs with it. */
    const struct xylem_policy__verb_row *verbs = policy->allowed_commands.names ? NULL : xylem_policy__verbs_of(name);
    const struct xylem_policy__table_row *never = xylem_policy__find_row(xylem_policy__strict_never, name);
    if (xylem_policy__shows_alone(command, verbs)) {
        return true;
    }
    if (never && !(verbs && xylem_policy__has_reading_verb(judge, command))) {
        return xylem_policy__refuse(judge, first->raw, never->rule, "%.*s %s", (int)name.bytes, name.data, never->what);
    }
    if (!xylem_policy__hatches(judge, command)) {
        return false;
    }
    if (in_configured(&policy->wrapper_commands, xylem_policy__strict_wrappers, name) &&
        xylem_policy__wrapper_of(name)) {
        return true;
    }
    if (xylem_base__view_is(name, "git")) {
        return xylem_policy__git(judge, command,
                                 policy->git_local_writes ? XYLEM_POLICY__GIT_LOCAL_WRITES : XYLEM_POLICY__GIT_STRICT);
    }
    if (in_configured(&policy->allowed_commands, xylem_policy__strict_commands, name) ||
        (first->text.bytes == name.bytes && builtin_allowed(command))) {
        return true;
    }
    if (verbs) {
        return xylem_policy__prove_reading(judge, command, verbs);
    }
    return xylem_policy__refuse(judge, first->raw, "program",
                                "%.*s is not among the commands that strict allows: a rule of yours can allow it",
                                (int)name.bytes, name.data);
}

/*
 * --- Redirections ---------------------------------------------------------------------------------------------------
 */

static bool judge_redirection(struct xylem_policy__judge *judge, const struct xylem_shell__redirection *redirection)
{
    const struct xylem_shell__word *target = redirection->target;
    switch (redirection->type) {
    case XYLEM_SHELL__REDIRECT_DUPLICATE:
    case XYLEM_SHELL__REDIRECT_HERE_DOCUMENT:
    case XYLEM_SHELL__REDIRECT_HERE_STRING:
        return true;
    case XYLEM_SHELL__REDIRECT_DUPLICATE_UNKNOWN:
        return xylem_policy__refuse(judge, redirection->raw, "redirection",
                                    "<& or >& stands before a word that is not a descriptor number");
    default:
        break;
    }
    if (xylem_policy__may_be_network(judge, target, 1, SEARCH_PROTOCOLS)) {
        return xylem_policy__refuse(judge, redirection->raw, "network-redirection", "a redirection opens a connection");
    }
    bool tilde = !target->literal && target->parts && target->parts->type == XYLEM_SHELL__PART_TILDE;
    struct xylem_view behind = xylem_policy__behind_home(target); /* no command that passes sets HOME */
    bool at_home = behind.bytes > 0 && !xylem_policy__may_begin(behind, "/dev/");
    if ((xylem_policy__begins_unknown(target) || tilde) && !at_home &&
        !xylem_policy__is_file(judge, target, "network-redirection")) {
        return xylem_policy__refuse(judge, redirection->raw, "network-redirection",
                                    "a redirection may open a connection: write its path out");
    }
    if (redirection->type == XYLEM_SHELL__REDIRECT_READ || xylem_shell__word_is(target, "/dev/null") ||
        (xylem_policy__of(judge)->allow_output_redirections && !redirection->expands_twice)) {
        return true;
    }
    return xylem_policy__refuse(judge, redirection->raw, "redirection",
                                "a redirection writes to %.*s: only /dev/null may be written", (int)target->raw.bytes,
                                target->raw.data);
}

/*
 * --- The rest -------------------------------------------------------------------------------------------------------
 */

static bool judge_variable(struct xylem_policy__judge *judge, struct xylem_view name,
                           enum xylem_policy__setting setting, const struct xylem_policy__command *command)
{
    struct xylem_shell__word value;
    bool exported = setting == XYLEM_POLICY__SET_PREFIX || setting == XYLEM_POLICY__SET_BY_ENV;
    bool of_read = setting == XYLEM_POLICY__SET_PREFIX && command && command->count > 0 &&
                   xylem_shell__word_is(command->words[0], "read");
    bool known = xylem_policy__value_set(judge, &value) && !xylem_policy__value_partial(judge);
    const char *what = xylem_policy__environment(name, known ? &value : NULL, exported);
    if (!what || (known && xylem_base__view_is(name, "PATH") && extends_path(xylem_policy__of(judge), &value)) ||
        (of_read && xylem_base__view_is(name, "IFS"))) {
        return true;
    }
    return xylem_policy__refuse(judge, name, "environment", "%.*s %s", (int)name.bytes, name.data, what);
}

static bool judge_node(struct xylem_policy__judge *judge, const struct xylem_shell__node *node)
{
    bool function = node->type == XYLEM_SHELL__FUNCTION;
    return xylem_policy__refuse(judge, node->raw, function ? "function" : "coproc", "%s",
                                function ? "a function can replace any command"
                                         : "a coproc runs beside the commands behind it");
}

static bool judge_undecided(struct xylem_policy__judge *judge, struct xylem_view at, const char *rule, const char *why)
{
    return xylem_policy__refuse(judge, at, rule, "%s", why);
}

const struct xylem_policy__rules xylem_policy__rules_strict = {
    .name = "strict",
    .refusal = XYLEM_ASK,
    .command = judge_command,
    .redirection = judge_redirection,
    .variable = judge_variable,
    .node = judge_node,
    .undecided = judge_undecided,
    .runs_nothing = xylem_policy__has_reading_verb,
};
