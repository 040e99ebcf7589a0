/*
 * The confirm policy asks about commands that are known to destroy, and passes all others.
 * rules_tables.txt has the tables; each row of a table has a function here.
 */
#include <assert.h>

#include "judge/policy/engine/grants.h"
#include "judge/policy/engine/wrappers.h"
#include "judge/policy/git/forms.h"
#include "judge/policy/git/git.h"
#include "judge/policy/rules/hatches.h"
#include "judge/policy/rules/shared.h"
#include "judge/policy/rules/verbs.h"
#include "judge/policy/rules/strict.h"
#include "judge/policy/words/options.h"
#include "judge/policy/words/paths.h"
#include "judge/policy/engine/raw_text.h"
#include "judge/policy/words/tables.h"

/* The searches of xylem_policy__values_seen(). */
enum {
    SEARCH_NAMES,
    SEARCH_DEVICES,
    SEARCH_EVALUATED,
    SEARCH_PROMPTS,
    SEARCH_SUBSTITUTIONS,
    SEARCH_RECURSION,
    SEARCH_PRINTED_RECURSION,
    SEARCH_FORCE,
    SEARCH_HARD,
    SEARCH_CLEAN,
    SEARCH_MODE,
    SEARCH_COUNT
};
static_assert(SEARCH_COUNT <= XYLEM_POLICY__SEARCHES, "each search has a place in the judge");

/* A command, and the row with its name. */
struct pattern {
    struct xylem_policy__judge *judge;
    const struct xylem_policy__command *command;
    const struct xylem_policy__table_row *row;
};

static const struct xylem_policy__table_row *find_pattern(struct xylem_view name)
{
    return xylem_policy__find_row(xylem_policy__confirm_patterns, xylem_policy__program_of(name));
}

static bool ask(const struct pattern *pattern)
{
    struct xylem_view name = pattern->command->name;
    return xylem_policy__refuse(pattern->judge, pattern->command->raw, pattern->row->rule, "%.*s %s", (int)name.bytes,
                                name.data, pattern->row->what);
}

/* The same, and offers a grant for commands with the same program. */
static bool ask_about_program(const struct pattern *pattern)
{
    bool literal = pattern->command->words[0]->literal;
    bool passed = ask(pattern);
    if (literal) {
        xylem_policy__grant(pattern->judge, pattern->command, pattern->command->words[0]->text, pattern->row->rule,
                            NULL, 0);
    }
    return passed;
}

static bool undecided(const struct pattern *pattern)
{
    return xylem_policy__undecided(pattern->judge, pattern->command->raw, pattern->row->rule,
                                   "write its words out: a word that may decide is not literal");
}

/* True if `word` is the long option, or an abbreviation of at least `least` characters. A value may follow. */
static bool abbreviates(struct xylem_view word, const char *option, size_t least)
{
    struct xylem_view name = xylem_policy__view_before(word, '=');
    return name.bytes >= least && name.bytes <= strlen(option) && memcmp(name.data, option, name.bytes) == 0;
}

/* True if one of the letters stands behind a single dash, before a letter that takes the rest as a value. */
static bool has_letter(struct xylem_view word, const char *letters, const char *with_values)
{
    if (word.bytes < 2 || word.data[0] != '-' || word.data[1] == '-') {
        return false;
    }
    for (size_t i = 1; i < word.bytes && (word.data[i] == '\0' || !strchr(with_values, word.data[i])); i++) {
        if (word.data[i] != '\0' && strchr(letters, word.data[i])) {
            return true;
        }
    }
    return false;
}

/* True for a word whose beginning is not known, but that stays one word: `"$f"`, `"$d"/x`, `"$(pwd)"`. */
static bool is_one_value(const struct xylem_shell__word *word)
{
    return !word->literal && word->text.bytes == 0 && !xylem_policy__may_multiply(word) && word->parts;
}

