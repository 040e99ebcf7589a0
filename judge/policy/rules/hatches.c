#include "judge/policy/rules/hatches.h"

#include "judge/policy/words/awk.h"
#include "judge/policy/words/options.h"
#include "judge/policy/words/sed.h"

/* Options of sed and awk with a program as value. */
static const char PROGRAM_OPTIONS[] = "-e --expression --source";

/* A program of sed or awk, and the word with the program in it. */
struct program {
    const struct xylem_shell__word *word;
    struct xylem_view text;
    bool literal;
};

/* The reading of one command. readonly and strict refuse an option that runs code; confirm judges the code. */
struct scan {
    struct xylem_policy__judge *judge;
    const struct xylem_policy__command *command;
    const struct xylem_policy__hatch *hatch;
    bool strict;   /* false: only options that are known to write or run are refused */
    bool confirms; /* the policy is confirm: nothing is refused but code */
    struct xylem_policy__options options;
    size_t operand_count;
    struct program *programs; /* from options of sed and awk */
    size_t program_count;
    struct program first; /* the first operand of sed and awk */
    bool first_counts;    /* the first operand may be a program, beside the programs from options */
};

const struct xylem_policy__hatch *xylem_policy__hatch_of(struct xylem_view name)
{
    const struct xylem_policy__hatch *row = xylem_policy__hatch_table;
    name = xylem_policy__program_of(name);
    while (row->names && !xylem_policy__listed(row->names, name)) {
        row++;
    }
    return row;
}

static bool refuse(const struct scan *scan, const struct xylem_shell__word *word, const char *what)
{
    struct xylem_view name = scan->command->name;
    return scan->confirms || xylem_policy__refuse(scan->judge, word->raw, "option", "%.*s %.*s %s", (int)name.bytes,
                                                  name.data, (int)word->raw.bytes, word->raw.data, what);
}

/* A property of the word is not known: strict refuses, another policy decides by the names in the word. */
static bool unclear(const struct scan *scan, const struct xylem_shell__word *word, const char *why)
{
    return scan->strict || scan->confirms ? refuse(scan, word, why)
                                          : xylem_policy__undecided(scan->judge, word->raw, "option", why);
}

/*
 * --- Options --------------------------------------------------------------------------------------------------------
 */

/* An option that the list lacks, or an option with a value that the list does not allow: `--inplace=true`. */
static bool unknown_option(const struct scan *scan, const struct xylem_shell__word *word)
{
    struct xylem_view name = xylem_policy__view_before(word->text, '=');
    if (scan->strict) {
        return refuse(scan, word, "is not known to be harmless: leave it out, or write `--` before a name");
    }
    for (const struct xylem_policy__table_row *row = scan->hatch->known; row->names; row++) {
        if (name.bytes > 2 && xylem_policy__view_begins(name, "--") && xylem_policy__begins_one_of(row->names, name)) {
            return refuse(scan, word, row->what);
        }
    }
    return true;
}

/* A program that reads values in its own way may find an option in a value. */
static bool value_is_plain(const struct scan *scan, const struct xylem_policy__option *option)
{
    const struct xylem_shell__word *word = option->value_word;
    bool glued = word == option->word;
    if (!glued && xylem_policy__may_multiply(word) &&
        !(word->text.bytes > 0 && word->text.data[0] != '-' && !word->splits)) {
        return unclear(scan, word, "may become several words, and options among them");
    }
    switch (scan->hatch->reading) {
    case XYLEM_POLICY__READS_VALUES_APART:
        return !glued || option->name.bytes != 2 ||
               (option->value_literal && xylem_policy__view_of_only(option->value, "0123456789")) ||
               refuse(scan, word, "contains letters that are options too");
    case XYLEM_POLICY__READS_NUMBERS:
        return (option->value_literal && xylem_policy__view_of_only(option->value, "0123456789,.")) ||
               unclear(scan, word, "has a value that is not a number, and options may follow in the value");
    case XYLEM_POLICY__READS_DASHED_VALUES:
        return glued || !xylem_policy__may_be_option(word) ||
               unclear(scan, word, "may be an option instead of a value");
    default:
        return true;
    }
}

