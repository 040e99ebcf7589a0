/*
 * Judges the arguments of builtins, by the builtin's row:
 *
 *     read x, export X=1     the rules judge the variable
 *     read 'a[$(rm x)]'      bash evaluates the subscript as arithmetic: undecided
 *     printf a%n PATH        sets PATH to 1: the rules judge the variable
 *     [ -v NAME ]            bash evaluates a subscript in NAME: undecided
 *     trap 'rm x' EXIT       the code is judged now
 *     alias a='rm x'         the code is judged now
 *     source FILE            undecided
 */
#include "judge/policy/engine/builtins.h"

#include "judge/policy/engine/engine.h"
#include "judge/policy/words/options.h"
#include "judge/policy/engine/variables.h"

static bool doubt(struct xylem_policy__judge *judge, struct xylem_view at, const char *why)
{
    return xylem_policy__undecided(judge, at, "builtin", why);
}

/* Arithmetic can run programs, but only by a substitution in a subscript. */
static bool arithmetic(struct xylem_policy__judge *judge, struct xylem_view at, const char *why)
{
    return xylem_policy__undecided(judge, at, "arithmetic", why);
}

/* Judges NAME or NAME=value. Bash evaluates a subscript in NAME as arithmetic, and arithmetic can run programs. */
static bool set_name(struct xylem_policy__judge *judge, struct xylem_view name, const struct xylem_shell__word *word,
                     bool value_allowed, enum xylem_policy__setting setting)
{
    const char *equals = value_allowed ? xylem_policy__view_find(name, '=') : NULL;
    bool appends = false;
    if (equals) {
        name.bytes = (size_t)(equals - name.data);
        appends = name.bytes > 0 && name.data[name.bytes - 1] == '+';
        name.bytes -= appends;
    } else if (!word->literal) {
        return arithmetic(judge, word->raw, "write the variable's name out: it is not literal");
    }
    if (xylem_policy__view_has(name, '[')) {
        return arithmetic(judge, word->raw, "a subscript in a name is evaluated");
    }
    judge->set =
        (struct xylem_policy__set_value){.value = !equals ? NULL : word, .behind_name = true, .partial = appends};
    bool passed = xylem_policy__judge_variable(judge, name, setting, NULL);
    passed &= xylem_policy__judge_number(judge, name, word->raw, NULL);
    judge->set = (struct xylem_policy__set_value){0};
    return passed;
}

/* True for a word of text, arithmetic and $?, $#, $$ and $!: the expansions are numbers, so the word stays one word. */
static bool counts(const struct xylem_shell__word *word)
{
    for (const struct xylem_shell__part *part = word->parts; part; part = part->next) {
        bool number = part->type == XYLEM_SHELL__PART_PARAMETER && !part->words &&
                      (xylem_policy__listed("? # $ !", part->text) || xylem_policy__view_begins(part->raw, "${#"));
        if (!number && part->type != XYLEM_SHELL__PART_TEXT && part->type != XYLEM_SHELL__PART_ARITHMETIC) {
            return false;
        }
    }
    return true;
}

/* `[ -v NAME ]` evaluates a subscript in NAME. */
static bool judge_test(struct xylem_policy__judge *judge, const struct xylem_policy__command *command)
{
    for (size_t i = 1; i < command->count; i++) {
        const struct xylem_shell__word *word = command->words[i];
        if (word->splits && !counts(word) &&
            !xylem_policy__undecided_unless_number(
                judge, word, "write the word out: bash may expand the word to -v and a name with a subscript")) {
            return false;
        }
        const struct xylem_shell__word *before = command->words[i - 1];
        bool plain = word->literal && !xylem_policy__view_has(word->text, '[');
        bool tests_name = xylem_shell__word_is(before, "-v") || xylem_shell__word_is(before, "-R") ||
                          (!before->literal && (before->text.bytes == 0 || before->text.data[0] == '-'));
        if (i > 1 && tests_name && !plain) {
            return arithmetic(judge, word->raw, "the word may be the name of a variable with a subscript");
        }
    }
    return true;
}

