#include "judge/policy/words/options.h"

#include <assert.h>

/* The value of an option. */
enum takes { TAKES_NOTHING, TAKES_VALUE, TAKES_GLUED, TAKES_DIGITS, TAKES_UNKNOWN };

struct listed {
    struct xylem_view name;
    enum takes takes;
};

/* Reads the next option of a list; false at the end. */
static bool next_listed(struct listed *listed, const char **list)
{
    if (!xylem_policy__next_name(&listed->name, list)) {
        return false;
    }
    char last = (*list)[-1];
    listed->takes = last == ':' ? TAKES_VALUE : last == '?' && listed->name.bytes > 2 ? TAKES_GLUED : TAKES_NOTHING;
    listed->name.bytes -= listed->takes != TAKES_NOTHING;
    if (listed->takes == TAKES_GLUED && listed->name.bytes > 2 && (*list)[-2] == '#') {
        listed->takes = TAKES_DIGITS;
        listed->name.bytes--;
    }
    return true;
}

bool xylem_policy__listed(const char *list, struct xylem_view name)
{
    struct listed listed;
    while (next_listed(&listed, &list)) {
        char first = listed.name.data[0];
        bool may_meet = first == '*' || listed.name.bytes == 0 || (name.bytes > 0 && first == name.data[0]);
        if (may_meet && xylem_policy__entry_meets(listed.name, name)) {
            return true;
        }
    }
    return false;
}

const char *xylem_policy__lists_joined(struct xylem_shell__arena *arena, const char *const *lists, size_t count)
{
    size_t bytes = 1;
    for (size_t i = 0; i < count; i++) {
        bytes += lists[i] ? strlen(lists[i]) + 1 : 0;
    }
    char *joined = xylem_shell__arena_take(arena, bytes);
    char *end = joined;
    for (size_t i = 0; i < count && end; i++) {
        end = lists[i] ? stpcpy(stpcpy(end, lists[i]), " ") : end;
    }
    return joined ? joined : "";
}

const struct xylem_policy__table_row *xylem_policy__find_row(const struct xylem_policy__table_row *rows,
                                                             struct xylem_view name)
{
    while (rows->names && !xylem_policy__listed(rows->names, name)) {
        rows++;
    }
    return rows->names ? rows : NULL;
}

static enum takes look_up(struct xylem_view *name, const char *list, const char *spelt, size_t bytes)
{
    struct listed listed;
    while (next_listed(&listed, &list)) {
        if (listed.name.bytes == bytes && memcmp(listed.name.data, spelt, bytes) == 0) {
            *name = listed.name;
            return listed.takes;
        }
    }
    return TAKES_UNKNOWN;
}

/* The last name of the list with the beginning `spelt`: two dashes and at least one letter. */
static enum takes look_up_beginning(struct xylem_view *name, const char *list, struct xylem_view spelt)
{
    struct listed listed;
    enum takes takes = TAKES_UNKNOWN;
    while (spelt.bytes > 2 && next_listed(&listed, &list)) {
        if (listed.name.bytes > spelt.bytes && memcmp(listed.name.data, spelt.data, spelt.bytes) == 0) {
            *name = listed.name;
            takes = listed.takes;
        }
    }
    return takes;
}

struct xylem_policy__options xylem_policy__options_of(const struct xylem_shell__word *const *words, size_t count,
                                                      const char *list)
{
    return (struct xylem_policy__options){.words = words, .count = count, .at = 1, .list = list};
}

static void set_value(struct xylem_policy__option *option, const struct xylem_shell__word *word,
                      struct xylem_view value)
{
    option->has_value = true;
    option->value = value;
    option->value_word = word;
    option->value_literal = word->literal;
}

/* Takes the rest of the word as the value, or the next word. */
static void take_value(struct xylem_policy__option *option, struct xylem_policy__options *options, size_t from)
{
    const struct xylem_shell__word *word = option->word;
    option->has_value = true;
    if (from == word->text.bytes && !word->literal) {
        /* An empty expansion leaves no rest: then the value is the next word. */
        option->type = XYLEM_POLICY__OPTION_UNCLEAR;
        return;
    }
    if (from < word->text.bytes) {
        set_value(option, word, (struct xylem_view){word->text.data + from, word->text.bytes - from});
        return;
    }
    if (options->at == options->count) {
        option->type = XYLEM_POLICY__OPTION_UNKNOWN;
        return;
    }
    word = options->words[options->at++];
    set_value(option, word, word->text);
    /* Bash may make no word or several words of the value: the words behind move to other places. */
    if (xylem_policy__may_multiply(word)) {
        option->type = XYLEM_POLICY__OPTION_UNCLEAR;
        option->word = word;
    }
}