/* Skips the command behind find's -exec. False: the command has no end, or no words. */
static bool skip_executed(struct scan *scan)
{
    struct xylem_policy__options *options = &scan->options;
    size_t begin = options->at;
    for (bool braces = false; options->at < options->count;) {
        const struct xylem_shell__word *word = options->words[options->at++];
        if (xylem_shell__word_is(word, ";") || (braces && xylem_shell__word_is(word, "+"))) {
            return options->at > begin + 1;
        }
        braces = xylem_shell__word_is(word, "{}");
    }
    return false;
}

/* Judges an option or a word of find's expression. Words of the expression are whole names. */
static bool find_option(struct scan *scan, const struct xylem_policy__option *option)
{
    if (option->name.bytes != option->word->text.bytes && !xylem_base__view_is(option->name, "-O")) {
        scan->options.letter = 0;
        return unknown_option(scan, option->word);
    }
    if (xylem_policy__listed(xylem_policy__find_executes, option->name) && !skip_executed(scan)) {
        return unclear(scan, option->word, "has no command, or a command without an end (`;` or `{} +`)");
    }
    return true;
}

/* True if all programs of that name read the option alike. */
static bool is_read_alike(const struct scan *scan, const struct xylem_policy__option *option)
{
    bool joined = !option->has_value && option->name.bytes == 2 && option->word->text.bytes > 2;
    bool apart = option->has_value && option->value_word != option->word;
    if (scan->strict && joined && scan->hatch->reading == XYLEM_POLICY__READS_FIRST_LETTER) {
        return refuse(scan, option->word, "contains letters that it does not read, so that no value follows");
    }
    if (scan->strict && apart && scan->hatch->type == XYLEM_POLICY__HATCH_AWK &&
        xylem_policy__view_begins(option->name, "--") && !xylem_policy__listed(PROGRAM_OPTIONS, option->name)) {
        return refuse(scan, option->word,
                      "is not known to every awk: an awk without it reads the next word as the program");
    }
    return true;
}

static bool known_option(struct scan *scan, const struct xylem_policy__option *option)
{
    const struct xylem_policy__table_row *harm = xylem_policy__find_row(scan->hatch->known, option->name);
    if (harm && scan->confirms && option->value_literal && strcmp(harm->rule, "wrapper") == 0) {
        return xylem_policy__judge_code_in(scan->judge, option->value_word, option->value, "wrapper");
    }
    if (harm) {
        return refuse(scan, option->word, harm->what);
    }
    if (scan->hatch->type == XYLEM_POLICY__HATCH_FD &&
        xylem_policy__listed("-x --exec -X --exec-batch", option->name)) {
        while (scan->options.at < scan->options.count &&
               !xylem_shell__word_is(scan->options.words[scan->options.at++], ";")) {
        }
        return option->value_word != option->word || refuse(scan, option->word, "runs a command: write it as a word");
    }
    if (!is_read_alike(scan, option) || (option->has_value && !value_is_plain(scan, option))) {
        return false;
    }
    if (scan->hatch->type == XYLEM_POLICY__HATCH_FIND) {
        return find_option(scan, option);
    }
    if (scan->programs && xylem_policy__listed(PROGRAM_OPTIONS, option->name)) {
        scan->programs[scan->program_count++] =
            (struct program){option->value_word, option->value, option->value_literal};
    }
    return true;
}

/*
 * --- Operands -------------------------------------------------------------------------------------------------------
 */

/* True for the pager commands +F, +G, +12 and +/pattern, on one line. */
static bool pager_command_reads(struct xylem_view text)
{
    struct xylem_view command = {text.data + 1, text.bytes - 1};
    if (command.bytes > 0 && command.data[0] == '/') {
        return xylem_policy__view_is_printed(command);
    }
    command.bytes -= command.bytes > 0 && strchr("FGgp%", command.data[command.bytes - 1]);
    return xylem_policy__view_of_only(command, "0123456789");
}