/* True if a part of a word of the text, between blanks, spells what the word of the command may hold. */
static bool values_spell(struct xylem_policy__judge *judge, unsigned search, bool (*spells)(struct xylem_view),
                         bool several)
{
    size_t count;
    const struct xylem_shell__word *const *values = xylem_policy__values(judge, &count);
    for (size_t *seen = xylem_policy__values_seen(judge, search); *seen < count; (*seen)++) {
        struct xylem_view text = values[*seen]->text;
        bool looks = !several || xylem_shell__has_any(text, " \t\n");
        for (size_t at = 0, end; looks && at < text.bytes; at = end + 1) {
            end = xylem_shell__find_any(text, at, " \t\n");
            if (spells((struct xylem_view){text.data + at, end - at})) {
                return true;
            }
        }
    }
    return false;
}

/*
 * --- sudo -----------------------------------------------------------------------------------------------------------
 */

/* The index of the program behind sudo; 0: there is none, or its place is not known. */
static size_t program_behind(const struct xylem_policy__command *command)
{
    const struct xylem_policy__wrapper *wrapper = xylem_policy__wrapper_of(command->name);
    struct xylem_policy__options options = xylem_policy__options_of(command->words, command->count, wrapper->options);
    for (;;) {
        struct xylem_policy__option option = xylem_policy__options_next(&options);
        bool setting = option.type == XYLEM_POLICY__OPTION_OPERAND && xylem_policy__view_has(option.word->text, '=');
        bool literal = option.type == XYLEM_POLICY__OPTION_KNOWN ? !option.has_value || option.value_literal
                                                                 : setting && option.word->literal;
        if (!literal) {
            return option.type == XYLEM_POLICY__OPTION_OPERAND && option.word->literal ? options.at - 1 : 0;
        }
        options.dashes_seen |= setting;
    }
}

/*
 * A grant names sudo, its options and the program behind. Nothing is offered where the program runs other programs, or
 * where a row of the table has the program.
 */
static bool judge_sudo(const struct pattern *pattern)
{
    const struct xylem_policy__command *command = pattern->command;
    bool passed = ask(pattern);
    size_t at = program_behind(command);
    struct xylem_view name = at == 0 ? command->name : xylem_policy__basename(command->words[at]->text);
    if (command->words[0]->literal && !xylem_policy__wrapper_of(name) && !find_pattern(name) &&
        !xylem_policy__find_row(xylem_policy__strict_never, name)) {
        xylem_policy__grant(pattern->judge, command, xylem_policy__span_of(command->words, at + 1), pattern->row->rule,
                            NULL, 0);
    }
    return passed;
}

/*
 * --- The patterns ---------------------------------------------------------------------------------------------------
 */

/* True if xargs or find -exec put the word there: the name of a file. */
static bool is_appended(const struct xylem_policy__command *command, const struct xylem_shell__word *word)
{
    return command->appended && !word->literal && !word->parts;
}

/* True for an option of rm that removes trees. */
static bool recurses(struct xylem_view word)
{
    return abbreviates(word, "--recursive", strlen("--r")) ||
           (has_letter(word, "rR", "") && xylem_policy__view_of_only(word, "-dfiIPrRvWx"));
}

/* True for `*.o` and `"$d/$f"`: rm refuses an option with such a character in it, and removes nothing. */
static bool is_no_option_of_rm(const struct xylem_shell__word *word)
{
    bool foreign = false;
    for (const struct xylem_shell__part *part = word->parts; part; part = part->next) {
        foreign |= part->type == XYLEM_SHELL__PART_TEXT && xylem_shell__has_any(part->text, "./_~+,:@%0123456789");
        if (part->type == XYLEM_SHELL__PART_BRACE) {
            return false;
        }
    }
    return foreign && !word->splits && word->text.bytes == 0;
}

/*
 * rm reads options behind operands as well, and abbreviations of long options. What a word may hold:
 *
 *     rm "$f"           one file, or an option without a file
 *     rm "$a" "$b"      two files, or an option and a tree: asked if the text sets a, and holds `-r`
 *     rm $f, rm *       an option and a tree: asked, unless the value is known
 *     xargs rm          files of the input: asked if the text holds `-rf d` or prints `-rf`
 *     xargs rm "$f"     an option before the files: asked
 */
