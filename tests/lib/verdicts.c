#include "tests/lib/verdicts.h"

static void judge(struct xylem_verdict *verdict, const struct xylem_policy_config *config, const char *command)
{
    struct xylem_policy *policy = NULL;
    struct xylem_error err = {0};
    assert_int_equal(xylem_policy_new(&policy, config, &err), XYLEM_OK);
    assert_int_equal(xylem_policy_judge(verdict, policy, xylem_view_of(command), NULL, &err), XYLEM_OK);
    xylem_policy_free(policy);
}

void check_verdicts(const struct xylem_policy_config *config, const struct example *examples, size_t count)
{
    struct xylem_verdict verdict = {0};
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        judge(&verdict, config, examples[i].command);
        if (verdict.decision != examples[i].expected) {
            print_error("%s: expected %d, found %d (%s: %.*s)\n", examples[i].command, (int)examples[i].expected,
                        (int)verdict.decision, verdict.rule, (int)verdict.reason.bytes,
                        (const char *)verdict.reason.data);
            wrong++;
        }
    }
    xylem_verdict_release(&verdict);
    assert_int_equal(wrong, 0);
}

const char *rule_of(const struct xylem_policy_config *config, const char *command)
{
    struct xylem_verdict verdict = {0};
    judge(&verdict, config, command);
    const char *rule = verdict.rule;
    xylem_verdict_release(&verdict);
    return rule;
}

void check_reason(const struct xylem_policy_config *config, const char *command, const char *text)
{
    struct xylem_verdict verdict = {0};
    judge(&verdict, config, command);
    bool found = memmem(verdict.reason.data, verdict.reason.bytes, text, strlen(text)) != NULL;
    if (!found) {
        print_error("%s: %.*s\n", command, (int)verdict.reason.bytes, (const char *)verdict.reason.data);
    }
    xylem_verdict_release(&verdict);
    assert_true(found);
}