static bool pager_operand(const struct scan *scan, const struct xylem_shell__word *word)
{
    static const char what[] = "is a command that the pager runs when it starts";
    if (word->text.bytes == 0 || word->text.data[0] != '+') {
        return true;
    }
    if (!word->literal) {
        return unclear(scan, word, what);
    }
    return (!scan->strict && pager_command_reads(word->text)) || refuse(scan, word, what);
}

/*
 * gawk connects to a host for a file name that begins with /inet/, /inet4/ or /inet6/. An operand that begins with an
 * expansion may become such a name, except a glob, a path from find, and a variable with a known value. HOME may be
 * empty.
 */
static bool may_connect(const struct scan *scan, const struct xylem_shell__word *word)
{
    static const char prefix[] = "/inet";
    if (word->literal) {
        return xylem_policy__view_begins(word->text, prefix);
    }
    struct xylem_view begins = word->text.bytes > 0 ? word->text : xylem_policy__behind_home(word);
    if (begins.bytes > 0) {
        return xylem_policy__may_begin(begins, prefix);
    }
    bool glob = word->parts && word->parts->type == XYLEM_SHELL__PART_GLOB;
    return !glob && !word->path && !xylem_policy__is_operand(scan->judge, word, "option");
}

static bool take_operand(struct scan *scan, const struct xylem_shell__word *word)
{
    scan->operand_count++;
    switch (scan->hatch->type) {
    case XYLEM_POLICY__HATCH_OUTPUT:
        if (scan->operand_count > 1) {
            return refuse(scan, word, "is the file that it writes");
        }
        return word->literal || unclear(scan, word, "may become several words, and the second one is written");
    case XYLEM_POLICY__HATCH_SETS:
        return refuse(scan, word, "is a value that it sets");
    case XYLEM_POLICY__HATCH_DATE:
        if (word->text.bytes > 0) {
            return word->text.data[0] == '+' || refuse(scan, word, "sets the clock");
        }
        return word->literal || unclear(scan, word, "may set the clock");
    case XYLEM_POLICY__HATCH_PAGER:
        return pager_operand(scan, word);
    case XYLEM_POLICY__HATCH_PAGES:
        if (scan->strict && (!word->literal || xylem_policy__view_has(word->text, '/'))) {
            return refuse(scan, word, "may be a file, and a page in a file can run programs");
        }
        return true;
    case XYLEM_POLICY__HATCH_SED:
    case XYLEM_POLICY__HATCH_AWK:
        if (scan->operand_count == 1) {
            scan->first = (struct program){word, word->text, word->literal};
            scan->first_counts = scan->program_count == 0 || scan->hatch->type == XYLEM_POLICY__HATCH_AWK;
        }
        return !scan->strict || scan->hatch->type == XYLEM_POLICY__HATCH_SED || !may_connect(scan, word) ||
               refuse(scan, word, "may be a name for which gawk opens a connection");
    default:
        return true;
    }
}

/*
 * --- Programs of sed and awk ----------------------------------------------------------------------------------------
 */

static const char *program_rule(const struct scan *scan)
{
    return scan->hatch->type == XYLEM_POLICY__HATCH_SED ? "sed" : "awk";
}

/* The string behind the quote at `*at`, without backslashes; `*at` goes to the closing quote. */
static struct xylem_view read_string(struct xylem_shell__arena *arena, struct xylem_view text, size_t *at)
{
    size_t from = ++*at;
    while (*at < text.bytes && text.data[*at] != '"') {
        *at += text.data[*at] == '\\' && *at + 1 < text.bytes ? 2 : 1;
    }
    struct xylem_view string = {xylem_shell__arena_take(arena, *at - from + 1), 0};
    for (size_t i = from; string.data && i < *at; i++) {
        i += text.data[i] == '\\' && i + 1 < *at;
        ((char *)string.data)[string.bytes++] = text.data[i];
    }
    return string;
}