static bool judge_rm(const struct pattern *pattern)
{
    const struct xylem_policy__command *command = pattern->command;
    bool unclear = command->appended && values_spell(pattern->judge, SEARCH_PRINTED_RECURSION, recurses, true);
    bool set = false; /* a quoted value may come from the text */
    size_t operands = command->appended;
    for (size_t i = 1; i < command->count; i++) {
        const struct xylem_shell__word *word = command->words[i];
        if (xylem_shell__word_is(word, "--")) {
            operands += command->count - i - 1;
            break;
        }
        if (has_letter(word->text, "rR", "") || abbreviates(word->text, "--recursive", strlen("--r"))) {
            bool passed = ask(pattern);
            xylem_policy__grant(pattern->judge, command, command->words[0]->text, pattern->row->rule,
                                command->words + 1, command->count - 1);
            return passed;
        }
        operands += !xylem_policy__view_begins(word->text, "-");
        if (word->literal || !xylem_policy__may_be_option(word) || is_appended(command, word) ||
            is_no_option_of_rm(word) || xylem_policy__is_operand(pattern->judge, word, pattern->row->rule)) {
            continue;
        }
        set |= !xylem_policy__holds_outer_value(pattern->judge, word);
        unclear |= !is_one_value(word) || command->appended;
    }
    unclear |= set && operands > 1 && values_spell(pattern->judge, SEARCH_RECURSION, recurses, false);
    return !unclear || undecided(pattern);
}

/* mkfs and shred with --version or --help alone overwrite nothing. */
static bool judge_overwrite(const struct pattern *pattern)
{
    const struct xylem_policy__command *command = pattern->command;
    return (command->count == 2 && command->words[1]->literal &&
            xylem_policy__listed("--version -V --help -h", command->words[1]->text)) ||
           ask_about_program(pattern);
}

/* True for 777, 0777, 00777 and so on. */
static bool is_777(struct xylem_view text)
{
    size_t zeros = xylem_base__skip(text, 0, "0");
    return xylem_base__view_is((struct xylem_view){text.data + zeros, text.bytes - zeros}, "777");
}

/* True if bash can expand the word to 777. Another character in the word rules that out, if the word stays one word. */
static bool may_be_777(const struct xylem_shell__word *word)
{
    for (const struct xylem_shell__part *part = word->parts; part; part = part->next) {
        if (part->type == XYLEM_SHELL__PART_BRACE) { /* `{777,x}`: the first word of the expansion counts */
            return memchr(word->raw.data, '7', word->raw.bytes);
        }
        if (part->type == XYLEM_SHELL__PART_TILDE) {
            return false;
        }
        for (size_t i = 0; part->type == XYLEM_SHELL__PART_TEXT && i < part->text.bytes; i++) {
            bool first = part == word->parts || !word->splits;
            if (first && part->text.data[i] != '0' && part->text.data[i] != '7') {
                return false;
            }
        }
    }
    return true;
}

/* The first word that is no option is the mode or the owner. */
static bool judge_mode(const struct pattern *pattern)
{
    const struct xylem_policy__command *command = pattern->command;
    bool found = false;
    for (size_t i = 1; i < command->count; i++) {
        const struct xylem_shell__word *word = command->words[i];
        if (word->literal && is_777(word->text)) {
            return ask_about_program(pattern);
        }
        if (found || xylem_policy__view_begins(word->text, "-")) {
            continue;
        }
        if (!word->literal && may_be_777(word) &&
            (!is_one_value(word) || word->parts->next || values_spell(pattern->judge, SEARCH_MODE, is_777, false))) {
            return undecided(pattern);
        }
        found = true;
    }
    return found || !command->appended || undecided(pattern);
}

static bool judge_dd(const struct pattern *pattern)
{
    const struct xylem_policy__command *command = pattern->command;
    bool unclear = command->appended;
    for (size_t i = 1; i < command->count; i++) {
        const struct xylem_shell__word *word = command->words[i];
        if (xylem_policy__view_begins(word->text, "if=") || xylem_policy__view_begins(word->text, "of=")) {
            return ask_about_program(pattern);
        }
        bool other = xylem_policy__view_has(word->text, '=');
        unclear |= !word->literal && (word->splits || !other);
    }
    return !unclear || undecided(pattern);
}

