#include "judge/policy/rules/marks.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "judge/policy/engine/engine.h"
#include "judge/policy/engine/wrappers.h"
#include "judge/policy/git/git.h"
#include "judge/policy/rules/hatches.h"
#include "judge/policy/rules/shared.h"
#include "judge/policy/rules/strict.h"
#include "judge/policy/words/options.h"

/* Programs that run the code of a file or an argument, besides those that strict never allows. */
static const char INTERPRETERS[] =
    "python* pypy* ipython* perl* ruby* irb node* ts-node tsx php* lua* tclsh* wish* expect Rscript R julia "
    "ghci runghc osascript groovy scala erl elixir iex guile racket sbcl clisp emacs enable hash alias bind";

static const struct xylem_policy__hatch *hatch_of(struct xylem_view name)
{
    const struct xylem_policy__hatch *row = xylem_policy__hatch_table;
    while (row->names && !xylem_policy__listed(row->names, name)) {
        row++;
    }
    return row->names ? row : NULL;
}

/*
 * --- Words that the tables mark -------------------------------------------------------------------------------------
 */

/* What is done with each list of marks of a program; true ends the visit. */
typedef bool (*visit_marks)(void *context, const char *list, bool verbs);

static bool each_list(struct xylem_view name, visit_marks visit, void *context)
{
    const struct xylem_policy__hatch *hatch = hatch_of(name);
    const struct xylem_policy__table_row *known = hatch ? hatch->known : NULL;
    for (; known && known->names; known++) {
        if (visit(context, known->names, false)) {
            return true;
        }
    }
    for (const struct xylem_policy__code_row *row = xylem_policy__confirm_code; row->names; row++) {
        if (xylem_policy__listed(row->names, name) &&
            (visit(context, row->code, false) || visit(context, row->settings, false))) {
            return true;
        }
    }
    for (const struct xylem_policy__verb_row *row = xylem_policy__readonly_verbs; row->names; row++) {
        if (xylem_policy__listed(row->names, name) &&
            (visit(context, row->code, false) || visit(context, row->runs, true))) {
            return true;
        }
    }
    return false;
}

/* True if the word is one of the options, an abbreviation of one, or letters with one of them: `-xf`, `--exe=sh`. */
static bool is_option_of(const char *list, struct xylem_view text)
{
    struct xylem_view name = xylem_policy__view_before(text, '=');
    if (!list || text.bytes < 2 || text.data[0] != '-') {
        return false;
    }
    if (xylem_policy__listed(list, name)) {
        return true;
    }
    if (text.data[1] == '-') {
        return name.bytes > 2 && xylem_policy__begins_one_of(list, name);
    }
    for (size_t i = 1; i < text.bytes; i++) {
        char spelt[2] = {'-', text.data[i]};
        if (xylem_policy__listed(list, (struct xylem_view){spelt, sizeof spelt})) {
            return true;
        }
    }
    return false;
}

/* True if the word is a part of an entry: `exec` of `compose/exec`. */
static bool is_verb_of(const char *list, struct xylem_view text)
{
    struct xylem_view entry;
    while (text.bytes > 0 && xylem_policy__next_name(&entry, &list)) {
        do {
            struct xylem_view part = xylem_policy__view_before(entry, '/');
            if (!xylem_base__view_is(part, "*") && xylem_policy__entry_meets(part, text)) {
                return true;
            }
        } while (xylem_policy__view_behind(&entry, entry, '/'));
    }
    return false;
}

static bool marks_word(void *context, const char *list, bool verbs)
{
    const struct xylem_view *text = context;
    return verbs ? is_verb_of(list, *text) : is_option_of(list, *text);
}

static bool add_list(void *context, const char *list, bool verbs)
{
    struct xylem_buffer *text = context;
    struct xylem_view entry;
    while (xylem_policy__next_name(&entry, &list)) {
        size_t wild = verbs && entry.bytes > 2 && memcmp(entry.data + entry.bytes - 2, "/*", 2) == 0 ? 2 : 0;
        entry.bytes -= wild + (strchr(":?", entry.data[entry.bytes - 1]) ? 1 : 0);
        bool name = !xylem_base__view_is(entry, ".") && !xylem_base__view_is(entry, "*");
        if (name && xylem_base__buffer_add_format(text, "%s%.*s", text->bytes > 0 ? ", " : "", (int)entry.bytes,
                                                  entry.data) < 0) {
            return true;
        }
    }
    return false;
}

int xylem_policy__marks_of(struct xylem_buffer *text, struct xylem_view program)
{
    return each_list(xylem_policy__program_of(program), add_list, text) ? XYLEM_E_MEMORY : 0;
}

/*
 * --- Wildcards ------------------------------------------------------------------------------------------------------
 */

/* True if the rules of a policy, without anything taught, pass the words as a command of their own. */
static bool pass(const struct xylem_policy__judge *judge, const struct xylem_policy__rules *rules,
                 enum xylem_policy_type type, const struct xylem_policy__command *command)
{
    struct xylem_policy policy = {.rules = rules, .type = type, .git_local_writes = true};
    struct xylem_verdict verdict = {0};
    struct xylem_policy__frame frame = {.text = command->raw};
    struct xylem_policy__judge alone = {.policy = &policy,
                                        .verdict = &verdict,
                                        .frame = &frame,
                                        .code_depth = judge->code_depth,
                                        .wrapper_depth = judge->wrapper_depth,
                                        .place = judge->place,
                                        .guess_count = judge->guess_count};
    (void)rules->command(&alone, command);
    bool passed = alone.refusal_count == 0 && !alone.failed && !alone.arena.failed;
    xylem_shell__arena_release(&alone.arena);
    free(alone.values.words);
    xylem_verdict_release(&verdict);
    return passed;
}

