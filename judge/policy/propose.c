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

static bool is_verb(struct xylem_view text)
{
    return text.bytes > 0 && text.data[0] >= 'a' && text.data[0] <= 'z' &&
           xylem_policy__view_of_only(text, "abcdefghijklmnopqrstuvwxyz0123456789-");
}

/* Makes a rule of the first words, and tries the rule: 1 if the rule allows the part, else 0 and the reason in `note`. */
static int try_rule(struct xylem_buffer *rule, struct xylem_buffer *note, struct xylem_policy *policy,
                    const struct xylem_shell__word *const *words, size_t count, bool rest, struct xylem_view part)
{
    struct xylem_verdict verdict = {0};
    struct xylem_error why;
    size_t taught = policy->taught.count;
    bool git_taught = policy->git_taught;
    int code = 0;
    xylem_base__buffer_clear(rule);
    xylem_base__buffer_clear(note);
    for (size_t i = 0; code == 0 && i < count; i++) {
        code = xylem_base__buffer_add_format(rule, "%s%.*s%s", i > 0 ? " " : "", (int)words[i]->raw.bytes,
                                             words[i]->raw.data, rest && i + 1 == count ? " **" : "");
    }
    if (code == 0 && (code = xylem_policy__taught_add(policy, XYLEM_ALLOW, rule->data, &why)) == XYLEM_E_ARGUMENT) {
        code = xylem_base__buffer_add_text(note, why.text);
    } else if (code == 0 && (code = xylem_policy_judge(&verdict, policy, part, NULL, &why)) == 0) {
        code = verdict.decision == XYLEM_ALLOW ? 1 : xylem_buffer_add(note, verdict.reason.data, verdict.reason.bytes);
    }
    policy->taught.count = taught;
    policy->git_taught = git_taught;
    xylem_verdict_release(&verdict);
    return code;
}

int xylem_policy_propose(struct xylem_buffer *rule, struct xylem_buffer *note, struct xylem_policy *policy,
                         struct xylem_view part, struct xylem_error *err)
{
    struct xylem_shell__arena arena = {0};
    size_t count = 0;
    size_t verbs = 0;
    const char *why = NULL;
    if (!rule || !note || !policy || xylem_base__view_lacks_bytes(part)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "texts for rule and note, a policy and a part are needed");
    }
    const struct xylem_shell__word **words = xylem_policy__taught_words(&arena, part, false, &count, &why);
    int code = 0;
    if (policy->type == XYLEM_POLICY_READONLY || !words) {
        xylem_base__buffer_clear(note);
        code = xylem_base__buffer_add_text(note, words ? "readonly refuses a change, whatever a rule allows" : why);
    } else {
        while (verbs < VERBS_MAX && verbs + 1 < count && is_verb(words[verbs + 1]->text)) {
            verbs++;
        }
        if (verbs > 0 && xylem_policy__words_read(words, 1 + verbs)) {
            code = try_rule(rule, note, policy, words, 1 + verbs, true, part);
        }
        code = code != 0 ? code : try_rule(rule, note, policy, words, count, false, part);
    }
    if (code <= 0) {
        xylem_base__buffer_clear(rule);
    }
    code = arena.failed || code == XYLEM_E_MEMORY ? xylem_base__fail_memory(err) : code;
    xylem_shell__arena_release(&arena);
    return code;
}
