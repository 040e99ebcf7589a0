/* Judges a command, code and a whole text; the first refusal decides. */
#include "judge/policy/engine/judge.h"

#include <assert.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "judge/policy/engine/engine.h"
#include "judge/policy/words/name_pattern.h"
#include "judge/policy/words/words.h"

/*
 * A taught rule refuses beside the rules of the policy, or lifts their refusals of this command. Commands in the words
 * of the command, builtins and what a wrapper runs are judged as without the rule.
 */
static bool judge_named(struct xylem_policy__judge *judge, const struct xylem_policy__command *command)
{
    const struct xylem_policy *policy = judge->policy;
    const struct xylem_policy__taught_rule *rule =
        policy->taught.count == 0 ? NULL : policy->find_taught(judge, command);
    bool denies =
        policy->rules->refusal == XYLEM_DENY; /* then a rule that allows or asks only keeps a broader one off */
    bool allows = rule && rule->decision == XYLEM_ALLOW && !denies;
    struct xylem_policy__lifted around = judge->lifted;
    size_t refusals = judge->refusal_count;
    if (rule && (rule->decision == XYLEM_DENY || (rule->decision == XYLEM_ASK && !denies))) {
        judge->refusing = rule;
        (void)xylem_policy__refuse(judge, command->raw, "taught", "your rule %s `%s`",
                                   rule->decision == XYLEM_DENY ? "denies" : "asks about", rule->text);
        judge->refusing = NULL;
    }
    judge->lifted = (struct xylem_policy__lifted){allows ? judge->current : 0, rule};
    (void)policy->rules->command(judge, command);
    judge->lifted = around;
    (void)xylem_policy__judge_builtin(judge, command);
    (void)xylem_policy__judge_wrapped(judge, command);
    return judge->refusal_count == refusals;
}

/*
 * Judges a command whose name is not literal:
 * - `"$HOME/bin/cargo"` ends in a known component: a permissive policy judges the command by that name;
 * - the name can become a program that a permissive policy refuses: refused;
 * - otherwise the command is undecided.
 */
static bool judge_unnamed(struct xylem_policy__judge *judge, const struct xylem_policy__command *command)
{
    const struct xylem_policy__table_row *row = judge->policy->rules->programs;
    struct xylem_policy__command named = *command;
    struct xylem_view found;
    named.name = xylem_policy__known_basename(command->words[0]);
    if (row && named.name.bytes > 0) {
        return judge_named(judge, &named);
    }
    for (; row && row->names; row++) {
        if (xylem_policy__may_be_named(&found, command->words[0], row->names)) {
            return xylem_policy__refuse(judge, command->words[0]->raw, "not-decidable",
                                        "write the program's name out: it is not literal, and may be %.*s",
                                        (int)found.bytes, found.data);
        }
    }
    bool from_input = command->appended && !command->words[0]->parts; /* xargs reads the name from the input */
    return xylem_policy__undecided(judge, command->raw, "not-decidable",
                                   "write the program's name out: it is not literal") &&
           (!from_input || xylem_policy__input_undecided(judge));
}

bool xylem_policy__judge_words(struct xylem_policy__judge *judge, const struct xylem_policy__command *outer,
                               const struct xylem_shell__word *const *words, size_t count, bool appended)
{
    size_t before = judge->current;
    bool passed;
    if (count == 0) {
        return true;
    }
    if (judge->wrapper_depth >= XYLEM_COMMAND_NESTING_MAX) {
        return xylem_policy__undecided(judge, words[0]->raw, "not-decidable", "commands nest too deep");
    }
    struct xylem_policy__command command = {.words = words,
                                            .count = count,
                                            .node = outer->node,
                                            .raw = outer->words ? xylem_policy__span_of(words, count) : outer->raw,
                                            .behind_wrapper = outer->words,
                                            .appended = appended || outer->appended};
    if (words[0]->literal) {
        command.name = xylem_policy__basename(words[0]->text);
    }
    judge->wrapper_depth += command.behind_wrapper;
    judge->depth += command.behind_wrapper;
    if (!xylem_policy__add_record(judge, &command)) {
        passed = false;
    } else if (!words[0]->literal) {
        passed = judge_unnamed(judge, &command);
    } else {
        passed = judge_named(judge, &command);
        struct xylem_policy__place here = judge->place;
        xylem_policy__place_follow(judge, &command);
        if (command.behind_wrapper) { /* `command cd` changes the directory of the shell, `env cd` does not */
            xylem_policy__place_join(&judge->place, &here);
        }
    }
    judge->wrapper_depth -= command.behind_wrapper;
    judge->depth -= command.behind_wrapper;
    judge->current = before;
    return passed;
}

