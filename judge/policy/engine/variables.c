#include "judge/policy/engine/variables.h"

#include <stdint.h>

#include "judge/policy/words/options.h"
#include "judge/policy/words/words.h"

/* `{1..5}`, and nothing else. */
static bool is_sequence(struct xylem_view raw)
{
    const char *dots = raw.bytes < 6 || raw.data[0] != '{' || raw.data[raw.bytes - 1] != '}'
                           ? NULL
                           : memmem(raw.data, raw.bytes, "..", 2);
    if (!dots) {
        return false;
    }
    struct xylem_view first = {raw.data + 1, (size_t)(dots - raw.data) - 1};
    struct xylem_view last = {dots + 2, raw.bytes - first.bytes - 4};
    return xylem_shell__all_digits(first) && xylem_shell__all_digits(last);
}

/*
 * True for the beginning of an operand: no option begins so, and no path to a connection, /dev/tcp of the shell and
 * /inet of gawk. More text may follow.
 */
static bool begins_with_operand(struct xylem_view text)
{
    return xylem_policy__begins_plainly(text) && !xylem_policy__may_begin(text, "/inet") &&
           !xylem_policy__may_begin(text, "/dev/");
}

static bool is_plain(struct xylem_view text)
{
    for (size_t i = 0; i < text.bytes; i++) {
        char c = text.data[i];
        if (!xylem_shell__is_name(c) && (c == '\0' || !strchr("./", c))) {
            return false;
        }
    }
    return true;
}

/* A redirection to /dev/null cannot fail. A redirection that fails keeps the command from running. */
static bool cannot_fail(const struct xylem_shell__redirection *redirections)
{
    for (const struct xylem_shell__redirection *to = redirections; to; to = to->next) {
        if (to->descriptor_named || !xylem_shell__word_is(to->target, "/dev/null")) {
            return false;
        }
    }
    return true;
}

/*
 * True if the command, alone in a substitution, prints hashes, or nothing. rev-parse prints back what it does not know.
 * `git describe` and `rev-parse --abbrev-ref` print names: a remote may name a tag or a branch `--output=x`. The
 * command itself is judged elsewhere.
 */
static bool prints_hashes(struct xylem_policy__judge *judge, const struct xylem_shell__node *node)
{
    if (!node || node->next || node->type != XYLEM_SHELL__SIMPLE || node->negated || node->timed || node->assignments ||
        !cannot_fail(node->redirections) || node->word_count < 2 || !xylem_shell__word_is(node->words, "git")) {
        return false;
    }
    const struct xylem_shell__word *const *words = xylem_policy__words_of(&judge->arena, node);
    bool revision = words && xylem_shell__word_is(words[1], "rev-parse");
    bool log = words && xylem_shell__word_is(words[1], "log");
    if (!revision && !log &&
        !(words && words[1]->literal && xylem_policy__listed("merge-base rev-list", words[1]->text))) {
        return false;
    }
    struct xylem_policy__options options = xylem_policy__options_of(
        words + 1, node->word_count - 1, revision ? "--verify -q --quiet --short?" : xylem_policy__hash_options);
    options.no_dashes = revision; /* rev-parse prints `--` */
    bool formatted = !log;
    struct xylem_policy__option option;
    while ((option = xylem_policy__options_next(&options)).type != XYLEM_POLICY__OPTION_END) {
        bool known = option.type == XYLEM_POLICY__OPTION_KNOWN;
        bool format = known && xylem_policy__listed("--format --pretty", option.name);
        bool operand = option.type == XYLEM_POLICY__OPTION_OPERAND &&
                       (!revision || (option.word->literal && begins_with_operand(option.word->text) &&
                                      !xylem_shell__has_any(option.word->text, " \t\n*?[")));
        if (format ? !option.value_literal || !xylem_policy__listed("%h %H", option.value) : !known && !operand) {
            return false;
        }
        formatted |= format;
    }
    return formatted;
}

