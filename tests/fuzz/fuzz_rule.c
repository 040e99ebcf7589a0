/*
 * The first byte chooses a policy and a decision, the first line is a rule, the rest is a command. The rule is refused
 * with a reason, or is taken; then the verdict is one that the policy and the rule can give:
 *
 *     deny      never milder than without the rule
 *     ask       never milder than without the rule; readonly answers as without the rule
 *     allow     never severer than without the rule; readonly answers as without the rule
 *
 * What a proposal promises for the command, holds.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "xylem/policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static enum xylem_decision decision_of(const struct xylem_policy *policy, struct xylem_view command)
{
    static struct xylem_verdict verdict;
    require(xylem_policy_judge(&verdict, policy, command, NULL, NULL) == 0 && verdict.reason.bytes > 0);
    return verdict.decision;
}

static void check_proposal(struct xylem_policy *policy, struct xylem_view command)
{
    static struct xylem_buffer rule;
    static struct xylem_buffer note;
    int code = xylem_policy_propose(&rule, &note, policy, command, NULL);
    require(code == 1 ? rule.bytes > 0 : code == 0 && rule.bytes == 0 && note.bytes > 0);
    if (code == 1) {
        require(xylem_policy_teach(policy, XYLEM_ALLOW, rule.data, NULL) == 0);
        require(decision_of(policy, command) == XYLEM_ALLOW);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *feed = size > 0 ? memchr(data + 1, '\n', size - 1) : NULL;
    struct xylem_policy_config config = {.type = (enum xylem_policy_type)(size > 0 ? data[0] % 3u : 0)};
    struct xylem_policy *policy = NULL;
    struct xylem_error err;
    if (!feed || memchr(data, '\0', (size_t)(feed - data))) {
        return 0;
    }
    enum xylem_decision taught = (enum xylem_decision)(data[0] / 3u % 3u);
    struct xylem_view command = {(const char *)feed + 1, size - (size_t)(feed + 1 - data)};
    char *rule = strndup((const char *)data + 1, (size_t)(feed - data - 1));
    require(rule && xylem_policy_new(&policy, &config, NULL) == 0);
    enum xylem_decision before = decision_of(policy, command);
    int code = xylem_policy_teach(policy, taught, rule, &err);
    enum xylem_decision after = decision_of(policy, command);
    require(code == 0 || (code == XYLEM_E_ARGUMENT && err.text[0] != '\0' && before == after));
    require(taught == XYLEM_ALLOW ? after >= before : after <= before);
    require(taught == XYLEM_DENY || config.type != XYLEM_POLICY_READONLY || after == before);
    check_proposal(policy, command);
    xylem_policy_free(policy);
    free(rule);
    return 0;
}
