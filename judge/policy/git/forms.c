#include "judge/policy/git/forms.h"

#include <assert.h>

#include "judge/policy/git/tables.h"
#include "judge/policy/words/options.h"

/* The reading of one subcommand. */
struct reading {
    struct xylem_policy__judge *judge;
    const struct xylem_policy__git_form *form;
    struct xylem_view subcommand;
    const struct xylem_shell__word *const *words; /* from the subcommand on, or from the verb on */
    size_t count;
    bool readonly; /* an unknown value passes if the value only decides which output git shows */
    bool lenient;  /* unknown long options pass */
    const struct xylem_shell__word *first_operand;
    size_t operands;                         /* counted so far, with words that may be operands */
    const struct xylem_shell__word *surplus; /* the first operand beyond form->operands */
    bool freed;
    bool needed;
    bool sets;
    bool annotates;
    bool has_message;
};

static const char GIT[] = "git";
static const char OPTION[] = "git-option";

bool xylem_policy__git_doubt(struct xylem_policy__judge *judge, const struct xylem_shell__word *word, const char *why)
{
    return xylem_policy__of(judge)->type == XYLEM_POLICY_READONLY ||
           xylem_policy__undecided(judge, word->raw, OPTION, why);
}

/*
 * True for %G? in a format of commits (also with a sign between), %(signature) in a format of references, and signature
 * as a key to sort by.
 */
static bool checks_signatures(struct xylem_view option, struct xylem_view format)
{
    static const char *const asks[] = {"%G", "%+G", "%-G", "% G", "%(signature", "%(*signature"};
    bool found = false;
    if (xylem_base__view_is(option, "--sort")) {
        return xylem_policy__view_contains(format, "signature");
    }
    for (size_t i = 0; i < sizeof asks / sizeof asks[0]; i++) {
        found |= xylem_policy__view_contains(format, asks[i]);
    }
    return found;
}

/* True if `spelt` is a hatch, or the beginning of a hatch. */
static bool may_be_hatch(struct xylem_view spelt)
{
    spelt = xylem_policy__view_before(spelt, '=');
    return spelt.bytes > 2 && xylem_policy__begins_one_of(xylem_policy__git_hatches, spelt);
}

/* Refuses the word: `git SUBCOMMAND WHY`. */
static bool refuse(struct reading *reading, const struct xylem_shell__word *word, const char *rule, const char *why)
{
    return xylem_policy__refuse(reading->judge, word->raw, rule, "git %.*s %s", (int)reading->subcommand.bytes,
                                reading->subcommand.data, why);
}

static bool refuse_hatch(struct reading *reading, const struct xylem_shell__word *word)
{
    return xylem_policy__refuse(reading->judge, word->raw, OPTION, "git %.*s: %.*s writes a file or runs a program",
                                (int)reading->subcommand.bytes, reading->subcommand.data, (int)word->text.bytes,
                                word->text.data);
}

static bool refuse_unknown(struct reading *reading, const struct xylem_shell__word *word)
{
    return xylem_policy__refuse(
        reading->judge, word->raw, OPTION, "git %.*s: leave out %.*s: the option is not known to be harmless",
        (int)reading->subcommand.bytes, reading->subcommand.data, (int)word->text.bytes, word->text.data);
}

/*
 * Judges the value of an option. If the value is the next word, git may read the value as an option when git reads the
 * words a second time (form->walks).
 */
static bool read_value(struct reading *reading, const struct xylem_policy__option *option)
{
    const struct xylem_shell__word *value = option->value_word;
    if (reading->form->walks && value != option->word && xylem_policy__may_be_option(value)) {
        if (value->literal) {
            return xylem_policy__refuse(
                reading->judge, value->raw, OPTION,
                "git %.*s: write %.*s and its value as one word: the value may be read as an option",
                (int)reading->subcommand.bytes, reading->subcommand.data, (int)option->name.bytes, option->name.data);
        }
        return xylem_policy__git_doubt(reading->judge, value,
                                       "write the option's value out: git may read the value as another option");
    }
    if (xylem_policy__listed("--diff-merges", option->name)) {
        bool harmless = option->value_literal && !xylem_policy__view_begins(option->value, "r");
        return harmless || (option->value_literal
                                ? refuse_hatch(reading, option->word)
                                : xylem_policy__git_doubt(
                                      reading->judge, value,
                                      "write the value out: git may repeat the merge, and that runs merge drivers"));
    }
    bool glued_text =
        value == option->word && !value->splits && xylem_policy__listed(xylem_policy__git_texts, option->name);
    if (!xylem_policy__listed(xylem_policy__git_formats, option->name)) {
        return option->value_literal || glued_text || reading->readonly ||
               xylem_policy__git_doubt(reading->judge, value, "write the option's value out: it is not literal");
    }
    if (checks_signatures(option->name, option->value)) {
        return xylem_policy__refuse(reading->judge, value->raw, OPTION, "checking signatures runs a program");
    }
    return option->value_literal ||
           xylem_policy__git_doubt(
               reading->judge, value,
               "write the format out: a format can ask for signatures, and checking signatures runs a program");
}