static unsigned known_of(struct xylem_policy__judge *judge, const struct xylem_shell__word *word)
{
    if (word->parts && word->parts->type == XYLEM_SHELL__PART_COMMAND && !word->parts->next) {
        return prints_hashes(judge, word->parts->body) ? XYLEM_POLICY__KNOWN_HASHES : XYLEM_POLICY__KNOWN_NOTHING;
    }
    if (word->literal && xylem_shell__all_digits(word->text)) {
        return XYLEM_POLICY__KNOWN_NUMBER;
    }
    if (!word->literal && (is_sequence(word->raw) || xylem_shell__is_number(word))) {
        return XYLEM_POLICY__KNOWN_NUMBER;
    }
    if (word->splits || !begins_with_operand(word->text)) {
        /* `*.c`: a glob without a directory */
        bool glob = !word->literal && !word->splits && word->parts && word->parts->type == XYLEM_SHELL__PART_GLOB;
        return glob ? XYLEM_POLICY__KNOWN_FILE : XYLEM_POLICY__KNOWN_NOTHING;
    }
    return word->literal && is_plain(word->text) ? XYLEM_POLICY__KNOWN_WORD : XYLEM_POLICY__KNOWN_OPERAND;
}

static void known_from(struct xylem_policy__judge *judge, struct xylem_view name, unsigned known, const char *from,
                       const char *to)
{
    if (known != XYLEM_POLICY__KNOWN_NOTHING && judge->variables.known_count < XYLEM_POLICY__KNOWN_MAX &&
        !xylem_policy__listed(xylem_policy__set_by_shell, name)) {
        judge->variables.known[judge->variables.known_count++] = (struct xylem_policy__variable){name, known, from, to};
    }
}

static const char *end_of(const struct xylem_shell__node *node)
{
    return node->raw.data + node->raw.bytes;
}

/*
 * True for two siblings of one list: blanks and operators alone stand between the two. The children of `if` and `case`
 * are conditions, bodies and arms in a row, with words such as `then` between two lists.
 */
static bool in_one_list(const struct xylem_shell__node *node, const struct xylem_shell__node *next)
{
    const char *at = end_of(node);
    if ((uintptr_t)next->raw.data < (uintptr_t)at) {
        return false;
    }
    while (at < next->raw.data && strchr(" \t\n;&|!\\", *at)) {
        at++;
    }
    return at == next->raw.data;
}

static const struct xylem_shell__node *step(struct xylem_policy__judge *judge, const struct xylem_shell__node *node)
{
    judge->variables.sibling_steps++;
    return node->next;
}

/* True if the and-or list that begins with the node runs in the background. */
static bool in_background(struct xylem_policy__judge *judge, const struct xylem_shell__node *node)
{
    while (node->next && (node->then == XYLEM_SHELL__THEN_AND || node->then == XYLEM_SHELL__THEN_OR ||
                          node->then == XYLEM_SHELL__THEN_PIPE)) {
        node = step(judge, node);
    }
    return node->then == XYLEM_SHELL__THEN_BACKGROUND;
}

/* True if a line ends between two siblings. A backslash continues a line. */
static bool line_ends_between(const struct xylem_shell__node *node, const struct xylem_shell__node *next)
{
    for (const char *at = end_of(node); at < next->raw.data; at++) {
        if (*at == '\n' && at[-1] != '\\') {
            return true;
        }
    }
    return false;
}

/* NAME=VALUE, alone, literal or hashes of git: the commands up to `last` see the value. */
static void variables_of_command(struct xylem_policy__judge *judge, const struct xylem_shell__node *node,
                                 const struct xylem_shell__node *last)
{
    if (node->type != XYLEM_SHELL__SIMPLE || node->then == XYLEM_SHELL__THEN_PIPE || node->word_count > 0 ||
        !cannot_fail(node->redirections) || in_background(judge, node)) {
        return;
    }
    for (const struct xylem_shell__assignment *set = node->assignments; set; set = set->next) {
        if (set->append || set->array || set->subscripts || !set->values ||
            (!set->values->literal && known_of(judge, set->values) != XYLEM_POLICY__KNOWN_HASHES)) {
            return;
        }
    }
    for (const struct xylem_shell__assignment *set = node->assignments; set; set = set->next) {
        known_from(judge, set->name, known_of(judge, set->values), end_of(node), end_of(last));
    }
}

/*
 * An error in an expansion ends the line, and the shell goes on with the next line. The error cannot skip an assignment
 * at the beginning of a line: the whole list sees the value. The value of another assignment counts up to the line's
 * end. The ends of the list and of the line are looked for once a list and once a line.
 */
