/*
 * A wildcard stands for no word that the tables mark. The tables mark options that run code, or name a host, by spelling.
 * The policies judge all other words:
 *
 *     the rule          git **
 *     written           git                  the words of the rule
 *     whole             git push origin      the words that the rule would allow
 *
 * The wildcard brings what the whole words add: a refusal, or a command within.
 */
#include "judge/policy/rules/marks.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "judge/policy/engine/engine.h"
#include "judge/policy/git/git.h"
#include "judge/policy/rules/hatches.h"
#include "judge/policy/rules/shared.h"
#include "judge/policy/rules/strict.h"
#include "judge/policy/rules/verbs.h"
#include "judge/policy/words/options.h"

struct outcome {
    bool refused;
    bool undecided;  /* refused, as the command that a wrapper runs is not known */
    bool runs_probe; /* a command within is the probe */
    size_t records;  /* the command, and those within */
};

static const struct xylem_shell__word probe = {.raw = {"rm", 2}, .text = {"rm", 2}, .literal = true};

/* The answer of the rules of a policy to the words as a command of their own, without anything taught. */
static struct outcome outcome_of(const struct xylem_policy__rules *rules, enum xylem_policy_type type,
                                 const struct xylem_shell__word *const *words, size_t count)
{
    struct xylem_policy policy = {.rules = rules, .type = type, .git_local_writes = true};
    struct xylem_verdict verdict = {0};
    struct xylem_policy__frame frame = {.text = {"", 0}};
    struct xylem_policy__judge judge = {
        .policy = &policy, .verdict = &verdict, .frame = &frame, .place = {.count = 1, .paths = {{NULL, 0}}}};
    const struct xylem_policy__command outer = {.raw = {"", 0}};
    (void)xylem_policy__judge_words(&judge, &outer, words, count, false);
    struct outcome outcome = {.refused = judge.refusal_count > 0 || judge.failed || judge.arena.failed,
                              .records = verdict.judged_count};
    for (size_t i = 1; i < verdict.judged_count; i++) {
        outcome.runs_probe |= xylem_base__view_equal(xylem_base__buffer_view(&verdict.judged[i].name), probe.text);
    }
    xylem_shell__arena_release(&judge.arena);
    free(judge.values.words);
    xylem_verdict_release(&verdict);
    return outcome;
}

bool xylem_policy__words_read(const struct xylem_shell__word *const *words, size_t count)
{
    return !outcome_of(&xylem_policy__rules_readonly, XYLEM_POLICY_READONLY, words, count).refused;
}

/*
 * --- Wildcards ------------------------------------------------------------------------------------------------------
 */

/* Words, as the person wrote them and as the command has them. */
struct sides {
    const struct xylem_shell__word **written;
    size_t written_count;
    const struct xylem_shell__word *const *whole;
    size_t whole_count;
};

static bool brings(const struct sides *sides, const struct xylem_policy__rules *rules, enum xylem_policy_type type)
{
    struct outcome whole = outcome_of(rules, type, sides->whole, sides->whole_count);
    struct outcome written = outcome_of(rules, type, sides->written, sides->written_count);
    /* If a policy refuses the program alone, the refusal says nothing about words: crontab **. */
    return (whole.refused &&
            (!written.refused || (sides->written_count == 1 && xylem_policy__verbs_of(sides->written[0]->text)))) ||
           whole.records > written.records;
}

/* True for an option of the list, for an abbreviation (`--exe=sh`), and for letters with an option (`-xo`). */
static bool is_option_of(const char *list, struct xylem_view text)
{
    struct xylem_view name = xylem_policy__view_before(text, '=');
    bool dashes = xylem_policy__view_begins(text, "--");
    if (!list || name.bytes < 2 || text.data[0] != '-') {
        return false;
    }
    for (size_t i = 1; !dashes && i < text.bytes; i++) {
        if (xylem_policy__listed(list, (struct xylem_view){(const char[]){'-', text.data[i]}, 2})) {
            return true;
        }
    }
    return xylem_policy__listed(list, name) || (dashes && name.bytes > 2 && xylem_policy__begins_one_of(list, name));
}

/*
 * True if a table marks the word of the program as an option that runs code, connects elsewhere or writes. If a program
 * destroys with any word, each word is marked.
 */
static bool is_marked(struct xylem_view name, struct xylem_view text)
{
    const struct xylem_policy__verb_row *row = xylem_policy__verbs_of(name);
    const struct xylem_policy__table_row *known = xylem_policy__hatch_of(name)->known;
    bool git = xylem_base__view_is(name, "git");
    if (xylem_policy__view_contains(text, "://") || xylem_policy__view_begins(text, "git@") ||
        (row && (row->requests || row->plain || row->keys) && xylem_policy__view_has(text, ':')) ||
        (row && row->assigns && xylem_policy__view_has(text, '=')) ||
        (git && (is_option_of(xylem_policy__git_unruled, text) || xylem_policy__view_begins(text, ":"))) ||
        (!row && xylem_policy__find_program(text))) {
        return true;
    }
    while (known->names && !is_option_of(known->names, text)) {
        known++;
    }
    return known->names ||
           (row && (is_option_of(row->code, text) || is_option_of(row->runs_with, text) ||
                    is_option_of(row->sends_with, text) || xylem_policy__spelt_in(row->destroys, xylem_view_of("."))));
}