/* `git push --force-w` is --force-with-lease as well: git accepts unambiguous abbreviations. */
static bool forces(struct xylem_view word)
{
    return has_letter(word, "f", "o") || xylem_base__view_is(word, "--force") ||
           abbreviates(word, "--force-with-lease", strlen("--force-w"));
}

/* True if bash can expand the word to an option that forces. `--x=$y` cannot become one, if the word stays one word. */
static bool may_force(const struct xylem_shell__word *word, bool options)
{
    struct xylem_view text = word->text;
    if (word->splits || text.bytes == 0) {
        return true;
    }
    bool value = xylem_policy__view_begins(text, "--") && xylem_policy__view_has(text, '=');
    return options && text.data[0] == '-' && !value;
}

/*
 * git throws away what no commit has: `reset --hard`, `clean -f`, and `checkout` and `restore` of a whole tree. One file
 * by its name is everyday.
 */
static bool is_hard(struct xylem_view word)
{
    return abbreviates(word, "--hard", strlen("--ha"));
}

static bool is_forced_clean(struct xylem_view word)
{
    return has_letter(word, "f", "e") || abbreviates(word, "--force", strlen("--f"));
}

static bool is_tree(struct xylem_view word)
{
    return xylem_policy__listed(". ./ :/ :/. :", word) || xylem_base__view_is(word, "*");
}

static const struct discard {
    const char *verb;
    bool (*throws)(struct xylem_view word);
    const char *unless; /* options with which the verb throws nothing away */
    const char *though; /* options with which the verb does all the same */
    bool operands;      /* operands decide, also behind `--`; a variable does not */
    unsigned search;
    struct xylem_policy__table_row row;
} discards[] = {
    {"reset",
     is_hard,
     "",
     "",
     false,
     SEARCH_HARD,
     {NULL, "reset-hard", "reset --hard throws away changes that no commit has"}},
    {"clean",
     is_forced_clean,
     "-n --dry-run",
     "",
     false,
     SEARCH_CLEAN,
     {NULL, "clean-force", "clean -f removes files that no commit has"}},
    {"checkout", is_tree, "", "", true, 0, {NULL, "discard", "checkout of a whole tree throws away its changes"}},
    {"restore",
     is_tree,
     "-S --staged",
     "-W --worktree",
     true,
     0,
     {NULL, "discard", "restore of a whole tree throws away its changes"}},
    {.verb = NULL},
};

/* True if one of the options stands before `--`: a letter may stand among others. */
static bool has_one(const struct xylem_shell__word *const *words, size_t count, const char *options)
{
    for (size_t i = 1; i < count && !xylem_shell__word_is(words[i], "--"); i++) {
        char letters[] = {options[0] ? options[1] : '\0', '\0'};
        if (words[i]->literal && (xylem_policy__listed(options, words[i]->text) ||
                                  (letters[0] && has_letter(words[i]->text, letters, "e")))) {
            return true;
        }
    }
    return false;
}

static bool judge_discard(const struct pattern *pattern, const struct xylem_shell__word *const *words, size_t count)
{
    const struct discard *discard = discards;
    while (discard->verb && !xylem_shell__word_is(words[0], discard->verb)) {
        discard++;
    }
    if (!discard->verb || (has_one(words, count, discard->unless) && !has_one(words, count, discard->though))) {
        return true;
    }
    const struct pattern of_verb = {pattern->judge, pattern->command, &discard->row};
    for (size_t i = 1; i < count && (discard->operands || !xylem_shell__word_is(words[i], "--")); i++) {
        if (discard->throws(words[i]->literal ? words[i]->text : words[i]->raw)) {
            return ask_about_program(&of_verb);
        }
        if (!discard->operands && !words[i]->literal && words[i]->text.bytes == 0 &&
            !is_appended(pattern->command, words[i]) && !xylem_policy__holds_outer_value(pattern->judge, words[i]) &&
            values_spell(pattern->judge, discard->search, discard->throws, false)) {
            return undecided(&of_verb);
        }
    }
    return true;
}

/* True for a word that makes push overwrite. */
static bool is_force(struct xylem_view word)
{
    return xylem_policy__view_begins(word, "+") || forces(word);
}