/*
 * For confirm: judges the code behind sed's e, and each string of an awk program that runs programs. The flag e of
 * sed's s makes code of text that is not known: the program is searched.
 */
static bool judge_code_in(const struct scan *scan, const struct program *program, const char *why)
{
    struct xylem_view text = program->text;
    struct xylem_view code;
    bool passed = true;
    if (scan->hatch->type == XYLEM_POLICY__HATCH_SED) {
        code = xylem_policy__sed_code(text);
        return code.bytes > 0 ? xylem_policy__judge_code_in(scan->judge, program->word, code, "wrapper")
                              : !strstr(why, "runs a program") ||
                                    xylem_policy__undecided(scan->judge, program->word->raw, "sed", why);
    }
    bool runs = xylem_policy__view_contains(text, "system") || xylem_policy__view_has(text, '|');
    for (size_t at = 0; runs && at < text.bytes; at++) {
        if (text.data[at] == '"') {
            code = read_string(xylem_policy__arena_of(scan->judge), text, &at);
            passed &= code.data && xylem_policy__judge_code_in(scan->judge, program->word, code, "wrapper");
        }
    }
    return passed;
}

static bool judge_program(const struct scan *scan, const struct program *program)
{
    const char *why = "the program is not one literal word";
    enum xylem_policy__script found = XYLEM_POLICY__SCRIPT_NOT_UNDERSTOOD;
    if (program->literal) {
        found = scan->hatch->type == XYLEM_POLICY__HATCH_SED ? xylem_policy__sed(program->text, &why)
                                                             : xylem_policy__awk(program->text, &why);
    }
    if (found == XYLEM_POLICY__SCRIPT_PRINTS_TO_STREAM && !scan->strict) {
        return true;
    }
    if (scan->confirms) {
        return found == XYLEM_POLICY__SCRIPT_HARMLESS || !program->literal || judge_code_in(scan, program, why);
    }
    if (found == XYLEM_POLICY__SCRIPT_HARMFUL) {
        return xylem_policy__refuse(scan->judge, program->word->raw, program_rule(scan), "%s", why);
    }
    return found == XYLEM_POLICY__SCRIPT_HARMLESS ||
           xylem_policy__undecided(scan->judge, program->word->raw, program_rule(scan), why);
}

/*
 * Joins the programs of the options with newlines, like sed and gawk. The result is not literal if a part ends with a
 * backslash: the backslash may join the part to the next.
 */
static bool join_programs(const struct scan *scan, struct program *joined)
{
    size_t bytes = 0;
    *joined = scan->programs[0];
    for (size_t i = 0; i < scan->program_count; i++) {
        struct xylem_view text = scan->programs[i].text;
        bool continues = i + 1 < scan->program_count && text.bytes > 0 && text.data[text.bytes - 1] == '\\';
        joined->literal &= scan->programs[i].literal && !continues;
        bytes += text.bytes + 1;
    }
    char *all = xylem_shell__arena_take(xylem_policy__arena_of(scan->judge), bytes);
    joined->text = (struct xylem_view){all, bytes - 1};
    for (size_t i = 0; i < scan->program_count && all; i++) {
        struct xylem_view text = scan->programs[i].text;
        if (text.bytes > 0) {
            memcpy(all, text.data, text.bytes);
        }
        all += text.bytes;
        *all++ = '\n';
    }
    return all;
}

/*
 * Judges the programs. Without a program in an option, the first operand is the program. The first operand is judged as
 * well if the options stand behind the operand (some seds read such options as files), and for awk (some awks do not
 * know -e).
 */