bool xylem_policy__judge_code(struct xylem_policy__judge *judge, const struct xylem_shell__word *word, const char *rule)
{
    size_t refusals = judge->refusal_count;
    if (!word->literal) {
        return xylem_policy__undecided(judge, word->raw, rule, "write the code out: it is not literal");
    }
    if (judge->code_depth >= XYLEM_COMMAND_NESTING_MAX) {
        return xylem_policy__undecided(judge, word->raw, rule, "code nests too deep");
    }
    judge->code_depth++;
    judge->depth++;
    xylem_policy__judge_text(judge, word->text, word->raw);
    judge->code_depth--;
    judge->depth--;
    return judge->refusal_count == refusals;
}

bool xylem_policy__judge_code_in(struct xylem_policy__judge *judge, const struct xylem_shell__word *word,
                                 struct xylem_view code, const char *rule)
{
    struct xylem_shell__word part = *word;
    part.text = code;
    return xylem_policy__judge_code(judge, &part, rule);
}

bool xylem_policy__judge_possible_code(struct xylem_policy__judge *judge, const struct xylem_shell__word *word,
                                       const char *rule)
{
    size_t refusals = judge->refusal_count;
    size_t records = judge->verdict->judged_count;
    bool passed = xylem_policy__judge_code(judge, word, rule);
    while (judge->refusal_count == refusals && judge->verdict->judged_count > records) {
        xylem_buffer_release(&judge->verdict->judged[--judge->verdict->judged_count].name);
    }
    return passed;
}

/* Judges each literal word of the text that is more than one word to a shell. */
static bool judge_values_as_code(struct xylem_policy__judge *judge, const struct xylem_policy__frame *frame)
{
    bool passed = true;
    for (size_t i = frame->value_begin; i < frame->value_end && judge->policy->rules->programs; i++) {
        const struct xylem_shell__word *word = judge->values.words[i];
        if (word->literal && xylem_shell__has_any(word->text, " \t\n")) {
            passed &= xylem_policy__judge_possible_code(judge, word, "wrapper");
        }
    }
    return passed;
}

bool xylem_policy__input_undecided(struct xylem_policy__judge *judge)
{
    bool passed = true;
    for (struct xylem_policy__frame *frame = judge->frame; frame; frame = frame->outer) {
        if (!frame->input_asked) {
            frame->input_asked = true;
            frame->input_passed = xylem_policy__undecided(judge, frame->text, "wrapper",
                                                          "the code that it runs may be read from its input");
            frame->input_passed &= judge_values_as_code(judge, frame);
        }
        passed &= frame->input_passed;
    }
    return passed;
}

int xylem_policy_judge(struct xylem_verdict *verdict, const struct xylem_policy *policy, struct xylem_view command,
                       const char *cwd, struct xylem_error *err)
{
    struct xylem_policy__judge judge = {.policy = policy, .verdict = verdict};
    if (verdict) {
        xylem_policy__verdict_clear(verdict);
    }
    if (!verdict || !policy || (!command.data && command.bytes > 0)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "a place for the verdict, a policy and a command are needed");
    }
    if (cwd && cwd[0] != '/') {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "cwd: expected an absolute path, found '%s'", cwd);
    }
    judge.place = (struct xylem_policy__place){.count = 1, .paths = {xylem_view_of(cwd)}};
    xylem_policy__judge_text(&judge, command, command);
    assert(!judge.frame && judge.current == 0);
    assert(judge.depth == 0 && judge.wrapper_depth == 0 && judge.code_depth == 0);
    judge.failed |= judge.arena.failed;
    xylem_shell__arena_release(&judge.arena);
    free(judge.values.words);
    if (judge.granted_count < judge.refusal_count) {
        xylem_policy__forget_grants(verdict);
    }
    if (!judge.failed && judge.refusal_count == 0) {
        verdict->decision = XYLEM_ALLOW;
        struct xylem_error line = {.text = "nothing in it is refused"};
        verdict->rule = judge.allowed_by ? "taught" : "allowed";
        if (judge.allowed_by) {
            xylem_base__fail(&line, XYLEM_OK, "your rule allows `%s`", judge.allowed_by);
        }
        judge.failed |=
            xylem_base__buffer_add_text(&verdict->reason, line.text) < 0 ||
            (judge.unread && xylem_base__buffer_add_text(&verdict->reason, ", as far as it can be read") < 0);
    }
    if (judge.failed) {
        xylem_policy__verdict_clear(verdict);
        return xylem_base__fail_memory(err);
    }
    return 0;
}
