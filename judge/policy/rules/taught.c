/* Reads, finds and compares the rules that a person teaches a policy. */
#include "judge/policy/rules/taught.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "judge/policy/engine/engine.h"
#include "judge/policy/rules/marks.h"
#include "judge/policy/rules/strict.h"
#include "judge/policy/words/paths.h"
#include "judge/shell/parse.h"

/*
 * --- The text of a rule ---------------------------------------------------------------------------------------------
 */

static bool is_wildcard(const struct xylem_shell__word *word, const char *spelling)
{
    return !word->literal && xylem_base__view_is(word->raw, spelling);
}

/* The only node of the tree, if all of the text is one simple command; else NULL. */
static const struct xylem_shell__node *only_command(const struct xylem_shell__tree *tree, bool rule, const char **why)
{
    const struct xylem_shell__node *node = tree->nodes;
    size_t end = node ? (size_t)(node->raw.data - tree->text.data) + node->raw.bytes : 0;
    *why = tree->not_understood_why ? tree->not_understood_why
           : !node                  ? "no command is in it"
           : node->type != XYLEM_SHELL__SIMPLE || node->next || node->negated || node->timed ||
                   xylem_base__skip(tree->text, end, " \t\n") < tree->text.bytes
               ? "it has more than one simple command"
           : rule && node->assignments  ? "it sets a variable"
           : rule && node->redirections ? "it has a redirection"
           : !node->words               ? "no command is in it"
                                        : NULL;
    return *why ? NULL : node;
}

const struct xylem_shell__word **xylem_policy__taught_words(struct xylem_shell__arena *arena, struct xylem_view text,
                                                            bool rule, size_t *count, const char **why)
{
    struct xylem_shell__tree tree;
    *why = "there is no memory";
    if (xylem_shell__parse(&tree, arena, text, 0) < 0) {
        return NULL;
    }
    const struct xylem_shell__node *node = only_command(&tree, rule, why);
    const struct xylem_shell__word **words =
        node ? xylem_shell__arena_take(arena, node->word_count * sizeof *words) : NULL;
    *count = 0;
    for (const struct xylem_shell__word *word = words ? node->words : NULL; word; word = word->next) {
        bool rest = is_wildcard(word, "**");
        if (!word->literal && !(rule && (rest || is_wildcard(word, "*")))) {
            *why = rule ? "a word is neither literal nor `*` or `**` alone: a text with `*` in it stands in quotes"
                        : "a word is not literal, and an expansion meets no rule: write the word out";
            return NULL;
        }
        if (rest && word->next) {
            *why = "`**` stands for the rest: no word may follow";
            return NULL;
        }
        words[(*count)++] = word;
    }
    return words;
}

static int fail_rule(struct xylem_error *err, const char *text, const char *why)
{
    return xylem_base__fail(err, XYLEM_E_ARGUMENT, "the rule `%.200s`: expected the words of a command, found that %s",
                            text, why);
}

int xylem_policy__taught_add(struct xylem_policy *policy, enum xylem_decision decision, const char *text,
                             struct xylem_error *err)
{
    struct xylem_policy__taught *taught = &policy->taught;
    struct xylem_policy__taught_rule rule = {.decision = decision};
    const char *why;
    size_t bytes = strlen(text);
    char *copy = xylem_shell__arena_take(&taught->arena, bytes + 1);
    void *moved = xylem_base__with_room(taught->rules, &taught->capacity, taught->count, sizeof rule);
    taught->rules = moved ? moved : taught->rules;
    if (!copy || !moved) {
        return xylem_base__fail_memory(err);
    }
    memcpy(copy, text, bytes);
    rule.text = copy;
    rule.words = xylem_policy__taught_words(&taught->arena, (struct xylem_view){copy, bytes}, true, &rule.count, &why);
    if (taught->arena.failed) {
        return xylem_base__fail_memory(err);
    }
    if (!rule.words || !rule.words[0]->literal || rule.words[0]->text.bytes == 0) {
        return fail_rule(err, text, !rule.words ? why : "its first word is not the name of a program");
    }
    for (size_t i = 0; i < rule.count; i++) {
        rule.literal_count += rule.words[i]->literal;
    }
    rule.rest = is_wildcard(rule.words[rule.count - 1], "**");
    rule.count -= rule.rest;
    const char *runs = decision == XYLEM_ALLOW ? xylem_policy__rule_runs_code(&taught->arena, &rule) : NULL;
    if (runs) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "the rule `%.200s` would allow any code: %.*s %s", text,
                                (int)rule.words[0]->text.bytes, rule.words[0]->text.data, runs);
    }
    taught->rules[taught->count++] = rule;
    policy->git_taught |=
        decision == XYLEM_ALLOW && xylem_base__view_is(xylem_policy__basename(rule.words[0]->text), "git");
    return 0;
}