/*
 * True if the format can hold `%n`, with any flags, width, size and place of the argument (`%1$n`). zsh also reads an
 * escaped n behind `%`: `%\x6e`. `%%` and `%(...)T` are harmless.
 */
static bool may_store(const struct xylem_shell__word *format)
{
    const char *at = format->text.data;
    const char *end = at + format->text.bytes;
    if (!format->literal) {
        return !counts(format);
    }
    while (at < end) {
        if (*at++ != '%') {
            continue;
        }
        while (at < end && strchr("#'-+ 0123456789*.hjlLtz$", *at)) {
            at++;
        }
        bool escaped = end - at > 1 && *at == '\\' && strchr("xuU01234567", at[1]);
        if (escaped || (at < end && *at == 'n')) {
            return true;
        }
        const char *closing = at < end && *at == '(' ? memchr(at, ')', (size_t)(end - at)) : NULL;
        at = closing ? closing : at;
        at += at < end;
    }
    return false;
}

/*
 * Judges an argument of printf: `printf abc%n PATH` sets PATH to 3. Bash itself refuses an argument that is no name.
 * zsh evaluates a subscript: `printf x%n 'a[$(rm y)]'` runs rm.
 */
static bool judge_formatted(struct xylem_policy__judge *judge, const struct xylem_shell__word *format,
                            const struct xylem_shell__word *word)
{
    bool begins_name = word->text.bytes == 0 || xylem_shell__is_identifier(word->text);
    if (!may_store(format) || (!word->literal && counts(word))) {
        return true;
    }
    if (!begins_name) {
        return (!format->literal && !xylem_policy__view_has(word->text, '[')) ||
               arithmetic(judge, word->raw, "zsh evaluates the name that %n of printf sets");
    }
    if (!word->literal) {
        return doubt(judge, word->raw, "%n in the format may set the variable with this name");
    }
    return word->text.bytes == 0 || set_name(judge, word->text, word, false, XYLEM_POLICY__SET_OTHERWISE);
}

static bool judge_operand(struct xylem_policy__judge *judge, const struct xylem_policy__builtin *builtin,
                          const struct xylem_shell__word *word, size_t number)
{
    struct xylem_view text = word->text;
    struct xylem_view code;
    switch (builtin->acts) {
    case XYLEM_POLICY__SETS_OPERANDS:
        return set_name(judge, text, word, true, XYLEM_POLICY__SET_OTHERWISE);
    case XYLEM_POLICY__EXPORTS_OPERANDS:
        return set_name(judge, text, word, true, XYLEM_POLICY__SET_BY_ENV);
    case XYLEM_POLICY__SETS_LAST:
        return number != 1 || set_name(judge, text, word, false, XYLEM_POLICY__SET_OTHERWISE);
    case XYLEM_POLICY__EVALUATES:
        return xylem_policy__plain_arithmetic(word) ||
               arithmetic(judge, word->raw, "names in arithmetic are evaluated");
    case XYLEM_POLICY__KEEPS_CODE:
        return number != 0 || (word->literal && (text.bytes == 0 || xylem_base__view_is(text, "-"))) ||
               xylem_policy__judge_code(judge, word, "builtin");
    case XYLEM_POLICY__KEEPS_ALIASES:
        if (!xylem_policy__view_behind(&code, text, '=')) {
            return word->literal || doubt(judge, word->raw, "write the alias out: it is not literal");
        }
        return xylem_policy__judge_code_in(judge, word, code, "builtin");
    default:
        return true;
    }
}