static bool judge_push(const struct pattern *pattern)
{
    size_t count = 0;
    const struct xylem_shell__word *const *words = xylem_policy__git_subcommand(pattern->command, &count);
    bool options = true;
    bool unclear = pattern->command->appended;
    if (!words) {
        for (size_t i = 1; i < pattern->command->count; i++) {
            unclear |= !pattern->command->words[i]->literal;
        }
        return !unclear || undecided(pattern);
    }
    if (!xylem_shell__word_is(words[0], "push")) {
        return words[0]->literal ? judge_discard(pattern, words, count) : undecided(pattern);
    }
    bool forced = false;
    bool dry = false;
    for (size_t i = 1; i < count; i++) {
        struct xylem_view text = words[i]->text;
        forced |= options ? is_force(text) : xylem_policy__view_begins(text, "+");
        options &= !xylem_shell__word_is(words[i], "--");
        bool value = i > 0 && xylem_policy__listed("-o --push-option --repo --receive-pack --exec", words[i - 1]->text);
        dry |= options && !value && words[i]->literal &&
               (has_letter(text, "n", "o") || xylem_base__view_is(text, "--dry-run"));
        dry &= !xylem_policy__view_begins(text, "--no-d");
        unclear |= !words[i]->literal && may_force(words[i], options) &&
                   (!is_one_value(words[i]) || (!xylem_policy__holds_outer_value(pattern->judge, words[i]) &&
                                                values_spell(pattern->judge, SEARCH_FORCE, is_force, false)));
    }
    return forced && !(dry && !unclear) ? ask_about_program(pattern) : !unclear || undecided(pattern);
}

/* find is no row of the table: in a text that nobody can read its name says nothing. */
static bool judge_find(const struct pattern *pattern)
{
    static const struct xylem_policy__table_row deletes = {NULL, "find-delete", "-delete removes all that it finds"};
    const struct xylem_policy__command *command = pattern->command;
    if (!xylem_base__view_is(xylem_policy__program_of(command->name), "find")) {
        return true;
    }
    for (size_t i = 1; i < command->count; i++) {
        if (xylem_shell__word_is(command->words[i], "-delete")) {
            return ask_about_program(&(struct pattern){pattern->judge, command, &deletes});
        }
    }
    return true;
}

/* True for a size that empties the file: `0`, `00`, `0K`, ` 0`, `<0`. (`+0`, `-0` and `>0` change nothing.) */
static bool is_zero_size(struct xylem_view size)
{
    size_t digits = xylem_base__skip(size, 0, " \t\n<");
    size_t at = xylem_base__skip(size, digits, "0");
    return at > digits && (at == size.bytes || size.data[at] < '0' || size.data[at] > '9');
}

static bool judge_truncate(const struct pattern *pattern)
{
    struct xylem_policy__options options = xylem_policy__options_of(
        pattern->command->words, pattern->command->count,
        "-c -o -r: -s: --no-create --io-blocks --reference: --size: --siz: --si: --s: --help --version");
    struct xylem_policy__option option;
    bool unclear = false;
    bool sized = false;
    while ((option = xylem_policy__options_next(&options)).type != XYLEM_POLICY__OPTION_END) {
        bool size = option.type == XYLEM_POLICY__OPTION_KNOWN && xylem_policy__view_begins(option.name, "-s");
        size |= option.type == XYLEM_POLICY__OPTION_KNOWN && xylem_policy__view_begins(option.name, "--s");
        if (size && option.value_literal && is_zero_size(option.value)) {
            return ask_about_program(pattern);
        }
        sized |= size;
        unclear |= (size && !option.value_literal) || option.type == XYLEM_POLICY__OPTION_UNKNOWN ||
                   (option.type == XYLEM_POLICY__OPTION_UNCLEAR && !is_appended(pattern->command, option.word));
    }
    return !(unclear || (pattern->command->appended && !sized)) || undecided(pattern);
}

/*
 * --- Devices --------------------------------------------------------------------------------------------------------
 */

