/*
 * fixtures/commands: 4,000 commands that somebody wrote who had not seen the tables, in seven classes. A line has the
 * class and the command; `unsure` marks a line whose class the writer doubted. This test counts how many commands of a
 * class get another answer than the class should, and holds the counts below what docs/policy.md promises.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "xylem/policy.h"
#include "tests/lib/test.h"

struct expectation {
    const char *class;
    enum xylem_policy_type policy;
    bool passes;        /* the policy should allow the commands of the class */
    double percent_max; /* of other answers, without the doubtful lines */
    size_t judged;
    size_t wrong;
};

static struct expectation expectations[] = {
    {"local-read", XYLEM_POLICY_STRICT, true, 8.0, 0, 0},
    {"reading-verb", XYLEM_POLICY_STRICT, true, 25.0, 0, 0},
    {"everyday-write", XYLEM_POLICY_STRICT, false, 0.0, 0, 0},
    {"destructive", XYLEM_POLICY_STRICT, false, 0.0, 0, 0},
    {"destructive-verb", XYLEM_POLICY_STRICT, false, 0.0, 0, 0},
    {"readonly-write", XYLEM_POLICY_STRICT, false, 0.0, 0, 0},
    {"send", XYLEM_POLICY_STRICT, false, 0.0, 0, 0},
    {"local-read", XYLEM_POLICY_READONLY, true, 0.3, 0, 0},
    {"reading-verb", XYLEM_POLICY_READONLY, true, 0.3, 0, 0},
    {"readonly-write", XYLEM_POLICY_READONLY, false, 3.0, 0, 0},
    {"destructive-verb", XYLEM_POLICY_READONLY, false, 3.0, 0, 0},
    {"destructive", XYLEM_POLICY_CONFIRM, false, 3.0, 0, 0},
    {"everyday-write", XYLEM_POLICY_CONFIRM, true, 2.0, 0, 0},
    {"local-read", XYLEM_POLICY_CONFIRM, true, 0.0, 0, 0},
    {"reading-verb", XYLEM_POLICY_CONFIRM, true, 0.0, 0, 0},
};

static void judge(struct expectation *expected, const struct xylem_policy *policy, struct xylem_view command)
{
    struct xylem_verdict verdict = {0};
    struct xylem_error err = {0};
    assert_int_equal(xylem_policy_judge(&verdict, policy, command, NULL, &err), XYLEM_OK);
    bool wrong = (verdict.decision == XYLEM_ALLOW) != expected->passes;
    expected->judged++;
    expected->wrong += wrong;
    if (wrong && getenv("XYLEM_SHOW")) {
        print_message("%s, policy %d: %.*s\n    %.*s\n", expected->class, (int)expected->policy, (int)command.bytes,
                      command.data, (int)verdict.reason.bytes, verdict.reason.data);
    }
    xylem_verdict_release(&verdict);
}

static void judge_line(struct xylem_policy *const *policies, struct xylem_view line)
{
    struct xylem_base__tree tree = {0};
    struct xylem_error err = {0};
    size_t classes = 0;
    assert_int_equal(xylem_base__json_parse(&tree, line, &err), XYLEM_OK);
    struct xylem_view class = xylem_value_string(xylem_value_get(tree.nodes, "class"));
    for (size_t i = 0; i < sizeof expectations / sizeof expectations[0]; i++) {
        struct expectation *expected = &expectations[i];
        if (!xylem_base__view_equal(class, xylem_view_of(expected->class))) {
            continue;
        }
        classes++;
        if (!xylem_value_get(tree.nodes, "unsure")) {
            judge(expected, policies[expected->policy], xylem_value_string(xylem_value_get(tree.nodes, "command")));
        }
    }
    assert_true(classes > 0);
    xylem_base__tree_release(&tree);
}

TEST(answers_about_commands_of_others_keep_their_promise)
{
    struct xylem_policy *policies[3] = {NULL};
    struct xylem_error err = {0};
    char *text = NULL;
    size_t room = 0;
    ssize_t bytes;
    size_t broken = 0;
    FILE *file = fopen("fixtures/commands/commands.jsonl", "re");
    (void)state;
    assert_non_null(file);
    for (size_t i = 0; i < 3; i++) {
        struct xylem_policy_config config = {.type = (enum xylem_policy_type)i};
        assert_int_equal(xylem_policy_new(&policies[i], &config, &err), XYLEM_OK);
    }
    while ((bytes = getline(&text, &room, file)) > 0) {
        judge_line(policies, (struct xylem_view){text, (size_t)bytes});
    }
    free(text);
    assert_int_equal(fclose(file), 0);
    for (size_t i = 0; i < sizeof expectations / sizeof expectations[0]; i++) {
        const struct expectation *expected = &expectations[i];
        assert_true(expected->judged >= 90); /* a class without commands would keep any promise */
        double percent = 100.0 * (double)expected->wrong / (double)expected->judged;
        print_message("figures: %s, policy %d, %s: %zu of %zu otherwise, %.1f %%, at most %.1f\n", expected->class,
                      (int)expected->policy, expected->passes ? "passes" : "is refused", expected->wrong,
                      expected->judged, percent, expected->percent_max);
        broken += percent > expected->percent_max;
    }
    for (size_t i = 0; i < 3; i++) {
        xylem_policy_free(policies[i]);
    }
    assert_int_equal(broken, 0);
}