static bool read_known(struct reading *reading, const struct xylem_policy__option *option)
{
    const struct xylem_policy__git_form *form = reading->form;
    reading->freed |= form->frees && xylem_policy__listed(form->frees, option->name);
    reading->needed |= form->needs && xylem_policy__listed(form->needs, option->name);
    reading->sets |= form->sets && xylem_policy__listed(form->sets, option->name);
    reading->annotates |= xylem_policy__listed("-a --annotate", option->name);
    reading->has_message |= xylem_policy__listed("-m --message -F --file", option->name);
    return !option->has_value || read_value(reading, option);
}

/* True if the first operand is a verb that writes, or the beginning of one. */
static bool may_be_writing_verb(const struct reading *reading, const struct xylem_shell__word *word)
{
    const char *verbs = reading->form->not_first;
    if (!verbs || reading->freed) {
        return false;
    }
    return word->literal ? xylem_policy__listed(verbs, word->text) : xylem_policy__begins_one_of(verbs, word->text);
}

/* True if an alternative of a brace can be an option: `{a,--output=b}`. */
static bool may_spell_option(const struct xylem_shell__word *word)
{
    const struct xylem_shell__part *part = word->parts;
    while (part && part->type != XYLEM_SHELL__PART_BRACE) {
        part = part->next;
    }
    return part && xylem_shell__has_any(word->raw, "-'\"\\$`");
}

/* Judges a word that is an operand (`certain`), or may be one. */
static bool read_operand(struct reading *reading, const struct xylem_shell__word *word, bool certain)
{
    const struct xylem_policy__git_form *form = reading->form;
    if (reading->operands == 0) {
        reading->first_operand = word;
        if (may_be_writing_verb(reading, word)) {
            return refuse(reading, word, GIT, "may write with this operand");
        }
    }
    reading->operands += xylem_policy__may_multiply(word) ? 2 : 1;
    if (!reading->surplus && reading->operands > form->operands) {
        reading->surplus = word;
    }
    if (form->sets && (xylem_shell__word_is(word, "--global") || xylem_shell__word_is(word, "--system"))) {
        return refuse_unknown(reading, word);
    }
    if (certain) {
        return true;
    }
    if (may_be_hatch(word->text) || may_spell_option(word)) {
        return refuse_hatch(reading, word);
    }
    return xylem_policy__git_doubt(reading->judge, word, "write the word out: bash may expand the word to an option");
}

static bool read_words(struct reading *reading)
{
    struct xylem_policy__options options =
        xylem_policy__options_of(reading->words, reading->count, reading->form->options);
    options.first_operand_ends = reading->form->operands_end;
    for (;;) {
        struct xylem_policy__option option = xylem_policy__options_next(&options);
        bool passes = true;
        switch (option.type) {
        case XYLEM_POLICY__OPTION_END:
            return true;
        case XYLEM_POLICY__OPTION_KNOWN:
            passes = read_known(reading, &option);
            break;
        case XYLEM_POLICY__OPTION_OPERAND:
            passes = read_operand(reading, option.word, true);
            break;
        case XYLEM_POLICY__OPTION_UNKNOWN:
            if (may_be_hatch(option.word->text)) {
                return refuse_hatch(reading, option.word);
            }
            passes = (reading->lenient && xylem_policy__view_begins(option.word->text, "--")) ||
                     refuse_unknown(reading, option.word);
            break;
        case XYLEM_POLICY__OPTION_UNCLEAR: {
            bool may_vanish = options.first_operand_ends && option.word->splits; /* then options may follow */
            bool operand =
                !option.has_value && !may_vanish && xylem_policy__is_operand(reading->judge, option.word, OPTION);
            options.dashes_seen |= operand && options.first_operand_ends;
            passes = read_operand(reading, option.word, operand);
            break;
        }
        }
        if (!passes) {
            return false;
        }
    }
}