static void read_long(struct xylem_policy__option *option, struct xylem_policy__options *options)
{
    struct xylem_view text = option->word->text;
    const char *equals = memchr(text.data, '=', text.bytes);
    size_t name_bytes = equals ? (size_t)(equals - text.data) : text.bytes;
    if (!equals && !option->word->literal) {
        option->type = XYLEM_POLICY__OPTION_UNCLEAR;
        return;
    }
    enum takes takes = look_up(&option->name, options->list, text.data, name_bytes);
    if (takes == TAKES_UNKNOWN && options->abbreviated) {
        takes = look_up_beginning(&option->name, options->list, (struct xylem_view){text.data, name_bytes});
    }
    option->type = XYLEM_POLICY__OPTION_KNOWN;
    if (takes == TAKES_UNKNOWN || (takes == TAKES_NOTHING && equals)) {
        option->type = XYLEM_POLICY__OPTION_UNKNOWN;
    } else if (equals) {
        set_value(option, option->word, (struct xylem_view){equals + 1, text.bytes - name_bytes - 1});
    } else if (takes == TAKES_VALUE) {
        take_value(option, options, text.bytes);
    }
}

/* Reads one letter behind a dash, alone or among others (-lav). */
static void read_letter(struct xylem_policy__option *option, struct xylem_policy__options *options, size_t at)
{
    struct xylem_view text = option->word->text;
    char spelt[2] = {'-', text.data[at]};
    enum takes takes = look_up(&option->name, options->list, spelt, sizeof spelt);
    size_t next = at + 1;
    while (takes == TAKES_DIGITS && next < text.bytes && next <= at + 8 && xylem_shell__is_digit(text.data[next])) {
        next++; /* eight digits at most: a number with more digits may not fit */
    }
    option->type = XYLEM_POLICY__OPTION_KNOWN;
    options->letter = 0;
    if (takes == TAKES_UNKNOWN) {
        option->type = XYLEM_POLICY__OPTION_UNKNOWN;
    } else if (takes == TAKES_VALUE || (takes == TAKES_GLUED && (at + 1 < text.bytes || !option->word->literal))) {
        take_value(option, options, at + 1);
    } else if (next < text.bytes) {
        options->letter = next;
    } else if (!option->word->literal) {
        option->type = XYLEM_POLICY__OPTION_UNCLEAR;
    }
}

/* Reads a word with one dash: a name of several letters, digits, or letters that stand together. */
static void read_short(struct xylem_policy__option *option, struct xylem_policy__options *options)
{
    const struct xylem_shell__word *word = option->word;
    struct xylem_view text = word->text;
    if (word->literal) {
        enum takes takes = look_up(&option->name, options->list, text.data, text.bytes);
        if (text.bytes > 2 && takes != TAKES_UNKNOWN) {
            option->type = XYLEM_POLICY__OPTION_KNOWN;
            if (takes == TAKES_VALUE) {
                take_value(option, options, text.bytes);
            }
            return;
        }
        struct xylem_view behind = {text.data + 1, text.bytes - 1};
        if (xylem_shell__all_digits(behind) && look_up(&option->name, options->list, "-#", 2) != TAKES_UNKNOWN) {
            option->type = XYLEM_POLICY__OPTION_KNOWN;
            return;
        }
    }
    if (text.bytes < 2) {
        option->type = XYLEM_POLICY__OPTION_UNCLEAR;
        return;
    }
    read_letter(option, options, 1);
}

struct xylem_policy__option xylem_policy__options_next(struct xylem_policy__options *options)
{
    struct xylem_policy__option option = {0};
    if (options->letter > 0) {
        assert(options->at > 0 && options->letter < options->words[options->at - 1]->text.bytes);
        option.word = options->words[options->at - 1];
        read_letter(&option, options, options->letter);
        return option;
    }
    if (options->at >= options->count) {
        return option;
    }
    option.word = options->words[options->at++];
    struct xylem_view text = option.word->text;
    if (options->dashes_seen || xylem_shell__word_is(option.word, "-") || (!xylem_policy__may_be_option(option.word))) {
        option.type = XYLEM_POLICY__OPTION_OPERAND;
        options->dashes_seen |= options->first_operand_ends;
    } else if (option.word->splits || text.bytes == 0 || text.data[0] != '-') {
        option.type = XYLEM_POLICY__OPTION_UNCLEAR;
    } else if (xylem_shell__word_is(option.word, "--") && !options->no_dashes) {
        options->dashes_seen = true;
        return xylem_policy__options_next(options);
    } else if (text.bytes > 1 && text.data[1] == '-') {
        read_long(&option, options);
    } else {
        read_short(&option, options);
    }
    return option;
}