/*
 * --- The rule of a command ------------------------------------------------------------------------------------------
 */

/* A path is no option, no address, and has a slash: `./-rf` is another word than `-rf`, and `a//b` is the path `a/b`. */
static bool is_path(struct xylem_view text)
{
    return xylem_policy__view_has(text, '/') && text.data[0] != '-' && !xylem_policy__view_has(text, ':');
}

static bool same_text(struct xylem_view said, struct xylem_view found)
{
    return xylem_base__view_equal(said, found) ||
           (is_path(said) && is_path(found) && xylem_policy__path_same(said, found));
}

/*
 * A name without a slash means the program, wherever it lies; for `allow` only as the system would find it. A relative
 * path is another program after each `cd`.
 */
static bool program_meets(struct xylem_policy__judge *judge, const struct xylem_policy__taught_rule *rule,
                          const struct xylem_policy__command *command)
{
    const struct xylem_shell__word *first = command->words[0];
    struct xylem_view said = rule->words[0]->text;
    bool allows = rule->decision == XYLEM_ALLOW;
    if (!xylem_policy__view_has(said, '/')) {
        return xylem_base__view_equal(said, command->name) &&
               (!allows || (first->literal && xylem_policy__path_allowed(judge->policy, first->text, command->name)));
    }
    bool moved = said.data[0] != '/' && judge->directory_changes > 0;
    return first->literal && !(allows && moved) && same_text(said, first->text);
}

/*
 * For `allow` a wildcard stands for a literal word alone. For `ask` and `deny` an expansion cannot escape from a
 * wildcard, as a wildcard stands for whatever the word becomes.
 */
static bool word_meets(const struct xylem_shell__word *said, const struct xylem_shell__word *found, bool allows)
{
    if (!said || !said->literal) {
        return found->literal || !allows;
    }
    return found->literal && same_text(said->text, found->text);
}

static bool meets(struct xylem_policy__judge *judge, const struct xylem_policy__taught_rule *rule,
                  const struct xylem_policy__command *command)
{
    bool allows = rule->decision == XYLEM_ALLOW;
    if (command->count < rule->count || (command->count > rule->count && !rule->rest) || (allows && judge->elsewhere) ||
        !program_meets(judge, rule, command)) {
        return false;
    }
    for (size_t i = 1; i < command->count; i++) {
        if (!word_meets(i < rule->count ? rule->words[i] : NULL, command->words[i], allows)) {
            return false;
        }
    }
    return true;
}

/* 0: a literal word or the end, which no other rule of the same command can have instead. 1: `*`. 2: `**`. */
static int width_at(const struct xylem_policy__taught_rule *rule, size_t i)
{
    return i < rule->count ? !rule->words[i]->literal : rule->rest ? 2 : 0;
}

/* True if `rule` is more specific than `other`, or as specific and severer. Both meet the same command. */
static bool goes_before(const struct xylem_policy__taught_rule *rule, const struct xylem_policy__taught_rule *other)
{
    size_t most = rule->count > other->count ? rule->count : other->count;
    if (rule->literal_count != other->literal_count) {
        return rule->literal_count > other->literal_count;
    }
    for (size_t i = 0; i <= most; i++) {
        if (width_at(rule, i) != width_at(other, i)) {
            return width_at(rule, i) < width_at(other, i);
        }
    }
    return rule->decision < other->decision;
}

const struct xylem_policy__taught_rule *xylem_policy__taught_find(struct xylem_policy__judge *judge,
                                                                  const struct xylem_policy__command *command)
{
    const struct xylem_policy__taught *taught = &judge->policy->taught;
    const struct xylem_policy__taught_rule *best = NULL;
    for (const struct xylem_policy__taught_rule *rule = taught->rules; rule < taught->rules + taught->count; rule++) {
        if (meets(judge, rule, command) && (!best || goes_before(rule, best)) &&
            (rule->decision != XYLEM_ALLOW || xylem_policy__wildcard_may_stand(judge, command, rule))) {
            best = rule;
        }
    }
    return best;
}