static bool judge_form(struct reading *reading)
{
    const struct xylem_policy__git_form *form = reading->form;
    if (strcmp(form->options, "*") == 0) {
        return reading->count < 2 || !xylem_shell__word_is(reading->words[1], "--help") ||
               refuse_hatch(reading, reading->words[1]);
    }
    if (!read_words(reading)) {
        return false;
    }
    if (form->needs && !reading->needed) {
        return xylem_policy__refuse(reading->judge, reading->words[0]->raw, GIT,
                                    "git %.*s writes without one of these options: %s", (int)reading->subcommand.bytes,
                                    reading->subcommand.data, form->needs);
    }
    if (form->sets) { /* git config */
        const struct xylem_shell__word *key = reading->first_operand;
        bool reads = !reading->sets && strcmp(form->sets, "*") != 0 && !reading->surplus;
        if (reads || !key || reading->freed) {
            return true;
        }
        if (!key->literal) {
            return xylem_policy__refuse(reading->judge, key->raw, GIT,
                                        "write the key out: the key that git config sets is not literal");
        }
        return xylem_policy__git_key_harmless(key->text) ||
               xylem_policy__refuse(reading->judge, key->raw, GIT,
                                    "git config %.*s is not known to be data: a key may name a program to run",
                                    (int)key->text.bytes, key->text.data);
    }
    if (form->frees && !reading->freed && reading->surplus) {
        return refuse(reading, reading->surplus, GIT, "writes with this operand");
    }
    if (form->asks_editor && reading->annotates && !reading->has_message) {
        return refuse(reading, reading->words[0], OPTION, "starts an editor for the message");
    }
    return true;
}

/* The form of the subcommand with that verb; NULL: the form of a subcommand that has no verbs. */
static const struct xylem_policy__git_form *find_form(const struct xylem_policy__git_form *forms, size_t count,
                                                      struct xylem_view subcommand, const struct xylem_view *verb)
{
    for (size_t i = 0; i < count; i++) {
        bool same = (!verb) == (!forms[i].verb) && (!verb || (verb->bytes == 0 && forms[i].verb[0] == '\0') ||
                                                    xylem_policy__listed(forms[i].verb, *verb));
        if (same && xylem_policy__listed(forms[i].subcommand, subcommand)) {
            return &forms[i];
        }
    }
    return NULL;
}

/* Finds the verb among the words and takes the form of the verb; without a verb, the form of the subcommand alone. */
static bool take_verb(struct reading *reading, const struct xylem_policy__git_form *forms, size_t count)
{
    const struct xylem_view none = {"", 0};
    const struct xylem_policy__git_form *bare = find_form(forms, count, reading->subcommand, &none);
    struct xylem_policy__options options =
        xylem_policy__options_of(reading->words, reading->count, !bare ? "" : bare->options);
    const struct xylem_shell__word *found = NULL;
    options.first_operand_ends = true;
    options.no_dashes = true;
    struct xylem_policy__option option = xylem_policy__options_next(&options);
    while (option.type == XYLEM_POLICY__OPTION_KNOWN) {
        option = xylem_policy__options_next(&options);
    }
    if (option.type == XYLEM_POLICY__OPTION_OPERAND && option.word->literal) {
        found = option.word;
        reading->form = find_form(forms, count, reading->subcommand, &found->text);
        if (reading->form) {
            reading->words += options.at - 1;
            reading->count -= options.at - 1;
            return true;
        }
    }
    reading->form = bare;
    if (!bare) {
        (void)xylem_policy__refuse(reading->judge, !found ? reading->words[0]->raw : found->raw, GIT,
                                   "git %.*s %.*s is not known to be harmless", (int)reading->subcommand.bytes,
                                   reading->subcommand.data, !found ? 0 : (int)found->text.bytes,
                                   !found ? "" : found->text.data);
    }
    return bare;
}

static bool judge_by(struct reading *reading, const struct xylem_policy__git_form *forms, size_t count)
{
    reading->form = find_form(forms, count, reading->subcommand, NULL);
    if (!reading->form && !take_verb(reading, forms, count)) {
        return false;
    }
    reading->lenient &= reading->form->allows_unknown;
    if (reading->form->connects && !reading->readonly) {
        return refuse(reading, reading->words[0], GIT, "may connect to another machine");
    }
    for (size_t i = 1; reading->form->connects && i < reading->count; i++) {
        struct xylem_view text = reading->words[i]->text;
        if (text.bytes > 1 && memmem(text.data, text.bytes, "::", 2)) { /* ext::sh -c x, and git-remote-NAME */
            return refuse(reading, reading->words[i], GIT, "names a program that git runs for the address");
        }
    }
    return judge_form(reading);
}

static bool known_to(const struct xylem_policy__git_form *forms, size_t count, struct xylem_view subcommand)
{
    for (size_t i = 0; i < count; i++) {
        if (xylem_policy__listed(forms[i].subcommand, subcommand)) {
            return true;
        }
    }
    return false;
}