/* True if the path leads to a device that is not harmless. */
static bool is_device(struct xylem_policy__judge *judge, struct xylem_view path)
{
    struct xylem_view device;
    return xylem_policy__path_of_device(&device, xylem_policy__arena_of(judge), path) &&
           !xylem_policy__find_row(xylem_policy__confirm_devices, device);
}

/* True if `text` begins with the path of a device that is not harmless. The path ends with the word. */
static bool begins_with_device(struct xylem_view text)
{
    if (!xylem_policy__view_begins(text, "/dev/")) {
        return false;
    }
    size_t bytes = xylem_shell__find_any(text, 0, " \t\n;&|()<>`'\"");
    struct xylem_view device = {text.data + strlen("/dev/"), bytes - strlen("/dev/")};
    return xylem_policy__view_contains(device, "..") || !xylem_policy__find_row(xylem_policy__confirm_devices, device);
}

/* True for `/dev` itself: a variable may hold the path, `> $D/sda`. */
static bool is_device_directory(struct xylem_view path)
{
    while (path.bytes > 1 && path.data[path.bytes - 1] == '/') {
        path.bytes--;
    }
    return xylem_base__view_is(path, "/dev") || xylem_base__view_is(path, "//dev");
}

/* True if a word of the command is a device, or /dev: a variable may hold the word. */
static bool values_hold_device(struct xylem_policy__judge *judge)
{
    size_t count;
    const struct xylem_shell__word *const *values = xylem_policy__values(judge, &count);
    for (size_t *seen = xylem_policy__values_seen(judge, SEARCH_DEVICES); *seen < count; (*seen)++) {
        const struct xylem_shell__word *word = values[*seen];
        if (is_device(judge, word->text) || is_device_directory(word->text) ||
            (!word->literal && begins_with_device(word->text))) {
            return true;
        }
        struct xylem_view behind;
        if (xylem_policy__view_behind(&behind, word->text, '=') && begins_with_device(behind)) {
            return true;
        }
    }
    return false;
}

/* True if the target is a device, or may be one. */
static bool writes_device(struct xylem_policy__judge *judge, const struct xylem_shell__word *target)
{
    struct xylem_view text = target->text;
    if (target->literal) {
        return is_device(judge, text);
    }
    if (text.bytes == 0) {
        return (!target->parts || target->parts->type != XYLEM_SHELL__PART_TILDE) && values_hold_device(judge);
    }
    return is_device(judge, text) || xylem_policy__may_begin(text, "/dev");
}

static bool judge_tee(const struct pattern *pattern)
{
    const struct xylem_policy__command *command = pattern->command;
    for (size_t i = 1; i < command->count; i++) {
        if (writes_device(pattern->judge, command->words[i])) {
            return ask_about_program(pattern);
        }
    }
    return !command->appended || undecided(pattern);
}

/*
 * --- Code within words ----------------------------------------------------------------------------------------------
 */

/* Judges literal code. `git -c alias.x=!CODE` and `--checkpoint-action=exec=CODE` hold the code behind a mark. */
static bool judge_text(const struct pattern *pattern, const struct xylem_shell__word *word, struct xylem_view code)
{
    size_t mark = xylem_policy__view_begins(code, "!")       ? strlen("!")
                  : xylem_policy__view_begins(code, "exec=") ? strlen("exec=")
                                                             : 0;
    code = (struct xylem_view){code.data + mark, code.bytes - mark};
    return xylem_policy__judge_code_in(pattern->judge, word, code, "wrapper");
}

/* Judges the value of a setting: KEY=CODE or KEY CODE. git puts itself before the value of an alias without `!`. */
static bool judge_setting(const struct pattern *pattern, const struct xylem_policy__option *option)
{
    struct xylem_shell__word value = *option->value_word;
    struct xylem_view key = xylem_policy__view_before(xylem_policy__view_before(option->value, '='), ' ');
    size_t at = xylem_base__skip(option->value, key.bytes, "= ");
    value.text = (struct xylem_view){option->value.data + at, option->value.bytes - at};
    if (value.text.bytes == 0 || xylem_policy__git_key_harmless(key)) {
        return true;
    }
    if (!xylem_policy__view_begins(key, "alias.") || xylem_policy__view_begins(value.text, "!")) {
        return judge_text(pattern, &value, value.text);
    }
    const struct xylem_shell__word *words[] = {pattern->command->words[0], &value};
    const struct xylem_shell__word *joined = xylem_policy__joined(xylem_policy__arena_of(pattern->judge), words, 2);
    return joined && judge_text(pattern, &value, joined->text);
}