/* Judges an option of a builtin. */
static bool judge_option(struct xylem_policy__judge *judge, const struct xylem_policy__builtin *builtin,
                         const struct xylem_policy__command *command, const struct xylem_policy__option *option)
{
    if (option->type != XYLEM_POLICY__OPTION_KNOWN) {
        return doubt(judge, command->raw, "an option is not known, or not written out: write only known options") &&
               (builtin->acts > XYLEM_POLICY__EXPORTS_OPERANDS ||
                arithmetic(judge, command->raw, "a word that may be a name is evaluated, if the word has a subscript"));
    }
    if (xylem_policy__listed(builtin->doubtful, option->name)) {
        return doubt(judge, command->raw, "the text that it evaluates later is not known") &&
               arithmetic(judge, command->raw, "the text that it evaluates later is not known");
    }
    if (xylem_policy__listed(builtin->name_options, option->name)) {
        return set_name(judge, option->value, option->value_word, false, XYLEM_POLICY__SET_OTHERWISE);
    }
    if (xylem_policy__listed(builtin->code_options, option->name)) {
        return xylem_policy__judge_code_in(judge, option->value_word, option->value, "builtin");
    }
    bool is_set = xylem_base__view_is(option->name, "-o"); /* `set` alone has -o */
    if (is_set && (!option->value_literal || xylem_base__view_is(option->value, "xtrace"))) {
        return doubt(judge, command->raw, "a trace evaluates PS4");
    }
    return true;
}

static bool judge_arguments(struct xylem_policy__judge *judge, const struct xylem_policy__builtin *builtin,
                            const struct xylem_policy__command *command)
{
    struct xylem_policy__options options = xylem_policy__options_of(command->words, command->count, builtin->options);
    struct xylem_policy__option option;
    const struct xylem_shell__word *format = NULL;
    bool passed = true;
    size_t number = 0;
    if (builtin->acts == XYLEM_POLICY__FORMATS && command->count == 2 && !command->words[1]->splits) {
        return true; /* even -vPATH: without a format printf sets nothing */
    }
    options.first_operand_ends = true;
    while ((option = xylem_policy__options_next(&options)).type != XYLEM_POLICY__OPTION_END) {
        /* where the shell itself reads `export`, the shell does not split the value in `export NAME=$x` */
        bool declared = builtin->acts == XYLEM_POLICY__EXPORTS_OPERANDS && !command->words[0]->quoted &&
                        !command->behind_wrapper && xylem_policy__view_has(option.word->text, '=');
        bool one_word = option.type == XYLEM_POLICY__OPTION_UNCLEAR && (declared || counts(option.word));
        if (option.type != XYLEM_POLICY__OPTION_OPERAND && !one_word) {
            passed &= judge_option(judge, builtin, command, &option);
            if (option.type != XYLEM_POLICY__OPTION_KNOWN) {
                break;
            }
        } else if (builtin->acts == XYLEM_POLICY__FORMATS) {
            passed &= !format || judge_formatted(judge, format, option.word);
            format = format ? format : option.word;
        } else {
            passed &= judge_operand(judge, builtin, option.word, number++);
        }
    }
    return passed;
}

/* True for `. /dev/stdin` and the like. */
static bool sources_input(const struct xylem_policy__command *command)
{
    size_t at = command->count > 1 && xylem_shell__word_is(command->words[1], "--") ? 2 : 1;
    bool sources = xylem_policy__listed("source .", command->words[0]->text) && at < command->count;
    return sources && (xylem_policy__view_begins(command->words[at]->text, "/dev/") ||
                       xylem_policy__view_begins(command->words[at]->text, "/proc/"));
}

bool xylem_policy__judge_builtin(struct xylem_policy__judge *judge, const struct xylem_policy__command *command)
{
    for (const struct xylem_policy__builtin *builtin = xylem_policy__builtins; builtin->names; builtin++) {
        if (!xylem_policy__listed(builtin->names, command->words[0]->text)) {
            continue;
        }
        if (builtin->acts == XYLEM_POLICY__IS_NOT_DECIDABLE) {
            return doubt(judge, command->raw, "its effect cannot be known from its words") &&
                   (!sources_input(command) || xylem_policy__input_undecided(judge));
        }
        return builtin->acts == XYLEM_POLICY__TESTS ? judge_test(judge, command)
                                                    : judge_arguments(judge, builtin, command);
    }
    return true;
}