/*
 * True if the words under the wildcards make the policy refuse a command that it passes without them: then they bring
 * the harm, and the words that the person wrote do not.
 */
static bool bring_refusal(const struct xylem_policy__judge *judge, const struct xylem_policy__rules *rules,
                          enum xylem_policy_type type, const struct xylem_policy__command *command,
                          const struct xylem_policy__command *written)
{
    return !pass(judge, rules, type, command) && pass(judge, rules, type, written);
}

/*
 * The tables of today spell some of the marks: options of hatches, options and verbs with code. The rest comes from the
 * policies: what confirm asks about destroys, and what readonly denies changes something. git, and the programs with a
 * language or with operands that are written, are judged by strict, which knows local writes that can be undone. A
 * table of verbs with their effects answers the same question without the policies.
 */
bool xylem_policy__wildcard_may_stand(struct xylem_policy__judge *judge, const struct xylem_policy__command *command,
                                      const struct xylem_policy__taught_rule *rule)
{
    struct xylem_policy__command written = *command;
    const struct xylem_shell__word **words = xylem_shell__arena_take(&judge->arena, command->count * sizeof *words);
    struct xylem_view name = xylem_policy__program_of(command->name);
    written.words = words;
    written.count = 0;
    for (size_t i = 0; words && i < command->count; i++) {
        struct xylem_view text = command->words[i]->text;
        if (i < rule->count && rule->words[i]->literal) {
            words[written.count++] = command->words[i];
        } else if (each_list(name, marks_word, &text)) {
            return false;
        }
    }
    if (!words || written.count == command->count) {
        return words;
    }
    const struct xylem_policy__hatch *hatch = hatch_of(name);
    bool git = xylem_base__view_is(name, "git");
    bool by_strict =
        git || (hatch && hatch->type != XYLEM_POLICY__HATCH_OPTIONS && hatch->type != XYLEM_POLICY__HATCH_FIND);
    size_t count;
    if (git && !xylem_policy__git_subcommand(&written, &count)) { /* the wildcard has the subcommand */
        return pass(judge, &xylem_policy__rules_strict, XYLEM_POLICY_STRICT, command);
    }
    return !bring_refusal(judge, &xylem_policy__rules_confirm, XYLEM_POLICY_CONFIRM, command, &written) &&
           !(by_strict ? bring_refusal(judge, &xylem_policy__rules_strict, XYLEM_POLICY_STRICT, command, &written)
                       : bring_refusal(judge, &xylem_policy__rules_readonly, XYLEM_POLICY_READONLY, command, &written));
}

/*
 * --- Rules that would allow any code --------------------------------------------------------------------------------
 */

/*
 * True if a wildcard of the rule stands where the entry has the command to run: `npm exec **`, `docker exec web **`.
 * Options of the rule are passed over.
 */
static bool leaves_command_open(const struct xylem_policy__taught_rule *rule, struct xylem_view entry)
{
    bool more = !xylem_base__view_is(entry, ".");
    for (size_t i = 1; i < rule->count; i++) {
        const struct xylem_shell__word *word = rule->words[i];
        struct xylem_view part = xylem_policy__view_before(entry, '/');
        if (word->literal && xylem_policy__view_begins(word->text, "-")) {
            continue;
        }
        if (!more) {
            return !word->literal;
        }
        if (!(word->literal ? xylem_policy__entry_meets(part, word->text) : xylem_base__view_is(part, "*"))) {
            return false;
        }
        more = xylem_policy__view_behind(&entry, entry, '/');
    }
    return rule->rest && (!more || xylem_base__view_is(entry, "*"));
}

/* True if a row of the table leaves the command open; the table names programs that run a command by verb. */
static bool runs_any_command(const struct xylem_policy__taught_rule *rule, struct xylem_view name)
{
    for (const struct xylem_policy__verb_row *row = xylem_policy__readonly_verbs; row->names; row++) {
        struct xylem_view entry;
        const char *runs = xylem_policy__listed(row->names, name) ? row->runs : NULL;
        while (xylem_policy__next_name(&entry, &runs)) {
            if (leaves_command_open(rule, entry)) {
                return true;
            }
        }
    }
    return false;
}

const char *xylem_policy__rule_runs_code(const struct xylem_policy__taught_rule *rule)
{
    static const char any[] = "runs any command: write the command into the rule";
    struct xylem_view name = xylem_policy__program_of(xylem_policy__basename(rule->words[0]->text));
    const struct xylem_policy__table_row *never = xylem_policy__find_row(xylem_policy__strict_never, name);
    const struct xylem_policy__wrapper *wrapper = xylem_policy__wrapper_of(name);
    if (never || xylem_policy__listed(INTERPRETERS, name)) {
        return never ? never->what : "runs the code in its words, or in a file";
    }
    if (runs_any_command(rule, name)) {
        return any;
    }
    switch (wrapper ? wrapper->wraps : XYLEM_POLICY__WRAPS_WORDS) {
    case XYLEM_POLICY__WRAPS_CODE:
    case XYLEM_POLICY__WRAPS_PARALLEL:
    case XYLEM_POLICY__WRAPS_SOMEWHERE:
    case XYLEM_POLICY__WRAPS_INPUT:
        return "runs code that stands in its words or in its input";
    case XYLEM_POLICY__WRAPS_APPENDED: {
        struct xylem_policy__options options = xylem_policy__options_of(rule->words, rule->count, wrapper->options);
        struct xylem_policy__option option = xylem_policy__options_next(&options);
        while (option.type == XYLEM_POLICY__OPTION_KNOWN) {
            option = xylem_policy__options_next(&options);
        }
        return option.type == XYLEM_POLICY__OPTION_OPERAND && option.word->literal ? NULL : any;
    }
    default:
        return NULL;
    }
}