void xylem_policy__variables_of_list(struct xylem_policy__judge *judge, const struct xylem_shell__node *nodes)
{
    const struct xylem_shell__node *last = NULL;      /* of the node's list */
    const struct xylem_shell__node *line_last = NULL; /* of the node's line, in the same list */
    const struct xylem_shell__node *before = NULL;    /* the sibling before, in the same list */
    for (const struct xylem_shell__node *node = nodes; node; node = node->next) {
        if (!last) {
            before = line_last = NULL;
            for (last = node; last->next && in_one_list(last, last->next);) {
                last = step(judge, last);
            }
        }
        bool begins_line = before == line_last;
        if (begins_line) {
            for (line_last = node; line_last != last && !line_ends_between(line_last, line_last->next);) {
                line_last = step(judge, line_last);
            }
        }
        if (!before || before->then == XYLEM_SHELL__THEN_END || before->then == XYLEM_SHELL__THEN_BACKGROUND) {
            variables_of_command(judge, node, begins_line ? last : line_last);
        }
        before = node;
        last = node == last ? NULL : last;
    }
}

/* Finds the name in `((i = 0; ...`; false for any other beginning. */
static bool begins_with_number(struct xylem_view head, struct xylem_view *name)
{
    size_t at = xylem_base__skip(head, 0, " (");
    size_t begin = at;
    while (at < head.bytes && xylem_shell__is_name_start(head.data[at])) {
        at++;
    }
    *name = (struct xylem_view){head.data + begin, at - begin};
    at = xylem_base__skip(head, at, " (");
    if (name->bytes == 0 || at == head.bytes || head.data[at] != '=') {
        return false;
    }
    begin = xylem_base__skip(head, at + 1, " (");
    at = xylem_base__skip(head, begin, XYLEM_BASE__DIGITS);
    size_t end = xylem_base__skip(head, at, " (");
    return at > begin && end < head.bytes && head.data[end] == ';';
}

/* `for` stands before the head, maybe behind `!` or `time`. */
static bool is_for(const struct xylem_shell__node *loop, const struct xylem_shell__node *head)
{
    uintptr_t begin = (uintptr_t)loop->raw.data;
    uintptr_t end = (uintptr_t)head->raw.data;
    return begin < end && memmem(loop->raw.data, end - begin, "for", 3);
}

static void add_setting(struct xylem_policy__judge *judge, struct xylem_view name, unsigned known)
{
    if (known == XYLEM_POLICY__KNOWN_NUMBER) {
        return;
    }
    if (judge->variables.setting_count == XYLEM_POLICY__KNOWN_MAX) {
        judge->variables.settings_lost = true;
        return;
    }
    judge->variables.settings[judge->variables.setting_count++] =
        (struct xylem_policy__variable){.name = name, .known = known};
}

static bool ask_rules(struct xylem_policy__judge *judge, struct xylem_view name, enum xylem_policy__setting setting,
                      const struct xylem_policy__command *command)
{
    return !judge->policy->rules->variable || judge->policy->rules->variable(judge, name, setting, command);
}

bool xylem_policy__judge_variable(struct xylem_policy__judge *judge, struct xylem_view name,
                                  enum xylem_policy__setting setting, const struct xylem_policy__command *command)
{
    struct xylem_shell__word value;
    bool known = !judge->set.partial && !judge->set.behind_name && xylem_policy__value_set(judge, &value);
    add_setting(judge, name, known ? known_of(judge, &value) : XYLEM_POLICY__KNOWN_NOTHING);
    return ask_rules(judge, name, setting, command);
}

void xylem_policy__judge_loop_variable(struct xylem_policy__judge *judge, const struct xylem_shell__node *loop)
{
    const struct xylem_shell__node *first = loop->children;
    struct xylem_view name;
    if (loop->name.bytes > 0) {
        unsigned known = loop->words ? XYLEM_POLICY__KNOWN_NUMBER : XYLEM_POLICY__KNOWN_NOTHING;
        for (const struct xylem_shell__word *word = loop->words; word; word = word->next) {
            known &= known_of(judge, word) | (word->splits ? XYLEM_POLICY__KNOWN_THERE : 0u); /* split: no empty word */
        }
        if (first) {
            known_from(judge, loop->name, known, first->raw.data, end_of(loop));
        }
        add_setting(judge, loop->name, known);
        ask_rules(judge, loop->name, XYLEM_POLICY__SET_OTHERWISE, NULL);
    } else if (first && first->type == XYLEM_SHELL__ARITHMETIC && is_for(loop, first) &&
               begins_with_number(first->raw, &name)) {
        known_from(judge, name, XYLEM_POLICY__KNOWN_NUMBER, name.data, end_of(loop));
    }
}