/* Judges the code in the options of the words, by a row. */
static bool judge_row(const struct pattern *pattern, const struct xylem_policy__code_row *row,
                      const struct xylem_shell__word *const *words, size_t count)
{
    const char *const lists[] = {row->code, row->settings, row->options};
    struct xylem_policy__options options = xylem_policy__options_of(
        words, count, xylem_policy__lists_joined(xylem_policy__arena_of(pattern->judge), lists, 3));
    struct xylem_policy__option option;
    bool passed = true;
    options.abbreviated = true;
    options.no_dashes = true; /* su hands options behind `--` to the shell */
    while ((option = xylem_policy__options_next(&options)).type != XYLEM_POLICY__OPTION_END) {
        if (option.type != XYLEM_POLICY__OPTION_KNOWN || !option.has_value) {
            continue;
        }
        bool code = xylem_policy__listed(row->code, option.name);
        if (code && option.value_literal) {
            passed &= judge_text(pattern, option.value_word, option.value);
        } else if (code && xylem_policy__listed("su runuser", pattern->command->name)) {
            passed &= xylem_policy__judge_code(pattern->judge, option.value_word, "wrapper");
        } else if (option.value_literal && xylem_policy__listed(row->settings, option.name)) {
            passed &= judge_setting(pattern, &option);
        }
    }
    return passed;
}

/* `git submodule foreach CODE`, and `git bisect run COMMAND`. Other subcommands of git pass. */
static bool judge_each(const struct pattern *pattern, const struct xylem_shell__word *const *words, size_t count)
{
    bool each = xylem_shell__word_is(words[0], "submodule");
    size_t at = 1;
    if (!each && !xylem_shell__word_is(words[0], "bisect")) {
        return true;
    }
    while (at < count && !xylem_shell__word_is(words[at], each ? "foreach" : "run")) {
        at++;
    }
    do {
        at++;
    } while (at < count && xylem_policy__view_begins(words[at]->text, "-"));
    if (at >= count) {
        return true;
    }
    return each && at + 1 == count
               ? xylem_policy__judge_code(pattern->judge, words[at], "wrapper")
               : xylem_policy__judge_words(pattern->judge, pattern->command, words + at, count - at, false);
}

/* Judges the code that the words of the command hold for a program that runs code. */
static bool judge_inside(const struct pattern *pattern)
{
    const struct xylem_policy__command *command = pattern->command;
    struct xylem_view name = xylem_policy__program_of(command->name);
    size_t count = 0; /* of the words of the subcommand */
    const struct xylem_shell__word *const *words =
        xylem_base__view_is(name, "git") ? xylem_policy__git_subcommand(command, &count) : NULL;
    bool passed = xylem_policy__hatches(pattern->judge, command);
    passed &= !words || judge_each(pattern, words, count);
    for (const struct xylem_policy__code_row *row = xylem_policy__confirm_code; row->names; row++) {
        if (!xylem_policy__listed(row->names, name)) {
            continue;
        }
        if (!row->verbs) {
            passed &= judge_row(pattern, row, command->words, command->count - count);
        } else if (words && xylem_policy__listed(row->verbs, words[0]->text)) {
            passed &= judge_row(pattern, row, words, count);
        }
    }
    return passed;
}

/*
 * --- The rules ------------------------------------------------------------------------------------------------------
 */

static bool judge_command(struct xylem_policy__judge *judge, const struct xylem_policy__command *command)
{
    static const struct {
        const char *rule;
        bool (*judge)(const struct pattern *pattern);
    } functions[] = {
        {"recursive-rm", judge_rm},  {"sudo", judge_sudo},
        {"mode-777", judge_mode},    {"dd", judge_dd},
        {"mkfs", judge_overwrite},   {"force-push", judge_push},
        {"device-write", judge_tee}, {"truncate-to-zero", judge_truncate},
        {"shred", judge_overwrite},
    };
    struct pattern pattern = {judge, command, find_pattern(command->name)};
    for (size_t i = 0; pattern.row && i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(functions[i].rule, pattern.row->rule) == 0) {
            bool passed = functions[i].judge(&pattern);
            return judge_inside(&pattern) && passed;
        }
    }
    bool passed = judge_find(&pattern) && xylem_policy__judge_verbs(judge, command);
    return judge_inside(&pattern) && passed;
}