/* True if the verbs connect to a host in the command. */
static bool sends(struct xylem_view name, const struct xylem_shell__word *const *words, size_t count)
{
    const struct xylem_policy__verb_row *row = xylem_policy__verbs_of(name);
    struct xylem_view verbs[XYLEM_POLICY__VERBS_MAX];
    bool found = false;
    size_t known = 0;
    for (size_t i = 1; row && !found && known < XYLEM_POLICY__VERBS_MAX && i < count; i++) {
        if (!xylem_policy__view_begins(words[i]->text, "-")) {
            verbs[known++] = words[i]->text;
            found = xylem_policy__match_verbs(row->sends, verbs, known) == XYLEM_POLICY__MATCH_WHOLE;
        }
    }
    return found;
}

/*
 * strict judges programs with a language and programs that write operands, as strict knows most of these programs. strict
 * judges git too, and knows the local writes that a person can undo. git alone is no command: strict judges the whole.
 */
static bool bring_harm(const struct sides *sides, struct xylem_view name)
{
    const struct xylem_policy__command written = {.words = sides->written, .count = sides->written_count};
    bool git = xylem_base__view_is(name, "git");
    bool by_strict = git || xylem_policy__hatch_of(name)->type != XYLEM_POLICY__HATCH_OPTIONS;
    size_t count;
    if (git && !xylem_policy__git_subcommand(&written, &count)) {
        return outcome_of(&xylem_policy__rules_strict, XYLEM_POLICY_STRICT, sides->whole, sides->whole_count).refused;
    }
    if (sends(name, sides->whole, sides->whole_count) && !sends(name, sides->written, sides->written_count)) {
        return true;
    }
    return brings(sides, &xylem_policy__rules_confirm, XYLEM_POLICY_CONFIRM) ||
           (by_strict && brings(sides, &xylem_policy__rules_strict, XYLEM_POLICY_STRICT)) ||
           (!git && brings(sides, &xylem_policy__rules_readonly, XYLEM_POLICY_READONLY));
}

bool xylem_policy__wildcard_may_stand(struct xylem_policy__judge *judge, const struct xylem_policy__command *command,
                                      const struct xylem_policy__taught_rule *rule)
{
    struct xylem_view name = xylem_policy__program_of(command->name);
    struct sides sides = {xylem_shell__arena_take(&judge->arena, command->count * sizeof *sides.written), 0,
                          command->words, command->count};
    for (size_t i = 0; sides.written && i < command->count; i++) {
        if (i < rule->count && rule->words[i]->literal) {
            sides.written[sides.written_count++] = command->words[i];
        } else if (is_marked(name, command->words[i]->text)) {
            return false;
        }
    }
    return sides.written && (sides.written_count == command->count || !bring_harm(&sides, name));
}

/*
 * --- Rules that would allow any code --------------------------------------------------------------------------------
 */

/*
 * True if a wildcard of the rule stands where a program reads a command: in `npm exec **` rm would be the command. Also
 * true for xargs without a command: the wildcard may add a command.
 */
static bool leaves_command_open(struct xylem_shell__arena *arena, const struct xylem_policy__taught_rule *rule)
{
    const struct xylem_shell__word **words = xylem_shell__arena_take(arena, (rule->count + 2) * sizeof *words);
    size_t count = 0;
    for (size_t i = 0; words && i < rule->count; i++) {
        words[count++] = rule->words[i]->literal ? rule->words[i] : &probe;
    }
    for (int i = 0; words && rule->rest && i < 2; i++) { /* `docker exec **`: the container, then the command */
        words[count++] = &probe;
    }
    struct outcome outcome = outcome_of(&xylem_policy__rules_readonly, XYLEM_POLICY_READONLY, words, count);
    return outcome.runs_probe || (outcome.records < 2 && xylem_base__view_is(rule->words[0]->text, "xargs"));
}

const char *xylem_policy__rule_runs_code(struct xylem_shell__arena *arena, const struct xylem_policy__taught_rule *rule)
{
    struct xylem_view name = xylem_policy__program_of(xylem_policy__basename(rule->words[0]->text));
    const struct xylem_policy__table_row *never = xylem_policy__find_row(xylem_policy__strict_never, name);
    if (never || xylem_policy__listed(xylem_policy__interpreters, name)) {
        return never ? never->what : "runs the code in its words, or in a file";
    }
    return leaves_command_open(arena, rule) ? "runs any command: write the command into the rule" : NULL;
}