static bool has_word(const struct reading *reading, const char *text)
{
    for (size_t i = 1; i < reading->count; i++) {
        if (xylem_shell__word_is(reading->words[i], text)) {
            return true;
        }
    }
    return false;
}

/* True if the word is, begins or may become an option that leads git to another repository. */
static bool leads_elsewhere(const struct xylem_shell__word *word)
{
    struct xylem_view spelt = xylem_policy__view_before(word->text, '=');
    if (xylem_shell__word_is(word, "--submodule=short")) {
        return false;
    }
    return word->literal
               ? spelt.bytes > 2 && xylem_policy__begins_one_of(xylem_policy__git_elsewhere, spelt)
               : xylem_policy__may_be_option(word) && xylem_policy__begins_one_of(xylem_policy__git_elsewhere, spelt);
}

/*
 * Notes an unknown directory for a form that opens another repository: the history, a remote or the parent of the
 * repository names the directory, and the configuration there can run programs as well.
 */
static void note_other_places(const struct reading *reading)
{
    bool elsewhere =
        xylem_policy__listed(xylem_policy__git_elsewhere_subcommands, reading->subcommand) ||
        (xylem_base__view_is(reading->subcommand, "submodule") && has_word(reading, "summary")) ||
        (xylem_base__view_is(reading->subcommand, "remote") && has_word(reading, "show") && !has_word(reading, "-n"));
    for (size_t i = 1; i < reading->count && !elsewhere; i++) {
        elsewhere = leads_elsewhere(reading->words[i]);
    }
    if (elsewhere) {
        xylem_policy__git_runs(reading->judge, NULL);
    }
}

/* The form of a subcommand that a configuration calls read-only, and that the tables do not know. */
static const struct xylem_policy__git_form configured = {"", .options = "", .allows_unknown = true, .what = ""};

bool xylem_policy__git_judge_subcommand(struct xylem_policy__judge *judge, const struct xylem_policy__command *command,
                                        size_t at, enum xylem_policy__git_tier tier)
{
    assert(at > 0 && at < command->count);
    const struct xylem_shell__word *word = command->words[at];
    bool version = xylem_shell__word_is(word, "--version") || xylem_shell__word_is(word, "-v");
    struct reading reading = {.judge = judge,
                              .subcommand = version ? (struct xylem_view){"version", 7} : word->text,
                              .words = command->words + at,
                              .count = command->count - at,
                              .readonly = tier == XYLEM_POLICY__GIT_READONLY,
                              .lenient = tier == XYLEM_POLICY__GIT_READONLY};
    note_other_places(&reading);
    if (command->appended && !reading.readonly) {
        return xylem_policy__undecided(judge, command->raw, OPTION,
                                       "write the words of git out: xargs or find puts other words behind them");
    }
    if (tier == XYLEM_POLICY__GIT_LOCAL_WRITES &&
        known_to(xylem_policy__git_local, xylem_policy__git_local_count, reading.subcommand)) {
        return judge_by(&reading, xylem_policy__git_local, xylem_policy__git_local_count);
    }
    if (xylem_policy__listed(xylem_policy__git_writing, reading.subcommand)) {
        return refuse(&reading, word, GIT, "writes, or runs programs");
    }
    const struct xylem_policy__names *named = &xylem_policy__of(judge)->git_readonly_subcommands;
    if (tier != XYLEM_POLICY__GIT_READONLY &&
        !(named->names ? xylem_policy__names_hold(named, reading.subcommand)
                       : xylem_policy__listed(xylem_policy__git_strict_subcommands, reading.subcommand))) {
        return refuse(&reading, word, GIT, "is not on the list of read-only subcommands");
    }
    if (known_to(xylem_policy__git_reading, xylem_policy__git_reading_count, reading.subcommand)) {
        return judge_by(&reading, xylem_policy__git_reading, xylem_policy__git_reading_count);
    }
    if (tier == XYLEM_POLICY__GIT_READONLY) {
        return refuse(&reading, word, GIT, "is not known to read only");
    }
    reading.form = &configured;
    reading.lenient = true;
    return judge_form(&reading);
}

bool xylem_policy__git_plain(const struct xylem_policy *policy)
{
    const struct xylem_policy__names *named = &policy->git_readonly_subcommands;
    bool plain = !policy->git_local_writes && !policy->git_taught;
    for (size_t i = 0; plain && i < named->count; i++) {
        plain = xylem_policy__listed(xylem_policy__git_plain_subcommands, xylem_view_of(named->names[i]));
    }
    return plain;
}