/*
 * --- What cannot be decided -----------------------------------------------------------------------------------------
 */

static bool pattern_word(struct xylem_view word)
{
    return find_pattern(word);
}

/* True for `>`, `>>`, `&>` and the like before a device. */
static bool device_redirection(struct xylem_view from)
{
    size_t at = xylem_base__skip(from, 1, ">|& \t'\"");
    return begins_with_device((struct xylem_view){from.data + at, from.bytes - at});
}

static const struct xylem_policy__raw_search patterns = {pattern_word, device_redirection};

/*
 * Asks about a text with the name of a destructive program, if the text can run a program. Arithmetic runs programs
 * only in a subscript.
 */
static bool judge_undecided(struct xylem_policy__judge *judge, struct xylem_view at, const char *rule, const char *why)
{
    bool arithmetic = strcmp(rule, "arithmetic") == 0;
    struct xylem_view found;
    if (xylem_policy__raw_values_run(judge, SEARCH_EVALUATED, rule, at, &patterns, &found)) {
        return xylem_policy__refuse_found(judge, at, rule, why, "another word of the command, which bash may then run,",
                                          found);
    }
    if (arithmetic && !xylem_policy__raw_arithmetic_runs(xylem_policy__arena_of(judge), at)) {
        return true;
    }
    if (xylem_policy__raw_text_has(xylem_policy__arena_of(judge), at, &patterns, &found)) {
        return xylem_policy__refuse_found(judge, at, rule, why, "the text", found);
    }
    if (xylem_shell__has_any(at, "$`") && xylem_policy__raw_values_have(judge, SEARCH_NAMES, &patterns, &found)) {
        return xylem_policy__refuse_found(judge, at, rule, why, "another word of the command", found);
    }
    return true;
}

/* True for characters that begin a substitution, or may begin a substitution together with other text. */
static bool may_substitute(struct xylem_shell__arena *arena, struct xylem_view text)
{
    (void)arena;
    return xylem_shell__has_any(text, "$`<>");
}

static bool judge_redirection(struct xylem_policy__judge *judge, const struct xylem_shell__redirection *redirection)
{
    static const char why[] = "bash expands the word behind >& twice";
    struct xylem_view found;
    bool writes =
        redirection->type == XYLEM_SHELL__REDIRECT_WRITE || redirection->type == XYLEM_SHELL__REDIRECT_READ_WRITE;
    if (writes && writes_device(judge, redirection->target)) {
        return xylem_policy__refuse(judge, redirection->raw, "device-write", "%.*s writes to a device",
                                    (int)redirection->raw.bytes, redirection->raw.data);
    }
    if (!redirection->expands_twice) {
        return true;
    }
    if (redirection->target->literal) {
        return xylem_policy__refuse(judge, redirection->raw, "not-decidable", "%s: write a plain path", why);
    }
    /* `x='$(rm -r y)'; : >&$x` runs rm. Descriptors in variables are common, so that a name alone is no find. */
    return !xylem_policy__raw_values_hold(judge, SEARCH_SUBSTITUTIONS, may_substitute, NULL, NULL) ||
           !xylem_policy__raw_values_have(judge, SEARCH_NAMES, &patterns, &found) ||
           xylem_policy__refuse_found(judge, redirection->raw, "not-decidable", why, "another word of the command",
                                      found);
}

const struct xylem_policy__rules xylem_policy__rules_confirm = {
    .name = "confirm",
    .refusal = XYLEM_ASK,
    .programs = xylem_policy__confirm_patterns,
    .command = judge_command,
    .redirection = judge_redirection,
    .variable = xylem_policy__judge_command_variable,
    .undecided = judge_undecided,
};