static bool judge_programs(const struct scan *scan)
{
    struct program joined;
    if (scan->program_count > 0 && !(join_programs(scan, &joined) && judge_program(scan, &joined))) {
        return false;
    }
    return !scan->first.word || !scan->first_counts || judge_program(scan, &scan->first);
}

/*
 * --- The words ------------------------------------------------------------------------------------------------------
 */

static bool take(struct scan *scan, const struct xylem_policy__option *option)
{
    bool hosts = scan->strict && scan->hatch->type == XYLEM_POLICY__HATCH_HOSTS;
    if (hosts && (xylem_policy__view_has(option->word->text, '@') || option->word->path)) {
        return refuse(scan, option->word, "names a host, which is looked up in the network");
    }
    switch (option->type) {
    case XYLEM_POLICY__OPTION_KNOWN:
        return known_option(scan, option);
    case XYLEM_POLICY__OPTION_OPERAND:
        return take_operand(scan, option->word);
    case XYLEM_POLICY__OPTION_UNKNOWN:
        return unknown_option(scan, option->word);
    default:
        if (scan->strict && !hosts && !option->has_value &&
            !(scan->options.first_operand_ends && option->word->splits) && /* the word may vanish */
            xylem_policy__is_operand(scan->judge, option->word, "option")) {
            scan->options.dashes_seen |= scan->options.first_operand_ends;
            return take_operand(scan, option->word);
        }
        if (scan->strict && scan->command->appended && !option->word->parts) {
            /* An appended word has no place in the text. */
            return xylem_policy__refuse(scan->judge, scan->command->raw, "option",
                                        "write the words of %.*s out: xargs or find puts other words among them",
                                        (int)scan->command->name.bytes, scan->command->name.data);
        }
        return unclear(scan, option->word, "is not literal, and may be an option: say \"./$f\" or -- \"$f\"");
    }
}

bool xylem_policy__hatches(struct xylem_policy__judge *judge, const struct xylem_policy__command *command)
{
    struct scan scan = {.judge = judge,
                        .command = command,
                        .hatch = xylem_policy__hatch_of(command->name),
                        .strict = xylem_policy__of(judge)->type == XYLEM_POLICY_STRICT,
                        .confirms = xylem_policy__of(judge)->type == XYLEM_POLICY_CONFIRM};
    if (!scan.hatch->names) {
        return true;
    }
    if (scan.hatch->type == XYLEM_POLICY__HATCH_SED || scan.hatch->type == XYLEM_POLICY__HATCH_AWK) {
        scan.programs = xylem_shell__arena_take(xylem_policy__arena_of(judge), command->count * sizeof *scan.programs);
    }
    const char *lists[1 + XYLEM_POLICY__HATCH_KNOWN_MAX] = {scan.hatch->harmless};
    for (size_t i = 0; i < XYLEM_POLICY__HATCH_KNOWN_MAX; i++) {
        lists[1 + i] = scan.hatch->known[i].names;
    }
    scan.options = xylem_policy__options_of(
        command->words, command->count,
        xylem_policy__lists_joined(xylem_policy__arena_of(judge), lists, sizeof lists / sizeof lists[0]));
    scan.options.first_operand_ends = scan.hatch->reading == XYLEM_POLICY__READS_UP_TO_OPERAND ||
                                      scan.hatch->reading == XYLEM_POLICY__READS_FIRST_LETTER ||
                                      scan.hatch->reading == XYLEM_POLICY__READS_WRAPPED;
    scan.options.abbreviated = !scan.strict;
    scan.options.no_dashes = scan.hatch->reading == XYLEM_POLICY__READS_NO_DASHES;
    for (;;) {
        struct xylem_policy__option option = xylem_policy__options_next(&scan.options);
        if (option.type == XYLEM_POLICY__OPTION_END ||
            (option.type == XYLEM_POLICY__OPTION_OPERAND && scan.hatch->reading == XYLEM_POLICY__READS_WRAPPED)) {
            return judge_programs(&scan);
        }
        if (!take(&scan, &option)) {
            return false;
        }
    }
}
