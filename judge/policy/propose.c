/* Teaches a policy, and proposes what to teach. */
#include "base/buffer.h"
#include "base/error.h"
#include "judge/policy/rules/marks.h"
#include "judge/policy/rules/taught.h"
#include "judge/policy/words/words.h"

#define VERBS_MAX 2u /* `gh pr view`: two verbs behind the program */

int xylem_policy_teach(struct xylem_policy *policy, enum xylem_decision decision, const char *rule,
                       struct xylem_error *err)
{
    if (!policy || !rule || (unsigned)decision > XYLEM_ALLOW) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "a policy, a decision and the text of a rule are needed");
    }
    return xylem_policy__taught_add(policy, decision, rule, err);
}

static bool is_verb(const struct xylem_shell__word *word)
{
    struct xylem_view text = word->text;
    return text.bytes > 0 && text.data[0] >= 'a' && text.data[0] <= 'z' &&
           xylem_policy__view_of_only(text, "abcdefghijklmnopqrstuvwxyz0123456789-");
}

static int add_words(struct xylem_buffer *rule, const struct xylem_shell__word *const *words, size_t count,
                     const char *rest)
{
    int code = 0;
    xylem_base__buffer_clear(rule);
    for (size_t i = 0; code == 0 && i < count; i++) {
        code = xylem_base__buffer_add_format(rule, "%s%.*s", i > 0 ? " " : "", (int)words[i]->raw.bytes,
                                             words[i]->raw.data);
    }
    return code < 0 ? code : xylem_base__buffer_add_text(rule, rest);
}

/* 1: readonly passes the command, so that a rule may allow it with any other words. 0: readonly refuses it. */
static int reads(struct xylem_verdict *verdict, struct xylem_view command, struct xylem_error *err)
{
    struct xylem_policy *readonly = NULL;
    int code = xylem_policy_new(&readonly, NULL, err);
    code = code < 0 ? code : xylem_policy_judge(verdict, readonly, command, NULL, err);
    xylem_policy_free(readonly);
    return code < 0 ? code : verdict->decision == XYLEM_ALLOW;
}

/* 1: the part is allowed with the rule. 0: the part is not; `note` has the reason. The policy is as before. */
static int would_allow(struct xylem_verdict *verdict, struct xylem_buffer *note, struct xylem_policy *policy,
                       const struct xylem_buffer *rule, struct xylem_view part, const char *cwd,
                       struct xylem_error *err)
{
    struct xylem_error why;
    size_t count = policy->taught.count;
    int code = xylem_policy__taught_add(policy, XYLEM_ALLOW, rule->data, &why);
    if (code == XYLEM_E_ARGUMENT) {
        code = 0;
        xylem_base__buffer_clear(note);
        return xylem_base__buffer_add_text(note, why.text) < 0 ? xylem_base__fail_memory(err) : 0;
    }
    if (code == 0) {
        code = xylem_policy_judge(verdict, policy, part, cwd, err);
    }
    policy->taught.count = count;
    if (code == 0 && verdict->decision != XYLEM_ALLOW) {
        xylem_base__buffer_clear(note);
        code = xylem_buffer_add(note, verdict->reason.data, verdict->reason.bytes);
    }
    return code < 0 ? xylem_base__fail_memory(err) : verdict->decision == XYLEM_ALLOW;
}

/* The broad rule first, `gh pr view **`, if a command with these words reads; then the words as they stand. */
static int propose(struct xylem_buffer *rule, struct xylem_buffer *note, struct xylem_policy *policy,
                   const struct xylem_shell__word *const *words, size_t count, struct xylem_view part, const char *cwd,
                   struct xylem_error *err)
{
    struct xylem_verdict verdict = {0};
    size_t verbs = 0;
    while (verbs < VERBS_MAX && verbs + 1 < count && is_verb(words[verbs + 1])) {
        verbs++;
    }
    int code = verbs == 0 ? 0 : add_words(rule, words, 1 + verbs, "");
    code = code < 0 || verbs == 0 ? code : reads(&verdict, xylem_base__buffer_view(rule), err);
    if (code > 0 && (code = xylem_base__buffer_add_text(rule, " **")) == 0) {
        code = would_allow(&verdict, note, policy, rule, part, cwd, err);
    }
    if (code > 0) {
        xylem_base__buffer_clear(note);
        code = xylem_policy__marks_of(note, xylem_policy__basename(words[0]->text));
        code = code < 0 ? code : 1;
    } else if (code == 0 && (code = add_words(rule, words, count, "")) == 0) {
        code = would_allow(&verdict, note, policy, rule, part, cwd, err);
        if (code > 0) {
            xylem_base__buffer_clear(note);
        }
    }
    xylem_verdict_release(&verdict);
    return code == XYLEM_E_MEMORY ? xylem_base__fail_memory(err) : code;
}

int xylem_policy_propose(struct xylem_buffer *rule, struct xylem_buffer *note, struct xylem_policy *policy,
                         struct xylem_view part, const char *cwd, struct xylem_error *err)
{
    struct xylem_shell__arena arena = {0};
    size_t count = 0;
    const char *why;
    if (!rule || !note || !policy || (!part.data && part.bytes > 0)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "places for the rule and the note, a policy and a part are needed");
    }
    xylem_base__buffer_clear(rule);
    xylem_base__buffer_clear(note);
    const struct xylem_shell__word **words = xylem_policy__taught_words(&arena, part, false, &count, &why);
    int code = 0;
    if (arena.failed) {
        code = xylem_base__fail_memory(err);
    } else if (policy->type == XYLEM_POLICY_READONLY) {
        code = xylem_base__buffer_add_text(note, "readonly refuses a change, whatever a rule allows");
    } else if (!words) {
        code = xylem_base__buffer_add_text(note, why);
    } else {
        code = propose(rule, note, policy, words, count, part, cwd, err);
    }
    xylem_shell__arena_release(&arena);
    if (code <= 0) {
        xylem_base__buffer_clear(rule);
    }
    return code;
}