/* True if a setting with all the bits reaches the place, and no other setting of the variable lacks one. */
static bool is_known(const struct xylem_policy__judge *judge, struct xylem_view name, const char *place, unsigned known)
{
    for (size_t i = 0; i < judge->variables.setting_count; i++) {
        if ((judge->variables.settings[i].known & known) != known &&
            xylem_base__view_equal(judge->variables.settings[i].name, name)) {
            return false;
        }
    }
    for (size_t i = 0; i < judge->variables.known_count && !judge->variables.settings_lost; i++) {
        const struct xylem_policy__variable *variable = &judge->variables.known[i];
        if ((variable->known & known) == known && xylem_base__view_equal(variable->name, name) &&
            (uintptr_t)place >= (uintptr_t)variable->from && (uintptr_t)place < (uintptr_t)variable->to) {
            return true;
        }
    }
    return false;
}

/* The name in `i`, `$i`, `${i}` and `"$i"`. */
static struct xylem_view name_in(struct xylem_view at)
{
    static const char *const around[][2] = {{"\"", "\""}, {"${", "}"}, {"$", ""}};
    for (size_t i = 0; i < sizeof around / sizeof around[0]; i++) {
        size_t before = strlen(around[i][0]);
        size_t behind = strlen(around[i][1]);
        if (at.bytes > before + behind && xylem_policy__view_begins(at, around[i][0]) &&
            (behind == 0 || at.data[at.bytes - 1] == around[i][1][0])) {
            at = (struct xylem_view){at.data + before, at.bytes - before - behind};
        }
    }
    return at;
}

/* True for policies that let a command pass although the command may set any variable. */
static bool sets_anything(const struct xylem_policy__judge *judge)
{
    return judge->policy->rules->programs;
}

bool xylem_policy__holds_number(const struct xylem_policy__judge *judge, struct xylem_view at)
{
    return !sets_anything(judge) && is_known(judge, name_in(at), at.data, XYLEM_POLICY__KNOWN_NUMBER);
}

bool xylem_policy__plain_arithmetic(const struct xylem_shell__word *word)
{
    return word->literal && xylem_policy__view_of_only(word->text, "0123456789+-*/%<>=!&|^~?:(), ");
}

bool xylem_policy__judge_number(struct xylem_policy__judge *judge, struct xylem_view name, struct xylem_view at,
                                const struct xylem_shell__word *value)
{
    bool number = xylem_policy__listed("RANDOM SRANDOM OPTIND HISTCMD", name);
    return !number || (value && xylem_policy__plain_arithmetic(value)) ||
           xylem_policy__undecided(judge, at, "arithmetic", "the variable is a number, and its value is evaluated");
}

static bool ask_later(struct xylem_policy__judge *judge, const struct xylem_policy__expansion *expansion)
{
    struct xylem_policy__expansion *later = xylem_shell__arena_take(&judge->arena, sizeof *later);
    if (!later) {
        return false;
    }
    *later = *expansion;
    later->record = judge->current;
    later->next = judge->frame->expansions;
    judge->frame->expansions = later;
    return true;
}

bool xylem_policy__undecided_unless_number(struct xylem_policy__judge *judge, const struct xylem_shell__word *word,
                                           const char *why)
{
    if (sets_anything(judge)) {
        return xylem_policy__undecided(judge, word->raw, "arithmetic", why);
    }
    return ask_later(judge, &(struct xylem_policy__expansion){.at = word->raw,
                                                              .name = name_in(word->raw),
                                                              .known = XYLEM_POLICY__KNOWN_NUMBER,
                                                              .rule = "arithmetic",
                                                              .why = why});
}

/* True for a known variable. The settings behind this place are not walked yet: ask_about_expansions() looks again. */
static bool is_known_part(struct xylem_policy__judge *judge, const struct xylem_shell__word *word,
                          const struct xylem_shell__part *part, unsigned known, const char *rule)
{
    if (part->type == XYLEM_SHELL__PART_COMMAND) {
        return (known & XYLEM_POLICY__KNOWN_THERE) == 0 && prints_hashes(judge, part->body);
    }
    struct xylem_view name = name_in(part->raw);
    return part->type == XYLEM_SHELL__PART_PARAMETER && !part->words && xylem_base__view_equal(name, part->text) &&
           !xylem_policy__zsh_reads_on(word, part, ":[") && is_known(judge, name, word->raw.data, known) &&
           ask_later(judge, &(struct xylem_policy__expansion){.at = word->raw,
                                                              .name = name,
                                                              .known = known,
                                                              .rule = rule,
                                                              .why = "what the variable is set to is not known"});
}

/*
 * True if the beginning of the word is known, and no part of the word falls apart. Behind a value that may be empty, the
 * word may begin with the next part: text that cannot begin an option, such as `..HEAD` and `^`.
 */
static bool begins_known(struct xylem_policy__judge *judge, const struct xylem_shell__word *word, unsigned known,
                         const char *rule)
{
    const struct xylem_shell__part *part = word->parts;
    if (judge->policy->type == XYLEM_POLICY_READONLY || !part) {
        return false;
    }
    const struct xylem_shell__part *next = part->next;
    bool begins_behind = !next || (next->type == XYLEM_SHELL__PART_TEXT && next->text.bytes > 0 &&
                                   (begins_with_operand(next->text) || strchr("~^:", next->text.data[0])));
    if (part->type == XYLEM_SHELL__PART_TEXT
            ? !begins_with_operand(word->text)
            : !is_known_part(judge, word, part, known | (begins_behind ? 0 : XYLEM_POLICY__KNOWN_THERE), rule)) {
        return false;
    }
    for (part = next; word->splits && part; part = part->next) {
        if (part->type != XYLEM_SHELL__PART_TEXT && !is_known_part(judge, word, part, known, rule)) {
            return false;
        }
    }
    return true;
}

bool xylem_policy__holds(struct xylem_policy__judge *judge, const struct xylem_shell__word *word, bool number,
                         const char *rule)
{
    const struct xylem_shell__part *part = word->parts;
    unsigned known = number ? XYLEM_POLICY__KNOWN_DIGITS : XYLEM_POLICY__KNOWN_PLAIN;
    while (part && (part->type == XYLEM_SHELL__PART_TEXT || (!number && part->type == XYLEM_SHELL__PART_GLOB) ||
                    is_known_part(judge, word, part, known, rule))) {
        part = part->next;
    }
    return word->parts && !part;
}

bool xylem_policy__is_operand(struct xylem_policy__judge *judge, const struct xylem_shell__word *word, const char *rule)
{
    unsigned known = XYLEM_POLICY__KNOWN_NO_DEVICE | XYLEM_POLICY__KNOWN_NO_OPTION;
    return begins_known(judge, word, known | (word->splits ? XYLEM_POLICY__KNOWN_PLAIN : 0u), rule);
}

bool xylem_policy__is_file(struct xylem_policy__judge *judge, const struct xylem_shell__word *word, const char *rule)
{
    return begins_known(judge, word, XYLEM_POLICY__KNOWN_NO_DEVICE, rule); /* a redirection takes one word, or fails */
}

bool xylem_policy__holds_outer_value(const struct xylem_policy__judge *judge, const struct xylem_shell__word *word)
{
    const struct xylem_shell__part *part = word->parts;
    struct xylem_view name = part ? name_in(part->raw) : (struct xylem_view){NULL, 0};
    bool set = judge->variables.settings_lost || !part || part->next || !xylem_shell__is_identifier(name);
    for (size_t i = 0; i < judge->variables.setting_count && !set; i++) {
        set = (judge->variables.settings[i].known & XYLEM_POLICY__KNOWN_NO_OPTION) == 0 &&
              xylem_base__view_equal(judge->variables.settings[i].name, name);
    }
    return !set;
}

void xylem_policy__ask_about_expansions(struct xylem_policy__judge *judge, const struct xylem_policy__frame *frame)
{
    for (const struct xylem_policy__expansion *later = frame->expansions; later; later = later->next) {
        judge->current = later->record;
        if (!is_known(judge, later->name, later->at.data, later->known)) {
            xylem_policy__undecided(judge, later->at, later->rule, later->why);
        }
    }
    judge->current = 0;
}
